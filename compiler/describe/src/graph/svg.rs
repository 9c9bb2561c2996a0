//! The structure of workflows as a picture: an SVG that needs nothing else, light and dark.

use std::fmt::Write;

use super::layout::{
    CHIP, CHIP_GAP, Chips, Content, DETAIL_STEP, DOCS_STEP, GUTTER, LABEL, Onward, PADDING, Placed,
    PlacedLane, SMALL, STEP, Section, Stack, TITLE_GAP, WORK_HEAD, group_head, section,
};
use super::width::{text_width, word_width};
use super::{Graph, Group, GroupKind, Work, WorkKind};
use crate::escape::escaped;

const STYLE: &str = include_str!("style.css");
/// Around the picture and between workflows.
const MARGIN: f64 = 20.0;
const NARROWEST: f64 = 160.0;

/// How round the corners of workflows and of boxes are.
const SECTION_CORNER: f64 = 10.0;
const BOX_CORNER: f64 = 8.0;

/// From the padding of a workflow down to the baseline of its title, from there to that of its heading.
const TITLE_BASELINE: f64 = 16.0;
const HEADING_STEP: f64 = 22.0;
/// From the last baseline of a workflow's head down to its chips.
const HEAD_CHIPS: f64 = 8.0;

/// From the top of a work down to the baselines of its kind and its name.
const KIND_BASELINE: f64 = 19.0;
const NAME_BASELINE: f64 = 38.0;
/// From the end of a detail's line up to its baseline, and down to the chips that follow.
const DETAIL_RISE: f64 = 4.0;
const DETAIL_CHIPS: f64 = 3.0;

/// From the top of a group down to the baseline of its title and to its chips.
const GROUP_BASELINE: f64 = 20.0;
const GROUP_CHIPS: f64 = 28.0;
/// From the top of the lanes up to the baseline of their labels.
const LABEL_RISE: f64 = 7.0;
/// Where the dash of an empty lane is: left of its middle, below its top.
const DASH_LEFT: f64 = 3.0;
const DASH_BASELINE: f64 = 14.0;
/// Between the end of a divider and that of its group.
const DIVIDER_END: f64 = 8.0;

/// From the top of a chip down to the baseline of its text.
const CHIP_BASELINE: f64 = 13.0;
/// The length of an arrow's tip, and half its width.
const TIP_LENGTH: f64 = 6.0;
const TIP_HALF: f64 = 4.0;

#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The graph as an SVG document.
#[must_use]
pub fn svg(graph: &Graph) -> String {
    let sections: Vec<Section<'_>> = graph.workflows.iter().map(section).collect();
    let widest = sections.iter().map(|it| it.width).fold(NARROWEST, f64::max);
    let tall: f64 = sections.iter().map(|it| it.height + MARGIN).sum();
    let (width, height) = (widest + 2.0 * MARGIN, tall + MARGIN);
    let names: Vec<&str> = graph.workflows.iter().map(|it| it.name.as_str()).collect();
    let title = escaped(&format!("Workflows: {}", names.join(", ")));
    let mut drawing = Drawing { out: String::new() };
    let _ = write!(
        drawing.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{title}\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
    );
    let mut y = MARGIN;
    for section in &sections {
        drawing.section(section, y, widest);
        y += section.height + MARGIN;
    }
    drawing.out.push_str("</svg>\n");
    drawing.out
}

struct Drawing {
    out: String,
}

impl Drawing {
    fn section(&mut self, section: &Section<'_>, y: f64, width: f64) {
        let workflow = section.workflow;
        let id = escaped(&workflow.name);
        let _ = writeln!(self.out, "<g id=\"workflow-{id}\">");
        let area = Area {
            x: MARGIN,
            y,
            width,
            height: section.height,
        };
        self.rectangle("section", area, SECTION_CORNER);
        let x = MARGIN + PADDING;
        let mut line = y + PADDING + TITLE_BASELINE;
        self.text("word", x, line, "WORKFLOW");
        self.text(
            "title",
            x + word_width("workflow") + TITLE_GAP,
            line,
            &workflow.name,
        );
        line += HEADING_STEP;
        self.text("detail", x, line, &workflow.heading);
        if let Some(docs) = &workflow.docs {
            line += DOCS_STEP;
            self.text("detail", x, line, docs);
        }
        self.chips("chip", &section.marks, x, line + HEAD_CHIPS);
        let left = MARGIN + (width - section.stack.width) / 2.0;
        self.stack(&section.stack, left, y + section.head, section.stack.width);
        self.out.push_str("</g>\n");
    }

    /// Boxes below each other in the middle of `width`, with arrows between them.
    fn stack(&mut self, stack: &Stack<'_>, x: f64, y: f64, width: f64) {
        let middle = x + width / 2.0;
        let mut top = y;
        let mut before = Onward::Nothing;
        for placed in &stack.boxes {
            if before == Onward::Arrow {
                self.arrow(middle, top - STEP, top);
            }
            before = placed.onward;
            self.placed(placed, middle - placed.width / 2.0, top);
            top += placed.height + STEP;
        }
    }

    fn placed(&mut self, placed: &Placed<'_>, x: f64, y: f64) {
        let area = Area {
            x,
            y,
            width: placed.width,
            height: placed.height,
        };
        match &placed.content {
            Content::Work { work, tools, marks } => self.work(work, tools, marks, area),
            Content::Group {
                group,
                marks,
                lanes,
            } => self.group(group, marks, lanes, area),
            Content::Leave(leave) => {
                self.rectangle("leave", area, CHIP / 2.0);
                self.chip_text(area, leave.word());
            }
        }
    }

