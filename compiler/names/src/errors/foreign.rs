//! Wording of what is written instead of names and methods of other languages.

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
        "a workflow is no graph that is put together but a program: steps stand one after the other, `if` and `for` decide, and `parallel` does several at once",
    ),
    (
        "ValidationError",
        "an answer that does not fit its type is `InvalidResponse`, and other JSON that does not `DecodeError`",
    ),
    ("append", JOINED),
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
    ("ask", PERSON),
    (
        "budget",
        "a budget stands around what it is for: `budget(usd: 1.0) { … }`",
    ),
    (
        "gather",
        "`parallel (f(), g())` does both at once, and `await [t1, t2]` waits for tasks",
    ),
    ("interrupt", PERSON),
    (
        "timeout",
        "a time limit stands around what it is for: `timeout 5s { … }`",
    ),
    (
        "exit",
        "a program ends with its workflow: `fail Failed(\"…\")` ends it with an error and exit code 1",
    ),
    (
        "input",
        "what a program is given are the parameters of its workflow; a person is asked by what is declared with `human`",
    ),
    (
        "open",
        "`fs.read(path)` and `fs.write(path, text)` of `std/fs` read and write files",
    ),
    (
        "Option",
        "an optional type is `T?`, and a missing value `none`",
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
    ("len", "it is a method: `xs.len()`"),
    ("list", LISTED),
    ("listOf", LISTED),
    ("make", MAPPED),
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
    ("zip", "it is a method: `xs.zip(ys)`"),
];

const ASSERTED: &str = "`assert a == b` shows both sides when they differ";

const NOW: &str = "`now()` is the time, and `time.parse(text)` reads one";

const LISTED: &str = "a list is written `[1, 2]`";

const MAPPED: &str = "a map is written `{ \"a\": 1 }`, an empty one `{}`";

const PERSON: &str = "a person is asked by what is declared with `human`: `human approve(text: string) -> bool { user \"${text}?\" }`";

const CAPITAL: &str = "`s.slice(0, 1).upper() + s.slice(1)` begins with a capital";

const CHARACTERS: &str = "texts are compared: `c >= \"0\" and c <= \"9\"`; `std/regex` knows classes of characters, `regex.new(r\"^\\d+$\").matches(c)`";

const MEAN: &str = "the mean of floats is `xs.sum() / xs.len().to_float()`";

const LOOP: &str = "what is done for each element stands in a loop: `for x in xs { … }`";

const JOINED: &str = "lists and strings are joined with `+`: `xs + ys`";

const LEFT_OUT: &str = "`xs.filter(x => x != y)` leaves elements out, and `xs.take(i) + xs.drop(i + 1)` the one at `i`";

const FIRST: &str =
    "values never change: `xs.first()` is the first element, `xs.drop(1)` what is behind it";

const OR: &str = "`?? value` says what to use instead of `none`: `m.get(key) ?? 0`";

const SETS: &str = "`set.of(xs)` of `std/set` has `union`, `intersect` and `minus`";

const BY_KEY: &str = "`xs.map(x => (x.id, x)).to_map()` makes a map";

const RANDOM: &str = "`std/random` has `random.pick(xs)` and `random.shuffle(xs)`";

const OF_TEXT: &str = "`std/text` has it: `text.wrap(s, 80)`, `text.indent(s, \"  \")`, `text.truncate(s, 20)`, `text.dedent(s)`";

const OF_MATH: &str = "`std/math` has it as a function: `math.sin(x)`";

const REMAINDER: &str = "the remainder is `a % b`, and `a / b` of two ints is the quotient without what is behind the point";

const LENGTHS: &str = "a duration of a number is `1s * n`";

const LATER: &str = "a time and a duration are added and subtracted: `t + 2d`; `a - b` of two times is the duration between them";

const COMPARED: &str = "values are compared with `<` and `>`";

const DATE: &str = "a part of a time as text is `t.format(\"%Y-%m-%d\")`";

const BITS: &str = "there are no operations on bits";

const DEFAULTED: &str =
    "`m.update(key, default, x => …)` begins with the default value where the key is absent";

