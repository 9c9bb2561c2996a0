//! Wording of what is written instead of names and methods of other languages.

use super::foreign_methods::{
    ASKED, AWAIT, CODE_POINTS, COPIED, ELEMENTS, JOINED, OF_TEXTS, OTHERWISE, OUTCOME, TURN, WHOLE,
};
use super::outside::MODULES;

/// Names of functions and types of other languages, and what is written here.
const NAMES: &[(&str, &str)] = &[
    (
        "Error",
        "an error with a message of your own is `Failed(\"…\")`, and in a pattern `_` or a name of your own stands for any",
    ),
    ("Declined", "a person who declines raises `Cancelled`"),
    (
        "Exception",
        "an error with a message of your own is `Failed(\"…\")`",
    ),
    (
        "Just",
        "a plain value is accepted where an optional is expected; write the value itself",
    ),
    ("Nothing", "a missing value is written `none`"),
    (
        "Some",
        "a plain value is accepted where an optional is expected; write the value itself, and a name in a pattern",
    ),
    (
        "Promise",
        "`await [t1, t2]` waits for all tasks, `race [t1, t2]` for the first; `parallel for x in xs { … }` does work at once",
    ),
    ("Date", NOW),
    (
        "JSON",
        "`json.parse(text) as Order` reads JSON; a value as JSON is `value.to_json().to_string()` on one line and `json.pretty(value)` on several",
    ),
    (
        "Math",
        "`a.max(b)`, `x.round()`, `x.abs()` are methods; `std/math` has the rest, as `math.PI` and `math.sin(x)`",
    ),
    (
        "StateGraph",
        "a workflow is a program, not a graph: write steps one after the other, use `if` and `for` for control flow, and `parallel` for concurrent work",
    ),
    (
        "ValidationError",
        "an answer that does not fit its type is `InvalidResponse`, and other JSON that does not `DecodeError`",
    ),
    ("Dict", MAPPED),
    ("Map", MAPPED),
    ("Set", "a set is `set.of([1, 2])` of `std/set`"),
    ("String", "put values into text with `\"${…}\"`"),
    ("append", JOINED),
    ("axios", FETCHED),
    ("fetch", FETCHED),
    ("filter", "it is a method: `xs.filter(x => x > 1)`"),
    ("llm", PROMPTED),
    ("logger", LOGGED),
    ("logging", LOGGED),
    ("openai", PROMPTED),
    ("anthropic", PROMPTED),
    ("prompt", PROMPTED),
    (
        "require",
        "a module is imported at the top of the file: `import std/fs`, `import ./schemas`",
    ),
    (
        "setTimeout",
        "`sleep(5s)` waits, and `spawn { … }` runs something in the background",
    ),
    ("arrayOf", LISTED),
    ("assertEqual", ASSERTED),
    ("assertEquals", ASSERTED),
    ("assertTrue", ASSERTED),
    ("assert_eq", ASSERTED),
    ("assert_equal", ASSERTED),
    (
        "asyncio",
        "`spawn f()` gives a task, `await [t1, t2]` waits for all, and `sleep(5s)` for a while",
    ),
    ("datetime", NOW),
    (
        "emit",
        "`emit` is followed by its value, on the same line: `emit { \"done\": n }`",
    ),
    (
        "process",
        "`std/env` has the variables of the environment, `env.get(\"HOME\")`, and `std/exec` starts programs",
    ),
    ("ask", PERSON),
    (
        "budget",
        "wrap the code in a budget block: `budget(usd: 1.0) { … }`",
    ),
    (
        "gather",
        "`parallel (f(), g())` does both at once, and `await [t1, t2]` waits for tasks",
    ),
    ("interrupt", PERSON),
    (
        "timeout",
        "wrap the code in a timeout block: `timeout 5s { … }`",
    ),
    (
        "exit",
        "a program ends with its workflow: `fail Failed(\"…\")` ends it with an error and exit code 1",
    ),
    (
        "input",
        "the arguments of a program are the parameters of its workflow; ask a person with a `human` declaration",
    ),
    ("open", FILES),
    ("readFile", FILES),
    ("read_file", FILES),
    ("writeFile", FILES),
    ("write_file", FILES),
    ("fold", FOLDED),
    ("reduce", FOLDED),
    (
        "Option",
        "an optional type is `T?`, and a missing value `none`",
    ),
    (
        "bool",
        "a comparison gives a `bool`: `n != 0`, `not xs.is_empty()`",
    ),
    ("enumerate", "it is a method: `xs.enumerate()`"),
    ("expect", ASSERTED),
    (
        "float",
        "text is converted to a number with `.parse_float()`, an int with `.to_float()`",
    ),
    ("format", "put values into text with `\"${…}\"`"),
    (
        "int",
        "text is converted to a number with `.parse_int()`, a float with `.to_int()`",
    ),
    (
        "isinstance",
        "types are known at compile time; `match` tells variants apart",
    ),
    ("fmt", LOGGED),
    (
        "mock",
        "to replace a call in a test, write `mock find(\"a\") -> value`",
    ),
    ("all", AT_ONCE),
    ("gather", AT_ONCE),
    ("parallel", AT_ONCE),
    ("retry", "put the code to retry in a block: `retry 3 { … }`"),
    (
        "env",
        "`env.get(\"NAME\")` of `std/env` is a variable of the environment, or `none`",
    ),
    (
        "external",
        "an `external` is declared by a name and called by it: `external payment(order: string) -> bool`, then `payment(order)`",
    ),
    ("len", "it is a method: `xs.len()`"),
    ("list", LISTED),
    ("listOf", LISTED),
    ("make", MADE),
    ("map", "it is a method: `xs.map(x => x + 1)`"),
    ("mapOf", MAPPED),
    ("max", "it is a method: `a.max(b)`, `xs.max()`"),
    ("min", "it is a method: `a.min(b)`, `xs.min()`"),
    ("mutableListOf", LISTED),
    ("panic", "`fail Failed(\"…\")` raises an error"),
    ("pass", "a block that does nothing is `{ }`"),
    (
        "parseFloat",
        "text is converted to a number with `.parse_float()`",
    ),
    (
        "parseInt",
        "text is converted to a number with `.parse_int()`",
    ),
    (
        "range",
        "a range is written `0..n`, or `0..=n` with its end",
    ),
    (
        "sorted",
        "it is a method: `xs.sort()`, `xs.sort_by(x => x.name)`",
    ),
    (
        "step",
        "a step is a block with a name: `step \"fetch\" { … }`",
    ),
    ("str", "put values into text with `\"${…}\"`"),
    ("string", "put values into text with `\"${…}\"`"),
    ("sum", "it is a method: `xs.sum()`"),
    ("todo", "`fail Failed(\"…\")` raises an error"),
    ("wait", "`sleep(1h)` waits for that long"),
    ("zip", "it is a method: `xs.zip(ys)`"),
    ("abs", "it is a method: `x.abs()`"),
    ("round", "it is a method: `x.round()`"),
    ("floor", "it is a method: `x.floor()`"),
    ("ceil", "it is a method: `x.ceil()`"),
    ("sqrt", "it is a method: `x.sqrt()`"),
    ("pow", "it is a method: `x.pow(2)`"),
    ("ord", CODE_POINTS),
    ("chr", CODE_POINTS),
    ("reversed", "it is a method: `xs.reverse()`"),
];

