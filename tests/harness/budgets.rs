//! Budgets where the provider is of no help: it does not say what an answer cost, it fails, or many calls wait.

use fake_provider::{Body, Completion, Message, Reply, Script};
use serde_json::{Value, json};

use crate::wire::{program, run, with_provider};

/// Asks ten times under a budget and says how many answers there were.
const TEN: &str = r#"
agent writer { model: "MODEL" max_tokens: 100 SETTINGS }
prompt draft(number: int) -> string by writer { user "Draft." }
workflow main() -> int {
  var answers = 0
  budget(LIMITS) {
    for it in 0..10 { draft(it); answers += 1 }
  } catch { BudgetExceeded(_) => {} }
  answers
}
"#;

/// How many answers came, and how many requests were made.
fn ten(name: &str, (model, limits): (&str, &str), settings: &str, reply: Reply) -> (String, usize) {
    let source = TEN
        .replace("MODEL", model)
        .replace("LIMITS", limits)
        .replace("SETTINGS", settings);
    let file = program(name, &source);
    let (said, asked) = with_provider(Script::always(reply), |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{said:?}");
    (said.out.trim().to_owned(), asked.len())
}

fn claude(usage: Value) -> Reply {
    Reply::of(Body::Anthropic(Message {
        usage,
        ..Message::of_text("x")
    }))
}

#[test]
fn an_answer_without_usage_costs_the_worst_case() {
    // A request is some fifty tokens, so the worst case of a call is about a hundred and fifty.
    let limits = "tokens: 500";
    let anthropic = ("anthropic/claude-sonnet-5-5", limits);
    let (answers, asked) = ten("no_usage", anthropic, "", claude(json!({})));
    assert!(
        (2..=4).contains(&asked) && answers == asked.to_string(),
        "{answers} {asked}"
    );
    let silent = Reply::of(Body::Openai(Completion {
        usage: Value::Null,
        ..Completion::of_text("x")
    }));
    let (answers, asked) = ten("no_usage_openai", ("openai/gpt-5", limits), "", silent);
    assert!(
        (2..=4).contains(&asked) && answers == asked.to_string(),
        "{answers} {asked}"
    );
    // Reported figures are taken as they are; figures that no counter holds are ignored.
    let honest = claude(json!({ "input_tokens": 10, "output_tokens": 5 }));
    assert_eq!(ten("usage", anthropic, "", honest).1, 10);
    let wild = claude(json!({
        "input_tokens": u64::MAX, "output_tokens": 1, "cache_read_input_tokens": 1
    }));
    let (answers, asked) = ten("wild_usage", anthropic, "", wild);
    assert!(
        (2..=4).contains(&asked) && answers == asked.to_string(),
        "{answers} {asked}"
    );
}

#[test]
fn a_schema_that_is_refused_and_described_is_two_of_the_calls() {
    let refused = || {
        Reply::error(
            400,
            "invalid_request_error",
            "compiled grammar is too large",
        )
    };
    let source = r#"
agent writer { model: "anthropic/claude-sonnet-5-5" }
prompt count(number: int) -> int by writer { user "Count." }
workflow main() -> [int] { budget(calls: LIMIT) { [count(1)] } }
"#;
    let replies = || Script::in_turn(vec![refused(), Reply::text("7")]);
    let file = program("described_twice", &source.replace("LIMIT", "2"));
    let (said, asked) = with_provider(replies(), |url| run(&file, url, &[]));
    assert_eq!((said.out.trim(), asked.len()), ("[7]", 2), "{said:?}");
    let file = program("described_once", &source.replace("LIMIT", "1"));
    let (said, asked) = with_provider(replies(), |url| run(&file, url, &[]));
    assert_eq!((said.code, asked.len()), (Some(1), 1), "{said:?}");
}

#[test]
fn each_attempt_at_a_request_is_one_of_the_calls() {
    let down = || Reply::error(500, "api_error", "down").with_header("retry-after-ms", "1");
    let source = r#"
agent writer { model: "anthropic/claude-sonnet-5-5" retry: 2 }
prompt draft(number: int) -> string by writer { user "Draft." }
workflow main() -> [string] {
  budget(calls: 5) { (0..5).map(it => draft(it) catch { e => e.message() }) }
}
"#;
    let file = program("attempts", source);
    let (said, asked) = with_provider(Script::always(down()), |url| run(&file, url, &[]));
    assert_eq!((said.code, asked.len()), (Some(0), 5), "{said:?}");
    let told: Vec<String> = serde_json::from_str(&said.out).expect("the result is JSON");
    assert!(told[1].contains("status 500"), "{told:?}");
    assert!(told[2].contains("calls: 5 of 5 used"), "{told:?}");
    // Two further attempts at the first and one at the second: what the budget refuses is not announced and waited for.
    assert_eq!(said.err.matches("↻ ").count(), 3, "{said:?}");

    // They are as many as without a budget, and the last answer is taken.
    let replies = vec![down(), down(), Reply::text("x")];
    let one = source.replace("0..5", "0..1");
    let file = program("third_attempt", &one);
    let (said, asked) = with_provider(Script::in_turn(replies), |url| run(&file, url, &[]));
    assert_eq!((said.out.trim(), asked.len()), (r#"["x"]"#, 3), "{said:?}");
    let file = program("all_attempts", &one);
    let (said, asked) = with_provider(Script::always(down()), |url| run(&file, url, &[]));
    assert_eq!((said.code, asked.len()), (Some(0), 3), "{said:?}");
    assert!(said.out.contains("status 500"), "{}", said.out);
}

#[test]
fn a_task_draws_from_the_budgets_it_was_begun_in_after_their_blocks() {
    let source = r#"
agent writer { model: "anthropic/claude-sonnet-5-5" }
prompt draft(number: int) -> string by writer { user "Draft." }
fn both() -> [string] { [draft(1), draft(2)] }
workflow main() -> [string] {
  budget(calls: 1) {
    let task = budget(calls: 9) { spawn both() }
    await task
  }
}
"#;
    let file = program("outlives", source);
    let (said, asked) = with_provider(Script::always(Reply::text("x")), |url| run(&file, url, &[]));
    assert_eq!((said.code, asked.len()), (Some(1), 1), "{said:?}");
    assert!(said.err.contains("calls: 1 of 1 used"), "{}", said.err);
}

#[test]
fn calls_that_are_held_back_all_go_in_their_order() {
    // Two at once fit; a thousand wait. Looking at all of them after each answer would be half a million looks.
    let source = r#"
agent writer { model: "sim/default" max_tokens: 100 }
prompt draft(number: int) -> string by writer { user "Draft ${number}." }
workflow main() -> string {
  let answers = budget(tokens: TOKENS) { parallel for it in 0..1000 { draft(it) } }
  answers[999]
}
"#;
    let file = program("held", &source.replace("TOKENS", "11_000"));
    let said = run(&file, "http://127.0.0.1:1", &[]);
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), r#""simulated: Draft 999.""#),
        "{said:?}"
    );
}
