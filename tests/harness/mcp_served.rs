//! `flow mcp --http`: a built program serves its workflows at an address, in both ages of the protocol, and withstands hostile
//! clients.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::killed::{Kept, signal};
use crate::mcp_server::SHOP;
use crate::program::Said;

/// A program that serves, until the test ends.
pub struct Server {
    child: Child,
    pub port: u16,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Server {
    pub fn start(kept: &Kept, words: &[&str]) -> Self {
        let mut all = vec!["mcp", "--quiet", "--store", "off"];
        all.extend(words);
        let mut command = kept.command(&all);
        let mut child = command
            .env("TOKEN", "a token that nobody knows")
            .spawn()
            .expect("it starts");
        let said = child.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(said).lines().map_while(Result::ok);
        let line = lines.find(|it| it.starts_with("serves MCP at "));
        let line = line.expect("it says where it serves");
        let port = line.rsplit_once(':').and_then(|it| it.1.split('/').next());
        let port = port.and_then(|it| it.parse().ok());
        // What it writes later is not read, and must not stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            port: port.expect("the address has a port"),
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("a limit");
        stream
    }

    /// Sends a request whose head has these lines beside the usual ones.
    pub fn send(&self, line: &str, head: &[&str], body: &str) -> TcpStream {
        let mut stream = self.connect();
        let has_host = head.iter().any(|it| it.starts_with("Host:"));
        let host = match has_host {
            true => String::new(),
            false => format!("Host: 127.0.0.1:{}\r\n", self.port),
        };
        let head: String = head.iter().map(|it| format!("{it}\r\n")).collect();
        let request = format!(
            "{line} HTTP/1.1\r\n{host}Connection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{head}\r\n{body}",
            body.len()
        );
        // It may answer and close before all of it was sent.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    pub fn ask(&self, line: &str, head: &[&str], body: &str) -> Answer {
        answer(self.send(line, head, body))
    }

    pub fn post(&self, head: &[&str], body: &Value) -> Answer {
        self.ask("POST /mcp", head, &body.to_string())
    }

    /// A request of 2026-07-28.
    fn modern(&self, method: &str, params: Value) -> Answer {
        answer(self.send_modern(method, params))
    }

    fn send_modern(&self, method: &str, mut params: Value) -> TcpStream {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        });
        let name = params["name"].as_str().map(|it| format!("Mcp-Name: {it}"));
        let method_head = format!("Mcp-Method: {method}");
        let mut head = vec!["MCP-Protocol-Version: 2026-07-28", &method_head];
        head.extend(name.as_deref());
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.send("POST /mcp", &head, &body.to_string())
    }

    /// The number of kilobytes that it holds.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find(|it| it.starts_with("VmRSS"));
        let kilobytes = line.and_then(|it| it.split_whitespace().nth(1)?.parse().ok());
        kilobytes.expect("the system knows it")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// All messages in it, be they events or one body.
    pub fn messages(&self) -> Vec<Value> {
        let events = self.body.lines().filter_map(|it| it.strip_prefix("data:"));
        let events: Vec<Value> = events
            .filter_map(|it| serde_json::from_str(it.trim()).ok())
            .collect();
        match serde_json::from_str(&self.body) {
            Ok(one) => vec![one],
            Err(_) => events,
        }
    }

    pub fn result(&self) -> Value {
        let messages = self.messages();
        let last = messages.last();
        last.map(|it| it["result"].clone()).unwrap_or_default()
    }
}

/// Reads until the server closes, which it is asked to.
pub fn answer(stream: TcpStream) -> Answer {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let mut body = Vec::new();
    // One that was refused while it was sent may end in a reset.
    let _ = reader.read_to_end(&mut body);
    let status = lines
        .first()
        .and_then(|it| it.split(' ').nth(1)?.parse().ok());
    let headers = lines.iter().filter_map(|it| it.split_once(':'));
    Answer {
        status: status.unwrap_or(0),
        headers: headers
            .map(|it| (it.0.to_ascii_lowercase(), it.1.trim().to_owned()))
            .collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    }
}

pub fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    }})
}

pub fn call(id: u32, name: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": name, "arguments": arguments, "_meta": { "progressToken": "p" },
    }})
}

pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < until, "it never comes: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

