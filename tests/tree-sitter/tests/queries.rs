//! Every query of an editor can be read, and colours, folds and the outline are what they should be.

use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};
use tree_sitter_gsw::language;

fn editors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors")
}

fn queries_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            queries_below(&path, found);
        } else if path.extension().is_some_and(|it| it == "scm") {
            found.push(path);
        }
    }
}

#[test]
fn every_query_can_be_read() {
    let mut found = Vec::new();
    for editor in ["tree-sitter-gsw", "helix", "zed"] {
        queries_below(&editors().join(editor), &mut found);
    }
    assert!(found.len() >= 15, "{found:?}");
    for path in found {
        let text = fs::read_to_string(&path).expect("queries are text");
        if let Err(error) = Query::new(&language(), &text) {
            panic!("{}: {error}", path.display());
        }
    }
}

const PROGRAM: &str = r#"/// Docs.
type Bug { title: string }
agent helper { model: "sim/x" }
prompt find(path: string) -> [Bug] by helper { user "in ${path}" }
workflow main(step: int) -> int {
  let found = step "look" retry 3 { find("a") catch { _ => [] } }
  step + found.len()
}
"#;

/// What a query captures: the last name of each text, in order.
fn captured(query: &str) -> Vec<(String, String)> {
    let path = editors().join("tree-sitter-gsw/queries").join(query);
    let text = fs::read_to_string(path).expect("queries are text");
    let query = Query::new(&language(), &text).expect("the test above reads it");
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the versions fit");
    let tree = parser.parse(PROGRAM, None).expect("nothing stops it");
    assert!(!tree.root_node().has_error());
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(&query, tree.root_node(), PROGRAM.as_bytes());
    let mut found: Vec<(usize, String, String)> = Vec::new();
    while let Some((matched, index)) = captures.next() {
        let capture = matched.captures()[*index];
        let name = query.capture_names()[capture.index as usize].to_owned();
        let text = PROGRAM[capture.node.byte_range()].to_owned();
        let start = capture.node.start_byte();
        found.retain(|it| it.0 != start || it.1 != text);
        found.push((start, text, name));
    }
    found.sort();
    found.into_iter().map(|it| (it.1, it.2)).collect()
}

#[test]
fn a_word_is_a_keyword_only_where_it_means_something() {
    let colours = captured("highlights.scm");
    let of = |text: &str| -> Vec<&str> {
        let same = colours.iter().filter(|it| it.0 == text);
        same.map(|it| it.1.as_str()).collect()
    };
    assert_eq!(of("step"), ["variable.parameter", "keyword", "variable"]);
    assert_eq!(of("retry"), ["keyword.modifier"]);
    assert_eq!(of("find"), ["function", "function.call"]);
    assert_eq!(of("Bug"), ["type", "type"]);
    assert_eq!(of("user"), ["keyword"]);
    assert_eq!(of("path").last(), Some(&"variable"));
}

#[test]
fn the_outline_has_the_declarations() {
    let tags = captured("tags.scm");
    let names: Vec<&str> = tags
        .iter()
        .filter(|it| it.1 == "name")
        .map(|it| it.0.as_str())
        .collect();
    assert_eq!(names, ["Bug", "helper", "find", "main", "find", "len"]);
}
