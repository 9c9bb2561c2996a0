//! `runs diff`: where two runs part, shown side by side.

use gsw_driver::durable::history::{Became, Difference, History, Parting, Told};
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::Engine;
use gsw_driver::engine::places::Places;
use gsw_notation::calendar::to_the_second;
use serde_json::{Value, json};

use crate::arguments::ResultForm;
use crate::exit::Exit;
use crate::report::{printed, short};
use crate::say;
use crate::table::table;

/// How many characters of a value are shown in a column; JSON has all of it.
const SHOWN: usize = 60;

/// A run, and the places of its operations when a program knows them.
struct Side {
    history: History,
    places: Option<Places>,
}

impl Side {
    fn told(&self, operation: u64) -> Option<&Told> {
        self.history.operations.get(&operation)
    }

    fn place(&self, operation: u64) -> Option<&str> {
        let places = self.places.as_ref()?;
        places.of.get(&operation).map(String::as_str)
    }
}

/// Shows where two runs part. Exits like `diff`: 0 when they do not.
pub(super) fn diff(
    store: &RunStore,
    engine: Option<&Engine>,
    ids: [&str; 2],
    form: ResultForm,
) -> Result<Exit, String> {
    let store = store.existing().map_err(|it| it.to_string())?;
    let side = |id: &str| -> Result<Side, String> {
        let history = History::of(&store, id).map_err(|it| it.to_string())?;
        // Another build may not be able to say where things are; what is recorded is shown all the same.
        let places = engine.and_then(|it| it.places(&history.info.id).ok());
        Ok(Side { history, places })
    };
    let (first, second) = (side(ids[0])?, side(ids[1])?);
    let difference = Difference::of(&first.history, &second.history);
    let exit = match difference.parting {
        None => Exit::Done,
        Some(_) => Exit::Raised,
    };
    let shown = match form {
        ResultForm::Json => say::print_value(&as_json(&first, &second, &difference)),
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => {
            say::print(&as_text(&first, &second, &difference))
        }
    };
    let shown = printed(shown);
    Ok(if shown == Exit::Done { exit } else { shown })
}

/// A row of the two columns: what it is about, and what each run has.
type Row = [String; 3];

fn as_text(first: &Side, second: &Side, difference: &Difference) -> String {
    let Some(parting) = &difference.parting else {
        return format!(
            "the runs are the same: {} operations, with the same outcomes in the same order\n",
            difference.same
        );
    };
    let head = [
        String::new(),
        headed(&first.history),
        headed(&second.history),
    ];
    let mut rows = vec![head];
    rows.extend(apart(first, second, parting));
    let mut text = format!("{}\n\n{}", said(parting), table(&rows));
    if *parting != Parting::Workflow {
        text.push_str(&format!(
            "\nof the operations {} are the same, {} differ, {} are in the first run alone, {} in the second\n",
            difference.same, difference.changed, difference.only_first, difference.only_second
        ));
    }
    text
}

fn headed(history: &History) -> String {
    let info = &history.info;
    format!(
        "{} ({}, {})",
        short(&info.id),
        info.shown_status().name(),
        to_the_second(info.begun)
    )
}

fn said(parting: &Parting) -> String {
    match parting {
        Parting::Workflow => "they are runs of two workflows".to_owned(),
        Parting::Input { name, .. } => {
            format!("they were begun with another `{name}`")
        }
        Parting::Model => "they were begun with another model".to_owned(),
        Parting::Operation(operation) => format!("they part at operation {operation}"),
        Parting::Order { first, second } => format!(
            "they have the same outcomes, in another order: operation {first} ended before {second} in the first run"
        ),
        Parting::Cancelled => "one of them was cancelled".to_owned(),
        Parting::End => "they ended differently".to_owned(),
    }
}

fn apart(first: &Side, second: &Side, parting: &Parting) -> Vec<Row> {
    let of = |name: &str, one: String, other: String| [name.to_owned(), one, other];
    match parting {
        Parting::Workflow => vec![of(
            "workflow",
            first.history.info.workflow.clone(),
            second.history.info.workflow.clone(),
        )],
        Parting::Input {
            name,
            first,
            second,
        } => {
            vec![of(
                name,
                optional(first.as_ref()),
                optional(second.as_ref()),
            )]
        }
        Parting::Model => {
            let model = |it: &Side| it.history.model.clone().unwrap_or_else(|| "–".into());
            vec![of("model", model(first), model(second))]
        }
        Parting::Operation(operation) => operation_rows(first, second, *operation),
        Parting::Order {
            first: one,
            second: other,
        } => operation_rows(first, second, *one)
            .into_iter()
            .chain(operation_rows(first, second, *other))
            .collect(),
        Parting::Cancelled => {
            let reasons = |it: &Side| cut(&it.history.cancelled.join(", "));
            vec![of("told to end", reasons(first), reasons(second))]
        }
        Parting::End => {
            let end = |it: &Side| cut(it.history.end.as_deref().unwrap_or("–"));
            vec![of("end", end(first), end(second))]
        }
    }
}

