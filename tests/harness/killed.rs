//! Built programs that are killed, interrupted and left: `--resume` and `runs` resume them.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fake_provider::{Body, Message, Reply, Script};
use serde_json::Value;

use crate::program::{Said, gswc, scratch, text};
use crate::wire::with_provider;

/// A program with everything that must be remembered, and the file of its store.
pub struct Kept {
    pub program: PathBuf,
    pub store: PathBuf,
    pub folder: PathBuf,
}

/// How many processes of a run are killed, and how long each lives.
pub struct Lives {
    pub most: u64,
    pub milliseconds: Range<u64>,
}

impl Kept {
    pub fn new(name: &str, source: &str) -> Self {
        let folder = scratch("killed").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let (file, program) = (folder.join("flow.gsw"), folder.join("flow"));
        std::fs::write(&file, source).expect("the target folder can be written");
        let said = gswc(&["build", text(&file), "-o", text(&program)]);
        assert_eq!(said.code, Some(0), "{said:?}");
        Self {
            program,
            store: folder.join("state/runs.db"),
            folder,
        }
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .env("GSW_STORE", &self.store)
            .env_remove("GSW_MODEL")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, words: &[&str]) -> Said {
        let output = self.command(words).output();
        output.expect("a built program can be started").into()
    }

    pub fn start(&self, words: &[&str]) -> Child {
        let started = self.command(words).spawn();
        started.expect("a built program can be started")
    }

    /// The only run that is kept.
    pub fn listed(&self) -> Value {
        let said = self.run(&["runs", "--json"]);
        let runs: Vec<Value> = serde_json::from_str(&said.out).expect("a list");
        assert_eq!(runs.len(), 1, "{said:?}");
        runs[0].clone()
    }

    /// Outcomes are written while the run continues: what it does next may come before the last of them.
    pub fn await_records(&self, count: u64) {
        for _ in 0..3_000 {
            if self.listed()["records"].as_u64() >= Some(count) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the run never has {count} records: {}", self.listed());
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    /// Runs the program with `words` until one of its processes ends by itself, with `count` answers on standard input.
    /// Returns what that one said, and how many were killed.
    pub fn killed(
        &self,
        url: &str,
        words: &[&str],
        count: usize,
        lives: &Lives,
        random: &mut u64,
    ) -> (Said, u64) {
        let Range { start, end } = lives.milliseconds;
        let mut kills = 0;
        loop {
            let mut command = self.command(words);
            command
                .env("ANTHROPIC_API_KEY", "key-of-tests")
                .env("ANTHROPIC_BASE_URL", url)
                .stdin(Stdio::piped());
            let mut child = command.spawn().expect("a built program can be started");
            let mut input = child.stdin.take().expect("it is piped");
            // A killed process reads nothing more.
            let _ = input.write_all("true\n".repeat(count).as_bytes());
            drop(input);
            *random ^= *random << 13;
            *random ^= *random >> 7;
            *random ^= *random << 17;
            // The last one may take its time.
            let ended = if kills < lives.most {
                std::thread::sleep(Duration::from_millis(start + *random % (end - start)));
                kill(child)
            } else {
                Some(child.wait_with_output().expect("it ends").into())
            };
            match ended {
                Some(said) => return (said, kills),
                None => kills += 1,
            }
        }
    }
}

impl Drop for Kept {
    /// A built program is large, and only one that failed is looked at afterwards.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_file(&self.program);
        }
    }
}

/// Kills a process. Gives how it ended, if the signal came when it had nothing left to do but to go.
pub fn kill(mut child: Child) -> Option<Said> {
    let _ = child.kill();
    let said: Said = child.wait_with_output().expect("it ends").into();
    // A result is written as a whole line.
    let has_ended = said.code.is_some() || said.out.ends_with('\n');
    has_ended.then(|| Said {
        code: said.code.or(Some(0)),
        ..said
    })
}

pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.is_ok_and(|it| it.success()));
}

