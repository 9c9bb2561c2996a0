//! What an editor asks, answered from the compiler's queries; knows files and offsets, no protocol.
#![warn(clippy::wildcard_enum_match_arm)]

mod cursor;
mod declared_name;
mod definition;
mod diagnostics;
mod hover;

pub use definition::{Target, definition};
pub use diagnostics::{diagnostics, project_diagnostics};
pub use hover::{Hover, hover};
