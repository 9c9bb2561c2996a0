//! `gswc graph`: the structure of workflows as Mermaid on pages, and as pictures that hold together.

use std::fs;
use std::path::Path;

use crate::page::{cases, pages, with_blocks, write_case};
use crate::program::{gswc, root, text};

fn graph(file: &Path, format: &str) -> String {
    let said = gswc(&["graph", text(file), "--format", format]);
    assert_eq!(said.code, Some(0), "{}: {}", file.display(), said.err);
    said.out
}

fn accepts() -> bool {
    std::env::var_os("ACCEPT").is_some()
}

#[test]
fn pages_of_graphs_are_drawn_as_they_say() {
    let mut wrong = Vec::new();
    for page in pages(&root().join("tests/graph")) {
        let content = fs::read_to_string(&page).expect("pages can be read");
        let mut made = Vec::new();
        for (index, case) in cases(&content).iter().enumerate() {
            let file = write_case("graph", "structure", index, &case.source);
            let found = graph(&file, "mermaid");
            let expected = case.expected("mermaid").expect("each case has a graph");
            if expected != found && !accepts() {
                wrong.push(format!("{}: {found}", case.claim));
            }
            made.push(found);
            let svg = graph(&file, "svg");
            wrong.extend(problems(&svg).map(|it| format!("{}: {it}", case.claim)));
        }
        if accepts() {
            let renewed = with_blocks(&content, "mermaid", &made);
            fs::write(&page, renewed).expect("the repository can be written");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pictures_of_examples_hold_together_and_the_one_in_the_docs_is_current() {
    let mut files: Vec<_> = fs::read_dir(root().join("examples"))
        .expect("the examples are there")
        .map(|it| it.expect("a folder can be listed").path())
        .filter(|it| it.extension().is_some_and(|it| it == "gsw"))
        .collect();
    files.sort();
    for file in files {
        let problem = problems(&graph(&file, "svg")).next();
        assert_eq!(problem, None, "{}", file.display());
    }
    let picture = root().join("docs/reference/graph.svg");
    let page = fs::read_to_string(root().join("docs/reference/graph.md")).expect("it is there");
    let case = cases(&page).into_iter().next().expect("it shows a program");
    let file = write_case("graph", "docs", 0, &case.source);
    let found = graph(&file, "svg");
    if accepts() {
        fs::write(&picture, &found).expect("the repository can be written");
    }
    let kept = fs::read_to_string(&picture).unwrap_or_default();
    assert!(
        kept == found,
        "docs/reference/graph.svg is not what `gswc graph` draws; ACCEPT=1 writes it anew"
    );
}

#[test]
fn a_workflow_can_be_drawn_alone() {
    let file = root().join("examples/newsroom.gsw");
    let said = gswc(&["graph", text(&file), "digest"]);
    assert!(
        said.out.contains("digest(") && !said.out.contains("story("),
        "{}",
        said.out
    );
    let said = gswc(&["graph", text(&file), "nothing"]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (Some(2), "gswc: there is no workflow `nothing`\n")
    );
}

/// What does not hold together in a picture: tags that are not closed, boxes that leave the page.
fn problems(svg: &str) -> impl Iterator<Item = String> {
    let mut problems = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut page = (0.0, 0.0);
    for piece in svg.split('<').skip(1) {
        let Some((tag, rest)) = piece.split_once('>') else {
            problems.push(format!("a `<` without its `>`: {piece}"));
            continue;
        };
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        let number = |attribute: &str| {
            let (_, value) = tag.split_once(&format!(" {attribute}=\""))?;
            value.split('"').next()?.parse::<f64>().ok()
        };
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                problems.push(format!("`{name}` is closed and not open"));
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        match (
            name,
            number("x"),
            number("y"),
            number("width"),
            number("height"),
        ) {
            ("svg", _, _, Some(width), Some(height)) => page = (width, height),
            ("rect", Some(x), Some(y), Some(width), Some(height))
                if x < 0.0 || y < 0.0 || x + width > page.0 || y + height > page.1 =>
            {
                problems.push(format!("a box leaves the page: {tag}"));
            }
            _ => {}
        }
        let is_entity = |it: &str| {
            ["amp;", "lt;", "gt;", "quot;", "#39;"]
                .iter()
                .any(|e| it.starts_with(e))
        };
        if !rest.split('&').skip(1).all(is_entity) {
            problems.push(format!("an `&` that is none: {rest}"));
        }
    }
    problems.extend(open.iter().map(|it| format!("`{it}` is not closed")));
    problems.into_iter()
}
