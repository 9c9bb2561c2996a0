//! `--events`: what is written where, and what happens when it cannot be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Said, root, scratch, text};

/// Emits some hundred events, a few of them long, and gives a value.
const TALKER: &str = r#"
workflow main(lines: int = 100) -> string {
  step "talk" {
    for i in 0..lines { log.info("line ${i} ${"x".repeat(1_000)}") }
  }
  "said"
}
"#;

fn talker() -> PathBuf {
    let file = scratch("events").join("talker.gsw");
    fs::write(&file, TALKER).expect("the target folder can be written");
    file
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gswc"));
    let file = talker();
    command.args(["run", text(&file), "--"]);
    command.args(words).current_dir(root());
    command.stdin(Stdio::null());
    command
}

fn run(words: &[&str]) -> Said {
    command(words).output().expect("gswc can be started").into()
}

/// The events in a text, after its first line, which must name the form.
fn events(text: &str) -> Vec<Value> {
    let mut lines = text.lines().map(|it| {
        serde_json::from_str::<Value>(it).unwrap_or_else(|error| panic!("{error}: {it}"))
    });
    let header = lines.next().expect("there is a first line");
    assert_eq!(header["format"], "groundswell-events");
    lines.collect()
}

/// The report of lost events: the number in front of `events were not written`.
fn lost(said: &Said) -> u64 {
    let line = said
        .err
        .lines()
        .find(|it| it.contains("not written to"))
        .unwrap_or_else(|| panic!("nothing is said about loss: {said:?}"));
    let number = line.split(' ').nth(1).unwrap_or_default();
    number.parse().unwrap_or_else(|_| panic!("{line}"))
}

fn assert_done(said: &Said) {
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "\"said\"\n"),
        "{said:?}"
    );
}

#[test]
fn events_are_numbered_and_complete() {
    // G13, G17
    let file = scratch("events").join("complete.jsonl");
    let said = run(&["--quiet", "--events", text(&file)]);
    assert_done(&said);
    assert_eq!(said.err, "");
    let events = events(&fs::read_to_string(&file).expect("it was written"));
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence"], number, "{event}");
        assert!(event["time"].is_string() && event["node"].is_number() && event["run"].is_string());
    }
    let logs = events.iter().filter(|it| it["event"] == "log").count();
    assert_eq!(logs, 100);
}