// G27
#[test]
fn a_client_of_the_older_age_has_a_session() {
    let kept = Kept::new("mcp_served_older", SHOP);
    let server = Server::start(&kept, &["--http", "0"]);
    let greeted = server.post(&[], &initialize());
    assert_eq!(greeted.status, 200, "{greeted:?}");
    assert_eq!(greeted.result()["protocolVersion"], "2025-11-25");
    let session = greeted.header("mcp-session-id").expect("a session");
    let session = format!("Mcp-Session-Id: {session}");
    let head = [session.as_str(), "MCP-Protocol-Version: 2025-11-25"];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(server.post(&head, &ready).status, 202);
    let added = server.post(&head, &call(1, "add", &json!({"a": 2, "b": 3})));
    let messages = added.messages();
    let progress = messages
        .iter()
        .filter(|it| it["method"] == "notifications/progress");
    let progress: Vec<_> = progress.map(|it| &it["params"]["message"]).collect();
    assert_eq!(progress, ["step adding", "2"], "{added:?}");
    assert_eq!(added.result()["structuredContent"]["amount"], 5);
    // Another client's call of the same id is another call.
    let slow = server.send("POST /mcp", &head, &call(7, "slow", &json!({})).to_string());
    eventually("it begins", || kept.read("slow.log") == "begun\n");
    let other = server.post(&[], &initialize());
    let other = other.header("mcp-session-id").expect("a session");
    let other = format!("Mcp-Session-Id: {other}");
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 7 } });
    assert_eq!(server.post(&[&other], &cancel).status, 202);
    let added = server.post(&head, &call(2, "add", &json!({"a": 1, "b": 1})));
    assert_eq!(added.result()["structuredContent"]["amount"], 2);
    assert_eq!(kept.read("slow.log"), "begun\n");
    // The end of the session is the end of its calls.
    let gone = server.ask("DELETE /mcp", &head, "");
    assert!((200..300).contains(&gone.status), "{gone:?}");
    eventually("it is undone", || {
        kept.read("slow.log") == "begun\nundone\n"
    });
    assert_eq!(server.post(&head, &call(3, "add", &json!({}))).status, 404);
    drop(slow);
}

#[test]
fn a_client_of_the_newer_age_has_none_and_is_asked_between_its_calls() {
    let kept = Kept::new("mcp_served_newer", SHOP);
    let server = Server::start(&kept, &["--http", "0"]);
    let found = server.modern("server/discover", json!({}));
    assert_eq!(found.status, 200, "{found:?}");
    assert_eq!(found.header("mcp-session-id"), None);
    let ship = |more: Value| {
        let mut params =
            json!({ "name": "ship", "arguments": { "order": { "id": "7", "amount": 1 } } });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        server.modern("tools/call", params)
    };
    let asked = ship(json!({})).result();
    assert_eq!(asked["resultType"], "input_required");
    let question = &asked["inputRequests"]["approve"];
    assert_eq!(question["params"]["message"], "Ship 7?", "{asked}");
    let token = asked["requestState"].as_str().expect("a token");
    // An unknown token, and one for another tool, find nothing; what is no answer is asked for again.
    let forged = ship(json!({ "requestState": format!("{token}0") }));
    assert_eq!(forged.messages()[0]["error"]["code"], -32602, "{forged:?}");
    let params = json!({ "name": "slow", "arguments": {}, "requestState": token });
    let other = server.modern("tools/call", params);
    assert_eq!(other.messages()[0]["error"]["code"], -32602, "{other:?}");
    // Agreement to one order is not agreement to another.
    let answer = json!({ "action": "accept", "content": { "ship": true } });
    let changed = ship(json!({
        "arguments": { "order": { "id": "8", "amount": 1 } },
        "requestState": token,
        "inputResponses": { "approve": answer },
    }));
    let error = &changed.messages()[0]["error"];
    assert_eq!(error["code"], -32602, "{changed:?}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("other arguments"), "{changed:?}");
    assert_eq!(kept.read("shipped.log"), "");
    let wrong = json!({ "requestState": token, "inputResponses": { "approve": 3, "x": {} } });
    let asked = ship(wrong).result();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let answer = json!({ "action": "accept", "content": { "ship": true } });
    let token = &asked["requestState"];
    let more = json!({ "requestState": token, "inputResponses": { "approve": answer } });
    let shipped = ship(more.clone()).result();
    assert_eq!(
        shipped["structuredContent"]["result"], "shipped 7",
        "{shipped}"
    );
    let again = ship(more);
    assert_eq!(again.messages()[0]["error"]["code"], -32602, "{again:?}");
    assert_eq!(kept.read("shipped.log"), "7\n");
}

/// Where there is no session, breaking off the connection cancels the call.
#[test]
fn a_client_of_the_newer_age_that_goes_cancels_its_call() {
    let kept = Kept::new("mcp_served_gone", SHOP);
    let server = Server::start(&kept, &["--http", "0"]);
    let slow = server.send_modern("tools/call", json!({ "name": "slow", "arguments": {} }));
    eventually("it begins", || kept.read("slow.log") == "begun\n");
    drop(slow);
    eventually("it is undone", || {
        kept.read("slow.log") == "begun\nundone\n"
    });
    signal(&server.child, "-TERM");
    let mut server = server;
    eventually("it ends", || {
        let ended = server.child.try_wait().expect("it can be waited for");
        ended.is_some_and(|it| it.code() == Some(0))
    });
}

#[test]
fn who_does_not_belong_here_is_refused() {
    let kept = Kept::new("mcp_served_refused", SHOP);
    let server = Server::start(&kept, &["--http", "0"]);
    let port = server.port;
    let body = initialize().to_string();
    let asked = |head: &[&str]| server.ask("POST /mcp", head, &body).status;
    let own = format!("Origin: http://localhost:{port}");
    let neighbour = format!("Origin: http://localhost:{}", port.wrapping_add(1));
    let prefixed = format!("Origin: http://localhost:{port}.evil.example");
    assert_eq!(asked(&[]), 200);
    assert_eq!(asked(&[&own]), 200);
    assert_eq!(asked(&[&format!("Host: LocalHost:{port}")]), 200);
    for forged in [
        "Host: evil.example",
        "Host: 127.0.0.1.evil.example",
        "Host: localhost@evil.example",
    ] {
        assert!((400..500).contains(&asked(&[forged])), "{forged}");
    }
    for forged in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: ",
        "Origin: file://",
        &neighbour,
        &prefixed,
    ] {
        assert_eq!(asked(&[forged]), 403, "{forged}");
    }
    let two = [
        format!("Host: localhost:{port}"),
        "Host: evil.example".to_owned(),
    ];
    assert_eq!(asked(&[&two[0], &two[1]]), 400);
    assert_eq!(server.ask("POST /", &[], &body).status, 404);
    assert_eq!(server.ask("OPTIONS /mcp", &[], "").status, 405);
    assert_eq!(server.ask("POST /mcp", &[], "{").status / 100, 4);
    let deep = "[".repeat(100_000);
    assert_eq!(server.ask("POST /mcp", &[], &deep).status / 100, 4);
    let stranger = "Mcp-Session-Id: 00000000-0000-0000-0000-000000000000";
    assert_eq!(
        server.post(&[stranger], &call(1, "add", &json!({}))).status,
        404
    );
    assert_eq!(asked(&[]), 200);
}

