//! The one thread that owns the database. Jobs run in the order in which they were sent, so that no answer is older than the last edit;
//! there are no snapshots to outlive their work.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use gsw_source::{Database, File, Files};
use salsa::Setter;
use tokio::sync::oneshot;

use crate::documents::Documents;

#[derive(Default)]
pub struct State {
    pub db: Database,
    documents: Documents,
    files: HashMap<PathBuf, File>,
}

type Job = Box<dyn FnOnce(&mut State) + Send>;

/// Sends jobs to the thread.
#[derive(Clone)]
pub struct Worker {
    jobs: Sender<Job>,
}

/// Syntax trees are at most a thousand levels deep; see the compiler's own thread.
const STACK: usize = 64 << 20;

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        std::thread::Builder::new()
            .name("compiler".into())
            .stack_size(STACK)
            .spawn(move || work(&queue))?;
        Ok(Self { jobs })
    }

    /// Runs a job and gives its result; `None` when it panicked, which costs the state and nothing else.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut State) -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, result) = oneshot::channel();
        let job: Job = Box::new(move |state| {
            // Whoever asked may have gone.
            let _ = reply.send(job(state));
        });
        self.jobs.send(job).ok()?;
        result.await.ok()
    }
}

fn work(queue: &Receiver<Job>) {
    let mut state = State::default();
    while let Ok(job) = queue.recv() {
        let run = std::panic::AssertUnwindSafe(|| job(&mut state));
        if std::panic::catch_unwind(run).is_err() {
            state = state.afresh();
        }
    }
}

impl State {
    /// The file of an open document, after setting its text.
    pub fn set(&mut self, path: &Path, text: &str) -> Option<File> {
        let text: Arc<str> = text.into();
        self.documents.set(path.to_owned(), text.clone());
        let Some(&file) = self.files.get(path) else {
            let file = gsw_project::open_project(&mut self.db, path, &self.documents).ok()?;
            self.files.insert(path.to_owned(), file);
            return Some(file);
        };
        file.set_text(&mut self.db).to(text);
        gsw_project::follow_imports(&mut self.db, file, &self.documents);
        Some(file)
    }

    pub fn close(&mut self, path: &Path) {
        self.documents.close(path);
        if let Some(file) = self.files.remove(path)
            && let Ok(text) = self.documents.read(path)
        {
            file.set_text(&mut self.db).to(text);
        }
    }

    /// The file of an open document.
    pub fn file(&self, path: &Path) -> Option<File> {
        self.files.get(path).copied()
    }

    /// All open documents, in order of path.
    pub fn open(&self) -> Vec<(PathBuf, File)> {
        let mut open: Vec<_> = self
            .files
            .iter()
            .map(|(path, file)| (path.clone(), *file))
            .collect();
        open.sort_by(|a, b| a.0.cmp(&b.0));
        open
    }

    /// A state with the same open documents and a new database.
    fn afresh(self) -> Self {
        let mut fresh = Self {
            documents: self.documents,
            ..Self::default()
        };
        let paths: Vec<_> = self.files.into_keys().collect();
        for path in paths {
            if let Ok(file) = gsw_project::open_project(&mut fresh.db, &path, &fresh.documents) {
                fresh.files.insert(path, file);
            }
        }
        fresh
    }
}
