//! Types as lists.

use crate::ast::{TypeExpression, TypeExpressionKind};
use crate::dump::{Node, path, quoted, word};

pub(super) fn type_expression(ty: &TypeExpression) -> Node {
    match &ty.kind {
        TypeExpressionKind::Named {
            path: names,
            arguments,
        } if arguments.is_empty() => path(names),
        TypeExpressionKind::Named {
            path: names,
            arguments,
        } => Node::List(
            std::iter::once(path(names))
                .chain(arguments.iter().map(type_expression))
                .collect(),
        ),
        TypeExpressionKind::Optional(inner) => Node::list("optional", [type_expression(inner)]),
        TypeExpressionKind::List(inner) => Node::list("list", [type_expression(inner)]),
        TypeExpressionKind::Map { key, value } => {
            Node::list("map", [type_expression(key), type_expression(value)])
        }
        TypeExpressionKind::Unit => word("()"),
        TypeExpressionKind::Tuple(members) => {
            Node::list("tuple", members.iter().map(type_expression))
        }
        TypeExpressionKind::Literal(text) => quoted(text),
        TypeExpressionKind::Union(members) => {
            Node::list("union", members.iter().map(type_expression))
        }
        TypeExpressionKind::Function(function) => {
            let parameters = function.parameters.iter().map(type_expression).collect();
            let throws = function
                .throws
                .iter()
                .map(|throws| Node::list("throws", throws.iter().map(type_expression)));
            let uses = function
                .uses
                .iter()
                .map(|uses| Node::list("uses", uses.iter().map(|name| word(&name.name))));
            let result = function.result.iter().map(type_expression);
            Node::list(
                "fn",
                std::iter::once(Node::List(parameters))
                    .chain(result)
                    .chain(throws)
                    .chain(uses),
            )
        }
        TypeExpressionKind::Invalid => word("invalid"),
    }
}
