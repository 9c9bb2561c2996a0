//! Fixes that the editor offers for reports that bring none.

use gsw_source::Span;

use crate::fixture::{fixture, same};

/// A program, the title of a fix at its cursor, and the program after it.
const CASES: &[(&str, &str, &str)] = &[
    (
        "fn f(xs: [int]) -> int { xs[0] catch { Ti<|>meout => 1, OutOfRange => 2 } }",
        "leave out the arm",
        "fn f(xs: [int]) -> int { xs[0] catch { OutOfRange => 2 } }",
    ),
    (
        "fn f(xs: [int]) -> int {\n  xs[0] catch {\n    OutOfRange => 2\n    Ti<|>meout => 1\n  }\n}\n",
        "leave out the arm",
        "fn f(xs: [int]) -> int {\n  xs[0] catch {\n    OutOfRange => 2\n  }\n}\n",
    ),
    (
        "fn f(n: int) -> int { n catch { Ti<|>meout => 1 } }",
        "leave out the arm",
        "fn f(n: int) -> int { n }",
    ),
    (
        "import ./geo.{hi<|>d}\nfn f() -> int { hid() }\n//- geo.gsw\n/// Docs.\nprivate fn hid() -> int { 1 }\nfn g() -> int { hid() }\n",
        "make `hid` public",
        "/// Docs.\nfn hid() -> int { 1 }\nfn g() -> int { hid() }\n",
    ),
    (
        "import ./geo\nfn f() -> int { geo.hi<|>d() }\n//- geo.gsw\nprivate fn hid() -> int { 1 }\nfn g() -> int { hid() }\n",
        "make `hid` public",
        "fn hid() -> int { 1 }\nfn g() -> int { hid() }\n",
    ),
    (
        "private fn dou<|>ble(n: int) -> int { n * 2 }\n\nworkflow main(n: int) -> int { n * 2 }\n",
        "leave out `private`",
        "fn double(n: int) -> int { n * 2 }\n\nworkflow main(n: int) -> int { n * 2 }\n",
    ),
    (
        "private fn dou<|>ble(n: int) -> int { n * 2 }\n\nworkflow main(n: int) -> int { n * 2 }\n",
        "remove it",
        "workflow main(n: int) -> int { n * 2 }\n",
    ),
    (
        "/// Docs.\nprivate type Or<|>der { n: int }\n\n/// More.\nfn Order.twice(self) -> int { self.n * 2 }\n\nworkflow main(n: int) -> int { n * 2 }\n\nfn Order.none() -> int { 0 }\n",
        "remove it and its methods",
        "workflow main(n: int) -> int { n * 2 }\n\n",
    ),
    (
        "fn ask(q: string, n: int, b: bool = true) -> int { n }\nfn f() -> int { ask<|>() }",
        "add `q: \"text\", n: 1`",
        "fn ask(q: string, n: int, b: bool = true) -> int { n }\nfn f() -> int { ask(q: \"text\", n: 1) }",
    ),
    (
        "fn ask(q: string, n: int) -> int { n }\nfn f() -> int { ask(<|>\"a\") }",
        "add `n: 1`",
        "fn ask(q: string, n: int) -> int { n }\nfn f() -> int { ask(\"a\", n: 1) }",
    ),
    (
        "type I { n: int }\ntype B { a: int, d: I, p: (int, string), l: time }\nfn f() -> B { B<|> { a: 2 } }",
        "add `d: I { n: 1 }, p: (1, \"text\"), l: time.from_unix(0)`",
        "type I { n: int }\ntype B { a: int, d: I, p: (int, string), l: time }\nfn f() -> B { B { a: 2, d: I { n: 1 }, p: (1, \"text\"), l: time.from_unix(0) } }",
    ),
    (
        "type I { n: int }\ntype B { d: I }\nfn f() -> B { B<|> {} }",
        "add `d: I { n: 1 }`",
        "type I { n: int }\ntype B { d: I }\nfn f() -> B { B { d: I { n: 1 } } }",
    ),
    (
        "fn ask(q: string) -> int { 1 }\nfn f() -> int { ask(\"a\", <|>\"b\", 3) }",
        "leave out what is too much",
        "fn ask(q: string) -> int { 1 }\nfn f() -> int { ask(\"a\") }",
    ),
];

#[test]
fn what_is_too_much_goes_and_what_is_missing_comes() {
    for (text, title, wanted) in CASES {
        let mut it = fixture(text);
        let range = Span::new(it.offset, it.offset);
        let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
        let Some(action) = actions.iter().find(|it| it.title == *title) else {
            let titles: Vec<_> = actions.iter().map(|it| &it.title).collect();
            let reports = gsw_ide::diagnostics(&it.db, it.file);
            panic!("no `{title}` in {titles:?}: {reports:#?}");
        };
        same(&it.edited(&action.edits), wanted);
    }
}
