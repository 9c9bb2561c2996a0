//! The part of `docs/reference/language.md` about the standard library is what `std` declares, with an example where the name
//! does not say all, all of which `library::examples_of_the_library_hold` runs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use gsw_analysis::{RepeatClass, repeat_class};
use gsw_describe::{callable, docs_and_examples, tail};
use gsw_names::types::Type;
use gsw_names::{is_private, item_signature};
use gsw_source::{Db, File, ItemId, ItemKind, Project};
use gsw_syntax::file_item_ids;

use crate::in_process::open;
use crate::program::root;

/// Between these lines the page is made.
const BEGIN: &str = "<!-- made from std -->\n";
const END: &str = "<!-- end -->\n";

/// A page of more characters is more than a coding agent reads before its work.
const LONGEST: usize = 60_000;

/// Its functions are called without a module, and the page has its types in tables of their own.
const PRELUDE: &str = "prelude";

/// Modules that the pages about hooks, context, MCP servers, skills and tools have.
const ELSEWHERE: [&str; 5] = ["hook", "introspect", "mcp", "skill", "tools"];

/// Modules without an import: their functions are methods of values, or the module is known everywhere.
const KNOWN: [&str; 22] = [
    "bytes",
    "context",
    "document",
    "duration",
    "error",
    "float",
    "image",
    "int",
    "introspect",
    "json",
    "list",
    "log",
    "map",
    "optional",
    PRELUDE,
    "queue",
    "stream",
    "string",
    "task",
    "time",
    "value",
    "workflows",
];

/// Whether the first parameter is the value that a method is called on.
fn is_method(module: &str, first: Option<&Type>) -> bool {
    matches!(
        (module, first),
        ("list", Some(Type::List(_)))
            | ("map", Some(Type::Map(..)))
            | ("string", Some(Type::String))
            | ("optional", Some(Type::Optional(_)))
            | ("int", Some(Type::Int))
            | ("float", Some(Type::Float))
            | ("bytes", Some(Type::Bytes))
            | ("duration", Some(Type::Duration))
            | ("time", Some(Type::Time))
            | ("json", Some(Type::Json))
            | ("error", Some(Type::Error))
            | ("task", Some(Type::Task(_)))
            | ("stream", Some(Type::Stream(_)))
            | ("queue", Some(Type::Queue(_)))
            | ("value", Some(_))
    )
}

/// An example of more characters says no more than the signature in the same space.
const LONGEST_EXAMPLE: usize = 40;

/// The shortest line of the examples that asserts what a call of the function gives.
fn example(name: &str, examples: &[String]) -> Option<String> {
    let short = name.rsplit('.').next().unwrap_or(name);
    let call = format!("{short}(");
    let lines = examples.iter().flat_map(|it| it.lines()).map(str::trim);
    let asserted = lines.filter_map(|it| it.strip_prefix("assert "));
    let shown = asserted.filter(|it| it.contains(&call) && it.chars().count() <= LONGEST_EXAMPLE);
    // Some of a call that fails is worth more than nothing, and less than what it gives when it does not.
    let shortest = shown.min_by_key(|it| (it.contains(" fails "), it.len()));
    shortest.map(str::to_owned)
}

/// A function: its name as it is called, what follows it, repeat class and example.
struct Function {
    name: String,
    tail: String,
    class: RepeatClass,
    example: Option<String>,
}

/// What is a text says so by its name.
fn without_text(tail: &str) -> String {
    let tail = tail.replace(": string,", ",").replace(": string)", ")");
    tail.replace(": string }", " }")
}

fn function(db: &dyn Db, module: &str, item: ItemId) -> Function {
    let signature = &item_signature(db, item).signature;
    let first = signature.parameters.first().map(|it| &it.ty);
    let name = item.name(db);
    let (name, skipped) = if is_method(module, first) || name.contains('.') {
        (name.to_string(), 1)
    } else if module == PRELUDE {
        (name.to_string(), 0)
    } else {
        (format!("{module}.{name}"), 0)
    };
    let tail = without_text(&callable(db, item, skipped));
    let class = repeat_class(db, item);
    let word = match class {
        RepeatClass::Pure => "",
        RepeatClass::Reads => " reads",
        RepeatClass::Idempotent => " idempotent",
        RepeatClass::Once => " once",
    };
    let (_, examples) = docs_and_examples(db, item);
    Function {
        name,
        tail: format!("{tail}{word}"),
        class,
        example: example(item.name(db), &examples),
    }
}

