//! Types with their type parameters replaced.

use std::sync::Arc;

use crate::types::{FunctionType, Type};

/// `ty` with parameter n replaced by `arguments[n]`; a parameter beyond them stays.
#[must_use]
pub fn substitute(ty: &Type, arguments: &[Type]) -> Type {
    if arguments.is_empty() {
        return ty.clone();
    }
    let many = |types: &Arc<[Type]>| types.iter().map(|it| substitute(it, arguments)).collect();
    let one = |it: &Arc<Type>| Arc::new(substitute(it, arguments));
    match ty {
        Type::Parameter(index, _) => arguments
            .get(*index as usize)
            .cloned()
            .unwrap_or_else(|| ty.clone()),
        // `T?` of an optional argument is that optional.
        Type::Optional(inner) => substitute(inner, arguments).optional(),
        Type::List(inner) => Type::List(one(inner)),
        Type::Map(key, value) => Type::Map(one(key), one(value)),
        Type::Tuple(parts) => Type::Tuple(many(parts)),
        Type::Record(item, parts) if !parts.is_empty() => Type::Record(*item, many(parts)),
        Type::Enum(item, parts) if !parts.is_empty() => Type::Enum(*item, many(parts)),
        Type::Checked(item, parts) if !parts.is_empty() => Type::Checked(*item, many(parts)),
        Type::Function(function) => Type::Function(Arc::new(FunctionType {
            parameters: function
                .parameters
                .iter()
                .map(|it| substitute(it, arguments))
                .collect(),
            result: substitute(&function.result, arguments),
            latent: function.latent.clone(),
        })),
        Type::Task(inner) => Type::Task(one(inner)),
        Type::Stream(inner) => Type::Stream(one(inner)),
        Type::Queue(inner) => Type::Queue(one(inner)),
        Type::Partial(inner) => substitute(inner, arguments).partial(),
        Type::Record(..) | Type::Enum(..) | Type::Checked(..) => ty.clone(),
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
        | Type::Invalid => ty.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::substitute;
    use crate::types::Type;

    #[test]
    fn an_optional_of_an_optional_argument_is_that_optional() {
        let declared = Type::Parameter(0, "T".into()).optional();
        let argument = Type::Int.optional();
        assert_eq!(
            substitute(&declared, std::slice::from_ref(&argument)),
            argument
        );
    }
}
