//! Observers that are late, slow, or fall over.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::event::{Event, EventKind, Header};
use crate::node::NodeId;
use crate::observe::attached::{HowEnded, Patience};
use crate::observe::jsonl::JsonLines;
use crate::observe::{Delivery, History, Observer, Observers, Replay};

fn event(sequence: u64, time: i64) -> Event {
    Event {
        sequence,
        time,
        run: "r".into(),
        node: NodeId::ROOT,
        kind: EventKind::TaskStart,
    }
}

/// Remembers the numbers of what it gets, and waits for its gate before each.
struct Watcher {
    seen: Arc<Mutex<Vec<u64>>>,
    gate: Option<Receiver<()>>,
    falls_over_at: Option<u64>,
}

impl Observer for Watcher {
    fn event(&mut self, event: &Arc<Event>) {
        if let Some(gate) = &self.gate {
            // Once the gate is gone, everything passes.
            let _ = gate.recv();
        }
        assert_ne!(
            Some(event.sequence),
            self.falls_over_at,
            "this observer falls over"
        );
        self.seen
            .lock()
            .expect("nothing panics under it")
            .push(event.sequence);
    }

    fn lost(&mut self, count: u64) {
        let mut seen = self.seen.lock().expect("nothing panics under it");
        seen.push(u64::MAX - count);
    }
}

fn watcher() -> (Box<Watcher>, Arc<Mutex<Vec<u64>>>) {
    let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
    let watcher = Watcher {
        seen: Arc::clone(&seen),
        gate: None,
        falls_over_at: None,
    };
    (Box::new(watcher), seen)
}

fn blocked() -> (Box<Watcher>, Arc<Mutex<Vec<u64>>>, Sender<()>) {
    let (mut watcher, seen) = watcher();
    let (sender, gate) = channel();
    watcher.gate = Some(gate);
    (watcher, seen, sender)
}

#[test]
fn a_late_observer_gets_what_is_kept() {
    // G13
    let policy = History {
        count: 5,
        age: Duration::from_nanos(30),
    };
    let observers = Observers::new(policy);
    for number in 0..8 {
        observers.publish(event(number, number as i64 * 10));
    }
    let numbers = |replay| -> Vec<u64> {
        let kept = observers.history(replay);
        kept.iter().map(|it| it.sequence).collect()
    };
    assert_eq!(numbers(Replay::All), [4, 5, 6, 7]);
    assert_eq!(numbers(Replay::Latest(2)), [6, 7]);
    assert_eq!(numbers(Replay::Since(55)), [6, 7]);
    let (watcher, seen) = watcher();
    let attached = observers
        .attach("late", Replay::Latest(1), Delivery::Lossy, watcher)
        .expect("a thread");
    observers.publish(event(8, 80));
    observers.close();
    assert_eq!(attached.finish(Patience::Unlimited).lost, 0);
    assert_eq!(*seen.lock().expect("it has ended"), [7, 8]);
}

#[test]
fn an_observer_that_falls_over_takes_nobody_along() {
    // G13
    let observers = Observers::default();
    let (mut bad, _) = watcher();
    bad.falls_over_at = Some(1);
    let (good, seen) = watcher();
    let bad = observers
        .attach("bad", Replay::All, Delivery::Lossy, bad)
        .expect("a thread");
    let good = observers
        .attach("good", Replay::All, Delivery::Lossy, good)
        .expect("a thread");
    for number in 0..3 {
        observers.publish(event(number, 0));
    }
    observers.close();
    let (bad, good) = (
        bad.finish(Patience::Unlimited),
        good.finish(Patience::Unlimited),
    );
    assert_eq!((bad.how, bad.offered, bad.lost), (HowEnded::Panicked, 3, 2));
    assert_eq!((good.how, good.lost), (HowEnded::Done, 0));
    assert_eq!(*seen.lock().expect("it has ended"), [0, 1, 2]);
}

#[test]
fn a_slow_observer_loses_some_and_learns_where() {
    let observers = Observers::default();
    let (watcher, seen, gate) = blocked();
    let attached = observers
        .attach("slow", Replay::All, Delivery::Lossy, watcher)
        .expect("a thread");
    let count = (1 << 18) + 20_000;
    for number in 0..count {
        observers.publish(event(number % 1_000, 0));
    }
    drop(gate);
    observers.close();
    let ended = attached.finish(Patience::Unlimited);
    let seen = seen.lock().expect("it has ended");
    assert_eq!(ended.offered, count);
    assert!(ended.lost > 0 && ended.lost < 20_001, "{ended:?}");
    assert_eq!(seen.last(), Some(&(u64::MAX - ended.lost)));
}

