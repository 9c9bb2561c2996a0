//! What a program as a server offers beside tools that give data: content, prompts, things to read; and programs that use them.

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams, ReadResourceRequestParams,
};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use crate::killed::Kept;
use crate::mcp_server::{Answer, Client, ages, block_on, close, connect};
use crate::program::text;

const OFFERS: &str = r#"
import std/mcp

/// The terms.
@resource("shop://terms")
workflow terms() -> string { "Pay first." }

/// Its picture.
@resource("shop://logo", "image/png")
workflow logo() -> bytes { "png".bytes() }

type Order { id: string, line: string }

/// A line of an order.
@resource("shop://orders/{id}/lines/{line}")
workflow order_line(id: string, line: string, upper: bool = false) -> Order {
  if id == "0" { fail Failed("no order has this number") }
  Order { id, line }
}

/// Both at once.
@resource("shop://both")
workflow both() -> [mcp.Content] { [Text("one"), Blob("x://y", "two".bytes(), "text/x")] }

/// Greets somebody.
workflow greeting(
  /// Who it is.
  name: string,
  tone: "warm" | "cold" | "wry" = "warm",
  times: int = 1,
) -> [mcp.Message] {
  [
    mcp.Message { content: Text("Greet ${name} ${times} times in a ${tone} tone.") },
    mcp.Message { role: "assistant", content: Text("Gladly.") },
  ]
}

/// Draws.
workflow draw() -> [mcp.Content] {
  [Text("a dot"), Image("dot".bytes(), "image/png"), Resource("shop://dot", "dot")]
}

workflow add(a: int, b: int) -> int { a + b }
"#;

fn json(of: impl serde::Serialize) -> Value {
    serde_json::to_value(of).expect("it is JSON")
}

