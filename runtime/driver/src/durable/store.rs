//! The store of a program's runs. The file is created with the first run that needs it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gsw_abi::call::NodeKind;
use gsw_abi::program::Program;
use gsw_journal::list::Info;
use gsw_journal::record::Hash;
use gsw_journal::retention::Retention;
use gsw_journal::schema::{Flushing, Missing};
use gsw_journal::store::{Error, Patience, Store};
use serde_json::{Map, Value};

use crate::durable::beginning::input_digest;
use crate::durable::inbox::Inbox;
use crate::durable::results::Results;

/// Called with the reason why a run continues without being recorded.
pub type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// What happens to a run when its store cannot be opened.
#[derive(Clone)]
pub enum Need {
    /// The store was requested explicitly: the run does not continue.
    Asked,
    /// The store is only the default: the run continues without it, and the callback gets the reason.
    Offered(Warn),
}

/// Where the runs of one program are recorded.
pub struct RunStore {
    path: PathBuf,
    /// The path of the program, for resuming a run.
    program: String,
    /// The name of the program: a store may be that of several, whose runs are no runs of each other.
    name: String,
    need: Need,
    /// How much of the past is kept.
    retention: Retention,
    results: Results,
    flushing: Flushing,
    opened: Mutex<Option<Arc<Store>>>,
    /// Brings what other processes leave in it.
    inbox: Arc<Inbox>,
}

impl std::fmt::Debug for RunStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunStore")
            .field("path", &self.path)
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl RunStore {
    /// The store at a path; nothing is opened.
    #[must_use]
    pub fn new(path: PathBuf, program: String, need: Need) -> Arc<Self> {
        let results = Results::AtItsEnd;
        let names = [program, String::new()];
        Arc::new(Self::with(path, names, need, Retention::default(), results))
    }

    /// The same for a run that is only tried: it is to outlive its process, and not the machine.
    pub(crate) fn of_trial(path: PathBuf) -> Arc<Self> {
        let names = ["test".into(), String::new()];
        let results = Results::AtItsEnd;
        Arc::new(Self {
            flushing: Flushing::LeftToTheSystem,
            ..Self::with(path, names, Need::Asked, Retention::default(), results)
        })
    }

    /// The same for a command, which says this much of how much is kept, and hands results on itself.
    #[must_use]
    pub fn of_command(
        path: PathBuf,
        program_and_name: [String; 2],
        need: Need,
        retention: Retention,
    ) -> Arc<Self> {
        let results = Results::WhenSaid;
        Arc::new(Self::with(path, program_and_name, need, retention, results))
    }

    fn with(
        path: PathBuf,
        [program, name]: [String; 2],
        need: Need,
        retention: Retention,
        results: Results,
    ) -> Self {
        Self {
            path,
            program,
            name,
            need,
            retention,
            results,
            flushing: Flushing::AtEachCommit,
            opened: Mutex::default(),
            inbox: Arc::default(),
        }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// By which runs of this program with the same workflow and input are found.
    pub(crate) fn input_digest(&self, input: &Map<String, Value>) -> Hash {
        input_digest(&self.name, input)
    }

    #[must_use]
    pub const fn retention(&self) -> Retention {
        self.retention
    }

    pub(crate) fn inbox(&self) -> &Arc<Inbox> {
        &self.inbox
    }

    pub(crate) const fn results(&self) -> Results {
        self.results
    }

    /// Notes that the result of this run was delivered, if it is recorded and has ended.
    ///
    /// # Errors
    /// When that cannot be noted: then the next who asks gets it once more.
    pub fn delivered(&self, id: &str) -> Result<(), Error> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(store) = opened.clone() else {
            return Ok(());
        };
        drop(opened);
        match store.delivered(id) {
            // It needed no file.
            Err(Error::NoSuchRun(_)) => Ok(()),
            noted => noted,
        }
    }

    /// The newest run of this workflow and input that has not ended, or that has with an undelivered result.
    ///
    /// # Errors
    /// Those of the store; there is none where there is no store yet.
    pub fn interrupted(
        &self,
        program: &Program,
        workflow: &str,
        input: &Map<String, Value>,
    ) -> Result<Option<Info>, Error> {
        let store = match self.existing() {
            Err(Error::Missing(_)) => return Ok(None),
            store => store?,
        };
        let former = program.former_name(NodeKind::Workflow, workflow);
        for name in [workflow].into_iter().chain(former) {
            // The second digest finds runs that were recorded before the program's name became part of it.
            for digest in [self.input_digest(input), input_digest("", input)] {
                if let Some(found) = store.interrupted(name, &digest)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    pub(crate) fn need(&self) -> &Need {
        &self.need
    }

    /// The store, which is made if there is none.
    ///
    /// # Errors
    /// When it cannot be made or read, or is something else.
    pub fn open(&self) -> Result<Arc<Store>, Error> {
        self.opened(Missing::Made)
    }

    /// The store, if there is one.
    ///
    /// # Errors
    /// As for [`Self::open`], and when there is none.
    pub fn existing(&self) -> Result<Arc<Store>, Error> {
        self.opened(Missing::Refused)
    }

    /// For a process that leaves: what was to be written is on the disk when this returns. Runs that ended long ago are
    /// forgotten.
    pub fn close(&self) {
        // Without the lock: what the last writes call may look for the store.
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let store = opened.clone();
        drop(opened);
        if let Some(store) = store {
            store.close();
            // The next run tries again.
            let _ = store.tidy(self.retention);
        }
    }

    fn opened(&self, missing: Missing) -> Result<Arc<Store>, Error> {
        // The first caller opens it for all; after a panic it stays closed.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*opened {
            return Ok(Arc::clone(store));
        }
        let patience = Patience::default();
        let store = Store::with(&self.path, missing, patience, self.flushing)?;
        let store = Arc::new(store);
        *opened = Some(Arc::clone(&store));
        Ok(store)
    }
}
