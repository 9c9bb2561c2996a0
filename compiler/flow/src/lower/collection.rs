//! Lists, maps, tuples: literals, ranges as lists, and what `[ ]` reads.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_abi::types::Type as Entry;
use gsw_infer::hir::{ExpressionId, ExpressionKind, RangeEnd};
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::{Checked, Constant, Operand};
use crate::lower::builder::{Builder, type_word};

impl Builder<'_, '_> {
    /// `[a, b]`
    pub fn list(&mut self, id: ExpressionId, elements: &[ExpressionId]) -> Operand {
        let ty = self.type_of(id);
        let ty = self.program.base_type(&ty);
        let ty = self.type_id(&ty);
        let words: Option<Vec<u64>> = elements.iter().map(|it| self.literal_word(*it)).collect();
        if let Some(words) = words {
            return self.constant(ty, Constant::List { ty, words });
        }
        let room = Operand::Word(elements.len() as u64);
        let mut list = self.runtime(ty, RuntimeCall::list_new, vec![type_word(ty), room]);
        for &element in elements {
            let element = self.expression(element);
            list = self.runtime(ty, RuntimeCall::list_push, vec![list, element]);
        }
        list
    }

    /// What a literal of a type that is held inline is, where no code is needed to tell.
    fn literal_word(&self, id: ExpressionId) -> Option<u64> {
        let kind = &self.body.expression(id).kind;
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

    /// `{ k: v }`
    pub fn map(&mut self, id: ExpressionId, entries: &[(ExpressionId, ExpressionId)]) -> Operand {
        let ty = self.type_of(id);
        let ty = self.program.base_type(&ty);
        let ty = self.type_id(&ty);
        let mut map = self.runtime(ty, RuntimeCall::map_new, vec![type_word(ty)]);
        for &(key, value) in entries {
            let entry = self.operands(&[key, value]);
            map = self.runtime(ty, RuntimeCall::map_insert, vec![map, entry[0], entry[1]]);
        }
        map
    }

    /// `(a, b)`
    pub fn tuple(&mut self, id: ExpressionId, elements: &[ExpressionId]) -> Operand {
        let ty = self.type_id_of(id);
        let values = self.operands(elements);
        self.object(ty, 0, values)
    }

    /// `xs[i]`, `m[k]`, `j[i]`
    pub fn index(&mut self, id: ExpressionId, base: ExpressionId, index: ExpressionId) -> Operand {
        let ty = self.type_id_of(id);
        let base_type = self.type_of(base);
        let index_type = self.type_of(index);
        let values = self.operands(&[base, index]);
        let call = match self.program.family(&base_type) {
            Family::List(_) => RuntimeCall::list_index,
            Family::Map(..) => RuntimeCall::map_index,
            Family::Json if self.program.base_type(&index_type) == Type::Int => {
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
            | Family::Plain => return self.unreachable(),
        };
        self.runtime(ty, call, values)
    }

    /// `a..b` where a list is needed.
    pub fn range_list(
        &mut self,
        start: ExpressionId,
        end: ExpressionId,
        range_end: RangeEnd,
    ) -> Operand {
        let mut values = self.operands(&[start, end]);
        if range_end == RangeEnd::Inclusive {
            values[1] = self.checked(builtin::INT, Checked::Add, values[1], Operand::Word(1));
        }
        self.runtime(builtin::LIST_INT, RuntimeCall::list_range, values)
    }

    /// `E.values()`
    pub fn enum_values(&mut self, id: ExpressionId) -> Operand {
        let ty = self.type_of(id);
        let list = self.type_id(&ty);
        let Type::List(element) = &ty else {
            return self.unreachable();
        };
        let element = self.type_id(element);
        let Entry::Enum(entry) = self.program.types.table.get(element) else {
            return self.unreachable();
        };
        let count = entry.variants.len() as u64;
        let arguments = vec![type_word(list), Operand::Word(count)];
        let mut values = self.runtime(list, RuntimeCall::list_new, arguments);
        for variant in 0..count {
            let arguments = vec![values, Operand::Word(variant)];
            values = self.runtime(list, RuntimeCall::list_push, arguments);
        }
        values
    }
}
