//! Words on the command line of a program that it does not take: each is refused, and the message says what to write.

use std::fs;

use crate::program::{gswc, scratch, text};

const SOURCE: &str = "
enum Heat { Cold, Mild, Hot(degrees: int) }
type Positive { n: int where it > 0 }
workflow main(
  m: {string: int} = {}, j: json? = none, d: duration = 1s, f: float = 1.0, b: bool = true,
  t: time? = none, heat: Heat = Cold, n: int = 1, p: Positive? = none, l: [string] = [],
) -> [string] { [\"${m} ${j} ${d} ${f} ${b} ${t}\", \"${heat} ${n} ${p} ${l}\"] }
";

/// Words, and the message about them.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["--m", r#"{"a": 1, "a": 2}"#],
        "`--m`: this is not JSON: at $: expected each key once, found \"a\" twice",
    ),
    (
        &["--j", "[123456789012345678901234567890]"],
        "`--j`: `123456789012345678901234567890` is not a whole number of 64 bits",
    ),
    (
        &["--j", "@/dev/zero"],
        "`--j`: the file `/dev/zero` is a pipe or a device and no file",
    ),
    (&["--d", ""], "`--d`: `` is not a duration such as `250ms`"),
    (&["--d=inf"], "`--d`: `inf` is not a duration"),
    (
        &["--f", "1e400"],
        "`--f`: `1e400` is more than a float can hold",
    ),
    (&["--no-b=1"], "`--no-b` takes no value"),
    (&["--raw=1"], "`--raw` takes no value"),
    (
        &["--t", "2026-01-01T00:00:00+25:00"],
        "\"2026-01-01T00:00:00+25:00\"",
    ),
    (
        &["--heat", "warm"],
        "`--heat`: `warm` is not one of `Cold`, `Mild` or, with fields, as JSON: `Hot`",
    ),
    (
        &["--nonsense"],
        "--l, --model, --events, --json, --raw, --pretty, --quiet, --memory, --cache, --store, --resume, --idle, --record, --replay, --help",
    ),
    (
        &["--n", "x", "--json"],
        r#"{"error":"Usage","message":"`--n`: `x` is not a whole number of 64 bits"}"#,
    ),
    (
        &["--p", r#"{"n": 0}"#, "--json"],
        r#"{"error":"Usage","message":"the input does not fit","issues":[{"path":"$.p.n""#,
    ),
];

#[test]
fn what_does_not_fit_is_refused_with_what_to_write() {
    let folder = scratch("command_line");
    let file = folder.join("takes.gsw");
    fs::write(&file, SOURCE).expect("the target folder can be written");
    for (words, part) in REFUSED {
        let said = gswc(&[&["run", text(&file), "--"], *words].concat());
        assert_eq!(
            (said.code, said.out.as_str()),
            (Some(2), ""),
            "{words:?}: {said:?}"
        );
        assert!(said.err.contains(part), "{words:?}: {}", said.err);
    }
}

#[test]
fn a_file_of_json_may_begin_with_a_mark() {
    let folder = scratch("command_line");
    let (file, json) = (folder.join("marked.gsw"), folder.join("marked.json"));
    fs::write(&file, "workflow main(j: json) -> json { j }")
        .expect("the target folder can be written");
    fs::write(&json, "\u{feff}[1]").expect("the target folder can be written");
    let said = gswc(&[
        "run",
        text(&file),
        "--",
        "--j",
        &format!("@{}", text(&json)),
    ]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "[1]\n"),
        "{said:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_table_of_prices_that_never_ends_is_refused() {
    let file = scratch("command_line").join("priced.gsw");
    fs::write(&file, "workflow main() -> int { 1 }").expect("the target folder can be written");
    let said: crate::program::Said = std::process::Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(&file)])
        .env("GSW_PRICES", "/dev/zero")
        .output()
        .expect("gswc can be started")
        .into();
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err
            .contains("`/dev/zero` is a pipe or a device and no file"),
        "{said:?}"
    );
}
