//! `gswc test --from`: tests of what happened in runs, printed, kept and passed.

use std::io::Write;
use std::process::Stdio;

use crate::killed::Kept;
use crate::program::{Said, gswc, text};

/// All kinds of values, and all kinds of calls that a test replaces.
const EVERYTHING: &str = r#"
import std/env
import std/exec
import std/fs
import std/http
import std/random

permissions {
  fs.read: ["."]
  fs.write: ["."]
  net: ["localhost"]
  env: ["GSW_COLOUR"]
  exec: ["sh"]
}

enum Level { Low, Custom(n: int, why: string = "x") }
type Age = int where it >= 0
error Bad(why: string, level: Level)

type Item {
  name: string
  @alias("lvl") level: Level
  age: Age?
  tags: {string: int}
  pair: (int, string)
  wait: duration
  at: time
  extra: json
  kind: "a" | "b"
  price: float
}

agent clerk { model: "sim/default", cache: false }
prompt describe(item: string, level: Level) -> Item by clerk { user "Describe ${item} ${level}" }
prompt say(text: string) -> string by clerk { user text }
human approve(item: Item, n: int) -> bool { user "ok ${n}?" }
tool load(path: string) -> int reads { fs.read(path).len() }
tool act(item: Item, times: int) -> Level once {
  fs.append("act.log", "x\n")
  if times == 13 { fail Bad("no \"${times}\"\n{", Custom(times)) }
  Custom(times, "because ${item.kind} \$ \${}")
}
tool slow(n: int) -> int idempotent by "${n}" {
  sleep(300ms)
  fs.append("act.log", "${n}\n")
  n
}

workflow main(names: [string], how: string = "", level: Level = Low) -> json {
  fs.append("act.log", "begun\n")
  let items = parallel for name in names { describe(name, level) }
  let yes = approve(items[0], 3)
  let absent = fs.read("missing.txt") catch { IoError(..) => "no file" }
  let length = load("flow.gsw")
  let first = race [spawn say("quick"), spawn { sleep(2h); "slow" }]
  let late = timeout 100ms { slow(1) } catch { Timeout(_) => 0 }
  let done = act(items[0], if how == "bad" { 13 } else { 7 })
  let dice = [random.int(1, 6), random.int(1, 6), random.int(1, 6)]
  let _begun = now()
  let ran = exec.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
  let got = http.get("http://localhost:1/none") catch { IoError(..) => http.HttpResponse { status: 0, headers: {}, body: "" } }
  step "twice" retry 2 { let _ = say("again") }
  let _ = say("again")
  if how == "index" { return [1][names.len() + 5] }
  {
    "items": items, "yes": yes, "absent": absent, "length": length, "first": first, "late": late, "done": done,
    "dice": dice, "id": uuid().len(), "ran": [ran.stdout, ran.stderr, "${ran.code}"], "got": got.status,
    "colour": env.get("GSW_COLOUR") ?? "none", "exists": fs.exists("flow.gsw"),
  }
}
"#;

/// Runs it to its end, with answers on its standard input.
fn run(kept: &Kept, words: &[&str], answers: &str) -> Said {
    let mut command = kept.command(words);
    let mut child = command
        .env("GSW_COLOUR", "green")
        .stdin(Stdio::piped())
        .spawn()
        .expect("a built program can be started");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(answers.as_bytes()).expect("it reads");
    drop(input);
    child.wait_with_output().expect("it ends").into()
}

fn from(kept: &Kept, run: &str) -> Said {
    let file = kept.folder.join("flow.gsw");
    let store = text(&kept.store);
    gswc(&["test", "--from", run, "--store", store, text(&file)])
}

/// The test passes when it is in the file, without anything of what the run has met.
fn passes(kept: &Kept, test: &str) {
    let file = kept.folder.join("flow.gsw");
    let program = std::fs::read_to_string(&file).expect("it is there");
    let elsewhere = kept.folder.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("it can be made");
    let tested = elsewhere.join("tested.gsw");
    std::fs::write(&tested, format!("{program}\n{test}")).expect("it can be written");
    let said = gswc(&["test", text(&tested)]);
    assert_eq!(said.code, Some(0), "{}\n{test}", said.out);
    assert!(said.out.contains("1 passed"), "{}", said.out);
}

#[test]
fn a_test_of_a_run_stands_for_all_that_it_has_met() {
    let kept = Kept::new("from-everything", EVERYTHING);
    for (how, code) in [("", 0), ("bad", 1), ("index", 1)] {
        let words = ["--names", "tea", "--names", "milk", "--how", how];
        let said = run(&kept, &words, "true\n");
        assert_eq!(said.code, Some(code), "{said:?}");
        let test = from(&kept, "newest");
        assert_eq!((test.code, &*test.err), (Some(0), ""), "{}", test.out);
        assert!(!test.out.contains("Not mocked"), "{}", test.out);
        passes(&kept, &test.out);
    }
    let acted = kept.read("act.log");
    // Neither the tests nor their making have done anything.
    assert_eq!(acted.matches("begun\n").count(), 3, "{acted}");
}

