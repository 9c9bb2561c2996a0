//! `gswc doc`: links lead somewhere, the search finds, nothing breaks out of its text, nothing comes from elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::{gswc, gswc_in, scratch, text};

const ENTRY: &str = r#"//! Letters & <b>numbers</b>.

import ./parts/lib.{Letter}

/// Text <script>alert("docs")</script> and [a link](javascript:alert(1)) and ![a picture](https://example.org/p.png).
/// Second line with `code <i>`.
@deprecated("use \"<other>\"")
fn old(letter: Letter, note: string = "<script>alert('default')</script>") -> string { "${letter.text}${note}" }

agent clerk { model: "sim/default" system: "<script>alert('system')</script>" }

/// Asks.
prompt ask(letter: Letter) -> Letter by clerk { user "${letter.text}" }

/// What can go wrong.
error Lost(
  /// Where it was seen last.
  place: string,
)

private fn hidden() -> int { 1 }

/// Answers letters.
workflow main(letters: [Letter], width: int = 4, and_a_long_name: string = "", another_long_name: string = "") -> [Letter] ! Lost | ModelError budget(usd: 0.5) {
  if hidden() == 2 { fail Lost(place: "here") }
  parallel for letter in letters limit width { step "</svg><script>alert(1)</script>" { ask(letter) } }
}

test "of nothing" { assert true }
"#;

const LIBRARY: &str = "/// A letter.
type Letter {
  /// As written.
  text: string
}

fn Letter.first(self) -> string? { self.text.words().first() }
";

/// A site with its pages by name.
struct Site {
    folder: PathBuf,
    pages: BTreeMap<String, String>,
}

/// The site of the project, made in a folder of the test's own.
fn site(test: &str) -> Site {
    let project = scratch("site").join(test);
    let folder = project.join("doc");
    let files = [
        ("gsw.toml", "name = \"letters\"\nversion = \"0.3.0\"\n"),
        ("main.gsw", ENTRY),
        ("parts/lib.gsw", LIBRARY),
    ];
    fs::create_dir_all(project.join("parts")).expect("the target folder can be written");
    for (name, text) in files {
        fs::write(project.join(name), text).expect("the target folder can be written");
    }
    let said = gswc_in(&project, &["doc"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "doc/index.html\n"),
        "{}",
        said.err
    );
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(&folder).expect("it was written") {
        let path = entry.expect("a folder can be listed").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        pages.insert(name, fs::read_to_string(path).expect("pages are text"));
    }
    Site { folder, pages }
}

/// The tags of a page with the text after each.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<')
        .skip(1)
        .filter_map(|it| it.split_once('>').map(|it| it.0))
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

fn ids(page: &str) -> Vec<&str> {
    tags(page).filter_map(|it| attribute(it, "id")).collect()
}

/// Whether an address leads to a page, and to a place on it, of the site.
fn leads(site: &Site, from: &str, address: &str) -> bool {
    let (page, place) = address.split_once('#').unwrap_or((address, ""));
    let page = if page.is_empty() { from } else { page };
    let target = site.pages.get(page);
    target.is_some_and(|it| place.is_empty() || ids(it).contains(&place))
}

