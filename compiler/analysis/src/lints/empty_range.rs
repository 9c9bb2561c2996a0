//! Ranges whose end is known to lie before their start: other languages count downwards with them.

use gsw_infer::hir::{Body, ExpressionKind, RangeEnd};
use gsw_names::source_text;
use gsw_source::{Db, Diagnostic};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::Range {
            start,
            end,
            range_end,
        } = expression.kind
        else {
            continue;
        };
        // `0..0` is empty as well, and it is not written by mistake.
        let (Some(ConstantValue::Int(first)), Some(ConstantValue::Int(last))) =
            (known_value(db, body, start), known_value(db, body, end))
        else {
            continue;
        };
        if last >= first {
            continue;
        }
        let text = |it| source_text(db, body.item, body.expression(it).span);
        let place = body.place(expression.span);
        // What the same numbers are from below.
        let upwards = match range_end {
            RangeEnd::Inclusive => format!("{}..={}", text(end), text(start)),
            RangeEnd::Exclusive => match last.checked_add(1) {
                Some(lowest) => format!("{lowest}..={}", text(start)),
                None => continue,
            },
        };
        found.push(errors::empty_range(place, &upwards));
    }
}
