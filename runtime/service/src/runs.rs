//! `runs`: the runs that a program keeps, listed, shown, resumed, answered, settled, cancelled and forgotten.

mod answer;
pub mod arguments;
mod diff;
pub mod happened;
mod ids;
pub mod newest;
pub mod of_store;
mod proof;
mod refusal;
pub mod replay;
mod show;
pub mod undo;
pub(crate) mod wait;

use std::sync::Arc;

use gsw_abi::run_status::RunStatus;
use gsw_agents::AgentPrompts;
use gsw_driver::durable::cost::{Cost, cost_of};
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::standing::Settled as Became;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_engine::load::Loaded;
use gsw_engine::operation::OperationId;
use gsw_journal::list::{Carried, Info, Listed};
use gsw_journal::store::Error;
use gsw_notation::calendar::{rfc3339, to_the_second};
use gsw_notation::json;
use gsw_trace::measure::money;
use serde_json::{Map, Value, json};

use crate::arguments::ResultForm;
use crate::builds;
use crate::execute::begin::Task;
use crate::execute::carry;
use crate::exit::Exit;
use crate::report::{Next, printed, short};
use crate::runs::arguments::{Asking, RunsCommand, RunsInvocation, Settled};
use crate::runs::refusal::Refusal;
use crate::say::{self, say};
use crate::store::{self, Origin};
use crate::table::table;
use crate::worker::{self, Until};

/// The message for a run that is to end while another process runs it.
pub(crate) const TOLD: &str = "cancellation requested; the process that runs it ends it";

/// Does what a command about runs says.
#[expect(
    clippy::too_many_lines,
    reason = "one arm a command: rustc names what a new one must join"
)]
pub(crate) fn perform(loaded: Loaded, invocation: RunsInvocation, origin: &Origin) -> Exit {
    let RunsInvocation {
        mut command,
        options,
    } = invocation;
    let form = options.form;
    let store = store::of(&loaded.program, options.store.as_deref(), origin);
    let Some(store) = store else {
        return refuse(form, "no runs are stored: the store is off");
    };
    if let Err(why) = ids::complete(&mut command, &store) {
        return refuse(form, &why);
    }
    if let Some((id, words)) = its_builds(&command, &store)
        && let Some(why) = builds::hand_over(&loaded, &store, &id, &words, &options)
    {
        return refuse(form, &why);
    }
    let next = |id: &str| Next::new(origin, &options, id);
    let done: Result<Exit, Refusal> = match command {
        RunsCommand::List => list(&store, form).map_err(Refusal::from),
        RunsCommand::Show { id } => {
            let engine = quiet_engine(loaded, &store);
            show::show(&engine, &id, form, next).map_err(Refusal::from)
        }
        RunsCommand::Resume { id } => {
            return match id.map_or_else(|| newest(&store), Ok) {
                Ok(id) => carry(loaded, Task::Resume { id }, &options, Some(store), origin),
                Err(why) => refuse(form, &why),
            };
        }
        RunsCommand::Wait { id: None } => {
            return worker::work(loaded, &options, store, origin, Until::AllEnded);
        }
        RunsCommand::Wait { id: Some(id) } => {
            return wait::wait(loaded, &id, &options, store, origin);
        }
        RunsCommand::Cancel { id } => match tell_to_end(&store, &id) {
            Ok(Carried::Yes) => Ok(tell(form, TOLD)),
            // If that is unknown, running it reports why.
            Ok(Carried::No) | Err(_) => {
                return carry(loaded, Task::Cancel { id }, &options, Some(store), origin);
            }
        },
        RunsCommand::Answer { to, name, answer } => {
            let engine = quiet_engine(loaded, &store);
            let answered = answer::answer(&engine, &store, to, &name, answer, next);
            answered.map(|it| tell(form, &it))
        }
        RunsCommand::Settle {
            id,
            operation,
            settled,
        } => settle(loaded, &store, &id, operation, settled)
            .map(|()| tell(form, &format!("settled; resume it: {}", next(&id).resume()))),
        RunsCommand::Undo { id, wish } => {
            let task = Task::Undo { id, wish };
            return carry(loaded, task, &options, Some(store), origin);
        }
        RunsCommand::Fork { id, at, set } => {
            let forked_as = fork(loaded, &store, &id, &at, &set).map_err(Refusal::from);
            forked_as.map(|it| forked(form, &it, &next(&it)))
        }
        RunsCommand::Migrate { id } => {
            let migrated = quiet_engine(loaded, &store).migrate(&id);
            migrated.map_err(Refusal::from).map(|()| {
                let done = "the run goes on under this build from now on";
                tell(form, &format!("{done}: {}", next(&id).resume()))
            })
        }
        RunsCommand::Diff { first, second } => {
            let engine = quiet_engine(loaded, &store);
            diff::diff(&store, Some(&engine), [&first, &second], form).map_err(Refusal::from)
        }
        RunsCommand::Verify { id } => {
            proof::verify(&store, id.as_deref(), form).map_err(Refusal::from)
        }
        RunsCommand::Export { id, file } => {
            proof::export(&store, &id, file.as_deref(), form).map_err(Refusal::from)
        }
        RunsCommand::Check { file } => proof::check(&file, form).map_err(Refusal::from),
        RunsCommand::Abandon { id } => abandon(&store, &id, form),
        RunsCommand::Prune => prune(&store, form).map_err(Refusal::from),
    };
    store.close();
    done.unwrap_or_else(|it| refused(form, &it))
}

