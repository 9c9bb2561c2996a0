//! Several processes and one store: of those that want the same thing, one gets it.
//!
//! The children are this very program, controlled by a variable.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use gsw_abi::run_status::RunStatus;
use gsw_journal::list::Status;
use gsw_journal::questions::{Refusal, To};
use gsw_journal::record::Record;
use gsw_journal::store::{Error, Store};

use crate::folder::{Folder, begin, flushed, new_run, outcome, released};
use crate::questions::{ask, external, question, reply};

const CHILDREN: usize = 8;
const ROUNDS: u64 = 40;

/// A process that does something with a store.
pub fn child(task: &str, store: &Path) -> Command {
    let program = std::env::current_exe().expect("it runs");
    let mut command = Command::new(program);
    command
        .args(["--exact", "processes::as_a_child", "--nocapture", "-q"])
        .env("GSW_CHILD", task)
        .env("GSW_CHILD_STORE", store);
    command
}

/// What the children do. In a process that is no child it does nothing.
#[test]
fn as_a_child() {
    let (Ok(task), Ok(path)) = (std::env::var("GSW_CHILD"), std::env::var("GSW_CHILD_STORE"))
    else {
        return;
    };
    let store = match Store::open(Path::new(&path)) {
        Ok(store) => store,
        Err(error) => {
            println!("error: {error}");
            return;
        }
    };
    match &*task {
        "open" => println!("opened"),
        "fill" => fill(&store),
        "answer" => compete(|round, me| {
            let run = format!("run{round}");
            let to = To::Named {
                run: &run,
                name: "approve",
            };
            store.answer(reply(to, me)).map(drop)
        }),
        "key" => compete(|round, me| {
            let key = format!("order:{round}");
            let to = To::Key(&key);
            store.answer(reply(to, me)).map(drop)
        }),
        "take" => {
            let mut taken = Vec::new();
            compete(|round, _| {
                let (mut journal, records) = store.take(&format!("run{round}"))?;
                let (record, blob) = outcome(records.len() as u64, vec![1]);
                journal.write(&record, blob);
                flushed(&journal).expect("it is ours");
                taken.push(journal);
                Ok(())
            });
        }
        "begin" => {
            let mut begun = Vec::new();
            compete(|round, me| {
                let id = format!("{me}-{round}");
                let name = format!("nightly-{round}");
                match store.begin_named(&new_run(&id), &name, vec![begin()])? {
                    gsw_journal::store::Begun::New(journal) => {
                        begun.push(journal);
                        Ok(())
                    }
                    gsw_journal::store::Begun::Exists(info) => Err(Error::Exists(info.id)),
                }
            });
        }
        other => panic!("no task {other}"),
    }
}

/// Tries the same thing in each round as all the others, and says what became of it.
fn compete(mut attempt: impl FnMut(u64, &str) -> Result<(), Error>) {
    let me = std::process::id().to_string();
    println!("ready");
    let mut input = BufReader::new(std::io::stdin()).lines();
    for round in 0..ROUNDS {
        // All begin at once; then each goes as fast as it can.
        if round == 0 {
            let _ = input.next();
        }
        match attempt(round, &me) {
            Ok(()) => println!("won {round} {me}"),
            Err(Error::Refused(Refusal::Answered { by, .. })) => println!("lost {round} {by}"),
            Err(Error::Carried(_) | Error::Exists(_)) => println!("lost {round} ?"),
            Err(error) => println!("error: {round} {error}"),
        }
    }
    println!("done");
    // What was taken is held until all have tried.
    let _ = input.next();
}

/// Writes records until that fails, and says which are on the disk.
fn fill(store: &Store) {
    let journal = match store.take("full") {
        Ok((journal, _)) => Ok(journal),
        Err(Error::NoSuchRun(_)) => store.begin(&new_run("full"), vec![begin()]),
        Err(error) => Err(error),
    };
    let mut journal = match journal {
        Ok(journal) => journal,
        Err(error) => return println!("failed: {error}"),
    };
    for number in 0..1_000_000 {
        let (sender, written) = channel();
        let (record, blob) = outcome(number, vec![1; 3_000]);
        journal.write_first(
            &record,
            blob,
            Box::new(move |result| sender.send(result).expect("it is waited for")),
        );
        match written.recv().expect("it is always answered") {
            Ok(()) => println!("durable {number}"),
            Err(failure) => return println!("failed: {failure}"),
        }
    }
}

