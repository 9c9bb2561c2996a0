//! The extensions for editors name what the compiler and the server have. Its colours are tested by `editors/vscode/test`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::root;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words in a text that `expression` captures.
fn captured(text: &str, expression: &str) -> BTreeSet<String> {
    let expression = regex::Regex::new(expression).expect("the expression is right");
    let found = expression.captures_iter(text);
    found.map(|it| it[1].to_owned()).collect()
}

#[test]
fn its_grammar_knows_every_word_of_the_language() {
    let grammar = read("editors/vscode/syntaxes/gsw.tmLanguage.json").replace("\\\\b", " ");
    let known = captured(&grammar, r"\b([a-z]+)\b");
    let keywords = gsw_syntax::TokenKind::ALL
        .iter()
        .filter(|it| it.is_keyword());
    let mut words: BTreeSet<String> = keywords.map(|it| it.text().to_owned()).collect();
    words.extend(captured(
        &read("compiler/syntax/src/token/word.rs"),
        r#"= "([a-z]+)","#,
    ));
    assert!(words.len() > 70, "{words:?}");
    let missing: Vec<_> = words.difference(&known).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn it_has_the_commands_of_the_lenses_and_the_options_of_the_server() {
    let package = json("editors/vscode/package.json");
    let code = read("editors/vscode/src/extension.js");
    let lenses = captured(&read("lsp/server/src/structure.rs"), r#""(gsw\.[a-z]+)""#);
    let mut registered = captured(&code, r#"command\("(gsw\.[a-z]+)""#);
    assert_eq!(lenses.len(), 3, "{lenses:?}");
    assert!(lenses.is_subset(&registered), "{registered:?}");
    let runs = read("editors/vscode/src/runs.js");
    registered.extend(captured(&runs, r#""(gsw\.runs\.[a-z]+)":"#));
    for command in package["contributes"]["commands"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let name = command["command"].as_str().unwrap_or_default();
        assert!(registered.contains(name), "{name} is not registered");
    }
    let settings = package["contributes"]["configuration"]["properties"].to_string();
    let settings = captured(&settings, r"gsw\.inlayHints\.([a-z]+)");
    let options = captured(
        &read("lsp/server/src/capabilities.rs"),
        r#"shown\("([a-z]+)"\)"#,
    );
    assert_eq!(settings, options);
    let version = format!("version = {}", package["version"]);
    assert!(read("Cargo.toml").contains(&version), "{version}");
}

#[test]
fn the_scanner_for_tree_sitter_knows_every_word_of_the_language() {
    let scanner = captured(
        &read("editors/tree-sitter-gsw/src/scanner.c"),
        r#""([a-z]+)""#,
    );
    let keywords = gsw_syntax::TokenKind::ALL
        .iter()
        .filter(|it| it.is_keyword());
    let mut words: BTreeSet<String> = keywords.map(|it| it.text().to_owned()).collect();
    let table = read("compiler/syntax/src/token/word.rs");
    words.extend(captured(&table, r#"= "([a-z]+)","#));
    let missing: Vec<_> = words.difference(&scanner).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_plugin_for_neovim_has_the_commands_of_the_lenses() {
    let lenses = captured(&read("lsp/server/src/structure.rs"), r#""(gsw\.[a-z]+)""#);
    let plugin = read("editors/neovim/plugin/gsw.lua");
    let known = captured(&plugin, r#"commands\["(gsw\.[a-z]+)"\]"#);
    assert_eq!(lenses, known);
}

#[test]
fn the_packages_and_the_extensions_name_one_repository() {
    let home = captured(&read("packaging/release.py"), r#"HOME = "([^"]+)""#);
    let zed = captured(
        &read("editors/zed/extension.toml"),
        r#"(?m)^repository = "(https://[^"]+)""#,
    );
    assert_eq!(home.len(), 1, "{home:?}");
    assert_eq!(home, zed);
}