    fn work(&mut self, work: &Work, tools: &Chips<'_>, marks: &Chips<'_>, area: Area) {
        let is_link = matches!(work.kind, WorkKind::Workflow | WorkKind::Detached);
        if is_link {
            let target = escaped(&work.name);
            let _ = writeln!(self.out, "<a href=\"#workflow-{target}\">");
        }
        self.rectangle(class_of_work(work.kind), area, BOX_CORNER);
        let left = area.x + PADDING;
        let kind = work.kind.word().to_uppercase();
        self.text("word", left, area.y + KIND_BASELINE, &kind);
        self.text("name", left, area.y + NAME_BASELINE, &work.name);
        let mut line = area.y + WORK_HEAD;
        for detail in &work.details {
            line += DETAIL_STEP;
            self.text("detail", left, line - DETAIL_RISE, detail);
        }
        let chips = line + DETAIL_CHIPS;
        self.chips("chip of-tool", tools, left, chips);
        self.chips("chip", marks, left, chips + tools.height());
        if is_link {
            self.out.push_str("</a>\n");
        }
    }

    fn group(&mut self, group: &Group, marks: &Chips<'_>, lanes: &[PlacedLane<'_>], area: Area) {
        let class = format!("group {}", group.kind.word());
        self.rectangle(&class, area, BOX_CORNER);
        let left = area.x + PADDING;
        let baseline = area.y + GROUP_BASELINE;
        let word = group.kind.word().to_uppercase();
        self.text("word", left, baseline, &word);
        let title = left + word_width(group.kind.word()) + TITLE_GAP;
        self.text(title_class(group.kind), title, baseline, &group.title);
        self.chips("chip", marks, left, area.y + GROUP_CHIPS);
        let top = area.y + group_head(group, marks);
        let gutters = lanes.len().saturating_sub(1) as f64 * GUTTER;
        let inside = lanes.iter().map(|it| it.width).sum::<f64>() + gutters;
        let labels = if lanes.iter().all(|it| it.label.is_empty()) {
            0.0
        } else {
            LABEL
        };
        let mut lane_x = area.x + (area.width - inside) / 2.0;
        for (index, lane) in lanes.iter().enumerate() {
            if index > 0 {
                let bottom = area.y + area.height - DIVIDER_END;
                self.divider(lane_x - GUTTER / 2.0, top - labels, bottom);
            }
            let label_x = lane_x + (lane.width - text_width(lane.label, SMALL)) / 2.0;
            self.text("small", label_x, top - LABEL_RISE, lane.label);
            if lane.stack.boxes.is_empty() && lanes.len() > 1 {
                let dash_x = lane_x + lane.width / 2.0 - DASH_LEFT;
                self.text("small", dash_x, top + DASH_BASELINE, "–");
            }
            self.stack(&lane.stack, lane_x, top, lane.width);
            lane_x += lane.width + GUTTER;
        }
    }

    fn divider(&mut self, x: f64, top: f64, bottom: f64) {
        let _ = writeln!(
            self.out,
            "<path class=\"divider\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>"
        );
    }

    fn chips(&mut self, class: &str, chips: &Chips<'_>, x: f64, y: f64) {
        let mut top = y;
        for line in &chips.lines {
            let mut left = x;
            for (text, width) in line {
                let area = Area {
                    x: left,
                    y: top,
                    width: *width,
                    height: CHIP,
                };
                self.rectangle(class, area, CHIP / 2.0);
                self.chip_text(area, text);
                left += width + CHIP_GAP;
            }
            top += CHIP + CHIP_GAP;
        }
    }

    /// A text in the middle of its chip, however wide its letters are.
    fn chip_text(&mut self, chip: Area, text: &str) {
        let (x, y) = (chip.x + chip.width / 2.0, chip.y + CHIP_BASELINE);
        self.text("chip-text", x, y, text);
    }

    fn arrow(&mut self, x: f64, from: f64, to: f64) {
        let end = to - TIP_LENGTH;
        let (tip, wide) = (x - TIP_HALF, 2.0 * TIP_HALF);
        let _ = writeln!(
            self.out,
            "<path class=\"arrow\" d=\"M{x:.1} {from:.1}V{end:.1}\"/><path class=\"tip\" d=\"M{tip:.1} {end:.1}h{wide}l-{TIP_HALF} {TIP_LENGTH}z\"/>"
        );
    }

    fn rectangle(&mut self, class: &str, area: Area, round: f64) {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round}\"/>"
        );
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        if !text.is_empty() {
            let text = escaped(text);
            let _ = writeln!(
                self.out,
                "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
            );
        }
    }
}

const fn title_class(kind: GroupKind) -> &'static str {
    match kind {
        GroupKind::Step | GroupKind::Function => "name",
        GroupKind::Block
        | GroupKind::Loop
        | GroupKind::Parallel
        | GroupKind::Choice
        | GroupKind::Catch
        | GroupKind::Race
        | GroupKind::Spawn => "detail",
    }
}

const fn class_of_work(kind: WorkKind) -> &'static str {
    match kind {
        WorkKind::Prompt => "prompt",
        WorkKind::Tool => "tool",
        WorkKind::Human | WorkKind::External => "human",
        WorkKind::Workflow | WorkKind::Detached => "workflow",
        WorkKind::Again | WorkKind::Recursion => "again",
    }
}
