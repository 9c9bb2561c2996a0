//! Declarations of data.

use gsw_source::Span;
use gsw_syntax::ast::{
    Constant, EnumDeclaration, ErrorDeclaration, Expression, FieldDeclaration, Identifier,
    RecordDeclaration, TypeExpression, Variant,
};

use crate::document::{Document, concat, nest, nothing, text};
use crate::item::head::generics;
use crate::printer::{Printer, entry};

impl<'run, 'file> Printer<'run, 'file> {
    /// `type R { … }`
    pub(super) fn record(&mut self, record: &RecordDeclaration, span: Span) -> Document {
        let braces = self.braces(record.name.span.end, span.end);
        let entries = record
            .fields
            .iter()
            .map(|field| {
                entry(
                    field_span(field),
                    move |printer: &mut Printer<'run, 'file>| printer.field(field),
                )
            })
            .collect();
        let head = [
            text(format!("type {}", record.name.name)),
            generics(&record.generics),
            text(" "),
        ];
        concat(head.into_iter().chain([self.braced(entries, braces, ",")]))
    }

    fn field(&mut self, field: &FieldDeclaration) -> Document {
        let mut document = self.prefix(&field.attributes, field_span(field).start);
        document.push(text(field.name.name.as_str()));
        document.push(self.annotation(field.name.span.end, &field.ty));
        let mut end = field.ty.span.end;
        if let Some(default) = &field.default {
            document.push(self.assigned(end, default));
            end = default.span.end;
        }
        document.push(self.check(end, field.check.as_ref()));
        concat(document)
    }

    /// ` where check` after what ends at `end`.
    fn check(&mut self, end: u32, check: Option<&Expression>) -> Document {
        let Some(check) = check else {
            return nothing();
        };
        let word = self.find(end, 'w');
        let before = self.between(end, word);
        let gap = Span::new(word + 5, check.span.start);
        match before {
            Some(comments) => {
                let check = self.signed("where", gap, |printer| printer.expression(check));
                nest(concat([comments, check]))
            }
            None => self.signed(" where", gap, |printer| printer.expression(check)),
        }
    }

    /// `type A = T where …`
    pub(super) fn alias(
        &mut self,
        name: &Identifier,
        parameters: &[Identifier],
        target: &TypeExpression,
        check: Option<&Expression>,
    ) -> Document {
        let head = [text(format!("type {}", name.name)), generics(parameters)];
        let name = parameters.last().unwrap_or(name);
        let gap = Span::new(name.span.end, target.span.start);
        let check_after = target.span.end;
        let target = self.signed(" =", gap, |printer| printer.type_expression(target));
        let check = self.check(check_after, check);
        concat(head.into_iter().chain([target, check]))
    }

    /// `enum E { … }`
    pub(super) fn enumeration(&mut self, it: &EnumDeclaration, span: Span) -> Document {
        let braces = self.braces(it.name.span.end, span.end);
        let entries = it
            .variants
            .iter()
            .map(|variant| {
                let span = self.variant_span(variant);
                entry(span, move |printer: &mut Printer<'run, 'file>| {
                    printer.variant(variant)
                })
            })
            .collect();
        let head = [
            text(format!("enum {}", it.name.name)),
            generics(&it.generics),
            text(" "),
        ];
        concat(head.into_iter().chain([self.braced(entries, braces, ",")]))
    }

    fn variant_span(&self, variant: &Variant) -> Span {
        let first = variant
            .attributes
            .first()
            .map_or(variant.name.span, |first| first.span);
        let Some(last) = variant.fields.last() else {
            return first.to(variant.name.span);
        };
        let end = last.default.as_ref().map(|default| default.span);
        let end = end
            .or(last.ty.as_ref().map(|ty| ty.span))
            .unwrap_or(last.name.span);
        Span::new(first.start, self.find(end.end, ')') + 1)
    }

    fn variant(&mut self, variant: &Variant) -> Document {
        let start = self.variant_span(variant).start;
        let mut document = self.prefix(&variant.attributes, start);
        document.push(text(variant.name.name.as_str()));
        if !variant.fields.is_empty() {
            document.push(self.parameters(&variant.fields, variant.name.span.end));
        }
        concat(document)
    }

    pub(super) fn error(&mut self, error: &ErrorDeclaration) -> Document {
        let name = text(format!("error {}", error.name.name));
        if error.fields.is_empty() {
            return name;
        }
        concat([name, self.parameters(&error.fields, error.name.span.end)])
    }

    /// `const X: T = e`
    pub(super) fn constant(&mut self, constant: &Constant) -> Document {
        let name = &constant.name;
        let head = text(format!("const {}", name.name));
        let definition = self.definition(name.span.end, constant.ty.as_ref(), &constant.value);
        concat([head, definition])
    }
}

fn field_span(field: &FieldDeclaration) -> Span {
    let first = field
        .attributes
        .first()
        .map_or(field.name.span, |first| first.span);
    let default = field
        .default
        .as_ref()
        .map_or(field.ty.span, |default| default.span);
    let check = field.check.as_ref().map_or(default, |check| check.span);
    first.to(check)
}
