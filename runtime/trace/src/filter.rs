//! Which nodes are shown.

use gsw_tree::node::{Spent, Status};

use crate::node::Node;

/// Which nodes are shown; a condition that is not given lets all pass.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Filter {
    /// The word for what they are.
    pub kind: Option<String>,
    /// Only nodes with this status.
    pub status: Option<Status>,
    /// A part of their name, in any case of letters.
    pub name: Option<String>,
    /// They took at least this many nanoseconds.
    pub longer: Option<i64>,
    /// They and what is below them cost at least this many dollars.
    pub costlier: Option<f64>,
}

impl Filter {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a node passes, which spent this with all below it.
    #[must_use]
    pub fn takes(&self, node: &Node, spent: &Spent) -> bool {
        let has_name = |part: &String| node.name.to_lowercase().contains(&part.to_lowercase());
        self.kind.as_ref().is_none_or(|it| node.kind_name() == it)
            && self.status.is_none_or(|it| node.status == it)
            && self.name.as_ref().is_none_or(has_name)
            && self
                .longer
                .is_none_or(|it| node.duration().is_some_and(|took| took >= it))
            && self
                .costlier
                .is_none_or(|it| spent.cost_usd.is_some_and(|cost| cost >= it))
    }
}
