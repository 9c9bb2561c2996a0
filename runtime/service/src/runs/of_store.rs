//! `gswc runs --store FILE …`: the runs of a store, whatever program they are of.
//!
//! What needs no program is done here, from the records alone. What resumes a run needs the program that began it, whose
//! path the store knows: the message says to run that one.

use std::path::PathBuf;

use gsw_abi::option::BuiltinOption;
use gsw_driver::durable::history::{Became, History, Told};
use gsw_driver::durable::store::{Need, RunStore};
use gsw_notation::calendar::{rfc3339, to_the_second};
use serde_json::{Value, json};

use crate::arguments::ResultForm;
use crate::environment;
use crate::exit::Exit;
use crate::report::{Next, printed};
use crate::runs::arguments::{self, Asking, RunsCommand, RunsInvocation};
use crate::runs::refusal::Refusal;
use crate::runs::{abandon, described, diff, ids, list, newest, proof, prune, refuse, refused};
use crate::say;
use crate::store::Origin;

/// How many operations of a run are listed, the last ones.
const LISTED: usize = 40;

/// What happened to a command about the runs of a store.
#[derive(Debug)]
pub enum OfStore {
    Done(Exit),
    /// The program that began the run has to do it, with these words.
    ByProgram {
        program: PathBuf,
        words: Vec<String>,
    },
}

/// Does what a command about the runs of a store says; `command` is how the user calls this.
#[must_use]
pub fn runs_of_store(words: &[String], command: &str) -> OfStore {
    let invocation = match arguments::parse(words) {
        Ok(invocation) => invocation,
        Err(error) => {
            let form = match words.iter().any(|it| it == "--json") {
                true => ResultForm::Json,
                false => ResultForm::Plain,
            };
            return OfStore::Done(refuse(form, &error.0));
        }
    };
    let RunsInvocation {
        command: mut asked,
        options,
    } = invocation;
    let form = options.form;
    let variable = || BuiltinOption::Store.variable().and_then(environment::text);
    let path = options.store.clone().or_else(variable);
    let store = match (&asked, path) {
        // It needs a file, and no store.
        (RunsCommand::Check { file }, _) => {
            let checked = proof::check(file, form);
            return OfStore::Done(checked.unwrap_or_else(|why| refuse(form, &why)));
        }
        (_, Some(path)) if path != "off" => RunStore::new(path.into(), String::new(), Need::Asked),
        (_, Some(_) | None) => {
            let why = "name a store: `--store FILE`";
            return OfStore::Done(refuse(form, why));
        }
    };
    let origin = Origin {
        command: command.to_owned(),
        program: String::new(),
    };
    let next = |id: &str| Next::new(&origin, &options, id);
    let completed = ids::complete(&mut asked, &store);
    let needs = completed.and_then(|()| needs(&asked, &store));
    let done = match needs.map_err(Refusal::from) {
        Ok(Needs::Program(program)) => {
            let mut words = words.to_vec();
            if options.store.is_none() {
                words.push(format!("--store={}", store.path().display()));
            }
            return OfStore::ByProgram { program, words };
        }
        Ok(Needs::Records(asked)) => perform(asked, &store, form, next),
        Err(why) => Err(why),
    };
    store.close();
    OfStore::Done(done.unwrap_or_else(|it| refused(form, &it)))
}

enum Needs<'a> {
    Records(OfRecords<'a>),
    /// The program that began the run, by its path.
    Program(PathBuf),
}

/// What can be done with records alone.
enum OfRecords<'a> {
    List,
    Show(&'a str),
    Abandon(&'a str),
    Diff(&'a str, &'a str),
    Verify(Option<&'a str>),
    Export(&'a str, Option<&'a std::path::Path>),
    Prune,
}

fn needs<'a>(command: &'a RunsCommand, store: &RunStore) -> Result<Needs<'a>, String> {
    let program = |id: &str| {
        let found = store.existing().and_then(|it| it.find(id));
        let info = found.map_err(|it| it.to_string())?;
        let path = PathBuf::from(&info.program);
        if path.is_file() {
            return Ok(Needs::Program(path));
        }
        Err(format!(
            "run `{}` was begun by `{}`, which no longer exists: put it back, or end the run as it is with `runs abandon`",
            info.id, info.program
        ))
    };
    Ok(Needs::Records(match command {
        RunsCommand::List => OfRecords::List,
        RunsCommand::Show { id } => OfRecords::Show(id),
        RunsCommand::Abandon { id } => OfRecords::Abandon(id),
        RunsCommand::Diff { first, second } => OfRecords::Diff(first, second),
        RunsCommand::Verify { id } => OfRecords::Verify(id.as_deref()),
        RunsCommand::Export { id, file } => OfRecords::Export(id, file.as_deref()),
        RunsCommand::Prune => OfRecords::Prune,
        RunsCommand::Check { .. } => unreachable!("it was done before a store was looked for"),
        RunsCommand::Migrate { .. } => {
            return Err("`runs migrate` is a command of the program that resumes the run".into());
        }
        RunsCommand::Resume { id: None } => return program(&newest(store)?),
        RunsCommand::Answer {
            to: Asking::Key(key),
            ..
        } => {
            let found = store.existing().and_then(|it| it.question_of_key(key));
            match found.map_err(|it| it.to_string())? {
                Some(asked) => return program(&asked.run),
                None => {
                    let why = "no run of the store asks for this key yet: answer with the program that will ask";
                    return Err(why.into());
                }
            }
        }
        RunsCommand::Wait { id: None } => {
            return Err(
                "name the run to wait for: the runs of a store may be of several programs".into(),
            );
        }
        RunsCommand::Wait { id: Some(id) }
        | RunsCommand::Resume { id: Some(id) }
        | RunsCommand::Answer {
            to: Asking::Run(id),
            ..
        }
        | RunsCommand::Settle { id, .. }
        | RunsCommand::Fork { id, .. }
        | RunsCommand::Undo { id, .. }
        | RunsCommand::Cancel { id } => return program(id),
    }))
}

