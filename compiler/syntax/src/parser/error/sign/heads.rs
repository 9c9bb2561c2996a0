//! Signs in heads of declarations, in fields and in bodies that other languages write otherwise: tried before all others.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::foreign::GUARD;
use crate::parser::error::sight::Sight;
use crate::parser::error::sign::particular::COMMAS;
use crate::token::{TokenKind as Kind, Word};

const FIXED_COUNT: &str =
    "the number of parameters is fixed: several values are a list, `xs: [int]`";

/// In the order in which they are tried.
pub(super) const HEADS: &[Sign] = &[
    sign(
        &[],
        |it| {
            let is_class = it.before(1).is_some_and(|it| it.word == Word::Idempotent);
            is_class && it.expects(Expected::WORD)
        },
        "what tells one order from another follows `by`: `tool pay(id: string) -> string idempotent by id { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::DotDot],
        |it| it.expects(Expected::TYPE) || it.follows_type_name() && it.expects_token(Kind::Comma),
        FIXED_COUNT,
        Edit::None,
    ),
    sign(
        &[Kind::Semicolon],
        |it| it.expects_token(Kind::Comma) && it.is_declared(),
        COMMAS,
        Edit::Close(","),
    ),
    // Lambdas.
    sign(
        &[Kind::Equal],
        |it| it.expects_token(Kind::ParenClose) && it.brackets_precede(Kind::FatArrow),
        "the parameters of a lambda have no default values; those of an `fn` do",
        Edit::None,
    ),
    sign(
        &[Kind::FatArrow],
        |it| {
            let is_taken_apart = it.follows(1, Kind::ParenClose) || it.follows(1, Kind::BraceClose);
            is_taken_apart && it.ends_operand() && it.expects_token(Kind::ParenClose)
        },
        "a parameter of a lambda is a name, `_` or a tuple of these: `p => p.name`, `(key, value) => …`",
        Edit::None,
    ),
    // Statements where a value stands.
    sign(
        &[Kind::Assert],
        |it| it.expects(Expected::EXPRESSION) && !it.expects(Expected::STATEMENT),
        "`assert` is a statement, and stands in a block: `do { assert x > 0 } catch AssertionFailed(_) => …`",
        Edit::None,
    ),
    sign(
        &[Kind::Underscore],
        |it| it.expects(Expected::EXPRESSION) && it.brackets_precede(Kind::Equal),
        "`_` stands in patterns: an assignment gives each place a value, `let (a, _) = pair` only some",
        Edit::None,
    ),
    sign(
        &[Kind::Newline, Kind::BraceClose],
        |it| it.expects_token(Kind::Equal) && it.is_in_head(|it| it.kind == Kind::Var),
        "a variable has a value from the beginning: `var found = \"\"`, or `let x = if c { a } else { b }`",
        Edit::None,
    ),
    // Values and operators.
    sign(
        &[Kind::StarEqual],
        |it| it.follows(1, Kind::Star) && it.is_joined(),
        "a power is written `x = x.pow(2)`",
        Edit::None,
    ),
    sign(
        &[Kind::Slash],
        |it| it.expects(Expected::EXPRESSION),
        "a regular expression is a text: `s.matches(r\"[0-9]+\")`",
        Edit::None,
    ),
    sign(
        &[Kind::Question],
        |it| it.is_joined() && it.precedes(Kind::BracketOpen) && it.expects(Expected::OPERATOR),
        "what may be absent is looked into with `xs?.get(0)`",
        Edit::None,
    ),
    sign(
        &[Kind::Question],
        |it| it.is_joined() && it.precedes(Kind::ParenOpen) && it.expects(Expected::OPERATOR),
        "a function that may be absent is called where it is there: `if let f = p.f { f() }`",
        Edit::None,
    ),
    sign(
        &[Kind::Question],
        |it| {
            let is_elvis = it.precedes(Kind::Colon);
            !is_elvis && it.expects(Expected::OPERATOR) && it.precedes_on_line(Kind::Colon)
        },
        "a conditional expression is written `if condition { a } else { b }`",
        Edit::None,
    ),
    sign(
        &[
            Kind::Less,
            Kind::LessEqual,
            Kind::Greater,
            Kind::GreaterEqual,
            Kind::EqualEqual,
            Kind::BangEqual,
        ],
        |it| it.expects_token(Kind::FatArrow),
        GUARD,
        Edit::None,
    ),
];

impl Sight<'_> {
    /// Whether a token of that kind follows the innermost brackets around the token.
    pub(super) fn brackets_precede(&self, kind: Kind) -> bool {
        let Some(opener) = self.opener(self.index) else {
            return false;
        };
        let length = self.tokens[opener].value as usize;
        let after = self.tokens.get(opener + length + 1);
        length > 0 && after.is_some_and(|it| it.kind == kind)
    }
}
