//! Calls: arguments in order of evaluation, defaults after them, and the instance that is called.

use gsw_analysis::Waits;
use gsw_infer::hir::{BodyPart, Callee, ExpressionId};
use gsw_names::types::Type;
use gsw_names::{is_too_large, substitute};
use gsw_source::{Code, Diagnostic, ItemId, ItemKind, Place};

use crate::instance::{
    BodyInstance, DEEPEST_TYPE, Instance, MOST_INSTANCES, PromptForm, type_depth,
};
use crate::ir::{Operand, Terminator};
use crate::lower::builder::Builder;
use crate::lower::collection;
use crate::lower::emitter::Emitter;
use crate::lower::prompt::BARE_CALL;
use crate::waiting::ArgumentsWait;

impl Builder<'_, '_> {
    pub fn call_expression(
        &mut self,
        id: ExpressionId,
        callee: &Callee,
        arguments: &[(u32, ExpressionId)],
    ) -> Operand {
        match callee {
            Callee::EnumValues(_) => collection::enum_values(self, id),
            Callee::Value(value) => self.call_value(id, *value, arguments),
            Callee::Item {
                item,
                type_arguments,
            } => {
                let types: Vec<Type> = type_arguments.iter().map(|it| self.concrete(it)).collect();
                let waits = self.arguments_wait(id);
                let values = self.arguments(*item, &types, arguments, waits);
                self.call_item(*item, &types, values, waits)
            }
        }
    }

    /// Which instance the call at `id` asks for. The summaries answer, because they have also decided which lambdas are plain:
    /// an instance for waiting arguments gives closures that plain code cannot call.
    fn arguments_wait(&self, id: ExpressionId) -> ArgumentsWait {
        let body = &self.body;
        match self.program.view.handed_waits(body.item, body.part, id) {
            Waits::Never => ArgumentsWait::No,
            Waits::WithArguments => self.owner.arguments,
            Waits::Always => ArgumentsWait::Yes,
        }
    }

    /// The arguments in the order of the parameters; what is missing takes its default.
    pub fn arguments(
        &mut self,
        item: ItemId,
        types: &[Type],
        arguments: &[(u32, ExpressionId)],
        waits: ArgumentsWait,
    ) -> Vec<Operand> {
        let ids: Vec<ExpressionId> = arguments.iter().map(|it| it.1).collect();
        // In the order in which they are written; defaults come after all of them and see those of the parameters before.
        let values = self.operands(&ids);
        let signature = self.program.view.signature(item);
        let mut ordered: Vec<Operand> = Vec::with_capacity(signature.parameters.len());
        for (index, parameter) in (0..).zip(&signature.parameters) {
            let written = arguments.iter().position(|(it, _)| *it == index);
            let value = match written {
                Some(position) => values[position],
                None => {
                    let ty = substitute(&parameter.ty, types);
                    let default = parameter_default(self, item, index, types, waits);
                    match default {
                        Some(default) => {
                            let function = self.program.instance(default);
                            let ty = self.type_id(&ty);
                            self.call(ty, function, ordered.clone())
                        }
                        // Only an optional may be left out without a default; it is `none`.
                        None => Operand::Word(0),
                    }
                }
            };
            ordered.push(value);
        }
        ordered
    }

    fn call_value(
        &mut self,
        id: ExpressionId,
        callee: ExpressionId,
        arguments: &[(u32, ExpressionId)],
    ) -> Operand {
        // The callee first: what gives the function is evaluated before its arguments, as it is written.
        let mut ids = vec![callee];
        ids.extend(arguments.iter().map(|it| it.1));
        let mut values = self.operands(&ids);
        let closure = values.remove(0);
        let closure = self.held(closure, gsw_abi::builtin::FUNCTION);
        let mut ordered: Vec<(u32, Operand)> =
            arguments.iter().map(|it| it.0).zip(values).collect();
        ordered.sort_by_key(|it| it.0);
        let to = {
            let ty = self.type_id_of(id);
            self.local(ty)
        };
        self.raising(|next, handler| Terminator::CallValue {
            to,
            closure,
            arguments: ordered.into_iter().map(|it| it.1).collect(),
            next,
            handler,
        });
        Operand::Local(to)
    }
}

impl Emitter<'_, '_> {
    /// A call of a declaration with all its arguments.
    pub fn call_item(
        &mut self,
        item: ItemId,
        types: &[Type],
        mut arguments: Vec<Operand>,
        waits: ArgumentsWait,
    ) -> Operand {
        // Monomorphisation may not end: `fn f<T>(x: T) { f([x]) }` asks for `f` of ever deeper lists. The bound turns that into an error.
        if self.is_too_deep(item, types) {
            return Operand::Word(0);
        }
        let signature = self.program.view.signature(item);
        let result = substitute(&signature.result, types);
        if let Some(intrinsic) = signature.intrinsic {
            return self.mockable_intrinsic(item, intrinsic, arguments, &result, types);
        }
        let instance = match item.kind(self.program.view.db()) {
            ItemKind::Prompt => {
                self.program.prompt(item);
                arguments.extend(BARE_CALL);
                Instance::Prompt {
                    item,
                    form: PromptForm::Value,
                }
            }
            ItemKind::Human => Instance::Human { item },
            ItemKind::External => Instance::External { item },
            ItemKind::Function | ItemKind::Workflow | ItemKind::Tool | ItemKind::Mcp => {
                Instance::Body(BodyInstance {
                    item,
                    part: BodyPart::Main,
                    type_arguments: types.to_vec(),
                    arguments: waits,
                })
            }
            ItemKind::Import
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Hook
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => return self.unreachable(),
        };
        let function = self.program.instance(instance);
        let ty = self.type_id(&result);
        self.call(ty, function, arguments)
    }

    /// Reports a call with types that have grown without bound: each instance asks for another one.
    pub fn is_too_deep(&mut self, item: ItemId, types: &[Type]) -> bool {
        let name = item.name(self.program.view.db());
        // In this order: what is too large is not walked to its end.
        let is_deep = types
            .iter()
            .any(|it| is_too_large(it) || type_depth(it) > DEEPEST_TYPE);
        let (message, note) = if is_deep {
            (
                format!("`{name}` is instantiated with ever larger types"),
                "each call instantiates it with a more deeply nested type",
            )
        } else if self.program.instances_of(item) > MOST_INSTANCES {
            (
                format!("`{name}` is needed for more than {MOST_INSTANCES} types"),
                "a generic function is compiled for each type that it is called with",
            )
        } else {
            return false;
        };
        let place = Place::Item {
            item: self.owner.item,
            span: self.span,
        };
        let diagnostic = Diagnostic::error(Code::INSTANCE_TOO_DEEP, place, message);
        self.program.diagnostics.push(diagnostic.note(note));
        true
    }
}

/// The default of a parameter, which may call the functions among the parameters before it.
fn parameter_default(
    emitter: &Emitter,
    item: ItemId,
    index: u32,
    types: &[Type],
    waits: ArgumentsWait,
) -> Option<Instance> {
    let view = emitter.program.view;
    let part = BodyPart::ParameterDefault(index);
    view.body(item, part)?;
    Some(Instance::Body(BodyInstance {
        item,
        part,
        type_arguments: types.to_vec(),
        arguments: waits,
    }))
}
