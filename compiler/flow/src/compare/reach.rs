//! Facts of one version: what it can still ask for from a place on, and what can raise.

use std::collections::{HashSet, VecDeque};

use gsw_abi::call::{CallKind, NodeKind, RuntimeCall};
use gsw_abi::program::{Colour, FunctionIndex};
use gsw_abi::setting::CallPart;

use crate::compare::item::{Calls, Cursor, Item, RuntimeCalled, item, text_of};
use crate::compare::names::{SharedNames, entered, named_at};
use crate::compare::running::Running;
use crate::compare::touched::Touched;
use crate::ir::{Constant, Function, Instruction, Module, Operand, Terminator};

/// One of the two versions.
pub(super) struct Side<'a> {
    pub(super) module: &'a Module,
    /// Whether a function can ask for an operation, by index.
    asks: Vec<bool>,
    /// Whether a function can end with an error, by index.
    raises: Vec<bool>,
    /// Whether a function can leave tasks of the node around it running, by index.
    leaves_tasks: Vec<bool>,
    /// Whether any function that is a value can.
    pub(super) values_leave_tasks: bool,
    /// What a function changes that others see, by index.
    touched: Vec<Touched>,
    /// What functions that are values change.
    pub(super) touched_by_values: Touched,
    /// The parameter of a prompt's function that the agent of a call is given as, by index.
    agent_parameters: Vec<Option<usize>>,
    pub(super) names: &'a SharedNames,
}

/// Calls that name a prompt by its index.
const PROMPTED: [(RuntimeCall, &str); 5] = [
    (RuntimeCall::prompt_run, "prompt"),
    (RuntimeCall::prompt_detail, "prompt"),
    (RuntimeCall::prompt_stream, "prompt"),
    (RuntimeCall::human_ask, "human"),
    (RuntimeCall::external_ask, "external"),
];

/// Calls whose names say little to authors of programs.
const WORDED: [(RuntimeCall, &str); 5] = [
    (RuntimeCall::timeout_enter, "a time limit"),
    (RuntimeCall::budget_enter, "a budget"),
    (RuntimeCall::retry_wait, "the wait before another attempt"),
    (RuntimeCall::reflect_wait, "a reflection"),
    (RuntimeCall::spawn_detached, "`spawn detached`"),
];

/// Whether a runtime call asks for an operation, which has an outcome that is recorded. Waits inside of the run ask for none.
pub(super) fn is_operation(call: RuntimeCall) -> bool {
    match call.kind() {
        CallKind::Waiting => !matches!(
            call,
            RuntimeCall::node_join
                | RuntimeCall::node_abort
                | RuntimeCall::undo_all
                | RuntimeCall::task_await
                | RuntimeCall::task_await_all
                | RuntimeCall::task_race
                | RuntimeCall::queue_push
                | RuntimeCall::queue_pop
                | RuntimeCall::parallel_for
                | RuntimeCall::parallel_tuple
                | RuntimeCall::tool_begin
        ),
        // Time limits are operations, too.
        CallKind::Plain | CallKind::Raising => matches!(
            call,
            RuntimeCall::timeout_enter
                | RuntimeCall::budget_enter
                | RuntimeCall::workflow_start
                | RuntimeCall::spawn_request
                | RuntimeCall::spawn_requested
                | RuntimeCall::skill_read
        ),
    }
}

impl<'a> Side<'a> {
    pub(super) fn new(module: &'a Module, names: &'a SharedNames) -> Self {
        let count = module.functions.len();
        let agent = |it: &Function| agent_parameter(module, it);
        let mut side = Self {
            module,
            asks: vec![false; count],
            raises: vec![false; count],
            leaves_tasks: vec![false; count],
            values_leave_tasks: false,
            touched: vec![Touched::default(); count],
            touched_by_values: Touched::default(),
            agent_parameters: module.functions.iter().map(agent).collect(),
            names,
        };
        // All only grow, so this ends; callees come in any order.
        while side.learn() {}
        // These rest on what asks.
        while side.learn_of_tasks() {}
        side
    }

    /// Whether anything new was found out.
    fn learn(&mut self) -> bool {
        let mut is_news = false;
        let start = Cursor { block: 0, index: 0 };
        for (index, function) in self.module.functions.iter().enumerate() {
            if !self.asks[index] && self.can_ask(function) {
                self.asks[index] = true;
                is_news = true;
            }
            if !self.raises[index] && self.can_raise(function) {
                self.raises[index] = true;
                is_news = true;
            }
            let touched = self.touched_from(function, start);
            if self.touched[index] != touched {
                self.touched[index] = touched;
                is_news = true;
            }
        }
        let of_values = self.values().into_iter().map(|it| self.touched(it));
        self.touched_by_values = of_values.fold(Touched::default(), Touched::and);
        is_news
    }

    fn learn_of_tasks(&mut self) -> bool {
        let mut is_news = false;
        for (index, function) in self.module.functions.iter().enumerate() {
            if !self.leaves_tasks[index] && Running::of(self, function).are_left(self, function) {
                self.leaves_tasks[index] = true;
                is_news = true;
            }
        }
        let values = self.values();
        self.values_leave_tasks = values.into_iter().any(|it| self.leaves_tasks(it));
        is_news
    }

