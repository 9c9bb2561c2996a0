//! Blocks and statements as lists.

use crate::ast::{AssertExpectation, AssignOperator, Block, MockOutcome, Statement, StatementKind};
use crate::dump::expression::expression;
use crate::dump::pattern::{fields, pattern};
use crate::dump::type_expression::type_expression;
use crate::dump::{Node, optional, path, word};

pub(super) fn block(it: &Block) -> Node {
    Node::list("do", it.statements.iter().map(statement))
}

fn statement(it: &Statement) -> Node {
    match &it.kind {
        StatementKind::Let {
            pattern: bound,
            ty,
            value,
        } => {
            let ty = ty.as_ref().map(type_expression);
            Node::list(
                "let",
                std::iter::once(pattern(bound))
                    .chain(ty)
                    .chain([expression(value)]),
            )
        }
        StatementKind::Var {
            pattern: bound,
            ty,
            value,
        } => {
            let ty = ty.as_ref().map(type_expression);
            Node::list(
                "var",
                std::iter::once(pattern(bound))
                    .chain(ty)
                    .chain([expression(value)]),
            )
        }
        StatementKind::State { name, ty, value } => Node::list(
            "state",
            [word(&name.name), type_expression(ty), expression(value)],
        ),
        StatementKind::Assign {
            target,
            operator,
            value,
        } => {
            let operator = match operator {
                AssignOperator::Set => "=",
                AssignOperator::Add => "+=",
                AssignOperator::Subtract => "-=",
                AssignOperator::Multiply => "*=",
            };
            Node::list(operator, [expression(target), expression(value)])
        }
        StatementKind::Expression(value) => expression(value),
        StatementKind::Defer(body) => Node::list("defer", [block(body)]),
        StatementKind::Invalid => word("invalid"),
        _ => test_statement(it),
    }
}

fn test_statement(it: &Statement) -> Node {
    match &it.kind {
        StatementKind::Assert {
            value,
            expectation,
            message,
        } => {
            let fails = match expectation {
                AssertExpectation::Holds => None,
                AssertExpectation::Fails(error) => Some(pattern(error)),
            };
            let message = message.as_ref().map(expression);
            let parts = std::iter::once(expression(value))
                .chain(optional("fails", fails))
                .chain(optional("message", message));
            Node::list("assert", parts)
        }
        StatementKind::Mock {
            target,
            arguments,
            rest,
            outcome: MockOutcome::Value(value),
        } => {
            let arguments = Node::List(fields(arguments, *rest));
            Node::list("mock", [path(target), arguments, expression(value)])
        }
        _ => word("invalid"),
    }
}
