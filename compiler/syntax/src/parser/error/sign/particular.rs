//! Signs whose surroundings leave no doubt about what is meant, which is reported before all others.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::foreign::ARM;
use crate::parser::error::sight::Sight;
use crate::parser::error::sign::signatures::NAMELESS_RECORD;
use crate::token::{LineStart, Token, TokenKind as Kind, Word};

pub(super) const COMMAS: &str = "fields, variants and parameters are separated by commas";

const RANGE_WITHOUT_STEP: &str =
    "a range has no step: `(0..10).filter(i => i % 2 == 0)` leaves numbers out";

/// In the order in which they are tried.
pub(super) const PARTICULAR: &[Sign] = &[
    sign(
        &[],
        |it| it.expects_only(Kind::Comma) && it.token.is_word() && it.is_declared(),
        COMMAS,
        Edit::After(","),
    ),
    sign(
        &[Kind::Colon],
        |it| it.expects_token(Kind::InterpolationClose),
        "there are no formats in `${…}`: `x.fixed(2)` has two decimal places, `s.pad_start(5)` pads it with spaces",
        Edit::None,
    ),
    // Tests and hooks.
    sign(
        &[Kind::FatArrow, Kind::Equal],
        |it| it.expects_token(Kind::Arrow) && it.is_in_head(|it| it.word == Word::Mock),
        "the value of a mock follows an arrow: `mock find(_) -> value`",
        Edit::Sign("->"),
    ),
    sign(
        &[Kind::Arrow, Kind::Equal, Kind::FatArrow],
        |it| it.expects_token(Kind::ParenOpen) && it.is_in_head(|it| it.word == Word::Mock),
        "a mock needs a pattern for its arguments: `mock find(\"a\") -> value`, `mock find(_) -> value`, or `mock find(..) -> value` for all",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow, Kind::Equal, Kind::FatArrow],
        |it| {
            let is_agent = it.before(2).is_some_and(|it| it.word == Word::Agent);
            is_agent
                && it.expects_token(Kind::BraceOpen)
                && it.is_in_head(|it| it.word == Word::Mock)
        },
        "script the model of an agent with `mock agent name { answer value }`, one turn a line",
        Edit::None,
    ),
    sign(
        &[Kind::Newline, Kind::BraceClose],
        |it| it.expects(Expected::PATTERN) && it.is_in_head(|it| it.kind == Kind::Assert),
        "name the expected error: `assert f(x) fails Timeout(_)`, or `fails _` for any",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.expects(Expected::STRING) && it.before(1).is_some_and(|it| it.word == Word::Test),
        "the name of a test is a text: `test \"it adds\" { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| {
            it.expects_only(Kind::BraceOpen) && it.before(2).is_some_and(|it| it.word == Word::Hook)
        },
        "what a hook is asked of is a parameter in its braces: `hook guard { before_tool(call) { … } }`",
        Edit::None,
    ),
    // Modifiers and parallel work.
    sign(
        &[Kind::Colon],
        |it| it.is_argument_of_modifier(),
        "what belongs to a modifier follows it without parentheses: `retry 3 backoff 1s { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::END_OF_STATEMENT) && it.closes_modifier(),
        "what belongs to a modifier follows it without parentheses: `retry 3 backoff 1s { … }`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.precedes(Kind::Colon) && it.before(1).is_some_and(|it| it.word == Word::Budget),
        "the bounds of a budget go in parentheses: `budget(usd: 0.5) { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects_token(Kind::BracketClose) && it.opener_follows(Word::Parallel),
        "concurrent work goes in parentheses: `parallel (f(), g())`",
        Edit::None,
    ),
    // Blocks that are indented.
    sign(
        &[Kind::Colon],
        |it| {
            let next = it.after(1);
            let ends_line = next.is_some_and(|it| it.line_start != LineStart::Inside);
            ends_line && it.expects(Expected::END_OF_STATEMENT)
        },
        "a block goes in braces; there is no `try`: `catch { … }` follows what may fail",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_text = it.follows(1, Kind::String) || it.follows(1, Kind::StringClose);
            is_text && it.is_joined() && it.ends_operand()
        },
        "a quote inside of a string is written `\\\"`",
        Edit::None,
    ),
    // Types.
    sign(
        &[Kind::Int, Kind::Float],
        |it| it.expects(Expected::TYPE),
        "one of several texts is a type, `\"a\" | \"b\"`; of numbers a check says which: `type Size = int where it == 1 or it == 2`",
        Edit::None,
    ),
    sign(
        &[Kind::BracketOpen],
        |it| {
            let is_alias = it.follows(2, Kind::Equal) && it.follows(4, Kind::Type);
            is_alias && it.expects(Expected::END_OF_ITEM)
        },
        "one of several texts is written `\"a\" | \"b\"`, a list `[T]`, a map `{K: V}`, and the arguments of a type `Page<T>`",
        Edit::None,
    ),
    // Arms.
    sign(
        &[Kind::Colon],
        |it| {
            it.expects_token(Kind::FatArrow)
                && !it.precedes(Kind::Colon)
                && !it.precedes_on_line(Kind::FatArrow)
        },
        ARM,
        Edit::Sign(" =>"),
    ),
    sign(
        &[Kind::Comma],
        |it| {
            let opener = it.opener(it.index);
            let before = opener.and_then(|at| it.tokens.get(at.checked_sub(1)?));
            let is_tuple = before.is_some_and(|it| it.kind == Kind::ParenClose);
            is_tuple && it.expects_token(Kind::FatArrow)
        },
        "the pattern of a tuple goes in parentheses, `(1, 2) => …`, and several patterns of an arm are separated by `|`: `1 | 2 => …`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects_token(Kind::FatArrow),
        "several patterns of an arm are separated by `|`: `1 | 2 => …`",
        Edit::Sign(" |"),
    ),
    sign(
        &[Kind::Semicolon],
        |it| it.expects_token(Kind::Comma) && it.follows_on_line(Kind::FatArrow),
        "an arm with several statements needs braces: `1 => { a(); b() }`",
        Edit::None,
    ),
    sign(
        &[Kind::Else],
        |it| it.precedes(Kind::Arrow),
        "the arm for everything else is `_ => …`",
        Edit::Sign("_"),
    ),
    sign(
        &[],
        |it| {
            let is_range = it.follows(1, Kind::DotDot) || it.follows(1, Kind::DotDotEqual);
            is_range && it.expects(Expected::PATTERN)
        },
        "a range in a pattern has both ends, `5..=9`; what has one end is a guard: `n if n >= 5 => …`",
        Edit::None,
    ),
    // Copies and joins.
    sign(
        &[Kind::DotDot],
        |it| it.expects(Expected::MAP_KEY),
        "a changed copy of a record begins with its type, `Order { id: 2, ..order }`; two maps are joined with `m.merge(n)`",
        Edit::None,
    ),
    // Several values.
    sign(
        &[Kind::Semicolon],
        |it| it.expects_token(Kind::BracketClose) && it.precedes_on_line(Kind::BracketClose),
        "the elements of a list are separated by commas, and a list that repeats a value is `(0..5).map(_ => 0)`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects(Expected::END_OF_STATEMENT) && it.is_in_head(|it| it.kind == Kind::Return),
        "several values are returned as a tuple: `return (1, 2)`",
        Edit::None,
    ),
    sign(
        &[Kind::Underscore],
        |it| it.expects(Expected::EXPRESSION),
        "`_` stands in patterns: `if let Box(_) = x { … }`, and the parameter of a lambda has a name: `xs.map(x => x + 1)`",
        Edit::None,
    ),
    // Loops and lines.
    sign(
        &[Kind::DotDot, Kind::DotDotEqual],
        |it| it.follows(2, Kind::DotDot) || it.follows(2, Kind::DotDotEqual),
        RANGE_WITHOUT_STEP,
        Edit::None,
    ),
    sign(
        &[],
        |it| {
            it.token.word == Word::Step
                && it.expects_token(Kind::BraceOpen)
                && it.is_in_head(|it| it.kind == Kind::For)
        },
        RANGE_WITHOUT_STEP,
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| {
            let is_bare = it.follows(2, Kind::For);
            is_bare || it.follows(2, Kind::ParenOpen) && it.follows(3, Kind::For)
        },
        "a loop over numbers is written `for i in 0..10 { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Const, Kind::Let, Kind::Var],
        |it| {
            let is_counted = it.after(2).is_some_and(|it| it.kind == Kind::Equal);
            it.follows(1, Kind::ParenOpen) && it.follows(2, Kind::For) && !is_counted
        },
        "a loop is written `for item in xs { … }`, without parentheses and `let`",
        Edit::None,
    ),
    sign(
        &[Kind::In],
        |it| {
            it.expects_token(Kind::ParenClose)
                && it.follows(2, Kind::ParenOpen)
                && it.follows(3, Kind::For)
        },
        "a loop is written `for item in xs { … }`, without parentheses",
        Edit::None,
    ),
    sign(
        &[Kind::Let, Kind::Var],
        |it| {
            let begins_line = it.token.line_start != LineStart::Inside;
            begins_line && it.expects(Expected::EXPRESSION) && !it.expects(Expected::STATEMENT)
        },
        "the line above is incomplete: its last operator needs a value",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| {
            let is_name = it.follows(1, Kind::Identifier);
            is_name && it.expects(Expected::END_OF_STATEMENT) && it.precedes_on_line(Kind::Equal)
        },
        "several names go in parentheses: `let (a, b) = (1, 2)`, and `(a, b) = (b, a)` of variables",
        Edit::None,
    ),
    // Conditions.
    sign(
        &[Kind::Colon],
        |it| {
            let is_head =
                it.is_in_head(|it| matches!(it.kind, Kind::If | Kind::While | Kind::Match));
            is_head && it.precedes(Kind::Equal) && it.expects_token(Kind::BraceOpen)
        },
        "a name is bound on the line before, `let x = f()`, or in a condition that asks whether there is a value: `if let x = f() and x > 2 { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.precedes(Kind::Equal) && it.expects_token(Kind::In),
        "a loop over numbers is written `for i in 0..10 { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| it.expects_token(Kind::BraceOpen) && it.is_in_condition(),
        "values are compared with `==`",
        Edit::Sign("=="),
    ),
    sign(
        &[Kind::Bang],
        |it| it.expects(Expected::EXPRESSION) && it.precedes(Kind::ParenOpen) && !it.is_joined(),
        "negation is written `not`",
        Edit::Sign("not "),
    ),
    // Values of other languages.
    sign(
        &[Kind::Bang],
        |it| it.precedes(Kind::BracketOpen) && it.is_joined(),
        "there are no macros, and a list is written `[1, 2]`",
        Edit::RemoveWithBefore,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_empty = it.follows(2, Kind::BracketOpen);
            is_empty && it.follows(1, Kind::BracketClose) && it.is_joined() && it.ends_operand()
        },
        "a list is written `[1, 2]`, an empty one `[]`, and its type `[int]`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| it.follows(1, Kind::BracketClose) && it.is_joined() && it.ends_operand(),
        "a map is written `{ \"a\": 1 }`, an empty one `{}`, and its type `{string: int}`",
        Edit::None,
    ),
    sign(
        &[Kind::Percent],
        |it| it.expects(Expected::EXPRESSION) && it.precedes(Kind::BraceOpen),
        "a map is written `{ \"a\": 1 }`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Colon],
        |it| it.expects(Expected::EXPRESSION) && it.precedes(Kind::Identifier),
        "there are no symbols: one of several names is the variant of an `enum`, or a text, `\"open\"`",
        Edit::None,
    ),
    sign(
        &[Kind::Dot],
        |it| {
            let is_third = it.follows(1, Kind::DotDot);
            it.expects(Expected::EXPRESSION) && it.precedes(Kind::Identifier) && !is_third
        },
        "a variant is written by its name, `Open`, or with its enum, `Status.Open`",
        Edit::Sign(""),
    ),
    // Functions.
    sign(
        &[Kind::Colon],
        |it| it.expects_token(Kind::ParenClose) && it.brackets_precede(Kind::Arrow),
        "the result of a lambda is inferred: `(n: int) => n + 1`",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow, Kind::FatArrow],
        |it| it.expects_token(Kind::Equal) && it.follows(1, Kind::ParenClose),
        "the type of a function is written `fn(int) -> int`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            it.expects_only(Kind::Colon)
                && it.follows(1, Kind::Identifier)
                && it.precedes(Kind::Colon)
        },
        "a parameter has one name, which is also that of the argument: `from: int`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| {
            let is_block = it.follows(1, Kind::Identifier) && it.follows(2, Kind::BraceOpen);
            is_block
                && it.outline.has_tool
                && it.expects(Expected::END_OF_STATEMENT)
                && it.opens_item(2)
        },
        "put the description of a tool above it, in lines that begin with `///`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| {
            let is_first = it.follows(2, Kind::BraceOpen) && it.follows(3, Kind::Arrow);
            is_first && it.expects(Expected::END_OF_STATEMENT)
        },
        NAMELESS_RECORD,
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| {
            let is_block = it.follows(1, Kind::Identifier) && it.follows(2, Kind::BraceOpen);
            let is_other = it.precedes(Kind::Colon) || it.precedes(Kind::Equal);
            is_block && it.expects(Expected::END_OF_STATEMENT) && !is_other
        },
        "these braces open a block: a record begins with its type, `Point { x: 1 }`, and a map in a block has braces of its own, `{ { \"x\": 1 } }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| {
            // Which is followed by what is done at once.
            let is_parallel = it.before(1).is_some_and(|it| it.word == Word::Parallel);
            it.follows(1, Kind::Identifier)
                && it.is_made()
                && !is_parallel
                && it.expects(Expected::END_OF_STATEMENT)
        },
        "a record begins with the name of its type, which has a capital: `Point { x: 1 }`",
        Edit::None,
    ),
];

