//! What is run for the tests of a file: each once, or once for each row and repetition; and what happens to it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gsw_abi::builtin::BuiltinError;
use gsw_agents::Record;
use gsw_driver::crash::{Crashes, Tapes};
use gsw_driver::engine::Engine;
use gsw_driver::scripted::Entry;
use gsw_driver::tape::Tape;
use gsw_driver::testing;
use gsw_engine::load::Loaded;
use gsw_engine::model::Prompts;
use gsw_engine::run::{Finished, RunResult};
use gsw_flow::{Rows, Test};
use gsw_notation::text::shortened;
use gsw_trace::Shown;
use gsw_tree::node::Spent;
use serde_json::Value;

use super::cassettes::{Cassettes, Ended, Use};
use super::crash;
use super::logs::Logs;
use super::snapshots::Snapshots;
use crate::test_report::{Crashed, Ending, Outcome, Share};
use crate::written;

/// How many characters of a row are in the name of its test.
const ROW_NAME: usize = 80;
/// The most failures of a test with a share that are shown.
const MOST_SHOWN: usize = 5;
/// The most live tests at once: they wait for models, which limit how many they take at a time. A guess.
const LIVE_AT_ONCE: usize = 8;

/// Everything that is run for a file.
pub struct Cases {
    tests: Vec<Test>,
    cases: Vec<Case>,
    /// What each test is called for each of its rows, those that the filter leaves out included; `None` when not all are known.
    names: Option<Vec<String>>,
}

/// One run of a test.
struct Case {
    /// Index of the test among the program's tests.
    test: usize,
    /// The test's name, with the row.
    name: String,
    /// From 1, where there are several.
    repetition: Option<u32>,
    input: Input,
}

#[derive(Clone)]
enum Input {
    Nothing,
    Row(Arc<Value>),
    /// The rows cannot be had: why.
    Broken(String),
}

/// What runs tests: with or without models.
pub enum Runner<'a> {
    /// In virtual time; a prompt that no mock and no cassette answers fails the test.
    Mocked {
        loaded: Arc<Loaded>,
        prompts: Arc<dyn Prompts>,
        /// For tests whose models are recorded: each has an engine of its own.
        image: &'a [u8],
        /// After it has passed, it is run once more for each of these.
        crashes: Option<Crashes>,
    },
    Live(Engine),
}

pub struct Of<'a> {
    pub file: &'a Path,
    /// The model that replaces every agent's.
    pub model: Option<&'a str>,
}

/// What happened to one run.
struct Ran {
    ending: Ending,
    duration: Duration,
    spent: Spent,
    snapshots: Vec<String>,
    /// The latest lines of its log.
    logs: Logs,
    crashes: Option<Crashed>,
    /// What its models answered, where that is recorded.
    records: Option<Vec<Record>>,
}

/// Which tests are run, by their names.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    All,
    /// Those that have a text in their name.
    Holding(&'a str),
    /// The one of that name, with all its rows, or one of them.
    Called(&'a str),
}

impl Wanted<'_> {
    /// Whether a row of a test is run; without rows it is called like its test.
    fn admits(self, test: &str, row: &str) -> bool {
        match self {
            Self::All => true,
            Self::Holding(text) => row.contains(text),
            Self::Called(name) => test == name || row == name,
        }
    }
}

impl Cases {
    /// What is run for these tests, and how many are left out because of their names.
    pub fn of(loaded: &Arc<Loaded>, tests: Vec<Test>, wanted: Wanted<'_>) -> (Self, usize) {
        let mut found = Vec::new();
        let mut left_out = 0;
        let mut names = Some(Vec::new());
        for (index, test) in tests.iter().enumerate() {
            let rows = match &test.rows {
                None => Ok(vec![(test.name.clone(), Input::Nothing)]),
                Some(rows) => rows_of(loaded, rows).map(|it| named(&test.name, it)),
            };
            let mut rows = rows.unwrap_or_else(|why| {
                names = None;
                vec![(test.name.clone(), Input::Broken(why))]
            });
            if let Some(names) = &mut names {
                names.extend(rows.iter().map(|it| it.0.clone()));
            }
            let count = rows.len();
            // A share of some of the rows would say nothing.
            match test.pass {
                Some(_) => rows.retain(|_| wanted.admits(&test.name, &test.name)),
                None => rows.retain(|(name, _)| wanted.admits(&test.name, name)),
            }
            left_out += count - rows.len();
            for (name, input) in rows {
                let repeat = match input {
                    Input::Broken(_) => 1,
                    Input::Nothing | Input::Row(_) => test.repeat,
                };
                found.extend((1..=repeat).map(|it| Case {
                    test: index,
                    name: name.clone(),
                    repetition: (repeat > 1).then_some(it),
                    input: input.clone(),
                }));
            }
        }
        let cases = Self {
            tests,
            cases: found,
            names,
        };
        (cases, left_out)
    }

