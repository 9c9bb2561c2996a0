//! A program's command line from words to exit code.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

use gsw_abi::option::BuiltinOption;
use gsw_abi::types::{Type, TypeId};
use gsw_agents::{AgentPrompts, Cache, Environment, Providers, WebClient};
use gsw_driver::engine::runs::DetachedEnd;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::human::Humans;
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, RunError, RunResult};
use gsw_tree::event::Header;
use gsw_tree::observe::{History, Observers};
use serde_json::json;

use crate::arguments::{self, BuiltinOptions, Command, Invocation, ResultForm, Verbosity};
use crate::columns::Columns;
use crate::exit::Exit;
use crate::person::Person;
use crate::say::{self, say};
use crate::terminal::Colors;
use crate::watchers::{Output, Watchers};
use crate::{
    environment, failure, help, interrupt, manifest, memory, open_files, prices, result_text,
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
    run_program(loaded, &words) as i32
}

/// Does what the words after a program's name say.
#[must_use]
pub fn run_program(loaded: Loaded, words: &[String]) -> Exit {
    let program = Arc::clone(&loaded.program);
    match arguments::parse(&program, words) {
        Ok(Command::Help(None)) => print(&help::program_help(&program, Columns::of_terminal())),
        Ok(Command::Help(Some(index))) => {
            let workflow = &program.workflows[index];
            print(&help::workflow_help(
                &program,
                workflow,
                Columns::of_terminal(),
            ))
        }
        Ok(Command::Manifest) => printed(say::print_json(&format!(
            "{:#}\n",
            manifest::manifest(&program)
        ))),
        Ok(Command::Version) => print(&help::version(&program)),
        Ok(Command::Run(invocation)) => run(loaded, *invocation),
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

fn run(mut loaded: Loaded, invocation: Invocation) -> Exit {
    let memory_limit = match settle(&mut loaded, &invocation) {
        Ok(limit) => limit,
        Err(why) => {
            say(&format!("{}: {why}", loaded.program.name));
            return Exit::Usage;
        }
    };
    open_files::raise_limit();
    // All observers are there before the run begins, so nothing of the past is kept.
    let observers = Arc::new(Observers::new(History {
        count: 0,
        ..History::default()
    }));
    let header = Header::new(&loaded.program.name, &loaded.image);
    let stage = terminal::stage();
    let watchers = Watchers::start(&observers, &header, &invocation.options, &stage);
    let person = Person::new(&loaded.program, stage, invocation.options.verbosity);
    let result = loaded.program.workflows[invocation.workflow].result;
    let options = EngineOptions {
        models: Some(Arc::new(Providers::new(Environment::process()))),
        prompts: Some(Arc::new(AgentPrompts)),
        answers: Some(Arc::new(Cache::default())),
        web: Some(Arc::new(WebClient::default())),
        model_override: invocation
            .options
            .model
            .clone()
            .or_else(|| BuiltinOption::Model.variable().and_then(environment::text)),
        memory_limit,
        observers: Arc::clone(&observers),
        humans: Some(Arc::clone(&person) as Arc<dyn Humans>),
        ..EngineOptions::default()
    };
    let engine = Engine::new(loaded, options);
    let handle = engine.start(invocation.workflow, invocation.input);
    let interrupted = interrupt::listen(handle.canceller(), engine.clone(), Arc::clone(&observers));
    let finished = handle.wait();
    let detached = engine.wait_for_detached();
    person.close();
    observers.close();
    if watchers.finish() == Output::Torn {
        // Should this fail, so does the result, which says so.
        let _ = std::io::stdout().write_all(b"\n");
    }
    let form = match (invocation.options.form, is_text(&engine, result)) {
        (ResultForm::Raw, Text::No) => ResultForm::Plain,
        (form, _) => form,
    };
    let exit = report(&finished, &invocation.options, form, result);
    let exit = match (report_detached(&detached), exit) {
        // The main run had ended when the user ended the others. What the program itself cancels is no interruption.
        (Detached::Cancelled, Exit::Done) if interrupted.has_come() => interrupted.exit(),
        (_, Exit::Cancelled) => interrupted.exit(),
        (Detached::Cancelled | Detached::Ended, exit) => exit,
    };
    // A release build must not fail a run that has done its work; every test runs a debug build.
    if cfg!(debug_assertions) && finished.live_objects != 0 && exit != Exit::Internal {
        say(&format!(
            "error: {} objects were never freed",
            finished.live_objects
        ));
        return Exit::Internal;
    }
    exit
}

/// What the environment and the command line say of memory and prices; gives the limit of memory.
fn settle(loaded: &mut Loaded, invocation: &Invocation) -> Result<Option<u64>, String> {
    let prices = prices::of_user()?;
    if !prices.is_empty() {
        let models = &mut Arc::make_mut(&mut loaded.program).models;
        // The first row that fits counts.
        models.prices.splice(0..0, prices);
    }
    memory::limit(invocation.options.memory)
}

/// What became of the runs that were detached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detached {
    Ended,
    /// The user has cancelled one at least.
    Cancelled,
}

/// Says which of the runs that were detached went wrong. The exit code is the main run's, as nobody waits for theirs, unless
/// they were cancelled.
fn report_detached(ends: &[DetachedEnd]) -> Detached {
    let mut became = Detached::Ended;
    for DetachedEnd {
        run,
        workflow,
        finished,
    } in ends
    {
        let why = match &finished.result {
            RunResult::Value(_) => continue,
            RunResult::Raised(error) => failure::text(error),
            RunResult::InvalidInput(issues) => failure::issues(issues),
            RunResult::Cancelled => {
                became = Detached::Cancelled;
                "cancelled\n".to_owned()
            }
            RunResult::Internal(message) => format!("error: Internal: {message}\n"),
        };
        say::say_lines(&format!("detached run {run} of `{workflow}`: {why}"));
    }
    became
}

/// Whether a result is a JSON string, which `--raw` prints bare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Yes,
    No,
}

