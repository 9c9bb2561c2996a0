//! Makes one step of the statements that are selected.

use gsw_source::Span;
use gsw_syntax::ast::{Child, ExpressionKind, ItemBody, StatementKind};

use super::place::Place;
use super::revision::revises;
use super::wrap::begins_tasks;
use super::{ActionKind, CodeAction};
use crate::cursor::visit_nodes;

/// The action for a selection of one or more whole statements of a workflow.
pub fn step(place: &Place<'_>) -> Option<CodeAction> {
    if !matches!(place.tree.body, ItemBody::Workflow { .. }) || place.range.start == place.range.end
    {
        return None;
    }
    let selected = place.statements()?;
    let (first, last) = (selected.first()?, selected.last()?);
    let span = first.span.to(last.span);
    let stays = leaves(place, span) || begins_tasks(place, span) || revises(place);
    if stays || place.is_known_after(span) {
        return None;
    }
    Some(CodeAction {
        title: "extract into a step".into(),
        kind: ActionKind::Extract,
        edits: vec![place.in_block(span, "step \"extracted\"")],
        fixes: None,
    })
}

/// Whether code in `span` ends the workflow, or declares what belongs to the workflow.
pub fn leaves(place: &Place<'_>, span: Span) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| match node {
        Child::Expression(it) if span.holds(it.span) => {
            found |= matches!(it.kind, ExpressionKind::Return(_));
        }
        Child::Statement(it) if span.holds(it.span) => {
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
