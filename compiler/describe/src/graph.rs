//! The structure of a program's workflows: what is asked of models, tools and people, in which order, how often and together with what.

mod collect;
mod label;
mod layout;
mod leave;
mod mermaid;
mod prompt;
mod svg;
mod width;

pub(crate) use collect::modifier_marks;
pub use collect::program_graph;
pub(crate) use label::head_marks;
pub use mermaid::mermaid;
pub use svg::svg;

/// The workflows of a program, those that are asked for first, then those that they call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    pub workflows: Vec<Workflow>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workflow {
    pub name: String,
    /// Its parameters and result, as in source.
    pub heading: String,
    /// The first line of its docs.
    pub docs: Option<String>,
    pub marks: Vec<String>,
    /// What happens in it, in order.
    pub body: Vec<Node>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Work(Work),
    /// Other nodes, run in some way.
    Group(Group),
    /// The end of a lane after which nothing follows it.
    Leave(Leave),
}

/// What leaves a lane before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    Return,
    Fail,
    Break,
    Continue,
}

impl Leave {
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Fail => "fail",
            Self::Break => "break",
            Self::Continue => "continue",
        }
    }
}

impl Node {
    /// Whether what follows it is never reached from it.
    #[must_use]
    pub(crate) fn is_left(&self) -> bool {
        match self {
            Self::Leave(_) => true,
            Self::Group(group) => {
                group.kind == GroupKind::Choice && group.lanes.iter().all(Lane::is_left)
            }
            Self::Work(_) => false,
        }
    }
}

/// A call that leaves the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    pub kind: WorkKind,
    pub name: String,
    /// The agent and its model, of a prompt.
    pub details: Vec<String>,
    /// The tools that the model may call.
    pub tools: Vec<String>,
    /// Settings that bound or repeat it.
    pub marks: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WorkKind {
    Prompt,
    Tool,
    Human,
    External,
    /// Another workflow, which is drawn by itself.
    Workflow,
    /// A workflow that is started as a run of its own.
    Detached,
    /// A function that is shown before this.
    Again,
    /// A function that this is inside of.
    Recursion,
}

impl WorkKind {
    /// The word that a picture has for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Tool => "tool",
            Self::Human => "human",
            Self::External => "external",
            Self::Workflow => "workflow",
            Self::Detached => "detached run",
            Self::Again => "as above",
            Self::Recursion => "calls itself",
        }
    }
}

/// Nodes that are run in some way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    pub kind: GroupKind,
    pub title: String,
    pub marks: Vec<String>,
    /// One, or several of which one is taken or all run side by side.
    pub lanes: Vec<Lane>,
}

/// In which way nodes are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupKind {
    Step,
    /// `timeout 5s { }` and the like.
    Block,
    Function,
    /// One after the other, any number of times.
    Loop,
    /// For each element at once, or several expressions at once.
    Parallel,
    Choice,
    /// The first lane; when it fails, one of the others.
    Catch,
    /// The first of the lanes to end.
    Race,
    Spawn,
}

impl GroupKind {
    /// The word that a picture has for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Block => "within",
            Self::Function => "fn",
            Self::Loop => "loop",
            Self::Parallel => "parallel",
            Self::Choice => "choice",
            Self::Catch => "catch",
            Self::Race => "race",
            Self::Spawn => "spawn",
        }
    }
}

/// One way through a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// When it is taken; empty for the only one.
    pub label: String,
    /// What happens in it, in order.
    pub body: Vec<Node>,
}

impl Lane {
    /// Whether control does not continue after it.
    fn is_left(&self) -> bool {
        self.body.last().is_some_and(Node::is_left)
    }

    /// Whether it does no more than to end.
    fn only_leaves(&self) -> bool {
        self.body.iter().all(|it| matches!(it, Node::Leave(_)))
    }
}
