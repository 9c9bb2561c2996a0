//! `gswc dap`, asked over the wire as an editor does: stops, steps, names, errors, and the way back.

mod addresses;
mod attached;
mod conditions;
mod names;
mod prompts;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{GSWC, scratch, text};

/// No answer takes so long; what hangs does.
const HANGS: Duration = Duration::from_secs(120);

/// An editor and its debugger.
struct Editor {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Events that were not waited for yet.
    events: Vec<Value>,
    sent: u64,
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
    fn new(folder: &Path) -> Self {
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

    fn next(&mut self) -> Value {
        let next = self.messages.recv_timeout(HANGS);
        next.unwrap_or_else(|_| panic!("the debugger is silent; before: {:#?}", self.events))
    }

    /// The answer to a request, right or wrong.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
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
        loop {
            let message = self.next();
            if message["request_seq"] == json!(self.sent) {
                return message;
            }
            self.events.push(message);
        }
    }

    /// The body of the answer to a request that succeeds.
    fn told(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{command}: {answer:#}");
        answer["body"].clone()
    }

    /// The next event of a name; those before it are kept.
    fn event(&mut self, name: &str) -> Value {
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

    fn launch(&mut self, arguments: Value) {
        self.told("initialize", json!({"adapterID": "gsw"}));
        self.told("launch", arguments);
        self.event("initialized");
    }

    /// Where it is paused: why, in which function, at which line.
    fn stopped(&mut self) -> (String, String, u64) {
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
    fn goes(&mut self, command: &str) -> (String, String, u64) {
        self.told(command, json!({"threadId": 1}));
        self.stopped()
    }

    fn evaluate(&mut self, expression: &str) -> String {
        let value = self.told("evaluate", json!({"expression": expression}));
        value["result"].as_str().unwrap_or_default().to_owned()
    }

    fn lines(&mut self, file: &Path, lines: &[u64]) -> Value {
        let breakpoints: Vec<Value> = lines.iter().map(|it| json!({"line": it})).collect();
        self.told(
            "setBreakpoints",
            json!({"source": {"path": text(file)}, "breakpoints": breakpoints}),
        )["breakpoints"]
            .clone()
    }

    fn begin(&mut self) {
        self.told("configurationDone", json!({}));
    }

    /// What was written to a category so far.
    fn output(&self, category: &str) -> String {
        let written = self
            .events
            .iter()
            .filter(|it| it["event"] == "output" && it["body"]["category"] == category);
        let written = written.filter_map(|it| it["body"]["output"].as_str());
        written.collect()
    }

    fn leave(mut self) {
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

fn program(name: &str, source: &str) -> PathBuf {
    let folder = scratch("debugger").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("scratch can be written");
    let file = folder.join("main.gsw");
    std::fs::write(&file, source).expect("scratch can be written");
    file.canonicalize().expect("it is there")
}

fn folder(file: &Path) -> &Path {
    file.parent().expect("it stands in a folder")
}

const SUM: &str = r#"type Line { title: string, price: int }

fn total(lines: [Line]) -> int {
  var sum = 0
  for line in lines {
    sum += line.price
  }
  sum
}

workflow main(lines: [Line] = [Line { title: "a", price: 3 }, Line { title: "b", price: 4 }]) -> int {
  let all = step "add up" {
    total(lines)
  }
  let doubled = lines.map(it => it.price * 2)
  all + doubled.sum()
}
"#;

fn at(why: &str, function: &str, line: u64) -> (String, String, u64) {
    (why.to_owned(), function.to_owned(), line)
}

#[test]
fn a_run_stops_steps_and_shows_its_names() {
    let file = program("steps", SUM);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "stopOnEntry": true}));
    let set = editor.lines(&file, &[6, 2, 99]);
    assert_eq!(set[0], json!({"verified": true, "line": 6}));
    assert_eq!(set[1]["line"], 4, "the next line with a statement");
    assert_eq!(set[2]["verified"], false);
    editor.lines(&file, &[6]);
    editor.begin();
    assert_eq!(editor.stopped(), at("entry", "main.main", 12));
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.total", 6));
    assert_eq!(editor.evaluate("sum"), "0");
    assert_eq!(editor.evaluate("line.title"), "\"a\"");
    assert_eq!(editor.evaluate("lines[1].price"), "4");
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.total", 6));
    assert_eq!(editor.evaluate("sum"), "3");
    let stack = editor.told("stackTrace", json!({"threadId": 1}));
    let frames = stack["stackFrames"].as_array().expect("a list");
    assert_eq!(frames.len(), 2, "{stack:#}");
    assert_eq!(frames[1]["line"], 13);
    let scopes = editor.told("scopes", json!({"frameId": frames[1]["id"]}));
    let names = scopes["scopes"][0]["variablesReference"].clone();
    let names = editor.told("variables", json!({"variablesReference": names}));
    let lines = &names["variables"][0];
    assert_eq!(lines["name"], "lines");
    assert_eq!(lines["indexedVariables"], 2);
    let inside = json!({"variablesReference": lines["variablesReference"]});
    let inside = editor.told("variables", inside);
    assert_eq!(inside["variables"][0]["name"], "[0]");
    editor.lines(&file, &[]);
    assert_eq!(editor.goes("next"), at("step", "main.total", 8));
    assert_eq!(editor.evaluate("sum"), "7");
    assert_eq!(editor.goes("stepOut"), at("step", "main.main", 15));
    assert_eq!(editor.evaluate("all"), "7");
    assert_eq!(editor.goes("stepIn"), at("step", "main.main lambda", 15));
    assert_eq!(editor.evaluate("it.price"), "3");
    assert_eq!(editor.goes("stepOut"), at("step", "main.main", 16));
    let wrong = editor.ask("evaluate", json!({"expression": "nobody"}));
    assert_eq!(wrong["message"], "no `nobody` is in scope");
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert_eq!(editor.output("stdout"), "21\n");
    editor.leave();
}

#[test]
fn one_goes_back_and_forth() {
    let file = program("back", SUM);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.lines(&file, &[6, 16]);
    editor.begin();
    assert_eq!(editor.stopped(), at("breakpoint", "main.total", 6));
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.total", 6));
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.main", 16));
    assert_eq!(editor.evaluate("doubled"), "[6,8]");
    // The statement before, in this function.
    assert_eq!(editor.goes("stepBack"), at("step", "main.main", 15));
    assert_eq!(editor.evaluate("all"), "7");
    let gone = editor.ask("evaluate", json!({"expression": "doubled"}));
    assert_eq!(gone["success"], false, "{gone:#}");
    assert_eq!(
        editor.goes("reverseContinue"),
        at("breakpoint", "main.total", 6)
    );
    assert_eq!(editor.evaluate("sum"), "3");
    assert_eq!(
        editor.goes("reverseContinue"),
        at("breakpoint", "main.total", 6)
    );
    assert_eq!(editor.evaluate("sum"), "0");
    assert_eq!(editor.goes("reverseContinue"), at("entry", "main.main", 12));
    // And forth again, as far as the run is, which has been paused there meanwhile.
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.total", 6));
    assert_eq!(editor.goes("next"), at("breakpoint", "main.total", 6));
    editor.lines(&file, &[]);
    assert_eq!(editor.goes("continue"), at("pause", "main.main", 16));
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert_eq!(editor.output("stdout"), "21\n");
    editor.leave();
}

const WAITS: &str = r#"import std/fs
permissions { fs.write: ["."], fs.read: ["."] }

error Odd(number: int)

fn half(number: int) -> int ! Odd {
  if number % 2 == 1 {
    fail Odd(number)
  }
  number / 2
}

workflow main(numbers: [int] = [4, 6, 7]) -> [int] {
  fs.append("log.txt", "once\n")
  let halves = parallel for number in numbers {
    step "half of ${number}" {
      sleep(1ms)
      half(number)
    }
  }
  halves
}
"#;

#[test]
fn an_error_that_nobody_catches_is_gone_back_to() {
    let file = program("errors", WAITS);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.told("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    editor.begin();
    let (why, function, line) = editor.stopped();
    assert_eq!((&*why, &*function, line), ("exception", "main.half", 8));
    assert_eq!(editor.evaluate("number"), "7");
    let info = editor.told("exceptionInfo", json!({"threadId": 1}));
    assert_eq!(info["exceptionId"], "Odd");
    assert_eq!(info["breakMode"], "unhandled");
    // To where the statement begins that raises it, then to the one before.
    assert_eq!(editor.goes("stepBack"), at("step", "main.half", 8));
    assert_eq!(editor.goes("stepBack"), at("step", "main.half", 7));
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert!(
        editor.output("stderr").contains("Odd"),
        "{:?}",
        editor.events
    );
    let log = std::fs::read_to_string(folder(&file).join("log.txt")).expect("it was written");
    assert_eq!(log, "once\n", "going back writes nothing");
    editor.leave();
}

#[test]
fn names_of_steps_and_functions_and_raised_errors_stop_a_run() {
    let file = program("names", WAITS);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "args": {"numbers": [2, 3]}}));
    editor.told(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "half of *"}]}),
    );
    editor.told("setExceptionBreakpoints", json!({"filters": ["raised"]}));
    editor.begin();
    let step = editor.event("stopped");
    assert_eq!(step["reason"], "function breakpoint");
    assert!(
        step["text"]
            .as_str()
            .is_some_and(|it| it.contains("half of 2")),
        "{step:#}"
    );
    let threads = editor.told("threads", json!({}));
    let threads = threads["threads"].as_array().expect("a list").len();
    assert!(threads >= 2, "the workflow and its iterations are tasks");
    editor.told("continue", json!({"threadId": 1}));
    let step = editor.event("stopped");
    assert!(
        step["text"]
            .as_str()
            .is_some_and(|it| it.contains("half of 3")),
        "{step:#}"
    );
    editor.told(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "half"}]}),
    );
    assert_eq!(
        editor.goes("continue"),
        at("function breakpoint", "main.half", 7)
    );
    assert_eq!(editor.evaluate("number"), "2");
    assert_eq!(
        editor.goes("continue"),
        at("function breakpoint", "main.half", 7)
    );
    assert_eq!(editor.goes("continue"), at("exception", "main.half", 8));
    assert_eq!(editor.evaluate("number"), "3");
    editor.leave();
}

