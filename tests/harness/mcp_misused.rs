//! `flow mcp` with clients that send what cannot be read, send something twice, or go in the middle: each is told what is
//! wrong, and none keeps the others out.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::killed::Kept;
use crate::mcp_served::{Answer, Server, answer, call, eventually, initialize};

const HALL: &str = r#"
import std/fs
permissions { fs.read: ["."], fs.write: ["."] }

type Reply { fine: bool }
human approve() -> Reply timeout 1h { user "Is it fine?" }

/// Waits until a file is there.
workflow wait() -> string {
  defer { fs.append("log", "undone\n") }
  fs.append("log", "begun\n")
  while not fs.exists("go") { sleep(20ms) }
  fs.append("log", "done\n")
  "waited"
}

workflow ask() -> bool {
  defer { fs.append("log", "undone\n") }
  fs.append("log", "begun\n")
  approve().fine
}

workflow note(word: string = "x", more: json = none) -> string {
  fs.append("notes", "${word}\n")
  word
}
"#;

impl Kept {
    fn go(&self) {
        std::fs::write(self.folder.join("go"), "").expect("the folder can be written");
    }
}

/// A server at pipes, with what a client writes and reads.
pub struct Piped {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Piped {
    /// Starts it and greets it.
    pub fn start(kept: &Kept) -> Self {
        let mut command = kept.command(&["mcp", "--store", "off", "--quiet"]);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let input = child.stdin.take().expect("its input is a pipe");
        let output = child.stdout.take().expect("its output is a pipe");
        let mut piped = Self {
            child,
            input,
            output: heard(output),
        };
        piped.say(initialize().to_string().as_bytes());
        assert_eq!(piped.hear()["id"], 0);
        piped
    }

    pub fn say(&mut self, line: &[u8]) {
        self.input.write_all(line).expect("it reads");
        self.input.write_all(b"\n").expect("it reads");
    }

    pub fn hear(&mut self) -> Value {
        let line = self.output.recv_timeout(Duration::from_secs(60));
        let line = line.expect("it says more");
        serde_json::from_str(&line).expect("each line is JSON")
    }

    /// The id and the code of the error that is the next thing it says.
    fn refused(&mut self) -> (Value, Value) {
        let said = self.hear();
        (said["id"].clone(), said["error"]["code"].clone())
    }
}

/// The lines of a pipe as they come, so that a wait for one that never comes is not stuck.
fn heard(output: ChildStdout) -> Receiver<String> {
    let (said, heard) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        // There is no listener once the test has ended.
        let _ = lines.map(|it| said.send(it)).all(|it| it.is_ok());
    });
    heard
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn plain_call(id: u32, name: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": name, "arguments": arguments,
    }})
}

/// A call with arguments that no value of a library would write.
fn odd_call(arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"note","arguments":{arguments}}}}}"#
    )
}

fn nested(levels: usize) -> String {
    format!(r#"{{"more":{}{}}}"#, "[".repeat(levels), "]".repeat(levels))
}

/// Opens a session whose client has forms, and gives the line that names it.
fn session(server: &Server) -> String {
    let mut greeting = initialize();
    greeting["params"]["capabilities"] = json!({ "elicitation": {} });
    let greeted = server.post(&[], &greeting);
    let session = greeted.header("mcp-session-id").expect("a session");
    format!("Mcp-Session-Id: {session}")
}

fn error(answer: &Answer) -> (u16, Value, Value) {
    let messages = answer.messages();
    let said = messages.last().cloned().unwrap_or_default();
    (
        answer.status,
        said["id"].clone(),
        said["error"]["code"].clone(),
    )
}

#[test]
fn a_line_that_cannot_be_read_is_answered() {
    let kept = Kept::new("mcp_misused_lines", HALL);
    let mut piped = Piped::start(&kept);
    let nobody = Value::Null;
    for broken in [
        &b"hello"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":2,",
        b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}",
    ] {
        piped.say(broken);
        assert_eq!(piped.refused(), (nobody.clone(), json!(-32700)));
    }
    for other in [
        "null",
        "{}",
        r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
    ] {
        piped.say(other.as_bytes());
        assert_eq!(piped.refused(), (nobody.clone(), json!(-32600)), "{other}");
    }
    piped.say(&vec![b'a'; 17 << 20]);
    assert_eq!(piped.refused(), (nobody, json!(-32600)));
    // What is well-formed has an id, so that the client that waits for it gets an answer.
    for wrong in [
        odd_call(&nested(600)),
        odd_call(r#"{"word":"a","word":"b"}"#),
        odd_call(r#"{"word":"\ud800"}"#),
        odd_call("[]"),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {} }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {} }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "logging/setLevel",
            "params": { "level": "bogus" } })
        .to_string(),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "initialize" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": [1] }).to_string(),
    ] {
        piped.say(wrong.as_bytes());
        assert_eq!(piped.refused(), (json!(2), json!(-32602)), "{wrong:.200}");
    }
    assert_eq!(kept.read("notes"), "");
    piped.say(odd_call(&nested(300)).as_bytes());
    assert_eq!(piped.hear()["result"]["isError"], false);
    assert_eq!(kept.read("notes"), "x\n");
}

