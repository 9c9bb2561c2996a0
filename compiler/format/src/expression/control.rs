//! The heads of control flow and modifiers.

use gsw_syntax::ast::{Block, Expression, ExpressionKind, Modifier, ModifierKind, Pattern};

use crate::document::{Document, concat, group, nest, text};
use crate::printer::Printer;

impl Printer<'_, '_> {
    /// An `if` with all its `else`s.
    pub(super) fn conditional(&mut self, it: &Expression) -> Document {
        let mut parts = Vec::new();
        self.branches(it, &mut parts);
        Document::Branches(parts)
    }

    /// The heads and blocks of an `if` with all its `else`s.
    fn branches(&mut self, it: &Expression, parts: &mut Vec<Document>) {
        let (then, otherwise) = if let ExpressionKind::If {
            condition,
            then,
            otherwise,
        } = &it.kind
        {
            let condition = self.expression(condition);
            parts.push(concat([text("if "), condition, text(" ")]));
            (then, otherwise)
        } else {
            parts.push(self.body(it));
            return;
        };
        parts.push(self.block(then));
        if let Some(otherwise) = otherwise {
            let end = then.span.end;
            let comments = self.between(end, self.next_token(end));
            parts.push(match comments {
                Some(comments) => concat([comments, text("else ")]),
                None => text(" else "),
            });
            self.branches(otherwise, parts);
        }
    }

    /// The head of a loop over the elements of `iterable`.
    pub(super) fn loop_head(
        &mut self,
        words: &'static str,
        pattern: &Pattern,
        iterable: &Expression,
    ) -> Document {
        let pattern = self.pattern(pattern);
        let iterable = self.expression(iterable);
        concat([text(words), pattern, text(" in "), iterable])
    }

    /// A head that may be broken before each of its modifiers, and a body.
    pub(super) fn with_modifiers(
        &mut self,
        head: Document,
        modifiers: &[Modifier],
        body: &Block,
    ) -> Document {
        let modifiers = self.modifiers(modifiers);
        concat([
            group(concat([head, nest(modifiers)])),
            text(" "),
            self.block(body),
        ])
    }

    /// Modifiers, each with a place to break before it.
    pub(crate) fn modifiers(&mut self, modifiers: &[Modifier]) -> Document {
        let mut documents = Vec::new();
        for modifier in modifiers {
            let before = self.right_before(modifier.span.start);
            documents.push(before.unwrap_or(Document::Line));
            documents.push(self.modifier(modifier));
        }
        concat(documents)
    }

    pub(super) fn modifier(&mut self, modifier: &Modifier) -> Document {
        let name = modifier.kind.name().text();
        let mut document = vec![text(name)];
        let mut part = |word: &'static str, value: &Expression| {
            document.push(text(word));
            document.push(self.expression(value));
        };
        match &modifier.kind {
            ModifierKind::Timeout(value) | ModifierKind::Limit(value) => part(" ", value),
            ModifierKind::Retry {
                count,
                backoff,
                max,
            } => {
                part(" ", count);
                backoff
                    .iter()
                    .for_each(|backoff| part(" backoff ", backoff));
                max.iter().for_each(|max| part(" max ", max));
            }
            ModifierKind::Reflect { count, with } => {
                part(" ", count);
                with.iter().for_each(|with| part(" with ", with));
            }
            ModifierKind::Budget(arguments) => {
                document.push(self.arguments(arguments, modifier.span));
            }
            ModifierKind::Errors(policy) => document.push(text(format!(" {}", policy.name))),
        }
        concat(document)
    }
}
