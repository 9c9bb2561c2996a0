//! How the code of a program grows with the program: twice as much of the same makes about twice as much code.
//!
//! Counted in bytes of images, which are the same each time, and not in seconds. `tests/bench/growth.py` has more shapes, with
//! times.

use std::fmt::Write as _;

use crate::program::{gswc, scratch, text};

/// By how much twice the program may make the image longer: what both have in common makes it less than 2, longer numbers and
/// jumps a little more.
const MOST: f64 = 2.3;

/// `text` with the number in place of `#`, for each number below `count`.
fn lines(count: usize, text: &str) -> String {
    (0..count).fold(String::new(), |mut lines, number| {
        writeln!(lines, "{}", text.replace('#', &number.to_string()))
            .expect("memory can be written");
        lines
    })
}

fn main_of(body: &str) -> String {
    format!("workflow main(a: int, s: string) -> int {{\n{body}\n}}\n")
}

fn sum(count: usize, term: &str) -> String {
    let terms: Vec<String> = (0..count)
        .map(|it| term.replace('#', &it.to_string()))
        .collect();
    terms.join(" + ")
}

fn bytes(shape: &str, count: usize, source: &str) -> u64 {
    let folder = scratch("growth");
    let (file, image) = (
        folder.join(format!("{shape}{count}.gsw")),
        folder.join(format!("{shape}{count}.image")),
    );
    std::fs::write(&file, source).expect("the target folder can be written");
    let said = gswc(&["build", text(&file), "--emit", "image", "-o", text(&image)]);
    assert_eq!(said.code, Some(0), "{shape}: {}", said.err);
    let read = std::fs::metadata(&image).expect("it was just built");
    read.len()
}

/// Twice as many of the same make the image at most `MOST` times as long.
fn grows_with_the_program(shape: &str, make: impl Fn(usize) -> String) {
    let [once, twice] = [40, 80].map(|count| bytes(shape, count, &make(count)));
    let factor = twice as f64 / once as f64;
    assert!(
        factor < MOST,
        "{shape}: {once} bytes become {twice}, {factor:.2} times as many"
    );
}

#[test]
fn returns_past_open_defers() {
    grows_with_the_program("defers", |count| {
        let each = "  defer { t += # }\n  if t == # { return # }";
        main_of(&format!("  var t = a\n{}  t", lines(count, each)))
    });
}

#[test]
fn returns_of_values_past_open_defers_that_wait() {
    grows_with_the_program("waiting_defers", |count| {
        let each = "  defer { sleep(1ms)\n t += \"#\" }\n  if t == \"#\" { return t }";
        let head = "workflow main(s: string) -> string {\n  var t = s";
        format!("{head}\n{}  t\n}}\n", lines(count, each))
    });
}

#[test]
fn breaks_past_open_defers() {
    grows_with_the_program("breaks", |count| {
        let each = "  defer { t += # }\n  if t == # { break }\n  if t == -# { continue }";
        let body = lines(count, each);
        main_of(&format!("  var t = a\n  while true {{\n{body}  }}\n  t"))
    });
}

#[test]
fn values_that_are_alive_at_every_wait() {
    grows_with_the_program("waits", |count| {
        let each = "  let v# = \"${s}#\"\n  sleep(1ms)";
        let all = sum(count, "v#.len()");
        main_of(&format!("{}  {all}", lines(count, each)))
    });
}

#[test]
fn tasks_that_are_begun_and_then_awaited() {
    grows_with_the_program("tasks", |count| {
        let begun = lines(count, "  let t# = spawn { sleep(1ms)\n # }");
        let awaited = lines(count, "  t += await t#");
        main_of(&format!("{begun}  var t = 0\n{awaited}  t"))
    });
}

#[test]
fn states_that_are_assigned() {
    grows_with_the_program("states", |count| {
        let begun = lines(count, "  state v#: int = #");
        let assigned = lines(count, "  v# += a");
        main_of(&format!("{begun}{assigned}  v0"))
    });
}

#[test]
fn fields_that_are_made_one_after_the_other() {
    grows_with_the_program("fields", |count| {
        let fields = lines(count, "  f#: int?\n  g#: string = \"#\"");
        let body = "workflow main() -> json { R {}.to_json() }\n";
        format!("type R {{\n{fields}}}\n{body}")
    });
}

#[test]
fn steps_with_modifiers() {
    grows_with_the_program("steps", |count| {
        let each = "  t += step \"s#\" timeout 1m retry 2 { sleep(1ms)\n a + # }";
        main_of(&format!("  var t = 0\n{}  t", lines(count, each)))
    });
}

/// Its locals are on the stack instead of in registers, which must make no difference.
#[test]
fn a_function_of_thousands_of_locals_computes_what_a_short_one_does() {
    const COUNT: usize = 600;
    let each = "  let v# = part(a + #) catch { Failed(m) => m.len() }\n  if v# > 1 { sum += v# } else { text += \"${v#}\" }";
    let alive = lines(COUNT, "  again += v#");
    let part = "fn part(x: int) -> int { if x % 3 == 0 { fail Failed(\"x\") } else { x % 5 } }";
    let source = format!(
        "{part}\nworkflow main(a: int) -> json {{\n  var sum = 0\n  var again = 0\n  var text = \"\"\n{}{alive}  [sum, again, text]\n}}\n",
        lines(COUNT, each)
    );
    let file = scratch("growth").join("locals.gsw");
    std::fs::write(&file, source).expect("the target folder can be written");
    let values: Vec<usize> = (0..COUNT)
        .map(|it| if (it + 1) % 3 == 0 { 1 } else { (it + 1) % 5 })
        .collect();
    let (large, small): (Vec<usize>, Vec<usize>) = values.iter().partition(|it| **it > 1);
    let sum: usize = large.iter().sum();
    let again: usize = values.iter().sum();
    let shown: String = small.iter().map(usize::to_string).collect();
    let said = gswc(&["run", text(&file), "--", "--a", "1"]);
    let expected = format!("[{sum},{again},\"{shown}\"]\n");
    assert_eq!((said.code, said.out), (Some(0), expected), "{}", said.err);
}
