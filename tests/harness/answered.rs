//! Runs that are answered, watched and ended by other processes than the one that carries them.

use std::process::Child;
use std::time::Duration;

use serde_json::Value;

use crate::killed::{Kept, await_text};
use crate::program::Said;

const PAID: &str = r#"
import std/fs
import std/runs
permissions { fs.write: ["."] }
type Payment { amount: int where it > 0 }
external payment(order: string) -> Payment by "order:${order}" timeout 50s
external later(order: string) -> Payment by "later:${order}" timeout 2d
human approve(order: string) -> bool { user "Ship ${order}?" }
external keyless(order: string) -> int
tool ship(order: string, amount: int) -> string once {
  fs.append("shipped.log", "${order} ${amount}\n")
  "shipped ${order} for ${amount}"
}

/// The process stays, since the time is short.
workflow main(order: string) -> string {
  fs.append("asked.log", "${order}\n")
  ship(order, payment(order).amount)
}

/// The process leaves.
workflow parked(order: string) -> string { ship(order, later(order).amount) }

workflow unkeyed() -> int { keyless("1") }

workflow several() -> [bool] {
  let (one, two) = (spawn approve("one"), spawn approve("two"))
  [await one, await two]
}

/// Ends with another run, whoever carries that.
workflow watch(id: string) -> json {
  let run = runs.get(id) ?? fail Failed("there is no run ${id}")
  fs.append("watched.log", "${run.workflow} ${run.status()}\n")
  await run.result()
}

workflow end(id: string) -> bool {
  let run = runs.get(id) ?? fail Failed("there is no run ${id}")
  run.cancel("by another one")
}

workflow answer(id: string, amount: int) { runs.answer(id, "payment", { "amount": amount }) }
"#;

fn end(child: Child) -> Said {
    child.wait_with_output().expect("it ends").into()
}

