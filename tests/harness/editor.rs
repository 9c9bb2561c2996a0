//! `gswc lsp` as an editor drives it: messages over pipes, framed by their length.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::program::scratch;

/// An editor with its server.
struct Editor {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Notifications that came while an answer was waited for.
    notifications: Vec<Value>,
}

impl Editor {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gswc"))
            // As VS Code and others say to every server.
            .args(["lsp", "--stdio"])
            .env_remove("GSW_STORE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("gswc starts");
        let input = process.stdin.take().expect("it is a pipe");
        let output = process.stdout.take().expect("it is a pipe");
        let mut editor = Self {
            process,
            input,
            output: BufReader::new(output),
            next: 0,
            notifications: Vec::new(),
        };
        let answer = editor.ask("initialize", &json!({ "capabilities": {} }));
        assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", &json!({}));
        editor
    }

    fn send(&mut self, body: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())
            .and_then(|()| self.input.flush())
            .expect("the server reads");
    }

    fn tell(&mut self, method: &str, parameters: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": parameters });
        self.send(&message.to_string());
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters });
        self.send(&message.to_string());
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            let count = self
                .output
                .read_line(&mut line)
                .expect("a line of a header");
            assert!(count > 0, "the server has gone");
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length:") {
                length = value.trim().parse().ok();
            }
        }
        let mut body = vec![0; length.expect("a message has a length")];
        self.output.read_exact(&mut body).expect("a whole message");
        serde_json::from_slice(&body).expect("a message is JSON")
    }

    /// The next report about a document.
    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        loop {
            let message = if self.notifications.is_empty() {
                self.receive()
            } else {
                self.notifications.remove(0)
            };
            let parameters = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && parameters["uri"] == uri {
                let found = parameters["diagnostics"].as_array();
                return found.expect("a report is a list").clone();
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "gsw", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn at(&mut self, method: &str, uri: &str, (line, character): (u32, u32)) -> Value {
        let place = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
        });
        self.ask(method, &place)["result"].take()
    }

    /// Replaces the text of a document.
    fn change(&mut self, uri: &str, version: u32, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", &change);
    }

    /// Says goodbye; the server ends well.
    fn quit(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null)["result"], Value::Null);
        self.tell("exit", &Value::Null);
        let status = self.process.wait().expect("it ends");
        assert_eq!(status.code(), Some(0));
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A folder with a file of its own for each test.
fn file(folder: &str, name: &str, text: &str) -> PathBuf {
    let path = scratch(folder).join(name);
    std::fs::write(&path, text).expect("scratch can be written");
    path
}

const PROGRAM: &str = "\
import ./greetings

/// Adds one.
fn next(n: int) -> int { n + 1 }

fn main_number() -> int {
  let number = next(1)
  number + greetings.count()
}
";

const GREETINGS: &str = "\
/// How many there are.
fn count() -> int { 2 }
";

#[test]
fn a_mistake_is_reported_and_goes_when_it_is_mended() {
    let mut editor = Editor::start();
    let path = file("editor-mistake", "main.gsw", "fn f() -> int { 1 }\n");
    let uri = uri(&path);
    editor.open(&uri, "fn f() -> int {\n  nothing\n}\n");
    let found = editor.diagnostics(&uri);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["code"], "unknown-name");
    assert_eq!(found[0]["severity"], 1);
    let range = json!({
        "start": { "line": 1, "character": 2 },
        "end": { "line": 1, "character": 9 },
    });
    assert_eq!(found[0]["range"], range);
    editor.change(&uri, 2, "fn f() -> int {\n  2\n}\n");
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    editor.quit();
}

#[test]
fn hover_shows_type_and_docs() {
    let mut editor = Editor::start();
    file("editor-hover", "greetings.gsw", GREETINGS);
    let path = file("editor-hover", "main.gsw", PROGRAM);
    let uri = uri(&path);
    editor.open(&uri, PROGRAM);
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    let function = editor.at("textDocument/hover", &uri, (6, 17));
    let shown = function["contents"]["value"].as_str().expect("markdown");
    assert!(shown.contains("fn next(n: int) -> int"), "{shown}");
    assert!(shown.contains("Adds one."), "{shown}");
    let local = editor.at("textDocument/hover", &uri, (7, 3));
    let shown = local["contents"]["value"].as_str().expect("markdown");
    assert!(shown.contains("let number: int"), "{shown}");
    assert_eq!(editor.at("textDocument/hover", &uri, (1, 0)), Value::Null);
    editor.quit();
}

