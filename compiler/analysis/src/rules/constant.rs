//! What a constant is computed from: nothing outside of the program, and not itself. What it raises is for the evaluator to say.

use gsw_infer::hir::{Body, BodyPart, Callee, Coercion, Expression, ExpressionKind};
use gsw_infer::{Reference, infer_item};
use gsw_names::{module_path, on_cycles};
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Span};
use gsw_syntax::file_item_ids;
use rustc_hash::FxHashSet;

use crate::errors;
use crate::summary::{checks_into, fills, item_summary};

/// The modules of the library that ask the run which they are called in.
const ABOUT_THE_RUN: &[&str] = &["context", "introspect", "workflows"];

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if body.item.kind(db) != ItemKind::Const || body.part != BodyPart::Main {
        return;
    }
    if let Some(cycle) = cycle(db, body.item) {
        let names: Vec<&str> = cycle.iter().map(|it| it.name(db).as_str()).collect();
        // The cycle is reported once: at the name that comes first.
        if names.iter().min() == names.first() {
            let place = body.place(body.expression(body.root).span);
            found.push(errors::constant_cycle(place, &names));
        }
        return;
    }
    if let Some((effect, span)) = effect(db, body) {
        found.push(errors::effect_in_constant(body.place(span), effect));
    } else if let Some((operation, span)) = question(db, body) {
        found.push(errors::question_in_constant(body.place(span), &operation));
    }
}

/// The first thing by which a constant asks the run, such as `context.node`, and where the way to it begins.
fn question(db: &dyn Db, body: &Body) -> Option<(String, Span)> {
    let mut seen = FxHashSet::default();
    let mut references = infer_item(db, body.item).references.iter();
    references.find_map(|(span, reference)| match reference {
        Reference::Item(item) => Some((question_of(db, *item, &mut seen)?, *span)),
        Reference::Local { .. }
        | Reference::Variant { .. }
        | Reference::Field { .. }
        | Reference::Module(_) => None,
    })
}

fn question_of(db: &dyn Db, item: ItemId, seen: &mut FxHashSet<ItemId>) -> Option<String> {
    let is_code = matches!(item.kind(db), ItemKind::Function | ItemKind::Tool);
    if !is_code || !seen.insert(item) {
        return None;
    }
    let module = module_path(db, item.file(db)).unwrap_or_default();
    if let Some(module) = module
        .strip_prefix("std/")
        .filter(|it| ABOUT_THE_RUN.contains(it))
    {
        return Some(format!("{module}.{}", item.name(db)));
    }
    let references = infer_item(db, item).references.iter();
    let mut items = references.filter_map(|(_, reference)| match reference {
        Reference::Item(item) => Some(*item),
        Reference::Local { .. }
        | Reference::Variant { .. }
        | Reference::Field { .. }
        | Reference::Module(_) => None,
    });
    items.find_map(|it| question_of(db, it, seen))
}

/// The name of the first thing with an effect that a constant uses, and where.
fn effect(db: &dyn Db, body: &Body) -> Option<(&'static str, Span)> {
    let references = infer_item(db, body.item).references.iter();
    let mut effects = references.filter_map(|(span, reference)| match reference {
        Reference::Item(item) if item.kind(db) != ItemKind::Const => {
            let effects = item_summary(db, *item).item.effects;
            Some((effects.iter().next()?.name(), *span))
        }
        Reference::Local { .. }
        | Reference::Item(_)
        | Reference::Variant { .. }
        | Reference::Field { .. }
        | Reference::Module(_) => None,
    });
    effects.next()
}

/// The way from a constant through other declarations back to it; the constants on it.
fn cycle(db: &dyn Db, start: ItemId) -> Option<Vec<ItemId>> {
    if !endless_constants(db, start.file(db)).contains(&start) {
        return None;
    }
    let mut seen = FxHashSet::default();
    let mut path = vec![start];
    leads_back(db, start, start, &mut seen, &mut path).then(|| {
        path.retain(|it| it.kind(db) == ItemKind::Const);
        path.push(start);
        path
    })
}

/// The constants and functions of a file that lead back to themselves: one walk for all, so that only what is on a cycle looks for
/// its way.
#[salsa::tracked(returns(ref))]
fn endless_constants(db: &dyn Db, file: File) -> FxHashSet<ItemId> {
    let items = file_item_ids(db, file).iter().copied();
    on_cycles(items.filter(|it| it.kind(db) == ItemKind::Const), |item| {
        let mut evaluated = evaluated_by(db, item);
        evaluated.retain(|it| it.file(db) == file);
        evaluated
    })
}

/// The constants and functions that evaluating `item` may evaluate: those that it names, and those in the defaults and checks of
/// what it makes.
pub(crate) fn evaluated_by(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let references = infer_item(db, item).references.iter();
    let items = references.filter_map(|(_, reference)| match reference {
        Reference::Item(item) => Some(*item),
        Reference::Local { .. }
        | Reference::Variant { .. }
        | Reference::Field { .. }
        | Reference::Module(_) => None,
    });
    let mut found: Vec<ItemId> = items.filter(|it| is_code(db, *it)).collect();
    let mut seen = FxHashSet::default();
    let mut left: Vec<&Body> = infer_item(db, item).bodies.iter().map(|it| &**it).collect();
    while let Some(body) = left.pop() {
        for expression in &body.expressions {
            let run = parts_run(db, expression).into_iter();
            let run = run.filter(|it| seen.insert((it.item, it.part)));
            for part in run {
                let named = part.expressions.iter().filter_map(named);
                found.extend(named.filter(|it| is_code(db, *it)));
                left.push(part);
            }
        }
    }
    found
}

fn is_code(db: &dyn Db, item: ItemId) -> bool {
    matches!(item.kind(db), ItemKind::Const | ItemKind::Function)
}

/// The defaults and checks that an expression runs.
fn parts_run<'db>(db: &'db dyn Db, expression: &Expression) -> Vec<&'db Body> {
    let kind = &expression.kind;
    let checks_of = |item: ItemId| {
        let bodies = infer_item(db, item).bodies.iter().map(|it| &**it);
        bodies.filter(move |it| {
            fills(it.part, kind)
                || matches!(it.part, BodyPart::FieldCheck(_) | BodyPart::AliasCheck)
        })
    };
    if let ExpressionKind::Record { item, .. }
    | ExpressionKind::Variant { item, .. }
    | ExpressionKind::ErrorValue { item, .. } = kind
    {
        checks_of(*item).collect()
    } else if let ExpressionKind::Coerce {
        coercion: Coercion::Check,
        ..
    } = kind
    {
        let aliases = checks_into(db, &expression.ty).into_iter();
        aliases.flat_map(checks_of).collect()
    } else {
        Vec::new()
    }
}

/// The declaration that an expression evaluates or calls by its name.
fn named(expression: &Expression) -> Option<ItemId> {
    if let ExpressionKind::Constant(item)
    | ExpressionKind::FunctionValue { item, .. }
    | ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        ..
    } = &expression.kind
    {
        Some(*item)
    } else {
        None
    }
}

fn leads_back(
    db: &dyn Db,
    from: ItemId,
    start: ItemId,
    seen: &mut FxHashSet<ItemId>,
    path: &mut Vec<ItemId>,
) -> bool {
    for next in evaluated_by(db, from) {
        if next == start {
            return true;
        }
        if next.file(db) != start.file(db) || !seen.insert(next) {
            continue;
        }
        path.push(next);
        if leads_back(db, next, start, seen, path) {
            return true;
        }
        path.pop();
    }
    false
}
