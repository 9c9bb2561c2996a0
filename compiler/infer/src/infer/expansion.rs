//! Generic functions that call each other with ever larger types.
//!
//! A function is compiled for each type that it is called with, so `f([x], …)` in `f` would never be done. Each type parameter is a
//! node of a graph; a call leads from the parameters in a type argument to the parameter that it is given for, and grows where
//! the argument is more than the parameter itself. There are infinitely many instances exactly where a cycle grows.

use gsw_names::types::{Type, parts};
use gsw_names::{generics_of, is_too_large};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};

use crate::errors::calls as errors;
use crate::infer::infer_item;
use crate::item_bodies::GenericUse;

/// A type parameter of a function, by its position.
type Parameter = (ItemId, u32);

/// Reports the calls in `item` by which types grow without end.
pub fn expansion_diagnostics(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if generics_of(db, item).is_empty() {
        return found;
    }
    for used in calls(db, item) {
        let grows = targets(used).any(|(argument, target)| {
            let mut inside = Vec::new();
            parameters_in(argument, &mut inside);
            let is_larger = !matches!(argument, Type::Parameter(..));
            is_larger && inside.iter().any(|it| leads_to(db, target, (item, *it)))
        });
        if grows {
            let place = Place::Item {
                item,
                span: used.span,
            };
            found.push(errors::ever_larger(place, used.item.name(db)));
        }
    }
    found
}

fn calls(db: &dyn Db, item: ItemId) -> impl Iterator<Item = &GenericUse> {
    let uses = infer_item(db, item).generic_uses.iter();
    uses.filter(move |it| it.item.kind(db) == ItemKind::Function)
}

/// The type arguments with the parameters that they are given for.
fn targets(used: &GenericUse) -> impl Iterator<Item = (&Type, Parameter)> {
    let numbered = (0u32..).zip(&used.type_arguments);
    numbered.map(|(index, argument)| (argument, (used.item, index)))
}

/// Whether instances for a parameter bring about instances for another one.
fn leads_to(db: &dyn Db, from: Parameter, to: Parameter) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&(item, parameter)) = reached.get(next) {
        if (item, parameter) == to {
            return true;
        }
        next += 1;
        for used in calls(db, item) {
            for (argument, target) in targets(used) {
                let mut inside = Vec::new();
                parameters_in(argument, &mut inside);
                if inside.contains(&parameter) && !reached.contains(&target) {
                    reached.push(target);
                }
            }
        }
    }
    false
}

/// The parameters that a type holds; of one that is too large none, which is reported elsewhere.
fn parameters_in(ty: &Type, found: &mut Vec<u32>) {
    if !is_too_large(ty) {
        add_parameters(ty, found);
    }
}

fn add_parameters(ty: &Type, found: &mut Vec<u32>) {
    if let Type::Parameter(index, _) = ty {
        found.push(*index);
    }
    for part in parts(ty) {
        add_parameters(&part, found);
    }
}
