//! An editor that speaks with `gswc dap` over its pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{GSWC, text};

/// No answer takes so long; what hangs does.
pub(super) const HANGS: Duration = Duration::from_secs(120);

/// An editor and its debugger.
pub(super) struct Editor {
    pub(super) child: Child,
    pub(super) input: ChildStdin,
    pub(super) messages: Receiver<Value>,
    /// Events that were not waited for yet.
    pub(super) events: Vec<Value>,
    pub(super) sent: u64,
}

fn message(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(it) => length = it.parse().expect("a length"),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("messages are JSON"))
}

impl Editor {
    pub(super) fn new(folder: &Path) -> Self {
        let mut child = Command::new(GSWC)
            .arg("dap")
            .current_dir(folder)
            .env("GSW_STORE", folder.join("runs.db"))
            .env("GSW_CACHE", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("gswc can be started");
        let input = child.stdin.take().expect("its input is a pipe");
        let output = child.stdout.take().expect("its output is a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            messages,
            events: Vec::new(),
            sent: 0,
        }
    }

    pub(super) fn next(&mut self) -> Value {
        let next = self.messages.recv_timeout(HANGS);
        next.unwrap_or_else(|_| panic!("the debugger is silent; before: {:#?}", self.events))
    }

    /// The answer to a request, right or wrong.
    pub(super) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let number = self.send(command, arguments);
        self.answer(number)
    }

    /// Sends a request without waiting for its answer, and gives its number.
    pub(super) fn send(&mut self, command: &str, arguments: Value) -> u64 {
        self.sent += 1;
        let request = json!({
            "seq": self.sent, "type": "request", "command": command, "arguments": arguments,
        });
        let request = request.to_string();
        write!(
            self.input,
            "Content-Length: {}\r\n\r\n{request}",
            request.len()
        )
        .expect("it listens");
        self.sent
    }

    pub(super) fn answer(&mut self, number: u64) -> Value {
        loop {
            let message = self.next();
            if message["request_seq"] == json!(number) {
                return message;
            }
            self.events.push(message);
        }
    }

    /// The body of the answer to a request that succeeds.
    pub(super) fn told(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{command}: {answer:#}");
        answer["body"].clone()
    }

    /// The next event of a name; those before it are kept.
    pub(super) fn event(&mut self, name: &str) -> Value {
        if let Some(index) = self.events.iter().position(|it| it["event"] == name) {
            return self.events.remove(index)["body"].clone();
        }
        loop {
            let message = self.next();
            if message["event"] == name {
                return message["body"].clone();
            }
            assert!(
                message["event"] != "terminated",
                "it has ended before `{name}`: {:#?}",
                self.events
            );
            self.events.push(message);
        }
    }

    pub(super) fn launch(&mut self, arguments: Value) {
        self.told("initialize", json!({"adapterID": "gsw"}));
        self.told("launch", arguments);
        self.event("initialized");
    }

    /// Where it is paused: why, in which function, at which line.
    pub(super) fn stopped(&mut self) -> (String, String, u64) {
        let event = self.event("stopped");
        let thread = &event["threadId"];
        let stack = self.told("stackTrace", json!({"threadId": thread}));
        let top = &stack["stackFrames"][0];
        (
            event["reason"].as_str().unwrap_or_default().to_owned(),
            top["name"].as_str().unwrap_or_default().to_owned(),
            top["line"].as_u64().unwrap_or_default(),
        )
    }

    /// Asks to continue in some way, and gives where it is paused then.
    pub(super) fn goes(&mut self, command: &str) -> (String, String, u64) {
        self.told(command, json!({"threadId": 1}));
        self.stopped()
    }

    pub(super) fn evaluate(&mut self, expression: &str) -> String {
        let value = self.told("evaluate", json!({"expression": expression}));
        value["result"].as_str().unwrap_or_default().to_owned()
    }

    pub(super) fn lines(&mut self, file: &Path, lines: &[u64]) -> Value {
        let breakpoints: Vec<Value> = lines.iter().map(|it| json!({"line": it})).collect();
        self.told(
            "setBreakpoints",
            json!({"source": {"path": text(file)}, "breakpoints": breakpoints}),
        )["breakpoints"]
            .clone()
    }

    pub(super) fn begin(&mut self) {
        self.told("configurationDone", json!({}));
    }

    /// What was written to a category so far.
    pub(super) fn output(&self, category: &str) -> String {
        let written = self
            .events
            .iter()
            .filter(|it| it["event"] == "output" && it["body"]["category"] == category);
        let written = written.filter_map(|it| it["body"]["output"].as_str());
        written.collect()
    }

    pub(super) fn leave(mut self) {
        self.told("disconnect", json!({}));
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It has ended already, unless a test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
