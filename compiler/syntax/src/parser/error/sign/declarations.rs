//! Signs in declarations and around them, and what is written there instead.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::foreign::VARIANTS;
use crate::parser::error::sight::Sight;
use crate::token::{LineStart, TokenKind as Kind, Word};

/// In the order in which they are tried.
pub(super) const DECLARATIONS: &[Sign] = &[
    sign(
        &[Kind::Identifier],
        |it| it.expects(Expected::DECLARATION) && it.token.word == Word::Mock,
        "a `mock` stands in a test, or in a function that several tests call: `fn calm() { mock find(_) -> 1 }`",
        Edit::None,
    ),
    sign(
        &[
            Kind::Identifier,
            Kind::If,
            Kind::For,
            Kind::While,
            Kind::Match,
            Kind::Do,
            Kind::Return,
        ],
        is_statement,
        "a file holds declarations; what a program does stands in `workflow main() { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| is_first(it, Word::Agent) && it.expects_only(Kind::BraceOpen),
        "an agent is configuration and has no parameters: a prompt has them, `prompt ask(topic: string) -> string by helper { … }`, and a call changes settings, `ask(x) with { temperature: 0.0 }`",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow, Kind::BraceOpen],
        |it| it.expects_token(Kind::ParenOpen) && it.follows_name_of_function(),
        "the parameters go in parentheses, also where there are none: `workflow main() -> int { … }`",
        Edit::After("()"),
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_enum = it.tokens.first().is_some_and(|it| it.kind == Kind::Enum);
            is_enum && it.expects_token(Kind::BraceOpen)
        },
        VARIANTS,
        Edit::None,
    ),
    sign(
        &[
            Kind::Let,
            Kind::Var,
            Kind::Match,
            Kind::Return,
            Kind::For,
            Kind::While,
            Kind::Assert,
            Kind::Defer,
            Kind::Fail,
        ],
        |it| {
            let is_head = !it.outline.has_brace_before(it.index);
            is_head && it.expects(Expected::MODIFIER) && !it.ends_operand()
        },
        "the body goes in braces: `fn f(n: int) -> int { n + 1 }`",
        Edit::None,
    ),
    sign(
        &[
            Kind::String,
            Kind::StringOpen,
            Kind::Int,
            Kind::Float,
            Kind::BracketOpen,
        ],
        |it| is_first(it, Word::Agent) && it.expects_token(Kind::Colon),
        "a setting is its name, `:` and its value: `model: \"openai/gpt-5\"`",
        Edit::After(":"),
    ),
    sign(
        &[Kind::String],
        |it| is_first(it, Word::Agent) && it.expects(Expected::NAME) && it.precedes(Kind::Colon),
        "the name of a setting is written without quotes: `model: \"openai/gpt-5\"`",
        Edit::None,
    ),
    sign(
        &[Kind::Equal, Kind::Colon],
        |it| {
            let has_settings = is_first(it, Word::Agent) || is_first(it, Word::Permissions);
            has_settings && it.expects_token(Kind::BraceOpen)
        },
        "the braces follow directly: `agent helper { model: \"anthropic/claude-sonnet-5-5\" }`, `permissions { net: [\"example.org\"] }`",
        Edit::Close(""),
    ),
    sign(
        &[Kind::String],
        |it| it.expects(Expected::MODIFIER) && it.expects_token(Kind::BraceOpen),
        "put documentation above a declaration, after `///`",
        Edit::None,
    ),
    sign(
        &[Kind::Underscore],
        |it| is_parameter(it) && it.precedes(Kind::Colon),
        "a parameter has a name, by which it may be given; one that begins with `_` is not reported as unused",
        Edit::Sign("_unused"),
    ),
    sign(
        &[Kind::DotDot],
        |it| is_parameter(it) && it.expects(Expected::NAME),
        "the number of parameters is fixed: several values are a list, `xs: [int]`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| {
            let is_type = it.tokens.first().is_some_and(|it| it.kind == Kind::Type);
            is_type && it.expects_token(Kind::BraceOpen) && it.expects_token(Kind::Equal)
        },
        "the fields of a record go in braces: `type Point { x: int, y: int }`",
        Edit::None,
    ),
    sign(
        &[Kind::String],
        |it| it.outline.has_type && it.expects(Expected::NAME) && it.precedes(Kind::Colon),
        "the name of a field is written without quotes; another name in JSON is `@alias(\"first name\") first_name: string`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.outline.has_enum && it.expects_token(Kind::ParenOpen),
        "the payload of a variant goes in parentheses, with names: `enum Shape { Dot, Box(width: int) }`",
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| it.tokens.first().is_some_and(|it| it.kind == Kind::Error),
        "an error has fields and no value: `error Missing(name: string)`, raised by `fail Missing(\"port\")`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| it.follows_type_name(),
        "the type of a function is written `fn(int) -> int`",
        Edit::None,
    ),
    sign(
        &[
            Kind::Greater,
            Kind::GreaterEqual,
            Kind::Less,
            Kind::LessEqual,
            Kind::EqualEqual,
            Kind::BangEqual,
        ],
        |it| it.before(1).is_some_and(|it| it.word == Word::Where),
        "a check names the field by `it`: `count: int where it > 0`",
        Edit::Before("it "),
    ),
    sign(
        &[Kind::Int, Kind::Float],
        |it| {
            it.before(1).is_some_and(|it| it.word == Word::Budget)
                && it.expects_only(Kind::ParenOpen)
        },
        "a budget says what it bounds: `budget(usd: 0.5)`, `budget(tokens: 20_000)`, `budget(calls: 10)`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| it.expects_only(Kind::Colon) && it.outline.has_type && it.brackets_are_head(),
        "a method is declared outside its type: `fn Name.method(self) -> type { … }`",
        Edit::None,
    ),
];

