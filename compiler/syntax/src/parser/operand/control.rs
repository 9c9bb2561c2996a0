//! Control flow: `if`, `match`, loops, `do` and the ways out.

use chumsky::prelude::{Parser, choice};

use crate::ast::{
    Block, Expression, ExpressionKind, MatchArm, Pattern, PatternKind, Statement, StatementKind,
};
use crate::parser::error::Expected;
use crate::parser::expression::guarded;
use crate::parser::input::{Context, Rule, State, looking_at, span_of, token, token_as};
use crate::parser::line::own_line;
use crate::parser::node::{block_expression, node};
use crate::parser::operand::when;
use crate::parser::recovery::{Boundary, braced_entries, entry_end, or_hole};
use crate::parser::rules::{Mode, Rules};
use crate::parser::statement::assignment;
use crate::token::TokenKind;

/// `Body = Block { Catch } | Expression [ Assignment ] ;`
///
/// Braces are a map where they begin as only a map does, `{ "a": …`. An assignment is a block of that one statement.
pub(crate) fn body(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let block = when(
        move |state, index| {
            state.kind(index) == Some(TokenKind::BraceOpen)
                && (mode == Mode::Head || !begins_map(state, index))
        },
        rules.block.clone().map(block_expression),
    );
    let block = block.foldl_with(rules.catch(mode).repeated(), guarded);
    let assignment = assignment(rules, mode).or_not();
    let other = rules.expression(mode).then(assignment).map_with(
        |(target, assignment), context: &mut Context<'_>| {
            let Some((operator, value)) = assignment else {
                return target;
            };
            let span = span_of(context);
            let kind = StatementKind::Assign {
                target,
                operator,
                value,
            };
            let statements = vec![Statement { kind, span }];
            block_expression(Block { statements, span })
        },
    );
    choice((block, other)).boxed()
}

/// Whether the braces that open at `index` hold the entries of a map: no statement begins with a key and a colon.
fn begins_map(state: &State, index: usize) -> bool {
    let is_key = matches!(
        state.kind(index + 1),
        Some(TokenKind::String | TokenKind::Int)
    ) || state.is_capitalised(index + 1);
    is_key && state.kind(index + 2) == Some(TokenKind::Colon)
}

/// `Do = "do" [ Newline ] Block ;`
pub(super) fn do_block(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::Do, Expected::EXPRESSION)
        .ignore_then(own_line(rules.block.clone()))
        .map_with(|block, context: &mut Context<'_>| node(ExpressionKind::Do(block), context))
        .boxed()
}

/// `If = "if" Head [ Newline ] Block [ "else" ( If | Block ) ] ;`
pub(crate) fn if_expression(rules: &Rules) -> Rule<Expression> {
    let otherwise = token_as(TokenKind::Else, Expected::OPERATOR)
        .ignore_then(choice((
            rules.if_expression.clone(),
            rules.block.clone().map(block_expression),
        )))
        .or_not();
    token_as(TokenKind::If, Expected::EXPRESSION)
        .ignore_then(rules.expression(Mode::Head))
        .then(own_line(rules.block.clone()))
        .then(otherwise)
        .map_with(
            |((condition, then), otherwise), context: &mut Context<'_>| {
                let kind = ExpressionKind::If {
                    condition: Box::new(condition),
                    then,
                    otherwise: otherwise.map(Box::new),
                };
                node(kind, context)
            },
        )
        .boxed()
}

/// `Match = "match" Head [ Newline ] Arms ;`
pub(super) fn match_expression(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::Match, Expected::EXPRESSION)
        .ignore_then(rules.expression(Mode::Head))
        .then(own_line(rules.arms.clone()))
        .map_with(|(value, arms), context: &mut Context<'_>| {
            let value = Box::new(value);
            node(ExpressionKind::Match { value, arms }, context)
        })
        .boxed()
}

/// `Arms = "{" [ Arm { ( "," | Newline ) Arm } ] "}" ;`
pub(crate) fn arms(rules: &Rules) -> Rule<Vec<MatchArm>> {
    let arm = or_hole(
        arm(rules, Mode::Full).then_ignore(entry_end()),
        Boundary::Entry,
        |state, index| MatchArm {
            pattern: Pattern {
                kind: PatternKind::Invalid,
                span: state.span(index, index),
            },
            guard: None,
            body: state.expression_hole(index),
        },
    );
    braced_entries(arm)
}

/// `Arm = Pattern [ "if" Guard ] "=>" Body ;`
pub(crate) fn arm(rules: &Rules, mode: Mode) -> Rule<MatchArm> {
    let guard = token_as(TokenKind::If, Expected::NOTHING)
        .ignore_then(rules.expression(Mode::Guard))
        .or_not();
    rules
        .pattern
        .clone()
        .then(guard)
        .then_ignore(token(TokenKind::FatArrow))
        .then(body(rules, mode))
        .map(|((pattern, guard), body)| MatchArm {
            pattern,
            guard,
            body,
        })
        .boxed()
}

/// `For = "for" Pattern "in" Head [ Newline ] Block ;`
pub(super) fn for_loop(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::For, Expected::EXPRESSION)
        .ignore_then(rules.pattern.clone())
        .then_ignore(token(TokenKind::In))
        .then(rules.expression(Mode::Head))
        .then(own_line(rules.block.clone()))
        .map_with(|((pattern, iterable), body), context: &mut Context<'_>| {
            let kind = ExpressionKind::For {
                pattern: Box::new(pattern),
                iterable: Box::new(iterable),
                body,
            };
            node(kind, context)
        })
        .boxed()
}

/// `While = "while" Head [ Newline ] Block ;`
pub(super) fn while_loop(rules: &Rules) -> Rule<Expression> {
    token_as(TokenKind::While, Expected::EXPRESSION)
        .ignore_then(rules.expression(Mode::Head))
        .then(own_line(rules.block.clone()))
        .map_with(|(condition, body), context: &mut Context<'_>| {
            let condition = Box::new(condition);
            node(ExpressionKind::While { condition, body }, context)
        })
        .boxed()
}

/// `Exit = "return" [ Expression ] | "fail" Expression | "break" | "continue" ;`
pub(super) fn exit(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let value = looking_at(
        |state, index| state.kind(index).is_some_and(TokenKind::starts_expression),
        Expected::OPERATOR,
    )
    .ignore_then(rules.expression(mode))
    .or_not();
    let leave = token_as(TokenKind::Return, Expected::EXPRESSION)
        .ignore_then(value)
        .map(|value| ExpressionKind::Return(value.map(Box::new)));
    let fail = token_as(TokenKind::Fail, Expected::EXPRESSION)
        .ignore_then(rules.expression(mode))
        .map(|error| ExpressionKind::Fail(Box::new(error)));
    choice((
        leave,
        fail,
        token_as(TokenKind::Break, Expected::EXPRESSION).to(ExpressionKind::Break),
        token_as(TokenKind::Continue, Expected::EXPRESSION).to(ExpressionKind::Continue),
    ))
    .map_with(node)
    .boxed()
}
