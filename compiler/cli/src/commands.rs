//! One file per command.

mod build;
mod check;
mod explain;
mod lsp;
mod run;

pub use build::build;
pub use check::check;
pub use explain::explain;
pub use lsp::lsp;
pub use run::run;
