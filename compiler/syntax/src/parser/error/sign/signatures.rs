//! Signs in types and in the heads of declarations, and what is written there instead.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::foreign::OPTIONAL;
use crate::token::{TokenKind as Kind, Word};

pub(super) const NAMELESS_RECORD: &str =
    "a record has a name: `type Point { x: int, y: int }`; `{string: int}` is the type of a map";

/// In the order in which they are tried.
pub(super) const SIGNATURES: &[Sign] = &[
    sign(
        &[Kind::Question],
        |it| it.expects(Expected::TYPE) || it.expects_only(Kind::Colon),
        OPTIONAL,
        Edit::None,
    ),
    sign(
        &[Kind::BracketOpen],
        |it| it.expects_token(Kind::ParenOpen),
        "type parameters are written in `< >`: `fn first<T>(xs: [T]) -> T?`",
        Edit::None,
    ),
    sign(
        &[Kind::BracketOpen],
        |it| {
            let is_declared = it.follows(2, Kind::Type) || it.follows(2, Kind::Enum);
            is_declared && it.follows(1, Kind::Identifier)
        },
        "type parameters are written in `< >`: `type Page<T> { items: [T] }`",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow, Kind::Bang],
        |it| it.expects(Expected::MODIFIER) && !it.ends_operand(),
        "the result type and the errors come before the modifiers: `workflow w() -> int ! Failed timeout 5m`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| it.token.word == Word::With && it.expects_token(Kind::BraceOpen),
        "the agent of a prompt follows `by`, `prompt p() -> string by helper { … }`, and its settings stand in its body, one a line: `temperature: 0.0`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.is_among_errors(),
        "errors are separated by `|`",
        Edit::Sign(" |"),
    ),
    sign(
        &[Kind::Comma],
        |it| {
            let is_modifier = it.after(1).is_some_and(|it| it.word.modifier().is_some());
            is_modifier && it.expects_token(Kind::BraceOpen)
        },
        "modifiers follow the result type without commas and colons: `-> bool timeout 2d`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects_token(Kind::BraceOpen) && it.is_in_head(|it| it.kind == Kind::Fn),
        "several results are a tuple: `-> (int, string)`",
        Edit::None,
    ),
    sign(
        &[Kind::BracketOpen],
        |it| it.follows_type_name() && !it.precedes(Kind::BracketClose),
        "a list is written `[T]`, a map `{K: V}`, and the arguments of a type `Page<T>`",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow, Kind::FatArrow],
        |it| it.follows_parameters_of_type(),
        "the type of a function is written `fn(int) -> int`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma, Kind::BraceClose],
        |it| it.expects_token(Kind::Colon) && it.follows_part_of_type(Kind::BraceOpen),
        "braces are the type of a map, `{string: int}`; a tuple is `(string, int)`, and a set `Set<string>` of `std/set`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma, Kind::Newline, Kind::Semicolon],
        |it| it.expects_token(Kind::BraceClose) && it.is_in_aliased_braces(),
        "`{K: V}` is the type of a map; a record is declared without `=`: `type Name { field: type }`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma, Kind::Semicolon],
        |it| it.expects_token(Kind::BraceClose) && it.follows_part_of_type(Kind::BraceOpen),
        NAMELESS_RECORD,
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects_token(Kind::BracketClose) && it.follows_part_of_type(Kind::BracketOpen),
        "one of several texts is `\"yes\" | \"no\"`, several values are a tuple `(int, string)`, and a list has elements of one type: `[int]`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.expects_token(Kind::Greater) && it.expects_token(Kind::Comma),
        "type parameters have no bounds: what the body does with a `T`, such as `a < b`, is checked at each call",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.expects_only(Kind::Colon) && it.before(1).is_some_and(|it| it.word == Word::Where),
        "a check stands on the line of its field: `count: int where it > 0`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| it.expects_only(Kind::Colon) && it.follows(1, Kind::Identifier),
        "the name comes first: `x: int`",
        Edit::None,
    ),
];