impl Sight<'_> {
    /// Whether the token is among the fields, variants or parameters of a declaration, not in its body.
    pub(super) fn is_declared(&self) -> bool {
        let opener = self.opener(self.index);
        let Some(opener) = opener else {
            return false;
        };
        // Of a record or enum, or in the first parentheses of a head.
        let is_data = self.outline.has_type || self.outline.has_enum;
        is_data || !self.outline.has_brace_before(opener)
    }

    /// Whether the token is in the parentheses that follow a modifier.
    fn is_argument_of_modifier(&self) -> bool {
        let word = self.before_opener();
        word.is_some_and(|it| it.word.modifier().is_some()) && self.expects_token(Kind::ParenClose)
    }

    /// Whether the token before closes the parentheses that follow a modifier.
    fn closes_modifier(&self) -> bool {
        let closer = self.index.checked_sub(1);
        let opener = closer.and_then(|it| self.opener(it));
        let word = opener.and_then(|it| self.tokens.get(it.checked_sub(1)?));
        let is_modifier = word.is_some_and(|it| it.word.modifier().is_some());
        is_modifier && self.follows(1, Kind::ParenClose)
    }

    /// Whether the innermost bracket that is open follows that word.
    fn opener_follows(&self, word: Word) -> bool {
        self.before_opener().is_some_and(|it| it.word == word)
    }

    /// The token before the innermost bracket that is open.
    fn before_opener(&self) -> Option<Token> {
        let opener = self.opener(self.index)?;
        self.tokens.get(opener.checked_sub(1)?).copied()
    }

    /// Whether a token of that kind follows the token on its line.
    pub(super) fn precedes_on_line(&self, kind: Kind) -> bool {
        let rest = self.tokens[self.index..].iter().skip(1);
        let mut line = rest.take_while(|it| {
            it.line_start == LineStart::Inside && !matches!(it.kind, Kind::Comma | Kind::Newline)
                || it.kind == kind
        });
        line.any(|it| it.kind == kind)
    }

    /// Whether a token of that kind precedes the token on its line.
    fn follows_on_line(&self, kind: Kind) -> bool {
        let before = self.tokens[..self.index].iter().rev();
        let mut line = before.take_while(|it| it.kind != Kind::Newline);
        line.any(|it| it.kind == kind)
    }

    /// Whether the token is on the line of an `if` or `while`, and no `let` is between them.
    pub(super) fn is_in_condition(&self) -> bool {
        let mut before = self.tokens[..self.index].iter().rev();
        let ends = [Kind::If, Kind::While, Kind::Let, Kind::Newline];
        let last = before.find(|it| ends.contains(&it.kind));
        last.is_some_and(|it| matches!(it.kind, Kind::If | Kind::While))
    }

    /// Whether the token this many places before is the first brace of the item.
    fn opens_item(&self, count: usize) -> bool {
        let index = self.index.checked_sub(count);
        index.is_some_and(|it| !self.outline.has_brace_before(it))
    }

    /// Whether a name and a `:` are in the braces that the token opens, and a value or a statement is what it belongs to.
    fn is_made(&self) -> bool {
        let is_named = self.after(1).is_some_and(|it| it.is_word())
            && self.after(2).is_some_and(|it| it.kind == Kind::Colon);
        let is_value = self.follows(2, Kind::Equal)
            || self.follows(2, Kind::BraceOpen)
            || self.follows(2, Kind::Return);
        is_named && is_value
    }
}
