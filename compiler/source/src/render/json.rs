//! Diagnostics for programs: one JSON object a line.

use serde::Serialize;

use crate::{Db, LocatedDiagnostic, Location, Position};

/// What `gswc check --format json` prints for one diagnostic.
#[derive(Serialize)]
struct Object<'diagnostic> {
    code: &'static str,
    severity: &'static str,
    message: &'diagnostic str,
    file: String,
    start: Place,
    end: Place,
    notes: Vec<String>,
    fixes: Vec<Fix<'diagnostic>>,
}

#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Fix<'diagnostic> {
    title: &'diagnostic str,
    /// Whether `gswc fix` applies it.
    applicability: &'static str,
    edits: Vec<Edit<'diagnostic>>,
}

#[derive(Serialize)]
struct Edit<'diagnostic> {
    file: String,
    start: Place,
    end: Place,
    text: &'diagnostic str,
}

/// The lines of `diagnostics`. A remark at a further place becomes a note that names the place.
#[must_use]
pub fn render_json(db: &dyn Db, diagnostics: &[LocatedDiagnostic]) -> String {
    let mut output = String::new();
    for diagnostic in diagnostics {
        let line = serde_json::to_string(&object(db, diagnostic))
            .expect("strings, numbers and lists always have a JSON form");
        output.push_str(&line);
        output.push('\n');
    }
    output
}

fn object<'diagnostic>(
    db: &dyn Db,
    diagnostic: &'diagnostic LocatedDiagnostic,
) -> Object<'diagnostic> {
    let (start, end) = diagnostic.location.positions(db);
    let remarks = diagnostic
        .labels
        .iter()
        .map(|label| format!("{} ({})", label.message, label.location.shown(db)));
    let fixes = diagnostic.fixes.iter().map(|fix| Fix {
        title: &fix.title,
        applicability: fix.applicability.name(),
        edits: fix
            .edits
            .iter()
            .map(|edit| {
                let (start, end) = edit.location.positions(db);
                Edit {
                    file: path(db, edit.location),
                    start: start.into(),
                    end: end.into(),
                    text: &edit.text,
                }
            })
            .collect(),
    });
    Object {
        code: diagnostic.code.name(),
        severity: diagnostic.severity.name(),
        message: &diagnostic.message,
        file: path(db, diagnostic.location),
        start: start.into(),
        end: end.into(),
        notes: remarks.chain(diagnostic.notes.iter().cloned()).collect(),
        fixes: fixes.collect(),
    }
}

fn path(db: &dyn Db, location: Location) -> String {
    location.file.path(db).display().to_string()
}

impl From<Position> for Place {
    fn from(position: Position) -> Self {
        Self {
            line: position.line,
            column: position.column,
        }
    }
}
