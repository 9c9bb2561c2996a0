//! A program's command line from words to exit code.

mod purpose;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use gsw_abi::option::BuiltinOption;
use gsw_abi::types::TypeId;
use gsw_agents::{AgentPrompts, Cache, Environment, McpServers, Providers, WebClient};
use gsw_driver::durable::history::is_descended;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::resuming::NotResumed;
use gsw_driver::engine::standing::NotAdded;
use gsw_driver::engine::starting::NotStarted;
use gsw_driver::engine::{Engine, EngineOptions, Resumed, RunHandle};
use gsw_driver::host::Variables;
use gsw_driver::human::Humans;
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, Left, NotUndone, RunResult};
use gsw_journal::list::{Carried, Info};
use gsw_journal::record::UndoWish;
use gsw_journal::store::Error;
use gsw_journal::wal::LastWrite;
use gsw_tree::event::Header;
use gsw_tree::observe::{History, Observers};
use serde_json::{Map, Value, json};

use crate::arguments::{
    self, BuiltinOptions, Command, Entering, Invocation, ResultForm, TapeOption, Verbosity,
};
use crate::builds::{self, Build};
use crate::columns::Columns;
use crate::consent::authorizing_on;
use crate::execute::purpose::Purpose;
use crate::exit::Exit;
use crate::interrupt::{Listener, Whom};
use crate::person::Person;
use crate::report::{
    Detached, Next, Text, is_text, printed, report, report_detached, say_moved, short,
};
use crate::say::{self, say};
use crate::store::{self, Origin};
use crate::tape::{self, Taping};
use crate::terminal::Stage;
use crate::watchers::{Output, Watchers};
use crate::worker::{self, Until};
use crate::{
    cache, environment, help, interrupt, manifest, mcp, memory, open_files, painted, prices, runs,
    terminal,
};

/// Executes the arguments after a program's name, and returns the exit code.
#[must_use]
pub fn main_with_image(loaded: Loaded, arguments: Vec<OsString>) -> i32 {
    let mut words = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match argument.into_string() {
            Ok(word) => words.push(word),
            Err(argument) => {
                say(&format!(
                    "{}: an argument is not UTF-8 text: {}",
                    loaded.program.name,
                    argument.display()
                ));
                return Exit::Usage as i32;
            }
        }
    }
    run_program(loaded, &words, &Origin::of_process()) as i32
}

/// Does what the words after a program's name say.
#[must_use]
pub fn run_program(loaded: Loaded, words: &[String], origin: &Origin) -> Exit {
    let program = Arc::clone(&loaded.program);
    match arguments::parse(&program, words) {
        Ok(Command::Help(of)) => {
            let columns = Columns::of_terminal();
            let text = match of {
                None => help::program_help(&program, columns),
                Some(index) => help::workflow_help(&program, &program.workflows[index], columns),
            };
            printed(painted::print_help(&text))
        }
        Ok(Command::Manifest) => printed(say::print_json(&format!(
            "{:#}\n",
            manifest::manifest(&program)
        ))),
        Ok(Command::Version) => print(&help::version(&program)),
        Ok(Command::Run(invocation)) => run(loaded, *invocation, origin),
        Ok(Command::Worker(options)) => {
            match store::of(&loaded.program, options.store.as_deref(), origin) {
                Some(store) => worker::work(loaded, &options, store, origin, Until::Told),
                None => {
                    say("error: no runs are kept: the store is off");
                    Exit::Usage
                }
            }
        }
        Ok(Command::Mcp(serving)) => mcp::serve(loaded, &serving, origin),
        Ok(Command::Login(login)) => mcp::login::log(*login, &origin.command),
        Ok(Command::Runs(invocation)) => runs::perform(loaded, *invocation, origin),
        Err(error) => {
            // What cannot be read may be the option itself, so the words are looked at.
            if words.iter().any(|it| it == "--json") {
                say::say_json(&json!({ "error": "Usage", "message": error.0 }).to_string());
            } else {
                say(&format!("{}: {}", program.name, error.0));
            }
            Exit::Usage
        }
    }
}

/// Which run to execute.
pub(crate) enum Task {
    Start {
        workflow: usize,
        input: Map<String, Value>,
    },
    /// A run that was interrupted, by its id or the beginning of it.
    Resume { id: String },
    /// Resumes it, unless another process is running it.
    Await { id: String },
    /// Resumes it, to end it with its `defer`s.
    Cancel { id: String },
    /// One that has ended, to take back what could not be taken back.
    Undo { id: String, wish: UndoWish },
}

