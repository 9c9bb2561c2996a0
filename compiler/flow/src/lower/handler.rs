//! Hooks: the table of those that settings name, and the functions of their handlers.

use gsw_abi::hook::{Handler, Hook, Moment};
use gsw_abi::program::Colour;
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_names::{handler_form, spawn_name};
use gsw_source::ItemId;
use gsw_syntax::ast::{HookHandler, ItemBody};

use crate::instance::Instance;
use crate::ir::{Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::waiting::ArgumentsWait;

impl Lowering<'_> {
    /// A hook that settings name.
    pub(super) fn hook(&mut self, item: ItemId) {
        if self.hooks.contains_key(&item) {
            return;
        }
        let db = self.view.db();
        let tree = gsw_syntax::item_ast(db, item);
        let written: &[HookHandler] = match tree.as_deref().map(|it| &it.body) {
            Some(ItemBody::Hook { handlers, .. }) => handlers,
            _other => &[],
        };
        let handlers = (0u32..)
            .zip(written)
            .filter_map(|(index, it)| self.handler(item, index, Moment::named(&it.name.name)?));
        let hook = Hook {
            name: spawn_name(db, item).to_string(),
            handlers: handlers.collect(),
        };
        self.hooks.insert(item, hook);
    }

    fn handler(&mut self, item: ItemId, index: u32, moment: Moment) -> Option<Handler> {
        let form = handler_form(self.view.db(), moment)?;
        let result = self.view.signature(form).result.clone();
        let mut parameters = self.parameters(form);
        // The last one is what the handler says.
        parameters.pop();
        Some(Handler {
            moment,
            parameters,
            result: self.type_id(&result),
            function: self.instance(Instance::Handler {
                item,
                index,
                moment,
            }),
        })
    }

    /// A handler as the runtime calls it: what it says goes through the function of the library that shows its form.
    pub fn lower_handler(&mut self, item: ItemId, index: u32, moment: Moment) -> Function {
        let part = BodyPart::Handler(index);
        let said = self.part(item, part, &[]);
        let form = handler_form(self.view.db(), moment);
        let mut builder = self.builder(item, part, Colour::Resumable);
        let (Some(said), Some(form)) = (said, form) else {
            // Only of a handler that was reported.
            builder.end(Terminator::Return(Operand::Word(0)));
            return builder.finish();
        };
        let signature = builder.program.view.signature(form).clone();
        let mut arguments = Vec::new();
        for parameter in &signature.parameters[..signature.parameters.len() - 1] {
            let ty = builder.type_id(&parameter.ty);
            arguments.push(Operand::Local(builder.parameter(ty, &parameter.name)));
        }
        let said_type = &signature.parameters[arguments.len()].ty;
        let decides = *said_type != Type::Unit;
        let said_type = builder.type_id(said_type);
        let said = builder.program.instance(said);
        let said = builder.call(said_type, said, arguments.clone());
        if !decides {
            builder.end(Terminator::Return(Operand::Word(0)));
            return builder.finish();
        }
        arguments.push(said);
        let value = builder.call_item(form, &[], arguments, ArgumentsWait::No);
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}
