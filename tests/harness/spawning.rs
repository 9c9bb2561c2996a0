//! Workflows that models ask for: what is granted, what is refused, and where it is all reported.

use std::fs;

use fake_provider::{Reply, Script};
use serde_json::{Value, json};

use crate::introspection::{answers, done, turn};
use crate::program::{Said, scratch, text};
use crate::wire::{program, run, with_provider};

const TOOL: &str = "request_spawn_workflow";

/// The output of a run, the results of its model's calls in each turn, and the events.
pub struct Played {
    pub said: Said,
    pub told: Vec<Vec<(bool, Value)>>,
    pub asked: Vec<Value>,
    pub events: Vec<Value>,
}

pub fn play(name: &str, source: &str, replies: Vec<Reply>) -> Played {
    let file = program(name, source);
    let events = scratch("spawning").join(format!("{name}.jsonl"));
    let words = ["--quiet", "--events", text(&events)];
    let (said, asked) = with_provider(Script { replies }, |url| run(&file, url, &words));
    let told = asked
        .iter()
        .filter(|it| it["messages"].as_array().is_some_and(|it| it.len() > 1));
    let told = told.map(|it| {
        let parsed = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        answers(it)
            .into_iter()
            .map(|(is_error, text)| (is_error, parsed(text)))
            .collect()
    });
    let told = told.collect();
    let events = fs::read_to_string(&events).expect("the events are written");
    let events = events
        .lines()
        .map(|it| serde_json::from_str(it).expect("events are JSON"));
    Played {
        said,
        told,
        asked,
        events: events.collect(),
    }
}

impl Played {
    pub fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|it| it["event"] == kind)
            .collect()
    }

    /// The verdicts that were reported, with their reasons.
    pub fn verdicts(&self) -> Vec<(String, String)> {
        let word = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let requests = self.of_kind("spawn_request");
        requests
            .iter()
            .map(|it| (word(&it["verdict"]), word(&it["reason"])))
            .collect()
    }
}

fn request(name: &str, input: Value) -> (&'static str, Value) {
    (
        TOOL,
        json!({ "name": name, "description": "because", "input": input }),
    )
}

/// The model makes these calls, then answers.
fn once(calls: &[(&str, Value)]) -> Vec<Reply> {
    vec![turn(calls), done()]
}

const PLANNER: &str = r#"
agent planner {
  model: "anthropic/claude-sonnet-5-5"   tools: [introspect.*]   spawns: [triage, broken, quiet]
}
prompt plan(text: string) -> string by planner { user "Plan ${text}." }
type Ticket { title: string, @secret pin: string }
/// Sorts a ticket.
workflow triage(title: string, urgency: int = 1) -> Ticket {
  step "sort" { Ticket { title: "${urgency}: ${title}", pin: "MARKER" } }
}
workflow broken() -> int { fail Failed("no luck") }
workflow quiet() { log.info("nothing") }
workflow other() -> int { 1 }
workflow main() -> string { step "ask" { plan("it") } }
"#;

#[test]
fn a_workflow_that_a_model_may_start_runs_under_its_prompt() {
    // G53, G55
    let played = play(
        "granted",
        PLANNER,
        once(&[request("triage", json!({ "title": "door" }))]),
    );
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    let (is_error, answer) = &played.told[0][0];
    assert!(!is_error, "{answer}");
    assert_eq!(
        answer["result"],
        json!({ "title": "1: door", "pin": "***" })
    );
    assert_eq!(
        (&answer["name"], &answer["left_out"]),
        (&json!("triage"), &json!(false))
    );
    let told = played.of_kind("spawn_request")[0];
    assert_eq!(
        (&told["workflow"], &told["description"], &told["verdict"]),
        (&json!("triage"), &json!("because"), &json!("granted"))
    );
    assert!(told.get("reason").is_none(), "{told}");
    let attached = played.of_kind("child_attached");
    let named = |name: &str| attached.iter().find(|it| it["name"] == name).copied();
    let (prompt, child) = (named("plan").expect("told"), named("triage").expect("told"));
    assert_eq!(child["kind"], "workflow");
    assert_eq!(child["parent"], prompt["node"], "directly under the prompt");
    assert_eq!(child["node"], answer["id"]);
    assert_eq!(named("sort").expect("told")["parent"], child["node"]);
    let end = played
        .of_kind("workflow_end")
        .into_iter()
        .find(|it| it["workflow"] == "triage");
    assert_eq!(end.expect("it ended")["status"], "completed");
    let starts = played.of_kind("workflow_start");
    assert_eq!(
        starts
            .iter()
            .filter(|it| it["workflow"] == "triage")
            .count(),
        1
    );
    assert!(
        !played
            .events
            .iter()
            .any(|it| it.to_string().contains("MARKER"))
    );
}

