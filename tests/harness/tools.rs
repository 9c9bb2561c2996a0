//! The smaller commands: `gswc new`, `gswc schema`, `gswc check --signatures`, `gswc completions`.

use serde_json::Value;

use crate::program::{gswc, scratch, text};

#[test]
fn a_new_project_is_formatted_runs_and_passes_its_test() {
    let folder = scratch("new").join("letters");
    // A folder that an earlier run of this test left is in the way.
    let _ = std::fs::remove_dir_all(&folder);
    let said = gswc(&["new", text(&folder)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let main = folder.join("main.gsw");
    assert_eq!(gswc(&["fmt", "--check", text(&main)]).code, Some(0));
    assert_eq!(gswc(&["check", text(&main)]).err, "");
    let run = gswc(&["run", text(&main), "--model", "sim/default"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("\"topic\""), "{}", run.out);
    let tested = gswc(&["test", text(&main)]);
    assert!(
        tested.out.ends_with("1 passed, 0 failed\n"),
        "{}",
        tested.out
    );
    let again = gswc(&["new", text(&folder)]);
    assert_eq!(again.code, Some(1));
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("it was made");
    assert!(readme.starts_with("# letters\n"));
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
        assert!(said.out.contains("explain"), "{shell}");
    }
}
