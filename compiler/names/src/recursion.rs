//! Types that contain themselves: which have a finite value, and which need endlessly many instances.
//!
//! *Finite*: by the least fixpoint over the instances that a value must hold. `type R { b: Box<R> }` has no finite value, which
//! shows only where `Box` is looked into for `R`.
//!
//! *Endless*: a graph of type parameters, with an edge from `T` to the parameter that something with `T` in it is given for,
//! and a growing edge where that is more than `T` itself. In `type N<T> { next: N<[T]>? }` the edge from `T` to itself grows.
//! The instances have no end exactly when a growing edge is on a cycle (Kennedy and Pierce, "On decidability of nominal
//! subtyping with variance"); then no value can be read, written or laid out, and the declaration is refused.

use std::collections::HashSet;
use std::sync::Arc;

use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::item_ast;

use crate::alias::alias_target;
use crate::declared_type::type_declaration;
use crate::errors;
use crate::generics::generics_of;
use crate::held::{MOST_INSTANCES, is_too_large};
use crate::signature::{Parameter, TypeDeclarationKind};
use crate::substitute::substitute;
use crate::tree::declared_name;
use crate::types::Type;

/// A report when no value of the type or error `item` could ever be finished because it holds another of itself, or when it
/// is instantiated with ever larger types.
pub fn recursion_diagnostic(db: &dyn Db, item: ItemId) -> Option<Diagnostic> {
    let tree = item_ast(db, item)?;
    let name = declared_name(&tree)?;
    let place = Place::Item {
        item,
        span: name.span,
    };
    if type_grows(db, item) {
        return Some(errors::endless_type(place, &name.name));
    }
    let is_nominal = matches!(
        item.kind(db),
        ItemKind::Record | ItemKind::Enum | ItemKind::Error
    );
    (is_nominal && is_infinite(db, item)).then(|| errors::infinite_type(place, &name.name))
}

/// The type that `item` declares, over its own type parameters.
fn own_instance(db: &dyn Db, item: ItemId) -> Type {
    let generics = generics_of(db, item);
    let parameters = (0u32..).zip(generics);
    let arguments: Arc<[Type]> = parameters
        .map(|(index, name)| Type::Parameter(index, name))
        .collect();
    if item.kind(db) == ItemKind::Enum {
        Type::Enum(item, arguments)
    } else {
        Type::Record(item, arguments)
    }
}

/// What a value of an instance must hold, in one of several ways: the instances of each.
struct Ways {
    instance: Type,
    ways: Vec<Vec<Type>>,
}

/// Whether `item` holds itself in every value.
fn is_infinite(db: &dyn Db, item: ItemId) -> bool {
    let own = own_instance(db, item);
    let mut waiting = vec![own.clone()];
    let mut seen: HashSet<Type> = HashSet::from([own.clone()]);
    let mut all = Vec::new();
    let mut meets_itself = false;
    while let Some(instance) = waiting.pop() {
        // Only with a type that is beyond any program: one that grows is reported where it is declared.
        if all.len() > MOST_INSTANCES || is_too_large(&instance) {
            return false;
        }
        if holds_growing(db, &instance) {
            return false;
        }
        let ways = ways(db, &instance);
        for held in ways.iter().flatten() {
            meets_itself |= matches!(held, Type::Record(it, _) | Type::Enum(it, _) if *it == item);
            if seen.insert(held.clone()) {
                waiting.push(held.clone());
            }
        }
        all.push(Ways { instance, ways });
    }
    meets_itself && !finite_instances(&all).contains(&own)
}

fn holds_growing(db: &dyn Db, instance: &Type) -> bool {
    let (Type::Record(item, _) | Type::Enum(item, _)) = instance else {
        return false;
    };
    type_grows(db, *item)
}

fn finite_instances(all: &[Ways]) -> HashSet<&Type> {
    let mut finite: HashSet<&Type> = HashSet::new();
    loop {
        let before = finite.len();
        // What was found last is held by what was found before.
        for Ways { instance, ways } in all.iter().rev() {
            if ways
                .iter()
                .any(|way| way.iter().all(|it| finite.contains(it)))
            {
                finite.insert(instance);
            }
        }
        if finite.len() == before {
            return finite;
        }
    }
}

fn ways(db: &dyn Db, instance: &Type) -> Vec<Vec<Type>> {
    let (Type::Record(item, arguments) | Type::Enum(item, arguments)) = instance else {
        return vec![Vec::new()];
    };
    let all = |fields: &[Parameter]| {
        let mut held = Vec::new();
        for field in fields {
            add_held(db, &substitute(&field.ty, arguments), &mut held);
        }
        held
    };
    match &type_declaration(db, *item).declaration.kind {
        TypeDeclarationKind::Record(fields) => vec![all(fields)],
        TypeDeclarationKind::Enum(variants) if variants.is_empty() => vec![Vec::new()],
        TypeDeclarationKind::Enum(variants) => variants.iter().map(|it| all(&it.fields)).collect(),
        TypeDeclarationKind::Alias { .. } => vec![Vec::new()],
    }
}

