//! Files, spans, diagnostics and the database: what every crate of the compiler shares.
#![warn(clippy::wildcard_enum_match_arm)]

mod ahead;
mod code;
mod db;
mod diagnostic;
mod disk;
mod file;
mod item_id;
mod line_index;
mod located;
mod path;
mod place;
mod render;
mod span;
mod suggestion;
mod thread;

pub use ahead::look_ahead;
pub use code::{Code, DiagnosticTag, explain};
pub use db::{Database, Db, Earlier, Retained};
pub use diagnostic::{Applicability, Diagnostic, Edit, Fix, Label, Mention, Severity};
pub use disk::{Disk, Files, paths_below};
pub use file::{File, Folder, INSTRUCTIONS, LARGEST_SKILL, Project};
pub use item_id::{ItemId, ItemKind};
pub use line_index::{LineIndex, Position, Utf16Position, file_line_index};
pub use located::{LocatedDiagnostic, LocatedEdit, LocatedFix, LocatedLabel, Location};
pub use path::normal;
pub use place::Place;
pub use render::{Colors, render_json, render_plain, render_terminal, summary};
pub use smol_str::SmolStr as Name;
pub use span::Span;
pub use suggestion::{Suggestion, did_you_mean, meant, nearest};
pub use thread::{NoThread, with_stack};
