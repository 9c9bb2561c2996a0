//! Folders for stores, and runs to put into them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

use gsw_journal::record::{Blob, Identity, Payload, Record};
use gsw_journal::store::NewRun;
use gsw_journal::writer::{Failure, Journal};

/// Removed when it is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        Self::in_folder(&std::env::temp_dir(), name)
    }

    /// In memory where the system has such a folder: thousands of stores are made there.
    pub fn quick(name: &str) -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            Self::in_folder(memory, name)
        } else {
            Self::new(name)
        }
    }

    fn in_folder(above: &Path, name: &str) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = above.join(format!(
            "gsw-journal-{name}-{}-{number}",
            std::process::id()
        ));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub fn store(&self) -> PathBuf {
        self.0.join("runs.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn new_run(id: &str) -> NewRun<'_> {
    NewRun {
        id,
        workflow: "main",
        image: [1; 32],
        program: "/bin/flow",
        input: [2; 32],
        begun: 5,
    }
}

pub fn outcome(operation: u64, bytes: Vec<u8>) -> (Record, Option<Blob>) {
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

pub fn begin() -> (Record, Option<Blob>) {
    let (start, blob) = Payload::of(b"begin".to_vec());
    (Record::Begin { start }, blob)
}

pub fn flushed(journal: &Journal) -> Result<(), Failure> {
    let (sender, done) = channel();
    journal.flush(Box::new(move |result| {
        sender.send(result).expect("the test waits");
    }));
    done.recv().expect("a flush is always answered")
}

pub fn released(journal: Journal) {
    let (sender, done) = channel();
    journal.release(Box::new(move |result| {
        sender.send(result).expect("the test waits");
    }));
    let released = done.recv().expect("a release is always answered");
    released.expect("the run was ours");
}

/// Copies a store with what is beside it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().expect("it is in a folder")).expect("it can be made");
    for end in ["", "-wal"] {
        let of = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        let _ = std::fs::remove_file(of(to));
        if of(from).exists() {
            std::fs::copy(of(from), of(to)).expect("it can be copied");
        }
    }
    let _ = std::fs::remove_file(format!("{}-shm", to.display()));
}
