//! Files that runs have written and that may not be on the disk yet.
//!
//! What a record says that was done must be there after a power cut: so the files are synced before the outcomes of their writes
//! are committed. They are gathered here and synced once a commit, by the thread that commits: a run does not wait for that, and
//! files that are written again meanwhile cost nothing more. Where no run is recorded nothing is gathered.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::open_file::FileId;

/// This many files are held open; who adds another one syncs them. A guess.
const MOST: usize = 64;

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Held while files are synced: what another thread has taken out of the state may not be on the disk before.
static SYNCING: Mutex<Synced> = Mutex::new(Ok(()));

/// Why something is not on the disk. The system reports it once and does not say for which write, so nothing can be committed
/// any more.
type Synced = Result<(), String>;

/// There is one while there are writers.
#[derive(Default)]
struct State {
    writers: usize,
    files: HashMap<FileId, File>,
}

/// A thread that commits, as long as it lives.
#[derive(Debug)]
pub(crate) struct Committer;

impl Committer {
    pub(crate) fn new() -> Self {
        state().get_or_insert_default().writers += 1;
        Self
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        let mut state = state();
        if let Some(it) = &mut *state {
            it.writers -= 1;
            if it.writers == 0 {
                *state = None;
            }
        }
    }
}

/// Registers a changed file or folder; the run is told that the change is done when this returns.
pub fn add(file: File) {
    let Some(id) = FileId::of(&file) else {
        return;
    };
    let mut state = state();
    let Some(State { files, .. }) = &mut *state else {
        return;
    };
    files.insert(id, file);
    if files.len() > MOST {
        drop(state);
        // The next commit gets the error.
        let _ = sync();
    }
}

/// Whether a file is not known to be on the disk.
#[must_use]
pub fn is_pending(file: &File) -> bool {
    let state = state();
    let files = state.as_ref().map(|it| &it.files);
    files.is_some_and(|it| FileId::of(file).is_some_and(|id| it.contains_key(&id)))
}

/// Puts on the disk what was added before.
pub(crate) fn sync() -> Synced {
    let mut synced = SYNCING.lock().unwrap_or_else(PoisonError::into_inner);
    let files = state().as_mut().map(|it| std::mem::take(&mut it.files));
    for file in files.into_iter().flat_map(HashMap::into_values) {
        if let Err(error) = file.sync_all()
            && !is_unsupported(&error)
        {
            *synced = Err(format!(
                "a file that was written is not on the disk: {error}"
            ));
        }
    }
    synced.clone()
}

/// Some file systems have nothing to sync.
fn is_unsupported(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidInput | ErrorKind::Unsupported
    )
}

fn state() -> MutexGuard<'static, Option<State>> {
    // Nothing that can panic runs while the lock is held.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::mpsc::channel;

    use super::{add, is_pending};
    use crate::record::{Payload, Record};
    use crate::store::{NewRun, Store};

    #[test]
    fn a_commit_comes_after_the_files_that_were_written_before_it() {
        let folder = std::env::temp_dir().join(format!("gsw-unsynced-{}", std::process::id()));
        let store = Store::open(&folder.join("runs.db")).expect("a store");
        let new = NewRun {
            id: "a",
            workflow: "main",
            image: [1; 32],
            program: "/bin/flow",
            input: [2; 32],
            begun: 5,
        };
        let (start, blob) = Payload::of(b"begin".to_vec());
        let journal = store
            .begin(&new, vec![(Record::Begin { start }, blob)])
            .expect("a run");
        let file = File::create(folder.join("written.txt")).expect("it can be made");
        add(file.try_clone().expect("it is open"));
        assert!(is_pending(&file));
        let (sender, written) = channel();
        journal.flush(Box::new(move |it| drop(sender.send(it))));
        assert_eq!(written.recv(), Ok(Ok(())));
        assert!(!is_pending(&file));
        drop(journal);
        drop(store);
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
