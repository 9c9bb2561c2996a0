//! From text to syntax tree: lexer, parser and the queries that cut a file into items.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod ast;
mod brackets;
mod dump;
mod file_imports;
mod file_reader;
mod foreign_head;
mod last_parse;
mod layout;
mod lexer;
mod misspelt;
mod mistakes;
mod parsed_file;
mod parser;
mod parser_report;
mod token;
mod trivia;

pub use dump::dump_item;
pub use file_imports::imported_paths;
pub use file_reader::{FileReader, ReadItem};
pub use lexer::{Lexed, LexicalError, LexicalErrorKind, is_name, lex, number_too_large};
pub use misspelt::slip_of_import;
pub use mistakes::{item_range, mistakes};
pub use parsed_file::{
    FileItem, ParsedFile, file_docs, file_item_ids, file_syntax_diagnostics, is_damaged, item_ast,
    item_offset, keep_trees, locate, parse_file,
};
pub use parser::{SIMPLE_TYPES, reserved_word};
pub use token::{LineStart, ModifierName, Token, TokenClass, TokenKind, Value, Word};
pub use trivia::{Comment, CommentKind, CommentPosition, DocComment};
