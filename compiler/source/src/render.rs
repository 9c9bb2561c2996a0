//! Diagnostics for a terminal, with the source lines that they are about. The only file that names ariadne.

mod json;
mod plain;

pub use json::render_json;
pub use plain::render_plain;

use std::collections::BTreeMap;
use std::ops::Range;

use ariadne::{Config, IndexType, Label, Report, ReportKind, sources};

use crate::{Db, LocatedDiagnostic, Location, Severity};

/// Whether the terminal shows colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colors {
    On,
    /// It does not, or nobody looks.
    Off,
}

type Marked = (String, Range<usize>);

/// The reports of `diagnostics`, one below the other.
#[must_use]
pub fn render_terminal(db: &dyn Db, diagnostics: &[LocatedDiagnostic], colors: Colors) -> String {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for diagnostic in diagnostics {
        let labels = diagnostic.labels.iter().map(|label| label.location);
        for location in std::iter::once(diagnostic.location).chain(labels) {
            texts
                .entry(path(db, location))
                .or_insert_with(|| location.file.text(db).to_string());
        }
    }
    let mut cache = sources(texts);
    let mut output = Vec::new();
    for diagnostic in diagnostics {
        let written = report(db, diagnostic, colors).write(&mut cache, &mut output);
        // Writing to memory fails only if the cache lacks a source, and then the plain form says the same.
        if written.is_err() {
            output.extend(render_plain(db, std::slice::from_ref(diagnostic)).bytes());
        }
    }
    String::from_utf8_lossy(&output).into_owned()
}

fn report(db: &dyn Db, diagnostic: &LocatedDiagnostic, colors: Colors) -> Report<'static, Marked> {
    let (kind, color) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, ariadne::Color::Red),
        Severity::Warning => (ReportKind::Warning, ariadne::Color::Yellow),
        Severity::Hint => (ReportKind::Advice, ariadne::Color::Blue),
    };
    let config = Config::new()
        .with_index_type(IndexType::Byte)
        .with_color(colors == Colors::On);
    let place = marked(db, diagnostic.location);
    let labels = diagnostic.labels.iter().map(|label| {
        Label::new(marked(db, label.location))
            .with_message(&label.message)
            .with_color(ariadne::Color::Cyan)
    });
    let mut report = Report::build(kind, place.clone())
        .with_config(config)
        .with_code(diagnostic.code.name())
        .with_message(&diagnostic.message)
        .with_label(Label::new(place).with_color(color))
        .with_labels(labels);
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    for fix in &diagnostic.fixes {
        report = report.with_help(&fix.title);
    }
    report.finish()
}

fn path(db: &dyn Db, location: Location) -> String {
    location.file.path(db).display().to_string()
}

fn marked(db: &dyn Db, location: Location) -> Marked {
    let length = location.file.text(db).len();
    let start = (location.span.start as usize).min(length);
    let end = (location.span.end as usize).clamp(start, length);
    (path(db, location), start..end)
}

#[cfg(test)]
mod tests {
    use crate::{
        Code, Colors, Database, Diagnostic, File, LocatedDiagnostic, Place, Span, render_json,
        render_plain, render_terminal,
    };

    fn example(db: &Database) -> LocatedDiagnostic {
        let text = "let zoë = [1, 2\nzoë.len()\n";
        let file = File::new(db, "a.gsw".into(), text.into());
        let place = |start, end| Place::File {
            file,
            span: Span::new(start, end),
        };
        Diagnostic::error(
            Code::UNCLOSED_BRACKET,
            place(17, 21),
            "expected `]` before `zoë`",
        )
        .label(place(11, 12), "this `[` is not closed")
        .note("brackets come in pairs")
        .fix("insert `]`", place(16, 16), "]")
        .located(|place| match place {
            Place::File { file, span } => (file, span),
            Place::Item { item, span } => (item.file(db), span),
        })
    }

    #[test]
    fn plain_names_places_by_line_and_column() {
        let db = Database::default();
        let expected = "a.gsw:2:1: error[unclosed-bracket]: expected `]` before `zoë`\n  \
                        a.gsw:1:11: this `[` is not closed\n  \
                        note: brackets come in pairs\n  fix: insert `]`\n";
        assert_eq!(render_plain(&db, &[example(&db)]), expected);
    }

    #[test]
    fn json_is_one_object_a_line() {
        let db = Database::default();
        let json = render_json(&db, &[example(&db)]);
        assert_eq!(json.lines().count(), 1);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["severity"], "error");
        assert_eq!(
            value["start"],
            serde_json::json!({ "line": 2, "column": 1 })
        );
        assert_eq!(value["end"], serde_json::json!({ "line": 2, "column": 4 }));
        assert_eq!(value["notes"][0], "this `[` is not closed (a.gsw:1:11)");
        assert_eq!(value["fixes"][0]["edits"][0]["text"], "]");
    }

    #[test]
    fn a_terminal_shows_the_lines() {
        let db = Database::default();
        let shown = render_terminal(&db, &[example(&db)], Colors::Off);
        assert!(shown.contains("zoë.len()"), "{shown}");
        assert!(shown.contains("this `[` is not closed"), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
        assert!(render_terminal(&db, &[example(&db)], Colors::On).contains('\u{1b}'));
    }
}
