//! Patterns.

use gsw_syntax::ast::{ListRest, Pattern, PatternField, PatternKind, Rest};

use crate::document::{Document, concat, join, text};
use crate::printer::Printer;
use crate::type_expression::path;

impl Printer<'_, '_> {
    pub(crate) fn pattern(&mut self, pattern: &Pattern) -> Document {
        match &pattern.kind {
            PatternKind::Wildcard => text("_"),
            PatternKind::Binding(name) => text(name.name.as_str()),
            PatternKind::Literal(_) | PatternKind::Range { .. } | PatternKind::Invalid => {
                self.verbatim(pattern.span)
            }
            PatternKind::Variant {
                path: names,
                fields: None,
                ..
            } => path(names),
            PatternKind::Variant {
                path: names,
                fields: Some(fields),
                rest,
            } => {
                let fields = self.payload(fields, *rest);
                concat([path(names), text("("), fields, text(")")])
            }
            PatternKind::Record {
                path: names,
                fields,
                rest,
            } => {
                let fields = self.record_fields(fields, *rest);
                concat([path(names), text(" { "), fields, text(" }")])
            }
            PatternKind::Tuple(members) => {
                let members: Vec<_> = members.iter().map(|member| self.pattern(member)).collect();
                concat([text("("), join(members, &text(", ")), text(")")])
            }
            PatternKind::List {
                before,
                rest,
                after,
            } => {
                let mut elements: Vec<_> = before.iter().map(|it| self.pattern(it)).collect();
                match rest {
                    ListRest::Complete => {}
                    ListRest::Ignored => elements.push(text("..")),
                    ListRest::Bound(name) => elements.push(text(format!("..{}", name.name))),
                }
                elements.extend(after.iter().map(|it| self.pattern(it)));
                concat([text("["), join(elements, &text(", ")), text("]")])
            }
            PatternKind::Or(alternatives) => {
                let alternatives: Vec<_> = alternatives
                    .iter()
                    .map(|alternative| {
                        let inner = self.pattern(alternative);
                        if matches!(alternative.kind, PatternKind::Or(_)) {
                            concat([text("("), inner, text(")")])
                        } else {
                            inner
                        }
                    })
                    .collect();
                join(alternatives, &text(" | "))
            }
        }
    }

    /// What is in the parentheses of a variant or a mock.
    pub(crate) fn payload(&mut self, fields: &[PatternField], rest: Rest) -> Document {
        let fields: Vec<_> = fields
            .iter()
            .map(|field| match &field.name {
                Some(name) => concat([
                    text(format!("{}: ", name.name)),
                    self.pattern(&field.pattern),
                ]),
                None => self.pattern(&field.pattern),
            })
            .chain((rest == Rest::Ignored).then(|| text("..")))
            .collect();
        join(fields, &text(", "))
    }

    fn record_fields(&mut self, fields: &[PatternField], rest: Rest) -> Document {
        let fields: Vec<_> = fields
            .iter()
            .map(|field| match (&field.name, &field.pattern.kind) {
                (Some(name), PatternKind::Binding(bound)) if name == bound => {
                    text(name.name.as_str())
                }
                (Some(name), _) => concat([
                    text(format!("{}: ", name.name)),
                    self.pattern(&field.pattern),
                ]),
                (None, _) => self.pattern(&field.pattern),
            })
            .chain((rest == Rest::Ignored).then(|| text("..")))
            .collect();
        join(fields, &text(", "))
    }
}
