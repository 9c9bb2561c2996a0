//! What a store keeps, and whose it is.

use std::sync::mpsc::channel;

use gsw_abi::run_status::RunStatus;
use gsw_journal::list::{Carried, Status};
use gsw_journal::record::Payload;
use gsw_journal::retention::Retention;
use gsw_journal::store::{Begun, Error, Store};
use gsw_journal::writer::Failure;

use crate::folder::{Folder, begin, copy, flushed, new_run, outcome, released};

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
    let (journal, records) = second.take("a").expect("nobody carries it");
    assert_eq!((journal.epoch(), records.len()), (2, 1));
}

#[test]
fn who_was_overtaken_writes_nothing_any_more() {
    let folder = Folder::new("overtaken");
    let sleeper = Store::open(&folder.store()).expect("a store");
    let mut late = sleeper.begin(&new_run("a"), vec![begin()]).expect("a run");
    flushed(&late).expect("it is written");
    // As after a night in which it was not renewed.
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute("UPDATE owners SET expires = 1", [])
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
fn who_was_overtaken_writes_nothing_into_the_run_that_has_its_number_now() {
    let folder = Folder::new("number");
    let sleeper = Store::open(&folder.store()).expect("a store");
    let mut late = sleeper.begin(&new_run("a"), vec![begin()]).expect("a run");
    flushed(&late).expect("it is written");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute("UPDATE owners SET expires = 1", [])
        .expect("it can be written");
    let other = Store::existing(&folder.store()).expect("it is there");
    other
        .abandon("a", "it is not needed")
        .expect("it has expired");
    let none = Retention {
        runs: 0,
        ..Retention::default()
    };
    assert_eq!(other.prune(none).expect("a store"), 1);
    let journal = other.begin(&new_run("b"), vec![begin()]).expect("a run");
    let (record, blob) = outcome(0, vec![2]);
    late.write(&record, blob);
    assert_eq!(flushed(&late), Err(Failure::TakenOver));
    drop(late);
    flushed(&journal).expect("it is ours");
    let records = other.records("b").expect("the chain is whole");
    assert_eq!(records.len(), 1);
    assert_eq!(other.find("b").expect("a run").carried, Carried::Yes);
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
    let found = |beginning| store.find_by_beginning(beginning);
    assert_eq!(found("abc").expect("one").id, "abc1");
    assert_eq!(found("abc1").expect("one").id, "abc1");
    assert!(matches!(found("ab"), Err(Error::Ambiguous(_))));
    assert!(matches!(found(""), Err(Error::NoSuchRun(_))));
    assert!(matches!(found("%"), Err(Error::NoSuchRun(_))));
    // What a program calls a run is its whole id.
    let none = |error: &Error| matches!(error, Error::NoSuchRun(id) if id == "abc");
    assert!(none(&store.find("abc").expect_err("no such run")));
    assert!(none(&store.take("abc").expect_err("no such run")));
    assert!(none(&store.cancel("abc", "", 0).expect_err("no such run")));
    assert!(none(&store.records("abc").expect_err("no such run")));
    assert!(none(
        &store.questions(Some("abc")).expect_err("no such run")
    ));
    assert!(none(&store.abandon("abc", "").expect_err("no such run")));
    assert!(none(&store.verify(Some("abc")).expect_err("no such run")));
    let newest = store.interrupted("main", &[2; 32]).expect("a store");
    assert_eq!(newest.expect("two were interrupted").id, "abd2");
    assert_eq!(store.interrupted("main", &[3; 32]).expect("a store"), None);
    assert_eq!(
        found("abc").expect("one").shown_status(),
        RunStatus::Interrupted
    );
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
        .runs
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

#[test]
fn a_workflow_has_one_run_of_a_name() {
    let folder = Folder::new("named");
    let store = Store::open(&folder.store()).expect("a store");
    let first = store.begin_named(&new_run("a"), "nightly", vec![begin()]);
    assert!(matches!(first, Ok(Begun::New(_))));
    let again = store.begin_named(&new_run("b"), "nightly", vec![begin()]);
    assert!(matches!(again, Ok(Begun::Exists(info)) if info.id == "a"));
    let mut other = new_run("c");
    other.workflow = "weekly";
    let other = store.begin_named(&other, "nightly", vec![begin()]);
    assert!(matches!(other, Ok(Begun::New(_))));
    let named = store.named("main", "nightly").expect("a store");
    assert_eq!(named.map(|it| it.id).as_deref(), Some("a"));
    assert_eq!(store.list().expect("a store").runs.len(), 2);
    let same = store.begin(&new_run("a"), vec![begin()]);
    assert!(matches!(same, Err(Error::Exists(_))));
}

#[test]
fn nobody_takes_a_run_by_setting_the_clock() {
    let folder = Folder::new("clock");
    let store = Store::open(&folder.store()).expect("a store");
    let _journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    let expires: i64 = database
        .query_row("SELECT expires FROM owners", [], |row| row.get(0))
        .expect("an owner");
    // Since the start of the machine, not since 1970.
    let ten_years = 10 * 365 * 86_400 * 1_000_000_000;
    assert!(expires < ten_years, "{expires}");
    // An expiry of another start of the machine says nothing: the lock is held.
    database
        .execute("UPDATE owners SET name = 'x-' || name, expires = 0", [])
        .expect("it can be written");
    assert!(matches!(store.take("a"), Err(Error::Carried(_))));
}

#[test]
fn what_is_forgotten_makes_the_file_smaller() {
    let folder = Folder::new("smaller");
    let store = Store::open(&folder.store()).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    for operation in 0..100 {
        let (record, blob) = outcome(operation, vec![operation as u8; 10_000]);
        journal.write(&record, blob);
    }
    journal.status(Status::Failed, None);
    released(journal);
    let pages = || -> i64 {
        let database = rusqlite::Connection::open(folder.store()).expect("a database");
        let count = database.pragma_query_value(None, "page_count", |row| row.get(0));
        count.expect("a number")
    };
    let before = pages();
    let retention = Retention {
        bytes: 1_000_000,
        ..Retention::default()
    };
    assert_eq!(store.prune(retention).expect("a store"), 1);
    assert!(pages() * 5 < before, "{before} pages, now {}", pages());
    assert!(store.verify(None).expect("a store").is_whole());
}

#[test]
fn a_value_of_two_runs_counts_once() {
    let folder = Folder::new("counted");
    let store = Store::open(&folder.store()).expect("a store");
    for id in ["a", "b"] {
        let mut journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        let (record, blob) = outcome(0, vec![9; 100_000]);
        journal.write(&record, blob);
        journal.status(Status::Completed, None);
        released(journal);
    }
    let retention = Retention {
        bytes: 110_000,
        ..Retention::default()
    };
    assert_eq!(store.prune(retention).expect("a store"), 0);
}

#[cfg(unix)]
#[test]
fn a_store_belongs_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("mode");
    let inner = folder.0.join("a/b/runs.db");
    let store = Store::open(&inner).expect("a store");
    let _journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    gsw_journal::seal::Key::beside_or_new(&inner).expect("a key");
    let mode = |path: &std::path::Path| {
        let found = std::fs::metadata(path).expect("it is there");
        found.permissions().mode() & 0o777
    };
    for folder in [&folder.0.join("a"), &folder.0.join("a/b")] {
        assert_eq!(mode(folder), 0o700);
    }
    let mut files = 0;
    for entry in std::fs::read_dir(folder.0.join("a/b")).expect("a folder") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        files += 1;
    }
    // The store, its log, their shared memory, the lock of this process, the key.
    assert_eq!(files, 5);
    // A copy that came with other permissions is closed again.
    drop(store);
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o644)).expect("it is ours");
    Store::open(&inner).expect("a store");
    assert_eq!(mode(&inner), 0o600);
}

