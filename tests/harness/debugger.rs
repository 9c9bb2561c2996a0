//! `gswc dap`, asked over the wire as an editor does: stops, steps, names, errors, and the way back.

mod addresses;
mod attached;
mod conditions;
mod editor;
mod hasty;
mod names;
mod prompts;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::program::{GSWC, scratch, text};
use editor::Editor;

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