/// Signs in bodies, in the order in which they are tried: after all others, which know more of what is meant.
pub(super) const BODIES: &[Sign] = &[
    sign(
        &[
            Kind::Let,
            Kind::Var,
            Kind::Return,
            Kind::Break,
            Kind::Continue,
            Kind::Assert,
            Kind::Defer,
        ],
        |it| it.expects(Expected::END_OF_STATEMENT) && it.token.line_start == LineStart::Inside,
        "a statement ends with its line; on one line they are separated by `;`",
        Edit::After(";"),
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            it.before(1).is_some_and(|it| it.word == Word::Undo)
                && it.expects(Expected::END_OF_STATEMENT)
        },
        "the body of `undo` goes in braces: `undo { refund(order) }`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_bound = it.follows(2, Kind::Let) || it.follows(2, Kind::Var);
            is_bound && it.expects_token(Kind::Colon) && it.precedes(Kind::Equal)
        },
        "the type of a variable comes after `:`: `var x: int = 3`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier, Kind::Int, Kind::True, Kind::False],
        |it| {
            let is_inside = it.token.line_start == LineStart::Inside;
            it.follows(1, Kind::BraceClose) && is_inside && it.expects(Expected::END_OF_STATEMENT)
        },
        "a statement ends with its line; on one line they are separated by `;`",
        Edit::After(";"),
    ),
    sign(
        &[Kind::FatArrow],
        |it| it.is_key() && it.expects_only(Kind::Colon),
        "the key and the value of a map are separated by `:`",
        Edit::Sign(":"),
    ),
    sign(
        &[Kind::String, Kind::StringOpen],
        |it| {
            let is_member = it.follows(1, Kind::Identifier) && it.follows(2, Kind::Dot);
            is_member && !it.is_joined() && it.expects(Expected::END_OF_STATEMENT)
        },
        "what is called has parentheses: `log.info(\"…\")`",
        Edit::None,
    ),
    sign(
        &[Kind::String, Kind::StringOpen],
        |it| {
            let is_text = it.follows(1, Kind::String) || it.follows(1, Kind::StringClose);
            is_text && it.ends_operand() && it.token.line_start == LineStart::Inside
        },
        "texts are joined with `+`, or by one with `${…}` in it",
        Edit::Before("+ "),
    ),
];

fn is_first(it: &Sight<'_>, word: Word) -> bool {
    it.tokens.first().is_some_and(|it| it.word == word)
}

/// Whether a parameter begins there.
pub(super) fn is_parameter(it: &Sight<'_>) -> bool {
    let is_first = it.follows(1, Kind::ParenOpen) || it.follows(1, Kind::Comma);
    is_first && it.expects(Expected::NAME)
}

/// Whether a statement begins there, where a declaration is expected.
fn is_statement(it: &Sight<'_>) -> bool {
    let is_used = [Kind::ParenOpen, Kind::Dot, Kind::Equal]
        .iter()
        .any(|kind| it.precedes(*kind));
    it.expects(Expected::DECLARATION) && (it.token.kind != Kind::Identifier || is_used)
}
