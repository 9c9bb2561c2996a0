//! Keys that no field takes: in the arguments of a model, in those of a client, and in the answer of a person each would leave
//! a field at its default, so that something else is done than was meant.

use std::path::Path;

use fake_provider::{Body, Completion, Reply, Script};
use serde_json::json;

use crate::killed::Kept;
use crate::mcp_misused::Piped;
use crate::mcp_served::call;
use crate::program::{GSWC, run_with_input, text};
use crate::wire::{program, run, with_provider};

const JOBS: &str = r#"import std/introspect
type Job { name: string, retries: int = 3, dry_run: bool = false }
enum Wish { Any, Of(job: Job) }
agent clerk { model: "openai/gpt-5" tools: [run_job] }
tool run_job(job: Job, wishes: [Wish] = [], times: int = 1) -> string once { "done ${job.dry_run}" }
prompt ask_model() -> string by clerk { user "Run it." }
human ask() -> Job timeout 1h { user "Which?" }
agent planner { model: "openai/gpt-5" tools: [introspect.*] spawns: [client] }
prompt plan() -> string by planner { user "Plan it." }
workflow main() -> string { ask_model() }
workflow planned() -> string { plan() }
workflow person() -> Job { ask() }
workflow client(job: Job, times: int = 1) -> string { "done ${job.dry_run}" }
"#;

#[test]
fn a_model_is_told_of_each() {
    let calls = |arguments: &[serde_json::Value]| {
        let call = |(at, it): (usize, &serde_json::Value)| json!({ "id": format!("c{at}"), "function": { "name": "run_job", "arguments": it.to_string() } });
        Reply::of(Body::Openai(Completion {
            tool_calls: arguments.iter().enumerate().map(call).collect(),
            finish_reason: "tool_calls".into(),
            ..Completion::default()
        }))
    };
    let wrong = calls(&[
        json!({ "job": { "name": "x", "dryRun": true } }),
        json!({ "job": { "name": 1, "dry": true }, "wishes": [{ "kind": "Of", "job": { "name": "y", "no": 1 } }], "times": "two" }),
        json!({ "job": { "name": "x", "dry_run": true }, "wishes": ["Any"] }),
    ]);
    let file = program("surplus", JOBS);
    let script = Script::in_turn(vec![wrong, Reply::text("ran")]);
    let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let messages = asked[1]["messages"].as_array().expect("a conversation");
    let told: Vec<&str> = messages
        .iter()
        .filter(|it| it["role"] == "tool")
        .filter_map(|it| it["content"].as_str())
        .collect();
    assert_eq!(
        told,
        [
            "Error: job.dryRun: expected no such key, found `dryRun`",
            "Error: job.dry: expected no such key, found `dry`\n\
             wishes[0].job.no: expected no such key, found `no`\n\
             job.name: expected string, found 1\n\
             times: expected int, found \"two\"",
            "done true",
        ]
    );
}

#[test]
fn a_person_is_asked_again() {
    let file = program("surplus_person", JOBS);
    let lines = "{\"name\":\"x\",\"dryRun\":true}\n{\"name\":\"x\",\"dry_run\":true}\n";
    let said = run_with_input(Path::new(GSWC), &["run", text(&file), "person"], lines);
    assert_eq!(
        said.out, "{\"name\":\"x\",\"retries\":3,\"dry_run\":true}\n",
        "{said:?}"
    );
    let why = "! ask: at $.dryRun: expected no such key, found `dryRun`";
    assert!(said.err.contains(why), "{}", said.err);
}

#[test]
fn a_client_is_told_of_each() {
    let kept = Kept::new("surplus_client", JOBS);
    let mut piped = Piped::start(&kept);
    let arguments = json!({ "job": { "name": "x", "dryRun": true }, "times": 2 });
    piped.say(call(1, "client", &arguments).to_string().as_bytes());
    let heard = piped.hear();
    assert_eq!(heard["result"]["isError"], true, "{heard:#}");
    let told = heard["result"]["content"][0]["text"].to_string();
    assert!(
        told.contains("expected no such key, found `dryRun`"),
        "{told}"
    );
    let arguments = json!({ "job": { "name": "x", "dry_run": true } });
    piped.say(call(2, "client", &arguments).to_string().as_bytes());
    let heard = piped.hear();
    assert_eq!(
        heard["result"]["content"][0]["text"], "done true",
        "{heard:#}"
    );
}

#[test]
fn a_model_that_starts_a_workflow_is_told_of_each() {
    let input = json!({ "job": { "name": "x", "dryRun": true } });
    let arguments = json!({ "name": "client", "description": "a job", "input": input });
    let arguments = arguments.to_string();
    let call = json!({ "id": "c", "function": { "name": "request_spawn_workflow", "arguments": arguments } });
    let wrong = Reply::of(Body::Openai(Completion {
        tool_calls: vec![call],
        finish_reason: "tool_calls".into(),
        ..Completion::default()
    }));
    let file = program("surplus_planned", JOBS);
    let script = Script::in_turn(vec![wrong, Reply::text("refused")]);
    let (said, asked) = with_provider(script, |url| run(&file, url, &["planned"]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let told = asked[1]["messages"].to_string();
    assert!(
        told.contains("unfit") && told.contains("no such key, found `dryRun`"),
        "{told}"
    );
}

/// Data may hold more than a program wants.
#[test]
fn who_runs_a_program_is_told_what_is_passed_over() {
    let file = program("surplus_run", JOBS);
    let job = r#"{"name":"x","dryRun":true,"more":[]}"#;
    let words = ["run", text(&file), "client", "--", "--job", job];
    let said = run_with_input(Path::new(GSWC), &words, "");
    assert_eq!(said.out, "\"done false\"\n", "{said:?}");
    let warning =
        "warning: the input, job.dryRun: no field takes `dryRun`, so it is ignored (and 1 more)";
    assert!(said.err.contains(warning), "{}", said.err);
}
