//! What a debugger sees of a run: the functions that each task is in, and what their names hold.
//!
//! The code of a program for a debugger says when a function begins and ends and what is in scope at each statement. A value that is
//! shown is held here until the next statement of its function, so it is there to be looked at while that calls others.

pub(crate) mod recording;

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_abi::types::{Type, TypeId};
use serde_json::{Map, Value};

use crate::codec;
use crate::debug::{Debugger, Frame, Point, Thread, Variable, What};
use crate::heap::Heap;
use crate::run::{Run, Start, describe};
use crate::task::TaskId;
use crate::value::{self, field, string};

use recording::{Given, Recording};

/// What is known for a debugger.
#[derive(Debug, Default)]
pub(crate) struct Debugging {
    by: Option<Arc<dyn Debugger>>,
    /// How many points there have been.
    points: u64,
    stacks: BTreeMap<TaskId, Vec<Entered>>,
    /// What is in scope at the statement that is about to be reported.
    next: Vec<Shown>,
    /// The error whose raising was reported last.
    raised: u64,
    recording: Option<Recording>,
}

/// A function that has begun.
#[derive(Debug)]
struct Entered {
    function: u32,
    /// The statement, or the declaration before the first one.
    span: u32,
    /// How many statements it has come to.
    statements: u64,
    variables: Vec<Shown>,
}

/// A name and what it holds.
#[derive(Debug)]
struct Shown {
    /// A string of the image, which is always there.
    name: u64,
    ty: TypeId,
    word: u64,
}

impl Debugging {
    pub(crate) fn new(by: Arc<dyn Debugger>, start: Start) -> Self {
        Self {
            by: Some(by),
            recording: Some(Recording::of(start)),
            ..Self::default()
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.by.is_some()
    }

    /// Keeps what the run is given, where a debugger may need it again.
    pub(crate) fn keep(&self, given: impl FnOnce() -> Given) {
        if let Some(recording) = &self.recording {
            recording.give(given());
        }
    }

    /// Keeps with what the run was entered.
    pub(crate) fn keep_entry(&self, workflow: usize, input: &Map<String, Value>) {
        if let Some(recording) = &self.recording {
            recording.enter(workflow, input);
        }
    }

    fn release(heap: &mut Heap, stack: Vec<Entered>) {
        for entered in stack {
            release_all(heap, entered.variables);
        }
    }
}

fn release_all(heap: &mut Heap, variables: Vec<Shown>) {
    for shown in variables {
        heap.release_typed(shown.ty, shown.word);
    }
}

impl Run {
    /// Whether a debugger follows what is executed. What the runtime calls between two tasks, as to read input, is no part of
    /// any.
    fn is_followed(&self) -> bool {
        self.debugging.is_on() && self.scheduler.current() != TaskId::NONE
    }

    /// A function of the current task has begun.
    pub(crate) fn debug_enter(&mut self, function: u32, span: u32) {
        if self.is_followed() {
            let task = self.scheduler.current();
            let stack = self.debugging.stacks.entry(task).or_default();
            stack.push(Entered {
                function,
                span,
                statements: 0,
                variables: Vec::new(),
            });
        }
    }

    /// A name is in scope at the statement that follows; the words are borrowed.
    pub(crate) fn debug_show(&mut self, ty: TypeId, name: u64, word: u64) {
        if self.is_followed() {
            self.heap.retain_typed(ty, word);
            self.debugging.next.push(Shown { name, ty, word });
        }
    }

    /// A statement of the function that was entered last is about to be executed.
    pub(crate) fn debug_statement(&mut self, span: u32) {
        if !self.is_followed() {
            return;
        }
        let variables = std::mem::take(&mut self.debugging.next);
        let task = self.scheduler.current();
        let stack = self.debugging.stacks.get_mut(&task);
        let (before, entered) = match stack.and_then(|it| it.last_mut()) {
            Some(it) => {
                it.span = span;
                it.statements += 1;
                let before = std::mem::replace(&mut it.variables, variables);
                (before, (it.statements == 1).then_some(it.function))
            }
            None => (variables, None),
        };
        release_all(&mut self.heap, before);
        self.debug_point(What::Statement { span, entered });
    }

    /// The function of the current task that was entered last has ended.
    pub(crate) fn debug_leave(&mut self) {
        let task = self.scheduler.current();
        let Some(stack) = self.debugging.stacks.get_mut(&task) else {
            return;
        };
        let left = stack.pop();
        if stack.is_empty() {
            self.debugging.stacks.remove(&task);
        }
        Debugging::release(&mut self.heap, left.into_iter().collect());
    }

