//! From the structure of workflows to boxes with sizes: the content of a box is stacked, lanes are side by side.

use super::width::{text_width, word_width};
use super::{Group, Lane, Leave, Node, Work, Workflow};

/// Between what is stacked, for an arrow.
pub(super) const STEP: f64 = 26.0;
/// Between a box and its content.
pub(super) const PADDING: f64 = 14.0;
pub(super) const GUTTER: f64 = 18.0;
/// The height of a chip.
pub(super) const CHIP: f64 = 18.0;
pub(super) const CHIP_GAP: f64 = 6.0;
/// Between a chip's end and its text.
pub(super) const CHIP_INSET: f64 = 7.0;
/// Between the word above a group and its title.
pub(super) const TITLE_GAP: f64 = 8.0;
/// The height of the label above a lane.
pub(super) const LABEL: f64 = 22.0;

/// The height of a work's kind and name.
pub(super) const WORK_HEAD: f64 = 48.0;
/// From one line of a work's details to the next.
pub(super) const DETAIL_STEP: f64 = 16.0;
/// The height of a line of docs.
pub(super) const DOCS_STEP: f64 = 18.0;

/// The sizes of texts, as in the style sheet.
pub(super) const SMALL: f64 = 11.0;
pub(super) const DETAIL: f64 = 12.0;
pub(super) const NAME: f64 = 14.0;
pub(super) const TITLE: f64 = 18.0;
/// How much wider than a plain letter one of a bold name or title is; guesses from above.
const BOLD_NAME: f64 = 1.06;
const BOLD_TITLE: f64 = 1.1;

/// The heights of a workflow's title and of its parameters and result.
const SECTION_TITLE: f64 = 24.0;
const SECTION_HEADING: f64 = 20.0;
/// Between a workflow's head and what happens in it, and beside its head.
const SECTION_GAP: f64 = 8.0;
/// The height of a group's word and title.
const GROUP_HEAD: f64 = 32.0;
/// Below the last line of a box.
const BOX_END: f64 = 4.0;
/// Around the label of a lane.
const LABEL_ROOM: f64 = 8.0;
/// Chips are broken into lines of at most this width.
const CHIP_LINE: f64 = 300.0;
const LEAST_WORK: f64 = 150.0;
const LEAST_LANE: f64 = 56.0;

/// Boxes one below the other.
pub(super) struct Stack<'g> {
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<Placed<'g>>,
}

/// A box with its size.
pub(super) struct Placed<'g> {
    pub width: f64,
    pub height: f64,
    /// Whether an arrow leads on from it.
    pub onward: Onward,
    pub content: Content<'g>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Onward {
    Arrow,
    Nothing,
}

pub(super) enum Content<'g> {
    Work {
        work: &'g Work,
        tools: Chips<'g>,
        marks: Chips<'g>,
    },
    Group {
        group: &'g Group,
        marks: Chips<'g>,
        lanes: Vec<PlacedLane<'g>>,
    },
    Leave(Leave),
}

/// A lane with its size.
pub(super) struct PlacedLane<'g> {
    pub width: f64,
    pub label: &'g str,
    pub stack: Stack<'g>,
}

/// Short texts in lines, each with its width.
pub(super) struct Chips<'g> {
    pub lines: Vec<Vec<(&'g str, f64)>>,
    pub width: f64,
}

/// A workflow with its size.
pub(super) struct Section<'g> {
    pub width: f64,
    pub height: f64,
    /// The height of what is above the stack.
    pub head: f64,
    pub workflow: &'g Workflow,
    pub marks: Chips<'g>,
    pub stack: Stack<'g>,
}

impl Chips<'_> {
    pub fn height(&self) -> f64 {
        self.lines.len() as f64 * (CHIP + CHIP_GAP)
    }
}

pub(super) fn section(workflow: &Workflow) -> Section<'_> {
    let stack = stack(&workflow.body);
    let marks = chips(&workflow.marks);
    let docs = workflow.docs.as_deref().unwrap_or_default();
    let head = [
        word_width("workflow") + TITLE_GAP + text_width(&workflow.name, TITLE) * BOLD_TITLE,
        text_width(&workflow.heading, DETAIL),
        text_width(docs, DETAIL),
        marks.width,
        stack.width,
    ];
    let docs_height = if docs.is_empty() { 0.0 } else { DOCS_STEP };
    let lines = SECTION_TITLE + SECTION_HEADING + docs_height + marks.height();
    let above = PADDING + lines + SECTION_GAP;
    let body = if stack.boxes.is_empty() {
        0.0
    } else {
        stack.height + PADDING
    };
    Section {
        width: widest(head) + 2.0 * PADDING + SECTION_GAP,
        height: above + body + BOX_END,
        head: above,
        workflow,
        marks,
        stack,
    }
}

