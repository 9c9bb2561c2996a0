//! The one thread that owns the databases. Jobs run in the order in which they were sent, so that no answer is older than the last edit;
//! there are no snapshots to outlive their work. Between jobs it checks files, one at a time.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::checks::{Progress, Publication};
use crate::state::State;

type Job = Box<dyn FnOnce(&mut State) + Send>;

/// Sends jobs to the thread.
#[derive(Clone)]
pub struct Worker {
    jobs: Sender<Job>,
}

/// What the thread reports without being asked.
#[derive(Debug)]
pub enum Notice {
    Published(Publication),
    /// This much of the first check is done, in percent.
    Loading(u32),
    /// The first check has ended.
    Loaded,
    /// Something panicked: a bug of the server, by its message.
    Broken(String),
}

/// A user who types presses a key more often than this, and waits for nothing but the document. A guess.
const MOMENT: Duration = Duration::from_millis(150);

/// Syntax trees are at most a thousand levels deep; see the compiler's own thread.
const STACK: usize = 64 << 20;

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(notices: UnboundedSender<Notice>) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        std::thread::Builder::new()
            .name("compiler".into())
            .stack_size(STACK)
            .spawn(move || work(&queue, &notices))?;
        Ok(Self { jobs })
    }

    /// Runs a job without waiting for it.
    pub fn send(&self, job: impl FnOnce(&mut State) + Send + 'static) {
        // Nothing is to be done when the thread is gone.
        let _ = self.jobs.send(Box::new(job));
    }

    /// Runs a job and returns its result. One that is not waited for any more when its turn comes, because the client has
    /// cancelled the request, is left out.
    ///
    /// # Errors
    /// When it panicked, which costs the state and nothing else.
    pub async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut State) -> T + Send + 'static,
    ) -> Result<T> {
        let (reply, result) = oneshot::channel();
        self.send(move |state| {
            if !reply.is_closed() {
                // The caller may have gone.
                let _ = reply.send(job(state));
            }
        });
        result.await.map_err(|_| broken())
    }
}

/// The answer to a request that panicked.
pub fn broken() -> Error {
    Error {
        code: ErrorCode::InternalError,
        message: "this request has hit a bug of the language server; it goes on without an answer"
            .into(),
        data: None,
    }
}

fn work(queue: &Receiver<Job>, notices: &UnboundedSender<Notice>) {
    let mut state = State::default();
    loop {
        let job = match queue.try_recv() {
            Ok(job) => job,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                let checked = contained(&mut state, notices, State::check_next);
                match checked {
                    Some(Progress::Published(publication)) => {
                        // The session may be ending.
                        let _ = notices.send(Notice::Published(publication));
                        continue;
                    }
                    Some(Progress::Loading(percentage)) => {
                        let _ = notices.send(Notice::Loading(percentage));
                        continue;
                    }
                    Some(Progress::Loaded) => {
                        let _ = notices.send(Notice::Loaded);
                        continue;
                    }
                    Some(Progress::Silent) => continue,
                    Some(Progress::Paused) => match queue.recv_timeout(MOMENT) {
                        Ok(job) => {
                            contained(&mut state, notices, job);
                            continue;
                        }
                        Err(RecvTimeoutError::Timeout) => {
                            state.checks.is_quiet();
                            continue;
                        }
                        Err(RecvTimeoutError::Disconnected) => return,
                    },
                    Some(Progress::Done) => {}
                    // Whatever panicked would do so again.
                    None => {
                        state.checks.give_up();
                        let _ = notices.send(Notice::Loaded);
                    }
                }
                match queue.recv() {
                    Ok(job) => job,
                    Err(_) => return,
                }
            }
        };
        contained(&mut state, notices, job);
    }
}

/// Does something with the state, which a panic costs: it is made anew from the documents.
fn contained<T>(
    state: &mut State,
    notices: &UnboundedSender<Notice>,
    action: impl FnOnce(&mut State) -> T,
) -> Option<T> {
    let run = std::panic::AssertUnwindSafe(|| action(state));
    match std::panic::catch_unwind(run) {
        Ok(result) => Some(result),
        Err(panic) => {
            let message = said(&*panic);
            // The session may be ending.
            let _ = notices.send(Notice::Broken(message));
            let anew = std::panic::AssertUnwindSafe(|| state.afresh());
            if std::panic::catch_unwind(anew).is_err() {
                state.workspaces.clear();
            }
            None
        }
    }
}

/// The message of a panic.
pub fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".into())
}

#[cfg(test)]
mod tests {
    use super::{Notice, Worker};

    #[test]
    fn a_panic_costs_one_answer_and_is_reported() {
        let (sender, mut notices) = tokio::sync::mpsc::unbounded_channel();
        let worker = Worker::start(sender).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let uri: tower_lsp::ls_types::Uri = "file:///a/b.gsw".parse().unwrap();
            let opened = uri.clone();
            worker.send(move |state| state.open(opened, 1, "fn f() -> int { 1 }".into()));
            let failed = worker.ask(|_| -> u32 { panic!("for the test") }).await;
            assert!(failed.is_err());
            let text = worker
                .ask(move |state| state.view(&uri).map(|it| it.file.text(it.db).to_string()))
                .await;
            assert_eq!(text.unwrap().unwrap(), "fn f() -> int { 1 }");
        });
        let mut broken = None;
        while let Ok(notice) = notices.try_recv() {
            if let Notice::Broken(message) = notice {
                broken = Some(message);
            }
        }
        assert_eq!(broken.as_deref(), Some("for the test"));
    }

    #[test]
    fn what_was_cancelled_before_its_turn_is_left_out() {
        let (sender, _notices) = tokio::sync::mpsc::unbounded_channel();
        let worker = Worker::start(sender).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let (gate, opened) = std::sync::mpsc::channel::<()>();
        let (ran, was_run) = std::sync::mpsc::channel::<()>();
        worker.send(move |_| opened.recv().unwrap());
        runtime.block_on(async {
            let cancelled = worker.ask(move |_| ran.send(()));
            let mut cancelled = std::pin::pin!(cancelled);
            // Its first step sends the job; then the client gives it up.
            tokio::select! {
                biased;
                _ = &mut cancelled => panic!("the thread is held up"),
                () = std::future::ready(()) => {}
            }
        });
        gate.send(()).unwrap();
        drop(runtime.block_on(worker.ask(|_| ())));
        assert!(was_run.try_recv().is_err());
    }
}
