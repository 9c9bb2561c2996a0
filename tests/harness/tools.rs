//! The smaller commands: `gswc new`, `gswc schema`, `gswc check --signatures`, `gswc completions`.

use serde_json::Value;

use crate::literate::compare_reports;
use crate::page::{cases, write_project};
use crate::program::{gswc, gswc_in, scratch, text, without_model};

#[test]
fn a_new_project_is_formatted_runs_and_passes_its_test() {
    let folder = scratch("new").join("My letters");
    // A folder that an earlier run of this test left is in the way.
    let _ = std::fs::remove_dir_all(&folder);
    let said = gswc(&["new", text(&folder)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(
        gswc(&["fmt", "--check", text(&folder.join("main.gsw"))]).code,
        Some(0)
    );
    let gswc_here = |words: &[&str]| gswc_in(&folder, words);
    assert_eq!(gswc_here(&["check"]).err, "");
    // Without a key and without a word about models: the project names the simulator.
    let run = without_model(&["run", text(&folder), "--", "--message", "Thanks!"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("\"topic\""), "{}", run.out);
    let tested = gswc_here(&["test"]);
    assert!(
        tested.out.contains("\n1 passed, 0 failed in "),
        "{}",
        tested.out
    );
    assert_eq!(gswc_here(&["build"]).code, Some(0));
    let ignored = std::fs::read_to_string(folder.join(".gitignore")).expect("it was made");
    assert!(ignored.contains("\n/my-letters\n"), "{ignored}");
    assert!(folder.join("my-letters").is_file());
    let again = gswc(&["new", text(&folder)]);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("is a project already"), "{again:?}");
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("it was made");
    assert_eq!(readme.lines().count(), 5);
    assert!(readme.starts_with("# my-letters\n"));
    let said = std::fs::read_to_string(folder.join("gsw.toml")).expect("it was made");
    assert!(said.starts_with("name = \"my-letters\"\n"), "{said}");
    // What stands for any name stays as it is.
    let agents = std::fs::read_to_string(folder.join("AGENTS.md")).expect("it was made");
    for command in ["`gswc describe NAME`", "`gswc explain NAME`"] {
        assert!(agents.contains(command), "{agents}");
    }
}

#[test]
fn a_folder_becomes_a_project_and_keeps_its_files() {
    let folder = scratch("init").join("some-letters");
    // Of an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    std::fs::write(folder.join("README.md"), "mine").expect("the target folder can be written");
    let said = gswc_in(&folder, &["init"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("`README.md` already exists"), "{said:?}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it was made");
    assert_eq!(read("README.md"), "mine");
    assert!(read("gsw.toml").starts_with("name = \"some-letters\"\n"));
    assert_eq!(gswc_in(&folder, &["test"]).code, Some(0));
    let again = gswc_in(&folder, &["new", "."]);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("is a project already"), "{again:?}");
    std::fs::create_dir_all(folder.join("plain")).expect("the target folder can be written");
    for (words, code, part) in [
        (["new", "plain"], 1, "exists already; `gswc init plain`"),
        (
            ["new", "README.md"],
            1,
            "`README.md` is a file, not a folder",
        ),
        (
            ["init", "README.md"],
            1,
            "`README.md` is a file, not a folder",
        ),
        (["new", "a\nb"], 2, "control characters"),
    ] {
        let said = gswc_in(&folder, &words);
        assert_eq!(said.code, Some(code), "{words:?}: {said:?}");
        assert!(said.err.contains(part), "{words:?}: {said:?}");
    }
    let nowhere = gswc_in(&folder, &["init", "nowhere"]);
    assert_eq!(nowhere.code, Some(1));
}

#[test]
fn what_agents_are_taught_in_a_new_project_compiles_and_holds() {
    let page = include_str!("../../compiler/cli/src/commands/new/AGENTS.md");
    let cases = cases(page);
    assert!(!cases.is_empty());
    for (index, case) in cases.iter().enumerate() {
        let file = write_project("agents", "AGENTS", index, case);
        let wrong = compare_reports("AGENTS.md", &case.source, &file);
        assert!(wrong.is_empty(), "{wrong:?}");
        let said = gswc(&["test", text(&file)]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let said = gswc(&["fmt", "--check", text(&file)]);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

#[test]
fn the_schema_of_a_type_and_of_a_workflow() {
    let of = |name: &str| -> Value {
        let said = gswc(&["schema", "examples/review.gsw", name]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        serde_json::from_str(&said.out).expect("a schema is JSON")
    };
    let bug = of("Bug");
    assert_eq!(bug["properties"]["confidence"]["maximum"], 1.0);
    assert_eq!(
        bug["properties"]["title"]["description"],
        "One line, imperative mood."
    );
    let main = of("main");
    assert_eq!(main["input"]["required"], serde_json::json!(["dir"]));
    assert_eq!(main["output"]["properties"]["bugs"]["type"], "array");
    let unknown = gswc(&["schema", "examples/review.gsw", "Nothing"]);
    assert_eq!(unknown.code, Some(2));
    let all = gswc(&["schema", "examples/review.gsw"]);
    let all: Value = serde_json::from_str(&all.out).expect("it is JSON");
    assert_eq!(all["types"]["Bug"], bug);
    assert_eq!(all["workflows"]["main"], main);
}

#[test]
fn signatures_show_what_was_inferred() {
    let said = gswc(&["check", "--signatures", "examples/triage.gsw"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(
        lines.contains(&"fn is_escalation(action: Action) -> bool"),
        "{lines:#?}"
    );
    let reply = "prompt reply(message: string, ticket: Ticket) -> string ! ModelError uses model";
    assert!(lines.contains(&reply), "{lines:#?}");
}

#[test]
fn shells_learn_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let said = gswc(&["completions", shell]);
        assert_eq!(said.code, Some(0));
        for word in ["explain", "graph", "unknown-name", "junit"] {
            assert!(said.out.contains(word), "{shell} does not know {word}");
        }
        let script = scratch("completions").join(shell);
        std::fs::write(&script, &said.out).expect("the target folder can be written");
        // A shell that is not here cannot read it.
        if let Ok(read) = std::process::Command::new(shell)
            .arg("-n")
            .arg(&script)
            .output()
        {
            assert!(
                read.status.success(),
                "{shell}: {}",
                String::from_utf8_lossy(&read.stderr)
            );
        }
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = scratch("man");
    let said = gswc(&["man", text(&folder)]);
    assert_eq!((said.code, &*said.err), (Some(0), ""));
    let page = std::fs::read_to_string(folder.join("gswc-build.1")).expect("it is written");
    for part in [".TH gswc-build 1", "\\-\\-launcher", "gswc build"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let said = gswc(&["man", "/dev/null/nowhere"]);
    assert_eq!(said.code, Some(1), "{said:?}");
}

#[test]
fn help_of_every_command_has_examples_and_exit_codes() {
    let help = gswc(&["--help"]);
    let commands = help.out.split("Commands:").nth(1).unwrap_or_default();
    let commands = commands.split("\n\n").next().unwrap_or_default();
    let names = commands
        .lines()
        // Further lines of a description are indented deeper.
        .filter(|it| !it.starts_with("   "))
        .filter_map(|it| it.split_whitespace().next());
    let mut count = 0;
    for name in names.filter(|it| *it != "help") {
        count += 1;
        let said = gswc(&[name, "--help"]);
        assert_eq!(said.code, Some(0), "{name}");
        assert!(said.out.contains("Exit codes:"), "{name}: {}", said.out);
        assert!(said.out.contains("Examples:\n"), "{name}: {}", said.out);
        let widest = said.out.lines().map(|it| it.chars().count()).max();
        assert!(
            widest <= Some(170),
            "{name} has a line of {widest:?} characters"
        );
    }
    assert!(count >= 12, "{commands}");
    assert!(help.out.contains("Start here:"));
}
