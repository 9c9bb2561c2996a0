//! Questions to people and to the outside: text and key are made here, the runtime asks and waits.

use gsw_abi::builtin;
use gsw_abi::call::{NodeKind, RuntimeCall};
use gsw_abi::program::Colour;
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::ir::{Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::node::NodeHead;
use crate::lower::region::ReturnOutput;

impl Lowering<'_> {
    /// The function of a `human`: its node, with the time limit inside.
    pub fn lower_human(&mut self, item: ItemId) -> Function {
        let answer = self.view.signature(item).result.clone();
        let mut builder = self.builder(item, BodyPart::User, Colour::Resumable);
        let parameters = builder.declared_parameters(item);
        let settings = builder.part_value(item, BodyPart::Settings, builtin::JSON);
        // Outside of the node: what is wrong with the limit is an error of the call, and no question is shown.
        let limit = builder.runtime(builtin::INT, RuntimeCall::human_timeout, vec![settings]);
        let name = item.name(builder.program.view.db()).to_string();
        let input = builder.named_json(item, &parameters);
        let head = NodeHead {
            kind: NodeKind::Human,
            was: None,
            name: builder.text(&name),
            input,
            result: answer.clone(),
            output: ReturnOutput::Nothing,
        };
        let value = builder.node_around(head, |builder| {
            builder.in_timeout(limit, |builder| {
                ask(builder, item, &parameters, settings, &answer)
            })
        });
        builder.end(Terminator::Return(value));
        builder.finish()
    }

    /// The function of an `external`: its node, with the time limit inside.
    pub fn lower_external(&mut self, item: ItemId) -> Function {
        let answer = self.view.signature(item).result.clone();
        let mut builder = self.builder(item, BodyPart::Settings, Colour::Resumable);
        let parameters = builder.declared_parameters(item);
        let settings = builder.part_value(item, BodyPart::Settings, builtin::JSON);
        // Outside of the node, as the limit of a question to a person and the key of a tool.
        let limit = builder.runtime(builtin::INT, RuntimeCall::human_timeout, vec![settings]);
        let key = builder.part_value(item, BodyPart::Key, builtin::STRING);
        let name = item.name(builder.program.view.db()).to_string();
        let input = builder.named_json(item, &parameters);
        let head = NodeHead {
            kind: NodeKind::External,
            was: None,
            name: builder.text(&name),
            input,
            result: answer.clone(),
            output: ReturnOutput::Nothing,
        };
        let value = builder.node_around(head, |builder| {
            builder.in_timeout(limit, |builder| {
                await_outside(builder, item, &parameters, key, &answer)
            })
        });
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}

/// The answer from outside, or in a test of the mock that stands in for it.
fn await_outside(
    emitter: &mut Emitter,
    item: ItemId,
    parameters: &[Operand],
    key: Operand,
    answer: &Type,
) -> Operand {
    let ty = emitter.type_id(answer);
    let join = emitter.join(ty);
    emitter.deliver_mocked(item, parameters, answer, join);
    emitter.refuse_unmocked(item, parameters);
    let index = emitter.program.prompt(item);
    let arguments = emitter.named_json(item, parameters);
    let index = Operand::Word(u64::from(index));
    let words = vec![type_word(ty), index, key, arguments];
    let value = emitter.runtime(ty, RuntimeCall::external_ask, words);
    emitter.deliver(join, value);
    emitter.joined_value(join)
}

/// The answer of the person, or in a test of the mock that stands in for one.
fn ask(
    emitter: &mut Emitter,
    item: ItemId,
    parameters: &[Operand],
    settings: Operand,
    answer: &Type,
) -> Operand {
    let ty = emitter.type_id(answer);
    let join = emitter.join(ty);
    emitter.deliver_mocked(item, parameters, answer, join);
    emitter.refuse_unmocked(item, parameters);
    let index = emitter.program.prompt(item);
    let text = emitter.said(item, parameters.to_vec());
    let arguments = emitter.named_json(item, parameters);
    let index = Operand::Word(u64::from(index));
    let words = vec![type_word(ty), index, text, arguments, settings];
    let value = emitter.runtime(ty, RuntimeCall::human_ask, words);
    emitter.deliver(join, value);
    emitter.joined_value(join)
}
