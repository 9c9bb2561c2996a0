//! The state of stored runs: inspected, answered and settled without resuming them.
//!
//! What a run waits for is known when it is replayed, as far as what is recorded goes and no further. Whoever adds an outcome
//! takes the run first, as who continues with it does, so an answer counts once.

use std::sync::{Arc, Mutex, PoisonError};

use gsw_engine::external::External;
use gsw_engine::human::Question;
use gsw_engine::operation::{OperationId, Outcome, Request};
use gsw_engine::port::{Notice, Port};
use gsw_engine::run::{FailedUndos, NotUndone, Run, RunResult, SettledHow, SettledUndo};
use gsw_journal::list::{Info, Status};
use gsw_journal::questions::Answer;
use gsw_journal::record::{Payload, Record};
use gsw_notation::calendar::rfc3339;
use gsw_tree::event::{Event, State};
use serde_json::Value;

use crate::durable::asked;
use crate::durable::noted::Noted;
use crate::durable::resume::{self, Brought, Pending, PendingState};
use crate::engine::resuming::{NotResumed, Read, image_digest};
use crate::engine::runs::Runs;
use crate::turn_threads::TurnThreads;

/// The state of a stored run.
#[derive(Debug)]
pub struct Standing {
    pub info: Info,
    /// What has happened in it.
    pub events: Vec<Event>,
    pub how: How,
    /// What it has asked for and has no outcome of.
    pub open: Vec<Open>,
    /// Its time, in nanoseconds since 1970.
    pub now: i64,
    /// The `state` variables of its workflow.
    pub state: State,
    /// What could not be taken back, of a run that has ended.
    pub failed_undos: FailedUndos,
}

/// How far a run is.
#[derive(Debug)]
pub enum How {
    /// It can be gone on with.
    Open,
    Ended(RunResult),
    /// This program asks for something else than what is recorded.
    Diverged(String),
}

/// Something that a run has asked for and has no outcome of.
#[derive(Debug)]
pub struct Open {
    pub operation: OperationId,
    /// A short description.
    pub what: String,
    /// When it was asked for, in nanoseconds since 1970.
    pub since: i64,
    /// The deadline after which its outcome is not needed, likewise.
    pub due: Option<i64>,
    pub state: OpenState,
}

/// What happens to an open operation when its run is resumed.
#[derive(Debug)]
pub enum OpenState {
    /// It is performed, possibly for a second time.
    Begins,
    /// Time passes, whichever process runs the run.
    Passes,
    /// A person is asked for the answer.
    Asks(Box<Question>),
    /// An answer from outside is waited for.
    Waits(Box<External>),
    /// There is an answer, which the run takes when it is resumed.
    Answered(Answer),
    /// It may have been done: the program gets `OutcomeUnknown`.
    Unknown,
}

/// What happened to an operation that may have been done.
#[derive(Clone, Debug)]
pub enum Settled {
    /// It was done, and gave this.
    Done(Value),
    NotDone,
}

/// Why nothing was added to a run.
#[derive(Debug)]
pub enum NotAdded {
    Run(NotResumed),
    /// The program asks for something else than what is recorded.
    Diverged {
        id: String,
        why: String,
    },
    /// It has ended; only that had not been recorded.
    Ended {
        id: String,
    },
    /// Of this operation it is known what happened to it, or there is none.
    NotInDoubt {
        id: String,
        operation: u64,
    },
    /// There is nothing of this number that failed.
    NothingToUndo {
        id: String,
    },
    /// It is known already what became of this one.
    UndoSettled {
        id: String,
        settled: SettledUndo,
    },
    /// Nothing is left of which it is certain that it failed; this may have been taken back.
    NothingToTry {
        left: Vec<NotUndone>,
    },
    /// The operation cannot have such a result.
    NoResult {
        what: String,
        form: &'static str,
    },
}

impl std::error::Error for NotAdded {}

