//! One file per command: its arguments and what it does.

mod build;
mod check;
mod completions;
mod doc;
mod explain;
mod fix;
mod fmt;
mod graph;
mod lsp;
mod new;
mod prompt;
mod run;
mod schema;
mod test;
mod trace;
mod watch;

pub use build::{Build, build};
pub use check::{Check, check};
pub use completions::completions;
pub use doc::{Doc, doc};
pub use explain::explain;
pub use fix::{Fix, fix};
pub use fmt::{Fmt, fmt};
pub use graph::{Graph, graph};
pub use lsp::lsp;
pub use new::{Init, New, init, new};
pub use prompt::{Prompt, prompt};
pub use run::{Run, run};
pub use schema::{Schema, schema};
pub use test::{Test, test};
pub use trace::{Arguments as Trace, trace};
pub use watch::{Watch, watch};
