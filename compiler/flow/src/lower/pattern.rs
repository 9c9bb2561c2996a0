//! Patterns: tests in order, each with a way out, binding names on the way.

use gsw_abi::builtin;
use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall;
use gsw_abi::types::TypeId;
use gsw_infer::hir::{self, ListRest, Pattern, PatternKind};
use gsw_names::types::Type;
use gsw_names::{Parameter, substitute};
use gsw_source::ItemId;

use crate::ir::{BlockId, Instruction, LocalId, Operand, Operation};
use crate::lower::builder::Builder;

struct ListParts<'a> {
    before: &'a [Pattern],
    /// `None` when there is to be no more than `before` and `after`.
    rest: Option<&'a ListRest>,
    after: &'a [Pattern],
}

impl Builder<'_, '_> {
    /// Continues with the pattern's names bound when `value` matches; otherwise goes to `fail`.
    pub fn test(&mut self, pattern: &Pattern, value: Operand, fail: BlockId) {
        let mut matcher = Matcher {
            builder: self,
            fail,
        };
        matcher.test(pattern, value);
    }
}

/// Tests patterns that share a way out.
struct Matcher<'b, 'l, 'v> {
    builder: &'b mut Builder<'l, 'v>,
    /// Where control goes when something does not match.
    fail: BlockId,
}