const FETCHED: &str = "`http.get(url).ok().body` of `std/http` fetches a page";

const LOGGED: &str = "`log.info(\"…\")`, `log.warn` and `log.error` need no module";

const PROMPTED: &str = "ask a model with a `prompt` declaration: `prompt ask(question: string) -> string by helper { user \"${question}\" }`";

const FILES: &str = "`fs.read(path)` and `fs.write(path, text)` of `std/fs` read and write files";

const FOLDED: &str = "it is a method: `xs.fold(0, (sum, x) => sum + x)`";

const ASSERTED: &str = "`assert a == b` shows both sides when they differ";

const NOW: &str = "`now()` is the time, and `time.parse(text)` reads one";

const LISTED: &str = "a list is written `[1, 2]`";

const MAPPED: &str = "a map is written `{ \"a\": 1 }`, an empty one `{}`";

const AT_ONCE: &str = "for concurrent work, write `parallel for x in xs { f(x) }` or `parallel (f(), g())`; `await [t1, t2]` waits for tasks";

const MADE: &str = "an empty list is `[]`, an empty map `{}`, and a queue `queue(limit: 10)`";

const PERSON: &str = "ask a person with a `human` declaration: `human approve(text: string) -> bool { user \"${text}?\" }`";

/// Methods of lists that people look for on maps.
const OF_ENTRIES: &[&str] = &[
    "find", "find_key", "first", "flat_map", "fold", "for_each", "forEach", "group_by", "invert",
    "mapKeys", "map_keys", "max_by", "min_by", "reduce", "sort", "sort_by", "sum_by", "sum",
];

