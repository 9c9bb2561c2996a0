//! How the store marks a run that waits for the ends of other runs, for lists of runs and for other processes.

use std::sync::Arc;

/// What comes before each id, which holds no back-quote.
const RESULT_OF: &str = "the result of `";

/// Says which runs are awaited.
pub(crate) fn written<'a>(runs: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<String> = runs.map(|it| format!("{RESULT_OF}{it}`")).collect();
    all.join(", ")
}

/// Reads what [`written`] wrote; `None` for anything else.
pub(crate) fn read(text: &str) -> Option<Vec<Arc<str>>> {
    let ids = text.split(", ").map(|it| {
        let id = it.strip_prefix(RESULT_OF)?.strip_suffix('`')?;
        (!id.contains('`')).then(|| id.into())
    });
    ids.collect()
}

#[cfg(test)]
mod tests {
    use super::{read, written};

    #[test]
    fn what_is_written_is_read() {
        for ids in [vec!["left"], vec!["a.b:c", "nightly-1", "f00"]] {
            let text = written(ids.iter().copied());
            let read = read(&text).expect("runs");
            assert_eq!(read.iter().map(|it| &**it).collect::<Vec<_>>(), ids);
        }
        for other in [
            "",
            "approve",
            "the result of `a`, approve",
            "the result of ``, `",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
