//! What `@secret` hides is not shown to observers: random programs, whose hidden values are marks that are then looked for in
//! everything that comes out.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fake_provider::{Answer, Body, Reply, Script};
use gsw_generator::{SecretProgram, Turn, secret_program};
use serde_json::Value;

use crate::collector::{Collector, Part};
use crate::introspection::turn;
use crate::program::{Said, gswc, root, scratch, text};
use crate::wire::{program, with_provider};

/// How many programs are tried; `GSW_PROGRAMS` says otherwise.
const PROGRAMS: u64 = 12;

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn reply((when, what): &(&str, Turn)) -> Reply {
    let reply = match what {
        Turn::Calls(tool, input) => turn(&[(tool, input.clone())]),
        Turn::Says(text) => Reply::of(Body::Answer(Answer {
            text: text.as_str().into(),
        })),
        Turn::Refuses(message) => Reply::error(400, "invalid_request_error", message),
    };
    Reply {
        when: Some((*when).to_owned()),
        ..reply
    }
}

/// Runs a program with its arguments, answers on standard input, and a collector of traces.
fn run(file: &Path, made: &SecretProgram, url: &str, (events, traces): (&Path, &str)) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(file), "--", "--json", "--events", text(events)])
        .args(&made.arguments)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_remove("GSW_MODEL")
        .env("GSW_CACHE", "off")
        .env("ANTHROPIC_API_KEY", "key-of-tests")
        .env("ANTHROPIC_BASE_URL", url)
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", traces)
        .env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
        .spawn()
        .expect("gswc can be started");
    let mut pipe = child.stdin.take().expect("its input is a pipe");
    for answer in &made.answers {
        // A program that asks no one may have ended.
        let _ = writeln!(pipe, "{answer}");
    }
    drop(pipe);
    child.wait_with_output().expect("it ends").into()
}

/// The marks of a program that are seen somewhere, with the place.
fn seen(seed: u64, made: &SecretProgram) -> Vec<String> {
    let file = program(&format!("secret_{seed}"), &made.source);
    let folder = scratch("secrets");
    let events = folder.join(format!("{seed}.jsonl"));
    let collector = Collector::start(Part::Takes);
    let replies = made.turns.iter().map(reply).collect();
    let (said, asked) = with_provider(Script { replies }, |url| {
        run(&file, made, url, (&events, &collector.url))
    });
    let context = || format!("seed {seed}: {said:?}\n{}", made.source);
    assert_eq!(said.code, Some(1), "{}", context());
    let last = said.err.lines().last().unwrap_or_default();
    let last: Value = serde_json::from_str(last).unwrap_or_default();
    assert_eq!(last["error"], "Bad", "{}", context());
    // The model itself is shown everything.
    let asked = format!("{asked:?}");
    assert!(
        made.marks.iter().any(|it| asked.contains(it)),
        "{}",
        context()
    );
    let page = folder.join(format!("{seed}.html"));
    let traced = gswc(&["trace", text(&events), "--json"]);
    assert_eq!(
        gswc(&["trace", text(&events), "--html", text(&page)]).code,
        Some(0)
    );
    let read = |path: &Path| fs::read_to_string(path).expect("it was written");
    let mut places = vec![
        ("output", said.out.clone()),
        ("events", read(&events)),
        ("trace", traced.out),
        ("page", read(&page)),
        ("spans", format!("{:?}", collector.spans())),
    ];
    // A person is shown what is asked.
    if made.answers.is_empty() {
        places.push(("errors", said.err.clone()));
    }
    assert!(places[1].1.contains("***"), "{}", context());
    let mut found = Vec::new();
    for (place, shown) in &places {
        for mark in made.marks.iter().filter(|it| shown.contains(it.as_str())) {
            let at = shown.find(mark.as_str()).unwrap_or_default();
            let before: String = shown[..at].chars().rev().take(200).collect();
            let before: String = before.chars().rev().collect();
            found.push(format!("{mark} in the {place} after {before}"));
        }
    }
    found
}

#[test]
fn no_mark_of_a_random_program_is_seen() {
    // G11, G55
    let first = number("GSW_SEED", 1);
    for seed in first..first + number("GSW_PROGRAMS", PROGRAMS) {
        let made = secret_program(seed);
        let found = seen(seed, &made);
        assert!(
            found.is_empty(),
            "seed {seed}:\n{}\n{}\n{:#?}",
            found.join("\n"),
            made.source,
            made.turns
        );
    }
}

const ARGUMENTS: &str = r#"
type Login { user: string, @secret pin: int }
workflow main(@secret pin: int, @secret tags: [int] = [], login: Login? = none) -> int { pin + tags.len() }
"#;