const BLANK: &str = "`s.trim().is_empty()`";

const CASE: &str = "`a.lower() == b.lower()`";

const POSITIONS: &str =
    "`xs.take(i) + [x] + xs.drop(i)` has `x` at `i`; `xs[i] = x` replaces what is there";

const UNWRAP: &str = "`?? value` and `?? fail Failed(\"…\")` say what to use instead of `none`";

const COPIED: &str = "a changed copy of a record is written `Order { id: 3, ..order }`";

const TURN: &str = "a conversation goes on with a prompt: `ask(\"…\") with { session: chat }`";

const ASKED: &str = "an agent is asked by its prompts: `prompt ask(question: string) -> string by helper { user \"${question}\" }`, then `ask(\"…\")`";

const OUTCOME: &str = "a `Result` is taken apart: `match r { Ok(value) => …, Err(error) => … }`";

const FIND_MAP: &str = "`xs.filter_map(f).first()`";

const AWAIT: &str = "wait for a task with `await t`";

const SAME: &str = "values never change, so nothing needs to be copied";

const STEPS: &str = "`(0..n).filter(i => i % 2 == 0)`, or `while i < n { i += 2 }`";

const PRESENT: &str = "`if let value = x { … }` unwraps an optional, and `?? value` says what to use instead of `none`";

const NUMBER_TEXT: &str = "of a number it is `n.to_string().pad_start(3)`";

