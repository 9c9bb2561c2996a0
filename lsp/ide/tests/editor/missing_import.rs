//! Quick fixes that import what is declared elsewhere.

use gsw_source::Span;

use crate::completion::completed;
use crate::fixture::{fixture, same};

/// The other modules of a project whose first file is `text`.
fn project(text: &str) -> String {
    format!(
        "{text}
//- geo.gsw
fn area(x: int) -> int {{ x }}
fn draw() -> int {{ 1 }}
private fn inner() -> int {{ 1 }}
type Point {{ x: int }}
enum Shape {{ Circle, Square }}
error Outside(why: string)
fn risky() -> int ! Outside {{ fail Outside(\"\") }}
//- deep/plan.gsw
fn area(x: int) -> int {{ x }}
tool faraway(x: int) -> int pure {{ x }}
agent drawer {{ model: \"sim/x\" }}
prompt sketch(x: string) -> string by drawer {{ user \"${{x}}\" }}
//- far.gsw
import ./main
fn back() -> int {{ 1 }}
"
    )
}

/// The titles of the imports that are offered at the cursor.
fn imports(text: &str) -> Vec<String> {
    let mut it = fixture(&project(text));
    let range = Span::new(it.offset, it.offset);
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true).into_iter();
    let titles = actions.map(|it| it.title);
    titles.filter(|it| it.starts_with("import ")).collect()
}

#[test]
fn a_name_of_another_module_is_imported_from_each_that_has_it() {
    let cases: &[(&str, &[&str])] = &[
        (
            "fn f() -> int { ar<|>ea(1) }",
            &["import `area` from ./deep/plan", "import `area` from ./geo"],
        ),
        (
            "fn f(p: Po<|>int) -> int { p.x }",
            &["import `Point` from ./geo"],
        ),
        (
            "fn f() -> int ! Out<|>side { 1 }",
            &["import `Outside` from ./geo"],
        ),
        (
            "prompt p() -> int by dra<|>wer { user \"a\" }",
            &["import `drawer` from ./deep/plan"],
        ),
        (
            "fn f() -> string { ske<|>tch(\"a\") }",
            &["import `sketch` from ./deep/plan"],
        ),
        ("fn f() -> int { ge<|>o.area(1) }", &["import ./geo"]),
        // A variant comes with its enum.
        (
            "fn f() -> bool { Cir<|>cle == Circle }",
            &["import `Shape` from ./geo"],
        ),
        // The library, once.
        (
            "fn f() -> string { f<|>s.read(\"a\") }",
            &["import `std/fs`"],
        ),
        (
            "fn f() -> [string] { gl<|>ob(\"a\") }",
            &["import `glob` from std/fs"],
        ),
        // The fix that the report has itself.
        (
            "import ./geo.{area}\nfn f() -> int { dr<|>aw() + area(1) }",
            &["import `draw`"],
        ),
        // What is private, what is no type, and what its module has not.
        ("fn f() -> int { inn<|>er() }", &[]),
        ("fn f(p: dr<|>aw) -> int { 1 }", &[]),
        ("import ./geo\nfn f() -> int { geo.sket<|>ch() }", &[]),
    ];
    for (text, wanted) in cases {
        assert_eq!(imports(text), *wanted, "{text}");
    }
}

#[test]
fn an_import_stands_with_the_others() {
    let cases = [
        (
            "import std/fs\n\nfn f() -> int { fs.read(\"a\").len() + ar<|>ea(1) }\n",
            "import std/fs\nimport ./geo.{area}\n\nfn f() -> int { fs.read(\"a\").len() + area(1) }\n",
        ),
        // A comment stays with its import.
        (
            "import std/fs // to read\n\nfn f() -> int { fs.read(\"a\").len() + ar<|>ea(1) }\n",
            "import std/fs // to read\nimport ./geo.{area}\n\nfn f() -> int { fs.read(\"a\").len() + area(1) }\n",
        ),
        (
            "import ./geo.{draw}\n\nfn f() -> int { draw() + ar<|>ea(1) }\n",
            "import ./geo.{draw, area}\n\nfn f() -> int { draw() + area(1) }\n",
        ),
    ];
    for (text, wanted) in cases {
        let mut it = fixture(&project(text));
        let range = Span::new(it.offset, it.offset);
        let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
        let titles = ["import `area` from ./geo", "import `area`"];
        let mut meant = actions
            .iter()
            .filter(|it| titles.contains(&it.title.as_str()));
        let action = meant.next().expect("it is offered");
        same(&it.edited(&action.edits), wanted);
    }
}

#[test]
fn what_is_completed_anywhere_brings_its_import() {
    let cases = [
        (
            "agent h { model: \"sim/x\", tools: [far<|>] }",
            "faraway",
            "import ./deep/plan.{faraway}",
        ),
        (
            "prompt p() -> string by dra<|> { user \"a\" }",
            "drawer",
            "import ./deep/plan.{drawer}",
        ),
        (
            "fn f() -> int {\n  let x = Cir<|>\n  1\n}",
            "Circle",
            "import ./geo.{Shape}",
        ),
        (
            "test \"t\" { mock ske<|> }",
            "sketch",
            "import ./deep/plan.{sketch}",
        ),
        // What a function of another module raises.
        (
            "import ./geo.{risky}\nfn f() -> int { risky() catch { <|> } }",
            "Outside",
            "import ./geo.{risky, Outside}",
        ),
    ];
    for (text, label, import) in cases {
        let found = completed(&project(text), label);
        assert!(found.contains(import), "{text}\n{found}");
    }
}
