//! What other processes leave in the store for runs of this process: answers to their questions, and requests to cancel them.
//!
//! One thread a store looks, some times a second, whether the store has changed at all, which costs a few microseconds; it reads
//! what has come only when it has. It lives as long as there is a run or a waiter to look for.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use gsw_journal::cancellation::Cancellation;
use gsw_journal::list::Info;
use gsw_journal::questions::Answer;
use gsw_journal::store::{Error, Store};

/// How often it looks. People and web hooks do not notice a fifth of a second.
const PERIOD: Duration = Duration::from_millis(200);

/// After this many polls of an unchanged store, runs that await an end look for cycles again: the process that was to break one
/// may have died, which is not recorded.
const UNCHANGED: u32 = 25;

/// The receiver of what arrives for a run.
pub(crate) trait Recipient: Send + Sync {
    /// The id of the run.
    fn run(&self) -> &str;

    /// Whether the run has ended, so that nothing is delivered to it any more.
    fn is_gone(&self) -> bool;

    /// What was answered to its operations, in the order of the answers.
    fn answered(self: Arc<Self>, answers: &[(u64, Answer)]);

    /// The run is to be cancelled.
    fn cancelled(self: Arc<Self>, reason: &str);
}

/// Takes what is known of a run that has ended, or why nothing is known of it.
pub(crate) type OnEnded = Box<dyn FnOnce(Result<Info, Error>) + Send>;

/// Called when another process has written to the store.
pub(crate) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// The result of a poll.
enum Looked {
    /// The store has not changed.
    Unchanged,
    Delivered,
}

/// Looks for what others have left in a store.
#[derive(Default)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    /// Notified when the store is to be read at once.
    called: Condvar,
}

#[derive(Default)]
struct State {
    recipients: Vec<Weak<dyn Recipient>>,
    /// Runs of other processes whose ends are awaited, each with the callback for it.
    awaited: Vec<(String, OnEnded)>,
    is_served: bool,
    /// Whether the store is to be read though its version may be the same.
    is_called: bool,
    /// Called when the store has changed while an end is awaited.
    on_change: Option<OnChange>,
    /// The version of the store when it was last read without an error.
    version: Option<i64>,
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inbox")
    }
}

impl Inbox {
    /// From now on, what comes for this run is delivered to it.
    pub(crate) fn register(self: &Arc<Self>, store: &Arc<Store>, recipient: Weak<dyn Recipient>) {
        let mut state = self.lock();
        state.recipients.push(recipient);
        self.serve(state, store);
    }

    /// Calls `then` when the run of this id has ended, and until then `on_change` whenever others may have written to the store.
    pub(crate) fn await_end(
        self: &Arc<Self>,
        store: &Arc<Store>,
        run: &str,
        then: OnEnded,
        on_change: OnChange,
    ) {
        let mut state = self.lock();
        state.on_change = Some(on_change);
        state.awaited.push((run.to_owned(), then));
        self.serve(state, store);
    }

    /// Reads the store at once.
    pub(crate) fn look_now(&self) {
        self.lock().is_called = true;
        self.called.notify_all();
    }

    fn serve(self: &Arc<Self>, mut state: MutexGuard<'_, State>, store: &Arc<Store>) {
        // What is there may have arrived before the caller asked.
        state.is_called = true;
        self.called.notify_all();
        if state.is_served {
            return;
        }
        let (inbox, store) = (Arc::clone(self), Arc::clone(store));
        let thread = std::thread::Builder::new().name("gsw-inbox".into());
        // Without a thread nothing arrives from other processes until the run is resumed.
        state.is_served = thread.spawn(move || inbox.work(&store)).is_ok();
    }

    fn work(&self, store: &Store) {
        let mut unchanged = 0;
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
            match self.look(store, last.filter(|_| !is_called)) {
                Ok(Looked::Unchanged) => unchanged += 1,
                Ok(Looked::Delivered) => unchanged = 0,
                Err(_) => {
                    // It is locked or damaged. Nothing was taken note of, so all of it is read again; what writes to it reports
                    // what is wrong.
                    self.lock().is_called = true;
                    std::thread::sleep(PERIOD);
                }
            }
            if unchanged >= UNCHANGED {
                unchanged = 0;
                self.tell_change();
            }
        }
    }

    /// Delivers what has arrived, unless the store is unchanged.
    fn look(&self, store: &Store, last: Option<i64>) -> Result<Looked, Error> {
        // Before it is read: what comes in between changes it again.
        let version = store.version()?;
        if last == Some(version) {
            return Ok(Looked::Unchanged);
        }
        self.deliver(store)?;
        self.lock().version = Some(version);
        Ok(Looked::Delivered)
    }

    fn deliver(&self, store: &Store) -> Result<(), Error> {
        let recipients: HashMap<String, Arc<dyn Recipient>> = {
            let state = self.lock();
            let there = state.recipients.iter().filter_map(Weak::upgrade);
            there.map(|it| (it.run().to_owned(), it)).collect()
        };
        let mut answers: HashMap<String, Vec<(u64, Answer)>> = HashMap::new();
        for (run, operation, answer) in store.answered()? {
            answers.entry(run).or_default().push((operation, answer));
        }
        for (run, answers) in answers {
            if let Some(recipient) = recipients.get(&run) {
                Arc::clone(recipient).answered(&answers);
            }
        }
        for Cancellation { run, reason, at: _ } in store.cancellations()? {
            if let Some(recipient) = recipients.get(&run) {
                Arc::clone(recipient).cancelled(&reason);
            }
        }
        self.deliver_ends(store)?;
        self.tell_change();
        Ok(())
    }

    fn tell_change(&self) {
        let state = self.lock();
        let on_change = state
            .on_change
            .clone()
            .filter(|_| !state.awaited.is_empty());
        drop(state);
        if let Some(on_change) = on_change {
            on_change();
        }
    }

    fn deliver_ends(&self, store: &Store) -> Result<(), Error> {
        let mut outcome = Ok(());
        let awaited = std::mem::take(&mut self.lock().awaited);
        for (run, then) in awaited {
            let found = match &outcome {
                Ok(()) => store.find(&run),
                // The rest is looked up when the store can be read again.
                Err(_) => {
                    self.lock().awaited.push((run, then));
                    continue;
                }
            };
            match found {
                Ok(info) if !info.status.is_final() => self.lock().awaited.push((run, then)),
                Err(error) if error.may_pass() => {
                    outcome = Err(error);
                    self.lock().awaited.push((run, then));
                }
                ended @ (Ok(_) | Err(_)) => then(ended),
            }
        }
        outcome
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
