//! Answers from outside on their way: found, checked by a run that never begins, brought.

use std::sync::{Arc, Weak};

use gsw_abi::types::TypeId;
use gsw_engine::external::External;
use gsw_engine::port::Deaf;
use gsw_engine::run::{BEHAVIOUR, Run, Start};
use gsw_notation::issue::Issue;

use super::{RunStatus, Runs, new_id};
use crate::call::Call;
use crate::clock::{self, Clock};
use crate::external::{Address, NotTaken, Route, Taken};
use crate::perform::Handle;
use crate::work::Completion;

impl Runs {
    /// A run waits for an answer from outside.
    pub(crate) fn wait_for(
        &self,
        external: External,
        call: &Call,
        completion: Completion,
        now: i64,
    ) -> Handle {
        Handle::External(self.externals.ask(&call.run, external, completion, now))
    }

    /// Brings an answer from outside, as JSON text, to what waits for it, and says what has become of it. It is checked before:
    /// one that does not fit changes nothing.
    ///
    /// # Errors
    /// When it was not taken, with the reason.
    pub fn deliver(self: &Arc<Self>, address: Address, answer: String) -> Result<Taken, NotTaken> {
        let (sender, taken) = std::sync::mpsc::channel();
        self.deliver_then(address, answer, move |it| drop(sender.send(it)));
        taken.recv().unwrap_or(Err(NotTaken::Gone))
    }

    /// The same for who must not wait; `then` is called on a thread of the engine, and not at all when that cannot start one.
    pub fn deliver_then(
        self: &Arc<Self>,
        address: Address,
        answer: String,
        then: impl FnOnce(Result<Taken, NotTaken>) + Send + 'static,
    ) {
        let Some(driver) = self.driver.get().and_then(Weak::upgrade) else {
            return then(Err(NotTaken::Gone));
        };
        let runs = Arc::clone(self);
        let clock = driver.clock.clone();
        // A check of the answer's type is compiled code, which wants a deep stack.
        let _ = driver.threads.run(move || {
            then(runs.deliver_here(&address, &answer, &clock));
        });
    }

    fn deliver_here(
        &self,
        address: &Address,
        answer: &str,
        clock: &Clock,
    ) -> Result<Taken, NotTaken> {
        // Again only when another sender came between the look and the deed, and then that one has got on.
        loop {
            if let Address::Name { run, .. } = address {
                match self.get(run).map(|it| it.status) {
                    None => {
                        return Err(NotTaken::NoRun {
                            run: Arc::clone(run),
                        });
                    }
                    Some(RunStatus::Running) => {}
                    Some(
                        RunStatus::Completed
                        | RunStatus::Failed
                        | RunStatus::Cancelled
                        | RunStatus::Left,
                    ) => {
                        return Err(NotTaken::Over {
                            run: Arc::clone(run),
                        });
                    }
                }
            }
            let now = clock.now();
            let taken = match (self.externals.route(address, now)?, address) {
                (Route::Open(found), _) => {
                    let issues = self.unfit(found.result, answer, now);
                    if !issues.is_empty() {
                        return Err(NotTaken::Unfit {
                            name: found.name,
                            issues,
                        });
                    }
                    self.externals.deliver(&found, answer, now)
                }
                (Route::Early, Address::Key(key)) => {
                    if let Err(issue) = gsw_notation::json::parse(answer) {
                        return Err(NotTaken::Unfit {
                            name: key.to_string(),
                            issues: vec![issue],
                        });
                    }
                    self.externals.keep(key, answer, now)
                }
                (Route::Early, Address::Name { .. }) => {
                    unreachable!("an answer is early only by its key")
                }
            };
            if let Some(taken) = taken {
                return Ok(taken);
            }
        }
    }

    /// What of an answer does not fit a type: a run that never begins reads it.
    pub(in crate::engine) fn unfit(&self, ty: TypeId, answer: &str, now: i64) -> Vec<Issue> {
        let start = Start {
            id: new_id(),
            now,
            seed: clock::random_word(),
            settings: self.settings.clone(),
            parent: None,
            behaviour: BEHAVIOUR,
        };
        let mut run = Run::new(Arc::clone(&self.loaded), None, start, Box::new(Deaf));
        run.unfit(ty, answer)
    }
}
