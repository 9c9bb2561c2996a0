//! `std/mcp`: programs call the tools of servers, which are programs of ours here, built and started as any other.

use std::path::Path;

use crate::killed::Kept;
use crate::program::{Said, text};

/// What is called.
const SERVER: &str = r#"
import std/env
import std/exec
import std/fs

type Sum {
  total: int
}
workflow add(a: int, b: int) -> Sum { Sum { total: a + b } }
workflow shout(words: string) -> string { words.upper() }
workflow broken() { fail Failed("no luck") }

/// Which process it is, and what it finds around it.
workflow who() -> [string] {
  let parent = exec.run(["sh", "-c", "echo $PPID"]).stdout.trim()
  [parent, env.get("PLACE") ?? "nowhere", env.get("OTHER") ?? "none"]
}
workflow dies() { exec.run(["sh", "-c", "kill -9 $PPID"]) }
workflow slow() {
  defer { fs.append("slow.log", "undone\n") }
  fs.append("slow.log", "begun\n")
  sleep(1h)
}
"#;

const CALLER: &str = r#"
import std/fs
import std/mcp

fn server(place: string) -> mcp.Server {
  mcp.stdio("SERVER", ["mcp", "--store", "off", "--quiet"], { "PLACE": place })
}

/// Adds by the server.
tool add(a: int, b: int) -> int pure {
  let sum = server("here").call("add", { "a": a, "b": b })
  (sum["total"] as int)
}

workflow main() -> json {
  let sums = parallel for i in 0..20 { add(i, 1) }
  [sums.sum(), server("here").call("shout", { "words": "hi" })]
}
workflow shared() -> json {
  let first = server("here").call("who")
  let again = parallel for _ in 0..5 { server("here").call("who") }
  let other = server("there").call("who")
  [again.all(it => it == first), other == first, first["result"][1], other["result"][1]]
}
workflow fails() -> json {
  let server = server("here")
  let broken = server.call("broken") catch ToolFailed(_, why) => why
  let wrong = server.call("add", { "a": 1 }) catch ToolFailed(_, why) => why
  let unknown = server.call("nothing") catch McpError(_, why) => why
  [broken, wrong, unknown]
}
workflow again() -> json {
  let server = server("here")
  let before = server.call("who")
  let died = server.call("dies") catch OutcomeUnknown(what) => what
  let after = server.call("who")
  let read = die() catch McpError(_, why) => why
  [died, before == after, after["result"][1], read]
}
tool die() -> json reads { server("here").call("dies") }
/// Gives a call up as soon as it has begun, and waits until the server has undone it.
workflow late() -> string timeout 2m {
  let call = spawn server("here").call("slow")
  while not fs.exists("slow.log") { sleep(10ms) }
  call.cancel()
  while fs.read("slow.log") != "begun\nundone\n" { sleep(10ms) }
  "late"
}
/// Who is at the other end may have done what a time limit has given up, unless the tool says that this would not matter.
tool wait_there() -> json reads { server("here").call("slow") }
workflow limited() -> [string] {
  let once = timeout 300ms { "${server("here").call("slow")}" } catch {
    OutcomeUnknown(what) => what
    Timeout(_) => "late"
  }
  let reads = timeout 300ms { "${wait_there()}" } catch {
    OutcomeUnknown(what) => what
    Timeout(_) => "late"
  }
  [once, reads]
}
workflow missing() -> json { mcp.stdio("./no-such-program").call("add") }
workflow mute() -> json { mcp.stdio("sh", ["-c", "echo 'no key' >&2; exit 3"]).call("add") }
"#;

/// A built program that calls another one, and that one.
fn caller(name: &str, source: &str) -> (Kept, Kept) {
    let server = Kept::new(&format!("mcp_of_{name}"), SERVER);
    let source = source.replace("SERVER", text(&server.program));
    (Kept::new(&format!("mcp_by_{name}"), &source), server)
}

fn value(said: &Said) -> serde_json::Value {
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
}

// G27
#[test]
fn a_program_calls_the_tools_of_a_server() {
    let (kept, _server) = caller("calls", CALLER);
    let said = kept.run(&["--store", "off"]);
    assert_eq!(value(&said), serde_json::json!([210, {"result": "HI"}]));
    let said = kept.run(&["fails", "--store", "off"]);
    let failures = value(&said);
    assert_eq!(failures[0], "Failed: no luck");
    assert!(
        failures[1]
            .as_str()
            .is_some_and(|it| it.contains("`b` has no value")),
        "{said:?}"
    );
    assert_eq!(failures[2], "there is no tool `nothing`");
}

#[test]
fn a_server_is_shared_by_those_who_give_it_the_same() {
    let (kept, _server) = caller("shared", CALLER);
    let said = kept.run(&["shared", "--store", "off"]);
    assert_eq!(
        value(&said),
        serde_json::json!([true, false, "here", "there"])
    );
}

