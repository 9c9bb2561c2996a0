//! `flow mcp`: a call that takes long becomes a task for a client that knows tasks.

use serde_json::{Value, json};

use crate::killed::Kept;
use crate::mcp_served::{Server, answer, eventually};

const PACKER: &str = r#"
human approve(order: string) -> bool timeout 1h { user "Ship ${order}?" }

workflow quick(order: string) -> string { order }

workflow pack(order: string) -> string {
  log.info("packing ${order}")
  sleep(3s)
  if approve(order) and approve("${order} again") { "shipped ${order}" } else { "kept ${order}" }
}

workflow endless() { sleep(1h) }

workflow fails() { sleep(3s); fail Failed("no luck") }
"#;

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// What a server says to a request of 2026-07-28.
fn ask(server: &Server, method: &str, params: Value, knows_tasks: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": { "form": {} }, "extensions": knows_tasks,
        },
    });
    let method_head = format!("Mcp-Method: {method}");
    let name = params["name"].as_str().or(params["taskId"].as_str());
    let name = format!("Mcp-Name: {}", name.unwrap_or_default());
    let head = ["MCP-Protocol-Version: 2026-07-28", &method_head, &name];
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let said = answer(server.send("POST /mcp", &head, &body.to_string()));
    let last = said.messages().pop();
    last.unwrap_or_else(|| panic!("{said:?}"))
}

fn known(server: &Server, method: &str, params: Value) -> Value {
    ask(server, method, params, json!({ TASKS: {} }))
}

fn begun(server: &Server, name: &str, arguments: &Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    let task = known(server, "tools/call", params);
    assert_eq!(task["result"]["resultType"], "task", "{task}");
    assert_eq!(task["result"]["status"], "working", "{task}");
    json!({ "taskId": task["result"]["taskId"] })
}

fn looked_at(server: &Server, task: &Value) -> Value {
    known(server, "tasks/get", task.clone())["result"].clone()
}

/// Waits until a task is so.
fn awaited(server: &Server, task: &Value, status: &str) -> Value {
    eventually(status, || looked_at(server, task)["status"] == status);
    looked_at(server, task)
}

#[test]
fn a_long_call_becomes_a_task_that_asks_and_ends() {
    let kept = Kept::new("mcp_tasks", PACKER);
    let server = Server::start(&kept, &["--http", "0"]);
    let quick = json!({ "name": "quick", "arguments": { "order": "17" } });
    let quick = known(&server, "tools/call", quick);
    assert_eq!(
        quick["result"]["structuredContent"]["result"], "17",
        "{quick}"
    );

    let task = begun(&server, "pack", &json!({ "order": "17" }));
    assert_eq!(looked_at(&server, &task)["statusMessage"], Value::Null);
    let mut earlier = Value::Null;
    for said in ["Ship 17?", "Ship 17 again?"] {
        eventually(said, || {
            let requests = looked_at(&server, &task)["inputRequests"].to_string();
            requests.contains(said)
        });
        let asked = looked_at(&server, &task);
        assert_eq!(asked["status"], "input_required", "{asked}");
        let requests = asked["inputRequests"].as_object().expect("questions");
        let key = requests.keys().next().expect("one question").clone();
        assert_ne!(earlier, key, "a key is of one question");
        earlier = Value::from(key.as_str());
        let mut answered = task.clone();
        answered["inputResponses"] = json!({
            key: { "action": "accept", "content": { "answer": true } }, "nobody asked": {},
        });
        let said = known(&server, "tasks/update", answered);
        assert_eq!(said["result"]["resultType"], "complete", "{said}");
    }
    let done = awaited(&server, &task, "completed");
    assert_eq!(
        done["result"]["structuredContent"]["result"], "shipped 17",
        "{done}"
    );
}

#[test]
fn a_task_is_cancelled_or_fails_and_another_is_unknown() {
    let kept = Kept::new("mcp_tasks_end", PACKER);
    let server = Server::start(&kept, &["--http", "0"]);
    let (endless, fails) = (
        begun(&server, "endless", &json!({})),
        begun(&server, "fails", &json!({})),
    );
    known(&server, "tasks/cancel", endless.clone());
    let cancelled = awaited(&server, &endless, "cancelled");
    assert_eq!(cancelled.get("result"), None, "{cancelled}");
    let failed = awaited(&server, &fails, "completed");
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    let unknown = known(&server, "tasks/get", json!({ "taskId": "0123" }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_client_that_knows_no_tasks_waits() {
    let kept = Kept::new("mcp_tasks_not", PACKER);
    let server = Server::start(&kept, &["--http", "0"]);
    let params = json!({ "name": "fails", "arguments": {} });
    let waited = ask(&server, "tools/call", params, json!({}));
    assert_eq!(waited["result"]["isError"], true, "{waited}");
    let refused = ask(&server, "tasks/get", json!({ "taskId": "0" }), json!({}));
    assert!(refused.get("error").is_some(), "{refused}");
}
