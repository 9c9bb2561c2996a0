//! Values that nobody uses, where computing them has no effect.
//!
//! What an expression does is known from the facts of the last walk. A literal or name that is all of a branch is left alone:
//! in `match x { A => send(), B => 0 }` the `0` is there for the type. So is an index: a missing key raises, and
//! whoever writes `m[k]` on a line of its own asks for that.

use gsw_infer::hir::{
    Body, BodyPart, ExpressionId, ExpressionKind, LocalKind, Statement, StatementKind,
};
use gsw_infer::infer_item;
use gsw_names::types::Type;
use gsw_names::{display_type, item_signature};
use gsw_source::{Db, Diagnostic, ItemKind, Name, Severity, Span};
use gsw_syntax::locate;

use super::body::BodyFacts;
use crate::errors::{self, Meant};

/// Warnings about the expression statements of a body. None for a body with errors, since what is unknown there may act.
pub(super) fn unused_values(db: &dyn Db, body: &Body, facts: &BodyFacts) -> Vec<Diagnostic> {
    let reported = &infer_item(db, body.item).diagnostics;
    if reported.iter().any(|it| it.severity == Severity::Error) {
        return Vec::new();
    }
    let mut found = Vec::new();
    found.extend(dropped_answer(db, body));
    for expression in &body.expressions {
        let ExpressionKind::Block { statements, tail } = &expression.kind else {
            continue;
        };
        for (index, statement) in statements.iter().enumerate() {
            if let StatementKind::Expression(id) = &statement.kind
                && is_unused(body, facts, *id)
                && !(statements.len() == 1 && tail.is_none() && fills_branch(body, *id))
            {
                let before = index.checked_sub(1).map(|it| statements[it].span);
                let after = statements.get(index + 1).map(|it| it.span);
                let after = after.or(tail.map(|it| body.expression(it).span));
                let line = Line {
                    before,
                    own: statement,
                    after,
                };
                let span = body.expression(*id).span;
                found.push(errors::unused_value(
                    body.place(span),
                    meant(db, body, *id, &line),
                ));
            }
        }
    }
    found
}

/// The answer of a model at the end of a body that gives nothing, as in languages where the result need not be stated.
fn dropped_answer(db: &dyn Db, body: &Body) -> Option<Diagnostic> {
    let is_stated = !matches!(body.item.kind(db), ItemKind::Function | ItemKind::Workflow);
    let ExpressionKind::Block {
        statements,
        tail: None,
    } = &body.expression(body.root).kind
    else {
        return None;
    };
    let StatementKind::Expression(last) = statements.last()?.kind else {
        return None;
    };
    let last = body.expression(last);
    if is_stated
        || body.part != BodyPart::Main
        || item_signature(db, body.item).signature.result != Type::Unit
        || !matches!(last.kind, ExpressionKind::PromptCall { .. })
        || matches!(last.ty, Type::Unit | Type::Never | Type::Invalid)
    {
        return None;
    }
    let (name, ty) = (body.item.name(db), display_type(db, &last.ty));
    Some(errors::dropped_answer(body.place(last.span), name, &ty))
}

fn is_unused(body: &Body, facts: &BodyFacts, id: ExpressionId) -> bool {
    let expression = body.expression(id);
    let does = facts.does.get(id.0 as usize);
    let has_value = !matches!(expression.ty, Type::Unit | Type::Never | Type::Invalid);
    has_value
        && expression.span.start < expression.span.end
        && !matches!(
            expression.kind,
            ExpressionKind::Index { .. } | ExpressionKind::Invalid
        )
        && does.is_some_and(crate::call_summary::Summary::is_for_its_value)
}

