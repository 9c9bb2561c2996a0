//! The arguments of `gswc trace`.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gsw_abi::call::NodeKind;

#[derive(clap::Args)]
pub struct Trace {
    /// The event file that `--events FILE` of a run wrote; `-` reads standard input.
    pub file: Option<PathBuf>,
    /// Show one node in full, by number or path (`main > review a.rs`).
    #[arg(long, value_name = "ID|PATH")]
    pub node: Option<String>,
    /// Show only nodes of this kind.
    #[arg(long, value_parser = kinds())]
    pub kind: Option<NodeKind>,
    /// Show only nodes with this status.
    #[arg(long, value_enum)]
    pub status: Option<Status>,
    /// Show only nodes whose name contains TEXT.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// Show only nodes that took at least this long: `250ms`, `1m30s`, or a number of seconds.
    #[arg(long, value_name = "DURATION")]
    pub longer: Option<String>,
    /// Show only nodes that cost at least this much in US dollars, including their children.
    #[arg(long, value_name = "USD")]
    pub costlier: Option<f64>,
    /// Show only this run of a file with several.
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// Show the log lines in order of time.
    #[arg(long)]
    pub logs: bool,
    /// Show the requests to models: settings, tools, schema, messages, raw answers, failures and retries.
    #[arg(long, conflicts_with_all = ["logs", "json"])]
    pub requests: bool,
    /// Compare this run with another, node by node.
    #[arg(long, value_name = "OTHER", conflicts_with_all = ["node", "logs", "requests", "html"])]
    pub diff: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a self-contained web page; `-` writes to standard output.
    #[arg(long, value_name = "OUT", conflicts_with_all = ["node", "logs", "requests", "json"])]
    pub html: Option<PathBuf>,
}

/// Reads the kind of a node by its name.
fn kinds() -> impl TypedValueParser<Value = NodeKind> {
    PossibleValuesParser::new(NodeKind::ALL.map(NodeKind::name)).try_map(|name| {
        let mut all = NodeKind::ALL.into_iter();
        all.find(|it| it.name() == name)
            .ok_or("it is no kind of node")
    })
}

/// The status of a node.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
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

#[cfg(test)]
mod tests {
    use clap::{Args, Command};
    use gsw_abi::call::NodeKind;

    use super::Trace;

    #[test]
    fn nodes_of_every_kind_can_be_asked_for() {
        for kind in NodeKind::ALL {
            let command = Trace::augment_args(Command::new("trace"));
            let read = command.try_get_matches_from(["trace", "--kind", kind.name()]);
            let found = read.ok().and_then(|it| it.get_one("kind").copied());
            assert_eq!(found, Some(kind), "{}", kind.name());
        }
    }
}
