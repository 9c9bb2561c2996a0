//! Programs against the scripted provider: what goes over the wire, and what happens when the other side misbehaves.

use std::path::Path;
use std::process::{Command, Stdio};

use fake_provider::{Answer, Body, Reply, Script, Server};
use serde_json::{Value, json};

use crate::program::{Said, root, scratch, text};

/// A provider that plays a script while `work` runs, and what it was asked.
pub fn with_provider<T>(script: Script, work: impl FnOnce(&str) -> T) -> (T, Vec<Value>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let server = runtime
        .block_on(Server::start(script, 0))
        .expect("a port is free");
    let result = work(&server.url());
    let asked = server
        .requests()
        .iter()
        .map(|request| serde_json::from_slice(request.body.as_ref()).unwrap_or(Value::Null))
        .collect();
    (result, asked)
}

/// Runs a program in memory with a real provider at `url`.
pub fn run(file: &Path, url: &str, arguments: &[&str]) -> Said {
    Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(file), "--"])
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .env_remove("GSW_MODEL")
        .env("GSW_CACHE", "off")
        .env("ANTHROPIC_API_KEY", "key-of-tests")
        .env("OPENAI_API_KEY", "key-of-tests")
        .env("ANTHROPIC_BASE_URL", url)
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .output()
        .expect("gswc can be started")
        .into()
}

pub fn when(part: &str, answer: Value) -> Reply {
    Reply {
        when: Some(part.into()),
        times: 0,
        ..Reply::of(Body::Answer(Answer { text: answer }))
    }
}

pub fn program(name: &str, source: &str) -> std::path::PathBuf {
    let file = scratch("wire").join(format!("{name}.gsw"));
    std::fs::write(&file, source).expect("the target folder can be written");
    file
}

const ASK: &str = r#"
type City { name: string, people: int where it > 0 }
agent guide { model: "anthropic/claude-sonnet-5-5" system: "You know cities." reflect: 1 }
prompt describe(name: string) -> City by guide { user "Describe ${name}." }
workflow main() -> string {
  let city = describe("Oslo")
  "${city.name} ${city.people}"
}
"#;

#[test]
fn review_gives_what_the_model_found() {
    let bug =
        json!([{ "title": "Check the index", "severity": "High", "line": 3, "confidence": 0.9 }]);
    let file = root().join("examples/review.gsw");
    let (said, asked) = with_provider(
        Script {
            replies: vec![when("", bug)],
        },
        |url| run(&file, url, &["--dir", "runtime/launcher"]),
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    let report: Value = serde_json::from_str(&said.out).expect("the result is JSON");
    assert_eq!(report["files"], asked.len(), "{report}");
    assert_eq!(report["bugs"][0]["severity"], "High");
    assert_eq!(asked[0]["model"], "claude-sonnet-5-5");
    assert!(
        asked[0]["output_config"]["format"]["schema"].is_object(),
        "{}",
        asked[0]
    );
    assert!(
        asked[0]["messages"].to_string().contains("<code>"),
        "{}",
        asked[0]["messages"]
    );
}

#[test]
fn triage_takes_the_way_that_each_answer_says() {
    let ticket =
        |topic: &str, urgency: u32| json!({ "topic": topic, "summary": "x", "urgency": urgency });
    let script = Script {
        replies: vec![
            when(
                "Write the answer to this message",
                "We ship everywhere.".into(),
            ),
            when("export button", ticket("Bug", 5)),
            when("invoice 1042", ticket("Bug", 1)),
            when("Norway", ticket("Other", 1)),
        ],
    };
    let file = root().join("examples/triage.gsw");
    let (said, _) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let actions: Value = serde_json::from_str(&said.out).expect("the result is JSON");
    assert_eq!(actions["examples/inbox/01-invoice.txt"]["kind"], "Keep");
    assert_eq!(actions["examples/inbox/02-export.txt"]["kind"], "Escalate");
    assert_eq!(
        actions["examples/inbox/03-norway.txt"]["text"], "We ship everywhere.",
        "{actions}"
    );
}

#[test]
fn fanout_asks_two_providers() {
    let script = Script {
        replies: vec![
            when("You are judge", json!({ "draft": 2, "why": "it is" })),
            when("Write about", json!({ "title": "T", "text": "x" })),
        ],
    };
    let file = root().join("examples/fanout.gsw");
    let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let winner: Value = serde_json::from_str(&said.out).expect("the result is JSON");
    assert_eq!(
        (&winner["votes"], &winner["round_trips"]),
        (&json!(5), &json!(8)),
        "{winner}"
    );
    assert!(
        asked
            .iter()
            .any(|it| it["response_format"]["type"] == "json_schema")
    );
}

#[test]
fn a_wrong_answer_is_shown_back_with_its_issues() {
    let script = Script::in_turn(vec![
        Reply::of(Body::Answer(Answer {
            text: json!({ "name": "Oslo", "people": 0 }),
        })),
        Reply::of(Body::Answer(Answer {
            text: json!({ "name": "Oslo", "people": 709_000 }),
        })),
    ]);
    let file = program("reflect", ASK);
    let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "\"Oslo 709000\"\n"),
        "{said:?}"
    );
    assert_eq!(asked.len(), 2);
    assert!(
        asked[1]["messages"].to_string().contains("$.people"),
        "{}",
        asked[1]["messages"]
    );
}

