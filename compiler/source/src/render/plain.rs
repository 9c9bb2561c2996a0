//! Diagnostics as lines for logs: `path:line:column: error[code]: message`.

use crate::render::head;
use crate::{Db, LocatedDiagnostic};

/// The lines of `diagnostics`; remarks, notes and fixes are indented below.
#[must_use]
pub fn render_plain(db: &dyn Db, diagnostics: &[LocatedDiagnostic]) -> String {
    let mut output = String::new();
    for diagnostic in diagnostics {
        output.push_str(&format!(
            "{}: {}: {}\n",
            diagnostic.location.shown(db),
            head(diagnostic),
            diagnostic.message,
        ));
        for label in &diagnostic.labels {
            output.push_str(&format!(
                "  {}: {}\n",
                label.location.shown(db),
                label.message
            ));
        }
        for note in &diagnostic.notes {
            output.push_str(&format!("  note: {note}\n"));
        }
        for title in diagnostic.titles() {
            output.push_str(&format!("  fix: {title}\n"));
        }
    }
    output
}
