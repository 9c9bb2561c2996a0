//! Types as the checker knows them.

use std::sync::Arc;

use gsw_abi::permission::Permission;
use gsw_source::{ItemId, Name};

use crate::error_kinds::ErrorKinds;

/// A type. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Unit,
    Bool,
    Int,
    Float,
    String,
    Bytes,
    Time,
    Duration,
    Json,
    Secret,
    Image,
    Document,
    Session,
    /// `Error`, the open sum; every error value has this type.
    Error,
    /// An agent's name used as a value: `by reviewer`.
    Agent,
    /// What has no value: `return`, `fail`, `break`; fits every type.
    Never,
    /// `"a" | "b"`: sorted, without repeats.
    Literals(Arc<[Name]>),
    /// `T?`; never of an optional.
    Optional(Arc<Type>),
    List(Arc<Type>),
    /// `{K: V}`
    Map(Arc<Type>, Arc<Type>),
    /// `(A, B)`
    Tuple(Arc<[Type]>),
    /// A record, by declaration and arguments.
    Record(ItemId, Arc<[Type]>),
    /// An enum, by declaration and arguments.
    Enum(ItemId, Arc<[Type]>),
    /// An alias with a check, by declaration and arguments. One without a check is what it stands for.
    Checked(ItemId, Arc<[Type]>),
    Function(Arc<FunctionType>),
    Task(Arc<Type>),
    Stream(Arc<Type>),
    /// Invariant in what it holds: its holder both gives and takes.
    Queue(Arc<Type>),
    Partial(Arc<Type>),
    /// A type parameter of the enclosing declaration, by position.
    Parameter(u32, Name),
    /// Not known yet; only during inference.
    Variable(TypeVariable),
    /// Strings of which it is not known yet whether they are one of some literals; only during inference.
    Text(TextVariable),
    /// Something was wrong and has been reported; fits everything, so that nothing is reported twice.
    Invalid,
}

/// A type to be found by inference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeVariable(pub u32);

/// `string` or a union of literals, to be found by inference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextVariable(pub u32);

/// The type of a function value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub parameters: Vec<Type>,
    pub result: Type,
    /// What it may raise and do, where the type says it (`! X uses net`). `None` as a parameter's own type: whatever the
    /// argument raises and does; stored: anything.
    pub latent: Option<Latent>,
}

/// What calling something may raise and do.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Latent {
    /// The errors, without faults.
    pub errors: ErrorSet,
    pub effects: EffectSet,
}

/// A set of errors; faults are never part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ErrorSet {
    /// The declarations, built-in ones included.
    pub kinds: ErrorKinds,
    /// Whether any error may be raised (a stored function, `fail e` of an open `Error`).
    pub open: bool,
}

/// An error by name and declaration; sorts by name, so that sets read the same everywhere.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ErrorName {
    pub name: Name,
    /// Its declaration; a built-in's is in `std/prelude`.
    pub item: ItemId,
}

/// A set of effects, in the order of the page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct EffectSet(pub u16);

/// What a function can do to the outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u16)]
pub enum Effect {
    Model = 1,
    FsRead = 2,
    FsWrite = 4,
    Net = 8,
    Exec = 16,
    Env = 32,
    /// Reads the clock or sleeps.
    Time = 64,
    Random = 128,
    Human = 256,
    Spawn = 512,
    /// Calls a tool of the program that embeds this one.
    Host = 1024,
    /// Waits for an answer from outside.
    External = 2048,
}

impl Effect {
    /// All of them, in order.
    pub const ALL: &'static [Self] = &[
        Self::Model,
        Self::FsRead,
        Self::FsWrite,
        Self::Net,
        Self::Exec,
        Self::Env,
        Self::Time,
        Self::Random,
        Self::Human,
        Self::Spawn,
        Self::Host,
        Self::External,
    ];

    /// The effect that a program writes as `name` after `uses`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// As written after `uses`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::FsRead => Permission::FsRead.name(),
            Self::FsWrite => Permission::FsWrite.name(),
            Self::Net => Permission::Net.name(),
            Self::Exec => Permission::Exec.name(),
            Self::Env => Permission::Env.name(),
            Self::Time => "time",
            Self::Random => "random",
            Self::Human => "human",
            Self::Spawn => "spawn",
            Self::Host => "host",
            Self::External => "external",
        }
    }

    /// What permits it, where something must.
    #[must_use]
    pub const fn permission(self) -> Option<Permission> {
        match self {
            Self::FsRead => Some(Permission::FsRead),
            Self::FsWrite => Some(Permission::FsWrite),
            Self::Net => Some(Permission::Net),
            Self::Exec => Some(Permission::Exec),
            Self::Env => Some(Permission::Env),
            Self::Model
            | Self::Time
            | Self::Random
            | Self::Human
            | Self::Spawn
            | Self::Host
            | Self::External => None,
        }
    }
}

