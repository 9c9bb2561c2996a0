//! Servers that ask a model of their caller, and for its folders: only where the program grants it, in both ages of the protocol.

use serde_json::{Value, json};

use crate::killed::Kept;
use crate::program::Said;

/// A server of either age, by its argument. The tool asks what `how` says, and gives what it is answered.
const SERVER: &str = r##"
import json, sys

age = sys.argv[1]
def message(text, role="user"):
    return {"role": role, "content": {"type": "text", "text": text}}
def sample(how):
    messages = {
        "assistant": [message("What?"), message("So", "assistant")],
        "large": [message("x" * 300_000)],
        "image": [{"role": "user", "content": {"type": "image", "data": "", "mimeType": "image/png"}}],
    }.get(how, [message("What?"), message("That.", "assistant"), message("Why? STOP")])
    most = {"many": 1000, "none": 0}.get(how, 50)
    return {"messages": messages, "maxTokens": most, "systemPrompt": "Be brief.", "stopSequences": ["STOP"]}
def questions(how):
    if how == "roots":
        return [("roots/list", {})]
    if how == "form":
        return [("elicitation/create", {"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}})]
    return [("sampling/createMessage", sample(how))] * (22 if how == "often" else 1)
def send(**what):
    print(json.dumps({"jsonrpc": "2.0", **what}), flush=True)
def heard(line):
    told = json.loads(line)
    if told.get("method") == "notifications/cancelled":
        open("in/cancelled", "w").close()
    return told
def ask(number, method, params):
    send(id=number, method=method, params=params)
    while True:
        told = heard(sys.stdin.readline())
        if told.get("id") == number and "method" not in told:
            return told.get("result", told.get("error"))
def called(params):
    how = params["arguments"]["how"]
    if age == "older":
        return [ask(f"q{number}", *it) for number, it in enumerate(questions(how))]
    if how == "endless" or "inputResponses" not in params:
        inputs = {f"q{number}": {"method": it[0], "params": it[1]} for number, it in enumerate(questions("roots" if how == "endless" else how))}
        return {"resultType": "input_required", "inputRequests": inputs, "requestState": "s"}
    assert params["requestState"] == "s"
    return [params["inputResponses"][it] for it in sorted(params["inputResponses"])]

for line in sys.stdin:
    asked = heard(line)
    if "id" not in asked or "method" not in asked:
        continue
    method, result = asked["method"], None
    if method == "tools/list":
        result = {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    elif method == "tools/call":
        told = called(asked["params"])
        result = told if isinstance(told, dict) else {"content": [{"type": "text", "text": json.dumps(told)}], "resultType": "complete"}
    elif method == "initialize" and age == "older":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "asks", "version": "1"}}
    elif method == "server/discover" and age == "newer":
        result = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}
    if result is None:
        send(id=asked["id"], error={"code": -32601, "message": "no"})
    else:
        send(id=asked["id"], result=result)
"##;

const GUEST: &str = r#"
import std/fs
import std/json

hook slow { before_prompt(_session, _text) { sleep(1h); allow } }

agent late { model: "sim/default", hooks: [slow] }

agent helper { model: "sim/default", system: "You help.", max_tokens: 70 }
agent nested { model: "sim/tools", tools: [ask_in_turn] }

mcp granted = stdio("python3", ["server.py", "AGE"], sampling: helper, roots: ["./in"])
mcp bare = stdio("python3", ["server.py", "AGE"])
mcp patient = stdio("python3", ["server.py", "AGE"], sampling: late)
mcp outside = stdio("python3", ["server.py", "AGE"], roots: [".."])
mcp circle = stdio("python3", ["server.py", "AGE"], sampling: nested)

@locked("ask", "sha256:0000000000000000000000000000000000000000000000000000000000000000")
tool changed(how: string) -> json by granted

tool ask(how: string) -> json reads by granted

tool ask_in_turn() -> json reads { answered(circle.call("ask", { "how": "plain" })) }

fn answered(said: json) -> json { json.parse(said as string) }

workflow main(how: string) -> json { answered(ask(how)) }
workflow refused(how: string) -> json { bare.call("ask", { "how": how }) catch ToolFailed(_, why) => why }
workflow wrong(how: string) -> json { ask(how) catch ToolFailed(_, why) => why }
workflow elsewhere() -> json { outside.call("ask", { "how": "roots" }) catch PermissionDenied(what) => what }
workflow locked() -> json { changed("plain") catch McpError(_, why) => why }
workflow in_circles() -> json { ask_in_turn() }

human seen(told: json) -> bool { user "Is it right?" }

workflow kept() -> json {
  let told = ask("plain")
  if seen(told) { answered(told) } else { none }
}

workflow in_time() -> bool {
  let _ = timeout 1s { "${patient.call("ask", { "how": "plain" })}" } catch Timeout(_) => ""
  for _ in 0..100 {
    if fs.exists("in/cancelled") { return true }
    sleep(50ms)
  }
  false
}

workflow bounded() -> string {
  budget(calls: 0) { "${ask("plain")}" } catch BudgetExceeded(what) => what
}

permissions { exec: ["python3"], fs.read: ["./in"] }
"#;

fn guest(name: &str, age: &str) -> Kept {
    let guest = Kept::new(&format!("{name}_{age}"), &GUEST.replace("AGE", age));
    std::fs::write(guest.folder.join("server.py"), SERVER).expect("the folder can be written");
    guest
}

/// The server has asked, and the program does not answer in time.
#[test]
fn a_call_that_is_given_up_while_its_question_is_answered_is_cancelled_at_the_server() {
    let guest = guest("mcp_sampling_late", "older");
    std::fs::create_dir(guest.folder.join("in")).expect("the folder can be written");
    let (said, all) = asked(&guest, &["in_time"]);
    assert_eq!(said, true, "{all:?}");
}

fn asked(guest: &Kept, words: &[&str]) -> (Value, Said) {
    let mut all = words.to_vec();
    all.extend(["--store", "off", "--events", "events.jsonl"]);
    let said = guest.run(&all);
    assert_eq!(said.code, Some(0), "{said:?}");
    let value = serde_json::from_str(&said.out).expect("a result is JSON");
    (value, said)
}

fn events(guest: &Kept) -> Vec<Value> {
    let events = guest.read("events.jsonl");
    let events = events
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok());
    events.collect()
}

