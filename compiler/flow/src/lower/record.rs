//! Records, variants and errors: their literals with defaults and checks, and their constructors as function values.

use gsw_abi::builtin;
use gsw_infer::hir::{BodyPart, ExpressionId};
use gsw_names::types::Type;
use gsw_names::{Parameter, substitute};
use gsw_source::ItemId;

use crate::ir::{Constant, LocalId, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::Emitter;
use crate::lower::pattern::type_arguments;

/// `R { field: value, ..base }`
pub fn record(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    item: ItemId,
    fields: &[(u32, ExpressionId)],
    base: Option<ExpressionId>,
) -> Operand {
    let ty = builder.type_of(id);
    let ty = builder.program.base_type(&ty);
    let record = builder.type_id(&ty);
    let mut evaluated: Vec<ExpressionId> = fields.iter().map(|it| it.1).collect();
    // After the fields, as it is written: `R { a: f(), ..g() }`.
    evaluated.extend(base);
    let mut values = builder.operands(&evaluated);
    let base = base.and_then(|_| values.pop());
    let base = base.map(|it| builder.held(it, record));
    let declared = builder.program.record_fields(item);
    let arguments = type_arguments(&ty).to_vec();
    let given: Vec<(u32, Operand)> = fields.iter().map(|it| it.0).zip(values).collect();
    let words = payload(builder, item, 0, &declared, &arguments, &given, base);
    let object = builder.object(record, 0, words.clone());
    let object = builder.held(object, record);
    builder.check_fields(item, &arguments, &declared, object, &words);
    Operand::Local(object)
}

/// A variant with its payload.
pub fn variant(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    item: ItemId,
    variant: u32,
    fields: &[(u32, ExpressionId)],
) -> Operand {
    let ty = builder.type_of(id);
    let ty = builder.program.base_type(&ty);
    let ids: Vec<ExpressionId> = fields.iter().map(|it| it.1).collect();
    let values = builder.operands(&ids);
    let given: Vec<(u32, Operand)> = fields.iter().map(|it| it.0).zip(values).collect();
    builder.variant_of(&ty, item, variant, &given)
}

pub fn error_value(
    builder: &mut Builder<'_, '_>,
    item: ItemId,
    fields: &[(u32, ExpressionId)],
) -> Operand {
    let ids: Vec<ExpressionId> = fields.iter().map(|it| it.1).collect();
    let values = builder.operands(&ids);
    let given: Vec<(u32, Operand)> = fields.iter().map(|it| it.0).zip(values).collect();
    builder.error_of(item, &given)
}

impl Emitter<'_, '_> {
    /// A variant of the concrete enum `ty` with these fields; the others take their defaults.
    pub fn variant_of(
        &mut self,
        ty: &Type,
        item: ItemId,
        variant: u32,
        given: &[(u32, Operand)],
    ) -> Operand {
        let id = self.type_id(ty);
        if !self.program.is_reference(id) {
            return Operand::Word(u64::from(variant));
        }
        let declared = self.program.variant_fields(item, variant);
        if declared.is_empty() {
            return self.constant(
                id,
                Constant::Header {
                    ty: id,
                    extra: variant,
                },
            );
        }
        let words = payload(
            self,
            item,
            variant,
            &declared,
            type_arguments(ty),
            given,
            None,
        );
        self.object(id, variant, words)
    }

    /// An error of this declaration with these fields; the others take their defaults.
    pub fn error_of(&mut self, item: ItemId, given: &[(u32, Operand)]) -> Operand {
        let kind = self.program.error_type(item);
        let declared = self.program.record_fields(item);
        // Word 0 is the trace, which is empty until the error is raised.
        let mut words = vec![Operand::Word(0)];
        words.extend(payload(self, item, 0, &declared, &[], given, None));
        let to = self.local(builtin::ERROR);
        self.emit(crate::ir::Instruction::Object {
            to,
            ty: kind,
            extra: 0,
            fields: words,
        });
        Operand::Local(to)
    }
}

/// All fields in order: those given, those of `base`, and the defaults.
fn payload(
    emitter: &mut Emitter,
    item: ItemId,
    variant: u32,
    declared: &[Parameter],
    arguments: &[Type],
    given: &[(u32, Operand)],
    base: Option<LocalId>,
) -> Vec<Operand> {
    let mut words = Vec::with_capacity(declared.len());
    for (index, field) in (0..).zip(declared) {
        let written = given.iter().find(|(it, _)| *it == index);
        let ty = substitute(&field.ty, arguments);
        let ty = emitter.type_id(&ty);
        let word = match (written, base) {
            (Some((_, word)), _) => *word,
            // Defaults are not evaluated where there is a base: it has a value for every field.
            (None, Some(base)) => emitter.load(ty, base, index),
            (None, None) => {
                let part = BodyPart::FieldDefault {
                    variant,
                    field: index,
                };
                match emitter.program.part(item, part, arguments) {
                    Some(default) => {
                        let function = emitter.program.instance(default);
                        emitter.call(ty, function, Vec::new())
                    }
                    // Only an optional may be left out without a default; it is `none`.
                    None => Operand::Word(0),
                }
            }
        };
        words.push(word);
    }
    words
}
