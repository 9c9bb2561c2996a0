//! Starts the run that a command asks for, or takes it over from the store.

use std::io::IsTerminal;
use std::sync::Arc;

use gsw_abi::types::TypeId;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::resuming::NotResumed;
use gsw_driver::engine::standing::NotAdded;
use gsw_driver::engine::starting::NotStarted;
use gsw_driver::engine::{Engine, Resumed, RunHandle};
use gsw_engine::run::{Left, NotUndone};
use gsw_journal::list::{Carried, Info};
use gsw_journal::record::UndoWish;
use gsw_journal::store::Error;
use gsw_journal::wal::LastWrite;
use serde_json::{Map, Value};

use crate::arguments::{BuiltinOptions, Entering, ResultForm, Verbosity};
use crate::builds::{self, Build};
use crate::execute::purpose::Purpose;
use crate::exit::Exit;
use crate::report::{Next, say_moved, short};
use crate::runs;
use crate::say::say;
use crate::store::Origin;

/// Which run to execute.
pub(crate) enum Task {
    Start {
        workflow: usize,
        input: Map<String, Value>,
    },
    /// A run that was interrupted.
    Resume { id: String },
    /// Resumes it, unless another process is running it.
    Await { id: String },
    /// Resumes it, to end it with its `defer`s.
    Cancel { id: String },
    /// One that has ended, to take back what could not be taken back.
    Undo { id: String, wish: UndoWish },
}

/// Why a run was not started.
pub(super) enum NotBegun {
    Refused(String),
    /// It cannot be recorded, for this reason.
    Unwritten(String),
    /// Another process has run it to its end.
    Ended(Box<Info>),
    /// Another process is running it, and will end it.
    Told,
    /// Nothing can be tried again of what could not be taken back.
    NothingToTry {
        id: String,
        left: Vec<NotUndone>,
    },
}

impl From<NotStarted> for NotBegun {
    fn from(why: NotStarted) -> Self {
        match why {
            NotStarted::Exists(why) => Self::Refused(why),
            NotStarted::Unwritten(why) => Self::Unwritten(why),
        }
    }
}