    /// The functions that function values are of.
    fn values(&self) -> Vec<FunctionIndex> {
        let constants = self.module.constants.iter().filter_map(|it| match it {
            Constant::Closure { function, .. } => Some(*function),
            Constant::String { .. }
            | Constant::Header { .. }
            | Constant::Word { .. }
            | Constant::List { .. } => None,
        });
        let blocks = self.module.functions.iter().flat_map(|it| &it.blocks);
        let instructions = blocks.flat_map(|it| &it.instructions);
        let made = instructions.filter_map(|it| {
            if let Instruction::Closure { function, .. } = it {
                return Some(*function);
            }
            None
        });
        constants.chain(made).collect()
    }

    pub(super) fn function(&self, index: FunctionIndex) -> &'a Function {
        &self.module.functions[index.0 as usize]
    }

    pub(super) fn asks(&self, index: FunctionIndex) -> bool {
        self.asks[index.0 as usize]
    }

    pub(super) fn raises(&self, index: FunctionIndex) -> bool {
        self.raises[index.0 as usize]
    }

    pub(super) fn leaves_tasks(&self, index: FunctionIndex) -> bool {
        self.leaves_tasks[index.0 as usize]
    }

    pub(super) fn agent_parameter(&self, index: FunctionIndex) -> Option<usize> {
        self.agent_parameters[index.0 as usize]
    }

    pub(super) fn touched(&self, index: FunctionIndex) -> Touched {
        self.touched[index.0 as usize]
    }

    fn can_ask(&self, function: &Function) -> bool {
        places(function).any(|at| self.operation_at(function, at).is_some())
    }

    fn can_raise(&self, function: &Function) -> bool {
        let mut seen = HashSet::new();
        let mut left = vec![0_usize];
        while let Some(block) = left.pop() {
            if !seen.insert(block) {
                continue;
            }
            let terminator = &function.blocks[block].terminator;
            if matches!(terminator, Terminator::Raise(_)) {
                return true;
            }
            left.extend(self.successors(terminator));
        }
        false
    }

    /// Whether an item can raise, as far as this side knows.
    pub(super) fn item_raises(&self, item: &Item<'_>) -> bool {
        match item {
            Item::Instruction(_) => false,
            Item::Terminator(it) => match it {
                Terminator::Call { function, .. } => self.raises[function.0 as usize],
                Terminator::Checked { .. }
                | Terminator::Fault { .. }
                | Terminator::CallValue { .. }
                | Terminator::Runtime { .. }
                | Terminator::Suspend { .. }
                | Terminator::Raise(_) => true,
                // That a run is to stop is no difference between versions.
                Terminator::Loop { .. }
                | Terminator::Jump(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::Return(_)
                | Terminator::Unreachable => false,
            },
        }
    }

    /// The blocks that can come next.
    pub(super) fn successors(&self, terminator: &Terminator) -> Vec<usize> {
        let item = Item::Terminator(terminator);
        let mut next: Vec<usize> = match terminator {
            Terminator::Branch {
                then, otherwise, ..
            } => vec![then.0 as usize, otherwise.0 as usize],
            Terminator::Switch { cases, default, .. } => {
                let cases = cases.iter().map(|(_, block)| block.0 as usize);
                cases.chain([default.0 as usize]).collect()
            }
            Terminator::Jump(_)
            | Terminator::Loop { .. }
            | Terminator::Return(_)
            | Terminator::Raise(_)
            | Terminator::Checked { .. }
            | Terminator::Fault { .. }
            | Terminator::Call { .. }
            | Terminator::CallValue { .. }
            | Terminator::Runtime { .. }
            | Terminator::Suspend { .. }
            | Terminator::Unreachable => {
                let nowhere = Cursor { block: 0, index: 0 };
                item.follows(nowhere)
                    .map(|it| it.block)
                    .into_iter()
                    .collect()
            }
        };
        if let (Some(handler), true) = (item.handler(), self.item_raises(&item)) {
            next.push(handler.block.0 as usize);
        }
        next
    }

    /// What is asked for at a place, as text.
    pub(super) fn operation_at(&self, function: &Function, at: Cursor) -> Option<String> {
        if let Some(node) = entered(self.module, function, at)
            && self.names.has(&node)
        {
            let kind = node.kind.name();
            return Some(match node.name {
                Some(name) if !name.is_empty() => format!("{kind} `{name}`"),
                Some(_) => format!("{kind} without a name"),
                None => format!("{kind} of a name that is computed"),
            });
        }
        match item(function, at).calls(self.module) {
            Calls::Function(it) | Calls::Later(it) => self.asked_by(it),
            Calls::Value => (function.colour == Colour::Resumable)
                .then(|| "what a function value asks for".to_owned()),
            Calls::Runtime(RuntimeCalled {
                call, arguments, ..
            }) => is_operation(call).then(|| self.name_of(call, arguments)),
            Calls::Nothing => None,
        }
    }

    /// What a function asks for first, if anything.
    fn asked_by(&self, function: FunctionIndex) -> Option<String> {
        if !self.asks(function) {
            return None;
        }
        let name = &self.module.program.functions.get(function.0 as usize)?.name;
        let short = name.rsplit('.').next().unwrap_or(name);
        Some(match short.strip_suffix(" lambda") {
            Some(around) => format!("what a function in `{around}` asks for"),
            None => format!("`{short}`"),
        })
    }

    /// A runtime call as people know it.
    pub(super) fn name_of(&self, call: RuntimeCall, arguments: &[Operand]) -> String {
        let prompt = || {
            let Some(Operand::Word(index)) = arguments.get(1) else {
                return None;
            };
            let prompts = &self.module.program.prompts;
            Some(prompts.get(usize::try_from(*index).ok()?)?.name.clone())
        };
        let known = match PROMPTED.iter().find(|(it, _)| *it == call) {
            Some((_, kind)) => prompt().map(|it| format!("{kind} `{it}`")),
            None => {
                let worded = WORDED.iter().find(|(it, _)| *it == call);
                worded.map(|(_, words)| (*words).to_owned())
            }
        };
        known.unwrap_or_else(|| {
            let name = call.name();
            let module = ["fs", "env", "exec", "http"].into_iter();
            let mut of = module.filter_map(|it| {
                name.strip_prefix(it)?
                    .strip_prefix('_')
                    .map(|rest| (it, rest))
            });
            match of.next() {
                Some((module, rest)) => format!("`{module}.{rest}`"),
                None => format!("`{}`", name.replace('_', " ")),
            }
        })
    }

    /// What is asked for first from a place on, as text; with the step that it is in, where that begins on the way.
    pub(super) fn first_operation(&self, function: &Function, from: Cursor) -> Option<String> {
        let mut seen = HashSet::new();
        let mut left = VecDeque::from([(from, None::<String>)]);
        while let Some((mut at, mut step)) = left.pop_front() {
            if at.index == 0 && !seen.insert(at.block) {
                continue;
            }
            loop {
                if let Some(operation) = self.operation_at(function, at) {
                    return Some(match step {
                        Some(step) => format!("{operation} in step `{step}`"),
                        None => operation,
                    });
                }
                if let Some(name) = self.step_at(function, at) {
                    step = Some(name);
                }
                match item(function, at) {
                    Item::Instruction(_) => at = at.next(),
                    Item::Terminator(it) => {
                        let next = self.successors(it).into_iter();
                        left.extend(next.map(|block| (Cursor { block, index: 0 }, step.clone())));
                        break;
                    }
                }
            }
        }
        None
    }

    /// The places that come next from one on, that one first.
    pub(super) fn reachable(&self, function: &Function, from: Cursor) -> Vec<Cursor> {
        let mut seen = HashSet::new();
        let mut left = vec![from];
        let mut places = Vec::new();
        while let Some(mut at) = left.pop() {
            if at.index == 0 && !seen.insert(at.block) {
                continue;
            }
            while let Item::Instruction(_) = item(function, at) {
                places.push(at);
                at = at.next();
            }
            places.push(at);
            let next = self.successors(&function.blocks[at.block].terminator);
            left.extend(next.into_iter().map(|block| Cursor { block, index: 0 }));
        }
        places
    }

    /// The name of the step that begins at a place, where it is a constant.
    fn step_at(&self, function: &Function, at: Cursor) -> Option<String> {
        let (kind, name) = named_at(function, at)?;
        let is_step = kind == NodeKind::Step;
        let text = is_step.then(|| text_of(self.module, function, at, name));
        text.flatten().map(str::to_owned)
    }
}

