//! Types.

use gsw_source::Span;
use gsw_syntax::ast::{FunctionType, Identifier, TypeExpression, TypeExpressionKind};

use crate::document::{Document, concat, nest, nothing, text};
use crate::printer::{Entry, Printer, entry};

/// Names with dots between them.
pub(crate) fn path(names: &[Identifier]) -> Document {
    let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
    text(names.join("."))
}

impl<'run, 'file> Printer<'run, 'file> {
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
                let start = names.last().map_or(ty.span.start, |it| it.span.end);
                let span = Span::new(start, ty.span.end);
                concat([path(names), self.types("<", arguments, ">", span)])
            }
            TypeExpressionKind::Optional(inner) => concat([self.member(inner), text("?")]),
            TypeExpressionKind::List(inner) => self.enclosed("[", type_entry(inner), "]", ty.span),
            TypeExpressionKind::Map { key, value } => {
                let part = entry(
                    key.span.to(value.span),
                    move |printer: &mut Printer<'run, 'file>| {
                        let written = printer.type_expression(key);
                        concat([written, printer.annotation(key.span.end, value)])
                    },
                );
                self.enclosed("{", part, "}", ty.span)
            }
            TypeExpressionKind::Unit => text("()"),
            TypeExpressionKind::Tuple(members) => self.types("(", members, ")", ty.span),
            TypeExpressionKind::Literal(_) | TypeExpressionKind::Invalid => self.verbatim(ty.span),
            TypeExpressionKind::Union(members) => self.members(members),
            TypeExpressionKind::Function(function) => self.function_type(function, ty.span),
        }
    }

    /// Types in brackets.
    fn types(
        &mut self,
        open: &'static str,
        types: &[TypeExpression],
        close: &'static str,
        span: Span,
    ) -> Document {
        let entries = types.iter().map(type_entry).collect();
        self.short_list(open, entries, close, span)
    }

    /// The members of a union or of a set of errors.
    pub(crate) fn members(&mut self, members: &[TypeExpression]) -> Document {
        let members = members.iter().map(|ty| {
            entry(ty.span, move |printer: &mut Printer<'run, 'file>| {
                printer.member(ty)
            })
        });
        self.alternatives(members.collect())
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

    fn function_type(&mut self, function: &FunctionType, span: Span) -> Document {
        let start = self.find(span.start, '(');
        let last = function.parameters.last().map_or(start, |it| it.span.end);
        let end = self.find(last, ')') + 1;
        let parameters = self.types("(", &function.parameters, ")", Span::new(start, end));
        // Comments stay behind the signs: between `<` and `>` a line that begins with one continues nothing.
        let result = match &function.result {
            Some(result) => {
                let gap = Span::new(end, result.span.start);
                self.signed(" ->", gap, |printer| printer.type_expression(result))
            }
            None => nothing(),
        };
        let end = function.result.as_ref().map_or(end, |it| it.span.end);
        let throws = match function.throws.as_deref() {
            Some(throws @ [first, ..]) => {
                let gap = Span::new(end, first.span.start);
                self.signed(" !", gap, |printer| printer.members(throws))
            }
            Some([]) | None => nothing(),
        };
        let uses = match &function.uses {
            Some(uses) => {
                let names: Vec<&str> = uses.iter().map(|name| name.name.as_str()).collect();
                text(format!(" uses {}", names.join(" + ")))
            }
            None => nothing(),
        };
        concat([text("fn"), parameters, result, throws, uses])
    }

    /// ` -> T` of a declaration after what ends at `end`.
    pub(crate) fn result(&mut self, end: u32, result: Option<&TypeExpression>) -> Document {
        let Some(result) = result else {
            return nothing();
        };
        let arrow = self.find(end, '-');
        let before = self.right_before(arrow);
        let gap = Span::new(arrow + 2, result.span.start);
        match before {
            Some(comments) => {
                let result = self.signed("->", gap, |printer| printer.type_expression(result));
                nest(concat([comments, result]))
            }
            None => self.signed(" ->", gap, |printer| printer.type_expression(result)),
        }
    }

    /// ` ! A | B` of a declaration after what ends at `end`.
    pub(crate) fn throws(&mut self, end: u32, throws: Option<&[TypeExpression]>) -> Document {
        let Some(throws @ [first, ..]) = throws else {
            return nothing();
        };
        match self.between(end, first.span.start) {
            Some(comments) => nest(concat([comments, text("! "), self.members(throws)])),
            None => concat([text(" ! "), self.members(throws)]),
        }
    }
}

fn type_entry<'run, 'file, 'tree>(ty: &'tree TypeExpression) -> Entry<'run, 'file, 'tree> {
    entry(ty.span, move |printer: &mut Printer<'run, 'file>| {
        printer.type_expression(ty)
    })
}