#[test]
fn a_model_learns_what_it_may_start_and_with_what() {
    // G53
    let played = play("told", PLANNER, vec![done()]);
    let tools = played.asked[0]["tools"]
        .as_array()
        .expect("tools are offered");
    assert_eq!(tools.len(), 6, "the six of them");
    let tool = tools
        .iter()
        .find(|it| it["name"] == TOOL)
        .expect("it is offered");
    let told = tool["description"].as_str().unwrap_or_default();
    assert!(
        told.contains("- `triage`: Sorts a ticket. Input: {"),
        "{told}"
    );
    assert!(
        told.contains("\"title\"") && told.contains("- `quiet` Input:"),
        "{told}"
    );
    assert!(!told.contains("`other`"), "{told}");
}

#[test]
fn what_is_not_allowed_or_does_not_fit_is_refused_with_code_and_path() {
    // G53, G54
    let calls = [
        request("other", json!({})),
        request("triage", json!({ "title": "door", "urgency": "high" })),
        request("triage", json!({})),
        request("triage", json!({ "title": "door", "colour": 1 })),
        request("triage", json!([1])),
    ];
    let played = play("refused_spawns", PLANNER, once(&calls));
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    let expected = [
        (
            "not_allowed",
            Value::Null,
            "`other` may not be started here; these may: `triage`, `broken`, `quiet`",
        ),
        ("unfit", json!("$.urgency"), "expected int, found \"high\""),
        (
            "unfit",
            json!("$.title"),
            "parameter `title` has no value: it is missing",
        ),
        ("unfit", json!("$.colour"), "there is no parameter `colour`"),
        (
            "unfit",
            json!("$"),
            "expected an object with the parameters of `triage`, found [1]",
        ),
    ];
    for ((is_error, told), (code, path, part)) in played.told[0].iter().zip(&expected) {
        assert!(is_error, "{told}");
        assert_eq!(told["kind"], "IntrospectionRefused");
        assert_eq!(
            (&told["code"], &told["path"]),
            (&json!(code), path),
            "{told}"
        );
        let message = told["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{part}: {message}");
    }
    let verdicts = played.verdicts();
    assert_eq!(verdicts.len(), expected.len());
    for ((verdict, reason), (code, _, part)) in verdicts.iter().zip(&expected) {
        assert_eq!(verdict, "refused");
        assert!(
            reason.starts_with(code) && reason.contains(part),
            "{reason}"
        );
    }
    let calls = played.of_kind("tool_call");
    assert!(
        calls.len() == 5 && calls.iter().all(|it| it["status"] == "failed"),
        "{calls:?}"
    );
}

#[test]
fn nothing_may_be_started_unless_it_is_listed() {
    // G53: the default is nothing
    let source = PLANNER.replace("spawns: [triage, broken, quiet]", "");
    let played = play(
        "unlisted",
        &source,
        once(&[request("triage", json!({ "title": "a" }))]),
    );
    let message = "`triage` may not be started here, nor may any other workflow";
    assert_eq!(played.told[0][0].1["message"], message);
    assert_eq!(
        played.verdicts(),
        [("refused".to_owned(), format!("not_allowed: {message}"))]
    );
}

