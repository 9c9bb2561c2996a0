//! What a call calls, and the parameters that its arguments are for.

use gsw_names::{Parameter, item_signature, type_declaration};
use gsw_source::{Db, ItemId, ItemKind, Span};

use crate::symbol::{Occurrence, Symbol, occurrences};

/// A declaration that is called by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Called {
    Item { item: ItemId, receiver: Receiver },
    Variant { item: ItemId, variant: u32 },
}

/// Whether the first parameter is before the dot of the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receiver {
    BeforeDot,
    Argument,
}

impl Called {
    pub const fn symbol(self) -> Symbol {
        match self {
            Self::Item { item, .. } => Symbol::Item(item),
            Self::Variant { item, variant } => Symbol::Variant { item, variant },
        }
    }
}

/// What the expression at `callee` of `item` calls; `None` for a value.
pub fn called(db: &dyn Db, item: ItemId, callee: Span) -> Option<Called> {
    let all = occurrences(db, item);
    let last = all
        .iter()
        .rfind(|it| callee.start <= it.span.start && it.span.end == callee.end)?;
    match last.symbol {
        Symbol::Item(item) => {
            let of_module = |it: &Occurrence| {
                it.span.start == callee.start && matches!(it.symbol, Symbol::Module(_))
            };
            let is_method = last.span.start != callee.start && !all.iter().any(of_module);
            let receiver = match is_method {
                true => Receiver::BeforeDot,
                false => Receiver::Argument,
            };
            Some(Called::Item { item, receiver })
        }
        Symbol::Variant { item, variant } => Some(Called::Variant { item, variant }),
        Symbol::Local { .. } | Symbol::Field { .. } | Symbol::Module(_) => None,
    }
}

/// The parameters that arguments in the parentheses are for.
pub fn parameters_of(db: &dyn Db, called: &Called) -> Vec<Parameter> {
    match *called {
        Called::Item { item, .. } if item.kind(db) == ItemKind::Error => fields_of(db, item, 0),
        Called::Item { item, receiver } => {
            let parameters = &item_signature(db, item).signature.parameters;
            let first = match receiver {
                Receiver::BeforeDot => 1,
                Receiver::Argument => 0,
            };
            parameters.iter().skip(first).cloned().collect()
        }
        Called::Variant { item, variant } => fields_of(db, item, variant),
    }
}

fn fields_of(db: &dyn Db, item: ItemId, variant: u32) -> Vec<Parameter> {
    type_declaration(db, item)
        .declaration
        .fields_of(variant)
        .to_vec()
}