    /// A task has no functions any more, however it left them.
    pub(crate) fn debug_task_ended(&mut self, task: TaskId) {
        if let Some(stack) = self.debugging.stacks.remove(&task) {
            Debugging::release(&mut self.heap, stack);
        }
    }

    /// The run ends: nothing is shown any more.
    pub(crate) fn debug_end(&mut self) {
        for stack in std::mem::take(&mut self.debugging.stacks).into_values() {
            Debugging::release(&mut self.heap, stack);
        }
    }

    /// An error has got its first place, or another one.
    pub(crate) fn debug_raised(&mut self, raised: u64) {
        if !self.is_followed() || crate::run::raise::is_unwind(raised) {
            return;
        }
        // An error that is counted knows its places. Of a constant, which knows none, the latest is compared.
        let is_new = match value::owners(raised) {
            Some(_) => value::error::trace(raised).is_empty(),
            None => self.debugging.raised != raised,
        };
        if !is_new {
            return;
        }
        self.debugging.raised = raised;
        let error = value::error::name(&self.heap, raised).to_owned();
        let message = value::error::message(&self.heap, raised);
        self.debug_point(What::Raised {
            error: &error,
            message: &message,
        });
    }

    /// A point: the run is paused until the debugger lets it continue.
    pub(crate) fn debug_point(&mut self, what: What<'_>) {
        let Some(by) = self.debugging.by.clone() else {
            return;
        };
        self.debugging.points += 1;
        let task = self.scheduler.current();
        let point = Point {
            number: self.debugging.points,
            task: task.0,
            depth: self.debug_depth(task.0),
            what,
        };
        by.at(self, &point);
    }

    /// How many functions a task is in.
    #[must_use]
    pub fn debug_depth(&self, task: u32) -> usize {
        let stack = self.debugging.stacks.get(&TaskId(task));
        stack.map_or(0, Vec::len)
    }

    /// How many points there have been.
    #[must_use]
    pub fn debug_points(&self) -> u64 {
        self.debugging.points
    }

    /// The tasks that are in a function.
    #[must_use]
    pub fn debug_threads(&self) -> Vec<Thread> {
        let tree = self.progress.tree();
        let named = self.debugging.stacks.keys().map(|&task| {
            let node = self.scheduler.get(task).map(|it| it.node);
            let path = node.map(|it| tree.path(it)).unwrap_or_default();
            Thread {
                task: task.0,
                name: path.to_string(),
            }
        });
        named.collect()
    }

    /// The functions that a task is in, the innermost first.
    #[must_use]
    pub fn debug_frames(&self, task: u32) -> Vec<Frame> {
        let stack = self.debugging.stacks.get(&TaskId(task));
        let program = &self.loaded.program;
        let frames = stack.into_iter().flatten().rev().map(|it| Frame {
            function: program.functions[it.function as usize].name.clone(),
            place: describe::place(program, it.span),
        });
        frames.collect()
    }

    /// What is in scope in a function of a task, counted from the innermost.
    #[must_use]
    pub fn debug_variables(&self, task: u32, frame: usize) -> Vec<Variable> {
        let stack = self.debugging.stacks.get(&TaskId(task));
        let entered = stack.and_then(|it| it.iter().rev().nth(frame));
        let shown = entered.into_iter().flat_map(|it| &it.variables);
        let variables = shown.map(|it| Variable {
            name: string::text(it.name).to_owned(),
            ty: codec::type_name(&self.loaded.types, it.ty),
            json: self.debug_json(it.ty, it.word),
        });
        variables.collect()
    }

    fn debug_json(&self, ty: TypeId, word: u64) -> String {
        match self.loaded.types.get(ty) {
            // While its value is being changed a cell is empty.
            Type::Cell(of) if self.heap.is_reference(*of) && field(word, 0) == 0 => {
                "null".to_owned()
            }
            Type::Cell(of) => codec::encode_redacted(&self.heap, *of, field(word, 0)),
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Error
            | Type::Literals(_)
            | Type::Optional(_)
            | Type::List(_)
            | Type::Map { .. }
            | Type::Set { .. }
            | Type::Tuple(_)
            | Type::Record(_)
            | Type::Enum(_)
            | Type::ErrorKind(_)
            | Type::Checked { .. }
            | Type::Closure(_)
            | Type::Function
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => codec::encode_redacted(&self.heap, ty, word),
        }
    }

    /// What the run was begun with and given so far, where a debugger follows it; it grows with the run.
    #[must_use]
    pub fn recording(&self) -> Option<Recording> {
        self.debugging.recording.clone()
    }

    /// Ends the run at its next loop or call, because its debugger has gone.
    pub fn give_up(&self) {
        self.front.interrupt(gsw_abi::layout::stop::KILL);
    }
}
