//! What evaluating an expression does besides having a value, and what its value depends on: whether it may be evaluated at another
//! time, more often, or not at all.
//!
//! Every answer is careful: what is not known to be harmless acts.

use std::collections::HashSet;

use gsw_abi::call::CallKind;
use gsw_analysis::{Acts, Waits, item_summary};
use gsw_infer::hir::{
    Body, Callee, Coercion, Expression, ExpressionKind, LocalKind, OperatorClass, Statement,
    StatementKind, UnaryOperator,
};
use gsw_infer::{Reference, infer_item};
use gsw_names::types::{EffectSet, Type};
use gsw_names::{find_held, is_std, item_signature, module_path};
use gsw_source::{Db, ItemId, ItemKind, Span};

/// The strongest effect of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Deed {
    /// It only computes its value.
    Nothing,
    /// It may end in an error or a fault instead.
    MayRaise,
    /// It does something that others see, or its value depends on what others do.
    Acts,
}

/// What variables an expression reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reads {
    /// Only what never changes.
    Constants,
    /// Some `var` or `state`.
    Variables,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nature {
    pub does: Deed,
    pub reads: Reads,
}

impl Nature {
    /// Whether it gives the same value whenever it is evaluated, and it makes no difference when and how often it is.
    pub fn is_steady(self) -> bool {
        self.does == Deed::Nothing && self.reads == Reads::Constants
    }

    /// Whether it makes no difference which of the two is evaluated first.
    pub fn commutes(self, other: Self) -> bool {
        match (self.does, other.does) {
            (Deed::Nothing, Deed::Nothing | Deed::MayRaise) | (Deed::MayRaise, Deed::Nothing) => {
                true
            }
            (Deed::Nothing, Deed::Acts) => self.is_steady(),
            (Deed::Acts, Deed::Nothing) => other.is_steady(),
            (Deed::MayRaise, Deed::MayRaise | Deed::Acts)
            | (Deed::Acts, Deed::MayRaise | Deed::Acts) => false,
        }
    }
}

/// The nature of all that is evaluated in `span` of `item`, the lambdas in it as if they were called; `None` where nothing is.
pub fn nature(db: &dyn Db, item: ItemId, span: Span) -> Option<Nature> {
    let mut found: Option<Nature> = None;
    for body in &infer_item(db, item).bodies {
        let inside = |it: &&Expression| span.holds(it.span);
        for expression in body.expressions.iter().filter(inside) {
            let does = deed(db, expression).max(held(db, expression));
            let reads = reads(body, expression);
            let whole = found.get_or_insert(Nature { does, reads });
            whole.does = whole.does.max(does);
            whole.reads = whole.reads.max(reads);
        }
    }
    found
}

fn reads(body: &Body, expression: &Expression) -> Reads {
    if let ExpressionKind::Local(local) = &expression.kind {
        return match body.local(*local).kind {
            LocalKind::Var | LocalKind::State => Reads::Variables,
            LocalKind::Let | LocalKind::Parameter => Reads::Constants,
        };
    }
    Reads::Constants
}

/// What holding such a value makes of an expression: queues, sessions and tasks change while they are held, and it is unknown what
/// a function that comes from elsewhere does when it is called.
fn held(db: &dyn Db, expression: &Expression) -> Deed {
    let comes_from_elsewhere = matches!(
        expression.kind,
        ExpressionKind::Local(_) | ExpressionKind::Constant(_) | ExpressionKind::Call { .. }
    );
    let is_found = |it: &Type| {
        let changes = changes(it) || (comes_from_elsewhere && matches!(it, Type::Function(_)));
        changes.then_some(())
    };
    match find_held(db, &expression.ty, Some(()), is_found) {
        Some(()) => Deed::Acts,
        None => Deed::Nothing,
    }
}

