//! Every example compiles, runs with the simulator both ways, prints what is beside it, and has the tree that is expected of it.

mod played;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::program::{GSWC, gswc, root, run_both_ways_with_input, run_with_input, scratch, text};

#[test]
fn examples_check_without_a_report() {
    for file in files() {
        let said = gswc(&["check", text(&file)]);
        assert_eq!(
            (said.code, said.err.as_str()),
            (Some(0), ""),
            "{}",
            file.display()
        );
    }
}

#[test]
fn examples_run_with_the_simulator() {
    for file in files() {
        let arguments: &[&str] = if file.ends_with("review.gsw") {
            &["--dir", "runtime/abi"]
        } else {
            &[]
        };
        let input = std::fs::read_to_string(file.with_extension("in")).unwrap_or_default();
        let said = run_both_ways_with_input(&file, arguments, &input);
        assert_eq!(said.code, Some(0), "{}: {}", file.display(), said.err);
        if let Ok(expected) = std::fs::read_to_string(file.with_extension("out")) {
            assert_eq!(said.out, expected, "{}", file.display());
        }
    }
}

/// What of the tree of an example is the same each time: kinds, names and ends, below each other as they were mounted.
#[test]
fn the_trees_of_examples_are_as_expected() {
    // G58: `ACCEPT=1` writes them anew.
    let mut wrong = Vec::new();
    for file in files() {
        let name = file.file_stem().expect("an example has a name");
        let expected = root()
            .join("examples/trees")
            .join(name)
            .with_extension("txt");
        let events = scratch("trees").join(name).with_extension("jsonl");
        let mut words = vec![
            "run",
            text(&file),
            "--",
            "--quiet",
            "--events",
            text(&events),
        ];
        if file.ends_with("review.gsw") {
            words.extend(["--dir", "runtime/launcher"]);
        }
        let input = std::fs::read_to_string(file.with_extension("in")).unwrap_or_default();
        let said = run_with_input(Path::new(GSWC), &words, &input);
        assert_eq!(said.code, Some(0), "{}: {}", file.display(), said.err);
        let tree = tree(&events);
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(&expected, &tree).expect("the tree can be written");
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != tree {
            wrong.push(format!("{}:\n{tree}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tree that a file of events describes.
fn tree(events: &Path) -> String {
    let mut below: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut nodes: BTreeMap<u64, (String, String)> = BTreeMap::new();
    let told = std::fs::read_to_string(events).expect("the events are written");
    for line in told.lines().skip(1) {
        let event: Value = serde_json::from_str(line).expect("events are JSON");
        let node = event["node"].as_u64().expect("an event has a node");
        if event["event"] == "child_attached" {
            let word = |name: &str| event[name].as_str().unwrap_or_default();
            let parent = event["parent"].as_u64().expect("a node has a parent");
            below.entry(parent).or_default().push(node);
            let named = format!("{} {}", word("kind"), word("name"));
            nodes.insert(node, (named, word("status").to_owned()));
        } else if event["event"] == "prompt_revision" {
            let id = |name: &str| event[name].as_u64().expect("a revision names two nodes");
            let replaced = nodes[&id("old")].0.clone();
            let new = nodes.get_mut(&id("new")).expect("it was attached before");
            let _ = write!(new.0, " instead of {replaced}");
        } else if let (Some(known), Some(status)) = (nodes.get_mut(&node), event["status"].as_str())
        {
            status.clone_into(&mut known.1);
        }
    }
    let mut text = String::new();
    write_below(&below, &nodes, (0, 0), &mut text);
    text
}

fn write_below(
    below: &BTreeMap<u64, Vec<u64>>,
    nodes: &BTreeMap<u64, (String, String)>,
    (parent, depth): (u64, usize),
    text: &mut String,
) {
    for node in below.get(&parent).into_iter().flatten() {
        let (named, status) = &nodes[node];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:indent$}{named} [{status}]", "", indent = 2 * depth);
        write_below(below, nodes, (*node, depth + 1), text);
    }
}

fn files() -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(root().join("examples"))
        .expect("the examples are there")
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|it| it == "gsw"))
        .collect();
    files.sort();
    files
}
