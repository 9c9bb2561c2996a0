//! `--help` of `gswc` and of programs: as wide as the terminal, with default values, shapes, variables and exit codes; and the
//! messages about a misspelt command or option.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use gsw_abi::builtin::BuiltinError;

use crate::program::{GSWC, Said, gswc, scratch, text};
use crate::terminal::Session;

const SOURCE: &str = r#"//! Sends greetings. The first line of these docs goes on in the second,
//! and both are one paragraph.

import std/env

permissions { env: ["GREETING_TOKEN"] }

const TIMES: int = 3

enum Tone { Warm, Cool }

/// A stamp.
type Stamp {
  /// Where it comes from.
  country: string
  price: float = 1.5 where it > 0.0
  shape: Shape?
}

enum Shape { Round, Box(width: int, height: int = 1) }

/// Greets people.
workflow main(
  /// Whom to greet; may be given more than once, so that many people are greeted at once.
  names: [string],
  tone: Tone = Warm,
  times: int = TIMES,
  is_loud: bool = false,
  stamp: Stamp? = none,
  @secret password: string = "hunter2",
  login: Login = Login { key: "hunter2" },
) -> string { "${names} ${tone} ${times} ${is_loud} ${stamp} ${password.len()} ${login.user} ${env.get("GREETING_TOKEN")}" }

type Login {
  user: string = "ada"
  @secret
  key: string = "hunter2"
}

/// Counts.
workflow count(limit: int = 7) -> int { limit }
"#;

fn program() -> PathBuf {
    let file = scratch("help").join("greet.gsw");
    fs::write(&file, SOURCE).expect("the target folder can be written");
    file
}

/// What `gswc` prints for words where the terminal has so many columns.
fn at(columns: usize, words: &[&str]) -> Said {
    let output = Command::new(GSWC)
        .args(words)
        .env("COLUMNS", columns.to_string())
        .stdin(Stdio::null())
        .output();
    output.expect("gswc can be started").into()
}