/// Whether values of this type are more than what they are equal to.
pub fn changes(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Queue(_) | Type::Session | Type::Task(_) | Type::Stream(_)
    )
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn deed(db: &dyn Db, expression: &Expression) -> Deed {
    use ExpressionKind as Kind;
    match &expression.kind {
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_)
        | Kind::ConstructorValue { .. }
        | Kind::Lambda(_)
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Tuple(_)
        | Kind::Field { .. }
        | Kind::TupleField { .. }
        | Kind::Interpolation(_)
        | Kind::In { .. }
        | Kind::Otherwise { .. }
        | Kind::Chain { .. }
        | Kind::If { .. }
        | Kind::Matches { .. }
        | Kind::Match { .. } => Deed::Nothing,
        Kind::JsonField { .. } | Kind::Index { .. } | Kind::As(_) | Kind::Range { .. } => {
            Deed::MayRaise
        }
        Kind::Unary { operator, .. } => match operator {
            UnaryOperator::Negate => Deed::MayRaise,
            UnaryOperator::Not => Deed::Nothing,
        },
        Kind::Binary { operator, .. } => match operator.class() {
            OperatorClass::Logic(_) | OperatorClass::Equality(_) | OperatorClass::Order(_) => {
                Deed::Nothing
            }
            OperatorClass::Arithmetic(_) => Deed::MayRaise,
        },
        Kind::Coerce { coercion, .. } => match coercion {
            Coercion::ToOptional
            | Coercion::ToJson
            | Coercion::ToArgument
            | Coercion::ToSecret
            | Coercion::Widen
            | Coercion::FromNever => Deed::Nothing,
            Coercion::Check => Deed::MayRaise,
        },
        // Defaults and checks are code of the declaration.
        Kind::Record { item, .. } | Kind::Variant { item, .. } | Kind::ErrorValue { item, .. } => {
            match infer_item(db, *item).bodies.is_empty() {
                true => Deed::Nothing,
                false => call(db, *item),
            }
        }
        Kind::FunctionValue { item, .. } => call(db, *item),
        Kind::Call { callee, .. } => match callee {
            Callee::Item { item, .. } => call(db, *item),
            Callee::Value(_) => Deed::Acts,
            Callee::EnumValues(_) => Deed::Nothing,
        },
        Kind::Block { statements, .. } => {
            let deeds = statements.iter().map(statement);
            deeds.max().unwrap_or(Deed::Nothing)
        }
        Kind::Catch { .. }
        | Kind::For { .. }
        | Kind::While { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::PromptCall { .. }
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::Spawn(_)
        | Kind::Undo(_)
        | Kind::SpawnDetached { .. }
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::ParallelFor { .. }
        | Kind::Parallel { .. }
        | Kind::Step { .. }
        | Kind::Modified { .. }
        | Kind::Invalid => Deed::Acts,
    }
}

const fn statement(it: &Statement) -> Deed {
    match it.kind {
        StatementKind::Let { .. } | StatementKind::Expression(_) => Deed::Nothing,
        StatementKind::Var { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::AssertFails { .. }
        | StatementKind::AssertSnapshot { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. } => Deed::Acts,
    }
}

/// What calling a declaration does, its function arguments apart.
fn call(db: &dyn Db, item: ItemId) -> Deed {
    let summary = &item_summary(db, item).item;
    let is_quiet = summary.effects == EffectSet::default()
        && summary.acts != Acts::Outside
        && summary.waits != Waits::Always
        && !summary.errors.open;
    if !is_quiet || asks_the_run(db, item, &mut HashSet::new()) {
        return Deed::Acts;
    }
    let intrinsic = item_signature(db, item).signature.intrinsic;
    match intrinsic.map(|it| it.kind()) {
        Some(CallKind::Plain) if summary.errors.is_empty() => Deed::Nothing,
        Some(CallKind::Plain | CallKind::Raising | CallKind::Waiting) | None => Deed::MayRaise,
    }
}

/// The modules of the library whose calls of the runtime work on their arguments and on nothing else.
const ABOUT_DATA: &[&str] = &[
    "bytes", "csv", "duration", "error", "float", "int", "json", "list", "map", "math", "optional",
    "regex", "set", "string", "text", "time", "value",
];

/// Whether calling `item` leads to a call of the runtime that is about more than its arguments, or to a value that changes.
fn asks_the_run(db: &dyn Db, item: ItemId, seen: &mut HashSet<ItemId>) -> bool {
    if !seen.insert(item) {
        return false;
    }
    if item_signature(db, item).signature.intrinsic.is_some() {
        let module = module_path(db, item.file(db)).unwrap_or_default();
        let name = module.strip_prefix("std/");
        return !(is_std(db, item.file(db)) && name.is_some_and(|it| ABOUT_DATA.contains(&it)));
    }
    let inferred = infer_item(db, item);
    let mut types = inferred.bodies.iter().flat_map(|it| &it.expressions);
    let holds_what_changes = |it: &Expression| {
        let found = |ty: &Type| changes(ty).then_some(());
        find_held(db, &it.ty, Some(()), found).is_some()
    };
    if types.any(holds_what_changes) {
        return true;
    }
    let mut references = inferred.references.iter();
    references.any(|(_, reference)| match reference {
        Reference::Item(it) if is_code(it.kind(db)) => asks_the_run(db, *it, seen),
        Reference::Item(_)
        | Reference::Local { .. }
        | Reference::Variant { .. }
        | Reference::Field { .. }
        | Reference::Module(_) => false,
    })
}

const fn is_code(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => true,
        ItemKind::Import
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => false,
    }
}
