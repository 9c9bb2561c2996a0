//! `gswc test`

mod cases;
mod cassettes;
mod crash;
mod from;
mod logs;
mod snapshots;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use gsw_agents::known_model;
use gsw_driver::crash::Crashes;
use gsw_driver::engine::Engine;
use gsw_engine::load::Loaded;
use gsw_service::Exit;
use gsw_tree::node::Spent;

use cases::{Cases, Of, Runner, Wanted};
use cassettes::{Cassettes, Use, Which};
use snapshots::{Accept, Snapshots};

use crate::commands::{Watch, watch};
use crate::compile::Uncompiled;
use crate::test_report::{self, Ending, Outcome, Report, Styles};
use crate::{compile, project, report, written};

#[derive(clap::Args)]
pub struct Test {
    /// Files or project folders whose tests to run; by default the project in the current folder.
    pub files: Vec<PathBuf>,
    /// Run only tests whose name contains TEXT.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Run only the test that is called NAME, with all its rows, or the row that is called so.
    #[arg(long, value_name = "NAME", conflicts_with = "filter")]
    pub only: Option<String>,
    /// The format of the report.
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub format: TestFormat,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Keep what `assert snapshot(…)` finds as what is expected from now on.
    #[arg(long)]
    pub accept: bool,
    /// Also run each test once for every record that it writes when it is written down: killed right before and right after it,
    /// resumed, and compared with the undisturbed test. RECORD tries the places around one record.
    #[arg(
        long,
        value_name = "RECORD",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        value_parser = crash::parsed,
        conflicts_with_all = ["live", "record"]
    )]
    pub crash: Option<Crashes>,
    /// Ask real models where nothing mocks a prompt; the clock is real, too.
    #[arg(long)]
    pub live: bool,
    /// Ask real models in the tests that have a cassette, and write down what they answer.
    #[arg(long, conflicts_with_all = ["live", "watch"])]
    pub record: bool,
    /// With `--live`: run everything once for each of these models, in the place of every agent's.
    #[arg(
        long,
        value_name = "PROVIDER/MODEL,…",
        value_delimiter = ',',
        requires = "live"
    )]
    pub model: Vec<String>,
    /// Print a test of what happened in this run instead, with a mock for each call that had an answer; `newest` is the run that
    /// was begun last.
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["filter", "only", "format", "json", "accept", "crash", "live", "record", "watch"]
    )]
    pub from: Option<String>,
    /// The store that the run is in, where it is not the one that the program has by itself.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub store: Option<String>,
    #[command(flatten)]
    pub watch: Watch,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// One line per test.
    Text,
    /// `JUnit` XML.
    Junit,
    /// One JSON object per line.
    Json,
}

/// Runs the tests of files, each file's in parallel, and prints the results.
pub fn test(arguments: &Test) -> Exit {
    if let Err(exit) = check(arguments) {
        return exit;
    }
    if let Some(run) = &arguments.from {
        return from::from(arguments, run);
    }
    let files = match project::files(&arguments.files) {
        Ok(files) => files,
        Err(exit) => return exit,
    };
    if arguments.watch.watch {
        // A folder that cannot be listed for a moment leaves the files that were there.
        return watch(&|| project::files(&arguments.files).unwrap_or_else(|_| files.clone()));
    }
    let began = Instant::now();
    let mut all = Report::default();
    let mut cassettes = Cassettes::new(cassette_use(arguments));
    let format = if arguments.json {
        TestFormat::Json
    } else {
        arguments.format
    };
    let mut broken = Vec::new();
    for file in &files {
        // The tests of the other files are run all the same.
        if let Err(why) = tests_of(file, arguments, &mut cassettes, &mut all) {
            broken.push(why.exit);
            all.outcomes.push(why.outcome(file, format));
        }
    }
    if arguments.record && cassettes.are_none() && broken.is_empty() {
        return report::usage(
            &"`--record` is for tests that have a `cassette`; none of these has one",
        );
    }
    let which = match all.left_out + broken.len() {
        0 => Which::All,
        _ => Which::Some,
    };
    let finished = cassettes.finish(which);
    all.notes.extend(finished.notes);
    let failures = finished.failures.iter().map(report::failure);
    broken.extend(failures);
    all.duration = began.elapsed();
    if all.outcomes.is_empty() {
        let left_out = all.left_out;
        let none = match wanted(arguments) {
            Wanted::All => None,
            Wanted::Holding(text) => Some(format!("no test has `{text}` in its name")),
            Wanted::Called(name) => Some(format!("no test is called `{name}`")),
        };
        if let Some(none) = none {
            return report::usage(&format!("{none}; there are {left_out}"));
        }
    }
    let printed = print(&all, format);
    let has_failed = all.outcomes.iter().any(|it| it.ending != Ending::Passed);
    let failed = if has_failed { Exit::Raised } else { printed };
    broken.into_iter().fold(failed, Exit::worse)
}

fn print(all: &Report, format: TestFormat) -> Exit {
    match format {
        TestFormat::Text => report::output_styled(&test_report::text(all, Styles::of_output())),
        TestFormat::Json => report::output_json(&test_report::json(all)),
        TestFormat::Junit => report::output(&test_report::junit(all)),
    }
}

/// Why the tests of a file, or those by some models, were not run; it has been printed.
struct NotRun {
    exit: Exit,
    /// The first line is the whole of it for those who read what was printed.
    why: String,
}

