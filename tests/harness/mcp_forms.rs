//! Servers that ask for forms to be filled in: people of the program do, in both ages of the protocol.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::killed::Kept;
use crate::program::{Said, run_with_input, text};

/// A server of the newer age, which asks by a result.
const HOTEL: &str = r#"
type Booking {
  seat: "window" | "aisle" = "aisle"
  nights: int
  extras: ["breakfast" | "parking"] = ["parking"]
}

human details(hotel: string) -> Booking timeout 1m { user "What do you want at ${hotel}?" }

workflow book(hotel: string) -> string {
  let booking = details(hotel)
  "${hotel}: ${booking.seat}, ${booking.nights}, ${booking.extras.join(" and ")}"
}
"#;

const GUEST: &str = r#"
import std/mcp

fn hotel() -> mcp.Server { SERVER }

type Wish { nights: int }

human wish(message: string, fields: json) -> Wish timeout 1m { user "${message}" }

fn fill(form: mcp.Form) -> {string: json}? {
  { "nights": wish(form.message, form.fields).nights }
}

workflow main() -> json { hotel().call_with_forms("book", { "hotel": "Ritz" }, fill) }

workflow declined() -> json {
  hotel().call_with_forms("book", { "hotel": "Ritz" }, _ => none) catch ToolFailed(_, why) => why
}

workflow wrong() -> json {
  hotel().call_with_forms("book", { "hotel": "Ritz" }, _ => { "nights": "many" }) catch McpError(_, why) => why
}

workflow plain() -> json {
  hotel().call("book", { "hotel": "Ritz" }) catch McpError(_, why) => why
}
"#;

const QUIET: &[&str] = &["--store", "off", "--quiet"];

fn guest(name: &str, server: &str) -> Kept {
    Kept::new(name, &GUEST.replace("SERVER", server))
}

fn asked(guest: &Kept, workflow: &str) -> Said {
    let mut words = vec![workflow];
    words.extend(QUIET);
    run_with_input(&guest.program, &words, "{\"nights\": 3}\n")
}

// G27
#[test]
fn a_person_of_the_program_fills_in_the_form_of_a_server() {
    let hotel = Kept::new("mcp_forms_hotel", HOTEL);
    let server = format!(
        "mcp.stdio(\"{}\", [\"mcp\", \"--store\", \"off\", \"--quiet\"])",
        text(&hotel.program)
    );
    let guest = guest("mcp_forms_guest", &server);
    let said = asked(&guest, "main");
    assert_eq!(
        said.out.trim(),
        r#"{"result":"Ritz: aisle, 3, parking"}"#,
        "{said:?}"
    );
    let said = asked(&guest, "declined");
    assert!(said.out.contains("declined"), "{said:?}");
    let said = asked(&guest, "wrong");
    assert!(said.out.contains("`nights` does not fit"), "{said:?}");
    let said = asked(&guest, "plain");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("aisle"), "{said:?}");
}

/// A server of the older age, which asks while a call is open.
struct Older {
    url: String,
    /// What was filled in.
    filled: Arc<Mutex<Vec<Value>>>,
}

impl Older {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let filled: Arc<Mutex<Vec<Value>>> = Arc::default();
        let kept = Arc::clone(&filled);
        let (answer, answers) = channel();
        let answers = Arc::new(Mutex::new(answers));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), answer.clone());
                let answers = Arc::clone(&answers);
                std::thread::spawn(move || serve(stream, &kept, (&answer, &answers)));
            }
        });
        Self {
            url: format!("mcp.http(\"http://127.0.0.1:{port}/mcp\")"),
            filled,
        }
    }
}

fn serve(
    stream: TcpStream,
    filled: &Mutex<Vec<Value>>,
    (answer, answers): (&Sender<()>, &Mutex<Receiver<()>>),
) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut stream = stream;
    while let Some(asked) = read(&mut reader) {
        let id = &asked["id"];
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "older", "version": "1" },
            }),
            Some("tools/call") => {
                let question = question();
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                let begun = stream.write_all(format!("{head}data: {question}\n\n").as_bytes());
                if begun.is_err() || answers.lock().expect("nobody panics").recv().is_err() {
                    return;
                }
                let told = filled.lock().expect("nobody panics").last().cloned();
                let result = json!({ "content": [{ "type": "text", "text": told.unwrap_or_default().to_string() }] });
                let result = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                // The client may have gone.
                let _ = stream.write_all(format!("data: {result}\n\n").as_bytes());
                return;
            }
            // The answer to the question.
            None if asked.get("result").is_some() => {
                filled
                    .lock()
                    .expect("nobody panics")
                    .push(asked["result"].clone());
                let _ = answer.send(());
                Value::Null
            }
            Some(_) | None => Value::Null,
        };
        let reply = reply(&asked, result);
        if stream.write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

fn question() -> Value {
    let fields = json!({
        "type": "object",
        "properties": {
            "nights": { "type": "integer" },
            "seat": { "type": "string", "default": "aisle" },
        },
        "required": ["nights"],
    });
    json!({
        "jsonrpc": "2.0", "id": "q1", "method": "elicitation/create",
        "params": { "message": "What do you want?", "requestedSchema": fields },
    })
}

/// An answer over HTTP; `null` is no result.
fn reply(asked: &Value, result: Value) -> String {
    let id = &asked["id"];
    let (status, body) = match (asked, result) {
        (Value::Null, _) => ("405 Method Not Allowed", String::new()),
        (_, Value::Null) if id.is_null() || asked.get("result").is_some() => {
            ("202 Accepted", String::new())
        }
        (_, Value::Null) => {
            let error = json!({ "code": -32601, "message": "no such method" });
            let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            ("200 OK", answer.to_string())
        }
        (_, result) => {
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            ("200 OK", answer.to_string())
        }
    };
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// What the next request says, `null` if that is nothing; none when the client has gone.
fn read(reader: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap_or_default())
}

#[test]
fn a_server_of_the_older_age_asks_while_its_call_is_open() {
    let older = Older::start();
    let guest = guest("mcp_forms_older", &older.url);
    let said = asked(&guest, "main");
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = asked(&guest, "declined");
    assert!(said.out.contains("decline"), "{said:?}");
    let filled = older.filled.lock().expect("nobody panics").clone();
    assert_eq!(
        filled,
        [
            json!({ "action": "accept", "content": { "nights": 3, "seat": "aisle" } }),
            json!({ "action": "decline" }),
        ]
    );
}

/// The call that has asked was open in a process that is not there any more.
#[test]
fn a_run_that_is_answered_later_learns_that_its_call_has_gone() {
    let older = Older::start();
    let guest = guest("mcp_forms_later", &older.url);
    let left = guest.run(&["--quiet"]);
    assert_ne!(left.code, Some(0), "{left:?}");
    let run = guest.listed();
    let id = run["id"].as_str().expect("a run has an id");
    let said = guest.run(&["runs", "answer", id, "wish", "{\"nights\": 3}"]);
    let said = (said, guest.run(&["runs", "resume", id]));
    let all = format!("{said:?}");
    assert!(all.contains("is not open any more"), "{all}");
}
