//! `runs show`: how far a run is, drawn from what was recorded, and what can be done.

use std::io::IsTerminal;
use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::program::{Program, Workflow};
use gsw_abi::types::{TypeId, TypeTable};
use gsw_driver::engine::Engine;
use gsw_driver::engine::standing::{How, Open, OpenState, Standing};
use gsw_engine::codec::places::{REDACTED, hides, shown};
use gsw_engine::run::RunResult;
use gsw_journal::clock;
use gsw_notation::calendar::{rfc3339, to_the_second};
use gsw_notation::json::written;
use gsw_trace::{Keep, Shown, Tree};
use serde_json::{Value, json};

use crate::arguments::ResultForm;
use crate::exit::Exit;
use crate::report::{Next, printed};
use crate::runs::{described, undo};
use crate::say;
use crate::terminal::frame::{Moment, frame};
use crate::terminal::{Colors, colors};

/// A tree has at most this many rows.
const ROWS: usize = 40;
/// This wide is a row where it is not known how wide it may be.
const WIDTH: usize = 120;

pub(super) fn show(
    engine: &Engine,
    id: &str,
    form: ResultForm,
    next: impl Fn(&str) -> Next,
) -> Result<Exit, String> {
    let standing = engine.look_at(id).map_err(|it| it.to_string())?;
    let next = next(&standing.info.id);
    let hidden = Hiding::of(engine.program(), &standing.info.workflow);
    Ok(match form {
        ResultForm::Json => printed(say::print_value(&as_json(&standing, &next, hidden))),
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => {
            printed(say::print_styled(&as_text(&standing, &next, hidden)))
        }
    })
}

/// By what type a result is hidden from who looks at the run.
#[derive(Clone, Copy)]
struct Hiding<'a> {
    types: &'a TypeTable,
    /// None where this program does not know it.
    result: Option<TypeId>,
}

impl<'a> Hiding<'a> {
    fn of(program: &'a Program, workflow: &str) -> Self {
        let entries = program.workflows.iter();
        let spawned = program.spawnable.iter().map(|it| &it.workflow);
        let same = |it: &&Workflow| {
            program.lasting_name(NodeKind::Workflow, &it.name)
                == program.lasting_name(NodeKind::Workflow, workflow)
        };
        Self {
            types: &program.types,
            result: entries.chain(spawned).find(same).map(|it| it.result),
        }
    }

    /// A result as events have it.
    fn shown(self, json: &str) -> String {
        match (self.result, written(json)) {
            (Some(ty), _) if !hides(self.types, ty) => json.to_owned(),
            (Some(ty), Ok(value)) => shown(self.types, ty, &value).to_string(),
            (None, _) | (_, Err(_)) => REDACTED.to_owned(),
        }
    }
}

fn as_text(standing: &Standing, next: &Next, hiding: Hiding<'_>) -> String {
    let info = &standing.info;
    let head = format!(
        "run {} of `{}`: {}, started {}{}\n\n",
        info.id,
        info.workflow,
        info.shown_status().name(),
        to_the_second(info.begun),
        info.source
            .as_ref()
            .map(|it| format!(", forked from {it}"))
            .unwrap_or_default()
    );
    // Only the tree has colours of its own; escape sequences in a question, a result or an error are never obeyed.
    let mut text = Shown::lines(&head).to_string();
    let mut tree = Tree::new(info.id.as_str().into(), Keep::Shape);
    for event in &standing.events {
        tree.apply(&Arc::new(event.clone()));
    }
    let moment = Moment {
        now: standing.now,
        beat: 0,
    };
    let colors = match std::io::stdout().is_terminal() {
        true => colors(),
        false => Colors::Off,
    };
    for row in frame(&tree, moment, ROWS) {
        text.push_str(&row.cut(WIDTH, colors).0);
        text.push('\n');
    }
    text.push('\n');
    let mut rest = String::new();
    match &standing.how {
        How::Ended(result) => {
            rest.push_str(&ended(result, hiding));
            rest.push_str(&undo::settled_text(&standing.failed_undos.settled));
            rest.push_str(&undo::text(&standing.failed_undos.left, next));
            if !info.status.is_final() {
                rest.push_str(&format!("resume it: {}\n", next.resume()));
            }
        }
        How::Diverged(why) => rest.push_str(&format!(
            "this program asks for something else than what is written down: {why}\nit was begun by {}\n",
            info.program
        )),
        How::Open => {
            for open in &standing.open {
                rest.push_str(&open_text(open, standing, next));
            }
            rest.push_str(&format!(
                "\nresume it: {}\nend it: {}\n",
                next.resume(),
                next.runs("cancel", "")
            ));
        }
    }
    text.push_str(&Shown::lines(&rest).to_string());
    text
}

