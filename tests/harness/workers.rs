//! `worker`, `runs wait` and `--idle`: runs that wait for days need no process, and resume when they are due.

use std::process::Child;
use std::time::Duration;

use serde_json::Value;

use crate::kept_runs::lock;
use crate::killed::{Kept, signal};
use crate::program::Said;

const SHOP: &str = r#"
import std/fs
import std/runs
permissions { fs.write: ["."] }
external payment(order: string) -> int by "order:${order}" timeout 2d
tool ship(order: string, amount: int) -> string once {
  fs.append("shipped.log", "${order} ${amount}\n")
  "shipped ${order}"
}
workflow main(order: string) -> string { ship(order, payment(order)) }

/// Waits for time alone.
workflow late(order: string) -> string {
  fs.append("late.log", "${order}\n")
  sleep(2h)
  "late"
}

/// Starts what the process need not outlive.
workflow starts(count: int) -> [string] {
  (0..count).map(n => spawn detached main("${n}") with { id: "order-${n}" })
}

/// The same id with other arguments.
workflow again(order: string) -> [string] {
  let id = spawn detached main(order) with { id: "order-0" }
  [id] + context.node.logs().map(it => it.message)
}

/// One run of the id, whoever starts it.
workflow once() -> string {
  let id = spawn detached counted() with { id: "counted" }
  "${await (runs.get(id) ?? fail Failed("none")).result()}"
}
workflow counted() -> int {
  fs.append("counted.log", "begun\n")
  sleep(300ms)
  fs.append("counted.log", "ended\n")
  7
}
"#;

fn end(child: Child) -> Said {
    child.wait_with_output().expect("it ends").into()
}

fn runs(kept: &Kept) -> Vec<Value> {
    let said = kept.run(&["runs", "--json"]);
    serde_json::from_str(&said.out).expect("a list")
}

/// How many runs have this status.
fn count(kept: &Kept, status: &str) -> usize {
    runs(kept)
        .iter()
        .filter(|it| it["status"] == status)
        .count()
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1_500 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(40));
    }
    panic!("it never comes: {what}");
}

fn pay(kept: &Kept, order: &str, amount: usize) -> Said {
    let (key, amount) = (format!("order:{order}"), amount.to_string());
    kept.run(&["runs", "answer", "--key", &key, "payment", &amount])
}

