//! Diagnostics whose places are files and bytes, as renderers and editors take them.

use crate::{Applicability, Code, Diagnostic, File, Mention, Place, Severity, Span};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub file: File,
    /// The bytes, from its first.
    pub span: Span,
}

/// A diagnostic with its places looked up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedDiagnostic {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    pub location: Location,
    /// Other places that explain it.
    pub labels: Vec<LocatedLabel>,
    pub notes: Vec<String>,
    /// Edits that would mend it, best first.
    pub fixes: Vec<LocatedFix>,
}

/// A remark at a further place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedLabel {
    pub location: Location,
    /// The remark for that place.
    pub message: String,
}

impl LocatedDiagnostic {
    /// What its fixes do, where no note says it.
    pub(crate) fn titles(&self) -> impl Iterator<Item = String> {
        let shown = self.fixes.iter().filter(|it| it.mention == Mention::Shown);
        shown.map(|it| match it.applicability {
            Applicability::Certain => it.title.clone(),
            Applicability::Offered => format!("{}, if that is meant", it.title),
        })
    }

    /// Its one fix, where it needs no decision: of several only the author knows which is meant.
    #[must_use]
    pub fn certain_fix(&self) -> Option<&LocatedFix> {
        match self.fixes.as_slice() {
            [fix] if fix.applicability == Applicability::Certain => Some(fix),
            [] | [_] | [_, _, ..] => None,
        }
    }
}

/// A change that mends what a diagnostic reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedFix {
    /// What it does, in the imperative.
    pub title: String,
    /// The edits, none overlapping another.
    pub edits: Vec<LocatedEdit>,
    pub mention: Mention,
    pub applicability: Applicability,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LocatedEdit {
    pub location: Location,
    pub text: String,
}

impl LocatedEdit {
    /// Puts `text` in the place of `span` of `file`.
    #[must_use]
    pub fn new(file: File, span: Span, text: impl Into<String>) -> Self {
        Self {
            location: Location { file, span },
            text: text.into(),
        }
    }
}

impl Diagnostic {
    /// The diagnostic with every place looked up by `locate`, which is `gsw_syntax::locate` outside of tests.
    #[must_use]
    pub fn located(&self, locate: impl Fn(Place) -> (File, Span)) -> LocatedDiagnostic {
        let location = |place| {
            let (file, span) = locate(place);
            Location { file, span }
        };
        LocatedDiagnostic {
            code: self.code,
            severity: self.severity,
            message: self.message.clone(),
            location: location(self.place),
            labels: self
                .labels
                .iter()
                .map(|label| LocatedLabel {
                    location: location(label.place),
                    message: label.message.clone(),
                })
                .collect(),
            notes: self.notes.clone(),
            fixes: self
                .fixes
                .iter()
                .map(|fix| LocatedFix {
                    title: fix.title.clone(),
                    mention: fix.mention,
                    applicability: fix.applicability,
                    edits: fix
                        .edits
                        .iter()
                        .map(|edit| LocatedEdit {
                            location: location(edit.place),
                            text: edit.text.clone(),
                        })
                        .collect(),
                })
                .collect(),
        }
    }
}

impl Location {
    /// Where it starts and ends, as people count.
    pub(crate) fn positions(self, db: &dyn crate::Db) -> (crate::Position, crate::Position) {
        let index = crate::file_line_index(db, self.file);
        let text = self.file.text(db);
        (
            index.position(text, self.span.start),
            index.position(text, self.span.end),
        )
    }

    /// `path:line:column` of its start.
    pub(crate) fn shown(self, db: &dyn crate::Db) -> String {
        let (start, _) = self.positions(db);
        let path = self.file.path(db).display();
        format!("{path}:{}:{}", start.line, start.column)
    }
}