/// A map may have to be taken for a list of pairs.
fn instead_on_map(name: &str) -> Option<&'static str> {
    if name == "map" {
        return Some(
            "`m.entries().map((k, v) => …)` makes a list, and `m.map_values(v => …)` a map with the same keys",
        );
    }
    match OF_ENTRIES.contains(&name) {
        true => Some(
            "`m.entries()` is a list of pairs, which `.to_map()` makes a map again: `m.entries().sort_by((k, v) => v)`; `for (k, v) in m { … }` visits them",
        ),
        false => instead_of_method(name),
    }
}

/// Methods of lists that people look for on sets.
const OF_SETS: &[&str] = &[
    "all",
    "any",
    "count",
    "each",
    "filter",
    "filter_map",
    "find",
    "first",
    "flat_map",
    "fold",
    "forEach",
    "for_each",
    "get",
    "iter",
    "join",
    "map",
    "max",
    "min",
    "reduce",
    "sort",
    "sort_by",
    "sum",
    "values",
];

/// What is written instead of a name of another language.
pub fn instead_of_name(name: &str) -> Option<&'static str> {
    sentence(NAMES, name).or_else(|| {
        let is_module = ["os", "process", "re", "requests", "subprocess", "sys"];
        // Others, such as `path`, are names of variables as well.
        let is_meant = is_module.contains(&name);
        is_meant.then(|| sentence(MODULES, name)).flatten()
    })
}

const OF_DURATIONS: &[&str] = &[
    "day",
    "days",
    "hour",
    "hours",
    "milliseconds",
    "millis",
    "minute",
    "minutes",
    "ms",
    "s",
    "second",
    "seconds",
    "weeks",
];

const UNIT: &str = "a duration has its unit right behind the number, `5s`, `1h30m`, and for a number `n` it is `1s * n`";

/// A kind of values whose methods have other names elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Agent,
    Map,
    Number,
    Outcome,
    Record,
    Session,
    Set,
    Task,
    Text,
}

/// What is written instead of a method or field of another language on a value of a kind.
pub fn instead_on(kind: Kind, name: &str) -> Option<&'static str> {
    let (names, sentence): (&[&str], _) = match kind {
        Kind::Agent => return Some(ASKED),
        Kind::Map => return instead_on_map(name),
        Kind::Number if OF_DURATIONS.contains(&name) => return Some(UNIT),
        Kind::Number => (&["truncate"], WHOLE),
        Kind::Outcome => (
            &[
                "error",
                "get",
                "is_err",
                "is_error",
                "is_ok",
                "ok",
                "unwrap",
                "unwrap_or",
                "value",
            ],
            OUTCOME,
        ),
        Kind::Record => {
            let names = ["clone", "copy", "replace", "set", "update", "with"];
            return names.contains(&name).then_some(COPIED);
        }
        Kind::Session => (
            &[
                "ask", "call", "chat", "complete", "invoke", "message", "run", "say", "send",
            ],
            TURN,
        ),
        Kind::Set => (OF_SETS, ELEMENTS),
        Kind::Text => {
            let found = sentence(OF_TEXTS, name);
            return found.or_else(|| instead_of_method(name));
        }
        Kind::Task => (&["done", "get", "join", "result", "value", "wait"], AWAIT),
    };
    let is_meant = names.contains(&name);
    is_meant
        .then_some(sentence)
        .or_else(|| instead_of_method(name))
}

/// What is written instead of a method or field of another language.
pub fn instead_of_method(name: &str) -> Option<&'static str> {
    sentence(OTHERWISE, name)
}

pub(super) fn sentence(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|it| it.0 == name).map(|it| it.1)
}
