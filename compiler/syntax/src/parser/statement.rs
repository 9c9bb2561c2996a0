//! Blocks and statements.

use chumsky::prelude::{IterParser, Parser, choice, empty, via_parser};

use crate::ast::{
    AssertExpectation, AssignOperator, Block, Expression, Identifier, ScriptTurn, ScriptTurnKind,
    Statement, StatementKind, TypeExpression,
};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Extra, Rule, State, Tokens, any_word, between, identifier, looking_at, span_of, token,
    token_as, token_that, word,
};
use crate::parser::line::{line_break, own_line};
use crate::parser::pattern::payload_fields;
use crate::parser::recovery::{
    Boundary, closing_brace, or_hole, skip_to, statement_end, statement_separator,
};
use crate::parser::rules::{Mode, Rules};
use crate::token::{TokenKind, Word};

/// `Block = "{" { Newline | ";" } [ Statement { ( Newline | ";" ) … Statement } ] "}" ;`
pub(crate) fn block(rules: &Rules) -> Rule<Block> {
    let statement = or_hole(
        statement(rules).then_ignore(statement_end()),
        Boundary::Statement,
        |state, index| Statement {
            kind: StatementKind::Invalid,
            span: state.span(index, index),
        },
    );
    token(TokenKind::BraceOpen)
        .ignore_then(
            statement
                .separated_by(statement_separator())
                .allow_leading()
                .allow_trailing()
                .collect::<Vec<_>>(),
        )
        .then_ignore(closing_brace())
        .map_with(|statements, context: &mut Context<'_>| Block {
            statements,
            span: span_of(context),
        })
        .boxed()
}

/// `Statement = Let | Var | State | Defer | Assert | Mock | MockAgent | ExpressionStatement ;`
pub(crate) fn statement(rules: &Rules) -> Rule<Statement> {
    let mocks = at(
        |state, index| state.word(index) == Word::Mock || state.word(index + 3) == Word::Mock,
        choice((mock_agent(rules), mock(rules))),
    );
    let declared = at(
        |state, index| {
            matches!(
                state.kind(index),
                Some(TokenKind::Let | TokenKind::Var | TokenKind::Defer | TokenKind::Assert)
            )
        },
        choice((let_binding(rules), var(rules), defer(rules), assert(rules))),
    );
    choice((
        mocks,
        declared,
        state_variable(rules),
        expression_statement(rules),
    ))
    .map_with(|kind, context: &mut Context<'_>| Statement {
        kind,
        span: span_of(context),
    })
    .boxed()
}

fn at<T: 'static>(
    accept: impl Fn(&State, usize) -> bool + Copy + 'static,
    production: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
) -> Rule<T> {
    looking_at(accept, Expected::STATEMENT)
        .ignore_then(production)
        .boxed()
}

/// `TypeAnnotation = ":" Type ;`
fn annotation(rules: &Rules) -> Rule<TypeExpression> {
    token(TokenKind::Colon)
        .ignore_then(rules.type_expression.clone())
        .boxed()
}

/// `Initializer = "=" Expression ;`
fn initializer(rules: &Rules) -> Rule<Expression> {
    token(TokenKind::Equal)
        .ignore_then(rules.any_expression())
        .boxed()
}

/// `Let = "let" Pattern [ TypeAnnotation ] Initializer [ "else" [ Newline ] Block ] ;`
fn let_binding(rules: &Rules) -> Rule<StatementKind> {
    token_as(TokenKind::Let, Expected::STATEMENT)
        .ignore_then(rules.pattern.clone())
        .then(annotation(rules).or_not())
        .then(initializer(rules))
        .then(
            token_as(TokenKind::Else, Expected::OPERATOR)
                .ignore_then(own_line(rules.block.clone()))
                .or_not(),
        )
        .map(|(((pattern, ty), value), otherwise)| StatementKind::Let {
            pattern,
            ty,
            value,
            otherwise,
        })
        .boxed()
}

