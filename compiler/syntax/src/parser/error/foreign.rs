//! Words of other languages where they are not allowed, and what is written here instead.

mod found;

use gsw_source::{Name, nearest};

use crate::parser::error::Expected;
use crate::token::TokenKind;

/// A word of another language.
pub(super) struct Foreign {
    theirs: &'static str,
    /// What replaces it, where that is certain.
    pub(super) ours: Option<&'static str>,
    pub(super) sentence: &'static str,
    /// Whether it is meant where these things were possible.
    is_meant: fn(Expected) -> bool,
}

const fn word(theirs: &'static str, ours: Option<&'static str>, sentence: &'static str) -> Foreign {
    Foreign {
        theirs,
        ours,
        sentence,
        is_meant: |_| true,
    }
}

const fn word_where(
    theirs: &'static str,
    is_meant: fn(Expected) -> bool,
    ours: Option<&'static str>,
    sentence: &'static str,
) -> Foreign {
    Foreign {
        theirs,
        ours,
        sentence,
        is_meant,
    }
}

const FUNCTION: &str = "a function is declared with `fn`";
const RECORD: &str = "a record is declared with `type Name { field: type }`";
const PUBLIC: &str = "everything is public unless it is `private`";
const CONSTANT: &str = "a top-level value is a constant: `const NAME: type = …`";
const METHOD: &str = "a method is declared outside its type: `fn Name.method(self) -> type { … }`";
pub(super) const ARM: &str = "an arm is written `pattern => value`";
pub(super) const ARROW: &str = "the result type is written `-> type`";
pub(super) const GUARD: &str = "a condition of an arm comes after `if`: `n if n > 1 => …`";
pub(super) const VARIANTS: &str =
    "variants are listed in braces and have no values: `enum Level { Low, High }`";
const MATCH: &str = "pattern matching is written `match value { pattern => … }`";
pub(super) const MUTABLE: &str = "a mutable variable is declared with `var` instead of `let`";
pub(super) const VALUE_FROM_THE_BEGINNING: &str = "a variable has a value from the beginning: `var found = \"\"`, or `let x = if c { a } else { b }`";
const BOUND: &str = "inside a body a value is bound with `let`";
const LOOP: &str = "a loop is written `for x in xs { … }`";
const MODULE: &str = "a file is a module: `import ./file`";
const FAIL: &str = "an error is raised with `fail`";
const ELSE_IF: &str = "another condition is written `else if`";
const LOG: &str = "`log.info(\"…\")` writes a line; a workflow's result is what the program prints";
pub(super) const RAISES: &str =
    "the errors of a function come after `!`: `-> int ! Failed | Timeout`";
pub(super) const OPTIONAL: &str = "a value that may be `none` has an optional type, `line: int?`, and what may be left out a default value, `line: int? = none`";
const TOP_LEVEL: &str = "declarations stand at the top level of a file, not in a body";
const TEST: &str = "a test is written `test \"name\" { assert … }`";

/// Words at the start of declarations.
const DECLARATIONS: &[Foreign] = &[
    word(
        "async",
        Some(""),
        "there is no `async`: functions wait where they need to",
    ),
    word("class", Some("type"), RECORD),
    word(
        "client",
        None,
        "what asks a model is an agent: `agent helper { model: \"openai/gpt-5\" }`",
    ),
    word("data", None, RECORD),
    word("def", Some("fn"), FUNCTION),
    word("describe", None, TEST),
    word("end", None, "a body goes in braces: `fn f() -> int { 1 }`"),
    word("include", None, MODULE),
    word("namespace", None, MODULE),
    word("package", None, MODULE),
    word("require", None, MODULE),
    word("export", Some(""), PUBLIC),
    word("extension", None, METHOD),
    word(
        "from",
        None,
        "a module is imported with `import std/fs` or `import ./file`, names from it with `import ./file.{name}`",
    ),
    word("fun", Some("fn"), FUNCTION),
    word("func", Some("fn"), FUNCTION),
    word("function", Some("fn"), FUNCTION),
    word("impl", None, METHOD),
    word(
        "interface",
        None,
        "there are no interfaces: a record may hold functions, `type Shape { area: fn() -> float }`, and an `enum` is one of several things",
    ),
    word("it", None, TEST),
    word("let", None, CONSTANT),
    word("mod", None, MODULE),
    word("module", None, MODULE),
    word("pub", Some(""), PUBLIC),
    word("public", Some(""), PUBLIC),
    word("record", Some("type"), RECORD),
    word("static", None, CONSTANT),
    word("struct", Some("type"), RECORD),
    word(
        "use",
        Some("import"),
        "a module is imported with `import std/fs` or `import ./file`",
    ),
    word("val", None, CONSTANT),
    word("var", None, CONSTANT),
];