#[test]
fn a_server_that_has_ended_is_started_again_and_the_call_is_not_repeated() {
    let (kept, _server) = caller("again", CALLER);
    let said = kept.run(&["again", "--store", "off"]);
    let again = value(&said);
    // What it was called for may have been done, which matters where that must happen once.
    let once = again[0].as_str().unwrap_or_default();
    assert!(
        once.starts_with("mcp ") && once.contains(": it has ended"),
        "{said:?}"
    );
    assert_eq!((&again[1], &again[2]), (&false.into(), &"here".into()));
    let read = again[3].as_str().unwrap_or_default();
    assert!(read.starts_with("it has ended"), "{said:?}");
}

#[test]
fn a_call_that_nobody_waits_for_is_cancelled_at_the_server() {
    let (kept, _server) = caller("late", CALLER);
    let said = kept.run(&["late", "--store", "off"]);
    assert_eq!(said.out, "\"late\"\n", "{said:?}");
}

#[test]
fn a_call_that_a_time_limit_gives_up_may_have_been_done() {
    let (kept, _server) = caller("limited", CALLER);
    let said = kept.run(&["limited", "--store", "off"]);
    let said = value(&said);
    let once = said[0].as_str().unwrap_or_default();
    assert!(
        once.starts_with("mcp ") && once.contains("slow") && once.contains(", asked for at "),
        "{said}"
    );
    assert_eq!(said[1], "late");
}

#[test]
fn a_server_that_cannot_be_used_says_why() {
    let (kept, _server) = caller("mute", CALLER);
    let said = kept.run(&["missing", "--store", "off"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err
            .contains("McpError: ./no-such-program: it cannot be started"),
        "{said:?}"
    );
    let said = kept.run(&["mute", "--store", "off"]);
    assert!(said.err.contains("it has said: no key"), "{said:?}");
}

/// A server of the older age in a shell: it says something to people, how far it is with its third request, and that its tools are
/// others; before it ends it says more than anybody wants to know.
const TALKS: &str = r#"
n=0
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"talker","version":"1.2"}}}' ;;
    *'"tools/call"'*)
      n=$((n+1))
      case $n in
        1) echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"disk","data":"nearly full"}}'
           echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
           echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":'$token',"progress":1,"total":2,"message":"half"}}' ;;
        3) i=0; while [ $i -lt 120 ]; do i=$((i+1)); echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'$i'"}}'; done ;;
        5) exit 0 ;;
      esac
      sleep 0.2
      echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$n'"}]}}' ;;
    *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}' ;;
  esac
done
"#;

// G17, G27
#[test]
fn what_happens_with_a_server_is_told_with_its_answers() {
    const LISTENS: &str = r#"
import std/mcp
workflow main() -> [json] {
  let server = mcp.stdio("sh", ["TALKS"])
  (0..6).map(_ => server.call("next") catch OutcomeUnknown(_) => "gone")
}
"#;
    let script = crate::program::scratch("talks").join("server.sh");
    std::fs::write(&script, TALKS).expect("the target folder can be written");
    let kept = Kept::new("mcp_talks", &LISTENS.replace("TALKS", text(&script)));
    let log = crate::program::scratch("talks").join("events.jsonl");
    let said = kept.run(&["--store", "off", "--events", text(&log)]);
    let wanted = serde_json::json!(["1", "2", "3", "4", "gone", "1"]);
    assert_eq!(value(&said), wanted, "{said:?}");

    let events = std::fs::read_to_string(&log).expect("there are events");
    let events = events
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok());
    let told: Vec<serde_json::Value> = events
        .filter(|it: &serde_json::Value| it["event"] == "mcp_event")
        .collect();
    let server = format!("sh {}", text(&script));
    assert!(told.iter().all(|it| it["server"] == *server), "{told:?}");
    let of = |what: &str| -> Vec<&serde_json::Value> {
        let all = told.iter().filter(|it| it["what"] == what);
        all.map(|it| &it["payload"]).collect()
    };
    let started =
        serde_json::json!({ "name": "talker", "version": "1.2", "protocol": "2025-06-18" });
    assert_eq!(of("started"), [&started, &started]);
    // What it says after its last start may come after the last answer.
    assert!([1, 2].contains(&of("tools_changed").len()), "{told:?}");
    let half = serde_json::json!({ "progress": 1.0, "total": 2.0, "message": "half" });
    assert_eq!(of("progress")[0], &half);
    let full = serde_json::json!({ "level": "warning", "logger": "disk", "data": "nearly full" });
    assert_eq!(of("log")[0], &full);
    let dropped: u64 = of("dropped")
        .iter()
        .filter_map(|it| it["count"].as_u64())
        .sum();
    let said = of("log").len() as u64 + dropped;
    assert!([121, 122].contains(&said) && dropped > 0, "{told:?}");
    assert_eq!(of("ended").len(), 1);
    // The report goes to the caller.
    let first = told.first().expect("there is one");
    assert_eq!(first["what"], "started");
}

