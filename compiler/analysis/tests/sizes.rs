//! Programs of a size that makes a bad algorithm show: each question ends within the work that is allowed for it.

use std::collections::BTreeMap;
use std::fmt::Write;

use gsw_analysis::check_file;
use gsw_source::{Database, Diagnostic, File, Project};

/// The codes of what `check` says of a program.
fn codes(program: &str) -> Vec<&'static str> {
    let found = checked(program);
    found.iter().map(|it| it.code.name()).collect()
}

fn checked(program: &str) -> Vec<Diagnostic> {
    let db = Database::default();
    let mut modules: BTreeMap<String, File> = BTreeMap::new();
    for (path, text) in gsw_std::MODULES {
        let file = File::new(&db, (*path).into(), (*text).into());
        modules.insert((*path).to_string(), file);
    }
    let file = File::new(&db, "main.gsw".into(), program.into());
    modules.insert("main".into(), file);
    Project::new(&db, modules, "main".into());
    check_file(&db, file)
}

/// A `match` over a tuple of `columns` enums with an arm for each variant but the last of each column.
fn sparse_match(columns: usize, last: &str) -> String {
    let mut text = String::from("enum E { A, B, C, D, E, F }\nfn f(");
    for column in 0..columns {
        let _ = write!(text, "e{column}: E, ");
    }
    let names: Vec<String> = (0..columns).map(|it| format!("e{it}")).collect();
    let _ = writeln!(text, ") -> int {{\n  match ({}) {{", names.join(", "));
    for column in 0..columns {
        for variant in ["A", "B", "C", "D", "E"] {
            let mut parts = vec!["_"; columns];
            parts[column] = variant;
            let _ = writeln!(text, "    ({}) => {column}", parts.join(", "));
        }
    }
    let _ = writeln!(text, "    {last}\n  }}\n}}");
    text
}

#[test]
fn wide_matches_with_many_arms_are_decided() {
    assert_eq!(codes(&sparse_match(40, "_ => 40")), Vec::<&str>::new());
    let missing = checked(&sparse_match(40, ""));
    let every = vec!["F"; 40].join(", ");
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(
        missing[0].message.contains(&format!("`({every})`")),
        "{missing:?}"
    );
    let repeated = format!("({}) => 41\n    _ => 42", ["_"; 39].join(", ") + ", C");
    assert_eq!(codes(&sparse_match(40, &repeated)), ["unreachable-arm"]);
}

#[test]
fn a_record_of_many_flags_misses_only_what_no_arm_names() {
    let fields: Vec<String> = (0..40).map(|it| format!("flag{it}: bool")).collect();
    let arms: Vec<String> = (0..40)
        .map(|it| format!("    Flags {{ flag{it}: false, .. }} => {it}\n"))
        .collect();
    let program = format!(
        "type Flags {{ {} }}\nfn f(it: Flags) -> int {{\n  match it {{\n{}  }}\n}}\n",
        fields.join(", "),
        arms.concat()
    );
    let missing = checked(&program);
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(
        missing[0].message.contains("flag0: true, flag1: true"),
        "{missing:?}"
    );
}

/// That so many pigeons cannot have a hole each of one fewer, as a `match`: it covers everything, and no search is known that
/// finds that out without trying more than any number of arrangements.
fn pigeons(pigeons: usize, last: &str) -> String {
    let holes = pigeons - 1;
    let name = |pigeon: usize, hole: usize| format!("p{pigeon}_{hole}");
    let all: Vec<String> = (0..pigeons)
        .flat_map(|pigeon| (0..holes).map(move |hole| format!("{}: bool", name(pigeon, hole))))
        .collect();
    let mut text = format!(
        "type P {{ {} }}\nfn f(it: P) -> int {{\n  match it {{\n",
        all.join(", ")
    );
    for pigeon in 0..pigeons {
        let none: Vec<String> = (0..holes)
            .map(|hole| format!("{}: false", name(pigeon, hole)))
            .collect();
        let _ = writeln!(text, "    P {{ {}, .. }} => 0", none.join(", "));
    }
    for hole in 0..holes {
        for first in 0..pigeons {
            for second in 0..first {
                let (first, second) = (name(first, hole), name(second, hole));
                let _ = writeln!(text, "    P {{ {first}: true, {second}: true, .. }} => 1");
            }
        }
    }
    let _ = writeln!(text, "    {last}\n  }}\n}}");
    text
}

#[test]
fn a_match_that_is_too_complex_is_refused_and_not_guessed_at() {
    assert_eq!(codes(&pigeons(3, "")), Vec::<&str>::new());
    assert_eq!(codes(&pigeons(12, "")), ["match-too-complex"]);
    assert_eq!(codes(&pigeons(12, "_ => 2")), Vec::<&str>::new());
}

#[test]
fn types_that_all_contain_each_other_are_compared_and_written() {
    let mut text = String::new();
    for index in 0..300 {
        let others = [1, 7, 31].map(|step| (index * 13 + step) % 300);
        let [first, second, third] = others;
        let _ = writeln!(
            text,
            "type R{index} {{ a: [R{first}], b: [R{second}], c: [R{third}] }}"
        );
    }
    text += "fn f(x: R0, y: R0) -> (bool, json) { (x == y, x.to_json()) }\n";
    assert_eq!(codes(&text), Vec::<&str>::new());
}

#[test]
fn chains_of_checked_aliases_are_looked_through_to_their_end() {
    let mut text = String::from("type A0 = int where it > 0\n");
    for index in 1..100 {
        let _ = writeln!(text, "type A{index} = A{} where it > {index}", index - 1);
    }
    text += "fn f(x: A99) -> int { x + 1 }\n";
    assert_eq!(codes(&text), Vec::<&str>::new());
}
