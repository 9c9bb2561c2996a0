//! Every byte of a store, wrong: what is read is what was written, or an error.
//!
//! A plain `cargo test` tries some thousand bytes and one bit of each; with
//! `GSW_EVERY_BYTE=1` all bytes, and all bits of those that hold something.

use std::path::Path;

use gsw_journal::list::{Info, Status};
use gsw_journal::questions::{Asked, To};
use gsw_journal::record::Record;
use gsw_journal::schema::{Flushing, Missing};
use gsw_journal::store::{Error, Patience, Store};
use gsw_journal::wal::LastWrite;

use crate::folder::{Folder, begin, copy, flushed, new_run, outcome, released};
use crate::questions::{ask, external, question, reply};

/// What a reader can learn of a store.
#[derive(PartialEq, Debug)]
struct Seen {
    list: Vec<Info>,
    records: Vec<Vec<Record>>,
    values: Vec<Vec<u8>>,
    questions: Vec<Asked>,
}

fn open(path: &Path) -> Result<Store, Error> {
    // No other process has it: an owner that seems to is the damage.
    let patience = Patience {
        look: std::time::Duration::ZERO,
        write: std::time::Duration::ZERO,
    };
    Store::with(path, Missing::Refused, patience, Flushing::AtEachCommit)
}

/// All of a store, or the first error.
fn seen(store: &Store) -> Result<Seen, Error> {
    let list = store.list()?.whole()?;
    let mut seen = Seen {
        list: Vec::new(),
        records: Vec::new(),
        values: Vec::new(),
        questions: store.questions(None)?,
    };
    for info in list {
        let records = store.records(&info.id)?;
        for payload in records.iter().filter_map(Record::payload) {
            seen.values.push(store.bytes(&info.id, payload.clone())?);
        }
        seen.records.push(records);
        seen.list.push(info);
    }
    Ok(seen)
}

/// A store with all that it can hold.
fn make(folder: &Folder) {
    let store = Store::open(&folder.store()).expect("a store");
    for (id, status) in [("ended", Status::Completed), ("open", Status::Waiting)] {
        let mut journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        for (operation, length) in [(0, 10), (1, 5_000), (2, 20)] {
            let (record, blob) = outcome(operation, vec![1; length]);
            journal.write(&record, blob);
        }
        ask(&journal, question(3, "approve"));
        ask(&journal, external(4, id));
        journal.status(status, Some("approve".into()));
        released(journal);
    }
    let key = To::Key("early");
    store.answer(reply(key, "shop")).expect("it is kept");
}

/// What a changed store does: it gives all that was written, or errors; and what is written to it then is read back.
fn judge(path: &Path, whole: &[Seen], what: &str) -> Option<Error> {
    let store = match open(path) {
        Ok(store) => store,
        Err(error) => return Some(error),
    };
    let verified = store.verify(None);
    let read = seen(&store);
    if let Ok(read) = &read {
        assert!(whole.contains(read), "{what}: it reads otherwise: {read:?}");
    }
    if let (Err(error), Ok(verified)) = (&read, &verified) {
        assert!(
            !verified.is_whole(),
            "{what}: {error}, and verify finds nothing"
        );
    }
    let taken = store.take("open");
    if let Ok((mut journal, records)) = taken {
        let is_whole = |it: &Seen| it.records.contains(&records);
        assert!(whole.iter().any(is_whole), "{what}: it goes on otherwise");
        let count = records.len();
        let (record, blob) = outcome(9, vec![3; 30]);
        journal.write(&record, blob);
        if flushed(&journal).is_ok() && journal.failure().is_none() {
            let store = open(path);
            if let Ok(records) = store.and_then(|it| it.records("open")) {
                assert_eq!(records.len(), count + 1, "{what}");
                assert_eq!(records.last(), Some(&record), "{what}");
            }
        }
    }
    read.err()
}

fn is_thorough() -> bool {
    std::env::var_os("GSW_EVERY_BYTE").is_some()
}

