//! From the words after `runs` to what is to be done with the runs that are kept.

use std::path::PathBuf;

use gsw_abi::option::BuiltinOption;
use gsw_journal::record::UndoWish;
use gsw_notation::near::nearest;

use crate::arguments::{BuiltinOptions, TapeOption, UsageError};

/// A command about runs, with its options.
#[derive(Clone, PartialEq, Debug)]
pub struct RunsInvocation {
    pub command: RunsCommand,
    pub options: BuiltinOptions,
}

/// What is to be done with the runs that are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunsCommand {
    List,
    /// All that is known of a run, and what can be done.
    Show {
        id: String,
    },
    /// Resumes a run; without an id the newest that was interrupted.
    Resume {
        id: Option<String>,
    },
    /// Answers what a run asks.
    Answer {
        to: Asking,
        /// The name of the `human` or `external`, or the number of the operation.
        name: String,
        /// JSON.
        answer: String,
    },
    /// Says what happened to something that may have been done.
    Settle {
        id: String,
        operation: u64,
        settled: Settled,
    },
    /// Tries again what could not be taken back of a run that has ended, or says what happened to it.
    Undo {
        id: String,
        wish: UndoWish,
    },
    /// Makes another run of the past of one.
    Fork {
        id: String,
        /// Where the past ends.
        at: String,
        /// Parameters that are changed, as `name=JSON`.
        set: Vec<String>,
    },
    /// Carries a run on until it has ended; without an id all, until none is open.
    Wait {
        id: Option<String>,
    },
    /// Gives a run that another build began to this one.
    Migrate {
        id: String,
    },
    /// Ends a run, with its `defer`s.
    Cancel {
        id: String,
    },
    /// Ends a run that no program resumes: nothing of it is run any more.
    Abandon {
        id: String,
    },
    /// Where two runs part.
    Diff {
        first: String,
        second: String,
    },
    /// Compares a run, or all, with their digests.
    Verify {
        id: Option<String>,
    },
    /// Writes a run as a file that shows whether it was changed.
    Export {
        id: String,
        /// Standard output where there is none.
        file: Option<PathBuf>,
    },
    /// Checks an exported file.
    Check {
        file: PathBuf,
    },
    /// Forgets runs that ended long ago.
    Prune,
}

/// The person or program that asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asking {
    Run(String),
    /// Whichever run waits for this key, or will.
    Key(String),
}

/// What happened to something that may have been done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It was done, and gave this JSON.
    Done {
        result: String,
    },
    NotDone,
}

/// Whether `runs` has a command of this name.
pub(crate) fn is_command(name: &str) -> bool {
    !name.is_empty() && FORMS.iter().any(|it| it.name == name)
}

/// A command of `runs`.
#[derive(PartialEq, Eq, Debug)]
pub struct Form {
    /// Empty for the list.
    pub name: &'static str,
    operands: &'static str,
    pub summary: &'static str,
    /// How the options that it alone has are written, and what they do.
    pub options: &'static [(&'static str, &'static str)],
    pub carries: Carries,
}

/// Whether a run goes on in the process of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carries {
    Run,
    Nothing,
}

impl Form {
    /// How it is written, after the program's name.
    pub(crate) fn usage(&self) -> String {
        let usage = format!("runs {} {}", self.name, self.operands);
        usage.trim().to_owned()
    }
}

/// The command of this name, or the list.
pub(crate) fn form(name: &str) -> &'static Form {
    FORMS.iter().find(|it| it.name == name).unwrap_or(&FORMS[0])
}

