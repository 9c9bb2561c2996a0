//! Questions: asked, answered once, early, late, by the wrong one.

use std::sync::mpsc::channel;
use std::time::Duration;

use gsw_abi::run_status::RunStatus;
use gsw_journal::list::{Carried, Status};
use gsw_journal::questions::{
    Answer, Claimed, Delivered, KEPT, Kind, Question, Refusal, Reply, State, To,
};
use gsw_journal::retention::Retention;
use gsw_journal::schema::{Flushing, Missing};
use gsw_journal::store::{Error, Patience, Store};
use gsw_journal::writer::Journal;

use crate::folder::{Folder, begin, flushed, new_run, released};

pub fn question(operation: u64, name: &str) -> Question {
    Question {
        operation,
        kind: Kind::Human,
        name: name.into(),
        key: None,
        digest: [4; 32],
        schema: r#"{"type":"boolean"}"#.into(),
        shown: r#"{"text":"May I?"}"#.into(),
        who: Vec::new(),
        asked: 10,
        due: None,
    }
}

pub fn external(operation: u64, key: &str) -> Question {
    Question {
        kind: Kind::External,
        key: Some(key.into()),
        ..question(operation, "payment")
    }
}

pub fn ask(journal: &Journal, question: Question) {
    let (sender, done) = channel();
    journal.ask(
        question,
        Box::new(move |result| sender.send(result).expect("the test waits")),
    );
    let asked = done.recv().expect("it is always answered");
    asked.expect("it is written");
}

pub fn reply<'a>(to: To<'a>, by: &str) -> Reply<'a> {
    Reply {
        to,
        digest: None,
        answer: Answer {
            value: b"true".to_vec(),
            by: by.into(),
            at: 20,
        },
    }
}

fn named<'a>(run: &'a str, name: &'a str) -> To<'a> {
    To::Named { run, name }
}

fn refusal(of: Result<Delivered, Error>) -> Refusal {
    match of {
        Err(Error::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

fn by(name: &str) -> Refusal {
    given_to(Some("run"), name)
}

fn given_to(run: Option<&str>, by: &str) -> Refusal {
    Refusal::Answered {
        by: by.into(),
        at: 20,
        run: run.map(str::to_owned),
    }
}

#[test]
fn a_question_is_answered_once_while_nobody_carries_its_run() {
    let folder = Folder::new("asked");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    ask(&journal, question(3, "approve"));
    journal.status(Status::Waiting, Some("approve".into()));
    released(journal);
    let other = Store::existing(&folder.store()).expect("it is there");
    assert_eq!(
        other.find("run").expect("a run").shown_status(),
        RunStatus::Parked
    );
    assert_eq!(other.due(100).expect("a store").runs, []);
    let delivered = other.answer(reply(named("run", "approve"), "ann"));
    let to_run = Delivered::ToRun {
        run: "run".into(),
        operation: 3,
    };
    assert_eq!(delivered.expect("it is open"), to_run);
    let again = other.answer(reply(named("run", "approve"), "ben"));
    assert_eq!(refusal(again), by("ann"));
    // It is due, the process that takes it finds the answer, and asking again in its next life changes nothing.
    let due = store.due(100).expect("a store").runs;
    assert_eq!(due.len(), 1);
    let (journal, _) = store.take("run").expect("nobody carries it");
    ask(&journal, question(3, "approve"));
    let answers = store.answers("run").expect("a run");
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0].0, &*answers[0].1.value), (3, &b"true"[..]));
    journal.settle(3);
    flushed(&journal).expect("it is written");
    assert_eq!(store.answers("run").expect("a run"), []);
    let late = other.answer(reply(named("run", "approve"), "ben"));
    assert_eq!(refusal(late), by("ann"));
}

