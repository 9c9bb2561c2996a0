//! The tree of a run as its users see it: errors with what was around them, nothing hidden in any sink, identity, depth, hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::scripted::Script;
use gsw_engine::run::RunResult;
use gsw_tree::node::{NodeId, Status, Tree};
use serde_json::Value;

use crate::in_process::{errors, load, open, run_main};
use crate::program::{gswc, run, run_both_ways, scratch, text};

fn program(name: &str, source: &str) -> PathBuf {
    let file = scratch("tree").join(format!("{name}.gsw"));
    fs::write(&file, source).expect("the target folder can be written");
    file
}

fn events(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("events were written");
    let lines = text.lines().skip(1);
    lines
        .map(|it| serde_json::from_str(it).expect("events are JSON"))
        .collect()
}

const FAILING: &str = r#"
error Broken(part: string)
fn breaks() -> int { fail Broken("wheel") }
workflow cart(load: int) -> int {
  state weight: int = load
  log.info("begins")
  step "roll" {
    weight += 1
    log.warn("rolls", { "weight": weight })
    breaks()
  }
}
workflow main() -> int {
  state own: string = "main's"
  log.info("elsewhere")
  cart(41)
}
"#;

#[test]
fn an_error_brings_what_was_around_it() {
    // G7, G11, G12
    let file = program("failing", FAILING);
    let sink = file.with_extension("jsonl");
    let words = [
        "run",
        text(&file),
        "--",
        "--quiet",
        "--json",
        "--events",
        text(&sink),
    ];
    let said = gswc(&words);
    assert_eq!(said.code, Some(1), "{said:?}");
    let told: Vec<Value> = events(&sink);
    let errors: Vec<&Value> = told.iter().filter(|it| it["event"] == "error").collect();
    assert_eq!(errors.len(), 1, "one error is told once: {errors:#?}");
    let last = said.err.lines().last().unwrap_or_default();
    let given: Value = serde_json::from_str(last).expect("the error is JSON");
    for error in [errors[0], &given] {
        assert_eq!(error["error"], "Broken");
        assert_eq!(error["fields"]["part"], "wheel");
        assert_eq!(error["path"], "main > cart > roll");
        assert_eq!(error["workflow"], 2);
        assert_eq!(error["state"], serde_json::json!({ "weight": 42 }));
        assert_eq!(error["trace"][0]["line"], 3);
        let logs = error["logs"].as_array().expect("logs are a list");
        assert_eq!(logs.len(), 1, "only the lines of the step: {logs:?}");
        assert_eq!(logs[0]["message"], "rolls");
    }
    let places = |it: &Value| it["trace"].as_array().map_or(0, Vec::len);
    assert!(places(&given) > places(errors[0]), "it went on: {given:#}");
}

const HIDING: &str = r#"
import std/exec
type Login { user: string, @secret pin: string }
error Locked(login: Login, @secret why: string)
agent helper { model: "sim/default"   cache: { ttl: 1h } }
prompt rate(user: string, login: Login) -> "good" | "bad" by helper { user "Rate ${user}" }
tool open(login: Login) -> Login { login }
workflow inner(login: Login) -> Login {
  state last: Login = login
  log.warn("login", { "who": login })
  emit login
  step "again" retry 1 backoff 1ms { login }
}
workflow main(login: Login) -> string {
  state current: Login = login
  current = inner(login)
  open(login)
  rate("bob", login)
  let task = spawn inner(login)
  await task
  let each = parallel for it in [login] { it }
  let seen = "${each.len()} ${context.outputs(9)} ${context.tree()} ${context.snapshot()} ${context.children()}"
  log.info(seen)
  exec.run(["true"], env: { "KEY": "Bearer ${secret("GSW_MODEL")}" })
  step "fails" reflect 1 {
    if login.pin != "" { fail Locked(login, login.pin) }
  } catch { Locked(l, _) => log.error("locked", { "login": l }) }
  if login.user == "eve" { fail Locked(login, login.pin) }
  seen
}
"#;

