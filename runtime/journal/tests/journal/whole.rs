//! What is checked, exported, forked and sealed.

use std::io::Cursor;

use gsw_journal::export::{ExportError, check};
use gsw_journal::list::Status;
use gsw_journal::record::{Blob, Payload, Record};
use gsw_journal::retention::Retention;
use gsw_journal::seal::{Key, SealError};
use gsw_journal::store::{Error, Store};

use crate::folder::{Folder, begin, flushed, new_run, outcome, released};

/// A store with a run of four records, one of them with a value of its own.
fn with_run(folder: &Folder) -> Store {
    let store = Store::open(&folder.store()).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    for (operation, length) in [(0, 10), (1, 10_000), (2, 20)] {
        let (record, blob) = outcome(operation, vec![1; length]);
        journal.write(&record, blob);
    }
    journal.status(Status::Completed, None);
    released(journal);
    store
}

fn change(folder: &Folder, text: &str) {
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
}

/// What is changed behind the back of a store, and what is found.
const CHANGES: [(&str, &str); 13] = [
    (
        "UPDATE runs SET status = 0",
        "the entry of run `a` is damaged",
    ),
    (
        "UPDATE runs SET epoch = 7",
        "the entry of run `a` is damaged",
    ),
    (
        "UPDATE runs SET next = next - 1",
        "the entry of run `a` is damaged",
    ),
    (
        "PRAGMA foreign_keys = OFF; DELETE FROM runs",
        "the list of runs, which has 0 of 1,",
    ),
    (
        "UPDATE records SET body = zeroblob(9) WHERE number = 2",
        "record 2 of run `a`",
    ),
    (
        "DELETE FROM records WHERE number = 3",
        "record 3 of run `a`",
    ),
    (
        "UPDATE blobs SET bytes = zeroblob(10000)",
        "a value is lost or damaged",
    ),
    ("DELETE FROM blobs", "a value is lost or damaged"),
    (
        "DELETE FROM blob_uses",
        "a value is kept for other runs only",
    ),
    (
        "INSERT INTO blobs VALUES (zeroblob(32), zeroblob(1))",
        "values that no run uses",
    ),
    (
        "INSERT INTO early VALUES ('a', zeroblob(1), 7)",
        "the list of early answers",
    ),
    (
        "INSERT INTO questions VALUES (1, 1, 'a', NULL, zeroblob(1), zeroblob(1), 7)",
        "a question of a run",
    ),
    (
        "UPDATE facts SET runs = 2",
        "the entry about the store itself",
    ),
];

#[test]
fn a_whole_store_is_whole_and_every_change_is_found() {
    let folder = Folder::new("verify");
    let store = with_run(&folder);
    let verified = store.verify(None).expect("a store");
    assert!(verified.is_whole(), "{:?}", verified.problems);
    assert_eq!((verified.runs, verified.records, verified.blobs), (1, 4, 1));
    drop(store);
    for (what, expected) in CHANGES {
        let copy = Folder::new("verify-changed");
        crate::folder::copy(&folder.store(), &copy.store());
        let store = Store::existing(&copy.store()).expect("it is whole");
        change(&copy, what);
        let found = store.verify(None).expect("a store").problems;
        assert!(
            found.iter().any(|it| it.what.contains(expected)),
            "{what}: {found:?}"
        );
    }
}

#[test]
fn the_rows_are_read_once_for_runs_that_there_are_not() {
    let folder = Folder::new("once");
    let store = with_run(&folder);
    assert!(matches!(store.find("b"), Err(Error::NoSuchRun(_))));
    // A start asks for a run that there is not, and must not read all others for it each time.
    change(&folder, "UPDATE runs SET status = 1 WHERE id = 'a'");
    assert!(matches!(store.find("b"), Err(Error::NoSuchRun(_))));
    assert!(matches!(store.interrupted("main", &[3; 32]), Ok(None)));
    assert!(store.find("a").is_err());
    assert!(store.interrupted("main", &[2; 32]).is_err());
    drop(store);
    // Damage that was there before may be the run that is asked for.
    let store = Store::existing(&folder.store()).expect("a store");
    assert!(matches!(store.find("b"), Err(Error::DamagedEntry(_))));
    assert!(matches!(store.find("b"), Err(Error::DamagedEntry(_))));
}

