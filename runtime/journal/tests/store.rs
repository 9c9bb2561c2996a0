//! Stores on a disk: written, read back, taken over, damaged.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;

use gsw_journal::list::{Carried, Status};
use gsw_journal::record::{Blob, Identity, Payload, Record};
use gsw_journal::retention::Retention;
use gsw_journal::store::{Error, NewRun, Store};
use gsw_journal::writer::{Failure, Journal};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gsw-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn store(&self) -> PathBuf {
        self.0.join("runs.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn new_run(id: &str) -> NewRun<'_> {
    NewRun {
        id,
        workflow: "main",
        image: [1; 32],
        program: "/bin/flow",
        input: [2; 32],
        begun: 5,
    }
}

fn outcome(operation: u64, bytes: Vec<u8>) -> (Record, Option<Blob>) {
    let (payload, blob) = Payload::of(bytes);
    let record = Record::Outcome {
        of: Identity {
            operation,
            fingerprint: [7; 32],
        },
        now: 3,
        outcome: payload,
    };
    (record, blob)
}

fn begin() -> (Record, Option<Blob>) {
    let (start, blob) = Payload::of(b"begin".to_vec());
    (Record::Begin { start }, blob)
}

fn flushed(journal: &Journal) -> Result<(), Failure> {
    let (sender, done) = channel();
    journal.flush(Box::new(move |result| {
        sender.send(result).expect("the test waits");
    }));
    done.recv().expect("a flush is always answered")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().expect("it is in a folder")).expect("it can be made");
    for end in ["", "-wal"] {
        let of = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        if of(from).exists() {
            std::fs::copy(of(from), of(to)).expect("it can be copied");
        }
    }
}

#[test]
fn what_was_written_is_read_and_large_outcomes_are_kept_once() {
    let folder = Folder::new("read");
    let store = Store::open(&folder.store()).expect("a store");
    let large = vec![9; 100_000];
    for id in ["a", "b"] {
        let mut journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        for (number, bytes) in [(0, vec![1]), (1, large.clone())] {
            let (record, blob) = outcome(number, bytes);
            journal.write(&record, blob);
        }
        flushed(&journal).expect("it is written");
    }
    let reader = Store::existing(&folder.store()).expect("it is there");
    let records = reader.records("b").expect("a run");
    assert_eq!(records.len(), 3);
    let payload = records[2].payload().expect("an outcome").clone();
    assert!(matches!(payload, Payload::Blob(_)));
    assert_eq!(reader.bytes("b", payload).expect("it is there"), large);
    let size = std::fs::metadata(folder.store()).map(|it| it.len());
    let wal = std::fs::metadata(format!("{}-wal", folder.store().display())).map(|it| it.len());
    let bytes = size.unwrap_or(0) + wal.unwrap_or(0);
    assert!(bytes < 2 * 100_000 + 150_000, "{bytes}");
}

#[test]
fn a_run_belongs_to_one_process_until_that_is_gone() {
    let folder = Folder::new("owner");
    let first = Store::open(&folder.store()).expect("a store");
    let second = Store::existing(&folder.store()).expect("it is there");
    let journal = first.begin(&new_run("a"), vec![begin()]).expect("a run");
    flushed(&journal).expect("it is written");
    assert_eq!(second.find("a").expect("a run").carried, Carried::Yes);
    assert!(matches!(second.take("a"), Err(Error::Carried(_))));
    drop(journal);
    drop(first);
    // The thread that writes ends with its store, and the lock with the thread.
    let taken = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        second.take("a").ok()
    });
    let (journal, records) = taken.expect("nobody carries it");
    assert_eq!((journal.epoch(), records.len()), (2, 1));
}

#[test]
fn who_was_overtaken_writes_nothing_any_more() {
    let folder = Folder::new("overtaken");
    let sleeper = Store::open(&folder.store()).expect("a store");
    let mut late = sleeper.begin(&new_run("a"), vec![begin()]).expect("a run");
    flushed(&late).expect("it is written");
    // As after a night in which nobody renewed it.
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute("UPDATE runs SET expires = 1", [])
        .expect("it can be written");
    let other = Store::existing(&folder.store()).expect("it is there");
    let (mut journal, _) = other.take("a").expect("it has expired");
    let (record, blob) = outcome(0, vec![1]);
    journal.write(&record, blob);
    flushed(&journal).expect("it is written");
    let (sender, refused) = channel();
    let (record, blob) = outcome(0, vec![2]);
    late.write_first(
        &record,
        blob,
        Box::new(move |result| sender.send(result).expect("the test waits")),
    );
    assert_eq!(refused.recv(), Ok(Err(Failure::TakenOver)));
    assert_eq!(late.failure(), Some(Failure::TakenOver));
    drop(late);
    let records = other.records("a").expect("the chain is whole");
    assert_eq!(records.len(), 2);
    assert_eq!(
        other.find("a").expect("a run").carried,
        Carried::Yes,
        "the late one has not released it"
    );
}

