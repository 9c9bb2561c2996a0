//! A run takes the same path when what was brought to it is brought again: every event is the same, byte for byte.
//!
//! `GSW_PROGRAMS` is how many random programs are tried, `GSW_SEED` the first seed; a difference is shown with the smallest
//! program that still shows it.

use std::sync::{Arc, Mutex};

use gsw_driver::scripted::{Around, Brought, Entry, Report, Script, replay, run};
use gsw_engine::load::Loaded;
use gsw_engine::operation::Operation;
use gsw_engine::run::RunResult;
use gsw_generator::generate;

use crate::in_process::{compiled, simulated};
use crate::page::{cases, pages};
use crate::perturb::simulator;
use crate::program::root;
use crate::shrink::shrink;

/// How many random programs a plain `cargo test` tries.
const PROGRAMS: u64 = 60;

/// How many latencies are tried of each.
const LATENCIES: u64 = 3;

/// Everything about a run that the outside can see.
struct Seen {
    events: Vec<String>,
    result: RunResult,
    requested: Vec<Operation>,
}

/// Runs with a listener that writes down every event.
fn watched(
    around: &Around,
    go: impl FnOnce(&Around) -> Option<Report>,
) -> Option<(Seen, Vec<Brought>)> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&told);
    let mut around = around.clone();
    around.receivers.listener = Some(Arc::new(move |event| {
        let line = serde_json::to_string(event).expect("events are JSON");
        hears.lock().expect("no listener panics").push(line);
    }));
    let report = go(&around)?;
    let events = std::mem::take(&mut *told.lock().expect("no listener panics"));
    let seen = Seen {
        events,
        result: report.finished.result,
        requested: report.requested,
    };
    Some((seen, report.record))
}

pub fn main_of(loaded: &Loaded) -> Entry {
    let workflows = &loaded.program.workflows;
    let main = workflows.iter().position(|it| it.name == "main");
    Entry::Workflow {
        index: main.expect("there is a main"),
        input: serde_json::Map::new(),
    }
}

/// What is different when a run is replayed from what was written down of it.
fn difference(loaded: &Arc<Loaded>, script: Script) -> Option<String> {
    // The cache is the same both times: what the first run left in it must not be looked at by the second.
    let around = simulated();
    let go = |it: &Around| run(loaded, it, main_of(loaded), script);
    let Some((first, record)) = watched(&around, go) else {
        return Some("it hangs".into());
    };
    let written = serde_json::to_string(&record).expect("records are JSON");
    // By way of a tree, as numbers inside of tagged enums can be read from there only.
    let tree: serde_json::Value = serde_json::from_str(&written).expect("it was just written");
    let read: Vec<Brought> = serde_json::from_value(tree).expect("records read back");
    let go = |it: &Around| replay(loaded, it, main_of(loaded), read);
    let Some((again, _)) = watched(&around, go) else {
        return Some("the replay needs more than was recorded".into());
    };
    let pairs = first.events.iter().zip(&again.events);
    if let Some((was, is)) = pairs.into_iter().find(|(was, is)| was != is) {
        return Some(format!("an event was\n  {was}\nand is\n  {is}"));
    }
    if first.events.len() != again.events.len() {
        let (was, is) = (first.events.len(), again.events.len());
        return Some(format!("{was} events were told, now {is}"));
    }
    if first.requested != again.requested {
        return Some("other operations are requested".into());
    }
    (first.result != again.result).then(|| {
        format!(
            "the result was {:?} and is {:?}",
            first.result, again.result
        )
    })
}

/// The first difference of a program with several latencies, undisturbed, failing and cancelled.
fn differences(loaded: &Arc<Loaded>) -> Option<String> {
    (1..=LATENCIES).find_map(|seed| {
        let script = || Script {
            latency: Some(seed * 77),
            answer: Some(simulator()),
            ..Script::default()
        };
        let failing = Script {
            fail_every: Some(seed),
            ..script()
        };
        let cancelled = Script {
            cancel_at: Some(seed * 2),
            ..script()
        };
        [script(), failing, cancelled]
            .into_iter()
            .find_map(|it| difference(loaded, it))
    })
}

/// A program that does not compile shows nothing here.
fn of_source(source: &str) -> Option<String> {
    differences(&compiled(source)?)
}

pub fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// Tasks that sleep, draw, log, emit, step, fail and race, as the seed says.
pub fn concurrent(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut lines = vec![
        "workflow main() -> json {".to_owned(),
        "  state count: int = 0".into(),
    ];
    let tasks = 2 + draw(4);
    for task in 0..tasks {
        lines.push(format!("  let t{task} = spawn {{"));
        for _ in 0..1 + draw(5) {
            let number = draw(4);
            lines.push(match draw(9) {
                0 => format!("    sleep({number}ms)"),
                1 => "    emit { \"random\": random() }".into(),
                2 => format!("    log.info(\"task {task}\", {{ \"at\": now() }})"),
                3 => format!("    step \"s{number}\" {{ sleep({number}ms); count += 1 }}"),
                4 => format!("    step \"r\" retry 2 backoff 1ms {{ if random() < 0.5 {{ fail Failed(\"r{number}\") }} }} catch {{ _ => () }}"),
                5 => format!("    timeout 8ms {{ sleep({number}ms); count += 1 }} catch {{ Timeout(_) => () }}"),
                6 => format!("    emit parallel for i in 0..{number} limit 2 {{ sleep(1ms); count += i; uuid() }}"),
                7 => format!("    emit race [spawn {{ sleep({number}ms); 1 }}, spawn {{ sleep(2ms); 2 }}]"),
                _ => "    defer { log.debug(\"left\"); sleep(1ms) }".into(),
            });
        }
        lines.push("    count".into());
        lines.push("  }".into());
    }
    let awaited: Vec<String> = (0..tasks).map(|task| format!("t{task}")).collect();
    lines.push(format!("  let all = await [{}]", awaited.join(", ")));
    lines.push("  { \"all\": all, \"count\": count, \"end\": now() }".into());
    lines.push("}".into());
    lines.join("\n") + "\n"
}

// G4, G13: the same run tells the same events, numbers, ids and times included.
#[test]
fn a_replayed_run_emits_every_event_again() {
    let first = number("GSW_SEED", 1);
    let mut wrong = Vec::new();
    let mut ran = 0;
    for seed in first..first + number("GSW_PROGRAMS", PROGRAMS) {
        let source = match seed % 3 {
            0 => generate(seed, 1 + (seed % 4) as usize),
            _ => concurrent(seed),
        };
        assert!(
            compiled(&source).is_some(),
            "seed {seed} is refused\n{source}"
        );
        ran += 1;
        if of_source(&source).is_some() {
            let small = shrink(&source, |it| of_source(it).is_some());
            let what = of_source(&small).unwrap_or_default();
            wrong.push(format!("seed {seed}: {what}\n{small}"));
        }
    }
    assert!(wrong.is_empty(), "of {ran} programs:\n{}", wrong.join("\n"));
}

#[test]
fn replayed_pages_emit_every_event_again() {
    let mut wrong = Vec::new();
    for page in pages(&root().join("tests/run")) {
        let content = std::fs::read_to_string(&page).expect("pages can be read");
        for case in cases(&content) {
            // Those touch the world outside, which is not the same the second time, or start runs of their own beside them.
            if case.source.contains("import ")
                || case.source.contains("spawn detached")
                || !case.source.contains("workflow main(")
            {
                continue;
            }
            if let Some(what) = of_source(&case.source) {
                wrong.push(format!("{}: {what}", case.claim));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