#[test]
fn one_damaged_run_does_not_hide_the_others() {
    let folder = Folder::new("others");
    let store = with_run(&folder);
    let journal = store.begin(&new_run("b"), vec![begin()]).expect("a run");
    released(journal);
    change(&folder, "UPDATE runs SET status = 1 WHERE id = 'a'");
    assert!(matches!(store.find("a"), Err(Error::DamagedEntry(_))));
    let listed = store.list().expect("a store");
    assert_eq!((listed.runs.len(), listed.damaged.len()), (1, 1));
    assert!(matches!(listed.whole(), Err(Error::DamagedEntry(_))));
    let due = store.due(0).expect("a store");
    assert_eq!((due.runs.len(), &*due.runs[0].id), (1, "b"));
    assert!(store.find("b").is_ok());
    assert!(store.verify(Some("b")).expect("a run").is_whole());
    assert_eq!(store.verify(None).expect("a store").runs, 1);
    assert!(store.take("b").is_ok());
    // What may have been begun already is not begun a second time, and the damaged one may be of any input that is like its own.
    assert!(store.interrupted("main", &[2; 32]).is_err());
    let mut flipped = [2; 32];
    flipped[7] ^= 1;
    assert!(store.interrupted("main", &flipped).is_err());
    assert!(matches!(store.interrupted("main", &[3; 32]), Ok(None)));
    change(&folder, "UPDATE runs SET status = 3 WHERE id = 'a'");
    let none = Retention {
        runs: 0,
        ..Retention::default()
    };
    assert_eq!(store.prune(none).expect("the others can be forgotten"), 0);
}

#[test]
fn a_run_that_is_lost_keeps_every_input_from_being_begun_again_and_no_other_run() {
    let folder = Folder::new("lost-run");
    let store = with_run(&folder);
    let journal = store.begin(&new_run("b"), vec![begin()]).expect("a run");
    released(journal);
    change(&folder, "DELETE FROM runs WHERE id = 'a'");
    let listed = store.list().expect("a store");
    assert_eq!((listed.runs.len(), listed.damaged.len()), (1, 1));
    assert!(store.interrupted("main", &[3; 32]).is_err());
    assert!(store.take("b").is_ok());
}

#[test]
fn an_exported_run_shows_that_it_is_untouched() {
    let folder = Folder::new("export");
    let store = with_run(&folder);
    let mut file = Vec::new();
    let digest = store.export("a", &mut file).expect("a run");
    let checked = check(Cursor::new(&file)).expect("it is untouched");
    assert_eq!(checked.digest, digest);
    assert_eq!(checked.run, "a");
    assert_eq!(checked.records, store.records("a").expect("a run"));
    assert_eq!(checked.values.len(), 1);
    // Twice the same.
    let mut again = Vec::new();
    store.export("a", &mut again).expect("a run");
    assert_eq!(file, again);
}

#[test]
fn a_change_anywhere_in_an_exported_file_is_found() {
    let folder = Folder::new("forged");
    let store = with_run(&folder);
    let mut file = Vec::new();
    store.export("a", &mut file).expect("a run");
    for at in (0..file.len()).step_by(if file.len() > 4_000 { 3 } else { 1 }) {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(check(Cursor::new(changed)).is_err(), "byte {at}");
    }
    for length in (0..file.len()).step_by(7).chain([file.len() - 1]) {
        assert!(check(Cursor::new(&file[..length])).is_err(), "{length}");
    }
    let lines: Vec<&[u8]> = file.split_inclusive(|it| *it == b'\n').collect();
    for left_out in 0..lines.len() {
        let without: Vec<&[u8]> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| (at != left_out).then_some(*line))
            .collect();
        let error = check(Cursor::new(without.concat())).expect_err("a line is missing");
        assert!(matches!(error, ExportError::Changed { .. }), "{error}");
    }
    let longer = [&*file, b"{}\n"].concat();
    assert!(check(Cursor::new(longer)).is_err());
}