#[test]
fn a_prompt_and_a_call_say_themselves_what_may_be_started() {
    // G22
    let of_call = PLANNER
        .replace("spawns: [triage, broken, quiet]", "spawns: [other]")
        .replace("plan(\"it\")", "plan(\"it\") with { spawns: [triage] }");
    let of_prompt = PLANNER
        .replace("spawns: [triage, broken, quiet]", "")
        .replace("Plan ${text}.\"", "Plan ${text}.\"   spawns: [triage]");
    for (name, source) in [("by_call", of_call), ("by_prompt", of_prompt)] {
        let calls = [
            request("triage", json!({ "title": "a" })),
            request("other", json!({})),
        ];
        let played = play(name, &source, once(&calls));
        let errors: Vec<bool> = played.told[0].iter().map(|it| it.0).collect();
        assert_eq!(errors, [false, true], "{name}: {:?}", played.told);
    }
}

#[test]
fn a_workflow_that_fails_is_an_error_of_the_tool() {
    // G53
    let calls = [request("broken", json!({})), request("quiet", json!("{}"))];
    let played = play("failing", PLANNER, once(&calls));
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    assert_eq!(played.told[0][0], (true, json!("no luck")));
    let (is_error, answer) = &played.told[0][1];
    assert!(!is_error && answer["result"].is_null(), "{answer}");
    let end = played
        .of_kind("workflow_end")
        .into_iter()
        .find(|it| it["workflow"] == "broken");
    assert_eq!(end.expect("it ended")["status"], "failed");
}

const SLEEPER: &str = r#"
agent planner { model: "anthropic/claude-sonnet-5-5"   tools: [introspect.*]   spawns: [wait] }
prompt plan() -> string by planner { user "Plan." }
workflow wait(n: int) -> int { sleep(20ms); n }
workflow main() -> string { plan() }
"#;

fn waits(count: usize) -> Vec<(&'static str, Value)> {
    (0..count)
        .map(|n| request("wait", json!({ "n": n })))
        .collect()
}

#[test]
fn five_are_under_way_at_a_time() {
    // G54
    let played = play("six", SLEEPER, once(&waits(7)));
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    for (at, (is_error, told)) in played.told[0].iter().enumerate() {
        assert_eq!(*is_error, at >= 5, "{told}");
        if at >= 5 {
            assert_eq!(told["code"], "too_many_at_once");
        } else {
            assert_eq!(told["result"], at);
        }
    }
    let granted = played
        .verdicts()
        .into_iter()
        .filter(|it| it.0 == "granted")
        .count();
    assert_eq!((granted, played.verdicts().len()), (5, 7));
}

#[test]
fn ten_are_started_by_one_prompt() {
    // G54
    let replies = vec![turn(&waits(5)), turn(&waits(5)), turn(&waits(1)), done()];
    let played = play("eleven", SLEEPER, replies);
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    let all: Vec<bool> = played.told.iter().flatten().map(|it| it.0).collect();
    assert_eq!(all, [vec![false; 10], vec![true]].concat());
    let (_, told) = &played.told[2][0];
    assert_eq!(told["code"], "too_many");
    assert_eq!(
        told["message"],
        "a prompt may start 10 workflows, and it has"
    );
    assert_eq!(
        played.verdicts().last().map(|it| it.0.as_str()),
        Some("refused")
    );
}

#[test]
fn eight_lie_in_each_other() {
    // G54
    let source = r#"
agent planner { model: "anthropic/claude-sonnet-5-5"   tools: [introspect.*]   spawns: [deeper] }
prompt plan(n: int) -> string by planner { user "Plan ${n}." }
workflow deeper(n: int) -> string { step "again" { plan(n + 1) } }
workflow main() -> string { plan(0) }
"#;
    let mut call = turn(&[request("deeper", json!({ "n": 1 }))]);
    call.times = 0;
    let answered = Reply {
        when: Some("tool_result".into()),
        ..done()
    };
    let played = play("deep", source, vec![answered, call]);
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    let verdicts = played.verdicts();
    assert_eq!(verdicts.len(), 9);
    assert!(
        verdicts[..8].iter().all(|it| it.0 == "granted"),
        "{verdicts:?}"
    );
    assert!(verdicts[8].1.starts_with("too_deep: "), "{verdicts:?}");
}

