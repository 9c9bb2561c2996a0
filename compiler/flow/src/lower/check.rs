//! `where`: the checks of fields and aliases where a value enters a checked type in code.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_abi::types::{Check, CheckScope, TypeId};
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_names::{Parameter, Presence, TypeDeclarationKind, substitute};
use gsw_source::ItemId;

use crate::family::Family;
use crate::ir::{LocalId, Operand, Operation};
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};

/// `x as T`: decoding, or a string as a literal union.
pub fn checked_conversion(
    builder: &mut Builder<'_, '_>,
    id: gsw_infer::hir::ExpressionId,
    value: gsw_infer::hir::ExpressionId,
) -> Operand {
    let ty = builder.type_of(id);
    // The target with its checks: decoding runs them on what it makes, at any depth.
    let target = builder.type_id(&ty);
    let from = builder.type_of(value);
    let value = builder.expression(value);
    let call = match builder.program.family(&from) {
        Family::Json => RuntimeCall::json_as,
        // Text as a union with a check is read as JSON is, which looks at the check.
        Family::Text if matches!(ty, Type::Checked(..)) => {
            let json = builder.json_form(value, &Type::String);
            let words = vec![type_word(target), json];
            return builder.runtime(target, RuntimeCall::json_as, words);
        }
        // A literal of a union is looked up among its texts, which needs no decoding.
        Family::Text => RuntimeCall::string_as,
        Family::Nothing
        | Family::Bool
        | Family::Int
        | Family::Duration
        | Family::Time
        | Family::Float
        | Family::Secret
        | Family::Media
        | Family::List(_)
        | Family::Map(..)
        | Family::Plain => return builder.unreachable(),
    };
    builder.runtime(target, call, vec![type_word(target), value])
}

/// What a check looks at, for the message when it does not hold.
struct Checked {
    /// Of the type, or of the record and its field.
    name: String,
    ty: TypeId,
    word: Operand,
    /// The record around it, where the check looks at that.
    whole: Option<TypeId>,
    secrecy: Presence,
}

impl Emitter<'_, '_> {
    /// Runs the checks of a record's fields on the record that was just made.
    pub fn check_fields(
        &mut self,
        item: ItemId,
        arguments: &[Type],
        declared: &[Parameter],
        record: LocalId,
        words: &[Operand],
    ) {
        // After the record is made, because a check may name siblings; a failing check drops the whole record.
        for (index, word) in (0..).zip(words) {
            let Some(check) = field_check(self, item, arguments, declared, index) else {
                continue;
            };
            let field = &declared[index as usize];
            let checked = checked_field(self, item, arguments, field, *word);
            assert_field(self, &check, checked, Operand::Local(record));
        }
    }

    /// A value that was computed as the base of the concrete type `to`, after the checks of that type.
    pub fn admitted(&mut self, value: Operand, to: &Type) -> Operand {
        if !matches!(to, Type::Checked(..)) {
            return value;
        }
        // What was computed has only the bits; every check up to `to` is still to come.
        let from = self.program.base_type(to);
        self.admitted_from(value, &from, to)
    }

    /// A value of the concrete type `from` after the checks on the way to `to`.
    pub fn admitted_from(&mut self, value: Operand, from: &Type, to: &Type) -> Operand {
        let id = self.type_id(from);
        // The check's function owns what it is given, and a constant word needs no local.
        let value = if self.program.is_reference(id) {
            Operand::Local(self.held(value, id))
        } else {
            value
        };
        check_into(self, value, from, to);
        value
    }

    /// Whether a value of this type may break a check when that field of it changes, or for a list or map an element.
    pub fn change_is_checked(&mut self, ty: &Type, changed: Option<u32>) -> bool {
        // The check of an alias sees the whole value, so any change may break it.
        if let Type::Checked(..) = ty {
            return true;
        }
        let (Type::Record(item, arguments), Some(changed)) = (ty, changed) else {
            return false;
        };
        !checks_of_change(self, *item, arguments, changed).is_empty()
    }