/// Does the same until it succeeds, since a question is there some time after its run has begun.
fn eventually(kept: &Kept, words: &[&str]) -> Said {
    for _ in 0..1_000 {
        let said = kept.run(words);
        if said.code == Some(0) {
            return said;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{:?} never succeeds: {:?}", words, kept.run(words));
}

fn id_of(kept: &Kept, workflow: &str) -> String {
    let said = kept.run(&["runs", "--json"]);
    let runs: Vec<Value> = serde_json::from_str(&said.out).expect("a list");
    let run = runs.iter().find(|it| it["workflow"] == workflow);
    run.expect("it is there")["id"]
        .as_str()
        .expect("a text")
        .to_owned()
}

#[test]
fn an_answer_reaches_the_process_that_carries_the_run() {
    let kept = Kept::new("answered", PAID);
    let child = kept.start(&["main", "--order", "17"]);
    await_text(&kept.folder.join("asked.log"), "17");
    let id = id_of(&kept, "main");
    let refused = kept.run(&["runs", "answer", &id, "payment", r#"{"amount": 0}"#]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let said = eventually(
        &kept,
        &["runs", "answer", &id, "payment", r#"{"amount": 5}"#],
    );
    assert_eq!(said.err, "answered; the run goes on\n");
    let said = end(child);
    assert_eq!(
        (said.code, &*said.out),
        (Some(0), "\"shipped 17 for 5\"\n"),
        "{said:?}"
    );
    let over = kept.run(&["runs", "answer", &id, "payment", r#"{"amount": 5}"#]);
    assert!(over.err.contains("has ended"), "{over:?}");
}

/// Property 5: of any number that answer at once one counts, and the others are told which was first.
#[test]
fn of_eight_processes_that_answer_one_question_one_wins() {
    let kept = Kept::new("raced", PAID);
    let said = kept.run(&["parked", "--order", "8"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let id = id_of(&kept, "parked");
    let answers = (1..=8).map(|n| {
        let answer = format!("{{\"amount\": {n}}}");
        let words = match n % 2 {
            0 => ["runs", "answer", &id, "later", &answer]
                .map(str::to_owned)
                .to_vec(),
            _ => ["runs", "answer", "--key", "later:8", "later", &answer]
                .map(str::to_owned)
                .to_vec(),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = kept.command(&words);
        (
            n,
            command
                .env("USER", format!("user{n}"))
                .spawn()
                .expect("it starts"),
        )
    });
    let answers: Vec<_> = answers.collect();
    let said: Vec<(i32, Said)> = answers.into_iter().map(|(n, it)| (n, end(it))).collect();
    let (won, lost): (Vec<_>, Vec<_>) = said.into_iter().partition(|(_, it)| it.code == Some(0));
    assert_eq!(won.len(), 1, "{won:?} {lost:?}");
    let winner = won[0].0;
    for (_, said) in lost {
        let who = format!("answered before by `user{winner}`");
        assert!(said.err.contains(&who), "{said:?}");
    }
    let listed = kept.run(&["runs"]);
    assert!(listed.out.contains("answered: "), "{listed:?}");
    let shown = kept.run(&["runs", "show", &id]);
    let taken = format!("`user{winner}` answered it at ");
    assert!(shown.out.contains(&taken), "{shown:?}");
    assert!(!shown.out.contains("answer it: "), "{shown:?}");
    // It counts through kills between the answer and the act, and the act happens once.
    for n in 0..6_u64 {
        let mut child = kept.start(&["runs", "resume", &id]);
        std::thread::sleep(Duration::from_millis(7 * n));
        signal_if_there(&mut child);
        let _ = child.wait();
    }
    let _ = kept.run(&["runs", "resume", &id]);
    let shipped = kept.read("shipped.log");
    assert!(
        shipped.is_empty() || shipped == format!("8 {winner}\n"),
        "{shipped}"
    );
    assert!(
        matches!(
            kept.listed()["status"].as_str(),
            Some("completed" | "failed")
        ),
        "{}",
        kept.listed()
    );
}

fn signal_if_there(child: &mut Child) {
    // It may have ended before.
    let _ = child.kill();
}

#[test]
fn an_answer_by_key_may_come_before_its_run() {
    let kept = Kept::new("early", PAID);
    let send =
        |key: &str, name: &str, json: &str| kept.run(&["runs", "answer", "--key", key, name, json]);
    for (name, json, part) in [
        ("paymnt", "{}", "there is no external `paymnt`"),
        // What has no key would never ask for it.
        ("approve", "true", "`approve` asks a person and has no key"),
        ("keyless", "1", "`keyless` is declared without `by`"),
        ("payment", r#"{"amount": -1}"#, "does not fit `payment`"),
        ("payment", "{", "does not fit `payment`"),
    ] {
        let said = send("order:9", name, json);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(part), "{said:?}");
    }
    let said = send("order:9", "payment", r#"{"amount": 7}"#);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("kept for seven days"), "{said:?}");
    let said = send("order:9", "payment", r#"{"amount": 8}"#);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("answered before by"), "{said:?}");
    let said = kept.run(&["main", "--order", "9"]);
    assert_eq!(&*said.out, "\"shipped 9 for 7\"\n", "{said:?}");
    // It is spent, and the same once more is no answer to the question that comes next.
    let twice = send("order:9", "payment", r#"{"amount": 7}"#);
    assert_eq!(twice.code, Some(2), "{twice:?}");
    let run = format!("was given to the run `{}", id_of(&kept, "main"));
    assert!(twice.err.contains(&run), "{twice:?}");
    let child = kept.start(&["main", "--order", "9"]);
    let said = eventually(
        &kept,
        &[
            "runs",
            "answer",
            "--key",
            "order:9",
            "payment",
            r#"{"amount": 3}"#,
        ],
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(&*end(child).out, "\"shipped 9 for 3\"\n");
}

const RACED: &str = r#"
external first(x: string) -> string
external second(x: string) -> string
human third(x: string) -> string { user "${x}?" }
workflow main() -> string { race [spawn first("1"), spawn second("2"), spawn third("3")] }
"#;

/// Whatever brings the answers to the run, they come in the order in which they were given.
#[test]
fn a_parked_race_is_won_by_the_answer_that_came_first() {
    let kept = Kept::new("raced", RACED);
    let orders = [["second", "first", "third"], ["third", "second", "first"]];
    for (resumed, order) in [true, false].into_iter().zip(orders) {
        assert_eq!(kept.run(&[]).code, Some(5));
        let runs = kept.run(&["runs", "--json"]);
        let runs: Vec<Value> = serde_json::from_str(&runs.out).expect("a list");
        let id = runs[0]["id"].as_str().expect("a text");
        for name in order {
            let said = kept.run(&["runs", "answer", id, name, &format!("\"{name}\"")]);
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        let words: &[&str] = match resumed {
            true => &["runs", "resume", id],
            false => &["runs", "wait", id],
        };
        let said = kept.run(words);
        assert_eq!(said.out, format!("\"{}\"\n", order[0]), "{said:?}");
    }
}

const EARLY: &str = r#"
external one(x: string) -> string by "one:${x}"
external two(x: string) -> string by "two:${x}"
workflow main(x: string) -> string { race [spawn one(x), spawn two(x)] }
"#;

/// Answers that are there before the run asks come in their order too, whichever question is written down first.
#[test]
fn a_race_of_questions_that_were_answered_early_is_won_by_the_first_answer() {
    let kept = Kept::new("early", EARLY);
    // A store is made by a run.
    assert_eq!(kept.run(&["--x", "none"]).code, Some(5));
    let id = id_of(&kept, "main");
    assert_eq!(kept.run(&["runs", "cancel", &id]).code, Some(0));
    for (x, order) in [
        ("1", ["two", "one"]),
        ("2", ["one", "two"]),
        ("3", ["two", "one"]),
    ] {
        for name in order {
            let key = format!("{name}:{x}");
            let said = kept.run(&[
                "runs",
                "answer",
                "--key",
                &key,
                name,
                &format!("\"{name}\""),
            ]);
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        let said = kept.run(&["--x", x]);
        assert_eq!(said.out, format!("\"{}\"\n", order[0]), "{said:?}");
    }
}

const MANY: &str = r#"
external one(x: string) -> int by "one:${x}"
workflow main(x: string) -> int {
  let all = (0..100).map(n => spawn one("${x}:${n}"))
  race all
}
"#;

/// Of more questions than begin at once, all are asked before one of them is answered.
#[test]
fn a_race_of_a_hundred_questions_that_were_answered_early_is_won_by_the_first_answer() {
    let kept = Kept::new("early-many", MANY);
    assert_eq!(kept.run(&["--x", "none"]).code, Some(5));
    let id = id_of(&kept, "main");
    assert_eq!(kept.run(&["runs", "cancel", &id]).code, Some(0));
    for (x, order) in [("a", ["99", "3"]), ("b", ["3", "99"])] {
        for number in order {
            let key = format!("one:{x}:{number}");
            let said = kept.run(&["runs", "answer", "--key", &key, "one", number]);
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        let said = kept.run(&["--x", x]);
        assert_eq!(said.out, format!("{}\n", order[0]), "{said:?}");
    }
}

const TIMED: &str = r#"
external asked(x: string) -> string
workflow nap(seconds: int) -> string {
  sleep(1s * seconds)
  "slept ${seconds}"
}
workflow main() -> string { race [spawn nap(7), spawn asked("1"), spawn nap(6)] }
"#;

/// What ended while nobody carried the run has ended in the order of time.
#[test]
fn a_sleep_and_an_answer_end_in_the_order_of_time_also_when_nobody_carries_the_run() {
    let kept = Kept::new("timed", TIMED);
    for (is_answered_first, won) in [(true, "answered"), (false, "slept 6")] {
        let mut child = kept.start(&[]);
        await_question(&kept, "main");
        signal_if_there(&mut child);
        let _ = child.wait();
        let runs = kept.run(&["runs", "--json"]);
        let runs: Vec<Value> = serde_json::from_str(&runs.out).expect("a list");
        let running = runs.iter().find(|it| it["status"] == "interrupted");
        let id = running.and_then(|it| it["id"].as_str()).expect("a run");
        let answer = || {
            let said = kept.run(&["runs", "answer", id, "asked", "\"answered\""]);
            assert_eq!(said.code, Some(0), "{said:?}");
        };
        if is_answered_first {
            answer();
        }
        std::thread::sleep(Duration::from_secs(8));
        if !is_answered_first {
            answer();
        }
        let said = kept.run(&["runs", "resume", id]);
        assert_eq!(said.out, format!("\"{won}\"\n"), "{said:?}");
    }
}

#[test]
fn questions_of_one_name_are_answered_by_their_numbers() {
    let kept = Kept::new("numbered", PAID);
    let said = kept.run(&["several"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let id = id_of(&kept, "several");
    let parked = said.err;
    let said = kept.run(&["runs", "answer", &id, "approve", "true"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("is asked several times"), "{said:?}");
    let shown = kept.run(&["runs", "show", &id, "--json"]);
    let shown: Value = serde_json::from_str(&shown.out).expect("JSON");
    let numbers: Vec<String> = shown["open"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["operation"].to_string())
        .collect();
    for (number, answer) in numbers.iter().zip(["true", "false"]) {
        let by_number = format!(" {number} JSON\n");
        assert!(parked.contains(&by_number), "{parked}");
        let said = kept.run(&["runs", "answer", &id, number, answer]);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(&*said.out, "[true,false]\n", "{said:?}");
}

#[test]
fn other_runs_of_the_store_are_watched_answered_and_ended() {
    let kept = Kept::new("watched", PAID);
    let child = kept.start(&["main", "--order", "1"]);
    await_text(&kept.folder.join("asked.log"), "1");
    let id = id_of(&kept, "main");
    let watcher = kept.start(&["watch", "--id", &id]);
    await_text(&kept.folder.join("watched.log"), "main");
    let said = eventually(&kept, &["answer", "--id", &id, "--amount", "4"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(&*end(child).out, "\"shipped 1 for 4\"\n");
    assert_eq!(&*end(watcher).out, "\"shipped 1 for 4\"\n");
    let again = kept.run(&["answer", "--id", &id, "--amount", "4"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.err.contains("has ended"), "{again:?}");

    let child = kept.start(&["main", "--order", "2"]);
    await_text(&kept.folder.join("asked.log"), "2");
    let id = id_of(&kept, "main");
    assert_eq!(&*eventually(&kept, &["end", "--id", &id]).out, "true\n");
    let said = end(child);
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(&*kept.run(&["end", "--id", &id]).out, "false\n");

    // One that is parked ends when it is resumed.
    assert_eq!(kept.run(&["parked", "--order", "3"]).code, Some(5));
    let id = id_of(&kept, "parked");
    let watched = kept.start(&["watch", "--id", &id]);
    await_text(&kept.folder.join("watched.log"), "parked parked");
    assert_eq!(&*kept.run(&["end", "--id", &id]).out, "true\n");
    let said = kept.run(&["runs", "resume", &id]);
    assert_eq!(said.code, Some(130), "{said:?}");
    let said = end(watched);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("it was cancelled"), "{said:?}");
}

const SHORT: &str = r#"
import std/fs
permissions { fs.write: ["."] }
human approve(order: string) -> bool timeout 6s { user "Ship ${order}?" }
external payment(order: string) -> bool by "order:${order}" timeout 6s
tool ship(order: string) -> string once {
  fs.append("shipped.log", "${order}\n")
  "shipped"
}
workflow asked(order: string) -> string { if approve(order) { ship(order) } else { "kept" } }
workflow paid(order: string) -> string { if payment(order) { ship(order) } else { "kept" } }
workflow patient(order: string) -> string {
  let yes = approve(order) catch { Timeout(after) => return "nobody within ${after}" }
  if yes { ship(order) } else { "kept" }
}
"#;

/// Waits until the question of a workflow is written down.
fn await_question(kept: &Kept, workflow: &str) {
    let of_workflow = |runs: &[Value]| {
        let run = runs.iter().find(|it| it["workflow"] == workflow)?;
        run["id"].as_str().map(str::to_owned)
    };
    for _ in 0..500 {
        let said = kept.run(&["runs", "--json"]);
        let runs: Vec<Value> = serde_json::from_str(&said.out).expect("a list");
        if let Some(id) = of_workflow(&runs) {
            let shown = kept.run(&["runs", "show", &id, "--json"]).out;
            let is_asked = |state: &str| shown.contains(&format!("\"state\": \"{state}\""));
            if is_asked("asks") || is_asked("waits") {
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{workflow} never asks");
}

/// The time of a question passes while no process is there: a later answer is refused with that reason, and the run
/// takes no answer.
#[test]
fn a_question_whose_time_is_over_takes_no_answer() {
    let kept = Kept::new("expired", SHORT);
    let workflows = [
        ("asked", "approve", Some(1)),
        ("paid", "payment", Some(1)),
        ("patient", "approve", Some(0)),
    ];
    let mut begun: Vec<Child> = workflows
        .iter()
        .map(|it| kept.start(&[it.0, "--order", it.0]))
        .collect();
    for (child, (workflow, ..)) in begun.iter_mut().zip(workflows) {
        await_question(&kept, workflow);
        signal_if_there(child);
        let _ = child.wait();
    }
    std::thread::sleep(Duration::from_secs(6));
    for (workflow, name, code) in workflows {
        let id = id_of(&kept, workflow);
        let shown = kept.run(&["runs", "show", &id]).out;
        assert!(shown.contains("it has timed out"), "{shown}");
        assert!(!shown.contains("answer it: "), "{shown}");
        let late = kept.run(&["runs", "answer", &id, name, "true"]);
        assert_eq!(late.code, Some(2), "{late:?}");
        let why = format!("error: it is too late to answer `{name}`: the answer was due by ");
        assert!(late.err.starts_with(&why), "{late:?}");
        let said = kept.run(&["runs", "resume", &id]);
        assert_eq!(said.code, code, "{said:?}");
        let text = format!("{}{}", said.out, said.err);
        assert!(
            text.contains("Timeout: timed out after 6s") || text.contains("nobody within 6s"),
            "{said:?}"
        );
    }
    let late = kept.run(&["runs", "answer", "--key", "order:paid", "payment", "true"]);
    assert_eq!(late.code, Some(2), "{late:?}");
    assert_eq!(kept.read("shipped.log"), "");
}
