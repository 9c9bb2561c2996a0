//! Prompts as tools of other models: what their own tools do, they do as often as anywhere.

use fake_provider::{Body, Message, Reply, Script};
use serde_json::{Value, json};

use crate::killed::Kept;
use crate::wire::{program, run, with_provider};

/// An answer that calls a tool, to requests that hold this text.
fn calling(when: &str, tool: &str, input: Value) -> Reply {
    let call =
        json!({ "type": "tool_use", "id": format!("of_{tool}"), "name": tool, "input": input });
    Reply {
        when: Some(when.into()),
        ..Reply::of(Body::Anthropic(Message {
            content: vec![call],
            stop_reason: "tool_use".into(),
            ..Message::default()
        }))
    }
}

/// The process is killed by the very thing that the inner model has it do.
const DIES: &str = r#"
import std/exec
tool pay() -> string once { exec.run(["sh", "-c", "echo paid >>paid.log; kill -9 $PPID"]).stdout }
agent inner { model: "anthropic/claude-sonnet-5-5" system: "Inner." tools: [pay] }
prompt settle(order: int) -> string by inner { user "Settle ${order}." }
agent outer { model: "anthropic/claude-sonnet-5-5" system: "Outer." tools: [settle] }
prompt work() -> string by outer { user "Work." }
workflow main() -> string { work() catch { OutcomeUnknown(what) => what } }
"#;

#[test]
fn what_a_prompt_that_is_a_tool_was_doing_when_the_process_died_is_not_done_again() {
    let kept = Kept::new("agent_tools_dies", DIES);
    let replies = vec![
        calling("Outer.", "settle", json!({ "order": 7 })),
        calling("Inner.", "pay", json!({})),
    ];
    with_provider(Script::in_turn(replies), |url| {
        let with_key = |words: &[&str]| {
            let mut command = kept.command(words);
            command
                .env("ANTHROPIC_BASE_URL", url)
                .env("ANTHROPIC_API_KEY", "key-of-tests");
            command.output().expect("a built program can be started")
        };
        let killed = with_key(&[]);
        assert_eq!(killed.status.code(), None, "{killed:?}");
        let resumed = with_key(&["--resume"]);
        let said = String::from_utf8_lossy(&resumed.stdout);
        assert!(said.contains("kill -9"), "{resumed:?}");
    });
    assert_eq!(kept.read("paid.log"), "paid\n");
}

/// The next model goes on where the first one has failed, instead of beginning again with what was done.
#[test]
fn the_next_model_does_not_have_done_again_what_a_prompt_has_done() {
    let ledger = crate::program::scratch("wire").join("agent_tools.txt");
    let _ = std::fs::remove_file(&ledger);
    let source = format!(
        r#"
import std/fs
tool pay() -> string once {{ fs.append({ledger:?}, "paid\n"); "paid" }}
agent inner {{ model: "anthropic/claude-sonnet-5-5" system: "Inner." tools: [pay] }}
prompt settle(order: int) -> string by inner {{ user "Settle ${{order}}." }}
agent outer {{ model: first_of("anthropic/claude-opus-5-5", "anthropic/claude-haiku-4-5") system: "Outer." tools: [settle] retry: 0 }}
prompt work() -> string by outer {{ user "Work." }}
workflow main() -> string {{ work() }}
"#
    );
    let file = program("agent_tools_next", &source);
    let overloaded = Reply {
        when: Some("Outer.".into()),
        ..Reply::error(503, "overloaded_error", "too much")
    };
    let text = |when: &str| Reply {
        when: Some(when.into()),
        ..Reply::text("done")
    };
    let replies = vec![
        calling("Outer.", "settle", json!({ "order": 7 })),
        calling("Inner.", "pay", json!({})),
        text("Inner."),
        overloaded,
        text("Outer."),
    ];
    let (said, asked) = with_provider(Script::in_turn(replies), |url| run(&file, url, &[]));
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    let lines = std::fs::read_to_string(&ledger).unwrap_or_default();
    assert_eq!(lines, "paid\n");
    let last = asked.last().expect("it was asked");
    assert_eq!(last["messages"].as_array().map(Vec::len), Some(3), "{last}");
}