const SLOW: &str = r#"import std/fs
permissions { fs.write: ["."] }

fn count(to: int) -> int {
  var n = 0
  while n < to {
    n += 1
  }
  n
}

workflow main(naps: int = 1, to: int = 0) -> string {
  defer { fs.append("log.txt", "undone\n") }
  let counted = count(to)
  let late = do {
    timeout 2s {
      sleep(500ms)
      "in time ${counted}"
    }
  } catch { Timeout(_) => "too late" }
  for _ in 0..naps {
    sleep(1h)
  }
  late
}
"#;

#[test]
fn time_stands_while_a_run_stands() {
    let file = program("time", SLOW);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "args": ["--naps", "0"]}));
    editor.lines(&file, &[18]);
    editor.begin();
    assert_eq!(editor.stopped().2, 18);
    // Longer than the time limit around it.
    std::thread::sleep(Duration::from_millis(2_500));
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert_eq!(editor.output("stdout"), "\"in time 0\"\n");
    editor.leave();
}

#[test]
fn a_run_is_paused_where_it_waits_and_where_it_computes() {
    let file = program("pause", SLOW);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "args": {"naps": 1}}));
    editor.lines(&file, &[22]);
    editor.begin();
    assert_eq!(editor.stopped().2, 22);
    editor.told("continue", json!({"threadId": 1}));
    assert_eq!(editor.goes("pause"), at("pause", "main.main", 22));
    assert_eq!(editor.evaluate("late"), "\"in time 0\"");
    // What it did before it waits can be gone back to.
    editor.lines(&file, &[18]);
    assert_eq!(editor.goes("reverseContinue").2, 18);
    editor.told("terminate", json!({}));
    editor.event("terminated");
    let log = std::fs::read_to_string(folder(&file).join("log.txt")).expect("it was written");
    assert_eq!(log, "undone\n", "it ends with its `defer`s");
    editor.leave();
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "args": {"to": 1_000_000_000_000_i64}}));
    editor.begin();
    let (why, function, _) = editor.goes("pause");
    assert_eq!(why, "pause");
    assert!(
        function == "main.count" || function == "main.main",
        "{function}"
    );
    editor.leave();
}