fn ended(result: &RunResult, hiding: Hiding<'_>) -> String {
    match result {
        RunResult::Value(json) => format!("result: {}\n", hiding.shown(json)),
        RunResult::Raised(error) => format!("raised: {}: {}\n", error.error, error.message),
        RunResult::Cancelled => "cancelled\n".to_owned(),
        RunResult::InvalidInput(_) => "its input does not fit\n".to_owned(),
        RunResult::Internal(message) => format!("internal error: {message}\n"),
        RunResult::Left(why) => format!("{why}\n"),
    }
}

/// What is open, and what can be done about it.
fn open_text(open: &Open, standing: &Standing, next: &Next) -> String {
    let Open {
        operation,
        what,
        since,
        due,
        state,
    } = open;
    let number = operation.0;
    let answer = |name: &str, key: Option<&str>| {
        let by = standing.answered_by(*operation, name);
        next.answer(name, &by, key)
    };
    let by = due
        .map(|due| format!(", due by {}", to_the_second(due)))
        .unwrap_or_default();
    let head = format!(
        "{number}  {what}, asked for at {}{by}\n",
        to_the_second(*since)
    );
    let more = match state {
        OpenState::Passes => String::new(),
        OpenState::Begins => "   starts again when the run resumes\n".to_owned(),
        OpenState::Asks(_) | OpenState::Waits(_) if due.is_some_and(|it| it <= clock::now()) => {
            "   it has timed out: the run is told when it resumes\n".to_owned()
        }
        OpenState::Asks(question) => format!(
            "   {}\n   answer it: {}\n",
            question.text.trim().replace('\n', "\n   "),
            answer(&question.human, None)
        ),
        OpenState::Waits(external) => format!(
            "   it waits for an answer from outside{}\n   answer it: {}\n",
            external
                .key
                .as_ref()
                .map(|it| format!(", by the key `{it}`"))
                .unwrap_or_default(),
            answer(
                &external.name,
                external.key.as_deref().filter(|it| !it.contains(REDACTED))
            )
        ),
        OpenState::Answered(answer) => format!(
            "   {} answered it at {}; the run receives it when it resumes\n",
            answer.by,
            to_the_second(answer.at)
        ),
        OpenState::Unknown => format!(
            "   it may have been done: when the run resumes, the program gets `OutcomeUnknown`\n   \
             it was done, with this result: {}\n   it was not done: {}\n",
            next.runs("settle", &format!("{number} done JSON")),
            next.runs("settle", &format!("{number} not-done"))
        ),
    };
    head + &more
}

fn as_json(standing: &Standing, next: &Next, hiding: Hiding<'_>) -> Value {
    let mut tree = described(&standing.info);
    let open: Vec<Value> = standing.open.iter().map(open_json).collect();
    let (diverged, result) = match &standing.how {
        How::Open => (Value::Null, Value::Null),
        How::Diverged(why) => (json!(why), Value::Null),
        How::Ended(result) => (Value::Null, json!(ended(result, hiding).trim())),
    };
    if let Value::Object(map) = &mut tree {
        map.insert("open".into(), json!(open));
        let undos = &standing.failed_undos;
        map.insert("not_undone".into(), undo::json(&undos.left));
        map.insert("undone_later".into(), undo::settled_json(&undos.settled));
        map.insert("diverged".into(), diverged);
        map.insert("ended".into(), result);
        map.insert("events".into(), json!(standing.events));
        map.insert("next".into(), json!(next.resume()));
    }
    tree
}

fn open_json(open: &Open) -> Value {
    let (state, question) = match &open.state {
        OpenState::Begins => ("begins", Value::Null),
        OpenState::Passes => ("passes", Value::Null),
        OpenState::Asks(question) => (
            "asks",
            json!({ "human": question.human, "text": question.text, "schema": question.schema }),
        ),
        OpenState::Waits(external) => (
            "waits",
            json!({ "external": external.name, "key": external.key, "schema": external.schema }),
        ),
        OpenState::Answered(answer) => (
            "answered",
            json!({ "by": answer.by, "at": rfc3339(answer.at) }),
        ),
        OpenState::Unknown => ("unknown", Value::Null),
    };
    json!({
        "operation": open.operation.0,
        "what": open.what,
        "since": rfc3339(open.since),
        "due": open.due.map(rfc3339),
        "state": state,
        "question": question,
    })
}
