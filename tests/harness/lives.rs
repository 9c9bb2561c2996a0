//! Runs that die again and again: random programs of effects, killed right before or right after records that a seed draws, with
//! completions in any order, twice, or cancelled. Nothing `once` happens twice, nothing that is on the disk happens again, events
//! are emitted again as they were, and every run ends.
//!
//! `GSW_LIVES` is how many seeds are tried, `GSW_SEED` the first one.

use std::sync::Arc;

use gsw_agents::AgentPrompts;
use gsw_driver::crash::live_through;
use gsw_driver::scripted::{Answer, Around};
use gsw_engine::human::Reply;
use gsw_engine::model::{Content, ModelAnswer, StopReason};
use gsw_engine::operation::{Outcome, Request};
use gsw_tree::usage::Usage;

use crate::determinism::{main_of, number};
use crate::in_process::{errors, load, open};
use crate::program::scratch;

/// How many seeds a plain `cargo test` tries.
const SEEDS: u64 = 300;
/// How many seeds share a program, which takes longer to compile than to run.
const OF_A_PROGRAM: u64 = 12;

const HEAD: &str = r#"
@host tool pay(n: int) -> string once
@host tool charge(n: int) -> string idempotent by "charge:${n}"
@host tool look(n: int) -> string reads
agent clerk { model: "openai/gpt-5" cache: false }
prompt describe(n: int) -> string by clerk { user "Describe ${n}, please." }
human approve(n: int) -> bool timeout 24h { user "May I do ${n}?" }

workflow part(n: int) -> string {
  let paid = pay(n)
  undo { let _ = charge(n + 1000) }
  sleep(2ms)
  if n % 2 == 0 { fail Failed("the part ${n}") }
  paid
}

"#;

/// A program of tasks with effects, as the seed says.
fn effects(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut lines = vec!["workflow main() -> json {".to_owned()];
    let tasks = 1 + draw(3);
    let mut n = 0;
    for task in 0..tasks {
        lines.push(format!("  let t{task} = spawn {{"));
        lines.push("    var said: [string] = []".into());
        for _ in 0..2 + draw(5) {
            n += 1;
            let unknown = "catch { OutcomeUnknown(_) => \"unknown\" }";
            lines.push(match draw(12) {
                0 => format!("    sleep({}ms)", draw(4)),
                1 => "    sleep(2h)".into(),
                2 | 3 => format!("    said += [pay({n}) {unknown}]"),
                4 => format!("    said += [charge({n}), charge({n})]"),
                5 => format!("    said += [describe({n})]"),
                6 => format!("    if approve({n}) {{ said += [pay({n}) {unknown}] }}"),
                7 => format!("    said += [timeout 3ms {{ sleep({}ms); charge({n}) }} catch {{ Timeout(_) => \"late\" }}]", draw(6)),
                8 => format!("    said += parallel for i in 0..3 limit 2 {{ step \"s${{i}}\" {{ charge({n} * 10 + i) }} }}"),
                9 => format!("    said += [part({n}) catch {{ Failed(_) => \"taken back\", OutcomeUnknown(_) => \"unknown\" }}]"),
                10 => format!("    said += [race [spawn {{ sleep(1ms); look({n}) }}, spawn {{ describe({n}) }}]]"),
                _ => format!("    step \"r\" retry 2 backoff 1ms {{ if random() < 0.3 {{ fail Failed(\"r{n}\") }}; said += [look({n})] }} catch {{ Failed(_) => () }}"),
            });
        }
        lines.push("    said".into());
        lines.push("  }".into());
    }
    let awaited: Vec<String> = (0..tasks).map(|task| format!("t{task}")).collect();
    lines.push(format!("  let all = await [{}]", awaited.join(", ")));
    lines.push("  { \"all\": all, \"end\": now() }".into());
    lines.push("}".into());
    format!("{HEAD}{}\n", lines.join("\n"))
}

/// Models, people and the host, which all give equal answers to equal questions.
fn world() -> Answer {
    Box::new(|request| match request {
        Request::Host { tool, input } => Some(Outcome::Host {
            tool: tool.clone(),
            answer: serde_json::json!(format!("{tool} {input}")).to_string(),
        }),
        Request::Human { question } => Some(Outcome::Human(Box::new(Reply {
            digest: question.digest.clone(),
            answer: (question.text.len() % 3 > 0).to_string(),
        }))),
        Request::Model { request, .. } => Some(Outcome::Model(Box::new(Ok(ModelAnswer {
            content: vec![Content::Text {
                text: "\"described\"".into(),
            }],
            stop: StopReason::End,
            stop_reason: "end".into(),
            model: request.model.clone(),
            request_id: None,
            usage: Some(Usage::default()),
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        })))),
        _ => None,
    })
}

#[test]
fn random_programs_that_die_again_and_again_do_nothing_twice() {
    let first = number("GSW_SEED", 1);
    let count = number("GSW_LIVES", SEEDS);
    let folder = match std::path::Path::new("/dev/shm") {
        memory if memory.is_dir() => memory.join(format!("gsw-lives-{}", std::process::id())),
        _ => scratch("lives"),
    };
    std::fs::create_dir_all(&folder).expect("it can be made");
    let around = Around {
        prompts: Some(Arc::new(AgentPrompts)),
        ..Around::default()
    };
    let (mut wrong, mut lives, mut in_doubt, mut tried) = (Vec::new(), 0, 0, 0);
    let mut loaded = None;
    for seed in first..first + count {
        let program = seed / OF_A_PROGRAM;
        if loaded.as_ref().is_none_or(|(it, _, _)| *it != program) {
            let source = effects(program + 1);
            let (db, _) = open(&source);
            assert_eq!(errors(&db), "", "program {program} is refused\n{source}");
            loaded = Some((program, load(&db).expect("it compiles"), source));
        }
        let Some((_, loaded, source)) = &loaded else {
            unreachable!("it was just made")
        };
        let entry = main_of(loaded);
        match live_through(loaded, &around, entry, world(), seed, &folder) {
            Ok(it) => {
                tried += 1;
                lives += it.lives;
                in_doubt += it.in_doubt;
            }
            Err(why) => wrong.push(format!("seed {seed}: {why}\n{source}")),
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{tried} runs of {lives} lives, {in_doubt} of them in doubt");
    // Most runs die before they end.
    assert!(lives > tried, "{lives} lives of {tried} runs");
    assert!(count < 100 || in_doubt > 0, "nothing was ever in doubt");
}