/// Whether an expression may be there for its type alone.
fn fills_branch(body: &Body, id: ExpressionId) -> bool {
    use ExpressionKind as Kind;
    match &body.expression(id).kind {
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_) => true,
        Kind::List(parts) | Kind::Tuple(parts) => parts.is_empty(),
        Kind::Map(entries) => entries.is_empty(),
        Kind::Variant { fields, .. } => fields.is_empty(),
        Kind::Coerce { value, .. } => fills_branch(body, *value),
        Kind::FunctionValue { .. }
        | Kind::ConstructorValue { .. }
        | Kind::Lambda(_)
        | Kind::Record { .. }
        | Kind::ErrorValue { .. }
        | Kind::Field { .. }
        | Kind::TupleField { .. }
        | Kind::JsonField { .. }
        | Kind::Index { .. }
        | Kind::Interpolation(_)
        | Kind::Unary { .. }
        | Kind::Binary { .. }
        | Kind::In { .. }
        | Kind::Otherwise { .. }
        | Kind::Chain { .. }
        | Kind::Range { .. }
        | Kind::As(_)
        | Kind::If { .. }
        | Kind::Matches { .. }
        | Kind::Match { .. }
        | Kind::Catch { .. }
        | Kind::Block { .. }
        | Kind::For { .. }
        | Kind::While { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::Call { .. }
        | Kind::PromptCall { .. }
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::Spawn(_)
        | Kind::Undo(_)
        | Kind::SpawnDetached { .. }
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::ParallelFor { .. }
        | Kind::Parallel(_)
        | Kind::Step { .. }
        | Kind::Modified { .. }
        | Kind::Invalid => false,
    }
}

/// A statement and where its neighbours stand.
struct Line<'a> {
    before: Option<Span>,
    own: &'a Statement,
    after: Option<Span>,
}

/// What the author most likely had in mind.
fn meant(db: &dyn Db, body: &Body, id: ExpressionId, line: &Line<'_>) -> Meant {
    let span = line.own.span;
    let starts_with_minus = |span: Span| text(db, body, span).starts_with('-');
    if let Some(before) = line.before.filter(|_| starts_with_minus(span)) {
        return subtraction(db, body, before, span);
    }
    if let Some(after) = line.after.filter(|it| starts_with_minus(*it)) {
        return subtraction(db, body, span, after);
    }
    let expression = body.expression(id);
    let before = body.place(Span::new(span.start, span.start));
    if matches!(expression.kind, ExpressionKind::ErrorValue { .. }) {
        Meant::Fail(before)
    } else if matches!(expression.ty, Type::Task(_)) {
        Meant::Await(before)
    } else if let Type::Function(function) = &expression.ty
        && function.parameters.is_empty()
    {
        Meant::Call(body.place(Span::new(span.end, span.end)))
    } else if let Some(name) = changed(body, id) {
        Meant::Assign {
            start: before,
            name: name.to_string(),
        }
    } else {
        Meant::Unknown
    }
}

/// The variable whose method gives a value of its type: other languages change it there.
fn changed(body: &Body, id: ExpressionId) -> Option<&Name> {
    let expression = body.expression(id);
    let ExpressionKind::Call { arguments, .. } = &expression.kind else {
        return None;
    };
    let receiver = body.expression(arguments.first()?.1);
    let written = if let ExpressionKind::Coerce { value, .. } = receiver.kind {
        body.expression(value)
    } else {
        receiver
    };
    let ExpressionKind::Local(local) = written.kind else {
        return None;
    };
    let local = body.local(local);
    let may_change = matches!(local.kind, LocalKind::Var | LocalKind::State);
    // The receiver stands at the beginning of a call of a method.
    let is_method = receiver.span.start == expression.span.start;
    (may_change && is_method && receiver.ty == expression.ty).then_some(&local.name)
}

/// The operator of a line that was to go on with the one above it.
fn subtraction(db: &dyn Db, body: &Body, above: Span, line: Span) -> Meant {
    let rest = text(db, body, line);
    let operand = rest.trim_start_matches('-').trim_start();
    let operator = (rest.len() - operand.len()) as u32;
    Meant::Subtraction {
        end: body.place(Span::new(above.end, above.end)),
        operator: body.place(Span::new(line.start, line.start + operator)),
    }
}

fn text<'db>(db: &'db dyn Db, body: &Body, span: Span) -> &'db str {
    let (file, span) = locate(db, body.place(span));
    let range = span.start as usize..span.end as usize;
    file.text(db).get(range).unwrap_or_default()
}