#[test]
fn help_is_as_wide_as_the_terminal_and_breaks_between_words() {
    let file = program();
    let program = ["run", text(&file), "--", "--help"];
    let workflow = ["run", text(&file), "count", "--", "--help"];
    let mut wrong = Vec::new();
    let commands = [
        "new", "init", "check", "fix", "run", "test", "build", "fmt", "explain", "doc", "trace",
    ];
    let mut all: Vec<Vec<&str>> = commands.iter().map(|it| vec![*it, "--help"]).collect();
    all.extend([vec!["--help"], program.to_vec(), workflow.to_vec()]);
    for words in all {
        let widest = at(100, &words);
        assert_eq!(widest.code, Some(0), "{words:?}: {widest:?}");
        let known: BTreeSet<&str> = widest.out.split_whitespace().collect();
        for columns in [80, 40] {
            let said = at(columns, &words);
            for line in said.out.lines() {
                // A word alone may be longer than the line; what is left of it then is its indentation.
                let is_word = line.split_whitespace().count() <= 1;
                if line.chars().count() > columns && !is_word {
                    wrong.push(format!("{words:?} at {columns}: {line:?}"));
                }
                let broken = line.split_whitespace().find(|it| !known.contains(it));
                if let Some(word) = broken {
                    wrong.push(format!(
                        "{words:?} at {columns}: {word:?} is a part of a word"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_terminal_says_by_itself_how_wide_it_is() {
    let mut session = Session::gswc(
        (200, 40),
        &["run", "--help"],
        &[("COLUMNS", "100"), ("NO_COLOR", "1")],
    );
    session.wait_for("cancelled");
    let shown = String::from_utf8_lossy(&session.raw).into_owned();
    assert!(shown.contains("Usage: gswc run"), "{shown}");
    let wide = shown.lines().find(|it| it.trim_end().chars().count() > 40);
    assert_eq!(wide, None);
}

#[test]
fn the_help_of_a_program_shows_everything_that_one_may_write() {
    let said = gswc(&["run", text(&program()), "--", "--help"]);
    for part in [
        "Usage: greet [WORKFLOW] [OPTIONS]\n",
        "second, and both are one paragraph.\n",
        "--tone <Warm | Cool> = Warm\n",
        // A constant is shown by its value.
        "--times <int> = 3\n",
        "--is-loud | --no-is-loud = false\n",
        "(required, repeatable)\n",
        "Stamp, as a JSON object:\n",
        "  country: string                    Where it comes from.\n",
        "  price: float = 1.5 where it > 0.0\n",
        "  Box(width: int, height: int = 1)\n",
        "`--stamp @FILE` reads the JSON from a file.\n",
        "  count  Counts.\n",
        "  ANTHROPIC_API_KEY ",
        "  GSW_MODEL ",
        "  GREETING_TOKEN      Read by this program\n",
        "  130  cancelled\n",
    ] {
        assert!(said.out.contains(part), "no {part:?} in\n{}", said.out);
    }
    assert!(!said.out.contains("hunter2"), "{}", said.out);
    let count = gswc(&["run", text(&program()), "count", "--", "--help"]);
    assert!(
        count.out.contains("Usage: greet count [OPTIONS]\n"),
        "{}",
        count.out
    );
    assert!(count.out.contains("  --limit <int> = 7\n"), "{}", count.out);
}

#[test]
fn every_command_of_a_program_has_help_of_its_own() {
    let file = program();
    let of = |words: &[&str]| {
        let said = gswc(&[&["run", text(&file), "--"], words].concat());
        assert_eq!(said.code, Some(0), "{words:?}: {said:?}");
        said.out
    };
    for (words, parts) in [
        (&["manifest"][..], &["greet manifest", "as JSON"][..]),
        (
            &["mcp"],
            &["greet mcp [OPTIONS]", "--http [ADDRESS]", "--model"],
        ),
        (&["mcp", "login"], &["mcp login <ADDRESS>", "--client <ID>"]),
        (
            &["mcp", "logout", "https://a.org"],
            &["mcp logout <ADDRESS>"],
        ),
        (
            &["worker"],
            &["greet worker [OPTIONS]", "--store <FILE|off>"],
        ),
        (
            &["runs"],
            &["greet runs [OPTIONS]", "runs show <ID>", "--json"],
        ),
        (
            &["runs", "answer"],
            &["runs answer <ID> <NAME> <JSON>", "--key <KEY>"],
        ),
        (&["runs", "resume", "1234"], &["runs resume [ID]", "--idle"]),
    ] {
        let help = of(&[words, &["--help"]].concat());
        for part in parts {
            assert!(help.contains(part), "{words:?}: {part:?} missing in {help}");
        }
        assert_eq!(
            help.contains("Exit codes"),
            words[0] == "runs",
            "{words:?}: {help}"
        );
        assert_eq!(help, of(&[words, &["-h"]].concat()));
        assert_eq!(help, of(&[&["help"], words].concat()));
    }
    assert!(of(&["help", "count"]).contains("--limit <int> = 7"));
}

#[test]
fn every_command_of_the_compiler_has_help_of_its_own() {
    let listed = gswc(&["--help"]).out;
    let commands = listed.split("Commands:").nth(1).unwrap_or_default();
    let lines = commands.lines().skip(1).take_while(|it| !it.is_empty());
    let is_row = |it: &&str| it.starts_with("  ") && !it.starts_with("   ");
    let rows = lines.filter(is_row);
    let names: Vec<&str> = rows.filter_map(|it| it.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names.into_iter().filter(|it| *it != "help") {
        let help = gswc(&[name, "--help"]);
        assert_eq!(help.code, Some(0), "{name}");
        assert!(
            help.out.contains(&format!("gswc {name}")),
            "{name}: {help:?}"
        );
    }
}

#[test]
fn what_is_misspelt_is_answered_with_what_was_meant() {
    let file = program();
    let file = text(&file);
    for (words, answer) in [
        (
            vec!["rnu"],
            "there is no command `rnu`; did you mean `run`?",
        ),
        (
            vec!["foozle"],
            "there is no command `foozle`; `gswc --help` lists them",
        ),
        (
            vec![file],
            "is a file, not a command; to run it, write `gswc run ",
        ),
        (vec!["check", "--wach"], "'--watch'"),
        (
            vec!["cache", "stats", "a.gsw"],
            "`a.gsw` follows `--of` if it is the program whose answers are meant: `--of a.gsw`",
        ),
        (
            vec!["run", file, "--", "--tmies", "2"],
            "`main` has no option `--tmies`; did you mean `--times`?",
        ),
        (
            vec!["run", file, "--", "--modle", "2"],
            "`main` has no option `--modle`; did you mean `--model`?",
        ),
        (
            vec!["run", file, "cuont"],
            "there is no workflow `cuont`; did you mean `count`?",
        ),
        (
            vec!["run", file, "answer"],
            "there is no workflow `answer`; what is done with runs is `runs answer`",
        ),
    ] {
        let said = gswc(&words);
        assert_eq!(
            (said.code, said.out.as_str()),
            (Some(2), ""),
            "{words:?}: {said:?}"
        );
        assert!(said.err.contains(answer), "{words:?}: {}", said.err);
    }
}

#[test]
fn errors_words_and_functions_are_explained() {
    for (name, part) in [
        ("BudgetExceeded", "# BudgetExceeded\n"),
        ("toolfailed", "exit code"),
        ("retry", "A modifier"),
        ("fs.read", "fn read(path: string) -> string ! IoError"),
        ("Response", "cost_usd: float?"),
        ("parse_int", "# string.parse_int\n"),
        ("map_values", "# map.map_values\n"),
        ("std/mcp", "mcp.stdio"),
        ("std/hook", "hook.Permission"),
    ] {
        let said = gswc(&["explain", name]);
        assert_eq!(said.code, Some(0), "{name}: {said:?}");
        assert!(said.out.contains(part), "{name}: {}", said.out);
    }
    let module = gswc(&["doc", "std/hook"]);
    assert_eq!(module.code, Some(2), "{module:?}");
    assert!(module.err.contains("`gswc explain std/hook`"), "{module:?}");
    let near = gswc(&["explain", "BudgetExeeded"]);
    assert_eq!(near.code, Some(2));
    assert!(
        near.err.contains("did you mean `BudgetExceeded`?"),
        "{}",
        near.err
    );
}

#[test]
fn every_error_of_a_run_and_every_modifier_is_explained() {
    let names: BTreeSet<&str> = gsw_describe::explained_names().map(|it| it.0).collect();
    // What unwinds is no error that a program sees.
    let errors = BuiltinError::ALL
        .iter()
        .filter(|it| **it != BuiltinError::Unwind);
    let errors = errors.map(|it| it.name());
    let modifiers = gsw_syntax::ModifierName::ALL.iter().map(|it| it.text());
    let missing: Vec<_> = errors
        .chain(modifiers)
        .filter(|it| !names.contains(it))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_language_is_printed_as_it_stands_in_the_repository() {
    let said = gswc(&["doc", "--language"]);
    let page = crate::program::root().join("docs/reference/language.md");
    assert_eq!(said.out, fs::read_to_string(page).expect("it is there"));
}
