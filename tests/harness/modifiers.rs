//! Modifiers around calls to models: budgets, reflection, what is not repeated; against the scripted provider.

use fake_provider::{Answer, Body, Reply, Script};
use serde_json::{Value, json};

use crate::program::Said;
use crate::wire::{program, run, when, with_provider};

/// Runs a program whose models answer by a script.
fn ask(name: &str, source: &str, script: Script) -> (Said, Vec<Value>) {
    let file = program(name, source);
    with_provider(script, |url| run(&file, url, &["--quiet"]))
}

fn text(text: &str) -> Reply {
    Reply::of(Body::Answer(Answer { text: text.into() }))
}

fn message(tree: Value) -> fake_provider::Message {
    serde_json::from_value(tree).expect("it is a message of the script")
}

fn always(answer: &str) -> Script {
    Script::always(text(answer))
}

const REVIEW: &str = r#"
agent writer { model: "anthropic/claude-sonnet-5-5" system: "You write." }
prompt draft(topic: string) -> string by writer { user "Write about ${topic}." }
workflow main() -> string {
  step "write" reflect 2 {
    let text = draft("dogs")
    if text == "bad" { fail Failed("nobody likes ${text}") }
    text
  }
}
"#;

#[test]
fn a_failed_step_is_judged_by_the_model_that_it_asked() {
    let judgement = json!({
        "should_retry": true, "reason": "it was dull", "guidance": "Be less dull.", "revised": { "topic": "cats" },
    });
    let script = Script::in_turn(vec![
        text("bad"),
        Reply::of(Body::Answer(Answer { text: judgement })),
        text("good"),
    ]);
    let (said, asked) = ask("judged", REVIEW, script);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "\"good\"\n"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 3);
    let judge = asked[1].to_string();
    for part in [
        "claude-sonnet-5-5",
        "Failed: nobody likes bad",
        "main > write",
        "at most 2",
        // None before it.
        r"<history>\n[]\n</history>",
    ] {
        assert!(judge.contains(part), "{part} is missing in {judge}");
    }
    assert!(!asked[0]["system"].to_string().contains("dull"));
    assert!(
        asked[2]["system"].to_string().contains("Be less dull."),
        "{}",
        asked[2]
    );
    assert!(
        asked[2]["messages"].to_string().contains("cats"),
        "{}",
        asked[2]
    );
}

#[test]
fn a_judge_that_cannot_be_asked_leaves_the_error_as_it_was() {
    let script = Script::in_turn(vec![text("bad"), text("I would rather not judge.")]);
    let (said, asked) = ask("unjudged", REVIEW, script);
    assert_eq!((said.code, asked.len()), (Some(1), 2), "{said:?}");
    assert!(
        said.err.contains("Failed: nobody likes bad"),
        "{}",
        said.err
    );
}

#[test]
fn a_judge_that_is_against_it_ends_it() {
    let judgement = json!({ "should_retry": false, "reason": "", "guidance": "", "revised": {} });
    let script = Script::in_turn(vec![
        text("bad"),
        Reply::of(Body::Answer(Answer { text: judgement })),
    ]);
    let (said, asked) = ask("against", REVIEW, script);
    assert_eq!((said.code, asked.len()), (Some(1), 2), "{said:?}");
    assert!(said.err.contains("nobody likes bad"), "{}", said.err);
}

fn budgeted(budget: &str, body: &str) -> String {
    format!(
        r#"
agent writer {{ model: "anthropic/claude-sonnet-5-5" max_tokens: 100 }}
agent stranger {{ model: "anthropic/unheard-of" max_tokens: 100 }}
prompt draft(n: int) -> string by writer {{ user "Write ${{n}}." }}
workflow child(n: int) -> string {{ draft(n) }}
workflow main() -> [string] {{
  budget({budget}) {{ {body} }}
}}
"#
    )
}