/// Words before the token that is not allowed there.
const BEFORE: &[Foreign] = &[
    word_where("case", is_arm, Some(""), ARM),
    word("case", Some("match"), MATCH),
    word_where(
        "catch",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "what is caught comes after `catch` without parentheses: `catch e => …`, `catch Timeout => …`, or arms: `catch { Timeout => …, e => … }`",
    ),
    word_where(
        "defer",
        |expected| expected.has(Expected::token(TokenKind::BraceOpen)),
        None,
        "the body of `defer` goes in braces: `defer { … }`",
    ),
    word_where(
        "async",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        "a call already waits for its result; `spawn f()` starts it as a background task, and `await t` waits for it",
    ),
    word_where(
        "async",
        is_argument,
        Some(""),
        "there is no `async`: functions wait where they need to, and `parallel for x in xs { f(x) }` does it for all at once",
    ),
    word_where("chan", is_argument, None, QUEUE),
    word_where("compensate", is_statement, None, TAKEN_BACK),
    word_where("constructor", is_field, None, CONSTRUCTOR),
    word_where("__init__", is_field, None, CONSTRUCTOR),
    word_where("init", is_field, None, CONSTRUCTOR),
    word_where(
        "deny",
        is_statement,
        None,
        "the reason goes in parentheses: `deny(\"why\")`",
    ),
    word_where("del", is_statement, None, LEFT_OUT),
    word_where("delete", is_statement, None, LEFT_OUT),
    word("echo", None, LOG),
    word("elif", Some("else if"), ELSE_IF),
    word("elseif", Some("else if"), ELSE_IF),
    word("elsif", Some("else if"), ELSE_IF),
    word_where(
        "fn",
        |expected| expected.has(Expected::token(TokenKind::Colon)),
        None,
        METHOD,
    ),
    word("foreach", Some("for"), LOOP),
    word_where(
        "guard",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        "`let y = x else { return }` unwraps the value or returns",
    ),
    word_where(
        "go",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        "`spawn f()` starts a task in the background, and `await t` waits for it",
    ),
    word_where("global", is_statement, None, OUTER),
    word_where("nonlocal", is_statement, None, OUTER),
    word_where(
        "select",
        is_statement,
        None,
        "what is done first is taken by `race`: `race [spawn f(), spawn g()]`",
    ),
    word_where("func", is_in_body, None, LAMBDA),
    word_where("function", is_in_body, None, LAMBDA),
    word("lambda", None, LAMBDA),
    word("loop", None, "an endless loop is `while true { … }`"),
    word("mut", None, MUTABLE),
    word(
        "new",
        Some(""),
        "a record is written `Name { field: value }`, a variant `Name(value)`",
    ),
    word(
        "parallel",
        None,
        "parallel work is written `parallel for x in xs { … }` or `parallel (f(), g())`",
    ),
    word("print", None, LOG),
    word("raise", Some("fail"), FAIL),
    word_where(
        "repeat",
        is_statement,
        None,
        "to do something several times, write a loop, `for _ in 0..3 { … }`; `retry 3 { … }` retries what has failed",
    ),
    word_where("raises", is_statement, None, FAILS),
    word_where("throws", is_statement, None, FAILS),
    word(
        "step",
        None,
        "a step is named by a string on the same line: `step \"review\" { … }`",
    ),
    word("switch", Some("match"), MATCH),
    word("throw", Some("fail"), FAIL),
    word_where("agent", is_statement, None, TOP_LEVEL),
    word_where("hook", is_statement, None, TOP_LEVEL),
    word_where("human", is_statement, None, TOP_LEVEL),
    word_where("prompt", is_statement, None, TOP_LEVEL),
    word_where("test", is_statement, None, TOP_LEVEL),
    word_where("tool", is_statement, None, TOP_LEVEL),
    word_where(
        "this",
        |expected| expected.has(Expected::token(TokenKind::Colon)),
        Some("self"),
        "the value of a method is `self`, which has no type: `fn Order.total(self) -> int { … }`",
    ),
    word(
        "typeof",
        None,
        "types are known at compile time, and `match` tells variants apart",
    ),
    word(
        "try",
        None,
        "there is no `try`: `catch { … }` goes after the expression it guards, or after a block, `do { … } catch { … }`",
    ),
    word_where(
        "int",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        TYPED,
    ),
    word_where(
        "string",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        TYPED,
    ),
    word(
        "unless",
        // Of `a or b` only the first side would be negated.
        None,
        "negation is written `not`: `if not done { … }`, `if not (a or b) { … }`",
    ),
    word_where(
        "until",
        is_statement,
        None,
        "a loop goes on while its condition holds: `while not done { … }`",
    ),
    word_where(
        "val",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        Some("let"),
        BOUND,
    ),
    word("when", Some("match"), MATCH),
    word_where(
        "with",
        |expected| expected.has(Expected::END_OF_STATEMENT),
        None,
        "there is no `with` block: a modifier opens one by itself, `timeout 5s { … }`, and what happens at its end stands in `defer { … }`",
    ),
    word(
        "yield",
        None,
        "`emit x` sends a value to those who watch the run; what a workflow gives is its last line",
    ),
];