#[test]
fn an_id_is_of_one_request_at_a_time() {
    let kept = Kept::new("mcp_misused_twice", HALL);
    let mut piped = Piped::start(&kept);
    piped.say(plain_call(2, "wait", &json!({})).to_string().as_bytes());
    piped.say(plain_call(2, "note", &json!({})).to_string().as_bytes());
    let refused = piped.hear();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(
        refused["error"]["message"],
        "a request with this id is running"
    );
    // A text is another id than a number.
    let mut other = plain_call(2, "note", &json!({ "word": "other" }));
    other["id"] = json!("2");
    piped.say(other.to_string().as_bytes());
    assert_eq!(piped.hear()["id"], "2");
    kept.go();
    let waited = piped.hear();
    assert_eq!(waited["result"]["content"][0]["text"], "waited", "{waited}");
    piped.say(
        plain_call(2, "note", &json!({ "word": "later" }))
            .to_string()
            .as_bytes(),
    );
    assert_eq!(piped.hear()["id"], 2);
    assert_eq!(kept.read("notes"), "other\nlater\n");
}

#[test]
fn an_id_is_of_one_request_of_a_session_at_a_time() {
    let kept = Kept::new("mcp_misused_session", HALL);
    let server = Server::start(&kept, &["--http", "0"]);
    let (one, other) = (session(&server), session(&server));
    let first = server.send(
        "POST /mcp",
        &[&one],
        &call(2, "wait", &json!({})).to_string(),
    );
    eventually("it begins", || kept.read("log") == "begun\n");
    let refused = server.post(&[&one], &call(2, "note", &json!({ "word": "same" })));
    assert_eq!(
        error(&refused),
        (200, json!(2), json!(-32600)),
        "{refused:?}"
    );
    let elsewhere = server.post(&[&other], &call(2, "note", &json!({ "word": "other" })));
    assert_eq!(elsewhere.result()["isError"], false, "{elsewhere:?}");
    kept.go();
    let waited = answer(first);
    assert_eq!(
        waited.result()["content"][0]["text"],
        "waited",
        "{waited:?}"
    );
    let later = server.post(&[&one], &call(2, "note", &json!({ "word": "later" })));
    assert_eq!(later.result()["isError"], false, "{later:?}");
    assert_eq!(kept.read("notes"), "other\nlater\n");
}

/// What could continue as soon as the session has ended does not.
#[test]
fn the_end_of_a_session_cancels_what_runs_and_what_waits_for_its_client() {
    let kept = Kept::new("mcp_misused_end", HALL);
    let server = Server::start(&kept, &["--http", "0"]);
    let one = session(&server);
    let running = server.send(
        "POST /mcp",
        &[&one],
        &call(1, "wait", &json!({})).to_string(),
    );
    eventually("it begins", || kept.read("log") == "begun\n");
    assert_eq!(server.ask("DELETE /mcp", &[&one], "").status, 202);
    kept.go();
    eventually("it is undone", || kept.read("log").ends_with("undone\n"));
    assert_eq!(kept.read("log"), "begun\nundone\n");
    let two = session(&server);
    let asking = server.send(
        "POST /mcp",
        &[&two],
        &call(1, "ask", &json!({})).to_string(),
    );
    asked(&asking);
    assert_eq!(server.ask("DELETE /mcp", &[&two], "").status, 202);
    eventually("it is undone", || {
        kept.read("log") == "begun\nundone\nbegun\nundone\n"
    });
    drop((running, asking));
}

