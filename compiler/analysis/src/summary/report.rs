//! Diagnostics about the error set of a body, from the facts of the last walk.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{Body, BodyPart, Callee, ExpressionId, ExpressionKind, Pattern, PatternKind};
use gsw_infer::{Child, Reference, children, infer_item, visit_inline};
use gsw_names::types::ErrorSet;
use gsw_names::{MODEL_ERROR, builtin_item, display_type, item_signature, model_errors};
use gsw_source::{Code, Db, Diagnostic, Place, Severity};

use super::body::BodyFacts;
use super::declared::{declared_end, head_diagnostics, names};
use super::latent::Side;
use crate::call_summary::Summary;
use crate::errors;

/// Errors that the signature leaves out, and arms of `catch` that never match. Nothing for a body with other errors, since
/// what is unknown there would be missed here.
pub(super) fn body_diagnostics(db: &dyn Db, body: &Body, facts: &BodyFacts) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let reported = &infer_item(db, body.item).diagnostics;
    // What was reported elsewhere leaves no error here, but a gap.
    let is_whole = |it: &gsw_infer::hir::Expression| it.kind != ExpressionKind::Invalid;
    if reported.iter().any(|it| it.severity == Severity::Error)
        || !body.expressions.iter().all(is_whole)
    {
        return found;
    }
    for expression in &body.expressions {
        if matches!(&expression.kind, ExpressionKind::Catch { arms, .. } if arms.is_empty()) {
            found.push(errors::catch_without_arms(body.place(expression.span)));
        }
    }
    for (id, pattern) in &facts.impossible {
        let ExpressionKind::Catch { value, .. } = &body.expression(*id).kind else {
            continue;
        };
        let report = errors::impossible_catch(body.place(pattern.span));
        found.push(match waits_for_model(db, body, *value, pattern) {
            true => errors::late_answer(report),
            false => report,
        });
    }
    for leak in &facts.leaks {
        let place = body.place(body.expression(leak.value).span);
        let ty = display_type(db, &leak.ty);
        let kinds = leak.errors.kinds.iter();
        let mut what: Vec<String> = kinds.map(|it| format!("raise `{}`", it.name)).collect();
        if leak.errors.open {
            what.push("raise any error".to_owned());
        }
        what.extend(leak.effects.iter().map(|it| format!("use `{}`", it.name())));
        let what = what.join(" and ");
        found.push(match leak.side {
            Side::Function => errors::left_out_of_type(place, &what, &ty),
            Side::Argument => errors::given_by_type(place, &what, &ty),
        });
    }
    let declared = item_signature(db, body.item).signature.throws.clone();
    if let (Some(declared), BodyPart::Main) = (declared, body.part) {
        undeclared(db, body, facts, &declared, &mut found);
        // The one that is listed most likely was meant to be the one that is not.
        let is_whole = found.iter().all(|it| it.code != Code::UNDECLARED_ERROR);
        if is_whole && let Some(raised) = facts.does.get(body.root.0 as usize) {
            let mut errors = raised.errors.clone();
            errors.extend(&raised.late);
            found.extend(head_diagnostics(db, body, &declared, &errors));
        }
    }
    found
}

fn undeclared(
    db: &dyn Db,
    body: &Body,
    facts: &BodyFacts,
    declared: &ErrorSet,
    found: &mut Vec<Diagnostic>,
) {
    let Some(raised) = facts.does.get(body.root.0 as usize) else {
        return;
    };
    if declared.open {
        return;
    }
    let name = body.item.name(db);
    let mut missing: Vec<(ExpressionId, ErrorSet)> = Vec::new();
    for kind in &raised.errors.kinds.without(&declared.kinds) {
        // Errors are sets without places, so the place is found by going down to the innermost expression that still raises it.
        let origin = origin(body, facts, body.root, &|does| {
            does.errors.kinds.contains(kind)
        });
        let known = missing.iter().position(|(it, _)| *it == origin);
        let index = known.unwrap_or_else(|| {
            missing.push((origin, ErrorSet::default()));
            missing.len() - 1
        });
        missing[index].1.kinds.insert(kind.clone());
    }
    let end = declared_end(db, body.item);
    for (origin, errors) in missing {
        let place = raising_place(db, body, origin);
        found.push(errors::undeclared_errors(
            place,
            &folded_names(db, &errors),
            name,
            &names(declared),
            end,
        ));
    }
    if raised.errors.open {
        let origin = origin(body, facts, body.root, &|does| does.errors.open);
        let place = raising_place(db, body, origin);
        found.push(errors::undeclared_open_error(place, name, &names(declared)));
    }
}

