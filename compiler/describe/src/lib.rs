//! What people are shown of a program besides its text: the structure of its workflows as a picture, and its documentation.

mod escape;
mod graph;
mod site;

pub use escape::escaped;
pub use graph::{Graph, mermaid, program_graph, svg};
pub use site::{Page, site};
