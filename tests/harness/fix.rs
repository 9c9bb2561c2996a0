//! `gswc fix`: what it changes, what it leaves alone, and that nothing is lost.

use std::fs;
use std::path::PathBuf;

use crate::program::{Said, gswc_in, scratch};

/// A project with these files, new.
fn project(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch("fix").join(name);
    // Of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("the target folder can be written");
    }
    folder
}

fn read(folder: &std::path::Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).expect("it is there")
}

fn fix(folder: &std::path::Path, words: &[&str]) -> Said {
    gswc_in(folder, &[&["fix"], words].concat())
}

const WRONG: &str = "import std/fs
import ./other

fn count(values: [int]) -> int { values.len() }

workflow main() -> int {
  let total = 1
  other.value + coutn([1]) + totla
}
";

const RIGHT: &str = "
import ./other

fn count(values: [int]) -> int { values.len() }

workflow main() -> int {
  let total = 1
  other.value() + count([1]) + total
}
";

#[test]
fn fixes_are_applied_until_none_is_left() {
    let source = WRONG.replace("other.value ", "other.value() ");
    let folder = project(
        "all",
        &[
            ("main.gsw", &source),
            (
                "other.gsw",
                "fn value() -> int { lenght(\"a\") }\n\nprivate fn length(s: string) -> int { s.len() }\n",
            ),
        ],
    );
    let checked = fix(&folder, &["main.gsw", "--check"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked
            .out
            .contains("main.gsw:8: unknown-name: write `count`\n"),
        "{checked:?}"
    );
    assert_eq!(read(&folder, "main.gsw"), source);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(read(&folder, "main.gsw").trim_start(), RIGHT.trim_start());
    assert!(read(&folder, "other.gsw").contains("{ length(\"a\") }"));
    assert!(said.out.contains("other.gsw: 1 fix\n"), "{said:?}");
    let again = fix(&folder, &["main.gsw", "--check"]);
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""), "{again:?}");
}

