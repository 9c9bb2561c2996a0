//! Imports in order.

use gsw_source::Span;

use crate::fixture::{fixture, same};

const LIB: &str = "//- geo.gsw\nfn draw() -> int { 1 }\nfn area() -> int { 1 }\ntype Point { x: int }\n//- a.gsw\nfn one() -> int { 1 }\n";

/// Imports before and after; the same where nothing is to be done.
const CASES: &[(&str, &str)] = &[
    // Names are sorted, and lists of one module are one.
    (
        "import ./geo.{draw, Point, area}",
        "import ./geo.{Point, area, draw}",
    ),
    (
        "import ./geo.{draw}\nimport ./a.{one}\nimport ./geo.{Point, area}",
        "import ./a.{one}\nimport ./geo.{Point, area, draw}",
    ),
    (
        "import ./geo.{draw, Point as P, area}\nimport ./geo.{Point}",
        "import ./geo.{Point, Point as P, area, draw}",
    ),
    // A comment stays with its import.
    (
        "import ./geo.{draw, area, Point} // end\nimport ./a.{one}",
        "import ./a.{one}\nimport ./geo.{Point, area, draw} // end",
    ),
    (
        "import ./geo.{Point, area, draw}\n// About a.\nimport ./a.{one} // one",
        "// About a.\nimport ./a.{one} // one\nimport ./geo.{Point, area, draw}",
    ),
    // What has comments inside stays as it is written.
    (
        "import ./geo.{\n  draw // first\n  area\n  Point\n}\nimport ./a.{one}",
        "import ./a.{one}\nimport ./geo.{\n  draw // first\n  area\n  Point\n}",
    ),
    // The head of a file stays at its top.
    (
        "// The file.\nimport ./geo.{Point, area, draw}\nimport ./a.{one}",
        "// The file.\nimport ./a.{one}\nimport ./geo.{Point, area, draw}",
    ),
    // Another comment goes with the first import.
    (
        "// The file.\n\n// About geo.\nimport ./geo.{Point, area, draw}\nimport ./a.{one}",
        "// The file.\n\nimport ./a.{one}\n// About geo.\nimport ./geo.{Point, area, draw}",
    ),
    (
        "//! The module.\n\n// About geo.\nimport ./geo.{Point, area, draw}\nimport ./a.{one}",
        "//! The module.\n\nimport ./a.{one}\n// About geo.\nimport ./geo.{Point, area, draw}",
    ),
    // What is unused goes, unless a comment says why it is there.
    (
        "import ./a.{one}\nimport std/fs\nimport std/math // later",
        "import std/math // later\nimport ./a.{one}",
    ),
    (
        "import ./a.{one}\nimport ./geo.{Point, area, draw}",
        "import ./a.{one}\nimport ./geo.{Point, area, draw}",
    ),
];

#[test]
fn imports_are_put_in_order_with_their_comments() {
    let ends = ["\n", "\r\n"].into_iter();
    for ((imports, wanted), end) in ends.flat_map(|end| CASES.iter().map(move |it| (it, end))) {
        // Uses of all that is imported, so that none is unused but what the test names.
        let uses = ["draw", "area", "one"].map(|it| match imports.contains(it) {
            true => format!("{it}()"),
            false => "1".into(),
        });
        let has_both = imports.contains(" as P") && imports.contains("{Point}");
        let ty = match (has_both, imports.contains("Point")) {
            (true, _) => "(P, Point)",
            (false, true) => "Point",
            (false, false) => "int",
        };
        let body = format!("fn f(p: {ty}) -> int {{ {} }}", uses.join(" + "));
        let text = format!("{imports}\n\n{body}\n{LIB}");
        let it = &mut fixture(&text.replace('\n', end));
        let range = Span::new(0, 0);
        let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
        let action = actions.iter().find(|it| it.title == "organize imports");
        let after = match action {
            Some(action) => it.edited(&action.edits),
            None => it.file.text(&it.db).to_string(),
        };
        same(&after.replace("\r\n", "\n"), &format!("{wanted}\n\n{body}"));
        assert_eq!(action.is_none(), imports == wanted, "{imports} {end:?}");
    }
}
