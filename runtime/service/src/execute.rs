//! A program's command line from words to exit code.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

use gsw_abi::option::BuiltinOption;
use gsw_abi::types::TypeId;
use gsw_agents::{AgentPrompts, Environment, Providers, WebClient};
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::{Engine, EngineOptions, RunHandle};
use gsw_driver::human::Humans;
use gsw_engine::load::Loaded;
use gsw_engine::run::Finished;
use gsw_tree::event::Header;
use gsw_tree::observe::{History, Observers};
use serde_json::{Map, Value, json};

use crate::arguments::{
    self, BuiltinOptions, Command, Entering, Invocation, ResultForm, Verbosity,
};
use crate::columns::Columns;
use crate::exit::Exit;
use crate::person::Person;
use crate::report::{Detached, Next, Text, is_text, printed, report, report_detached, short};
use crate::say::{self, say};
use crate::store::{self, Origin};
use crate::watchers::{Output, Watchers};
use crate::{
    cache, environment, help, interrupt, manifest, memory, open_files, painted, prices, runs,
    terminal,
};

/// Does what the words after a program's name say, and gives the exit code.
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

/// What is to be carried.
pub(crate) enum Task {
    Start {
        workflow: usize,
        input: Map<String, Value>,
    },
    /// A run that was interrupted, by its id or the beginning of it.
    Resume { id: String },
    /// The same, to end it with its `defer`s.
    Cancel { id: String },
}

fn run(loaded: Loaded, invocation: Invocation, origin: &Origin) -> Exit {
    let Invocation {
        workflow,
        input,
        options,
    } = invocation;
    let store = store::of(&loaded.program.name, options.store.as_deref(), origin);
    carry(
        loaded,
        Task::Start { workflow, input },
        &options,
        store,
        origin,
    )
}

/// Carries a run to its end, or as far as it goes.
pub(crate) fn carry(
    mut loaded: Loaded,
    task: Task,
    options: &BuiltinOptions,
    store: Option<Arc<RunStore>>,
    origin: &Origin,
) -> Exit {
    let program = Arc::clone(&loaded.program);
    let refuse = |why: &str| {
        say(&format!("{}: {why}", program.name));
        Exit::Usage
    };
    let memory_limit = match settle(&mut loaded, options) {
        Ok(limit) => limit,
        Err(why) => return refuse(&why),
    };
    open_files::raise_limit();
    // All observers are there before the run begins, so nothing of the past is kept.
    let observers = Arc::new(Observers::new(History {
        count: 0,
        ..History::default()
    }));
    let header = Header::new(&loaded.program.name, &loaded.image);
    let stage = terminal::stage();
    let watchers = Watchers::start(&observers, &header, options, &stage);
    let person = Person::new(&loaded.program, stage, options.verbosity);
    let engine_options = EngineOptions {
        memory_limit,
        observers: Arc::clone(&observers),
        humans: Some(Arc::clone(&person) as Arc<dyn Humans>),
        store: store.clone(),
        ..around(&program.name, options)
    };
    let engine = Engine::new(loaded, engine_options);
    let begun = begin(&engine, task, options, origin);
    let (handle, result) = match begun {
        Ok(begun) => begun,
        Err(why) => {
            observers.close();
            watchers.finish();
            say(&format!("error: {why}"));
            return Exit::Refused;
        }
    };
    let id = Arc::clone(handle.canceller().run());
    let interrupted = interrupt::listen(handle.canceller(), engine.clone(), Arc::clone(&observers));
    let finished = handle.wait();
    let detached = engine.wait_for_detached();
    person.close();
    if let Some(store) = &store {
        store.close();
    }
    observers.close();
    if watchers.finish() == Output::Torn {
        // Should this fail, so does the result, which says so.
        let _ = std::io::stdout().write_all(b"\n");
    }
    let form = match (options.form, is_text(&engine, result)) {
        (ResultForm::Raw, Text::No) => ResultForm::Plain,
        (form, _) => form,
    };
    let next = Next::new(origin, options, &id);
    let exit = report(&finished, options, form, (result, &next));
    let exit = match (report_detached(&detached), exit) {
        // The main run had ended when the user ended the others. What the program itself cancels is no interruption.
        (Detached::Cancelled, Exit::Done) if interrupted.has_come() => interrupted.exit(),
        (_, Exit::Cancelled) => interrupted.exit(),
        (Detached::Cancelled | Detached::Ended, exit) => exit,
    };
    unless_leaked(&finished, exit)
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
fn around(program: &str, options: &BuiltinOptions) -> EngineOptions {
    let variable = || BuiltinOption::Model.variable().and_then(environment::text);
    EngineOptions {
        models: Some(Arc::new(Providers::new(Environment::process()))),
        prompts: Some(Arc::new(AgentPrompts)),
        answers: Some(Arc::new(cache::of(program, options.cache.as_deref()))),
        web: Some(Arc::new(WebClient::default())),
        model_override: options.model.clone().or_else(variable),
        ..EngineOptions::default()
    }
}

/// Says on a terminal that a run of the same input was interrupted, which another one is begun beside.
fn offer_interrupted(
    engine: &Engine,
    (workflow, input): (usize, &Map<String, Value>),
    options: &BuiltinOptions,
    origin: &Origin,
) {
    let is_asked = options.verbosity == Verbosity::Normal && std::io::stderr().is_terminal();
    // A store that cannot be read says so when it is needed.
    if is_asked && let Ok(Some(info)) = engine.interrupted(workflow, input) {
        let next = Next::new(origin, options, &info.id);
        say(&format!(
            "note: a run of the same input was interrupted; to go on with it instead: {}",
            next.resume()
        ));
    }
}

/// Begins what is to be carried; gives also the type of its result.
fn begin(
    engine: &Engine,
    task: Task,
    options: &BuiltinOptions,
    origin: &Origin,
) -> Result<(RunHandle, TypeId), String> {
    let (id, is_cancelled) = match task {
        Task::Start { workflow, input } => {
            let found = match options.entry {
                Entering::New => None,
                Entering::OrResumed => engine
                    .interrupted(workflow, &input)
                    .map_err(|it| it.to_string())?,
            };
            match found {
                Some(info) => (info.id, false),
                None => {
                    offer_interrupted(engine, (workflow, &input), options, origin);
                    let result = engine.program().workflows[workflow].result;
                    return Ok((engine.start(workflow, input), result));
                }
            }
        }
        Task::Resume { id } => (id, false),
        Task::Cancel { id } => (id, true),
    };
    let resumed = engine.resume(&id).map_err(|it| it.to_string())?;
    if is_cancelled {
        resumed
            .handle
            .canceller()
            .cancel("cancelled by `runs cancel`");
    }
    if options.verbosity == Verbosity::Normal && options.form != ResultForm::Json {
        let (id, outcomes) = (resumed.handle.canceller(), resumed.outcomes);
        say(&format!(
            "resumed run {}, with {outcomes} {} that it had",
            short(id.run()),
            if outcomes == 1 { "outcome" } else { "outcomes" }
        ));
    }
    Ok((resumed.handle, resumed.result))
}

/// What the environment and the command line say of memory and prices; gives the limit of memory.
fn settle(loaded: &mut Loaded, options: &BuiltinOptions) -> Result<Option<u64>, String> {
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