fn is_text(engine: &Engine, result: TypeId) -> Text {
    let types = &engine.program().types;
    match types.get(types.base(result)) {
        Type::String | Type::Literals(_) | Type::Time | Type::Bytes => Text::Yes,
        Type::Enum(it) if it.is_inline() => Text::Yes,
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Text::No,
    }
}

fn report(finished: &Finished, options: &BuiltinOptions, form: ResultForm, result: TypeId) -> Exit {
    match &finished.result {
        RunResult::Value(_) if result == gsw_abi::builtin::UNIT => Exit::Done,
        RunResult::Value(json) => printed(print_result(json, form)),
        RunResult::Raised(error) => {
            match (form, serde_json::to_string(error)) {
                (ResultForm::Json, Ok(json)) => say::say_json(&json),
                (ResultForm::Json, Err(_))
                | (ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw, _) => {
                    say_failure(error, options);
                }
            }
            failure::exit_of(error)
        }
        RunResult::InvalidInput(issues) => {
            match form {
                ResultForm::Json => {
                    let message = "the input does not fit";
                    let error = json!({ "error": "Usage", "message": message, "issues": issues });
                    say::say_json(&error.to_string());
                }
                ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => {
                    say::say_lines(&failure::issues(issues));
                }
            }
            Exit::Usage
        }
        RunResult::Cancelled => {
            match form {
                ResultForm::Json => {
                    let error = json!({ "error": "Cancelled", "message": "cancelled" });
                    say::say_json(&error.to_string());
                }
                ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => say("cancelled"),
            }
            Exit::Cancelled
        }
        RunResult::Internal(message) => {
            say(&format!(
                "error: Internal: {message}\nthis is a bug in Groundswell; please report it with the program that shows it"
            ));
            Exit::Internal
        }
    }
}

/// Says what ended the run, and how to find out more.
fn say_failure(error: &RunError, options: &BuiltinOptions) {
    let colors = terminal::error_colors();
    let mut text = failure::styled(error, colors);
    match options.verbosity {
        Verbosity::Quiet => {}
        Verbosity::Normal => text += &failure::look_closer(options.events.as_ref(), colors),
    }
    say::say_styled(&text);
}

/// Prints a result: as it is in a pipe, for eyes on a terminal unless a form was asked for.
fn print_result(json: &str, form: ResultForm) -> std::io::Result<()> {
    match (form, serde_json::from_str::<String>(json)) {
        (ResultForm::Raw, Ok(text)) => say::print(&format!("{text}\n")),
        (ResultForm::Plain | ResultForm::Pretty, _) if std::io::stdout().is_terminal() => {
            say::print_styled(&result_text::lines(json, terminal::colors()))
        }
        // In a pipe a text is exactly what it is.
        (ResultForm::Pretty, Ok(text)) => say::print(&format!("{text}\n")),
        (ResultForm::Pretty, Err(_)) => say::print(&result_text::lines(json, Colors::Off)),
        (ResultForm::Raw, Err(_)) | (ResultForm::Plain | ResultForm::Json, _) => {
            say::print_json(&format!("{json}\n"))
        }
    }
}

fn print(text: &str) -> Exit {
    printed(say::print(text))
}

/// What keeps a result from its reader is an error.
fn printed(done: std::io::Result<()>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(error) => {
            say(&format!("error: the result cannot be written: {error}"));
            Exit::Raised
        }
    }
}
