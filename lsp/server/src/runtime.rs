//! What an editor shows that only the host of the server knows: models, requests, runs, what the manual says.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gsw_ide::Model;
use gsw_source::Files;
use tokio::sync::Semaphore;
use tower_lsp::Client;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;

use crate::worker::{broken, said};

/// The host's access to models and runs. It is called on a thread of its own, and may take its time.
pub trait Runtime: Send + Sync + 'static {
    /// The models that are known by name.
    fn models(&self) -> Vec<Model>;

    /// The request that a call of a prompt begins with, its tokens and its price, in Markdown; `None` where it cannot be made. Nothing
    /// is sent and nothing else happens. `files` holds the texts as they are in the editor.
    fn request(&self, file: &Path, prompt: &str, files: &dyn Files) -> Option<String>;

    /// What a word of the language does, in Markdown.
    fn explained(&self, word: &str) -> Option<String>;

    /// The last run of each workflow of a program, by the workflow: how it ended, when, what it cost. `store` is where its project keeps
    /// runs, seen from the project's folder.
    fn last_runs(&self, program: &str, store: Option<(&str, &Path)>) -> BTreeMap<String, String>;
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

    fn explained(&self, _: &str) -> Option<String> {
        None
    }

    fn last_runs(&self, _: &str, _: Option<(&str, &Path)>) -> BTreeMap<String, String> {
        BTreeMap::new()
    }
}

/// An editor shows the rest without what takes longer. A guess.
const PATIENCE: Duration = Duration::from_secs(3);
/// As the compiler's own thread has.
const STACK: usize = 64 << 20;

/// A question that is given up continues all the same, with its stack: a rendering that does not end keeps its place, and when
/// all are taken nothing more is asked. A guess.
static PLACES: Semaphore = Semaphore::const_new(4);

/// The answer to `question`, computed on a thread of its own; `None` when it takes too long, or when too many are running.
///
/// # Errors
/// When it panicked, of which the client is told.
pub async fn elsewhere<T: Send + 'static>(
    client: &Client,
    question: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>> {
    match within(PATIENCE, &PLACES, question).await.transpose() {
        Ok(answer) => Ok(answer),
        Err(Panicked(message)) => {
            let text = format!("gswc lsp has hit a bug and goes on: {message}");
            client.log_message(lsp::MessageType::ERROR, text).await;
            Err(broken())
        }
    }
}

/// The message of a panic.
#[derive(PartialEq, Eq, Debug)]
struct Panicked(String);

async fn within<T: Send + 'static>(
    patience: Duration,
    places: &'static Semaphore,
    question: impl FnOnce() -> T + Send + 'static,
) -> Option<std::result::Result<T, Panicked>> {
    let answered = async {
        let place = places.acquire().await.ok()?;
        let (sender, answer) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("runtime".into());
        let started = thread.stack_size(STACK).spawn(move || {
            let _place = place;
            // The receiver may be gone.
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(question));
            let _ = sender.send(answer.map_err(|it| Panicked(said(&*it))));
        });
        started.ok()?;
        answer.await.ok()
    };
    tokio::time::timeout(patience, answered).await.ok()?
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use tokio::sync::Semaphore;

    use super::{PATIENCE, Panicked, within};

    #[test]
    fn questions_that_do_not_end_keep_others_from_being_asked_until_they_do() {
        static PLACES: Semaphore = Semaphore::const_new(1);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.expect("it can be made").block_on(async {
            let (end, ends) = channel::<()>();
            let short = Duration::from_millis(20);
            let endless = move || ends.recv().is_ok();
            assert_eq!(within(short, &PLACES, endless).await, None);
            assert_eq!(within(short, &PLACES, || 1).await, None);
            drop(end);
            assert_eq!(within(PATIENCE, &PLACES, || 2).await, Some(Ok(2)));
            let broken = within(PATIENCE, &PLACES, || -> u32 { panic!("for the test") }).await;
            assert_eq!(broken, Some(Err(Panicked("for the test".into()))));
        });
    }
}
