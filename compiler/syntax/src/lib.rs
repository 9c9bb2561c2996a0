//! From text to syntax tree: lexer, parser and the queries that cut a file into items.

pub mod ast;
mod pending;

pub use pending::{file_item_ids, item_ast};
