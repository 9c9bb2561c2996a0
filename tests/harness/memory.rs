//! The limit of a run's memory against every call that can make more than it was given: it raises `OutOfMemory`, which a program
//! catches, and the process never grows much beyond the limit.

use std::path::PathBuf;

use crate::program::{gswc, scratch, text};

/// What each call is asked for, by its name: more than sixteen megabytes.
const CALLS: &[(&str, &str)] = &[
    ("regex.replace", r#"regex.new("").replace(a, a).len()"#),
    (
        "regex.replace with groups",
        r#"regex.new("(a{1000})").replace(a, "$1".repeat(1_000)).len()"#,
    ),
    ("regex.find_all", r#"regex.new("a").find_all(a).len()"#),
    ("regex.split", r#"regex.new("a").split(a).len()"#),
    ("replace", r#"a.replace("a", "b".repeat(100)).len()"#),
    ("split", r#"a.split("a").len()"#),
    ("characters of split", r#"a.split("").len()"#),
    ("chars", "a.chars().len()"),
    ("words", r#"a.replace("aa", "a ").words().len()"#),
    ("lines", r#"a.replace("aa", "a\n").lines().len()"#),
    ("repeat", "a.repeat(1_000).len()"),
    ("pad_start", r#"a.pad_start(200_000_000, "-").len()"#),
    ("pad_end", r#"a.pad_end(200_000_000, "-").len()"#),
    ("join", r#"(0..100).map(_ => a).join("").len()"#),
    ("interpolation", r#""${(0..100).map(_ => a)}".len()"#),
    (
        "adding strings",
        "(a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a).len()",
    ),
    (
        "adding lists",
        "(xs + xs + xs + xs + xs + xs + xs + xs).len()",
    ),
    (
        "json.parse",
        r#"json.parse("[${"1,".repeat(500_000)}1]").items().len()"#,
    ),
    (
        "json.parse of a string",
        r#"json.parse("[${"[],".repeat(400_000)}1]").items().len()"#,
    ),
    ("to_json", "(xs + xs).to_json().items().len()"),
    ("json.pretty", "json.pretty(xs.to_json()).len()"),
    (
        "csv.parse",
        r#"csv.parse("a\n${"1\n".repeat(500_000)}").len()"#,
    ),
    (
        "csv.parse of one record",
        r#"csv.parse(",".repeat(2_000_000)).len()"#,
    ),
    (
        "csv.format",
        r#"csv.format((0..100).map(_ => ({ "a": a }))).len()"#,
    ),
    (
        "flatten",
        "[xs, xs, xs, xs, xs, xs, xs, xs].flatten().len()",
    ),
    ("zip", "(xs + xs).zip(xs + xs).len()"),
    ("enumerate", "(xs + xs).enumerate().len()"),
    ("windows", "xs.windows(1_000).len()"),
    ("chunks", "(xs + xs).chunks(1).len()"),
    ("unique", "(xs + xs).unique().len()"),
];

fn program() -> PathBuf {
    let mut arms = String::new();
    for (name, call) in CALLS {
        arms.push_str(&format!("    \"{name}\" => {call}\n"));
    }
    let source = format!(
        r#"import std/csv
import std/fs
import std/json
import std/regex

fn made(what: string) -> int ! Failed | DecodeError {{
  let a = "a".repeat(1_000_000)
  let xs = (0..300_000).map(i => i)
  match what {{
{arms}    _ => fail Failed("there is no such call")
  }}
}}

/// How much memory the process had at most, in kilobytes.
fn peak() -> int ! IoError {{
  let lines = fs.read("/proc/self/status").lines().filter(line => line.starts_with("VmHWM:"))
  lines[0].words()[1].parse_int() ?? 0
}}

workflow main(what: string) -> [int] {{
  let length = made(what) catch {{ OutOfMemory => -1 }}
  [length, peak()]
}}
"#
    );
    let file = scratch("memory").join("calls.gsw");
    std::fs::write(&file, source).expect("the target folder can be written");
    file
}

#[test]
fn what_a_call_makes_is_measured_before_it_is_made() {
    let file = program();
    for (name, _) in CALLS {
        let words = [
            "run",
            text(&file),
            "--",
            "--quiet",
            "--memory",
            "16MB",
            "--what",
            name,
        ];
        let said = gswc(&words);
        let list = said.out.trim().trim_matches(['[', ']']).split_once(',');
        let (length, peak) = list.unwrap_or_else(|| panic!("{name}: {said:?}"));
        assert_eq!(length, "-1", "{name}: {said:?}");
        let megabytes = peak.parse::<u64>().expect("it is a number") / 1_000;
        assert!(megabytes < 250, "{name}: {megabytes} MB");
    }
}
