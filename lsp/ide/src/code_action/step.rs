//! Makes one step of the statements that are selected.

use gsw_source::Span;
use gsw_syntax::ast::{
    Block, Child, Expression, ExpressionKind, ItemBody, Statement, StatementKind,
};

use super::place::{Place, holds};
use super::wrap::begins_tasks;
use super::{ActionKind, CodeAction};
use crate::cursor::visit_nodes;
use crate::symbol::{Symbol, occurrences};

/// The action for a selection of one or more whole statements of a workflow.
pub fn step(place: &Place<'_>) -> Option<CodeAction> {
    if !matches!(place.tree.body, ItemBody::Workflow { .. }) || place.range.start == place.range.end
    {
        return None;
    }
    let selected = selected(place)?;
    let (first, last) = (selected.first()?, selected.last()?);
    let span = Span::new(first.span.start, last.span.end);
    if leaves(place, span) || begins_tasks(place, span) || is_known_after(place, span) {
        return None;
    }
    let indent = place.indent(span.start);
    let text = gsw_names::source_text(place.db, place.item, span);
    let inner = text.replace(&format!("\n{indent}"), &format!("\n{indent}  "));
    Some(CodeAction {
        title: "extract into a step".into(),
        kind: ActionKind::Extract,
        edits: vec![place.replace(
            span,
            format!("step \"extracted\" {{\n{indent}  {inner}\n{indent}}}"),
        )],
        fixes: None,
    })
}

/// The statements of one block that the range holds and nothing besides.
fn selected<'a>(place: &Place<'a>) -> Option<&'a [Statement]> {
    let ItemBody::Workflow { body, .. } = &place.tree.body else {
        return None;
    };
    let mut found = within(body, place.range);
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node {
            found = found.or_else(|| within(block(it)?, place.range));
        }
    });
    found
}

fn within(block: &Block, range: Span) -> Option<&[Statement]> {
    let statements = &block.statements;
    let first = statements
        .iter()
        .position(|it| it.span.start == range.start)?;
    let last = statements.iter().position(|it| it.span.end == range.end)?;
    statements.get(first..=last)
}

/// The block whose statements may be steps of the workflow itself.
const fn block(it: &Expression) -> Option<&Block> {
    if let ExpressionKind::Do(body)
    | ExpressionKind::If { then: body, .. }
    | ExpressionKind::For { body, .. }
    | ExpressionKind::While { body, .. }
    | ExpressionKind::Step { body, .. }
    | ExpressionKind::Modified { body, .. }
    | ExpressionKind::ParallelFor { body, .. } = &it.kind
    {
        return Some(body);
    }
    None
}

/// Whether code in `span` leaves what is around it, or declares state, which belongs to the workflow.
fn leaves(place: &Place<'_>, span: Span) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| match node {
        Child::Expression(it) if holds(span, it.span) => {
            found |= matches!(
                it.kind,
                ExpressionKind::Return(_) | ExpressionKind::Break | ExpressionKind::Continue
            );
        }
        Child::Statement(it) if holds(span, it.span) => {
            found |= matches!(
                it.kind,
                StatementKind::State { .. } | StatementKind::Defer(_)
            );
        }
        Child::Expression(_)
        | Child::Statement(_)
        | Child::Pattern(_)
        | Child::Type(_)
        | Child::Name(_) => {}
    });
    found
}

/// Whether something after `span` names a variable that is declared in it.
fn is_known_after(place: &Place<'_>, span: Span) -> bool {
    let item = place.item;
    occurrences(place.db, item)
        .iter()
        .any(|it| match it.symbol {
            Symbol::Local { item: of, declared } => {
                of == item && holds(span, declared) && !holds(span, it.span)
            }
            Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => {
                false
            }
        })
}