    /// Runs these checks on a value that has changed.
    pub fn check_change(&mut self, ty: &Type, changed: Option<u32>, value: Operand) {
        let base = self.program.base_type(ty);
        if let (Type::Record(item, arguments), Some(changed), Operand::Local(record)) =
            (&base, changed, value)
        {
            let declared = self.program.record_fields(*item);
            for index in checks_of_change(self, *item, arguments, changed) {
                let Some(check) = field_check(self, *item, arguments, &declared, index) else {
                    continue;
                };
                let field = &declared[index as usize];
                let ty = substitute(&field.ty, arguments);
                let ty = self.type_id(&ty);
                // Read again, since the change has been made in place.
                let word = self.load(ty, record, index);
                let checked = checked_field(self, *item, arguments, field, word);
                assert_field(self, &check, checked, value);
            }
        }
        // The checks of the alias last: they may rely on those of the fields.
        check_into(self, value, &base, ty);
    }

    /// Raises `AssertionFailed` with this message.
    pub fn raise_assertion(&mut self, message: &str) {
        let message = self.text(message);
        self.raise_assertion_with(message);
    }

    /// Raises `AssertionFailed` with a message that is only known when the program runs.
    pub fn raise_assertion_with(&mut self, message: Operand) {
        let call = RuntimeCall::assertion_failed;
        let error = self.runtime(builtin::ERROR, call, vec![message]);
        let error = self.held(error, builtin::ERROR);
        self.raise(error);
    }
}

/// The check of a field, if it has one.
fn field_check(
    emitter: &mut Emitter,
    item: ItemId,
    arguments: &[Type],
    declared: &[Parameter],
    index: u32,
) -> Option<Check> {
    // Known from the head, without inferring the bodies of a type that has no checks.
    if declared[index as usize].check == Presence::Absent {
        return None;
    }
    let part = BodyPart::FieldCheck(index);
    emitter.program.check(item, arguments, part)
}

/// The fields of a record whose checks say something of field `changed`: its own, and those that name siblings.
fn checks_of_change(
    emitter: &mut Emitter,
    item: ItemId,
    arguments: &[Type],
    changed: u32,
) -> Vec<u32> {
    let declared = emitter.program.record_fields(item);
    let fields = 0..declared.len() as u32;
    fields
        .filter(|&index| {
            let check = field_check(emitter, item, arguments, &declared, index);
            // Which siblings a check reads is not tracked: one that can see the record runs at every change of it.
            check.is_some_and(|it| index == changed || it.scope == CheckScope::Record)
        })
        .collect()
}

/// Runs the checks on the way from the concrete type `from` to the checked type `to`; the bits stay.
fn check_into(emitter: &mut Emitter, value: Operand, from: &Type, to: &Type) {
    if from == to {
        return;
    }
    match to {
        Type::Checked(item, arguments) => {
            let declaration = emitter.program.view.declaration(*item);
            if let TypeDeclarationKind::Alias { target, .. } = &declaration.kind {
                // From the inside out: a check may rely on those of the type that it narrows.
                check_into(emitter, value, from, &substitute(target, arguments));
            }
            let check = emitter
                .program
                .check(*item, arguments, BodyPart::AliasCheck);
            if let Some(check) = check {
                let checked = Checked {
                    name: item.name(emitter.program.view.db()).to_string(),
                    ty: emitter.type_id(from),
                    word: value,
                    whole: None,
                    secrecy: Presence::Absent,
                };
                assert_check(emitter, &check, &checked, vec![value]);
            }
        }
        Type::Optional(to) => check_optional(emitter, value, from, to),
        Type::List(to) => check_elements(emitter, value, from, to),
        // What else holds a checked type is made of values that have it already.
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => {}
    }
}

fn check_optional(emitter: &mut Emitter, value: Operand, from: &Type, to: &Type) {
    // A value that is certainly there becomes an optional: then its checks are those of the inside.
    let Type::Optional(from) = from else {
        check_into(emitter, value, from, to);
        return;
    };
    let (some, done) = (emitter.block(), emitter.block());
    emitter.branch(value, some, done);
    emitter.start(some);
    let inside = emitter.unwrapped(value, from);
    check_into(emitter, inside, from, to);
    emitter.jump(done);
    emitter.start(done);
}

