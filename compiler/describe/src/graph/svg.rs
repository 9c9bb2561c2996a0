//! The structure of workflows as a picture: an SVG that needs nothing else, light and dark.

use std::fmt::Write;

use super::layout::{
    CHIP, CHIP_GAP, Chips, Content, GUTTER, LABEL, PADDING, Placed, PlacedLane, SMALL, STEP,
    Section, Stack, TITLE_GAP, group_head, section,
};
use super::width::{text_width, word_width};
use super::{Graph, Group, GroupKind, Work, WorkKind};
use crate::escape::escaped;

const STYLE: &str = include_str!("style.css");
/// Around the picture and between workflows.
const MARGIN: f64 = 20.0;

/// The graph as an SVG document.
#[must_use]
pub fn svg(graph: &Graph) -> String {
    let sections: Vec<Section<'_>> = graph.workflows.iter().map(section).collect();
    let widest = sections.iter().map(|it| it.width).fold(160.0, f64::max);
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
        self.rectangle("section", (MARGIN, y), (width, section.height), 10.0);
        let x = MARGIN + PADDING;
        let mut line = y + PADDING + 16.0;
        self.text("word", x, line, "WORKFLOW");
        self.text(
            "title",
            x + word_width("workflow") + TITLE_GAP,
            line,
            &workflow.name,
        );
        line += 22.0;
        self.text("detail", x, line, &workflow.heading);
        if let Some(docs) = &workflow.docs {
            line += 18.0;
            self.text("detail", x, line, docs);
        }
        self.chips("chip", &section.marks, x, line + 8.0);
        let left = MARGIN + (width - section.stack.width) / 2.0;
        self.stack(&section.stack, left, y + section.head, section.stack.width);
        self.out.push_str("</g>\n");
    }

    /// Boxes below each other in the middle of `width`, with arrows between them.
    fn stack(&mut self, stack: &Stack<'_>, x: f64, y: f64, width: f64) {
        let middle = x + width / 2.0;
        let mut top = y;
        for (index, placed) in stack.boxes.iter().enumerate() {
            if index > 0 {
                self.arrow(middle, top - STEP, top);
            }
            self.placed(placed, middle - placed.width / 2.0, top);
            top += placed.height + STEP;
        }
    }

    fn placed(&mut self, placed: &Placed<'_>, x: f64, y: f64) {
        let size = (placed.width, placed.height);
        match &placed.content {
            Content::Work { work, tools, marks } => self.work(work, tools, marks, (x, y), size),
            Content::Group {
                group,
                marks,
                lanes,
            } => self.group(group, marks, lanes, (x, y), size),
        }
    }

    fn work(
        &mut self,
        work: &Work,
        tools: &Chips<'_>,
        marks: &Chips<'_>,
        (x, y): (f64, f64),
        size: (f64, f64),
    ) {
        let is_link = matches!(work.kind, WorkKind::Workflow | WorkKind::Detached);
        if is_link {
            let target = escaped(&work.name);
            let _ = writeln!(self.out, "<a href=\"#workflow-{target}\">");
        }
        self.rectangle(class_of_work(work.kind), (x, y), size, 8.0);
        let left = x + PADDING;
        self.text("word", left, y + 19.0, &work.kind.word().to_uppercase());
        self.text("name", left, y + 38.0, &work.name);
        let mut line = y + 48.0;
        for detail in &work.details {
            line += 16.0;
            self.text("detail", left, line - 4.0, detail);
        }
        self.chips("chip of-tool", tools, left, line + 3.0);
        self.chips("chip", marks, left, line + 3.0 + tools.height());
        if is_link {
            self.out.push_str("</a>\n");
        }
    }

    fn group(
        &mut self,
        group: &Group,
        marks: &Chips<'_>,
        lanes: &[PlacedLane<'_>],
        (x, y): (f64, f64),
        size: (f64, f64),
    ) {
        let class = format!("group {}", group.kind.word());
        self.rectangle(&class, (x, y), size, 8.0);
        let left = x + PADDING;
        let word = group.kind.word().to_uppercase();
        self.text("word", left, y + 20.0, &word);
        let title = left + word_width(group.kind.word()) + TITLE_GAP;
        self.text(title_class(group.kind), title, y + 20.0, &group.title);
        self.chips("chip", marks, left, y + 28.0);
        let head = group_head(group, marks);
        let gutters = lanes.len().saturating_sub(1) as f64 * GUTTER;
        let inside = lanes.iter().map(|it| it.width).sum::<f64>() + gutters;
        let mut lane_x = x + (size.0 - inside) / 2.0;
        for (index, lane) in lanes.iter().enumerate() {
            if index > 0 {
                let middle = lane_x - GUTTER / 2.0;
                let above = if lanes.iter().all(|it| it.label.is_empty()) {
                    0.0
                } else {
                    LABEL
                };
                let (top, bottom) = (y + head - above, y + size.1 - 8.0);
                let _ = writeln!(
                    self.out,
                    "<path class=\"divider\" d=\"M{middle:.1} {top:.1}V{bottom:.1}\"/>"
                );
            }
            let label_x = lane_x + (lane.width - text_width(lane.label, SMALL)) / 2.0;
            self.text("small", label_x, y + head - 7.0, lane.label);
            if lane.stack.boxes.is_empty() && lanes.len() > 1 {
                self.text(
                    "small",
                    lane_x + lane.width / 2.0 - 3.0,
                    y + head + 14.0,
                    "–",
                );
            }
            self.stack(&lane.stack, lane_x, y + head, lane.width);
            lane_x += lane.width + GUTTER;
        }
    }

    fn chips(&mut self, class: &str, chips: &Chips<'_>, x: f64, y: f64) {
        let mut top = y;
        for line in &chips.lines {
            let mut left = x;
            for (text, width) in line {
                self.rectangle(class, (left, top), (*width, CHIP), CHIP / 2.0);
                self.text("chip-text", left + 7.0, top + 13.0, text);
                left += width + CHIP_GAP;
            }
            top += CHIP + CHIP_GAP;
        }
    }

    fn arrow(&mut self, x: f64, from: f64, to: f64) {
        let end = to - 6.0;
        let _ = writeln!(
            self.out,
            "<path class=\"arrow\" d=\"M{x:.1} {from:.1}V{end:.1}\"/><path class=\"tip\" d=\"M{:.1} {end:.1}h8l-4 6z\"/>",
            x - 4.0
        );
    }

    fn rectangle(&mut self, class: &str, at: (f64, f64), size: (f64, f64), round: f64) {
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round}\"/>",
            at.0, at.1, size.0, size.1
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
        WorkKind::Human => "human",
        WorkKind::Workflow | WorkKind::Detached => "workflow",
        WorkKind::Again | WorkKind::Recursion => "again",
    }
}
