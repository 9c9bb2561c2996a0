//! Patterns.

use gsw_source::Span;
use gsw_syntax::ast::{Identifier, ListRest, Pattern, PatternField, PatternKind, Rest};

use crate::document::{Document, concat, text};
use crate::printer::{Entry, Printer, entry};
use crate::type_expression::path;

impl<'run, 'file> Printer<'run, 'file> {
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
                let span = after_path(names, pattern.span);
                concat([path(names), self.payload(fields, *rest, span)])
            }
            PatternKind::Record {
                path: names,
                fields,
                rest,
            } => {
                let fields = self.record_fields(fields, *rest, after_path(names, pattern.span));
                concat([path(names), text(" "), fields])
            }
            PatternKind::Tuple(members) => {
                let entries = members.iter().map(pattern_entry).collect();
                self.short_list("(", entries, ")", pattern.span)
            }
            PatternKind::List {
                before,
                rest,
                after,
            } => {
                let start = before.last().map_or(pattern.span.start, |it| it.span.end);
                let rest = self.list_rest(rest, start);
                let before = before.iter().map(pattern_entry);
                let after = after.iter().map(pattern_entry);
                let entries = before.chain(rest).chain(after).collect();
                self.short_list("[", entries, "]", pattern.span)
            }
            PatternKind::Or(alternatives) => {
                let parts = alternatives.iter().map(|alternative| {
                    entry(
                        alternative.span,
                        move |printer: &mut Printer<'run, 'file>| printer.alternative(alternative),
                    )
                });
                self.alternatives(parts.collect())
            }
        }
    }

    /// A pattern between `|`.
    fn alternative(&mut self, pattern: &Pattern) -> Document {
        let inner = self.pattern(pattern);
        if matches!(pattern.kind, PatternKind::Or(_)) {
            concat([text("("), inner, text(")")])
        } else {
            inner
        }
    }

    /// What is left out of a list, which is written after `start`.
    fn list_rest<'tree>(
        &self,
        rest: &'tree ListRest,
        start: u32,
    ) -> Option<Entry<'run, 'file, 'tree>> {
        let name = match rest {
            ListRest::Complete => return None,
            ListRest::Ignored => None,
            ListRest::Bound(name) => Some(name),
        };
        let dots = self.find(start, '.');
        let end = name.map_or(dots + 2, |it| it.span.end);
        let name = name.map_or("", |it| it.name.as_str());
        Some(entry(Span::new(dots, end), move |_| {
            text(format!("..{name}"))
        }))
    }

    /// The braces of a record, which are in `span`.
    fn record_fields(&mut self, fields: &[PatternField], rest: Rest, span: Span) -> Document {
        let span = Span::new(self.find(span.start, '{'), span.end);
        let entries = self.fields(fields, rest, span);
        if self.comments.are_in(span.shifted(self.offset)) {
            self.braced(entries, span, ",")
        } else {
            self.short_list("{ ", entries, " }", span)
        }
    }

    /// The parentheses of a variant or a mock.
    pub(crate) fn payload(&mut self, fields: &[PatternField], rest: Rest, span: Span) -> Document {
        let entries = self.fields(fields, rest, span);
        self.short_list("(", entries, ")", span)
    }

    /// The fields in the brackets of `span`, and `..` after them.
    fn fields<'tree>(
        &self,
        fields: &'tree [PatternField],
        rest: Rest,
        span: Span,
    ) -> Vec<Entry<'run, 'file, 'tree>> {
        let mut entries: Vec<_> = fields.iter().map(field_entry).collect();
        if rest == Rest::Ignored {
            let start = entries.last().map_or(span.start, |it| it.span.end);
            let dots = self.find(start, '.');
            let end = span.end.saturating_sub(1);
            // It may be written before fields, after which it is printed.
            let written = match dots < end {
                true => Span::new(dots, dots + 2),
                false => Span::new(end, end),
            };
            entries.push(entry(written, |_| text("..")));
        }
        entries
    }

    fn pattern_field(&mut self, field: &PatternField) -> Document {
        let Some(name) = &field.name else {
            return self.pattern(&field.pattern);
        };
        let written = text(name.name.as_str());
        if field.pattern.span == name.span {
            return written;
        }
        let gap = Span::new(name.span.end, field.pattern.span.start);
        let value = self.signed(":", gap, |printer| printer.pattern(&field.pattern));
        concat([written, value])
    }
}

/// What follows the path of a pattern.
fn after_path(names: &[Identifier], pattern: Span) -> Span {
    let start = names.last().map_or(pattern.start, |it| it.span.end);
    Span::new(start, pattern.end)
}

fn pattern_entry<'run, 'file, 'tree>(pattern: &'tree Pattern) -> Entry<'run, 'file, 'tree> {
    entry(pattern.span, move |printer: &mut Printer<'run, 'file>| {
        printer.pattern(pattern)
    })
}

fn field_entry<'run, 'file, 'tree>(field: &'tree PatternField) -> Entry<'run, 'file, 'tree> {
    let pattern = field.pattern.span;
    let span = field
        .name
        .as_ref()
        .map_or(pattern, |it| it.span.to(pattern));
    entry(span, move |printer: &mut Printer<'run, 'file>| {
        printer.pattern_field(field)
    })
}
