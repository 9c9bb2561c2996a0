//! Questions to people: the text is made here, the runtime asks and waits.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::Colour;
use gsw_semantics::hir::BodyPart;
use gsw_source::ItemId;

use crate::instance::Instance;
use crate::ir::{Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::lower::builder::type_word;

impl Lowering<'_> {
    /// The function of a `human`.
    pub fn lower_human(&mut self, item: ItemId) -> Function {
        let index = self.prompt(item);
        let answer = self.view.signature(item).result.clone();
        let mut builder = self.builder(item, BodyPart::User, Colour::Resumable);
        let parameters = builder.declared_parameters(item);
        builder.return_mocked(item, &parameters, &answer);
        builder.refuse_unmocked(item);
        let text = builder.program.instance(Instance::PromptText { item });
        let text = builder.call(builtin::STRING, text, parameters.clone());
        let arguments = builder.named_json(item, &parameters);
        let settings = builder.part_value(item, BodyPart::Settings, builtin::JSON);
        let ty = builder.type_id(&answer);
        let index = Operand::Word(u64::from(index));
        let words = vec![type_word(ty), index, text, arguments, settings];
        let value = builder.runtime(ty, RuntimeCall::human_ask, words);
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}
