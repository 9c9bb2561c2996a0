//! Diagnostics for a terminal, with the source lines that they are about. The only file that names ariadne.

mod json;
mod plain;

pub use json::render_json;
pub use plain::render_plain;

use std::collections::BTreeMap;
use std::ops::Range;

use ariadne::{Config, Fmt, IndexType, Label, Report, ReportKind, sources};

use crate::{Db, LocatedDiagnostic, Location, Severity};

/// Whether the terminal shows colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colors {
    On,
    /// The terminal shows none, or there is no terminal.
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
    let mut output = String::new();
    for diagnostic in diagnostics {
        let mut excerpt = Vec::new();
        let written = report(db, diagnostic, colors).write(&mut cache, &mut excerpt);
        // Writing to memory fails only if the cache lacks a source, and then the plain form has the same content.
        if written.is_err() {
            output.push_str(&render_plain(db, std::slice::from_ref(diagnostic)));
            continue;
        }
        let head = head(diagnostic);
        let head = match colors {
            Colors::On => head.fg(color(diagnostic.severity)).to_string(),
            Colors::Off => head,
        };
        output.push_str(&format!("{head}: {}\n", diagnostic.message));
        // The first line is a head of ariadne's own form.
        let excerpt = String::from_utf8_lossy(&excerpt);
        output.push_str(excerpt.split_once('\n').map_or("", |(_, rest)| rest));
    }
    output
}

/// How many reports of each severity there are, as `2 errors, 1 warning`; `None` without any.
#[must_use]
pub fn summary(diagnostics: &[LocatedDiagnostic]) -> Option<String> {
    let counted = [Severity::Error, Severity::Warning, Severity::Hint].map(|severity| {
        let same = diagnostics.iter().filter(|it| it.severity == severity);
        match same.count() {
            0 => None,
            1 => Some(format!("1 {}", severity.name())),
            count => Some(format!("{count} {}s", severity.name())),
        }
    });
    let counted: Vec<String> = counted.into_iter().flatten().collect();
    (!counted.is_empty()).then(|| counted.join(", "))
}

/// `error[unknown-name]`, the same in every form for people.
fn head(diagnostic: &LocatedDiagnostic) -> String {
    format!("{}[{}]", diagnostic.severity.name(), diagnostic.code.name())
}

fn color(severity: Severity) -> ariadne::Color {
    match severity {
        Severity::Error => ariadne::Color::Red,
        Severity::Warning => ariadne::Color::Yellow,
        Severity::Hint => ariadne::Color::Blue,
    }
}

/// The excerpt of a diagnostic with its notes and fixes, after a line that is not to be shown.
fn report(db: &dyn Db, diagnostic: &LocatedDiagnostic, colors: Colors) -> Report<'static, Marked> {
    let color = color(diagnostic.severity);
    let config = Config::new()
        .with_index_type(IndexType::Byte)
        .with_color(colors == Colors::On);
    let place = marked(db, diagnostic.location);
    let labels = diagnostic.labels.iter().map(|label| {
        Label::new(marked(db, label.location))
            .with_message(&label.message)
            .with_color(ariadne::Color::Cyan)
    });
    // A place without a message would be marked by its colour alone, and colours are not for everybody.
    let main = Label::new(place.clone())
        .with_message("here")
        .with_color(color);
    let mut report = Report::build(ReportKind::Custom("", color), place)
        .with_config(config)
        .with_label(main)
        .with_labels(labels);
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    for title in diagnostic.titles() {
        report = report.with_help(title);
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
        Applicability, Code, Colors, Database, Diagnostic, File, LocatedDiagnostic, Place,
        Severity, Span, render_json, render_plain, render_terminal, summary,
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
        assert_eq!(value["fixes"][0]["applicability"], "certain");
    }

    #[test]
    fn what_only_the_author_can_decide_is_said_to_be_so() {
        let db = Database::default();
        let mut offered = example(&db);
        assert!(offered.certain_fix().is_some());
        offered.fixes[0].applicability = Applicability::Offered;
        assert!(offered.certain_fix().is_none());
        let shown = render_plain(&db, &[offered]);
        assert!(
            shown.ends_with("fix: insert `]`, if that is meant\n"),
            "{shown}"
        );
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

    #[test]
    fn a_place_is_marked_without_colours() {
        let db = Database::default();
        let shown = render_terminal(&db, &[example(&db)], Colors::Off);
        assert!(
            shown.starts_with("error[unclosed-bracket]: expected"),
            "{shown}"
        );
        assert!(shown.contains("─┬─") && shown.contains("─ here"), "{shown}");
    }

    #[test]
    fn a_summary_counts_by_severity() {
        let db = Database::default();
        let error = example(&db);
        let warning = LocatedDiagnostic {
            severity: Severity::Warning,
            ..example(&db)
        };
        assert_eq!(summary(&[]), None);
        assert_eq!(
            summary(std::slice::from_ref(&error)).as_deref(),
            Some("1 error")
        );
        assert_eq!(
            summary(&[warning, error.clone(), error]).as_deref(),
            Some("2 errors, 1 warning")
        );
    }
}