/// The records and enums of which every value of this type holds one.
fn add_held(db: &dyn Db, ty: &Type, held: &mut Vec<Type>) {
    match ty {
        Type::Record(..) | Type::Enum(..) => held.push(ty.clone()),
        Type::Checked(item, arguments) => {
            add_held(db, &substitute(&alias_target(db, *item), arguments), held);
        }
        Type::Tuple(them) => them.iter().for_each(|it| add_held(db, it, held)),
        // A value of these holds none, may be empty, or only refers to others.
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
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => {}
    }
}

/// A type parameter, by its declaration and position.
type Node = (ItemId, u32);

/// What stands for one parameter is given for another one.
#[derive(Clone, Copy)]
struct Edge {
    from: Node,
    to: Node,
    /// Whether it is only a part of what is given.
    grows: bool,
}

/// Whether the type that `item` declares is instantiated with ever larger types.
#[salsa::tracked(returns(copy))]
pub fn type_grows(db: &dyn Db, item: ItemId) -> bool {
    let count = u32::try_from(generics_of(db, item).len()).unwrap_or(0);
    if count == 0 {
        return false;
    }
    let edges = edges_from(db, item);
    let forth = |edge: &Edge| (edge.from, edge.to);
    let back = |edge: &Edge| (edge.to, edge.from);
    (0..count).any(|index| {
        let after = reached(&edges, (item, index), forth);
        let before = reached(&edges, (item, index), back);
        let mut growing = edges.iter().filter(|it| it.grows);
        growing.any(|it| after.contains(&it.from) && before.contains(&it.to))
    })
}

fn reached(edges: &[Edge], start: Node, ends: impl Fn(&Edge) -> (Node, Node)) -> HashSet<Node> {
    let mut seen = HashSet::from([start]);
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        for (from, to) in edges.iter().map(&ends) {
            if from == node && seen.insert(to) {
                waiting.push(to);
            }
        }
    }
    seen
}

/// The edges of all declarations that `item` leads to.
fn edges_from(db: &dyn Db, item: ItemId) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut seen = HashSet::from([item]);
    let mut waiting = vec![item];
    while let Some(declaration) = waiting.pop() {
        let fields: Vec<Type> = match &type_declaration(db, declaration).declaration.kind {
            TypeDeclarationKind::Record(fields) => fields.iter().map(|it| it.ty.clone()).collect(),
            TypeDeclarationKind::Enum(variants) => {
                let fields = variants.iter().flat_map(|it| &it.fields);
                fields.map(|it| it.ty.clone()).collect()
            }
            TypeDeclarationKind::Alias { .. } => vec![alias_target(db, declaration)],
        };
        for ty in fields {
            add_edges(declaration, &ty, &mut edges, &mut |next| {
                if seen.insert(next) {
                    waiting.push(next);
                }
            });
        }
    }
    edges
}

/// The edges of a type in the declaration of `owner`. A function is held the same way whatever it takes and gives.
fn add_edges(owner: ItemId, ty: &Type, edges: &mut Vec<Edge>, visit: &mut impl FnMut(ItemId)) {
    match ty {
        Type::Record(item, arguments)
        | Type::Enum(item, arguments)
        | Type::Checked(item, arguments) => {
            visit(*item);
            for (index, argument) in (0u32..).zip(arguments.iter()) {
                let is_alone = matches!(argument, Type::Parameter(..));
                for parameter in parameters(argument) {
                    edges.push(Edge {
                        from: (owner, parameter),
                        to: (*item, index),
                        grows: !is_alone,
                    });
                }
                add_edges(owner, argument, edges, visit);
            }
        }
        Type::Optional(it)
        | Type::List(it)
        | Type::Task(it)
        | Type::Stream(it)
        | Type::Queue(it)
        | Type::Partial(it) => add_edges(owner, it, edges, visit),
        Type::Map(key, value) => {
            add_edges(owner, key, edges, visit);
            add_edges(owner, value, edges, visit);
        }
        Type::Tuple(them) => {
            for it in them.iter() {
                add_edges(owner, it, edges, visit);
            }
        }
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
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Function(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => {}
    }
}

/// The type parameters in a type.
fn parameters(ty: &Type) -> Vec<u32> {
    let mut found = Vec::new();
    let mut waiting = vec![ty.clone()];
    while let Some(ty) = waiting.pop() {
        if let Type::Parameter(index, _) = ty {
            found.push(index);
        }
        waiting.extend(crate::types::parts(&ty));
    }
    found
}
