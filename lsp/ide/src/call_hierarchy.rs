//! `callHierarchy/…`: who calls what is declared at a place, and what it calls.

use gsw_names::is_std;
use gsw_source::{Db, File, ItemId, ItemKind, Project, Span};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::{cursor, in_file};
use crate::declared_name::name_span;
use crate::symbol::{Role, Symbol, occurrences};

/// Something that calls or is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callable {
    pub item: ItemId,
    pub name: String,
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

/// What can call or be called at `offset`: what the name there means, else nothing.
#[must_use]
pub fn prepare_call_hierarchy(db: &dyn Db, file: File, offset: u32) -> Option<Callable> {
    match cursor(db, file, offset)?.symbol {
        Symbol::Item(item) if is_callable(db, item) => callable(db, item),
        Symbol::Item(_)
        | Symbol::Local { .. }
        | Symbol::Variant { .. }
        | Symbol::Field { .. }
        | Symbol::Module(_) => None,
    }
}

/// Who names `target` in a body.
#[must_use]
pub fn incoming_calls(db: &dyn Db, target: ItemId) -> Vec<Call> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let name = target.name(db).rsplit('.').next().unwrap_or_default();
    let files = project.modules(db).values().copied();
    let files = files.filter(|it| !is_std(db, *it) && it.text(db).contains(name));
    let items = files.flat_map(|it| file_item_ids(db, it).iter().copied());
    let callers = items.filter(|it| it.kind(db) != ItemKind::Import);
    callers
        .filter_map(|item| {
            let places = uses(db, item, |it| it == target);
            let places: Vec<Span> = places.into_iter().map(|(_, span)| span).collect();
            let other = callable(db, item)?;
            (!places.is_empty()).then_some(Call { other, places })
        })
        .collect()
}

/// What `source` names in its bodies, in the order of first calls.
#[must_use]
pub fn outgoing_calls(db: &dyn Db, source: ItemId) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for (item, span) in uses(db, source, |it| is_callable(db, it)) {
        if let Some(call) = calls.iter_mut().find(|it| it.other.item == item) {
            call.places.push(span);
        } else if let Some(other) = callable(db, item) {
            let places = vec![span];
            calls.push(Call { other, places });
        }
    }
    calls
}

/// The items that `item` names and `wanted` takes, with the places in the file.
fn uses(db: &dyn Db, item: ItemId, wanted: impl Fn(ItemId) -> bool) -> Vec<(ItemId, Span)> {
    occurrences(db, item)
        .into_iter()
        .filter(|it| it.role == Role::Use)
        .filter_map(|it| match it.symbol {
            Symbol::Item(named) if wanted(named) => Some((named, in_file(db, item, it.span))),
            Symbol::Item(_)
            | Symbol::Local { .. }
            | Symbol::Variant { .. }
            | Symbol::Field { .. }
            | Symbol::Module(_) => None,
        })
        .collect()
}

fn is_callable(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item.kind(db),
        ItemKind::Function
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External
    )
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
        name: item.name(db).to_string(),
        span,
        name_span,
    })
}
