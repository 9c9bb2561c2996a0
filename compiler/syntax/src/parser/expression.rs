//! Expressions: operators by precedence over operands.

use chumsky::pratt::{self, infix, left, none, postfix, prefix, right};
use chumsky::prelude::{Parser, choice, custom};
use gsw_source::Span;

use crate::ast::{
    BinaryOperator, CatchForm, Conversion, Expression, ExpressionKind, MatchArm, Pattern,
    Precedence, RangeEnd, TypeExpression, UnaryOperator,
};
use crate::parser::depth::DEEPEST_TREE;
use crate::parser::error::{Expected, ParseError, Reason};
use crate::parser::input::{
    Context, Extra, Rule, State, Tokens, identifier, looking_at, span_of, token, token_as,
    token_that, word,
};
use crate::parser::line::{line_break, own_line};
use crate::parser::node::node;
use crate::parser::operand;
use crate::parser::rules::{Mode, Rules};
use crate::token::{Token, TokenKind, Word};

/// `Expression = Chain or Race with prefix, infix and postfix operators, loosest first: Catch · "or" · "and" · "not" ·
/// Binding · Comparison · Otherwise · RangeOperator · "+" "-" · "*" "/" "%" · Conversion · TightPrefix ;`
pub(crate) fn expression(rules: &Rules, mode: Mode) -> Rule<Expression> {
    let chain = operand::chain(rules, mode);
    // What is plain is nearly everything, and asking for each operator in vain takes longer than reading it.
    let plain = looking_at(is_plain, Expected::EXPRESSION)
        .ignore_then(chain.clone())
        .then_ignore(looking_at(|_, _| false, Expected::OPERATOR).or_not());
    let other = looking_at(|state, index| !is_plain(state, index), Expected::EXPRESSION)
        .ignore_then(operators(rules, mode, chain));
    choice((plain, other)).boxed()
}

/// Whether a chain of names, literals, calls and indices is all that there is up to the end of what an expression is in.
fn is_plain(state: &State, mut index: usize) -> bool {
    let Some(first) = state.token(index) else {
        return false;
    };
    let is_list = first.kind == TokenKind::BracketOpen && first.is_matched();
    let is_one = matches!(first.kind, TokenKind::SelfValue | TokenKind::String)
        || first.kind == TokenKind::Identifier && first.word == Word::Other
        || first.kind.is_literal();
    index += match (is_list, is_one) {
        (true, _) => first.value as usize + 1,
        (false, true) => 1,
        (false, false) => return false,
    };
    while let Some(token) = state.token(index) {
        let is_bracket = matches!(token.kind, TokenKind::ParenOpen | TokenKind::BracketOpen);
        if matches!(token.kind, TokenKind::Dot | TokenKind::QuestionDot) {
            index += 2;
        } else if is_bracket && token.is_matched() {
            index += token.value as usize + 1;
        } else {
            return ends_expression(token.kind);
        }
    }
    true
}

/// Whether neither an operator nor the rest of an operand begins with a token of that kind.
fn ends_expression(kind: TokenKind) -> bool {
    kind.is_separator() || kind.is_closer() || kind == TokenKind::Equal
}

fn operators(rules: &Rules, mode: Mode, chain: Rule<Expression>) -> Rule<Expression> {
    let not = UnaryOperator::Not;
    choice((race(chain.clone()), chain))
        .pratt((
            prefix(Precedence::Prefix as u16, tight_prefix(), prefixed),
            prefix(
                not.precedence() as u16,
                deeper(not.token(), Expected::EXPRESSION),
                negated,
            ),
            prefix(not.precedence() as u16, binding(rules, mode), tested),
            postfix(Precedence::Conversion as u16, conversion(rules), converted),
            chained(Precedence::Product),
            chained(Precedence::Sum),
            infix(none(Precedence::Range as u16), range_operator(), ranged),
            infix(
                right(Precedence::Otherwise as u16),
                otherwise(),
                linked_deeper,
            ),
            infix(
                left(Precedence::Comparison as u16),
                comparison(),
                linked_comparison,
            ),
            chained(Precedence::And),
            chained(Precedence::Or),
            postfix(Precedence::Catch as u16, rules.catch(mode), guarded),
        ))
        .boxed()
}

/// The operators of one precedence, grouped from the left.
fn chained(
    precedence: Precedence,
) -> impl pratt::Operator<'static, Tokens, Expression, Extra> + Clone {
    infix(left(precedence as u16), operator(precedence), linked)
}

fn prefixed(form: TightPrefix, operand: Expression, context: &mut Context<'_>) -> Expression {
    context.state().leave();
    node(form.expression(Box::new(operand)), context)
}

fn negated(_: Token, operand: Expression, context: &mut Context<'_>) -> Expression {
    context.state().leave();
    let (operator, operand) = (UnaryOperator::Not, Box::new(operand));
    node(ExpressionKind::Unary { operator, operand }, context)
}