#[test]
fn a_flipped_bit_anywhere_is_found_or_does_not_matter() {
    let (folder, changed) = (Folder::quick("flip"), Folder::quick("flipped"));
    make(&folder);
    let whole = [seen(&open(&folder.store()).expect("a store")).expect("it is whole")];
    let bytes = std::fs::read(folder.store()).expect("a file");
    std::fs::create_dir_all(&changed.0).expect("it can be made");
    let mut errors = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let bits: &[usize] = match (byte, is_thorough()) {
            (0, false) if at % 331 != 0 => &[],
            (_, false) if at % 5 != 0 => &[],
            (_, false) => &[at % 8],
            (0, true) => &[at % 8],
            (_, true) => &[0, 1, 2, 3, 4, 5, 6, 7],
        };
        for bit in bits {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1 << bit;
            clear(&changed);
            std::fs::write(changed.store(), wrong).expect("it can be written");
            let error = judge(&changed.store(), &whole, &format!("bit {bit} of byte {at}"));
            errors += u32::from(error.is_some());
        }
    }
    // Most bytes that hold something are noticed at once.
    assert!(errors > 300, "{errors} of {}", bytes.len());
}

#[test]
fn a_page_of_zeros_and_a_file_that_ends_early_are_refused() {
    let (folder, changed) = (Folder::quick("zeros"), Folder::quick("zeroed"));
    make(&folder);
    let whole = [seen(&open(&folder.store()).expect("a store")).expect("it is whole")];
    let bytes = std::fs::read(folder.store()).expect("a file");
    std::fs::create_dir_all(&changed.0).expect("it can be made");
    for page in 0..bytes.len() / 4_096 {
        let mut wrong = bytes.clone();
        wrong[page * 4_096..(page + 1) * 4_096].fill(0);
        clear(&changed);
        std::fs::write(changed.store(), wrong).expect("it can be written");
        judge(&changed.store(), &whole, &format!("page {page}"));
        if let Ok(store) = open(&changed.store()) {
            let verified = store.verify(None).expect("it can be asked");
            assert!(!verified.is_whole(), "page {page} is nothing");
        }
    }
    let step = if is_thorough() { 1 } else { 97 };
    for length in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
        clear(&changed);
        std::fs::write(changed.store(), &bytes[..length]).expect("it can be written");
        let error = judge(&changed.store(), &whole, &format!("{length} bytes"));
        assert!(
            error.is_some(),
            "{length} of {} bytes are taken",
            bytes.len()
        );
    }
}

/// A store whose process died: all of it but its tables is in the log. Gives what was seen after each commit.
fn dead(folder: &Folder, copied: &Folder) -> Vec<Seen> {
    let store = Store::open(&folder.store()).expect("a store");
    let mut states = vec![seen(&store).expect("it is whole")];
    let mut journal = store.begin(&new_run("open"), vec![begin()]).expect("a run");
    states.push(seen(&store).expect("it is whole"));
    for operation in 0..4 {
        let (record, blob) = outcome(operation, vec![1; 30]);
        journal.write(&record, blob);
        flushed(&journal).expect("it is written");
        states.push(seen(&store).expect("it is whole"));
    }
    copy(&folder.store(), &copied.store());
    // In the copy no process carries the run.
    for seen in &mut states {
        for info in &mut seen.list {
            info.carried = gsw_journal::list::Carried::No;
        }
    }
    states
}