/// The parameter that becomes the agent in the settings of a call.
fn agent_parameter(module: &Module, function: &Function) -> Option<usize> {
    let runs_prompt = function.blocks.iter().any(|it| {
        matches!(
            it.terminator,
            Terminator::Suspend {
                call: RuntimeCall::prompt_run
                    | RuntimeCall::prompt_detail
                    | RuntimeCall::prompt_stream,
                ..
            }
        )
    });
    if !runs_prompt {
        return None;
    }
    let settings = places(function).filter_map(|at| {
        let Item::Instruction(Instruction::Runtime {
            call: RuntimeCall::map_insert,
            arguments,
            ..
        }) = item(function, at)
        else {
            return None;
        };
        let [_, key, Operand::Local(value)] = &arguments[..] else {
            return None;
        };
        let is_agent = text_of(module, function, at, key) == Some(CallPart::Agent.key());
        (is_agent && value.0 < function.parameters).then_some(value.0 as usize)
    });
    // After the arguments, of which one may have the same name.
    settings.last()
}

/// All places of a function.
pub(super) fn places(function: &Function) -> impl Iterator<Item = Cursor> + '_ {
    let blocks = function.blocks.iter().enumerate();
    blocks.flat_map(|(block, it)| {
        (0..=it.instructions.len()).map(move |index| Cursor { block, index })
    })
}
