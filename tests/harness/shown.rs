//! Text from outside on its way to a terminal: whatever it says, the terminal does nothing but show it.

use std::fs;
use std::path::{Path, PathBuf};

use fake_provider::{Body, Message, Reply, Script};
use serde_json::json;

use crate::program::{Said, gswc, scratch, text};
use crate::terminal::Session;
use crate::wire;

/// Sets the title, clears the screen, changes colours by another way, turns the text around and begins a line of its own.
const HOSTILE: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\r\nFAKE: ok";

/// What `gswc` is asked to do with a program, where `HOSTILE` stands for the text above.
struct Place {
    /// What of the output is meant.
    name: &'static str,
    source: &'static str,
    command: &'static str,
    words: &'static [&'static str],
    /// Whether the text is shown where nothing but the final error is.
    is_final: bool,
}

const fn run(name: &'static str, source: &'static str) -> Place {
    Place {
        name,
        source,
        command: "run",
        words: &["--x", "HOSTILE"],
        is_final: true,
    }
}

/// A place that is shown only while a run continues.
const fn progress(name: &'static str, source: &'static str) -> Place {
    Place {
        is_final: false,
        ..run(name, source)
    }
}

const PLACES: &[Place] = &[
    run(
        "an error",
        "workflow main(x: string) -> int { fail Failed(x) }",
    ),
    run(
        "an error of the program's own",
        "error Odd(what: string, more: [string])\nworkflow main(x: string) -> int { fail Odd(x, [x]) }",
    ),
    run(
        "several errors",
        "workflow main(x: string) -> [int] { parallel for i in 0..3 errors merge { fail Failed(\"${i} ${x}\") } }",
    ),
    run(
        "a path that is not there",
        "import std/fs\nworkflow main(x: string) -> string { fs.read(x) }",
    ),
    run(
        "a command that is not there",
        "import std/exec\nworkflow main(x: string) -> string { exec.run([x]).stdout }",
    ),
    run(
        "the path of an error",
        "workflow main(x: string) -> int { step \"at ${x}\" { fail Failed(\"x\") } }",
    ),
    run(
        "a detached run",
        "workflow child(x: string) -> int { fail Failed(x) }\nworkflow main(x: string) -> int { spawn detached child(x); 1 }",
    ),
    Place {
        words: &["--x", "HOSTILE", "--json"],
        ..run(
            "an error as JSON",
            "workflow main(x: string) -> int { fail Failed(x) }",
        )
    },
    Place {
        words: &["--x", "HOSTILE"],
        ..run("an argument", "workflow main(x: int) -> int { x }")
    },
    Place {
        words: &["--x", "HOSTILE"],
        ..run(
            "a word of an enum",
            "enum E { A, B }\nworkflow main(x: E) -> E { x }",
        )
    },
    Place {
        words: &["--x", "{\"s\": \"HOSTILE\"}"],
        ..run(
            "input that does not fit",
            "type T { s: string where it == \"a\" }\nworkflow main(x: T) -> int { 1 }",
        )
    },
    Place {
        words: &["--HOSTILE", "1"],
        ..run("an option", "workflow main(x: int) -> int { x }")
    },
    Place {
        words: &["--x", "a", "--events", "/nowhere/HOSTILE"],
        ..run(
            "the file of events",
            "workflow main(x: string) -> int { 1 }",
        )
    },
    progress(
        "the log",
        "workflow main(x: string) -> int { log.debug(x); log.info(x); log.warn(x); log.error(x); 1 }",
    ),
    progress(
        "what belongs to a line of the log",
        "workflow main(x: string) -> int { log.info(\"line\", { \"text\": x, \"more\": [x] }); 1 }",
    ),
    Place {
        words: &["--x", "HOSTILE", "--events", "-"],
        ..progress(
            "events on standard output",
            "workflow main(x: string) -> int { log.info(x); 1 }",
        )
    },
    progress(
        "the name of a step",
        "workflow main(x: string) -> int { step \"at ${x}\" { 1 } }",
    ),
    progress(
        "another attempt",
        "workflow main(x: string) -> int { step \"s\" retry 1 backoff 1ms { fail Failed(x) } catch { _ => 1 } }",
    ),
    Place {
        command: "test",
        words: &[],
        ..run("a test", "test \"HOSTILE\" { assert \"HOSTILE\" == \"\" }")
    },
    Place {
        command: "check",
        words: &[],
        ..run(
            "a report",
            "// HOSTILE\nworkflow main() -> int { \"HOSTILE\" } // HOSTILE",
        )
    },
];

/// Where the output goes.
const MODES: [&str; 4] = ["terminal", "dumb terminal", "pipe", "quiet"];

fn file(folder: &Path, name: &str, source: &str) -> PathBuf {
    let file = folder.join(format!("{}.gsw", name.replace([' ', '\''], "-")));
    fs::write(&file, source).expect("the target folder can be written");
    file
}

/// The words after `gswc` for a place.
fn words(place: &Place, file: &Path, mode: &str) -> Vec<String> {
    let mut words = vec![place.command.to_owned(), text(file).to_owned()];
    if place.command == "run" {
        words.push("--".into());
        // Text in JSON has its own way to say what it is.
        let hostile = |it: &&str| match it.starts_with('{') {
            true => it.replace("\"HOSTILE\"", &json!(HOSTILE).to_string()),
            false => it.replace("HOSTILE", HOSTILE),
        };
        words.extend(place.words.iter().map(hostile));
        if mode == "quiet" {
            words.push("--quiet".into());
        }
    }
    words
}

