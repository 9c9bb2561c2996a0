//! What an editor asks, answered from the compiler's queries; knows files and offsets, no protocol.
#![warn(clippy::wildcard_enum_match_arm)]

mod brackets;
mod call_hierarchy;
mod code_action;
mod code_lens;
mod completion;
mod cursor;
mod declared_name;
mod definition;
mod diagnostics;
mod difference;
mod document_highlight;
mod document_link;
mod document_symbol;
mod edited;
mod expression_type;
mod files;
mod folding_range;
mod formatting;
mod hover;
mod implementation;
mod importing;
mod inlay_hint;
mod inline_value;
mod judge;
mod linked_editing_range;
mod lost_name;
mod meaning;
mod name_in_text;
mod named;
mod nature;
mod order;
mod parameters;
mod raised;
mod references;
mod rename;
mod scope;
mod selection_range;
mod semantic_tokens;
mod short_declaration;
mod signature_help;
mod speculation;
mod spelling;
mod symbol;
mod type_definition;
mod type_hierarchy;
mod unfinished;
mod will_rename_files;
mod workspace_symbol;

pub use call_hierarchy::{Call, Callable, incoming_calls, outgoing_calls, prepare_call_hierarchy};
pub use code_action::{ActionKind, CodeAction, code_action};
pub use code_lens::{Lens, LensAction, code_lens};
pub use completion::{
    Completion, CompletionKind, Definition, Insert, Model, completion, completion_docs,
};
pub use definition::definition;
pub use diagnostics::{
    count_items, diagnose_ahead, diagnostics, first_diagnostics, hold, let_go, project_diagnostics,
};
pub use document_highlight::{Access, Highlight, document_highlight};
pub use document_link::{Link, document_link};
pub use document_symbol::{DocumentSymbol, SymbolKind, document_symbol};
pub use files::{imported_files, is_library, library_file, own_files};
pub use folding_range::{Fold, FoldKind, folding_range};
pub use formatting::{formatting, range_formatting};
pub use hover::{Hover, hover, string_at};
pub use implementation::implementation;
pub use inlay_hint::{HintKind, InlayHint, inlay_hint};
pub use inline_value::{InlineValue, inline_value};
pub use linked_editing_range::linked_editing_range;
pub use references::{Found, references};
pub use rename::{
    LeftBehind, MODULE, MovedFile, NamedInTexts, Renamable, RenamableKind, left_behind,
    moved_module, prepare_rename, rename, renamed_everywhere,
};
pub use selection_range::selection_range;
pub use semantic_tokens::{Modifiers, SemanticKind, SemanticToken, semantic_tokens};
pub use signature_help::{SignatureHelp, signature_help};
pub use symbol::{Role, Symbol};
pub use type_definition::type_definition;
pub use type_hierarchy::{TypeItem, prepare_type_hierarchy, subtypes, supertypes};
pub use will_rename_files::will_rename_files;
pub use workspace_symbol::{WorkspaceSymbol, workspace_symbol};