const SMALL: &str = r#"
import std/fs
permissions { fs.write: ["."] }
agent clerk { model: "sim/default", cache: false }
prompt ask(q: string) -> string by clerk { user q }
human amount(what: string) -> int timeout 24h { user "how much ${what}?" }
external paid(order: int) -> bool by "order-${order}"
tool pay(n: int) -> string once {
  fs.append("paid.log", "${n}\n")
  "receipt ${n}"
}
workflow main(item: string) -> string {
  let n = amount(item)
  let receipt = pay(n)
  if paid(n) { "${receipt}, ${ask("thanks")}" } else { fail Failed("not paid") }
}
"#;

#[test]
fn a_test_of_a_run_reads_like_one_that_somebody_wrote() {
    let kept = Kept::new("from-small", SMALL);
    let said = kept.run(&["--item", "tea"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let id = kept.listed()["id"].as_str().expect("a text")[..12].to_owned();
    let early = from(&kept, &id);
    assert_eq!(
        (early.code, early.err),
        (
            Some(1),
            format!(
                "gswc: run `{id}` has not ended and waits for human amount: a test is made of a run that has\n"
            )
        )
    );
    for (name, answer) in [("amount", "5"), ("paid", "true")] {
        let said = kept.run(&["runs", "answer", &id, name, answer]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let _ = kept.run(&["runs", "resume", &id]);
    }
    let test = from(&kept, &id);
    let begun = kept.listed()["started"]
        .as_str()
        .expect("a text")
        .to_owned();
    assert_eq!(
        (test.code, &*test.out),
        (
            Some(0),
            &*format!(
                r#"// Made by `gswc test --from` of run {id}, which began at {begun}.
test "main, run {id}" {{
  mock amount(..) -> 5
  mock pay(5) -> "receipt 5"
  mock paid(..) -> true
  mock ask("thanks") -> "simulated: thanks"
  assert main(item: "tea") == "receipt 5, simulated: thanks"
}}
"#
            )
        ),
        "{}",
        test.err
    );
    passes(&kept, &test.out);
    assert_eq!(kept.read("paid.log"), "5\n");
}

const HIDES: &str = r#"
import std/fs
permissions { fs.write: ["."] }
type Card { name: string, @secret number: string }
human card() -> Card { user "card" }
workflow main() -> int {
  fs.write("begun.txt", "")
  card().number.len()
}
"#;

const GIVEN: &str = r#"
import std/exec
permissions { exec: ["sh"] }
type Login { user: string, @secret pin: string }
workflow main(user: string, @secret pin: string) -> Login {
  let _ = exec.run(["sh", "-c", "exit 0", "with ${pin}"])
  Login { user: user, pin: pin }
}
"#;

/// Neither in the arguments, nor in the result, nor in what the program has made of them.
#[test]
fn a_test_of_a_run_has_no_hidden_argument() {
    let kept = Kept::new("from-given", GIVEN);
    let pin = "correct-horse-4711";
    let said = run(&kept, &["--user", "ada", "--pin", pin], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let test = from(&kept, "newest");
    assert!(
        !(test.out.clone() + &test.err).contains("correct"),
        "{test:?}"
    );
    for part in [
        "\"with ***\"",
        "main(user: \"ada\", pin: \"***\")",
        "pin: \"***\" }",
    ] {
        assert!(test.out.contains(part), "{part}: {test:?}");
    }
}

#[test]
fn what_no_test_can_be_made_of_is_said() {
    let kept = Kept::new("from-hidden", HIDES);
    let said = run(&kept, &[], "{\"name\": \"Ann\", \"number\": \"123456\"}\n");
    assert_eq!((said.code, &*said.out), (Some(0), "6\n"), "{said:?}");
    let test = from(&kept, "newest");
    // What is hidden is in no file, so the test has to be finished by hand.
    assert_eq!(test.code, Some(1), "{test:?}");
    assert!(test.out.contains("number: \"***\"") && !test.out.contains("123456"));
    let why = "gswc: warning: this test does not pass as it is:\n  error: AssertionFailed: main() == 6\n     left: 3\n";
    assert!(test.err.starts_with(why), "{}", test.err);
    let unknown = from(&kept, "ffff");
    assert_eq!(unknown.err, "gswc: there is no run `ffff`\n");
    let file = kept.folder.join("flow.gsw");
    let changed = [
        ("1", "this program asks for something else than run `"),
        (
            "card().name.len() + card().number.len()",
            "this program goes on where run `",
        ),
    ];
    for (instead, why) in changed {
        let source = HIDES.replace("card().number.len()", instead);
        std::fs::write(&file, source).expect("it can be written");
        let other = from(&kept, "newest");
        assert!(
            other.code == Some(1) && other.err.starts_with(&format!("gswc: {why}")),
            "{other:?}"
        );
    }
}