fn check_elements(emitter: &mut Emitter, value: Operand, from: &Type, to: &Type) {
    let (Type::List(from), Operand::Local(list)) = (from, value) else {
        return;
    };
    // No loop over a list whose elements have no checks to pass.
    if from.as_ref() == to {
        return;
    }
    let element = emitter.type_id(from);
    let length = emitter.load(builtin::INT, list, 0);
    // A loop in compiled code, because the checks are calls of compiled code.
    let index = emitter.copy(Operand::Word(0), builtin::INT);
    let (head, done) = (emitter.block(), emitter.block());
    emitter.jump(head);
    emitter.start(head);
    let more = emitter.operation(
        builtin::BOOL,
        Operation::IntLess,
        Operand::Local(index),
        length,
    );
    emitter.require(more, done);
    let arguments = vec![value, Operand::Local(index)];
    let inside = emitter.runtime(element, RuntimeCall::list_at, arguments);
    check_into(emitter, inside, from, to);
    let one = Operand::Word(1);
    let operation = Operation::IntAddUnchecked;
    let next = emitter.operation(builtin::INT, operation, Operand::Local(index), one);
    emitter.store(index, next);
    emitter.jump(head);
    emitter.start(done);
}

fn checked_field(
    emitter: &mut Emitter,
    item: ItemId,
    arguments: &[Type],
    field: &Parameter,
    word: Operand,
) -> Checked {
    let name = item.name(emitter.program.view.db());
    Checked {
        name: format!("{name}.{}", field.name),
        ty: emitter.type_id(&substitute(&field.ty, arguments)),
        word,
        whole: Some(emitter.type_id(&Type::Record(item, arguments.into()))),
        secrecy: field.secret,
    }
}

/// Runs the check of a field of `record`.
fn assert_field(emitter: &mut Emitter, check: &Check, mut checked: Checked, record: Operand) {
    let whole = match check.scope {
        CheckScope::Value => {
            checked.whole = None;
            Operand::Word(0)
        }
        CheckScope::Record => record,
    };
    assert_check(emitter, check, &checked, vec![checked.word, whole]);
}

fn assert_check(emitter: &mut Emitter, check: &Check, checked: &Checked, arguments: Vec<Operand>) {
    let whole = arguments.get(1).copied().unwrap_or(Operand::Word(0));
    let holds = emitter.call(builtin::BOOL, check.function, arguments);
    let broken = emitter.block();
    emitter.require(holds, broken);
    let going_on = emitter.block();
    emitter.jump(going_on);
    emitter.start(broken);
    // The span is that of the value's use: its author can change it, and the message names the check.
    raise_broken(emitter, check, checked, whole);
    emitter.start(going_on);
}

/// Raises the error of a value that breaks a check, and of the record that the check looks at.
fn raise_broken(emitter: &mut Emitter, check: &Check, checked: &Checked, whole: Operand) {
    let before = format!("`{}`: expected `{}`", checked.name, check.source);
    if checked.secrecy == Presence::Present {
        return emitter.raise_assertion(&format!("{before}, found ***"));
    }
    if !emitter.program.is_written(checked.ty) {
        return emitter.raise_assertion(&before);
    }
    let before = emitter.text(&format!("{before}, found "));
    let is_written = |it: &TypeId| emitter.program.is_written(*it);
    let (whole_type, whole) = match checked.whole.filter(is_written) {
        Some(ty) => (ty, whole),
        None => (builtin::UNIT, Operand::Word(0)),
    };
    let call = RuntimeCall::check_failed;
    let words = vec![
        type_word(checked.ty),
        checked.word,
        type_word(whole_type),
        whole,
        before,
    ];
    let error = emitter.runtime(builtin::ERROR, call, words);
    let error = emitter.held(error, builtin::ERROR);
    emitter.raise(error);
}