impl EffectSet {
    pub const ALL: Self = Self(4095);

    /// Whether `effect` is in it.
    #[must_use]
    pub const fn has(self, effect: Effect) -> bool {
        self.0 & effect as u16 != 0
    }

    /// The set with `effect` in it.
    #[must_use]
    pub const fn with(self, effect: Effect) -> Self {
        Self(self.0 | effect as u16)
    }

    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.iter().copied().filter(move |&it| self.has(it))
    }
}

impl ErrorSet {
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            kinds: ErrorKinds::new(),
            open: false,
        }
    }

    pub fn extend(&mut self, other: &Self) {
        self.kinds.join(&other.kinds);
        self.open |= other.open;
    }

    /// Whether nothing can be raised.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && !self.open
    }
}

/// Whether values of `ty` are images or documents, or optionals or lists of these: what is put into a prompt as it is.
#[must_use]
pub fn is_media(ty: &Type) -> bool {
    if let Type::Optional(inner) | Type::List(inner) = ty {
        return is_media(inner);
    }
    matches!(ty, Type::Image | Type::Document)
}

/// What the values of a type are, where rules treat many types alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    /// Data or made of parts, which decide; also a type that is not known yet.
    Data,
    /// Bytes for a model that are no part of JSON: images and documents.
    Media,
    Secret,
    Agent,
    /// Bound to the run that made it, so it can be neither compared nor recorded.
    Live,
}

/// The types that `ty` is made of.
#[must_use]
pub fn parts(ty: &Type) -> Vec<Type> {
    let mut found = Vec::new();
    any_part(ty, |it| {
        found.push(it.clone());
        false
    });
    found
}

/// Whether one of the types that `ty` is made of is wanted.
pub fn any_part(ty: &Type, mut is_wanted: impl FnMut(&Type) -> bool) -> bool {
    match ty {
        Type::Optional(inner)
        | Type::List(inner)
        | Type::Task(inner)
        | Type::Stream(inner)
        | Type::Queue(inner)
        | Type::Partial(inner) => is_wanted(inner),
        Type::Map(key, value) => is_wanted(key) || is_wanted(value),
        Type::Tuple(types)
        | Type::Record(_, types)
        | Type::Enum(_, types)
        | Type::Checked(_, types) => types.iter().any(is_wanted),
        Type::Function(function) => {
            let FunctionType {
                parameters, result, ..
            } = &**function;
            parameters.iter().any(&mut is_wanted) || is_wanted(result)
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
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => false,
    }
}

impl Type {
    #[must_use]
    pub const fn nature(&self) -> Nature {
        match self {
            Self::Function(_)
            | Self::Task(_)
            | Self::Stream(_)
            | Self::Queue(_)
            | Self::Session => Nature::Live,
            Self::Secret => Nature::Secret,
            Self::Agent => Nature::Agent,
            Self::Image | Self::Document => Nature::Media,
            Self::Unit
            | Self::Bool
            | Self::Int
            | Self::Float
            | Self::String
            | Self::Bytes
            | Self::Time
            | Self::Duration
            | Self::Json
            | Self::Error
            | Self::Never
            | Self::Literals(_)
            | Self::Optional(_)
            | Self::List(_)
            | Self::Map(..)
            | Self::Tuple(_)
            | Self::Record(..)
            | Self::Enum(..)
            | Self::Checked(..)
            | Self::Partial(_)
            | Self::Parameter(..)
            | Self::Variable(_)
            | Self::Text(_)
            | Self::Invalid => Nature::Data,
        }
    }

    /// What there is of a value of this type, whose check is looked through, while it still arrives: of a record some fields;
    /// everything else is of its own type. Of an optional it is what there is of a value that is there.
    #[must_use]
    pub fn partial(self) -> Self {
        if let Self::Optional(inner) = self {
            return Arc::unwrap_or_clone(inner).partial();
        }
        // What a parameter or variable stands for may be a record.
        if matches!(
            self,
            Self::Record(..) | Self::Parameter(..) | Self::Variable(_)
        ) {
            return Self::Partial(Arc::new(self));
        }
        self
    }

    /// `T?`, which for an optional is the type itself.
    #[must_use]
    pub fn optional(self) -> Self {
        if matches!(self, Self::Optional(_) | Self::Invalid) {
            return self;
        }
        Self::Optional(Arc::new(self))
    }

    #[must_use]
    pub fn list(self) -> Self {
        Self::List(Arc::new(self))
    }
}

impl Ord for ErrorName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let id = |it: &Self| salsa::plumbing::AsId::as_id(&it.item);
        self.name
            .cmp(&other.name)
            .then_with(|| id(self).cmp(&id(other)))
    }
}

impl PartialOrd for ErrorName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
