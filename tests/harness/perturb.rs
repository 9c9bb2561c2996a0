//! Programs under a driver that reorders completions, fails operations and cancels: nothing is left, and nothing hangs.

use std::path::Path;
use std::sync::Arc;

use gsw_agents::{Environment, Providers};
use gsw_driver::call::Call;
use gsw_driver::models::Models;
use gsw_driver::scripted::{Answer, Report, Script};
use gsw_engine::load::Loaded;
use gsw_engine::operation::{Outcome, Request};
use gsw_engine::run::RunResult;

use crate::in_process;
use crate::page::{cases, pages};
use crate::program::root;

/// How many orders, and how many places to cancel, are tried of each program.
const TRIES: u64 = 12;

/// The program, or `None` when it does not compile, which is for other tests to report.
fn load(file: &Path) -> Option<Arc<Loaded>> {
    let mut db = gsw_source::Database::default();
    gsw_project::open_project(&mut db, file, &gsw_source::Disk).ok()?;
    in_process::load(&db).ok()
}

/// Lets the simulator answer.
pub fn simulator() -> Answer {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime can be made");
    let providers = Providers::new(Environment::of(&[]));
    Box::new(move |request| match request {
        Request::Model { request, .. } => {
            let answer = runtime.block_on(providers.ask(Arc::clone(request), &Call::alone()));
            Some(Outcome::Model(Box::new(answer)))
        }
        _ => None,
    })
}

fn perform(loaded: &Arc<Loaded>, script: Script) -> Report {
    let answer = Some(simulator());
    in_process::run_main(loaded, Script { answer, ..script })
}

fn complaints(place: &str, how: &str, report: &Report) -> Option<String> {
    let finished = &report.finished;
    let is_clean = finished.live_objects == 0 && !matches!(finished.result, RunResult::Internal(_));
    (!is_clean).then(|| {
        format!(
            "{place}: {how}: {} objects left, {:?}",
            finished.live_objects, finished.result
        )
    })
}

fn perturb(place: &str, loaded: &Arc<Loaded>) -> Vec<String> {
    let whole = perform(loaded, Script::default());
    let mut wrong: Vec<String> = complaints(place, "undisturbed", &whole)
        .into_iter()
        .collect();
    for seed in 1..=TRIES.min(whole.operations) {
        let report = perform(
            loaded,
            Script {
                seed,
                ..Script::default()
            },
        );
        wrong.extend(complaints(place, &format!("order {seed}"), &report));
    }
    for every in 1..=TRIES.min(whole.operations) {
        let report = perform(
            loaded,
            Script {
                fail_every: Some(every),
                ..Script::default()
            },
        );
        wrong.extend(complaints(
            place,
            &format!("every operation number {every} fails"),
            &report,
        ));
    }
    let step = (whole.suspensions / TRIES).max(1) as usize;
    for at in (1..=whole.suspensions).step_by(step) {
        let report = perform(
            loaded,
            Script {
                cancel_at: Some(at),
                ..Script::default()
            },
        );
        wrong.extend(complaints(place, &format!("cancelled at {at}"), &report));
    }
    wrong
}

#[test]
fn perturbed_programs_leave_nothing() {
    let mut wrong = Vec::new();
    let (mut all, mut perturbed) = (0, 0);
    for page in pages(&root().join("tests/run")) {
        let content = std::fs::read_to_string(&page).expect("pages can be read");
        for case in cases(&content) {
            let place = format!("{}: {}", page.display(), case.claim);
            all += 1;
            if let Some(loaded) = in_process::compiled(&case.source) {
                perturbed += 1;
                wrong.extend(perturb(&place, &loaded));
            }
        }
    }
    for folder in ["tests/conformance/run", "examples"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("a folder can be listed").path())
            .filter(|path| path.extension().is_some_and(|it| it == "gsw"))
            .collect();
        files.sort();
        for file in files {
            all += 1;
            if let Some(loaded) = load(&file) {
                perturbed += 1;
                wrong.extend(perturb(&file.display().to_string(), &loaded));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // `tests/run/permissions.md` tries to write it, and may not.
    assert!(!Path::new("docs/x").exists());
    // What does not compile is for other tests to report, but then this one says nothing of it.
    assert!(
        perturbed * 10 >= all * 9,
        "only {perturbed} of {all} programs compile"
    );
}
