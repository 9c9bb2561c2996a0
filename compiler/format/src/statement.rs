//! Blocks and statements.

use gsw_source::Span;
use gsw_syntax::ast::{
    AssertExpectation, Block, Expression, Identifier, PatternField, Rest, ScriptTurn,
    ScriptTurnKind, Statement, StatementKind, TypeExpression,
};

use crate::document::{Document, concat, group, join, nest, nothing, text};
use crate::printer::{Printer, entry};
use crate::type_expression::path;

impl Printer<'_, '_> {
    pub(crate) fn block(&mut self, block: &Block) -> Document {
        let entries = block
            .statements
            .iter()
            .map(|statement| {
                entry(statement.span, move |printer: &mut Printer<'_, '_>| {
                    printer.statement(statement)
                })
            })
            .collect();
        self.braced(entries, block.span, ";")
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    pub(crate) fn statement(&mut self, statement: &Statement) -> Document {
        match &statement.kind {
            StatementKind::Let {
                pattern,
                ty,
                value,
                otherwise,
            } => {
                let end = pattern.span.end;
                let pattern = self.pattern(pattern);
                let definition = self.definition(end, ty.as_ref(), value);
                let binding = concat([text("let "), pattern, definition]);
                match otherwise {
                    Some(otherwise) => concat([binding, text(" else "), self.block(otherwise)]),
                    None => binding,
                }
            }
            StatementKind::Var { pattern, ty, value } => {
                let end = pattern.span.end;
                let pattern = self.pattern(pattern);
                let definition = self.definition(end, ty.as_ref(), value);
                concat([text("var "), pattern, definition])
            }
            StatementKind::State { name, ty, value } => concat([
                text(format!("state {}", name.name)),
                self.definition(name.span.end, Some(ty), value),
            ]),
            StatementKind::Assign {
                target,
                operator,
                value,
            } => {
                let gap = Span::new(target.span.end, value.span.start);
                let target = self.expression(target);
                let operator = text(format!(" {}", operator.symbol()));
                let value = self.signed("", gap, |printer| printer.expression(value));
                concat([target, operator, value])
            }
            StatementKind::Expression(value) => self.expression(value),
            StatementKind::Defer(block) => concat([text("defer "), self.block(block)]),
            StatementKind::Assert {
                value,
                expectation,
                message,
            } => self.assertion(value, expectation, message.as_ref()),
            StatementKind::Mock {
                calls,
                target,
                arguments,
                rest,
                outcomes,
            } => {
                let calls = calls.as_ref();
                let calls = calls.map_or_else(nothing, |it| text(format!("let {} = ", it.name)));
                let arguments = self.mocked(target, arguments, *rest);
                let head = [calls, text("mock "), path(target), arguments, text(" -> ")];
                concat(head.into_iter().chain([self.outcomes(outcomes)]))
            }
            StatementKind::MockAgent {
                agent,
                script,
                braces,
            } => {
                let head = [text("mock agent "), path(agent), text(" ")];
                concat(head.into_iter().chain([self.script(script, *braces)]))
            }
            StatementKind::Invalid => self.verbatim(statement.span),
        }
    }

    /// The parentheses of a mock.
    fn mocked(
        &mut self,
        target: &[Identifier],
        arguments: &[PatternField],
        rest: Rest,
    ) -> Document {
        let start = target.last().map_or(0, |it| it.span.end);
        let last = arguments.last().map_or(start, |it| it.pattern.span.end);
        let span = Span::new(start, self.find(last, ')') + 1);
        self.payload(arguments, rest, span)
    }

    /// What a mock gives, each `then` on a line of its own where they do not fit on one.
    fn outcomes(&mut self, outcomes: &[Expression]) -> Document {
        let Some((first, further)) = outcomes.split_first() else {
            return nothing();
        };
        let mut end = first.span.end;
        let first = self.expression(first);
        let mut documents = Vec::new();
        for it in further {
            let before = self.between(end, it.span.start);
            documents.push(before.unwrap_or(Document::Line));
            documents.extend([text("then "), self.expression(it)]);
            end = it.span.end;
        }
        group(concat([first, nest(concat(documents))]))
    }

    fn script(&mut self, script: &[ScriptTurn], braces: Span) -> Document {
        let turns = script.iter().map(|turn| {
            entry(turn.span, move |printer: &mut Printer<'_, '_>| {
                printer.turn(turn)
            })
        });
        let turns = turns.collect();
        self.braced(turns, braces, ";")
    }

    fn turn(&mut self, turn: &ScriptTurn) -> Document {
        match &turn.kind {
            ScriptTurnKind::Calls(calls) => {
                let calls = calls
                    .iter()
                    .map(|it| concat([text("call "), self.expression(it)]));
                let calls: Vec<_> = calls.collect();
                join(calls, &text(", "))
            }
            ScriptTurnKind::Answer(value) => concat([text("answer "), self.expression(value)]),
            ScriptTurnKind::Fail(error) => concat([text("fail "), self.expression(error)]),
        }
    }

    /// `: T = value` after a name that ends at `end`.
    pub(crate) fn definition(
        &mut self,
        end: u32,
        ty: Option<&TypeExpression>,
        value: &Expression,
    ) -> Document {
        let Some(ty) = ty else {
            return self.assigned(end, value);
        };
        concat([self.annotation(end, ty), self.assigned(ty.span.end, value)])
    }

    /// ` = value` after what ends at `end`.
    pub(crate) fn assigned(&mut self, end: u32, value: &Expression) -> Document {
        let gap = Span::new(end, value.span.start);
        self.signed(" =", gap, |printer| printer.expression(value))
    }

    fn assertion(
        &mut self,
        value: &Expression,
        expectation: &AssertExpectation,
        message: Option<&Expression>,
    ) -> Document {
        let value = self.expression(value);
        let fails = match expectation {
            AssertExpectation::Holds => nothing(),
            AssertExpectation::Fails(pattern) => concat([text(" fails "), self.pattern(pattern)]),
        };
        let message = match message {
            Some(message) => concat([text(", "), self.expression(message)]),
            None => nothing(),
        };
        concat([text("assert "), value, fails, message])
    }

    /// The bytes from the first `{` after `start` to `end`.
    pub(crate) fn braces(&self, start: u32, end: u32) -> Span {
        Span::new(self.find(start, '{'), end)
    }
}
