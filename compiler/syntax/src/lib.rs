//! From text to syntax tree: lexer, parser and the queries that cut a file into items.

pub mod ast;
