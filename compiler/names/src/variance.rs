//! Query `type_variances`: how types that differ in an argument relate, inferred from the declaration.
//!
//! `T` of `type Source<T> { next: fn() -> T }` is covariant: a `Source<Percent>` may be given where a `Source<float>` is wanted.
//! `T` of `type Sink<T> { put: fn(T) -> () }` is contravariant, since a holder of a `Sink<float>` puts any float into it. What is
//! on both sides is invariant. Values cannot be changed where they are, so lists, maps and fields are covariant.
//!
//! The least fixpoint over the type parameters of all declarations that the one asked for leads to: a parameter starts as used
//! nowhere, and each place adds the direction in which it is used there (Altidor, Huang and Smaragdakis, "Taming the
//! wildcards", 2011). One query walks all of them, since declarations may name each other in a cycle.

use std::collections::HashMap;

use gsw_source::{Db, ItemId};

use crate::alias::alias_target;
use crate::declared_type::type_declaration;
use crate::generics::generics_of;
use crate::signature::TypeDeclarationKind;
use crate::types::Type;

/// How `D<A>` relates to `D<B>` when `A` relates to `B`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variance {
    /// In the same direction. A parameter that no value depends on counts as such too.
    Covariant,
    /// When `A` stands for `B`, `D<B>` stands for `D<A>`: so do parameters of functions.
    Contravariant,
    /// Only when both relate to each other.
    Invariant,
}

/// The variance of each type parameter of the record, enum or alias `item`.
#[salsa::tracked(returns(ref))]
pub fn type_variances(db: &dyn Db, item: ItemId) -> Vec<Variance> {
    let declarations = generic_declarations(db, item);
    let mut uses = Uses::default();
    loop {
        let before = uses.found;
        for (owner, fields) in &declarations {
            for field in fields {
                uses.add(*owner, field, Polarity::Given);
            }
        }
        if uses.found == before {
            break;
        }
    }
    let count = u32::try_from(generics_of(db, item).len()).unwrap_or(0);
    let variance = |index| match uses.of((item, index)) {
        Directions { taken: false, .. } => Variance::Covariant,
        Directions { given: false, .. } => Variance::Contravariant,
        Directions { .. } => Variance::Invariant,
    };
    (0..count).map(variance).collect()
}

/// The generic declarations that `item` leads to, itself first, with the types of their fields.
fn generic_declarations(db: &dyn Db, item: ItemId) -> Vec<(ItemId, Vec<Type>)> {
    let mut declarations: Vec<(ItemId, Vec<Type>)> = Vec::new();
    let mut seen = std::collections::HashSet::from([item]);
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
        let mut inside = fields.clone();
        while let Some(ty) = inside.pop() {
            if let Type::Record(next, arguments)
            | Type::Enum(next, arguments)
            | Type::Checked(next, arguments) = &ty
                && !arguments.is_empty()
                && seen.insert(*next)
            {
                waiting.push(*next);
            }
            inside.extend(crate::types::parts(&ty));
        }
        declarations.push((declaration, fields));
    }
    declarations
}

/// Whether the holder of a value is given what is at a place, or gives it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Given,
    Taken,
}

impl Polarity {
    fn turned(self) -> Self {
        match self {
            Self::Given => Self::Taken,
            Self::Taken => Self::Given,
        }
    }
}

/// The directions in which a type parameter is used.
#[derive(Clone, Copy, Default)]
struct Directions {
    given: bool,
    taken: bool,
}

/// A type parameter, by its declaration and position.
type Node = (ItemId, u32);

#[derive(Default)]
struct Uses {
    nodes: HashMap<Node, Directions>,
    /// How many directions are known, which only grows.
    found: usize,
}

impl Uses {
    fn of(&self, node: Node) -> Directions {
        self.nodes.get(&node).copied().unwrap_or_default()
    }

    fn note(&mut self, node: Node, polarity: Polarity) {
        let directions = self.nodes.entry(node).or_default();
        let flag = match polarity {
            Polarity::Given => &mut directions.given,
            Polarity::Taken => &mut directions.taken,
        };
        if !std::mem::replace(flag, true) {
            self.found += 1;
        }
    }

    /// Adds what `ty`, at such a place in the declaration of `owner`, makes of the owner's type parameters.
    fn add(&mut self, owner: ItemId, ty: &Type, polarity: Polarity) {
        match ty {
            Type::Parameter(index, _) => self.note((owner, *index), polarity),
            Type::Optional(inner)
            | Type::List(inner)
            | Type::Task(inner)
            | Type::Stream(inner)
            | Type::Partial(inner) => self.add(owner, inner, polarity),
            // Items go in and come out.
            Type::Queue(inner) => {
                self.add(owner, inner, polarity);
                self.add(owner, inner, polarity.turned());
            }
            Type::Map(key, value) => {
                self.add(owner, key, polarity);
                self.add(owner, value, polarity);
            }
            Type::Tuple(types) => {
                for it in types.iter() {
                    self.add(owner, it, polarity);
                }
            }
            Type::Record(item, arguments)
            | Type::Enum(item, arguments)
            | Type::Checked(item, arguments) => {
                for (index, argument) in (0u32..).zip(arguments.iter()) {
                    let Directions { given, taken } = self.of((*item, index));
                    if given {
                        self.add(owner, argument, polarity);
                    }
                    if taken {
                        self.add(owner, argument, polarity.turned());
                    }
                }
            }
            Type::Function(function) => {
                for it in &function.parameters {
                    self.add(owner, it, polarity.turned());
                }
                self.add(owner, &function.result, polarity);
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
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => {}
        }
    }
}