#[test]
fn a_process_that_leaves_gives_its_runs_up() {
    let folder = Folder::new("close");
    let store = Store::open(&folder.store()).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    let (record, blob) = outcome(0, vec![1]);
    journal.write(&record, blob);
    store.close();
    let other = Store::existing(&folder.store()).expect("it is there");
    let (_, records) = other.take("a").expect("its owner has left");
    assert_eq!(records.len(), 2);
    // What is written afterwards is refused, and the store can carry other runs.
    journal.write(&record, None);
    assert!(journal.failure().is_some());
    assert!(store.begin(&new_run("b"), vec![begin()]).is_ok());
}

#[test]
fn what_is_called_after_a_write_may_write_and_let_go() {
    let folder = Folder::new("inside");
    let store = Store::open(&folder.store()).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    let mut other = store.begin(&new_run("b"), vec![begin()]).expect("a run");
    let (sender, done) = channel();
    let (record, blob) = outcome(0, vec![1]);
    journal.write_first(
        &record,
        blob,
        Box::new(move |_| {
            // More than the queue holds: what does not fit is refused, and nothing waits for itself.
            for operation in 0..10_000 {
                let (record, blob) = outcome(operation, vec![1]);
                other.write(&record, blob);
            }
            sender.send(other.failure()).expect("the test waits");
        }),
    );
    let failed = done.recv().expect("it does not hang");
    assert!(matches!(failed, Some(Failure::Database(_))), "{failed:?}");
    flushed(&journal).expect("the other run goes on");
    assert!(store.verify(None).expect("a store").is_whole());
}

#[test]
fn what_is_wrong_with_one_run_takes_no_other_along() {
    let folder = Folder::new("one-wrong");
    let store = Store::open(&folder.store()).expect("a store");
    let mut bad = store.begin(&new_run("bad"), vec![begin()]).expect("a run");
    let mut good = store.begin(&new_run("good"), vec![begin()]).expect("a run");
    let behind = rusqlite::Connection::open(folder.store()).expect("a database");
    let damage = "UPDATE runs SET sum = sum + 1 WHERE id = 'bad'";
    assert_eq!(behind.execute(damage, []).expect("it is a table"), 1);
    // In one group, as nothing is written while somebody else holds the lock.
    behind
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody else writes");
    for operation in [1, 2] {
        for journal in [&mut bad, &mut good] {
            let (record, blob) = outcome(operation, b"x".to_vec());
            journal.write(&record, blob);
        }
    }
    behind.execute_batch("COMMIT").expect("it can be let go");
    flushed(&good).expect("nothing is wrong with it");
    assert_eq!(store.records("good").expect("it is whole").len(), 3);
    assert!(flushed(&bad).is_err());
    bad.released().expect_err("it was not written");
}

#[test]
fn of_one_input_a_run_begins_alone() {
    let folder = Folder::new("alone");
    let store = Store::open(&folder.store()).expect("a store");
    let first = store
        .begin_alone(&new_run("a"), vec![begin()])
        .expect("there is none");
    let again = store.begin_alone(&new_run("b"), vec![begin()]);
    assert!(matches!(again, Err(Error::Carried(id)) if id == "a"));
    first.status(Status::Completed, None);
    first.released().expect("it is written");
    store
        .begin_alone(&new_run("b"), vec![begin()])
        .expect("the first has ended");
}