/// All commands of `runs`, as help lists them.
static FORMS: [Form; 16] = [
    Form {
        name: "",
        operands: "",
        summary: "List the runs that are kept",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "show",
        operands: "<ID>",
        summary: "Show how far a run is, and what can be done",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "resume",
        operands: "[ID]",
        summary: "Go on with a run that was interrupted, by default the newest",
        options: &[],
        carries: Carries::Run,
    },
    Form {
        name: "answer",
        operands: "<ID> <NAME> <JSON>",
        summary: "Answer the `human` or `external` of this name; `--key KEY` instead of an id finds an `external` by its key",
        options: &[(
            "--key <KEY>",
            "Instead of an id: whichever run waits for the `external` of this key",
        )],
        carries: Carries::Nothing,
    },
    Form {
        name: "settle",
        operands: "<ID> <NUMBER> done <JSON> | not-done",
        summary: "Say what became of an operation that may have been done",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "undo",
        operands: "<ID> [NUMBER again | done]",
        summary: "Try again what could not be taken back, or say that it has been",
        options: &[],
        carries: Carries::Run,
    },
    Form {
        name: "fork",
        operands: "<ID> <NODE> [NAME=JSON]...",
        summary: "Make another run that has happened up to a node, with other input perhaps",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "wait",
        operands: "[ID]",
        summary: "Wait until a run has ended, or all have, and carry on what is due meanwhile",
        options: &[],
        carries: Carries::Run,
    },
    Form {
        name: "migrate",
        operands: "<ID>",
        summary: "Go on with a run under this build, although the one that began it is still there",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "cancel",
        operands: "<ID>",
        summary: "End a run, with its `defer` blocks",
        options: &[],
        carries: Carries::Run,
    },
    Form {
        name: "abandon",
        operands: "<ID>",
        summary: "End a run as it is, without its `defer` and `undo` blocks: for one whose program is gone",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "diff",
        operands: "<ID> <ID>",
        summary: "Show where two runs part",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "verify",
        operands: "[ID]",
        summary: "Check that a run, or everything that is kept, is what was written",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "export",
        operands: "<ID> [FILE]",
        summary: "Write a run as JSON lines that show whether they were changed",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "check",
        operands: "<FILE>",
        summary: "Check a file that `export` has written",
        options: &[],
        carries: Carries::Nothing,
    },
    Form {
        name: "prune",
        operands: "",
        summary: "Forget runs that ended long ago",
        options: &[],
        carries: Carries::Nothing,
    },
];

/// The rows of help: how a command is written, and what it does.
pub fn rows() -> Vec<(String, String)> {
    let rows = FORMS.iter();
    rows.map(|it| (it.usage(), it.summary.to_owned())).collect()
}

/// Reads the words after `runs`.
///
/// # Errors
/// When a word does not fit; the message says which.
pub fn parse(words: &[String]) -> Result<RunsInvocation, UsageError> {
    let mut options = BuiltinOptions::default();
    let mut operands = Vec::new();
    let mut key = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some("key") => {
                let missing = || UsageError("`--key` needs a value: write `--key KEY`".into());
                key = Some(words.next().cloned().ok_or_else(missing)?);
            }
            Some(option) if let Some(value) = option.strip_prefix("key=") => {
                key = Some(value.to_owned());
            }
            Some(option) => read_option("runs", option, &mut options, &mut words)?,
            None => operands.push(word.as_str()),
        }
    }
    let carries = form(operands.first().copied().unwrap_or_default()).carries;
    let command = match key {
        Some(key) => by_key(key, &operands)?,
        None => command(&operands)?,
    };
    if carries == Carries::Nothing && (options.events.is_some() || options.model.is_some()) {
        let message =
            "only `runs resume`, `runs wait`, `runs cancel` and `runs undo` take options of a run";
        return Err(UsageError(message.into()));
    }
    if options.model.is_some() {
        let message = "a run resumes with the model that it began with: `--model` cannot be given";
        return Err(UsageError(message.into()));
    }
    match (&options.tape, &command) {
        (TapeOption::Off, _) | (TapeOption::Record(_), RunsCommand::Resume { .. }) => {}
        (TapeOption::Record(_), _) => {
            let message = "`--record` belongs to `runs resume`, or to a run that begins";
            return Err(UsageError(message.into()));
        }
        (TapeOption::Replay(_), _) => {
            let message = "a kept run resumes with real models: `--replay` begins one anew";
            return Err(UsageError(message.into()));
        }
    }
    Ok(RunsInvocation { command, options })
}

pub(crate) fn read_option(
    command: &str,
    option: &str,
    options: &mut BuiltinOptions,
    rest: &mut std::slice::Iter<'_, String>,
) -> Result<(), UsageError> {
    let (name, inline) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (option, None),
    };
    let option = BuiltinOption::of(name).ok_or_else(|| {
        let names = BuiltinOption::ALL.map(BuiltinOption::name);
        UsageError(match nearest(name, names.into_iter()) {
            Some(near) => format!("`{command}` has no option `--{name}`; did you mean `--{near}`?"),
            None => format!("`{command}` has no option `--{name}`"),
        })
    })?;
    if inline.is_some() && option.operand().is_none() {
        return Err(UsageError(format!("`--{name}` takes no value")));
    }
    options.take(option, || {
        let value = inline.clone().or_else(|| rest.next().cloned());
        value.ok_or_else(|| UsageError(format!("`--{name}` needs a value: write `--{name} VALUE`")))
    })
}

/// Reads the words after `worker`.
///
/// # Errors
/// When a word does not fit; the message says which.
pub fn worker(words: &[String]) -> Result<BuiltinOptions, UsageError> {
    let options = options_alone("worker", "it carries on whatever is due", words)?;
    if options.model.is_some() {
        let message = "a run resumes with the model that it began with: `--model` cannot be given";
        return Err(UsageError(message.into()));
    }
    Ok(options)
}

