//! `flow mcp`: a built program serves its workflows to the official client for Rust, in both ages of the protocol.

use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ProgressNotificationParam,
    ProtocolVersion, ServerResult,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RunningService, ServiceError,
};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::killed::{Kept, signal};

pub const SHOP: &str = r#"
/// A shop.
import std/fs
permissions { fs.write: ["."] }

type Order {
  /// Its number.
  id: string
  amount: int
}
type Plan {
  ship: bool
  note: string?
}
human approve(order: Order) -> Plan timeout 1h { user "Ship ${order.id}?" }
human sizes(order: Order) -> [int] timeout 1h { user "Which sizes?" }
/// How it is sent.
enum Way {
  /// By ship, in two weeks
  Sea
  Air
}
type Sending { way: Way, boxes: [Way] }
human sending() -> Sending timeout 1h { user "How?" }
error Refused(id: string, why: string)

/// Ships an order that somebody approves.
workflow ship(order: Order, also: Order? = none) -> string {
  log.info("asked for ${order.id}")
  let plan = approve(order)
  if not plan.ship { fail Refused(order.id, plan.note ?? "no reason") }
  fs.append("shipped.log", "${order.id}\n")
  "shipped ${order.id}"
}

workflow send() -> Sending { sending() }

workflow pick_sizes(order: Order) -> [int] { sizes(order) }
external payment(order: string) -> int by "paid:${order}"
workflow paid(order: string) -> int { payment(order) }

/// Adds.
workflow add(a: int, b: int) -> Order {
  step "adding" { emit a }
  Order { id: "sum", amount: a + b }
}

workflow slow() {
  defer { fs.append("slow.log", "undone\n") }
  fs.append("slow.log", "begun\n")
  sleep(1h)
}
"#;

/// Answers what it is asked, and remembers what it was sent.
#[derive(Clone)]
pub struct Client {
    answer: Answer,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    told: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, PartialEq)]
pub enum Answer {
    /// It has no forms.
    None,
    Declined,
    /// One after the other.
    Values(Vec<Value>),
}

impl Client {
    pub fn new(answer: Answer) -> Self {
        Self {
            answer,
            asked: Arc::default(),
            told: Arc::default(),
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder();
        let mut config = ClientConfig::default();
        config.capabilities = match self.answer {
            Answer::None => capabilities.build(),
            Answer::Declined | Answer::Values(_) => capabilities.enable_elicitation().build(),
        };
        config
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = request
        else {
            panic!("no page is to be opened");
        };
        let schema = serde_json::to_value(requested_schema).expect("a schema is JSON");
        let mut asked = self.asked.lock().expect("nobody has panicked");
        let number = asked.len();
        asked.push((message, schema));
        Ok(match &self.answer {
            Answer::None => panic!("it cannot be asked"),
            Answer::Declined => ElicitResult::new(ElicitationAction::Decline),
            Answer::Values(values) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(values[number].clone())
            }
        })
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let mut told = self.told.lock().expect("nobody has panicked");
        told.push(progress.message.unwrap_or_default());
    }
}

/// Both ages of the protocol.
pub fn ages() -> [ClientLifecycleMode; 2] {
    [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    ]
}

/// Starts the server and connects to it.
pub async fn connect<C: ClientHandler + Clone>(
    kept: &Kept,
    words: &[&str],
    client: &C,
    age: ClientLifecycleMode,
) -> (Child, RunningService<RoleClient, C>) {
    let mut words = words.to_vec();
    words.insert(0, "mcp");
    let mut command = kept.command(&words);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let input = OwnedFd::from(child.stdin.take().expect("its input is a pipe"));
    let output = OwnedFd::from(child.stdout.take().expect("its output is a pipe"));
    let reader = Receiver::from_owned_fd(output).expect("a pipe");
    let writer = Sender::from_owned_fd(input).expect("a pipe");
    let session = client.clone().serve_with_lifecycle((reader, writer), age);
    (child, session.await.expect("both speak the protocol"))
}

