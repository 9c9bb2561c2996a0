//! What an editor shows that only a runtime knows: models, requests, runs. The server asks its host.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gsw_ide::Model;
use gsw_source::Files;

/// The host that knows of models and runs. It is asked on a thread of its own, and may take its time.
pub trait Runtime: Send + Sync + 'static {
    /// The models that are known by name.
    fn models(&self) -> Vec<Model>;

    /// The request that a call of a prompt begins with, its tokens and its price, in Markdown; `None` where it cannot be made. Nothing
    /// is sent and nothing else happens. `files` holds the texts as they are in the editor.
    fn request(&self, file: &Path, prompt: &str, files: &dyn Files) -> Option<String>;

    /// The last run of each workflow of a program, by the workflow: how it ended, when, what it cost.
    fn last_runs(&self, program: &str, store: Option<&str>) -> BTreeMap<String, String>;
}

/// A server without a runtime.
#[derive(Debug)]
pub struct NoRuntime;

impl Runtime for NoRuntime {
    fn models(&self) -> Vec<Model> {
        Vec::new()
    }

    fn request(&self, _: &Path, _: &str, _: &dyn Files) -> Option<String> {
        None
    }

    fn last_runs(&self, _: &str, _: Option<&str>) -> BTreeMap<String, String> {
        BTreeMap::new()
    }
}

/// An editor shows the rest without what takes longer. A guess.
const PATIENCE: Duration = Duration::from_secs(3);
/// As the compiler's own thread has.
const STACK: usize = 64 << 20;

/// What `question` comes to on a thread of its own; `None` when it takes too long or panics.
pub async fn elsewhere<T: Send + 'static>(
    question: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, answer) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("runtime".into());
    let started = thread.stack_size(STACK).spawn(move || {
        // Whoever asked may have gone.
        let _ = sender.send(question());
    });
    started.ok()?;
    tokio::time::timeout(PATIENCE, answer).await.ok()?.ok()
}
