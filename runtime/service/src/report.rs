//! The report of a run that has ended, or that this process has left.

use std::io::IsTerminal;

use gsw_abi::types::{Type, TypeId};
use gsw_driver::durable::history::begun_elsewhere;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::Engine;
use gsw_driver::engine::runs::DetachedEnd;
use gsw_engine::run::{Left, OpenQuestion, RunError, RunResult};
use gsw_journal::store::Store;
use gsw_notation::calendar::to_the_second;
use serde_json::json;

use crate::arguments::{BuiltinOptions, ResultForm, Verbosity};
use crate::exit::Exit;
use crate::say::{self, say};
use crate::store::Origin;
use crate::terminal::Colors;
use crate::{failure, result_text, terminal};

/// The most questions that are listed of a run that is left; a guess.
const MOST_QUESTIONS: usize = 10;

/// How a user resumes a run.
pub(crate) struct Next {
    command: String,
    store: String,
    pub(crate) id: String,
    kept: Kept,
}

/// Whether a run is in the store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

impl Next {
    pub(crate) fn new(origin: &Origin, options: &BuiltinOptions, id: &str) -> Self {
        Self {
            command: origin.command.clone(),
            store: match &options.store {
                Some(store) => format!(" --store {}", quoted(store)),
                None => String::new(),
            },
            id: short(id).to_owned(),
            kept: Kept::No,
        }
    }

    /// The same of a run that is looked for in the store, where there is one.
    pub(crate) fn kept_in(mut self, store: Option<&RunStore>, id: &str) -> Self {
        let existing = store.and_then(|it| it.existing().ok());
        if existing.is_some_and(|it| it.find(id).is_ok()) {
            self.kept = Kept::Yes;
        }
        self
    }

    /// How to look at the run when it has failed. What is kept can be shown; anything else has to be run again, which repeats
    /// its effects.
    fn look(&self) -> String {
        match self.kept {
            Kept::Yes => format!("`{}`", self.show()),
            Kept::No => format!(
                "run it with `{}`, then `gswc trace run.jsonl`",
                self.events_option()
            ),
        }
    }

    /// The option that writes events, as it follows the command: with `gswc run` it is the program's, after `--`.
    fn events_option(&self) -> &'static str {
        match self.command.ends_with(" --") {
            true => "-- --events run.jsonl",
            false => "--events run.jsonl",
        }
    }

    /// A command of `runs` about this run.
    pub(crate) fn runs(&self, command: &str, rest: &str) -> String {
        let Self {
            command: program,
            store,
            id,
            kept: _,
        } = self;
        let rest = match rest.is_empty() {
            true => String::new(),
            false => format!(" {rest}"),
        };
        format!("{program} runs {command} {id}{rest}{store}")
    }

    pub(crate) fn resume(&self) -> String {
        self.runs("resume", "")
    }

    /// The command that answers a question: by its key, where it has one, since what sends the answer knows no run.
    pub(crate) fn answer(&self, name: &str, by: &str, key: Option<&str>) -> String {
        match key {
            Some(key) => format!(
                "{} runs answer --key {} {} JSON{}",
                self.command,
                quoted(key),
                quoted(name),
                self.store
            ),
            None => self.runs("answer", &format!("{} JSON", quoted(by))),
        }
    }

    /// What asks for an answer, each in a line, with the time until which it is taken.
    pub(crate) fn answers(&self, questions: &[OpenQuestion]) -> String {
        let mut text = String::new();
        for it in questions.iter().take(MOST_QUESTIONS) {
            let by = it.due.map(|due| format!(" by {}", to_the_second(due)));
            let command = self.answer(&it.name, &it.by, it.key.as_deref());
            text.push_str(&format!("answer{}: {command}\n", by.unwrap_or_default()));
        }
        let more = questions.len().saturating_sub(MOST_QUESTIONS);
        if more > 0 {
            text.push_str(&format!("and {more} more: {}\n", self.show()));
        }
        text
    }

    fn show(&self) -> String {
        self.runs("show", "")
    }
}

/// Says that a run which is resumed began in another folder.
pub(crate) fn say_moved(store: &Store, id: &str) {
    if let Some(folder) = begun_elsewhere(store, id) {
        say(&format!(
            "note: run {} began in `{}`: its relative paths begin in this folder now",
            short(id),
            folder.display()
        ));
    }
}

