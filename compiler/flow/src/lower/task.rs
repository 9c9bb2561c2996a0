//! Tasks: `spawn`, `await`, `race`, `parallel`.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::{ErrorPolicy, NO_LIMIT, RuntimeCall};
use gsw_infer::hir::{self, BodyPart, ExpressionId, Lambda};
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::instance::{Instance, LambdaUse};
use crate::ir::{Instruction, LocalId, Operand};
use crate::lower::Purpose;
use crate::lower::builder::{Builder, type_word};
use crate::lower::table::body_instance;

/// `parallel for`
pub(crate) struct ParallelIteration<'a> {
    /// A list or range; of a map its pairs.
    pub iterable: ExpressionId,
    /// After `limit`.
    pub limit: Option<ExpressionId>,
    /// After `errors`.
    pub policy: hir::ErrorPolicy,
    /// Of one parameter.
    pub body: &'a Lambda,
}

impl Builder<'_, '_> {
    /// `spawn e`
    pub fn spawn(&mut self, id: ExpressionId, lambda: &Lambda) -> Operand {
        let ty = self.type_id_of(id);
        let closure = self.closure(id, 0, lambda, LambdaUse::Task);
        let function = self.program.instance(Instance::Lambda {
            owner: self.owner.clone(),
            expression: id,
            position: 0,
            purpose: LambdaUse::Task,
        });
        let frame = self.local(builtin::INT);
        self.emit(Instruction::Frame {
            to: frame,
            function,
            arguments: vec![closure],
        });
        let arguments = vec![type_word(ty), Operand::Local(frame)];
        self.runtime(ty, RuntimeCall::task_spawn, arguments)
    }

    /// `spawn detached wf(args)`
    pub fn spawn_detached(&mut self, item: ItemId, arguments: &[(u32, ExpressionId)]) -> Operand {
        let values = self.arguments(item, &[], arguments);
        let result = self.program.view.signature(item).result.clone();
        let join = self.join(builtin::STRING);
        // In a test a mock stands in for the whole run.
        if self.program.purpose == Purpose::Test {
            self.ask_mocks(item, &values, &result, |builder, _| {
                let name = builder.text("mocked");
                builder.deliver(join, name);
            });
        }
        let input = self.named_json(item, &values);
        let name = item.name(self.program.view.db()).to_string();
        let name = self.text(&name);
        let parameters = self.parameters_of(item);
        let parameters = self.program.types.structure(parameters);
        let function = self.program.instance(body_instance(item, BodyPart::Main));
        let result = self.type_id(&result);
        let arguments = vec![
            Operand::Word(u64::from(function.0)),
            type_word(parameters),
            type_word(result),
            name,
            input,
        ];
        let run = self.runtime(builtin::STRING, RuntimeCall::spawn_detached, arguments);
        self.deliver(join, run);
        self.joined_value(join)
    }

    /// `await e` of a task, a list of tasks or a tuple of tasks.
    pub fn await_tasks(&mut self, id: ExpressionId, tasks: ExpressionId) -> Operand {
        let ty = self.type_of(id);
        let result = self.type_id(&ty);
        let tasks_type = self.type_of(tasks);
        let tasks = self.expression(tasks);
        if let Type::Task(_) = tasks_type {
            self.runtime(result, RuntimeCall::task_await, vec![tasks])
        } else if let Type::List(_) = tasks_type {
            let arguments = vec![type_word(result), tasks];
            self.runtime(result, RuntimeCall::task_await_all, arguments)
        } else if let Type::Tuple(parts) = &tasks_type {
            let tuple = self.type_id(&tasks_type);
            let tuple = self.held(tasks, tuple);
            self.await_tuple(result, tuple, parts)
        } else {
            self.unreachable()
        }
    }

    fn await_tuple(
        &mut self,
        result: gsw_abi::types::TypeId,
        tuple: LocalId,
        parts: &Arc<[Type]>,
    ) -> Operand {
        let mut values = Vec::with_capacity(parts.len());
        for (index, part) in (0..).zip(parts.iter()) {
            let Type::Task(inner) = part else {
                return self.unreachable();
            };
            let task = self.type_id(part);
            let task = self.load(task, tuple, index);
            let ty = self.type_id(inner);
            values.push(self.runtime(ty, RuntimeCall::task_await, vec![task]));
        }
        self.object(result, 0, values)
    }

    /// `race e`
    pub fn race(&mut self, id: ExpressionId, tasks: ExpressionId) -> Operand {
        let ty = self.type_id_of(id);
        let tasks = self.expression(tasks);
        self.runtime(ty, RuntimeCall::task_race, vec![tasks])
    }

    /// `parallel for`
    pub fn parallel_for(&mut self, id: ExpressionId, iteration: &ParallelIteration<'_>) -> Operand {
        let &ParallelIteration {
            iterable,
            limit,
            policy,
            body,
        } = iteration;
        let ty = self.type_id_of(id);
        let items_type = self.type_of(iterable);
        let items = self.expression(iterable);
        let items = self.settled(items, limit.as_slice());
        let limit = limit.map_or(Operand::Word(NO_LIMIT.cast_unsigned()), |it| {
            self.expression(it)
        });
        let items = if let Type::Map(key, value) = &items_type {
            let pair = Type::Tuple([(**key).clone(), (**value).clone()].into());
            let pairs = self.type_id(&pair.list());
            let arguments = vec![type_word(pairs), items];
            self.runtime(pairs, RuntimeCall::map_entries, arguments)
        } else {
            items
        };
        let closure = self.closure(id, 0, body, LambdaUse::Task);
        let policy = match policy {
            hir::ErrorPolicy::First => ErrorPolicy::First,
            hir::ErrorPolicy::Settle => ErrorPolicy::Settle,
            hir::ErrorPolicy::Merge => ErrorPolicy::Merge,
        };
        let policy = Operand::Word(policy as u64);
        let arguments = vec![type_word(ty), closure, items, limit, policy];
        self.runtime(ty, RuntimeCall::parallel_for, arguments)
    }

    /// `parallel (a, b)`
    pub fn parallel(&mut self, id: ExpressionId, lambdas: &[Lambda]) -> Operand {
        let ty = self.type_id_of(id);
        let list = self
            .program
            .types
            .structure(gsw_abi::types::Type::List(builtin::FUNCTION));
        let room = Operand::Word(lambdas.len() as u64);
        let mut closures = self.runtime(list, RuntimeCall::list_new, vec![type_word(list), room]);
        for (position, lambda) in (0..).zip(lambdas) {
            let closure = self.closure(id, position, lambda, LambdaUse::Task);
            closures = self.runtime(list, RuntimeCall::list_push, vec![closures, closure]);
        }
        self.runtime(
            ty,
            RuntimeCall::parallel_tuple,
            vec![type_word(ty), closures],
        )
    }

    /// The next part of a stream, or `none` where it has ended.
    pub fn stream_next(&mut self, ty: gsw_abi::types::TypeId, stream: LocalId) -> Operand {
        let arguments = vec![type_word(ty), Operand::Local(stream)];
        self.runtime_named(ty, "stream_next", arguments)
    }
}
