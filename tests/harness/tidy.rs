//! What the repository looks like: who depends on whom, who owns which engine, files that are one thing, pages without dead paths.

mod booleans;
mod edges;

use std::path::{Path, PathBuf};

use gsw_source::Code;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::program::root;
use edges::EDGES;

/// Which folder alone may name an engine in its dependencies.
const OWNERS: &[(&str, &[&str])] = &[
    ("rusqlite", &["runtime/agents", "runtime/journal"]),
    ("chumsky", &["compiler/syntax"]),
    ("toml", &["compiler/project"]),
    ("ariadne", &["compiler/source"]),
    ("cranelift-codegen", &["compiler/codegen"]),
    ("cranelift-frontend", &["compiler/codegen"]),
    ("tower-lsp", &["lsp/server"]),
    ("pulldown-cmark", &["compiler/describe"]),
    ("reqwest", &["runtime/agents"]),
    ("lru", &["runtime/agents"]),
    (
        "sha2",
        &["runtime/agents", "runtime/abi", "runtime/journal"],
    ),
];

/// Names that do not say what a file is.
const BANNED: &[&str] = &[
    "utils", "util", "helpers", "common", "misc", "base", "core", "types2", "mod",
];

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !matches!(name.as_str(), "target" | "node_modules") {
                files(&path, ending, found);
            }
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

/// The files of a folder, and of those in it, whose names end so.
pub fn files_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(folder, ending, &mut found);
    found.sort();
    found
}

