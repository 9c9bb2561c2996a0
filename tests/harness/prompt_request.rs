//! `gswc prompt`: what it shows is what a run sends.

use std::path::Path;
use std::process::Command;

use fake_provider::Script;
use serde_json::{Value, json};

use crate::program::{Said, gswc, scratch, text};
use crate::wire::{run, when, with_provider};

const ASK: &str = r#"
enum Severity { Low, High }
type Bug { file: string, line: int where it > 0, severity: Severity, why: string = "" }
/// Looks a name up.
tool lookup(name: string) -> string reads { name }
agent reviewer { model: "anthropic/claude-sonnet-5-5" system: "You review \"code\"." tools: [lookup] max_tokens: 100 }
prompt find(code: string, most: int = 3) -> [Bug] by reviewer {
  user "Find ${most} bugs; it's 'hard' and costs $HOME."
  assistant "Which language?"
  user "Rust."
}
prompt greet(name: string) -> string { user "Hello ${name}" }
workflow main(code: string) -> int { find(code).len() }
"#;

/// A program whose request is looked at.
fn program(of: &str) -> std::path::PathBuf {
    let file = scratch("prompt_request").join(format!("{of}.gsw"));
    std::fs::write(&file, ASK).expect("the target folder can be written");
    file
}

fn shown(file: &Path, words: &[&str]) -> Said {
    let mut all = vec!["prompt", text(file)];
    all.extend(words);
    gswc(&all)
}

const CODE: &str = "let it = '</code> `$(date)`';";

#[test]
fn what_is_shown_is_what_is_sent() {
    let file = program("sent");
    for model in ["anthropic/claude-sonnet-5-5", "openai/gpt-5"] {
        let (said, sent) = with_provider(
            Script {
                replies: vec![when("", json!([]))],
            },
            |url| run(&file, url, &["--model", model, "--code", CODE]),
        );
        assert_eq!(said.out, "0\n", "{}", said.err);
        let shown = Command::new(env!("CARGO_BIN_EXE_gswc"))
            .args(["prompt", text(&file), "find", "--json", "--model", model])
            .args(["--", "--code", CODE])
            // An address of its own is a compatible server, which is spoken to in another way than the provider itself.
            .env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
            .output();
        let shown = Said::from(shown.expect("gswc can be started"));
        let shown: Value = serde_json::from_str(&shown.out).expect("it is JSON");
        assert_eq!(shown["request"]["body"], sent[0], "{model}");
        assert_eq!(shown["size"]["counted_as"], "a quarter of the bytes");
    }
}

/// A shell runs the command: a program of the name `curl` says what it was given.
#[test]
fn a_shell_makes_the_same_request_of_the_command_for_curl() {
    let file = program("shell");
    let words = |form| {
        let model = "anthropic/claude-sonnet-5-5";
        ["find", form, "--model", model, "--", "--code", CODE]
    };
    let command = shown(&file, &words("--curl")).out;
    let folder = scratch("prompt_request_shell");
    let curl = folder.join("curl");
    std::fs::write(&curl, "#!/bin/sh\nprintf '%s\\0' \"$@\"\n").expect("it can be written");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&curl, executable).expect("it is ours");
    let output = Command::new("/bin/sh")
        .args(["-c", &command])
        .env("PATH", &folder)
        .env("ANTHROPIC_API_KEY", "a key with \"$signs\" and 'quotes'")
        .output()
        .expect("there is a shell");
    let given = String::from_utf8(output.stdout).expect("it is text");
    let given: Vec<&str> = given.split_terminator('\0').collect();
    let key = "authorization: Bearer a key with \"$signs\" and 'quotes'";
    assert!(given.contains(&key), "{given:?} by {command}");
    assert_eq!(given[0], "https://api.anthropic.com/v1/messages");
    let body: Value = serde_json::from_str(given.last().expect("it was given something"))
        .expect("the last is the body");
    let shown = shown(&file, &words("--json")).out;
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!(body, shown["request"]["body"]);
}

