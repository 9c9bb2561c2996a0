//! Control flow, steps and tasks.

use gsw_syntax::ast::{Expression, ExpressionKind, Modifier, ModifierKind};

use crate::document::{Document, concat, group, join, nest, text};
use crate::printer::Printer;

impl Printer<'_, '_> {
    /// What starts with a word.
    pub(crate) fn control(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::Catch { value, arms } => {
                let guarded = self.expression(value);
                let braces = self.braces(value.span.end, it.span.end);
                concat([guarded, text(" catch "), self.arms(arms, braces)])
            }
            ExpressionKind::Match { value, arms } => {
                let matched = self.expression(value);
                let braces = self.braces(value.span.end, it.span.end);
                concat([text("match "), matched, text(" "), self.arms(arms, braces)])
            }
            ExpressionKind::If { .. } | ExpressionKind::IfLet { .. } => {
                let mut parts = Vec::new();
                self.branches(it, &mut parts);
                Document::Branches(parts)
            }
            _ => self.repetition(it),
        }
    }

    /// The heads and blocks of an `if` with all its `else`s.
    fn branches(&mut self, it: &Expression, parts: &mut Vec<Document>) {
        let (head, then, otherwise) = match &it.kind {
            ExpressionKind::If {
                condition,
                then,
                otherwise,
            } => {
                let head = vec![text("if "), self.expression(condition), text(" ")];
                (head, then, otherwise)
            }
            ExpressionKind::IfLet {
                pattern,
                value,
                then,
                otherwise,
            } => {
                let pattern = self.pattern(pattern);
                let value = self.expression(value);
                let head = vec![text("if let "), pattern, text(" = "), value, text(" ")];
                (head, then, otherwise)
            }
            _ => return parts.push(self.body(it)),
        };
        parts.push(concat(head));
        parts.push(self.block(then));
        if let Some(otherwise) = otherwise {
            parts.push(text(" else "));
            self.branches(otherwise, parts);
        }
    }

    fn repetition(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::Do(block) => concat([text("do "), self.block(block)]),
            ExpressionKind::For {
                pattern,
                iterable,
                body,
            } => {
                let pattern = self.pattern(pattern);
                let head = [
                    text("for "),
                    pattern,
                    text(" in "),
                    self.expression(iterable),
                    text(" "),
                ];
                concat(head.into_iter().chain([self.block(body)]))
            }
            ExpressionKind::While { condition, body } => {
                let condition = self.expression(condition);
                concat([text("while "), condition, text(" "), self.block(body)])
            }
            _ => self.exit(it),
        }
    }

    /// What stands before one expression.
    fn exit(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::Return(None) => text("return"),
            ExpressionKind::Return(Some(value)) => self.after("return ", value),
            ExpressionKind::Break => text("break"),
            ExpressionKind::Continue => text("continue"),
            ExpressionKind::Fail(value) => self.after("fail ", value),
            ExpressionKind::Emit(value) => self.after("emit ", value),
            ExpressionKind::Await(value) => self.after("await ", value),
            ExpressionKind::Race(value) => self.after("race ", value),
            ExpressionKind::Revise(value) => self.after("revise ", value),
            ExpressionKind::SpawnDetached(value) => self.after("spawn detached ", value),
            ExpressionKind::Spawn(value) => concat([text("spawn "), self.body(value)]),
            _ => self.task(it),
        }
    }

    fn after(&mut self, word: &'static str, value: &Expression) -> Document {
        concat([text(word), self.expression(value)])
    }

    fn task(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::ParallelFor {
                pattern,
                iterable,
                modifiers,
                body,
            } => {
                let pattern = self.pattern(pattern);
                let head = [
                    text("parallel for "),
                    pattern,
                    text(" in "),
                    self.expression(iterable),
                ];
                self.with_modifiers(concat(head), modifiers, body)
            }
            ExpressionKind::Step {
                name,
                modifiers,
                body,
            } => {
                let head = self.after("step ", name);
                self.with_modifiers(head, modifiers, body)
            }
            ExpressionKind::Parallel(branches) => {
                let branches = super::expressions(branches);
                concat([
                    text("parallel "),
                    self.comma_list("(", branches, ")", it.span),
                ])
            }
            ExpressionKind::Modified { modifiers, body } => {
                let modifiers: Vec<_> = modifiers.iter().map(|it| self.modifier(it)).collect();
                concat([join(modifiers, &text(" ")), text(" "), self.block(body)])
            }
            ExpressionKind::Reflect {
                call,
                max,
                until,
                by,
            } => {
                let mut document = vec![self.after("reflect ", call)];
                let parts = [(" max ", max), (" until ", until), (" by ", by)];
                for (word, part) in parts {
                    document.extend(part.as_deref().map(|part| self.after(word, part)));
                }
                concat(document)
            }
            _ => self.verbatim(it.span),
        }
    }

    /// A head that may be broken before each of its modifiers, and a body.
    fn with_modifiers(
        &mut self,
        head: Document,
        modifiers: &[Modifier],
        body: &gsw_syntax::ast::Block,
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
        let modifiers: Vec<_> = modifiers
            .iter()
            .map(|modifier| concat([Document::Line, self.modifier(modifier)]))
            .collect();
        concat(modifiers)
    }

    fn modifier(&mut self, modifier: &Modifier) -> Document {
        match &modifier.kind {
            ModifierKind::Timeout(value) => self.after("timeout ", value),
            ModifierKind::Limit(value) => self.after("limit ", value),
            ModifierKind::Errors(name) => text(format!("errors {}", name.name)),
            ModifierKind::Retry {
                count,
                backoff,
                max,
            } => {
                let mut document = vec![self.after("retry ", count)];
                document.extend(
                    backoff
                        .as_ref()
                        .map(|backoff| self.after(" backoff ", backoff)),
                );
                document.extend(max.as_ref().map(|max| self.after(" max ", max)));
                concat(document)
            }
            ModifierKind::Reflect { count, with } => {
                let mut document = vec![self.after("reflect ", count)];
                document.extend(with.as_ref().map(|with| self.after(" with ", with)));
                concat(document)
            }
            ModifierKind::Budget(arguments) => {
                concat([text("budget"), self.arguments(arguments, modifier.span)])
            }
        }
    }
}
