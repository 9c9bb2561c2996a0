//! Wraps a call in what a workflow does about failures and time: `step`, `retry`, `timeout`; and writes down which errors it raises.

use gsw_analysis::item_summary;
use gsw_names::types::Type;
use gsw_names::{TypeDeclarationKind, find_held, type_declaration};
use gsw_source::{LocatedEdit, Span};
use gsw_syntax::ast::{Child, Expression, ExpressionKind, StatementKind};

use super::place::{Place, holds};
use super::{ActionKind, CodeAction};
use crate::cursor::{node_span, visit_nodes};
use crate::expression_type::expression_type;
use crate::symbol::{Role, Symbol, declared_text, occurrences};

/// The actions for the statement around the range.
pub fn wrap(place: &Place<'_>) -> Vec<CodeAction> {
    let Some(value) = statement_value(place) else {
        return Vec::new();
    };
    let called = called_names(place, value.span);
    let Some(first) = called.first() else {
        return Vec::new();
    };
    let is_wrapped = matches!(
        value.kind,
        ExpressionKind::Step { .. } | ExpressionKind::Modified { .. }
    );
    let mut actions = Vec::new();
    if !is_wrapped && !begins_tasks(place, value.span) {
        let title = first.replace('_', " ");
        let heads = [
            ("wrap in a step", format!("step \"{title}\"")),
            ("wrap in a retry", "retry 3".to_owned()),
            ("wrap in a timeout", "timeout 30s".to_owned()),
        ];
        for (title, head) in heads {
            let edits = around(place, value.span, &head);
            actions.push(CodeAction {
                title: title.into(),
                kind: ActionKind::Rewrite,
                edits,
                fixes: None,
            });
        }
    }
    actions.extend(handle_errors(place, value));
    actions
}

/// The expression that the innermost statement around the range evaluates.
fn statement_value<'a>(place: &Place<'a>) -> Option<&'a Expression> {
    let statement = place.nodes.iter().rev().find_map(|node| match node {
        Child::Statement(it) => Some(it),
        Child::Expression(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => None,
    })?;
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

/// The names of what is called in `span` and can fail or wait.
fn called_names(place: &Place<'_>, span: Span) -> Vec<String> {
    let db = place.db;
    let inside = occurrences(db, place.item)
        .into_iter()
        .filter(|it| it.role == Role::Use && holds(span, it.span));
    inside
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
    let is_task = |it: &Type| matches!(it, Type::Task(_) | Type::Stream(_)).then_some(());
    let ty = expression_type(place.db, place.item, span);
    let mut found = ty.is_some_and(|it| find_held(place.db, &it, Some(()), is_task).is_some());
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node {
            found |= holds(span, it.span) && matches!(it.kind, ExpressionKind::Spawn(_));
        }
    });
    found
}

fn around(place: &Place<'_>, span: Span, head: &str) -> Vec<LocatedEdit> {
    vec![
        place.insert(span.start, format!("{head} {{ ")),
        place.insert(span.end, " }".into()),
    ]
}

/// An arm for each error that calls in the value raise, where it has no `catch` yet.
fn handle_errors(place: &Place<'_>, value: &Expression) -> Option<CodeAction> {
    let db = place.db;
    let mut has_catch = matches!(value.kind, ExpressionKind::Catch { .. });
    let tree = place.tree;
    visit_nodes(tree, |node| {
        if let Child::Expression(it) = node
            && matches!(it.kind, ExpressionKind::Catch { .. })
            && node_span(node).is_some_and(|it| holds(value.span, it))
        {
            has_catch = true;
        }
    });
    if has_catch {
        return None;
    }
    let mut errors: Vec<(String, gsw_source::ItemId)> = Vec::new();
    for it in occurrences(db, place.item) {
        if let Symbol::Item(item) = it.symbol
            && it.role == Role::Use
            && holds(value.span, it.span)
        {
            for error in &item_summary(db, item).item.errors.kinds {
                let known = errors.iter().any(|(name, _)| *name == error.name.as_str());
                if !known {
                    errors.push((error.name.to_string(), error.item));
                }
            }
        }
    }
    if errors.is_empty() {
        return None;
    }
    errors.sort_by(|a, b| a.0.cmp(&b.0));
    let indent = place.indent(value.span.start);
    let arms: String = errors
        .iter()
        .map(|(name, item)| {
            let fields = match &type_declaration(db, *item).declaration.kind {
                TypeDeclarationKind::Record(fields) => fields.len(),
                TypeDeclarationKind::Enum(_) | TypeDeclarationKind::Alias { .. } => 0,
            };
            let pattern = match fields {
                0 => name.clone(),
                _ => format!("{name}(..)"),
            };
            format!("{indent}  {pattern} => fail Failed(\"{name}\")\n")
        })
        .collect();
    Some(CodeAction {
        title: "handle the errors that it raises".into(),
        kind: ActionKind::Rewrite,
        edits: vec![place.insert(value.span.end, format!(" catch {{\n{arms}{indent}}}"))],
        fixes: None,
    })
}
