//! What tools give to look at: images and documents that a model sees as such, from programs and from servers.

use fake_provider::Script;
use serde_json::{Value, json};

use crate::introspection::{done, turn};
use crate::killed::Kept;
use crate::program::{scratch, text};
use crate::wire::{program, run, with_provider};

const SHOTS: &str = r#"
/// The screen.
tool shot() -> image reads { image.bytes(bytes.from_base64("iVBORw0KGgo="), "image/png") }
/// All screens.
tool shots() -> [image] reads { [shot(), image.url("https://example.org/a.png")] }
/// The screen of a machine that is off.
tool dark() -> image? reads { none }
/// The terms.
tool terms() -> document reads { document.bytes("No refunds.".bytes(), "text/plain") }

hook adding { after_tool(call, outcome) { add("Taken today.") } }
hook replacing { after_tool(call, outcome) { replace("Nothing to see.") } }

agent seer { model: "anthropic/claude-sonnet-5-5"   tools: [shot, shots, dark, terms] }
prompt look() -> string by seer { user "Look." }
workflow main() -> string { look() }
workflow added() -> string { look() with { hooks: [adding] } }
workflow replaced() -> string { look() with { hooks: [replacing] } }
"#;

/// The contents of the results that the model was sent for one call of each of these.
fn sent(file: &std::path::Path, words: &[&str], calls: &[&str]) -> Vec<Value> {
    let calls: Vec<(&str, Value)> = calls.iter().map(|it| (*it, json!({}))).collect();
    let script = Script::in_turn(vec![turn(&calls), done()]);
    let (said, asked) = with_provider(script, |url| run(file, url, words));
    assert_eq!(said.code, Some(0), "{said:?}");
    let last = asked[1]["messages"].as_array().and_then(|it| it.last());
    let results = last.and_then(|it| it["content"].as_array());
    let results = results.expect("the results are the last message");
    results.iter().map(|it| it["content"].clone()).collect()
}

fn said(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn png() -> Value {
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" });
    json!({ "type": "image", "source": source })
}

#[test]
fn a_model_sees_what_tools_give_to_look_at() {
    let file = program("shots", SHOTS);
    let events = scratch("wire").join("shots.jsonl");
    let words = ["--events", text(&events)];
    let sent = sent(&file, &words, &["shot", "shots", "dark", "terms"]);
    let source = json!({ "type": "url", "url": "https://example.org/a.png" });
    let far = json!({ "type": "image", "source": source });
    let source = json!({ "type": "text", "media_type": "text/plain", "data": "No refunds." });
    let terms = json!({ "type": "document", "source": source });
    let expected = [
        json!([said("[image/png, 8 bytes]"), png()]),
        json!([
            said("[image/png, 8 bytes]\n[https://example.org/a.png]"),
            png(),
            far
        ]),
        json!("null"),
        json!([said("[text/plain, 11 bytes]"), terms]),
    ];
    assert_eq!(sent, expected);
    // Observers see what it is, not its bytes.
    let events = std::fs::read_to_string(&events).expect("they were written");
    assert!(!events.contains("iVBORw0KGgo"), "{events}");
}

#[test]
fn a_hook_that_adds_to_a_result_leaves_its_images_and_one_that_replaces_it_does_not() {
    let file = program("shots_hooked", SHOTS);
    assert_eq!(
        sent(&file, &["added"], &["shot"]),
        [json!([said("[image/png, 8 bytes]\n\nTaken today."), png()])]
    );
    assert_eq!(
        sent(&file, &["replaced"], &["shot"]),
        [json!("Nothing to see.")]
    );
}

// G27
#[test]
fn a_model_sees_the_images_of_a_server() {
    let server = r#"
import std/mcp
workflow snap() -> [mcp.Content] {
  [Text("The screen."), Image(bytes.from_base64("iVBORw0KGgo="), "image/png")]
}
"#;
    let server = Kept::new("mcp_of_shots", server);
    let source = r#"
import std/mcp
/// The screen of the server.
tool snap() -> json { mcp.stdio("SERVER", ["mcp", "--store", "off", "--quiet"]).call("snap") }
agent seer { model: "anthropic/claude-sonnet-5-5"   tools: [snap] }
prompt look() -> string by seer { user "Look." }
workflow main() -> string { look() }
"#;
    let file = program(
        "mcp_shots",
        &source.replace("SERVER", text(&server.program)),
    );
    assert_eq!(
        sent(&file, &[], &["snap"]),
        [json!([said("The screen.\n[image/png, 8 bytes]"), png()])]
    );
}
