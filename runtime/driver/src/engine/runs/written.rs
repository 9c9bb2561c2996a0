//! Answers to runs that are recorded, whichever process runs them: what they ask is in the store, and there an answer counts
//! once.

use std::sync::Arc;

use gsw_abi::program::{Asks, Prompt};
use gsw_abi::schema::schema;
use gsw_abi::types::TypeId;
use gsw_journal::questions::{Answer, Asked, Delivered, Kind, Question, Refusal, Reply, State, To};
use gsw_journal::schema::Missing;
use gsw_journal::store::{Error, Store};
use gsw_notation::issue::Issue;

use super::Runs;
use super::delivery::{Sender, unless_unfit};
use crate::durable::secrecy::Secrecy;
use crate::durable::store::{Need, RunStore};
use crate::external::{Address, First, NotTaken, Taken};
use crate::turn_threads::TurnThreads;

impl Runs {
    /// The store that an answer to this address belongs to; none where runs are not recorded.
    pub(super) fn answers_in(&self, address: &Address) -> Result<Option<Arc<RunStore>>, NotTaken> {
        let Some(at) = self.store() else {
            return Ok(None);
        };
        let opened = match address {
            // It may be the first thing that is kept.
            Address::Key(_) => at.open(),
            Address::Name { .. } | Address::Operation { .. } => at.existing(),
        };
        match (opened, at.need()) {
            (Ok(_), _) => Ok(Some(at)),
            (Err(Error::Missing(_)), _) | (Err(_), Need::Offered(_)) => Ok(None),
            (Err(error), Need::Asked) => Err(unusable(&error)),
        }
    }

    /// Answers what is asked in the store.
    pub(super) fn deliver_written(
        &self,
        at: &RunStore,
        address: &Address,
        answer: &str,
        sender: &Sender,
        now: i64,
    ) -> Result<Taken, NotTaken> {
        let store = at.existing().map_err(|it| unusable(&it))?;
        let found = self.asked_at(&store, address)?;
        let (of_run, asked) = found.map(|it| (it.run, it.question)).unzip();
        let address = &as_asked(address, asked.as_ref());
        let (name, kind) = match &asked {
            Some(question) => (Some(question.name.clone()), Some(question.kind)),
            None => (name_of(address), None),
        };
        let declared = name.as_deref().and_then(|it| self.asked_for(it));
        // An answer is checked by the type that it is wanted for.
        if let Some(question) = &asked
            && declared
                .map(|it| schema(&self.loaded.types, it).to_string())
                .as_ref()
                != Some(&question.schema)
        {
            let name = question.name.clone();
            return Err(NotTaken::AskedElsewhere { name });
        }
        match (kind, sender) {
            (Some(Kind::Human), Sender::Program(_)) => {
                let name = name.unwrap_or_default();
                return Err(NotTaken::NotAPerson { name });
            }
            (Some(Kind::Human | Kind::External) | None, _) => {}
        }
        // An answer whose question is not known yet is only checked to be JSON.
        let issues = match declared {
            Some(ty) => self.unfit(ty, answer, now),
            None => gsw_notation::json::parse(answer)
                .err()
                .into_iter()
                .collect(),
        };
        let shown = name.clone().unwrap_or_else(|| "what it is for".to_owned());
        unless_unfit(&shown, issues)?;
        let value = match (Secrecy::of(&self.loaded.program), &of_run) {
            (Secrecy::Plain, _) => Ok(answer.as_bytes().to_vec()),
            (Secrecy::Sealed, Some(run)) => store.sealed_answer_of(run, answer.as_bytes()),
            (Secrecy::Sealed, None) => store.sealed_answer(answer.as_bytes(), Missing::Made),
        };
        let value = value.map_err(|it| unusable(&it))?;
        let delivered = store.answer(Reply {
            to: to(address),
            digest: None,
            answer: Answer {
                value,
                by: sender.name().to_owned(),
                at: now,
            },
        });
        at.inbox().look_now();
        match delivered {
            Ok(Delivered::ToRun { run, .. }) => Ok(Taken::Delivered {
                run: run.into(),
                name: name.unwrap_or_default(),
            }),
            Ok(Delivered::Early) => Ok(Taken::Kept),
            Err(error) => Err(not_taken(error, address, name.unwrap_or_default())),
        }
    }

    /// What of an answer does not fit the `human` or `external` of this name; `None` when there is none.
    pub fn unfit_for(self: &Arc<Self>, name: &str, answer: &str) -> Option<Vec<Issue>> {
        let ty = self.asked_for(name)?;
        let (runs, answer) = (Arc::clone(self), answer.to_owned());
        let now = self.upgraded_driver().clock.now();
        TurnThreads::shared().wait_for(move || runs.unfit(ty, &answer, now))
    }