impl NotRun {
    fn failed(why: &impl std::fmt::Display) -> Self {
        Self {
            exit: report::failure(why),
            why: why.to_string(),
        }
    }

    fn usage(why: &impl std::fmt::Display) -> Self {
        Self {
            exit: report::usage(why),
            why: why.to_string(),
        }
    }

    /// A failure in the place of the file's tests.
    fn outcome(&self, file: &Path, format: TestFormat) -> Outcome {
        let message = match format {
            TestFormat::Text => self.why.lines().next().unwrap_or_default().to_owned(),
            TestFormat::Junit | TestFormat::Json => self.why.clone(),
        };
        Outcome {
            file: file.to_owned(),
            name: "the file can be tested".to_owned(),
            model: None,
            ending: Ending::Failed { message },
            duration: Duration::ZERO,
            spent: Spent::default(),
            share: None,
            crashes: None,
        }
    }
}

impl From<Uncompiled> for NotRun {
    fn from(Uncompiled { exit, errors }: Uncompiled) -> Self {
        Self {
            exit,
            why: format!("it does not compile\n{errors}"),
        }
    }
}

/// Refuses combinations of options that clap cannot rule out by itself.
fn check(arguments: &Test) -> Result<(), Exit> {
    if arguments.accept && arguments.model.len() > 1 {
        return Err(report::usage(
            &"`--accept` keeps the results of one run; give only one `--model` with it",
        ));
    }
    if arguments.record && !arguments.model.is_empty() {
        return Err(report::usage(
            &"`--record` asks the models that the agents name, since a test that plays the cassette does; `--model` is for `--live`",
        ));
    }
    if arguments.record && given_model().is_some() {
        return Err(report::usage(
            &"`--record` asks the models that the agents name, since a test that plays the cassette does; unset `GSW_MODEL`",
        ));
    }
    if arguments.model.iter().any(|it| it.trim().is_empty()) {
        return Err(report::usage(
            &"`--model` takes models as `provider/model`, separated by commas",
        ));
    }
    Ok(())
}

fn cassette_use(arguments: &Test) -> Use {
    if arguments.record {
        Use::Record
    } else if arguments.live {
        Use::Ignore
    } else {
        Use::Play
    }
}

/// Which tests are to be run.
fn wanted(arguments: &Test) -> Wanted<'_> {
    match (&arguments.filter, &arguments.only) {
        (Some(text), _) => Wanted::Holding(text),
        (None, Some(name)) => Wanted::Called(name),
        (None, None) => Wanted::All,
    }
}

fn tests_of(
    file: &Path,
    arguments: &Test,
    cassettes: &mut Cassettes,
    all: &mut Report,
) -> Result<(), NotRun> {
    let (image, tests) = compile::tests(file)?;
    let loaded = Arc::new(load(&image)?);
    let (cases, left_out) = Cases::of(&loaded, tests, wanted(arguments));
    all.left_out += left_out;
    for name in cases.cassettes() {
        let opened = cassettes.open(file, name);
        opened.map_err(|why| NotRun::failed(&why))?;
    }
    let accept = if arguments.accept {
        Accept::Changes
    } else {
        Accept::Nothing
    };
    let mut snapshots = Snapshots::beside(file, accept).map_err(|why| NotRun::failed(&why))?;
    let models = models(arguments);
    // All before the first is asked, which costs money.
    for given in models.iter().flatten() {
        known_model(given, &loaded.program.models).map_err(|why| NotRun::usage(&why))?;
    }
    for model in models {
        let runner = if arguments.live {
            Runner::Live(live_engine(&image, model.clone())?)
        } else {
            Runner::Mocked {
                loaded: Arc::clone(&loaded),
                prompts: gsw_service::testing::prompts(),
                image: &image,
                crashes: arguments.crash,
            }
        };
        let of = Of {
            file,
            model: model.as_deref(),
        };
        let outcomes = cases.run(&runner, &of, &mut snapshots, cassettes);
        if arguments.live {
            let name = model.as_deref().unwrap_or(test_report::AS_WRITTEN);
            all.count_model(name, &outcomes);
        }
        all.outcomes.extend(outcomes);
    }
    let notes = snapshots.finish(cases.names());
    all.notes.extend(notes.map_err(|why| NotRun::failed(&why))?);
    Ok(())
}

/// Which models to ask, one after the other; none stands for those that the program names.
fn models(arguments: &Test) -> Vec<Option<String>> {
    let named = arguments.model.iter().map(|it| Some(it.trim().to_owned()));
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return vec![given_model().filter(|_| arguments.live)];
    }
    named
}

/// The model that the environment puts in the place of every agent's.
fn given_model() -> Option<String> {
    let given = std::env::var("GSW_MODEL").ok();
    given.filter(|it| !it.is_empty())
}

fn load(image: &[u8]) -> Result<Loaded, NotRun> {
    let loaded = Loaded::from_bytes(image).map_err(|refusal| NotRun::failed(&refusal))?;
    Ok(loaded.with_compiler(written::compiler()))
}

fn live_engine(image: &[u8], model: Option<String>) -> Result<Engine, NotRun> {
    gsw_service::testing::live_engine(load(image)?, model).map_err(|why| NotRun::failed(&why))
}