impl From<String> for NotBegun {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

/// Starts the run; returns also the type of its result.
pub(super) fn begin(
    engine: &Engine,
    task: Task,
    options: &BuiltinOptions,
    origin: &Origin,
    store: Option<&RunStore>,
) -> Result<(RunHandle, TypeId), NotBegun> {
    let (id, purpose) = match task {
        Task::Start { workflow, input } => {
            let result = engine.program().workflows[workflow].result;
            let handle = match options.entry {
                Entering::New => {
                    offer_interrupted(engine, workflow, &input, options, origin);
                    engine.start(workflow, input)
                }
                Entering::OrResumed => engine.start_alone(workflow, input)?,
            };
            return Ok((handle, result));
        }
        Task::Resume { id } => (id, Purpose::Resume),
        Task::Await { id } => (id, Purpose::Await),
        Task::Cancel { id } => (id, Purpose::Cancel),
        Task::Undo { id, wish } => (id, Purpose::Undo(wish)),
    };
    let info = engine.kept(&id).map_err(|it| it.to_string())?;
    let build = Build::of(engine, &info);
    if let (Build::There(program), Some(store)) = (&build, store) {
        let words = purpose.words(&info.id);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return Err(builds::become_it(program, &words, options, store.path()).into());
    }
    if let Purpose::Undo(wish) = purpose {
        match engine.wish_undo(&info.id, wish) {
            Ok(()) => {}
            Err(NotAdded::NothingToTry { left }) => {
                return Err(NotBegun::NothingToTry { id: info.id, left });
            }
            Err(why) => return Err(why.to_string().into()),
        }
    }
    let resumed = taken(engine, &info.id, purpose, &build, store)?;
    if engine.last_write() == Some(LastWrite::Torn) {
        say(
            "note: the last write to the store of runs was cut off, as by a power cut, and was dropped: the run goes on from the one before",
        );
    }
    match purpose {
        Purpose::Cancel => resumed
            .handle
            .canceller()
            .cancel("cancelled by `runs cancel`"),
        Purpose::Resume | Purpose::Await | Purpose::Undo(_) => {}
    }
    if options.verbosity == Verbosity::Normal && options.form != ResultForm::Json {
        let (id, outcomes) = (resumed.handle.canceller(), resumed.outcomes);
        say(&format!(
            "resumed run {}, with {outcomes} {} that it had",
            short(id.run()),
            if outcomes == 1 { "outcome" } else { "outcomes" }
        ));
        if let Some(Ok(store)) = store.map(RunStore::existing) {
            say_moved(&store, &info.id);
        }
    }
    Ok((resumed.handle, resumed.result))
}

/// Takes a run of the store. A caller that awaits it waits again where another process was first.
fn taken(
    engine: &Engine,
    id: &str,
    purpose: Purpose,
    build: &Build,
    store: Option<&RunStore>,
) -> Result<Resumed, NotBegun> {
    loop {
        let why = match engine.resume(id) {
            Ok(resumed) => return Ok(resumed),
            Err(why) => why,
        };
        if let (
            NotResumed::Store(Error::Carried(_) | Error::Ended { .. }),
            Purpose::Await,
            Some(store),
        ) = (&why, purpose, store)
        {
            let info = runs::wait::while_carried(store, id)?;
            if info.status.is_final() {
                return Err(NotBegun::Ended(Box::new(info)));
            }
            continue;
        }
        if let (NotResumed::Store(Error::Carried(_)), Purpose::Cancel) = (&why, purpose) {
            // What was left in the store reaches it.
            return Err(NotBegun::Told);
        }
        return Err(NotBegun::Refused(match build {
            Build::This => why.to_string(),
            Build::There(_) | Build::Changed(_) | Build::Gone(_) | Build::Unreadable { .. } => {
                format!("{why}\n{}", build.note())
            }
        }));
    }
}

/// Says on a terminal that a run of the same input was interrupted, which another one is begun beside.
fn offer_interrupted(
    engine: &Engine,
    workflow: usize,
    input: &Map<String, Value>,
    options: &BuiltinOptions,
    origin: &Origin,
) {
    let is_asked = options.verbosity == Verbosity::Normal && std::io::stderr().is_terminal();
    // A store that cannot be read is reported when it is needed.
    if is_asked
        && let Ok(Some(info)) = engine.interrupted(workflow, input)
        && !info.status.is_final()
        && info.carried == Carried::No
    {
        let next = Next::new(origin, options, &info.id);
        say(&format!(
            "note: a run of the same input was interrupted; to resume it instead: {}",
            next.resume()
        ));
    }
}

/// Reports why no run was started, or how the run has ended meanwhile.
pub(super) fn without(
    not_begun: NotBegun,
    engine: &Engine,
    options: &BuiltinOptions,
    origin: &Origin,
    store: Option<&Arc<RunStore>>,
) -> Exit {
    let why = match (not_begun, store) {
        (NotBegun::Ended(info), Some(store)) => {
            return runs::wait::ended(engine, &info, options, store, origin);
        }
        (NotBegun::NothingToTry { id, left }, _) => {
            let next = Next::new(origin, options, &id);
            return runs::undo::report(&left, options.form, &next);
        }
        (NotBegun::Told, _) => {
            say(runs::TOLD);
            return Exit::Done;
        }
        (NotBegun::Ended(info), None) => format!("run `{}` has ended", info.id),
        (NotBegun::Refused(why), _) => why,
        (NotBegun::Unwritten(why), _) => {
            runs::say_error(options.form, &Left::Unwritten { why }.to_string());
            return Exit::Raised;
        }
    };
    runs::say_error(options.form, &why);
    Exit::Refused
}
