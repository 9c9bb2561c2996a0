//! Constructors: the ways in which values of a type are made, split so that each pattern covers one wholly or not at all.

use std::collections::BTreeSet;

use gsw_names::types::Type;
use gsw_names::{Parameter, TypeDeclarationKind, alias_target, substitute, type_declaration};
use gsw_source::{Db, ItemId, Name};
use rustc_hash::FxHashSet;

/// One way in which a value is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Constructor {
    /// The only one of a record, a tuple or `()`.
    Single,
    Variant(ItemId, u32),
    /// An error of this declaration.
    Error(ItemId),
    None,
    /// A present optional.
    Some,
    Bool(bool),
    /// The ints or nanoseconds from one to the other, both included.
    Range(i64, i64),
    Text(Name),
    /// The bits of a float.
    Float(u64),
    /// A list of this length.
    Length(usize),
    /// A list of at least as many elements as there are before and after its rest.
    AtLeast(usize, usize),
    /// Every value that no pattern names.
    Other,
}

impl Constructor {
    /// Whether it covers itself and nothing else, so that rows can be looked up by it.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Range(start, end) => start == end,
            Self::AtLeast(..) => false,
            Self::Single
            | Self::Variant(..)
            | Self::Error(_)
            | Self::None
            | Self::Some
            | Self::Bool(_)
            | Self::Text(_)
            | Self::Float(_)
            | Self::Length(_)
            | Self::Other => true,
        }
    }
}

/// The type without aliases that have checks.
pub(super) fn base_type(db: &dyn Db, ty: &Type) -> Type {
    let mut ty = ty.clone();
    while let Type::Checked(item, arguments) = &ty {
        ty = substitute(&alias_target(db, *item), arguments);
    }
    ty
}

/// The types of what `constructor` takes to make a `ty`.
pub(super) fn field_types(db: &dyn Db, constructor: &Constructor, ty: &Type) -> Vec<Type> {
    let base = base_type(db, ty);
    let typed = |fields: &[Parameter], arguments: &[Type]| {
        let types = fields.iter().map(|it| substitute(&it.ty, arguments));
        types.collect::<Vec<_>>()
    };
    let declared_fields = |item, arguments: &[Type]| match declared(db, item) {
        TypeDeclarationKind::Record(fields) => typed(fields, arguments),
        TypeDeclarationKind::Enum(_) | TypeDeclarationKind::Alias { .. } => Vec::new(),
    };
    let elements = |count| vec![element(&base).unwrap_or(Type::Invalid); count];
    // A pattern that does not fit its type has been reported; what its parts are is not known then.
    match constructor {
        Constructor::Single => {
            if let Type::Tuple(parts) = &base {
                parts.to_vec()
            } else if let Type::Record(item, arguments) = &base {
                declared_fields(*item, arguments)
            } else {
                Vec::new()
            }
        }
        Constructor::Variant(item, variant) => {
            let Type::Enum(_, arguments) = &base else {
                return Vec::new();
            };
            match declared(db, *item) {
                TypeDeclarationKind::Enum(variants) => variants
                    .get(*variant as usize)
                    .map_or_else(Vec::new, |it| typed(&it.fields, arguments)),
                TypeDeclarationKind::Record(_) | TypeDeclarationKind::Alias { .. } => Vec::new(),
            }
        }
        Constructor::Error(item) => declared_fields(*item, &[]),
        Constructor::Some => {
            let Type::Optional(inside) = &base else {
                return Vec::new();
            };
            vec![(**inside).clone()]
        }
        Constructor::Length(length) => elements(*length),
        Constructor::AtLeast(before, after) => elements(before + after),
        Constructor::None
        | Constructor::Bool(_)
        | Constructor::Range(..)
        | Constructor::Text(_)
        | Constructor::Float(_)
        | Constructor::Other => Vec::new(),
    }
}

/// The type of the elements of a list.
fn element(base: &Type) -> Option<Type> {
    let Type::List(element) = base else {
        return None;
    };
    Some((**element).clone())
}

/// The type of one of these.
pub(super) fn field_type(db: &dyn Db, constructor: &Constructor, ty: &Type, index: usize) -> Type {
    // Not by way of all of them: a list pattern may be long.
    let found = if matches!(
        constructor,
        Constructor::Length(_) | Constructor::AtLeast(..)
    ) {
        element(&base_type(db, ty))
    } else {
        field_types(db, constructor, ty).get(index).cloned()
    };
    found.unwrap_or(Type::Invalid)
}

