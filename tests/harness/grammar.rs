//! `docs/reference/grammar.md` is what the parser's productions say of themselves, and they make a grammar.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use crate::program::root;

/// The parser's files in the order of the page, each with its heading.
const FILES: [(&str, &str); 13] = [
    ("Declarations", "item"),
    ("Imports", "item/import"),
    ("Types, enums and errors", "item/data"),
    ("Heads", "signature"),
    ("Modifiers", "modifier"),
    ("Settings and prompts", "setting"),
    ("Statements", "statement"),
    ("Expressions", "expression"),
    ("Operands", "operand"),
    ("Brackets", "operand/bracketed"),
    ("Control", "operand/control"),
    ("Steps and tasks", "operand/task"),
    ("Calls and fields", "operand/postfix"),
];
const LAST: [(&str, &str); 3] = [
    ("Patterns", "pattern"),
    ("Types", "type_expression"),
    ("Literals", "literal"),
];

/// What the lexer makes, and the two forms of an expression that a head takes.
const TERMINALS: [(&str, &str); 13] = [
    ("DocComment", "one or more lines `/// …`"),
    ("Duration", "`250ms`, `30s`, `5m`, `2h`, `7d`, `1h30m`"),
    ("Float", "`3.14`, `1e-9`"),
    ("Guard", "an Expression that ends at `=>`"),
    (
        "Head",
        "an Expression in which `{` opens the body: a record or map literal needs parentheses; `Binding` is allowed in no other",
    ),
    ("Identifier", "a name that is not reserved"),
    ("Int", "`42`, `1_000_000`, `0xff`"),
    ("Newline", "a line break that ends a statement"),
    (
        "String",
        "`\"…\"`, `\"\"\"…\"\"\"` or `r\"…\"` without interpolation",
    ),
    ("StringClose", "the end of a string with interpolation"),
    ("StringOpen", "the beginning of a string with interpolation"),
    ("StringText", "the text between interpolations"),
    (
        "Word",
        "a name, reserved or not; that of a parameter is not reserved, but in an error or a variant",
    ),
];

/// Where the grammar begins.
const START: &str = "Item";

/// The productions in the comments of a file: those that begin with a name and `=`, up to their `;`.
fn productions(stem: &str) -> Vec<String> {
    let path = root().join(format!("compiler/syntax/src/parser/{stem}.rs"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(start) = line.trim().strip_prefix("/// `") else {
            continue;
        };
        let name: String = start
            .chars()
            .take_while(|it| it.is_alphanumeric())
            .collect();
        if !name.starts_with(|it: char| it.is_uppercase())
            || !start[name.len()..].starts_with(" = ")
        {
            continue;
        }
        let mut production = start.to_owned();
        while !production.ends_with(";`") {
            let next = lines.next().and_then(|it| it.trim().strip_prefix("/// "));
            let next = next.unwrap_or_else(|| panic!("{stem}: `{name}` has no end"));
            let _ = write!(production, " {next}");
        }
        found.push(production.trim_end_matches('`').to_owned());
    }
    found
}

/// The names that a production uses, what is in quotes left out.
fn used(production: &str) -> BTreeSet<String> {
    let (_, right) = production.split_once(" = ").unwrap_or_default();
    let outside = right.split('"').step_by(2);
    let words = outside.flat_map(|it| it.split(|it: char| !it.is_alphanumeric()));
    words
        .filter(|it| it.starts_with(|it: char| it.is_uppercase()))
        .map(str::to_owned)
        .collect()
}

fn grammar() -> String {
    let mut page = String::from(
        "# Grammar

The productions of the parser, collected from its comments. `[ a ]` may be left out, `{ a }` may be repeated any number of times, `…` goes on as it
began. Where a line break ends a statement, and where it does not, is in [the language on one page](language.md#source-text). A file is a sequence of `Item`s, imports first.
An expression is read by precedence: its production lists the operators from the loosest to the tightest.
Brackets nest 256 deep at most, and an expression 1,000 levels: each operator and each `.name` of a chain is one, and so is a call (`nesting-too-deep`).

",
    );
    for (title, stem) in FILES.iter().chain(&LAST) {
        let _ = writeln!(page, "## {title}\n\n```ebnf");
        for production in productions(stem) {
            let _ = writeln!(page, "{}", wrapped(&production));
        }
        page.push_str("```\n\n");
    }
    page.push_str("## What the lexer makes\n\n| name | is |\n|---|---|\n");
    for (name, is) in TERMINALS {
        let _ = writeln!(page, "| `{name}` | {is} |");
    }
    page
}

/// A production in lines of at most a hundred characters.
fn wrapped(production: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in production.split(' ') {
        if width > 0 && width + word.chars().count() > 100 {
            out.push_str("\n    ");
            width = 4;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.chars().count();
    }
    out
}

#[test]
fn the_page_of_the_grammar_is_current() {
    let path = root().join("docs/reference/grammar.md");
    let expected = grammar();
    if std::env::var_os("ACCEPT").is_some() {
        fs::write(&path, &expected).expect("the repository can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/reference/grammar.md is not what the parser says; ACCEPT=1 writes it anew"
    );
}

#[test]
fn every_production_is_reached_and_every_name_is_defined() {
    let mut defined = BTreeMap::new();
    for (_, stem) in FILES.iter().chain(&LAST) {
        for production in productions(stem) {
            let name = production.split(' ').next().unwrap_or_default().to_owned();
            let before = defined.insert(name.clone(), used(&production));
            assert!(before.is_none(), "`{name}` is defined twice");
        }
    }
    let terminals: BTreeSet<&str> = TERMINALS.iter().map(|it| it.0).collect();
    let mut reached = BTreeSet::from([START.to_owned()]);
    let mut waiting = vec![START.to_owned()];
    while let Some(name) = waiting.pop() {
        let Some(uses) = defined.get(&name) else {
            assert!(terminals.contains(name.as_str()), "`{name}` is not defined");
            continue;
        };
        waiting.extend(
            uses.iter()
                .filter(|it| reached.insert((*it).clone()))
                .cloned(),
        );
    }
    let unreached: Vec<_> = defined.keys().filter(|it| !reached.contains(*it)).collect();
    assert!(unreached.is_empty(), "never used: {unreached:?}");
    let folder = root().join("compiler/syntax/src/parser");
    let stems: BTreeSet<&str> = FILES.iter().chain(&LAST).map(|it| it.1).collect();
    for entry in fs::read_dir(folder).expect("the parser is there") {
        let path = entry.expect("a folder can be listed").path();
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let has_productions = path.is_file() && !productions(&stem).is_empty();
        assert!(
            !has_productions || stems.contains(stem.as_str()),
            "{stem}.rs is not in the page"
        );
    }
}
