//! From the compiler's files and bytes to the protocol's addresses, ranges and edits.

use gsw_ide::SymbolKind;
use gsw_source::{
    Diagnostic, DiagnosticTag, ItemKind, LocatedEdit, Location, Place, Severity, Span,
};
use tower_lsp::ls_types as lsp;

use crate::changes::Changes;
use crate::position;
use crate::state::View;

impl View<'_> {
    /// The byte of the file at a position.
    pub fn offset(self, at: lsp::Position) -> u32 {
        position::offset(self.db, self.state.settings.encoding, self.file, at)
    }

    /// The bytes of the file in a range.
    pub fn span(self, range: lsp::Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start.min(end), start.max(end))
    }

    /// The range of a span of the file.
    pub fn range(self, span: Span) -> lsp::Range {
        self.range_in(Location {
            file: self.file,
            span,
        })
    }

    /// The range of a place in its file.
    pub fn range_in(self, location: Location) -> lsp::Range {
        let encoding = self.state.settings.encoding;
        position::range(self.db, encoding, location.file, location.span)
    }

    /// The workspace, seen from another file of it.
    pub fn of(self, file: gsw_source::File) -> Self {
        Self { file, ..self }
    }

    /// A place with the address of its file; `None` when it has none, as a library's that cannot be written.
    pub fn location(self, location: Location) -> Option<lsp::Location> {
        let uri = self.state.uri(location.file.path(self.db))?;
        let range = self.range_in(location);
        Some(lsp::Location { uri, range })
    }

    pub fn edit(self, edit: &LocatedEdit) -> lsp::TextEdit {
        lsp::TextEdit {
            range: self.range_in(edit.location),
            new_text: edit.text.clone(),
        }
    }

    /// Edits by the file that they are for; `None` when one is for a file that has no address or is not the user's.
    pub fn changes(self, edits: &[LocatedEdit]) -> Option<Changes> {
        let mut changes = Changes::new();
        for edit in edits {
            if gsw_ide::is_library(self.db, edit.location.file) {
                return None;
            }
            let uri = self.state.uri(edit.location.file.path(self.db))?;
            changes.entry(uri).or_default().push(self.edit(edit));
        }
        Some(changes)
    }
}

/// Where a report is from, as editors show it.
pub const SOURCE: &str = "gswc";

/// A report as the protocol wants it.
pub fn diagnostic(view: View<'_>, diagnostic: &Diagnostic) -> lsp::Diagnostic {
    let located = |place: Place| {
        let (file, span) = gsw_syntax::locate(view.db, place);
        Location { file, span }
    };
    let mut message = diagnostic.message.clone();
    for note in &diagnostic.notes {
        message.push_str("\nnote: ");
        message.push_str(note);
    }
    let related = diagnostic
        .labels
        .iter()
        .filter_map(|label| {
            Some(lsp::DiagnosticRelatedInformation {
                location: view.location(located(label.place))?,
                message: label.message.clone(),
            })
        })
        .collect();
    lsp::Diagnostic {
        range: view.range_in(located(diagnostic.place)),
        severity: Some(match diagnostic.severity {
            Severity::Error => lsp::DiagnosticSeverity::ERROR,
            Severity::Warning => lsp::DiagnosticSeverity::WARNING,
            Severity::Hint => lsp::DiagnosticSeverity::HINT,
        }),
        code: Some(lsp::NumberOrString::String(diagnostic.code.name().into())),
        source: Some(SOURCE.into()),
        message,
        related_information: Some(related),
        tags: diagnostic.code.tag().map(|it| {
            vec![match it {
                DiagnosticTag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
                DiagnosticTag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
            }]
        }),
        ..lsp::Diagnostic::default()
    }
}

pub fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Method => lsp::SymbolKind::METHOD,
        SymbolKind::Field => lsp::SymbolKind::FIELD,
        SymbolKind::Variant => lsp::SymbolKind::ENUM_MEMBER,
        SymbolKind::Step => lsp::SymbolKind::EVENT,
        SymbolKind::Item(kind) => match kind {
            ItemKind::Record | ItemKind::Alias | ItemKind::Error => lsp::SymbolKind::STRUCT,
            ItemKind::Enum => lsp::SymbolKind::ENUM,
            ItemKind::Const => lsp::SymbolKind::CONSTANT,
            ItemKind::Agent => lsp::SymbolKind::CLASS,
            ItemKind::Mcp | ItemKind::Hook | ItemKind::Skill => lsp::SymbolKind::INTERFACE,
            ItemKind::Import => lsp::SymbolKind::MODULE,
            ItemKind::Permissions => lsp::SymbolKind::OBJECT,
            ItemKind::Invalid => lsp::SymbolKind::NULL,
            ItemKind::Function
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Test => lsp::SymbolKind::FUNCTION,
        },
    }
}
