//! The lines of the log of a run.

use std::sync::Arc;

use gsw_tree::event::{EventKind, JsonText, Level};

use crate::node::{Node, What};
use crate::tree::Tree;

/// A line of the log.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// When, in nanoseconds since 1970.
    pub time: i64,
    pub node: &'a Node,
    pub level: Level,
    pub message: &'a Arc<str>,
    pub data: Option<&'a JsonText>,
}

impl Tree {
    /// All lines of the log, sorted by time, those of the same time in order of writing.
    #[must_use]
    pub fn logs(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<(u64, Line<'_>)> = Vec::new();
        for node in std::iter::once(self.root()).chain(self.walk()) {
            for recorded in &node.recorded {
                if let What::Known(event) = &recorded.what
                    && let EventKind::Log {
                        level,
                        message,
                        data,
                    } = &event.kind
                {
                    let line = Line {
                        time: recorded.time,
                        node,
                        level: *level,
                        message,
                        data: data.as_ref(),
                    };
                    lines.push((recorded.sequence, line));
                }
            }
        }
        lines.sort_by_key(|(sequence, line)| (line.time, *sequence));
        lines.into_iter().map(|it| it.1).collect()
    }
}