/// What the build that began a run has to do, if it is there: with which run, and in which words. What carries a run looks for
/// itself.
fn its_builds(command: &RunsCommand, store: &RunStore) -> Option<(String, Vec<String>)> {
    let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect();
    match command {
        RunsCommand::Show { id } => Some((id.clone(), words(&["show", id]))),
        RunsCommand::Answer { to, name, answer } => match to {
            Asking::Run(id) => Some((id.clone(), words(&["answer", id, name, answer]))),
            Asking::Key(key) => {
                let asked = store.existing().ok()?.question_of_key(key).ok()??;
                let words = words(&["answer", "--key", key, name, answer]);
                Some((asked.run, words))
            }
        },
        RunsCommand::Settle {
            id,
            operation,
            settled,
        } => {
            let number = operation.to_string();
            let words = match settled {
                Settled::Done { result } => words(&["settle", id, &number, "done", result]),
                Settled::NotDone => words(&["settle", id, &number, "not-done"]),
            };
            Some((id.clone(), words))
        }
        RunsCommand::Fork { id, at, set } => {
            let mut words: Vec<String> = words(&["fork", id, at]);
            words.extend(set.iter().cloned());
            Some((id.clone(), words))
        }
        RunsCommand::List
        | RunsCommand::Resume { .. }
        | RunsCommand::Undo { .. }
        | RunsCommand::Wait { .. }
        | RunsCommand::Migrate { .. }
        | RunsCommand::Cancel { .. }
        | RunsCommand::Abandon { .. }
        | RunsCommand::Diff { .. }
        | RunsCommand::Verify { .. }
        | RunsCommand::Export { .. }
        | RunsCommand::Check { .. }
        | RunsCommand::Prune => None,
    }
}

/// Leaves the request for the process that runs it, now or later. Returns whether a process does now.
fn tell_to_end(store: &RunStore, id: &str) -> Result<Carried, Error> {
    let now = gsw_journal::clock::now();
    store
        .existing()?
        .cancel(id, "cancelled by `runs cancel`", now)
}

fn refuse(form: ResultForm, why: &str) -> Exit {
    say_error(form, why);
    Exit::Usage
}

