//! Calls of the standard library's intrinsics: rows of the table of runtime calls, written where they are called.

use gsw_abi::builtin;
use gsw_abi::call::{Parameter, RuntimeCall};
use gsw_names::types::Type;

use crate::ir::Operand;
use crate::lower::emitter::{Emitter, type_word};

impl Emitter<'_, '_> {
    /// A call of a row with the arguments of its declaration.
    pub fn intrinsic(
        &mut self,
        call: RuntimeCall,
        arguments: Vec<Operand>,
        result: &Type,
        type_arguments: &[Type],
    ) -> Operand {
        if let Some(value) = short_cut(self, call, &arguments, type_arguments) {
            return value;
        }
        let concrete = result;
        let result = self.type_id(concrete);
        let mut types = type_arguments.iter();
        let mut given = arguments.into_iter();
        let mut words = Vec::with_capacity(call.parameters().len());
        for parameter in call.parameters() {
            let word = match parameter {
                Parameter::Result => type_word(result),
                Parameter::Ty => {
                    let ty = types.next().cloned().unwrap_or(Type::Unit);
                    type_word(self.type_id(&ty))
                }
                Parameter::Word | Parameter::Borrow | Parameter::Own => {
                    given.next().unwrap_or(Operand::Word(0))
                }
            };
            words.push(word);
        }
        let value = self.runtime(result, call, words);
        // The only row that makes a new value of a type that it is given.
        if call == RuntimeCall::list_sum {
            return self.admitted(value, concrete);
        }
        value
    }

    /// A call of a row with the words of its arguments, where this runtime has it.
    pub fn runtime_named(
        &mut self,
        ty: gsw_abi::types::TypeId,
        name: &str,
        words: Vec<Operand>,
    ) -> Operand {
        match RuntimeCall::named(name) {
            Some(call) => self.runtime(ty, call, words),
            None => missing_intrinsic(self, name),
        }
    }
}

/// What needs no call for these types.
fn short_cut(
    emitter: &mut Emitter,
    call: RuntimeCall,
    arguments: &[Operand],
    type_arguments: &[Type],
) -> Option<Operand> {
    let [argument] = arguments else {
        return None;
    };
    // The length of a list is its first word; of a string the number of scalar values follows the length in bytes.
    let words = [(RuntimeCall::list_len, 0), (RuntimeCall::string_len, 1)];
    if let Some((_, word)) = words.into_iter().find(|it| it.0 == call) {
        let Operand::Local(object) = argument else {
            return None;
        };
        return Some(emitter.load(builtin::INT, *object, word));
    }
    let [ty] = type_arguments else {
        return None;
    };
    if call == RuntimeCall::value_to_string {
        Some(emitter.text_form(*argument, ty))
    } else if call == RuntimeCall::value_to_json {
        Some(emitter.json_form(*argument, ty))
    } else {
        None
    }
}

/// A row that this runtime does not have: the program says so where it is called.
fn missing_intrinsic(emitter: &mut Emitter, name: &str) -> Operand {
    let message = emitter.text(&format!("this runtime has no call `{name}`"));
    let error = emitter.runtime(builtin::ERROR, RuntimeCall::internal_fault, vec![message]);
    let error = emitter.held(error, builtin::ERROR);
    emitter.raise(error);
    Operand::Word(0)
}
