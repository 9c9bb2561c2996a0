//! Programs of a size that nobody writes by hand: they work, or are refused with a reason, in a time that people wait.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::program::{Said, gswc, scratch, text};

/// What checking one of these may take in a build without optimization on a busy machine; most need a hundredth of it.
const LONG: Duration = Duration::from_secs(60);

fn file(name: &str, source: &str) -> PathBuf {
    let file = scratch("limits").join(format!("{name}.gsw"));
    std::fs::write(&file, source).expect("the target folder can be written");
    file
}

fn check(file: &Path) -> Said {
    let begin = Instant::now();
    let said = gswc(&["check", text(file)]);
    assert!(
        begin.elapsed() < LONG,
        "{} takes {:?}",
        file.display(),
        begin.elapsed()
    );
    said
}

fn accepted(name: &str, source: &str) {
    let said = check(&file(name, source));
    let head: String = said.err.chars().take(300).collect();
    assert_eq!((said.code, head.as_str()), (Some(0), ""), "{name}");
}

fn refused(name: &str, source: &str, part: &str) {
    let said = check(&file(name, source));
    assert_eq!(said.code, Some(1), "{name}");
    assert!(said.err.contains(part), "{name}: {}", said.err);
    assert_eq!(
        said.err.matches("error[").count(),
        1,
        "{name}: {}",
        said.err
    );
}

/// `line` for each number below `count`.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for index in 0..count {
        writeln!(text, "{}", line(index)).expect("memory can be written");
    }
    text
}

#[test]
fn a_string_of_five_megabytes_works() {
    let long = "a".repeat(5 << 20);
    let long = format!("workflow main() -> int {{ \"{long}\".len() }}\n");
    let said = gswc(&["run", text(&file("string", &long))]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "5242880\n"));
}

#[test]
fn ten_thousand_fields_variants_and_arms_work() {
    let fields = lines(10_000, |it| format!("  f{it}: int"));
    let values = lines(10_000, |it| format!("    f{it}: {it}"));
    accepted(
        "fields",
        &format!("type Big {{\n{fields}}}\nfn big() -> Big {{\n  Big {{\n{values}  }}\n}}\n"),
    );
    let variants = lines(10_000, |it| format!("  V{it}"));
    let arms = lines(10_000, |it| format!("    V{it} => {it}"));
    let whole =
        format!("enum E {{\n{variants}}}\nfn f(e: E) -> int {{\n  match e {{\n{arms}  }}\n}}\n");
    accepted("variants", &whole);
    let less = whole.replace("    V7 => 7\n", "");
    refused("less", &less, "this `match` does not cover `V7`");
    let numbers = lines(5_000, |it| format!("    {it} => {it}"));
    accepted(
        "numbers",
        &format!("fn f(n: int) -> int {{\n  match n {{\n{numbers}    _ => 0\n  }}\n}}\n"),
    );
}

#[test]
fn ten_thousand_statements_and_functions_work() {
    let statements = lines(10_000, |it| format!("  x = x + {it}"));
    accepted(
        "statements",
        &format!("fn f() -> int {{\n  var x = 0\n{statements}  x\n}}\n"),
    );
    let functions = lines(10_000, |it| {
        format!(
            "fn f{it}(n: int) -> int {{ if n > 0 {{ f{}(n - 1) }} else {{ 0 }} }}",
            (it + 1) % 10_000
        )
    });
    accepted("functions", &functions);
}

#[test]
fn a_thousand_modules_in_a_row_work() {
    let folder = scratch("limits").join("modules");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    for index in 0..1_000 {
        let source = match index {
            999 => "fn f999() -> int { 1 }\n".to_owned(),
            _ => {
                let next = index + 1;
                format!("import ./m{next}\nfn f{index}() -> int {{ m{next}.f{next}() }}\n")
            }
        };
        let path = folder.join(format!("m{index}.gsw"));
        std::fs::write(path, source).expect("the target folder can be written");
    }
    let main = folder.join("main.gsw");
    let source = "import ./m0\nworkflow main() -> int { m0.f0() }\n";
    std::fs::write(&main, source).expect("the target folder can be written");
    let said = check(&main);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let whole = "fn f999() -> int { m0.f0() }\n";
    std::fs::write(folder.join("m999.gsw"), format!("import ./m0\n{whole}"))
        .expect("the target folder can be written");
    let said = check(&main);
    assert_eq!(
        said.err.matches("error[import-cycle]").count(),
        1,
        "{}",
        said.err
    );
}

#[test]
fn chains_are_a_thousand_links_long_and_no_longer() {
    let chain = |links: usize| format!("fn f() -> int {{ {} }}\n", vec!["1"; links].join(" + "));
    accepted("chain", &chain(999));
    refused("long_chain", &chain(5_000), "nested too deeply");
    let blocks = |depth: usize| {
        format!(
            "fn f() -> int {{ {}1{} }}\n",
            "do { ".repeat(depth),
            " }".repeat(depth)
        )
    };
    accepted("blocks", &blocks(200));
    refused("deep_blocks", &blocks(1_000), "nested too deeply");
}

#[test]
fn workflows_that_call_themselves_for_ever_end_with_a_trace() {
    let source =
        "workflow down(n: int) -> int { down(n + 1) }\nworkflow main() -> int { down(0) }\n";
    let said = gswc(&["run", text(&file("down", source))]);
    assert_eq!(said.code, Some(1));
    for part in [
        "error: StackOverflow: calls nest too deep",
        "  at ",
        "  from ",
    ] {
        assert!(said.err.contains(part), "{part} is missing");
    }
}
