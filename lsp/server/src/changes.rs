//! Edits of documents, in the form that the client takes.

use std::collections::HashMap;

use tower_lsp::ls_types as lsp;

use crate::state::{Ability, State};

/// Edits by the document that they are of.
pub type Changes = HashMap<lsp::Uri, Vec<lsp::TextEdit>>;

impl State {
    /// The edit that makes these changes. One that names the versions it is of is refused by the client when something was typed meanwhile,
    /// instead of landing elsewhere.
    pub fn edit(&self, changes: Changes) -> lsp::WorkspaceEdit {
        match self.settings.support.versioned_edits {
            Ability::Present => lsp::WorkspaceEdit {
                document_changes: Some(lsp::DocumentChanges::Edits(self.versioned(changes))),
                ..lsp::WorkspaceEdit::default()
            },
            Ability::Lacking => lsp::WorkspaceEdit {
                changes: Some(changes),
                ..lsp::WorkspaceEdit::default()
            },
        }
    }

    /// The edits of each document with its version, where it is open.
    pub fn versioned(&self, changes: Changes) -> Vec<lsp::TextDocumentEdit> {
        let edits = changes.into_iter().map(|(uri, edits)| {
            let open = self.path(&uri).and_then(|it| self.documents.get(&it));
            lsp::TextDocumentEdit {
                text_document: lsp::OptionalVersionedTextDocumentIdentifier {
                    uri,
                    version: open.map(|it| it.version),
                },
                edits: edits.into_iter().map(lsp::OneOf::Left).collect(),
            }
        });
        let mut edits: Vec<_> = edits.collect();
        edits.sort_by(|a, b| {
            let address = |it: &lsp::TextDocumentEdit| it.text_document.uri.as_str().to_owned();
            address(a).cmp(&address(b))
        });
        edits
    }
}
