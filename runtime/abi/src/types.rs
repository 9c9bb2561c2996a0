//! The type table of a program: what the runtime needs to know to free, compare, print, read and describe values.

use serde::{Deserialize, Serialize};

use crate::program::FunctionIndex;

/// An index into the type table. The lowest are fixed; see [`crate::builtin`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// One concrete type. A word of `Unit`, `Bool`, `Int`, `Float`, `Time` or `Duration` is the value itself; of any other type it
/// is the address of an object, unless the variant says otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    Unit,
    Bool,
    Int,
    Float,
    String,
    Bytes,
    /// Held inline: nanoseconds since 1970-01-01T00:00:00Z.
    Time,
    /// Held inline, in nanoseconds.
    Duration,
    /// Laid out as [`crate::layout::json`] says.
    Json,
    /// An object laid out as a string: of this type it is a template such as `Bearer ${NAME}`, whose names the runtime looks
    /// up where it is used; of type `String` it is the text itself.
    Secret,
    /// Prompt media, `image` or `document`: laid out as a string.
    Media,
    Error,
    /// A string that is one of these.
    Literals(Vec<String>),
    Optional(TypeId),
    List(TypeId),
    /// `{K: V}`, an object that belongs to the runtime.
    Map {
        /// `string`, `int` or an enum without payloads.
        key: TypeId,
        value: TypeId,
    },
    /// `Set<T>` of the library, an object of one word, the map that has the elements as its keys. In JSON it is the array of
    /// them.
    Set {
        /// What can be the key of a map.
        of: TypeId,
        /// `{T: bool}`
        members: TypeId,
    },
    Tuple(Vec<TypeId>),
    Record(Record),
    /// `enum E { … }`; held inline when no variant has a payload.
    Enum(Enum),
    /// A kind of error: built in or declared by `error`.
    ErrorKind(ErrorKind),
    /// `type A = T where check`: held as its base.
    Checked {
        name: String,
        docs: Option<String>,
        /// The type that it is an alias of.
        base: TypeId,
        check: Check,
    },
    /// A function value of one lambda or function; its captures' types in order.
    Closure(Vec<TypeId>),
    /// A function value, statically; the object's own type is a `Closure`.
    Function,
    /// A variable that closures share: an object of one word.
    Cell(TypeId),
    /// `Task<T>`: an object that belongs to the runtime.
    Task(TypeId),
    /// `Stream<T>`: an object that belongs to the runtime.
    Stream(TypeId),
    /// `Queue<T>`, by the type of the list `[T]`: its items lie in two of these.
    Queue(TypeId),
    /// `Session`: an object that belongs to the runtime.
    Session,
}

/// A record type. A generic one has one entry per set of arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Record {
    /// As declared, with arguments: `Page<int>`.
    pub name: String,
    pub docs: Option<String>,
    pub fields: Vec<Field>,
}

/// A field of a record, variant or error, or a parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    /// As in JSON: `@alias` or the name.
    pub wire: String,
    pub docs: Option<String>,
    pub ty: TypeId,
    pub default: Option<DefaultValue>,
    pub check: Option<Check>,
    pub secrecy: Secrecy,
    /// Of a parameter; fields of values take anything.
    pub trust: Trust,
}

/// What a field or parameter has where nothing is given.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct DefaultValue {
    /// A plain function that gives it. Of a record's or variant's field it takes no argument, of a parameter the
    /// parameters before it.
    pub function: FunctionIndex,
    /// It as source text, for help; `None` where that is too long for a line or must not be shown.
    pub source: Option<String>,
    /// The JSON that it is, for schemas; `None` where that is known only in a run, is too long or must not be shown.
    pub json: Option<String>,
}

/// The key by which variants and errors with fields are told apart in JSON.
pub const KIND: &str = "kind";

/// Whether something takes, or is, only what no stranger has chosen: `trusted` in source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Trust {
    #[default]
    Any,
    Trusted,
}

/// Whether a field may be shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Secrecy {
    Shown,
    /// It reads `***` in events, logs and journals.
    Redacted,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Check {
    /// A plain function: of a field `fn(it, record) -> bool` (`record` is the whole record, or 0 where the check names
    /// no sibling), of an alias `fn(it) -> bool`. It borrows nothing: both arguments are owned by it.
    pub function: FunctionIndex,
    /// Whether the check names a sibling, so that it can run only when the whole record is there.
    pub scope: CheckScope,
    /// The check as source text, for messages.
    pub source: String,
    /// What of it JSON Schema can say. All bounds together may be weaker than the check, never stronger.
    pub bounds: Vec<Bound>,
}

/// What a check reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CheckScope {
    /// The check sees nothing but the value, as `it`.
    Value,
    /// The check sees the fields beside it as well.
    Record,
}