/// `Var = "var" Pattern [ TypeAnnotation ] Initializer ;`
fn var(rules: &Rules) -> Rule<StatementKind> {
    token_as(TokenKind::Var, Expected::STATEMENT)
        .ignore_then(rules.pattern.clone())
        .then(annotation(rules).or_not())
        .then(initializer(rules))
        .map(|((pattern, ty), value)| StatementKind::Var { pattern, ty, value })
        .boxed()
}

/// `State = "state" Name TypeAnnotation Initializer ;`
fn state_variable(rules: &Rules) -> Rule<StatementKind> {
    let state = word(Word::State, Expected::STATEMENT)
        .ignore_then(identifier())
        .then(annotation(rules))
        .then(initializer(rules))
        .map(|((name, ty), value)| StatementKind::State { name, ty, value });
    at(
        |state, index| {
            state.word(index) == Word::State
                && state.kind(index + 1) == Some(TokenKind::Identifier)
                && state.kind(index + 2) == Some(TokenKind::Colon)
        },
        state,
    )
}

/// `Defer = "defer" [ Newline ] Block ;`
fn defer(rules: &Rules) -> Rule<StatementKind> {
    token_as(TokenKind::Defer, Expected::STATEMENT)
        .ignore_then(own_line(rules.block.clone()))
        .map(StatementKind::Defer)
        .boxed()
}

/// `Assert = "assert" Expression [ "fails" Pattern ] [ "," Expression ] ;`
fn assert(rules: &Rules) -> Rule<StatementKind> {
    let fails = word(Word::Fails, Expected::WORD)
        .ignore_then(rules.pattern.clone())
        .or_not()
        .map(|pattern| pattern.map_or(AssertExpectation::Holds, AssertExpectation::Fails));
    let message = token_as(TokenKind::Comma, Expected::OPERATOR)
        .ignore_then(rules.any_expression())
        .or_not();
    token_as(TokenKind::Assert, Expected::STATEMENT)
        .ignore_then(rules.any_expression())
        .then(fails)
        .then(message)
        .map(|((value, expectation), message)| StatementKind::Assert {
            value,
            expectation,
            message,
        })
        .boxed()
}

/// `Mock = [ "let" Name "=" ] "mock" Word { "." Word } "(" [ PatternFields ] ")" "->" Expression { [ Newline ] "then"
/// Expression } ;`
fn mock(rules: &Rules) -> Rule<StatementKind> {
    let calls = token_as(TokenKind::Let, Expected::STATEMENT)
        .ignore_then(identifier())
        .then_ignore(token(TokenKind::Equal))
        .or_not();
    let then = looking_at(
        |state, index| {
            let index = index + usize::from(state.kind(index) == Some(TokenKind::Newline));
            state.word(index) == Word::Then
        },
        Expected::WORD,
    );
    let outcomes = rules
        .any_expression()
        .separated_by(
            then.ignore_then(line_break())
                .ignore_then(word(Word::Then, Expected::WORD)),
        )
        .at_least(1)
        .collect::<Vec<_>>();
    let mock = calls
        .then_ignore(word(Word::Mock, Expected::STATEMENT))
        .then(mocked_path())
        .then(between(
            TokenKind::ParenOpen,
            payload_fields(rules),
            TokenKind::ParenClose,
        ))
        .then_ignore(token(TokenKind::Arrow))
        .then(outcomes)
        .map(
            |(((calls, target), (arguments, rest)), outcomes)| StatementKind::Mock {
                calls,
                target,
                arguments,
                rest,
                outcomes,
            },
        );
    at(
        |state, index| {
            let is_bound = state.kind(index) == Some(TokenKind::Let)
                && state.kind(index + 1) == Some(TokenKind::Identifier)
                && state.kind(index + 2) == Some(TokenKind::Equal);
            let index = if is_bound { index + 3 } else { index };
            state.word(index) == Word::Mock && state.kind(index + 1) == Some(TokenKind::Identifier)
        },
        mock,
    )
}

