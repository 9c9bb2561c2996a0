//! The examples in the docs of the standard library, of which every public function has one: they are tests that pass.

use std::collections::BTreeSet;
use std::fmt::Write;

use gsw_abi::call::{AskedOfRun, AskedOfServer, SaidOfClient, SaidOfServer};
use gsw_abi::run_status::RunStatus;

use crate::program::{gswc, scratch, text};

/// A function of the library as its text shows it.
struct Function {
    name: String,
    is_public: bool,
    /// The bodies of the fenced blocks above it.
    examples: Vec<String>,
}

#[test]
fn every_public_function_of_the_library_has_docs_and_an_example() {
    let mut wrong = Vec::new();
    for (path, source) in gsw_std::MODULES {
        for function in functions(source) {
            if function.is_public && function.examples.is_empty() {
                wrong.push(format!("{path}: `{}` has no example", function.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_of_the_library_hold() {
    let folder = scratch("library");
    let mut files = Vec::new();
    for (path, source) in gsw_std::MODULES {
        let module = path.trim_start_matches("std/");
        let mut tests = String::new();
        // What no body may declare comes before the tests, once for all of a module.
        let mut declared = BTreeSet::new();
        for function in functions(source) {
            for example in &function.examples {
                let name = &function.name;
                let (declarations, body): (Vec<&str>, Vec<&str>) = example
                    .lines()
                    .partition(|it| it.starts_with("  agent ") || it.starts_with("  prompt "));
                declared.extend(declarations.iter().map(|it| (*it).to_owned()));
                let body = body.join("\n");
                let _ = writeln!(tests, "test \"{module}: {name}\" {{\n{body}\n}}");
            }
        }
        if tests.is_empty() {
            continue;
        }
        let file = folder.join(format!("{module}_examples.gsw"));
        let declared: Vec<String> = declared.into_iter().collect();
        let program = imports(&tests) + &declared.join("\n") + "\n" + &tests;
        std::fs::write(&file, program).expect("scratch can be written");
        files.push(file);
    }
    let mut words = vec!["test"];
    words.extend(files.iter().map(|it| text(it)));
    let said = gswc(&words);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}

/// The functions of a module in order.
fn functions(source: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut docs: Vec<&str> = Vec::new();
    for line in source.lines() {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.strip_prefix(' ').unwrap_or(doc));
            continue;
        }
        if line.starts_with('@') {
            continue;
        }
        let is_public = line.starts_with("fn ");
        if let Some(head) = line.trim_start_matches("private ").strip_prefix("fn ") {
            let name = head.split(['(', '<']).next().unwrap_or(head);
            found.push(Function {
                name: name.to_owned(),
                is_public,
                examples: blocks(&docs),
            });
        }
        docs.clear();
    }
    found
}

/// The fenced blocks in lines of documentation.
fn blocks(docs: &[&str]) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = docs.iter();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let inside = lines.by_ref().take_while(|it| !it.starts_with("```"));
            blocks.push(inside.flat_map(|it| ["  ", it, "\n"]).collect());
        }
    }
    blocks
}

/// The imports of the modules that `tests` name.
fn imports(tests: &str) -> String {
    let names = gsw_std::MODULES.iter().map(|(path, _)| *path);
    let is_named = |path: &&str| {
        let module = format!("{}.", path.trim_start_matches("std/"));
        tests.match_indices(&module).any(|(at, _)| {
            let before = tests[..at].chars().next_back();
            before.is_none_or(|it| !it.is_alphanumeric() && !"_.\"/".contains(it))
        })
    };
    names
        .filter(is_named)
        .map(|path| format!("import {path}\n"))
        .collect()
}

#[test]
fn what_modules_ask_by_a_word_is_in_the_tables_of_the_runtime() {
    // The words that follow these beginnings of calls in a module.
    let words = |module: &str, calls: &[&str]| -> BTreeSet<String> {
        let (_, text) = gsw_std::MODULES
            .iter()
            .find(|(path, _)| *path == module)
            .expect("the library has it");
        let behind = calls.iter().flat_map(|call| text.split(call).skip(1));
        behind
            .filter_map(|it| it.split_once('"').map(|it| it.0.to_owned()))
            .collect()
    };
    let known = AskedOfServer::ALL.iter().map(|it| it.word().to_owned());
    assert_eq!(
        words("std/mcp", &["looked(\"", "talked(\""]),
        known.collect()
    );
    let of_server = SaidOfServer::ALL.iter().map(|it| it.word());
    let of_client = SaidOfClient::ALL.iter().map(|it| it.word());
    assert_eq!(
        words("std/mcp", &["settings[\""]),
        of_server.chain(of_client).map(str::to_owned).collect()
    );
    let known = AskedOfRun::ALL.iter().map(|it| it.word().to_owned());
    assert_eq!(
        words("std/runs", &["asked(self.id, \"", "asked(id, \""]),
        known.collect()
    );
    let (_, runs) = gsw_std::MODULES
        .iter()
        .find(|(path, _)| *path == "std/runs")
        .expect("the library has it");
    let known = RunStatus::ALL.map(|it| format!("\"{}\"", it.name()));
    let declared = format!("type Status = {}\n", known.join(" | "));
    assert!(runs.contains(&declared), "{declared}");
}
