//! `gswc trace`

mod arguments;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use gsw_codegen::{Access, replace};
use gsw_service::Exit;
use gsw_service::say::say;
use gsw_trace::{Filter, Node, Trace, Tree};
use gsw_tree::node::{NodeId, Status};
use serde_json::{Value, json};

use crate::report;

pub use arguments::Trace as Arguments;

const NO_FILE: &str = "name the event file of a run: no run is kept unless it is started with `--events FILE`, which \
    `gswc trace FILE` shows then";

/// Shows a run recorded with `--events`.
pub fn trace(arguments: &Arguments) -> Exit {
    let filter = match filter(arguments) {
        Ok(filter) => filter,
        Err(message) => {
            return report::usage(&message);
        }
    };
    let Some(file) = &arguments.file else {
        return report::usage(&NO_FILE);
    };
    let trace = match read(file) {
        Ok(trace) => trace,
        Err(exit) => return exit,
    };
    if let Some(out) = &arguments.html {
        return write_page(file, &trace, out);
    }
    if let Some(other) = &arguments.diff {
        return diff(arguments, &trace, other);
    }
    let runs = match chosen(arguments, &trace) {
        Ok(runs) => runs,
        Err(exit) => return exit,
    };
    if let Some(name) = &arguments.node {
        return one_node(arguments, &runs, name);
    }
    if !filter.is_empty() {
        let found = filtered(arguments, &runs, &filter);
        return if arguments.json {
            report::output_json(&found)
        } else {
            report::output(&found)
        };
    }
    if arguments.json {
        return report::output_value(&gsw_trace::json::trace(&trace));
    }
    let texts: Vec<_> = runs
        .iter()
        .map(|it| whole(arguments, it, runs.len()))
        .collect();
    report::output(&texts.join("\n"))
}

/// Reads an event file; gaps in it are reported on standard error.
fn read(file: &Path) -> Result<Trace, Exit> {
    let fail = |why: String| Err(report::failure(&format!("{}: {why}", file.display())));
    let input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        match File::open(file) {
            Ok(file) => Box::new(file),
            Err(error) => return fail(error.to_string()),
        }
    };
    match gsw_trace::read(BufReader::new(input)) {
        Ok(trace) => {
            for sentence in trace.gaps.sentences() {
                say(&format!("note: {}: {sentence}", file.display()));
            }
            Ok(trace)
        }
        Err(why) => fail(why.to_string()),
    }
}

fn filter(arguments: &Arguments) -> Result<Filter, String> {
    let longer = match arguments.longer.as_deref() {
        None => None,
        Some(text) => Some(gsw_notation::duration::parse(text).ok_or_else(|| {
            format!("`{text}` is not a duration; write `250ms`, `1m30s` or a number of seconds")
        })?),
    };
    Ok(Filter {
        kind: arguments.kind.map(|it| it.name().to_owned()),
        status: arguments.status.map(Status::from),
        name: arguments.name.clone(),
        longer,
        costlier: arguments.costlier,
    })
}

/// The runs that are meant: all, or the one that was asked for.
fn chosen<'a>(arguments: &Arguments, trace: &'a Trace) -> Result<Vec<&'a Tree>, Exit> {
    let Some(wanted) = &arguments.run else {
        return Ok(trace.runs.iter().collect());
    };
    let runs: Vec<_> = trace
        .runs
        .iter()
        .filter(|it| **it.run() == **wanted)
        .collect();
    if runs.is_empty() {
        let names: Vec<_> = trace.runs.iter().map(|it| it.run().to_string()).collect();
        let why = format!(
            "there is no run `{wanted}`; there are: {}",
            names.join(", ")
        );
        return Err(report::failure(&why));
    }
    Ok(runs)
}

fn whole(arguments: &Arguments, tree: &Tree, runs: usize) -> String {
    let mut text = String::new();
    if runs > 1 {
        text.push_str(&format!("run {}\n", gsw_trace::Shown::line(tree.run())));
    }
    if arguments.logs {
        text.push_str(&gsw_trace::logs(tree));
    } else if arguments.requests {
        text.push_str(&gsw_trace::requests(tree));
    } else {
        text.push_str(&gsw_trace::tree_text(tree));
        text.push_str(&gsw_trace::statistics(tree));
        text.push('\n');
    }
    text
}

fn one_node(arguments: &Arguments, runs: &[&Tree], name: &str) -> Exit {
    let found = runs.iter().find_map(|tree| Some((tree, find(tree, name)?)));
    let Some((tree, node)) = found else {
        return report::failure(&format!("there is no node `{name}`"));
    };
    if arguments.requests {
        return report::output(&gsw_trace::requests_of(tree, node));
    }
    if !arguments.json {
        return report::output(&gsw_trace::detail(tree, node));
    }
    let spent = tree.spent_below();
    let below = spent.get(&node.id).copied().unwrap_or_default();
    report::output_json(&format!("{:#}\n", gsw_trace::json::one(tree, node, &below)))
}

/// A node by its number or its path.
fn find<'a>(tree: &'a Tree, name: &str) -> Option<&'a Node> {
    match name.trim_start_matches('#').parse() {
        Ok(number) => tree.get(NodeId(number)),
        Err(_) => tree.find(name),
    }
}

fn filtered(arguments: &Arguments, runs: &[&Tree], filter: &Filter) -> String {
    let mut text = String::new();
    let mut nodes: Vec<Value> = Vec::new();
    for tree in runs {
        let spent = tree.spent_below();
        for node in tree.walk() {
            let below = spent.get(&node.id).copied().unwrap_or_default();
            if !filter.takes(node, &below) {
                continue;
            }
            if arguments.json {
                nodes.push(gsw_trace::json::one(tree, node, &below));
            } else if arguments.requests {
                text.push_str(&gsw_trace::requests_of(tree, node));
            } else {
                text.push_str(&gsw_trace::path_line(tree, node, &below));
                text.push('\n');
            }
        }
    }
    if arguments.json {
        format!("{:#}\n", json!({ "nodes": nodes }))
    } else {
        text
    }
}

fn diff(arguments: &Arguments, trace: &Trace, other: &Path) -> Exit {
    let other = match read(other) {
        Ok(other) => other,
        Err(exit) => return exit,
    };
    let mut differences = Vec::new();
    for (before, after) in trace.runs.iter().zip(&other.runs) {
        differences.push(gsw_trace::diff::diff(before, after));
    }
    if arguments.json {
        let all: Vec<_> = differences
            .iter()
            .map(gsw_trace::diff::Diff::json)
            .collect();
        return report::output_json(&format!("{:#}\n", json!({ "runs": all })));
    }
    if trace.runs.len() != other.runs.len() {
        let (ours, theirs) = (trace.runs.len(), other.runs.len());
        say(&format!(
            "note: one file has {ours} runs, the other {theirs}: they are compared in order"
        ));
    }
    let texts: Vec<_> = differences
        .iter()
        .map(gsw_trace::diff::Diff::text)
        .collect();
    report::output(&texts.join("\n"))
}

fn write_page(file: &Path, trace: &Trace, out: &Path) -> Exit {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let page = gsw_trace::page(&name, trace);
    if out.as_os_str() == "-" {
        return report::output(&page);
    }
    // It holds what the run has read and written.
    match replace(out, page.as_bytes(), Access::Private) {
        Ok(()) => {
            say(&format!("wrote {}", out.display()));
            Exit::Done
        }
        Err(error) => report::failure(&format!("{}: {error}", out.display())),
    }
}