#[test]
fn on_standard_output_the_result_is_the_last_line() {
    let said = run(&["--quiet", "--events", "-"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let (before, last) = said.out.trim_end().rsplit_once('\n').expect("many lines");
    assert_eq!(last, "\"said\"");
    assert!(events(before).len() > 100);
}

#[test]
fn a_reader_of_events_that_goes_away_does_not_stop_the_run() {
    let marker = scratch("events").join("went_on");
    // Left by an earlier run of this test.
    let _ = fs::remove_file(&marker);
    let source = format!(
        "import std/fs\nworkflow main() -> int {{\n  for i in 0..500 {{ log.info(\"x\".repeat(1_000)) }}\n  sleep(200ms)\n  for i in 0..500 {{ log.info(\"x\".repeat(1_000)) }}\n  fs.write({:?}, \"yes\")\n  1\n}}\n",
        text(&marker)
    );
    let file = scratch("events").join("closed.gsw");
    fs::write(&file, source).expect("the target folder can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(&file), "--", "--quiet", "--events", "-"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gswc can be started");
    drop(child.stdout.take());
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(lost(&said) > 100, "{said:?}");
    assert!(said.err.contains("Broken pipe"), "{said:?}");
    assert!(marker.exists());
}

#[test]
fn a_path_that_cannot_be_written_is_said_at_once_and_at_the_end() {
    let said = run(&["--quiet", "--events", "/nowhere/events.jsonl"]);
    assert_done(&said);
    assert!(
        said.err
            .starts_with("warning: `/nowhere/events.jsonl` cannot be written: No such file"),
        "{said:?}"
    );
    assert!(lost(&said) > 100, "{said:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_only_the_events() {
    let said = run(&["--quiet", "--events", "/dev/full"]);
    assert_done(&said);
    assert!(said.err.contains("No space left"), "{said:?}");
    assert!(lost(&said) > 100, "{said:?}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_leaves_whole_lines_and_a_true_count() {
    let file = scratch("events").join("fills_up.jsonl");
    let whole = scratch("events").join("whole.jsonl");
    assert_done(&run(&["--quiet", "--events", text(&whole)]));
    // A limit on the size of files acts as a small disk does, and needs no mount.
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} run {} -- --quiet --events {}",
        env!("CARGO_BIN_EXE_gswc"),
        text(&talker()),
        text(&file)
    );
    let said: Said = Command::new("bash")
        .args(["-c", &script])
        .output()
        .expect("bash can be started")
        .into();
    assert_done(&said);
    let all = events(&fs::read_to_string(&whole).expect("it was written")).len();
    let written = fs::read(&file).expect("it was begun");
    let lines = written
        .split_inclusive(|it| *it == b'\n')
        .filter(|it| it.ends_with(b"\n"))
        .count();
    assert!(lines > 10, "{lines}");
    assert_eq!(lost(&said) as usize, all - (lines - 1), "{said:?}");
}

#[cfg(unix)]
fn pipe(name: &str) -> PathBuf {
    let path = scratch("events").join(name);
    // Left by an earlier run of this test.
    let _ = fs::remove_file(&path);
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.is_ok_and(|it| it.success()));
    path
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_opens_does_not_hold_the_run_up() {
    let pipe = pipe("unopened");
    let start = Instant::now();
    let said = run(&["--quiet", "--events", text(&pipe)]);
    assert_done(&said);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(lost(&said) > 100, "{said:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_reads_does_not_hold_the_run_up() {
    let pipe = pipe("unread");
    // Opened for both, so that opening does not wait.
    let reader = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&pipe)
        .expect("a pipe can be opened");
    let said = run(&["--quiet", "--lines", "3000", "--events", text(&pipe)]);
    assert_done(&said);
    assert!(
        said.err.contains("nothing reads what is written"),
        "{said:?}"
    );
    assert!(lost(&said) > 1_000, "{said:?}");
    drop(reader);
}

#[test]
fn a_file_misses_no_event_however_many_there_are() {
    let folder = scratch("events");
    let (program, file) = (folder.join("many.gsw"), folder.join("many.jsonl"));
    let source =
        r#"workflow main(n: int) -> int { for i in 0..n { let _ = step "s" { i + 1 } }; n }"#;
    fs::write(&program, source).expect("the target folder can be written");
    // More than any queue holds.
    let steps = 100_000;
    let said: Said = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(&program), "--", "--quiet", "--n"])
        .args([steps.to_string().as_str(), "--events", text(&file)])
        .output()
        .expect("gswc can be started")
        .into();
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let told = fs::read_to_string(&file).expect("the events are written");
    let (first, last) = (told.lines().nth(1), told.lines().last());
    let number = |line: Option<&str>| -> Option<u64> {
        serde_json::from_str::<Value>(line?).ok()?["sequence"].as_u64()
    };
    let count = told.lines().count() as u64 - 1;
    assert!(count > 3 * steps, "{count}");
    assert_eq!((number(first), number(last)), (Some(0), Some(count - 1)));
}

#[cfg(unix)]
#[test]
fn a_new_file_of_events_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let file = scratch("events").join("private.jsonl");
    // It may be there from an earlier run of the tests.
    let _ = fs::remove_file(&file);
    assert_done(&run(&["--quiet", "--events", text(&file)]));
    let mode = fs::metadata(&file).map(|it| it.permissions().mode() & 0o777);
    assert_eq!(mode.ok(), Some(0o600));
}

#[test]
fn the_name_of_the_file_may_be_anything() {
    for name in ["with spaces.jsonl", "-", "--x\"'.jsonl", "ü\n.jsonl"] {
        let file = scratch("events").join(name);
        let said = run(&["--quiet", "--events", text(&file)]);
        assert_done(&said);
        assert!(Path::new(&file).exists(), "{name:?}");
    }
}

#[test]
fn an_answer_that_gives_way_in_the_cache_is_reported() {
    // G17, G39: a thousand answers are kept, the least recently used goes
    let source = r#"
agent helper { model: "sim/default"   cache: true }
prompt mark(text: string) -> bool by helper { user "Mark ${text}" }
workflow main() -> int {
  mark("0")
  for n in 1..1_000 { mark("${n}") }
  mark("0")
  mark("new")
  mark("newer")
  1
}
"#;
    let folder = scratch("events");
    let (program, file) = (folder.join("evicts.gsw"), folder.join("evicts.jsonl"));
    fs::write(&program, source).expect("the target folder can be written");
    let words = [
        "run",
        text(&program),
        "--",
        "--quiet",
        "--events",
        text(&file),
    ];
    let said: Said = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(words)
        .output()
        .expect("gswc can be started")
        .into();
    assert_eq!(said.out, "1\n", "{said:?}");
    let told = events(&fs::read_to_string(&file).expect("the events are written"));
    let keys = |kind: &str| -> Vec<&Value> {
        let those = told.iter().filter(|it| it["event"] == kind);
        those.map(|it| &it["key"]).collect()
    };
    let missed = keys("cache_miss");
    assert_eq!((missed.len(), keys("cache_hit").len()), (1_002, 1));
    assert_eq!(
        keys("cache_evict"),
        [missed[1], missed[2]],
        "not that of 0, which was used again"
    );
}