fn stack(nodes: &[Node]) -> Stack<'_> {
    let boxes: Vec<Placed<'_>> = nodes.iter().map(placed).collect();
    let gaps = boxes.len().saturating_sub(1) as f64 * STEP;
    Stack {
        width: widest(boxes.iter().map(|it| it.width)),
        height: boxes.iter().map(|it| it.height).sum::<f64>() + gaps,
        boxes,
    }
}

fn placed(node: &Node) -> Placed<'_> {
    let mut placed = match node {
        Node::Work(work) => placed_work(work),
        Node::Group(group) => placed_group(group),
        Node::Leave(leave) => Placed {
            width: text_width(leave.word(), SMALL) + 2.0 * CHIP_INSET,
            height: CHIP,
            onward: Onward::Nothing,
            content: Content::Leave(*leave),
        },
    };
    if node.is_left() {
        placed.onward = Onward::Nothing;
    }
    placed
}

fn placed_work(work: &Work) -> Placed<'_> {
    let (tools, marks) = (chips(&work.tools), chips(&work.marks));
    let details = work.details.iter().map(|it| text_width(it, DETAIL));
    let texts = [
        text_width(&work.name, NAME) * BOLD_NAME,
        word_width(work.kind.word()),
        tools.width,
        marks.width,
        LEAST_WORK - 2.0 * PADDING,
    ];
    let rows = DETAIL_STEP * work.details.len() as f64 + tools.height() + marks.height();
    let rows = if rows > 0.0 { rows + BOX_END } else { 0.0 };
    Placed {
        width: widest(details.chain(texts)) + 2.0 * PADDING,
        height: WORK_HEAD + rows + BOX_END,
        onward: Onward::Arrow,
        content: Content::Work { work, tools, marks },
    }
}

fn placed_group(group: &Group) -> Placed<'_> {
    let marks = chips(&group.marks);
    let lanes: Vec<PlacedLane<'_>> = group.lanes.iter().map(placed_lane).collect();
    let gutters = lanes.len().saturating_sub(1) as f64 * GUTTER;
    let inside = lanes.iter().map(|it| it.width).sum::<f64>() + gutters;
    let header = word_width(group.kind.word()) + TITLE_GAP + text_width(&group.title, NAME);
    let tallest = widest(lanes.iter().map(|it| it.stack.height));
    let body = if tallest > 0.0 {
        tallest + PADDING
    } else {
        0.0
    };
    let width = widest([inside, header, marks.width]) + 2.0 * PADDING;
    let height = group_head(group, &marks) + body;
    Placed {
        width,
        height,
        onward: Onward::Arrow,
        content: Content::Group {
            group,
            marks,
            lanes,
        },
    }
}

/// The height of what is above the lanes.
pub(super) fn group_head(group: &Group, marks: &Chips<'_>) -> f64 {
    let is_labelled = group.lanes.iter().any(|it| !it.label.is_empty());
    let label = if is_labelled { LABEL } else { 0.0 };
    GROUP_HEAD + marks.height() + label
}

fn placed_lane(lane: &Lane) -> PlacedLane<'_> {
    let stack = stack(&lane.body);
    let label = text_width(&lane.label, SMALL) + LABEL_ROOM;
    PlacedLane {
        width: widest([stack.width, label, LEAST_LANE]),
        label: &lane.label,
        stack,
    }
}

fn chips(texts: &[String]) -> Chips<'_> {
    let mut lines: Vec<Vec<(&str, f64)>> = Vec::new();
    let mut used = 0.0;
    let mut width: f64 = 0.0;
    for text in texts {
        let own = text_width(text, SMALL) + 2.0 * CHIP_INSET;
        if let Some(line) = lines.last_mut()
            && used + CHIP_GAP + own <= CHIP_LINE
        {
            line.push((text, own));
            used += CHIP_GAP + own;
        } else {
            lines.push(vec![(text, own)]);
            used = own;
        }
        width = width.max(used);
    }
    Chips { lines, width }
}

fn widest(widths: impl IntoIterator<Item = f64>) -> f64 {
    widths.into_iter().fold(0.0, f64::max)
}
