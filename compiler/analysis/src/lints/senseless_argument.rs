//! Arguments of the library that are known before the program runs and make no sense: places counted from the end, counts that are
//! too small, bounds the wrong way round, the pattern of a time that has none of a time's parts.

use gsw_infer::hir::{Body, Callee, ExpressionId, ExpressionKind};
use gsw_names::module_path;
use gsw_source::{Db, Diagnostic};

use crate::constant::{ConstantValue, known_value};
use crate::errors::{self, Senseless};

/// An argument, and what is wrong with it.
type Wrong<'a> = (ExpressionId, Senseless<'a>);

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            arguments,
        } = &expression.kind
        else {
            continue;
        };
        let Some(module) = module_path(db, item.file(db)) else {
            continue;
        };
        let call = Call {
            db,
            body,
            module,
            name: item.name(db),
            arguments,
        };
        let wrong = call.below_zero().or_else(|| call.too_small());
        let wrong = wrong.or_else(|| call.reversed());
        if let Some((id, what)) = wrong.or_else(|| call.without_parts()) {
            let place = body.place(body.expression(id).span);
            found.push(errors::senseless_argument(place, &what));
        }
    }
}

/// A call of a function of the library.
struct Call<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    module: &'a str,
    name: &'a str,
    arguments: &'a [(u32, ExpressionId)],
}

impl<'a> Call<'a> {
    fn known(&self, nth: u32) -> Option<(ConstantValue, ExpressionId)> {
        let (_, id) = self.arguments.iter().find(|(it, _)| *it == nth)?;
        Some((known_value(self.db, self.body, *id)?, *id))
    }

    fn int(&self, nth: u32) -> Option<(i64, ExpressionId)> {
        let (ConstantValue::Int(number), id) = self.known(nth)? else {
            return None;
        };
        Some((number, id))
    }

    /// A place below zero, where other languages count from the end.
    fn below_zero(&self) -> Option<Wrong<'a>> {
        let places: &[u32] = match (self.module, self.name) {
            ("std/list" | "std/string", "slice") => &[1, 2],
            ("std/list", "take" | "drop") => &[1],
            _ => return None,
        };
        let mut numbers = places.iter().filter_map(|nth| self.int(*nth));
        let (_, id) = numbers.find(|(number, _)| *number < 0)?;
        Some((id, Senseless::FromEnd { method: self.name }))
    }

    fn too_small(&self) -> Option<Wrong<'a>> {
        let least = match (self.module, self.name) {
            ("std/list", "chunks" | "windows") => 1,
            ("std/float", "fixed") | ("std/int", "pow") => 0,
            _ => return None,
        };
        let (number, id) = self.int(1)?;
        let method = self.name;
        (number < least).then_some((id, Senseless::TooSmall { method, least }))
    }

    fn reversed(&self) -> Option<Wrong<'a>> {
        let first = match (self.module, self.name) {
            ("std/int" | "std/float", "clamp") => 1,
            ("std/random", "int") => 0,
            _ => return None,
        };
        let ((low, id), (high, _)) = (self.known(first)?, self.known(first + 1)?);
        let is_reversed = match (low, high) {
            (ConstantValue::Int(low), ConstantValue::Int(high)) => low > high,
            (ConstantValue::Float(low), ConstantValue::Float(high)) => low > high,
            // The types are the same, and both are numbers.
            (_, _) => false,
        };
        is_reversed.then_some((id, Senseless::Reversed))
    }

    /// A text that is the same for every time.
    fn without_parts(&self) -> Option<Wrong<'a>> {
        if (self.module, self.name) != ("std/time", "format") {
            return None;
        }
        let (ConstantValue::Text(pattern), id) = self.known(1)? else {
            return None;
        };
        (!pattern.contains('%')).then_some((id, Senseless::WithoutParts))
    }
}