/// Changes its state in each way that there is, and grows one of its variables.
const STATEFUL: &str = r#"
workflow main(n: int) -> int {
  state xs: [int] = []
  state text: string = "a"
  state counts: {string: int} = {}
  for i in 0..n { xs += [i, -i] }
  text += "b"
  text = text + "c"
  counts = counts.insert("k", 1)
  xs = []
  xs.len()
}
"#;

/// Changes parts of its state, of which some are secret, and some break a check.
const STATEFUL_IN_PART: &str = r#"
enum Colour { @alias("rot") Red, Green }
type Line { qty: int where it > 0, @alias("Name") name: string = "a" }
type Order { lines: [Line], by_colour: {Colour: (int, string)} = {}, @secret keys: {string: string} = {} }
workflow main(n: int) -> int {
  state order: Order = Order { lines: [Line { qty: 1 }] }
  state counts: {int: [int]} = {}
  for i in 0..n { order.lines += [Line { qty: i + 1 }] }
  order.lines[0].qty += 4
  do { order.lines[0].qty -= 5 } catch { AssertionFailed(_) => log.info("no") }
  do { order.lines[n + 1].qty = 5 } catch { OutOfRange => log.info("no") }
  order.lines[0].name += "b"
  order.by_colour[Red] = (1, "x")
  order.by_colour[Red].1 += "y"
  order.keys["token"] = "abc"
  order.keys["token"] += "def"
  counts[n] = []
  counts[n] += [7, 8]
  let task = spawn { counts[n][0] = 9 }
  await task
  0
}
"#;

/// The changes of the state of a program that is given `n`.
fn changes(name: &str, source: &str, n: &str) -> Vec<Value> {
    let file = scratch("events").join(name);
    fs::write(&file, source).expect("the target folder can be written");
    let words = [
        "run",
        text(&file),
        "--",
        "--n",
        n,
        "--quiet",
        "--events",
        "-",
    ];
    let said = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(words)
        .output();
    let said: Said = said.expect("gswc can be started").into();
    let (lines, _) = said.out.rsplit_once("\n0\n").unwrap_or((&said.out, ""));
    let all = events(lines).into_iter();
    all.filter(|it| it["event"] == "state_changed").collect()
}

#[test]
fn a_change_of_the_state_reports_what_is_new() {
    // G11
    let told = |it: &Value| format!("{} {} {}", it["name"], it["op"], it["value"]);
    let few = changes("stateful.gsw", STATEFUL, "2");
    let few: Vec<String> = few.iter().map(told).collect();
    let expected = [
        r#""xs" "set" []"#,
        r#""text" "set" "a""#,
        r#""counts" "set" {}"#,
        r#""xs" "append" [0,0]"#,
        r#""xs" "append" [1,-1]"#,
        r#""text" "append" "b""#,
        r#""text" "append" "c""#,
        r#""counts" "set" {"k":1}"#,
        r#""xs" "set" []"#,
    ];
    assert_eq!(few, expected);
    let many = changes("stateful.gsw", STATEFUL, "3000");
    let longest = many.iter().map(|it| it.to_string().len()).max();
    assert!(many.len() == 3_007 && longest < Some(400), "{longest:?}");
}

#[test]
fn a_change_of_a_part_reports_which_and_hides_secrets() {
    // G11
    let told = |it: &Value| format!("{} {} {} {}", it["name"], it["path"], it["op"], it["value"]);
    let few = changes("stateful_in_part.gsw", STATEFUL_IN_PART, "1");
    let few: Vec<String> = few.iter().map(told).skip(2).collect();
    let expected = [
        r#""order" ["lines"] "append" [{"qty":1,"Name":"a"}]"#,
        r#""order" ["lines",0,"qty"] "set" 5"#,
        r#""order" ["lines",0,"Name"] "append" "b""#,
        r#""order" ["by_colour","rot"] "set" [1,"x"]"#,
        r#""order" ["by_colour","rot",1] "append" "y""#,
        r#""order" ["keys"] "set" "***""#,
        r#""order" ["keys"] "set" "***""#,
        r#""counts" ["1"] "set" []"#,
        r#""counts" ["1"] "append" [7,8]"#,
        r#""counts" ["1",0] "set" 9"#,
    ];
    assert_eq!(few, expected);
    let many = changes("stateful_in_part.gsw", STATEFUL_IN_PART, "3000");
    let longest = many.iter().map(|it| it.to_string().len()).max();
    assert!(many.len() == 3_011 && longest < Some(400), "{longest:?}");
}