pub fn call(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

pub fn text(result: &CallToolResult) -> &str {
    let first = result.content.first().expect("it says something");
    &first.as_text().expect("it is text").text
}

pub fn block_on(future: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    runtime.block_on(future);
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1_500 {
        if holds() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it never comes: {what}");
}

/// Closes the session; the program ends by itself.
pub async fn close<C: ClientHandler>(session: RunningService<RoleClient, C>, mut child: Child) {
    session.cancel().await.expect("it closes");
    let mut ended = None;
    eventually("the program ends", || {
        ended = child.try_wait().expect("it can be waited for");
        ended.is_some()
    })
    .await;
    assert_eq!(ended.and_then(|it| it.code()), Some(0));
}

#[test]
fn workflows_are_tools_with_structured_results() {
    let kept = Kept::new("mcp_tools", SHOP);
    for age in ages() {
        block_on(async {
            let client = Client::new(Answer::None);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let tools = session.list_all_tools().await.expect("tools");
            let names: Vec<&str> = tools.iter().map(|it| &*it.name).collect();
            assert_eq!(names, ["ship", "send", "pick_sizes", "paid", "add", "slow"]);
            let ship = serde_json::to_value(&tools[0]).expect("JSON");
            assert_eq!(
                ship["description"],
                "Ships an order that somebody approves."
            );
            assert_eq!(
                ship["inputSchema"]["properties"]["order"]["$ref"],
                "#/$defs/Order"
            );
            assert_eq!(
                ship["inputSchema"]["$defs"]["Order"]["properties"]["id"]["description"],
                "Its number."
            );
            assert_eq!(
                ship["outputSchema"]["properties"]["result"]["type"],
                "string"
            );
            assert_eq!(ship["annotations"]["readOnlyHint"], false);
            let result = session
                .call_tool(call("add", json!({"a": 2, "b": 3})))
                .await;
            let result = result.expect("a result");
            let sum = json!({"id": "sum", "amount": 5});
            assert_eq!(result.structured_content, Some(sum));
            assert_eq!(text(&result), r#"{"id":"sum","amount":5}"#);
            let wrong = session.call_tool(call("add", json!({"a": "x"}))).await;
            let wrong = wrong.expect("a result");
            assert_eq!(wrong.is_error, Some(true));
            assert!(text(&wrong).contains("a: expected int"), "{wrong:?}");
            let unknown = session.call_tool(call("sub", json!({}))).await;
            let Err(ServiceError::McpError(error)) = unknown else {
                panic!("{unknown:?}");
            };
            assert_eq!(error.message, "there is no tool `sub`");
            close(session, child).await;
        });
    }
}

#[test]
fn a_human_is_asked_through_the_client() {
    let kept = Kept::new("mcp_humans", SHOP);
    let order = || json!({"order": {"id": "7", "amount": 1}});
    for age in ages() {
        block_on(async {
            let answers = vec![json!({"ship": 3}), json!({"ship": true})];
            let client = Client::new(Answer::Values(answers));
            let (child, session) = connect(&kept, &["--store", "off"], &client, age.clone()).await;
            let shipped = session.call_tool(call("ship", order())).await;
            assert_eq!(text(&shipped.expect("a result")), "shipped 7");
            {
                let asked = client.asked.lock().expect("nobody has panicked");
                assert_eq!(asked.len(), 2, "what does not fit is asked for again");
                assert!(asked[0].0.starts_with("Ship 7?"), "{asked:?}");
                assert_eq!(asked[0].1["properties"]["ship"]["type"], "boolean");
                assert!(asked[1].0.contains("does not fit"), "{asked:?}");
            }
            close(session, child).await;
            // What has no flat form is asked for as JSON.
            let client = Client::new(Answer::Values(vec![json!({"answer": "[38, 40]"})]));
            let (child, session) = connect(&kept, &["--store", "off"], &client, age.clone()).await;
            let sizes = session.call_tool(call("pick_sizes", order())).await;
            let sizes = sizes.expect("a result").structured_content;
            assert_eq!(sizes, Some(json!({"result": [38, 40]})));
            close(session, child).await;
            // What a variant's docs say stands in place of its name.
            let chosen = json!({"way": "Air", "boxes": ["Sea"]});
            let client = Client::new(Answer::Values(vec![chosen.clone()]));
            let (child, session) = connect(&kept, &["--store", "off"], &client, age.clone()).await;
            let sent = session.call_tool(call("send", json!({}))).await;
            assert_eq!(sent.expect("a result").structured_content, Some(chosen));
            {
                let asked = client.asked.lock().expect("nobody has panicked");
                let ways = json!([
                    { "const": "Sea", "title": "By ship, in two weeks" },
                    { "const": "Air", "title": "Air" },
                ]);
                let way =
                    json!({ "type": "string", "description": "How it is sent.", "oneOf": ways });
                let boxes = json!({ "type": "array", "items": { "anyOf": ways } });
                let expected = json!({ "way": way, "boxes": boxes });
                assert_eq!(asked[0].1["properties"], expected);
            }
            close(session, child).await;
            let client = Client::new(Answer::Declined);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let declined = session.call_tool(call("ship", order())).await;
            let declined = declined.expect("a result");
            assert_eq!(declined.is_error, Some(true));
            assert!(text(&declined).contains("was declined"), "{declined:?}");
            close(session, child).await;
        });
    }
    assert_eq!(kept.read("shipped.log"), "7\n7\n");
}

#[test]
fn what_nobody_can_be_asked_waits_in_the_store() {
    let kept = Kept::new("mcp_parked", SHOP);
    block_on(async {
        let client = Client::new(Answer::None);
        let (child, session) = connect(&kept, &[], &client, ClientLifecycleMode::Initialize).await;
        let order = json!({"order": {"id": "9", "amount": 1}});
        let parked = session.call_tool(call("ship", order)).await;
        let parked = parked.expect("a result");
        assert_eq!(parked.is_error, Some(true));
        assert!(text(&parked).contains("runs answer"), "{parked:?}");
        close(session, child).await;
    });
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    let said = kept.run(&["runs", "answer", &id, "approve", r#"{"ship": false}"#]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run(&["runs", "resume", &id]);
    assert!(said.err.contains("Refused"), "{said:?}");
}

/// What comes from outside comes from elsewhere than the client.
#[test]
fn an_external_does_not_hold_the_call_open() {
    let kept = Kept::new("mcp_external", SHOP);
    block_on(async {
        let client = Client::new(Answer::Values(vec![json!({"answer": 1})]));
        let (child, session) = connect(&kept, &[], &client, ClientLifecycleMode::Initialize).await;
        let parked = session.call_tool(call("paid", json!({"order": "9"}))).await;
        let parked = parked.expect("a result");
        assert_eq!(parked.is_error, Some(true));
        assert!(text(&parked).contains("runs answer"), "{parked:?}");
        close(session, child).await;
    });
    let said = kept.run(&["runs", "answer", "--key", "paid:9", "payment", "5"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    assert_eq!(kept.run(&["runs", "resume", &id]).out, "5\n");
}

#[test]
fn errors_have_a_text_for_people_and_fields_for_programs() {
    let kept = Kept::new("mcp_errors", SHOP);
    block_on(async {
        let refusal = json!({"ship": false, "note": "too late"});
        let client = Client::new(Answer::Values(vec![refusal]));
        let words = ["--store", "off"];
        let (child, session) = connect(&kept, &words, &client, ages()[0].clone()).await;
        let order = json!({"order": {"id": "7", "amount": 1}});
        let refused = session.call_tool(call("ship", order)).await;
        let refused = serde_json::to_value(refused.expect("a result")).expect("JSON");
        assert_eq!(refused["isError"], true);
        let error = &refused["_meta"]["groundswell/error"];
        assert_eq!(error["error"], "Refused");
        assert_eq!(error["fields"], json!({"id": "7", "why": "too late"}));
        close(session, child).await;
    });
}

#[test]
fn progress_is_told_and_a_cancelled_call_is_undone() {
    let kept = Kept::new("mcp_cancel", SHOP);
    for (round, age) in ages().into_iter().enumerate() {
        block_on(async {
            let client = Client::new(Answer::None);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let request = ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(call(
                "add",
                json!({"a": 2, "b": 3}),
            )));
            let options = PeerRequestOptions::default();
            let sent = session.send_cancellable_request(request, options).await;
            let added = sent.expect("it is sent").await_response().await;
            assert!(
                matches!(added, Ok(ServerResult::CallToolResult(_))),
                "{added:?}"
            );
            // Each request has a token for progress of its own.
            eventually("progress", || {
                let told = client.told.lock().expect("nobody has panicked");
                *told == ["step adding", "2"]
            })
            .await;
            let request = ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(call(
                "slow",
                json!({}),
            )));
            let options = PeerRequestOptions::default();
            let sent = session.send_cancellable_request(request, options).await;
            let sent = sent.expect("it is sent");
            let log = |times: usize| "begun\nundone\n".repeat(times);
            let begun = log(round) + "begun\n";
            eventually("it begins", || kept.read("slow.log") == begun).await;
            sent.cancel(None).await.expect("it is cancelled");
            eventually("it is undone", || kept.read("slow.log") == log(round + 1)).await;
            close(session, child).await;
        });
    }
}

/// What a client has got is no result that `--resume` hands on.
#[test]
fn a_result_that_a_client_has_is_not_given_to_the_next_who_asks() {
    let kept = Kept::new("mcp_delivered", SHOP);
    let order = || json!({"id": "3", "amount": 1});
    block_on(async {
        let client = Client::new(Answer::Values(vec![json!({"ship": true})]));
        let (child, session) = connect(&kept, &[], &client, ages()[0].clone()).await;
        let shipped = session
            .call_tool(call("ship", json!({"order": order()})))
            .await;
        assert_eq!(text(&shipped.expect("a result")), "shipped 3");
        close(session, child).await;
    });
    let order = order().to_string();
    let said = kept.run(&["ship", "--order", &order, "--resume"]);
    assert_eq!(said.code, Some(5), "it asks anew: {said:?}");
}

/// A client that goes, or a signal, leaves a run that is written down; one that is not is cancelled.
#[test]
fn what_goes_on_when_the_server_ends_is_kept() {
    let kept = Kept::new("mcp_left", SHOP);
    block_on(async {
        let client = Client::new(Answer::None);
        let (mut child, session) = connect(&kept, &[], &client, ages()[1].clone()).await;
        let request = ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(call(
            "slow",
            json!({}),
        )));
        let options = PeerRequestOptions::default();
        let sent = session.send_cancellable_request(request, options).await;
        eventually("it begins", || kept.read("slow.log") == "begun\n").await;
        signal(&child, "-TERM");
        let mut ended = None;
        eventually("the program ends", || {
            ended = child.try_wait().expect("it can be waited for");
            ended.is_some()
        })
        .await;
        assert_eq!(ended.and_then(|it| it.code()), Some(0));
        drop(sent);
        drop(session);
    });
    assert_eq!(kept.read("slow.log"), "begun\n");
    assert_eq!(kept.listed()["status"], "parked");
}

/// Nothing but the protocol is on standard output, whatever a client says.
#[test]
fn a_client_that_speaks_something_else_is_refused() {
    let kept = Kept::new("mcp_noise", SHOP);
    for noise in [
        "",
        "hello\n",
        "{}\n",
        "[1,\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1}\n",
    ] {
        let said = crate::program::run_with_input(&kept.program, &["mcp"], noise);
        assert!(matches!(said.code, Some(0 | 1)), "{noise:?}: {said:?}");
        for line in said.out.lines() {
            let line: Value = serde_json::from_str(line).expect("each line is JSON");
            assert_eq!(line["jsonrpc"], "2.0");
        }
    }
    let said = kept.run(&["mcp", "ship"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("`mcp` takes no `ship`"), "{said:?}");
    let said = kept.run(&["mcp", "--events", "-"]);
    assert!(said.err.contains("belongs to the client"), "{said:?}");
}
