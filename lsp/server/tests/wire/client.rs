//! An editor: a client with its server on a thread.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gsw_server::Ending;
use serde_json::{Value, json};

/// What has not come by then does not come: the test fails instead of waiting.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    input: UnixStream,
    output: BufReader<UnixStream>,
    server: Option<JoinHandle<Ending>>,
    next: u64,
    /// Messages that came while another one was waited for.
    kept: VecDeque<Value>,
    /// What the server answered to `initialize`.
    pub capabilities: Value,
}

impl Client {
    /// A client that says little of itself, so that diagnostics are published and positions count UTF-16 units.
    pub fn start() -> Self {
        Self::with(&json!({ "capabilities": {} }))
    }

    /// A client with these parameters of `initialize`.
    pub fn with(parameters: &Value) -> Self {
        let mut client = Self::uninitialized();
        let answer = client.ask("initialize", parameters);
        client.capabilities = answer["result"]["capabilities"].clone();
        assert!(client.capabilities.is_object(), "{answer}");
        client.tell("initialized", &json!({}));
        client
    }

    pub fn uninitialized() -> Self {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        ours.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                theirs.set_nonblocking(true).expect("a socket");
                let stream = tokio::net::UnixStream::from_std(theirs).expect("a socket");
                let (input, output) = stream.into_split();
                gsw_server::serve_on(input, output, std::sync::Arc::new(gsw_server::NoRuntime))
                    .await
                    .expect("a thread")
            })
        });
        let input = ours.try_clone().expect("a socket");
        Self {
            input,
            output: BufReader::new(ours),
            server: Some(server),
            next: 0,
            kept: VecDeque::new(),
            capabilities: Value::Null,
        }
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.input
            .write_all(bytes)
            .and_then(|()| self.input.flush())
            .expect("the server reads");
    }

    pub fn send(&mut self, body: &str) {
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn tell(&mut self, method: &str, parameters: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": parameters });
        self.send(&message.to_string());
    }

    /// Sends a request and gives its id.
    pub fn request(&mut self, method: &str, parameters: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        let message = match parameters {
            Value::Null => json!({ "jsonrpc": "2.0", "id": id, "method": method }),
            _ => json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }),
        };
        self.send(&message.to_string());
        id
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        self.wait_for(|it| it["id"] == id && it.get("method").is_none())
    }

    pub fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.request(method, parameters);
        self.answer(id)
    }

    /// The first message that fits; others are kept, requests of the server answered.
    pub fn wait_for(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.kept.iter().position(&fits) {
            return self.kept.remove(index).expect("it was just found");
        }
        loop {
            let message = self.receive().expect("the server is there");
            if message.get("id").is_some() && message.get("method").is_some() {
                let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": null });
                self.send(&reply.to_string());
            }
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// What the server asks next; it is not answered.
    pub fn asked(&mut self) -> Value {
        loop {
            let message = self.receive().expect("the server is there");
            if message.get("id").is_some() && message.get("method").is_some() {
                return message;
            }
        }
    }

    /// The next message; `None` when the server has gone.
    fn receive(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length:") {
                length = value.trim().parse().ok();
            }
        }
        let mut body = vec![0; length.expect("a message has a length")];
        self.output.read_exact(&mut body).ok()?;
        Some(serde_json::from_slice(&body).expect("a message is JSON"))
    }

    /// What is published about a document, in this version or the next report if there is none.
    pub fn published(&mut self, uri: &str) -> Vec<Value> {
        let message = self.wait_for(|it| {
            it["method"] == "textDocument/publishDiagnostics" && it["params"]["uri"] == uri
        });
        let found = message["params"]["diagnostics"].as_array();
        found.expect("reports are a list").clone()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "gsw", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Applies content changes, as the protocol writes them.
    pub fn change(&mut self, uri: &str, version: u64, changes: &Value) {
        let document = json!({ "uri": uri, "version": version });
        let change = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", &change);
    }

    pub fn close(&mut self, uri: &str) {
        let document = json!({ "textDocument": { "uri": uri } });
        self.tell("textDocument/didClose", &document);
    }

    /// Asks about a position in a document.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let place = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
        });
        self.ask(method, &place)["result"].take()
    }

    /// Asks about a document.
    pub fn about(&mut self, method: &str, uri: &str) -> Value {
        self.ask(method, &json!({ "textDocument": { "uri": uri } }))["result"].take()
    }

    /// Says goodbye; the server ends well.
    pub fn quit(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null)["result"], Value::Null);
        self.tell("exit", &Value::Null);
        assert_eq!(self.ending(), Ending::Regular);
    }

    /// Goes away without a word; how the server took it.
    pub fn vanish(mut self) -> Ending {
        self.input
            .shutdown(std::net::Shutdown::Both)
            .expect("a socket");
        self.ending()
    }

    /// Waits until the server ends by itself.
    pub fn left(mut self) -> Ending {
        self.ending()
    }

    fn ending(&mut self) -> Ending {
        let server = self.server.take().expect("a session ends once");
        let begun = Instant::now();
        while !server.is_finished() {
            assert!(begun.elapsed() < PATIENCE, "the session does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        server.join().expect("the server does not panic")
    }
}

/// A new folder with these files.
pub fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Of an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        write(&folder, file, text);
    }
    folder
}

pub fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    let parent = path.parent().expect("it is in a folder");
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(&path, text))
        .expect("the target folder can be written");
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub fn codes(found: &[Value]) -> Vec<String> {
    let code = |it: &Value| it["code"].as_str().unwrap_or_default().to_owned();
    found.iter().map(code).collect()
}
