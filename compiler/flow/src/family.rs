//! Families of types that operators and conversions treat alike.

use std::sync::Arc;

use gsw_names::types::Type;

/// What the language's operators, `[ ]`, `in`, `for` and conversions distinguish in a type that no check is left
/// around.
///
/// A new type finds its place in [`Family::of`]; what code does with a new family, rustc asks for in each traversal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// `()` and what never has a value. Also what only a wrong program holds, of which nothing is compiled.
    Nothing,
    Bool,
    Int,
    /// `duration`: an int, but in JSON and text.
    Duration,
    Time,
    Float,
    /// `string` and unions of literals, which are held as one.
    Text,
    Secret,
    /// `image`, `document`
    Media,
    Json,
    /// `[T]`, with `T`.
    List(Arc<Type>),
    /// `{K: V}`, with `K` and `V`.
    Map(Arc<Type>, Arc<Type>),
    /// What no operator but `==` takes: the runtime compares, shows and orders it by its entry in the type table.
    Plain,
}

impl Family {
    /// The family of a type that is not checked: [`crate::lower::Lowering::base_type`] looks through checks.
    pub fn of(base: &Type) -> Self {
        match base {
            Type::Unit | Type::Never => Self::Nothing,
            Type::Bool => Self::Bool,
            Type::Int | Type::Agent => Self::Int,
            Type::Duration => Self::Duration,
            Type::Time => Self::Time,
            Type::Float => Self::Float,
            Type::String | Type::Literals(_) => Self::Text,
            Type::Secret => Self::Secret,
            Type::Image | Type::Document => Self::Media,
            Type::Json => Self::Json,
            Type::List(element) => Self::List(Arc::clone(element)),
            Type::Map(key, value) => Self::Map(Arc::clone(key), Arc::clone(value)),
            Type::Bytes
            | Type::Session
            | Type::Error
            | Type::Optional(_)
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_) => Self::Plain,
            // A check would have been looked through, and instances are concrete.
            Type::Checked(..)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => Self::Nothing,
        }
    }
}
