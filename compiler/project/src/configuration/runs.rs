//! `[runs]`: where runs are kept, how long, and when one that waits is left.

use gsw_abi::bounds::Bounds;
use gsw_notation::duration;

use super::reader::{Entry, Reader};

/// The settings of the runs that are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunsDefaults {
    /// A path relative to the folder in which the program runs, or `off`.
    pub store: Option<String>,
    /// In nanoseconds.
    pub idle: Option<i64>,
    pub keep_days: Option<u32>,
    pub keep_runs: Option<u32>,
    pub keep_bytes: Option<u64>,
}

const KEYS: [&str; 3] = ["idle", "keep", "store"];
const KEPT: [&str; 3] = ["days", "runs", "size"];

pub(super) fn read(reader: &mut Reader, entry: &Entry<'_>, into: &mut RunsDefaults) {
    for entry in reader.table(entry) {
        match entry.key {
            "store" => {
                let expected = "the path of a file, or `\"off\"`";
                into.store = reader.text(&entry, expected, |it| !it.trim().is_empty());
            }
            "idle" => {
                let expected = "a duration such as `\"1m\"`";
                let text = reader.text(&entry, expected, |it| nanoseconds(it).is_some());
                into.idle = text.and_then(|it| nanoseconds(&it));
            }
            "keep" => keep(reader, &entry, into),
            _ => reader.unknown(&entry, "runs", &KEYS),
        }
    }
}

fn keep(reader: &mut Reader, entry: &Entry<'_>, into: &mut RunsDefaults) {
    for entry in reader.table(entry) {
        match entry.key {
            // What is counted fits 32 bits, as the reader has checked.
            "days" => {
                into.keep_days = reader
                    .count(&entry, Bounds::NARROW_COUNT)
                    .and_then(|it| it.parse().ok())
            }
            "runs" => {
                into.keep_runs = reader
                    .count(&entry, Bounds::NARROW_COUNT)
                    .and_then(|it| it.parse().ok())
            }
            "size" => {
                let expected = "a size such as `\"1GB\"`";
                let text = reader.text(&entry, expected, |it| bytes(it).is_some());
                into.keep_bytes = text.and_then(|it| bytes(&it));
            }
            _ => reader.unknown(&entry, "runs.keep", &KEPT),
        }
    }
}

fn nanoseconds(text: &str) -> Option<i64> {
    duration::literal(text).ok()
}

/// A number of kilobytes, megabytes or gigabytes.
fn bytes(text: &str) -> Option<u64> {
    let start = text.find(|it: char| !it.is_ascii_digit())?;
    let unit = match &text[start..] {
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    text[..start].parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::{bytes, nanoseconds};

    #[test]
    fn sizes_and_durations_are_read_or_refused() {
        assert_eq!(bytes("10MB"), Some(10_000_000));
        assert_eq!(nanoseconds("1m"), Some(60_000_000_000));
        assert_eq!(nanoseconds("1h30m"), Some(5_400_000_000_000));
        for wrong in [
            "",
            "MB",
            "1",
            "1TB",
            "-1GB",
            "1.5GB",
            "99999999999999999999GB",
        ] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        for wrong in ["", "1", "never", "99999999999d"] {
            assert_eq!(nanoseconds(wrong), None, "{wrong}");
        }
    }
}