/// Runs the children; gives what each round's winner and losers reported.
fn fight(task: &str, folder: &Folder) -> BTreeMap<u64, (Vec<String>, Vec<String>)> {
    let mut children: Vec<_> = (0..CHILDREN)
        .map(|_| {
            let mut command = child(task, &folder.store());
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().expect("it starts");
            let output = BufReader::new(child.stdout.take().expect("it is piped"));
            (child, output)
        })
        .collect();
    let until = |output: &mut BufReader<_>, word: &str| -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(
                output.read_line(&mut line).expect("it is text") > 0,
                "a child ended: {lines:?}"
            );
            // The harness of the child may write its dots before.
            let line = line.trim().to_owned();
            let is_end = line.ends_with(word);
            lines.push(line);
            if is_end {
                return lines;
            }
        }
    };
    for (_, output) in &mut children {
        until(output, "ready");
    }
    for (child, _) in &mut children {
        let input = child.stdin.as_mut().expect("it is piped");
        input.write_all(b"go\n").expect("it reads");
    }
    let mut rounds: BTreeMap<u64, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for (_, output) in &mut children {
        for line in until(output, "done") {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["won", round, by] => {
                    let round = round.parse().expect("a number");
                    rounds.entry(round).or_default().0.push(by.into());
                }
                ["lost", round, by] => {
                    let round = round.parse().expect("a number");
                    rounds.entry(round).or_default().1.push(by.into());
                }
                _ => assert_eq!(line, "done"),
            }
        }
    }
    for (mut child, mut output) in children {
        drop(child.stdin.take());
        output.read_to_end(&mut Vec::new()).expect("it ends");
        assert!(child.wait().expect("it ends").success());
    }
    rounds
}

fn one_wins(rounds: &BTreeMap<u64, (Vec<String>, Vec<String>)>) {
    assert_eq!(rounds.len() as u64, ROUNDS);
    for (round, (won, lost)) in rounds {
        assert_eq!(won.len(), 1, "round {round}: {won:?}");
        assert_eq!(lost.len(), CHILDREN - 1, "round {round}");
        let is_told = |by: &String| by == "?" || *by == won[0];
        assert!(lost.iter().all(is_told), "round {round}: {won:?} {lost:?}");
    }
}

fn parked(folder: &Folder) -> Store {
    let store = Store::open(&folder.store()).expect("a store");
    for round in 0..ROUNDS {
        let id = format!("run{round}");
        let journal = store.begin(&new_run(&id), vec![begin()]).expect("a run");
        ask(&journal, question(3, "approve"));
        ask(&journal, external(4, &format!("order:{round}")));
        journal.status(Status::Waiting, Some("approve".into()));
        released(journal);
    }
    store
}

#[test]
fn of_eight_processes_that_answer_one_question_one_wins() {
    let folder = Folder::new("eight-answer");
    let store = parked(&folder);
    one_wins(&fight("answer", &folder));
    assert_eq!(store.due(0).expect("a store").runs.len() as u64, ROUNDS);
    assert!(store.verify(None).expect("a store").is_whole());
}

#[test]
fn of_eight_processes_that_answer_one_key_one_wins() {
    let folder = Folder::new("eight-key");
    let store = parked(&folder);
    one_wins(&fight("key", &folder));
    assert!(store.verify(None).expect("a store").is_whole());
}

#[test]
fn of_eight_processes_that_answer_a_key_before_it_is_asked_one_wins() {
    let folder = Folder::new("eight-early");
    let store = Store::open(&folder.store()).expect("a store");
    let rounds = fight("key", &folder);
    one_wins(&rounds);
    let journal = store.begin(&new_run("late"), vec![begin()]).expect("a run");
    for (round, (won, _)) in &rounds {
        ask(&journal, external(*round, &format!("order:{round}")));
        let answers = store.answers("late").expect("a run");
        let answer = answers.iter().find(|it| it.0 == *round);
        assert_eq!(answer.map(|it| &*it.1.by), Some(&*won[0]));
    }
}

#[test]
fn of_eight_processes_that_resume_one_run_one_wins() {
    let folder = Folder::new("eight-take");
    let store = parked(&folder);
    one_wins(&fight("take", &folder));
    for round in 0..ROUNDS {
        let records = store.records(&format!("run{round}")).expect("a run");
        assert_eq!(records.len(), 2);
        assert!(matches!(records[1], Record::Outcome { .. }));
    }
    // They were killed: no process carries the runs any more.
    let (journal, _) = store.take("run0").expect("its owner is gone");
    assert_eq!(journal.epoch(), 3);
}

#[test]
fn of_eight_processes_that_begin_a_run_of_one_name_one_wins() {
    let folder = Folder::new("eight-begin");
    let store = Store::open(&folder.store()).expect("a store");
    one_wins(&fight("begin", &folder));
    assert_eq!(store.list().expect("a store").runs.len() as u64, ROUNDS);
}

#[test]
fn a_process_that_is_killed_loses_nothing_that_was_reported() {
    let folder = Folder::new("kill");
    drop(Store::open(&folder.store()).expect("a store"));
    for life in 1..=10 {
        let mut command = child("fill", &folder.store());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut durable = 0;
        for line in output.lines() {
            durable += u64::from(line.expect("it is text").starts_with("durable "));
            if durable == 3 * life {
                child.kill().expect("it runs");
            }
        }
        child.wait().expect("it ends");
        let store = Store::existing(&folder.store()).expect("it is whole");
        let info = store.find("full").expect("a run");
        assert_eq!(info.shown_status(), RunStatus::Interrupted);
        let records = store.records("full").expect("the chain is whole").len() as u64;
        assert!(records > durable, "life {life}: {records} of {durable}");
        assert!(store.verify(None).expect("a store").is_whole());
    }
}
