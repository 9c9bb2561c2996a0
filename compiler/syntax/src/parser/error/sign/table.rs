//! The table of signs: where each is meant, and its message.

use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::foreign::{ARROW, LAMBDA, VARIANTS};
use crate::parser::error::sight::Sight;
use crate::token::{LineStart, Token, TokenKind as Kind, Word};

impl Sight<'_> {
    /// Whether two signs, of which the token is the second, are between what may be operands.
    fn stands_between_operands(&self) -> bool {
        let left = self.before(2).is_some_and(|it| {
            let ends = [
                Kind::Identifier,
                Kind::String,
                Kind::StringClose,
                Kind::ParenClose,
                Kind::BracketClose,
            ];
            ends.contains(&it.kind)
        });
        let right = self.after(1).is_some_and(|it| {
            let starts = [
                Kind::Identifier,
                Kind::String,
                Kind::StringOpen,
                Kind::ParenOpen,
                Kind::BracketOpen,
            ];
            it.line_start == LineStart::Inside && starts.contains(&it.kind)
        });
        left && right
    }
}

fn is_control(token: &Token) -> bool {
    matches!(token.kind, Kind::If | Kind::For | Kind::While)
}

const PART_OF_LIST: &str =
    "to take a part of a list, use `.slice(from, to)`, `.take(n)` or `.drop(n)`";