fn perform(
    asked: OfRecords<'_>,
    store: &RunStore,
    form: ResultForm,
    next: impl Fn(&str) -> Next,
) -> Result<Exit, Refusal> {
    Ok(match asked {
        OfRecords::List => list(store, form)?,
        OfRecords::Show(id) => show(store, id, form, next)?,
        OfRecords::Abandon(id) => abandon(store, id, form)?,
        OfRecords::Diff(first, second) => diff::diff(store, None, [first, second], form)?,
        OfRecords::Verify(id) => proof::verify(store, id, form)?,
        OfRecords::Export(id, file) => proof::export(store, id, file, form)?,
        OfRecords::Prune => prune(store, form)?,
    })
}

/// A run as its records show it.
fn show(
    store: &RunStore,
    id: &str,
    form: ResultForm,
    next: impl Fn(&str) -> Next,
) -> Result<Exit, String> {
    let store = store.existing().map_err(|it| it.to_string())?;
    let history = History::of(&store, id).map_err(|it| it.to_string())?;
    let next = next(&history.info.id);
    Ok(printed(match form {
        ResultForm::Json => say::print_value(&as_json(&history)),
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => {
            say::print(&as_text(&history, &next))
        }
    }))
}

fn as_text(history: &History, next: &Next) -> String {
    let info = &history.info;
    let mut text = format!(
        "run {} of `{}`: {}, started {}\nprogram {}\ninput {}\n\n",
        info.id,
        info.workflow,
        info.shown_status().name(),
        to_the_second(info.begun),
        info.program,
        Value::Object(history.input.clone())
    );
    let left_out = history.operations.len().saturating_sub(LISTED);
    if left_out > 0 {
        text.push_str(&format!("…  {left_out} operations before\n"));
    }
    for (number, told) in history.operations.iter().skip(left_out) {
        text.push_str(&format!("{number}  {}\n", line(told)));
    }
    if let Some(waiting) = &info.waiting {
        text.push_str(&format!("\nwaits for {waiting}\n"));
    }
    if let Some(end) = &history.end {
        text.push_str(&format!("\nend: {end}\n"));
    }
    if !info.status.is_final() {
        text.push_str(&format!("\nresume it: {}\n", next.resume()));
    }
    text
}

fn line(told: &Told) -> String {
    let what = told.what.as_deref().unwrap_or("something");
    match &told.became {
        Became::Completed { now, .. } => format!("{what}, done at {}", to_the_second(*now)),
        Became::Intended => format!(
            "{what} that must not happen twice was about to begin: its program knows what, see `runs show` of it"
        ),
        Became::Asked => format!("{what}: the question is open"),
        Became::NotDone => format!("{what} was settled as not done"),
    }
}

fn as_json(history: &History) -> Value {
    let operations: Vec<Value> = history
        .operations
        .iter()
        .map(|(number, told)| {
            let (state, at) = match &told.became {
                Became::Completed { now, .. } => ("completed", Some(rfc3339(*now))),
                Became::Intended => ("intended", None),
                Became::Asked => ("asked", None),
                Became::NotDone => ("not_done", None),
            };
            json!({ "operation": number, "what": told.what, "state": state, "at": at })
        })
        .collect();
    let mut tree = described(&history.info);
    if let Value::Object(map) = &mut tree {
        map.insert("input".into(), json!(history.input));
        map.insert("operations".into(), json!(operations));
        map.insert("cancelled".into(), json!(history.cancelled));
        map.insert("end".into(), json!(history.end));
    }
    tree
}
