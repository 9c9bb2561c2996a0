//! What is counted of a tree while it grows, so that no reader has to walk it: nodes by status, and what they spent.

use serde::{Deserialize, Serialize};

use crate::node::Status;
use crate::usage::Usage;

/// The counts of a whole tree.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Totals {
    /// All nodes but the run itself.
    pub nodes: u64,
    /// Nodes that are to begin.
    pub idle: u64,
    /// Nodes that have begun and not ended.
    pub running: u64,
    /// Nodes that ended with a value.
    pub completed: u64,
    /// Nodes that ended with an error.
    pub failed: u64,
    /// Nodes that were cancelled.
    pub cancelled: u64,
    /// Lines of the log so far.
    pub logs: u64,
    /// Events that were emitted so far.
    pub events: u64,
    /// What all of them spent.
    #[serde(flatten)]
    pub spent: Spent,
}

/// What a node and everything below it spent.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Spent {
    /// The tokens of all its requests.
    pub usage: Usage,
    /// Dollars, as far as prices are known; none when none is.
    pub cost_usd: Option<f64>,
    /// HTTP requests to models, failed ones included.
    pub requests: u64,
    /// Calls of tools, failed ones included.
    pub tool_calls: u64,
}

impl Spent {
    /// Adds what something else spent.
    pub fn add(&mut self, other: &Self) {
        self.usage.add(&other.usage);
        if let Some(cost) = other.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
        self.requests = self.requests.saturating_add(other.requests);
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
    }
}

impl Totals {
    /// How many nodes have this status.
    #[must_use]
    pub const fn with_status(&self, status: Status) -> u64 {
        match status {
            Status::Idle => self.idle,
            Status::Running => self.running,
            Status::Completed => self.completed,
            Status::Failed => self.failed,
            Status::Cancelled => self.cancelled,
        }
    }

    pub(super) fn count_in(&mut self, status: Status) {
        *self.of(status) += 1;
    }

    pub(super) fn count_out(&mut self, status: Status) {
        *self.of(status) -= 1;
    }

    fn of(&mut self, status: Status) -> &mut u64 {
        match status {
            Status::Idle => &mut self.idle,
            Status::Running => &mut self.running,
            Status::Completed => &mut self.completed,
            Status::Failed => &mut self.failed,
            Status::Cancelled => &mut self.cancelled,
        }
    }
}
