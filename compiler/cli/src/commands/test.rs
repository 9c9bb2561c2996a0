//! `gswc test`

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use gsw_driver::testing;
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, RunResult};
use gsw_flow::Answers;
use gsw_service::Exit;

use crate::commands::{Watch, watch};
use crate::test_report::{self, Ending, Outcome, Report};
use crate::{compile, project, report};

/// `gswc test`
#[derive(clap::Args)]
pub struct Test {
    /// Files or project folders whose tests to run; by default the project in the current folder.
    pub files: Vec<PathBuf>,
    /// Run only tests whose name contains TEXT.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// The format of the report.
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub format: TestFormat,
    #[command(flatten)]
    pub watch: Watch,
}

/// How tests are reported.
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
    for file in &files {
        if let Err(exit) = tests_of(file, arguments.filter.as_deref(), &mut all) {
            return exit;
        }
    }
    all.duration = began.elapsed();
    let printed = match arguments.format {
        TestFormat::Text => report::output(&test_report::text(&all)),
        TestFormat::Json => report::output_json(&test_report::json(&all)),
        TestFormat::Junit => report::output(&test_report::junit(&all)),
    };
    let has_failed = all.outcomes.iter().any(|it| it.ending != Ending::Passed);
    if has_failed { Exit::Raised } else { printed }
}

fn tests_of(file: &Path, filter: Option<&str>, all: &mut Report) -> Result<(), Exit> {
    let (image, mut tests) = compile::tests(file)?;
    let count = tests.len();
    tests.retain(|it| filter.is_none_or(|filter| it.name.contains(filter)));
    all.left_out += count - tests.len();
    let loaded = Loaded::from_bytes(&image).map_err(|refusal| report::failure(&refusal))?;
    let loaded = Arc::new(loaded);
    let endings = run_all(&loaded, &tests);
    for (test, (ending, duration)) in tests.into_iter().zip(endings) {
        all.outcomes.push(Outcome {
            file: file.to_owned(),
            name: test.name,
            ending,
            duration,
        });
    }
    Ok(())
}

/// Runs tests on all cores; their endings are in the order of the tests.
fn run_all(loaded: &Arc<Loaded>, tests: &[gsw_flow::Test]) -> Vec<(Ending, Duration)> {
    let next = AtomicUsize::new(0);
    let endings = Mutex::new(vec![None; tests.len()]);
    let work = || {
        while let Some((index, test)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            tests.get(index).map(|test| (index, test))
        } {
            let began = Instant::now();
            let ending = match test.answers {
                Answers::Mocked => ending(testing::run(loaded, test.function).as_deref()),
                Answers::Recorded => {
                    failed("replaying a cassette is not supported in this version")
                }
            };
            endings.lock().unwrap_or_else(PoisonError::into_inner)[index] =
                Some((ending, began.elapsed()));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(tests.len()) {
            // Where no further thread can be started, those that there are do it all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let endings = endings.into_inner().unwrap_or_else(PoisonError::into_inner);
    endings
        .into_iter()
        .map(|it| it.unwrap_or_else(|| (failed("the test was not run"), Duration::ZERO)))
        .collect()
}

fn ending(finished: Option<&Finished>) -> Ending {
    let Some(finished) = finished else {
        return failed("the test does not end");
    };
    match &finished.result {
        RunResult::Raised(error) => Ending::Failed {
            message: gsw_service::error_text(error),
        },
        RunResult::Internal(message) => failed(&format!("Internal: {message}")),
        RunResult::Cancelled | RunResult::InvalidInput(_) => failed("the test was cancelled"),
        RunResult::Value(_) => match &finished.unmocked {
            Some(message) => Ending::Failed {
                message: format!(
                    "error: {message}\n  the program caught this, but a test must mock what it calls\n"
                ),
            },
            // A release build must not fail a test that has done its work.
            None if cfg!(debug_assertions) && finished.live_objects != 0 => failed(&format!(
                "{} objects were never freed",
                finished.live_objects
            )),
            None => Ending::Passed,
        },
    }
}

fn failed(message: &str) -> Ending {
    Ending::Failed {
        message: format!("error: {message}\n"),
    }
}