    /// What tests are called for each row; `None` when not all rows are known.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The cassettes of the tests that are run.
    pub fn cassettes(&self) -> impl Iterator<Item = &str> {
        let tests = self.cases.iter().map(|it| &self.tests[it.test]);
        tests.filter_map(|it| it.cassette.as_deref())
    }

    /// Runs all and says what happened to each test.
    pub fn run(
        &self,
        runner: &Runner<'_>,
        of: &Of<'_>,
        snapshots: &mut Snapshots,
        cassettes: &mut Cassettes,
    ) -> Vec<Outcome> {
        let mut ran = self.run_all(runner, of.file, cassettes);
        for (case, ran) in self.cases.iter().zip(&mut ran) {
            if ran.ending == Ending::Passed
                && let Err(message) = snapshots.compare(&case.name, &ran.snapshots)
            {
                ran.ending = Ending::Failed { message };
            }
            if let Ending::Failed { message } = &mut ran.ending {
                ran.logs.add_to(message);
            }
            let test = &self.tests[case.test];
            if let Some(name) = &test.cassette {
                let ended = Ended {
                    test: case.full_name(test),
                    records: ran.records.take(),
                    has_passed: ran.ending == Ending::Passed,
                };
                cassettes.note(of.file, name, ended);
            }
        }
        let mut outcomes = Vec::new();
        let mut both = self.cases.iter().zip(ran).peekable();
        while let Some((case, ran)) = both.next() {
            let test = &self.tests[case.test];
            let of_file = |name: String, ran: Ran, share: Option<Share>| Outcome {
                file: of.file.to_owned(),
                name,
                model: of.model.map(str::to_owned),
                ending: ran.ending,
                duration: ran.duration,
                spent: ran.spent,
                share,
                crashes: ran.crashes,
            };
            let Some(pass) = test.pass else {
                outcomes.push(of_file(case.full_name(test), ran, None));
                continue;
            };
            let mut runs = vec![(case, ran)];
            while let Some(next) = both.next_if(|(it, _)| it.test == case.test) {
                runs.push(next);
            }
            let (ran, share) = joined(test, pass, runs);
            outcomes.push(of_file(test.name.clone(), ran, Some(share)));
        }
        outcomes
    }

