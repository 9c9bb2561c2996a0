//! Wording of modules, their functions and attributes that other languages have, and what is written here instead.

use super::foreign::sentence;

/// What is written instead of functions that modules have in other languages.
const MEMBERS: &[(&str, &[&str], &str)] = &[
    (
        "std/fs",
        &["lines", "readLines", "read_lines", "readlines"],
        "the lines of a file are `fs.read(path).lines()`",
    ),
    (
        "std/mcp",
        &[
            "connect",
            "remote",
            "server",
            "sse",
            "streamable_http",
            "url",
        ],
        "a server is `stdio(program, arguments)`, which is started here, or `http(url)`, each without a module before it",
    ),
    (
        "std/random",
        &["choice", "choices", "sample"],
        "`random.pick(xs)` is one element, and `random.shuffle(xs).take(n)` are several",
    ),
    (
        "std/random",
        &["randint", "randrange", "range", "integer"],
        "`random.int(1, 6)` is one of 1 to 6",
    ),
    (
        "std/random",
        &["random", "float", "uniform"],
        "`random()`, which needs no module, is a float from 0.0 to below 1.0",
    ),
    (
        "std/regex",
        &[
            "match",
            "fullmatch",
            "search",
            "test",
            "compile",
            "sub",
            "replaceAll",
        ],
        "a pattern is made first: `regex.new(r\"^a+$\")` has `matches`, `find`, `find_all`, `captures`, `replace` and `split`",
    ),
    (
        "std/json",
        &["dumps", "encode", "stringify", "to_string", "to_text"],
        "a value as JSON is `json.text(value)` on one line and `json.pretty(value)` on several",
    ),
    (
        "std/json",
        &["decode", "from_text", "loads"],
        "JSON is read with `json.parse(text) as Order`",
    ),
    (
        "std/set",
        &["empty", "new"],
        "an empty set is `set.of([])`, with a type annotation where it cannot be inferred: `let seen: Set<string> = set.of([])`",
    ),
    (
        "std/session",
        &["create", "new", "start"],
        "a conversation with an agent begins with `session(helper)`",
    ),
];

/// Modules of other languages, and where that is which they have.
pub(super) const MODULES: &[(&str, &str)] = &[
    (
        "collections",
        "lists and maps need no module, and `std/set` has sets",
    ),
    ("console", "`log.info(\"…\")` needs no module"),
    ("date", TIMES),
    ("datetime", TIMES),
    ("file", FILES),
    ("files", FILES),
    ("io", FILES),
    ("os", FILES),
    ("path", FILES),
    ("process", "`std/exec` starts programs"),
    ("re", "`std/regex` has regular expressions"),
    (
        "requests",
        "`std/http` fetches pages: `http.get(url).ok().body`",
    ),
    ("subprocess", "`std/exec` starts programs"),
    (
        "sys",
        "the arguments of a program are the parameters of its workflow; `std/env` has variables of the environment",
    ),
];

const FILES: &str = "`std/fs` reads and writes files, `std/env` has variables of the environment, and `std/exec` starts programs";

const TIMES: &str = "`now()` needs no module, and times have methods: `t.format(\"%Y-%m-%d\")`";

/// Attributes of other languages and frameworks, and what is written here.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("assert", CHECKED),
    ("check", CHECKED),
    (
        "default",
        "a default value comes after the type: `retries: int = 3`",
    ),
    ("desc", DESCRIBED),
    ("describe", DESCRIBED),
    ("description", DESCRIBED),
    ("doc", DESCRIBED),
    ("function_tool", OFFERED),
    (
        "private",
        "write `private` before the declaration: `private fn f() -> int { 1 }`",
    ),
    ("public", "everything is public unless it is `private`"),
    ("retry", "a modifier goes before its block: `retry 3 { … }`"),
    ("test", "a test is written `test \"name\" { assert … }`"),
    (
        "timeout",
        "a modifier goes before its block: `timeout 30s { … }`",
    ),
    ("tool", OFFERED),
    (
        "trusted",
        "`trusted` follows the type: `tool pay(to: string trusted)`",
    ),
];

const CHECKED: &str = "a check comes after the type: `age: int where it >= 0`";

const DESCRIBED: &str = "put documentation above it, in lines that begin with `///`";

const OFFERED: &str = "a tool is declared with `tool` instead of `fn`: `tool search(query: string) -> string reads { … }`";

/// What is written instead of an attribute of another language.
pub fn instead_of_attribute(name: &str) -> Option<&'static str> {
    sentence(ATTRIBUTES, name)
}

/// Where that is which a module of another language has.
pub fn instead_of_module(name: &str) -> Option<&'static str> {
    sentence(MODULES, name)
}

/// What is written instead of a function that a module has in other languages.
pub fn instead_of_member(module: &str, name: &str) -> Option<&'static str> {
    let mut members = MEMBERS.iter();
    let found = members.find(|it| it.0 == module && it.1.contains(&name));
    found.map(|it| it.2)
}
