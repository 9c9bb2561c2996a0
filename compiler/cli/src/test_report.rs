//! What happened to tests, as text, JSON and `JUnit`'s XML.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use gsw_describe::escaped;
use gsw_trace::Shown;
use gsw_tree::node::Spent;
use serde_json::json;

/// A test that takes longer says so.
const SLOW: Duration = Duration::from_secs(1);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    Passed,
    Failed {
        /// Why it failed: whole lines, each with its line break.
        message: String,
    },
}

/// What happened to a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The file that it is in, as given.
    pub file: PathBuf,
    pub name: String,
    /// The model that replaced every agent's.
    pub model: Option<String>,
    pub ending: Ending,
    /// How long it took, on the clock of the machine.
    pub duration: Duration,
    pub spent: Spent,
    /// Of its runs, where it holds when this many do.
    pub share: Option<Share>,
    pub crashes: Option<Crashed>,
}

/// How a test was tried with crashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crashed {
    /// In how many places its run was killed.
    pub places: usize,
    /// In how many of them something `once` may have been done.
    pub in_doubt: usize,
}

/// How many runs of a test passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    pub passed: usize,
    pub runs: usize,
    pub durations: Vec<Duration>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// In order of file, model and test.
    pub outcomes: Vec<Outcome>,
    /// How many tests the filter left out.
    pub left_out: usize,
    /// How long all took together, compiling included.
    pub duration: Duration,
    /// What else there is to say, a line each.
    pub notes: Vec<String>,
    /// What models did, in live tests.
    pub models: Vec<ModelScore>,
}

/// What a model did in all live tests.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelScore {
    pub name: String,
    pub passed: usize,
    pub runs: usize,
    pub spent: Spent,
    /// One for each repetition, in order.
    durations: Vec<Duration>,
}

/// In the place of a model's name, where agents are asked as they are written.
pub const AS_WRITTEN: &str = "as written";

impl Report {
    /// Adds the outcomes of live tests to the figures of a model.
    pub fn count_model(&mut self, name: &str, outcomes: &[Outcome]) {
        let index = self.models.iter().position(|it| it.name == name);
        let index = index.unwrap_or_else(|| {
            self.models.push(ModelScore {
                name: name.to_owned(),
                passed: 0,
                runs: 0,
                spent: Spent::default(),
                durations: Vec::new(),
            });
            self.models.len() - 1
        });
        let score = &mut self.models[index];
        for outcome in outcomes {
            score.spent.add(&outcome.spent);
            match &outcome.share {
                Some(share) => {
                    score.passed += share.passed;
                    score.runs += share.runs;
                    score.durations.extend(&share.durations);
                }
                None => {
                    score.passed += usize::from(outcome.ending == Ending::Passed);
                    score.runs += 1;
                    score.durations.push(outcome.duration);
                }
            }
        }
        score.durations.sort();
    }
}

impl Crashed {
    fn text(self) -> String {
        match self {
            Self { places: 0, .. } => " (writes nothing down)".to_owned(),
            Self {
                places,
                in_doubt: 0,
            } => format!(" ({places} crashes)"),
            Self { places, in_doubt } => format!(" ({places} crashes, {in_doubt} in doubt)"),
        }
    }
}

impl ModelScore {
    fn share(&self) -> f64 {
        self.passed as f64 / self.runs.max(1) as f64
    }

    /// Half of the runs took longer than this.
    fn median(&self) -> Duration {
        let middle = self.durations.get(self.durations.len() / 2);
        middle.copied().unwrap_or_default()
    }