impl Matcher<'_, '_, '_> {
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn test(&mut self, pattern: &Pattern, value: Operand) {
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Invalid => self.builder.bind_lost(value),
            PatternKind::Binding(local) => self.builder.bind(*local, value),
            PatternKind::Int(expected) => {
                self.test_word(Operation::IntEqual, value, expected.cast_unsigned());
            }
            PatternKind::Float(bits) => {
                // By value and not by bits: `0.0` matches `-0.0`, and NaN matches nothing, as `==` says.
                self.test_word(Operation::FloatEqual, value, *bits);
            }
            PatternKind::Bool(expected) => {
                self.test_word(Operation::IntEqual, value, u64::from(*expected));
            }
            PatternKind::None => self.test_word(Operation::IntEqual, value, 0),
            PatternKind::Range { start, end } => {
                self.test_word(Operation::IntGreaterEqual, value, start.cast_unsigned());
                self.test_word(Operation::IntLessEqual, value, end.cast_unsigned());
            }
            PatternKind::String(text) => {
                let text = self.builder.text(text);
                let equal = self.builder.runtime(
                    builtin::BOOL,
                    RuntimeCall::string_equal,
                    vec![value, text],
                );
                self.require(equal);
            }
            PatternKind::Constant(item) => {
                let expected = self.builder.constant_value(*item);
                let ty = self.builder.concrete(&pattern.ty);
                let equal = self.builder.equal(&ty, value, expected);
                self.require(equal);
            }
            PatternKind::Some(inner) => {
                // A word that is not 0 is an optional that is there: no value of a type held by address is 0, and the others are boxed.
                self.require(value);
                let inner_type = self.builder.concrete(&inner.ty);
                let inside = self.builder.unwrapped(value, &inner_type);
                self.test(inner, inside);
            }
            PatternKind::Variant {
                item,
                variant,
                fields,
            } => self.test_variant(pattern, *item, *variant, fields, value),
            PatternKind::Error { item, fields } => self.test_error(*item, fields, value),
            PatternKind::ModelError => self.test_model_error(value),
            PatternKind::Record { fields } => self.test_record(pattern, fields, value),
            PatternKind::Tuple(parts) => self.test_tuple(pattern, parts, value),
            PatternKind::List {
                before,
                rest,
                after,
            } => {
                let parts = ListParts {
                    before,
                    rest: rest.as_ref(),
                    after,
                };
                self.test_list(pattern, parts, value);
            }
            PatternKind::Or(alternatives) => self.test_alternatives(alternatives, value),
        }
    }

    fn test_variant(
        &mut self,
        pattern: &Pattern,
        item: ItemId,
        variant: u32,
        fields: &[(u32, Pattern)],
        value: Operand,
    ) {
        let ty = self.builder.concrete(&pattern.ty);
        let ty = self.builder.program.base_type(&ty);
        let id = self.builder.type_id(&ty);
        // An enum without payload is its variant's number; with a payload anywhere, all its variants are objects with a tag.
        if !self.builder.program.is_reference(id) {
            self.test_word(Operation::IntEqual, value, u64::from(variant));
            return;
        }
        let object = self.builder.held(value, id);
        let tag = self.builder.local(builtin::INT);
        self.builder.emit(Instruction::LoadExtra {
            to: tag,
            from: object,
        });
        self.test_word(Operation::IntEqual, Operand::Local(tag), u64::from(variant));
        let declared = self.builder.program.variant_fields(item, variant);
        self.test_fields(fields, &declared, type_arguments(&ty), object);
    }

    fn test_error(&mut self, item: ItemId, fields: &[(u32, Pattern)], value: Operand) {
        let expected = self.builder.program.error_type(item);
        let object = self.builder.held(value, builtin::ERROR);
        // Errors are open: what is tested is the type id in the header, which the declaration's type has alone.
        let kind = self.error_kind(object);
        self.test_word(Operation::IntEqual, kind, u64::from(expected.0));
        let declared = self.builder.program.record_fields(item);
        for (index, pattern) in fields {
            if let Some(field) = declared.get(*index as usize) {
                // Word 0 of an error is its trace.
                self.test_word_of(pattern, &field.ty, object, 1 + index);
            }
        }
    }

    fn test_record(&mut self, pattern: &Pattern, fields: &[(u32, Pattern)], value: Operand) {
        let ty = self.builder.concrete(&pattern.ty);
        let ty = self.builder.program.base_type(&ty);
        let Type::Record(item, _) = &ty else {
            return self.unreachable();
        };
        let declared = self.builder.program.record_fields(*item);
        let id = self.builder.type_id(&ty);
        let object = self.builder.held(value, id);
        self.test_fields(fields, &declared, type_arguments(&ty), object);
    }

    /// Tests fields of a record or variant.
    fn test_fields(
        &mut self,
        fields: &[(u32, Pattern)],
        declared: &[Parameter],
        arguments: &[Type],
        object: LocalId,
    ) {
        for (index, pattern) in fields {
            let Some(field) = declared.get(*index as usize) else {
                continue;
            };
            let ty = substitute(&field.ty, arguments);
            self.test_word_of(pattern, &ty, object, *index);
        }
    }

    fn test_tuple(&mut self, pattern: &Pattern, parts: &[Pattern], value: Operand) {
        let ty = self.builder.concrete(&pattern.ty);
        let ty = self.builder.program.base_type(&ty);
        let Type::Tuple(types) = &ty else {
            return self.unreachable();
        };
        let id = self.builder.type_id(&ty);
        let object = self.builder.held(value, id);
        for ((index, pattern), ty) in (0..).zip(parts).zip(types.iter()) {
            self.test_word_of(pattern, ty, object, index);
        }
    }

    fn test_word_of(&mut self, pattern: &Pattern, ty: &Type, object: LocalId, index: u32) {
        if matches!(pattern.kind, PatternKind::Wildcard) {
            return;
        }
        let ty = self.builder.type_id(ty);
        let value = self.builder.load(ty, object, index);
        self.test(pattern, value);
    }

    fn test_list(&mut self, pattern: &Pattern, parts: ListParts<'_>, value: Operand) {
        let ListParts {
            before,
            rest,
            after,
        } = parts;
        let ty = self.builder.concrete(&pattern.ty);
        let ty = self.builder.program.base_type(&ty);
        let Type::List(element) = &ty else {
            return self.unreachable();
        };
        let list_type = self.builder.type_id(&ty);
        let element = self.builder.type_id(element);
        let list = self.builder.held(value, list_type);
        let length = self.builder.load(builtin::INT, list, 0);
        let fixed = (before.len() + after.len()) as u64;
        let fits = match rest {
            Some(_) => Operation::IntGreaterEqual,
            None => Operation::IntEqual,
        };
        // Before any element is read: the positions below exist only in a list that is long enough.
        self.test_word(fits, length, fixed);
        for (index, pattern) in (0..).zip(before) {
            self.test_element(pattern, element, list, Operand::Word(index));
        }
        for (index, pattern) in (0_i64..).zip(after) {
            // Counted from the end, where the length is only known when the program runs.
            let offset = index - after.len() as i64;
            let position = self.counted_back(length, offset);
            self.test_element(pattern, element, list, position);
        }
        if let Some(ListRest::Bound(local)) = rest {
            let end = self.counted_back(length, -(after.len() as i64));
            let start = Operand::Word(before.len() as u64);
            // The list itself where it is not needed any more, so that `while let [x, ..rest] = xs { xs = rest }` moves
            // nothing.
            let arguments = vec![Operand::Local(list), start, end];
            let rest = self
                .builder
                .runtime(list_type, RuntimeCall::list_slice, arguments);
            self.builder.bind(*local, rest);
        }
    }

    fn test_element(
        &mut self,
        pattern: &Pattern,
        element: TypeId,
        list: LocalId,
        position: Operand,
    ) {
        // Nothing is read for `_`: a load of a counted value would cost a count up and down.
        if matches!(pattern.kind, PatternKind::Wildcard) {
            return;
        }
        let arguments = vec![Operand::Local(list), position];
        let value = self
            .builder
            .runtime(element, RuntimeCall::list_at, arguments);
        self.test(pattern, value);
    }

    fn test_alternatives(&mut self, alternatives: &[Pattern], value: Operand) {
        let mut names = Vec::new();
        if let Some(first) = alternatives.first() {
            bound_names(first, &mut names);
        }
        // Alternatives inside of alternatives share the locals of the outermost.
        names.retain(|it| self.builder.variables.shared(*it).is_none());
        for &local in &names {
            let body = std::sync::Arc::clone(&self.builder.body);
            let declared = body.local(local);
            let ty = self.builder.concrete(&declared.ty);
            let ty = self.builder.type_id(&ty);
            let shared = self.builder.named_local(ty, &declared.name);
            // One local for all alternatives, because the code after them is written once and reads one place.
            self.builder.variables.share(local, shared);
        }
        let matched = self.builder.block();
        for alternative in alternatives {
            let next = self.builder.block();
            self.builder.test(alternative, value, next);
            self.builder.jump(matched);
            self.builder.start(next);
        }
        // After the last alternative; each earlier one that fails continues with the next.
        self.builder.jump(self.fail);
        self.builder.variables.unshare(&names);
        self.builder.start(matched);
    }

    fn test_word(&mut self, operation: Operation, value: Operand, expected: u64) {
        let holds =
            self.builder
                .operation(builtin::BOOL, operation, value, Operand::Word(expected));
        self.require(holds);
    }

    fn test_model_error(&mut self, value: Operand) {
        let object = self.builder.held(value, builtin::ERROR);
        let kind = self.error_kind(object);
        // The errors of models are neighbours in the table of built-in errors, so the family is a range of type ids.
        let first = BuiltinError::RateLimited.ty().0;
        let last = BuiltinError::ProviderError.ty().0;
        self.test_word(Operation::IntGreaterEqual, kind, u64::from(first));
        self.test_word(Operation::IntLessEqual, kind, u64::from(last));
    }

    fn error_kind(&mut self, error: LocalId) -> Operand {
        let kind = self.builder.local(builtin::INT);
        self.builder.emit(Instruction::LoadType {
            to: kind,
            from: error,
        });
        Operand::Local(kind)
    }

    fn counted_back(&mut self, length: Operand, offset: i64) -> Operand {
        let offset = Operand::Word(offset.cast_unsigned());
        self.builder
            .operation(builtin::INT, Operation::IntAddUnchecked, length, offset)
    }

    fn require(&mut self, condition: Operand) {
        self.builder.require(condition, self.fail);
    }

    fn unreachable(&mut self) {
        self.builder.unreachable();
    }
}