/// In the order in which they are tried: the first that is meant is the one.
pub(super) const SIGNS: &[Sign] = &[
    sign(
        &[Kind::Comma, Kind::BraceClose],
        |it| it.expects_token(Kind::Colon) && it.is_key(),
        "a map has keys and values, `{ \"a\": 1 }`; a list is `[1, 2]`, and `set.of([1, 2])` of `std/set` a set",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| {
            let next = it.after(1);
            it.expects_token(Kind::BraceOpen)
                && next.is_none_or(|it| it.line_start != LineStart::Inside)
        },
        "the body of a declaration or a statement goes in braces: `fn f(n: int) -> int { n + 1 }`",
        Edit::None,
    ),
    sign(
        &[Kind::As],
        |it| it.expects_token(Kind::FatArrow),
        "a bare name binds all that is caught, `catch e => …`, and a pattern its fields: `catch Failed(message) => …`",
        Edit::None,
    ),
    // Signs by themselves.
    sign(
        &[Kind::Equal],
        |it| it.follows(1, Kind::EqualEqual) || it.follows(1, Kind::BangEqual),
        "values are compared with `==` and `!=`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Greater],
        |it| it.follows(1, Kind::Less) && it.is_joined() && it.expects(Expected::EXPRESSION),
        "values are compared with `==` and `!=`, strings and lists joined with `+`",
        Edit::None,
    ),
    sign(
        &[Kind::Plus],
        |it| it.follows(1, Kind::Plus) && it.is_joined() && it.stands_between_operands(),
        "strings and lists are joined with `+`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Plus],
        |it| it.follows(1, Kind::Plus),
        "there is no `++`: `n += 1` adds one",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.expects_token(Kind::Arrow),
        ARROW,
        Edit::Sign(" ->"),
    ),
    sign(
        &[Kind::Colon],
        |it| it.expects_token(Kind::FatArrow) && !it.precedes(Kind::Colon),
        "a pattern has no type: `Timeout(after) => …` takes that error, `e => …` any",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| {
            it.expects(Expected::END_OF_STATEMENT) && it.is_key() && it.follows(2, Kind::BraceOpen)
        },
        "these braces open a block; a map in it has its own: `{ { \"a\": 1 } }`",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow],
        |it| it.expects_token(Kind::FatArrow),
        "an arm is written `pattern => value`",
        Edit::Sign("=>"),
    ),
    sign(
        &[Kind::Arrow],
        |it| it.ends_operand(),
        LAMBDA,
        Edit::Sign("=>"),
    ),
    sign(
        &[Kind::Pipe],
        |it| it.expects(Expected::EXPRESSION),
        "a lambda is written `x => x + 1`, one with two parameters `(a, b) => a + b`",
        Edit::None,
    ),
    sign(
        &[Kind::Else],
        |it| it.precedes(Kind::FatArrow),
        "the arm for everything else is `_ => …`",
        Edit::Sign("_"),
    ),
    sign(
        &[Kind::FatArrow],
        |it| it.expects_token(Kind::Arrow),
        ARROW,
        Edit::Sign("->"),
    ),
    sign(
        &[Kind::Dot],
        |it| it.precedes(Kind::Int) && !it.follows(1, Kind::DotDot),
        "a number with a point has digits on both sides of it",
        Edit::Before("0"),
    ),
    sign(
        &[Kind::Comma, Kind::ParenClose, Kind::Equal],
        |it| it.expects_only(Kind::Colon),
        "a parameter or field needs a type: `name: type`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.follows(1, Kind::Minus) && it.follows(2, Kind::Minus),
        "there is no `--`: `n -= 1` subtracts one",
        Edit::None,
    ),
    sign(
        &[Kind::Plus],
        |it| {
            let is_number = it.precedes(Kind::Int) || it.precedes(Kind::Float);
            is_number && it.expects(Expected::EXPRESSION)
        },
        "a number above zero has no sign",
        Edit::Sign(""),
    ),
    // Two signs that are one in another language.
    sign(
        &[Kind::Star],
        |it| it.follows(1, Kind::Star) && it.is_joined(),
        "a power is written `x.pow(2)`",
        Edit::None,
    ),
    sign(
        &[Kind::Star],
        |it| {
            let is_element = it.follows(1, Kind::Comma) || it.follows(1, Kind::BracketOpen);
            is_element && it.precedes(Kind::Identifier) && it.expects_token(Kind::BracketClose)
        },
        "the rest of a list is taken with two dots: `[first, ..rest]`",
        Edit::None,
    ),
    sign(
        &[Kind::Dot],
        |it| {
            let is_rest = it.expects(Expected::NAME) && it.expects_token(Kind::BracketClose);
            is_rest && it.follows(1, Kind::DotDot) && it.is_joined()
        },
        "the rest of a list is taken with two dots: `[first, ..rest]`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Dot, Kind::Less],
        |it| {
            let starts_element = [Kind::BraceOpen, Kind::Comma, Kind::Newline];
            it.follows(1, Kind::DotDot)
                && it.is_joined()
                && starts_element.iter().any(|kind| it.follows(2, *kind))
        },
        "the other fields are taken from a record with two dots: `..base`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Dot, Kind::Less],
        |it| it.follows(1, Kind::DotDot) && it.is_joined(),
        "a range is written `0..3`, or `0..=3` to include its end",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.follows(1, Kind::Identifier) && it.follows(2, Kind::Dot),
        "a lambda is passed in parentheses: `xs.map(x => x + 1)`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.expects_token(Kind::BracketClose),
        PART_OF_LIST,
        Edit::None,
    ),
    sign(
        &[Kind::BracketClose],
        |it| it.expects(Expected::EXPRESSION) && it.follows(1, Kind::DotDot),
        PART_OF_LIST,
        Edit::None,
    ),
    sign(
        &[Kind::DotDot],
        |it| it.expects(Expected::EXPRESSION) && it.is_index(),
        PART_OF_LIST,
        Edit::None,
    ),
    sign(
        &[Kind::DotDot],
        |it| it.expects_token(Kind::BracketClose),
        "lists are joined with `+`: `[first] + rest`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.precedes(Kind::Colon) && it.after(2).is_some_and(|it| it.kind == Kind::Less),
        "type arguments cannot be written in expressions: they are inferred, or follow from `let x: Name<int> = …`; `j as T` decodes JSON",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.precedes(Kind::Colon),
        "members of an enum or a module are reached with a dot: `Severity.High`",
        Edit::Both("."),
    ),
    sign(
        &[Kind::BracketOpen],
        |it| it.precedes(Kind::BracketClose) && it.follows_type_name(),
        "the type of a list is written `[int]`",
        Edit::None,
    ),
    sign(
        &[Kind::StringOpen, Kind::String],
        |it| it.follows(1, Kind::Identifier) && it.is_joined(),
        "every string interpolates `${expression}`; only `r\"…\"` is taken literally",
        Edit::RemoveBefore,
    ),
    sign(
        &[Kind::Bang],
        |it| it.precedes(Kind::ParenOpen),
        "there are no macros: `log.info(\"…\")` prints a line, `fail Failed(\"…\")` raises an error, `\"${x}\"` formats text",
        Edit::None,
    ),
    sign(
        &[Kind::Bang],
        |it| it.ends_operand() && !it.expects(Expected::EXPRESSION),
        "`?? value` and `?? fail Failed(\"…\")` handle `none`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.before(1).is_some_and(|it| it.word.modifier().is_some()),
        "a modifier is written without a colon: `timeout 5s`",
        Edit::Sign(""),
    ),
    sign(
        &[Kind::Equal],
        |it| it.before(1).is_some_and(|it| it.word.modifier().is_some()),
        "a modifier is written without `=`: `retry 3`",
        Edit::Sign(" "),
    ),
    // `=` where something else gives a value to a name.
    sign(
        &[Kind::Equal],
        |it| it.outline.has_enum,
        VARIANTS,
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| {
            it.follows(1, Kind::Identifier)
                && !it.expects(Expected::OPERATOR)
                && it.expects_token(Kind::BraceClose)
        },
        "a field is written `name: value`",
        Edit::Close(":"),
    ),
    sign(
        &[Kind::Equal],
        |it| (it.follows(2, Kind::ParenOpen) || it.follows(2, Kind::Comma)) && it.is_argument(),
        "a named argument is written `name: value`",
        Edit::Close(":"),
    ),
    // Braces, texts and arms that lack something.
    sign(
        &[Kind::StringOpen, Kind::String],
        |it| it.expects(Expected::PROMPT_ENTRY),
        "a text begins with its role: `user \"…\"`, `system \"…\"`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects_token(Kind::FatArrow),
        "an arm is written `pattern => value`, also after `catch`: `catch e => { … }`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.follows(1, Kind::BraceOpen) && it.follows(3, Kind::Catch),
        "the value to use instead of an error follows an arrow: `catch Timeout => …`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceClose],
        |it| it.expects_token(Kind::FatArrow),
        "an arm is written `pattern => value`; `_ => value` takes everything",
        Edit::None,
    ),
    sign(
        &[Kind::Star],
        |it| it.expects(Expected::NAME),
        "the number of parameters is fixed: several values are a list, `xs: [int]`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| it.expects(Expected::MAP_KEY) && it.precedes(Kind::Colon),
        "a text as the key of a map stands in quotes, `{ \"a\": 1 }`, and the value of a variable in parentheses, `{ (a): 1 }`; a record begins with its type: `Name { a: 1 }`",
        Edit::None,
    ),
    sign(
        &[Kind::Var, Kind::Let],
        |it| it.before(1).is_some_and(|it| it.word == Word::State),
        "`state` alone declares a variable that observers see: `state found: [string] = []`",
        Edit::Sign(""),
    ),
    // Heads without a body.
    sign(
        &[Kind::FatArrow],
        |it| it.expects_token(Kind::BraceOpen) && it.is_in_head(|it| it.word == Word::Step),
        "the body of a step goes in braces: `step \"fetch\" { … }`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.expects_token(Kind::BraceOpen) && it.is_in_head(is_control),
        "the body goes in braces: `if c { a } else { b }`, `for x in xs { … }`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.expects_token(Kind::BraceOpen) && it.is_in_head(|it| it.word.modifier().is_some()),
        "a modifier stands before a block: `retry 3 { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| {
            it.expects_token(Kind::ParenOpen)
                && it.before(2).is_some_and(|it| it.word == Word::Mock)
        },
        "script the model of an agent with `mock agent name { … }`, and mock a prompt with `mock name(_) -> value`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.expects(Expected::SCRIPT_TURN) && it.follows(1, Kind::Comma),
        "each call of a turn begins with `call`: `call search(\"a\"), call search(\"b\")`",
        Edit::Before("call "),
    ),
    sign(
        &[],
        |it| it.expects(Expected::SCRIPT_TURN),
        "each line is a turn of the model: `call tool(arguments)`, `answer value` or `fail Overloaded`",
        Edit::None,
    ),
    sign(
        &[Kind::If],
        |it| it.expects(Expected::END_OF_STATEMENT) && it.is_in_head(|it| it.kind == Kind::Assert),
        "`fails` takes a pattern, not a condition: write the values into it, `fails Bad(1, ..)`",
        Edit::None,
    ),
    sign(
        &[Kind::If],
        |it| it.expects(Expected::OPERATOR) || it.expects(Expected::END_OF_STATEMENT),
        "a conditional expression is written `if condition { a } else { b }`",
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| it.expects_token(Kind::Colon),
        "a name and what belongs to it are separated by `:`",
        Edit::Close(":"),
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_state = it.before(1).is_some_and(|it| it.word == Word::State);
            is_state && it.precedes(Kind::Equal) && it.expects(Expected::END_OF_STATEMENT)
        },
        "a state has a type: `state found: [string] = []`",
        Edit::None,
    ),
    // Bindings and operators of other languages.
    sign(
        &[Kind::Comma],
        |it| it.expects_token(Kind::In),
        "several names go in parentheses: `for (k, v) in m { … }`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.follows(1, Kind::Break),
        "`break` gives no value: assign it to a `var` before, or `return` it from a function",
        Edit::None,
    ),
    sign(
        &[Kind::Newline, Kind::BraceClose, Kind::Semicolon],
        |it| it.expects_token(Kind::Equal) && it.is_in_head(|it| it.kind == Kind::Let),
        "a name has a value from the beginning: `let x = if c { a } else { b }`, or `var x = …` where it changes",
        Edit::None,
    ),
    sign(
        &[Kind::Less, Kind::Greater],
        |it| it.is_joined() && it.follows(1, it.token.kind) && it.expects(Expected::EXPRESSION),
        "there are no bitwise operators: `x * 2.pow(n)` and `x / 2.pow(n)`",
        Edit::None,
    ),
    sign(
        &[Kind::Colon],
        |it| it.precedes(Kind::Equal) && it.expects(Expected::END_OF_STATEMENT),
        "a value is bound with `let`, a variable declared with `var`: `let x = 3`",
        Edit::None,
    ),
    sign(
        &[Kind::Comma],
        |it| it.expects_token(Kind::Equal) && it.follows(2, Kind::Let),
        "several names go in parentheses: `let (a, b) = pair`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects_token(Kind::Equal) && it.follows(2, Kind::Let),
        "write the value as well, even if it has the same name: `if let x = x { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Question],
        |it| it.precedes(Kind::Colon) && it.expects(Expected::OPERATOR),
        "`?? value` gives a default value for `none`",
        Edit::Both("??"),
    ),
    sign(
        &[Kind::Pipe],
        |it| it.precedes(Kind::Greater) && it.expects(Expected::OPERATOR),
        "a value goes through methods, `xs.map(f).sum()`, or calls: `g(f(x))`",
        Edit::None,
    ),
    sign(
        &[Kind::Identifier],
        |it| {
            let is_modifier = it.token.word.modifier().is_some();
            is_modifier && it.follows(1, Kind::BraceClose) && it.expects(Expected::END_OF_STATEMENT)
        },
        "a modifier goes before the block: `step \"fetch\" retry 3 { … }`",
        Edit::None,
    ),
    // Patterns.
    sign(
        &[Kind::Identifier],
        |it| it.follows(1, Kind::Identifier) && it.expects_token(Kind::FatArrow),
        "a name alone binds the whole value, `e => …`, and a pattern binds the fields in parentheses: `Failed(message) => …`, `Failed(..) => …`",
        Edit::None,
    ),
    sign(
        &[Kind::At],
        |it| it.follows(1, Kind::Identifier) && it.expects_token(Kind::FatArrow),
        "a pattern cannot bind the whole value: bind it before, `let x = f()`, and `e => …` binds the whole error",
        Edit::None,
    ),
    // What is left.
    sign(
        &[Kind::Bang],
        |it| it.expects(Expected::EXPRESSION),
        "negation is written `not`",
        Edit::None,
    ),
    sign(
        &[Kind::Question],
        |it| it.expects(Expected::OPERATOR),
        "errors propagate without an operator, and `x ?? return none` returns if `x` is `none`; a conditional expression is `if c { a } else { b }`",
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| it.expects(Expected::OPERATOR),
        "an assignment is a statement of its own; equality is written `==`",
        Edit::None,
    ),
    sign(
        &[
            Kind::PlusEqual,
            Kind::MinusEqual,
            Kind::StarEqual,
            Kind::SlashEqual,
            Kind::PercentEqual,
        ],
        |_| true,
        "an assignment is a statement of its own, and no value",
        Edit::None,
    ),
    sign(
        &[Kind::Fn],
        |it| it.expects(Expected::EXPRESSION),
        "functions are declared at the top level; inside a body write a lambda: `let f = (n: int) => n + 1`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| {
            let is_modifier = it.before(1).is_some_and(|it| it.word.modifier().is_some());
            let is_bare =
                it.expects(Expected::EXPRESSION) || it.expects(Expected::END_OF_STATEMENT);
            is_modifier && is_bare
        },
        "a modifier is followed by its value: `retry 3 { … }`, `timeout 30s { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::EXPRESSION) && it.follows(1, Kind::Match),
        "conditions without a value are `if a { … } else if b { … }`, or guards: `match n { x if x > 1 => …, _ => … }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::EXPRESSION),
        "in the head of `if`, `for`, `while` and `match` a `{` opens the body; put a map or record there in parentheses",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::PATH),
        "imported names are listed after the module path: `import ./schemas.{Report}`",
        Edit::None,
    ),
    sign(
        &[Kind::Let, Kind::Var],
        |it| it.follows(1, Kind::ParenOpen) && it.follows(2, Kind::For),
        "a loop over numbers is written `for i in 0..10 { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::String],
        |it| it.expects(Expected::PATH),
        "a module path is written without quotes: `import ./schemas`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::PATTERN),
        "there are no patterns for maps, and those of records begin with the type: `Bug { title, .. }`; a map is looked into with `m.get(\"key\")`",
        Edit::None,
    ),
    sign(
        &[],
        |it| it.expects(Expected::MAP_KEY),
        "a `{` in place of a value starts a map, whose keys are strings, ints, variants or `(expression)`; a block is written `do { … }`",
        Edit::None,
    ),
    sign(
        &[],
        |it| {
            it.token.kind.is_keyword()
                && (it.expects(Expected::NAME) || it.expects(Expected::PATTERN))
        },
        "this word is reserved and cannot be used as a name here",
        Edit::None,
    ),
];
