//! One file per command.

mod build;
mod check;
mod completions;
mod doc;
mod explain;
mod fmt;
mod graph;
mod lsp;
mod new;
mod run;
mod schema;
mod test;
mod trace;

pub use build::build;
pub use check::check;
pub use completions::completions;
pub use doc::doc;
pub use explain::explain;
pub use fmt::fmt;
pub use graph::graph;
pub use lsp::lsp;
pub use new::new;
pub use run::run;
pub use schema::schema;
pub use test::test;
pub use trace::trace;