#[test]
fn an_answer_that_fits_nothing_says_why() {
    let folder = Folder::new("refused");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    ask(
        &journal,
        Question {
            who: vec!["ann".into()],
            due: Some(30),
            ..question(3, "approve")
        },
    );
    ask(&journal, question(4, "left"));
    journal.close(4, "its scope was left".into());
    flushed(&journal).expect("it is written");
    let asked = refusal(store.answer(reply(named("run", "other"), "ann")));
    assert_eq!(
        asked.to_string(),
        "run `run` does not ask this; it asks `approve`"
    );
    let ben = refusal(store.answer(reply(named("run", "approve"), "ben")));
    assert_eq!(ben.to_string(), "`ben` may not answer it; `ann` may");
    let mut late = reply(named("run", "approve"), "ann");
    late.answer.at = 30;
    assert_eq!(refusal(store.answer(late)), Refusal::Late { due: 30 });
    let mut seen = reply(named("run", "approve"), "ann");
    seen.digest = Some([5; 32]);
    assert_eq!(refusal(store.answer(seen)), Refusal::Another);
    let closed = refusal(store.answer(reply(named("run", "left"), "ann")));
    let why = "its scope was left".into();
    assert_eq!(closed, Refusal::Closed { why });
    let missing = store.answer(reply(named("x", "approve"), "ann"));
    assert!(matches!(missing, Err(Error::NoSuchRun(_))));
    let operation = To::Operation {
        run: "run",
        operation: 9,
    };
    let none = refusal(store.answer(reply(operation, "ann")));
    assert!(matches!(none, Refusal::NotAsked { .. }));
    // None of these has spent the question.
    assert!(store.answer(reply(named("run", "approve"), "ann")).is_ok());
    journal.status(Status::Completed, None);
    flushed(&journal).expect("it is written");
    let over = store.answer(reply(named("run", "approve"), "ann"));
    assert!(matches!(over, Err(Error::Ended { .. })));
}

#[test]
fn of_equal_questions_the_oldest_is_answered_and_different_ones_are_told_apart() {
    let folder = Folder::new("several");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    for operation in [1, 2] {
        ask(&journal, question(operation, "approve"));
    }
    for operation in [1, 2] {
        let delivered = store.answer(reply(named("run", "approve"), "ann"));
        let to_run = Delivered::ToRun {
            run: "run".into(),
            operation,
        };
        assert_eq!(delivered.expect("one is open"), to_run);
    }
    for (operation, byte) in [(3, 3), (4, 4)] {
        let digest = [byte; 32];
        ask(
            &journal,
            Question {
                digest,
                ..question(operation, "choose")
            },
        );
    }
    let which = refusal(store.answer(reply(named("run", "choose"), "ann")));
    assert_eq!(
        which.to_string(),
        "`choose` is asked several times (`run/3`, `run/4`): say which operation is meant"
    );
    let mut seen = reply(named("run", "choose"), "ann");
    seen.digest = Some([4; 32]);
    let to_run = Delivered::ToRun {
        run: "run".into(),
        operation: 4,
    };
    assert_eq!(store.answer(seen).expect("it is open"), to_run);
}

#[test]
fn an_answer_by_key_may_come_before_its_question() {
    let folder = Folder::new("early");
    let store = Store::open(&folder.store()).expect("a store");
    let key = To::Key;
    let early = store.answer(reply(key("order:1"), "shop"));
    assert_eq!(early.expect("it is kept"), Delivered::Early);
    let twice = refusal(store.answer(reply(key("order:1"), "bank")));
    assert_eq!(twice, given_to(None, "shop"));
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    ask(&journal, external(1, "order:1"));
    assert_eq!(store.answers("run").expect("a run").len(), 1);
    let twice = refusal(store.answer(reply(key("order:1"), "bank")));
    assert_eq!(twice, by("shop"));
    // Another key is another question, found without the run.
    ask(&journal, external(2, "order:2"));
    let found = store.answer(reply(key("order:2"), "shop"));
    let to_run = Delivered::ToRun {
        run: "run".into(),
        operation: 2,
    };
    assert_eq!(found.expect("it is open"), to_run);
    // An answer that was not asked for within a week is forgotten.
    store.answer(reply(key("order:3"), "shop")).expect("kept");
    ask(
        &journal,
        Question {
            asked: 20 + KEPT,
            ..external(3, "order:3")
        },
    );
    let asked = store.questions(Some("run")).expect("a run");
    assert_eq!(asked[2].state, State::Open);
    store.answer(reply(key("order:4"), "shop")).expect("kept");
    store.prune(Retention::default()).expect("a store");
    let again = store.answer(reply(key("order:4"), "shop"));
    assert_eq!(again.expect("it was forgotten"), Delivered::Early);
}

