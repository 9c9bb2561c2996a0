//! What actions and the formatter leave: the one style where a file had it, the line ends of the file, and lines that stay as they are.

use gsw_source::Span;

use crate::fixture::{Fixture, fixture, same};

/// The program after the action of that title on the text between two markers `<|>`, or at the only one; the program is formatted,
/// and is so afterwards.
#[track_caller]
fn after(text: &str, title: &str) -> String {
    let mut it = fixture(text);
    let rest = it.file.text(&it.db).find("<|>");
    it.put(&text.replacen("<|>", "", rest.map_or(0, |_| 1)));
    let end = rest.map_or(it.offset, |at| u32::try_from(at).expect("a small text"));
    let start = text
        .find("<|>")
        .map_or(0, |at| u32::try_from(at).expect("a small text"));
    assert!(is_formatted(&it), "{}", it.file.text(&it.db));
    let range = Span::new(start, end);
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
    let Some(action) = actions.iter().find(|it| it.title == title) else {
        let titles: Vec<_> = actions.iter().map(|it| &it.title).collect();
        panic!("no `{title}` in {titles:?}");
    };
    let after = it.edited(&action.edits);
    it.put(&after);
    assert!(is_formatted(&it), "{after}");
    after
}

fn is_formatted(it: &Fixture) -> bool {
    gsw_ide::formatting(&it.db, it.file).is_empty()
}

const CASES: &[(&str, &str, &str)] = &[
    (
        "add the arms that are missing",
        "enum Shape {\n  Dot\n  Box(width: int, height: int)\n  Circle(radius: int)\n}\n\nfn f(x: Shape) -> int {\n  match<|> x { Dot => 1 }\n}\n",
        "enum Shape {\n  Dot\n  Box(width: int, height: int)\n  Circle(radius: int)\n}\n\nfn f(x: Shape) -> int {\n  match x {\n    Dot => 1\n    Box(_, _) => fail AssertionFailed(\"not handled\")\n    Circle(_) => fail AssertionFailed(\"not handled\")\n  }\n}\n",
    ),
    (
        "extract into a variable",
        "fn f(a: int) -> int { <|>a + 1<|> }\n",
        "fn f(a: int) -> int { let extracted = a + 1; extracted }\n",
    ),
    (
        "extract into a function",
        "fn f(a: int, b: bool) -> int {\n  if b {\n    <|>match a {\n      0 => 1\n      _ => a\n    }<|>\n  } else {\n    0\n  }\n}\n",
        "fn f(a: int, b: bool) -> int {\n  if b {\n    extracted(a)\n  } else {\n    0\n  }\n}\n\nfn extracted(a: int) -> int {\n  match a {\n    0 => 1\n    _ => a\n  }\n}\n",
    ),
    (
        "organize imports",
        "import std/http<|>\n\nfn f() -> int { 1 }\n",
        "fn f() -> int { 1 }\n",
    ),
    (
        "apply every fix of this file",
        "import std/http<|>\n\nfn f() -> int { 1 }\n",
        "fn f() -> int { 1 }\n",
    ),
    (
        "wrap in a step",
        "import std/fs\n\nworkflow main() -> string {\n  let <|>text = match fs.read(\"a\") {\n    \"\" => \"none\"\n    other => other\n  }\n  text\n}\n",
        "import std/fs\n\nworkflow main() -> string {\n  let text = step \"read\" {\n    match fs.read(\"a\") {\n      \"\" => \"none\"\n      other => other\n    }\n  }\n  text\n}\n",
    ),
];

#[test]
fn what_actions_write_is_formatted() {
    for (title, text, wanted) in CASES {
        same(&after(text, title), wanted);
    }
}

#[test]
fn the_line_ends_of_a_file_stay() {
    for (title, text, wanted) in CASES {
        let (text, wanted) = (text.replace('\n', "\r\n"), wanted.replace('\n', "\r\n"));
        assert_eq!(after(&text, title), wanted);
    }
    let mut it = fixture("fn f() -> int {1}\r\n");
    let edits = gsw_ide::formatting(&it.db, it.file);
    assert_eq!(it.edited(&edits), "fn f() -> int { 1 }\r\n");
    // One that is not formatted keeps them as well.
    it.put("fn f() -> int {1+2}\r\n");
    let range = Span::new(15, 18);
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
    let mut functions = actions
        .iter()
        .filter(|it| it.title == "extract into a function");
    let action = functions.next().expect("it is offered");
    let after = it.edited(&action.edits);
    assert_eq!(
        after.matches('\n').count(),
        after.matches("\r\n").count(),
        "{after:?}"
    );
}

/// Of the lines of a file only those are touched that change, wherever they are.
#[test]
fn lines_that_both_texts_have_stay() {
    let lines = [
        "fn a() {}",
        "fn b() -> int { 1 }",
        "",
        "fn c() {}",
        "",
        "fn d() {}",
        "// x",
    ];
    let mut it = fixture("");
    for seed in 0..400u32 {
        // A few lines, some of them badly indented.
        let mut state = seed.wrapping_mul(2_654_435_761);
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let text: String = (0..next(12))
            .map(|_| {
                let line = lines[next(7) as usize];
                format!("{}{line}\n", " ".repeat(next(2) as usize * 2))
            })
            .collect();
        it.put(&text);
        let edits = gsw_ide::formatting(&it.db, it.file);
        let after = match edits.is_empty() {
            true => text.clone(),
            false => it.edited(&edits),
        };
        it.put(&after);
        assert!(is_formatted(&it), "{text:?} {after:?} {edits:#?}");
    }
    it.put("fn a() -> int {1}\n\nfn b() -> int { 2 }\n\nfn c() -> int {3}\n");
    let edits = gsw_ide::formatting(&it.db, it.file);
    let places: Vec<_> = edits
        .iter()
        .map(|it| {
            (
                it.location.span.start,
                it.location.span.end,
                it.text.as_str(),
            )
        })
        .collect();
    assert_eq!(places, [(15, 16, " 1 "), (55, 56, " 3 ")]);
}