/// Says why a command was not done.
pub(crate) fn refused(form: ResultForm, refusal: &Refusal) -> Exit {
    say_error(form, &refusal.why);
    refusal.exit
}

pub(crate) fn say_error(form: ResultForm, why: &str) {
    match form {
        ResultForm::Json => say::say_json(&json!({ "error": "Usage", "message": why }).to_string()),
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => say(&format!("error: {why}")),
    }
}

/// Says that something was done.
pub(crate) fn tell(form: ResultForm, what: &str) -> Exit {
    match form {
        ResultForm::Json => printed(say::print_json("{\"done\":true}\n")),
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => {
            say(what);
            Exit::Done
        }
    }
}

/// An engine that inspects runs and performs nothing.
fn quiet_engine(loaded: Loaded, store: &Arc<RunStore>) -> Engine {
    let options = EngineOptions {
        prompts: Some(Arc::new(AgentPrompts)),
        store: Some(Arc::clone(store)),
        ..EngineOptions::default()
    };
    Engine::new(loaded, options)
}

/// The runs of a store, the newest first; none where there is no store yet.
pub(crate) fn all(store: &RunStore) -> Result<Listed, String> {
    let listed = match store.existing() {
        Err(Error::Missing(_)) => return Ok(Listed::default()),
        store => store.and_then(|it| it.list()),
    };
    listed.map_err(|it| it.to_string())
}

/// The id of the run that was begun last.
pub(crate) fn newest_of_all(store: &RunStore) -> Result<String, String> {
    let newest = all(store)?.runs.into_iter().next();
    Ok(newest.ok_or("no runs are stored")?.id)
}

/// The id of the newest run that can go on: it was interrupted, or what it was parked for has come. One that still waits for its
/// answer, and one that has diverged and waits for a decision, are resumed by their ids.
fn newest(store: &RunStore) -> Result<String, String> {
    let due = match store.existing() {
        Err(Error::Missing(_)) => Listed::default(),
        store => store
            .and_then(|it| it.due(gsw_journal::clock::now()))
            .map_err(|it| it.to_string())?,
    };
    let can_go_on = |it: &Info| match it.shown_status() {
        RunStatus::Interrupted => true,
        RunStatus::Parked => due.runs.iter().any(|other| other.id == it.id),
        RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Diverged
        | RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled => false,
    };
    match all(store)?.runs.into_iter().find(can_go_on) {
        Some(info) => Ok(info.id),
        None => Err("there is no run that was interrupted".into()),
    }
}

fn list(store: &RunStore, form: ResultForm) -> Result<Exit, String> {
    let Listed { runs, damaged } = all(store)?;
    let exit = print_list(store, &runs, form);
    for damaged in &damaged {
        say_error(form, &damaged.error.to_string());
    }
    Ok(match damaged.is_empty() {
        true => exit,
        false => Exit::Raised,
    })
}

fn print_list(store: &RunStore, runs: &[Info], form: ResultForm) -> Exit {
    // `None` where it cannot be read: the command that inspects the run reports what is wrong with it.
    let costs = |it: &Info| cost_of(&*store.existing().ok()?, &it.id).ok();
    if form == ResultForm::Json {
        let described = |it: &Info| {
            let mut tree = described(it);
            tree["cost_usd"] = json!(costs(it).map(Cost::usd));
            tree
        };
        let runs: Vec<Value> = runs.iter().map(described).collect();
        return printed(say::print_value(&runs));
    }
    if runs.is_empty() {
        return printed(say::print("no runs are stored\n"));
    }
    // None where they cannot be read, as with the costs.
    let answered = store.existing().and_then(|it| it.answered());
    let answered = answered.unwrap_or_default();
    let waits_for = |info: &Info| {
        // Of one that has diverged this is why, which `runs show` says.
        if info.shown_status() == RunStatus::Diverged {
            return None;
        }
        let waiting = info.waiting.clone()?;
        let is_answered = answered.iter().any(|(run, ..)| *run == info.id);
        Some(match is_answered {
            true => format!("answered: {waiting}"),
            false => waiting,
        })
    };
    let mut rows =
        vec![["ID", "WORKFLOW", "STATUS", "STARTED", "COST", "WAITS FOR"].map(str::to_owned)];
    rows.extend(runs.iter().map(|it| {
        [
            short(&it.id).to_owned(),
            it.workflow.clone(),
            it.shown_status().name().to_owned(),
            to_the_second(it.begun),
            match costs(it) {
                Some(Cost::Usd(usd)) => money(usd),
                Some(Cost::AtLeast(usd)) => format!("≥{}", money(usd)),
                None => "?".to_owned(),
            },
            waits_for(it).unwrap_or_default(),
        ]
    }));
    printed(say::print(&table(&rows)))
}

