//! Prompts and questions that a model is given as tools, with a default that waits: what a model leaves out is filled in before
//! anything runs that could be suspended.

use gsw_infer::hir::{Body, BodyPart, ExpressionKind};
use gsw_infer::infer_item;
use gsw_names::item_signature;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind};

use crate::call_summary::Waits;
use crate::errors;
use crate::summary::item_summary;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::OfferedTool { tool, .. } = &expression.kind else {
            continue;
        };
        // A default of a tool is refused where it is declared: every tool may be called from outside.
        if !matches!(tool.kind(db), ItemKind::Prompt | ItemKind::Human) {
            continue;
        }
        let Some((default, index)) = waiting_default(db, *tool) else {
            continue;
        };
        let signature = &item_signature(db, *tool).signature;
        let Some(parameter) = signature.parameters.get(index as usize) else {
            continue;
        };
        let place = body.place(expression.span);
        let report = errors::offered_default_waits(place, tool.name(db), &parameter.name);
        let waits = default.place(default.expression(default.root).span);
        found.push(report.label(waits, errors::this_waits()));
    }
}

/// The first default of a parameter that waits, and which parameter that is.
fn waiting_default(db: &dyn Db, item: ItemId) -> Option<(&Body, u32)> {
    let summary = item_summary(db, item);
    infer_item(db, item).bodies.iter().find_map(|it| {
        let BodyPart::ParameterDefault(index) = it.part else {
            return None;
        };
        let part = summary.part(it.part)?;
        (part.waits != Waits::Never).then_some((&**it, index))
    })
}
