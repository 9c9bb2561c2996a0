//! Constants: evaluated while compiling, so that what one raises is a mistake in the program.

use gsw_abi::builtin::BuiltinError;
use gsw_semantics::hir::{BodyPart, ExpressionKind};
use gsw_semantics::model::Waits;
use gsw_semantics::{builtin_error, item_bodies, item_summary};
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Place, Severity, Span};
use gsw_syntax::file_item_ids;

use crate::errors;
use crate::evaluate::with_stack;
use crate::machine::Machine;
use crate::stop::{Raised, Stop, UNSPECIFIED};
use crate::value::Value;

/// What is wrong with the values of the constants that `file` declares. One that `found` already reports is left alone, and so
/// is one that needs a part of the library which only the runtime has: it raises where it is used.
pub(crate) fn constant_diagnostics(
    db: &dyn Db,
    file: File,
    found: &[Diagnostic],
) -> Vec<Diagnostic> {
    let is_reported = |item: ItemId| {
        found.iter().any(|it| {
            it.severity == Severity::Error
                && matches!(it.place, Place::Item { item: other, .. } if other == item)
        })
    };
    let items = file_item_ids(db, file).iter().copied();
    let constants: Vec<ItemId> = items
        .filter(|it| it.kind(db) == ItemKind::Const && !is_reported(*it) && is_computed(db, *it))
        .collect();
    let (pure, impure): (Vec<ItemId>, Vec<ItemId>) = constants
        .into_iter()
        .partition(|it| outside(db, *it).is_none());
    let mut wrong: Vec<Diagnostic> = impure
        .into_iter()
        .filter_map(|it| Some(errors::impure_constant(whole(db, it), &outside(db, it)?)))
        .collect();
    if !pure.is_empty() {
        let failures = with_stack(db, |db| failures(db, &pure));
        wrong.extend(failures.into_iter().map(|(place, failure)| match failure {
            Failure::Raises { error, message } => {
                errors::failing_constant(place, &error, message.as_deref())
            }
            Failure::Unending(why) => errors::endless_constant(place, &why),
        }));
    }
    wrong
}

/// Why a constant has no value.
enum Failure {
    Raises {
        error: String,
        /// Its message, where the language fixes one.
        message: Option<String>,
    },
    /// It is too much; why.
    Unending(String),
}

/// Whether a constant is more than a literal.
fn is_computed(db: &dyn Db, item: ItemId) -> bool {
    let bodies = &item_bodies(db, item).bodies;
    let Some(body) = bodies.iter().find(|it| it.part == BodyPart::Main) else {
        return false;
    };
    !matches!(
        body.expression(body.root).kind,
        ExpressionKind::Int(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Duration(_)
            | ExpressionKind::String(_)
    )
}

/// What a constant would need that is not there while compiling.
fn outside(db: &dyn Db, item: ItemId) -> Option<String> {
    let summary = &item_summary(db, item).item;
    let effects: Vec<String> = summary
        .effects
        .iter()
        .map(|it| format!("`{}`", it.name()))
        .collect();
    match (effects.is_empty(), summary.waits) {
        (false, _) => Some(effects.join(", ")),
        (true, Waits::Always) => Some("waiting".to_owned()),
        (true, Waits::Never | Waits::WithArguments) => None,
    }
}

fn whole(db: &dyn Db, item: ItemId) -> Place {
    let bodies = &item_bodies(db, item).bodies;
    let body = bodies.iter().find(|it| it.part == BodyPart::Main);
    let span = body.map_or(Span::new(0, 0), |it| it.expression(it.root).span);
    Place::Item { item, span }
}

fn failures(db: &dyn Db, constants: &[ItemId]) -> Vec<(Place, Failure)> {
    let mut failures = Vec::new();
    for &item in constants {
        let mut machine = Machine::new(db);
        let Err(stop) = machine.constant(item) else {
            continue;
        };
        let failed = machine.failed();
        // What another constant raises is reported there.
        if matches!(stop, Stop::Raise(_)) && failed.is_some_and(|(other, _)| other != item) {
            continue;
        }
        let own = failed.filter(|(other, _)| *other == item);
        let place = own.map_or_else(
            || whole(db, item),
            |(item, span)| Place::Item { item, span },
        );
        match stop {
            Stop::Raise(raised) => failures.push((place, raises(db, &raised))),
            Stop::Limit(why) => failures.push((place, Failure::Unending(why))),
            Stop::Unsupported(_)
            | Stop::Break
            | Stop::Continue
            | Stop::Return(_)
            | Stop::Cancelled => {}
        }
    }
    failures
}

fn raises(db: &dyn Db, raised: &Raised) -> Failure {
    let says = matches!(
        builtin_error(db, raised.item),
        Some(BuiltinError::Failed | BuiltinError::AssertionFailed)
    );
    let mut message = None;
    if let Some(Value::Text(text)) = raised.fields.first()
        && says
        && &**text != UNSPECIFIED
    {
        message = Some(text.to_string());
    }
    Failure::Raises {
        error: raised.item.name(db).to_string(),
        message,
    }
}
