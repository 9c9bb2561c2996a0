//! What a store costs: commits, bytes, reading back, and runs that wait; beside bare inserts into SQLite with the same settings.
//!
//! `cargo bench -p gsw-journal --bench store [parked runs]`

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use gsw_journal::list::Status;
use gsw_journal::questions::{Kind, Question};
use gsw_journal::record::{Blob, Identity, Payload, Record};
use gsw_journal::store::{NewRun, Store};
use gsw_journal::writer::Journal;

const PAYLOAD: usize = 100;
const SINGLE: u64 = 2_000;
const RECORDS: u64 = 10_000;
const RUNS: u64 = 64;

fn main() {
    let parked = std::env::args().filter_map(|it| it.parse().ok()).next();
    let parked: u64 = parked.unwrap_or(100_000);
    let folder = std::env::temp_dir().join(format!("gsw-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    println!(
        "{:<44} {:>12} {:>12} {:>8}",
        "", "ours", "bare SQLite", "ratio"
    );
    let ours = single(&folder.join("single.db"));
    row(
        "single commits/s",
        ours,
        bare(&folder.join("bare.db"), SINGLE, 1),
    );
    let ours = grouped(&folder.join("grouped.db"));
    let bare_groups = bare(&folder.join("bare-groups.db"), RUNS * RECORDS / 10, 512);
    row("records/s of 64 runs, in groups", ours, bare_groups);
    read_back(&folder);
    wait(&folder, parked);
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// In memory where the system has such a folder, for what does not measure the disk.
fn memory(folder: &Path) -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        memory.join(folder.file_name().expect("it has a name"))
    } else {
        folder.to_owned()
    }
}

fn row(what: &str, ours: f64, bare: f64) {
    println!("{what:<44} {ours:>12.0} {bare:>12.0} {:>8.2}", ours / bare);
}

fn line(what: &str, figure: f64) {
    println!("{what:<44} {figure:>12.1}");
}

/// Records that are each on the disk before the next one begins.
fn single(path: &Path) -> f64 {
    let store = Store::open(path).expect("a store");
    let mut journal = begin(&store, "single");
    let begun = Instant::now();
    for operation in 0..SINGLE {
        let (sender, written) = channel();
        let (record, blob) = outcome(operation);
        journal.write_first(
            &record,
            blob,
            Box::new(move |result| sender.send(result).expect("it is waited for")),
        );
        written
            .recv()
            .expect("it is answered")
            .expect("it is written");
    }
    per_second(SINGLE, begun.elapsed())
}

/// Records of many runs, on the disk soon.
fn grouped(path: &Path) -> f64 {
    let store = Store::open(path).expect("a store");
    let mut journals: Vec<Journal> = (0..RUNS)
        .map(|run| begin(&store, &run.to_string()))
        .collect();
    let begun = Instant::now();
    for operation in 0..RECORDS / 10 {
        for journal in &mut journals {
            let (record, blob) = outcome(operation);
            journal.write(&record, blob);
        }
    }
    flush(&journals[0]);
    per_second(RUNS * RECORDS / 10, begun.elapsed())
}

/// Rows of the same payload in one table, this many a transaction.
fn bare(path: &Path, rows: u64, group: u64) -> f64 {
    let mut database = rusqlite::Connection::open(path).expect("a database");
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (body BLOB)",
        )
        .expect("a table");
    let begun = Instant::now();
    for _ in 0..rows.div_ceil(group) {
        let transaction = database.transaction().expect("nobody else has it");
        for _ in 0..group {
            let mut statement = transaction
                .prepare_cached("INSERT INTO t VALUES (?1)")
                .expect("there is a table");
            statement.execute([vec![7_u8; PAYLOAD]]).expect("a row");
        }
        transaction.commit().expect("it is written");
    }
    per_second(rows, begun.elapsed())
}