#[test]
fn of_two_runs_that_wait_for_a_key_the_first_gets_the_answer() {
    let folder = Folder::new("both");
    let store = Store::open(&folder.store()).expect("a store");
    let journals = ["a", "b"].map(|id| {
        let journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        ask(&journal, external(1, "order:1"));
        journal
    });
    for id in ["a", "b"] {
        let delivered = store.answer(reply(To::Key("order:1"), "shop"));
        let to_run = Delivered::ToRun {
            run: id.into(),
            operation: 1,
        };
        assert_eq!(delivered.expect("one is open"), to_run);
    }
    let again = refusal(store.answer(reply(To::Key("order:1"), "shop")));
    assert_eq!(again, given_to(Some("b"), "shop"));
    drop(journals);
}

#[test]
fn answers_come_in_the_order_in_which_they_were_given() {
    let folder = Folder::new("order");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    for operation in [1, 2, 3] {
        ask(&journal, external(operation, &format!("order:{operation}")));
    }
    for (operation, at) in [(2, 30), (3, 31), (1, 32)] {
        let mut reply = reply(
            To::Operation {
                run: "run",
                operation,
            },
            "shop",
        );
        reply.answer.at = at;
        store.answer(reply).expect("it is open");
    }
    let order = |of: Vec<(u64, Answer)>| of.into_iter().map(|it| it.0).collect::<Vec<_>>();
    assert_eq!(order(store.answers("run").expect("a run")), [2, 3, 1]);
    let late = store.expire("run", &[1, 2, 3], 40).expect("a run");
    assert_eq!(order(late), [2, 3, 1]);
    let all = store.answered().expect("a store");
    assert_eq!(
        all.into_iter().map(|it| it.1).collect::<Vec<_>>(),
        [2, 3, 1]
    );
}

#[test]
fn what_who_carries_a_run_was_told_itself_counts_only_when_nobody_was_first() {
    let folder = Folder::new("claimed");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    for operation in 1..=4 {
        ask(&journal, question(operation, &format!("q{operation}")));
    }
    let own = || reply(named("run", "q1"), "the terminal").answer;
    let ann = reply(named("run", "q2"), "ann");
    store.answer(ann.clone()).expect("it is open");
    let claim = |operation, own| store.claim("run", operation, own).expect("a store");
    assert_eq!(claim(1, Some(own())), Claimed::Own);
    assert_eq!(claim(2, Some(own())), Claimed::First(ann.answer.clone()));
    assert_eq!(claim(2, None), Claimed::First(ann.answer));
    assert_eq!(claim(3, None), Claimed::Own);
    journal.settle(1);
    flushed(&journal).expect("it is written");
    assert_eq!(claim(1, Some(own())), Claimed::Over);
    let late = refusal(store.answer(reply(named("run", "q1"), "ann")));
    assert_eq!(late, by("the terminal"));
    let declined = refusal(store.answer(reply(named("run", "q3"), "ann")));
    assert!(matches!(declined, Refusal::Closed { .. }));
}

#[test]
fn what_who_carries_a_run_was_told_waits_for_a_lock_as_its_records_do() {
    let folder = Folder::new("claimed-late");
    let patience = Patience {
        look: Duration::from_millis(1),
        ..Patience::default()
    };
    let store = Store::with(
        &folder.store(),
        Missing::Made,
        patience,
        Flushing::AtEachCommit,
    )
    .expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    ask(&journal, question(1, "approve"));
    let database = rusqlite::Connection::open(folder.store()).expect("a database");
    database
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nobody has it");
    std::thread::scope(|scope| {
        let own = reply(named("run", "approve"), "the terminal").answer;
        let claimed = scope.spawn(|| store.claim("run", 1, Some(own)));
        let expired = scope.spawn(|| store.expire("run", &[1], 5));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!claimed.is_finished() && !expired.is_finished());
        database.execute_batch("COMMIT").expect("it was ours");
        let claimed = claimed.join().expect("it does not panic");
        assert_eq!(claimed.expect("it was waited for"), Claimed::Own);
        let expired = expired.join().expect("it does not panic");
        expired.expect("it was waited for");
    });
}

