//! Which files of one crate need each other: what lies in a large cycle can be read, changed and moved only as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::program::root;
use crate::tidy;

/// The most files that may need each other.
const MOST: usize = 6;

/// The place of a file among the modules of its crate: the names from the root down.
pub type Module = Vec<String>;

/// The paths in a source that begin at its crate or relative to its module, groups written out.
fn paths(source: &str) -> Vec<Vec<String>> {
    let code: String = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            // Within `super::super::` the first one begins the path.
            if !before.is_some_and(|it| is_name(it) || it == ':') {
                expand(&mut code[at..].chars().peekable(), &[], &mut found);
            }
        }
    }
    found
}

/// Reads one path, or each path of a group, up to what does not belong to it.
fn expand(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    prefix: &[String],
    found: &mut Vec<Vec<String>>,
) {
    let mut path = prefix.to_vec();
    loop {
        let mut name = String::new();
        while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
            name.push(c);
        }
        path.push(name);
        let is_deeper = rest.next_if_eq(&':').is_some() && rest.next_if_eq(&':').is_some();
        if !is_deeper {
            break;
        }
        if rest.next_if_eq(&'{').is_some() {
            group(rest, &path, found);
            return;
        }
    }
    found.push(path);
}

/// Reads the paths of a group after its opening brace.
fn group(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    prefix: &[String],
    found: &mut Vec<Vec<String>>,
) {
    while let Some(&c) = rest.peek() {
        if c == '}' {
            rest.next();
            return;
        }
        if c.is_alphabetic() || c == '_' {
            expand(rest, prefix, found);
            // What follows up to the comma is a new name.
            while rest.next_if(|c| !matches!(c, ',' | '}')).is_some() {}
        } else {
            rest.next();
        }
    }
}

/// The module that a path of `from` leads into, if that is a file of its own.
fn target(from: &Module, path: &[String], modules: &BTreeMap<Module, PathBuf>) -> Option<Module> {
    let mut whole = match path[0].as_str() {
        "crate" => Module::new(),
        _ => from.clone(),
    };
    for name in path {
        match name.as_str() {
            "crate" | "self" => {}
            "super" => drop(whole.pop()),
            _ => whole.push(name.clone()),
        }
    }
    while !whole.is_empty() && !modules.contains_key(&whole) {
        whole.pop();
    }
    (!whole.is_empty()).then_some(whole)
}

/// What each file of a crate needs of the others. A module and what lies in it are one thing, and need each other.
pub fn needs(folder: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut modules = BTreeMap::new();
    for path in tidy::files_in(&folder.join("src"), ".rs") {
        let inside = path.strip_prefix(folder.join("src")).unwrap_or(&path);
        let module = inside.with_extension("");
        let names: Module = module
            .iter()
            .map(|it| it.to_string_lossy().into_owned())
            .collect();
        let is_root = matches!(names.as_slice(), [only] if only == "lib" || only == "main");
        if !is_root && !names.iter().any(|it| it == "tests") {
            modules.insert(names, path);
        }
    }
    let mut needs = BTreeMap::new();
    for (module, path) in &modules {
        let source = std::fs::read_to_string(path).expect("the file was listed");
        let found = paths(&source);
        let targets = found.iter().filter_map(|it| target(module, it, &modules));
        let others = targets.filter(|it| !it.starts_with(module) && !module.starts_with(it));
        needs.insert(module.clone(), others.collect::<BTreeSet<_>>());
    }
    needs
}

/// The largest set of files that all need each other, if only by way of others.
fn largest(needs: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let reach = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for next in needs.get(module).into_iter().flatten() {
                if reached.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<_, _> = needs.keys().map(|it| (it, reach(it))).collect();
    let cycle_of = |module: &Module| -> BTreeSet<Module> {
        let others = reached[module].iter();
        let back = others.filter(|it| reached.get(it).is_some_and(|it| it.contains(module)));
        back.cloned().collect()
    };
    let cycles = needs.keys().map(cycle_of);
    cycles.max_by_key(BTreeSet::len).unwrap_or_default()
}

#[test]
fn files_need_each_other_only_in_small_cycles() {
    let mut wrong = Vec::new();
    for manifest in tidy::files_in(&root(), "Cargo.toml") {
        let folder = manifest.parent().expect("a file has a folder");
        let name = folder.strip_prefix(root()).unwrap_or(folder);
        let cycle = largest(&needs(folder));
        if cycle.len() > MOST {
            let files: Vec<_> = cycle.iter().map(|it| it.join("/")).collect();
            wrong.push(format!(
                "{}: {} files, at most {MOST}: {}",
                name.display(),
                files.len(),
                files.join(", ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_are_found_in_groups_and_outside_of_comments() {
    let source = "use crate::a::{self, b::C as D, e};\n// crate::no\nfn f() { super::super::g() }";
    let found = paths(source);
    let found: Vec<_> = found.iter().map(|it| it.join("::")).collect();
    let expected = [
        "crate::a::self",
        "crate::a::b::C",
        "crate::a::e",
        "super::super::g",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_cycle_is_found_through_others() {
    let module = |it: &str| vec![it.to_owned()];
    let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "d")];
    let mut needs: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, to) in edges {
        needs.entry(module(from)).or_default().insert(module(to));
    }
    let cycle: Vec<_> = largest(&needs).into_iter().flatten().collect();
    assert_eq!(cycle, ["a", "b", "c"]);
}