/// Functions that differ in their name alone are one line, with the example of the first. One that raises more besides has
/// that in brackets. There is no example where there is nothing to see: what a call of the outside gives, what answers yes or
/// no, and methods that another type has shown, such as `len`.
fn lines(functions: Vec<Function>, shown: &mut BTreeSet<String>) -> String {
    let mut lines: Vec<Function> = Vec::new();
    for function in functions {
        let alike = lines
            .iter_mut()
            .filter(|it| owner(&it.name) == owner(&function.name));
        let mut alike = alike.map(|it| (further(&it.tail, &function.tail), it));
        let same = alike.find_map(|(errors, it)| Some((errors?, it)));
        match same {
            Some((errors, line)) => {
                let short = function.name.rsplit('.').next();
                line.name.push(' ');
                line.name.push_str(short.unwrap_or_default());
                line.name.push_str(&errors);
            }
            None => lines.push(function),
        }
    }
    let mut out = String::new();
    for Function {
        name,
        tail,
        class,
        example,
    } in lines
    {
        let first = name.split(' ').next().unwrap_or_default();
        let short = first.rsplit('.').next().unwrap_or_default();
        let is_of_module = first.contains('.') && first.starts_with(char::is_lowercase);
        let is_new = is_of_module || shown.insert(short.to_owned());
        let is_obvious = class != RepeatClass::Pure || tail.ends_with("-> bool") || !is_new;
        let _ = match example.filter(|_| !is_obvious) {
            Some(example) => writeln!(out, "{name}{tail} // {example}"),
            None => writeln!(out, "{name}{tail}"),
        };
    }
    out
}

/// The module or type of the first function of a line.
fn owner(name: &str) -> Option<&str> {
    let first = name.split(' ').next()?;
    first.rsplit_once('.').map(|it| it.0)
}

/// What the second of two tails raises besides what the first does, where they are alike otherwise.
fn further(first: &str, second: &str) -> Option<String> {
    if first == second {
        return Some(String::new());
    }
    let (head, errors) = first.split_once(" ! ")?;
    let (other, more) = second.split_once(" ! ")?;
    let (errors, class) = errors.rsplit_once(' ').unwrap_or((errors, ""));
    let (more, other_class) = more.rsplit_once(' ').unwrap_or((more, ""));
    let more = more.strip_prefix(errors)?.strip_prefix(" | ")?;
    (head == other && class == other_class).then(|| format!("[also ! {more}]"))
}

fn module(db: &dyn Db, name: &str, file: File, shown: &mut BTreeSet<String>) -> String {
    let items = file_item_ids(db, file).iter().copied();
    let items: Vec<ItemId> = items.filter(|it| !is_private(db, *it)).collect();
    let mut out = String::new();
    let mut functions = Vec::new();
    for item in items {
        match item.kind(db) {
            ItemKind::Function | ItemKind::Tool => functions.push(function(db, name, item)),
            ItemKind::Record
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Alias
            | ItemKind::Const
                if name == PRELUDE => {}
            ItemKind::Record
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Alias
            | ItemKind::Const => {
                let (word, tail) = (
                    item.kind(db).keyword().unwrap_or_default(),
                    without_text(&tail(db, item)),
                );
                // Of a type without fields that programs see, its functions say all.
                if tail.contains(['{', '(', ':', '=']) {
                    let _ = writeln!(out, "{word} {}{tail}", item.name(db));
                }
            }
            _ => {}
        }
    }
    let heading = match KNOWN.contains(&name) {
        true => name.to_owned(),
        false => format!("import std/{name}"),
    };
    // A type that the module has given a name is named by it.
    let mut told = format!("{out}{}", lines(functions, shown));
    for line in out.lines() {
        let alias = line
            .strip_prefix("type ")
            .and_then(|it| it.split_once(" = "));
        if let Some((name, meaning)) = alias {
            told = told.replace(&format!(": {meaning}"), &format!(": {name}"));
            told = told.replace(&format!("-> {meaning}"), &format!("-> {name}"));
        }
    }
    format!("# {heading}\n{told}")
}

fn section(db: &dyn Db) -> String {
    let mut out = String::from("```text\n");
    let mut shown = BTreeSet::new();
    let project = Project::try_get(db).expect("a project was opened");
    for (path, file) in project.modules(db) {
        let Some(name) = path.strip_prefix("std/") else {
            continue;
        };
        if ELSEWHERE.contains(&name) {
            continue;
        }
        out.push_str(&module(db, name, *file, &mut shown));
    }
    out.push_str("```\n");
    out
}

#[test]
fn the_library_on_the_language_page_is_current() {
    let path = root().join("docs/reference/language.md");
    let found = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = found
        .split_once(BEGIN)
        .expect("the page has the first mark");
    let (_, after) = rest.split_once(END).expect("the page has the last mark");
    let (db, _) = open("");
    let expected = format!("{before}{BEGIN}{}{END}{after}", section(&db));
    if std::env::var_os("ACCEPT").is_some() {
        fs::write(&path, &expected).expect("the repository can be written");
        return;
    }
    assert!(
        found == expected,
        "the library in docs/reference/language.md is not what `std` declares; ACCEPT=1 cargo test --test harness language_library writes it anew"
    );
}

#[test]
fn the_language_page_fits_into_the_context_of_an_agent() {
    let page = fs::read_to_string(root().join("docs/reference/language.md")).expect("it is there");
    let count = page.chars().count();
    assert!(
        count <= LONGEST,
        "docs/reference/language.md has {count} characters, at most {LONGEST} are wanted"
    );
}