#[test]
fn a_fork_has_the_first_records_and_leaves_its_source_alone() {
    let folder = Folder::new("fork");
    let store = with_run(&folder);
    let before = store.find("a").expect("a run");
    let mut fork = store.fork("a", &new_run("b"), 3).expect("a fork");
    let (record, blob) = outcome(2, vec![7]);
    fork.write(&record, blob);
    flushed(&fork).expect("it is written");
    assert_eq!(store.find("a").expect("a run"), before);
    let records = store.records("b").expect("a run");
    assert_eq!(records[..3], store.records("a").expect("a run")[..3]);
    assert_eq!(records.len(), 4);
    let info = store.find("b").expect("a run");
    assert_eq!((info.source.as_deref(), info.records), (Some("a"), 4));
    let payload = records[2].payload().expect("an outcome").clone();
    assert_eq!(
        store.bytes("b", payload).expect("it is shared").len(),
        10_000
    );
    let short = store.fork("a", &new_run("c"), 5);
    assert!(matches!(short, Err(Error::TooShort { records: 4, .. })));
    assert_eq!(store.list().expect("a store").runs.len(), 2);
    // With another outcome in the place of one.
    let changed = store.fork_with("a", &new_run("d"), |all| {
        let (start, none) = Payload::of(b"other".to_vec());
        Ok(vec![
            (Record::Begin { start }, none),
            (all[2].clone(), None),
        ])
    });
    drop(changed.expect("a fork"));
    assert_eq!(store.records("d").expect("a run").len(), 2);
    assert!(store.verify(None).expect("a store").is_whole());
}

#[test]
fn a_key_is_made_once_and_its_absence_is_said() {
    let folder = Folder::new("key");
    let store = with_run(&folder);
    let missing = Key::beside(store.path()).expect_err("there is none");
    assert!(matches!(missing, SealError::Missing(_)), "{missing}");
    let sealed = Key::beside_or_new(store.path())
        .and_then(|it| it.seal(b"a", b"secret"))
        .expect("a key");
    let again = Key::beside_or_new(store.path()).expect("it is there");
    assert_eq!(again.open(b"a", &sealed), Ok(b"secret".to_vec()));
    let path = folder.0.join("runs.db.key");
    let text = std::fs::read_to_string(&path).expect("a file");
    let given = Key::of_text(&text, "GSW_STORE_KEY").expect("64 digits");
    assert_eq!(given.open(b"a", &sealed), Ok(b"secret".to_vec()));
    std::fs::write(&path, "0".repeat(64)).expect("it is ours");
    let other = Key::beside(store.path()).expect("64 digits");
    assert_eq!(other.open(b"a", &sealed), Err(SealError::OtherKey));
    std::fs::write(&path, "").expect("it is ours");
    let none = Key::beside(store.path()).expect_err("it is empty");
    assert!(matches!(none, SealError::NoKey { .. }), "{none}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&path, open).expect("it is ours");
        let open = Key::beside(store.path()).expect_err("others may read it");
        assert!(matches!(open, SealError::Open(_)), "{open}");
    }
}

/// A run may use a value that only the bytes of a record name.
#[test]
fn a_value_beside_a_record_goes_where_the_run_goes() {
    let folder = Folder::new("beside");
    let store = Store::open(&folder.store()).expect("a store");
    let shared = Blob::of(vec![8; 50]);
    let build = (Record::Build { image: [1; 32] }, Some(shared.clone()));
    let journal = store.begin(&new_run("a"), vec![begin(), build]);
    let journal = journal.expect("a run");
    journal.status(Status::Completed, None);
    released(journal);
    assert!(store.verify(None).expect("a store").is_whole());
    let mut file = Vec::new();
    store.export("a", &mut file).expect("a run");
    let checked = check(Cursor::new(&file)).expect("it is untouched");
    assert_eq!(checked.values[&shared.hash], shared.bytes);
    // The fork keeps it when its source is forgotten.
    drop(store.fork("a", &new_run("b"), 1).expect("a fork"));
    let none = Retention {
        runs: 0,
        ..Retention::default()
    };
    assert_eq!(store.prune(none).expect("a store"), 1);
    let payload = Payload::Blob(shared.hash);
    assert_eq!(store.bytes("b", payload).expect("it is used"), shared.bytes);
}
