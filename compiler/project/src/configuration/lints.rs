//! `[lints]`: how the warnings of a project are to be taken.

use gsw_source::{Code, Db, Diagnostic, Severity};

use super::project_configuration;
use super::reader::{Entry, Reader};

/// How a warning is to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LintLevel {
    Allow,
    /// As the warning that it is.
    Warn,
    Deny,
}

pub(super) fn read(reader: &mut Reader, entry: &Entry<'_>) -> Vec<(Code, LintLevel)> {
    let mut levels = Vec::new();
    for entry in reader.table(entry) {
        let Some(code) = Code::LINTS.iter().find(|it| it.name() == entry.key) else {
            let names: Vec<&str> = Code::LINTS.iter().map(|it| it.name()).collect();
            reader.unknown(&entry, "lints", &names);
            continue;
        };
        let expected = "`\"allow\"`, `\"warn\"` or `\"deny\"`";
        let text = reader.text(&entry, expected, |it| level(it).is_some());
        levels.extend(text.as_deref().and_then(level).map(|it| (*code, it)));
    }
    levels
}

fn level(text: &str) -> Option<LintLevel> {
    match text {
        "allow" => Some(LintLevel::Allow),
        "warn" => Some(LintLevel::Warn),
        "deny" => Some(LintLevel::Deny),
        _ => None,
    }
}

/// Reports as the project wants its warnings to be taken; errors stay errors.
pub fn with_levels(db: &dyn Db, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let Some(configuration) = project_configuration(db) else {
        return found;
    };
    let taken = |mut report: Diagnostic| {
        let level = configuration.lints.iter().find(|it| it.0 == report.code);
        match level.map(|it| it.1) {
            Some(LintLevel::Allow) if report.severity != Severity::Error => return None,
            Some(LintLevel::Deny) => report.severity = Severity::Error,
            _ => {}
        }
        Some(report)
    };
    found.into_iter().filter_map(taken).collect()
}