/// Why a run was not started.
enum NotBegun {
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

fn run(loaded: Loaded, invocation: Invocation, origin: &Origin) -> Exit {
    let Invocation {
        workflow,
        input,
        options,
    } = invocation;
    let store = match options.tape {
        // What is taken for an answer of a model is none, so a run that resumes later must not find it.
        TapeOption::Replay(_) => None,
        TapeOption::Off | TapeOption::Record(_) => {
            store::of(&loaded.program, options.store.as_deref(), origin)
        }
    };
    let name = &loaded.program.workflows[workflow].name;
    let found = match (options.entry, &store) {
        (Entering::OrResumed, Some(store)) => store.interrupted(&loaded.program, name, &input),
        (Entering::OrResumed, None) | (Entering::New, _) => Ok(None),
    };
    let task = match (found, store.as_ref()) {
        (Err(why), _) => {
            say(&format!("error: {why}"));
            return Exit::Refused;
        }
        // The process that had its result died before it had reported it.
        (Ok(Some(info)), Some(store)) if info.status.is_final() => {
            let exit = runs::wait::wait(loaded, &info.id, &options, Arc::clone(store), origin);
            say_uncarried(&info, store, &options, origin);
            return exit;
        }
        (Ok(Some(info)), _) => Task::Resume { id: info.id },
        (Ok(None), _) => Task::Start { workflow, input },
    };
    carry(loaded, task, &options, store, origin)
}

/// For observers that are all there before a run begins, so that nothing of the past is kept.
pub(crate) fn observers() -> Arc<Observers> {
    Arc::new(Observers::new(History {
        count: 0,
        ..History::default()
    }))
}

/// How much memory a run may take, how long it waits with a process, and where what models are asked goes.
pub(crate) fn prepared(
    loaded: &mut Loaded,
    options: &BuiltinOptions,
    variables: &Variables,
) -> Result<(Option<u64>, Option<Duration>, Taping), String> {
    let limit = settle(loaded, options)?;
    let idle = store::idle(&loaded.program, options.idle)?;
    let taping = Taping::begin(&options.tape, variables.used_secrets())?;
    Ok((limit, idle, taping))
}

/// Runs it to its end, or as far as it gets.
pub(crate) fn carry(
    mut loaded: Loaded,
    task: Task,
    options: &BuiltinOptions,
    store: Option<Arc<RunStore>>,
    origin: &Origin,
) -> Exit {
    let signals = Listener::start();
    let program = Arc::clone(&loaded.program);
    let variables = Variables::default();
    let (memory_limit, idle, taping) = match prepared(&mut loaded, options, &variables) {
        Ok(settled) => settled,
        Err(why) => return unusable(&program.name, &why),
    };
    open_files::raise_limit();
    let observers = observers();
    let header = Header::new(&loaded.program.name, &loaded.image);
    let stage = terminal::stage();
    let mut watchers = Watchers::start(&observers, &header, options, &stage);
    let person = Person::new(&loaded.program, Arc::clone(&stage), options.verbosity);
    let engine_options = EngineOptions {
        memory_limit,
        observers: Arc::clone(&observers),
        humans: Some(Arc::clone(&person) as Arc<dyn Humans>),
        store: store.clone(),
        idle,
        variables,
        tape: taping.tape(),
        ..around(&program.name, options, &stage, origin)
    };
    let engine = Engine::new(loaded, engine_options);
    let is_undo = matches!(task, Task::Undo { .. });
    let (handle, result) = match begin(&engine, task, options, origin, store.as_deref()) {
        Ok(begun) => begun,
        Err(not_begun) => {
            observers.close();
            watchers.finish();
            return without(not_begun, &engine, options, origin, store.as_ref());
        }
    };
    watchers.run_has_begun();
    let id = Arc::clone(handle.canceller().run());
    let whom = Whom::Run(handle.canceller());
    let interrupted = signals.end(whom, engine.clone(), Arc::clone(&observers));
    let finished = handle.wait();
    let detached = engine.wait_for_detached();
    person.close();
    engine.close();
    end_watching(&observers, watchers);
    let next = Next::new(origin, options, &id);
    let form = form(options, is_text(&engine, result));
    let exit = match tape::unasked(&finished) {
        Some(why) => tape::tell_failure(options, why),
        None if is_undo && !matches!(finished.result, RunResult::Left(_)) => {
            runs::undo::report(&finished.not_undone, options.form, &next)
        }
        None => report(&finished.result, options, form, result, &next),
    };
    let reported = exit;
    let exit = taping.end(options, exit);
    let exit = after_detached(exit, report_detached(&detached), &interrupted);
    let exit = unless_leaked(&finished, exit);
    if let Some(store) = &store {
        store.close();
        // The last thing of all: a process that is killed before has not reported how it ended.
        note_delivered(store, &id, &finished.result, reported);
    }
    exit
}

/// Says what is wrong with how a program was called.
fn unusable(program: &str, why: &str) -> Exit {
    say(&format!("{program}: {why}"));
    Exit::Usage
}

/// Reports why no run was started, or how the run has ended meanwhile.
fn without(
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
            say(&format!("error: {}", Left::Unwritten { why }));
            return Exit::Raised;
        }
    };
    say(&format!("error: {why}"));
    Exit::Refused
}