impl std::fmt::Display for NotAdded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run(error) => error.fmt(f),
            Self::Diverged { id, why } => write!(
                f,
                "this program is not the one that began run `{id}`: {why}"
            ),
            Self::Ended { id } => write!(f, "run `{id}` waits for nothing any more: resume it"),
            Self::NotInDoubt { id, operation } => write!(
                f,
                "operation {operation} of run `{id}` is not in doubt: `runs show` lists what is"
            ),
            Self::NothingToUndo { id } => write!(
                f,
                "run `{id}` has no such undo that failed: `runs show` lists those"
            ),
            Self::UndoSettled { id, settled } => write!(
                f,
                "undo {} of run `{id}` is settled: {} at {}",
                settled.number,
                match settled.how {
                    SettledHow::TakenBack => "another attempt took it back",
                    SettledHow::Declared => "it was declared done",
                },
                rfc3339(settled.at)
            ),
            Self::NothingToTry { left } => match left.len() {
                0 => f.write_str("everything has been taken back"),
                left => write!(f, "{left} that are left may have been taken back"),
            },
            Self::NoResult { what, form } => {
                write!(f, "{what} cannot have such a result: it gives {form}")
            }
        }
    }
}

impl<E: Into<NotResumed>> From<E> for NotAdded {
    fn from(error: E) -> Self {
        Self::Run(error.into())
    }
}

impl Standing {
    /// By what `runs answer` finds a question that is open here.
    #[must_use]
    pub fn answered_by(&self, operation: OperationId, name: &str) -> String {
        let names = self.open.iter().filter_map(Open::asks);
        asked::answered_by(operation.0, name, names)
    }
}

impl Open {
    /// The `human` or `external` that asks.
    fn asks(&self) -> Option<&str> {
        match &self.state {
            OpenState::Asks(question) => Some(&question.human),
            OpenState::Waits(external) => Some(&external.name),
            OpenState::Answered(_) | OpenState::Begins | OpenState::Passes | OpenState::Unknown => {
                None
            }
        }
    }

    /// What is pending in a run to which these answers were given.
    fn of(pending: Pending, answers: &[(u64, Answer)]) -> Self {
        let Pending {
            operation,
            asked,
            state,
            since,
        } = pending;
        let mut answers = answers.iter();
        let answer = answers.find(|(it, _)| *it == operation.id.0);
        Self {
            operation: operation.id,
            what: asked.what,
            since,
            due: operation.due,
            state: match (answer, state, operation.request) {
                (Some((_, answer)), ..) => OpenState::Answered(answer.clone()),
                (None, PendingState::Intended, _) => OpenState::Unknown,
                (None, _, Request::Human { question }) => OpenState::Asks(question),
                (None, _, Request::External { external }) => OpenState::Waits(external),
                (None, _, Request::Sleep { .. }) => OpenState::Passes,
                (None, PendingState::MayBegin | PendingState::GivenUp, _) => OpenState::Begins,
            },
        }
    }
}

/// Keeps what a run says.
#[derive(Clone, Default)]
pub(super) struct Heard(Arc<Mutex<Vec<Event>>>);