#[test]
fn a_copy_is_nobodys_and_gets_another_epoch() {
    let (folder, elsewhere) = (Folder::new("original"), Folder::new("copy"));
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    flushed(&journal).expect("it is written");
    copy(&folder.store(), &elsewhere.store());
    let restored = Store::existing(&elsewhere.store()).expect("it is there");
    let (taken, records) = restored.take("a").expect("its owner is elsewhere");
    assert_eq!((taken.epoch(), records.len()), (2, 1));
}

#[test]
fn a_changed_record_is_found_and_nothing_is_read_after_it() {
    let folder = Folder::new("damage");
    let store = Store::open(&folder.store()).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    for number in 0..3 {
        let (record, blob) = outcome(number, vec![1]);
        journal.write(&record, blob);
    }
    flushed(&journal).expect("it is written");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    for (change, record) in [
        ("UPDATE records SET body = x'00' WHERE number = 2", 2),
        ("DELETE FROM records WHERE number = 1", 1),
        ("DELETE FROM records WHERE number = 0", 0),
    ] {
        database.execute(change, []).expect("it can be written");
        let read = store.records("a");
        assert!(
            matches!(&read, Err(Error::Damaged { record: at, .. }) if *at == record),
            "{change}: {read:?}"
        );
    }
}

#[test]
fn runs_are_found_by_the_beginning_of_their_ids_and_by_their_input() {
    let folder = Folder::new("find");
    let store = Store::open(&folder.store()).expect("a store");
    for id in ["abc1", "abd2"] {
        let journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        flushed(&journal).expect("it is written");
        drop(journal);
    }
    // The next write comes after the releases, so they are done.
    let other = store.begin(&new_run("x"), vec![begin()]).expect("a run");
    flushed(&other).expect("it is written");
    assert_eq!(store.find("abc").expect("one").id, "abc1");
    assert!(matches!(store.find("ab"), Err(Error::Ambiguous(_))));
    assert!(matches!(store.find(""), Err(Error::NoSuchRun(_))));
    assert!(matches!(store.find("%"), Err(Error::NoSuchRun(_))));
    let newest = store.interrupted("main", &[2; 32]).expect("a store");
    assert_eq!(newest.expect("two were interrupted").id, "abd2");
    assert_eq!(store.interrupted("main", &[3; 32]).expect("a store"), None);
    assert_eq!(store.find("abc").expect("one").status_name(), "interrupted");
}

#[test]
fn what_has_ended_is_forgotten_with_its_blobs() {
    let folder = Folder::new("prune");
    let store = Store::open(&folder.store()).expect("a store");
    for id in ["a", "b", "c"] {
        let mut journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        let (record, blob) = outcome(0, vec![id.as_bytes()[0]; 10_000]);
        journal.write(&record, blob);
        if id != "c" {
            journal.status(Status::Completed, None);
        }
        flushed(&journal).expect("it is written");
    }
    let retention = Retention {
        runs: 1,
        ..Retention::default()
    };
    assert_eq!(store.prune(retention).expect("a store"), 1);
    let left: Vec<_> = store
        .list()
        .expect("a store")
        .into_iter()
        .map(|it| it.id)
        .collect();
    assert_eq!(left, ["c", "b"]);
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    let blobs: i64 = database
        .query_row("SELECT count(*) FROM blobs", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(blobs, 2);
    assert!(matches!(
        store.take("b"),
        Err(Error::Ended {
            status: Status::Completed,
            ..
        })
    ));
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = Folder::new("foreign");
    assert!(matches!(
        Store::existing(&folder.store()),
        Err(Error::Missing(_))
    ));
    std::fs::create_dir_all(&folder.0).expect("it can be made");
    std::fs::write(folder.store(), "this is a text, and a long one at that").expect("a file");
    assert!(matches!(
        Store::open(&folder.store()),
        Err(Error::Unusable { .. })
    ));
    std::fs::remove_file(folder.store()).expect("it is there");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch("CREATE TABLE other (x)")
        .expect("it can be written");
    assert!(matches!(
        Store::open(&folder.store()),
        Err(Error::Foreign(_))
    ));
    drop(database);
    std::fs::remove_file(folder.store()).expect("it is there");
    drop(Store::open(&folder.store()).expect("a store"));
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .pragma_update(None, "user_version", 99)
        .expect("it can be written");
    assert!(matches!(
        Store::open(&folder.store()),
        Err(Error::Version { version: 99, .. })
    ));
}
