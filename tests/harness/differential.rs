//! Random programs mean the same to the reference evaluator and to compiled code.
//!
//! `GSW_PROGRAMS` is how many are tried, `GSW_SEED` the first seed; a difference is shown with the smallest program that still
//! shows it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use gsw_driver::scripted::{Report, Script};
use gsw_engine::run::RunResult;
use gsw_evaluator::{Verdict, evaluate};
use gsw_generator::generate;
use gsw_source::Database;
use serde_json::{Map, Value};

use crate::in_process::{Refused, Workspace, errors, load, open, run_main};
use crate::page::write_case;
use crate::program::run_both_ways;
use crate::shrink::shrink;

/// How many programs a plain `cargo test` tries.
const PROGRAMS: u64 = 100;

/// One program in so many is also built and run as a file.
const BUILT: u64 = 20;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// What a program comes to in compiled code, which nothing about the order of completions changes.
fn compiled(db: &Database, source: &str) -> Result<Verdict, String> {
    let loaded = load(db)?;
    let report = run_main(&loaded, Script::default());
    let suspensions = report.suspensions;
    let verdict = ending(report)?;
    if suspensions == 0 {
        return Ok(verdict);
    }
    // In another order a timeout may come first.
    let orders = if source.contains("timeout") { 0 } else { 3 };
    for seed in 1..=orders {
        let report = run_main(
            &loaded,
            Script {
                seed,
                ..Script::default()
            },
        );
        let other = ending(report)?;
        if other != verdict {
            return Err(format!("order {seed} gives {other:?}, time {verdict:?}"));
        }
    }
    for at in [1, suspensions.div_ceil(2), suspensions] {
        let script = Script {
            cancel_at: Some(at),
            ..Script::default()
        };
        clean(&run_main(&loaded, script)).map_err(|why| format!("cancelled at {at}: {why}"))?;
    }
    Ok(verdict)
}

fn ending(report: Report) -> Result<Verdict, String> {
    clean(&report)?;
    match report.finished.result {
        RunResult::Value(json) => Ok(Verdict::Value(json)),
        RunResult::Raised(error) => Ok(Verdict::Raised(error.error)),
        // A default of `main` that raises is told before the run begins, as input that does not fit.
        RunResult::InvalidInput(issues) => {
            match issues.first().and_then(|it| raised(&it.message)) {
                Some(name) => Ok(Verdict::Raised(name.to_owned())),
                None => Err(format!("{issues:?}")),
            }
        }
        other => Err(format!("{other:?}")),
    }
}

fn raised(message: &str) -> Option<&str> {
    let (_, said) = message.split_once("its default raised ")?;
    said.split([':', ' ']).next()
}

fn clean(report: &Report) -> Result<(), String> {
    let finished = &report.finished;
    match &finished.result {
        RunResult::Internal(why) => Err(format!("internal: {why}")),
        result if finished.live_objects != 0 => Err(format!(
            "{} objects are left of {result:?}",
            finished.live_objects
        )),
        _ => Ok(()),
    }
}

/// What is wrong with a program.
#[derive(PartialEq, Eq, Debug)]
enum Finding {
    /// The checker refuses it, which is a mistake of the generator or of the checker.
    Refused(String),
    /// Something panics.
    Panic(String),
    /// Compiled code does something else.
    Difference(String),
}

impl Finding {
    /// What a smaller program must still show.
    fn sort(&self) -> &str {
        match self {
            Self::Refused(_) => "refused",
            Self::Panic(text) | Self::Difference(text) => {
                text.split([':', '(']).next().unwrap_or_default()
            }
        }
    }
}

/// Whether compiled code could be held against the reference.
#[derive(PartialEq, Eq, Debug)]
enum Compared {
    Yes,
    /// The reference says nothing of the program.
    No,
}

/// What is wrong with a program in a database of its own.
fn finding(source: &str) -> Option<Finding> {
    finding_in(&mut Workspace::default(), source).err()
}

fn finding_in(workspace: &mut Workspace, source: &str) -> Result<Compared, Finding> {
    let looked = catch_unwind(AssertUnwindSafe(|| compare(workspace, source)));
    looked.unwrap_or_else(|panic| {
        *workspace = Workspace::default();
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
        Err(Finding::Panic(text.unwrap_or_default()))
    })
}

fn compare(workspace: &mut Workspace, source: &str) -> Result<Compared, Finding> {
    let (db, entry) = workspace.program(source);
    let wrong = errors(db);
    if !wrong.is_empty() {
        return Err(Finding::Refused(wrong));
    }
    let expected = evaluate(db, entry, "main", &Value::Object(Map::new()));
    if matches!(&expected, Verdict::TooMuch(_)) {
        return Ok(Compared::No);
    }
    match compiled(db, source) {
        Err(why) => Err(Finding::Difference(format!(
            "{why}\nreference: {expected:?}"
        ))),
        Ok(_) if matches!(expected, Verdict::Unknown(_)) => Ok(Compared::No),
        Ok(found) if found == expected => Ok(Compared::Yes),
        Ok(found) => Err(Finding::Difference(format!(
            "reference: {expected:?}\ncompiled: {found:?}"
        ))),
    }
}

