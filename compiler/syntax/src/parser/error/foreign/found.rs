//! Words of other languages that are not allowed where they are.

use super::{
    BOUND, ELSE_IF, FAILS, Foreign, GUARD, LOOP, OPTIONAL, RAISES, RECORD, TAKEN_BACK, TOP_LEVEL,
    is_arm, is_modifier, is_operand, is_statement, word, word_where,
};
use crate::parser::error::Expected;
use crate::token::TokenKind;

/// Words that are not allowed where they are.
pub(super) const FOUND: &[Foreign] = &[
    word_where("backoff", is_modifier, None, BELONGS_TO_RETRY),
    word_where(
        "by",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "`by` stands right after the result type, before `timeout`",
    ),
    word_where(
        "cache",
        is_modifier,
        None,
        "answers are kept by a setting of an agent or a prompt, `cache: 5m`; what a step gives is kept for as long as its run",
    ),
    word_where("compensate", is_statement, None, TAKEN_BACK),
    word_where(
        "concurrency",
        is_modifier,
        Some("limit"),
        "to limit concurrency, write `limit`: `parallel for x in xs limit 4 { … }`",
    ),
    word_where(
        "const",
        |expected| expected.has(Expected::STATEMENT),
        Some("let"),
        BOUND,
    ),
    word("elif", Some("else if"), ELSE_IF),
    word("elseif", Some("else if"), ELSE_IF),
    word("elsif", Some("else if"), ELSE_IF),
    word_where(
        "else",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        "`else` follows the `}` of its `if`, or the value of a `let`: `let y = x else { return }`",
    ),
    word_where(
        "default",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "to replace an answer that times out, catch it at the call: `approve(x) catch Timeout => false`",
    ),
    word_where("except", is_statement, Some("catch"), CATCH),
    word_where("rescue", is_statement, Some("catch"), CATCH),
    word_where(
        "extends",
        |expected| expected.has(Expected::token(TokenKind::Greater)),
        None,
        "type parameters have no bounds: what the body does with a `T`, such as `a < b`, is checked at each call",
    ),
    word(
        "extends",
        None,
        "there is no inheritance: a record has another one as a field, `type Dog { animal: Animal }`, and an error is declared with `error Bad(why: string)`",
    ),
    word_where(
        "fails",
        |expected| expected.has(Expected::token(TokenKind::Arrow)),
        Some("-> fail"),
        "what a mock raises follows the arrow: `mock find(_) -> fail Timeout(30s)`",
    ),
    word(
        "finally",
        None,
        "cleanup goes in `defer { … }`, before the code that may fail",
    ),
    word_where(
        "import",
        |expected| expected.has(Expected::STATEMENT),
        None,
        "imports stand at the top of the file",
    ),
    word_where(
        "from",
        |expected| expected.has(Expected::END_OF_ITEM),
        None,
        "a module is imported by its path without quotes, and names from it in braces: `import ./schemas.{Report}`",
    ),
    word_where(
        "from",
        |expected| expected.has(Expected::token(TokenKind::In)),
        None,
        "a loop over numbers is written `for i in 0..10 { … }`",
    ),
    word_where(
        "is",
        |expected| expected.has(Expected::OPERATOR),
        Some("=="),
        "values are compared with `==` and destructured with `match` or `if let`",
    ),
    word_where(
        "for",
        |expected| expected.has(Expected::token(TokenKind::BracketClose)),
        None,
        "there are no list comprehensions: `xs.filter(x => x > 0).map(x => x * 2)`",
    ),
    word_where(
        "let",
        |expected| expected.has(Expected::EXPRESSION) && !expected.has(Expected::STATEMENT),
        None,
        "`let` is allowed in the conditions of `if` and `while`; elsewhere use `match value { pattern => …, _ => … }`",
    ),
    word_where(
        "enum",
        |expected| expected.has(Expected::STATEMENT),
        None,
        TOP_LEVEL,
    ),
    word_where(
        "error",
        |expected| expected.has(Expected::STATEMENT),
        None,
        TOP_LEVEL,
    ),
    word_where(
        "permissions",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "permissions are a declaration of their own: `permissions { fs.read: [\"data\"] }`",
    ),
    word_where(
        "type",
        |expected| expected.has(Expected::STATEMENT),
        None,
        TOP_LEVEL,
    ),
    word_where(
        "workflow",
        |expected| expected.has(Expected::STATEMENT),
        None,
        TOP_LEVEL,
    ),
    word_where("max", is_modifier, None, BELONGS_TO_RETRY),
    word_where(
        "ms",
        |expected| expected.has(Expected::OPERATOR),
        None,
        "a duration is one word: `500ms`, `1h30m`",
    ),
    word_where(
        "struct",
        |expected| expected.has(Expected::token(TokenKind::Equal)),
        Some(""),
        RECORD,
    ),
    word_where(
        "using",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        Some("by"),
        "the agent of a prompt follows `by`: `prompt p(x: string) -> string by a { … }`",
    ),
    word_where(
        "uses",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "what a function does is inferred; `uses` belongs to the types of functions: `f: fn() -> int uses net`",
    ),
    word_where(
        "none",
        |expected| expected.has(Expected::TYPE),
        None,
        OPTIONAL,
    ),
    word_where(
        "merge",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        ERRORS,
    ),
    word_where(
        "pass",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "`pass` stands before `repeat`: `test \"…\" pass 0.5 repeat 2 { … }`",
    ),
    word_where(
        "settle",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        ERRORS,
    ),
    word_where("mod", is_operand, Some("%"), "the remainder is `%`"),
    word("of", Some("in"), LOOP),
    word_where(
        "otherwise",
        is_statement,
        None,
        "`x ?? value` is used instead of `none`, and `f(x) catch _ => value` instead of an error",
    ),
    word_where(
        "readonly",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        Some("reads"),
        "a tool that changes nothing is marked `reads`, and one that asks nothing either `pure`",
    ),
    word_where(
        "returns",
        |expected| expected.has(Expected::token(TokenKind::Arrow)),
        Some("->"),
        "the value of a mock follows an arrow: `mock find(_) -> value`",
    ),
    word_where("hours", is_operand, None, UNIT),
    word_where("minutes", is_operand, None, UNIT),
    word_where("ms", is_operand, None, UNIT),
    word_where("seconds", is_operand, None, UNIT),
    word_where(
        "returns",
        |expected| expected.has(Expected::token(TokenKind::ParenOpen)),
        None,
        "a mock has a pattern for its arguments and a value: `mock find(_) -> value`",
    ),
    word_where("raises", is_statement, Some("fails"), FAILS),
    word_where("throws", is_statement, Some("fails"), FAILS),
    word("raises", Some("!"), RAISES),
    word("throws", Some("!"), RAISES),
    word_where(
        "where",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "a loop has no condition: `for x in xs.filter(x => x > 2) { … }`, or `if … { continue }` in it",
    ),
    word(
        "where",
        None,
        "a `where` check belongs to a field or to a named type: `type Positive = int where it > 0`",
    ),
    word_where("when", is_arm, Some("if"), GUARD),
    word_where(
        "with",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        "the settings of a call are written in braces, `classify(mail) with { cache: false }`; a changed copy of a record is `Order { paid: true, ..order }`",
    ),
];

const UNIT: &str = "a duration has its unit right behind the number: `5s`, `2m`, `1h30m`";

const CATCH: &str = "an error is caught with `catch`: `f(x) catch Timeout => \"late\"`";

const ERRORS: &str = "error handling is a modifier: `parallel for x in xs errors settle { … }`";

const BELONGS_TO_RETRY: &str = "`backoff` and `max` follow `retry`: `retry 3 backoff 1s max 10s`";