const TAKEN_BACK: &str =
    "what takes back what was just done is said on the line behind it: `undo { refund(order) }`";

const QUEUE: &str =
    "a channel is a queue, `let q = queue(limit: 8)`: `q.push(x)`, `q.pop()`, `for x in q { … }`";

const CONSTRUCTOR: &str = "a record is made with its fields, `P { x: 1 }`; a function that makes one is declared outside: `fn P.of(x: int) -> P { P { x } }`";

const OUTER: &str = "a `var` of a body is changed where it is visible, `x = 1`, and closures share it; at the top level there are only constants";

const FAILS: &str = "to test for an error, write `assert f(x) fails Timeout`";

const LEFT_OUT: &str = "values never change: `m = m.remove(\"a\")` leaves out a key, and `xs = xs.filter(x => x != y)` elements";

/// Words before the name of a field or parameter, which has none here.
const BEFORE_NAME: &[Foreign] = &[
    word("const", Some(""), UNCHANGED),
    word("export", Some(""), PUBLIC),
    word("final", Some(""), UNCHANGED),
    word("let", Some(""), UNCHANGED),
    word("mut", Some(""), UNCHANGED),
    word(
        "private",
        Some(""),
        "a field is as visible as its type: `private` stands before a whole declaration",
    ),
    word("pub", Some(""), PUBLIC),
    word("public", Some(""), PUBLIC),
    word("readonly", Some(""), UNCHANGED),
    word("static", Some(""), UNCHANGED),
    word("val", Some(""), UNCHANGED),
    word("var", Some(""), UNCHANGED),
];

const UNCHANGED: &str = "values never change, and a field or parameter is its name and type, `name: type`; what changes is a `var` in a body";

const TYPED: &str = "the type comes after the name: `let x: int = 3`";

pub(super) const LAMBDA: &str = "a lambda is written `x => x + 1`";

fn is_operand(expected: Expected) -> bool {
    expected.has(Expected::OPERATOR)
}

fn is_statement(expected: Expected) -> bool {
    expected.has(Expected::END_OF_STATEMENT)
}

fn is_argument(expected: Expected) -> bool {
    expected.has(Expected::token(TokenKind::ParenClose))
}

/// Whether only the type of a field may follow.
fn is_field(expected: Expected) -> bool {
    expected == Expected::token(TokenKind::Colon)
}

fn is_in_body(expected: Expected) -> bool {
    is_argument(expected) || is_statement(expected)
}

fn is_arm(expected: Expected) -> bool {
    expected.has(Expected::token(TokenKind::FatArrow))
}

fn is_modifier(expected: Expected) -> bool {
    expected.has(Expected::MODIFIER) || expected.has(Expected::token(TokenKind::BraceOpen))
}

fn look_up(table: &'static [Foreign], text: &str, expected: Expected) -> Option<&'static Foreign> {
    let mut words = table.iter().filter(|it| it.theirs == text);
    words.find(|it| (it.is_meant)(expected))
}

/// A word at the start of a declaration.
pub(super) fn declaration(text: &str) -> Option<&'static Foreign> {
    look_up(DECLARATIONS, text, Expected::DECLARATION)
}

/// The word at the start of a declaration that this is a slip of. Short words are near to too many others.
pub(super) fn near_declaration(text: &str) -> Option<&'static Foreign> {
    let words: Vec<Name> = DECLARATIONS
        .iter()
        .filter(|it| it.theirs.len() > 4)
        .map(|it| Name::new_static(it.theirs))
        .collect();
    declaration(nearest(text, &words)?.as_str())
}

/// What is written instead of a word that other languages begin declarations with, where that is one word or nothing.
pub(crate) fn word_instead(text: &str) -> Option<&'static str> {
    declaration(text)?.ours
}

/// Whether other languages begin declarations with the word.
pub(crate) fn is_word_of_declaration(text: &str) -> bool {
    declaration(text).is_some()
}

/// A word before the token that is not allowed there.
pub(super) fn before(text: &str, expected: Expected) -> Option<&'static Foreign> {
    look_up(BEFORE, text, expected)
}

/// A word before the name of a field or parameter.
pub(super) fn before_name(text: &str) -> Option<&'static Foreign> {
    look_up(BEFORE_NAME, text, Expected::NAME)
}

/// A word that is not allowed where it is.
pub(super) fn found(text: &str, expected: Expected) -> Option<&'static Foreign> {
    look_up(found::FOUND, text, expected)
}