/// Reports the detached runs, started by an ended run or by its descendants, that no process runs.
fn say_uncarried(ended: &Info, store: &RunStore, options: &BuiltinOptions, origin: &Origin) {
    if options.verbosity == Verbosity::Quiet {
        return;
    }
    let (listed, Ok(at)) = (runs::all(store).unwrap_or_default(), store.existing()) else {
        return;
    };
    let mut open = listed.runs;
    open.retain(|it| {
        let is_open = !it.status.is_final() && it.carried == Carried::No;
        is_open && it.begun >= ended.begun && is_descended(&at, &it.id, &ended.id)
    });
    if let Some(run) = open.last() {
        let others = match open.len() - 1 {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        say(&format!(
            "note: the run {} of `{}`, which it has detached, is {}, and no process carries it{others}; resume it: {}",
            short(&run.id),
            run.workflow,
            run.status_name(),
            Next::new(origin, options, &run.id).resume()
        ));
    }
}

/// What observers write ends before the result begins.
pub(crate) fn end_watching(observers: &Observers, watchers: Watchers) {
    observers.close();
    if watchers.finish() == Output::Torn {
        // If this fails, so does printing the result, which reports it.
        let _ = std::io::stdout().write_all(b"\n");
    }
}

/// Notes that the result was delivered.
pub(crate) fn note_delivered(store: &RunStore, id: &str, ended: &RunResult, exit: Exit) {
    let is_lost = exit != Exit::Done || say::is_unread();
    let is_unwritten = matches!(ended, RunResult::Value(_)) && is_lost;
    if !is_unwritten {
        // Should this fail, the next call of the program gets the result once more.
        let _ = store.delivered(id);
    }
}

fn form(options: &BuiltinOptions, text: Text) -> ResultForm {
    match (options.form, text) {
        (ResultForm::Raw, Text::No) => ResultForm::Plain,
        (form, _) => form,
    }
}

/// The exit code of the main run, with what the user has cancelled.
fn after_detached(exit: Exit, detached: Detached, interrupted: &interrupt::Interrupted) -> Exit {
    match (detached, exit) {
        // The main run had ended when the user ended the others. What the program itself cancels is no interruption.
        (Detached::Cancelled | Detached::Left, Exit::Done) if interrupted.has_come() => {
            interrupted.exit()
        }
        (_, Exit::Cancelled) => interrupted.exit(),
        (Detached::Cancelled | Detached::Left | Detached::Ended, exit) => exit,
    }
}

/// The exit code of a run, which must leave nothing in memory.
fn unless_leaked(finished: &Finished, exit: Exit) -> Exit {
    // A release build must not fail a run that has done its work; every test runs a debug build.
    if !cfg!(debug_assertions) || finished.live_objects == 0 || exit == Exit::Internal {
        return exit;
    }
    let count = finished.live_objects;
    say(&format!("error: {count} objects were never freed"));
    Exit::Internal
}

/// What runs have around them, as the options and the environment say.
pub(crate) fn around(
    program: &str,
    options: &BuiltinOptions,
    stage: &Arc<Stage>,
    origin: &Origin,
) -> EngineOptions {
    let variable = || BuiltinOption::Model.variable().and_then(environment::text);
    EngineOptions {
        models: Some(Arc::new(models(program, options))),
        prompts: Some(Arc::new(AgentPrompts)),
        answers: Some(Arc::new(match options.tape {
            TapeOption::Off => cache::of(program, options.cache.as_deref()),
            // An answer that another run has kept would be missing in the file, or hide what is in it.
            TapeOption::Record(_) | TapeOption::Replay(_) => Cache::default(),
        })),
        web: Some(Arc::new(WebClient::default())),
        servers: Some(Arc::new(McpServers::authorizing(authorizing_on(
            stage,
            &origin.command,
        )))),
        model_override: options.model.clone().or_else(variable),
        ..EngineOptions::default()
    }
}

fn models(program: &str, options: &BuiltinOptions) -> Providers {
    let providers = Providers::new(Environment::process());
    match cache::limits(program, options.cache.as_deref()) {
        Some(folder) => providers.sharing_limits(folder),
        None => providers,
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

/// Starts the run; returns also the type of its result.
fn begin(
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

/// What the environment and the command line say of memory and prices; returns the limit of memory.
pub(crate) fn settle(loaded: &mut Loaded, options: &BuiltinOptions) -> Result<Option<u64>, String> {
    let prices = prices::of_user()?;
    if !prices.is_empty() {
        let models = &mut Arc::make_mut(&mut loaded.program).models;
        // The first row that fits counts.
        models.prices.splice(0..0, prices);
    }
    memory::limit(options.memory)
}

fn print(text: &str) -> Exit {
    printed(say::print(text))
}