/// Where an expression raises: a call of a method does so from its name on, which in a long chain is lines below its start.
pub(super) fn raising_place(db: &dyn Db, body: &Body, id: ExpressionId) -> Place {
    let expression = body.expression(id);
    let mut span = expression.span;
    if let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        arguments,
    } = &expression.kind
        && let Some((_, first)) = arguments.first()
        // The receiver of a method is its first argument and begins where the call does; an argument in parentheses begins later.
        && body.expression(*first).span.start == span.start
    {
        let receiver = body.expression(*first).span;
        let references = &infer_item(db, body.item).references;
        let names = references.iter().filter(|(name, meant)| {
            *meant == Reference::Item(*item) && name.start >= receiver.end && name.end <= span.end
        });
        let name = names.map(|(name, _)| name.start).min();
        span.start = name.unwrap_or(span.start);
    }
    body.place(span)
}

/// The names of errors, all those of models as one.
fn folded_names(db: &dyn Db, set: &ErrorSet) -> Vec<String> {
    let model = model_errors(db);
    // `ModelError` says all of them, so it may be written only where all of them are missing.
    if !model.kinds.is_subset(&set.kinds) {
        return names(set);
    }
    let rest = set.kinds.without(&model.kinds);
    let rest = rest.iter().map(|it| it.name.to_string());
    std::iter::once(MODEL_ERROR.to_owned())
        .chain(rest)
        .collect()
}

/// The innermost expression from which something that `is_meant` comes, such as an error. In a `catch` that is an arm rather than what it
/// guards, because what reaches the outside came past the arms.
pub(super) fn origin(
    body: &Body,
    facts: &BodyFacts,
    id: ExpressionId,
    is_meant: &dyn Fn(&Summary) -> bool,
) -> ExpressionId {
    let kind = &body.expression(id).kind;
    let mut inside: Vec<ExpressionId> = children(kind)
        .into_iter()
        .map(|child| match child {
            Child::Inline(it) => it,
            Child::Closure(lambda, _) => lambda.body,
        })
        .collect();
    if matches!(kind, ExpressionKind::Catch { .. }) {
        // The guarded expression is the first child; its errors that the arms took would be found there first.
        inside.rotate_left(1);
    }
    let raises = |it: &ExpressionId| facts.does_so(*it, is_meant);
    // A lambda given to a call raises there, and a task where it is awaited.
    let is_deferred = matches!(
        kind,
        ExpressionKind::Lambda(_) | ExpressionKind::Spawn(_) | ExpressionKind::Undo(_)
    );
    match inside.into_iter().find(raises).filter(|_| !is_deferred) {
        Some(inner) => origin(body, facts, inner, is_meant),
        // A block does nothing of its own: its value is a task that is dropped.
        None if let ExpressionKind::Block {
            tail: Some(tail), ..
        } = kind =>
        {
            *tail
        }
        None => id,
    }
}

/// Whether it is `Timeout` that an arm catches, of what asks a model and gives up on it in another way.
fn waits_for_model(db: &dyn Db, body: &Body, value: ExpressionId, pattern: &Pattern) -> bool {
    let PatternKind::Error { item, .. } = &pattern.kind else {
        return false;
    };
    let mut asks = false;
    visit_inline(body, value, &mut |it| {
        asks |= matches!(body.expression(it).kind, ExpressionKind::PromptCall { .. });
    });
    asks && builtin_item(db, BuiltinError::Timeout) == Some(*item)
}