/// A part of a check that JSON Schema can say.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Bound {
    /// `it >= n` on an int.
    MinInt(i64),
    /// `it <= n` on an int.
    MaxInt(i64),
    /// `it >= x` on a float; its bits.
    MinFloat(u64),
    /// `it > x` on a float; its bits.
    AboveFloat(u64),
    /// `it <= x` on a float; its bits.
    MaxFloat(u64),
    /// `it < x` on a float; its bits.
    BelowFloat(u64),
    /// `it.len() >= n` on a string, list or map.
    MinLength(u64),
    /// `it.len() <= n` on a string, list or map.
    MaxLength(u64),
    /// `it in a..=b` on an int.
    BetweenInts(i64, i64),
    /// `it == x` on a float; its bits.
    EqualFloat(u64),
    /// `it.len() in a..=b`, or one length, on a string, list or map.
    BetweenLengths(u64, u64),
    /// A regular expression that a string must match.
    Pattern(String),
    /// `it in [3, 5]`, or one int.
    Ints(Vec<i64>),
    /// `it in ["a", "b"]`, or one text.
    Texts(Vec<String>),
}

/// An enum type. A generic one has one entry per set of arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Enum {
    pub name: String,
    pub docs: Option<String>,
    pub variants: Vec<Variant>,
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Variant {
    pub name: String,
    /// As in JSON: `@alias` or the name.
    pub wire: String,
    pub docs: Option<String>,
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ErrorKind {
    pub name: String,
    pub docs: Option<String>,
    /// What it is to `catch`, `retry` and signatures.
    pub class: ErrorClass,
    pub fields: Vec<Field>,
}

/// What an error is to `catch`, `retry` and signatures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ErrorClass {
    /// Part of what a signature says is thrown.
    Error,
    /// Part of signatures and one of the nine that are `ModelError`.
    Model,
    /// Can happen anywhere and is part of no signature.
    Fault,
    /// The unwinding of a cancelled task or scope: no `catch` matches it.
    Unwind,
}

impl Type {
    /// The fields that its declaration has; of an enum, those of all variants.
    #[must_use]
    pub fn declared_fields(&self) -> Vec<&Field> {
        match self {
            Self::Record(it) => it.fields.iter().collect(),
            Self::Enum(it) => it.variants.iter().flat_map(|it| &it.fields).collect(),
            Self::ErrorKind(it) => it.fields.iter().collect(),
            Self::Unit
            | Self::Bool
            | Self::Int
            | Self::Float
            | Self::String
            | Self::Bytes
            | Self::Time
            | Self::Duration
            | Self::Json
            | Self::Secret
            | Self::Media
            | Self::Error
            | Self::Literals(_)
            | Self::Optional(_)
            | Self::List(_)
            | Self::Map { .. }
            | Self::Set { .. }
            | Self::Tuple(_)
            | Self::Checked { .. }
            | Self::Closure(_)
            | Self::Function
            | Self::Cell(_)
            | Self::Task(_)
            | Self::Stream(_)
            | Self::Queue(_)
            | Self::Session => Vec::new(),
        }
    }
}

impl Enum {
    /// Whether its values are held inline.
    #[must_use]
    pub fn is_inline(&self) -> bool {
        self.variants
            .iter()
            .all(|variant| variant.fields.is_empty())
    }
}

/// All types of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TypeTable {
    pub types: Vec<Type>,
}

impl TypeTable {
    /// The type with this id.
    ///
    /// # Panics
    /// When `id` is of another table; the image loader checks every id that an image holds.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The type that aliases with checks lead to.
    #[must_use]
    pub fn base(&self, mut id: TypeId) -> TypeId {
        while let Type::Checked { base, .. } = self.get(id) {
            id = *base;
        }
        id
    }

    /// Whether a word of this type is an object's address (or 0) that is counted.
    #[must_use]
    pub fn is_reference(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Unit | Type::Bool | Type::Int | Type::Float | Type::Time | Type::Duration => {
                false
            }
            Type::Enum(it) => !it.is_inline(),
            Type::Checked { base, .. } => self.is_reference(*base),
            Type::String
            | Type::Bytes
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Error
            | Type::Literals(_)
            | Type::Optional(_)
            | Type::List(_)
            | Type::Map { .. }
            | Type::Set { .. }
            | Type::Tuple(_)
            | Type::Record(_)
            | Type::ErrorKind(_)
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => true,
        }
    }

    /// Whether `T?` of this type is a box, because a word of it has no spare value for `none`.
    #[must_use]
    pub fn is_boxed_when_optional(&self, id: TypeId) -> bool {
        !self.is_reference(id)
    }
}