#[test]
fn what_has_no_single_fix_stays_and_is_reported() {
    let source = "workflow main() -> int { zebra + 1 }\n";
    let folder = project("left", &[("main.gsw", source)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("unknown-name"), "{said:?}");
    assert_eq!(read(&folder, "main.gsw"), source);
}

#[test]
fn warnings_of_a_program_with_errors_are_left_alone() {
    let source = "import std/fs\n\nworkflow main() -> int { fs.read(\"a\" ? 1 : 2) + zebra }\n";
    let folder = project("broken", &[("main.gsw", source)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(read(&folder, "main.gsw").starts_with("import std/fs\n"));
}

#[test]
fn mistakes_in_the_project_file_are_fixed_as_well() {
    let folder = project(
        "toml",
        &[
            ("gsw.toml", "nmae = \"desk\"\n"),
            ("main.gsw", "workflow main() -> int { 1 }\n"),
        ],
    );
    let said = fix(&folder, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(read(&folder, "gsw.toml"), "name = \"desk\"\n");
}

/// What others see of a program, what it does, and what is written by hand: all of it is only offered.
#[test]
fn what_only_its_author_can_decide_is_left_alone() {
    let source = "enum Status { Open, Paid }
error Broken(why: string)
type User { userName: string }
fn some_Fn(status: Status) -> int ! Broken | Timeout { match status { open => 1 } }
fn sum(xs: [int]) -> int {
  var total = 0
  for x in xs { let total = total + x }
  total
}
workflow main(verbose: bool = false) -> string {
  return \"just testing\"
  let user = User { userName: \"ann\" }
  user.userName + \"{user} ${some_Fn(Open)} ${sum([1])}\"
}
";
    let folder = project("offered", &[("main.gsw", source)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(read(&folder, "main.gsw"), source);
    for offered in [
        "rename it to `user_name`, if that is meant",
        "write `Open`, if that is meant",
        "leave out `let`, if that is meant",
        "remove the code that is never reached, if that is meant",
    ] {
        assert!(said.err.contains(offered), "{offered}: {said:?}");
    }
    assert!(!said.err.contains("_verbose"), "{said:?}");
}

/// Modules that import it are not among the files of a module, and would not compile any more.
#[test]
fn the_same_mistake_is_mended_wherever_it_stands_on_a_line() {
    let cases = [
        (
            "fn f(a: int, b: int = 2) -> int { a + b }\n\nworkflow main() -> int { f(a = 1, b = 3) }\n",
            "{ f(a: 1, b: 3) }",
        ),
        (
            "workflow main(x: int = 1) -> string {\n  if x == 1 { \"a\" } elif x == 2 { \"b\" } elif x == 3 { \"c\" } else { \"d\" }\n}\n",
            "} else if x == 2 { \"b\" } else if x == 3 {",
        ),
        (
            "workflow main(s: string = \"a\") -> int {\n  switch s {\n    case \"a\": 1\n    case \"b\": 2\n    case _: 3\n  }\n}\n",
            "match s {\n    \"a\" => 1\n    \"b\" => 2\n    _ => 3\n",
        ),
    ];
    for (index, (wrong, right)) in cases.into_iter().enumerate() {
        let folder = project(&format!("again-{index}"), &[("main.gsw", wrong)]);
        let said = fix(&folder, &["main.gsw"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let mended = read(&folder, "main.gsw");
        assert!(mended.contains(right), "{mended}");
    }
}

#[test]
fn a_module_keeps_what_its_importers_name() {
    let library = "type Old_Name { v: int }\nfn some_Fn(n: int, unused: int) -> int { n }\n";
    let folder = project("library", &[("lib.gsw", library)]);
    let said = fix(&folder, &["lib.gsw"]);
    assert!(said.err.contains("if that is meant"), "{said:?}");
    assert_eq!(read(&folder, "lib.gsw"), library);
}

/// What would follow from a misunderstanding is no fix: `or` of an optional is no bool that could be put into a text.
#[test]
fn nothing_is_mended_that_follows_from_another_mistake() {
    let source = "workflow main(note: string? = none, prices: [int] = [1]) -> [string] {
  let w = note or \"none\"
  let mean = prices.sum() / prices.len() * 1.5
  [w, \"${mean + 0.5}\"]
}
";
    let folder = project("follows", &[("main.gsw", source)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(read(&folder, "main.gsw"), source);
}

#[test]
fn a_module_of_the_library_is_imported_where_imports_stand() {
    let source = "const A: int = 1\n\nimport std.fs\n\nworkflow main() -> [string] { fs.list(\".\").take(A) }\n";
    let folder = project("dotted", &[("main.gsw", source)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(read(&folder, "main.gsw").starts_with("import std/fs\n\nconst A"));
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_an_error_and_stays() {
    use std::os::unix::fs::PermissionsExt;
    let source = "fn count() -> int { 1 }\nworkflow main() -> int { coutn() }\n";
    let folder = project("protected", &[("main.gsw", source)]);
    let file = folder.join("main.gsw");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("it is ours");
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("cannot be written"), "{said:?}");
    assert_eq!(read(&folder, "main.gsw"), source);
}

/// Names that are near to another and mean something else: a method of other languages is only offered.
#[test]
fn a_name_that_is_only_near_stays() {
    let source = "hook guard { before_model(call) { allow } }
agent a { model: \"sim/default\", retries: 3, cache_contro: true }
type Group { items: [int] }
fn half(x: int) -> int { x / 2 }
fn lists(xs: [int]) -> [[int]] {
  [xs.dropLast(2), xs.takeRight(2), xs.splice(1, 1), xs.dedup(), xs.parallel_map(half), xs.sorted(1)]
}
fn elements(xs: [int], group: Group) -> [int?] {
  [xs.findLast(x => x > 7), xs.foldRight(0, (a, b) => a - b), 2.sqr(), 7.floorMod(2), group.item.first()]
}
fn texts(s: string) -> [string] {
  [s.charAt(2), s.at(2), s.substr(2, 2), s.replaceFirst(\"X\", \"_\"), s.take(2), s.first(), s.removePrefix(\"a\")]
}
workflow main(s: string, x: float) -> json {
  let shown = f\"{x:.2f} EUR ${x}\"
  s.json()
}
";
    let folder = project("near", &[("main.gsw", source)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(read(&folder, "main.gsw"), source);
}

/// The same name in another case, a slip, a habit with the same meaning: what results compiles.
#[test]
fn a_name_that_says_the_same_is_written() {
    let wrong = "import std/set
type P { x: int }
fn P.make(x: int) -> P { P { x } }
fn P.shown(self) -> string { \"${self.x}\" }
workflow main(xs: [int], s: string) -> json {
  let sorted = xs.sortedDescending().sortBy(x => x)
  let places = [s.indexOf(\"a\"), s.last_index_fo(\"a\")]
  let made = [1].map(P.make).map(P.shown)
  let plain = s.index_of(\"x\") == -1
  [sorted.contians(1), places, s.toUpperCase().substring(1, 2), Set.of([1]).len(), made, plain]
}
";
    let right = "import std/set
type P { x: int }
fn P.make(x: int) -> P { P { x } }
fn P.shown(self) -> string { \"${self.x}\" }
workflow main(xs: [int], s: string) -> json {
  let sorted = xs.sort_desc().sort_by(x => x)
  let places = [s.index_of(\"a\"), s.last_index_of(\"a\")]
  let made = [1].map(x => P.make(x)).map(x => x.shown())
  let plain = s.index_of(\"x\") == none
  [sorted.contains(1), places, s.upper().slice(1, 2), set.of([1]).len(), made, plain]
}
";
    let folder = project("same", &[("main.gsw", wrong)]);
    let said = fix(&folder, &["main.gsw"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(read(&folder, "main.gsw"), right);
}
