//! Values that actions make up pass the checks of their types, and what they write of other modules is imported.

use gsw_source::{Severity, Span};

use crate::fixture::{Fixture, fixture};

/// The program after the action of that title at the cursor, or on the text up to a second marker; it has no errors.
#[track_caller]
fn after(text: &str, title: &str) -> Option<String> {
    let mut it = fixture(text);
    let rest = it.file.text(&it.db).to_string();
    let end = rest.find("<|>");
    it.put(&rest.replacen("<|>", "", 1));
    let start = u32::try_from(text.find("<|>").expect("a marker")).expect("a small text");
    let end = end.map_or(start, |at| u32::try_from(at).expect("a small text"));
    let range = Span::new(start, end);
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
    let action = actions.iter().find(|it| it.title == title)?;
    let after = it.edited(&action.edits);
    it.put(&after);
    compiles(&it);
    Some(after)
}

#[track_caller]
fn compiles(it: &Fixture) {
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    let errors: Vec<_> = reports
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{}: {errors:#?}", it.file.text(&it.db));
}

/// Declarations, the type that a prompt answers, and the answer of its mock.
const ANSWERS: &[(&str, &str, Option<&str>)] = &[
    ("type T { p: int where it > 10 }", "T", Some("T { p: 11 }")),
    (
        "type T { p: string where it.len() >= 2 and it.len() <= 3 }",
        "T",
        Some("T { p: \"tex\" }"),
    ),
    (
        "type T { p: string where it.starts_with(\"a.\") and it.len() > 3 }",
        "T",
        Some("T { p: \"a.text\" }"),
    ),
    (
        "type T { p: float where it > 2.0 and it < 3.0 }",
        "T",
        Some("T { p: 2.5 }"),
    ),
    (
        "type T { p: [int] where it.len() >= 2 }",
        "T",
        Some("T { p: [1, 1] }"),
    ),
    ("type Age = int where it in 18..=99", "Age", Some("18")),
    (
        "type T { low: int, high: int where it >= self.low }",
        "T",
        Some("T { low: 1, high: 1 }"),
    ),
    ("", "time", Some("time.from_unix(0)")),
    ("", "bytes", Some("bytes.from_base64(\"dGV4dA==\")")),
    (
        "type Bug { title: string, more: [Bug], of: {string: Bug}, best: Bug? }",
        "Bug",
        Some("Bug { title: \"text\", more: [], of: {} }"),
    ),
    (
        "type Box<T> { item: T, items: [T] }",
        "Box<int>",
        Some("Box { item: 1, items: [1] }"),
    ),
    (
        "type Box<T> { item: T }",
        "Box<Box<int>>",
        Some("Box { item: Box { item: 1 } }"),
    ),
    // One that holds itself has no end.
    ("type Node { next: Node }", "Node", None),
    // A value that passes is not known.
    ("type T { p: int where it % 7 == 3 }", "T", None),
    (
        "type T { low: int, high: int where it > self.low }",
        "T",
        None,
    ),
    (
        "type T { p: string where it.matches(\"[0-9]+x\") }",
        "T",
        None,
    ),
];

#[test]
fn a_made_up_answer_passes_its_checks() {
    for (declarations, ty, wanted) in ANSWERS {
        let text = format!("{declarations}\nprompt p<|>r() -> {ty} {{ user \"a\" }}\n");
        let found = after(&text, "write a test for `pr`, its model mocked");
        let mocked = found.as_deref().map(|it| {
            let lines = it.lines().map(str::trim);
            let mut mocks = lines.filter_map(|it| it.strip_prefix("mock pr() -> "));
            mocks.next().unwrap_or_default()
        });
        assert_eq!(mocked, *wanted, "{declarations}");
    }
}

const LIB: &str = "//- lib.gsw\ntype Item { name: string }\nerror Gone(why: string)\nfn find(x: string) -> Item ! Gone {\n  if x == \"\" { fail Gone(\"a\") }\n  Item { name: x }\n}\n";

/// The imports of a program, a line of it before the action, the action, and the imports and a line after it.
const IMPORTED: &[(&str, &str, &str, &str, &str)] = &[
    (
        "import ./lib.{find}",
        "<|>b.name + \"y\"<|>",
        "extract into a function",
        "import ./lib.{find, Item}",
        "fn extracted(b: Item) -> string {",
    ),
    (
        "import ./lib\nimport ./lib.{find}",
        "<|>b.name + \"y\"<|>",
        "extract into a function",
        "import ./lib\nimport ./lib.{find}",
        "fn extracted(b: lib.Item) -> string {",
    ),
    (
        "import ./lib.{find, Item as It}",
        "<|>b.name + \"y\"<|>",
        "extract into a function",
        "import ./lib.{find, Item as It}",
        "fn extracted(b: It) -> string {",
    ),
    (
        "import ./lib.{find}",
        "fi<|>nd(\"c\").name",
        "handle the errors that it raises",
        "import ./lib.{find, Gone}",
        "Gone(..) => fail Failed(\"Gone\")",
    ),
];

#[test]
fn what_other_modules_declare_is_written_as_the_file_knows_it() {
    for (imports, line, title, wanted_imports, wanted) in IMPORTED {
        let text = format!(
            "{imports}\nfn f() -> string {{\n  let b = find(\"x\")\n  let c = {line}\n  c\n}}\n{LIB}"
        );
        let found = after(&text, title).unwrap_or_default();
        assert!(found.starts_with(wanted_imports), "{text}\n{found}");
        assert!(found.contains(wanted), "{text}\n{found}");
    }
}

/// Of the fields that are missing those are added whose values are certain.
#[test]
fn one_field_that_nobody_can_fill_leaves_the_others_their_fix() {
    let mut it = fixture("type T { a: int where it > 10, b: string }\nfn f() -> T { T<|> {} }");
    let range = Span::new(it.offset, it.offset);
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
    let titles: Vec<_> = actions.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["add `b: \"\"`"]);
}
