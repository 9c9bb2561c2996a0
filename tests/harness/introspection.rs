//! The tools with which a model looks at the run that it is part of, as a model uses them.

use fake_provider::{Answer, Body, Reply, Script};
use serde_json::{Value, json};

use crate::program::Said;
use crate::wire::{program, run, with_provider};

/// The model makes these calls at once, then answers.
fn calling(calls: &[(&str, Value)]) -> Script {
    let mut call = turn(calls);
    call.times = 0;
    let answered = Reply {
        when: Some("tool_result".into()),
        ..done()
    };
    Script {
        replies: vec![answered, call],
    }
}

/// The model answers, and does so for ever.
pub fn done() -> Reply {
    let text = "done".into();
    Reply {
        times: 0,
        ..Reply::of(Body::Answer(Answer { text }))
    }
}

/// The model makes these calls at once.
pub fn turn(calls: &[(&str, Value)]) -> Reply {
    let content: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, input))| {
            json!({ "type": "tool_use", "id": format!("t{at}"), "name": name, "input": input })
        })
        .collect();
    let call = json!({
        "stop_reason": "tool_use",
        "content": content,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    let message = serde_json::from_value(call).expect("it is a message of the script");
    Reply::of(Body::Anthropic(message))
}

/// What a request tells a model of its calls, in their order: whether it is an error, and the text.
pub fn answers(request: &Value) -> Vec<(bool, String)> {
    let messages = request["messages"].as_array().expect("messages are a list");
    let last = messages.last().expect("the results are the last message");
    let results = last["content"].as_array().expect("results are a list");
    results
        .iter()
        .map(|it| {
            let text = match &it["content"] {
                Value::String(text) => text.clone(),
                parts => parts[0]["text"].as_str().unwrap_or_default().to_owned(),
            };
            (it["is_error"] == true, text)
        })
        .collect()
}

fn ask(name: &str, source: &str, calls: &[(&str, Value)]) -> (Said, Vec<(bool, String)>) {
    let file = program(name, source);
    let (said, asked) = with_provider(calling(calls), |url| run(&file, url, &["--quiet"]));
    assert_eq!(asked.len(), 2, "{said:?}");
    (said, answers(&asked[1]))
}

const CURIOUS: &str = r#"
type Login { user: string, @secret pin: string }
agent curious { model: "anthropic/claude-sonnet-5-5"   tools: [introspect.*] }
prompt think(text: string) -> string by curious { user "Think about ${text}." }
workflow main() -> string {
  let login = step "log in" { Login { user: "ann", pin: "MARKER" } }
  step "count" { login.user.len() }
  let said = step "work" { step "look" { think("it") } }
  said
}
"#;

#[test]
fn a_model_sees_where_it_is_and_what_was_done() {
    // G48, G49, G50, G51, G55
    let (said, answers) = ask(
        "curious",
        CURIOUS,
        &[
            ("inspect_current_node", json!({})),
            ("read_ancestor_chain", json!({ "max_depth": 2 })),
            ("list_siblings_children", json!({ "type": "children" })),
            ("inspect_prior_outputs", json!({ "node_id": 2 })),
            ("inspect_prior_outputs", json!({})),
        ],
    );
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    let tree = |at: usize| -> Value {
        assert!(!answers[at].0, "{:?}", answers[at]);
        serde_json::from_str(&answers[at].1).expect("answers are JSON")
    };
    let here = tree(0);
    assert_eq!(
        (&here["name"], &here["kind"]),
        (&json!("think"), &json!("prompt"))
    );
    assert_eq!(
        (&here["parent_name"], &here["depth"]),
        (&json!("look"), &json!(3))
    );
    assert_eq!(here["status"], "running");
    let chain = tree(1);
    assert_eq!(chain["ancestors"][0]["name"], "look");
    assert_eq!(chain["ancestors"][1]["name"], "work");
    assert_eq!(
        (
            chain["ancestors"].as_array().map(Vec::len),
            &chain["total_depth"]
        ),
        (Some(2), &json!(3))
    );
    assert_eq!(tree(2)["total"], 5, "the calls themselves");
    assert_eq!(tree(3)[0]["output"], json!({ "user": "ann", "pin": "***" }));
    assert_eq!(tree(4)[0]["name"], "log in");
    assert!(
        answers.iter().all(|it| !it.1.contains("MARKER")),
        "{answers:?}"
    );
}

#[test]
fn a_model_asks_whether_an_answer_is_in_the_cache() {
    // G52
    let key = "0".repeat(64);
    let call = ("inspect_cache_status", json!({ "prompt_hash": key }));
    let (_, answers) = ask("cached", CURIOUS, &[call]);
    let told: Value = serde_json::from_str(&answers[0].1).expect("answers are JSON");
    assert_eq!(told, json!({ "key": key, "exists": false }));
}

#[test]
fn five_questions_of_an_agent_are_answered_at_a_time() {
    // G54
    let one = ("inspect_current_node", json!({}));
    let calls = vec![one; 7];
    let (said, answers) = ask("seven", CURIOUS, &calls);
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    let refused = json!({
        "kind": "IntrospectionRefused",
        "code": "too_many_at_once",
        "message": "at most 5 questions are answered at a time",
        "path": null,
    });
    for (at, (is_error, text)) in answers.iter().enumerate() {
        assert_eq!(*is_error, at >= 5, "{text}");
        let told: Value = serde_json::from_str(text).expect("answers are JSON");
        assert!(!is_error || told == refused, "{text}");
    }
}

#[test]
fn what_is_too_much_or_unheard_of_is_refused_and_the_model_goes_on() {
    // G50, G54
    let (said, answers) = ask(
        "refused",
        CURIOUS,
        &[
            ("read_ancestor_chain", json!({ "max_depth": 21 })),
            ("list_siblings_children", json!({ "type": "cousins" })),
            ("inspect_prior_outputs", json!({ "count": 101 })),
            ("inspect_prior_outputs", json!({ "node_id": 99 })),
            ("inspect_cache_status", json!({ "prompt_hash": "short" })),
        ],
    );
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    let parts = [
        "max_depth is 0 to 20, not 21",
        "cousins",
        "count is 1 to 100, not 101",
        "there is no node 99",
        "a key is 64 hex digits",
    ];
    for ((is_error, text), part) in answers.iter().zip(parts) {
        assert!(*is_error && text.contains(part), "{part}: {text}");
    }
    let first: Value = serde_json::from_str(&answers[0].1).expect("refusals are JSON");
    assert_eq!(
        (&first["kind"], &first["code"]),
        (&json!("IntrospectionRefused"), &json!("too_many"))
    );
}

#[test]
fn what_a_call_gives_is_offered_too() {
    // G22, G25
    let call = ("inspect_current_node", json!({}));
    let on_call = CURIOUS.replace("   tools: [introspect.*]", "").replace(
        "think(\"it\")",
        "think(\"it\") with { tools: [introspect.*] }",
    );
    let on_prompt = CURIOUS.replace("   tools: [introspect.*]", "").replace(
        "Think about ${text}.\"",
        "Think about ${text}.\"   tools: [introspect.*]",
    );
    for (name, source) in [("of_call", on_call), ("of_prompt", on_prompt)] {
        let (said, answers) = ask(name, &source, std::slice::from_ref(&call));
        assert_eq!(said.out, "\"done\"\n", "{said:?}");
        assert!(
            !answers[0].0 && answers[0].1.contains("\"think\""),
            "{answers:?}"
        );
    }
}

/// What lies beyond the ten thousand nodes of an answer is found all the same, and at once.
#[test]
fn a_model_finds_itself_in_a_large_and_deep_tree() {
    // G54
    let source = CURIOUS.replace(
        "step \"count\" { login.user.len() }",
        "for i in 0..12_000 { step \"n\" { } }",
    );
    let source = source.replace("step \"look\" { think(\"it\") }", "deep(3_000)");
    let deep = "fn deep(n: int) -> string { if n == 0 { think(\"it\") } else { step \"d\" { deep(n - 1) } } }";
    let source = format!("{source}\n{deep}");
    let began = std::time::Instant::now();
    let (said, answers) = ask(
        "large",
        &source,
        &[
            ("inspect_current_node", json!({})),
            ("read_ancestor_chain", json!({})),
            ("list_siblings_children", json!({ "type": "children" })),
            (
                "list_siblings_children",
                json!({ "type": "siblings", "page": 99 }),
            ),
            ("inspect_prior_outputs", json!({ "count": 100 })),
        ],
    );
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    let tree = |at: usize| -> Value {
        assert!(!answers[at].0, "{:?}", answers[at]);
        serde_json::from_str(&answers[at].1).expect("answers are JSON")
    };
    assert_eq!(
        (&tree(0)["name"], &tree(0)["depth"]),
        (&json!("think"), &json!(3_002))
    );
    assert_eq!(tree(1)["ancestors"].as_array().map(Vec::len), Some(20));
    assert_eq!(tree(1)["total_depth"], 3_002);
    assert_eq!(tree(2)["total"], 5);
    assert_eq!(tree(3), json!({ "nodes": [], "total": 0, "page": 99 }));
    assert!(
        began.elapsed().as_secs() < 25,
        "{:?} for five questions",
        began.elapsed()
    );
}

#[test]
fn only_what_is_listed_is_offered() {
    // G25
    let source = CURIOUS.replace("[introspect.*]", "[introspect.inspect_current_node]");
    let file = program("listed", &source);
    let script = calling(&[("inspect_current_node", json!({}))]);
    let (_, asked) = with_provider(script, |url| run(&file, url, &["--quiet"]));
    let tools = asked[0]["tools"].as_array().expect("tools are offered");
    let names: Vec<&Value> = tools.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["inspect_current_node"]);
}