fn tested(pattern: Pattern, value: Expression, context: &mut Context<'_>) -> Expression {
    context.state().leave();
    let (pattern, value) = (Box::new(pattern), Box::new(value));
    node(ExpressionKind::Let { pattern, value }, context)
}

fn converted(
    value: Expression,
    (form, ty): (Conversion, TypeExpression),
    context: &mut Context<'_>,
) -> Expression {
    context.state().count_link();
    let (value, ty) = (Box::new(value), Box::new(ty));
    node(ExpressionKind::As { value, ty, form }, context)
}

/// What a `catch` is made of.
pub(crate) type CatchArms = (CatchForm, Vec<MatchArm>);

/// Puts a `catch` around a value.
pub(crate) fn guarded(
    mut value: Expression,
    arms: CatchArms,
    context: &mut Context<'_>,
) -> Expression {
    context.state().count_link();
    guard(&mut value, arms, span_of(context).end);
    value
}

/// Puts a `catch` that ends at `end` around a value; of a condition, around what its last pattern is matched with, because
/// `let P = e` begins to be guarded after its `=`.
fn guard(guarded: &mut Expression, arms: CatchArms, end: u32) {
    let span = Span::new(guarded.span.start, end);
    if let ExpressionKind::Let { pattern: _, value } = &mut guarded.kind {
        guard(value, arms, end);
    } else if let ExpressionKind::Binary {
        operator: BinaryOperator::And,
        operator_span: _,
        left: _,
        right,
    } = &mut guarded.kind
        && matches!(right.kind, ExpressionKind::Let { .. })
    {
        guard(right, arms, end);
    } else {
        let kind = std::mem::replace(&mut guarded.kind, ExpressionKind::Invalid);
        let span = guarded.span;
        let (form, arms) = arms;
        guarded.kind = catch_kind(Expression { kind, span }, arms, form);
    }
    guarded.span = span;
}

/// `value catch arms`. A `catch` after the body of an arm without braces is parsed as part of it, and guards all to its left.
fn catch_kind(value: Expression, mut arms: Vec<MatchArm>, form: CatchForm) -> ExpressionKind {
    if form == CatchForm::Bare
        && let Some(last) = arms.last_mut()
        && let ExpressionKind::Catch {
            value: body,
            arms: later,
            form: later_form,
        } = &mut last.body.kind
    {
        let later = std::mem::take(later);
        let later_form = *later_form;
        let body = std::mem::replace(&mut **body, invalid(last.body.span));
        last.body = body;
        let span = value.span.to(last.body.span);
        let kind = catch_kind(value, arms, form);
        return catch_kind(Expression { kind, span }, later, later_form);
    }
    ExpressionKind::Catch {
        value: Box::new(value),
        arms,
        form,
    }
}

fn invalid(span: Span) -> Expression {
    let kind = ExpressionKind::Invalid;
    Expression { kind, span }
}

fn ranged(
    start: Expression,
    range_end: RangeEnd,
    end: Expression,
    context: &mut Context<'_>,
) -> Expression {
    let kind = ExpressionKind::Range {
        start: Box::new(start),
        end: Box::new(end),
        range_end,
    };
    node(kind, context)
}

/// An infix operator with its place.
type Operator = (BinaryOperator, Span);

/// Folds a link of a chain.
fn linked(
    left: Expression,
    operator: Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    context.state().count_link();
    binary(left, operator, right, context)
}

/// Folds an operator whose right operand was parsed one level deeper.
fn linked_deeper(
    left: Expression,
    operator: Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    context.state().leave();
    binary(left, operator, right, context)
}

/// Folds a comparison and reports it when its left side is one.
fn linked_comparison(
    left: Expression,
    operator: Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    if is_comparison(&left) {
        let index = context.state().index_of(operator.1);
        context.emit(ParseError::because(index, Reason::ComparisonChain));
    }
    linked(left, operator, right, context)
}

fn binary(
    left: Expression,
    (operator, operator_span): Operator,
    right: Expression,
    context: &mut Context<'_>,
) -> Expression {
    let kind = ExpressionKind::Binary {
        operator,
        operator_span,
        left: Box::new(left),
        right: Box::new(right),
    };
    node(kind, context)
}

fn is_comparison(expression: &Expression) -> bool {
    matches!(
        expression.kind,
        ExpressionKind::Binary { operator, .. } if operator.precedence() == Precedence::Comparison
    )
}

/// A prefix that binds tighter than every infix operator.
#[derive(Clone, Copy)]
enum TightPrefix {
    Negate,
    Await,
}

impl TightPrefix {
    fn expression(self, operand: Box<Expression>) -> ExpressionKind {
        match self {
            Self::Negate => ExpressionKind::Unary {
                operator: UnaryOperator::Negate,
                operand,
            },
            Self::Await => ExpressionKind::Await(operand),
        }
    }
}