fn all(ending: &str) -> Vec<PathBuf> {
    files_in(&root(), ending)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a package is built from, on any platform: its dependencies and those of its build script, each by its own name where the
/// manifest gives it another.
fn dependencies(manifest: &str) -> Vec<String> {
    let manifest = DeTable::parse(manifest).expect("Cargo reads it");
    let manifest = manifest.get_ref();
    let platforms = manifest.get("target").and_then(table);
    let platforms = platforms
        .into_iter()
        .flat_map(|it| it.values().filter_map(table));
    let mut names = Vec::new();
    for tables in std::iter::once(manifest).chain(platforms) {
        for key in ["dependencies", "build-dependencies"] {
            for (name, what) in tables.get(key).and_then(table).into_iter().flatten() {
                let package = table(what).and_then(|it| it.get("package")?.get_ref().as_str());
                names.push(package.unwrap_or(name.get_ref()).to_owned());
            }
        }
    }
    names
}

fn table<'a, 'b>(value: &'a Spanned<DeValue<'b>>) -> Option<&'a DeTable<'b>> {
    value.get_ref().as_table()
}

#[test]
fn dependencies_are_found_wherever_a_manifest_has_them() {
    let manifest = "[dependencies]\na.workspace = true\nb = { version = \"1\", package = \"c\" }\n\
         [dependencies.d]\npath = \"d\"\n[build-dependencies]\ne = \"1\"\n\
         [target.'cfg(unix)'.dependencies]\nf = \"1\"\n[dev-dependencies]\ng = \"1\"\n";
    assert_eq!(dependencies(manifest), ["a", "c", "d", "e", "f"]);
}

fn package_name(manifest: &str) -> &str {
    manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = "))
        .unwrap_or_default()
        .trim_matches('"')
}

#[test]
fn crates_know_only_the_layers_below() {
    let mut wrong = Vec::new();
    for path in all("Cargo.toml") {
        let manifest = read(&path);
        let name = package_name(&manifest);
        // Our own crates are below these folders; `gswc` may know them all.
        let is_ours = ["std", "compiler", "runtime", "lsp", "host"]
            .iter()
            .any(|it| path.starts_with(root().join(it)));
        if !is_ours || name == "gswc" {
            continue;
        }
        let Some((_, allowed)) = EDGES.iter().find(|(it, _)| *it == name) else {
            wrong.push(format!("{name} has no row in `EDGES`"));
            continue;
        };
        for dependency in dependencies(&manifest) {
            if dependency.starts_with("gsw") && !allowed.contains(&dependency.as_str()) {
                wrong.push(format!("{name} may not know {dependency}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_host_carries_no_compiler_unless_it_asks_for_it() {
    let manifest = read(&root().join("host/groundswell/Cargo.toml"));
    let line = manifest
        .lines()
        .find(|it| it.starts_with("groundswell-build = "));
    assert!(line.is_some_and(|it| it.contains("optional = true")));
    assert!(
        !manifest.contains("default ="),
        "no feature is on by itself"
    );
}

#[test]
fn every_engine_has_one_owner() {
    let mut wrong = Vec::new();
    for path in all("Cargo.toml") {
        let manifest = read(&path);
        let folder = path
            .parent()
            .unwrap_or(&path)
            .strip_prefix(root())
            .unwrap_or(&path)
            .to_path_buf();
        for dependency in dependencies(&manifest) {
            if let Some((_, owners)) = OWNERS.iter().find(|(it, _)| *it == dependency)
                && !owners.iter().any(|owner| folder == Path::new(owner))
            {
                wrong.push(format!("{} may not use {dependency}", folder.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_say_their_job_and_are_one_thing() {
    let mut wrong = Vec::new();
    for path in all(".rs") {
        let text = read(&path);
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !text.starts_with("//! ") {
            wrong.push(format!("{} does not open with `//!`", path.display()));
        }
        if text.lines().count() > 600 {
            wrong.push(format!("{} is longer than 600 lines", path.display()));
        }
        if BANNED.contains(&stem.as_str()) {
            wrong.push(format!("{} is not named after one thing", path.display()));
        }
        for (index, line) in text.lines().enumerate() {
            let unwanted = ["use super::*", "#[ignore", "#[should_panic"];
            if unwanted.iter().any(|it| line.contains(it)) && !path.ends_with("tidy.rs") {
                wrong.push(format!("{}:{}: {line}", path.display(), index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A match over one of our enums names every variant, so that rustc lists what a new one must join.
#[test]
fn every_crate_warns_of_wildcards_over_enums() {
    let areas = ["std", "compiler", "runtime", "lsp", "host"];
    let roots: Vec<_> = areas
        .iter()
        .flat_map(|area| files_in(&root().join(area), "lib.rs"))
        .filter(|it| it.ends_with("src/lib.rs"))
        .collect();
    assert!(roots.len() > 20, "{roots:?}");
    let lacks = |path: &&PathBuf| {
        let text = read(path);
        let warned = text.split("#![warn(").skip(1);
        let mut warned = warned.filter_map(|it| it.split_once(")]"));
        !warned.any(|it| it.0.contains("clippy::wildcard_enum_match_arm"))
    };
    let lacking: Vec<_> = roots.iter().filter(lacks).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
}

/// Crates say `test = false` and `doctest = false`, so that Cargo builds nothing in vain: then nothing may be there.
#[test]
fn no_test_is_where_cargo_does_not_look() {
    let mut wrong = Vec::new();
    for manifest in all("Cargo.toml") {
        let folder = manifest.parent().expect("a file is in a folder");
        for section in read(&manifest).split("\n[") {
            let said = |key: &str| {
                let line = section.lines().find_map(|it| it.strip_prefix(key));
                line.map(|it| it.trim_matches('"').to_owned())
            };
            let looked_at = match said("path = ") {
                Some(path) if section.starts_with("[bin") => vec![folder.join(path)],
                _ if section.starts_with("lib]") => files_in(&folder.join("src"), ".rs"),
                _ => continue,
            };
            let (has_no_tests, has_no_examples) = (
                said("test = ") == Some("false".into()),
                said("doctest = ") == Some("false".into()),
            );
            for file in looked_at {
                let text = read(&file);
                if (has_no_tests && has_tests(&text)) || (has_no_examples && has_examples(&text)) {
                    wrong.push(file);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn has_tests(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim);
    lines.any(|it| it == "#[test]" || it == "#[tokio::test]")
}

/// Whether docs hold a block of Rust, as one without a word is.
fn has_examples(source: &str) -> bool {
    let docs = source.lines().filter_map(|it| {
        let it = it.trim();
        it.strip_prefix("///").or(it.strip_prefix("//!"))
    });
    let fences = docs.filter_map(|it| it.trim().strip_prefix("```"));
    // Every second one closes.
    let mut opening = fences.step_by(2);
    opening.any(|it| it.is_empty() || it.starts_with("rust") || it.starts_with("no_run"))
}

/// The text of a page without its blocks of code.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The paths between back-quotes, from the root or from `folder`, that lead nowhere.
fn dead_paths(page: &str, folder: &Path) -> Vec<String> {
    let prose = prose(page);
    let quoted = prose.split('`').skip(1).step_by(2);
    let is_dead = |quoted: &&str| {
        let is_path = quoted.contains('/')
            && !quoted.starts_with(['.', '/'])
            && quoted
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c));
        let first = quoted.split('/').next().unwrap_or_default();
        let exists = |it: &str| root().join(it).exists() || folder.join(it).exists();
        // `std/fs` is how a program names the module.
        is_path && exists(first) && !exists(quoted) && !exists(&format!("{quoted}.gsw"))
    };
    quoted.filter(is_dead).map(str::to_owned).collect()
}

#[test]
fn paths_in_maps_exist() {
    let mut wrong = Vec::new();
    for path in all(".md") {
        let is_map = path
            .file_name()
            .is_some_and(|it| it == "README.md" || it == "CONTRIBUTING.md");
        // Decisions describe what was, and name it.
        let is_page = path.starts_with(root().join("docs")) && !path.ends_with("decisions.md");
        if is_map || is_page {
            let folder = path.parent().unwrap_or(&path);
            for dead in dead_paths(&read(&path), folder) {
                wrong.push(format!("{}: `{dead}` does not exist", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_dead_path_is_found_in_prose_alone() {
    let page =
        "See `tests/harness` and `tests/nowhere`.\n```\n`tests/neither`\n```\nUse `std/fs`, `a/b`.";
    assert_eq!(dead_paths(page, &root()), ["tests/nowhere"]);
}

/// The folders of our crates below `area`, by their names.
fn crates_in(area: &str) -> Vec<String> {
    let manifests = files_in(&root().join(area), "Cargo.toml");
    let folder = |it: &PathBuf| Some(it.parent()?.file_name()?.to_string_lossy().into_owned());
    manifests.iter().filter_map(folder).collect()
}

/// The first cells of a README's table of crates.
fn rows(page: &str) -> Vec<String> {
    let table = page
        .lines()
        .skip_while(|it| !it.starts_with("| crate |"))
        .skip(2);
    table
        .map_while(|it| Some(it.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect()
}

#[test]
fn maps_list_every_crate_and_no_other() {
    let mut wrong = Vec::new();
    for area in ["compiler", "runtime"] {
        let rows = rows(&read(&root().join(area).join("README.md")));
        let crates = crates_in(area);
        let missing = crates.iter().filter(|it| !rows.contains(it));
        wrong.extend(missing.map(|it| format!("{area}/README.md has no row for `{it}`")));
        let gone = rows.iter().filter(|it| !crates.contains(it));
        wrong.extend(gone.map(|it| format!("{area}/README.md has a row for `{it}`")));
    }
    let architecture = read(&root().join("docs/architecture.md"));
    for area in ["compiler", "runtime", "lsp", "host"] {
        for name in crates_in(area) {
            if !architecture.contains(&format!("`{area}/{name}`")) {
                wrong.push(format!(
                    "docs/architecture.md does not name `{area}/{name}`"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in all(".md") {
        let folder = path.parent().unwrap_or(&path);
        for link in read(&path).split("](").skip(1) {
            let target = link.split([')', '#', ' ']).next().unwrap_or_default();
            let is_path = target.ends_with(".md") || target.ends_with(".svg");
            if is_path && !target.contains("://") && !folder.join(target).exists() {
                wrong.push(format!("{}: `{target}` does not exist", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The ids of a page's headings, as web pages of repositories make them.
fn ids(page: &str) -> Vec<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|it| it.starts_with('#'));
    let id = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter_map(|it| match it {
            ' ' => Some('-'),
            it => (it.is_alphanumeric() || "-_".contains(it)).then_some(it),
        });
        kept.collect::<String>()
    };
    headings.map(id).collect()
}

#[test]
fn links_to_places_of_pages_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in all(".md") {
        let folder = path.parent().unwrap_or(&path);
        for link in prose(&read(&path)).split("](").skip(1) {
            let link = link.split([')', ' ']).next().unwrap_or_default();
            let Some((target, place)) = link.split_once('#') else {
                continue;
            };
            let page = match target {
                "" => path.clone(),
                target if target.ends_with(".md") && !target.contains("://") => folder.join(target),
                _ => continue,
            };
            let page = std::fs::read_to_string(&page).unwrap_or_default();
            if !ids(&page).iter().any(|it| it == place) {
                wrong.push(format!("{}: `{link}` names no heading", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codes_of_warnings_can_be_set_in_a_project() {
    let mut wrong = Vec::new();
    for path in all(".rs") {
        let text: String = read(&path).split_whitespace().collect();
        for call in text.split("Diagnostic::warning(Code::").skip(1) {
            let constant = call.split([',', ')']).next().unwrap_or_default();
            let name = constant.to_lowercase().replace('_', "-");
            if !Code::LINTS.iter().any(|it| it.name() == name) && !path.ends_with("tidy.rs") {
                wrong.push(format!(
                    "`{name}` of {} is not in `Code::LINTS`",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn todos_have_a_number() {
    let is_bare = |line: &str| line.contains("TODO") && !line.contains("TODO(#");
    let files = all(".rs").into_iter();
    let wrong: Vec<_> = files
        .filter(|path| !path.ends_with("tidy.rs") && read(path).lines().any(is_bare))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
