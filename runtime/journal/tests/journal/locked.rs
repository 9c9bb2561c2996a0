//! The lock of a store that somebody else holds: who waits for it, how long, and who goes without.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use gsw_journal::schema::{Flushing, Missing};
use gsw_journal::store::{Error, Patience, Store};
use gsw_journal::writer::Failure;

use crate::folder::{Folder, begin, flushed, new_run, outcome};

fn with(folder: &Folder, missing: Missing, patience: Patience) -> Result<Store, Error> {
    Store::with(&folder.store(), missing, patience, Flushing::AtEachCommit)
}

#[test]
fn whoever_holds_the_lock_is_waited_for_and_then_named() {
    let folder = Folder::new("locked");
    let patience = Patience {
        look: Duration::from_millis(1),
        ..Patience::default()
    };
    let store = with(&folder, Missing::Made, patience).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody has it");
    // Reading still works, and writing reports why it does not.
    assert_eq!(store.list().expect("readers do not wait").runs.len(), 1);
    let other = with(&folder, Missing::Refused, patience);
    let other = other.expect("who opens it does not wait");
    assert_eq!(other.list().expect("readers do not wait").runs.len(), 1);
    let refused = store.begin(&new_run("b"), vec![begin()]);
    let text = refused.map(drop).expect_err("it is locked").to_string();
    assert_eq!(
        text,
        "the store of runs: database is locked: another process has kept it locked for too long; try again when that is done"
    );
    // A run's own records wait until it is over.
    let (sender, written) = channel();
    let (record, blob) = outcome(0, vec![1]);
    journal.write_first(
        &record,
        blob,
        Box::new(move |result| sender.send(result).expect("the test waits")),
    );
    let nothing = written.recv_timeout(Duration::from_millis(300));
    assert!(nothing.is_err(), "{nothing:?}");
    database.execute_batch("COMMIT").expect("it was ours");
    assert_eq!(written.recv(), Ok(Ok(())));
    assert_eq!(store.records("a").expect("a run").len(), 2);
}

#[test]
fn a_run_that_cannot_be_written_for_too_long_fails_and_can_be_taken_again() {
    let folder = Folder::new("too-long");
    let patience = Patience {
        look: Duration::from_millis(1),
        write: Duration::from_millis(1),
    };
    let store = with(&folder, Missing::Made, patience).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody has it");
    let (record, blob) = outcome(0, vec![1]);
    journal.write(&record, blob);
    let failed = Failure::Database("another process has kept the store locked for too long".into());
    assert_eq!(flushed(&journal), Err(failed.clone()));
    assert_eq!(journal.failure(), Some(failed.clone()));
    database.execute_batch("COMMIT").expect("it was ours");
    // What comes after a gap is not written.
    let (record, blob) = outcome(1, vec![1]);
    let (sender, refused) = channel();
    journal.write_first(
        &record,
        blob,
        Box::new(move |result| sender.send(result).expect("the test waits")),
    );
    assert_eq!(refused.recv(), Ok(Err(failed.clone())));
    // It is released all the same, and the waiter for its end is told that it is not written.
    let (sender, released) = channel();
    journal.release(Box::new(move |result| {
        sender.send(result).expect("the test waits")
    }));
    assert_eq!(released.recv(), Ok(Err(failed)));
    let (_, records) = store.take("a").expect("it is whole");
    assert_eq!(records.len(), 1);
}

#[test]
fn a_run_that_is_left_under_a_lock_is_let_go_when_that_is_over() {
    let folder = Folder::new("left-locked");
    let patience = Patience {
        look: Duration::from_millis(1),
        write: Duration::from_millis(1),
    };
    let store = with(&folder, Missing::Made, patience).expect("a store");
    let left = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    let other = store.begin(&new_run("b"), vec![begin()]).expect("a run");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody has it");
    assert!(left.released().is_err());
    assert!(store.take("a").is_err());
    database.execute_batch("COMMIT").expect("it was ours");
    // What is written next finds out that it is over, and then it is let go.
    assert_eq!(flushed(&other), Ok(()));
    assert_eq!(flushed(&other), Ok(()));
    assert!(store.take("a").is_ok());
}

#[test]
fn all_runs_together_wait_once_for_a_lock() {
    let folder = Folder::new("together");
    let patience = Patience {
        look: Duration::from_millis(1),
        write: Duration::from_millis(500),
    };
    let store = with(&folder, Missing::Made, patience).expect("a store");
    let ids: Vec<String> = (0..20).map(|it| format!("run{it}")).collect();
    let begun = ids
        .iter()
        .map(|it| store.begin(&new_run(it), vec![begin()]));
    let mut journals: Vec<_> = begun.map(|it| it.expect("a run")).collect();
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody has it");
    let since = Instant::now();
    // More than one group.
    for number in 0..100 {
        for journal in &mut journals {
            let (record, blob) = outcome(number, vec![1]);
            journal.write(&record, blob);
        }
    }
    for journal in &journals {
        assert!(matches!(flushed(journal), Err(Failure::Database(_))));
    }
    assert!(
        since.elapsed() < 3 * patience.write,
        "{:?}",
        since.elapsed()
    );
    database.execute_batch("COMMIT").expect("it was ours");
}