/// `TightPrefix = "-" | "await" ;`
fn tight_prefix() -> Rule<TightPrefix> {
    choice((
        deeper(UnaryOperator::Negate.token(), Expected::EXPRESSION).to(TightPrefix::Negate),
        deeper(TokenKind::Await, Expected::EXPRESSION).to(TightPrefix::Await),
    ))
    .boxed()
}

/// `Race = "race" { TightPrefix } Chain [ "errors" Name ] ;`
fn race(chain: Rule<Expression>) -> Rule<Expression> {
    let tasks = chain.pratt((prefix(Precedence::Prefix as u16, tight_prefix(), prefixed),));
    let errors = word(Word::Errors, Expected::MODIFIER).ignore_then(identifier());
    token_as(TokenKind::Race, Expected::EXPRESSION)
        .ignore_then(tasks)
        .then(errors.or_not())
        .map_with(|(tasks, errors), context: &mut Context<'_>| {
            let tasks = Box::new(tasks);
            node(ExpressionKind::Race { tasks, errors }, context)
        })
        .boxed()
}

/// `Binding = "let" Pattern "=" ;`
///
/// In conditions alone.
fn binding(rules: &Rules, mode: Mode) -> Rule<Pattern> {
    looking_at(
        move |state, index| mode == Mode::Head && state.kind(index) == Some(TokenKind::Let),
        Expected::NOTHING,
    )
    .ignore_then(deeper(TokenKind::Let, Expected::NOTHING))
    .ignore_then(rules.pattern.clone())
    .then_ignore(token(TokenKind::Equal))
    .boxed()
}

/// An operator whose right operand is parsed one level deeper; folding leaves that level.
fn deeper(kind: TokenKind, expected: Expected) -> Rule<Token> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        match input.next() {
            Some(token) if token.kind == kind => {
                if input.state().enter() > DEEPEST_TREE {
                    return Err(ParseError::too_deep(index));
                }
                Ok(token)
            }
            Some(_) | None => Err(ParseError::unexpected(index, expected)),
        }
    })
    .boxed()
}

/// `Conversion = "as" [ "?" ] ConversionType ;`
fn conversion(rules: &Rules) -> Rule<(Conversion, TypeExpression)> {
    let form = token_as(TokenKind::Question, Expected::OPERATOR)
        .or_not()
        .map(|it| it.map_or(Conversion::Raising, |_| Conversion::Optional));
    token_as(TokenKind::As, Expected::OPERATOR)
        .ignore_then(form)
        .then(rules.conversion_type.clone())
        .boxed()
}

/// `Catch = "catch" ( [ Newline ] Arms | Arm ) ;`
pub(crate) fn catch(rules: &Rules, mode: Mode) -> Rule<CatchArms> {
    let braced = own_line(rules.arms.clone()).map(|arms| (CatchForm::Braced, arms));
    let bare = looking_at(
        |state, index| state.kind(index).is_some_and(starts_arm),
        Expected::token(TokenKind::BraceOpen),
    )
    .ignore_then(operand::arm(rules, mode))
    .map(|arm| (CatchForm::Bare, vec![arm]));
    token_as(TokenKind::Catch, Expected::OPERATOR)
        .ignore_then(choice((bare, braced)))
        .boxed()
}

/// Whether the pattern of an error can start with a token of that kind.
fn starts_arm(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Identifier | TokenKind::Underscore)
}

/// An infix operator of one precedence.
fn operator(precedence: Precedence) -> Rule<Operator> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        input
            .next()
            .and_then(|token| Some((BinaryOperator::of_token(token.kind)?, token.span)))
            .filter(|(operator, _)| operator.precedence() == precedence)
            .ok_or(ParseError::unexpected(index, Expected::OPERATOR))
    })
    .boxed()
}

/// `Comparison = "==" | "!=" | "<" | "<=" | ">" [ Newline ] | ">=" | "in" | "not" "in" ;`
fn comparison() -> Rule<Operator> {
    let not_in = looking_at(
        |state, index| {
            state.kind(index) == Some(TokenKind::Not)
                && state.kind(index + 1) == Some(TokenKind::In)
        },
        Expected::OPERATOR,
    )
    .ignore_then(token_as(TokenKind::Not, Expected::OPERATOR))
    .then(token(TokenKind::In))
    .map(|(not, within)| (BinaryOperator::NotIn, not.span.to(within.span)));
    choice((not_in, operator(Precedence::Comparison)))
        .then_ignore(line_break())
        .boxed()
}

/// `Otherwise = "??" ;`
fn otherwise() -> Rule<Operator> {
    deeper(BinaryOperator::Otherwise.token(), Expected::OPERATOR)
        .map(|token| (BinaryOperator::Otherwise, token.span))
        .boxed()
}

/// `RangeOperator = ".." | "..=" ;`
fn range_operator() -> Rule<RangeEnd> {
    token_that(RangeEnd::of_token, Expected::OPERATOR)
}
