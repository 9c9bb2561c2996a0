//! The limit of a run's memory against every call that can make more than it was given: it raises `OutOfMemory`, which a program
//! catches, and the process never grows much beyond the limit.

use std::path::{Path, PathBuf};

use crate::program::{Said, gswc, scratch, text};

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

/// Updates of a part of something that has others, which is read after the part: eight megabytes that grow in place.
const UPDATES: &[(&str, &str)] = &[
    ("the rest of a base", "two(xs).based(1).xs.len()"),
    (
        "a chain",
        "two(xs).based(1).every(2).based(3).every(4).xs.len()",
    ),
    ("every field", "two(xs).every(1).xs.len()"),
    ("one branch", "two(xs).sometimes(1).xs.len()"),
    (
        "a record in a record",
        "Outer { two: two(xs) }.add(1).two.xs.len()",
    ),
    ("a call", "two(xs).called(1).xs.len()"),
    (
        "a variable",
        "{ var it = two(xs); for i in 0..9 { it = Two { xs: it.xs + [i], ..it } }; it.xs.len() }",
    ),
    (
        "a tuple",
        "{ var it = (xs, 0); for i in 0..9 { it = (it.0 + [i], it.1 + i) }; it.0.len() + it.1 }",
    ),
    (
        "fold",
        "[1, 2].fold(two(xs), (it, i) => Two { xs: it.xs + [i], n: it.n + 1, name: it.name }).xs.len()",
    ),
    (
        "fold by a method",
        "[1, 2].fold(two(xs), (it, i) => it.based(i)).xs.len()",
    ),
    (
        "a text",
        "Note { text: \"a\".repeat(8_000_000) }.add(\"b\").text.len()",
    ),
];

/// The same where a copy is needed, which does not fit.
const COPIES: &[(&str, &str)] = &[(
    "somebody else has it",
    "{ let it = two(xs); it.based(1).xs.len() + it.xs.len() }",
)];

const UPDATED: &str = r#"
type Two { xs: [int], n: int = 0, name: string = "" }
type Outer { two: Two, n: int = 0 }
type Note { text: string, n: int = 0 }
fn two(xs: [int]) -> Two { Two { xs } }
fn grown(xs: [int], x: int) -> [int] { xs + [x] }
fn Two.based(self, x: int) -> Two { Two { xs: self.xs + [x], ..self } }
fn Two.every(self, x: int) -> Two { Two { xs: self.xs + [x], n: self.n + 1, name: self.name } }
fn Two.sometimes(self, x: int) -> Two {
  Two { xs: if x > 0 { self.xs + [x] } else { self.xs }, n: self.n + 1, name: self.name }
}
fn Two.called(self, x: int) -> Two { Two { n: self.n + 1, xs: grown(self.xs, x), name: self.name } }
fn Outer.add(self, x: int) -> Outer {
  Outer { two: Two { xs: self.two.xs + [x], ..self.two }, ..self }
}
fn Note.add(self, more: string) -> Note { Note { text: self.text + more, ..self } }
"#;

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

fn within(memory: &str, file: &Path, what: &str) -> Said {
    let words = [
        "run",
        text(file),
        "--",
        "--quiet",
        "--memory",
        memory,
        "--what",
        what,
    ];
    gswc(&words)
}

#[test]
fn what_a_call_makes_is_measured_before_it_is_made() {
    let file = program();
    for (name, _) in CALLS {
        let said = within("16MB", &file, name);
        let list = said.out.trim().trim_matches(['[', ']']).split_once(',');
        let (length, peak) = list.unwrap_or_else(|| panic!("{name}: {said:?}"));
        assert_eq!(length, "-1", "{name}: {said:?}");
        let megabytes = peak.parse::<u64>().expect("it is a number") / 1_000;
        assert!(megabytes < 250, "{name}: {megabytes} MB");
    }
}

#[test]
fn what_has_one_owner_grows_in_place_whatever_is_read_after_it() {
    let mut arms = String::new();
    for (name, update) in UPDATES.iter().chain(COPIES) {
        arms.push_str(&format!("    \"{name}\" => {update}\n"));
    }
    let source = format!(
        "{UPDATED}
fn made(what: string) -> int ! Failed {{
  let xs: [int] = 0..1_000_000
  match what {{
{arms}    _ => fail Failed(\"there is no such update\")
  }}
}}
workflow main(what: string) -> int {{ made(what) catch {{ OutOfMemory => -1 }} }}
"
    );
    let file = scratch("memory").join("updates.gsw");
    std::fs::write(&file, source).expect("the target folder can be written");
    let length_of = |name: &str| {
        let said = within("12MB", &file, name);
        let length = said.out.trim().parse::<i64>();
        length.unwrap_or_else(|_| panic!("{name}: {said:?}"))
    };
    for (name, _) in UPDATES {
        assert!(length_of(name) > 1_000_000, "{name}");
    }
    for (name, _) in COPIES {
        assert_eq!(length_of(name), -1, "{name}");
    }
}
