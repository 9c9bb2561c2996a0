//! Signs in heads of declarations, in fields and in bodies that other languages write otherwise: tried before all others.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::foreign::{GUARD, VALUE_FROM_THE_BEGINNING};
use crate::parser::error::sight::Sight;
use crate::parser::error::sign::particular::COMMAS;
use crate::token::{Token, TokenKind as Kind, Word};

const FIXED_COUNT: &str =
    "the number of parameters is fixed: several values are a list, `xs: [int]`";

const COMPARISONS: &[Kind] = &[
    Kind::Less,
    Kind::LessEqual,
    Kind::Greater,
    Kind::GreaterEqual,
    Kind::EqualEqual,
    Kind::BangEqual,
];

const PARAMETER_OF_LAMBDA: &str = "a parameter of a lambda is a name, `_` or a tuple of these: `p => p.name`, `(key, value) => …`";

const CHECK: &str =
    "restrict the values of a field with a check after its type: `age: int where it >= 0`";

/// In the order in which they are tried.
pub(super) const HEADS: &[Sign] = &[
    sign(
        &[],
        |it| {
            let is_class = it.before(1).is_some_and(|it| it.word == Word::Idempotent);
            is_class && it.expects(Expected::WORD)
        },
        "the idempotency key follows `by`: `tool pay(id: string) -> string idempotent by id { … }`",
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
    sign(
        &[Kind::Pipe],
        |it| it.expects_token(Kind::Comma) && it.outline.has_enum && it.is_declared(),
        COMMAS,
        Edit::Close(","),
    ),
    sign(
        &[Kind::At],
        |it| it.expects_token(Kind::Comma) && it.is_declared(),
        "put the description of a field above it, in a line that begins with `///`, and an attribute stands before the field: `@alias(\"n\") name: string`",
        Edit::None,
    ),
    sign(
        &[Kind::Star],
        |it| it.follows(1, Kind::Dot) && it.is_of(|it| it.kind == Kind::Import),
        "a module is imported whole, and what it declares is written with its name: `import ./shapes`, then `shapes.area(1)`",
        Edit::RemoveWithBefore,
    ),
    sign(
        &[Kind::Star],
        |it| it.expects(Expected::PATH),
        "a module is imported whole: `import ./shapes`, or by another name `import ./shapes as s`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.precedes(Kind::Colon) && it.is_of(|it| it.kind == Kind::Import),
        "a path is written with `/`, `import std/fs`, and names of a module are listed: `import ./shapes.{area}`",
        Edit::Both("/"),
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects(Expected::END_OF_ITEM) && it.is_of(|it| it.kind == Kind::Import),
        "each module is imported on a line of its own",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_test = it.is_of(|it| it.word == Word::Test);
            is_test && it.token.word == Word::With && it.expects_token(Kind::BraceOpen)
        },
        "a test of several rows is written `test \"it adds\" for (a, b) in [(1, 2), (3, 4)] { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::END_OF_ITEM) && it.is_of(|it| it.word == Word::External),
        "an `external` has no body: what it gives comes from outside; what the program does by itself is a `tool` or an `fn`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects_token(Kind::Equal) && it.is_of(|it| it.word == Word::Mcp),
        "a server is declared by how it is reached: `mcp files = stdio(\"npx\", [\"server\"])`, `mcp web = http(\"https://…\")`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| it.expects(Expected::END_OF_ITEM) && it.outline.has_type,
        "a record is declared with its fields: `type Name { field: type }`",
        Edit::None,
    ),
    sign(
        &[Kind::String, Kind::StringOpen],
        |it| {
            let is_example = it.before(1).is_some_and(|it| it.word == Word::Example);
            is_example && it.expects_token(Kind::ParenOpen)
        },
        "the arguments of an example go in parentheses: `example (\"good\") -> 3`",
        Edit::None,
    ),
    // What stands in a head, where the body or what follows it has it.
    sign(
        &[],
        |it| {
            let is_timeout = it.before(1).is_some_and(|it| it.word == Word::Timeout);
            it.expects_token(Kind::Colon) && is_timeout && it.is_of(|it| it.word == Word::Human)
        },
        "the timeout for a person goes in the head: `human ask(x: string) -> bool timeout 5m { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_by = it.before(1).is_some_and(|it| it.word == Word::By);
            it.expects_token(Kind::Colon) && is_by
        },
        "the agent of a prompt stands in its head: `prompt ask(x: string) -> string by helper { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_class = matches!(
                it.token.word,
                Word::Pure | Word::Reads | Word::Idempotent | Word::Once
            );
            is_class && it.expects(Expected::END_OF_ITEM) && it.is_of(|it| it.word == Word::Tool)
        },
        "how a tool may be repeated stands after its result: `tool pay(id: string) -> string once { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| {
            let word = it.before(1).map(|it| it.word);
            matches!(word, Some(Word::Backoff | Word::Max)) && it.expects(Expected::EXPRESSION)
        },
        "a modifier and its parts have no colon: `retry 3 backoff 1s max 1m { … }`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::If],
        |it| it.expects_token(Kind::Arrow) && it.is_in_head(|it| it.word == Word::Mock),
        "a mock has no guard: its patterns say of which arguments it is, and its answer can decide: `mock f(x) -> if x > 3 { 1 } else { 2 }`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| {
            let is_awaited = it.opener(it.index).is_some_and(|opener| {
                let before = |count: usize| opener.checked_sub(count).map(|at| it.tokens[at].kind);
                before(1) == Some(Kind::Identifier) && before(2) == Some(Kind::Await)
            });
            is_awaited && it.expects_token(Kind::BracketClose)
        },
        "several tasks are awaited as a list: `await [t1, t2]`",
        Edit::None,
    ),
    sign(
        &[Kind::Let, Kind::Var, Kind::Return],
        |it| {
            // With or without the end of the line between them.
            [1, 2].into_iter().any(|closer| {
                let word = it.before(closer + 3).map(|it| it.word);
                it.follows(closer, Kind::ParenClose) && word == Some(Word::Was)
            })
        },
        "an earlier name stands right before `step`: `let x = @was(\"old\") step \"new\" { … }`",
        Edit::None,
    ),
    // Lambdas.
    sign(
        &[Kind::Identifier],
        |it| {
            let is_arrow = it.precedes(Kind::FatArrow) || it.precedes(Kind::Arrow);
            it.expects(Expected::MAP_KEY) && it.follows(1, Kind::BraceOpen) && is_arrow
        },
        "a lambda has no braces around it: `x => x + 1`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| it.expects(Expected::MAP_KEY) && it.braces_are_parameter(),
        PARAMETER_OF_LAMBDA,
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| {
            let is_bare = it.follows(1, Kind::ParenClose) && it.follows(2, Kind::ParenOpen);
            let is_value = [Kind::Equal, Kind::ParenOpen, Kind::Comma];
            is_bare && is_value.iter().any(|kind| it.follows(3, *kind))
        },
        "a lambda has an arrow: `() => 1`, and with several lines `() => { … }`",
        Edit::Before("=> "),
    ),
    sign(
        &[Kind::Colon],
        |it| {
            let is_value = [Kind::Equal, Kind::ParenOpen, Kind::Comma];
            it.follows(1, Kind::Identifier)
                && is_value.iter().any(|kind| it.follows(2, *kind))
                && (!it.follows(2, Kind::ParenOpen) || it.is_argument())
                && it.ends_operand()
                && it.precedes_on_line(Kind::FatArrow)
        },
        "a parameter of a lambda that has a type goes in parentheses: `(n: int) => n + 1`",
        Edit::None,
    ),
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
        PARAMETER_OF_LAMBDA,
        Edit::None,
    ),
    // Statements where a value is expected.
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
        &[Kind::Newline, Kind::BraceClose, Kind::Semicolon],
        |it| it.expects_token(Kind::Equal) && it.is_in_head(|it| it.kind == Kind::Var),
        VALUE_FROM_THE_BEGINNING,
        Edit::None,
    ),
    sign(
        &[Kind::While],
        |it| it.follows(1, Kind::BraceClose) && it.expects(Expected::END_OF_STATEMENT),
        "the condition of a loop stands first: `while c { … }`; what is done at least once is `while true { …; if not c { break } }`",
        Edit::None,
    ),
    // Values and operators.
    sign(
        &[Kind::Comma],
        |it| it.follows(2, Kind::In),
        "several values are a list: `s in [\"a\", \"b\"]`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects(Expected::END_OF_STATEMENT) && it.is_in_head(|it| it.kind == Kind::Await),
        "several tasks are awaited as a list, `await [t1, t2]`; `parallel (f(), g())` does both at once without tasks",
        Edit::None,
    ),
    sign(
        COMPARISONS,
        |it| {
            let is_joined = it.follows(1, Kind::And) || it.follows(1, Kind::Or);
            is_joined && it.expects(Expected::EXPRESSION)
        },
        "each side of `and` and `or` is a condition of its own: `x > 3 and x < 5`",
        Edit::None,
    ),
    sign(
        COMPARISONS,
        |it| it.expects(Expected::PATTERN),
        "a pattern is a value or a range, `5`, `5..=9`; a condition of an arm comes after `if`: `n if n >= 5 => …`",
        Edit::None,
    ),
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
        "to access a value that may be `none`, write `xs?.get(0)`",
        Edit::None,
    ),
    sign(
        &[Kind::Question],
        |it| it.is_joined() && it.precedes(Kind::ParenOpen) && it.expects(Expected::OPERATOR),
        "unwrap an optional function before you call it: `if let f = p.f { f() }`",
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
        COMPARISONS,
        |it| it.expects_token(Kind::FatArrow),
        GUARD,
        Edit::None,
    ),
    sign(COMPARISONS, is_bound_of_field, CHECK, Edit::None),
    sign(
        &[Kind::ParenOpen],
        |it| {
            let is_named = it.after(2).is_some_and(|it| it.kind == Kind::Colon);
            is_bound_of_field(it) && (is_named || it.precedes(Kind::Int))
        },
        CHECK,
        Edit::None,
    ),
    sign(
        &[Kind::Dot],
        |it| it.follows(1, Kind::Assert),
        "a test asserts a condition: `assert a == b, \"why\"`, `assert f(x) fails Failed(_)`",
        Edit::None,
    ),
];

/// Whether it follows the type of a field, which takes a check instead.
fn is_bound_of_field(sight: &Sight<'_>) -> bool {
    let is_typed = sight.follows(1, Kind::Identifier) && sight.follows(2, Kind::Colon);
    is_typed && sight.expects_token(Kind::Comma) && sight.is_declared()
}

impl Sight<'_> {
    /// Whether the item begins with such a token.
    fn is_of(&self, is_meant: fn(&Token) -> bool) -> bool {
        self.tokens.first().is_some_and(is_meant)
    }

    /// Whether the token is in braces that are all of the parameters of a lambda: `({ first }) => first`.
    fn braces_are_parameter(&self) -> bool {
        let Some(opener) = self.opener(self.index) else {
            return false;
        };
        let closer = opener + self.tokens[opener].value as usize;
        let kind = |index: usize| self.tokens.get(index).map(|it| it.kind);
        closer > opener
            && opener.checked_sub(1).and_then(kind) == Some(Kind::ParenOpen)
            && kind(closer + 1) == Some(Kind::ParenClose)
            && kind(closer + 2) == Some(Kind::FatArrow)
    }

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