#[test]
fn a_model_that_answers_garbage_forever_is_an_invalid_response() {
    let script = Script::always(Reply::text("I would rather not say."));
    let file = program("garbage", ASK);
    let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!((said.code, asked.len()), (Some(1), 2), "{said:?}");
    assert!(said.err.contains("InvalidResponse"), "{}", said.err);
}

#[test]
fn an_error_can_be_read_as_json() {
    let script = Script::always(Reply::text("no"));
    let file = program("json_error", ASK);
    let (said, _) = with_provider(script, |url| run(&file, url, &["--json", "--quiet"]));
    let error: Value = serde_json::from_str(&said.err).expect("the error is JSON");
    assert_eq!(error["error"], "InvalidResponse");
    assert!(error["fields"]["issues"][0]["path"].is_string(), "{error}");
}

#[test]
fn an_unreachable_host_is_a_clear_error() {
    // No program has port 1 on this machine.
    let said = run(&program("unreachable", ASK), "http://127.0.0.1:1", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("127.0.0.1:1"), "{}", said.err);
}

#[test]
fn a_host_without_tls_is_a_clear_error() {
    use std::io::Write;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let host = listener.local_addr().expect("it is bound").to_string();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            // Whether the client still listens does not matter.
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let said = run(&program("tls", ASK), &format!("https://{host}"), &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("no secure connection"), "{}", said.err);
}

#[test]
fn a_missing_key_names_the_variable_and_the_simulator() {
    let said: Said = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(&program("key", ASK))])
        .stdin(Stdio::null())
        .env_remove("GSW_MODEL")
        .env_remove("ANTHROPIC_API_KEY")
        .output()
        .expect("gswc can be started")
        .into();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("ANTHROPIC_API_KEY") && said.err.contains("--model sim/default"),
        "{}",
        said.err
    );
}

const LOOK: &str = r#"
agent seer { model: "MODEL" cache: true }
prompt look(photo: image, terms: document, name: string) -> string by seer { user "Is ${photo} of ${name}?" }
prompt compare(photos: [image]) -> string by seer { user "Alike? ${photos}" }
workflow main() -> [string] {
  let png = image.bytes(bytes.from_base64("iVBORw0KGgo="), "image/png")
  let gif = image.bytes("GIF89a".bytes(), "image/gif")
  let terms = document.bytes("No refunds.".bytes(), "text/plain")
  let pdf = document.bytes("%PDF-1.7".bytes(), "application/pdf")
  let far = image.url("https://example.org/a.png")
  [look(png, terms, "Ada"), look(gif, terms, "Ada"), look(png, terms, "Ada"), look(far, pdf, "Ada"), compare([png, far])]
}
"#;

#[test]
fn images_and_documents_stand_where_the_text_names_them() {
    let ask = |model: &str| {
        let file = program(
            &model.replace(['/', '.'], "_"),
            &LOOK.replace("MODEL", model),
        );
        let script = Script::always(Reply::text("yes"));
        let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
        assert_eq!(said.code, Some(0), "{said:?}");
        // The third call is the first one again, and the second has other content.
        assert_eq!(asked.len(), 4, "{asked:?}");
        let contents = asked.iter().map(|it| it["messages"][0]["content"].clone());
        contents.collect::<Vec<_>>()
    };
    let text = |text: &str| json!({ "type": "text", "text": text });
    let (before, after) = (text("Is "), text(" of Ada?\n<terms>\n"));
    let asked = ask("anthropic/claude-sonnet-5-5");
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" });
    let png = json!({ "type": "image", "source": source });
    let source = json!({ "type": "text", "media_type": "text/plain", "data": "No refunds." });
    let terms = json!({ "type": "document", "source": source });
    assert_eq!(
        asked[0],
        json!([before, png, after, terms, text("\n</terms>")])
    );
    assert_eq!(asked[1][1]["source"]["media_type"], "image/gif");
    let source = json!({ "type": "url", "url": "https://example.org/a.png" });
    let far = json!({ "type": "image", "source": source });
    let source =
        json!({ "type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjc=" });
    let pdf = json!({ "type": "document", "source": source });
    assert_eq!(
        asked[2],
        json!([before, far, after, pdf, text("\n</terms>")])
    );
    assert_eq!(asked[3], json!([text("Alike? "), png, far]));

    let asked = ask("openai/gpt-5");
    let image = |url: &str| json!({ "type": "image_url", "image_url": { "url": url } });
    let png = image("data:image/png;base64,iVBORw0KGgo=");
    let terms = text("No refunds.");
    assert_eq!(
        asked[0],
        json!([before, png, after, terms, text("\n</terms>")])
    );
    let data = "data:application/pdf;base64,JVBERi0xLjc=";
    let file = json!({ "filename": "document.pdf", "file_data": data });
    let far = image("https://example.org/a.png");
    let pdf = json!({ "type": "file", "file": file });
    assert_eq!(
        asked[2],
        json!([before, far, after, pdf, text("\n</terms>")])
    );
}

#[test]
fn a_document_by_address_is_refused_where_the_protocol_has_none() {
    let source = r#"
agent reader { model: "openai/gpt-5" }
prompt sum(terms: document) -> string by reader { user "Sum up ${terms}" }
workflow main() -> string { sum(document.url("https://example.org/a.pdf")) }
"#;
    let file = program("far_document", source);
    let script = Script::always(Reply::text("yes"));
    let (said, asked) = with_provider(script, |url| run(&file, url, &[]));
    assert_eq!((said.code, asked.len()), (Some(1), 0), "{said:?}");
    assert!(
        said.err.contains("do not accept a document by URL"),
        "{}",
        said.err
    );
}