fn operation_rows(first: &Side, second: &Side, operation: u64) -> Vec<Row> {
    let both = |name: &str, of: &dyn Fn(&Side) -> String| -> Row {
        [name.to_owned(), of(first), of(second)]
    };
    let mut rows = Vec::new();
    let is_placed = first.place(operation).is_some() || second.place(operation).is_some();
    if is_placed {
        rows.push(both("place", &|it| {
            it.place(operation).unwrap_or("–").to_owned()
        }));
    }
    rows.push(both("asked", &|it| match it.told(operation) {
        None => "nothing more".to_owned(),
        Some(told) => cut(told
            .what
            .as_deref()
            .unwrap_or("not known: it has no outcome")),
    }));
    let outcomes = [first, second].map(|it| it.told(operation).map_or("–".into(), became));
    let [one, other] = from_the_difference(outcomes);
    rows.push(["outcome".to_owned(), one, other]);
    if let (Some(one), Some(other)) = (first.told(operation), second.told(operation))
        && one.what == other.what
        && !one.asks_the_same(other)
    {
        let note = "at another place, or with other contents".to_owned();
        rows.push([String::new(), note, String::new()]);
    }
    rows
}

fn became(told: &Told) -> String {
    match &told.became {
        Became::Intended => "none: it may have been done".to_owned(),
        Became::Asked => "none: the question is open".to_owned(),
        Became::NotDone => "it was not done".to_owned(),
        Became::Completed { outcome, .. } => outcome.to_string(),
    }
}

/// Two texts, cut so that what is shown of long ones begins shortly before they differ.
fn from_the_difference(texts: [String; 2]) -> [String; 2] {
    let [one, other] = &texts;
    let pairs = one.chars().zip(other.chars());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let from = same.saturating_sub(SHOWN / 3);
    texts.map(|it| {
        let is_long = it.chars().count() > SHOWN;
        if !is_long || from == 0 {
            return cut(&it);
        }
        let rest: String = it.chars().skip(from).collect();
        cut(&format!("…{rest}"))
    })
}

fn optional(value: Option<&Value>) -> String {
    value.map_or_else(|| "–".to_owned(), |it| cut(&it.to_string()))
}

fn cut(text: &str) -> String {
    let line = text.replace('\n', "⏎");
    if line.chars().count() <= SHOWN {
        return line;
    }
    let mut short: String = line.chars().take(SHOWN - 1).collect();
    short.push('…');
    short
}

fn as_json(first: &Side, second: &Side, difference: &Difference) -> Value {
    let side = |it: &Side| {
        json!({
            "id": it.history.info.id,
            "workflow": it.history.info.workflow,
            "status": it.history.info.shown_status().name(),
        })
    };
    let parting = difference.parting.as_ref().map(|it| match it {
        Parting::Workflow => json!({ "at": "workflow" }),
        Parting::Input {
            name,
            first,
            second,
        } => json!({ "at": "input", "name": name, "first": first, "second": second }),
        Parting::Model => json!({
            "at": "model",
            "first": first.history.model,
            "second": second.history.model,
        }),
        Parting::Operation(operation) => json!({
            "at": "operation",
            "operation": operation,
            "first": told_json(first, *operation),
            "second": told_json(second, *operation),
        }),
        Parting::Order {
            first: one,
            second: other,
        } => json!({ "at": "order", "first": one, "second": other }),
        Parting::Cancelled => json!({
            "at": "cancellation",
            "first": first.history.cancelled,
            "second": second.history.cancelled,
        }),
        Parting::End => json!({
            "at": "end",
            "first": first.history.end,
            "second": second.history.end,
        }),
    });
    json!({
        "first": side(first),
        "second": side(second),
        "same": difference.same,
        "changed": difference.changed,
        "only_first": difference.only_first,
        "only_second": difference.only_second,
        "parting": parting,
    })
}

fn told_json(side: &Side, operation: u64) -> Value {
    let Some(told) = side.told(operation) else {
        return Value::Null;
    };
    let (state, outcome) = match &told.became {
        Became::Intended => ("intended", Value::Null),
        Became::Asked => ("asked", Value::Null),
        Became::NotDone => ("not_done", Value::Null),
        Became::Completed { outcome, .. } => ("completed", outcome.clone()),
    };
    json!({
        "place": side.place(operation),
        "asked": told.what,
        "state": state,
        "outcome": outcome,
    })
}