#[test]
fn a_request_is_shown_with_its_size_and_no_key() {
    let file = program("size");
    let said = shown(
        &file,
        &[
            "greet",
            "--model",
            "anthropic/claude-haiku-4-5",
            "--",
            "--name",
            "Bo",
        ],
    );
    assert_eq!(
        said.out,
        r#"POST https://api.anthropic.com/v1/messages
content-type: application/json
authorization: Bearer $ANTHROPIC_API_KEY
anthropic-version: 2026-10-21
accept: text/event-stream

{
  "model": "claude-haiku-4-5",
  "max_tokens": 8192,
  "stream": true,
  "messages": [
    {
      "role": "user",
      "content": [
        {
          "type": "text",
          "text": "Hello Bo"
        }
      ]
    }
  ]
}

about 2 tokens, counted as a quarter of the bytes; the model takes 200000; about $0.000002 before the answer
"#
    );
    let said = shown(
        &file,
        &["greet", "--model", "sim/default", "--", "--name", "Bo"],
    );
    assert_eq!(
        said.out,
        "user:\nHello Bo\n\n`sim/default` is simulated, so nothing would be sent; name a model with `--model` to see its request\n\
         about 2 tokens, counted as a quarter of the bytes; about $0.000000 before the answer\n"
    );
}

#[test]
fn what_cannot_be_shown_says_why() {
    let file = program("refused");
    for (words, why) in [
        (
            vec![],
            "gswc: name the prompt after the file; there are `find`, `greet`\n",
        ),
        (vec!["find"], "gswc: `find` needs --code; see `--help`\n"),
        (
            vec!["fnd"],
            "gswc: there is no prompt `fnd` in the file; there are `find`, `greet`\n",
        ),
        (
            vec![
                "greet",
                "--curl",
                "--model",
                "sim/default",
                "--",
                "--name",
                "Bo",
            ],
            "gswc: `sim/default` is simulated, so nothing would be sent; name a model with `--model`\n",
        ),
        (
            vec!["greet", "--", "--name", "Bo", "--events", "x"],
            "gswc: a prompt that is only shown takes its own arguments after `--` and no other; `--model` and `--json` stand before it\n",
        ),
    ] {
        let said = shown(&file, &words);
        assert_eq!((said.err.as_str(), said.code), (why, Some(2)), "{words:?}");
        assert_eq!(said.out, "");
    }
    let said = shown(
        &file,
        &["greet", "--model", "acme/one", "--", "--name", "Bo"],
    );
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("acme"), "{}", said.err);
}

#[test]
fn the_nearest_system_text_is_sent() {
    let source = r#"
agent a { model: "anthropic/claude-sonnet-5-5" system: "of the agent" }
prompt plain(n: int) -> string by a { user "first ${n}" }
prompt sets(n: int) -> string by a { user "second ${n}"  system: "of the settings, ${n}" }
prompt says(n: int) -> string by a { system "of the body"  user "third ${n}"  system: "of the settings" }
workflow main() {
  plain(1)
  sets(2)
  says(3)
  says(4) with { system: "of the call" }
  plain(5) with { system: "of the call" }
}
"#;
    let file = scratch("prompt_request").join("systems.gsw");
    std::fs::write(&file, source).expect("the target folder can be written");
    let replies = (0..5).map(|_| when("", json!("ok"))).collect();
    let (said, sent) = with_provider(Script { replies }, |url| run(&file, url, &[]));
    assert_eq!(said.code, Some(0), "{}", said.err);
    let systems = sent.iter().map(|it| match &it["system"] {
        Value::Array(parts) => parts[0]["text"].clone(),
        text => text.clone(),
    });
    assert_eq!(
        systems.collect::<Vec<_>>(),
        [
            "of the agent",
            "of the settings, 2",
            "of the body",
            "of the call",
            "of the call",
        ]
    );
}

#[test]
fn examples_stand_for_what_is_not_given() {
    let file = program("examples");
    let said = shown(&file, &["greet", "--examples"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Hello <name>"), "{said:?}");
    let said = shown(&file, &["find", "--examples"]);
    assert!(said.out.contains("<code>"), "{said:?}");
    assert!(said.out.contains("Find 3 bugs"), "{said:?}");
}
