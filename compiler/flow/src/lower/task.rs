//! Tasks: `spawn`, `await`, `race`, `parallel`.

use gsw_abi::builtin;
use gsw_abi::call::{ErrorPolicy, NO_LIMIT, RacePolicy, RuntimeCall};
use gsw_infer::hir::{self, BodyPart, ExpressionId, Lambda};
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::instance::{Instance, LambdaUse};
use crate::ir::{Instruction, LocalId, Operand};
use crate::lower::Purpose;
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::table::body_instance;
use crate::waiting::ArgumentsWait;

pub fn spawn(builder: &mut Builder<'_, '_>, id: ExpressionId, lambda: &Lambda) -> Operand {
    let ty = builder.type_id_of(id);
    let closure = builder.closure(id, 0, lambda, LambdaUse::Task);
    let owner = builder.owner.clone();
    let function = builder.program.instance(Instance::Lambda {
        owner,
        expression: id,
        position: 0,
        purpose: LambdaUse::Task,
    });
    let frame = builder.local(builtin::INT);
    builder.emit(Instruction::Frame {
        to: frame,
        function,
        arguments: vec![closure],
    });
    let arguments = vec![type_word(ty), Operand::Local(frame)];
    builder.runtime(ty, RuntimeCall::task_spawn, arguments)
}

/// `undo { }`: hands the closure to the run, which calls it as a task.
pub fn undo(builder: &mut Builder<'_, '_>, id: ExpressionId, lambda: &Lambda) -> Operand {
    let closure = builder.closure(id, 0, lambda, LambdaUse::Task);
    builder.perform(RuntimeCall::undo_register, vec![closure]);
    Operand::Word(0)
}

/// `spawn detached wf(args) with { id: e }`
pub fn spawn_detached(
    builder: &mut Builder<'_, '_>,
    item: ItemId,
    arguments: &[(u32, ExpressionId)],
    id: Option<ExpressionId>,
) -> Operand {
    let mut values = builder.arguments(item, &[], arguments, ArgumentsWait::No);
    for value in &mut values {
        // The id is evaluated after the arguments and may assign what these were read from.
        *value = builder.settled(*value, id.as_slice());
    }
    let id = id.map_or(Operand::Word(0), |it| builder.expression(it));
    let result = builder.program.view.signature(item).result.clone();
    let join = builder.join(builtin::STRING);
    // In a test a mock stands in for the whole run.
    if builder.program.purpose == Purpose::Test {
        builder.ask_mocks(item, &values, &result, |builder, _| {
            let name = builder.text("mocked");
            builder.deliver(join, name);
        });
    }
    // As JSON, because the run shares no memory with this one.
    let input = builder.named_json(item, &values);
    let name = item.name(builder.program.view.db()).to_string();
    let name = builder.text(&name);
    let parameters = builder.parameters_of(item);
    let parameters = builder.program.types.structure(parameters);
    let function = builder
        .program
        .instance(body_instance(item, BodyPart::Main));
    let result = builder.type_id(&result);
    let arguments = vec![
        Operand::Word(u64::from(function.0)),
        type_word(parameters),
        type_word(result),
        name,
        input,
        id,
    ];
    let run = builder.runtime(builtin::STRING, RuntimeCall::spawn_detached, arguments);
    builder.deliver(join, run);
    builder.joined_value(join)
}

/// `await e` of a task, a list of tasks or a tuple of tasks, and `s.result()` of a stream.
pub fn await_tasks(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    tasks: ExpressionId,
) -> Operand {
    let ty = builder.type_of(id);
    let result = builder.type_id(&ty);
    let tasks_type = builder.type_of(tasks);
    let tasks = builder.expression(tasks);
    if let Type::Task(_) | Type::Stream(_) = tasks_type {
        builder.runtime(result, RuntimeCall::task_await, vec![tasks])
    } else if let Type::List(_) | Type::Tuple(_) = tasks_type {
        let arguments = vec![type_word(result), tasks];
        builder.runtime(result, RuntimeCall::task_await_all, arguments)
    } else {
        builder.unreachable()
    }
}