#[test]
fn a_region_is_not_tried_again_once_a_workflow_that_acts_was_started() {
    // G53: a request is `once` unless what it starts is known to be harmless
    let source = |body: &str| {
        format!(
            r#"
import std/http
agent planner {{ model: "anthropic/claude-sonnet-5-5"   tools: [introspect.*]   spawns: [act] }}
prompt plan() -> string by planner {{ user "Plan." }}
workflow act() -> int {{ {body} }}
workflow main() -> string {{
  state tries: int = 0
  step "ask" retry 2 backoff 1ms {{
    tries += 1
    plan()
    if tries < 3 {{ fail Failed("try ${{tries}}") }}
    "tries ${{tries}}"
  }}
}}
"#
        )
    };
    let mut call = turn(&[request("act", json!({}))]);
    call.times = 0;
    let answered = Reply {
        when: Some("tool_result".into()),
        ..done()
    };
    let replies = || vec![answered.clone(), call.clone()];
    let acting = "http.get(\"http://127.0.0.1:1/\").status catch { _ => 1 }";
    let played = play("acts", &source(acting), replies());
    assert!(played.said.err.contains("try 1"), "{:?}", played.said);
    let played = play("harmless", &source("40 + 2"), replies());
    assert_eq!(played.said.out, "\"tries 3\"\n", "{:?}", played.said);
}

#[test]
fn only_models_ask_for_workflows() {
    // G35, G56
    let asks = r#"introspect.request_spawn_workflow("triage", "why", { "title": "a" }).id"#;
    let source =
        |body: &str| PLANNER.replace("step \"ask\" { plan(\"it\") }", &format!("\"${{{body}}}\""));
    let played = play("by_program", &source(asks), Vec::new());
    assert!(
        played
            .said
            .err
            .contains("only a model may ask for a workflow"),
        "{:?}",
        played.said
    );
    let message = "not_allowed: only a model may ask for a workflow; a program calls it";
    assert_eq!(
        played.verdicts(),
        [("refused".to_owned(), message.to_owned())]
    );
    // Nor does the code of a workflow that a model has started: it is no model.
    let inside = PLANNER
        .replace("\"${urgency}: ${title}\"", "\"${REQUEST}\"")
        .replace("REQUEST", asks);
    let played = play(
        "by_started",
        &inside,
        once(&[request("triage", json!({ "title": "a" }))]),
    );
    let (is_error, told) = &played.told[0][0];
    assert!(*is_error, "{told}");
    assert_eq!(told["code"], "not_allowed");
    let verdicts: Vec<String> = played.verdicts().into_iter().map(|it| it.0).collect();
    assert_eq!(verdicts, ["granted", "refused"]);
}

/// Every call of a model is reported, also one that does not even begin.
#[test]
fn calls_that_cannot_begin_are_reported() {
    // G26
    let calls = [
        ("no_such_tool", json!({ "a": 1 })),
        (TOOL, json!({ "name": 3 })),
    ];
    let played = play("unbegun", PLANNER, once(&calls));
    let told = played.of_kind("tool_call");
    assert_eq!(told.len(), 2, "{told:?}");
    let unknown = told
        .iter()
        .find(|it| it["tool"] == "no_such_tool")
        .expect("it is told");
    assert_eq!(
        (&unknown["input"], &unknown["error"]),
        (
            &json!({ "a": 1 }),
            &json!("there is no tool `no_such_tool`")
        )
    );
    assert!(told.iter().all(|it| it["status"] == "failed"), "{told:?}");
}
