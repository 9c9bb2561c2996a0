//! What inference finds out about the bodies of an item.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_source::{ItemId, Span};

use crate::hir::{Body, BodyPart, LocalId, Modifiers};

/// All bodies of an item with what inference found wrong in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemBodies {
    pub bodies: Vec<Arc<Body>>,
    /// The modifiers in the head of a workflow or tool; their expressions are in the `Main` body.
    pub modifiers: Modifiers,
    /// Errors and warnings, places relative to the item.
    pub diagnostics: Vec<gsw_source::Diagnostic>,
    /// What the names in the bodies mean, in no order; a name may be here more than once.
    pub references: Vec<(Span, Reference)>,
    /// What the bodies ask of the item's type parameters, by position, and where.
    pub requirements: Vec<(u32, Requirement, Span)>,
    /// Every use of a generic declaration with its type arguments.
    pub generic_uses: Vec<GenericUse>,
    /// Where a pattern names a field and binds it by that name.
    pub short_fields: Vec<Span>,
}

/// What a name in a body means: for hover and go-to-definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reference {
    /// A local, also where it is bound.
    Local {
        part: BodyPart,
        local: LocalId,
    },
    Item(ItemId),
    /// A variant of an enum.
    Variant {
        item: ItemId,
        variant: u32,
    },
    /// A field of a record (`variant` 0), variant or error.
    Field {
        item: ItemId,
        variant: u32,
        field: u32,
    },
    Module(gsw_source::File),
}

/// The use of a generic declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenericUse {
    pub item: ItemId,
    /// One per type parameter; they may hold type parameters of the item that uses it.
    pub type_arguments: Vec<Type>,
    pub span: Span,
}

/// What a type argument must be able to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Requirement {
    Equal,
    Order,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    /// `+` with a zero to start from.
    Numeric,
    Json,
    /// A place in front of the colon of a map.
    Key,
    /// Usable as an item of a queue.
    Item,
}

impl Requirement {
    /// What such values can be, as a participle.
    #[must_use]
    pub const fn ability(self) -> &'static str {
        match self {
            Self::Equal => "compared with `==`",
            Self::Order => "ordered",
            Self::Add => "added with `+`",
            Self::Subtract => "subtracted",
            Self::Multiply => "multiplied",
            Self::Divide => "divided",
            Self::Remainder => "divided with `%`",
            Self::Negate => "negated",
            Self::Numeric => "summed up",
            Self::Json => "written as JSON",
            Self::Key => "the key of a map",
            Self::Item => "an item of a queue",
        }
    }
}
