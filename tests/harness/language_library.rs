//! The part of `docs/reference/language.md` about the standard library is what `std` declares, with an example of each function
//! that `library::examples_of_the_library_hold` runs.

use std::fmt::Write;
use std::fs;

use gsw_analysis::{RepeatClass, repeat_class};
use gsw_describe::{callable, docs_and_examples, keyword, tail};
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
const LONGEST: usize = 66_000;

/// Modules that the page explains elsewhere.
const ELSEWHERE: [&str; 8] = [
    "context",
    "document",
    "image",
    "introspect",
    "prelude",
    "queue",
    "runs",
    "workflows",
];

/// Modules without an import: their functions are methods of values, or the module is known everywhere.
const KNOWN: [&str; 17] = [
    "bytes", "document", "duration", "error", "float", "image", "int", "json", "list", "log",
    "map", "optional", "string", "task", "time", "value", "random",
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
            | ("value", Some(_))
    )
}

/// An example of more characters is only taken when there is no shorter one.
const LONG: usize = 38;

/// The first line of the examples that shows a call of the function and is short, else the shortest: what is asserted, else a
/// statement.
fn example(name: &str, examples: &[String]) -> String {
    let lines = examples.iter().flat_map(|it| it.lines()).map(str::trim);
    let is_whole =
        |it: &&str| it.matches(['(', '[', '{']).count() == it.matches([')', ']', '}']).count();
    let short = name.rsplit('.').next().unwrap_or(name);
    let call = format!("{short}(");
    let is_call = |it: &&str| it.contains(&call) && !it.starts_with("mock ");
    let (asserted, others): (Vec<&str>, Vec<&str>) = lines
        .filter(is_whole)
        .partition(|it| it.starts_with("assert "));
    let asserted = asserted.iter().filter_map(|it| it.strip_prefix("assert "));
    let others = others.iter().map(|it| match it.split_once(" = ") {
        Some((left, value)) if left.starts_with("let ") => value,
        _ => it,
    });
    let shortest = asserted
        .clone()
        .filter(is_call)
        .min_by_key(|it| it.len().max(LONG));
    let shortest = shortest.or_else(|| others.filter(is_call).min_by_key(|it| it.len()));
    let shortest = shortest.or_else(|| asserted.min_by_key(|it| it.len()));
    shortest.unwrap_or_default().to_owned()
}

/// A function: its name as it is called, what stands behind it, repeat class and example.
struct Function {
    name: String,
    tail: String,
    example: String,
}

fn function(db: &dyn Db, module: &str, item: ItemId) -> Function {
    let signature = &item_signature(db, item).signature;
    let first = signature.parameters.first().map(|it| &it.ty);
    let name = item.name(db);
    let (name, skipped) = if is_method(module, first) || name.contains('.') {
        (name.to_string(), 1)
    } else {
        (format!("{module}.{name}"), 0)
    };
    // What is a text says so by its name.
    let tail = callable(db, item, skipped);
    let tail = tail.replace(": string,", ",").replace(": string)", ")");
    let class = match repeat_class(db, item) {
        RepeatClass::Pure => "",
        RepeatClass::Reads => " reads",
        RepeatClass::Idempotent => " idempotent",
        RepeatClass::Once => " once",
    };
    let (_, examples) = docs_and_examples(db, item);
    Function {
        name,
        tail: format!("{tail}{class}"),
        example: example(item.name(db), &examples),
    }
}

/// Functions that differ in their name alone are one line, with the example of the first. One that raises more besides says so
/// in brackets.
fn lines(functions: Vec<Function>) -> String {
    let mut lines: Vec<Function> = Vec::new();
    for function in functions {
        let same = lines
            .iter_mut()
            .find_map(|it| Some((further(&it.tail, &function.tail)?, it)));
        match same {
            Some((errors, line)) => {
                // The module or type is that of the first.
                let short = function.name.rsplit('.').next();
                line.name.push(' ');
                line.name.push_str(short.unwrap_or_default());
                line.name.push_str(&errors);
            }
            None => lines.push(function),
        }
    }
    let lines = lines
        .iter()
        .map(|it| format!("{}{} // {}\n", it.name, it.tail, it.example));
    lines.collect()
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

fn module(db: &dyn Db, name: &str, file: File) -> String {
    let items = file_item_ids(db, file).iter().copied();
    let items: Vec<ItemId> = items.filter(|it| !is_private(db, *it)).collect();
    let mut out = String::new();
    let mut functions = Vec::new();
    for item in items {
        match item.kind(db) {
            ItemKind::Function => functions.push(function(db, name, item)),
            ItemKind::Record
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Alias
            | ItemKind::Const => {
                let (word, tail) = (keyword(item.kind(db)), tail(db, item));
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
    format!("# {heading}\n{out}{}", lines(functions))
}

fn section(db: &dyn Db) -> String {
    let mut out = String::from("```text\n");
    let project = Project::try_get(db).expect("a project was opened");
    for (path, file) in project.modules(db) {
        let Some(name) = path.strip_prefix("std/") else {
            continue;
        };
        if !ELSEWHERE.contains(&name) {
            out.push_str(&module(db, name, *file));
        }
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