/// The words after a command that takes options alone.
fn options_alone(
    command: &str,
    does: &str,
    words: &[String],
) -> Result<BuiltinOptions, UsageError> {
    let mut options = BuiltinOptions::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some(option) => read_option(command, option, &mut options, &mut words)?,
            None => {
                let message = format!("`{command}` takes no `{word}`: {does}");
                return Err(UsageError(message));
            }
        }
    }
    Ok(options)
}

/// A command that finds what is asked by a key.
fn by_key(key: String, operands: &[&str]) -> Result<RunsCommand, UsageError> {
    match operands {
        ["answer", name, answer] => Ok(RunsCommand::Answer {
            to: Asking::Key(key),
            name: (*name).to_owned(),
            answer: (*answer).to_owned(),
        }),
        _ => Err(UsageError(
            "`--key` replaces the id: write `runs answer --key KEY NAME JSON`".into(),
        )),
    }
}

fn command(operands: &[&str]) -> Result<RunsCommand, UsageError> {
    let text = |it: &&str| (*it).to_owned();
    match operands {
        [] => Ok(RunsCommand::List),
        ["show", id] => Ok(RunsCommand::Show { id: text(id) }),
        ["resume"] => Ok(RunsCommand::Resume { id: None }),
        ["resume", id] => Ok(RunsCommand::Resume { id: Some(text(id)) }),
        ["answer", id, name, answer] => Ok(RunsCommand::Answer {
            to: Asking::Run(text(id)),
            name: text(name),
            answer: text(answer),
        }),
        ["settle", id, number, "done", result] => Ok(RunsCommand::Settle {
            id: text(id),
            operation: operation(number)?,
            settled: Settled::Done {
                result: text(result),
            },
        }),
        ["settle", id, number, "not-done"] => Ok(RunsCommand::Settle {
            id: text(id),
            operation: operation(number)?,
            settled: Settled::NotDone,
        }),
        ["undo", id, wish @ ..] => Ok(RunsCommand::Undo {
            id: text(id),
            wish: undo_wish(wish)?,
        }),
        ["fork", id, at, set @ ..] => Ok(RunsCommand::Fork {
            id: text(id),
            at: text(at),
            set: set.iter().map(text).collect(),
        }),
        ["wait"] => Ok(RunsCommand::Wait { id: None }),
        ["wait", id] => Ok(RunsCommand::Wait { id: Some(text(id)) }),
        ["migrate", id] => Ok(RunsCommand::Migrate { id: text(id) }),
        ["cancel", id] => Ok(RunsCommand::Cancel { id: text(id) }),
        ["abandon", id] => Ok(RunsCommand::Abandon { id: text(id) }),
        ["diff", first, second] => Ok(RunsCommand::Diff {
            first: text(first),
            second: text(second),
        }),
        ["verify"] => Ok(RunsCommand::Verify { id: None }),
        ["verify", id] => Ok(RunsCommand::Verify { id: Some(text(id)) }),
        ["export", id] => Ok(RunsCommand::Export {
            id: text(id),
            file: None,
        }),
        ["export", id, file] => Ok(RunsCommand::Export {
            id: text(id),
            file: Some(file.into()),
        }),
        ["check", file] => Ok(RunsCommand::Check { file: file.into() }),
        ["prune"] => Ok(RunsCommand::Prune),
        [name, ..] => Err(unfit(name)),
    }
}

fn operation(number: &str) -> Result<u64, UsageError> {
    number.parse().map_err(|_| {
        UsageError(format!(
            "`{number}` is not the number of an operation: `runs show` lists them"
        ))
    })
}

/// What is wanted of the undos that failed.
fn undo_wish(words: &[&str]) -> Result<UndoWish, UsageError> {
    let number = |number: &str| {
        number.parse().map_err(|_| {
            UsageError(format!(
                "`{number}` is not the number of an undo: `runs show` lists those that failed"
            ))
        })
    };
    match words {
        [] => Ok(UndoWish::Failed),
        [word, "again"] => Ok(UndoWish::Again(number(word)?)),
        [word, "done"] => Ok(UndoWish::Done(number(word)?)),
        _ => Err(unfit("undo")),
    }
}

fn unfit(name: &str) -> UsageError {
    let form = FORMS.iter().find(|it| it.name == name && !name.is_empty());
    UsageError(match form {
        Some(form) => {
            let usage = format!("runs {name} {}", form.operands);
            format!("write `{}`", usage.trim_end())
        }
        None => {
            let names: Vec<&str> = FORMS[1..].iter().map(|it| it.name).collect();
            match nearest(name, names.iter().copied()) {
                Some(near) => format!("`runs` has no command `{name}`; did you mean `{near}`?"),
                None => format!(
                    "`runs` has no command `{name}`; there are {}",
                    names.join(", ")
                ),
            }
        }
    })
}