#[test]
fn a_budget_of_calls_holds_over_tasks_iterations_and_workflows() {
    let body = "let a = spawn child(1)\n let b = child(2)\n [await a, b] + parallel for n in 3..9 { draft(n) }";
    let (said, asked) = ask("calls", &budgeted("calls: 5", body), always("x"));
    assert!(
        said.err
            .contains("BudgetExceeded: the budget is used up: calls: 5 of 5 used, 1 more asked"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 5);
}

#[test]
fn an_outer_budget_holds_inside_an_inner_one() {
    let body = "budget(calls: 9) { [draft(1), budget(calls: 9) { draft(2) }, draft(3)] }";
    let (said, asked) = ask("nested_budgets", &budgeted("calls: 2", body), always("x"));
    assert!(said.err.contains("calls: 2 of 2 used"), "{said:?}");
    assert_eq!(asked.len(), 2);
}

#[test]
fn a_budget_of_tokens_knows_the_worst_case_before_the_call() {
    // A hundred tokens of answer alone are more than there are.
    let (said, asked) = ask("tokens", &budgeted("tokens: 90", "[draft(1)]"), always("x"));
    assert!(
        said.err.contains("tokens: 0 of 90 used, up to 1"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 0);
}

#[test]
fn a_budget_of_dollars_knows_prices() {
    // A hundred tokens at ten dollars a million are 0.001, and the request is some more.
    let (said, asked) = ask("usd", &budgeted("usd: 0.001", "[draft(1)]"), always("x"));
    assert!(
        said.err.contains("usd: 0 of 0.001 used, up to 0.0"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 0);
    let (said, asked) = ask(
        "usd_enough",
        &budgeted("usd: 0.01", "[draft(1), draft(2)]"),
        always("x"),
    );
    assert_eq!((said.code, asked.len()), (Some(0), 2), "{said:?}");
}

#[test]
fn a_budget_of_dollars_refuses_models_without_a_price() {
    let body = r#"[draft(1) by stranger]"#;
    let (said, asked) = ask("no_price", &budgeted("usd: 100.0", body), always("x"));
    assert!(
        said.err
            .contains("usd: the price of `anthropic/unheard-of` is not known"),
        "{said:?}"
    );
    // A higher budget would be used up as well.
    assert!(
        said.err
            .contains("hint: more dollars do not help: limit `calls` or `tokens`"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 0);
    let (said, asked) = ask("no_price_needed", &budgeted("calls: 1", body), always("x"));
    assert_eq!((said.code, asked.len()), (Some(0), 1), "{said:?}");
}

#[test]
fn what_calls_on_their_way_may_cost_is_set_aside() {
    // Two worst cases do not fit at once, but every real cost does: the calls wait for each other.
    let body = "parallel for n in 0..6 { draft(n) }";
    let (said, asked) = ask("set_aside", &budgeted("tokens: 250", body), always("x"));
    assert_eq!((said.code, asked.len()), (Some(0), 6), "{said:?}");
}

#[test]
fn a_budget_that_an_answer_overdraws_raises_after_it() {
    let usage = json!({ "input_tokens": 5, "output_tokens": 900 });
    let body = json!({
        "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "x" }], "usage": usage,
    });
    let script = Script::always(Reply::of(Body::Anthropic(message(body))));
    let (said, asked) = ask("overdrawn", &budgeted("tokens: 250", "[draft(1)]"), script);
    assert!(said.err.contains("tokens: 905 of 250 used"), "{said:?}");
    assert_eq!(asked.len(), 1);
}

const PAYS: &str = r#"
import std/fs
tool pay(id: string) -> string once { "paid ${id}" }
tool look(id: string) -> string reads { "seen ${id}" }
agent payer { model: "anthropic/claude-sonnet-5-5" tools: [pay, look] }
prompt settle(id: string) -> string by payer { user "Settle ${id}." }
workflow main() -> string {
  step "pay" MODIFIER {
    let text = settle("a")
    fail Failed("after ${text}")
    text
  }
}
"#;

/// The model calls a tool, then answers, again and again.
fn calls(tool: &str) -> Script {
    let call = json!({
        "stop_reason": "tool_use",
        "content": [{ "type": "tool_use", "id": "t1", "name": tool, "input": { "id": "a" } }],
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    let answered = Reply {
        when: Some("tool_result".into()),
        times: 0,
        ..text("done")
    };
    Script {
        replies: vec![
            answered,
            Reply {
                times: 0,
                ..Reply::of(Body::Anthropic(message(call)))
            },
        ],
    }
}

#[test]
fn what_a_model_does_once_is_not_done_again_by_a_retry_or_reflection() {
    for modifier in [
        "retry 3 backoff 1ms",
        "reflect 3",
        "retry 2 backoff 1ms reflect 2",
    ] {
        let source = PAYS.replace("MODIFIER", modifier);
        let (said, asked) = ask("pays_once", &source, calls("pay"));
        assert!(said.err.contains("Failed: after done"), "{said:?}");
        assert_eq!(asked.len(), 2, "{modifier}");
    }
}

#[test]
fn what_a_model_only_looks_at_may_be_looked_at_again() {
    let source = PAYS.replace("MODIFIER", "retry 1 backoff 1ms");
    let (said, asked) = ask("looks_again", &source, calls("look"));
    assert!(said.err.contains("Failed: after done"), "{said:?}");
    assert_eq!(asked.len(), 4);
}

/// G22: the call wins over the prompt, the prompt over the agent.
#[test]
fn reflection_of_answers_is_as_the_nearest_setting_says() {
    let source = r#"
agent counter { model: "anthropic/claude-sonnet-5-5" reflect: 3 }
prompt by_agent() -> int by counter { user "Count." }
prompt by_prompt() -> int by counter { user "Count." reflect: 1 }
workflow main() -> [string] {
  let agent = "${by_agent()}" catch { InvalidResponse(_) => "agent" }
  let prompt = "${by_prompt()}" catch { InvalidResponse(_) => "prompt" }
  let call = "${by_prompt() with { reflect: 0 }}" catch { InvalidResponse(_) => "call" }
  [agent, prompt, call]
}
"#;
    let (said, asked) = ask("precedence", source, always("many"));
    assert_eq!(said.out, "[\"agent\",\"prompt\",\"call\"]\n", "{said:?}");
    assert_eq!(asked.len(), 4 + 2 + 1);
}

#[test]
fn the_wait_that_a_provider_asks_for_is_waited_for_by_a_retry() {
    let limited = Reply {
        status: 429,
        headers: std::iter::once(("retry-after".to_owned(), json!("121"))).collect(),
        ..Reply::of(Body::Json(
            json!({ "error": { "type": "rate_limit_error", "message": "slow down" } }),
        ))
    };
    let source = r#"
agent writer { model: "anthropic/claude-sonnet-5-5" retry: 0 }
prompt draft() -> string by writer { user "Write." }
workflow main() -> string { timeout 1s { step "s" retry 3 backoff 1ms { draft() } } }
"#;
    let (said, asked) = ask("retry_after", source, Script::always(limited));
    assert!(said.err.contains("Timeout: timed out after 1s"), "{said:?}");
    assert_eq!(asked.len(), 1);
}

#[test]
fn a_prompt_that_is_asked_twice_for_nothing_is_asked_by_nobody() {
    let script = Script {
        replies: vec![when("Write", "x".into())],
    };
    let (said, asked) = ask("no_calls", &budgeted("calls: 0", "[draft(1)]"), script);
    assert!(
        said.err.contains("calls: 0 of 0 used, 1 more asked"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 0);
}

#[test]
fn a_critic_improves_an_answer_in_the_same_talk() {
    let source = r#"
type Text { title: string, body: string where it.len() > 3 }
agent writer { model: "anthropic/claude-sonnet-5-5" system: "You write." }
agent critic { model: "anthropic/claude-opus-5-5" system: "You criticise." }
prompt draft(topic: string) -> Text by writer { user "Write about ${topic}." }
workflow main() -> string {
  let text = reflect draft("dogs") with { max_tokens: 77 } max 4 until (it => it.body == "best") by critic
  text.body
}
"#;
    let answer = |body: &str| {
        Reply::of(Body::Answer(Answer {
            text: json!({ "title": "Dogs", "body": body }),
        }))
    };
    let script = Script::in_turn(vec![answer("good"), answer("better"), answer("best")]);
    let (said, asked) = ask("critic", source, script);
    assert_eq!(said.out, "\"best\"\n", "{said:?}");
    let models: Vec<_> = asked
        .iter()
        .map(|it| it["model"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        models,
        ["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5-5"]
    );
    assert!(
        asked.iter().all(|it| it["max_tokens"] == 77),
        "{}",
        asked[1]
    );
    let messages = asked[2]["messages"].as_array().cloned().unwrap_or_default();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[1].to_string().contains("better"), "{messages:?}");
    assert!(
        messages[2].to_string().contains("strict critic"),
        "{messages:?}"
    );
    assert!(
        asked[1]["system"].to_string().contains("You criticise."),
        "{}",
        asked[1]
    );
}

#[test]
fn a_process_stays_until_its_detached_runs_have_ended() {
    let source = r#"
import std/fs
workflow later(path: string, n: int) -> int {
  sleep(50ms)
  fs.write(path, "written ${n}")
  if n > 1 { fail Failed("late ${n}") }
  n
}
workflow main(path: string) -> bool {
  let first = spawn detached later("${path}/first", 1)
  let second = spawn detached later("${path}/second", 2)
  first != second and not fs.exists("${path}/first")
}
"#;
    let folder = crate::program::scratch("detached");
    for name in ["first", "second"] {
        // What is not there need not be removed.
        let _ = std::fs::remove_file(folder.join(name));
    }
    let file = program("detached", source);
    let words = [
        "run",
        crate::program::text(&file),
        "--",
        "--quiet",
        "--path",
        crate::program::text(&folder),
    ];
    let said = crate::program::gswc(&words);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "true\n"),
        "{said:?}"
    );
    for (name, text) in [("first", "written 1"), ("second", "written 2")] {
        assert_eq!(
            std::fs::read_to_string(folder.join(name)).ok().as_deref(),
            Some(text),
            "{said:?}"
        );
    }
    assert!(
        said.err.contains("of `later`: error: Failed: late 2"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("late 1"), "{}", said.err);
}

#[test]
fn a_budget_among_the_settings_bounds_each_call() {
    let source = r#"
agent writer { model: "anthropic/claude-sonnet-5-5" reflect: 5 budget: { calls: 2 } }
prompt count(n: int) -> int by writer { user "Count ${n}." }
workflow main() -> [string] {
  let first = "${count(1)}" catch { e => e.message() }
  let second = "${count(2) with { budget: { calls: 3, time: 1h } }}" catch { e => e.message() }
  let third = "${count(3) with { budget: { time: 300ms } }}" catch { e => e.message() }
  [first, second, third]
}
"#;
    let late = Reply {
        when: Some("Count 3".into()),
        times: 0,
        delay_ms: 5_000,
        ..text("3")
    };
    let wrong = Reply {
        times: 0,
        ..text("many")
    };
    let script = Script {
        replies: vec![late, wrong],
    };
    let (said, asked) = ask("own_budget", source, script);
    let messages: Vec<String> = serde_json::from_str(&said.out).unwrap_or_default();
    assert_eq!(messages.len(), 3, "{said:?}");
    assert!(messages[0].contains("calls: 2 of 2 used"), "{messages:?}");
    assert!(messages[1].contains("calls: 3 of 3 used"), "{messages:?}");
    assert!(
        messages[2].contains("time: 300ms of 300ms used"),
        "{messages:?}"
    );
    assert_eq!(asked.len(), 2 + 3 + 1);
}