#[test]
fn when_the_time_of_a_question_is_over_an_answer_that_came_before_counts_and_none_after() {
    let folder = Folder::new("expired");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    for operation in [1, 2] {
        let name = format!("q{operation}");
        let due = Some(30);
        let question = Question {
            due,
            ..question(operation, &name)
        };
        ask(&journal, question);
    }
    store
        .answer(reply(named("run", "q1"), "ann"))
        .expect("it is in time");
    let expired = |now| store.expire("run", &[1, 2], now).expect("a store");
    assert_eq!(expired(29).len(), 1);
    let came = expired(30);
    assert_eq!((came.len(), came[0].0), (1, 1));
    // The clock of the answering process is behind.
    let late = refusal(store.answer(reply(named("run", "q2"), "ben")));
    assert!(matches!(late, Refusal::Closed { .. }));
    drop(journal);
}

#[test]
fn who_wants_a_run_to_end_is_heard_until_it_has() {
    let folder = Folder::new("ends");
    let store = Store::open(&folder.store()).expect("a store");
    let journal = store.begin(&new_run("run"), vec![begin()]).expect("a run");
    let carried = store.cancel("run", "enough", 7).expect("it goes on");
    assert_eq!(carried, Carried::Yes);
    let again = store.cancel("run", "too much", 8).expect("it goes on");
    assert_eq!(again, Carried::Yes);
    journal.status(Status::Waiting, None);
    released(journal);
    let wish = store.cancellation("run").expect("a store").expect("a wish");
    assert_eq!((&*wish.reason, wish.at), ("enough", 7));
    assert_eq!(store.due(0).expect("a store").runs.len(), 1);
    let (journal, _) = store.take("run").expect("nobody carries it");
    journal.status(Status::Cancelled, None);
    flushed(&journal).expect("it is written");
    assert_eq!(store.cancellations().expect("a store"), []);
    let over = store.cancel("run", "enough", 9);
    assert!(matches!(over, Err(Error::Ended { .. })));
}

#[test]
fn what_is_due_is_found_by_its_time() {
    let folder = Folder::new("due");
    let store = Store::open(&folder.store()).expect("a store");
    for (id, wake) in [("soon", Some(50)), ("later", Some(90)), ("never", None)] {
        let journal = store.begin(&new_run(id), vec![begin()]).expect("a run");
        journal.wake(wake);
        journal.status(Status::Waiting, Some("a while".into()));
        released(journal);
    }
    assert_eq!(store.next_wake().expect("a store"), Some(50));
    let due = |now| -> Vec<String> {
        let due = store.due(now).expect("a store").runs;
        due.into_iter().map(|it| it.id).collect()
    };
    assert_eq!(due(49), [""; 0]);
    assert_eq!(due(50), ["soon"]);
    // A clock that was set back finds less, one that was set forth more; neither loses anything.
    assert_eq!(due(-1), [""; 0]);
    assert_eq!(due(i64::MAX), ["later", "soon"]);
    let (journal, _) = store.take("soon").expect("nobody carries it");
    assert_eq!(due(i64::MAX), ["later"]);
    // It was interrupted, so it is due at once.
    released(journal);
    assert_eq!(due(0), ["soon"]);
}

#[test]
fn a_damaged_answer_or_request_keeps_no_other_from_its_run() {
    let folder = Folder::new("one-damaged");
    let store = Store::open(&folder.store()).expect("a store");
    let mut journals = Vec::new();
    for run in ["first", "second"] {
        let journal = store.begin(&new_run(run), vec![begin()]).expect("a run");
        ask(&journal, question(1, "q"));
        store
            .answer(reply(named(run, "q"), "ann"))
            .expect("it waits");
        store.cancel(run, "enough", 7).expect("it goes on");
        journals.push(journal);
    }
    let behind = rusqlite::Connection::open(folder.store()).expect("a database");
    for table in ["questions", "cancellations"] {
        let damage = format!("UPDATE {table} SET sum = sum + 1 WHERE run = 1");
        assert_eq!(behind.execute(&damage, []).expect("it is a table"), 1);
    }
    let answered = store.answered().expect("a store");
    let answered: Vec<&str> = answered.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(answered, ["second"]);
    let cancelled = store.cancellations().expect("a store");
    assert_eq!(cancelled.len(), 1);
    assert_eq!(cancelled[0].run, "second");
    // Whoever asks for the damaged one is told.
    assert!(matches!(
        store.cancellation("first"),
        Err(Error::DamagedEntry(_))
    ));
    assert!(matches!(
        store.answers("first"),
        Err(Error::DamagedEntry(_))
    ));
}
