//! Whether code can wait: which instances become native functions and which state machines.
//!
//! Idea: waiting is not written in source, and code that never waits must not pay for it. So *colour* is an inferred generic
//! argument: each instance is `Plain`, a native function that runs to its end, or `Resumable`, a state machine over a frame on
//! the heap that can be left at every wait. A function that takes functions is compiled once for each colour of its arguments:
//!
//! ```text
//! prices.map(x => x * 2)              // `map` for plain arguments: a native loop
//! files.map(f => find_bugs(f))        // `find_bugs` asks a model: `map` again, resumable
//! ```
//!
//! The checker has solved the declarations (`Waits`, a fixpoint over calls): a body waits always, never, or with its
//! function-typed arguments. What is asked here is local: does *this* expression, in an instance whose arguments do or do not
//! wait, contain a wait? It does when it is one (a prompt, `await`, a step), or calls what waits, or has a part that does.
//!
//! Invariants:
//!
//! - a plain function holds no `Suspend` and calls no resumable function ([`crate::verify`] proves it for the functions that are
//!   known); a function value that it is given is plain, since otherwise it would be another instance;
//! - an answer may err only towards waiting: then an instance is slower than need be, never wrong. A function value whose
//!   origin is not followed (out of a field, a list, a call) therefore waits.
//!
//! Making a closure or a task does not wait; running it may, and that is the concern of its own instance.

use gsw_abi::call::CallKind;
use gsw_analysis::Waits;
use gsw_infer::hir::{Body, Callee, ExpressionId, ExpressionKind, LocalId, LocalKind};
use gsw_names::types::Type;
use gsw_source::{ItemId, ItemKind};

use crate::program_view::ProgramView;
use crate::walk::{inside, let_value};

/// Whether the function values that an instance was given as arguments wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ArgumentsWait {
    No,
    /// Some do, or it is not known.
    Yes,
}

/// Whether calling the function value that `id` evaluates to can wait.
pub fn value_waits(
    view: &dyn ProgramView,
    body: &Body,
    id: ExpressionId,
    arguments: ArgumentsWait,
) -> bool {
    let question = Question {
        view,
        body,
        arguments,
    };
    question.value(id)
}

/// Whether a call of `item` can wait; for intrinsics the table of runtime calls says it.
pub fn item_waits(view: &dyn ProgramView, item: ItemId) -> Waits {
    if let Some(call) = view.signature(item).intrinsic {
        return match call.kind() {
            CallKind::Waiting => Waits::Always,
            CallKind::Plain | CallKind::Raising => Waits::Never,
        };
    }
    match item.kind(view.db()) {
        ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Prompt
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Test => Waits::Always,
        ItemKind::Function | ItemKind::Mcp => view.waits(item),
        ItemKind::Import
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Permissions
        | ItemKind::Invalid => Waits::Never,
    }
}

struct Question<'a> {
    view: &'a dyn ProgramView,
    body: &'a Body,
    arguments: ArgumentsWait,
}