pub fn race(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    tasks: ExpressionId,
    policy: hir::RacePolicy,
) -> Operand {
    let ty = builder.type_id_of(id);
    let tasks = builder.expression(tasks);
    let policy = match policy {
        hir::RacePolicy::First => RacePolicy::First,
        hir::RacePolicy::Merge => RacePolicy::Merge,
    };
    let policy = Operand::Word(policy as u64);
    builder.runtime(ty, RuntimeCall::task_race, vec![tasks, policy])
}

pub fn parallel_for(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    iterable: ExpressionId,
    limit: Option<ExpressionId>,
    policy: hir::ErrorPolicy,
    body: &Lambda,
) -> Operand {
    let ty = builder.type_id_of(id);
    let items_type = builder.type_of(iterable);
    let items = builder.expression(iterable);
    // The limit is evaluated after the list and may assign the variable that holds it.
    let items = builder.settled(items, limit.as_slice());
    let limit = limit.map_or(Operand::Word(NO_LIMIT.cast_unsigned()), |it| {
        builder.expression(it)
    });
    // As a list of pairs: the runtime walks lists only.
    let items = if let Type::Map(key, value) = &items_type {
        let pair = Type::Tuple([(**key).clone(), (**value).clone()].into());
        let pairs = builder.type_id(&pair.list());
        let arguments = vec![type_word(pairs), items];
        builder.runtime(pairs, RuntimeCall::map_entries, arguments)
    } else {
        items
    };
    let closure = builder.closure(id, 0, body, LambdaUse::Task);
    let arguments = vec![type_word(ty), closure, items, limit, policy_word(policy)];
    builder.runtime(ty, RuntimeCall::parallel_for, arguments)
}

fn policy_word(policy: hir::ErrorPolicy) -> Operand {
    // Two enums, because the numbers of the ABI must not change with the HIR.
    let policy = match policy {
        hir::ErrorPolicy::First => ErrorPolicy::First,
        hir::ErrorPolicy::Settle => ErrorPolicy::Settle,
        hir::ErrorPolicy::Merge => ErrorPolicy::Merge,
    };
    Operand::Word(policy as u64)
}

pub fn parallel(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    branches: &[Lambda],
    policy: hir::ErrorPolicy,
) -> Operand {
    let ty = builder.type_id_of(id);
    let list = builder
        .program
        .types
        .structure(gsw_abi::types::Type::List(builtin::FUNCTION));
    let room = Operand::Word(branches.len() as u64);
    let mut closures = builder.runtime(list, RuntimeCall::list_new, vec![type_word(list), room]);
    for (position, lambda) in (0..).zip(branches) {
        // In one list, so that the runtime starts all of them in one call, in the order of the source.
        let closure = builder.closure(id, position, lambda, LambdaUse::Task);
        closures = builder.runtime(list, RuntimeCall::list_push, vec![closures, closure]);
    }
    builder.runtime(
        ty,
        RuntimeCall::parallel_tuple,
        vec![type_word(ty), closures, policy_word(policy)],
    )
}

impl Emitter<'_, '_> {
    /// The next part of a stream, or `none` where it has ended.
    pub fn stream_next(&mut self, ty: gsw_abi::types::TypeId, stream: LocalId) -> Operand {
        let arguments = vec![type_word(ty), Operand::Local(stream)];
        self.runtime(ty, RuntimeCall::stream_next, arguments)
    }

    /// A task that runs a prompt's function, as a stream of this type.
    pub fn stream_start(
        &mut self,
        ty: gsw_abi::types::TypeId,
        function: gsw_abi::program::FunctionIndex,
        arguments: Vec<Operand>,
    ) -> Operand {
        let frame = self.local(builtin::INT);
        self.emit(Instruction::Frame {
            to: frame,
            function,
            arguments,
        });
        let arguments = vec![type_word(ty), Operand::Local(frame)];
        self.runtime(ty, RuntimeCall::stream_start, arguments)
    }
}