/// As much of an id as people type: the beginning of a random one, all of one that a program has chosen, since those begin alike.
#[must_use]
pub fn short(id: &str) -> &str {
    let is_random = id.len() == 32 && id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    match is_random {
        true => id.get(..12).unwrap_or(id),
        false => id,
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./:=@,+%".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What happened to the runs that were detached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detached {
    Ended,
    /// The user has cancelled one at least.
    Cancelled,
    /// One at least has not ended, and can be resumed.
    Left,
}

/// Reports which of the detached runs went wrong. The exit code is the main run's, as theirs are not waited for, unless they
/// were cancelled.
pub(crate) fn report_detached(ends: &[DetachedEnd]) -> Detached {
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
            RunResult::Left(why) => {
                became = Detached::Left;
                format!("{why}\n")
            }
        };
        say::say_lines(&format!("detached run {run} of `{workflow}`: {why}"));
    }
    became
}

/// Whether a result is a JSON string, which `--raw` prints bare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    Yes,
    No,
}

pub(crate) fn is_text(engine: &Engine, result: TypeId) -> Text {
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
        | Type::Set { .. }
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

/// Says how a run ended; returns the exit code.
pub(crate) fn report(
    ended: &RunResult,
    options: &BuiltinOptions,
    form: ResultForm,
    result: TypeId,
    next: &Next,
) -> Exit {
    match ended {
        RunResult::Value(_) if result == gsw_abi::builtin::UNIT => Exit::Done,
        RunResult::Value(json) => printed(print_result(json, form)),
        RunResult::Raised(error) => {
            match (form, serde_json::to_string(error)) {
                (ResultForm::Json, Ok(json)) => say::say_json(&json),
                (ResultForm::Json, Err(_))
                | (ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw, _) => {
                    say_failure(error, options, next.look());
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
        RunResult::Left(why) => report_left(why, form, next),
        RunResult::Internal(message) => {
            say(&format!(
                "error: Internal: {message}\nthis is a bug in Groundswell; please report it with the program that shows it"
            ));
            Exit::Internal
        }
    }
}

/// Says why a run that has not ended is not here any more.
fn report_left(why: &Left, form: ResultForm, next: &Next) -> Exit {
    let (word, exit) = match why {
        Left::Interrupted => ("Interrupted", Exit::Cancelled),
        Left::Parked { .. } => ("Parked", Exit::Parked),
        Left::Diverged { .. } => ("Diverged", Exit::Refused),
        Left::Unwritten { .. } => ("Unwritten", Exit::Raised),
        Left::Uncarried { .. } => ("Uncarried", Exit::Raised),
    };
    match form {
        ResultForm::Json => {
            let message = why.to_string();
            let error =
                json!({ "error": word, "message": message, "run": next.id, "next": next.resume() });
            say::say_json(&error.to_string());
        }
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => match why {
            Left::Interrupted => say(&format!("interrupted; resume it: {}", next.resume())),
            Left::Parked { questions, .. } => {
                let answers = next.answers(questions);
                let then = if questions.is_empty() { "" } else { "then " };
                let resume = next.resume();
                say::say_lines(&format!("{why}\n{answers}{then}resume it: {resume}"));
            }
            Left::Diverged { .. } => say(&format!(
                "error: {why}\nnothing was done, and the run needs a decision: put the program that began it back ({} says which), \
                 make another run of its past ({}), or end it as it is ({})",
                next.show(),
                next.runs("fork", "NODE"),
                next.runs("abandon", "")
            )),
            Left::Unwritten { .. } | Left::Uncarried { .. } => say(&format!("error: {why}")),
        },
    }
    exit
}

/// Says what ended the run, and how to find out more.
fn say_failure(error: &RunError, options: &BuiltinOptions, look: String) {
    let colors = terminal::error_colors();
    let mut text = failure::styled(error, colors);
    match options.verbosity {
        Verbosity::Quiet => {}
        Verbosity::Normal => text += &failure::look_closer(options.events.as_ref(), look, colors),
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
        // In a pipe a text is printed exactly.
        (ResultForm::Pretty, Ok(text)) => say::print(&format!("{text}\n")),
        (ResultForm::Pretty, Err(_)) => say::print(&result_text::lines(json, Colors::Off)),
        (ResultForm::Raw, Err(_)) | (ResultForm::Plain | ResultForm::Json, _) => {
            say::print_json(&format!("{json}\n"))
        }
    }
}

/// What keeps a result from its reader is an error.
pub(crate) fn printed(done: std::io::Result<()>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(error) => {
            say(&format!("error: the result cannot be written: {error}"));
            Exit::Raised
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn an_id_that_was_chosen_is_shown_whole() {
        assert_eq!(short("0123456789abcdef0123456789abcdef"), "0123456789ab");
        for chosen in [
            "nightly-2026-11-28",
            "nightly-2026-11-29-and-of-32-bytes",
            "größe-der-bestellung",
        ] {
            assert_eq!(short(chosen), chosen);
        }
    }
}
