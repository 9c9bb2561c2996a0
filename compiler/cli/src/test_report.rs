//! What became of tests, as text, JSON and `JUnit`'s XML.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use gsw_describe::escaped;
use gsw_trace::Shown;
use serde_json::json;

/// A test that takes longer says so.
const SLOW: Duration = Duration::from_secs(1);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    Passed,
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
    pub name: String,
    pub ending: Ending,
    /// How long it took, on the clock of the machine.
    pub duration: Duration,
}

/// Everything that is reported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// In order of file and test.
    pub outcomes: Vec<Outcome>,
    /// How many tests the filter left out.
    pub left_out: usize,
    /// How long all took together, compiling included.
    pub duration: Duration,
}

/// A line for each, more for those that failed, and the numbers.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for outcome in &report.outcomes {
        let slow = match outcome.duration {
            it if it < SLOW => String::new(),
            it => format!(" ({:.1} s)", it.as_secs_f64()),
        };
        match &outcome.ending {
            Ending::Passed => {
                let _ = writeln!(out, "ok    {}{slow}", Shown::line(&outcome.name));
            }
            Ending::Failed { message } => {
                let _ = writeln!(out, "FAIL  {}{slow}", Shown::line(&outcome.name));
                for line in message.lines() {
                    let _ = writeln!(out, "      {line}");
                }
            }
        }
    }
    let (passed, failed) = numbers(&report.outcomes);
    let left_out = match report.left_out {
        0 => String::new(),
        count => format!(", {count} left out"),
    };
    let seconds = report.duration.as_secs_f64();
    let _ = writeln!(
        out,
        "{passed} passed, {failed} failed{left_out} in {seconds:.2} s"
    );
    out
}

/// An object for each on a line, and one with the numbers.
pub fn json(report: &Report) -> String {
    let mut out = String::new();
    for outcome in &report.outcomes {
        let (ending, message) = match &outcome.ending {
            Ending::Passed => ("passed", None),
            Ending::Failed { message } => ("failed", Some(message.trim_end())),
        };
        let file = outcome.file.to_string_lossy();
        let object = json!({
            "file": file,
            "test": outcome.name,
            "ending": ending,
            "message": message,
            "duration": outcome.duration.as_secs_f64(),
        });
        let _ = writeln!(out, "{object}");
    }
    let (passed, failed) = numbers(&report.outcomes);
    let all = json!({
        "passed": passed,
        "failed": failed,
        "left_out": report.left_out,
        "duration": report.duration.as_secs_f64(),
    });
    let _ = writeln!(out, "{all}");
    out
}

/// The form that servers of continuous integration read: a suite for each file.
pub fn junit(report: &Report) -> String {
    let (passed, failed) = numbers(&report.outcomes);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = |tests: usize, failures: usize, time: Duration| {
        let seconds = time.as_secs_f64();
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"{seconds:.3}\"")
    };
    let all = counts(passed + failed, failed, report.duration);
    let _ = writeln!(out, "<testsuites name=\"gswc test\" {all}>");
    for suite in report.outcomes.chunk_by(|a, b| a.file == b.file) {
        let (passed, failed) = numbers(suite);
        let time = suite.iter().map(|it| it.duration).sum();
        let file = escaped(&suite[0].file.to_string_lossy());
        let counts = counts(passed + failed, failed, time);
        let _ = writeln!(out, "  <testsuite name=\"{file}\" {counts} skipped=\"0\">");
        for outcome in suite {
            case(&mut out, outcome, &file);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(out: &mut String, outcome: &Outcome, file: &str) {
    let name = escaped(&outcome.name);
    let seconds = outcome.duration.as_secs_f64();
    let head = format!("<testcase classname=\"{file}\" name=\"{name}\" time=\"{seconds:.3}\"");
    let _ = match &outcome.ending {
        Ending::Passed => writeln!(out, "    {head}/>"),
        Ending::Failed { message } => {
            let first = escaped(message.lines().next().unwrap_or_default());
            let all = escaped(message.trim_end());
            writeln!(
                out,
                "    {head}><failure message=\"{first}\" type=\"failure\">{all}</failure></testcase>"
            )
        }
    };
}

fn numbers(outcomes: &[Outcome]) -> (usize, usize) {
    let passed = outcomes.iter().filter(|it| it.ending == Ending::Passed);
    let passed = passed.count();
    (passed, outcomes.len() - passed)
}