impl Heard {
    /// What was said since this was last asked.
    pub(super) fn events(&self) -> Vec<Event> {
        // Nothing that can panic runs while the lock is held.
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Port for Heard {
    fn wants_events(&self) -> bool {
        true
    }

    fn take(&mut self, notice: Notice) {
        match notice {
            Notice::Event(event) => {
                let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                events.push(event);
            }
            Notice::Answered { .. } | Notice::LetGo { .. } | Notice::Exchanged(_) => {}
        }
    }
}

/// A run that was replayed in memory alone.
pub(super) struct Back {
    run: Box<Run>,
    pub(super) brought: Result<Brought, String>,
    heard: Heard,
}

impl Runs {
    pub(super) fn look_at(&self, id: &str) -> Result<Standing, NotResumed> {
        let store = self.store().ok_or(NotResumed::NoStore)?.existing()?;
        let info = store.find(id)?;
        let read = Read::of(&store, &info.id, store.records(&info.id)?)?;
        let Back {
            run,
            brought,
            heard,
        } = self.back(&info, read)?;
        let (mut state, mut failed_undos) = (State::default(), FailedUndos::default());
        let (how, open) = match brought {
            Ok(Brought::Ended(finished)) => {
                state = finished.state;
                failed_undos = finished.failed_undos;
                (How::Ended(finished.result), Vec::new())
            }
            Ok(Brought::Waits { pending, .. }) => {
                state = run.main_state();
                let answers = store.answers(&info.id)?;
                let open = pending
                    .into_iter()
                    .map(|it| Open::of(shown(&run, it), &answers));
                (How::Open, open.collect())
            }
            Err(why) => (How::Diverged(why), Vec::new()),
        };
        Ok(Standing {
            info,
            events: heard.events(),
            how,
            open,
            now: run.now(),
            state,
            failed_undos,
        })
    }

    /// Brings a run back in memory alone.
    pub(super) fn back(&self, info: &Info, read: Read) -> Result<Back, NotResumed> {
        let entry = self.entry(info, read.beginning.entered)?;
        let heard = Heard::default();
        let mut run = self.bare_run(read.beginning.start, Box::new(heard.clone()));
        let past = read.past;
        // On a thread whose stack is as deep as turns need.
        let back = TurnThreads::shared().wait_for(move || {
            entry.begin(&mut run);
            let brought = resume::bring_back(&mut run, past);
            (run, brought)
        });
        let (run, brought) = back.ok_or_else(|| NotResumed::Unreadable {
            id: info.id.clone(),
            why: "bringing it back failed".into(),
        })?;
        Ok(Back {
            run,
            brought,
            heard,
        })
    }

    /// Says what happened to an operation that may have been done, of a run that no process runs.
    pub(super) fn settle(
        &self,
        id: &str,
        operation: OperationId,
        settled: &Settled,
        now: i64,
    ) -> Result<(), NotAdded> {
        self.add(id, |info, back, pending| {
            let in_doubt =
                |it: &Pending| it.operation.id == operation && it.state == PendingState::Intended;
            let Some(pending) = pending.into_iter().find(in_doubt) else {
                return Err(NotAdded::NotInDoubt {
                    id: info.id.clone(),
                    operation: operation.0,
                });
            };
            match settled {
                Settled::NotDone => Ok((
                    Record::NotDone {
                        of: pending.asked.of,
                    },
                    None,
                )),
                Settled::Done(result) => {
                    let outcome = outcome_of(&pending.operation.request, result);
                    let outcome = outcome.map_err(|form| NotAdded::NoResult {
                        what: back.run.shown_summary(&pending.asked.what),
                        form,
                    })?;
                    Ok(outcome_record(pending, &outcome, now))
                }
            }
        })
    }

    /// Moves a run that no process runs to this build of the program, if it replays without a difference.
    pub(super) fn migrate(&self, id: &str) -> Result<(), NotAdded> {
        let at = self.store().ok_or(NotResumed::NoStore)?;
        let store = at.existing()?;
        let info = store.find(id)?;
        let (mut journal, records) = store.take(&info.id)?;
        let agreed = (|| {
            let read = Read::of(&store, &info.id, records)?;
            self.back(&info, read)?
                .brought
                .map_err(|why| NotAdded::Diverged {
                    id: info.id.clone(),
                    why,
                })
        })();
        if agreed.is_ok() {
            journal.build(image_digest(&self.loaded), at.program().to_owned());
        }
        journal.status(info.status, info.waiting.clone());
        let written = journal.released();
        agreed?;
        Ok(written?)
    }

    /// Adds the record that `make` returns for what the run waits for. This process owns the run meanwhile.
    fn add(
        &self,
        id: &str,
        make: impl FnOnce(&Info, Back, Vec<Pending>) -> Result<Written, NotAdded>,
    ) -> Result<(), NotAdded> {
        let store = self.store().ok_or(NotResumed::NoStore)?.existing()?;
        let info = store.find(id)?;
        let (mut journal, records) = store.take(&info.id)?;
        let made = (|| {
            let is_sealed = store.is_sealed(&records)?;
            let read = Read::of(&store, &info.id, records)?;
            let mut back = self.back(&info, read)?;
            match std::mem::replace(&mut back.brought, Err(String::new())) {
                Ok(Brought::Waits { pending, .. }) => {
                    let (record, blob) = make(&info, back, pending)?;
                    match is_sealed {
                        true => Ok(store.sealed(record, blob)?),
                        false => Ok((record, blob)),
                    }
                }
                Ok(Brought::Ended(_)) => Err(NotAdded::Ended {
                    id: info.id.clone(),
                }),
                Err(why) => Err(NotAdded::Diverged {
                    id: info.id.clone(),
                    why,
                }),
            }
        })();
        match &made {
            Ok((record, blob)) => {
                journal.write(record, blob.clone());
                journal.status(Status::Running, None);
            }
            // The status stays unchanged.
            Err(_) => journal.status(info.status, info.waiting.clone()),
        }
        let written = journal.released();
        made?;
        Ok(written?)
    }
}

/// What is pending as who looks at the run may see it.
fn shown(run: &Run, mut pending: Pending) -> Pending {
    pending.asked.what = run.shown_summary(&pending.asked.what);
    if let Request::External { external } = &mut pending.operation.request {
        let key = external.key.take();
        external.key = key.map(|it| run.shown_summary(&it));
    }
    pending
}

type Written = (Record, Option<gsw_journal::record::Blob>);

fn outcome_record(pending: Pending, outcome: &Outcome, now: i64) -> Written {
    let asked = pending.asked;
    let (outcome, blob) = Payload::of(Noted::encode(asked.what, outcome));
    let of = asked.of;
    (Record::Outcome { of, now, outcome }, blob)
}

/// The outcome of a request that has this result; an error describes the result that was expected.
fn outcome_of(request: &Request, result: &Value) -> Result<Outcome, &'static str> {
    match request {
        Request::Host { tool, .. } => Ok(Outcome::Host {
            tool: tool.clone(),
            answer: result.to_string(),
        }),
        Request::Exec { .. } => serde_json::from_value(result.clone())
            .map(Outcome::Exec)
            .map_err(|_| "an object with `code`, `stdout` and `stderr`"),
        Request::OtherRun { .. } | Request::Mcp { .. } => Ok(Outcome::Json(result.to_string())),
        Request::Http { .. } => serde_json::from_value(result.clone())
            .map(Outcome::Http)
            .map_err(|_| "an object with `status`, `headers` (a list of pairs) and `body`"),
        Request::FsAppend { .. }
        | Request::FsWrite { .. }
        | Request::FsWriteBytes { .. }
        | Request::FsRemove { .. }
        | Request::FsMakeDir { .. } => match result {
            Value::Null => Ok(Outcome::Done),
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Err("nothing: write `null`"),
        },
        Request::Sleep { .. }
        | Request::Now
        | Request::Random
        | Request::RandomInt { .. }
        | Request::Uuid
        | Request::Compile { .. }
        | Request::FsRead { .. }
        | Request::FsReadBytes { .. }
        | Request::FsExists { .. }
        | Request::FsList { .. }
        | Request::FsGlob { .. }
        | Request::EnvGet { .. }
        | Request::MediaUrl { .. }
        | Request::Model { .. }
        | Request::Piece { .. }
        | Request::Scripted { .. }
        | Request::Mocked { .. }
        | Request::LookUp { .. }
        | Request::Keep { .. }
        | Request::StartRun { .. }
        | Request::Human { .. }
        | Request::External { .. } => Err("what only the program can ask for"),
    }
}
