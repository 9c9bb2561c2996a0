//! Prompts whose fixed text comes after what differs from call to call, where no provider finds it in its cache.
//!
//! Providers keep what a request begins with, and stop at the first difference. So a long text that is the same in every call
//! costs a tenth before a parameter, and all of it after one.

use gsw_abi::provider::LEAST_CACHED;
use gsw_infer::hir::{Body, BodyPart, Expression, ExpressionKind, Part};
use gsw_source::{Db, Diagnostic, ItemKind, Span};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    let says = matches!(
        body.part,
        BodyPart::System | BodyPart::User | BodyPart::Messages
    );
    if !says || body.item.kind(db) != ItemKind::Prompt {
        return;
    }
    for expression in &body.expressions {
        if let Some((span, bytes)) = uncached(db, body, expression) {
            found.push(errors::uncached_text(body.place(span), bytes));
        }
    }
}

/// The first part of a text that differs from call to call, and how many bytes after it are the same in all, if these are enough
/// to be kept.
fn uncached(db: &dyn Db, body: &Body, text: &Expression) -> Option<(Span, usize)> {
    let ExpressionKind::Interpolation(parts) = &text.kind else {
        return None;
    };
    let mut differs = None;
    let mut bytes = 0;
    for part in parts {
        let fixed = match part {
            Part::Text(text) => Some(text.len()),
            Part::Expression(id) => match known_value(db, body, *id) {
                Some(ConstantValue::Text(text)) => Some(text.len()),
                // Short whatever it is.
                Some(
                    ConstantValue::Bool(_)
                    | ConstantValue::Int(_)
                    | ConstantValue::Float(_)
                    | ConstantValue::Duration(_)
                    | ConstantValue::List(_),
                ) => Some(0),
                None => {
                    differs.get_or_insert(body.expression(*id).span);
                    None
                }
            },
        };
        if differs.is_some() {
            bytes += fixed.unwrap_or(0);
        }
    }
    differs.zip((bytes >= LEAST_CACHED).then_some(bytes))
}
