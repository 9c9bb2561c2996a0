//! What other processes leave in the store for runs that this one carries: answers to their questions, that they end.
//!
//! One thread a store looks, some times a second, whether the store has changed at all, which costs a few microseconds; it looks
//! what has come only when it has. It lives as long as there is somebody to look for.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use gsw_engine::operation::OperationId;
use gsw_journal::cancellation::Cancellation;
use gsw_journal::list::Info;
use gsw_journal::questions::Answer;
use gsw_journal::store::{Error, Store};

/// How often it looks. People and web hooks do not notice a fifth of a second.
const PERIOD: Duration = Duration::from_millis(200);

/// Who carries a run, for what comes for it.
pub(crate) trait Recipient: Send + Sync {
    /// The id of the run; `None` when it is not carried any more.
    fn run(&self) -> &str;

    fn is_gone(&self) -> bool;

    /// What was answered to an operation.
    fn answered(self: Arc<Self>, operation: OperationId, answer: &Answer);

    /// Somebody wants the run to end.
    fn cancelled(self: Arc<Self>, reason: &str);
}

/// Hears of a run that has ended, or why nothing is known of it.
pub(crate) type OnEnded = Box<dyn FnOnce(Result<Info, Error>) + Send>;

/// Looks for what others have left in a store.
#[derive(Default)]
pub(crate) struct Post {
    state: Mutex<State>,
    /// Somebody of this process knows that something has come.
    called: Condvar,
}

#[derive(Default)]
struct State {
    recipients: Vec<Weak<dyn Recipient>>,
    /// Those who wait for the end of a run that others carry.
    awaited: Vec<(String, OnEnded)>,
    is_served: bool,
    is_called: bool,
    /// Of the store when it was last looked at.
    version: Option<i64>,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Post")
    }
}

impl Post {
    /// From now on, what comes for this run is brought to it.
    pub(crate) fn register(self: &Arc<Self>, store: &Arc<Store>, recipient: Weak<dyn Recipient>) {
        let mut state = self.lock();
        state.recipients.push(recipient);
        self.serve(state, store);
    }

    /// Calls `then` when the run of this id has ended.
    pub(crate) fn await_end(self: &Arc<Self>, store: &Arc<Store>, run: &str, then: OnEnded) {
        let mut state = self.lock();
        state.awaited.push((run.to_owned(), then));
        self.serve(state, store);
    }

    /// Looks at once.
    pub(crate) fn call(&self) {
        self.lock().is_called = true;
        self.called.notify_all();
    }

    fn serve(self: &Arc<Self>, mut state: MutexGuard<'_, State>, store: &Arc<Store>) {
        // What is there already has come before whoever asks now.
        state.is_called = true;
        self.called.notify_all();
        if state.is_served {
            return;
        }
        let (post, store) = (Arc::clone(self), Arc::clone(store));
        let thread = std::thread::Builder::new().name("gsw-post".into());
        // Without a thread nothing comes from others until the run is carried anew.
        state.is_served = thread.spawn(move || post.work(&store)).is_ok();
    }

    fn work(&self, store: &Store) {
        loop {
            let mut state = self.lock();
            if !state.is_called {
                let waited = self.called.wait_timeout(state, PERIOD);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            state
                .recipients
                .retain(|it| it.upgrade().is_some_and(|it| !it.is_gone()));
            if state.recipients.is_empty() && state.awaited.is_empty() {
                state.is_served = false;
                return;
            }
            let is_called = std::mem::take(&mut state.is_called);
            let last = state.version;
            drop(state);
            // A store that is locked or damaged is looked at again; who writes to it finds out what is wrong.
            let Ok(version) = store.version() else {
                std::thread::sleep(PERIOD);
                continue;
            };
            if is_called || last != Some(version) {
                self.bring(store);
                self.lock().version = Some(version);
            }
        }
    }

    /// Brings what has come.
    fn bring(&self, store: &Store) {
        let recipients: Vec<Arc<dyn Recipient>> = {
            let state = self.lock();
            state.recipients.iter().filter_map(Weak::upgrade).collect()
        };
        let of = |run: &str| recipients.iter().find(|it| it.run() == run).map(Arc::clone);
        for (run, operation, answer) in store.answered().unwrap_or_default() {
            if let Some(recipient) = of(&run) {
                recipient.answered(OperationId(operation), &answer);
            }
        }
        for Cancellation { run, reason, at: _ } in store.cancellations().unwrap_or_default() {
            if let Some(recipient) = of(&run) {
                recipient.cancelled(&reason);
            }
        }
        let awaited = std::mem::take(&mut self.lock().awaited);
        for (run, then) in awaited {
            match store.find(&run) {
                Ok(info) if !info.status.is_final() => self.lock().awaited.push((run, then)),
                ended @ (Ok(_) | Err(_)) => then(ended),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
