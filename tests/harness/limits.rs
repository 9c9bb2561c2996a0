//! Programs of a size that is not written by hand: they work, or are refused with a reason, in a time that people wait.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Said, gswc, scratch, text};

/// Seconds of processor time that compiling one of these may take in a build without optimization; most need a hundredth of
/// it. What others do on the machine does not count.
const MOST_SECONDS: u32 = 60;

/// No run of one of these takes so long, also on a busy machine.
const LONG: Duration = Duration::from_secs(300);

fn file(name: &str, source: &str) -> PathBuf {
    let file = scratch("limits").join(format!("{name}.gsw"));
    std::fs::write(&file, source).expect("the target folder can be written");
    file
}

fn check(file: &Path) -> Said {
    compiled(&["check", text(file)])
}

/// What `gswc` says within the processor time that it may take; the system ends it after that, without an exit code.
fn compiled(words: &[&str]) -> Said {
    let output = Command::new("prlimit")
        .arg(format!("--cpu={MOST_SECONDS}"))
        .arg(crate::program::GSWC)
        .args(words)
        .stdin(Stdio::null())
        .output();
    let said = Said::from(output.expect("prlimit is part of the system"));
    assert!(said.code.is_some(), "{words:?} takes too long: {said:?}");
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

/// Types share their parts, so that one which doubles forty times is made in no time, and a walk over it never ends.
#[test]
fn types_that_double_are_refused() {
    let doubling = |form: &str| {
        let aliases = lines(40, |it| match it {
            0 => "type A0 = int".to_owned(),
            _ => format!(
                "type A{it} = {}",
                form.replace('X', &format!("A{}", it - 1))
            ),
        });
        format!("type Pair<A, B> {{ a: A, b: B }}\n{aliases}fn f(_a: A39) -> int {{ 1 }}\n")
    };
    for (name, form) in [
        ("tuples", "(X, X)"),
        ("takers", "fn(X) -> X"),
        ("maps", "({string: X}, [X]?)"),
        ("pairs", "Pair<X, X>"),
    ] {
        refused(name, &doubling(form), "error[type-too-large]");
    }
    let applied = format!("{}int{}", "A<".repeat(40), ">".repeat(40));
    let source = format!("type A<T> = (T, T)\nfn f(a: {applied}) -> int {{ 1 }}\n");
    refused("applied", &source, "error[type-too-large]");
    let inferred = |first: &str, next: &str| {
        let before = |it: usize| (it - 1).to_string();
        let lets = lines(40, |it| match it {
            0 => format!("  let x0 = {first}"),
            _ => format!("  let x{it} = {}", next.replace('N', &before(it))),
        });
        format!("fn twice<T>(x: T) -> (T, T) {{ (x, x) }}\nfn f() {{\n{lets}}}\n")
    };
    for (name, first, next) in [
        ("lets", "1", "(xN, xN)"),
        ("calls", "1", "twice(xN)"),
        ("lambdas", "y => y", "y => (xN(y), xN(y))"),
    ] {
        refused(name, &inferred(first, next), "error[type-too-large]");
    }
    let lets = lines(40, |it| match it {
        0 => "  let x0 = x".to_owned(),
        _ => format!("  let x{it} = twice(x{})", it - 1),
    });
    let generic = format!("fn twice<T>(x: T) -> (T, T) {{ (x, x) }}\nfn g<T>(x: T) {{\n{lets}}}\n");
    refused("generic", &generic, "error[type-too-large]");
    let nested = lines(300, |it| match it {
        0 => "type B0 = int".to_owned(),
        _ => format!("type B{it} = [B{}]", it - 1),
    });
    refused("nested", &nested, "error[type-too-large]");
}

#[test]
fn instances_without_end_are_refused() {
    let refuses = |name: &str, source: &str, part: &str| {
        let out = scratch("limits").join(name);
        let said = compiled(&["build", text(&file(name, source)), "-o", text(&out)]);
        assert_eq!(said.code, Some(1), "{name}: {said:?}");
        assert!(said.err.contains(part), "{name}: {}", said.err);
    };
    let growing = |larger: &str| {
        format!(
            "fn f<T>(x: T, n: int) -> int {{ if n == 0 {{ 0 }} else {{ f({larger}, n - 1) }} }}\n\
             workflow main() -> int {{ f(1, 100) }}\n"
        )
    };
    let part = "error[instance-too-deep]: `f` is instantiated with ever larger types";
    refuses("grows", &growing("[x]"), part);
    refuses("doubles", &growing("(x, x)"), part);
    let fan = lines(30, |it| {
        let next = it + 1;
        format!("fn f{it}<T>(x: T) -> int {{ f{next}((x, 1)) + f{next}([x]) }}")
    });
    let fan = format!("{fan}fn f30<T>(_x: T) -> int {{ 1 }}\nworkflow main() -> int {{ f0(1) }}\n");
    refuses("fan", &fan, "is needed for more than 2000 types");
}

#[test]
fn constants_that_double_each_other_are_evaluated_once() {
    let chain = |first: &str, next: &str, last: &str| {
        let constants = lines(40, |it| match it {
            0 => first.to_owned(),
            _ => next
                .replace("Nth", &format!("C{it}"))
                .replace("Before", &format!("C{}", it - 1)),
        });
        format!("{constants}workflow main() -> int {{ {last} }}\n")
    };
    let sums = chain(
        "const C0: int = 1",
        "const Nth: int = Before + Before",
        "C39",
    );
    let said = compiled(&["run", text(&file("sums", &sums)), "--", "--quiet"]);
    assert_eq!(said.out, "549755813888\n", "{}", said.err);
    let texts = chain(
        "const C0: string = \"ab\"",
        "const Nth: string = \"${Before}${Before}\"",
        "C39.len()",
    );
    let said = check(&file("texts", &texts));
    assert!(said.err.contains("error[not-constant]"), "{}", said.err);
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

/// Recursion through tasks has no native stack to run out of, and its errors pass ten thousands of places.
#[test]
fn a_recursion_through_tasks_ends_with_a_short_trace() {
    let source = "fn down(n: int) -> int { 1 + await spawn down(n + 1) }\n\
        fn far(n: int) -> int { if n == 0 { 0 } else { 1 + await spawn far(n - 1) } }\n\
        fn wide(n: int) -> int { let all = parallel for _ in 0..1 { wide(n + 1) }; all[0] }\n\
        workflow main() -> int { down(0) }\n\
        workflow deep() -> int { far(10_000) }\n\
        workflow caught() -> [string] {\n\
        \x20 let first = \"${down(0)}\" catch { StackOverflow => \"tasks\" }\n\
        \x20 [first, \"${wide(0)}\" catch { StackOverflow => \"iterations\" }]\n}\n";
    let file = file("tasks", source);
    let begin = Instant::now();
    let said = gswc(&["run", text(&file), "--", "--quiet"]);
    assert_eq!(said.code, Some(1));
    let lines = said.err.lines().count();
    assert!(lines < 300, "{lines} lines");
    for part in [
        "error: StackOverflow: calls nest too deep",
        "  from ",
        " more\n",
    ] {
        assert!(said.err.contains(part), "{part} is missing");
    }
    assert!(
        said.err.contains("tasks.gsw:4:26\n"),
        "the outermost place is there"
    );
    let said = gswc(&["run", text(&file), "deep", "--", "--quiet"]);
    assert_eq!(said.out, "10000\n", "{}", said.err);
    let said = gswc(&["run", text(&file), "caught", "--", "--quiet"]);
    assert_eq!(said.out, "[\"tasks\",\"iterations\"]\n", "{}", said.err);
    assert!(begin.elapsed() < LONG, "{:?}", begin.elapsed());
}

/// Values, frames, tasks and nodes count, in loops, in what waits and in what does neither.
#[test]
fn who_holds_too_much_is_out_of_memory() {
    let source = r#"
fn grow(n: int) -> int { var xs: [int] = []; for i in 0..n { xs += [i] }; xs.len() }
workflow main() -> int { grow(1_000_000_000) }
workflow doubled() -> int { var s = "x"; for _ in 0..60 { s += s }; s.len() }
workflow waits() -> int { var all: [string] = []; while all.len() >= 0 { all += ["x".repeat(1_000_000)]; sleep(1ms) }; 0 }
workflow straight() -> int { let a = "x".repeat(30_000_000); let b = a + a; let c = b + b; c.len() }
workflow tasks() -> int { var n = 0; while n >= 0 { spawn sleep(1h); n += 1 }; n }
workflow caught() -> [int] {
  let first = grow(1_000_000_000) catch { OutOfMemory => -1 }
  let large = "x".repeat(1_000_000_000).len() catch { OutOfMemory => -2 }
  sleep(1ms)
  [first, large, grow(1_000), grow(1_000_000_000) catch { OutOfMemory => -3 }]
}
workflow memory_of(memory: int) -> int { memory }
"#;
    let file = file("memory", source);
    for workflow in ["main", "doubled", "waits", "straight", "tasks"] {
        let said = gswc(&[
            "run",
            text(&file),
            workflow,
            "--",
            "--quiet",
            "--memory",
            "64MB",
        ]);
        assert_eq!(said.code, Some(1), "{workflow}: {said:?}");
        let begin = "error: OutOfMemory: the memory limit is reached\n";
        assert!(said.err.contains(begin), "{workflow}: {}", said.err);
    }
    let run = |words: &[&str]| {
        let mut all = vec!["run", text(&file)];
        all.extend(words);
        gswc(&all)
    };
    let said = run(&["caught", "--", "--memory=64MiB"]);
    assert_eq!(said.out, "[-1,-2,1000,-3]\n", "{}", said.err);
    let said = run(&["main", "--", "--memory", "lots"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.err.contains("`--memory`: `lots` is not a size"),
        "{}",
        said.err
    );
    // A parameter of that name is the program's own.
    assert_eq!(run(&["memory_of", "--", "--memory", "3"]).out, "3\n");
    let mut command = std::process::Command::new(crate::program::GSWC);
    command
        .args(["run", text(&file), "--", "--quiet"])
        .env("GSW_MEMORY", "64MB");
    let said = Said::from(command.output().expect("it starts"));
    assert!(said.err.contains("error: OutOfMemory"), "{said:?}");
}
