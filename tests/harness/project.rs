//! Projects: what `gsw.toml` says, on pages, and what commands do in a project.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::page::{Block, blocks, pages, remarks};
use crate::program::{Said, gswc, gswc_in, root, run, scratch, text, without_model};

/// A claim with its blocks: the word after the fence, and the text.
struct Section {
    claim: String,
    blocks: Vec<(String, String)>,
}

impl Section {
    fn block(&self, stage: &str) -> Option<&str> {
        let found = self.blocks.iter().find(|(name, _)| name == stage);
        found.map(|(_, text)| text.as_str())
    }
}

/// The parts of a page, each of which begins with its `gsw.toml`.
fn sections(page: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for Block { claim, stage, text } in blocks(page) {
        if stage == "toml" {
            found.push(Section {
                claim,
                blocks: Vec::new(),
            });
        }
        if let Some(section) = found.last_mut() {
            section.blocks.push((stage, text));
        }
    }
    found
}

/// A new folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch("project").join(name);
    // What an earlier run of the tests left is in the way.
    let _ = fs::remove_dir_all(&folder);
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it stands in the folder"))
            .and_then(|()| fs::write(&path, text))
            .expect("the target folder can be written");
    }
    folder
}

/// Compares what is reported about a project with the remarks in its files, both ways.
fn compare(place: &str, name: &str, section: &Section) -> Vec<String> {
    let program = "workflow main() -> int { 1 }\n";
    let mut files = vec![
        ("gsw.toml", section.block("toml").unwrap_or_default()),
        ("main.gsw", section.block("gsw").unwrap_or(program)),
        ("prices.toml", section.block("prices").unwrap_or_default()),
    ];
    let inside = section.block("inside");
    files.extend(inside.map(|it| ("folder.gsw/inside.txt", it)));
    let folder = folder(name, &files);
    let said = gswc(&["check", "--format", "json", text(&folder)]);
    let mut found: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("reports are JSON"))
        .filter(|it: &Value| it["severity"] == "error")
        .collect();
    let mut wrong = Vec::new();
    for (file, source) in files {
        let source = source.replace("# error: [", "// error: [");
        for (line, _, code, part) in remarks(&source) {
            let position = found.iter().position(|it| {
                it["file"].as_str().is_some_and(|it| it.ends_with(file))
                    && it["start"]["line"] == line
                    && it["code"] == code
                    && it["message"].as_str().is_some_and(|it| it.contains(part))
            });
            match position {
                Some(position) => {
                    found.remove(position);
                }
                None => wrong.push(format!(
                    "{place}: {file}:{line}: no [{code}] {part:?} in {found:#?}"
                )),
            }
        }
    }
    wrong.extend(
        found
            .iter()
            .map(|it| format!("{place}: not expected: {it}")),
    );
    wrong
}