#[test]
fn a_log_that_was_torn_is_read_to_its_last_whole_commit_and_says_so() {
    let (folder, original, changed) = (
        Folder::quick("torn-live"),
        Folder::quick("torn"),
        Folder::quick("torn-changed"),
    );
    let states = dead(&folder, &original);
    let log = std::fs::read(format!("{}-wal", original.store().display())).expect("a log");
    let step = if is_thorough() { 1 } else { 997 };
    let frame = 4_096 + 24;
    for length in (0..log.len()).step_by(step) {
        copy(&original.store(), &changed.store());
        let path = format!("{}-wal", changed.store().display());
        std::fs::write(&path, &log[..length]).expect("it can be written");
        let store = open(&changed.store()).unwrap_or_else(|error| panic!("{length}: {error}"));
        let read = seen(&store).unwrap_or_else(|error| panic!("{length}: {error}"));
        assert!(states.contains(&read), "{length}: {read:?}");
        if length > 32 && !(length - 32).is_multiple_of(frame) && (length - 32) % frame > 16 {
            assert_eq!(store.last_write(), LastWrite::Torn, "{length}");
        }
        drop(store);
        judge(
            &changed.store(),
            &states,
            &format!("{length} bytes of the log"),
        );
    }
    // Sectors of the last frame that never reached the disk are no flipped bit.
    for written in (0..frame).step_by(512) {
        copy(&original.store(), &changed.store());
        let mut torn = log.clone();
        torn[log.len() - frame + written..].fill(0);
        let path = format!("{}-wal", changed.store().display());
        std::fs::write(&path, torn).expect("it can be written");
        let store = open(&changed.store()).unwrap_or_else(|error| panic!("{written}: {error}"));
        let read = seen(&store).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert!(states.contains(&read), "{written}: {read:?}");
    }
    copy(&original.store(), &changed.store());
    let store = open(&changed.store()).expect("it is whole");
    assert_eq!(store.last_write(), LastWrite::Whole);
    assert_eq!(states.last(), seen(&store).ok().as_ref());
}

#[test]
fn a_flipped_bit_of_the_log_never_loses_a_commit() {
    let (folder, original, changed) = (
        Folder::quick("log-live"),
        Folder::quick("log"),
        Folder::quick("log-changed"),
    );
    let states = dead(&folder, &original);
    let log = std::fs::read(format!("{}-wal", original.store().display())).expect("a log");
    let mut refused = 0;
    for at in 0..log.len() {
        let is_filler = log[at] == 0;
        if is_filler && at % 211 != 0 || !is_thorough() && at % 41 != 0 && at > 32 {
            continue;
        }
        let mut wrong = log.clone();
        wrong[at] ^= 1 << (at % 8);
        copy(&original.store(), &changed.store());
        let path = format!("{}-wal", changed.store().display());
        std::fs::write(&path, wrong).expect("it can be written");
        match open(&changed.store()) {
            Err(Error::DamagedLog(_)) => refused += 1,
            Err(error) => panic!("byte {at}: {error}"),
            Ok(store) => {
                let read = seen(&store).expect("what is read is whole");
                // Not even of the last commit: one bit is no torn write.
                assert_eq!(states.last(), Some(&read), "byte {at}: commits are gone");
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_log_of_another_store_is_never_taken_for_its_own() {
    let (folder, copied) = (Folder::quick("own-live"), Folder::quick("own"));
    let (other, elsewhere) = (Folder::quick("foreign-live"), Folder::quick("foreign"));
    let mut states = dead(&folder, &copied);
    let other_states = dead(&other, &elsewhere);
    let log = |it: &Folder| format!("{}-wal", it.store().display());
    std::fs::copy(log(&elsewhere), log(&copied)).expect("it can be copied");
    // Its pages may cover all of the file; then it is the other store, whole, and not a mixture.
    states.extend(other_states);
    judge(&copied.store(), &states, "another log");
}

#[test]
fn a_log_that_is_gone_leaves_what_was_there_before() {
    let (folder, copied) = (Folder::quick("gone-live"), Folder::quick("gone"));
    let states = dead(&folder, &copied);
    std::fs::remove_file(format!("{}-wal", copied.store().display())).expect("it is there");
    assert!(judge(&copied.store(), &states, "no log").is_none());
}

fn clear(folder: &Folder) {
    for entry in std::fs::read_dir(&folder.0).expect("a folder").flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
}