/// What is mocked: a name, dotted after a module.
fn mocked_path() -> Rule<Vec<Identifier>> {
    any_word()
        .separated_by(token_as(TokenKind::Dot, Expected::OPERATOR))
        .at_least(1)
        .collect()
        .boxed()
}

/// `MockAgent = "mock" "agent" Word { "." Word } "{" { ScriptTurn [ Newline ] } "}" ;`
fn mock_agent(rules: &Rules) -> Rule<StatementKind> {
    let separator = choice((
        token_as(TokenKind::Newline, Expected::NOTHING),
        token_as(TokenKind::Semicolon, Expected::NOTHING),
    ));
    let turn = script_turn(rules).map(Some);
    let turn = turn.recover_with(via_parser(skip_to(Boundary::Statement).map(|()| None)));
    let script = token(TokenKind::BraceOpen)
        .ignore_then(separator.clone().repeated())
        .ignore_then(
            turn.then_ignore(separator.repeated())
                .repeated()
                .collect::<Vec<_>>(),
        )
        .then_ignore(closing_brace())
        .map_with(|turns, context: &mut Context<'_>| {
            let turns: Vec<ScriptTurn> = turns.into_iter().flatten().collect();
            (turns, span_of(context))
        });
    let mock = word(Word::Mock, Expected::STATEMENT)
        .ignore_then(word(Word::Agent, Expected::STATEMENT))
        .ignore_then(mocked_path())
        .then(own_line(script))
        .map(|(agent, (script, braces))| StatementKind::MockAgent {
            agent,
            script,
            braces,
        });
    at(
        |state, index| {
            state.word(index) == Word::Mock
                && state.word(index + 1) == Word::Agent
                && state.kind(index + 2) == Some(TokenKind::Identifier)
        },
        mock,
    )
}

/// `ScriptTurn = "call" Expression { "," [ Newline ] "call" Expression } | ( "answer" | "fail" ) Expression ;`
fn script_turn(rules: &Rules) -> Rule<ScriptTurn> {
    let comma = token(TokenKind::Comma).then_ignore(line_break());
    let calls = word(Word::Call, Expected::SCRIPT_TURN)
        .ignore_then(rules.any_expression())
        .separated_by(comma)
        .at_least(1)
        .collect()
        .map(ScriptTurnKind::Calls);
    let answer = word(Word::Answer, Expected::SCRIPT_TURN)
        .ignore_then(rules.any_expression())
        .map(ScriptTurnKind::Answer);
    let fail = token_as(TokenKind::Fail, Expected::SCRIPT_TURN)
        .ignore_then(rules.any_expression())
        .map(ScriptTurnKind::Fail);
    choice((calls, answer, fail))
        .map_with(|kind, context: &mut Context<'_>| ScriptTurn {
            kind,
            span: span_of(context),
        })
        .boxed()
}

/// `Assignment = ( "=" | "+=" | "-=" | "*=" | "/=" | "%=" ) Expression ;`
pub(crate) fn assignment(rules: &Rules, mode: Mode) -> Rule<(AssignOperator, Expression)> {
    token_that(AssignOperator::of_token, Expected::OPERATOR)
        .then(rules.expression(mode))
        .boxed()
}

/// `ExpressionStatement = Expression [ Assignment ] ;`
fn expression_statement(rules: &Rules) -> Rule<StatementKind> {
    // The label makes "a statement" of "an expression" in errors.
    let start = choice((
        looking_at(
            |state, index| state.token(index).is_some(),
            Expected::STATEMENT,
        ),
        empty(),
    ));
    start
        .ignore_then(rules.any_expression())
        .then(assignment(rules, Mode::Full).or_not())
        .map(|(target, assignment)| match assignment {
            None => StatementKind::Expression(target),
            Some((operator, value)) => StatementKind::Assign {
                target,
                operator,
                value,
            },
        })
        .boxed()
}
