//! The answers to the editor, by programs with a cursor `<|>` in them and the answer beside them.

mod code_action;
mod completion;
mod fixture;
mod formatted;
mod growth;
mod incremental;
mod missing_import;
mod navigation;
mod offered;
mod on_examples;
mod organized;
mod refactoring;
mod rename;
mod renamed_files;
mod report_fix;
mod same_meaning;
mod samples;
mod shown;
mod structure;
mod typing;
