//! `callHierarchy/…`: the callers of what is declared at a place, and what it calls. A step is between its workflow and what it
//! calls.

use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{Child, ExpressionKind, Item};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::{cursor, in_file, item_at, visit_nodes};
use crate::declared_name::name_span;
use crate::document_symbol::{SymbolKind, item_kind, step_name};
use crate::files::own_files;
use crate::symbol::{Role, Symbol, occurrences};

/// Something that calls or is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callable {
    pub item: ItemId,
    /// The span of the step that it is, relative to the item; `None` for the item itself.
    step: Option<Span>,
    pub name: String,
    pub kind: SymbolKind,
    /// All of it, in its file.
    pub span: Span,
    /// Its name, in its file.
    pub name_span: Span,
}

/// A caller or a callee with the places of the calls, in the file of the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub other: Callable,
    pub places: Vec<Span>,
}

/// A step in the text of an item, to which its spans are relative.
struct Step {
    name: String,
    span: Span,
    name_span: Span,
}

/// What can call or be called at `offset`: what the name there means, or the step that it names, else nothing.
#[must_use]
pub fn prepare_call_hierarchy(db: &dyn Db, file: File, offset: u32) -> Option<Callable> {
    if let Some((item, inside)) = item_at(db, file, offset)
        && let Some(step) = steps(&*item_ast(db, item)?)
            .iter()
            .find(|it| it.name_span.touches(inside))
    {
        return Some(of_step(db, item, step));
    }
    match cursor(db, file, offset)?.symbol {
        Symbol::Item(item) if item.kind(db).is_callable() => callable(db, item),
        Symbol::Item(_)
        | Symbol::Local { .. }
        | Symbol::Variant { .. }
        | Symbol::Field { .. }
        | Symbol::Module(_) => None,
    }
}

/// What names `target` in a body; of a step what it is in.
#[must_use]
pub fn incoming_calls(db: &dyn Db, target: &Callable) -> Vec<Call> {
    if let Some(span) = target.step {
        let place = target.name_span;
        let around = caller(db, target.item, span);
        return around
            .map(|other| Call {
                other,
                places: vec![place],
            })
            .into_iter()
            .collect();
    }
    let name = target.name.rsplit('.').next().unwrap_or_default();
    let files = own_files(db).into_iter();
    let files = files.filter(|it| it.text(db).contains(name));
    let items = files.flat_map(|it| file_item_ids(db, it).iter().copied());
    let callers = items.filter(|it| it.kind(db) != ItemKind::Import);
    let mut calls = Vec::new();
    for item in callers {
        for (_, span) in uses(db, item, |it| it == target.item) {
            if let Some(other) = caller(db, item, span) {
                add(&mut calls, other, in_file(db, item, span));
            }
        }
    }
    calls
}

/// What `source` names in its bodies, in the order of first calls.
#[must_use]
pub fn outgoing_calls(db: &dyn Db, source: &Callable) -> Vec<Call> {
    let Some(tree) = item_ast(db, source.item) else {
        return Vec::new();
    };
    let steps = steps(&tree);
    let is_own = |span: Span| innermost(&steps, span).map(|it| it.span) == source.step;
    let mut found: Vec<(Callable, Span)> = Vec::new();
    for step in steps.iter().filter(|it| is_own(it.span)) {
        found.push((of_step(db, source.item, step), step.name_span));
    }
    for (item, span) in uses(db, source.item, |it| it.kind(db).is_callable()) {
        if is_own(span)
            && let Some(other) = callable(db, item)
        {
            found.push((other, span));
        }
    }
    found.sort_by_key(|it| it.1);
    let mut calls = Vec::new();
    for (other, span) in found {
        add(&mut calls, other, in_file(db, source.item, span));
    }
    calls
}

fn add(calls: &mut Vec<Call>, other: Callable, place: Span) {
    match calls.iter_mut().find(|it| it.other == other) {
        Some(call) => call.places.push(place),
        None => calls.push(Call {
            other,
            places: vec![place],
        }),
    }
}

fn steps(tree: &Item) -> Vec<Step> {
    let mut found = Vec::new();
    visit_nodes(tree, |node| {
        if let Child::Expression(it) = node
            && let ExpressionKind::Step { name, .. } = &it.kind
        {
            found.push(Step {
                name: step_name(name),
                span: it.span,
                name_span: name.span,
            });
        }
    });
    found
}

/// The narrowest step around `span`, which may be the span of a step itself.
fn innermost(steps: &[Step], span: Span) -> Option<&Step> {
    let around = steps
        .iter()
        .filter(|it| it.span != span && it.span.holds(span));
    around.min_by_key(|it| it.span.end - it.span.start)
}

/// What names something at `span` of `item`: the step around it, else the item.
fn caller(db: &dyn Db, item: ItemId, span: Span) -> Option<Callable> {
    let tree = item_ast(db, item)?;
    match innermost(&steps(&tree), span) {
        Some(step) => Some(of_step(db, item, step)),
        None => callable(db, item),
    }
}

fn of_step(db: &dyn Db, item: ItemId, step: &Step) -> Callable {
    Callable {
        item,
        step: Some(step.span),
        name: step.name.clone(),
        kind: SymbolKind::Step,
        span: in_file(db, item, step.span),
        name_span: in_file(db, item, step.name_span),
    }
}

/// The items that `item` names and `wanted` takes, with the places in the item.
fn uses(db: &dyn Db, item: ItemId, wanted: impl Fn(ItemId) -> bool) -> Vec<(ItemId, Span)> {
    occurrences(db, item)
        .into_iter()
        .filter(|it| it.role == Role::Use)
        .filter_map(|it| match it.symbol {
            Symbol::Item(named) if wanted(named) => Some((named, it.span)),
            Symbol::Item(_)
            | Symbol::Local { .. }
            | Symbol::Variant { .. }
            | Symbol::Field { .. }
            | Symbol::Module(_) => None,
        })
        .collect()
}

fn callable(db: &dyn Db, item: ItemId) -> Option<Callable> {
    let tree = item_ast(db, item)?;
    let span = in_file(db, item, tree.span);
    let name_span = match name_span(db, item) {
        Some(name) => in_file(db, item, name),
        None => span,
    };
    Some(Callable {
        item,
        step: None,
        kind: item_kind(db, item).unwrap_or(SymbolKind::Item(item.kind(db))),
        name: item.name(db).to_string(),
        span,
        name_span,
    })
}
