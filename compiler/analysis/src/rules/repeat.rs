//! How tools may be repeated, and `once` calls where code may run again.

use std::collections::VecDeque;

use gsw_infer::hir::{Body, BodyPart, Callee, ExpressionId, ExpressionKind, LocalId, Modifiers};
use gsw_infer::{Child, children, infer_item};
use gsw_names::types::{Effect, EffectSet, Type};
use gsw_names::{declared_name, find_held, is_std};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place, Span};
use gsw_syntax::ModifierName;
use gsw_syntax::{ast, item_ast};
use rustc_hash::FxHashSet;

use crate::errors::{self, Said};
use crate::named_lambda::named_lambdas;
use crate::summary::item_summary;

/// How a tool may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RepeatClass {
    Pure,
    /// It only reads the outside.
    Reads,
    /// A second call with the same key gives the first result.
    Idempotent,
    Once,
}

impl RepeatClass {
    /// The word of the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Reads => "reads",
            Self::Idempotent => "idempotent",
            Self::Once => "once",
        }
    }
}

/// The class of the tool `item`: as written, else derived from its effects and by the tools that it calls.
pub fn repeat_class(db: &dyn Db, item: ItemId) -> RepeatClass {
    written_class(db, item).unwrap_or_else(|| match once_tool(db, item) {
        Some(_) => RepeatClass::Once,
        None => class_of_effects(db, item),
    })
}

/// What a tool is said to be.
pub(crate) fn written_class(db: &dyn Db, item: ItemId) -> Option<RepeatClass> {
    let tree = item_ast(db, item);
    let Some(ast::ItemBody::Tool { signature, .. }) = tree.as_deref().map(|it| &it.body) else {
        return None;
    };
    Some(match signature.repeat.as_ref()? {
        ast::RepeatClass::Pure(_) => RepeatClass::Pure,
        ast::RepeatClass::Reads(_) => RepeatClass::Reads,
        ast::RepeatClass::Idempotent(_) => RepeatClass::Idempotent,
        ast::RepeatClass::Once(_) => RepeatClass::Once,
    })
}

/// What the effects of a tool say. A `const` queue or session outlives the call, so what happens to it happens again, too.
fn class_of_effects(db: &dyn Db, item: ItemId) -> RepeatClass {
    const READS: EffectSet = EffectSet(
        Effect::FsRead as u16 | Effect::Env as u16 | Effect::Time as u16 | Effect::Random as u16,
    );
    let effects = item_summary(db, item).item.effects;
    if item.kind(db) == ItemKind::Tool && shares_queue(db, item) {
        RepeatClass::Once
    } else if effects == EffectSet::default() {
        RepeatClass::Pure
    } else if effects.union(READS) == READS {
        RepeatClass::Reads
    } else {
        RepeatClass::Once
    }
}

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    let head = (body.part == BodyPart::Main).then(|| &infer_item(db, body.item).modifiers);
    let own = retry_of_once(db, body);
    // What repeats a tool that is `once` itself is said of the tool, not of each call in it.
    let region = head.filter(|_| own.is_none()).and_then(region_of);
    found.extend(own);
    if region.is_none() && !body.has(|it| region_inside(it).is_some()) {
        return;
    }
    let mut visit = Visit {
        db,
        body,
        lambdas: named_lambdas(body)
            .into_iter()
            .map(|(local, lambda)| (local, lambda.body))
            .collect(),
        open: Vec::new(),
        named_at: None,
        found,
    };
    visit.expression(body.root, region);
}

/// A `retry` in the head of a tool that may run only once for what it says or does itself.
fn retry_of_once(db: &dyn Db, body: &Body) -> Option<Diagnostic> {
    let item = body.item;
    if body.part != BodyPart::Main || item.kind(db) != ItemKind::Tool {
        return None;
    }
    let tree = item_ast(db, item)?;
    let ast::ItemBody::Tool { signature, .. } = &tree.body else {
        return None;
    };
    let is_retry = |it: &&ast::Modifier| it.kind.name() == ModifierName::Retry;
    let retry = signature.modifiers.iter().find(is_retry)?;
    let (tool, None) = once_tool(db, item)? else {
        return None;
    };
    let place = Place::Item {
        item,
        span: retry.span,
    };
    Some(errors::retries_once_tool(
        place,
        tool.name(db),
        match written_class(db, item) {
            Some(_) => Said::Written,
            None => Said::Inferred,
        },
    ))
}

/// A walk over a body that knows what makes the code around run again.
struct Visit<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    /// The lambdas that variables stand for.
    lambdas: Vec<(LocalId, ExpressionId)>,
    /// The variables whose lambdas are being looked into.
    open: Vec<LocalId>,
    /// Where the first of these is named.
    named_at: Option<Span>,
    found: &'a mut Vec<Diagnostic>,
}