#[test]
fn others_than_this_machine_need_a_token() {
    let kept = Kept::new("mcp_served_token", SHOP);
    let said = kept.run(&["mcp", "--http", "0.0.0.0:0"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--token-from"), "{said:?}");
    let far = [
        "mcp",
        "--http",
        "0.0.0.0:0",
        "--host",
        "shop.example",
        "--token-from",
    ];
    let said = kept.run(&[&far[..], &["NO_SUCH_TOKEN"]].concat());
    assert!(said.err.contains("`NO_SUCH_TOKEN` is not set"), "{said:?}");
    let mut short = kept.command(&[&far[..], &["SHORT"]].concat());
    let said: Said = short
        .env("SHORT", "abc")
        .output()
        .expect("it starts")
        .into();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("too easy to guess"), "{said:?}");
    let server = Server::start(&kept, &[&far[1..], &["TOKEN"]].concat());
    let asked = |head: &[&str]| server.post(head, &initialize()).status;
    let host = "Host: shop.example";
    assert_eq!(asked(&[host]), 401);
    assert_eq!(
        asked(&[host, "Authorization: Bearer a token that nobody knowz"]),
        401
    );
    assert_eq!(asked(&[host, "Authorization: Bearer a token"]), 401);
    let token = "Authorization: Bearer a token that nobody knows";
    assert_eq!(asked(&[host, token]), 200);
    assert_eq!(asked(&[token]), 403, "it is not known as 127.0.0.1");
}

/// Endless bodies, connections that say nothing, and sessions without number leave the server as it was.
#[test]
fn what_a_client_can_make_grow_has_a_limit() {
    let kept = Kept::new("mcp_served_limits", SHOP);
    let server = Server::start(&kept, &["--http", "0"]);
    // A body that is too large is refused before it comes.
    let mut large = server.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\nContent-Length: 5000000\r\n\r\n",
        server.port
    );
    large.write_all(head.as_bytes()).expect("it reads");
    assert_eq!(answer(large).status, 413);
    // A body whose length is not given.
    let mut endless = server.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.port
    );
    endless.write_all(head.as_bytes()).expect("it reads");
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let sent = (0..1_000).take_while(|_| endless.write_all(chunk.as_bytes()).is_ok());
    assert!(sent.count() < 1_000, "it reads for ever");
    // Heads and bodies that never end.
    let half: Vec<TcpStream> = (0..200)
        .map(|number| {
            let mut stream = server.connect();
            let begun = match number % 3 {
                0 => "",
                1 => "POST /mcp HTTP/1.1\r\nHost: loc",
                _ => "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{",
            };
            stream.write_all(begun.as_bytes()).expect("it reads");
            stream
        })
        .collect();
    let sessions: Vec<Answer> = (0..1_200)
        .map(|_| server.post(&[], &initialize()))
        .collect();
    assert!(sessions.iter().all(|it| it.status == 200));
    let session = |it: &Answer| {
        format!(
            "Mcp-Session-Id: {}",
            it.header("mcp-session-id").unwrap_or("none")
        )
    };
    let (first, last) = (session(&sessions[0]), session(&sessions[1_199]));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(
        server.post(&[&first], &ready).status,
        404,
        "it was idle longest"
    );
    assert_eq!(server.post(&[&last], &ready).status, 202);
    let added = server.post(&[&last], &call(1, "add", &json!({"a": 1, "b": 1})));
    assert_eq!(added.result()["structuredContent"]["amount"], 2);
    assert!(server.memory() < 400_000, "{} kB", server.memory());
    drop(half);
}
