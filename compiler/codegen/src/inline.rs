//! Runtime calls that are a few machine instructions on their usual path: these are emitted inline.
//!
//! The call remains for what is not usual: a list that must grow or has other owners, an index that is out of range.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout as abi;
use gsw_flow::ir::LocalId;

use crate::call::Then;
use crate::function::{Form, Translator};
use crate::layout;

impl Translator<'_, '_> {
    /// Translates a plain runtime call.
    pub(crate) fn plain_call(
        &mut self,
        to: Option<LocalId>,
        call: RuntimeCall,
        arguments: &[Value],
    ) {
        let value = match (call, arguments) {
            (RuntimeCall::list_len, &[list]) => {
                layout::load(&mut self.builder, list, abi::LIST_LENGTH)
            }
            (RuntimeCall::string_len, &[text]) => {
                layout::load(&mut self.builder, text, abi::STRING_SCALARS)
            }
            (RuntimeCall::list_at, &[list, index]) => {
                if let Some(to) = to {
                    self.list_element(to, list, index);
                }
                return;
            }
            (RuntimeCall::list_push, &[list, element]) if self.form == Form::Fast => {
                self.list_push(list, element)
            }
            _ => self.runtime_word(call, arguments),
        };
        if let Some(to) = to {
            self.set(to, value);
        }
    }

    /// Reads an element in range and owns it.
    fn list_element(&mut self, to: LocalId, list: Value, index: Value) {
        let place = self.element_place(list, index);
        let element = layout::load(&mut self.builder, place, abi::LIST_ELEMENTS);
        self.set(to, element);
        if self.is_reference(to) {
            self.retain(to);
        }
    }

    /// In place when the list has one owner and room.
    fn list_push(&mut self, list: Value, element: Value) -> Value {
        let done = self.builder.create_block();
        let result = self.builder.append_block_param(done, I64);
        let call = self.cold_block();
        // A count of exactly 1: an immortal list has a negative count and goes to the call, which copies it.
        let count = layout::load(&mut self.builder, list, abi::COUNT);
        let unique = self.builder.ins().icmp_imm_s(IntCC::Equal, count, 1);
        self.go_on_when(unique, call);
        let length = layout::load(&mut self.builder, list, abi::LIST_LENGTH);
        let capacity = layout::load(&mut self.builder, list, abi::LIST_CAPACITY);
        let has_room = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, length, capacity);
        self.go_on_when(has_room, call);
        let place = self.element_place(list, length);
        // The element before the length, so that the list never holds a word that was not written.
        layout::store(&mut self.builder, element, place, abi::LIST_ELEMENTS);
        let longer = self.builder.ins().iadd_imm_s(length, 1);
        layout::store(&mut self.builder, longer, list, abi::LIST_LENGTH);
        self.builder.ins().jump(done, &[list.into()]);
        self.enter(call);
        let other = self.runtime_word(RuntimeCall::list_push, &[list, element]);
        self.builder.ins().jump(done, &[other.into()]);
        self.enter(done);
        result
    }

    /// `list_index`: raises by way of the runtime when the index is out of range.
    pub(crate) fn list_index(&mut self, list: Value, index: Value, then: Then<'_>) {
        let call = self.cold_block();
        let length = layout::load(&mut self.builder, list, abi::LIST_LENGTH);
        // A negative index is a large one when it has no sign.
        let in_range = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, index, length);
        self.go_on_when(in_range, call);
        self.list_element(then.to, list, index);
        self.jump(then.next);
        self.enter(call);
        let called = self.runtime(RuntimeCall::list_index, &[list, index]);
        self.finish_call(called, then);
    }

    /// Continues in a fresh block when the condition holds, otherwise at `otherwise`.
    fn go_on_when(&mut self, condition: Value, otherwise: Block) {
        let next = self.builder.create_block();
        self.builder
            .ins()
            .brif(condition, next, &[], otherwise, &[]);
        self.enter(next);
    }

    /// The address that an element's place has but for the offset of the first word.
    fn element_place(&mut self, list: Value, index: Value) -> Value {
        let unused = layout::load_narrow(&mut self.builder, list, abi::EXTRA);
        let unused = self.builder.ins().uextend(I64, unused);
        let index = self.builder.ins().iadd(index, unused);
        let offset = self.builder.ins().ishl_imm_u(index, 3);
        self.builder.ins().iadd(list, offset)
    }
}