#[test]
fn a_hidden_argument_that_does_not_fit_is_not_repeated() {
    let file = program("secret_arguments", ARGUMENTS);
    for words in [
        &["--pin", "CANARY"][..],
        &["--pin=CANARY"],
        &["--pin", "1", "--tags", "CANARY"],
        &["--pin", "1", "--tags", "[1,\"CANARY\"]"],
        &["--pin", "1", "--login", "CANARY"],
        &[
            "--pin",
            "1",
            "--login",
            "{\"user\":\"ann\",\"pin\":\"CANARY\"}",
        ],
        &["--pin", "1", "--login", "{\"user\":\"ann\",\"pin\":CANARY}"],
        &["--pin", "1", "--login", "\"CANARY\""],
        &["--pin", "1", "--login", "{\"user\":1,\"pim\":\"CANARY\"}"],
    ] {
        for form in ["--json", "--raw"] {
            let mut all = vec!["run", text(&file), "--", form];
            all.extend(words);
            let said = gswc(&all);
            assert_eq!(said.code, Some(2), "{words:?}: {said:?}");
            assert!(!said.err.contains("CANARY"), "{words:?}: {said:?}");
        }
    }
}

/// Measures a variable that its agent has, in a program and by itself.
const VARIABLE: &str = r#"
import std/env
import std/exec
tool length() -> string once { exec.check(["sh", "-c", "printf %s ${#TOKEN}"]).stdout }
tool look() -> string { env.get("TOKEN") ?? "absent" }
agent one { model: "anthropic/claude-sonnet-5-5", tools: [length], env: { "TOKEN": secret("OF_THE_PROCESS") } }
agent other { model: "anthropic/claude-sonnet-5-5", tools: [look] }
prompt ask_one() -> string by one { user "one" }
prompt ask_other() -> string by other { user "other" }
workflow main() -> [string] {
  let (one, other) = parallel (ask_one(), ask_other())
  [one, other, env.get("TOKEN") ?? "absent"]
}
"#;

#[test]
fn variables_of_an_agent_reach_its_programs_alone() {
    // G30, G55
    let value = "a-value-of-25-characters-";
    let file = program(
        "variable",
        VARIABLE.replace("${#TOKEN}", "\\${#TOKEN}").as_str(),
    );
    let events = scratch("secrets").join("variable.jsonl");
    let answered = |when: &str| Reply {
        when: Some(when.into()),
        ..Reply::of(Body::Answer(Answer {
            text: "done".into(),
        }))
    };
    let called = |when: &str, tool: &str| Reply {
        when: Some(when.into()),
        ..turn(&[(tool, serde_json::json!({}))])
    };
    let replies = vec![
        answered("25"),
        answered("absent"),
        called("one", "length"),
        called("other", "look"),
    ];
    let (said, asked) = with_provider(Script { replies }, |url| {
        let output = Command::new(env!("CARGO_BIN_EXE_gswc"))
            .args([
                "run",
                text(&file),
                "--",
                "--store",
                "off",
                "--events",
                text(&events),
            ])
            .env("ANTHROPIC_API_KEY", "key-of-tests")
            .env("ANTHROPIC_BASE_URL", url)
            .env("OF_THE_PROCESS", value)
            .env("GSW_CACHE", "off")
            .env_remove("GSW_MODEL")
            .output();
        Said::from(output.expect("gswc can be started"))
    });
    assert_eq!(said.out, "[\"done\",\"done\",\"absent\"]\n", "{said:?}");
    assert_eq!(asked.len(), 4, "{asked:?}");
    let events = fs::read_to_string(&events).expect("it was written");
    for shown in [&events, &said.err, &format!("{asked:?}")] {
        assert!(!shown.contains(value), "{shown}");
    }
}

/// No block of permissions lets code read what only programs get.
#[test]
fn a_secret_variable_of_an_agent_is_refused_without_a_hint_at_permissions() {
    let source = VARIABLE
        .replace("tools: [length]", "tools: [look]")
        .replace("${#TOKEN}", "\\${#TOKEN}");
    let file = program("variable_looked_at", &source);
    let called = turn(&[("look", serde_json::json!({}))]);
    let script = Script {
        replies: vec![called.clone(), called],
    };
    let (said, _) = with_provider(script, |url| crate::wire::run(&file, url, &["--quiet"]));
    assert_eq!(said.code, Some(3), "{said:?}");
    let why = "the variable `TOKEN` of the agent is a secret: only programs get it";
    assert!(said.err.contains(why), "{said:?}");
    assert!(!said.err.contains("hint:"), "{said:?}");
}
