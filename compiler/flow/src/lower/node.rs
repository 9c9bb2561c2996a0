//! Nodes of the run's tree: workflows, tools, steps, and blocks with modifiers.

use gsw_syntax::ModifierName;
use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::{NodeKind, RuntimeCall};
use gsw_infer::hir::{BodyPart, ExpressionId, Modifiers};
use gsw_names::types::Type;
use gsw_names::{Presence, is_host_tool};
use gsw_source::ItemId;

use crate::ir::{LocalId, Operand, Terminator};
use crate::lower::Purpose;
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::modifier::{ModifiedBody, ModifiedCode};
use crate::lower::region::{Region, ReturnOutput};

pub(crate) struct NodeHead {
    pub kind: NodeKind,
    /// What a step was called in earlier versions of the program, which stays its identity.
    pub was: Option<Operand>,
    pub name: Operand,
    /// Its input as `json`, or 0.
    pub input: Operand,
    /// The type of its value.
    pub result: Type,
    /// What it gives when it is left by `return`.
    pub output: ReturnOutput,
}

impl Builder<'_, '_> {
    /// The code of a test: a node, which its tasks belong to.
    pub fn test_body(&mut self) {
        self.own_node(
            NodeKind::Region,
            &Modifiers::default(),
            ReturnOutput::Returned,
        );
    }

    /// Asks the mocks of the declaration that this is the body of.
    pub fn mockable_here(&mut self) {
        let result = self.concrete(&Arc::clone(&self.body).result);
        let arguments = self.parameter_operands();
        let item = self.owner.item;
        self.return_mocked(item, &arguments, &result);
    }

    /// The code of a workflow: its node with its body inside.
    pub fn workflow(&mut self) {
        self.mockable_here();
        let modifiers = self.program.view.modifiers(self.owner.item);
        self.own_node(NodeKind::Workflow, &modifiers, ReturnOutput::Returned);
    }

    /// The code of a tool: asks first whether a call with the same key has a result already.
    pub fn tool(&mut self) {
        let item = self.owner.item;
        let index = self.program.tool(item);
        let result = self.concrete(&Arc::clone(&self.body).result);
        let arguments = self.parameter_operands();
        // Before the node: a call whose key has a result already has no node of its own and no effect.
        let key = match self.program.part(item, BodyPart::Key, &[]) {
            Some(key) => {
                let function = self.program.instance(key);
                self.call(builtin::STRING, function, arguments.clone())
            }
            None => Operand::Word(0),
        };
        let input = self.named_json(item, &arguments);
        // A tuple, because a result may itself be `none`.
        let known_type = Type::Tuple([result.clone()].into()).optional();
        let known_id = self.type_id(&known_type);
        let arguments = vec![
            type_word(known_id),
            Operand::Word(u64::from(index)),
            key,
            input,
        ];
        let known = self.runtime(known_id, RuntimeCall::tool_begin, arguments);
        let (again, first) = (self.block(), self.block());
        self.branch(known, again, first);
        self.start(again);
        let known = self.held(known, known_id);
        let value = self.only_part(known, &result);
        self.end(Terminator::Return(value));
        self.start(first);
        let output = match key {
            Operand::Word(_) => {
                // As for the call itself, nothing around a `once` tool is tried again when a mock answers it.
                self.mockable_here();
                ReturnOutput::Returned
            }
            Operand::Local(_) => ReturnOutput::Kept,
        };
        let modifiers = self.program.view.modifiers(item);
        self.own_node(NodeKind::Tool, &modifiers, output);
    }

    /// The node that is the function's own.
    fn own_node(&mut self, kind: NodeKind, modifiers: &Modifiers, output: ReturnOutput) {
        let body = Arc::clone(&self.body);
        let item = self.owner.item;
        let name = item.name(self.program.view.db()).to_string();
        let name = self.text(&name);
        let arguments = self.parameter_operands();
        let input = self.named_json(item, &arguments);
        let result = self.concrete(&body.result);
        let head = NodeHead {
            kind,
            was: None,
            name,
            input,
            result: result.clone(),
            output,
        };
        let value = self.node(head, modifiers, body.root);
        let value = self.returned(value, &result);
        self.end(Terminator::Return(value));
    }

    pub fn parameter_operands(&self) -> Vec<Operand> {
        (0..self.body.parameters.len() as u32)
            .map(|it| Operand::Local(crate::ir::LocalId(it)))
            .collect()
    }

    /// `step "name" mods { }`; `names` are what it was called, and is.
    pub fn step(
        &mut self,
        names: (Option<ExpressionId>, ExpressionId),
        modifiers: &Modifiers,
        body: ExpressionId,
    ) -> Operand {
        let (was, name) = names;
        let was = was.map(|it| {
            let was = self.expression(it);
            // The name is evaluated after it and may assign what it was read from.
            self.settled(was, &[name])
        });
        let name = self.expression(name);
        let name = self.detached(name);
        let head = NodeHead {
            kind: NodeKind::Step,
            was,
            name,
            input: Operand::Word(0),
            result: self.type_of(body),
            output: ReturnOutput::Nothing,
        };
        self.node(head, modifiers, body)
    }

    /// `timeout D { }` and the like.
    pub fn modified(&mut self, modifiers: &Modifiers, body: ExpressionId) -> Operand {
        let Modifiers {
            budget,
            reflect,
            retry,
            timeout: _,
        } = modifiers;
        // It is named after the outermost; a block without any other has a timeout.
        let name = if budget.is_some() {
            ModifierName::Budget
        } else if reflect.is_some() {
            ModifierName::Reflect
        } else if retry.is_some() {
            ModifierName::Retry
        } else {
            ModifierName::Timeout
        };
        let name = name.text();
        let head = NodeHead {
            kind: NodeKind::Region,
            was: None,
            name: self.text(name),
            input: Operand::Word(0),
            result: self.type_of(body),
            output: ReturnOutput::Nothing,
        };
        self.node(head, modifiers, body)
    }

