//! What people are shown of a program besides its text: the structure of its workflows as a picture.

mod escape;
mod graph;

pub use graph::{Graph, mermaid, program_graph, svg};
