//! What freeing needs to know of each type, computed once per program.

use gsw_abi::types::{Field, Type, TypeId, TypeTable};

use crate::value::{self, queue};

/// How an object of a type owns other objects.
#[derive(Debug)]
pub(super) enum Shape {
    /// Words of this type are no objects.
    Inline,
    /// Laid out as a string.
    Bytes,
    /// A fixed number of words: records, tuples, boxes, cells, closures, errors.
    Words(Fields),
    /// By variant.
    Variants(Box<[Fields]>),
    List {
        counted: bool,
    },
    Map {
        key: bool,
        value: bool,
    },
    Json,
    /// One word, a handle that the run itself looks after.
    Opaque,
}

/// The words of an object, and which of them are counted.
#[derive(Debug)]
pub(super) struct Fields {
    words: u32,
    counted: Box<[u32]>,
}

impl Fields {
    /// The counted words of the object `word`.
    pub(super) fn references(&self, word: u64) -> impl Iterator<Item = u64> + '_ {
        self.counted
            .iter()
            .map(move |&index| value::field(word, index as usize))
    }

    /// The object's bytes after its header.
    pub(super) fn bytes(&self) -> usize {
        8 * self.words as usize
    }
}

/// The shapes of all types.
pub(super) fn shapes(types: &TypeTable) -> Box<[Shape]> {
    (0..types.types.len())
        .map(|index| shape(types, TypeId(index as u32)))
        .collect()
}

fn shape(types: &TypeTable, id: TypeId) -> Shape {
    match types.get(types.base(id)) {
        Type::Unit | Type::Bool | Type::Int | Type::Float | Type::Time | Type::Duration => {
            Shape::Inline
        }
        Type::String | Type::Bytes | Type::Secret | Type::Media | Type::Literals(_) => Shape::Bytes,
        Type::Json => Shape::Json,
        // An object's own type is never one of the next two: values of them carry the kind's or the closure's type.
        // Words of these types are counted, which is all that is asked of the shape.
        Type::Error | Type::Function => Shape::Words(words(types, 0, &[])),
        Type::Task(_) | Type::Stream(_) | Type::Session => Shape::Opaque,
        Type::Queue(_) => Shape::Words(Fields {
            words: queue::WORDS as u32,
            counted: queue::LISTS.map(|it| it as u32).into(),
        }),
        Type::Optional(of) | Type::Cell(of) => Shape::Words(words(types, 0, &[*of])),
        Type::List(of) => Shape::List {
            counted: types.is_reference(*of),
        },
        Type::Map { key, value } => Shape::Map {
            key: types.is_reference(*key),
            value: types.is_reference(*value),
        },
        Type::Set { members, .. } => Shape::Words(words(types, 0, &[*members])),
        Type::Tuple(parts) => Shape::Words(words(types, 0, parts)),
        Type::Record(record) => Shape::Words(words(types, 0, &field_types(&record.fields))),
        Type::Enum(it) if it.is_inline() => Shape::Inline,
        Type::Enum(it) => {
            let fields = |fields: &[Field]| words(types, 0, &field_types(fields));
            Shape::Variants(
                it.variants
                    .iter()
                    .map(|variant| fields(&variant.fields))
                    .collect(),
            )
        }
        Type::ErrorKind(kind) => {
            let mut fields = words(types, 1, &field_types(&kind.fields));
            // The trace is 0 or a list of spans.
            fields.counted = std::iter::once(0).chain(fields.counted).collect();
            Shape::Words(fields)
        }
        Type::Closure(captures) => Shape::Words(words(types, 1, captures)),
        Type::Checked { .. } => unreachable!("`base` looks through checks"),
    }
}

fn words(types: &TypeTable, before: u32, of: &[TypeId]) -> Fields {
    let counted = of
        .iter()
        .enumerate()
        .filter(|(_, ty)| types.is_reference(**ty));
    Fields {
        words: before + of.len() as u32,
        counted: counted.map(|(index, _)| before + index as u32).collect(),
    }
}

fn field_types(fields: &[Field]) -> Vec<TypeId> {
    fields.iter().map(|field| field.ty).collect()
}

/// By type: whether a value always equals itself, so that one object need not be compared with itself.
pub(super) fn reflexive(types: &TypeTable) -> Box<[bool]> {
    let mut reflexive = vec![true; types.types.len()];
    // Types may contain themselves, so what is found is spread until nothing changes.
    loop {
        let mut changed = false;
        for index in 0..reflexive.len() {
            if reflexive[index] && !parts_are_reflexive(types.get(TypeId(index as u32)), &reflexive)
            {
                reflexive[index] = false;
                changed = true;
            }
        }
        if !changed {
            return reflexive.into();
        }
    }
}

fn parts_are_reflexive(ty: &Type, reflexive: &[bool]) -> bool {
    let is = |id: &TypeId| reflexive[id.0 as usize];
    let are = |fields: &[Field]| fields.iter().all(|field| is(&field.ty));
    match ty {
        // An error may be of any kind.
        // NaN equals nothing, itself included.
        Type::Float | Type::Error => false,
        Type::Optional(of) | Type::List(of) | Type::Checked { base: of, .. } => is(of),
        // Keys are never floats, so only the values decide.
        Type::Map { value, .. } => is(value),
        Type::Set { members, .. } => is(members),
        Type::Tuple(parts) => parts.iter().all(is),
        Type::Record(record) => are(&record.fields),
        Type::Enum(it) => it.variants.iter().all(|variant| are(&variant.fields)),
        Type::ErrorKind(kind) => are(&kind.fields),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Literals(_)
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => true,
    }
}