#[test]
fn nothing_hidden_reaches_any_sink() {
    // G11, G55
    let file = program("hiding", HIDING);
    let built = file.with_extension("bin");
    let build = gswc(&["build", text(&file), "-o", text(&built)]);
    assert_eq!(build.code, Some(0), "{build:?}");
    let sink = file.with_extension("jsonl");
    for user in ["ann", "eve"] {
        let login = format!(r#"{{"user":"{user}","pin":"MARKER"}}"#);
        for form in ["--json", "--raw"] {
            let words = ["--login", &login, form, "--events", text(&sink)];
            let said = run(&built, &words);
            let written = fs::read_to_string(&sink).expect("events were written");
            assert!(written.lines().count() > 50, "{said:?}");
            for (place, shown) in [
                ("output", &said.out),
                ("errors", &said.err),
                ("events", &written),
            ] {
                assert!(!shown.contains("MARKER"), "the {place} show it: {shown}");
                // The secret is the name of the model, which prompts may show.
                assert!(!shown.contains("Bearer"), "the {place} show it: {shown}");
            }
            assert!(written.contains(r#""pin":"***""#), "{written}");
            assert_eq!(
                said.code,
                Some(if user == "eve" { 1 } else { 0 }),
                "{said:?}"
            );
        }
    }
    let manifest = run(&built, &["manifest"]);
    assert!(manifest.out.contains("pin") && !manifest.out.contains("MARKER"));
}

const DEEP: &str = r#"
type Login { user: string, @secret pin: string, extra: json }
agent helper { model: "sim/default" }
prompt chat(login: Login) -> string by helper { user "I am ${login.user} with ${login.pin}, hm" }
fn deep(levels: int) -> json {
  var it: json = 1
  for _ in 0..levels { it = [it] }
  it
}
workflow main(levels: int) -> int { chat(Login { user: "ada", pin: "MARKER", extra: deep(levels) }).len() }
"#;

#[test]
fn what_is_hidden_stays_so_beside_values_of_any_depth() {
    let file = program("deep", DEEP);
    let sink = file.with_extension("jsonl");
    for levels in ["1", "126", "127", "500", "511", "600", "5000"] {
        let words = [
            "run",
            text(&file),
            "--",
            "--levels",
            levels,
            "--events",
            text(&sink),
        ];
        let said = gswc(&words);
        let written = fs::read_to_string(&sink).expect("events were written");
        assert!(written.contains("model_request"), "{levels}: {said:?}");
        assert!(!written.contains("MARKER"), "{levels}");
        assert!(!said.err.contains("MARKER"), "{levels}: {said:?}");
        let read = gswc(&["trace", text(&sink)]);
        assert_eq!((read.code, &*read.err), (Some(0), ""), "{levels}");
    }
}

const WHOLE: &str = r#"
import std/json
import std/runs
fn deep(levels: int) -> json {
  var it: json = 1
  for _ in 0..levels { it = [it] }
  it
}
fn levels(value: json) -> int {
  var count = 0
  for c in json.text(value).chars() { if c == "[" { count += 1 } }
  count
}
workflow gives(n: int) -> json { deep(n) }
workflow main() -> [int] ! Failed {
  let _ = step "made" { deep(500) }
  let seen = context.outputs().map(it => levels(it.value))
  let run = runs.get(spawn detached gives(500)) ?? fail Failed("it is there")
  seen + [levels(await run.result())]
}
"#;

#[test]
fn values_that_nest_as_deep_as_a_program_may_be_given_are_seen_whole() {
    let said = run_both_ways(&program("whole", WHOLE), &[]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "[500,500]\n"),
        "{said:?}"
    );
}

const SHAPES: &str = r#"
fn helped(n: int) -> int { step "helped" { sleep(1ms); n } }
workflow leaf(n: int) -> int {
  defer { step "left" { sleep(1ms) } }
  sleep(2ms)
  helped(n)
}
workflow main() -> int {
  var sum = 0
  for i in 0..3 { sum += step "turn" { helped(i) } }
  let add = (n: int) => step "closure ${n}" { helped(n) }
  let tasks = [1, 2].map(n => { spawn leaf(n) })
  let many = parallel for i in 0..4 { if i % 2 == 0 { add(i) } else { leaf(i) } }
  let both = parallel (leaf(5), add(6))
  let slow = spawn { sleep(1h); 1 }
  let quick = spawn { sleep(1ms); 2 }
  sum + (await tasks).sum() + many.sum() + both.0 + (race [slow, quick])
}
"#;

/// Path and status of every node, in the order of paths.
fn shape(tree: &Tree) -> Vec<(String, Status)> {
    let records = tree.records(0).into_iter();
    let mut shape: Vec<_> = records.map(|it| (it.path, it.status)).collect();
    shape.sort_by(|a, b| a.0.cmp(&b.0));
    shape
}

#[test]
fn nodes_are_mounted_where_they_are_caused_and_named_alike_in_every_order() {
    // G3, G4, G18
    let (db, _) = open(SHAPES);
    assert_eq!(errors(&db), "");
    let loaded = load(&db).expect("it compiles");
    let first = shape(&run_main(&loaded, Script::default()).finished.tree);
    for seed in 1..=8 {
        let script = Script {
            seed,
            ..Script::default()
        };
        let other = shape(&run_main(&loaded, script).finished.tree);
        // In another order the other task may win the race, and the status of both is another.
        let paths = |of: &[(String, Status)]| of.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&other), paths(&first), "order {seed}");
    }
    let expected = [
        ("main > turn#3 > helped", Status::Completed),
        ("main > task[1] > leaf > helped", Status::Completed),
        ("main > task[1] > leaf > left", Status::Completed),
        (
            "main > parallel > item[2] > closure 2 > helped",
            Status::Completed,
        ),
        ("main > parallel > item[3] > leaf > left", Status::Completed),
        ("main > parallel#2 > item[0] > leaf", Status::Completed),
        ("main > task[2]", Status::Cancelled),
        ("main > task[3]", Status::Completed),
    ];
    for (path, status) in expected {
        assert!(first.contains(&(path.into(), status)), "{path}: {first:#?}");
    }
    let mut distinct = first.clone();
    distinct.dedup_by(|a, b| a.0 == b.0);
    assert_eq!(distinct.len(), first.len(), "no path is given twice");
}

