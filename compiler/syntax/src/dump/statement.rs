//! Blocks and statements as lists.

use crate::ast::{
    AssertExpectation, Block, Expression, ScriptTurnKind, Statement, StatementKind, TypeExpression,
};
use crate::dump::expression::expression;
use crate::dump::pattern::{fields, pattern as bound};
use crate::dump::type_expression::type_expression;
use crate::dump::{Node, optional, path, word};

pub(super) fn block(it: &Block) -> Node {
    Node::list("do", it.statements.iter().map(statement))
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
pub(super) fn statement(it: &Statement) -> Node {
    match &it.kind {
        StatementKind::Let {
            pattern,
            ty,
            value,
            otherwise,
        } => {
            let binding = definition("let", bound(pattern), ty.as_ref(), value);
            match otherwise {
                Some(otherwise) => Node::list("let-else", [binding, block(otherwise)]),
                None => binding,
            }
        }
        StatementKind::Var { pattern, ty, value } => {
            definition("var", bound(pattern), ty.as_ref(), value)
        }
        StatementKind::State { name, ty, value } => {
            definition("state", word(&name.name), Some(ty), value)
        }
        StatementKind::Assign {
            target,
            operator,
            value,
        } => Node::list(operator.symbol(), [expression(target), expression(value)]),
        StatementKind::Expression(value) => expression(value),
        StatementKind::Defer(body) => Node::list("defer", [block(body)]),
        StatementKind::Assert {
            value,
            expectation,
            message,
        } => {
            let fails = match expectation {
                AssertExpectation::Holds => None,
                AssertExpectation::Fails(error) => Some(bound(error)),
            };
            let message = message.as_ref().map(expression);
            let parts = std::iter::once(expression(value))
                .chain(optional("fails", fails))
                .chain(optional("message", message));
            Node::list("assert", parts)
        }
        StatementKind::Mock {
            calls,
            target,
            arguments,
            rest,
            outcomes,
        } => {
            let arguments = Node::List(fields(arguments, *rest));
            let calls = optional("calls", calls.as_ref().map(|it| word(&it.name)));
            let head = [path(target), arguments];
            let outcomes = outcomes.iter().map(expression);
            Node::list("mock", calls.into_iter().chain(head).chain(outcomes))
        }
        StatementKind::MockAgent {
            agent,
            script,
            braces: _,
        } => {
            let turns = script.iter().map(|turn| match &turn.kind {
                ScriptTurnKind::Calls(calls) => Node::list("call", calls.iter().map(expression)),
                ScriptTurnKind::Answer(value) => Node::list("answer", [expression(value)]),
                ScriptTurnKind::Fail(error) => Node::list("fail", [expression(error)]),
            });
            Node::list("mock-agent", std::iter::once(path(agent)).chain(turns))
        }
        StatementKind::Invalid => word("invalid"),
    }
}

/// A name or pattern that gets a value.
fn definition(head: &str, name: Node, ty: Option<&TypeExpression>, value: &Expression) -> Node {
    let ty = ty.map(type_expression);
    Node::list(
        head,
        std::iter::once(name).chain(ty).chain([expression(value)]),
    )
}