/// What is known of a run without reading its records.
fn described(info: &Info) -> Value {
    json!({
        "id": info.id,
        "workflow": info.workflow,
        "status": info.shown_status().name(),
        "started": rfc3339(info.begun),
        "changed": rfc3339(info.changed),
        "waits_for": info.waiting,
        "program": info.program,
        "forked_from": info.source,
        "records": info.records,
    })
}

fn settle(
    loaded: Loaded,
    store: &Arc<RunStore>,
    id: &str,
    operation: u64,
    settled: Settled,
) -> Result<(), Refusal> {
    let became = match settled {
        Settled::NotDone => Became::NotDone,
        Settled::Done { result } => Became::Done(
            json::parse(&result).map_err(|it| format!("the result is not JSON: {}", it.message))?,
        ),
    };
    let engine = quiet_engine(loaded, store);
    let settled = engine.settle(id, OperationId(operation), &became);
    settled.map_err(Refusal::from)
}

/// Says which run a fork is.
fn forked(form: ResultForm, id: &str, next: &Next) -> Exit {
    match form {
        ResultForm::Json => {
            let text = json!({ "id": id }).to_string();
            printed(say::print_json(&format!("{text}\n")))
        }
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => {
            let id = short(id);
            tell(
                form,
                &format!("forked as {id}; resume it: {}", next.resume()),
            )
        }
    }
}

fn fork(
    loaded: Loaded,
    store: &Arc<RunStore>,
    id: &str,
    at: &str,
    set: &[String],
) -> Result<Arc<str>, String> {
    let mut changed = Map::new();
    for word in set {
        let Some((name, value)) = word.split_once('=') else {
            return Err(format!("`{word}` sets nothing: write `name=JSON`"));
        };
        let value = json::parse(value)
            .map_err(|it| format!("`{name}`: this is not JSON: {}", it.message))?;
        changed.insert(name.replace('-', "_"), value);
    }
    let forked = quiet_engine(loaded, store).fork(id, at, changed);
    forked.map_err(|it| it.to_string())
}

/// Ends a run of which nothing can be run any more.
fn abandon(store: &RunStore, id: &str, form: ResultForm) -> Result<Exit, Refusal> {
    let id = store.existing()?.abandon(id, "ended by `runs abandon`")?;
    let id = short(&id);
    Ok(tell(
        form,
        &format!("run {id} has ended as it was: its `defer` and `undo` blocks were not run"),
    ))
}

fn prune(store: &RunStore, form: ResultForm) -> Result<Exit, String> {
    let retention = store.retention();
    let pruned = match store.existing() {
        Err(Error::Missing(_)) => Ok(0),
        store => store.and_then(|it| it.prune(retention)),
    };
    let count = pruned.map_err(|it| it.to_string())?;
    if form == ResultForm::Json {
        let text = json!({ "forgotten": count }).to_string();
        return Ok(printed(say::print_json(&format!("{text}\n"))));
    }
    let runs = if count == 1 { "run" } else { "runs" };
    Ok(printed(say::print(&format!("{count} {runs} forgotten\n"))))
}