    /// Runs all, several at once; what happened to them is in the order of the cases.
    fn run_all(&self, runner: &Runner<'_>, file: &Path, cassettes: &Cassettes) -> Vec<Ran> {
        let next = AtomicUsize::new(0);
        let found: Mutex<Vec<Option<Ran>>> = Mutex::new(self.cases.iter().map(|_| None).collect());
        let work = || {
            while let Some((index, case)) = {
                let index = next.fetch_add(1, Ordering::Relaxed);
                self.cases.get(index).map(|case| (index, case))
            } {
                let ran = self.run_one(runner, case, file, cassettes);
                found.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(ran);
            }
        };
        let at_once = match runner {
            Runner::Mocked { .. } if cassettes.kind() == Use::Record => LIVE_AT_ONCE,
            Runner::Mocked { .. } => std::thread::available_parallelism().map_or(1, usize::from),
            Runner::Live(_) => LIVE_AT_ONCE,
        };
        std::thread::scope(|scope| {
            for _ in 1..at_once.min(self.cases.len()) {
                // Where no more threads can be started, the existing ones do all the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let all = found.into_iter();
        all.map(|it| it.unwrap_or_else(|| Ran::failed("the test was not run")))
            .collect()
    }

    fn run_one(&self, runner: &Runner<'_>, case: &Case, file: &Path, cassettes: &Cassettes) -> Ran {
        let test = &self.tests[case.test];
        let row = match (&case.input, &test.rows) {
            (Input::Broken(why), _) => return Ran::failed(why),
            (Input::Row(row), Some(rows)) => Some((rows.row, Arc::clone(row))),
            (Input::Nothing | Input::Row(_), _) => None,
        };
        let began = Instant::now();
        let taped = test.cassette.as_deref().map(|name| Taped {
            name,
            test: case.full_name(test),
            file,
            cassettes,
        });
        let entry = testing::entry(test.function, row);
        let (finished, records) = match runner.run(entry.clone(), taped.as_ref()) {
            Ok(Went { finished, records }) => (finished, records),
            Err(why) => return Ran::failed(&why),
        };
        let Some(mut finished) = finished else {
            return Ran::failed("the test does not end");
        };
        let mut ran = Ran {
            duration: Duration::ZERO,
            spent: finished.tree.totals().spent,
            snapshots: std::mem::take(&mut finished.snapshots),
            logs: Logs::of(&finished),
            ending: ending(&finished),
            crashes: None,
            records: None,
        };
        match records {
            None => {}
            Some(Ok(records)) => ran.records = Some(records),
            // What has no record would fail when it is replayed, so it fails at once.
            Some(Err(why)) if ran.ending == Ending::Passed => ran.ending = failed(&why),
            Some(Err(_)) => {}
        }
        runner.crash(entry, taped.as_ref(), &case.name, &mut ran);
        ran.duration = began.elapsed();
        ran
    }
}

/// The cassette of a test.
struct Taped<'a> {
    name: &'a str,
    test: String,
    file: &'a Path,
    cassettes: &'a Cassettes,
}

impl Taped<'_> {
    /// What answers the test in the place of models.
    fn players(&self) -> Result<Tapes, String> {
        self.cassettes
            .players(self.file, self.name, self.test.clone())
    }
}

/// How a run went; the run is `None` where it hung, and the records are where nothing is recorded.
struct Went {
    finished: Option<Box<Finished>>,
    records: Option<Result<Vec<Record>, String>>,
}

impl Runner<'_> {
    /// Tries a test that has passed with crashes, if that is wanted.
    fn crash(&self, entry: Entry, taped: Option<&Taped<'_>>, name: &str, ran: &mut Ran) {
        let Self::Mocked {
            loaded,
            prompts,
            image: _,
            crashes: Some(crashes),
        } = self
        else {
            return;
        };
        if ran.ending != Ending::Passed {
            return;
        }
        let tapes = match taped {
            Some(taped) => taped.players(),
            None => Ok(Box::new(|| Tape::Off) as Tapes),
        };
        let tried = tapes.and_then(|it| crash::tried(loaded, prompts, entry, it, *crashes));
        match tried {
            Ok(tried) => {
                ran.ending = crash::ending(&tried, name);
                ran.crashes = Some(Crashed {
                    places: tried.places,
                    in_doubt: tried.in_doubt,
                });
            }
            Err(why) => ran.ending = failed(&why),
        }
    }

    fn run(&self, entry: Entry, taped: Option<&Taped<'_>>) -> Result<Went, String> {
        let plain = |finished| Went {
            finished,
            records: None,
        };
        let (loaded, prompts, image) = match self {
            Self::Live(engine) => return Ok(plain(Some(engine.run_test(entry)))),
            Self::Mocked {
                loaded,
                prompts,
                image,
                crashes: _,
            } => (loaded, prompts, *image),
        };
        let Some(taped) = taped else {
            return Ok(plain(testing::run(loaded, prompts, entry, Tape::Off)));
        };
        match taped.cassettes.kind() {
            Use::Play | Use::Ignore => {
                let tape = taped.players()?();
                Ok(plain(testing::run(loaded, prompts, entry, tape)))
            }
            Use::Record => {
                let loaded = Loaded::from_bytes(image).map_err(|it| it.to_string())?;
                let loaded = loaded.with_compiler(written::compiler());
                let (engine, recording) = gsw_service::testing::recording_engine(loaded)?;
                let mut finished = engine.run_test(entry);
                let _ = engine.wait_for_detached();
                if let RunResult::Raised(error) = &mut finished.result
                    && error.error == BuiltinError::Unauthorized.name()
                {
                    error.hint = Some(
                        "set the provider's key: the models that the agents name are recorded"
                            .into(),
                    );
                }
                Ok(Went {
                    finished: Some(finished),
                    records: Some(recording.finish(Some(&taped.test))),
                })
            }
        }
    }
}

impl Case {
    fn full_name(&self, test: &Test) -> String {
        match self.repetition {
            Some(number) => format!("{} (run {number} of {})", self.name, test.repeat),
            None => self.name.clone(),
        }
    }
}

impl Ran {
    pub(super) fn failed(message: &str) -> Self {
        Self {
            ending: failed(message),
            duration: Duration::ZERO,
            spent: Spent::default(),
            snapshots: Vec::new(),
            logs: Logs::default(),
            crashes: None,
            records: None,
        }
    }
}