#[test]
fn a_run_that_is_kept_is_looked_at_backwards() {
    let file = program("kept", WAITS);
    let store = folder(&file).join("runs.db");
    let ran = Command::new(GSWC)
        .args(["run", text(&file), "--", "--store", text(&store)])
        .current_dir(folder(&file))
        .output()
        .expect("gswc can be started");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "run": "newest", "store": text(&store)}));
    editor.begin();
    assert_eq!(editor.stopped().0, "pause", "at its end");
    editor.lines(&file, &[8]);
    assert_eq!(
        editor.goes("reverseContinue"),
        at("breakpoint", "main.half", 8)
    );
    assert_eq!(editor.evaluate("number"), "7");
    assert_eq!(editor.goes("stepBack"), at("step", "main.half", 7));
    editor.lines(&file, &[]);
    assert_eq!(editor.goes("continue").0, "pause", "at its end again");
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    let log = std::fs::read_to_string(folder(&file).join("log.txt")).expect("it was written");
    assert_eq!(log, "once\n", "looking at it does nothing");
    editor.leave();
    // Whoever has seen enough ends the session as that of a live run.
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "run": "newest", "store": text(&store)}));
    editor.begin();
    editor.stopped();
    editor.told("terminate", json!({}));
    editor.event("terminated");
    editor.leave();
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "run": "ffff", "store": text(&store)}));
    let none = editor.ask("configurationDone", json!({}));
    assert_eq!(none["success"], false, "{none:#}");
    editor.event("terminated");
    // Another program than the one that the run was of.
    let other = WAITS.replace("\"once\\n\"", "\"twice\\n\"");
    std::fs::write(&file, other).expect("scratch can be written");
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "run": "newest", "store": text(&store)}));
    let other = editor.ask("configurationDone", json!({}));
    let said = other["message"].as_str().unwrap_or_default();
    assert!(
        said.contains("another one than that of the run"),
        "{other:#}"
    );
}

