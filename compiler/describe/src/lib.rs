//! What people are shown of a program besides its text: the structure of its workflows as a picture, and its documentation.

#![warn(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]

mod declaration;
mod escape;
mod facts;
mod graph;
mod manual;
mod site;

pub use declaration::{CallFacts, Declaration, Part, Variant, declaration};
pub use escape::escaped;
pub use facts::{callable, docs_and_examples, error_names, raises, tail};
pub use graph::{Graph, mermaid, program_graph, svg};
pub use manual::{
    FoundSection, MANUAL, ManualPage, explained, explained_names, first_sentence, search_manual,
};
pub use site::{Page, State, site};
