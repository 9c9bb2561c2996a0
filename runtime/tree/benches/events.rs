//! What an event costs: published without observers, to observers, and written to a file that misses none.
//!
//! `cargo bench -p gsw-tree --bench events [steps]`

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsw_abi::call::NodeKind;
use gsw_tree::event::{End, Event, EventKind, Header};
use gsw_tree::node::{NodeId, Status};
use gsw_tree::observe::attached::{Attached, Patience};
use gsw_tree::observe::jsonl::JsonLines;
use gsw_tree::observe::{Delivery, History, Observer, Observers, Replay};

/// The number of events that an ordinary step emits.
const EVENTS_OF_A_STEP: u64 = 3;

/// An observer that does nothing.
struct Unmoved;

impl Observer for Unmoved {
    fn event(&mut self, _: &Arc<Event>) {}
}

/// The observer that is attached.
#[derive(Clone, Copy)]
enum Watcher {
    Nobody,
    Idle,
    File,
    FileAndIdle,
}

impl Watcher {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Nobody, "nobody watches"),
        (Self::Idle, "an idle observer"),
        (Self::File, "a file of events"),
        (Self::FileAndIdle, "a file and an idle observer"),
    ];
}

fn main() {
    let steps = std::env::args().filter_map(|it| it.parse().ok()).next();
    let steps: u64 = steps.unwrap_or(1_000_000);
    println!("{steps} steps, {EVENTS_OF_A_STEP} events each; the best of three");
    println!(
        "{:<32} {:>10} {:>10} {:>10} {:>8}",
        "", "µs/event", "µs/step", "waited ms", "lost"
    );
    for (watcher, name) in Watcher::ALL {
        let best = (0..3).map(|_| measure(steps, watcher)).min();
        let (took, waited, lost) = best.expect("it was measured");
        let events = (steps * EVENTS_OF_A_STEP) as f64;
        let micros = took.as_secs_f64() * 1e6;
        println!(
            "{name:<32} {:>10.3} {:>10.3} {:>10} {lost:>8}",
            micros / events,
            micros / steps as f64,
            waited.as_millis()
        );
    }
}

/// From the first event until everything is written: how long, how long of it the run waited, and what was lost.
fn measure(steps: u64, watcher: Watcher) -> (Duration, Duration, u64) {
    let observers = Observers::new(History {
        count: 0,
        ..History::default()
    });
    let path = std::env::temp_dir().join(format!("gsw-bench-{}.jsonl", std::process::id()));
    let idle = || {
        let attached = observers.attach("idle", Replay::All, Delivery::Lossy, Box::new(Unmoved));
        attached.expect("a thread")
    };
    let file = || {
        let file = File::create(&path).expect("the temporary folder can be written");
        let open = Box::new(move || Ok(Box::new(file) as Box<dyn Write + Send>));
        let header = Header::new("bench", "");
        JsonLines::start(&observers, &header, Delivery::WHOLE, open).expect("a thread")
    };
    let (idle, file): (Option<Attached>, Option<JsonLines>) = match watcher {
        Watcher::Nobody => (None, None),
        Watcher::Idle => (Some(idle()), None),
        Watcher::File => (None, Some(file())),
        Watcher::FileAndIdle => (Some(idle()), Some(file())),
    };
    let start = Instant::now();
    publish(&observers, steps);
    observers.close();
    let idle = idle.map_or(0, |it| it.finish(Patience::Unlimited).lost);
    let (waited, lost) = file.map_or((Duration::ZERO, 0), |it| {
        let written = it.finish(Patience::Unlimited);
        (written.waited, written.lost)
    });
    let took = start.elapsed();
    // The file exists only where it was written.
    let _ = std::fs::remove_file(path);
    (took, waited, idle + lost)
}

fn publish(observers: &Observers, steps: u64) {
    let (run, step): (Arc<str>, Arc<str>) = (
        "0198c0de-0000-7000-8000-000000000000".into(),
        "review".into(),
    );
    let mut sequence = 0;
    let mut tell = |node, kind| {
        let event = Event {
            sequence,
            time: 1_700_000_000_123_456_789,
            run: Arc::clone(&run),
            node,
            kind,
        };
        sequence += 1;
        if observers.is_heard() {
            observers.publish(event);
        }
    };
    for index in 0..steps {
        let node = NodeId(index as u32 + 2);
        tell(
            node,
            EventKind::ChildAttached {
                parent: NodeId(1),
                kind: NodeKind::Step,
                name: Arc::clone(&step),
                index: index as u32,
                status: Status::Running,
                input: None,
            },
        );
        tell(
            node,
            EventKind::StepStart {
                step: Arc::clone(&step),
            },
        );
        let end = End {
            status: Status::Completed,
            duration: 1_500_000,
            output: Some(r#"{"title":"A bug","confidence":0.75}"#.to_owned().into()),
            error: None,
        };
        tell(
            node,
            EventKind::StepEnd {
                step: Arc::clone(&step),
                end,
            },
        );
    }
}
