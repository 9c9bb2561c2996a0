//! `@was`: what is renamed keeps the identity of what happens in it.

use std::sync::Arc;
use std::sync::mpsc::channel;

use gsw_driver::engine::{Engine, EngineOptions, RunOptions, Starting};
use gsw_engine::run::{Finished, RunResult};

use crate::in_process::{load, open};

/// The ids of the runs that a program detaches, which follow from where it does; the run has the same id each time.
fn detached_by(source: &str) -> Vec<String> {
    let (db, _) = open(source);
    let loaded = Arc::into_inner(load(&db).expect("it compiles")).expect("nobody else has it");
    let engine = Engine::new(loaded, EngineOptions::default());
    let (sender, ended) = channel::<Box<Finished>>();
    let options = RunOptions {
        listener: None,
        on_end: Box::new(move |it| drop(sender.send(it))),
    };
    // The first workflow, whatever it is called.
    let Starting::New(_run) = engine.start_once("fixed".into(), 0, serde_json::Map::new(), options)
    else {
        panic!("nobody else has this id");
    };
    let finished = ended.recv().expect("it ends");
    drop(engine.wait_for_detached());
    let RunResult::Value(value) = finished.result else {
        panic!("{:?}", finished.result);
    };
    serde_json::from_str(&value).expect("a list of ids")
}

const BEFORE: &str = r#"
workflow main() -> [string] {
  let first = step "prepare 7" { spawn detached work(1) }
  let second = step "prepare 7" { spawn detached work(2) }
  [first, second, inner(), shelf()]
}
workflow inner() -> string { spawn detached work(3) }
tool shelf() -> string once { spawn detached work(4) }
workflow work(n: int) -> int { n }
"#;

#[test]
fn what_is_renamed_keeps_its_identity() {
    let after = BEFORE
        .replace(
            r#"step "prepare 7""#,
            r#"@was("prepare ${n}") step "make ready""#,
        )
        .replace("let first", "let n = 7\n  let first")
        .replace("main()", "start()")
        .replace("inner()", "within()")
        .replace("shelf()", "board()")
        .replace("workflow start", "@was(\"main\")\nworkflow start")
        .replace("workflow within", "@was(\"inner\")\nworkflow within")
        .replace("tool board", "@was(\"shelf\")\ntool board");
    let before = detached_by(BEFORE);
    assert_eq!(before.len(), 4);
    assert_eq!(detached_by(&after), before);
}

#[test]
fn without_it_the_identity_is_another() {
    let before = detached_by(BEFORE);
    let after = detached_by(&BEFORE.replace("prepare", "make ready"));
    assert_ne!(after[0], before[0]);
    assert_ne!(after[1], before[1]);
    assert_eq!(after[2..], before[2..]);
}
