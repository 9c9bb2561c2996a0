//! The failed undos of a run, what can be done about them, and the results of another attempt.

use gsw_engine::run::{NotUndone, SettledHow, SettledUndo, UndoStanding};
use gsw_notation::calendar::{rfc3339, to_the_second};
use serde_json::{Value, json};

use crate::arguments::ResultForm;
use crate::exit::Exit;
use crate::report::{Next, printed};
use crate::say;

/// What is left to take back, each with its number.
pub(super) fn text(not_undone: &[NotUndone], next: &Next) -> String {
    let mut text = String::new();
    let mut may_be_tried = false;
    for NotUndone {
        number,
        what,
        standing,
    } in not_undone
    {
        text.push_str(&format!("{number}  not undone: {what}\n"));
        match standing {
            UndoStanding::Failed => may_be_tried = true,
            UndoStanding::InDoubt => text.push_str(&format!(
                "   it may have been taken back\n   it was: {}\n   it was not, try it again: {}\n",
                next.runs("undo", &format!("{number} done")),
                next.runs("undo", &format!("{number} again"))
            )),
        }
    }
    if may_be_tried {
        text.push_str(&format!(
            "try again what failed: {}\n",
            next.runs("undo", "")
        ));
    }
    text
}

pub(super) fn json(not_undone: &[NotUndone]) -> Value {
    let rows = not_undone.iter().map(|it| {
        json!({
            "number": it.number,
            "what": it.what,
            "in_doubt": it.standing == UndoStanding::InDoubt,
        })
    });
    Value::Array(rows.collect())
}

/// What could not be taken back at first and has been since.
pub(super) fn settled_text(settled: &[SettledUndo]) -> String {
    let line = |it: &SettledUndo| {
        let how = match it.how {
            SettledHow::TakenBack => "taken back by another attempt",
            SettledHow::Declared => "declared done",
        };
        let SettledUndo { number, what, .. } = it;
        format!(
            "{number}  {how} at {}, after: {what}\n",
            to_the_second(it.at)
        )
    };
    settled.iter().map(line).collect()
}

pub(super) fn settled_json(settled: &[SettledUndo]) -> Value {
    let rows = settled.iter().map(|it| {
        json!({
            "number": it.number,
            "what": it.what,
            "declared": it.how == SettledHow::Declared,
            "at": rfc3339(it.at),
        })
    });
    Value::Array(rows.collect())
}

/// Reports the results of another attempt.
pub(crate) fn report(not_undone: &[NotUndone], form: ResultForm, next: &Next) -> Exit {
    let said = match (form, not_undone) {
        (ResultForm::Json, left) => say::print_value(&json!({ "not_undone": json(left) })),
        (ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw, []) => {
            say::print("everything has been taken back\n")
        }
        (ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw, left) => {
            say::print(&text(left, next))
        }
    };
    match (printed(said), not_undone) {
        (Exit::Done, [_, ..]) => Exit::Raised,
        (exit, _) => exit,
    }
}