#[test]
fn what_an_editor_does_wrongly_is_said() {
    let file = program("wrong", SUM);
    let mut editor = Editor::new(folder(&file));
    for (command, arguments) in [
        ("configurationDone", json!({})),
        ("continue", json!({})),
        ("stepBack", json!({})),
        ("stackTrace", json!({"threadId": 1})),
        ("variables", json!({"variablesReference": 7})),
        ("launch", json!({"program": 3})),
        ("launch", json!({"program": "gone.gsw"})),
        ("fly", json!({})),
    ] {
        let answer = editor.ask(command, arguments);
        assert_eq!(answer["success"], false, "{command}: {answer:#}");
    }
    std::fs::write(&file, "workflow main() -> int { lenght(1) }\n").expect("scratch");
    let answer = editor.ask("launch", json!({"program": text(&file)}));
    let said = answer["message"].as_str().unwrap_or_default();
    assert!(said.contains("error[unknown-name]"), "{answer:#}");
    std::fs::write(&file, SUM).expect("scratch can be written");
    editor.launch(json!({"program": text(&file), "args": ["--nonsense"]}));
    let answer = editor.ask("configurationDone", json!({}));
    assert_eq!(answer["success"], false, "{answer:#}");
    editor.event("terminated");
    editor.leave();
    // What has begun does not begin once more.
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file), "stopOnEntry": true}));
    editor.begin();
    assert_eq!(editor.stopped().0, "entry");
    for command in ["launch", "attach", "configurationDone"] {
        let answer = editor.ask(command, json!({"program": text(&file)}));
        assert_eq!(answer["success"], false, "{command}: {answer:#}");
    }
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert_eq!(editor.output("stdout"), "21\n");
    editor.leave();
    // No protocol at all.
    let said = crate::program::run_with_input(Path::new(GSWC), &["dap"], "hello\r\n");
    assert_eq!(said.code, Some(1), "{said:?}");
    let gone = crate::program::run_with_input(Path::new(GSWC), &["dap"], "");
    assert_eq!(gone.code, Some(0), "{gone:?}");
}
