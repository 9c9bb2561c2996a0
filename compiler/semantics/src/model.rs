//! What the checker knows about declarations: the answers of the queries that other crates ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use gsw_source::{ItemId, Name, Span};

use crate::hir::{Body, BodyPart, ExpressionId, LocalId, Modifiers};
use crate::types::{EffectSet, ErrorName, ErrorSet, Type};

/// The head of a function, method, workflow, tool, prompt, human, constant, variant constructor or error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Names of the type parameters.
    pub generics: Vec<Name>,
    /// In order; a method's `self` is the first.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub result: Type,
    /// After `!`; `None` when inferred.
    pub throws: Option<ErrorSet>,
    /// The row of the table of runtime calls, for an `@intrinsic`.
    pub intrinsic: Option<Name>,
    /// `@property`: naming it calls it.
    pub property: Presence,
    /// The agent after `by` of a prompt.
    pub agent: Option<ItemId>,
}

/// A parameter, or a field of a record, variant or error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// As declared.
    pub name: Name,
    /// As in JSON: `@alias` or the name.
    pub wire: Name,
    /// Its docs.
    pub docs: Option<Arc<str>>,
    /// Its type.
    pub ty: Type,
    /// Whether it has a default.
    pub default: Presence,
    /// Whether it has a `where`.
    pub check: Presence,
    /// Whether it carries `@secret`.
    pub secret: Presence,
    /// Where its name stands, relative to the item.
    pub span: Span,
}

/// Whether something is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Presence {
    /// It is.
    Present,
    /// It is not.
    Absent,
}

/// The inside of a record, enum, alias or error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeDeclaration {
    /// Names of the type parameters.
    pub generics: Vec<Name>,
    /// What it is.
    pub kind: TypeDeclarationKind,
}

/// What a type declaration is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeDeclarationKind {
    /// `type R { … }`; also an error's payload.
    Record(Vec<Parameter>),
    /// `enum E { … }`
    Enum(Vec<Variant>),
    /// `type A = T where check`
    Alias {
        /// What it stands for.
        target: Type,
        /// Whether it has a check.
        check: Presence,
    },
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// As declared.
    pub name: Name,
    /// As in JSON.
    pub wire: Name,
    /// Its docs.
    pub docs: Option<Arc<str>>,
    /// Its payload.
    pub fields: Vec<Parameter>,
    /// Where its name stands, relative to the item.
    pub span: Span,
}

/// All bodies of an item with what inference found wrong in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemBodies {
    /// In order of part.
    pub bodies: Vec<Arc<Body>>,
    /// The modifiers of a workflow's head; their expressions stand in the `Main` body.
    pub modifiers: Modifiers,
    /// Errors and warnings, places relative to the item.
    pub diagnostics: Vec<gsw_source::Diagnostic>,
    /// What the names in the bodies mean, in no order; a name may stand here more than once.
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
        /// The body.
        part: BodyPart,
        /// Its local.
        local: LocalId,
    },
    /// A declaration.
    Item(ItemId),
    /// A variant of an enum.
    Variant {
        /// The enum.
        item: ItemId,
        /// Which variant.
        variant: u32,
    },
    /// A field of a record (`variant` 0), variant or error.
    Field {
        /// The declaration.
        item: ItemId,
        /// Which variant.
        variant: u32,
        /// Which field.
        field: u32,
    },
    /// A module.
    Module(gsw_source::File),
}

/// The use of a generic declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenericUse {
    /// The declaration.
    pub item: ItemId,
    /// One per type parameter; they may hold type parameters of the item that uses it.
    pub type_arguments: Vec<Type>,
    /// Where its name stands.
    pub span: Span,
}

/// What a type argument must be able to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Requirement {
    /// `==`
    Equal,
    /// `<`
    Order,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `-x`
    Negate,
    /// `+` with a zero to start from.
    Numeric,
    /// A JSON form.
    Json,
    /// A place in front of the colon of a map.
    Key,
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
        }
    }
}

/// Whether calling something can wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Waits {
    /// It cannot.
    Never,
    /// When one of the function values given to it as arguments waits.
    WithArguments,
    /// It can.
    Always,
}

/// What calling a function, or one of the lambdas in it, may raise and do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The errors, without faults and without what function parameters add.
    pub errors: ErrorSet,
    /// The effects, without what function parameters add.
    pub effects: EffectSet,
    /// Whether what its function parameters raise and do comes on top.
    pub arguments: ArgumentEffects,
    /// What of that stays inside, because they are called under a `catch`.
    pub kept: Kept,
    /// Whether it can wait.
    pub waits: Waits,
}

/// Whether a function calls its function parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgumentEffects {
    /// It does, so it raises and does what they raise and do.
    Added,
    /// It does not.
    None,
}

/// Errors of function parameters that a function does not pass on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of them; also where no function parameter is called.
    All,
    /// Only these.
    Only(BTreeSet<ErrorName>),
}

impl Kept {
    /// What stays inside on both ways.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, kept) | (kept, Self::All) => kept.clone(),
            (Self::Only(some), Self::Only(others)) => Self::Only(some & others),
        }
    }

    /// What stays inside when both take something.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Only(some), Self::Only(others)) => Self::Only(some | others),
        }
    }

    /// What of `errors` does not stay inside.
    #[must_use]
    pub fn passed(&self, errors: &ErrorSet) -> ErrorSet {
        match self {
            Self::All => ErrorSet::default(),
            Self::Only(kept) => ErrorSet {
                kinds: &errors.kinds - kept,
                open: errors.open,
            },
        }
    }
}

/// The summaries of an item's bodies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemSummary {
    /// Of the `Main` body: of a call of the item.
    pub item: Summary,
    /// Of each of its bodies.
    pub parts: Vec<PartSummary>,
}

/// The summary of one body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartSummary {
    /// Which one.
    pub part: BodyPart,
    /// Whether evaluating it can wait.
    pub waits: Waits,
    /// Of each lambda in it (also those of `spawn` and `parallel`), by the expression that holds it; for `Parallel` by
    /// position as well.
    pub lambdas: Vec<((ExpressionId, u32), Summary)>,
}

impl ItemSummary {
    /// Of one of its bodies; `None` when it has no such body, or nothing is known of it.
    #[must_use]
    pub fn part(&self, part: BodyPart) -> Option<&PartSummary> {
        self.parts.iter().find(|it| it.part == part)
    }
}