// G27
#[test]
#[expect(clippy::too_many_lines, reason = "one session, in order")]
fn workflows_are_things_to_read_prompts_and_content() {
    let kept = Kept::new("mcp_offers", OFFERS);
    for age in ages() {
        block_on(async {
            let client = Client::new(Answer::None);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let tools = json(session.list_all_tools().await.expect("tools"));
            assert_eq!(tools[0]["name"], "draw");
            assert_eq!(tools[0].get("outputSchema"), None);
            assert_eq!(tools[1]["name"], "add");
            assert_eq!(tools.as_array().map(Vec::len), Some(2));
            let draw = CallToolRequestParams::new("draw");
            let drawn = json(session.call_tool(draw).await.expect("content"));
            assert_eq!(drawn["content"][0]["text"], "a dot");
            assert_eq!(drawn["content"][1]["data"], "ZG90");
            assert_eq!(drawn["content"][1]["mimeType"], "image/png");
            assert_eq!(drawn["content"][2]["resource"]["uri"], "shop://dot");
            assert_eq!(drawn.get("structuredContent"), None);

            let listed = json(session.list_all_resources().await.expect("resources"));
            let uris = |of: &Value, name: &str| -> Vec<Value> {
                let all = of.as_array().into_iter().flatten();
                all.map(|it| it[name].clone()).collect()
            };
            assert_eq!(
                uris(&listed, "uri"),
                ["shop://terms", "shop://logo", "shop://both"]
            );
            assert_eq!(
                uris(&listed, "mimeType"),
                [json!("text/plain"), json!("image/png"), json!(null)]
            );
            let templates = json(
                session
                    .list_all_resource_templates()
                    .await
                    .expect("templates"),
            );
            assert_eq!(
                uris(&templates, "uriTemplate"),
                ["shop://orders/{id}/lines/{line}"]
            );
            let read = async |uri: &str| {
                session
                    .read_resource(ReadResourceRequestParams::new(uri))
                    .await
            };
            let terms = json(read("shop://terms").await.expect("a text"));
            assert_eq!(terms["contents"][0]["text"], "Pay first.");
            let logo = json(read("shop://logo").await.expect("bytes"));
            assert_eq!(logo["contents"][0]["blob"], "cG5n");
            let line = json(read("shop://orders/a%207/lines/2").await.expect("an order"));
            assert_eq!(line["contents"][0]["text"], r#"{"id":"a 7","line":"2"}"#);
            assert_eq!(line["contents"][0]["uri"], "shop://orders/a%207/lines/2");
            let both = json(read("shop://both").await.expect("both"));
            assert_eq!(both["contents"][0]["text"], "one");
            assert_eq!(both["contents"][1]["blob"], "dHdv");
            for (nothing, why) in [
                ("shop://orders/7", "there is nothing to read"),
                ("shop://orders/a%2f7/lines/2", "there is nothing to read"),
                ("shop://orders/%2e%2e/lines/2", "there is nothing to read"),
                ("file:///etc/passwd", "there is nothing to read"),
                ("shop://orders/0/lines/1", "no order has this number"),
            ] {
                match read(nothing).await {
                    Err(ServiceError::McpError(error)) => {
                        assert!(error.message.contains(why), "{error:?}")
                    }
                    other => panic!("{nothing}: {other:?}"),
                }
            }

            let prompts = json(session.list_all_prompts().await.expect("prompts"));
            assert_eq!(prompts[0]["name"], "greeting");
            assert_eq!(prompts[0]["arguments"][0]["description"], "Who it is.");
            assert_eq!(
                uris(&prompts[0]["arguments"], "required"),
                [json!(true), json!(false), json!(false)]
            );
            let arguments = json!({ "name": "7", "times": "3", "tone": "wry" });
            let Value::Object(arguments) = arguments else {
                unreachable!("it is an object")
            };
            let greeting = GetPromptRequestParams::new("greeting").with_arguments(arguments);
            let said = json(session.get_prompt(greeting).await.expect("messages"));
            assert_eq!(
                said["messages"][0]["content"]["text"],
                "Greet 7 3 times in a wry tone."
            );
            assert_eq!(uris(&said["messages"], "role"), ["user", "assistant"]);
            let without = GetPromptRequestParams::new("greeting");
            match session.get_prompt(without).await {
                Err(ServiceError::McpError(error)) => assert_eq!(error.code.0, -32602, "{error:?}"),
                other => panic!("{other:?}"),
            }
            let asked = json!({ "ref": { "type": "ref/prompt", "name": "greeting" },
                "argument": { "name": "tone", "value": "w" } });
            let asked: CompleteRequestParams = serde_json::from_value(asked).expect("a request");
            let completed = json(session.complete(asked).await.expect("values"));
            assert_eq!(completed["completion"]["values"], json!(["warm", "wry"]));
            close(session, child).await;
        });
    }
}

// G27
#[test]
fn a_program_reads_and_takes_prompts_from_a_server() {
    let server = Kept::new("mcp_offers_read", OFFERS);
    const READS: &str = r#"
mcp shop = stdio("SERVER", ["mcp", "--store", "off", "--quiet"])

workflow main() -> json {
  let listed = shop.resources()
  let templates = shop.templates()
  let prompts = shop.prompts()
  let missing = shop.read("shop://nothing") catch McpError(_, why) => why
  let wrong = shop.prompt("greeting") catch McpError(_, _) => "refused"
  [
    listed[0]["uri"],
    templates[0]["uriTemplate"],
    shop.read("shop://terms"),
    shop.read("shop://logo")[0]["blob"],
    prompts[0]["name"],
    shop.prompt("greeting", { "name": "Ada" })[0]["content"]["text"],
    missing,
    wrong,
  ]
}

human sure() -> bool timeout 1h { user "Sure?" }
workflow later() -> json {
  let terms = shop.read("shop://terms")
  if sure() { terms } else { none }
}
"#;
    let kept = Kept::new("mcp_reads", &READS.replace("SERVER", text(&server.program)));
    let said = kept.run(&["main"]);
    let value: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    let expected = json!([
        "shop://terms",
        "shop://orders/{id}/lines/{line}",
        "Pay first.",
        "cG5n",
        "greeting",
        "Greet Ada 1 times in a warm tone.",
        "there is nothing to read at `shop://nothing`",
        "refused",
    ]);
    assert_eq!(value, expected);
    // What was read is in the journal, and no server is asked for it when the run is brought back.
    let said = kept.run(&["later"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    let said = kept.run(&["runs", "answer", &id, "sure", "true"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    std::fs::remove_file(&server.program).expect("it was built");
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(said.out, "\"Pay first.\"\n", "{said:?}");
}

const TRUSTING: &str = r#"
import std/mcp

tool pay(to: string trusted) -> string once { "paid ${to}" }
tool note(text: string) -> string once { text }
tool look(id: string) -> string reads { id }
agent clerk { model: "sim/default", tools: [note] }
prompt ask(question: string) -> string by clerk { user "${question}" }
fn through(to: string) -> string { pay(to) }

/// Pays.
workflow direct(to: string) -> string { through(to) }
workflow declared(to: string trusted) -> string { to }
@resource("shop://pay/{id}")
workflow read(id: string) -> string { pay(id) }
workflow said(id: string) -> [mcp.Message] { [mcp.Message { content: Text(pay(id)) }] }
workflow vouched(to: string) -> string { pay(trust(to, "only ours call it")) }
workflow chosen(index: int) -> string { pay(["ada", "bob"][index]) }
workflow by_model(question: string) -> string { ask(question) }
workflow inner(question: string) -> string { by_model(question) }
workflow looks(id: string) -> string { look(id) }
"#;

/// What a client gives was written by a model, and does not come to a `trusted` place.
#[test]
fn what_would_bring_arguments_to_a_trusted_place_is_not_offered() {
    let kept = Kept::new("mcp_trusting", TRUSTING);
    for age in ages() {
        block_on(async {
            let client = Client::new(Answer::None);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let tools = session.list_all_tools().await.expect("tools");
            let reading = |it: &rmcp::model::Tool| {
                let annotations = it.annotations.as_ref().expect("it says so");
                (
                    it.name.to_string(),
                    annotations.read_only_hint == Some(true),
                )
            };
            let listed: Vec<(String, bool)> = tools.iter().map(reading).collect();
            let expected = [
                ("vouched", false),
                ("chosen", false),
                ("by_model", false),
                ("inner", false),
                ("looks", true),
            ];
            assert_eq!(listed, expected.map(|it| (it.0.to_owned(), it.1)));
            assert!(
                session
                    .list_all_prompts()
                    .await
                    .expect("prompts")
                    .is_empty()
            );
            let templates = session.list_all_resource_templates().await;
            assert!(templates.expect("templates").is_empty());
            let arguments = json!({ "to": "mallory" }).as_object().cloned();
            let call =
                CallToolRequestParams::new("direct").with_arguments(arguments.unwrap_or_default());
            let Err(ServiceError::McpError(error)) = session.call_tool(call).await else {
                panic!("it is not offered");
            };
            let why =
                "`direct` is not offered to clients: its parameter `to` comes to `to` of `pay`";
            assert!(error.message.starts_with(why), "{}", error.message);
            let read = ReadResourceRequestParams::new("shop://pay/mallory");
            let Err(ServiceError::McpError(error)) = session.read_resource(read).await else {
                panic!("it is not offered");
            };
            assert!(error.message.contains("`id`"), "{}", error.message);
            close(session, child).await;
        });
    }
    let said = kept.run(&["mcp", "--store", "off"]);
    for name in ["direct", "declared", "read", "said"] {
        let line = format!("warning: `{name}` is not offered to clients");
        assert_eq!(said.err.matches(&line).count(), 1, "{said:?}");
    }
}