/// No server and nothing that one has started outlives the process that has called it, whether that ends or is killed.
#[test]
fn no_server_outlives_its_caller() {
    const LEAVES: &str = r#"
import std/fs
import std/mcp
workflow main() {
  let server = mcp.stdio("SERVER", ["mcp", "--store", "off", "--quiet"])
  let who = server.call("who")
  fs.write("server.pid", "${who["result"][0] as string}")
}
workflow stays() {
  main()
  sleep(1h)
}
"#;
    let (kept, _server) = caller("leaves", LEAVES);
    let is_there = |pid: &str| Path::new(&format!("/proc/{pid}/exe")).exists();
    let gone = || {
        let pid = kept.read("server.pid");
        let gone = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            !is_there(pid.trim())
        });
        assert!(gone, "the server {pid} is still there");
    };
    assert_eq!(kept.run(&["--store", "off"]).code, Some(0));
    gone();
    std::fs::remove_file(kept.folder.join("server.pid")).expect("it was written");
    let mut child = kept.start(&["stays", "--store", "off"]);
    while kept.read("server.pid").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    crate::killed::signal(&child, "-KILL");
    child.wait().expect("it was killed");
    gone();
}

/// What is not permitted is not started, and what was answered is not asked for again.
#[test]
fn servers_are_permitted_as_programs_are_and_their_answers_are_kept() {
    const ASKS: &str = r#"
import std/fs
import std/mcp
permissions { exec: ["SERVER"], fs.write: ["."] }
external go() -> int timeout 2d
tool ask(program: string) -> json { mcp.stdio(program, ["mcp", "--store", "off", "--quiet"]).call("who") }
workflow main() -> json {
  let who = ask("SERVER")
  fs.append("who.log", who["result"][0] as string)
  go()
  who
}
workflow other() -> json { ask("sh") }
"#;
    let (kept, _server) = caller("asks", ASKS);
    let said = kept.run(&["other", "--store", "off"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("`exec` of `sh`"), "{said:?}");
    let said = kept.run(&["--idle", "0s"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let id = kept.listed()["id"].as_str().expect("an id").to_owned();
    assert_eq!(kept.run(&["runs", "answer", &id, "go", "1"]).code, Some(0));
    let resumed = kept.run(&["runs", "resume", &id]);
    let who = value(&resumed);
    assert_eq!(
        who["result"][0].as_str(),
        Some(kept.read("who.log").as_str()),
        "{resumed:?}"
    );
}

/// Servers and commands leave their numbers, and start somebody who hears no signal but one.
const FAMILIES: &str = r#"
import std/exec
import std/mcp

const FAMILY: string = "(trap '' HUP INT TERM; sleep 600) & echo $! >> family; sleep 600"

workflow main() -> json {
  spawn { exec.run(["sh", "-c", FAMILY]) }
  mcp.stdio("sh", ["-c", FAMILY]).call("nothing")
}
"#;

#[test]
fn what_programs_have_started_ends_with_a_run_that_is_killed() {
    let kept = Kept::new("mcp_families", FAMILIES);
    let run = kept.start(&["--store", "off", "--quiet"]);
    let family = || {
        let written = kept.read("family");
        let numbers = written.lines().map(str::to_owned);
        numbers.collect::<Vec<String>>()
    };
    let within = |done: &dyn Fn() -> bool| {
        (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            done()
        })
    };
    assert!(within(&|| family().len() == 2), "{:?}", family());
    let lives = |number: &String| {
        let state = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // One that nobody has waited for is no more.
        !state.is_empty() && !state.contains(") Z ")
    };
    assert!(family().iter().all(lives));
    crate::killed::kill(run);
    let gone = within(&|| !family().iter().any(lives));
    assert!(gone, "{:?}", family());
}

/// Whom it calls has somebody hold its output open when it ends, or says nothing.
const SILENT: &str = r#"
import std/mcp

const GREETED: string = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "tools/call":
        how = asked["params"]["name"]
        token = asked["params"]["_meta"]["progressToken"]
        if how == "orphan":
            subprocess.Popen(["setsid", "sleep", "20"])
            time.sleep(0.2)
            os._exit(0)
        for _ in range(8 if how == "works" else 0):
            time.sleep(0.5)
            told = {"progressToken": token, "progress": 1}
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": told}), flush=True)
        if how == "silent":
            time.sleep(1000)
        result = {"content": [{"type": "text", "text": "done"}]}
    elif asked["method"] == "initialize":
        info = {"name": "silent", "version": "1"}
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""

fn server() -> mcp.Server { mcp.stdio("python3", ["-c", GREETED], silence: 2s) }

tool wait_there() -> json reads { server().call("silent") }
fn after_time(what: string) -> string { what.split("Z: ").last() ?? "" }

workflow main() -> [string] {
  let orphan = "${server().call("orphan")}" catch OutcomeUnknown(what) => after_time(what)
  let works = "${server().call("works")}"
  let reads = "${wait_there()}" catch McpError(_, why) => why
  let once = "${server().call("silent")}" catch OutcomeUnknown(what) => after_time(what)
  [orphan, works, reads, once]
}
"#;

#[test]
fn a_server_that_says_nothing_is_not_waited_for_for_ever() {
    let kept = Kept::new("mcp_silent", SILENT);
    let said = kept.run(&["--store", "off", "--quiet"]);
    assert_eq!(
        value(&said),
        serde_json::json!([
            "it has ended",
            "done",
            "the server has given neither an answer nor progress for 2s",
            "the server has given neither an answer nor progress for 2s"
        ]),
        "{said:?}"
    );
}

/// A server of the older age whose answers are broken in the way that the tool is called after.
const BROKEN: &str = r#"
import std/mcp

const BREAKS: string = """
import json, os, sys, time
def say(text):
    print(text, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    number = asked["id"]
    begun = '{"jsonrpc":"2.0","id":%d,' % number
    if asked["method"] == "tools/call":
        how = asked["params"]["name"]
        if how == "cut":
            say(begun + '"res')
        elif how == "doubled":
            say(begun + '"id":77,"result":{"content":[]}}')
        elif how == "large":
            say(begun + '"result":{"content":[{"type":"text","text":"%s"}]}}' % ("x" * 17000000))
        elif how == "odd":
            say(begun + '"result":{"content":7}}')
        elif how == "beyond":
            say(begun + '"result":{"content":[],"structuredContent":{"a":1e999}}}')
        elif how == "both":
            say(begun + '"result":{"content":[]},"error":{"code":1,"message":"no"}}')
        elif how == "closed":
            os.close(1)
            time.sleep(20)
        elif how == "refused":
            say(begun + '"error":{"code":-32602,"message":"not that"}}')
    elif asked["method"] == "initialize":
        info = {"name": "breaks", "version": "1"}
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
        say(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}))
    else:
        say(begun + '"error":{"code":-32601,"message":"no"}}')
"""

fn server() -> mcp.Server { mcp.stdio("python3", ["-c", BREAKS], silence: 30s) }

fn tried(how: string) -> string {
  "${server().call(how)}" catch {
    OutcomeUnknown(what) => "unknown ${what.split("Z: ").last() ?? ""}"
    McpError(_, why) => "not done: ${why}"
  }
}

tool reading(how: string) -> json reads { server().call(how) }

workflow main(how: string) -> [string] {
  let broken = tried(how)
  let reads = "${reading(how)}" catch McpError(_, why) => "not done: ${why}"
  [broken, reads]
}

/// Another call is open on the connection that a broken one ends.
workflow beside() -> [string] {
  let (open, broken) = parallel (
    tried("silent"),
    do {
      sleep(300ms)
      tried("cut")
    },
  )
  [open, broken]
}
"#;

#[test]
fn a_call_whose_answer_cannot_be_read_may_have_been_done() {
    let kept = Kept::new("mcp_broken", BROKEN);
    let run = |words: &[&str]| {
        let said = kept.run(&[words, &["--store", "off", "--quiet"]].concat());
        let all: Vec<String> = serde_json::from_str(&said.out).unwrap_or_default();
        assert!(!all.is_empty(), "{said:?}");
        all
    };
    for (how, why) in [
        ("cut", "a message of it is not JSON"),
        ("doubled", "a message of it is not JSON"),
        ("large", "a message of it has more than 16 MB"),
        ("odd", ""),
        ("both", "its answer cannot be read"),
        ("beyond", "expected a number that a float can hold"),
        ("closed", "it has closed its output"),
    ] {
        let said = run(&["main", "--how", how]);
        for (said, begins) in [(&said[0], "unknown "), (&said[1], "not done: ")] {
            assert!(said.starts_with(begins), "{how}: {said}");
            assert!(said.contains(why), "{how}: {said}");
            assert!(!said.contains("has ended"), "{how}: {said}");
        }
    }
    let refused = run(&["main", "--how", "refused"]);
    assert_eq!(refused[0], "not done: not that");
    for said in run(&["beside"]) {
        assert!(said.starts_with("unknown a message of it"), "{said}");
    }
}