/// Reads on until the question has come.
fn asked(stream: &TcpStream) {
    let reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut lines = reader.lines().map_while(Result::ok);
    assert!(lines.any(|it| it.contains("elicitation/create")));
}

#[test]
fn a_stream_that_broke_off_is_taken_up_also_after_the_answer() {
    let kept = Kept::new("mcp_misused_resumed", HALL);
    let server = Server::start(&kept, &["--http", "0"]);
    let (one, other) = (session(&server), session(&server));
    let broken = server.send(
        "POST /mcp",
        &[&one],
        &call(1, "wait", &json!({})).to_string(),
    );
    let reader = BufReader::new(broken.try_clone().expect("a second handle"));
    let mut lines = reader.lines().map_while(Result::ok);
    let place = lines.find_map(|it| Some(it.strip_prefix("id:")?.trim().to_owned()));
    let last = format!(
        "Last-Event-ID: {}",
        place.expect("the first event has an id")
    );
    drop((broken, lines));
    eventually("it begins", || kept.read("log") == "begun\n");
    kept.go();
    let taken_up = || server.ask("GET /mcp", &[&one, &last], "");
    let text = |of: &Answer| of.result()["content"][0]["text"].clone();
    let answered = taken_up();
    assert_eq!(text(&answered), "waited", "{answered:?}");
    // By now the answer has come, whatever was the case before.
    let again = taken_up();
    assert_eq!(text(&again), "waited", "{again:?}");
    let strange = server.ask("GET /mcp", &[&other, &last], "");
    assert_eq!(strange.result(), Value::Null, "{strange:?}");
    assert_eq!(server.ask("DELETE /mcp", &[&one], "").status, 202);
    assert_eq!(taken_up().status, 404);
}

#[test]
fn a_body_that_cannot_be_read_is_told_so_in_the_protocol() {
    let kept = Kept::new("mcp_misused_bodies", HALL);
    let server = Server::start(&kept, &["--http", "0"]);
    let one = session(&server);
    let sent = |body: &str| error(&server.ask("POST /mcp", &[&one], body));
    for broken in ["", "{", r#"{"jsonrpc":"2.0","id":2,"method":"ping""#] {
        let expected = (400, Value::Null, json!(-32700));
        assert_eq!(sent(broken), expected, "{broken}");
    }
    let batch = r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    let deep = odd_call(&nested(130));
    for other in ["null", batch] {
        assert_eq!(sent(other), (400, Value::Null, json!(-32600)), "{other}");
    }
    let twice = odd_call(r#"{"word":"a","word":"b"}"#);
    for wrong in [
        &twice,
        &deep,
        &odd_call("[]"),
        r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get"}"#,
    ] {
        assert_eq!(sent(wrong), (200, json!(2), json!(-32602)), "{wrong}");
    }
    assert_eq!(kept.read("notes"), "");
    // A client that may not ask learns nothing else.
    let forged = server.ask("POST /mcp", &["Host: evil.example"], "{");
    assert_eq!(forged.status, 403, "{forged:?}");
}

#[test]
fn connections_that_never_say_what_they_want_make_room_for_others() {
    let kept = Kept::new("mcp_misused_half", HALL);
    let server = Server::start(&kept, &["--http", "0"]);
    let one = session(&server);
    let waiting = server.send(
        "POST /mcp",
        &[&one],
        &call(1, "wait", &json!({})).to_string(),
    );
    eventually("it begins", || kept.read("log") == "begun\n");
    let half = |number: usize| {
        let mut stream = server.connect();
        let begun = match number % 3 {
            0 => "",
            1 => "POST /mcp HTTP/1.1\r\nHost: loc",
            _ => "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{",
        };
        // One of those that had to make room may be gone already.
        let _ = stream.write_all(begun.as_bytes());
        stream
    };
    let half: Vec<TcpStream> = (0..1_100).map(half).collect();
    for number in 0..20 {
        let noted = server.post(&[&one], &call(10 + number, "note", &json!({})));
        assert_eq!(noted.result()["isError"], false, "{noted:?}");
    }
    kept.go();
    let waited = answer(waiting);
    assert_eq!(
        waited.result()["content"][0]["text"],
        "waited",
        "{waited:?}"
    );
    drop(half);
}
