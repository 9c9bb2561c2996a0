//! Processes that want the same at the same time: one wins, and the others say so.
//!
//! `GSW_ROUNDS` is how often each race is run.

use std::process::Child;

use crate::determinism::number;
use crate::killed::Kept;
use crate::program::Said;

/// How often a plain `cargo test` runs each race.
const ROUNDS: u64 = 4;
const RACERS: usize = 8;

const ORDERS: &str = r#"
import std/fs
permissions { fs.write: ["."] }
type Order { count: int where it > 0 }
human order(what: string) -> Order timeout 24h { user "How many ${what}?" }
tool ship(n: int) -> string once {
  fs.append("shipped.log", "shipped ${n}\n")
  "shipped ${n}"
}
workflow main(what: string) -> string {
  fs.append("begun.log", "begun\n")
  let count = order(what).count
  ship(count)
}
"#;

/// Starts all at once and gives what became of each.
fn race(kept: &Kept, commands: &[Vec<String>]) -> Vec<Said> {
    let start = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        kept.start(&words)
    };
    let racers: Vec<Child> = commands.iter().map(start).collect();
    let end = |child: Child| child.wait_with_output().expect("it ends").into();
    racers.into_iter().map(end).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

/// A program that has parked with its question, in a store of its own; and its run's id.
fn parked(kept: &Kept) -> String {
    for file in ["shipped.log", "begun.log"] {
        let _ = std::fs::remove_file(kept.folder.join(file));
    }
    let _ = std::fs::remove_dir_all(kept.store.parent().expect("it is in a folder"));
    let said = kept.run(&["--what", "apples"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    kept.listed()["id"].as_str().expect("a text").to_owned()
}

#[test]
fn of_processes_that_answer_one_question_one_wins() {
    let kept = Kept::new("racing-answers", ORDERS);
    for round in 0..number("GSW_ROUNDS", ROUNDS) {
        let id = parked(&kept);
        let answers: Vec<_> = (1..=RACERS)
            .map(|it| {
                words(&[
                    "runs",
                    "answer",
                    &id,
                    "order",
                    &format!("{{\"count\": {it}}}"),
                ])
            })
            .collect();
        let said = race(&kept, &answers);
        let won: Vec<usize> = (1..=RACERS)
            .filter(|it| said[it - 1].code == Some(0))
            .collect();
        assert_eq!(won.len(), 1, "round {round}: {said:?}");
        for it in said.iter().filter(|it| it.code != Some(0)) {
            assert!(
                it.err.starts_with("error: ") && it.err.contains(&id[..12]),
                "round {round}: {it:?}"
            );
        }
        let end = kept.run(&["runs", "resume", &id]);
        let expected = format!("\"shipped {}\"\n", won[0]);
        assert_eq!((end.code, end.out), (Some(0), expected), "round {round}");
        assert_eq!(kept.read("shipped.log"), format!("shipped {}\n", won[0]));
    }
}

#[test]
fn of_processes_that_resume_one_run_one_wins() {
    let kept = Kept::new("racing-resumes", ORDERS);
    for round in 0..number("GSW_ROUNDS", ROUNDS) {
        let id = parked(&kept);
        let said = kept.run(&["runs", "answer", &id, "order", r#"{"count": 3}"#]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let said = race(&kept, &vec![words(&["runs", "resume", &id]); RACERS]);
        let won = said.iter().filter(|it| it.code == Some(0));
        let won: Vec<&str> = won.map(|it| &*it.out).collect();
        assert_eq!(won, ["\"shipped 3\"\n"], "round {round}: {said:?}");
        for it in said.iter().filter(|it| it.code != Some(0)) {
            // It is carried by another one, or that one was done already.
            let is_told = ["another process carries", "has ended: completed"]
                .iter()
                .any(|part| it.err.contains(part));
            assert!(it.code == Some(4) && is_told, "round {round}: {it:?}");
        }
        assert_eq!(kept.read("shipped.log"), "shipped 3\n");
        assert_eq!(kept.read("begun.log"), "begun\n");
    }
}

/// Some answer, some resume, some cancel: whatever wins, nothing happens twice and the run ends.
#[test]
fn of_processes_that_do_everything_at_once_none_does_anything_twice() {
    let kept = Kept::new("racing-all", ORDERS);
    for round in 0..number("GSW_ROUNDS", ROUNDS) {
        let id = parked(&kept);
        let answer = words(&["runs", "answer", &id, "order", r#"{"count": 3}"#]);
        let resume = words(&["runs", "resume", &id]);
        let cancel = words(&["runs", "cancel", &id]);
        let again = words(&["--resume", "--what", "pears"]);
        let mut all = vec![answer.clone(), resume.clone(), cancel, again];
        all.extend([answer, resume.clone(), words(&["runs"]), resume]);
        for it in race(&kept, &all) {
            // Nothing ends in a panic or by a signal.
            assert!(
                matches!(it.code, Some(0 | 1 | 2 | 4 | 5 | 130)),
                "round {round}: {it:?}"
            );
        }
        let _ = kept.run(&["runs", "answer", &id, "order", r#"{"count": 3}"#]);
        let _ = kept.run(&["runs", "resume", &id]);
        let end = kept.run(&["runs", "show", &id]);
        assert!(
            end.out.contains("completed") || end.out.contains("cancelled"),
            "round {round}: {end:?}"
        );
        let shipped = kept.read("shipped.log").lines().count();
        assert!(shipped <= 1, "round {round}: shipped {shipped} times");
    }
}

const PAID: &str = r#"
import std/fs
permissions { fs.write: ["."] }
external payment(order: string) -> int by "order:${order}" timeout 24h
tool ship(order: string, amount: int) -> string once {
  fs.append("shipped.log", "${order} for ${amount}\n")
  "${order} for ${amount}"
}
workflow main(order: string) -> string { ship(order, payment(order)) }
"#;

/// Whether the run is there before its answers, or after them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comes {
    First,
    Last,
}

#[test]
fn of_processes_that_answer_one_external_by_its_key_one_wins() {
    let kept = Kept::new("racing-keys", PAID);
    for round in 0..number("GSW_ROUNDS", ROUNDS) {
        for run in [Comes::First, Comes::Last] {
            let order = format!("{round}{run:?}");
            let key = format!("order:{order}");
            if run == Comes::First {
                let said = kept.run(&["--order", &order]);
                assert_eq!(said.code, Some(5), "{said:?}");
            }
            let answers: Vec<_> = (1..=RACERS)
                .map(|it| words(&["runs", "answer", "--key", &key, "payment", &it.to_string()]))
                .collect();
            let said = race(&kept, &answers);
            let won: Vec<usize> = (1..=RACERS)
                .filter(|it| said[it - 1].code == Some(0))
                .collect();
            assert_eq!(won.len(), 1, "{order}: {said:?}");
            for it in said.iter().filter(|it| it.code != Some(0)) {
                assert!(it.err.contains("answered before"), "{order}: {it:?}");
            }
            let end = kept.run(&["--resume", "--order", &order]);
            let expected = format!("{order} for {}", won[0]);
            assert_eq!(
                (end.code, end.out),
                (Some(0), format!("\"{expected}\"\n")),
                "{order}"
            );
            let shipped = kept.read("shipped.log");
            let of_order = shipped.lines().filter(|it| it.starts_with(&order));
            assert_eq!(of_order.collect::<Vec<_>>(), [expected], "{order}");
        }
    }
}
