//! Parameters that are booleans: a call with `true` does not say what is true.

use std::path::Path;

use super::{files_in, read};
use crate::program::root;

/// Functions that take one, by their files. A setter and a conversion of the claim that their names make may stay; of the others
/// none may join.
const KNOWN: &[(&str, &[&str])] = &[
    ("compiler/cli/src/commands/dap/follower.rs", &["why"]),
    ("compiler/flow/src/compare/pairing.rs", &["write"]),
    (
        "compiler/flow/src/compare/walk/instruction.rs",
        &["value_differs"],
    ),
    ("compiler/flow/src/lower/interpolation.rs", &["piece"]),
    ("compiler/flow/src/verify/shape.rs", &["expect"]),
    ("compiler/names/src/declared_type.rs", &["presence"]),
    ("runtime/agents/src/answer/frame.rs", &["goes_on"]),
    ("runtime/agents/src/answer/number.rs", &["kept"]),
    ("runtime/agents/src/answer/resemble.rs", &["changed"]),
    ("runtime/engine/src/front.rs", &["shield"]),
    ("runtime/engine/src/run/prompt.rs", &["reflection_ends"]),
    ("runtime/trace/src/text.rs", &["write_indent"]),
];

/// The functions of a file, outside of its tests, that take a boolean.
fn with_booleans(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let functions = code.unwrap_or_default().split("fn ").skip(1);
    functions.filter_map(with_boolean).collect()
}

/// The name of the function whose head, after `fn`, begins a text, if a parameter of it is a boolean.
fn with_boolean(head: &str) -> Option<&str> {
    let end = head.find(|it: char| !it.is_alphanumeric() && it != '_')?;
    let (name, rest) = head.split_at(end);
    if name.is_empty() || !rest.starts_with(['(', '<']) {
        return None;
    }
    // Only what stands in the parentheses of the parameters and in no further ones.
    let (mut depth, mut before, mut parameters) = (0_usize, ' ', String::new());
    for character in rest.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ if depth == 1 => parameters.push(character),
            _ => {}
        }
        if character == ')' && depth == 0 {
            break;
        }
        before = character;
    }
    let mut types = parameters.split(',').filter_map(|it| it.split_once(": "));
    types.any(|it| it.1.trim() == "bool").then_some(name)
}

#[test]
fn booleans_are_found_in_parameters_alone() {
    let text = "fn one(\n    a: &[int],\n    is_b: bool,\n) -> bool {}\nfn two<T: Fn(bool) -> bool>(a: T, b: Option<bool>) {}\n\
         fn three<'a>(f: impl Fn(usize, bool), it: bool) {}\n#[cfg(test)]\nmod tests {\nfn four(a: bool) {}\n}\n";
    assert_eq!(with_booleans(text), ["one", "three"]);
}

#[test]
fn no_function_takes_a_boolean() {
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for (file, names) in KNOWN {
        known.extend(names.iter().map(|it| format!("{file}: {it}")));
    }
    for area in ["std", "compiler", "runtime", "lsp", "host"] {
        for path in files_in(&root().join(area), ".rs") {
            let path = path.strip_prefix(root()).expect("it is in there");
            let is_of_tests = path.ends_with("tests.rs")
                || ["tests", "benches", "examples"]
                    .iter()
                    .any(|it| path.components().any(|part| part.as_os_str() == *it));
            if !is_of_tests {
                found.extend(of_file(path));
            }
        }
    }
    found.sort();
    known.sort();
    assert_eq!(found, known, "take an enum, and keep `KNOWN` true");
}

fn of_file(path: &Path) -> Vec<String> {
    let text = read(&root().join(path));
    let names = with_booleans(&text).into_iter();
    // What reads or makes JSON has a method for each form; a setter is one claim.
    let names = names.filter(|it| *it != "bool" && !it.starts_with("set_"));
    let shown = path.display();
    names.map(|it| format!("{shown}: {it}")).collect()
}