/// All that comes out in a mode; in a pipe only what is written to standard error, as the result is exact there.
fn output(words: &[&str], mode: &str) -> String {
    let variables: &[(&str, &str)] = match mode {
        "dumb terminal" => &[("TERM", "dumb")],
        "terminal" => &[],
        _ => {
            let Said { out, err, .. } = gswc(words);
            let is_test = words.first() == Some(&"test");
            return if is_test { out + &err } else { err };
        }
    };
    let mut session = Session::gswc((40, 400), words, variables);
    session.finish();
    String::from_utf8_lossy(&session.raw).into_owned()
}

/// What of a text a terminal obeys and only its author can have meant.
fn obeyed(shown: &str) -> Option<String> {
    let found = [
        "\u{1b}]",
        "\u{1b}[2J",
        "\u{7}",
        "\u{7f}",
        "\u{202e}",
        "\nFAKE",
    ];
    let found = found
        .iter()
        .find(|it| shown.contains(**it))
        .map(|it| (*it).to_owned());
    let number = |it: &char| matches!(it, '\u{80}'..='\u{9f}');
    found.or_else(|| shown.chars().find(number).map(String::from))
}

/// Reports of the compiler colour each character on its own.
fn without_colours(shown: &str) -> String {
    let colour = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("it is an expression");
    colour.replace_all(shown, "").into_owned()
}

#[test]
fn no_terminal_obeys_what_comes_from_outside() {
    let folder = scratch("shown");
    let mut wrong = Vec::new();
    for place in PLACES {
        let source = match place.command {
            "run" => place.source.to_owned(),
            // In a program's text it is written as it is where possible, which is in comments.
            "check" => place
                .source
                .replace("HOSTILE", &HOSTILE.replace("\r\n", " ")),
            _ => {
                let escaped = HOSTILE.escape_unicode().to_string();
                place.source.replace("HOSTILE", &escaped)
            }
        };
        let file = file(&folder, place.name, &source);
        for mode in MODES {
            let words = words(place, &file, mode);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let shown = output(&words, mode);
            if let Some(found) = obeyed(&shown) {
                wrong.push(format!(
                    "{} ({mode}) lets {found:?} through: {shown:?}",
                    place.name
                ));
            }
            let is_shown = match place.command {
                "check" => mode == "terminal",
                _ => place.is_final || mode != "quiet",
            };
            if is_shown && !without_colours(&shown).contains("PWNED") {
                wrong.push(format!(
                    "{} ({mode}) does not show it: {shown:?}",
                    place.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_provider_says_is_shown_and_not_obeyed() {
    let source = "agent a { model: \"anthropic/claude-sonnet-5-5\" }\nprompt p() -> int by a { user \"x\" }\nworkflow main() -> int { p() }";
    let file = file(&scratch("shown"), "provider", source);
    let refusal = Message {
        stop_reason: "refusal".into(),
        stop_details: json!({ "type": "refusal", "explanation": HOSTILE }),
        ..Message::default()
    };
    let refusal = Reply::of(Body::Anthropic(refusal));
    let error = Reply::error(400, "invalid_request_error", HOSTILE);
    for reply in [refusal, error] {
        let script = Script::always(reply);
        let (said, _) = wire::with_provider(script, |url| wire::run(&file, url, &[]));
        assert_eq!(obeyed(&said.err), None, "{said:?}");
        assert!(said.err.contains("PWNED"), "{said:?}");
    }
}

#[test]
fn a_result_is_bare_and_indented_on_a_terminal_and_exact_in_a_pipe() {
    let source = "type T { x: string, n: [int] }\nworkflow bare(x: string) -> string { x }\nworkflow whole(x: string) -> T { T { x: x, n: [1, 2] } }";
    let file = file(&scratch("shown"), "result", source);
    let file = text(&file);
    let words = |workflow| ["run", file, workflow, "--", "--x", HOSTILE, "--quiet"];
    let bare = gswc(&words("bare")).out;
    assert_eq!(
        serde_json::from_str::<String>(&bare).ok().as_deref(),
        Some(HOSTILE)
    );
    let on_terminal = |workflow, variables: &[(&str, &str)]| {
        let mut session = Session::gswc((40, 400), &words(workflow), variables);
        assert_eq!(session.finish(), 0);
        String::from_utf8_lossy(&session.raw).replace("\r\n", "\n")
    };
    assert_eq!(
        on_terminal("bare", &[]),
        "␛]0;PWNED␇␛[2J\\u{9b}31m␡\\u{202e}\nFAKE: ok\n"
    );
    let whole = on_terminal("whole", &[("NO_COLOR", "1")]);
    assert!(whole.starts_with("{\n  \"x\": \"\\u001b]0;"), "{whole:?}");
    assert!(whole.ends_with("\"n\": [1, 2]\n}\n"), "{whole:?}");
    let read = serde_json::from_str::<serde_json::Value>(&whole).ok();
    assert_eq!(read, Some(json!({ "x": HOSTILE, "n": [1, 2] })));
    assert!(on_terminal("whole", &[]).contains("\u{1b}[36m\"x\"\u{1b}[0m: "));
}