#[test]
fn pages_of_projects_report_what_they_say() {
    let mut wrong = Vec::new();
    let codes = root().join("compiler/source/src/codes");
    let of_codes = ["invalid-toml", "unknown-key", "wrong-value"];
    let of_codes = of_codes.map(|it| codes.join(format!("{it}.md")));
    let guide = root().join("docs/reference/project.md");
    let all = pages(&root().join("tests/project")).into_iter();
    for page in all.chain(of_codes).chain([guide]) {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy();
        let content = fs::read_to_string(&page).expect("pages can be read");
        let sections = sections(&content);
        assert!(!sections.is_empty(), "{} has no project", page.display());
        for (index, section) in sections.iter().enumerate() {
            let place = format!("{stem}.md: {}", section.claim);
            wrong.extend(compare(&place, &format!("{stem}_{index}"), section));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const PROJECT: &str = "name = \"letters\"\nversion = \"1.2.0\"\nentry = \"src/start.gsw\"\n";
const START: &str = "import ./lib

workflow main(n: int = 1) -> int { lib.twice(n) }

workflow thrice(n: int) -> int { n * 3 }

test \"of the entry\" { assert main() == 2 }
";
const LIBRARY: &str =
    "fn twice(n: int) -> int { n * 2 }\n\ntest \"of the library\" { assert twice(2) == 4 }\n";

fn letters(name: &str) -> PathBuf {
    let files = [
        ("gsw.toml", PROJECT),
        ("src/start.gsw", START),
        ("src/lib.gsw", LIBRARY),
        (".hidden/broken.gsw", "fn"),
        ("other/gsw.toml", ""),
        ("other/broken.gsw", "fn"),
    ];
    folder(name, &files)
}

fn out(said: Said) -> String {
    assert_eq!(said.code, Some(0), "{}", said.err);
    said.out
}

/// A block in the entry module could only narrow what the project permits.
#[test]
fn what_a_project_does_not_permit_is_listed_in_its_file() {
    let toml = "[permissions]\nfs.write = [\"./data\"]\n";
    let writes = "workflow main(path: string = \"out.txt\") { fs.write(path, \"x\") }\n";
    let block = "permissions { fs.write: [\"./data/new\"] }\n";
    for (name, block, hint) in [
        ("granted", "", "list it in `[permissions]` of `gsw.toml`\n"),
        (
            "narrowed",
            block,
            "list it in `[permissions]` of `gsw.toml` and in the `permissions` block of the entry module\n",
        ),
    ] {
        let source = format!("import std/fs\n{block}{writes}");
        let folder = folder(name, &[("gsw.toml", toml), ("main.gsw", &source)]);
        let said = gswc_in(&folder, &["run"]);
        assert_eq!(said.code, Some(3), "{said:?}");
        assert!(said.err.contains(&format!("hint: {hint}")), "{said:?}");
    }
}

#[test]
fn commands_find_the_project_around_them() {
    let folder = letters("around");
    for place in [folder.clone(), folder.join("src")] {
        let gswc = |words: &[&str]| gswc_in(&place, words);
        assert_eq!(
            gswc(&["check"]),
            Said {
                out: String::new(),
                err: String::new(),
                code: Some(0)
            }
        );
        assert_eq!(out(gswc(&["run"])), "2\n");
        assert_eq!(out(gswc(&["run", "--", "--n", "4"])), "8\n");
        assert_eq!(out(gswc(&["run", "thrice", "--", "--n", "4"])), "12\n");
        assert_eq!(
            out(gswc(&["run", text(&folder), "thrice", "--", "--n", "1"])),
            "3\n"
        );
        let tested = out(gswc(&["test"]));
        // Files are named as they are reached from where the command runs.
        let sources = if place == folder { "src/" } else { "" };
        let expected = format!(
            "{sources}lib.gsw\nok    of the library\n{sources}start.gsw\nok    of the entry\n2 passed, 0 failed in "
        );
        assert!(tested.starts_with(&expected), "{tested}");
        assert!(out(gswc(&["schema", "thrice"])).contains("\"input\""));
        assert_eq!(out(gswc(&["fmt", "--check"])), "");
    }
}

#[test]
fn a_built_program_says_its_name_and_version() {
    let folder = letters("named");
    out(gswc_in(&folder, &["build"]));
    let built = folder.join("letters");
    let version = out(run(&built, &["--version"]));
    assert!(
        version.starts_with("letters 1.2.0 (Groundswell "),
        "{version}"
    );
    let manifest: Value = serde_json::from_str(&out(run(&built, &["manifest"]))).expect("JSON");
    assert_eq!(
        (&manifest["name"], &manifest["version"]),
        (&"letters".into(), &"1.2.0".into())
    );
    out(gswc_in(&folder, &["build", "src/lib.gsw"]));
    let version = out(run(&folder.join("lib"), &["--version"]));
    assert!(version.starts_with("lib 1.2.0 ("), "{version}");
}

#[test]
fn a_parameter_may_be_called_version() {
    let folder = folder(
        "version",
        &[(
            "main.gsw",
            "workflow main(version: string) -> string { version }\n",
        )],
    );
    let built = folder.join("main");
    out(gswc(&[
        "build",
        text(&folder.join("main.gsw")),
        "-o",
        text(&built),
    ]));
    assert_eq!(out(run(&built, &["--version", "3"])), "\"3\"\n");
    assert_eq!(run(&built, &["--version"]).code, Some(2));
}

#[test]
fn without_a_project_a_file_is_needed() {
    // Not beneath the repository, where a project of ours may one day be.
    let nowhere = std::env::temp_dir();
    let said = gswc_in(&nowhere, &["check"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.err
            .contains("there is no `gsw.toml` here or in a folder above"),
        "{}",
        said.err
    );
    let folder = folder("lost", &[("gsw.toml", "entry = \"start.gsw\"\n")]);
    let said = gswc_in(&folder, &["run"]);
    assert_eq!(said.code, Some(1));
    assert_eq!(
        said.err,
        "gswc: `start.gsw` does not exist, but `gsw.toml` names it as the project's entry\n"
    );
}

/// The events of a run in which every program names its own models.
fn events_of(folder: &Path, words: &[&str]) -> String {
    let events = folder.join("events.jsonl");
    let mut all = vec!["run", text(folder), "--", "--events", text(&events)];
    all.extend(words);
    out(without_model(&all));
    fs::read_to_string(&events).expect("they were written")
}

#[test]
fn short_names_and_defaults_of_models_hold() {
    let toml = "[models]\ndefault = \"usual\"\nusual = \"sim/usual\"\nfast = \"sim/fast\"\n";
    let agent = |settings: &str| {
        format!(
            "agent a {{ {settings} }}\nprompt p() -> int by a {{ user \"a number\" }}\nworkflow main() -> int {{ p() }}\n"
        )
    };
    let usual = folder("models", &[("gsw.toml", toml), ("main.gsw", &agent(""))]);
    assert!(events_of(&usual, &[]).contains("sim/usual"));
    assert!(events_of(&usual, &["--model", "fast"]).contains("sim/fast"));
    assert!(events_of(&usual, &["--model", "sim/other"]).contains("sim/other"));
    let fast = folder(
        "models_fast",
        &[("gsw.toml", toml), ("main.gsw", &agent("model: \"fast\""))],
    );
    assert!(events_of(&fast, &[]).contains("sim/fast"));
    let built = fast.join("built");
    out(gswc(&["build", text(&fast), "-o", text(&built)]));
    let manifest: Value = serde_json::from_str(&out(run(&built, &["manifest"]))).expect("JSON");
    assert_eq!(manifest["agents"][0]["models"][0], "sim/fast");
}

#[test]
fn settings_of_the_project_hold_where_nothing_else_is_said() {
    let toml = "[models]\ndefault = \"sim/x\"\nprices = \"prices.toml\"\n[models.settings]\nmax_turns = 7\nanswer = \"exact\"\n";
    let prices = "[\"sim/*\"]\ninput = 1_000_000\noutput = 0\n";
    let program = "agent a {}\nprompt p() -> int by a { user \"a number\" }\n
workflow main() -> bool { (p.detail().cost_usd ?? 0.0) >= 1.0 }\n";
    let files = [
        ("gsw.toml", toml),
        ("prices.toml", prices),
        ("main.gsw", program),
    ];
    let folder = folder("prices", &files);
    let said = without_model(&["run", text(&folder)]);
    assert_eq!(out(said), "true\n");
}

/// What the project permits holds while the program runs, too: where a link leads, no compiler can see.
#[cfg(unix)]
#[test]
fn the_permissions_of_a_project_bound_those_of_a_block_at_run_time() {
    let toml =
        "[permissions]\nfs.read = [\"./letters\"]\nfs.write = [\"./letters\"]\nenv = [\"HOME\"]\n";
    let program = r#"import std/fs
permissions { fs.read: ["./letters/in", "./letters/new"], fs.write: ["./letters/new"] }
workflow main(path: string) -> string { fs.read(path) }
workflow write(path: string) { fs.write(path, "x") }
"#;
    let files = [
        ("gsw.toml", toml),
        ("main.gsw", program),
        ("letters/in/a.txt", "inside"),
        ("outside/a.txt", "outside"),
    ];
    let folder = folder("ceiling", &files);
    let link = folder.join("letters/new");
    std::os::unix::fs::symlink("../outside", &link).expect("a link");
    let built = folder.join("built");
    out(gswc(&["build", text(&folder), "-o", text(&built)]));
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(&built);
        Said::from(
            command
                .args(words)
                .current_dir(&folder)
                .output()
                .expect("it starts"),
        )
    };
    assert_eq!(out(run(&["--path", "letters/in/a.txt"])), "\"inside\"\n");
    for words in [
        ["main", "--path", "letters/new/a.txt"],
        ["main", "--path", "outside/a.txt"],
        ["write", "--path", "letters/new/b.txt"],
    ] {
        let said = run(&words);
        assert_eq!(said.code, Some(3), "{words:?}: {said:?}");
        assert!(said.err.contains("PermissionDenied"), "{}", said.err);
    }
    assert!(!folder.join("outside/b.txt").exists());
}

/// `GSW_PRICES` is asked before the prices of the project, also by a built program.
#[test]
fn the_user_may_bring_a_table_of_prices() {
    let toml = "[models]\ndefault = \"sim/x\"\nprices = \"prices.toml\"\n";
    let program = "agent a {}\nprompt p() -> int by a { user \"a number\" }\n
workflow main() -> bool { (p.detail().cost_usd ?? 0.0) >= 1.0 }\n";
    let files = [
        ("gsw.toml", toml),
        ("prices.toml", "[\"sim/*\"]\ninput = 0\noutput = 0\n"),
        ("main.gsw", program),
        ("dear.json", r#"{"sim/x": {"input": 1000000, "output": 0}}"#),
        (
            "other.json",
            r#"{"openai/gpt-5": {"input": 1000000, "output": 0}}"#,
        ),
        ("wrong.json", r#"{"sim/x": {"input": 1}}"#),
    ];
    let folder = folder("user_prices", &files);
    let built = folder.join("built");
    out(gswc(&["build", text(&folder), "-o", text(&built)]));
    let run = |prices: &str| {
        let mut command = std::process::Command::new(&built);
        let command = command
            .env("GSW_PRICES", folder.join(prices))
            .env_remove("GSW_MODEL");
        Said::from(command.output().expect("it starts"))
    };
    assert_eq!(out(run("dear.json")), "true\n");
    assert_eq!(out(run("other.json")), "false\n");
    for (file, why) in [
        ("wrong.json", "`sim/x` lacks `output`"),
        ("no.json", "cannot be read"),
    ] {
        let said = run(file);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(
            said.err.contains("`GSW_PRICES`: `") && said.err.contains(why),
            "{}",
            said.err
        );
    }
}