    fn asked_for(&self, name: &str) -> Option<TypeId> {
        self.declared(name).map(|it| it.result)
    }

    fn declared(&self, name: &str) -> Option<&Prompt> {
        let mut declared = self.loaded.program.prompts.iter();
        declared.find(|it| self.is_same_question(&it.name, name))
    }

    /// Whom the declaration of this name asks; `None` when there is none.
    #[must_use]
    pub fn whom_asks(&self, name: &str) -> Option<Asks> {
        self.declared(name).map(|it| it.asks)
    }

    /// Whether these are names of one `human` or `external`, be it in different versions of the program.
    #[must_use]
    pub fn is_same_question(&self, first: &str, second: &str) -> bool {
        self.loaded.program.is_same_question(first, second)
    }

    /// The question that is meant, if there is one.
    fn asked_at(&self, store: &Store, address: &Address) -> Result<Option<Asked>, NotTaken> {
        let of_run = |run: &Arc<str>| -> Result<Vec<Asked>, NotTaken> {
            let asked = store.questions(Some(run));
            asked.map_err(|error| not_taken(error, address, String::new()))
        };
        Ok(match address {
            Address::Name { run, name } => {
                let asked = of_run(run)?.into_iter();
                let mut open = asked.filter(|it| it.state == State::Open);
                open.find(|it| self.is_same_question(&it.question.name, name))
            }
            Address::Operation { run, operation } => {
                let mut asked = of_run(run)?.into_iter();
                asked.find(|it| it.question.operation == *operation)
            }
            Address::Key(key) => store.question_of_key(key).map_err(|it| unusable(&it))?,
        })
    }
}

/// The address with the name that was asked by, since an earlier version may have asked by an earlier name.
fn as_asked(address: &Address, asked: Option<&Question>) -> Address {
    match (address, asked) {
        (Address::Name { run, .. }, Some(question)) => Address::Name {
            run: Arc::clone(run),
            name: question.name.as_str().into(),
        },
        (address, _) => address.clone(),
    }
}

fn name_of(address: &Address) -> Option<String> {
    match address {
        Address::Name { name, .. } => Some(name.to_string()),
        Address::Operation { .. } | Address::Key(_) => None,
    }
}

fn to(address: &Address) -> To<'_> {
    match address {
        Address::Name { run, name } => To::Named { run, name },
        Address::Operation { run, operation } => To::Operation {
            run,
            operation: *operation,
        },
        Address::Key(key) => To::Key(key),
    }
}

fn unusable(error: &Error) -> NotTaken {
    NotTaken::Store {
        why: error.to_string(),
    }
}

/// Why the store did not take it, for the sender.
fn not_taken(error: Error, address: &Address, name: String) -> NotTaken {
    match error {
        Error::NoSuchRun(run) => NotTaken::NoRun { run: run.into() },
        Error::Ended { id, .. } => NotTaken::Over { run: id.into() },
        Error::Refused(refusal) => match refusal {
            Refusal::NotAsked { run, open } => NotTaken::NotAsked {
                run: run.into(),
                name: name.into(),
                waits_for: open,
            },
            Refusal::Answered { by, at, run } => NotTaken::Again {
                first: First {
                    run: run.map(Into::into),
                    by: Some(by),
                    at,
                },
            },
            Refusal::Late { due } => NotTaken::Late { name, due },
            Refusal::Closed { why } => NotTaken::Closed {
                key: match address {
                    Address::Key(key) => Some(Arc::clone(key)),
                    Address::Name { .. } | Address::Operation { .. } => None,
                },
                why,
            },
            Refusal::Full => NotTaken::Full,
            refusal @ (Refusal::Several { .. } | Refusal::Another | Refusal::NotAllowed { .. }) => {
                NotTaken::Store {
                    why: refusal.to_string(),
                }
            }
        },
        error @ (Error::Missing(_)
        | Error::Removed(_)
        | Error::Foreign(_)
        | Error::Version { .. }
        | Error::Unusable { .. }
        | Error::Ambiguous(_)
        | Error::NotEnded(_)
        | Error::Carried(_)
        | Error::Exists(_)
        | Error::Sealed(_)
        | Error::TooShort { .. }
        | Error::NoFile { .. }
        | Error::Network { .. }
        | Error::DamagedLog(_)
        | Error::DamagedEntry(_)
        | Error::Damaged { .. }
        | Error::Locked(_)
        | Error::Database(_)) => unusable(&error),
    }
}
