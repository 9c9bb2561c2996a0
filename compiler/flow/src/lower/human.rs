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

/// Who is asked.
#[derive(Clone, Copy)]
pub enum Asked {
    /// A person, by a `human`.
    Person,
    /// Something outside, by an `external`.
    Outside,
}

impl Lowering<'_> {
    /// The function of a `human` or an `external`: its node, with the time limit inside.
    pub fn lower_question(&mut self, item: ItemId, asked: Asked) -> Function {
        let answer = self.view.signature(item).result.clone();
        let (kind, part) = match asked {
            Asked::Person => (NodeKind::Human, BodyPart::User),
            Asked::Outside => (NodeKind::External, BodyPart::Settings),
        };
        let mut builder = self.builder(item, part, Colour::Resumable);
        let parameters = builder.declared_parameters(item);
        let settings = builder.part_value(item, BodyPart::Settings, builtin::JSON);
        // Outside of the node: what is wrong with the limit or the key is an error of the call, and no question is shown.
        let limit = builder.runtime(builtin::INT, RuntimeCall::human_timeout, vec![settings]);
        let given = match asked {
            Asked::Person => settings,
            Asked::Outside => builder.part_value(item, BodyPart::Key, builtin::STRING),
        };
        let name = item.name(builder.program.view.db()).to_string();
        let input = builder.named_json(item, &parameters);
        let head = NodeHead {
            kind,
            was: None,
            name: builder.text(&name),
            input,
            result: answer.clone(),
            output: ReturnOutput::Nothing,
        };
        let value = builder.node_around(head, |builder| {
            builder.in_timeout(limit, |builder| {
                ask(builder, item, &parameters, (asked, given), &answer)
            })
        });
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}

/// The answer, or in a test of the mock that stands in for who is asked. A person is asked with settings, what is outside by a key.
fn ask(
    emitter: &mut Emitter,
    item: ItemId,
    parameters: &[Operand],
    (asked, given): (Asked, Operand),
    answer: &Type,
) -> Operand {
    let ty = emitter.type_id(answer);
    let join = emitter.join(ty);
    emitter.deliver_mocked(item, parameters, answer, join);
    emitter.refuse_unmocked(item, parameters);
    let index = Operand::Word(u64::from(emitter.program.prompt(item)));
    let (call, words) = match asked {
        Asked::Person => {
            let text = emitter.said(item, parameters.to_vec());
            let arguments = emitter.named_json(item, parameters);
            let words = vec![type_word(ty), index, text, arguments, given];
            (RuntimeCall::human_ask, words)
        }
        Asked::Outside => {
            let arguments = emitter.named_json(item, parameters);
            let words = vec![type_word(ty), index, given, arguments];
            (RuntimeCall::external_ask, words)
        }
    };
    let value = emitter.runtime(ty, call, words);
    emitter.deliver(join, value);
    emitter.joined_value(join)
}