#[test]
fn hover_says_what_words_and_models_are() {
    let mut editor = Editor::start();
    let text = "agent a { model: \"anthropic/claude-opus-5-5\" }\nworkflow main() -> int { step \"s\" retry 2 { 1 } }\n";
    let path = file("editor-words", "main.gsw", text);
    let uri = uri(&path);
    editor.open(&uri, text);
    let mut shown = |place: (u32, u32)| {
        let hover = editor.at("textDocument/hover", &uri, place);
        let text = hover["contents"]["value"].as_str().unwrap_or_default();
        text.to_owned()
    };
    let retry = shown((1, 36));
    assert!(
        retry.starts_with("```gsw\nretry\n```\n\nA modifier"),
        "{retry}"
    );
    assert!(!shown((1, 27)).contains("]("), "links lead nowhere here");
    assert!(shown((0, 3)).contains("Declares who answers prompts"));
    let model = shown((0, 30));
    assert!(model.contains("`anthropic/claude-opus-5-5`: $"), "{model}");
    editor.quit();
}

#[test]
fn definition_jumps_to_the_name_also_in_another_file() {
    let mut editor = Editor::start();
    let greetings = file("editor-jump", "greetings.gsw", GREETINGS);
    let path = file("editor-jump", "main.gsw", PROGRAM);
    let uri = uri(&path);
    editor.open(&uri, PROGRAM);
    let here = editor.at("textDocument/definition", &uri, (6, 17));
    assert_eq!(here["uri"], uri.as_str());
    assert_eq!(here["range"]["start"], json!({ "line": 3, "character": 3 }));
    let there = editor.at("textDocument/definition", &uri, (7, 22));
    assert_eq!(there["uri"], self::uri(&greetings));
    assert_eq!(
        there["range"]["start"],
        json!({ "line": 1, "character": 3 })
    );
    editor.quit();
}

#[test]
fn what_is_malformed_or_unknown_does_not_end_it() {
    let mut editor = Editor::start();
    editor.send("{ this is not JSON");
    editor.send("[]");
    let answer = editor.ask("gsw/unknown", &json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let path = file("editor-malformed", "main.gsw", "");
    let uri = uri(&path);
    let nowhere = editor.at("textDocument/hover", &uri, (99, 99));
    assert_eq!(nowhere, Value::Null);
    editor.open(&uri, "fn f( {");
    assert!(!editor.diagnostics(&uri).is_empty());
    let far = editor.at("textDocument/hover", &uri, (4_000_000, 4_000_000));
    assert_eq!(far, Value::Null);
    editor.quit();
}

#[test]
fn mistakes_in_gsw_toml_are_shown_and_go_when_they_are_mended() {
    let folder = scratch("editor").join("project");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let configuration = folder.join("gsw.toml");
    let write = |text: &str| {
        std::fs::write(&configuration, text).expect("the target folder can be written");
    };
    write("verison = \"1.0.0\"\n");
    let uri = |path: &Path| format!("file://{}", path.display());
    let (main, toml) = (uri(&folder.join("main.gsw")), uri(&configuration));
    let mut editor = Editor::start();
    let text = "workflow main() -> int { 1 }\n";
    editor.open(&main, text);
    let found = editor.diagnostics(&toml);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "unknown-key");
    assert_eq!(
        found[0]["range"]["end"],
        json!({ "line": 0, "character": 7 })
    );
    write("version = \"1.0.0\"\n");
    editor.change(&main, 2, text);
    assert_eq!(editor.diagnostics(&toml), Vec::<Value>::new());
    editor.quit();
}

/// The store of a project is seen from its folder, wherever the server was started.
#[test]
fn a_lens_shows_how_a_workflow_ran_last() {
    let text = "import std/exec\nworkflow main() -> int { exec.run([\"true\"]).code }\nworkflow other() -> int { 1 }\n";
    let path = file("editor-runs", "main.gsw", text);
    let folder = scratch("editor-runs");
    // Of an earlier run of the tests.
    let _ = std::fs::remove_file(folder.join("kept.db"));
    file("editor-runs", "gsw.toml", "[runs]\nstore = \"kept.db\"\n");
    let ran = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", "main.gsw"])
        .current_dir(&folder)
        .env_remove("GSW_STORE")
        .output()
        .expect("gswc starts");
    assert!(ran.status.success(), "{ran:?}");
    let mut editor = Editor::start();
    let uri = uri(&path);
    editor.open(&uri, text);
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = editor.ask("textDocument/codeLens", &document)["result"].take();
    let titles = lenses.as_array().into_iter().flatten();
    let titles: Vec<&str> = titles
        .filter_map(|it| it["command"]["title"].as_str())
        .collect();
    let [run, last, other] = titles.as_slice() else {
        panic!("{lenses}");
    };
    assert_eq!((*run, *other), ("run", "run"));
    assert!(last.starts_with("last run: completed, "), "{last}");
    editor.quit();
}
