//! `@was`: what is renamed keeps the identity of what happens in it.

use std::sync::Arc;
use std::sync::mpsc::channel;

use fake_provider::{Body, Message, Reply, Script};
use gsw_driver::engine::{Engine, EngineOptions, RunOptions, Starting};
use gsw_engine::run::{Finished, RunResult};
use serde_json::{Value, json};

use crate::in_process::{self, load, open};
use crate::kept_runs::Kept;
use crate::killed::Kept as BuiltOnce;
use crate::program::{Said, gswc, text};
use crate::wire::with_provider;

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
    let finished = in_process::ended(&ended);
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

const PARKED: &str = r#"
import std/fs
permissions { fs.write: ["."] }
agent writer { model: "sim/default" }
prompt write(order: int) -> string by writer { user "${order}" }
tool pay(order: int) -> string once { fs.append("paid.log", "paid ${order}\n"); "receipt" }
external bank(order: int) -> bool
human approve(order: int) -> bool { user "Pay ${order}?" }
workflow bill(order: int) -> string { pay(order + 100) }
workflow main(order: int = 7) -> json {
  let id = spawn detached bill(order) with { id: "bill-${order}" }
  let text = write(order)
  let receipt = pay(order)
  [id, text, receipt, bank(order), approve(order)]
}
"#;

/// The same program with other names for all that a run remembers.
fn renamed() -> String {
    let mut after = PARKED.to_owned();
    for (keyword, before, now) in [
        ("prompt", "write", "draft"),
        ("tool", "pay", "charge"),
        ("external", "bank", "office"),
        ("human", "approve", "allow_it"),
        ("workflow", "bill", "invoice"),
        ("workflow", "main", "start"),
    ] {
        after = after
            .replace(&format!("{before}("), &format!("{now}("))
            .replace(
                &format!("{keyword} {now}("),
                &format!("@was(\"{before}\")\n{keyword} {now}("),
            );
    }
    after
}

#[test]
fn a_parked_run_goes_on_in_a_version_that_has_renamed_everything() {
    let kept = Kept::new("renamed_parked");
    kept.build("shop", PARKED);
    let said = kept.run("shop", &[]);
    assert_eq!(said.code, Some(5), "{said:?}");
    kept.build("shop", &renamed());
    // By the same input, it is found as the run that was interrupted, and nothing is paid a second time.
    let said = kept.run("shop", &["start", "--resume"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let ids = kept.ids("shop");
    assert_eq!(ids.len(), 2, "{ids:?}");
    let id = ids.iter().find(|it| *it != "bill-7").expect("the main run");
    let answer = ["runs", "answer", id, "office", "true"];
    assert_eq!(kept.run("shop", &answer).code, Some(0));
    let said = kept.run("shop", &["start", "--resume"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let answer = ["runs", "answer", id, "allow_it", "true"];
    assert_eq!(kept.run("shop", &answer).code, Some(0));
    let said = kept.run("shop", &["start", "--resume"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let paid = std::fs::read_to_string(kept.path("paid.log")).expect("it was paid");
    let mut paid: Vec<&str> = paid.lines().collect();
    paid.sort_unstable();
    assert_eq!(paid, ["paid 107", "paid 7"]);
}

/// The id of a run that an earlier version has detached is known to be one of the same workflow.
#[test]
fn an_id_is_that_of_the_same_workflow_under_its_earlier_name() {
    let kept = Kept::new("renamed_id");
    let source = "workflow bill(o: int) -> int { o }\nworkflow main() -> string { spawn detached bill(1) with { id: \"bill-1\" } }\n";
    kept.build("shop", source);
    assert_eq!(kept.run("shop", &[]).code, Some(0));
    let after = source
        .replace("bill(", "charge(")
        .replace("workflow charge", "@was(\"bill\")\nworkflow charge");
    kept.build("shop", &after);
    let said = kept.run("shop", &["main"]);
    assert_eq!(
        (said.code, &*said.out),
        (Some(0), "\"bill-1\"\n"),
        "{said:?}"
    );
    // Without it, it is another workflow's.
    kept.build("shop", &source.replace("bill(", "charge("));
    let said = kept.run("shop", &["main"]);
    assert!(said.err.contains("is a run of `bill`"), "{said:?}");
}

const CALLED: &str = r#"
import std/fs
permissions { fs.write: ["."], net: ["127.0.0.1"] }
tool pay(order: int) -> string once { fs.append("paid.log", "paid ${order}\n"); "receipt" }
agent clerk { model: "anthropic/claude-sonnet-5-5", tools: [pay] }
prompt work(order: int) -> string by clerk { user "Pay order ${order}." }
external bank() -> bool
workflow main() -> json { [work(7), bank(), work(8)] }
"#;

/// A model is offered a tool by its present name, and what it has called by the earlier one is known.
#[test]
fn what_a_model_has_called_is_known_by_its_earlier_name() {
    let kept = BuiltOnce::new("renamed_tool", CALLED);
    let calls = |name: &str, order: u32| {
        let call = json!({ "type": "tool_use", "id": format!("t{order}"), "name": name, "input": { "order": order } });
        Reply::of(Body::Anthropic(Message {
            content: vec![call],
            stop_reason: "tool_use".into(),
            ..Message::default()
        }))
    };
    let script = Script::in_turn(vec![
        calls("pay", 7),
        Reply::text("paid"),
        calls("charge", 8),
        Reply::text("paid as well"),
    ]);
    let (said, asked) = with_provider(script, |url| {
        let run = |words: &[&str]| -> Said {
            let mut command = kept.command(words);
            let command = command.env("ANTHROPIC_API_KEY", "key-of-tests");
            let output = command.env("ANTHROPIC_BASE_URL", url).output();
            output.expect("it can be started").into()
        };
        let said = run(&["main"]);
        assert_eq!(said.code, Some(5), "{said:?}");
        let id = kept.listed()["id"].as_str().expect("an id").to_owned();
        let after = CALLED
            .replace("tool pay(", "@was(\"pay\")\ntool charge(")
            .replace("tools: [pay]", "tools: [charge]");
        let (file, built) = (kept.folder.join("flow.gsw"), kept.program.clone());
        std::fs::write(&file, after).expect("the target folder can be written");
        let built = gswc(&["build", text(&file), "-o", text(&built)]);
        assert_eq!(built.code, Some(0), "{built:?}");
        let said = run(&["runs", "answer", &id, "bank", "true"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        run(&["runs", "resume", &id])
    });
    assert_eq!(said.out, "[\"paid\",true,\"paid as well\"]\n", "{said:?}");
    assert_eq!(kept.read("paid.log"), "paid 7\npaid 8\n");
    let offered: Vec<&Value> = asked.iter().map(|it| &it["tools"][0]["name"]).collect();
    assert_eq!(offered, ["pay", "pay", "charge", "charge"]);
}
