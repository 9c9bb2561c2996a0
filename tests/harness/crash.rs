//! `gswc test --crash`: tests that are killed at every record that they write, and resumed.

use std::path::Path;

use serde_json::Value;

use crate::program::{Said, gswc, root, scratch, text};

/// Writes a program of tests and tries it.
fn crashed(name: &str, source: &str, words: &[&str]) -> Said {
    let file = scratch("crash").join(name);
    std::fs::write(&file, source).expect("the target folder can be written");
    gswc(&[&["test", text(&file)], words].concat())
}

/// The tests of a report by their names.
fn of_json(said: &Said) -> Vec<Value> {
    let lines = said.out.lines();
    let objects = lines.map(|it| serde_json::from_str(it).expect("an object a line"));
    objects
        .filter(|it: &Value| it["test"].is_string())
        .collect()
}

const PAYS: &str = r#"
import std/exec
import std/fs

agent clerk { model: "anthropic/claude-sonnet-5-5" }

prompt name_it(n: int) -> string by clerk { user "Name number ${n}." }

tool pay(n: int) -> string once {
  fs.append("paid.log", "paid ${n}\n")
  "receipt ${n}"
}

tool book(n: int) -> string idempotent by "${n}" {
  fs.write("booked.txt", "${n}")
  "booked ${n}"
}

human approve(n: int, name: string) -> bool { user "Pay ${name} for ${n}?" }

workflow main(count: int) -> [string] {
  var said: [string] = []
  for n in 0..count {
    let name = name_it(n)
    sleep(2h)
    if approve(n, name) { said += [pay(n)] }
    said += [book(n)]
  }
  said
}

test "pays" {
  mock name_it(n) -> "name ${n}"
  mock approve(..) -> true
  let paid = mock pay(n) -> "receipt ${n}"
  mock book(n) -> "booked ${n}"
  assert main(2) == ["receipt 0", "booked 0", "receipt 1", "booked 1"]
  assert paid.count() == 2
}

test "notices" {
  mock exec.run(..) -> exec.Output { code: 0, stdout: "", stderr: "" }
  let pushed = exec.run(["git", "push"]).code catch { OutcomeUnknown(_) => -1 }
  assert pushed <= 0
}

test "many at once" {
  mock name_it(n) -> "name ${n}"
  let names = parallel for n in 0..6 limit 3 {
    sleep(1ms)
    retry 2 { name_it(n) }
  }
  assert names.len() == 6
  assert random() < 1.0
}

test "a scripted model" {
  mock agent clerk {
    fail Overloaded
    answer "a"
  }
  assert name_it(1) == "a"
}

test "nothing to write down" { assert 1 + 1 == 2 }

test "rows" for n in [1, 2] {
  mock book(_) -> "booked"
  assert book(n) == "booked"
}
"#;

#[test]
fn a_test_is_killed_at_every_record_and_goes_on() {
    let said = crashed("pays.gsw", PAYS, &["--crash", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let found: Vec<(String, u64, u64)> = of_json(&said)
        .iter()
        .map(|it| {
            let crashes = &it["crashes"];
            let count = |name: &str| crashes[name].as_u64().expect("a number");
            let name = it["test"].as_str().expect("a text").to_owned();
            (name, count("places"), count("in_doubt"))
        })
        .collect();
    let expected = [
        // Beginning, end, and for each of two: name, sleep, question, intent, payment, booking.
        ("pays", 28, 4),
        ("notices", 8, 2),
        ("many at once", 28, 0),
        ("a scripted model", 10, 0),
        ("nothing to write down", 0, 0),
        ("rows 1", 6, 0),
        ("rows 2", 6, 0),
    ];
    let expected = expected.map(|(name, places, doubt)| (name.to_owned(), places, doubt));
    assert_eq!(found, expected);
}

#[test]
fn the_places_of_a_test_are_counted_beside_its_name() {
    let said = crashed("said.gsw", PAYS, &["--crash", "--filter", "no"]);
    assert!(
        said.out.contains("ok    notices (8 crashes, 2 in doubt)")
            && said
                .out
                .contains("ok    nothing to write down (writes nothing down)"),
        "{}",
        said.out
    );
    let one = crashed("one.gsw", PAYS, &["--crash=3", "--filter", "notices"]);
    assert!(
        one.out.contains("ok    notices (2 crashes, 1 in doubt)"),
        "{}",
        one.out
    );
    for (words, part) in [
        (&["--crash=0"][..], "write the number of a record, from 1"),
        (&["--crash=x"], "write the number of a record, from 1"),
        (&["--crash", "--live"], "cannot be used with"),
    ] {
        let said = crashed("usage.gsw", PAYS, words);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(part), "{words:?}: {}", said.err);
    }
}

/// What the test finds outside is another thing each time.
#[test]
fn a_test_that_does_something_else_each_time_is_named_with_the_record() {
    let folder = scratch("crash").join("counted");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let counter = folder.join("count.txt");
    std::fs::write(&counter, "").expect("the target folder can be written");
    let source = format!(
        r#"
import std/fs
tool send(n: int) -> string once {{ "sent ${{n}}" }}
test "counts" {{
  mock send(n) -> "sent ${{n}}"
  fs.append("{path}", "x")
  let n = fs.read("{path}").len()
  assert send(n) == "sent ${{n}}"
}}
"#,
        path = text(&counter)
    );
    let said = crashed("counts.gsw", &source, &["--crash"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("FAIL  counts")
            && said
                .out
                .contains("the test does not do the same each time that it is run")
            && said.out.contains("is the outcome of fs.read")
            && said.out.contains("mock what differs"),
        "{}",
        said.out
    );
}

/// The tests of the repository are killed at every record.
#[test]
fn tests_and_examples_stand_every_crash() {
    for folder in ["tests/testing/passing", "examples"] {
        stand(&root().join(folder));
    }
}

/// Of many tests with hundreds of records each.
const LEFT_OUT: &str = "modifiers.gsw";

fn stand(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a folder can be listed").path();
        if path.extension().is_none_or(|it| it != "gsw") || path.ends_with(LEFT_OUT) {
            continue;
        }
        let said = gswc(&["test", text(&path), "--crash"]);
        assert_eq!(said.code, Some(0), "{}: {said:?}", path.display());
    }
}

#[test]
fn nothing_is_taken_back_before_the_disk_has_the_reason() {
    // After a power cut the model would be asked again, and might say yes to what was refunded.
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt judge(n: int) -> bool by clerk { user "Is ${n} right?" }
tool pay(n: int) -> string once { "${n}" }
tool refund(n: int) -> string idempotent by "refund:${n}" { "${n}" }
workflow part(n: int) -> string {
  let paid = pay(n)
  undo { let _ = refund(n) }
  if not judge(n) { fail Failed("no") }
  paid
}
test "takes back" {
  mock pay(n) -> "paid ${n}"
  let refunds = mock refund(n) -> "back ${n}"
  mock judge(_) -> false
  assert part(1) fails Failed("no")
  assert refunds.count() == 1
}
"#;
    let said = crashed("reason.gsw", source, &["--crash"]);
    assert_eq!((said.code, &*said.err), (Some(0), ""), "{}", said.out);
    assert!(said.out.contains("in doubt"), "{}", said.out);
}
