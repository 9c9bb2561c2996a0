//! The tree of a run made from its events: while they come, or from a file of them.

#![warn(clippy::wildcard_enum_match_arm)]

mod apply;
mod arriving;
mod detail;
pub mod diff;
mod filter;
mod gaps;
mod html;
pub mod json;
mod log;
pub mod measure;
mod node;
mod read;
mod requests;
mod shown;
mod text;
mod totals;
mod tree;

pub use arriving::Arriving;
pub use detail::detail;
pub use filter::Filter;
pub use gaps::Gaps;
pub use html::page;
pub use node::{Node, Recorded, What};
pub use read::{NoTrace, Reader, Trace, read};
pub use requests::{of_node as requests_of, requests};
pub use shown::Shown;
pub use text::{line, logs, path_line, spent, statistics, symbol, tree_text};
pub use tree::{Keep, Tree};
