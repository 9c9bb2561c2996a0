//! The cache on the disk: one file, several processes, damage, bounds.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gsw_driver::answers::Answers;
use gsw_driver::call::Call;
use gsw_engine::answers::{Found, KeptAnswer, LookUp, Tier};

use super::{Bounds, Damage, Disk, Filter, Inspection, MOST_PATIENCE, OnDisk};
use crate::Cache;

/// A folder of its own for a test, which is removed.
struct Folder(PathBuf);

impl Folder {
    fn new(of: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gsw-cache-{of}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("answers.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn quiet(path: &Path) -> Disk {
    Disk::new(path.to_owned(), |why| panic!("{why}"))
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn answer(key: &str, text: &str) -> KeptAnswer {
    KeptAnswer {
        key: key.into(),
        owner: "agent".into(),
        prompt: "ask".into(),
        model: "anthropic/one".into(),
        text: text.into(),
        tier: Tier::Disk,
        ttl: at(100),
        at: at(0),
    }
}

fn hit(found: OnDisk) -> Option<String> {
    match found {
        OnDisk::Hit { text, .. } => Some(text),
        OnDisk::Claimed | OnDisk::Busy | OnDisk::Nothing => None,
    }
}

#[test]
fn an_answer_outlives_its_process_and_not_its_time() {
    let folder = Folder::new("outlives");
    let one = quiet(&folder.file());
    assert_eq!(one.look_up("k", at(0)), OnDisk::Claimed);
    one.keep(&answer("k", "1"));
    drop(one);
    let other = quiet(&folder.file());
    let found = other.look_up("k", at(40));
    let rest = at(60);
    let (owner, text) = ("agent".to_owned(), "1".to_owned());
    assert_eq!(found, OnDisk::Hit { owner, text, rest });
    assert_eq!(other.look_up("k", at(100)), OnDisk::Claimed);
}

#[test]
fn an_answer_of_a_clock_that_was_ahead_is_none() {
    let folder = Folder::new("ahead");
    let disk = quiet(&folder.file());
    disk.keep(&KeptAnswer {
        at: at(1_000),
        ..answer("k", "1")
    });
    assert_eq!(hit(disk.look_up_alone("k", at(10))), None);
    assert_eq!(hit(disk.look_up_alone("k", at(950))).as_deref(), Some("1"));
}

#[test]
fn who_looks_at_a_file_of_another_form_leaves_it_as_it_is() {
    let folder = Folder::new("forms");
    quiet(&folder.file()).keep(&answer("a", "1"));
    let raw = rusqlite::Connection::open(folder.file()).expect("it is there");
    let kept = || -> i64 {
        raw.query_row("SELECT count(*) FROM answers", [], |it| it.get(0))
            .expect("it can be read")
    };
    let open = || Inspection::open(&folder.file()).map(drop);
    for (version, part) in [(0, "an older form"), (99, "a newer version")] {
        raw.pragma_update(None, "user_version", version)
            .expect("it can be written");
        assert!(open().is_err_and(|it| it.contains(part)), "{version}");
        assert_eq!(kept(), 1);
    }
    // A run leaves what is newer, and replaces what is older.
    let said = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&said);
    let report = move |why: &str| *heard.lock().expect("no panic") = why.to_owned();
    let disk = Disk::new(folder.file(), report);
    assert_eq!(disk.look_up("a", at(0)), OnDisk::Nothing);
    assert!(said.lock().expect("no panic").contains("a newer version"));
    assert_eq!(kept(), 1);
    raw.pragma_update(None, "user_version", 0)
        .expect("it can be written");
    assert_eq!(quiet(&folder.file()).look_up("a", at(0)), OnDisk::Claimed);
    assert!(open().is_ok());
    assert_eq!(kept(), 0);
}

#[test]
fn of_two_processes_one_asks() {
    let folder = Folder::new("flight");
    // Each has a name of its own, as processes have.
    let (one, other) = (quiet(&folder.file()), quiet(&folder.file()));
    assert_eq!(one.look_up("k", at(0)), OnDisk::Claimed);
    assert_eq!(other.look_up("k", at(0)), OnDisk::Busy);
    assert_eq!(other.look_up_alone("k", at(0)), OnDisk::Nothing);
    one.let_go("k");
    assert_eq!(other.look_up("k", at(0)), OnDisk::Claimed);
    // A process that dies lets go.
    drop(other);
    assert_eq!(one.look_up("k", at(0)), OnDisk::Claimed);
}

#[test]
fn nobody_waits_for_a_process_that_writes() {
    let folder = Folder::new("busy");
    let disk = quiet(&folder.file());
    disk.keep(&answer("a", "1"));
    assert_eq!(disk.look_up("mine", at(0)), OnDisk::Claimed);
    let writer = rusqlite::Connection::open(folder.file()).expect("it is there");
    writer.execute_batch("BEGIN IMMEDIATE").expect("it is free");
    let begin = Instant::now();
    // What is there is read; of what is not, it is unknown who asks.
    assert_eq!(hit(disk.look_up("a", at(0))).as_deref(), Some("1"));
    assert_eq!(disk.look_up("b", at(0)), OnDisk::Busy);
    for key in ["mine", "c", "d", "e", "f", "g", "h", "i"] {
        disk.keep(&answer(key, "2"));
    }
    disk.let_go("mine");
    assert!(
        begin.elapsed() < Duration::from_millis(250),
        "{:?}",
        begin.elapsed()
    );
    // Another process finds the file as it is now.
    let other = quiet(&folder.file());
    assert_eq!(hit(other.look_up("a", at(0))).as_deref(), Some("1"));
    assert_eq!(hit(other.look_up_alone("mine", at(0))), None);
    // A process that has stopped while it writes keeps nobody from asking.
    while disk.look_up("b", at(0)) == OnDisk::Busy {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(disk.look_up("b", at(0)), OnDisk::Nothing);
    assert!(begin.elapsed() >= MOST_PATIENCE);
    writer.execute_batch("ROLLBACK").expect("it has the lock");
    // What was to be written is, and the key is let go after its answer is kept.
    let is_kept = |key: &str| hit(other.look_up_alone(key, at(0))).as_deref() == Some("2");
    while !is_kept("i") {
        assert!(begin.elapsed() < at(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(is_kept("mine"));
    while stats(&folder).claims > 0 {
        assert!(begin.elapsed() < at(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(disk.look_up("b", at(0)), OnDisk::Claimed);
}

#[test]
fn the_end_of_a_process_writes_what_waits() {
    let folder = Folder::new("busy_end");
    let disk = quiet(&folder.file());
    disk.keep(&answer("a", "1"));
    let writer = rusqlite::Connection::open(folder.file()).expect("it is there");
    writer.execute_batch("BEGIN IMMEDIATE").expect("it is free");
    disk.keep(&answer("b", "2"));
    writer.execute_batch("ROLLBACK").expect("it has the lock");
    disk.close();
    assert_eq!(stats(&folder).entries, 2);
}

fn stats(folder: &Folder) -> super::Stats {
    let inspection = Inspection::open(&folder.file()).expect("it is a cache");
    inspection.stats(at(0)).expect("it can be read")
}

#[test]
fn what_was_damaged_is_no_answer() {
    let folder = Folder::new("damage");
    let disk = quiet(&folder.file());
    for key in ["a", "b"] {
        disk.keep(&answer(key, "1"));
    }
    drop(disk);
    let raw = rusqlite::Connection::open(folder.file()).expect("it is there");
    raw.execute("UPDATE answers SET text = '2' WHERE key = 'a'", [])
        .expect("it can be written");
    let inspection = Inspection::open(&folder.file()).expect("it is a cache");
    let damage = Damage::Answer { key: "a".into() };
    assert_eq!(inspection.verify(), Ok(vec![damage]));
    let disk = quiet(&folder.file());
    assert_eq!(hit(disk.look_up_alone("a", at(0))), None);
    assert_eq!(hit(disk.look_up_alone("b", at(0))).as_deref(), Some("1"));
    assert_eq!(inspection.verify(), Ok(Vec::new()));
}

/// What it may hold is bounded by them, so a file with wrong ones forgets too much or too little.
#[test]
fn totals_that_are_wrong_are_damage_and_are_put_right() {
    let folder = Folder::new("totals");
    quiet(&folder.file()).keep(&answer("a", "1"));
    for wrong in [
        "UPDATE totals SET bytes = 5",
        "UPDATE totals SET entries = 0",
        "DELETE FROM totals",
        "INSERT INTO totals VALUES (1, 1)",
    ] {
        let raw = rusqlite::Connection::open(folder.file()).expect("it is there");
        raw.execute(wrong, []).expect("it can be written");
        drop(raw);
        let verify = || Inspection::open(&folder.file()).and_then(|it| it.verify());
        let damages = verify().expect("it can be read");
        assert!(matches!(damages[..], [Damage::File { .. }]), "{damages:?}");
        let forgotten = super::forget_all(&folder.file()).map(|it| it.forgotten);
        assert_eq!(forgotten, Ok(Some(1)));
        quiet(&folder.file()).keep(&answer("a", "1"));
        assert_eq!(verify(), Ok(Vec::new()));
    }
}

#[test]
fn what_is_forgotten_gives_back_its_room() {
    let folder = Folder::new("shrinks");
    let disk = quiet(&folder.file());
    for index in 0..100 {
        disk.keep(&answer(&format!("{index}"), &"x".repeat(10_000)));
    }
    assert!(super::forget_all(&folder.file()).is_ok());
    let size: u64 = ["answers.db", "answers.db-wal"]
        .iter()
        .filter_map(|it| std::fs::metadata(folder.0.join(it)).ok())
        .map(|it| it.len())
        .sum();
    assert!(size < 100_000, "{size}");
    // Who has it open goes on.
    disk.keep(&answer("a", "1"));
    assert_eq!(hit(disk.look_up_alone("a", at(0))).as_deref(), Some("1"));
    assert_eq!(disk.look_up("b", at(0)), OnDisk::Claimed);
}

#[test]
fn what_expired_goes_first_and_then_what_was_used_longest_ago() {
    let folder = Folder::new("room");
    let mut disk = quiet(&folder.file());
    let entries = 200;
    disk.bounds = Bounds {
        entries,
        bytes: 1_000,
    };
    for index in 0..200 {
        let ttl = if index < 10 { at(1) } else { at(10_000) };
        let at = at(index / 10);
        disk.keep(&KeptAnswer {
            ttl,
            at,
            ..answer(&format!("{index:03}"), "1234")
        });
    }
    let keys = |disk: &Disk| -> Vec<String> {
        let lines = Inspection::open(&disk.path).and_then(|it| it.lines(&Filter::All));
        let mut keys: Vec<String> = lines
            .expect("it is a cache")
            .into_iter()
            .map(|it| it.key)
            .collect();
        keys.sort();
        keys
    };
    disk.keep(&KeptAnswer {
        at: at(2_000),
        ..answer("new", "1")
    });
    assert_eq!(keys(&disk).len(), 191);
    assert_eq!(keys(&disk)[0], "010");
    // By bytes; what was used lately stays.
    assert!(hit(disk.look_up_alone("010", at(3_000))).is_some());
    disk.keep(&KeptAnswer {
        at: at(3_000),
        ..answer("large", &"x".repeat(300))
    });
    assert!(keys(&disk).contains(&"010".to_owned()) && !keys(&disk).contains(&"011".to_owned()));
    disk.keep(&answer("too large", &"x".repeat(1_001)));
    assert!(!keys(&disk).contains(&"too large".to_owned()));
}

#[test]
fn a_file_that_cannot_be_used_is_reported_once() {
    let folder = Folder::new("foreign");
    std::fs::create_dir_all(&folder.0).expect("it can be made");
    for bytes in [
        &b"no database at all, but long enough to look like one"[..],
        &[0; 4096],
    ] {
        std::fs::write(folder.file(), bytes).expect("it can be written");
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let report = move |why: &str| heard.lock().expect("no panic").push(why.to_owned());
        let disk = Disk::new(folder.file(), report);
        for _ in 0..2 {
            let found = disk.look_up("k", at(0));
            assert_eq!(found, OnDisk::Nothing, "{bytes:?}");
            disk.keep(&answer("k", "1"));
            disk.let_go("k");
        }
        let said = said.lock().expect("no panic");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("answers are kept in memory only: `"),
            "{said:?}"
        );
        assert_eq!(std::fs::read(folder.file()).expect("it is there"), bytes);
    }
}

#[test]
fn memory_is_asked_first_and_learns_from_the_disk() {
    let folder = Folder::new("tiers");
    let call = Call::alone();
    let what = |key: &str| LookUp {
        key: key.into(),
        at: at(1),
        tier: Tier::Disk,
        around: Vec::new(),
    };
    let cache = Cache::default().with_disk(quiet(&folder.file()));
    assert_eq!(cache.look_up(&what("k"), &call), Found::Miss);
    cache.keep(answer("k", "1"), &call);
    let hidden = Tier::Memory;
    cache.keep(
        KeptAnswer {
            tier: hidden,
            ..answer("hidden", "1")
        },
        &call,
    );
    let other = Cache::default().with_disk(quiet(&folder.file()));
    assert_eq!(other.look_up(&what("k"), &call), Found::Hit("1".into()));
    assert_eq!(other.look_up(&what("k"), &call), Found::Hit("1".into()));
    assert_eq!(other.look_up(&what("hidden"), &call), Found::Miss);
    let metrics = other.metrics();
    assert_eq!((metrics.hits, metrics.disk_hits, metrics.misses), (2, 1, 1));
    // A run that ends without an answer lets go of the key in both tiers.
    assert_eq!(cache.look_up(&what("open"), &call), Found::Miss);
    assert_eq!(other.look_up(&what("open"), &call), Found::Busy);
    cache.run_ended(&call.run);
    assert_eq!(other.look_up(&what("open"), &call), Found::Miss);
}

#[test]
fn many_writers_lose_nothing() {
    let folder = Folder::new("writers");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let disk = quiet(&folder.file());
            scope.spawn(move || {
                for index in 0..50 {
                    disk.keep(&answer(&format!("{writer}-{index}"), "1"));
                }
                disk.close();
            });
        }
    });
    let inspection = Inspection::open(&folder.file()).expect("it is a cache");
    let stats = inspection.stats(at(0)).expect("it can be read");
    assert_eq!((stats.entries, stats.bytes, stats.expired), (200, 200, 0));
    for (filter, count) in [
        (Filter::Key("1-".into()), 50),
        (Filter::Key("%".into()), 0),
        (Filter::Model("anthropic/two".into()), 0),
        (Filter::Prompt("ask".into()), 150),
        (Filter::All, 0),
    ] {
        assert_eq!(inspection.bust(&filter), Ok(count), "{filter:?}");
    }
}