/// Panics when a program without errors does not do what the reference says; one that the reference cannot follow is not run.
pub fn assert_same_meaning(source: &str) {
    let (db, entry) = open(source);
    let expected = evaluate(&db, entry, "main", &Value::Object(Map::new()));
    if matches!(expected, Verdict::Unknown(_) | Verdict::TooMuch(_)) {
        // It may not end, but it can be compiled.
        match load(&db) {
            Ok(_) | Err(Refused::Lowering(_)) => return,
            Err(why @ (Refused::Codegen(_) | Refused::Engine(_))) => {
                panic!("{}\n{source}", String::from(why))
            }
        }
    }
    match compiled(&db, source) {
        Ok(found) => assert_eq!(found, expected, "{source}"),
        Err(why) => panic!("{why}, not {expected:?}\n{source}"),
    }
}

/// What was found with a program, shown with the smallest one that still shows it.
fn report(seed: u64, source: &str, found: &Finding) -> String {
    if let Finding::Refused(text) = found {
        return format!("seed {seed} is refused: {text}\n{source}");
    }
    let sort = found.sort();
    let small = shrink(source, |it| finding(it).is_some_and(|it| it.sort() == sort));
    match finding(&small) {
        Some(Finding::Panic(text)) => format!("seed {seed} panics: {text}\n{small}"),
        Some(Finding::Difference(text)) => format!("seed {seed}: {text}\n{small}"),
        other => format!("seed {seed}: {other:?}\n{small}"),
    }
}

/// Calls `look` for each seed on all cores until it has given so many reports.
fn for_seeds(
    seeds: impl Iterator<Item = u64> + Send,
    look: impl Fn(&mut Workspace, u64) -> Option<String> + Sync,
) -> Vec<String> {
    let most = number("GSW_SHOWN", 3) as usize;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let seeds = Mutex::new(seeds);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut workspace = Workspace::default();
                loop {
                    let next = seeds.lock().expect("no thread panics with it").next();
                    let Some(seed) = next else { break };
                    let report = look(&mut workspace, seed);
                    let mut found = found.lock().expect("no thread panics with it");
                    found.extend(report);
                    if found.len() >= most {
                        break;
                    }
                }
            });
        }
    });
    found.into_inner().expect("no thread panics with it")
}

/// A test that compares hardly anything says nothing.
fn assert_most(compared: &AtomicU64, all: u64) {
    let compared = compared.load(Ordering::Relaxed);
    assert!(
        compared * 4 >= all * 3,
        "the reference said something of {compared} of {all} programs"
    );
}

#[test]
fn random_programs_mean_what_the_reference_says() {
    let first = number("GSW_SEED", 1);
    let count = number("GSW_PROGRAMS", PROGRAMS);
    let compared = AtomicU64::new(0);
    let found = for_seeds(first..first + count, |workspace, seed| {
        let source = generate(seed, 1 + (seed % 6) as usize);
        let found = match finding_in(workspace, &source) {
            Ok(Compared::No) => return None,
            Ok(Compared::Yes) => {
                compared.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            Err(found) => found,
        };
        Some(match finding(&source) {
            Some(found) => report(seed, &source, &found),
            None => format!("seed {seed}, only after other programs: {found:?}\n{source}"),
        })
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_most(&compared, count);
}

#[test]
fn random_programs_mean_the_same_in_memory_and_built() {
    let first = number("GSW_SEED", 1);
    let wanted = number("GSW_PROGRAMS", PROGRAMS) / BUILT;
    let compared = AtomicU64::new(0);
    // Some are passed over, so that of a few programs as many are compared as of many.
    let seeds = (0..2 * wanted + BUILT).map(|it| first + it * BUILT);
    let seeds = seeds.take_while(|_| compared.load(Ordering::Relaxed) < wanted);
    let found = for_seeds(seeds, |workspace, seed| {
        let source = generate(seed, 4);
        let (db, entry) = workspace.program(&source);
        let expected = evaluate(db, entry, "main", &Value::Object(Map::new()));
        if matches!(expected, Verdict::Unknown(_) | Verdict::TooMuch(_)) {
            return None;
        }
        compared.fetch_add(1, Ordering::Relaxed);
        let file = write_case("random", "program", seed as usize, &source);
        let said = run_both_ways(&file, &[]);
        let same = match &expected {
            Verdict::Value(json) => said.out == format!("{json}\n"),
            Verdict::Raised(_) => said.code == Some(1),
            Verdict::Unknown(_) | Verdict::TooMuch(_) => true,
        };
        (!same).then(|| format!("seed {seed}: reference: {expected:?}\nbuilt: {said:?}"))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_most(&compared, wanted);
}