/// All constructors of `ty`, split at what `heads` name.
pub(super) fn split(db: &dyn Db, ty: &Type, heads: &[&Constructor]) -> Vec<Constructor> {
    match &base_type(db, ty) {
        Type::Bool => vec![Constructor::Bool(false), Constructor::Bool(true)],
        Type::Optional(_) => vec![Constructor::None, Constructor::Some],
        // The only strings with an end: of a plain `string` no list of texts is complete, hence `Other` below.
        Type::Literals(names) => names.iter().cloned().map(Constructor::Text).collect(),
        Type::Enum(item, _) => match declared(db, *item) {
            TypeDeclarationKind::Enum(variants) => {
                let indices = (0u32..).zip(variants).map(|(index, _)| index);
                indices
                    .map(|index| Constructor::Variant(*item, index))
                    .collect()
            }
            TypeDeclarationKind::Record(_) | TypeDeclarationKind::Alias { .. } => {
                vec![Constructor::Other]
            }
        },
        Type::Int | Type::Duration => split_ranges(heads),
        Type::List(_) => split_lengths(heads),
        Type::Tuple(_) | Type::Record(..) | Type::Unit => vec![Constructor::Single],
        Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Map(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => {
            // An open type: what the patterns name, and one more value that none of them names. Errors are among these, as a `catch` may
            // meet errors of modules that this one does not know.
            let mut seen = FxHashSet::default();
            let fresh = heads.iter().filter(|it| seen.insert(**it));
            let mut named: Vec<Constructor> = fresh.map(|it| (*it).clone()).collect();
            named.push(Constructor::Other);
            named
        }
    }
}

/// The positions of the parts of a pattern among those of a narrower constructor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Gap {
    /// How many parts keep their position.
    before: usize,
    /// How many parts that the pattern leaves open come after those.
    length: usize,
}

impl Gap {
    const NONE: Self = Self {
        before: 0,
        length: 0,
    };

    /// The place of part number `index` of the pattern.
    pub(super) fn moved(self, index: usize) -> u32 {
        let moved = if index < self.before {
            index
        } else {
            index + self.length
        };
        u32::try_from(moved).unwrap_or(u32::MAX)
    }
}

/// The positions of the parts of a pattern made by `pattern` in what the narrower `constructor` makes; `None` when it covers none
/// of it.
pub(super) fn gap(pattern: &Constructor, constructor: &Constructor) -> Option<Gap> {
    let between = |before: usize, after: usize, length: usize| {
        let length = length.checked_sub(before + after)?;
        Some(Gap { before, length })
    };
    match (pattern, constructor) {
        // `split` cuts at both ends of every range, so a range covers all of a piece or none of it.
        (Constructor::Range(start, end), Constructor::Range(from, to)) => {
            (start <= from && to <= end).then_some(Gap::NONE)
        }
        (Constructor::AtLeast(before, after), Constructor::Length(length)) => {
            between(*before, *after, *length)
        }
        (Constructor::AtLeast(before, after), Constructor::AtLeast(most_before, most_after)) => {
            between(*before, *after, most_before + most_after)
        }
        (same, other) => (same == other).then_some(Gap::NONE),
    }
}

/// Every int, cut where a range of `heads` starts or ends.
fn split_ranges(heads: &[&Constructor]) -> Vec<Constructor> {
    let mut starts: BTreeSet<i64> = BTreeSet::from([i64::MIN]);
    for head in heads {
        if let Constructor::Range(start, end) = head {
            starts.insert(*start);
            // No cut after the last int, which has no successor.
            starts.extend(end.checked_add(1));
        }
    }
    let starts: Vec<i64> = starts.into_iter().collect();
    let ends = starts.iter().skip(1).map(|it| it - 1).chain([i64::MAX]);
    let pairs = starts.iter().copied().zip(ends);
    pairs
        .map(|(start, end)| Constructor::Range(start, end))
        .collect()
}

/// Every length up to the longest that matters, and all beyond it.
fn split_lengths(heads: &[&Constructor]) -> Vec<Constructor> {
    let (mut fixed, mut before, mut after) = (0, 0, 0);
    for head in heads {
        match head {
            Constructor::Length(length) => fixed = fixed.max(length + 1),
            Constructor::AtLeast(first, last) => {
                before = before.max(*first);
                after = after.max(*last);
            }
            Constructor::Single
            | Constructor::Variant(..)
            | Constructor::Error(_)
            | Constructor::None
            | Constructor::Some
            | Constructor::Bool(_)
            | Constructor::Range(..)
            | Constructor::Text(_)
            | Constructor::Float(_)
            | Constructor::Other => {}
        }
    }
    // From this length on every `[a, ..]` and `[.., z]` sees different elements and no fixed length applies, so all longer lists
    // behave alike and are one constructor.
    let longest = fixed.max(before + after);
    let mut all: Vec<Constructor> = (0..longest).map(Constructor::Length).collect();
    // Split so that `after` elements are counted from the end: patterns before the rest and after it keep their places.
    all.push(Constructor::AtLeast(longest - after, after));
    all
}

fn declared(db: &dyn Db, item: ItemId) -> &TypeDeclarationKind {
    &type_declaration(db, item).declaration.kind
}