impl Visit<'_> {
    /// `region` is the word that makes the code around run again.
    fn expression(&mut self, id: ExpressionId, region: Option<&'static str>) {
        let body = self.body;
        let expression = body.expression(id);
        let inner_region = region_inside(&expression.kind).or(region);
        if let Some(word) = region {
            self.mention(&expression.kind, word, expression.span);
        }
        for child in children(&expression.kind) {
            let inner = match child {
                Child::Inline(inner) => inner,
                Child::Closure(lambda, _) => lambda.body,
            };
            // An attempt that reaches an `undo` registers it, and it runs once for that.
            let is_undo = matches!(expression.kind, ExpressionKind::Undo(_));
            let inner_region = inner_region.filter(|_| !is_undo);
            self.expression(inner, inner_region);
        }
    }

    /// What is called or passed on here in code that `word` makes run again.
    fn mention(&mut self, kind: &ExpressionKind, word: &'static str, span: Span) {
        if let Some(item) = called_item(kind)
            && let Some((tool, way)) = once_tool(self.db, item)
        {
            let place = self.body.place(self.named_at.unwrap_or(span));
            let report = report(self.db, place, tool, way, word);
            // The lambda of a variable may be met several times.
            if !self.found.contains(&report) {
                self.found.push(report);
            }
        }
        if let ExpressionKind::Local(local) = kind
            && !self.open.contains(local)
        {
            let named = self.lambdas.iter().find(|it| it.0 == *local);
            if let Some((_, lambda)) = named.copied() {
                let outer = self.named_at;
                self.named_at = Some(outer.unwrap_or(span));
                self.open.push(*local);
                self.expression(lambda, Some(word));
                self.open.pop();
                self.named_at = outer;
            }
        }
    }
}

/// The `once` tool that calling `item` runs, itself or by way of other functions, and the first of these.
fn once_tool(db: &dyn Db, item: ItemId) -> Option<(ItemId, Option<ItemId>)> {
    let mut seen = FxHashSet::from_iter([item]);
    let mut waiting = VecDeque::from([item]);
    while let Some(it) = waiting.pop_front() {
        let written = written_class(db, it);
        let is_once = |it| written.unwrap_or_else(|| class_of_effects(db, it)) == RepeatClass::Once;
        match it.kind(db) {
            ItemKind::Tool if is_once(it) => {
                return Some((it, (it != item).then_some(item)));
            }
            // What a written class says of the whole holds.
            ItemKind::Tool if written.is_some() => {}
            // A workflow is a unit of its own, which answers for what it does.
            ItemKind::Function | ItemKind::Tool if !is_std(db, it.file(db)) => {
                for body in &infer_item(db, it).bodies {
                    let called = body
                        .expressions
                        .iter()
                        .filter_map(|it| called_item(&it.kind));
                    waiting.extend(called.filter(|it| seen.insert(*it)));
                }
            }
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => {}
        }
    }
    None
}

/// Whether code of the program that `item` runs names a constant that holds a queue or a session.
fn shares_queue(db: &dyn Db, item: ItemId) -> bool {
    let mut seen = FxHashSet::from_iter([item]);
    let mut waiting = vec![item];
    while let Some(it) = waiting.pop() {
        if is_std(db, it.file(db)) {
            continue;
        }
        for body in &infer_item(db, it).bodies {
            for expression in &body.expressions {
                if matches!(expression.kind, ExpressionKind::Constant(_))
                    && holds_queue(db, &expression.ty)
                {
                    return true;
                }
                let called = called_item(&expression.kind);
                waiting.extend(called.filter(|it| seen.insert(*it)));
            }
        }
    }
    false
}

/// Semaphores and limiters, which the library makes of queues, give back what they take.
fn holds_queue(db: &dyn Db, ty: &Type) -> bool {
    let is_of_library = matches!(ty, Type::Record(item, _) if is_std(db, item.file(db)));
    let is_queue = |it: &Type| matches!(it, Type::Queue(_) | Type::Session).then_some(());
    !is_of_library && find_held(db, ty, Some(()), is_queue).is_some()
}

fn report(db: &dyn Db, place: Place, tool: ItemId, way: Option<ItemId>, word: &str) -> Diagnostic {
    let way = way.map(|it| it.name(db).as_str());
    let diagnostic = errors::repeats_once_effect(place, tool.name(db), way, word);
    let tree = item_ast(db, tool);
    match tree.as_deref().and_then(declared_name) {
        Some(name) => {
            let declared = Place::Item {
                item: tool,
                span: name.span,
            };
            diagnostic.label(declared, errors::declared_once())
        }
        None => diagnostic,
    }
}

fn region_of(modifiers: &Modifiers) -> Option<&'static str> {
    let Modifiers {
        budget: _,
        reflect,
        retry,
        timeout: _,
    } = modifiers;
    if retry.is_some() {
        Some(ModifierName::Retry.text())
    } else if reflect.is_some() {
        Some(ModifierName::Reflect.text())
    } else {
        None
    }
}

/// The item that is called, or named to be called.
fn called_item(kind: &ExpressionKind) -> Option<ItemId> {
    if let ExpressionKind::FunctionValue { item, .. } = kind {
        return Some(*item);
    }
    let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        ..
    } = kind
    else {
        return None;
    };
    Some(*item)
}

/// The word that makes what is inside run again.
fn region_inside(kind: &ExpressionKind) -> Option<&'static str> {
    use ExpressionKind as Kind;
    match kind {
        Kind::Step { modifiers, .. } | Kind::Modified { modifiers, .. } => region_of(modifiers),
        Kind::Race { .. } => Some("race"),
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
        | Kind::Lambda(_)
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
        | Kind::ParallelFor { .. }
        | Kind::Parallel { .. }
        | Kind::Invalid => None,
    }
}