    fn node(&mut self, head: NodeHead, modifiers: &Modifiers, body: ExpressionId) -> Operand {
        let (result, output) = (head.result.clone(), head.output);
        let is_host =
            head.kind == NodeKind::Tool && is_host_tool(self.program.view.db(), self.owner.item);
        let body = match is_host {
            true => ModifiedCode::Host(result.clone()),
            false => ModifiedCode::Written(body),
        };
        // Modifiers are evaluated outside of the node that they modify: an error in `timeout f(x)` is not one of the body.
        let modified = ModifiedBody::new(self, modifiers, body);
        self.node_around(head, |builder| {
            builder.behind_key(output, &result, |it| modified.write(it))
        })
    }

    /// What a call does that is the first one with its key. A mock of the tool is asked here and no earlier: with one as without it, a
    /// second call with the key is given the first result.
    fn behind_key(
        &mut self,
        output: ReturnOutput,
        result: &Type,
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        if output != ReturnOutput::Kept || self.program.purpose == Purpose::Run {
            return body(self);
        }
        let ty = self.type_id(result);
        let join = self.join(ty);
        let (item, arguments) = (self.owner.item, self.parameter_operands());
        self.deliver_mocked(item, &arguments, result, join);
        let value = body(self);
        self.deliver(join, value);
        self.joined_value(join)
    }

    /// A node around the code that `body` writes.
    pub fn node_around(
        &mut self,
        head: NodeHead,
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        if let Some(was) = head.was {
            self.perform(RuntimeCall::node_was, vec![was]);
        }
        let kind = Operand::Word(head.kind as u64);
        self.perform(RuntimeCall::node_enter, vec![kind, head.name, head.input]);
        let landing = self.new_landing();
        let kind = head.kind;
        self.open(Region::Node {
            landing,
            output: head.output,
        });
        let value = body(self);
        // The code of a `defer` or of tasks that are awaited may still assign the variable that holds it.
        let value = self.detached(value);
        self.close();
        // Before the node completes, because its end gives the result to the calls that wait for the same key.
        self.keep_result(head.output, value, &head.result);
        let output = self.output_json(value, &head.result);
        self.perform(RuntimeCall::node_complete, vec![output]);
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        self.fail_node(kind, landing.error);
        self.start(done);
        value
    }

    /// The body of a tool that the program's host has.
    pub(super) fn host_call(&mut self, result: &Type) -> Operand {
        let item = self.owner.item;
        let arguments = self.parameter_operands();
        self.refuse_unmocked(item, &arguments);
        let arguments = self.named_json(item, &arguments);
        let name = item.name(self.program.view.db()).to_string();
        let name = self.text(&name);
        let ty = self.type_id(result);
        let words = vec![type_word(ty), name, arguments];
        self.runtime(ty, RuntimeCall::host_call, words)
    }
}

impl Emitter<'_, '_> {
    /// The values of a declaration's parameters as a `json` object, in which those with `@secret` are hidden from observers.
    pub fn named_json(&mut self, item: ItemId, values: &[Operand]) -> Operand {
        let signature = self.program.view.signature(item);
        let mut shown = Vec::with_capacity(values.len());
        for (parameter, value) in signature.parameters.iter().zip(values) {
            let ty = self.concrete(&parameter.ty);
            shown.push(match parameter.secret {
                Presence::Present => self.hidden_json(*value, ty),
                Presence::Absent => (*value, ty),
            });
        }
        let names = signature.parameters.iter().map(|it| it.name.as_str());
        let entries: Vec<(&str, Operand, &Type)> = names
            .zip(&shown)
            .map(|(name, (value, ty))| (name, *value, ty))
            .collect();
        self.json_object(&entries)
    }

    /// The part of a tuple of one part, which is how a value that may itself be `none` comes as an optional.
    pub fn only_part(&mut self, tuple: LocalId, part: &Type) -> Operand {
        if matches!(part, Type::Unit | Type::Never) {
            return Operand::Word(0);
        }
        let ty = self.type_id(part);
        self.load(ty, tuple, 0)
    }

    /// Gives further calls of a tool with a key its result.
    pub fn keep_result(&mut self, output: ReturnOutput, value: Operand, ty: &Type) {
        if output == ReturnOutput::Kept && !matches!(ty, Type::Unit | Type::Never) {
            let id = self.type_id(ty);
            self.perform(RuntimeCall::tool_keep, vec![type_word(id), value]);
        }
    }

    /// What is done where an error leaves a node: its tasks are cancelled, what a workflow has done is taken back, and the error
    /// is raised.
    pub fn fail_node(&mut self, kind: NodeKind, error: LocalId) {
        // `node_abort` and `undo_all` never raise; an unwinding that arrives in them is the one that is under way.
        let ignored = self.new_landing();
        let aborted = self.block();
        self.open(Region::Catch(ignored));
        self.runtime(builtin::UNIT, RuntimeCall::node_abort, Vec::new());
        if kind == NodeKind::Workflow {
            self.runtime(builtin::UNIT, RuntimeCall::undo_all, Vec::new());
        }
        self.close();
        self.jump(aborted);
        self.start(ignored.block);
        self.jump(aborted);
        self.start(aborted);
        self.perform(RuntimeCall::node_fail, vec![Operand::Local(error)]);
        self.pass_on(error);
    }
}