impl Question<'_> {
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn expression(&self, id: ExpressionId) -> bool {
        use ExpressionKind as Kind;
        match &self.body.expression(id).kind {
            // Making a closure or a task does not wait.
            Kind::Lambda(_) | Kind::Spawn(_) | Kind::Undo(_) => false,
            Kind::PromptCall { .. }
            | Kind::Await(_)
            | Kind::Race { .. }
            | Kind::ParallelFor { .. }
            | Kind::Parallel(_)
            | Kind::Step { .. }
            | Kind::Modified { .. } => true,
            Kind::For { iterable, .. } => {
                let iterable = &self.body.expression(*iterable).ty;
                matches!(iterable, Type::Stream(_) | Type::Queue(_)) || self.any_child(id)
            }
            Kind::Call { callee, arguments } => self.call(callee, arguments) || self.any_child(id),
            // These wait where their parts do.
            Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::None
            | Kind::Unit
            | Kind::Duration(_)
            | Kind::String(_)
            | Kind::Local(_)
            | Kind::Constant(_)
            | Kind::FunctionValue { .. }
            | Kind::ConstructorValue { .. }
            | Kind::Record { .. }
            | Kind::Variant { .. }
            | Kind::ErrorValue { .. }
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Tuple(_)
            | Kind::Field { .. }
            | Kind::TupleField { .. }
            | Kind::JsonField { .. }
            | Kind::Index { .. }
            | Kind::Interpolation(_)
            | Kind::Unary { .. }
            | Kind::Binary { .. }
            | Kind::In { .. }
            | Kind::Otherwise { .. }
            | Kind::Chain { .. }
            | Kind::Range { .. }
            | Kind::Coerce { .. }
            | Kind::As(_)
            | Kind::Matches { .. }
            | Kind::If { .. }
            | Kind::Match { .. }
            | Kind::Catch { .. }
            | Kind::Block { .. }
            | Kind::While { .. }
            | Kind::Return(_)
            | Kind::Break
            | Kind::Continue
            | Kind::Fail(_)
            | Kind::Emit(_)
            | Kind::PromptText { .. }
            | Kind::OfferedTool { .. }
            | Kind::SpawnDetached { .. }
            | Kind::Invalid => self.any_child(id),
        }
    }

    fn any_child(&self, id: ExpressionId) -> bool {
        inside(self.body, id)
            .into_iter()
            .any(|it| self.expression(it))
    }

    fn call(&self, callee: &Callee, arguments: &[(u32, ExpressionId)]) -> bool {
        match callee {
            Callee::EnumValues(_) => false,
            Callee::Value(value) => self.value(*value),
            // What waits for a call of an item holds its defaults.
            Callee::Item { item, .. } => match item_waits(self.view, *item) {
                Waits::Always => true,
                Waits::Never => false,
                Waits::WithArguments => arguments.iter().any(|(_, it)| self.argument(*it)),
            },
        }
    }

    fn argument(&self, id: ExpressionId) -> bool {
        matches!(self.body.expression(id).ty, Type::Function(_)) && self.value(id)
    }

    /// Whether calling this function value waits.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn value(&self, id: ExpressionId) -> bool {
        use ExpressionKind as Kind;
        match &self.body.expression(id).kind {
            Kind::Lambda(lambda) => match self.lambda_summary(id) {
                Some(Waits::Always) => true,
                Some(Waits::Never) => false,
                Some(Waits::WithArguments) => self.arguments == ArgumentsWait::Yes,
                None => self.expression(lambda.body),
            },
            Kind::FunctionValue { item, .. } => item_waits(self.view, *item) != Waits::Never,
            Kind::ConstructorValue { .. } => false,
            Kind::Coerce { value, .. } => self.value(*value),
            Kind::If {
                then, otherwise, ..
            } => otherwise.is_none_or(|it| self.value(*then) || self.value(it)),
            Kind::Local(local) => self.local(*local),
            // Where the function comes from is not followed further: it may wait.
            Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::None
            | Kind::Unit
            | Kind::Duration(_)
            | Kind::String(_)
            | Kind::Constant(_)
            | Kind::Record { .. }
            | Kind::Variant { .. }
            | Kind::ErrorValue { .. }
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Tuple(_)
            | Kind::Field { .. }
            | Kind::TupleField { .. }
            | Kind::JsonField { .. }
            | Kind::Index { .. }
            | Kind::Interpolation(_)
            | Kind::Unary { .. }
            | Kind::Binary { .. }
            | Kind::In { .. }
            | Kind::Otherwise { .. }
            | Kind::Chain { .. }
            | Kind::Range { .. }
            | Kind::As(_)
            | Kind::Matches { .. }
            | Kind::Match { .. }
            | Kind::Catch { .. }
            | Kind::Block { .. }
            | Kind::For { .. }
            | Kind::While { .. }
            | Kind::Return(_)
            | Kind::Break
            | Kind::Continue
            | Kind::Fail(_)
            | Kind::Emit(_)
            | Kind::Call { .. }
            | Kind::PromptCall { .. }
            | Kind::PromptText { .. }
            | Kind::OfferedTool { .. }
            | Kind::Spawn(_)
            | Kind::Undo(_)
            | Kind::SpawnDetached { .. }
            | Kind::Await(_)
            | Kind::Race { .. }
            | Kind::ParallelFor { .. }
            | Kind::Parallel(_)
            | Kind::Step { .. }
            | Kind::Modified { .. }
            | Kind::Invalid => true,
        }
    }

    /// Whether calling the function that a local holds waits.
    fn local(&self, local: LocalId) -> bool {
        if self.body.parameters.contains(&local) {
            return self.arguments == ArgumentsWait::Yes;
        }
        match self.body.local(local).kind {
            LocalKind::Let => let_value(self.body, local).is_none_or(|it| self.value(it)),
            LocalKind::Var | LocalKind::State | LocalKind::Parameter => true,
        }
    }

    fn lambda_summary(&self, id: ExpressionId) -> Option<Waits> {
        let Body { item, part, .. } = self.body;
        self.view.lambda_waits(*item, *part, (id, 0))
    }
}
