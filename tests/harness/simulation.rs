//! Real carriers under simulated threads, time and performers: whatever happens, a run ends, once, and leaves nothing.
//!
//! `GSW_SIMULATIONS` is how many seeds are tried of each program, `GSW_SEED` the first one.

use std::sync::Arc;

use gsw_driver::simulation::{Simulated, Weather, simulate};
use gsw_engine::load::Loaded;
use gsw_engine::run::RunResult;

use crate::determinism::{concurrent, main_of, number};
use crate::in_process::{compiled, simulated};
use crate::page::{cases, pages};
use crate::perturb::simulator;
use crate::program::root;

/// How many seeds a plain `cargo test` tries of each page.
const SEEDS: u64 = 6;
/// How many random programs a plain `cargo test` tries.
const PROGRAMS: u64 = 150;

const ALL: [Weather; 3] = [Weather::Fair, Weather::Foul, Weather::Cancelled];

/// What is wrong with a program under a seed.
fn wrong(loaded: &Arc<Loaded>, seed: u64, weather: Weather) -> Option<String> {
    let entry = main_of(loaded);
    let ended = simulate(
        loaded,
        &simulated(),
        entry,
        Some(simulator()),
        seed,
        weather,
    );
    let Simulated { finished, .. } = match ended {
        Ok(simulated) => simulated,
        Err(wrong) => return Some(format!("{wrong:?}")),
    };
    match &finished.result {
        RunResult::Internal(message) => Some(format!("Internal: {message}")),
        RunResult::Cancelled if weather != Weather::Cancelled => Some("cancelled".into()),
        RunResult::Left(why) => Some(why.to_string()),
        RunResult::Cancelled
        | RunResult::Value(_)
        | RunResult::Raised(_)
        | RunResult::InvalidInput(_) => (finished.live_objects > 0)
            .then(|| format!("{} objects are left", finished.live_objects)),
    }
}

fn wrongs(source: &str, seeds: std::ops::Range<u64>) -> Vec<String> {
    let Some(loaded) = compiled(source) else {
        return Vec::new();
    };
    let mut wrongs = Vec::new();
    for seed in seeds {
        for weather in ALL {
            if let Some(what) = wrong(&loaded, seed, weather) {
                wrongs.push(format!("seed {seed}, {weather:?}: {what}"));
            }
        }
    }
    wrongs
}

#[test]
fn pages_end_in_any_weather() {
    let seeds = number("GSW_SIMULATIONS", SEEDS);
    let first = number("GSW_SEED", 1);
    let mut all = Vec::new();
    for page in pages(&root().join("tests/run")) {
        let content = std::fs::read_to_string(&page).expect("pages can be read");
        for case in cases(&content) {
            // Those touch the world outside.
            if case.source.contains("import std/fs")
                || case.source.contains("import std/exec")
                || case.source.contains("spawn detached")
                || !case.source.contains("workflow main(")
            {
                continue;
            }
            let found = wrongs(&case.source, first..first + seeds);
            all.extend(found.iter().map(|it| format!("{}: {it}", case.claim)));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn random_programs_end_in_any_weather() {
    let first = number("GSW_SEED", 1);
    let mut all = Vec::new();
    for seed in first..first + number("GSW_SIMULATIONS", PROGRAMS) {
        let source = concurrent(seed);
        let found = wrongs(&source, seed..seed + 1);
        all.extend(found.iter().map(|it| format!("{it}\n{source}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
