//! One file per command.

mod build;
mod check;
mod explain;
mod fmt;
mod lsp;
mod run;
mod test;

pub use build::build;
pub use check::check;
pub use explain::explain;
pub use fmt::fmt;
pub use lsp::lsp;
pub use run::run;
pub use test::test;