const AGES: [&str; 2] = ["older", "newer"];

// G27
#[test]
fn the_agent_that_is_named_answers_a_server() {
    for age in AGES {
        let guest = guest("mcp_sampling", age);
        let (said, all) = asked(&guest, &["main", "--how", "plain"]);
        assert_eq!(said[0]["model"], "sim/default", "{age}: {all:?}");
        assert_eq!(said[0]["stopReason"], "stopSequence");
        let text = said[0]["content"]["text"].as_str().expect("a text");
        assert!(text.contains("Why?") && !text.contains("STOP"), "{text}");
        let events = events(&guest);
        let of = |what: &str| {
            events
                .iter()
                .find(|it| it["event"] == what)
                .expect("it is told")
        };
        let request = of("model_request");
        assert_eq!(
            request["settings"]["max_tokens"], 50,
            "what the server wants is less"
        );
        assert!(
            !request.to_string().contains("input_schema"),
            "it is given no tools"
        );
        let request = request["request"].to_string();
        assert!(
            request.contains("You help.") && request.contains("Be brief."),
            "{request}"
        );
        let tool = events
            .iter()
            .find(|it| it["event"] == "child_attached" && it["kind"] == "tool");
        let prompt = events
            .iter()
            .find(|it| it["event"] == "child_attached" && it["kind"] == "prompt");
        let (tool, prompt) = (tool.expect("told"), prompt.expect("told"));
        assert_eq!(prompt["name"], "answer_server");
        assert_eq!(prompt["parent"], tool["node"], "it belongs to the tool");
        asked(&guest, &["main", "--how", "many"]);
        let most = self::events(&guest)
            .into_iter()
            .find(|it| it["event"] == "model_request");
        assert_eq!(
            most.expect("told")["settings"]["max_tokens"],
            70,
            "no more than the agent's"
        );
    }
}

