//! A program's command line, from arguments to exit code.

pub(crate) mod begin;
mod purpose;

use std::ffi::OsString;
use std::sync::Arc;

use gsw_abi::program::Program;
use gsw_abi::types::TypeId;
use gsw_driver::durable::history::is_descended;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::host::Variables;
use gsw_driver::human::Humans;
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, RunResult, input as input_of};
use gsw_journal::list::{Carried, Info};
use gsw_tree::event::Header;
use serde_json::{Map, Value, json};

use crate::arguments::{
    self, BuiltinOptions, Command, Entering, Invocation, ResultForm, TapeOption, Topic, Verbosity,
};
use crate::columns::Columns;
use crate::execute::begin::{Task, begin, without};
use crate::exit::Exit;
use crate::interrupt::{Listener, Whom};
use crate::person::Person;
use crate::report::{Detached, Next, Text, is_text, printed, report, report_detached, short};
use crate::say::{self, say};
use crate::setup::{base_options, observers, prepared};
use crate::store::{self, Origin};
use crate::tape;
use crate::watchers::Watchers;
use crate::worker::{self, Until};
use crate::{help, interrupt, manifest, mcp, open_files, painted, runs, terminal};

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
                Topic::Program => help::program_help(&program, columns),
                Topic::Workflow(index) => {
                    help::workflow_help(&program, &program.workflows[index], columns)
                }
                Topic::Command(command) => help::command_help(&program, command, columns),
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
                    say("error: no runs are stored: the store is off");
                    Exit::Usage
                }
            }
        }
        Ok(Command::Mcp(serving)) => mcp::serve(loaded, &serving, origin),
        Ok(Command::Login(login)) => mcp::login::log(*login, &origin.command),
        Ok(Command::Runs(invocation)) => runs::perform(loaded, *invocation, origin),
        Err(error) => {
            // The option itself may be what cannot be parsed, so the words are searched.
            if words.iter().any(|it| it == "--json") {
                say::say_json(&json!({ "error": "Usage", "message": error.0 }).to_string());
            } else {
                say(&format!("{}: {}", program.name, error.0));
            }
            Exit::Usage
        }
    }
}

fn run(loaded: Loaded, invocation: Invocation, origin: &Origin) -> Exit {
    let Invocation {
        workflow,
        input,
        options,
    } = invocation;
    warn_of_surplus(&loaded.program, workflow, &input, &options);
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

/// Says what of the input no field takes: data may hold more than a program wants, and a misspelt key leaves its field at the
/// default.
fn warn_of_surplus(
    program: &Program,
    workflow: usize,
    input: &Map<String, Value>,
    options: &BuiltinOptions,
) {
    let parameters = &program.workflows[workflow].parameters;
    let surplus = input_of::surplus(&program.types, parameters, input);
    let Some(first) = surplus
        .first()
        .filter(|_| options.verbosity != Verbosity::Quiet)
    else {
        return;
    };
    let more = match surplus.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let (path, key) = (&first.path, &first.found);
    let at = path.strip_prefix("$.").unwrap_or(path);
    say(&format!(
        "warning: the input, {at}: no field takes {key}, so it is ignored{more}"
    ));
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
        ..base_options(&program.name, options, &stage, origin)
    };
    let engine = Engine::new(loaded, engine_options);
    let wish = Wish::of(&task);
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
    watchers.end(&observers);
    let next = Next::new(origin, options, &id).kept_in(store.as_deref(), &id);
    let form = form(options, is_text(&engine, result));
    let exit = match tape::unasked(&finished) {
        Some(why) => tape::tell_failure(options, why),
        None => wish.report(&finished, options, form, result, &next, &interrupted),
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

/// What a command wants of a run, by which it is reported whether that was done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// Its own end.
    End,
    Cancelled,
    Undone,
}

impl Wish {
    const fn of(task: &Task) -> Self {
        match task {
            Task::Start { .. } | Task::Resume { .. } | Task::Await { .. } => Self::End,
            Task::Cancel { .. } => Self::Cancelled,
            Task::Undo { .. } => Self::Undone,
        }
    }

    fn report(
        self,
        finished: &Finished,
        options: &BuiltinOptions,
        form: ResultForm,
        result: TypeId,
        next: &Next,
        interrupted: &interrupt::Interrupted,
    ) -> Exit {
        match (self, &finished.result) {
            (Self::Undone, it) if !matches!(it, RunResult::Left(_)) => {
                runs::undo::report(&finished.failed_undos.left, options.form, next)
            }
            (Self::Cancelled, RunResult::Cancelled) if !interrupted.has_come() => {
                runs::tell(options.form, "cancelled")
            }
            (Self::End | Self::Cancelled | Self::Undone, it) => {
                report(it, options, form, result, next)
            }
        }
    }
}

/// Says what is wrong with how a program was called.
fn unusable(program: &str, why: &str) -> Exit {
    say(&format!("{program}: {why}"));
    Exit::Usage
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
            run.shown_status().name(),
            Next::new(origin, options, &run.id).resume()
        ));
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

fn print(text: &str) -> Exit {
    printed(say::print(text))
}