#[test]
fn ten_thousand_nodes_deep_works() {
    // G4
    let source = "workflow down(n: int) -> int {
  if n == 0 { return context.node.depth }
  down(n - 1)
}
workflow main() -> [int] { [down(9_999), context.tree().nodes.len()] }\n";
    let (db, _) = open(source);
    let report = run_main(&load(&db).expect("it compiles"), Script::default());
    assert_eq!(
        report.finished.result,
        RunResult::Value("[10000,10000]".into())
    );
    let tree = &report.finished.tree;
    let deepest = NodeId(tree.len() as u32 - 1);
    assert_eq!(tree.ancestors(deepest).count(), 10_000);
    assert!(
        tree.path(deepest).contains("… 9937 more …"),
        "{}",
        tree.path(deepest)
    );
    assert_eq!(tree.totals().completed, tree.len() as u64 - 1);
}

#[test]
fn a_host_looks_at_the_tree_while_it_grows_and_afterwards() {
    // G2, G5, G14, G19
    let source = "workflow main() -> int {
  step \"first\" retry 1 { log.info(\"one\"); 1 }
  step \"second\" { sleep(300ms); 2 }
}\n";
    let (db, _) = open(source);
    let loaded = Arc::into_inner(load(&db).expect("it compiles")).expect("nobody else has it");
    let engine = Engine::new(loaded, EngineOptions::default());
    let main = engine.workflow("main").expect("there is a main");
    let handle = engine.start(main, serde_json::Map::new());
    let seen = handle.look(|tree, now| (shape(tree), tree.totals(), tree.to_json(now)));
    let (shape, totals, json) = seen.expect("it waits");
    let status = |path: &str| shape.iter().find(|it| it.0 == path).map(|it| it.1);
    assert_eq!(status("main > first > attempt 1"), Some(Status::Completed));
    assert_eq!(status("main > second"), Some(Status::Running));
    assert_eq!((totals.running, totals.completed, totals.logs), (2, 2, 1));
    assert_eq!(json["nodes"][1]["name"], "first");
    assert_eq!(json["nodes"][1]["children"], 1);
    assert_eq!(json["nodes"][2]["parent"], json["nodes"][1]["id"]);
    assert_eq!(json["logs"][0]["message"], "one");
    let finished = handle.wait();
    let tree = &finished.tree;
    let root = tree.root().expect("something ran");
    let (first, second) = (NodeId(2), tree.get(NodeId(4)).expect("there is a fourth"));
    assert_eq!(&**tree.name(second), "second");
    assert_eq!(tree.ancestors(second).collect::<Vec<_>>(), [root]);
    assert_eq!(tree.siblings(second).collect::<Vec<_>>(), [first]);
    assert_eq!(tree.get(NodeId(99)), None);
    assert_eq!(tree.totals().running + tree.totals().idle, 0);
    assert!(tree.node(second).end - tree.node(second).start >= 300_000_000);
    assert!(finished.duration >= 300_000_000);
}
