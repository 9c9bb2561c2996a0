//! Files, spans, diagnostics and the database: what every crate of the compiler shares.

mod code;
mod db;
mod diagnostic;
mod disk;
mod file;
mod item_id;
mod place;
mod span;

pub use code::{Code, explain};
pub use db::{Database, Db};
pub use diagnostic::{Diagnostic, Edit, Fix, Label, Severity};
pub use disk::{Disk, Files};
pub use file::{File, Project};
pub use item_id::{ItemId, ItemKind};
pub use place::Place;
pub use smol_str::SmolStr as Name;
pub use span::Span;
