//! Idioms of one other language each, whose sign is looked at before the tables that are about the sign alone.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::sight::Sight;
use crate::token::{LineStart, TokenKind as Kind, Word};

const TYPED_VARIABLE: &str = "the type of a variable comes after `:`, and it has a value from the beginning: `var m: {string: int} = {}`, `var x: int = 3`";

/// In the order in which they are tried.
pub(super) const IDIOMS: &[Sign] = &[
    // Go
    sign(
        &[Kind::ParenOpen],
        |it| {
            let is_name = |count: usize| it.after(count).is_some_and(|it| it.is_word());
            let is_of_type = is_name(2) || it.after(2).is_some_and(|it| it.kind == Kind::Star);
            let is_head = it.index == 1 && it.follows(1, Kind::Fn);
            is_head && it.expects(Expected::NAME) && is_name(1) && is_of_type
        },
        "a method has its type before its name, and takes `self`: `fn User.label(self) -> string { self.name }`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier, Kind::BracketOpen],
        |it| {
            let is_bound = it.follows(2, Kind::Let) || it.follows(2, Kind::Var);
            let is_type = it.token.kind == Kind::Identifier
                && (it.precedes(Kind::BracketOpen) || it.ends_line())
                || it.token.kind == Kind::BracketOpen && it.precedes(Kind::BracketClose);
            is_bound && is_type && it.follows(1, Kind::Identifier) && it.expects_token(Kind::Colon)
        },
        TYPED_VARIABLE,
        Edit::None,
    ),
    // Java, C#, Kotlin
    sign(
        &[Kind::Colon],
        |it| {
            let is_error = it.tokens.first().is_some_and(|it| it.kind == Kind::Error);
            is_error && it.index == 2
        },
        "errors do not extend one another: `error Worst(why: string)` declares one with its field, and `catch { Worst(..) | Bad(..) => … }` catches several",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| {
            let before = &it.tokens[..it.index];
            let is_one_of = before.iter().any(|it| it.kind == Kind::Pipe);
            it.expects(Expected::END_OF_ITEM) && it.outline.has_type && is_one_of
        },
        "one of several variants is an enum: `enum Shape { Dot, Box(width: int) }`",
        Edit::None,
    ),
    sign(
        &[Kind::String, Kind::StringOpen],
        |it| {
            let is_role = it.before(1).is_some_and(|it| it.word == Word::Prompt);
            is_role && it.expects_token(Kind::Colon)
        },
        "a text begins with its role: `user \"…\"`, `system \"…\"`",
        Edit::None,
    ),
    sign(
        &[],
        |it| {
            let has_body = it.tokens.first().is_some_and(|it| {
                matches!(it.word, Word::Prompt | Word::Human) || it.kind == Kind::Workflow
            });
            let begins_line = it.token.line_start != LineStart::Inside;
            let is_head = begins_line && !it.outline.has_brace_before(it.index);
            has_body && is_head && it.expects_token(Kind::BraceOpen)
        },
        "the body goes in braces: `prompt ask(x: string) -> string { user \"${x}\" }`, `workflow main() -> int { 1 }`",
        Edit::None,
    ),
    // Rust, C++
    sign(
        &[Kind::Colon],
        |it| {
            let is_joined = it.is_joined() && it.follows(1, Kind::Colon);
            is_joined && it.follows(2, Kind::Identifier) && it.precedes(Kind::Identifier)
        },
        "members of an enum or a module are reached with a dot: `Severity.High`",
        Edit::WithBefore("."),
    ),
    // C, Kotlin, Python, JavaScript
    sign(
        &[Kind::Equal],
        |it| it.expects_token(Kind::BraceOpen) && it.is_in_condition() && it.assigns_call(),
        "values are compared with `==`; a value that may be absent is bound with `let`: `while let line = q.pop() { … }`, `if let x = f() { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Dot],
        |it| {
            let is_called = it.precedes(Kind::Identifier)
                && it.after(2).is_some_and(|it| it.kind == Kind::ParenOpen);
            let is_operand = !it.follows(1, Kind::DotDot) && !it.follows(1, Kind::Assert);
            it.expects(Expected::EXPRESSION) && is_called && is_operand
        },
        "a lambda names its parameter, `xs.map(x => x.len())`; a variant is written by its name: `Circle(1.0)`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.is_index() && it.precedes(Kind::Colon),
        "`xs.reverse()` is a list in the other order; a part of it is `.slice(from, to)`, `.take(n)` or `.drop(n)`",
        Edit::None,
    ),
    sign(
        &[
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::StringOpen,
            Kind::Identifier,
            Kind::True,
            Kind::False,
            Kind::None,
        ],
        |it| {
            let begins_line = it.token.line_start != LineStart::Inside;
            begins_line && it.expects_token(Kind::Comma) && it.is_listed()
        },
        "elements and arguments are separated by commas",
        Edit::After(","),
    ),
    sign(
        &[Kind::Comma],
        |it| it.ends_line() && it.expects(Expected::END_OF_STATEMENT),
        "a statement ends with its line, without a comma",
        Edit::Sign(""),
    ),
    sign(
        &[],
        |it| {
            let is_bound = it.before(1).is_some_and(|it| it.word == Word::Budget);
            is_bound && it.token.is_word() && it.expects(Expected::END_OF_STATEMENT)
        },
        "the bounds of a budget go in parentheses: `budget(usd: 0.5) { … }`",
        Edit::None,
    ),
];

impl Sight<'_> {
    /// Whether the token is the last of its line.
    fn ends_line(&self) -> bool {
        let next = self.after(1);
        next.is_none_or(|it| it.line_start != LineStart::Inside || it.kind == Kind::BraceClose)
    }

    /// Whether the innermost bracket is that of a list or of arguments, and is closed.
    fn is_listed(&self) -> bool {
        let opener = self.opener(self.index).map(|it| self.tokens[it]);
        opener.is_some_and(|it| {
            it.is_matched() && matches!(it.kind, Kind::BracketOpen | Kind::ParenOpen)
        })
    }

    /// Whether a call is what follows the token, up to the body of its condition.
    fn assigns_call(&self) -> bool {
        let rest = self.tokens[self.index..].iter();
        let mut condition = rest.take_while(|it| it.kind != Kind::BraceOpen);
        condition.any(|it| it.kind == Kind::ParenOpen)
    }

    /// Whether the parentheses that the token opens are followed by the result or the body of a function.
    pub(super) fn brackets_are_head(&self) -> bool {
        let length = self.token.value as usize;
        let after = self.tokens.get(self.index + length + 1);
        let is_head = |kind| matches!(kind, Kind::BraceOpen | Kind::Arrow | Kind::Colon);
        self.token.is_matched() && after.is_some_and(|it| is_head(it.kind))
    }
}
