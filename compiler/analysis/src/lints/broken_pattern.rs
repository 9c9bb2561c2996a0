//! Texts that are to be regular expressions, are known before the program runs, and are none.

use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{Body, Callee, ExpressionId, ExpressionKind};
use gsw_names::{KnownItem, item_signature};
use gsw_source::{Db, Diagnostic, ItemId};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        if let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            arguments,
        } = &expression.kind
            && let Some(parameter) = pattern_of(db, *item)
            && let Some((_, pattern)) = arguments.iter().find(|(it, _)| *it == parameter)
        {
            found.extend(broken(db, body, *pattern));
        }
    }
}

/// The parameter of a function of the library that is a regular expression.
fn pattern_of(db: &dyn Db, item: ItemId) -> Option<u32> {
    if item_signature(db, item).signature.intrinsic == Some(RuntimeCall::string_matches) {
        return Some(1);
    }
    KnownItem::RegexNew.is(db, item).then_some(0)
}

fn broken(db: &dyn Db, body: &Body, pattern: ExpressionId) -> Option<Diagnostic> {
    let Some(ConstantValue::Text(text)) = known_value(db, body, pattern) else {
        return None;
    };
    let why = match regex_syntax::parse(&text).err()? {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        error => error.to_string(),
    };
    let place = body.place(body.expression(pattern).span);
    Some(errors::broken_pattern(place, &why))
}