#[test]
fn what_is_not_granted_is_refused_and_seen() {
    for age in AGES {
        let guest = guest("mcp_sampling_refused", age);
        for how in ["plain", "roots", "form"] {
            let (said, all) = asked(&guest, &["refused", "--how", how]);
            let is_visible = match age {
                "older" => events(&guest)
                    .iter()
                    .any(|it| it["event"] == "mcp_event" && it["what"] == "refused"),
                _ => said
                    .as_str()
                    .is_some_and(|it| it.contains("it asks its caller for what it is not granted")),
            };
            assert!(is_visible, "{age} {how}: {all:?}");
            let answered = said.to_string();
            assert!(
                !answered.contains("simulated") && !answered.contains("file:"),
                "{answered}"
            );
        }
        let (form, _) = asked(&guest, &["wrong", "--how", "form"]);
        let form = form.to_string();
        assert!(
            form.contains("decline") || form.contains("call_with_forms"),
            "{form}"
        );
    }
}

#[test]
fn a_server_asks_a_model_so_much_and_no_more() {
    for age in AGES {
        let guest = guest("mcp_sampling_bounds", age);
        for (how, why) in [
            (
                "often",
                "a model answers 20 times in one call and not more often",
            ),
            (
                "assistant",
                "what a model is to answer is the words of a user",
            ),
            ("none", "an answer has a token at least"),
            ("large", "256 kB"),
            ("image", "nothing but texts"),
        ] {
            let (said, all) = asked(&guest, &["wrong", "--how", how]);
            assert!(
                said.to_string().contains(why),
                "{age} {how}: {said}\n{all:?}"
            );
        }
        let answers = events(&guest);
        assert!(
            !answers.iter().any(|it| it["event"] == "model_request"),
            "{age}: an image is shown to no model"
        );
        let (said, all) = asked(&guest, &["bounded"]);
        assert!(said.to_string().contains("calls: 0"), "{age}: {all:?}");
    }
    let guest = guest("mcp_sampling_endless", "newer");
    let (said, _) = asked(&guest, &["wrong", "--how", "endless"]);
    assert!(said.to_string().contains("again and again"), "{said}");
    // What answers a server calls a tool of that server, which asks, and so on.
    let (_, all) = asked(&guest, &["in_circles"]);
    assert!(all.err.contains("nest too deep"), "{all:?}");
}

#[test]
fn the_folders_of_a_server_are_those_that_it_is_given_and_the_program_may_open() {
    for age in AGES {
        let guest = guest("mcp_roots", age);
        let (said, _) = asked(&guest, &["main", "--how", "roots"]);
        let folder = guest.folder.canonicalize().expect("it is there").join("in");
        let address = format!("file://{}/", folder.display());
        assert_eq!(said, json!([{ "roots": [{ "uri": address }] }]), "{age}");
        let (said, _) = asked(&guest, &["elsewhere"]);
        assert_eq!(said, "`fs.read` of `..`", "{age}");
    }
}

#[test]
fn a_tool_that_has_changed_is_refused_also_where_the_server_may_ask() {
    for age in AGES {
        let guest = guest("mcp_sampling_locked", age);
        let (said, all) = asked(&guest, &["locked"]);
        assert!(
            said.to_string().contains("does not match what was locked"),
            "{age}: {all:?}"
        );
    }
}

#[test]
fn a_run_that_goes_on_asks_neither_the_server_nor_the_model_again() {
    for age in AGES {
        let guest = guest("mcp_sampling_kept", age);
        let left = guest.run(&["kept", "--quiet"]);
        assert_ne!(left.code, Some(0), "{left:?}");
        std::fs::remove_file(guest.folder.join("server.py")).expect("it was there");
        let run = guest.listed();
        let id = run["id"].as_str().expect("a run has an id");
        guest.run(&["runs", "answer", id, "seen", "true"]);
        let said = guest.run(&["runs", "resume", id]);
        assert!(said.out.contains("simulated: Why?"), "{age}: {said:?}");
    }
}
