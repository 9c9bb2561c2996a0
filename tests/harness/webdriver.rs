//! Drives a real browser by the W3C WebDriver protocol, as far as tests of pages need it.
//!
//! A page draws with the browser's next frame. So whatever is done to it ends when that frame was drawn, and an element that a frame has replaced between its being found and its being used is found again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::scratch;

/// How the protocol names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long something may take that comes with a later frame.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the protocol says of an element that is not there yet or no longer.
const PASSING: [&str; 4] = [
    "no such element",
    "stale element reference",
    "element click intercepted",
    "element not interactable",
];

/// A browser with one page.
pub struct Browser {
    driver: Driver,
    session: String,
}

struct Driver {
    process: Child,
    /// Kept open, because it keeps writing to it.
    output: BufReader<ChildStdout>,
    port: u16,
}

impl Browser {
    /// A new browser; `None`, with a note, where there is none. `GSW_NEEDS_BROWSER` makes that a failure.
    pub fn start() -> Option<Self> {
        let found = |name: &&str| Command::new(name).arg("--version").output().is_ok();
        let browser = ["chromium", "chromium-browser", "google-chrome"]
            .iter()
            .find(|it| found(it));
        let (Some(browser), true) = (browser, found(&"chromedriver")) else {
            assert!(
                std::env::var_os("GSW_NEEDS_BROWSER").is_none(),
                "there is no browser"
            );
            eprintln!("NOT CHECKED: there is no chromium with chromedriver");
            return None;
        };
        // A driver that takes any free port ends when another takes the same one meanwhile.
        let started = (0..5).find_map(|_| Driver::start());
        let mut this = Self {
            driver: started.expect("chromedriver says on which port it listens"),
            session: String::new(),
        };
        let answer = this.ask("POST", "/session", &capabilities(browser));
        answer["sessionId"]
            .as_str()
            .expect("a session has an id")
            .clone_into(&mut this.session);
        Some(this)
    }

    /// Opens a page on the disk.
    pub fn open(&self, page: &Path) {
        self.post(
            "/url",
            &json!({ "url": format!("file://{}", page.display()) }),
        );
        self.settle();
    }

    /// Runs a script in the page.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The visible text of an element.
    pub fn text(&self, selector: &str) -> String {
        self.on(selector, "GET", "text", &Value::Null)
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Clicks on an element where a user would.
    pub fn click(&self, selector: &str) {
        self.on(selector, "POST", "click", &json!({}));
        self.settle();
    }

    pub fn write(&self, selector: &str, text: &str) {
        self.on(selector, "POST", "value", &json!({ "text": text }));
        self.settle();
    }

    /// Presses a key, by its name in the DOM.
    pub fn press(&self, key: &str) {
        let code = match key {
            "ArrowDown" => "\u{e015}",
            "End" => "\u{e010}",
            "Home" => "\u{e011}",
            "Escape" => "\u{e00c}",
            key => key,
        };
        let steps =
            json!([{ "type": "keyDown", "value": code }, { "type": "keyUp", "value": code }]);
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": steps });
        self.post("/actions", &json!({ "actions": [keyboard] }));
        self.settle();
    }

    /// Waits until all is drawn that the page must draw.
    fn settle(&self) {
        let script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(null)));";
        self.post("/execute/async", &json!({ "script": script, "args": [] }));
    }

    /// Waits until an element says something.
    pub fn wait_for(&self, selector: &str, wanted: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.text(selector) != wanted {
            assert!(
                Instant::now() < deadline,
                "{selector} says {:?}",
                self.text(selector)
            );
        }
    }

    /// Runs a script until it gives this: what is drawn comes with a later frame.
    pub fn wait_until(&self, script: &str, wanted: &Value) {
        let deadline = Instant::now() + PATIENCE;
        while self.run(script) != *wanted {
            assert!(Instant::now() < deadline, "{script}\n{}", self.run(script));
        }
    }

    /// What the browser's console says is wrong.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let all = log.as_array().cloned().unwrap_or_default();
        all.iter()
            .filter(|it| it["level"] == "SEVERE")
            .map(ToString::to_string)
            .collect()
    }

    /// Does something to an element, which is found again when a frame has replaced or covered it meanwhile.
    fn on(&self, selector: &str, method: &str, what: &str, body: &Value) -> Value {
        let deadline = Instant::now() + PATIENCE;
        let search = json!({ "using": "css selector", "value": selector });
        let search_at = format!("/session/{}/element", self.session);
        loop {
            let done = self.attempt("POST", &search_at, &search).and_then(|found| {
                let id = found[ELEMENT].as_str().unwrap_or_default();
                self.attempt(method, &format!("{search_at}/{id}/{what}"), body)
            });
            match done {
                Ok(value) => return value,
                Err(why) => assert!(
                    PASSING.contains(&why["error"].as_str().unwrap_or_default())
                        && Instant::now() < deadline,
                    "{what} of {selector}: {why}"
                ),
            }
        }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.attempt(method, path, body)
            .unwrap_or_else(|why| panic!("{method} {path}: {why}"))
    }

    /// One command of the protocol, or the error that it was answered with.
    fn attempt(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.driver.port)).expect("chromedriver listens");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream
            .write_all(request.as_bytes())
            .expect("chromedriver reads");
        let body = body_of(stream);
        let mut answer: Value =
            serde_json::from_str(&body).unwrap_or_else(|why| panic!("{why}: {body}"));
        let value = answer["value"].take();
        if value.get("error").is_some() {
            return Err(value);
        }
        Ok(value)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask(
                "DELETE",
                &format!("/session/{}", self.session),
                &Value::Null,
            );
        }
    }
}

impl Driver {
    /// `None` when it ends at once.
    fn start() -> Option<Self> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver can be started");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut this = Self {
            process,
            output,
            port: 0,
        };
        // First it prints which port it was given, which is any.
        while this.port == 0 {
            let mut line = String::new();
            let count = this.output.read_line(&mut line);
            if count.expect("what chromedriver says can be read") == 0 {
                return None;
            }
            let port = line
                .trim_end()
                .trim_end_matches('.')
                .rsplit_once("on port ");
            this.port = port.and_then(|it| it.1.parse().ok()).unwrap_or(0);
        }
        Some(this)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // One that has ended by itself is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The body of an answer; the driver leaves the connection open behind it.
fn body_of(stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("chromedriver answers");
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length is a number");
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("chromedriver answers");
    String::from_utf8(body).expect("JSON is UTF-8")
}

fn capabilities(browser: &str) -> Value {
    let profile = scratch("profile").join(format!(
        "{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let switches = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        // Containers give it 64 MB, with which a page of many rows ends.
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1400,900",
    ];
    let mut switches: Vec<String> = switches.map(str::to_owned).into();
    switches.push(format!("--user-data-dir={}", profile.display()));
    let binary = std::env::var("PATH").unwrap_or_default();
    let binary = std::env::split_paths(&binary)
        .map(|it| it.join(browser))
        .find(|it| it.exists());
    json!({ "capabilities": { "alwaysMatch": {
        "goog:chromeOptions": { "binary": binary, "args": switches },
        "goog:loggingPrefs": { "browser": "ALL" },
    } } })
}
