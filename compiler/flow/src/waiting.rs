//! Whether code can wait: which instances become native functions and which state machines.

use gsw_abi::call::{CallKind, RuntimeCall};
use gsw_semantics::hir::{Body, Callee, ExpressionId, ExpressionKind, LocalKind};
use gsw_semantics::model::Waits;
use gsw_semantics::types::Type;
use gsw_source::{ItemId, ItemKind};

use crate::program_view::ProgramView;
use crate::walk::{inside, let_value};

/// Whether the function values that an instance was given as arguments wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ArgumentsWait {
    /// None of them does.
    No,
    /// Some do, or it is not known.
    Yes,
}

/// Whether evaluating `root` in an instance of `body` can wait.
pub fn expression_waits(
    view: &dyn ProgramView,
    body: &Body,
    root: ExpressionId,
    arguments: ArgumentsWait,
) -> bool {
    let question = Question {
        view,
        body,
        arguments,
    };
    question.expression(root)
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

/// Whether a call of `item` can wait; for intrinsics the table of runtime calls tells.
pub fn item_waits(view: &dyn ProgramView, item: ItemId) -> Waits {
    if let Some(intrinsic) = &view.signature(item).intrinsic {
        let call = RuntimeCall::named(intrinsic);
        return match call.map(RuntimeCall::kind) {
            Some(CallKind::Waiting) => Waits::Always,
            _ => Waits::Never,
        };
    }
    match item.kind(view.db()) {
        ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Prompt
        | ItemKind::Human
        | ItemKind::Test => Waits::Always,
        ItemKind::Function => view.waits(item),
        _ => Waits::Never,
    }
}

struct Question<'a> {
    view: &'a dyn ProgramView,
    body: &'a Body,
    arguments: ArgumentsWait,
}

impl Question<'_> {
    fn expression(&self, id: ExpressionId) -> bool {
        use ExpressionKind as Kind;
        match &self.body.expression(id).kind {
            // Making a closure or a task does not wait.
            Kind::Lambda(_) | Kind::Spawn(_) => false,
            Kind::PromptCall { .. }
            | Kind::Await(_)
            | Kind::Race(_)
            | Kind::ParallelFor { .. }
            | Kind::Parallel(_)
            | Kind::Step { .. }
            | Kind::Modified { .. } => true,
            Kind::For { iterable, .. }
                if matches!(self.body.expression(*iterable).ty, Type::Stream(_)) =>
            {
                true
            }
            Kind::Call { callee, arguments } => self.call(callee, arguments) || self.any_child(id),
            _ => self.any_child(id),
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
                then,
                otherwise: Some(otherwise),
                ..
            } => self.value(*then) || self.value(*otherwise),
            Kind::Local(local) if self.body.parameters.contains(local) => {
                self.arguments == ArgumentsWait::Yes
            }
            Kind::Local(local) if self.body.local(*local).kind == LocalKind::Let => {
                let_value(self.body, *local).is_none_or(|it| self.value(it))
            }
            _ => true,
        }
    }

    fn lambda_summary(&self, id: ExpressionId) -> Option<Waits> {
        let Body { item, part, .. } = self.body;
        self.view.lambda_waits(*item, *part, (id, 0))
    }
}
