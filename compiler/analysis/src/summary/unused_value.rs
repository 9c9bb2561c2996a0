//! Unused values, where computing them has no effect.
//!
//! What an expression does is known from the facts of the last walk. A literal or name that is all of a branch is left alone where
//! another branch does something: in `match x { A => send(), B => 0 }` the `0` is there for the type. So is an index: a missing
//! key raises, and an `m[k]` on a line of its own asks for that.

use gsw_infer::hir::{
    Arm, Body, BodyPart, ExpressionId, ExpressionKind, LocalKind, Statement, StatementKind,
};
use gsw_infer::{Child, children, infer_item};
use gsw_names::types::Type;
use gsw_names::{display_type, is_std, item_head, item_signature, parameters_end};
use gsw_source::{Db, Diagnostic, ItemKind, Name, Severity, Span};
use gsw_syntax::locate;
use rustc_hash::FxHashSet;

use super::body::BodyFacts;
use crate::errors::{self, Meant};

/// Warnings about the expression statements of a body. None for a body with errors, since what is unknown there may act.
pub(super) fn unused_values(db: &dyn Db, body: &Body, facts: &BodyFacts) -> Vec<Diagnostic> {
    let reported = &infer_item(db, body.item).diagnostics;
    if reported.iter().any(|it| it.severity == Severity::Error) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let skipped = skipped_blocks(body, facts);
    let mut left_alone = fillers(body);
    if let Some((report, given)) = dropped_result(db, body, facts) {
        found.push(report);
        left_alone.extend(given);
    }
    for (number, expression) in (0..).zip(&body.expressions) {
        let ExpressionKind::Block { statements, tail } = &expression.kind else {
            continue;
        };
        for (index, statement) in statements.iter().enumerate() {
            if let StatementKind::Expression(id) = &statement.kind
                && is_unused(body, facts, *id)
                && !left_alone.contains(id)
            {
                let before = index.checked_sub(1).map(|it| statements[it].span);
                let after = statements.get(index + 1).map(|it| it.span);
                let after = after.or(tail.map(|it| body.expression(it).span));
                let line = Line {
                    is_in_branch: body.part == BodyPart::Main
                        && skipped.contains(&ExpressionId(number)),
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

/// The blocks that some ways through the body skip, so that what follows is reached when one is left by `return`. Those of lambdas
/// are no part of it: there a `return` leaves the lambda.
fn skipped_blocks(body: &Body, facts: &BodyFacts) -> FxHashSet<ExpressionId> {
    let mut skipped = FxHashSet::default();
    let mut open = vec![(body.root, Reached::Always)];
    while let Some((id, reached)) = open.pop() {
        let kind = &body.expression(id).kind;
        if reached == Reached::Sometimes && matches!(kind, ExpressionKind::Block { .. }) {
            skipped.insert(id);
        }
        let sometimes = entered_sometimes(body, facts, kind);
        for child in children(kind) {
            match child {
                Child::Inline(it) if sometimes.contains(&it) => open.push((it, Reached::Sometimes)),
                Child::Inline(it) => open.push((it, reached)),
                Child::Closure(..) => {}
            }
        }
    }
    skipped
}

/// Whether every way through a body leads to an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    Always,
    Sometimes,
}

/// The parts of an expression that may be skipped. Branches that all end with a dropped value are not: with a `return` in each
/// of them nothing would reach what follows.
fn entered_sometimes(body: &Body, facts: &BodyFacts, kind: &ExpressionKind) -> Vec<ExpressionId> {
    if let Some((branches, guarded)) = branches(kind) {
        let drops = |branch: &ExpressionId| {
            let mut last = Vec::new();
            ends(body, *branch, &mut last);
            last.iter().all(|it| is_unused(body, facts, *it))
        };
        return match guarded {
            Guarded::No if branches.iter().all(drops) => Vec::new(),
            Guarded::No | Guarded::Yes => branches,
        };
    }
    if let ExpressionKind::If { then, .. } = kind {
        vec![*then]
    } else if let ExpressionKind::For { body, .. } | ExpressionKind::While { body, .. } = kind {
        vec![*body]
    } else {
        Vec::new()
    }
}

/// The literals and names that are all of a branch, where another branch does something; of branches that are nothing else all
/// but the first, so that one mistake is reported once.
fn fillers(body: &Body) -> FxHashSet<ExpressionId> {
    let mut found = FxHashSet::default();
    for expression in &body.expressions {
        let Some((branches, guarded)) = branches(&expression.kind) else {
            continue;
        };
        let fillers = branches.iter().filter_map(|it| filler(body, *it));
        let fillers: Vec<ExpressionId> = fillers.collect();
        let acts = guarded == Guarded::Yes || fillers.len() < branches.len();
        found.extend(fillers.into_iter().skip(usize::from(!acts)));
    }
    found
}

/// Whether branches handle what a value raises.
#[derive(PartialEq, Eq)]
enum Guarded {
    Yes,
    No,
}

/// One of these is taken, whatever happens.
fn branches(kind: &ExpressionKind) -> Option<(Vec<ExpressionId>, Guarded)> {
    let bodies = |arms: &[Arm]| arms.iter().map(|it| it.body).collect();
    if let ExpressionKind::If {
        then,
        otherwise: Some(otherwise),
        ..
    } = kind
    {
        Some((vec![*then, *otherwise], Guarded::No))
    } else if let ExpressionKind::Match { arms, .. } = kind {
        Some((bodies(arms), Guarded::No))
    } else if let ExpressionKind::Catch { arms, .. } = kind {
        Some((bodies(arms), Guarded::Yes))
    } else {
        None
    }
}

/// The literal or name that is all of a branch whose value is dropped.
fn filler(body: &Body, branch: ExpressionId) -> Option<ExpressionId> {
    let ExpressionKind::Block {
        statements,
        tail: None,
    } = &body.expression(branch).kind
    else {
        return None;
    };
    let [
        Statement {
            kind: StatementKind::Expression(id),
            ..
        },
    ] = statements.as_slice()
    else {
        return None;
    };
    fills_branch(body, *id).then_some(*id)
}

/// The values at the end of a body that gives nothing, as in languages where the result need not be stated, and the report.
fn dropped_result(
    db: &dyn Db,
    body: &Body,
    facts: &BodyFacts,
) -> Option<(Diagnostic, Vec<ExpressionId>)> {
    let item = body.item;
    let head = item_head(db, item)?;
    let may_state = matches!(
        item.kind(db),
        ItemKind::Function | ItemKind::Workflow | ItemKind::Tool
    );
    let states_nothing = head.body.signature()?.result.is_none();
    if !may_state || !states_nothing || body.part != BodyPart::Main {
        return None;
    }
    let mut given = Vec::new();
    ends(body, body.root, &mut given);
    let is_meant = |id: &ExpressionId| {
        let expression = body.expression(*id);
        let is_asked = matches!(expression.kind, ExpressionKind::PromptCall { .. });
        // What is not raised, waited for or called has a report that says so.
        let is_value = !matches!(
            expression.ty,
            Type::Unit
                | Type::Never
                | Type::Invalid
                | Type::Error
                | Type::Task(_)
                | Type::Function(_)
        );
        is_value && (is_asked || is_unused(body, facts, *id))
    };
    let first = body.expression(*given.first()?);
    let is_one = |id: &ExpressionId| body.expression(*id).ty == first.ty && is_meant(id);
    if !given.iter().all(is_one) {
        return None;
    }
    let ty = display_type(db, &first.ty);
    // What a `return` leaves with would have to be a result, too.
    let may_be_left = body.has(|it| matches!(it, ExpressionKind::Return(_)));
    let end = parameters_end(db, item).filter(|_| !may_be_left);
    let end = end.map(|at| body.place(Span::new(at, at)));
    let report = errors::dropped_result(body.place(first.span), item.name(db), &ty, end);
    Some((report, given))
}

/// What a body may end with.
fn ends(body: &Body, id: ExpressionId, found: &mut Vec<ExpressionId>) {
    let kind = &body.expression(id).kind;
    if let ExpressionKind::Block {
        statements,
        tail: None,
    } = kind
        && let Some(StatementKind::Expression(last)) = statements.last().map(|it| &it.kind)
    {
        ends(body, *last, found);
    } else if let Some((branches, Guarded::No)) = branches(kind) {
        branches.iter().for_each(|it| ends(body, *it, found));
    } else {
        found.push(id);
    }
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

/// Whether an expression that is all of a branch may be there for its type alone.
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
        | Kind::Parallel { .. }
        | Kind::Step { .. }
        | Kind::Modified { .. }
        | Kind::Invalid => false,
    }
}

/// A statement and the spans of its neighbours.
struct Line<'a> {
    /// Whether it is in a block that may be skipped, inside of a body that may end with a value.
    is_in_branch: bool,
    before: Option<Span>,
    own: &'a Statement,
    after: Option<Span>,
}

/// Whether a statement is the first of a body.
fn begins_body(body: &Body, statement: &Statement) -> bool {
    let root = &body.expression(body.root).kind;
    matches!(root, ExpressionKind::Block { statements, .. } if statements.first() == Some(statement))
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
    if matches!(expression.kind, ExpressionKind::String(_)) && begins_body(body, line.own) {
        Meant::Document
    } else if matches!(expression.kind, ExpressionKind::ErrorValue { .. }) {
        Meant::Fail(before)
    } else if matches!(expression.ty, Type::Task(_)) {
        Meant::Await(before)
    } else if let Type::Function(function) = &expression.ty
        && function.parameters.is_empty()
    {
        Meant::Call(body.place(Span::new(span.end, span.end)))
    } else if decides(db, body, &expression.ty) {
        let meant = text(db, body, expression.span).to_owned();
        Meant::Decide {
            start: before,
            meant,
        }
    } else if let Some(name) = changed(body, id) {
        Meant::Assign {
            start: before,
            name: name.to_string(),
        }
    } else if line.is_in_branch && is_result(db, body, &expression.ty) {
        let meant = text(db, body, expression.span).to_owned();
        Meant::Return {
            start: before,
            meant,
        }
    } else {
        Meant::Unknown
    }
}

/// Whether a value of this type is what a handler of a hook gives.
fn decides(db: &dyn Db, body: &Body, ty: &Type) -> bool {
    const DECISIONS: [&str; 3] = ["Admission", "Amendment", "Decision"];
    let Type::Enum(item, _) = ty else {
        return false;
    };
    matches!(body.part, BodyPart::Handler(_))
        && is_std(db, item.file(db))
        && DECISIONS.contains(&item.name(db).as_str())
}

/// Whether the body may end with a value of this type.
fn is_result(db: &dyn Db, body: &Body, ty: &Type) -> bool {
    let result = &item_signature(db, body.item).signature.result;
    let inside = if let Type::Optional(inner) = result {
        ty == &**inner
    } else {
        false
    };
    inside || ty == result
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
    // The receiver is at the beginning of a call of a method.
    let is_method = receiver.span.start == expression.span.start;
    (may_change && is_method && receiver.ty == expression.ty).then_some(&local.name)
}

/// The operator of a line that was to continue the one above it.
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
