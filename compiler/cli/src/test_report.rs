//! What became of tests, as text, JSON and `JUnit`'s XML.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::json;

/// How a test ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Well.
    Passed,
    /// Not so.
    Failed {
        /// Why: lines, each ended.
        message: String,
    },
}

/// What became of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The file that it stands in, as given.
    pub file: PathBuf,
    /// Its text.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
}

/// A line for each, more for those that failed, and the numbers.
pub fn text(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        match &outcome.ending {
            Ending::Passed => {
                let _ = writeln!(out, "ok    {}", outcome.name);
            }
            Ending::Failed { message } => {
                let _ = writeln!(out, "FAIL  {}", outcome.name);
                for line in message.lines() {
                    let _ = writeln!(out, "      {line}");
                }
            }
        }
    }
    let (passed, failed) = numbers(outcomes);
    let _ = writeln!(out, "{passed} passed, {failed} failed");
    out
}

/// An object for each on a line, and one with the numbers.
pub fn json(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        let (ending, message) = match &outcome.ending {
            Ending::Passed => ("passed", None),
            Ending::Failed { message } => ("failed", Some(message.trim_end())),
        };
        let file = outcome.file.to_string_lossy();
        let object =
            json!({ "file": file, "test": outcome.name, "ending": ending, "message": message });
        let _ = writeln!(out, "{object}");
    }
    let (passed, failed) = numbers(outcomes);
    let _ = writeln!(out, "{}", json!({ "passed": passed, "failed": failed }));
    out
}

/// The form that servers of continuous integration read.
pub fn junit(outcomes: &[Outcome]) -> String {
    let (passed, failed) = numbers(outcomes);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuite name=\"gswc test\" tests=\"{}\" failures=\"{failed}\">",
        passed + failed
    );
    for outcome in outcomes {
        let file = escaped(&outcome.file.to_string_lossy());
        let name = escaped(&outcome.name);
        let _ = write!(out, "  <testcase classname=\"{file}\" name=\"{name}\"");
        let _ = match &outcome.ending {
            Ending::Passed => writeln!(out, "/>"),
            Ending::Failed { message } => writeln!(
                out,
                "><failure>{}</failure></testcase>",
                escaped(message.trim_end())
            ),
        };
    }
    out.push_str("</testsuite>\n");
    out
}

fn numbers(outcomes: &[Outcome]) -> (usize, usize) {
    let passed = outcomes.iter().filter(|it| it.ending == Ending::Passed);
    let passed = passed.count();
    (passed, outcomes.len() - passed)
}

/// Text between tags or quotes of XML; what XML cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}