/// The type arguments of a record or enum.
pub(crate) fn type_arguments(ty: &Type) -> &[Type] {
    if let Type::Record(_, arguments) | Type::Enum(_, arguments) | Type::Checked(_, arguments) = ty
    {
        arguments
    } else {
        &[]
    }
}

/// The names that a pattern binds.
fn bound_names(pattern: &Pattern, names: &mut Vec<hir::LocalId>) {
    match &pattern.kind {
        PatternKind::Binding(local) => names.push(*local),
        PatternKind::Some(inner) => bound_names(inner, names),
        PatternKind::Variant { fields, .. }
        | PatternKind::Error { fields, .. }
        | PatternKind::Record { fields } => {
            fields.iter().for_each(|(_, it)| bound_names(it, names));
        }
        PatternKind::Tuple(parts) => parts.iter().for_each(|it| bound_names(it, names)),
        PatternKind::List {
            before,
            rest,
            after,
        } => {
            before
                .iter()
                .chain(after)
                .for_each(|it| bound_names(it, names));
            if let Some(ListRest::Bound(local)) = rest {
                names.push(*local);
            }
        }
        // The other alternatives bind the same.
        PatternKind::Or(alternatives) => {
            alternatives
                .iter()
                .take(1)
                .for_each(|it| bound_names(it, names));
        }
        PatternKind::Wildcard
        | PatternKind::Int(_)
        | PatternKind::Float(_)
        | PatternKind::Bool(_)
        | PatternKind::String(_)
        | PatternKind::Constant(_)
        | PatternKind::None
        | PatternKind::Range { .. }
        | PatternKind::ModelError
        | PatternKind::Invalid => {}
    }
}
