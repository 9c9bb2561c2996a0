//! Types.

use gsw_source::Span;
use gsw_syntax::ast::{FunctionType, Identifier, TypeExpression, TypeExpressionKind};

use crate::document::{Document, concat, join, nothing, text};
use crate::printer::Printer;

/// Names with dots between them.
pub(crate) fn path(names: &[Identifier]) -> Document {
    let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
    text(names.join("."))
}

impl Printer<'_, '_> {
    /// `: T` after a name that ends at `end`.
    pub(crate) fn annotation(&mut self, end: u32, ty: &TypeExpression) -> Document {
        let gap = Span::new(end, ty.span.start);
        self.signed(":", gap, |printer| printer.type_expression(ty))
    }

    pub(crate) fn type_expression(&mut self, ty: &TypeExpression) -> Document {
        match &ty.kind {
            TypeExpressionKind::Named {
                path: names,
                arguments,
            } if arguments.is_empty() => path(names),
            TypeExpressionKind::Named {
                path: names,
                arguments,
            } => {
                let arguments = self.types(arguments, ", ");
                concat([path(names), text("<"), arguments, text(">")])
            }
            TypeExpressionKind::Optional(inner) => concat([self.member(inner), text("?")]),
            TypeExpressionKind::List(inner) => {
                concat([text("["), self.type_expression(inner), text("]")])
            }
            TypeExpressionKind::Map { key, value } => concat([
                text("{"),
                self.type_expression(key),
                text(": "),
                self.type_expression(value),
                text("}"),
            ]),
            TypeExpressionKind::Unit => text("()"),
            TypeExpressionKind::Tuple(members) => {
                concat([text("("), self.types(members, ", "), text(")")])
            }
            TypeExpressionKind::Literal(_) | TypeExpressionKind::Invalid => self.verbatim(ty.span),
            TypeExpressionKind::Union(members) => self.members(members),
            TypeExpressionKind::Function(function) => self.function_type(function),
        }
    }

    fn types(&mut self, types: &[TypeExpression], separator: &str) -> Document {
        let types: Vec<_> = types.iter().map(|ty| self.type_expression(ty)).collect();
        join(types, &text(separator))
    }

    /// The members of a union or of a set of errors.
    pub(crate) fn members(&mut self, members: &[TypeExpression]) -> Document {
        let members: Vec<_> = members.iter().map(|ty| self.member(ty)).collect();
        join(members, &text(" | "))
    }

    /// A type where one that reaches far to the right needs parentheses.
    fn member(&mut self, ty: &TypeExpression) -> Document {
        let inner = self.type_expression(ty);
        if matches!(
            ty.kind,
            TypeExpressionKind::Union(_) | TypeExpressionKind::Function(_)
        ) {
            concat([text("("), inner, text(")")])
        } else {
            inner
        }
    }

    fn function_type(&mut self, function: &FunctionType) -> Document {
        let parameters = self.types(&function.parameters, ", ");
        let result = match &function.result {
            Some(result) => concat([text(" -> "), self.type_expression(result)]),
            None => nothing(),
        };
        let throws = self.throws(function.throws.as_deref());
        let uses = match &function.uses {
            Some(uses) => {
                let names: Vec<&str> = uses.iter().map(|name| name.name.as_str()).collect();
                text(format!(" uses {}", names.join(" + ")))
            }
            None => nothing(),
        };
        concat([text("fn("), parameters, text(")"), result, throws, uses])
    }

    /// ` ! A | B`
    pub(crate) fn throws(&mut self, throws: Option<&[TypeExpression]>) -> Document {
        match throws {
            Some(throws) => concat([text(" ! "), self.members(throws)]),
            None => nothing(),
        }
    }
}