/// How large a run of many records is, and how long it takes to read.
fn read_back(folder: &Path) {
    let path = folder.join("read.db");
    let store = Store::open(&path).expect("a store");
    let empty = size(&path);
    let mut journal = begin(&store, "read");
    for operation in 0..RECORDS {
        let (record, blob) = outcome(operation);
        journal.write(&record, blob);
    }
    flush(&journal);
    drop(journal);
    drop(store);
    let bytes = size(&path) - empty;
    line(
        "bytes of the file a record of 100 bytes",
        bytes as f64 / RECORDS as f64,
    );
    let store = Store::existing(&path).expect("it is there");
    let begun = Instant::now();
    let read = store.records("read").expect("a run").len();
    line(
        "10,000 records read and checked, ms",
        millis(begun.elapsed()),
    );
    assert_eq!(read as u64, RECORDS + 1);
    let begun = Instant::now();
    assert!(store.verify(None).expect("a store").is_whole());
    line("the store verified, ms", millis(begun.elapsed()));
}

/// Runs that wait for an answer.
fn wait(folder: &Path, runs: u64) {
    let folder = memory(folder);
    let path = folder.join("parked.db");
    let store = Store::open(&path).expect("a store");
    let begun = Instant::now();
    let mut last = None;
    for run in 0..runs {
        let mut journal = begin(&store, &format!("{run:032x}"));
        journal.write(&Record::Intent { of: identity(1) }, None);
        journal.ask(question(run), Box::new(|_| ()));
        journal.status(Status::Waiting, Some("approve".into()));
        last = Some(journal);
    }
    if let Some(journal) = last {
        flush(&journal);
    }
    line(
        &format!("{runs} runs begun and parked, runs/s"),
        per_second(runs, begun.elapsed()),
    );
    drop(store);
    line("size of the store, MB", size(&path) as f64 / 1e6);
    let store = Store::existing(&path).expect("it is there");
    let begun = Instant::now();
    let listed = store.list().expect("a store").runs.len();
    line("time of `list`, ms", millis(begun.elapsed()));
    assert_eq!(listed as u64, runs);
    let begun = Instant::now();
    let due = store.due(i64::MAX).expect("a store").runs.len();
    line("time of `due`, ms", millis(begun.elapsed()));
    assert_eq!(due, 0);
    let begun = Instant::now();
    store.find(&format!("{:032x}", runs / 2)).expect("a run");
    line("time of `find`, ms", millis(begun.elapsed()));
    drop(store);
    let _ = std::fs::remove_dir_all(&folder);
}

fn begin(store: &Store, id: &str) -> Journal {
    let (start, blob) = Payload::of(vec![5; 200]);
    let new = NewRun {
        id,
        workflow: "main",
        image: [1; 32],
        program: "/usr/local/bin/nightly-report",
        input: [2; 32],
        begun: 1_795_395_129_892_783_648,
    };
    let records = vec![(Record::Begin { start }, blob)];
    store.begin(&new, records).expect("a run")
}

fn identity(operation: u64) -> Identity {
    Identity {
        operation,
        fingerprint: [7; 32],
    }
}

fn outcome(operation: u64) -> (Record, Option<Blob>) {
    let (outcome, blob) = Payload::of(vec![3; PAYLOAD]);
    let record = Record::Outcome {
        of: identity(operation),
        now: 1_795_395_129_892_783_648,
        outcome,
    };
    (record, blob)
}

fn question(run: u64) -> Question {
    Question {
        operation: 1,
        kind: Kind::Human,
        name: "approve".into(),
        key: Some(format!("order:{run}")),
        digest: [4; 32],
        schema: r#"{"type":"boolean"}"#.into(),
        shown: r#"{"text":"May the report be sent to all customers?"}"#.into(),
        who: Vec::new(),
        asked: 1_795_395_129_892_783_648,
        due: None,
    }
}

fn flush(journal: &Journal) {
    let (sender, done) = channel();
    journal.flush(Box::new(move |result| {
        sender.send(result).expect("it is waited for");
    }));
    done.recv().expect("it is answered").expect("it is written");
}

/// The file and its log.
fn size(path: &Path) -> u64 {
    let log = PathBuf::from(format!("{}-wal", path.display()));
    let of = |path: &Path| std::fs::metadata(path).map_or(0, |it| it.len());
    of(path) + of(&log)
}

fn per_second(count: u64, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}
