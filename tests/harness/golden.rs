//! Journals that releases have written: every later build replays them to their end, with nothing performed.
//!
//! A journal that does not replay means that runs which users have begun cannot be resumed. Before a release its folder may be
//! made anew (`tests/golden/make.py`); after it, what the runtime does has changed, and `BEHAVIOUR` says so.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_agents::AgentPrompts;
use gsw_driver::durable::store::{Need, RunStore};
use gsw_driver::engine::standing::How;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_engine::load::Loaded;
use gsw_engine::run::RunResult;
use gsw_journal::export::{Checked, check};
use gsw_journal::record::{Blob, Hash, Payload, Record};
use gsw_journal::store::{NewRun, Store};

use crate::in_process::{errors, image, open};
use crate::program::{root, scratch};

/// The journals of all releases.
fn journals() -> Vec<PathBuf> {
    let listed = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder can be listed");
        let mut paths: Vec<_> = entries.map(|it| it.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    let releases = listed(&root().join("tests/golden"));
    let files = releases
        .iter()
        .filter(|it| it.is_dir())
        .flat_map(|it| listed(it));
    files
        .filter(|it| it.extension().is_some_and(|it| it == "jsonl"))
        .collect()
}

/// The records of an export with the values that they name, as a store takes them.
fn records(checked: &Checked) -> Vec<(Record, Option<Blob>)> {
    let mut values: BTreeMap<Hash, Vec<u8>> = checked.values.clone();
    let mut taken = |hash: &Hash| values.remove(hash).map(Blob::of);
    let mut records: Vec<(Record, Option<Blob>)> = checked
        .records
        .iter()
        .map(|record| {
            let blob = match record.payload() {
                Some(Payload::Blob(hash)) => taken(hash),
                Some(Payload::Inline(_)) | None => None,
            };
            (record.clone(), blob)
        })
        .collect();
    // What is named inside of a record may come with any.
    let mut free = records.iter_mut().filter(|(_, blob)| blob.is_none());
    for bytes in values.into_values() {
        free.next().expect("more records than values").1 = Some(Blob::of(bytes));
    }
    records
}

/// What a journal says of the end of its run, and what a replay says.
fn replayed(journal: &Path, store: &Path) -> (Option<String>, How) {
    let file = File::open(journal).expect("a journal can be read");
    let checked = check(BufReader::new(file)).expect("nobody has changed it");
    let source = std::fs::read_to_string(journal.with_extension("gsw")).expect("its program");
    let (db, _) = open(&source);
    assert_eq!(errors(&db), "", "{}", journal.display());
    let loaded = Loaded::from_bytes(&image(&db).expect("it compiles")).expect("an image");
    let kept = Store::open(store).expect("a store");
    let new = NewRun {
        id: &checked.run,
        workflow: &checked.workflow,
        image: [0; 32],
        program: "golden",
        input: [0; 32],
        begun: 0,
    };
    drop(
        kept.begin(&new, records(&checked))
            .expect("it can be written"),
    );
    kept.close();
    drop(kept);
    let end = checked.records.iter().find_map(|it| match it {
        Record::End {
            result: Payload::Inline(bytes),
        } => Some(bytes.clone()),
        Record::End {
            result: Payload::Blob(hash),
        } => checked.values.get(hash).cloned(),
        Record::Begin { .. }
        | Record::Intent { .. }
        | Record::Outcome { .. }
        | Record::Cancel { .. }
        | Record::Interrupt { .. }
        | Record::Resumed { .. }
        | Record::Build { .. }
        | Record::NotDone { .. }
        | Record::Undo { .. } => None,
    });
    let options = EngineOptions {
        prompts: Some(Arc::new(AgentPrompts)),
        store: Some(RunStore::new(
            store.to_owned(),
            "golden".into(),
            Need::Asked,
        )),
        ..EngineOptions::default()
    };
    let standing = Engine::new(loaded, options).look_at(&checked.run);
    let how = standing.expect("this build reads it").how;
    (
        end.map(|it| String::from_utf8(it).expect("JSON is text")),
        how,
    )
}

#[test]
fn journals_of_releases_are_replayed() {
    let folder = scratch("golden");
    let journals = journals();
    assert!(journals.len() >= 4, "{journals:?}");
    for (number, journal) in journals.iter().enumerate() {
        let store = folder.join(format!("{number}.db"));
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", store.display()));
        }
        let place = journal.display();
        match replayed(journal, &store) {
            (Some(end), How::Ended(RunResult::Value(value))) => {
                assert_eq!(format!("{{\"value\":{value}}}"), end, "{place}");
            }
            (None, How::Open) => {}
            (end, how) => panic!("{place}: it ended with {end:?}, and replays as {how:?}"),
        }
    }
}