    fn tokens(&self) -> u64 {
        self.spent.usage.input_tokens + self.spent.usage.output_tokens
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Styles {
    Plain,
    Coloured,
}

impl Styles {
    /// What standard output is to show.
    pub fn of_output() -> Self {
        if std::io::stdout().is_terminal() && gsw_service::shows_colors() {
            Self::Coloured
        } else {
            Self::Plain
        }
    }

    /// The text in bold with the colour of this number.
    fn paint(self, text: &str, colour: u8) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[1;{colour}m{text}\u{1b}[0m"),
        }
    }
}

const GREEN: u8 = 32;
const RED: u8 = 31;

/// The file and a line for each of its tests, more for those that failed, and the numbers.
pub fn text(report: &Report, styles: Styles) -> String {
    let mut out = String::new();
    for group in report
        .outcomes
        .chunk_by(|a, b| (&a.file, &a.model) == (&b.file, &b.model))
    {
        let file = Shown::line(&group[0].file.to_string_lossy()).to_string();
        let _ = match &group[0].model {
            Some(model) => writeln!(out, "{file} by {}", Shown::line(model)),
            None => writeln!(out, "{file}"),
        };
        for outcome in group {
            line(&mut out, outcome, styles);
        }
    }
    for note in &report.notes {
        let _ = writeln!(out, "{}", Shown::line(note));
    }
    models(&mut out, &report.models);
    let (passed, failed) = numbers(&report.outcomes);
    let left_out = match report.left_out {
        0 => String::new(),
        count => format!(", {count} left out"),
    };
    let seconds = report.duration.as_secs_f64();
    let colour = if failed == 0 { GREEN } else { RED };
    let counts = styles.paint(&format!("{passed} passed, {failed} failed"), colour);
    let _ = writeln!(out, "{counts}{left_out} in {seconds:.2} s");
    out
}

fn line(out: &mut String, outcome: &Outcome, styles: Styles) {
    let slow = match outcome.duration {
        it if it < SLOW => String::new(),
        it => format!(" ({:.1} s)", it.as_secs_f64()),
    };
    let share = outcome.share.as_ref().map_or_else(String::new, |it| {
        format!(" ({} of {} runs)", it.passed, it.runs)
    });
    let crashes = outcome.crashes.map_or_else(String::new, |it| it.text());
    let name = Shown::line(&outcome.name);
    let rest = format!("{name}{share}{crashes}{slow}");
    match &outcome.ending {
        Ending::Passed => {
            let _ = writeln!(out, "{}    {rest}", styles.paint("ok", GREEN));
        }
        Ending::Failed { message } => {
            let _ = writeln!(out, "{}  {rest}", styles.paint("FAIL", RED));
            for line in message.lines() {
                let _ = writeln!(out, "      {line}");
            }
        }
    }
}

/// A table of what models did.
fn models(out: &mut String, models: &[ModelScore]) {
    if models.is_empty() {
        return;
    }
    let mut rows = vec![["model", "passed", "cost", "tokens", "median"].map(str::to_owned)];
    for score in models {
        let cost = score.spent.cost_usd;
        rows.push([
            Shown::line(&score.name).to_string(),
            format!(
                "{} of {} ({:.0}%)",
                score.passed,
                score.runs,
                score.share() * 100.0
            ),
            cost.map_or_else(|| "unknown".to_owned(), |it| format!("${it:.4}")),
            score.tokens().to_string(),
            format!("{:.2} s", score.median().as_secs_f64()),
        ]);
    }
    let width = |column: usize| {
        let widths = rows.iter().map(|it| it[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    for [name, others @ ..] in &rows {
        let _ = write!(out, "{name:<0$}", widths[0]);
        for (cell, width) in others.iter().zip(&widths[1..]) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    }
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
        let mut object = json!({
            "file": file,
            "test": outcome.name,
            "ending": ending,
            "message": message,
            "duration": outcome.duration.as_secs_f64(),
        });
        if let Some(model) = &outcome.model {
            object["model"] = json!(model);
        }
        if let Some(Share { passed, runs, .. }) = &outcome.share {
            object["runs"] = json!({ "passed": passed, "all": runs });
        }
        if let Some(Crashed { places, in_doubt }) = outcome.crashes {
            object["crashes"] = json!({ "places": places, "in_doubt": in_doubt });
        }
        let _ = writeln!(out, "{object}");
    }
    let (passed, failed) = numbers(&report.outcomes);
    let mut all = json!({
        "passed": passed,
        "failed": failed,
        "left_out": report.left_out,
        "duration": report.duration.as_secs_f64(),
    });
    if !report.notes.is_empty() {
        all["notes"] = json!(report.notes);
    }
    if !report.models.is_empty() {
        let models = report.models.iter().map(|it| {
            json!({
                "model": it.name,
                "passed": it.passed,
                "runs": it.runs,
                "share": it.share(),
                "cost_usd": it.spent.cost_usd,
                "tokens": it.tokens(),
                "median": it.median().as_secs_f64(),
            })
        });
        all["models"] = models.collect();
    }
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
    for suite in report
        .outcomes
        .chunk_by(|a, b| (&a.file, &a.model) == (&b.file, &b.model))
    {
        let (passed, failed) = numbers(suite);
        let time = suite.iter().map(|it| it.duration).sum();
        let mut file = escaped(&suite[0].file.to_string_lossy());
        if let Some(model) = &suite[0].model {
            file.push_str(&escaped(&format!(" by {model}")));
        }
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
