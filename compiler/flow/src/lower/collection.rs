//! Lists, maps, tuples: literals, ranges as lists, and what `[ ]` reads.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_abi::types::Type as Entry;
use gsw_infer::hir::{ExpressionId, ExpressionKind, RangeEnd};
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::{Constant, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::type_word;

pub fn list(builder: &mut Builder<'_, '_>, id: ExpressionId, elements: &[ExpressionId]) -> Operand {
    let ty = builder.type_of(id);
    let ty = builder.program.base_type(&ty);
    let ty = builder.type_id(&ty);
    let words: Option<Vec<u64>> = elements
        .iter()
        .map(|it| literal_word(builder, *it))
        .collect();
    // Only of words: an address in the image would have to be relocated at each start.
    if let Some(words) = words {
        return builder.constant(ty, Constant::List { ty, words });
    }
    let room = Operand::Word(elements.len() as u64);
    let mut list = builder.runtime(ty, RuntimeCall::list_new, vec![type_word(ty), room]);
    // Each element is pushed as soon as it is evaluated; together they would all be live, and slots of a frame, across a wait.
    for &element in elements {
        let element = builder.expression(element);
        list = builder.runtime(ty, RuntimeCall::list_push, vec![list, element]);
    }
    list
}

/// What a literal of a type that is held inline is, where no code is needed to know.
fn literal_word(builder: &Builder<'_, '_>, id: ExpressionId) -> Option<u64> {
    let kind = &builder.body.expression(id).kind;
    if let ExpressionKind::Int(it) | ExpressionKind::Duration(it) = kind {
        Some(it.cast_unsigned())
    } else if let ExpressionKind::Float(bits) = kind {
        Some(*bits)
    } else if let ExpressionKind::Bool(it) = kind {
        Some(u64::from(*it))
    } else {
        None
    }
}

pub fn map(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    entries: &[(ExpressionId, ExpressionId)],
) -> Operand {
    let ty = builder.type_of(id);
    let ty = builder.program.base_type(&ty);
    let ty = builder.type_id(&ty);
    let mut map = builder.runtime(ty, RuntimeCall::map_new, vec![type_word(ty)]);
    for &(key, value) in entries {
        // Entry by entry, in the order of the source: of equal keys the last value stays, at the place of the first.
        let entry = builder.operands(&[key, value]);
        map = builder.runtime(ty, RuntimeCall::map_insert, vec![map, entry[0], entry[1]]);
    }
    map
}

pub fn tuple(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    elements: &[ExpressionId],
) -> Operand {
    let ty = builder.type_id_of(id);
    let values = builder.operands(elements);
    builder.object(ty, 0, values)
}

/// `xs[i]`, `m[k]`, `j[i]`
pub fn index(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    base: ExpressionId,
    index: ExpressionId,
) -> Operand {
    let ty = builder.type_id_of(id);
    let base_type = builder.type_of(base);
    let index_type = builder.type_of(index);
    let values = builder.operands(&[base, index]);
    let call = match builder.program.family(&base_type) {
        Family::List(_) => RuntimeCall::list_index,
        Family::Map(..) => RuntimeCall::map_index,
        // The one base whose index decides what it is read as.
        Family::Json if builder.program.base_type(&index_type) == Type::Int => {
            RuntimeCall::json_index
        }
        Family::Json => RuntimeCall::json_field,
        Family::Nothing
        | Family::Bool
        | Family::Int
        | Family::Duration
        | Family::Time
        | Family::Float
        | Family::Text
        | Family::Secret
        | Family::Media
        | Family::Plain => return builder.unreachable(),
    };
    builder.runtime(ty, call, values)
}

/// `a..b` where a list is needed.
pub fn range_list(
    builder: &mut Builder<'_, '_>,
    start: ExpressionId,
    end: ExpressionId,
    range_end: RangeEnd,
) -> Operand {
    let mut values = builder.operands(&[start, end]);
    // Not by adding one to the end: the largest int has no successor.
    values.push(Operand::Word(match range_end {
        RangeEnd::Exclusive => 0,
        RangeEnd::Inclusive => 1,
    }));
    builder.runtime(builtin::LIST_INT, RuntimeCall::list_range, values)
}

pub fn enum_values(builder: &mut Builder<'_, '_>, id: ExpressionId) -> Operand {
    let ty = builder.type_of(id);
    let list = builder.type_id(&ty);
    let Type::List(element) = &ty else {
        return builder.unreachable();
    };
    let element = builder.type_id(element);
    let Entry::Enum(entry) = builder.program.types.table.get(element) else {
        return builder.unreachable();
    };
    let count = entry.variants.len() as u64;
    let arguments = vec![type_word(list), Operand::Word(count)];
    let mut values = builder.runtime(list, RuntimeCall::list_new, arguments);
    for variant in 0..count {
        let arguments = vec![values, Operand::Word(variant)];
        values = builder.runtime(list, RuntimeCall::list_push, arguments);
    }
    values
}