/// The rows of a test; none is a mistake, since nothing would be tested.
fn rows_of(loaded: &Arc<Loaded>, rows: &Rows) -> Result<Vec<Value>, String> {
    let entry = Entry::Function {
        function: rows.function,
        result: rows.list,
    };
    let prompts = gsw_service::testing::prompts();
    let finished = testing::run(loaded, &prompts, entry, Tape::Off);
    let broken = |message: &str| format!("the rows cannot be computed\n  {message}");
    let Some(finished) = finished else {
        return Err(broken("computing them does not end"));
    };
    if let Ending::Failed { message } = ending(&finished) {
        return Err(broken(message.trim_end().trim_start_matches("error: ")));
    }
    let RunResult::Value(text) = &finished.result else {
        return Err(broken("they have no value"));
    };
    let rows: Vec<Value> = gsw_notation::json::read(text).map_err(|why| broken(&why))?;
    if rows.is_empty() {
        return Err("the test has no rows".to_owned());
    }
    Ok(rows)
}

/// What the test is called for each row. Rows that look alike have numbers.
fn named(test: &str, rows: Vec<Value>) -> Vec<(String, Input)> {
    let mut seen: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let named = rows.into_iter().map(|row| {
        let shown = shortened(&row.to_string(), ROW_NAME);
        let count = seen.entry(shown.clone()).or_default();
        *count += 1;
        let name = match *count {
            1 => format!("{test} {shown}"),
            count => format!("{test} {shown} #{count}"),
        };
        (name, Input::Row(Arc::new(row)))
    });
    named.collect()
}

/// A test that holds when this many of its runs do.
fn joined(test: &Test, pass: f64, runs: Vec<(&Case, Ran)>) -> (Ran, Share) {
    let count = runs.len();
    let mut all = Ran {
        ending: Ending::Passed,
        duration: Duration::ZERO,
        spent: Spent::default(),
        snapshots: Vec::new(),
        logs: Logs::default(),
        crashes: None,
        records: None,
    };
    let mut failures = Vec::new();
    let mut durations = Vec::with_capacity(count);
    for (case, ran) in runs {
        all.duration += ran.duration;
        all.spent.add(&ran.spent);
        durations.push(ran.duration);
        if let Some(crashed) = ran.crashes {
            let sum = all.crashes.get_or_insert(Crashed {
                places: 0,
                in_doubt: 0,
            });
            sum.places += crashed.places;
            sum.in_doubt += crashed.in_doubt;
        }
        if let Ending::Failed { message } = ran.ending {
            failures.push((case.full_name(test), message));
        }
    }
    let share = Share {
        passed: count - failures.len(),
        runs: count,
        durations,
    };
    // One millionth more or less is a matter of rounding.
    let holds = share.passed as f64 + 1e-6 >= pass * count as f64;
    if !holds {
        let mut message = format!(
            "error: {} of {count} runs passed, which is less than {pass}\n",
            share.passed
        );
        for (name, why) in failures.iter().take(MOST_SHOWN) {
            message.push_str(&format!("{}\n", Shown::line(name)));
            for line in why.lines() {
                message.push_str(&format!("  {line}\n"));
            }
        }
        if failures.len() > MOST_SHOWN {
            let more = failures.len() - MOST_SHOWN;
            message.push_str(&format!("… and {more} more that failed\n"));
        }
        all.ending = Ending::Failed { message };
    }
    (all, share)
}

pub(super) fn ending(finished: &Finished) -> Ending {
    match &finished.result {
        RunResult::Raised(error) => {
            let mut message = gsw_service::error_text(error);
            // What nothing answered is the cause, also where the program made another error of it.
            let cause = finished.fault.as_deref().and_then(|it| it.lines().next());
            let is_shown = |it: &&str| !error.message.contains(it);
            if let Some(cause) = cause.filter(is_shown) {
                message.push_str(&format!("before that: {}\n", Shown::line(cause)));
            }
            Ending::Failed { message }
        }
        RunResult::Internal(message) => failed(&format!("Internal: {message}")),
        RunResult::Cancelled => failed("the test was cancelled"),
        RunResult::Left(why) => failed(&why.to_string()),
        RunResult::InvalidInput(issues) => {
            let issues: Vec<String> = issues.iter().map(|it| it.message.clone()).collect();
            failed(&format!("the row does not fit: {}", issues.join("; ")))
        }
        RunResult::Value(_) => match &finished.fault {
            Some(message) => failed(message),
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