#[test]
fn links_lead_somewhere_and_nothing_comes_from_elsewhere() {
    let site = site("links");
    let mut wrong = Vec::new();
    for (name, page) in site
        .pages
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
    {
        let ids = ids(page);
        let unique: BTreeSet<&&str> = ids.iter().collect();
        if unique.len() != ids.len() {
            wrong.push(format!("{name}: an id stands twice"));
        }
        for tag in tags(page) {
            for address in ["href", "src"].iter().filter_map(|it| attribute(tag, it)) {
                let is_of_manual = name.starts_with("manual.") || name == "codes.html";
                let is_of_docs = tag.starts_with("a ")
                    && (address == "https://example.org/p.png"
                        || is_of_manual && address.starts_with("https://"));
                if !is_of_docs && !leads(&site, name, address) {
                    wrong.push(format!("{name}: `{address}` leads nowhere"));
                }
            }
        }
        if !page.starts_with("<!doctype html>") || !page.contains("<html lang=\"en\">") {
            wrong.push(format!("{name}: no whole page"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_breaks_out_of_its_text() {
    let site = site("escaping");
    for (name, page) in &site.pages {
        if name.ends_with(".html") || name.ends_with(".svg") {
            let scripts: Vec<&str> = tags(page).filter(|it| it.starts_with("script")).collect();
            assert!(
                scripts.iter().all(|it| it.contains(" src=\"search")),
                "{name}: {scripts:?}"
            );
            let harmful = [
                "<b>numbers",
                "<i>",
                "=\"javascript:",
                "<img src=\"http",
                "onerror",
            ];
            let found: Vec<_> = harmful.iter().filter(|it| page.contains(**it)).collect();
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}

#[test]
fn a_page_says_what_its_module_declares() {
    let site = site("declarations");
    let page = &site.pages["module.main.html"];
    for part in [
        "<title>main · letters 0.3.0</title>",
        "<a href=\"module.parts.lib.html#type.Letter\">Letter</a>",
        "<span>Raises</span> <a href=\"module.main.html#error.Lost\"><code>Lost</code></a> <code>ModelError</code>",
        "<code>model</code>",
        "<span>Asked by</span> <a href=\"module.main.html#agent.clerk\">",
        "Deprecated: ",
        "<span>Within</span> <code>budget usd: 0.5</code>",
        "\n  width: int = 4,",
        "Where it was seen last.",
        "source.main.html#L",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    assert!(
        !page.contains("fn.hidden") && !page.contains("of nothing"),
        "{page}"
    );
    let library = &site.pages["module.std.list.html"];
    assert!(library.contains("id=\"fn.sort_by\"") && library.contains("In ascending order"));
    let lib = &site.pages["module.parts.lib.html"];
    assert!(lib.contains("id=\"fn.Letter.first\""), "{lib}");
}

#[test]
fn the_index_of_the_search_leads_to_what_it_names() {
    let site = site("index");
    let script = &site.pages["search-index.js"];
    let list = script
        .strip_prefix("var gswIndex = ")
        .and_then(|it| it.strip_suffix(";\n"));
    let rows: Vec<[String; 5]> =
        serde_json::from_str(list.expect("one assignment")).expect("a list");
    let wrong: Vec<_> = rows.iter().filter(|it| !leads(&site, "", &it[3])).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let find = |name: &str, kind: &str| rows.iter().find(|it| it[0] == name && it[1] == kind);
    assert!(find("main", "workflow").is_some() && find("std/list", "module").is_some());
    assert_eq!(
        find("Lost", "error").map(|it| it[4].as_str()),
        Some("What can go wrong.")
    );
    assert!(find("hidden", "fn").is_none());
    // The manual, words and codes are found as well.
    assert!(find("retry", "guide").is_some_and(|it| it[4].starts_with("A modifier")));
    assert!(find("unknown-name", "code").is_some() && find("BudgetExceeded", "guide").is_some());
    assert!(rows.iter().any(|it| it[0].starts_with("Modifiers: retry")));
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let folder = scratch("site").join("other");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    fs::write(folder.join("mine.txt"), "keep").expect("the target folder can be written");
    let said = gswc(&["doc", "examples/hello.gsw", "-o", text(&folder)]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("contains files other than documentation"),
        "{}",
        said.err
    );
}

#[test]
fn a_browser_opens_the_pages_from_the_folder_and_searches() {
    let Some(browser) = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .iter()
    .find(|it| Path::new(it).exists()) else {
        return eprintln!("there is no browser here: not looked at");
    };
    let site = site("browser");
    let profile = scratch("site").join(format!("profile-{}", std::process::id()));
    let page = format!("file://{}/index.html?search=letter", site.folder.display());
    let said = Command::new("timeout")
        .args([
            "120",
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=5000", "--dump-dom", &page])
        .output()
        .expect("`timeout` is part of every system");
    // What the browser leaves behind does no harm.
    let _ = fs::remove_dir_all(&profile);
    let dom = String::from_utf8_lossy(&said.stdout);
    assert!(
        dom.contains(
            "<a href=\"module.parts.lib.html#type.Letter\"><span class=\"name\">Letter</span>"
        ),
        "{dom}{}",
        String::from_utf8_lossy(&said.stderr)
    );
    assert!(
        dom.contains("id=\"found\" class=\"away\" aria-live=\"polite\">"),
        "{dom}"
    );
}

#[test]
fn the_manual_has_every_page_of_the_documentation() {
    // For contributors to Groundswell, and lists of pages.
    let left_out = ["reference/README", "reference/requirements"];
    let mut found = Vec::new();
    for folder in ["guide", "how-to", "reference"] {
        for path in crate::page::pages(&crate::program::root().join("docs").join(folder)) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            found.push(format!("{folder}/{stem}"));
        }
    }
    found.retain(|it| !left_out.contains(&it.as_str()));
    let mut listed: Vec<&str> = gsw_describe::MANUAL.iter().map(|it| it.path).collect();
    listed.sort_unstable();
    found.sort_unstable();
    assert_eq!(listed, found);
}

#[test]
fn a_program_with_errors_has_a_site() {
    let folder = scratch("site").join("broken");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    let file = folder.join("main.gsw");
    let source = "/// Counts.\nfn count(a: int, b: Nothing) -> int { zebra + }\n\nworkflow main() -> int { count(1 }\n";
    fs::write(&file, source).expect("the target folder can be written");
    let said = gswc(&["doc", text(&file), "-o", text(&folder.join("pages"))]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("unexpected-token"), "{said:?}");
    let page = fs::read_to_string(folder.join("pages/module.main.html")).expect("it was written");
    assert!(
        page.contains("id=\"fn.count\"") && page.contains("Counts."),
        "{page}"
    );
    let index = fs::read_to_string(folder.join("pages/index.html")).expect("it was written");
    assert!(index.contains("This program has errors"), "{index}");
}

#[test]
fn the_library_alone_has_a_site() {
    let folder = scratch("site").join("library");
    let said = gswc_in(&std::env::temp_dir(), &["doc", "-o", text(&folder)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let index = fs::read_to_string(folder.join("index.html")).expect("it was written");
    assert!(index.contains("The Groundswell library") && index.contains("module.std.fs.html"));
    let manifest = fs::read_to_string(folder.join("search-index.js")).expect("it was written");
    let rows = manifest
        .trim_start_matches("var gswIndex = ")
        .trim_end_matches(";\n");
    let rows: Value = serde_json::from_str(rows).expect("a list");
    assert!(rows.as_array().is_some_and(|it| it.len() > 200));
}
