//! The command line of `gswc trace`.

use std::path::PathBuf;

use clap::ValueEnum;

/// `gswc trace`
#[derive(clap::Args)]
pub struct Trace {
    /// The file of events; `-` takes standard input.
    pub file: PathBuf,
    /// One node with everything in it, by number or path (`main > review a.rs`).
    #[arg(long, value_name = "ID|PATH")]
    pub node: Option<String>,
    /// Only nodes of this kind.
    #[arg(long, value_enum)]
    pub kind: Option<NodeKind>,
    /// Only nodes with this status.
    #[arg(long, value_enum)]
    pub status: Option<Status>,
    /// Only nodes with this in their name.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// Only nodes that took so long or longer: `250ms`, `1.5s`, `2m`.
    #[arg(long, value_name = "DURATION")]
    pub longer: Option<String>,
    /// Only nodes that cost so many dollars or more, with what is below them.
    #[arg(long, value_name = "USD")]
    pub costlier: Option<f64>,
    /// Only this run of a file with several.
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// The lines of the log, sorted by time.
    #[arg(long)]
    pub logs: bool,
    /// What differs between this run and another, node by node.
    #[arg(long, value_name = "OTHER", conflicts_with_all = ["node", "logs", "html"])]
    pub diff: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a page for a browser that needs nothing else; `-` is standard output.
    #[arg(long, value_name = "OUT", conflicts_with_all = ["node", "logs", "json"])]
    pub html: Option<PathBuf>,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the names are the language's")]
pub enum NodeKind {
    Workflow,
    Step,
    Task,
    Parallel,
    Iteration,
    Prompt,
    Tool,
    Human,
    Reflection,
    Attempt,
    Region,
}

impl NodeKind {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Step => "step",
            Self::Task => "task",
            Self::Parallel => "parallel",
            Self::Iteration => "iteration",
            Self::Prompt => "prompt",
            Self::Tool => "tool",
            Self::Human => "human",
            Self::Reflection => "reflection",
            Self::Attempt => "attempt",
            Self::Region => "region",
        }
    }
}

/// How far a node is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the names are the runtime's")]
pub enum Status {
    Idle,
    Running,
    Completed,
    Failed,
    Cancelled,
}

impl From<Status> for gsw_tree::node::Status {
    fn from(status: Status) -> Self {
        match status {
            Status::Idle => Self::Idle,
            Status::Running => Self::Running,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}