/// Methods of other languages that are something else than a method here.
const OTHERWISE: &[(&str, &str)] = &[
    ("acos", OF_MATH),
    ("addAll", JOINED),
    ("add_all", JOINED),
    ("add_days", LATER),
    ("add_hours", LATER),
    ("add_minutes", LATER),
    ("after", COMPARED),
    ("asin", OF_MATH),
    ("associate_by", BY_KEY),
    ("atan", OF_MATH),
    ("average", MEAN),
    ("avg", MEAN),
    ("await", AWAIT),
    ("before", COMPARED),
    ("bit_and", BITS),
    ("bit_or", BITS),
    ("bit_xor", BITS),
    ("capitalize", CAPITAL),
    (
        "catch",
        "`catch { … }` goes after the expression that it guards",
    ),
    ("cbrt", OF_MATH),
    ("choice", RANDOM),
    ("clear", "an empty one is assigned: `xs = []`, `m = {}`"),
    ("clone", SAME),
    ("cmp", COMPARED),
    ("compare", COMPARED),
    ("compareTo", COMPARED),
    ("compare_to", COMPARED),
    ("concat", JOINED),
    ("copy", SAME),
    ("cos", OF_MATH),
    (
        "count",
        "how many there are is `.len()`, and how often a text stands in another `s.split(\"a\").len() - 1`",
    ),
    ("date", DATE),
    ("dedent", OF_TEXT),
    ("delete", LEFT_OUT),
    ("dequeue", FIRST),
    ("diff", LATER),
    ("difference", SETS),
    ("div", REMAINDER),
    ("divmod", REMAINDER),
    ("each", LOOP),
    ("eq_ignore_case", CASE),
    ("equalsIgnoreCase", CASE),
    ("equals_ignore_case", CASE),
    ("exp", OF_MATH),
    ("expect", UNWRAP),
    ("extend", JOINED),
    ("first_or", OR),
    ("floor_div", REMAINDER),
    ("forEach", LOOP),
    ("findMap", FIND_MAP),
    ("find_map", FIND_MAP),
    ("for_each", LOOP),
    ("format", "put values into text with `\"${…}\"`"),
    ("getOrDefault", OR),
    ("getOrElse", OR),
    ("getOrPut", DEFAULTED),
    ("get_or", OR),
    ("get_or_default", OR),
    ("get_or_else", OR),
    ("get_or_insert", DEFAULTED),
    ("indent", OF_TEXT),
    ("insert", POSITIONS),
    ("intersect", SETS),
    ("intersection", SETS),
    ("isBlank", BLANK),
    ("is_after", COMPARED),
    ("is_alpha", CHARACTERS),
    ("is_alphanumeric", CHARACTERS),
    ("is_before", COMPARED),
    ("is_blank", BLANK),
    ("is_digit", CHARACTERS),
    ("is_even", REMAINDER),
    ("is_numeric", CHARACTERS),
    ("is_odd", REMAINDER),
    ("is_whitespace", CHARACTERS),
    ("isalpha", CHARACTERS),
    ("isdigit", CHARACTERS),
    ("iter", "iterate over a list or map directly: `for x in xs`"),
    (
        "join",
        "strings are joined: `xs.map(x => \"${x}\").join(\", \")`",
    ),
    ("key_by", BY_KEY),
    ("ln", OF_MATH),
    ("log", OF_MATH),
    ("log10", OF_MATH),
    ("log2", OF_MATH),
    ("mean", MEAN),
    ("minus", LATER),
    ("minus_days", LATER),
    ("mod", REMAINDER),
    ("modulo", REMAINDER),
    ("none", "`not xs.any(f)`"),
    ("ok_or", UNWRAP),
    ("or_default", OR),
    ("or_else", OR),
    ("or_fail", UNWRAP),
    ("pad_end", NUMBER_TEXT),
    ("pad_start", NUMBER_TEXT),
    ("parse_bool", "`s == \"true\"`"),
    ("plus", JOINED),
    ("plus_days", LATER),
    (
        "pop",
        "values never change: `xs.last()` is the last element, `xs.slice(0, xs.len() - 1)` what is before it",
    ),
    ("pop_front", FIRST),
    ("product", "`xs.fold(1, (a, b) => a * b)`"),
    ("rem", REMAINDER),
    ("remove", LEFT_OUT),
    ("removeAt", LEFT_OUT),
    ("remove_at", LEFT_OUT),
    (
        "repeat",
        "a list of `n` equal elements is `(0..n).map(_ => x)`",
    ),
    ("sample", RANDOM),
    ("setdefault", DEFAULTED),
    ("shift", FIRST),
    ("shift_left", BITS),
    ("shift_right", BITS),
    ("shuffle", RANDOM),
    ("sin", OF_MATH),
    ("since", LATER),
    ("split_at", "`(xs.take(n), xs.drop(n))`"),
    ("step_by", STEPS),
    ("sub", LATER),
    ("subtract", LATER),
    (
        "swap",
        "`(xs[i], xs[j]) = (xs[j], xs[i])` swaps two elements of a `var`",
    ),
    ("tan", OF_MATH),
    ("then", AWAIT),
    (
        "times",
        "what is done `n` times stands in a loop: `for i in 0..n { … }`",
    ),
    ("title", CAPITAL),
    ("toSet", SETS),
    ("to_bool", "`s == \"true\"`"),
    ("to_date", DATE),
    ("to_dict", BY_KEY),
    ("to_duration", LENGTHS),
    ("to_set", SETS),
    ("trunc", "`x.to_int()` leaves out what is behind the point"),
    ("truncate", OF_TEXT),
    ("union", SETS),
    ("until", LATER),
    ("unwrap", UNWRAP),
    ("unwrap_or", OR),
    ("unwrap_or_default", OR),
    ("unwrap_or_else", OR),
    (
        "unzip",
        "`pairs.map((a, _) => a)` and `pairs.map((_, b) => b)`",
    ),
    ("value", PRESENT),
    ("value_or", OR),
    ("without", SETS),
    ("wrap", OF_TEXT),
    ("xor", BITS),
];

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

/// What is written instead of a name of another language.
pub fn instead_of_name(name: &str) -> Option<&'static str> {
    sentence(NAMES, name)
}

/// A kind of values whose methods have other names elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Agent,
    Map,
    Outcome,
    Record,
    Session,
    Task,
}

/// What is written instead of a method or field of another language on a value of a kind.
pub fn instead_on(kind: Kind, name: &str) -> Option<&'static str> {
    let (names, sentence): (&[&str], _) = match kind {
        Kind::Agent => return Some(ASKED),
        Kind::Map => return instead_on_map(name),
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