/// Waits until a file has this text.
pub fn await_text(path: &Path, part: &str) {
    for _ in 0..3_000 {
        if std::fs::read_to_string(path).is_ok_and(|it| it.contains(part)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("`{part}` never comes to {}", path.display());
}

const SHOP: &str = r#"
import std/fs
permissions { fs.write: ["."] }
agent clerk { model: "anthropic/claude-sonnet-5-5" cache: false max_tokens: 100 }
prompt name_it(n: int) -> string by clerk { user "Name number ${n}." }
tool pay(n: int) -> string once {
  fs.append("paid.log", "paid ${n}\n")
  "receipt ${n}"
}
human approve(n: int) -> bool { user "Pay for ${n}?" }

workflow main(count: int) -> [string] {
  var said: [string] = []
  for n in 0..count {
    let name = name_it(n)
    if approve(n) {
      said += [pay(n) catch { OutcomeUnknown(_) => "unknown ${n}" }]
    }
    fs.write("state.txt", "${n}: ${name}")
  }
  said
}
"#;

/// A real `kill -9` at any moment: nothing that was answered is asked again, nothing that was done is done again.
#[test]
fn a_program_that_is_killed_again_and_again_ends_right() {
    let kept = Kept::new("shop", SHOP);
    const COUNT: usize = 12;
    let reply = Reply::of(Body::Anthropic(Message::of_text("some name")));
    let ((said, kills), asked) = with_provider(Script::always(reply), |url| {
        let lives = Lives {
            most: 25,
            milliseconds: 20..200,
        };
        let count = COUNT.to_string();
        let words = ["--resume", "--count", &count];
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        kept.killed(url, &words, COUNT, &lives, &mut random)
    });
    assert_eq!(said.code, Some(0), "{said:?}");
    let results: Vec<String> = serde_json::from_str(&said.out).expect("a list");
    assert_eq!(results.len(), COUNT, "{said:?}");
    let paid = kept.read("paid.log");
    for (n, result) in results.iter().enumerate() {
        let line = format!("paid {n}\n");
        let times = paid.matches(&line).count();
        // Where a process died in the middle it may have happened or not, but never twice.
        match result.as_str() {
            it if it == format!("receipt {n}") => assert_eq!(times, 1, "{n}: {paid}"),
            it if it == format!("unknown {n}") => assert!(times <= 1, "{n}: {paid}"),
            other => panic!("{n}: {other}"),
        }
    }
    // A request that a kill cut off is made again, and no other.
    let mut times: HashMap<String, usize> = HashMap::new();
    for request in &asked {
        *times.entry(request["messages"].to_string()).or_default() += 1;
    }
    assert_eq!(times.len(), COUNT, "{times:?}");
    let again: usize = times.values().map(|it| it - 1).sum();
    assert!(again as u64 <= kills, "{again} of {kills}: {times:?}");
    assert_eq!(kept.listed()["status"], "completed");
    // With the same words another run begins, as this one has ended.
    let said = kept.run(&["runs", "resume"]);
    assert_eq!(said.err, "error: there is no run that was interrupted\n");
}

const LONG: &str = r#"
import std/fs
permissions { fs.write: ["."] }
tool pay() -> string once {
  fs.append("paid.log", "paid\n")
  "receipt "
}
workflow main() -> string {
  pay().repeat(40_000)
}
"#;

/// The reader of a pipe that takes no more holds the process in the middle of its result, where it is killed.
#[test]
fn a_result_that_was_not_written_out_is_given_to_the_next_who_asks() {
    let kept = Kept::new("long", LONG);
    let mut child = kept.start(&["--resume"]);
    // The store comes before its run does.
    while !kept.run(&["runs", "--json"]).out.contains("completed") {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(kept.listed()["status"], "completed");
    let first = kept.listed()["id"].clone();
    child.kill().expect("it can be killed");
    let _ = child.wait();
    let result = format!("{:?}\n", "receipt ".repeat(40_000));
    let said = kept.run(&["--resume"]);
    assert_eq!(
        (said.code, said.out == result),
        (Some(0), true),
        "{}",
        said.err
    );
    assert_eq!(kept.read("paid.log"), "paid\n");
    assert_eq!(kept.listed()["id"], first);
    // A caller that has it and asks again wants another run.
    let said = kept.run(&["--resume"]);
    assert_eq!(
        (said.code, said.out == result),
        (Some(0), true),
        "{}",
        said.err
    );
    assert_eq!(kept.read("paid.log"), "paid\npaid\n");
}

const SLOW: &str = r#"
import std/exec
import std/fs
permissions { exec: ["sh"] fs.write: ["."] }
workflow main() -> string {
  defer { fs.append("deferred.log", "deferred\n") }
  fs.append("begun.log", "begun\n")
  let first = exec.run(["sh", "-c", "echo one >> done.log; echo started > started.log; sleep 3; echo two >> done.log"])
  let second = exec.run(["sh", "-c", "echo three >> done.log; echo third"])
  "${first.code} ${second.stdout.trim()}"
}
"#;

#[test]
fn ctrl_c_leaves_a_run_where_it_can_be_gone_on_with() {
    let kept = Kept::new("slow", SLOW);
    let child = kept.start(&[]);
    await_text(&kept.folder.join("started.log"), "started");
    signal(&child, "-INT");
    let said: Said = child.wait_with_output().expect("it ends").into();
    let run = kept.listed();
    let id = run["id"].as_str().expect("a text")[..12].to_owned();
    assert_eq!(said.code, Some(130), "{said:?}");
    let next = format!(
        "interrupted; resume it: {} runs resume {id}\n",
        text(&kept.program)
    );
    assert!(said.err.ends_with(&next), "{}", said.err);
    // What must not happen twice was waited for; nothing was deferred, nothing else begun.
    assert_eq!(kept.read("done.log"), "one\ntwo\n");
    assert_eq!(kept.read("deferred.log"), "");
    assert_eq!(run["status"], "interrupted");
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(
        (said.code, &*said.out),
        (Some(0), "\"0 third\"\n"),
        "{said:?}"
    );
    assert_eq!(kept.read("done.log"), "one\ntwo\nthree\n");
    assert_eq!(kept.read("begun.log"), "begun\n");
    assert_eq!(kept.read("deferred.log"), "deferred\n");
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("has ended: completed"), "{}", said.err);
}

#[test]
fn what_may_have_been_done_is_said_and_settled() {
    for (number, (words, out)) in [
        (
            vec!["done", r#"{"code": 0, "stdout": "", "stderr": ""}"#],
            "\"0 third\"\n",
        ),
        (vec!["not-done"], "\"0 third\"\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let kept = Kept::new(&format!("settled{number}"), SLOW);
        let mut child = kept.start(&[]);
        await_text(&kept.folder.join("started.log"), "started");
        signal(&child, "-KILL");
        let _ = child.wait();
        let id = kept.listed()["id"].as_str().expect("a text").to_owned();
        let said = kept.run(&["runs", "show", &id]);
        assert!(
            said.out.contains("exec sh -c echo one >> done.log")
                && said.out.contains("it may have been done")
                && said.out.contains("settle"),
            "{said:?}"
        );
        let shown = kept.run(&["runs", "show", &id, "--json"]);
        let shown: Value = serde_json::from_str(&shown.out).expect("JSON");
        assert_eq!(shown["open"][0]["state"], "unknown");
        let operation = shown["open"][0]["operation"].to_string();
        let settle =
            |words: &[&str]| kept.run(&[&["runs", "settle", &id, &operation], words].concat());
        let said = settle(&["done", "3"]);
        assert_eq!(said.code, Some(2));
        assert!(
            said.err.contains("`code`, `stdout` and `stderr`"),
            "{}",
            said.err
        );
        assert_eq!(settle(&words).code, Some(0));
        // Only once.
        let said = settle(&words);
        assert_eq!(said.code, Some(2));
        assert!(said.err.contains("is not in doubt"), "{}", said.err);
        let said = kept.run(&["runs", "resume", &id]);
        assert_eq!((said.code, &*said.out), (Some(0), out), "{said:?}");
        let ones = kept.read("done.log").matches("one\n").count();
        assert_eq!(ones, if words.len() == 1 { 2 } else { 1 });
    }
    let kept = Kept::new("unsettled", SLOW);
    let mut child = kept.start(&[]);
    await_text(&kept.folder.join("started.log"), "started");
    signal(&child, "-KILL");
    let _ = child.wait();
    let said = kept.run(&["--resume"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("OutcomeUnknown") && said.err.contains("exec sh -c echo one"),
        "{}",
        said.err
    );
    assert_eq!(kept.read("done.log").matches("one\n").count(), 1);
    assert_eq!(kept.read("deferred.log"), "deferred\n");
}

const ASKS: &str = r#"
import std/fs
permissions { fs.write: ["."] }
type Order { count: int where it > 0 }
human order(what: string) -> Order timeout 24h { user "How many ${what}?" }
workflow main(what: string) -> int {
  defer { fs.append("deferred.log", "deferred\n") }
  fs.write("begun.txt", what)
  order(what).count
}
"#;

#[test]
fn a_question_waits_for_its_answer_without_a_process() {
    let kept = Kept::new("asks", ASKS);
    let said = kept.run(&["--what", "apples"]);
    let run = kept.listed();
    assert_eq!(run["status"], "parked");
    assert_eq!(run["waits_for"], "human order");
    let id = &run["id"].as_str().expect("a text")[..12];
    assert_eq!((said.code, &*said.out), (Some(5), ""), "{said:?}");
    let program = text(&kept.program);
    let (_, next) = said
        .err
        .split_once("the run waits for human order\nanswer by ")
        .expect("what is next");
    let (due, next) = next.split_at("2026-01-31T09:30:00Z".len());
    assert!(due.ends_with('Z'), "{}", said.err);
    let expected = format!(
        ": {program} runs answer {id} order JSON\nthen resume it: {program} runs resume {id}\n"
    );
    assert_eq!(next, expected);
    let answer = |name: &str, json: &str| kept.run(&["runs", "answer", id, name, json]);
    for (name, json, code, part) in [
        (
            "oder",
            "{}",
            2,
            "does not wait for `oder`; it waits for `order`",
        ),
        ("order", "{", 2, "the answer does not fit"),
        ("order", r#"{"count": 0}"#, 2, "expected `it > 0`, found 0"),
        (
            "order",
            r#"{"count": "3"}"#,
            2,
            "the answer does not fit `order`; at $.count: expected int",
        ),
    ] {
        let said = answer(name, json);
        assert_eq!(said.code, Some(code), "{said:?}");
        assert!(said.err.contains(part), "{json}: {}", said.err);
        assert_eq!(kept.listed()["status"], "parked");
    }
    // Without an answer it waits again.
    let said = kept.run(&["runs", "resume", id]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert_eq!(answer("order", r#"{"count": 3}"#).code, Some(0));
    let twice = answer("order", r#"{"count": 4}"#);
    assert_eq!(twice.code, Some(2));
    assert!(twice.err.contains("answered before by"), "{}", twice.err);
    let said = kept.run(&["runs", "resume"]);
    assert_eq!((said.code, &*said.out), (Some(0), "3\n"), "{said:?}");
    let late = answer("order", r#"{"count": 4}"#);
    assert!(late.err.contains("has ended"), "{}", late.err);
    let unknown = kept.run(&["runs", "answer", "ffff", "order", "{}"]);
    assert_eq!(unknown.err, "error: there is no run `ffff`\n");
}

const WAITS: &str = r#"
import std/fs
permissions { fs.write: ["."] }
external payment(order: string) -> int by "order:${order}" timeout 2d
workflow main(order: string) -> int {
  fs.append("begun.txt", order)
  payment(order) * 2
}
"#;

#[test]
fn an_answer_from_outside_is_waited_for_without_a_process() {
    let kept = Kept::new("waits", WAITS);
    let said = kept.run(&["--order", "17"]);
    assert_eq!((said.code, &*said.out), (Some(5), ""), "{said:?}");
    let run = kept.listed();
    assert_eq!(run["status"], "parked");
    assert_eq!(run["waits_for"], "external payment");
    let id = &run["id"].as_str().expect("a text")[..12];
    let answer = |json: &str| kept.run(&["runs", "answer", id, "payment", json]);
    let unfit = answer(r#""five""#);
    let why = "the answer does not fit `payment`; at $: expected int, found \"five\"";
    assert!(
        unfit.code == Some(2) && unfit.err.contains(why),
        "{unfit:?}"
    );
    assert_eq!(answer("5").code, Some(0));
    let twice = answer("6");
    assert!(twice.err.contains("answered before by"), "{}", twice.err);
    let said = kept.run(&["runs", "resume", id]);
    assert_eq!((said.code, &*said.out), (Some(0), "10\n"), "{said:?}");
    assert_eq!(kept.read("begun.txt"), "17");
}

#[test]
fn a_run_that_waits_is_cancelled_with_what_it_deferred() {
    let kept = Kept::new("cancelled", ASKS);
    assert_eq!(kept.run(&["--what", "pears"]).code, Some(5));
    let id = kept.listed()["id"].as_str().expect("a text").to_owned();
    assert_eq!(kept.read("deferred.log"), "");
    let said = kept.run(&["runs", "cancel", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(kept.read("deferred.log"), "deferred\n");
    assert_eq!(kept.listed()["status"], "cancelled");
}

#[test]
fn no_runs_are_kept_where_nobody_wants_them() {
    let kept = Kept::new("off", ASKS);
    let said = kept.run(&["--store", "off", "--what", "plums"]);
    // As ever: the program learns that there is no answer.
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(!kept.store.exists());
    let said = kept.run(&["runs", "--store", "off"]);
    assert_eq!(said.err, "error: no runs are stored: the store is off\n");
    assert_eq!(kept.run(&["runs"]).out, "no runs are stored\n");
    for (words, part) in [
        (vec!["runs", "shwo", "x"], "did you mean `show`"),
        (vec!["runs", "show"], "write `runs show <ID>`"),
        (vec!["runs", "--stoer", "x"], "did you mean `--store`"),
        (
            vec!["runs", "settle", "x", "y", "not-done"],
            "`y` is not the number",
        ),
    ] {
        let said = kept.run(&words);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(part), "{words:?}: {}", said.err);
    }
    // A store that cannot be used keeps a run from acting.
    std::fs::create_dir_all(kept.folder.join("folder.db")).expect("it can be made");
    let said = kept.run(&["--store", "folder.db", "--what", "plums"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("the run cannot be written down"),
        "{}",
        said.err
    );
    assert_eq!(kept.read("begun.txt"), "plums", "of the run before");
}

const FORKS: &str = r#"
type Order { count: int where it > 0 }
human order(what: string) -> Order timeout 24h { user "How many ${what}?" }
workflow main(what: string, times: int = 1) -> int {
  let count = order(what).count
  step "multiply" { count * times }
}
"#;

#[test]
fn a_fork_goes_another_way_from_a_node() {
    let kept = Kept::new("forks", FORKS);
    assert_eq!(kept.run(&["--what", "apples"]).code, Some(5));
    let id = kept.listed()["id"].as_str().expect("a text").to_owned();
    let said = kept.run(&["runs", "answer", &id, "order", r#"{"count": 3}"#]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(kept.run(&["runs", "resume", &id]).out, "3\n");
    let fork = |words: &[&str]| kept.run(&[&["runs", "fork", &id, "--json"], words].concat());
    for (words, part) in [
        (vec!["divide"], "has no node `divide`"),
        (vec!["multiply", "time=3"], "no parameter `time`"),
        (vec!["multiply", "times"], "write `name=JSON`"),
        (vec!["multiply", "times=x"], "this is not JSON"),
        (
            vec!["multiply", r#"what="pears""#],
            "up to that node it would ask for something else",
        ),
    ] {
        let said = fork(&words);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(part), "{words:?}: {}", said.err);
    }
    let said = fork(&["multiply", "times=5"]);
    let forked: Value = serde_json::from_str(&said.out).expect("JSON");
    let forked = forked["id"].as_str().expect("a text");
    // The question is not asked again.
    let said = kept.run(&["runs", "resume", forked]);
    assert_eq!((said.code, &*said.out), (Some(0), "15\n"), "{said:?}");
    // With the same input it is the same run, and the question is asked anew where it begins there.
    let said = fork(&["order"]);
    let forked: Value = serde_json::from_str(&said.out).expect("JSON");
    let forked = forked["id"].as_str().expect("a text");
    assert_eq!(kept.run(&["runs", "resume", forked]).code, Some(5));
    let shown = kept.run(&["runs", "show", &id]);
    assert!(shown.out.contains("result: 3\n"), "{shown:?}");
}
