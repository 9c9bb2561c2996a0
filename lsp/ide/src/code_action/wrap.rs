//! Wraps a call in what a workflow does about failures and time: `step`, `retry`, `timeout`.

use gsw_analysis::item_summary;
use gsw_names::find_held;
use gsw_names::types::Type;
use gsw_source::{Db, LocatedEdit, Span};
use gsw_syntax::ast::{Child, Expression, ExpressionKind, Statement, StatementKind};

use super::place::Place;
use super::revision::revises;
use super::step::leaves;
use super::{ActionKind, CodeAction};
use crate::cursor::visit_nodes;
use crate::expression_type::expression_type;
use crate::symbol::{Occurrence, Role, Symbol, declared_text};

/// The actions for what the range is in, or for the statements that it holds.
pub fn wrap(place: &Place<'_>) -> Vec<CodeAction> {
    let Some(wrapped) = wrapped(place) else {
        return Vec::new();
    };
    let mut actions = Vec::new();
    if can_be_wrapped(place, &wrapped)
        && let Some(first) = called_names(place, wrapped.span()).first()
    {
        let title = first.replace('_', " ");
        let heads = [
            ("wrap in a step", format!("step \"{title}\"")),
            ("wrap in a retry", "retry 3".to_owned()),
            ("wrap in a timeout", "timeout 30s".to_owned()),
        ];
        for (title, head) in heads {
            let edits = match wrapped {
                Wrapped::Value(value) => around(place, value.span, &head),
                Wrapped::Statements(span) => vec![place.in_block(span, &head)],
            };
            actions.push(CodeAction {
                title: title.into(),
                kind: ActionKind::Rewrite,
                edits,
                fixes: None,
            });
        }
    }
    actions
}

/// What is put into a block of its own.
pub enum Wrapped<'a> {
    /// What a statement, or the body of a lambda, evaluates.
    Value(&'a Expression),
    /// Several statements of one block.
    Statements(Span),
}

impl Wrapped<'_> {
    const fn span(&self) -> Span {
        match self {
            Self::Value(it) => it.span,
            Self::Statements(span) => *span,
        }
    }
}

/// What the range is in. A range over several statements means all of them, so one that holds parts of some means nothing.
pub fn wrapped<'a>(place: &Place<'a>) -> Option<Wrapped<'a>> {
    let evaluated = place.nodes.iter().rev().find_map(|node| match node {
        Child::Statement(it) => Some((it.span, statement_value(it))),
        // A guard around a lambda guards that it is made, and not what it does when it is called.
        Child::Expression(it) => lambda_body(it)
            .filter(|it| it.span.holds(place.range))
            .map(|it| (it.span, Some(it))),
        Child::Pattern(_) | Child::Type(_) | Child::Name(_) => None,
    });
    if let Some((around, value)) = evaluated
        && around.holds(place.range)
    {
        return value.map(Wrapped::Value);
    }
    let statements = place.statements()?;
    let span = statements.first()?.span.to(statements.last()?.span);
    Some(Wrapped::Statements(span))
}

/// What a lambda without a block evaluates when it is called.
fn lambda_body(it: &Expression) -> Option<&Expression> {
    let ExpressionKind::Lambda { body, .. } = &it.kind else {
        return None;
    };
    (!matches!(body.kind, ExpressionKind::Do(_))).then_some(body)
}

/// Whether the meaning stays the same in a block: nothing in it is needed outside, or has such a block already.
fn can_be_wrapped(place: &Place<'_>, wrapped: &Wrapped<'_>) -> bool {
    let span = wrapped.span();
    let fits = match wrapped {
        Wrapped::Value(it) => !matches!(
            it.kind,
            ExpressionKind::Step { .. } | ExpressionKind::Modified { .. }
        ),
        Wrapped::Statements(_) => !place.is_known_after(span) && !leaves(place, span),
    };
    fits && !begins_tasks(place, span) && !revises(place)
}

/// The expression that a statement evaluates.
const fn statement_value(statement: &Statement) -> Option<&Expression> {
    match &statement.kind {
        StatementKind::Let { value, .. }
        | StatementKind::Var { value, .. }
        | StatementKind::Assign { value, .. }
        | StatementKind::Expression(value) => Some(value),
        StatementKind::State { .. }
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. }
        | StatementKind::Invalid => None,
    }
}

/// The lambdas in `span` that are not handed to a call there: what they do is done at another time.
fn kept_lambdas(place: &Place<'_>, span: Span) -> Vec<Span> {
    let (mut lambdas, mut handed) = (Vec::new(), Vec::new());
    visit_nodes(place.tree, |node| {
        let Child::Expression(it) = node else { return };
        if let ExpressionKind::Lambda { .. } = &it.kind
            && span.holds(it.span)
        {
            lambdas.push(it.span);
        } else if let ExpressionKind::Call { arguments, .. } = &it.kind {
            handed.extend(arguments.iter().map(|it| it.value.span));
        }
    });
    lambdas.retain(|it| !handed.contains(it));
    lambdas
}

/// The items that are named in `span`, outside of lambdas that are called later.
pub fn named_items(place: &Place<'_>, span: Span) -> Vec<Occurrence> {
    let later = kept_lambdas(place, span);
    let own = place.names().iter().copied().filter(|it| {
        it.role == Role::Use
            && span.holds(it.span)
            && !later.iter().any(|lambda| lambda.holds(it.span))
    });
    own.collect()
}

/// The names of what is called in `span` and can fail or wait.
fn called_names(place: &Place<'_>, span: Span) -> Vec<String> {
    let db = place.db;
    named_items(place, span)
        .into_iter()
        .filter_map(|it| match it.symbol {
            Symbol::Item(item) => {
                let summary = &item_summary(db, item).item;
                let matters = !summary.errors.is_empty()
                    || summary.effects != gsw_names::types::EffectSet::default();
                matters.then(|| declared_text(db, it.symbol))?
            }
            Symbol::Local { .. }
            | Symbol::Variant { .. }
            | Symbol::Field { .. }
            | Symbol::Module(_) => None,
        })
        .map(|it| it.to_string())
        .collect()
}

/// Whether tasks begin in `span` or are its value: they would be awaited where what is put around it ends.
pub fn begins_tasks(place: &Place<'_>, span: Span) -> bool {
    let ty = expression_type(place.db, place.item, span);
    let mut found = ty.is_some_and(|it| holds_task(place.db, &it));
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node {
            found |= span.holds(it.span) && matches!(it.kind, ExpressionKind::Spawn(_));
        }
    });
    found
}

/// Whether values of a type hold tasks.
pub fn holds_task(db: &dyn Db, ty: &Type) -> bool {
    let is_task = |it: &Type| matches!(it, Type::Task(_) | Type::Stream(_)).then_some(());
    find_held(db, ty, Some(()), is_task).is_some()
}

fn around(place: &Place<'_>, span: Span, head: &str) -> Vec<LocatedEdit> {
    vec![
        place.insert(span.start, format!("{head} {{ ")),
        place.insert(span.end, " }".into()),
    ]
}