#[test]
fn a_worker_carries_on_what_is_answered_and_ends_when_it_is_told() {
    let kept = Kept::new("worked", SHOP);
    for order in ["1", "2"] {
        assert_eq!(kept.run(&["--order", order]).code, Some(5));
    }
    let worker = kept.start(&["worker", "--idle", "1s"]);
    assert_eq!(pay(&kept, "2", 20).code, Some(0));
    eventually("the paid one ends", || count(&kept, "completed") == 1);
    assert_eq!(kept.read("shipped.log"), "2 20\n");
    assert_eq!(count(&kept, "parked"), 1);
    signal(&worker, "-TERM");
    let said = end(worker);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("of `main`: completed"), "{said:?}");
    assert!(said.err.contains("shutting down"), "{said:?}");
    // What is answered without a worker waits for the next one.
    assert_eq!(pay(&kept, "1", 10).code, Some(0));
    let said = kept.run(&["runs", "wait"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(kept.read("shipped.log"), "2 20\n1 10\n");
    assert_eq!(count(&kept, "completed"), 2);
}

/// Property 5: nothing is done twice, however many work, and whichever of them is killed.
#[test]
fn eight_workers_share_a_store_and_do_nothing_twice() {
    const ORDERS: usize = 24;
    let kept = Kept::new("shared", SHOP);
    let said = kept.run(&["starts", "--count", &ORDERS.to_string()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(count(&kept, "parked"), ORDERS, "{said:?}");
    let start = || kept.start(&["worker", "--idle", "0s", "--quiet"]);
    let mut workers: Vec<Child> = (0..8).map(|_| start()).collect();
    for order in 0..ORDERS {
        let said = pay(&kept, &order.to_string(), order);
        assert_eq!(said.code, Some(0), "{said:?}");
        if order % 6 == 5 {
            // A worker dies in the middle of whatever it does, and another one comes.
            let mut dead = workers.remove(0);
            signal(&dead, "-KILL");
            let _ = dead.wait();
            workers.push(start());
        }
    }
    let over = || count(&kept, "completed") + count(&kept, "failed");
    // One of them has started the others.
    eventually("all have ended", || over() == ORDERS + 1);
    for worker in &workers {
        signal(worker, "-TERM");
    }
    for worker in workers {
        let said = end(worker);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let shipped = kept.read("shipped.log");
    let mut lines: Vec<&str> = shipped.lines().collect();
    lines.sort_unstable();
    let all = lines.len();
    lines.dedup();
    assert_eq!(lines.len(), all, "{shipped}");
    // One that failed says so: it may have been shipped, which is unknown.
    assert!(all + count(&kept, "failed") >= ORDERS, "{shipped}");
}

#[test]
fn a_run_that_waits_long_is_left_and_says_until_when() {
    let kept = Kept::new("idle", SHOP);
    let said = kept.run(&["late", "--order", "1", "--idle", "0s"]);
    assert_eq!((said.code, &*said.out), (Some(5), ""), "{said:?}");
    assert!(
        said.err.contains("the run waits for sleep") && said.err.contains(" until 2"),
        "{said:?}"
    );
    let run = kept.listed();
    assert_eq!(run["status"], "parked");
    assert_eq!(kept.read("late.log"), "1\n");
    // A worker has nothing to do with it before.
    let worker = kept.start(&["worker"]);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(kept.listed()["status"], "parked");
    // It must be cancelled: then it is due.
    let id = run["id"].as_str().expect("a text");
    let said = kept.run(&["runs", "cancel", id]);
    assert!(matches!(said.code, Some(0 | 130)), "{said:?}");
    eventually("it is cancelled", || count(&kept, "cancelled") == 1);
    signal(&worker, "-INT");
    assert_eq!(end(worker).code, Some(0));
    for (words, part) in [
        (
            vec!["late", "--order", "1", "--idle", "soon"],
            "duration; write one such as",
        ),
        (vec!["worker", "now"], "`worker` takes no `now`"),
        (
            vec!["worker", "--model", "sim/default"],
            "`--model` cannot be given",
        ),
        (vec!["worker", "--store", "off"], "the store is off"),
        (vec!["runs", "wait", "ffff"], "there is no run `ffff`"),
    ] {
        let said = kept.run(&words);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(part), "{said:?}");
    }
}

#[test]
fn who_waits_for_a_run_ends_with_it_whoever_carries_it() {
    let kept = Kept::new("awaited", SHOP);
    assert_eq!(kept.run(&["--order", "5"]).code, Some(5));
    let id = kept.listed()["id"].as_str().expect("a text").to_owned();
    let waiters = [0, 1].map(|_| kept.start(&["runs", "wait", &id, "--quiet"]));
    eventually("one carries it", || kept.listed()["status"] == "waiting");
    assert_eq!(pay(&kept, "5", 50).code, Some(0));
    let codes = waiters.map(|it| {
        let said = end(it);
        (said.code, said.out)
    });
    let shipped = "\"shipped 5\"\n".to_owned();
    // Also the one that lost the race for the run.
    assert_eq!(codes, [0, 1].map(|_| (Some(0), shipped.clone())));
    let said = kept.run(&["runs", "wait", &id]);
    assert_eq!((said.code, said.out), (Some(0), shipped));
    assert_eq!(kept.read("shipped.log"), "5 50\n");
}

/// Of any number of processes that start the run of an id one does, and all get its value.
#[test]
fn a_detached_run_is_started_once_for_its_id_by_any_number_of_processes() {
    let kept = Kept::new("once", SHOP);
    let starters: Vec<Child> = (0..8).map(|_| kept.start(&["once", "--quiet"])).collect();
    for starter in starters {
        let said = end(starter);
        assert_eq!((said.code, &*said.out), (Some(0), "\"7\"\n"), "{said:?}");
    }
    assert_eq!(kept.read("counted.log"), "begun\nended\n");
    let said = kept.run(&["once"]);
    assert_eq!(&*said.out, "\"7\"\n", "{said:?}");
    assert_eq!(kept.read("counted.log"), "begun\nended\n");
}

#[test]
fn a_run_that_is_there_with_other_arguments_is_named_by_a_warning() {
    let kept = Kept::new("workers_again", SHOP);
    let said = kept.run(&["starts", "--count", "1"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run(&["again", "--order", "0"]);
    assert_eq!(said.out.trim(), r#"["order-0"]"#, "{said:?}");
    let said = kept.run(&["again", "--order", "1"]);
    let warning =
        "the run `order-0` of `main` already exists, and `order` has a different value in it";
    assert!(said.out.contains(warning), "{said:?}");
}

/// All of them see that the run of another build is due, and hand it to that; one process takes it.
#[test]
fn a_worker_that_lost_the_race_for_a_run_of_another_build_takes_it_later() {
    const STEPS: &str = r#"
import std/fs
workflow main() -> string {
  fs.write("begun", "1")
  for _i in 0..10_000 {
    if fs.exists("ends") { return "fine" }
    sleep(50ms)
  }
  "late"
}
"#;
    let old = Kept::new("raced", STEPS);
    let mut new = Kept::new("raced-new", &STEPS.replace("late", "too late"));
    new.store.clone_from(&old.store);
    new.folder.clone_from(&old.folder);
    let first = old.start(&[]);
    eventually("it is written down", || !old.read("begun").is_empty());
    let workers: Vec<Child> = (0..4).map(|_| new.start(&["worker"])).collect();
    // They have opened the store, and look at it.
    std::thread::sleep(Duration::from_secs(2));
    let mut locked = lock(&old.store, 6);
    signal(&first, "-KILL");
    let _ = end(first);
    let _ = locked.wait();
    let mut workers = workers.into_iter();
    let last = workers.next_back().expect("there are four");
    for worker in workers {
        eventually("one carries it", || old.listed()["status"] == "running");
        signal(&worker, "-TERM");
        let said = end(worker);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    eventually("the last carries it", || {
        old.listed()["status"] == "running"
    });
    std::fs::write(old.folder.join("ends"), "").expect("it can be written");
    eventually("it ends", || count(&old, "completed") == 1);
    signal(&last, "-TERM");
    assert_eq!(end(last).code, Some(0));
}

#[test]
fn runs_that_wait_for_others_leave_those_their_places() {
    const PARENTS: &str = r#"
import std/runs
human approve(i: int) -> bool { user "ok ${i}?" }
workflow child(i: int) -> bool { approve(i) }
workflow parent(i: int) -> json {
  let id = spawn detached child(i)
  await (runs.get(id) ?? fail Failed("none")).result()
}
workflow main(n: int) -> int {
  for i in 0..n { let _ = spawn detached parent(i) }
  n
}
"#;
    // As many as a worker carries.
    const COUNT: usize = 256;
    let kept = Kept::new("places", PARENTS);
    let first = kept.start(&["--n", &COUNT.to_string()]);
    let of = |workflow: &str, status: &str| -> Vec<Value> {
        let mut runs = runs(&kept);
        runs.retain(|it| it["workflow"] == workflow && it["status"] == status);
        runs
    };
    eventually("all wait", || of("child", "waiting").len() == COUNT);
    signal(&first, "-KILL");
    let _ = end(first);
    let worker = kept.start(&["worker", "--idle", "1s", "--quiet"]);
    eventually("it carries what awaits", || {
        of("child", "parked").len() == COUNT
            && of("parent", "interrupted").is_empty()
            && of("parent", "parked").is_empty()
    });
    let child = of("child", "parked").remove(0);
    let id = child["id"].as_str().expect("a text");
    let said = kept.run(&["runs", "answer", id, "approve", "true"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    eventually("its parent ends", || of("parent", "completed").len() == 1);
    signal(&worker, "-TERM");
    assert_eq!(end(worker).code, Some(0));
}
