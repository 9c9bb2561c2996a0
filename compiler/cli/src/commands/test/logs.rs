//! What a test has logged, which is shown where it fails.

use gsw_engine::run::Finished;
use gsw_trace::Shown;

/// The most lines that are shown, the latest.
const MOST: usize = 50;

/// The log of a test.
#[derive(Clone, Debug, Default)]
pub(super) struct Logs {
    /// The latest lines, as they are shown.
    latest: Vec<String>,
    /// How many there were before.
    earlier: usize,
}

impl Logs {
    pub(super) fn of(finished: &Finished) -> Self {
        let lines = finished.tree.lines();
        let mut latest: Vec<String> = lines
            .rev()
            .take(MOST)
            .map(|it| {
                let message = Shown::hanging(&it.message, "  ");
                let data = it
                    .data
                    .as_ref()
                    .map(|it| it.text())
                    .filter(|it| *it != "{}");
                let data = data.map_or_else(String::new, |it| format!(" {}", Shown::json(it)));
                format!("{}: {message}{data}", it.level.name())
            })
            .collect();
        latest.reverse();
        let earlier = usize::try_from(finished.tree.totals().logs).unwrap_or(usize::MAX);
        Self {
            earlier: earlier.saturating_sub(latest.len()),
            latest,
        }
    }

    /// Adds them to the message of a test that failed.
    pub(super) fn add_to(&self, message: &mut String) {
        if self.latest.is_empty() {
            return;
        }
        message.push_str("logged\n");
        if self.earlier > 0 {
            message.push_str(&format!("  … {} lines before\n", self.earlier));
        }
        for line in self.latest.iter().flat_map(|it| it.lines()) {
            message.push_str(&format!("  {line}\n"));
        }
    }
}
