//! Delivers answers from outside: finds the run, checks the answer, hands it over.

use std::sync::{Arc, Weak};

use gsw_abi::types::TypeId;
use gsw_engine::external::{External, unfit_key};
use gsw_engine::port::Deaf;
use gsw_engine::run::{BEHAVIOUR, Run, Start};
use gsw_notation::issue::Issue;

use super::{RunStage, Runs, new_id};
use crate::call::Call;
use crate::clock::{self, Clock};
use crate::external::{Address, NotTaken, Route, Taken};
use crate::perform::Handle;
use crate::work::Completion;

/// The sender of an answer, as it is reported to a second sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sender {
    /// Answers what persons are asked, too.
    Person(String),
    Program(String),
}

impl Sender {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Person(name) | Self::Program(name) => name,
        }
    }
}

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

    /// Brings an answer, as JSON text, to what waits for it, and says what happened to it. It is checked before: one that does
    /// not fit changes nothing.
    ///
    /// # Errors
    /// When it was not taken, with the reason.
    pub fn deliver(
        self: &Arc<Self>,
        address: Address,
        answer: String,
        sender: Sender,
    ) -> Result<Taken, NotTaken> {
        let (channel, taken) = std::sync::mpsc::channel();
        self.deliver_then(address, answer, sender, move |it| drop(channel.send(it)));
        taken.recv().unwrap_or(Err(NotTaken::Gone))
    }

    /// Like [`Self::deliver`], for a caller that must not wait; `then` is called on a thread of the engine, and not at all
    /// when that cannot start one.
    pub fn deliver_then(
        self: &Arc<Self>,
        address: Address,
        answer: String,
        sender: Sender,
        then: impl FnOnce(Result<Taken, NotTaken>) + Send + 'static,
    ) {
        let Some(driver) = self.driver.get().and_then(Weak::upgrade) else {
            return then(Err(NotTaken::Gone));
        };
        let runs = Arc::clone(self);
        let clock = driver.clock.clone();
        // A check of the answer's type is compiled code, which wants a deep stack.
        let _ = driver.threads.run(move || {
            then(runs.deliver_here(&address, &answer, &sender, &clock));
        });
    }

    fn deliver_here(
        &self,
        address: &Address,
        answer: &str,
        sender: &Sender,
        clock: &Clock,
    ) -> Result<Taken, NotTaken> {
        if let Address::Key(key) = address
            && let Some(wrong) = unfit_key(key)
        {
            return Err(NotTaken::UnfitKey { wrong });
        }
        // Again only when another sender came between the look and the deed, and then that one has got on.
        loop {
            let now = clock.now();
            let route = self.externals.route(address, now);
            let taken = match (route, address) {
                (Ok(Route::Open(found)), _) => {
                    let issues = self.unfit(found.result, answer, now);
                    unless_unfit(&found.name, issues)?;
                    self.externals.deliver(&found, answer, now)
                }
                (elsewhere, _) if let Some(at) = self.answers_in(address)? => {
                    // What waits is recorded, or nothing does.
                    drop(elsewhere);
                    return self.deliver_written(&at, address, answer, sender, now);
                }
                (Ok(Route::Early), Address::Key(key)) => {
                    unless_unfit(key, gsw_notation::json::parse(answer).err())?;
                    self.externals.keep(key, answer, now)
                }
                (Ok(Route::Early), Address::Name { .. } | Address::Operation { .. }) => {
                    unreachable!("an answer is early only by its key")
                }
                (Err(why), Address::Key(_)) => return Err(why),
                (Err(why), Address::Name { run, .. } | Address::Operation { run, .. }) => {
                    return Err(self.over(run).unwrap_or(why));
                }
            };
            if let Some(taken) = taken {
                return Ok(taken);
            }
        }
    }

    /// Why a run of this process takes no answers at all.
    fn over(&self, run: &Arc<str>) -> Option<NotTaken> {
        let run = Arc::clone(run);
        match self.get(&run).map(|it| it.stage) {
            None => Some(NotTaken::NoRun { run }),
            Some(RunStage::Running) => None,
            Some(RunStage::Left | RunStage::Completed | RunStage::Failed | RunStage::Cancelled) => {
                Some(NotTaken::Over { run })
            }
        }
    }

    /// What of an answer does not fit a type: a run that never begins reads it.
    pub(super) fn unfit(&self, ty: TypeId, answer: &str, now: i64) -> Vec<Issue> {
        self.unbegun_run(now).unfit(ty, answer)
    }

    /// A run that never begins, for what only a run can check.
    pub(in crate::engine) fn unbegun_run(&self, now: i64) -> Box<Run> {
        let start = Start {
            id: new_id(),
            now,
            seed: clock::random_word(),
            settings: self.settings.clone(),
            parent: None,
            behaviour: BEHAVIOUR,
        };
        Run::new(Arc::clone(&self.loaded), None, start, Box::new(Deaf))
    }
}

pub(super) fn unless_unfit(
    name: &str,
    issues: impl IntoIterator<Item = Issue>,
) -> Result<(), NotTaken> {
    let issues: Vec<Issue> = issues.into_iter().collect();
    if issues.is_empty() {
        return Ok(());
    }
    Err(NotTaken::Unfit {
        name: name.to_owned(),
        issues,
    })
}