#[test]
fn an_observer_that_hangs_is_left_behind() {
    let observers = Observers::default();
    let (watcher, _, _gate) = blocked();
    let attached = observers
        .attach("stuck", Replay::All, Delivery::Lossy, watcher)
        .expect("a thread");
    for number in 0..10 {
        observers.publish(event(number, 0));
    }
    observers.close();
    let ended = attached.finish(Patience::Limited {
        still: Duration::from_millis(20),
        total: Duration::ZERO,
    });
    assert_eq!((ended.how, ended.lost), (HowEnded::Busy, 10));
}

/// Takes so many bytes, then fails as a full disk does.
struct FullDisk(usize);

impl std::io::Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_counted_to_the_line() {
    let line = serde_json::to_string(&event(0, 0))
        .expect("events are JSON")
        .len()
        + 1;
    let header = serde_json::to_string(&Header::new("p", "")).expect("a header is JSON");
    let header = header.len() + 1;
    let cases = [
        (0, 10, false),
        (header + 3 * line, 7, false),
        (header + 3 * line + 1, 7, true),
        (header + 4 * line - 1, 7, true),
    ];
    for (room, lost, is_torn) in cases {
        let observers = Observers::default();
        let open = Box::new(move || Ok(Box::new(FullDisk(room)) as Box<dyn std::io::Write + Send>));
        let lines = JsonLines::start(&observers, &Header::new("p", ""), Delivery::WHOLE, open)
            .expect("a thread");
        for number in 0..10 {
            observers.publish(event(number, 0));
        }
        observers.close();
        let written = lines.finish(Patience::Unlimited);
        assert_eq!(
            (written.lost, written.is_torn),
            (lost, is_torn),
            "with room for {room} bytes"
        );
        let error = written.error.expect("the disk is full");
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }
}

#[test]
fn an_observer_that_is_to_miss_nothing_gets_everything() {
    let observers = Arc::new(Observers::default());
    let (watcher, seen, gate) = blocked();
    let patience = Duration::from_secs(600);
    let attached = observers
        .attach("slow", Replay::All, Delivery::Whole { patience }, watcher)
        .expect("a thread");
    let count = 100_000;
    let publisher = {
        let observers = Arc::clone(&observers);
        std::thread::spawn(move || (0..count).for_each(|it| observers.publish(event(it, 0))))
    };
    // The publisher cannot get far ahead.
    gate.send(()).expect("the observer waits for it");
    while observers.lock().queues[0].counts().offered < 1 << 14 {
        std::thread::yield_now();
    }
    assert!(!publisher.is_finished());
    drop(gate);
    publisher.join().expect("it publishes all");
    observers.close();
    let ended = attached.finish(Patience::Unlimited);
    assert_eq!((ended.offered, ended.lost), (count, 0));
    assert!(
        seen.lock()
            .expect("it has ended")
            .iter()
            .copied()
            .eq(0..count)
    );
}

#[test]
fn a_run_gives_up_waiting_for_an_observer_that_is_stuck() {
    let observers = Observers::default();
    let (watcher, _, gate) = blocked();
    let patience = Duration::from_millis(30);
    let attached = observers
        .attach("stuck", Replay::All, Delivery::Whole { patience }, watcher)
        .expect("a thread");
    let count = (1 << 18) + 60_000;
    for number in 0..count {
        observers.publish(event(number, 0));
    }
    drop(gate);
    observers.close();
    let ended = attached.finish(Patience::Unlimited);
    // What is waited for once is waited for no more, and is bounded still.
    assert!(ended.lost > 0 && ended.waited >= patience, "{ended:?}");
    assert!(ended.offered == count && ended.lost < 60_000, "{ended:?}");
}

#[test]
fn nobody_waits_longer_than_a_user_who_wants_the_end() {
    let observers = Arc::new(Observers::default());
    let (watcher, _, gate) = blocked();
    let patience = Duration::from_secs(3_600);
    let attached = observers
        .attach("stuck", Replay::All, Delivery::Whole { patience }, watcher)
        .expect("a thread");
    let publisher = {
        let observers = Arc::clone(&observers);
        std::thread::spawn(move || (0..50_000).for_each(|it| observers.publish(event(it, 0))))
    };
    while observers.lock().queues[0].counts().offered < 1 << 14 {
        std::thread::yield_now();
    }
    observers.hurry(Duration::from_millis(10), Duration::from_millis(20));
    publisher.join().expect("it does not hang");
    drop(gate);
    observers.close();
    assert_eq!(attached.finish(Patience::Unlimited).offered, 50_000);
}
