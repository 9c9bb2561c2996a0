//! Whatever the text, parsing ends, panics never, and says something when it leaves something out.

use gsw_source::{Database, File, Span};
use gsw_syntax::{locate, parse_file};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_oneof, proptest};

const PROGRAM: &str = include_str!("../../../tests/syntax/declarations.md");

/// Parses and checks what holds of every parse; gives the number of mistakes.
fn parse(text: &str) -> usize {
    let db = Database::default();
    let file = File::new(&db, "test.gsw".into(), text.into());
    let parsed = parse_file(&db, file);
    let length = u32::try_from(text.len()).expect("test programs are short");
    let mut end = 0;
    for item in &parsed.items {
        assert!(item.offset >= end, "items overlap");
        end = item.offset + item.item.span.end;
        assert!(end <= length, "an item ends behind its file");
    }
    for diagnostic in &parsed.diagnostics {
        let (_, Span { start, end }) = locate(&db, diagnostic.place);
        assert!(start <= end && end <= length, "{diagnostic:?}");
        assert!(text.is_char_boundary(start as usize), "{diagnostic:?}");
        assert!(text.is_char_boundary(end as usize), "{diagnostic:?}");
    }
    parsed.diagnostics.len()
}

fn function(body: &str) -> String {
    format!("fn f() -> int {{ {body} }}\nfn g() -> int {{ 1 }}\n")
}

/// In time that grows with the text alone: each line would look at all that follow.
#[test]
fn lines_of_attributes_in_a_bracket_that_is_left_open_are_read_once() {
    for line in ["@a(\n", "  @a(\n", "@a\n", "private\n", "@a(1)\n"] {
        let text = format!("fn f() {{\n{}fn g() -> int {{ 1 }}\n", line.repeat(200_000));
        assert!(parse(&text) > 0, "{line:?}");
    }
}

#[test]
fn deep_nesting_is_one_report() {
    for (open, inner, close, count) in [
        ("(", "1", ")", 5_000),
        ("[", "1", "]", 100_000),
        ("if a { ", "1", " }", 5_000),
        ("\"${", "1", "}\"", 5_000),
        ("match a { B => ", "1", " }", 3_000),
        ("- ", "1", "", 100_000),
        ("not ", "1", "", 100_000),
        ("fail ", "1", "", 20_000),
        ("x => ", "1", "", 20_000),
        ("if a { 1 } else ", "{ 2 }", "", 20_000),
        ("a + ", "1", "", 50_000),
        ("a ?? ", "1", "", 20_000),
        ("", "a", ".b()", 20_000),
        ("", "a", "[1]", 20_000),
        ("", "a", " as int", 20_000),
        ("", "a", " catch { _ => 1 }", 5_000),
        ("let x: ", "int = 1", "", 1),
        ("(x => (", "1", "))", 300),
    ] {
        let text = function(&format!(
            "{}{inner}{}",
            open.repeat(count),
            close.repeat(count)
        ));
        let expected = usize::from(count > 1);
        assert_eq!(parse(&text), expected, "{open}{inner}{close} {count} times");
    }
}

#[test]
fn deep_parts_of_heads_are_reported_once() {
    let deep = format!("{}1", "1 + ".repeat(5_000));
    for (before, after) in [
        ("const A = ", ""),
        ("@alias(", ")\ntype R { a: int }"),
        ("type R { a: int = ", " }"),
        ("type R { @alias(", ") a: int }"),
        ("enum E { @alias(", ") A }"),
        ("enum E { A(@alias(", ") n: int) }"),
        ("error E(n: int = ", ")"),
        ("fn f(@alias(", ") n: int) -> int { n }"),
        ("hook h { before_tool(@alias(", ") call) { } }"),
        ("agent a { model: ", " }"),
        ("prompt p() -> int by a { user ", " }"),
        ("tool t(n: int) -> int idempotent by (", ") { n }"),
        ("workflow w() budget(calls: ", ") { }"),
        ("test \"t\" cassette \"${", "}\" { }"),
    ] {
        let text = format!("{before}{deep}{after}\nfn g() -> int {{ 1 }}\n");
        assert_eq!(parse(&text), 1, "{before}…{after}");
    }
}

#[test]
fn allowed_nesting_is_allowed() {
    for (open, inner, close, count) in [
        ("(", "1", ")", 254),
        ("if a { ", "1", " }", 250),
        ("- ", "1", "", 900),
        ("if a { 1 } else ", "{ 2 }", "", 400),
        ("a + ", "1", "", 900),
        ("", "a", ".b()", 400),
    ] {
        let text = function(&format!(
            "{}{inner}{}",
            open.repeat(count),
            close.repeat(count)
        ));
        assert_eq!(parse(&text), 0, "{open}{inner}{close} {count} times");
    }
}

#[test]
fn every_one_of_many_mistakes_is_reported() {
    let lines: String = (0..5_000)
        .map(|line| format!("  let y{line} foo(1, [2], {{ \"a\": 1 }})\n"))
        .collect();
    let text = format!("fn f() {{\n{lines}}}\n");
    assert_eq!(parse(&text), 5_000);
}

/// Pieces of programs, one a word; `~` stands for a blank.
const PIECES: &str = "fn~ f ( ) { } [ ] ~ ~~ , : ; = => -> . .. ?. ? ?? ! | + - * < > == \" \"\"\" ${ r\" 1 1. .5 0x 5s \
    let~ match~ if~ else~ catch~ for~ in~ type~ enum~ A x step~\"a\"~ retry~3~ parallel~ spawn~ by~ with~ @ \
    private~ test~\"t\"~ prompt~ agent~ import~ ö \\ ' # return~ fail~ not~ do~ while~ mock~ assert~ where~ \
    skill~ const~ mcp~ hook~ as~ reflect~ emit~ await~ race~ state~ self";

/// Pieces of programs, put together at random.
fn soup() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = PIECES
        .split_whitespace()
        .map(|piece| piece.replace('~', " "))
        .collect();
    pieces.extend(["\n", "\n  ", "\r\n", "\u{feff}", "/// d\n", "// c\n"].map(str::to_owned));
    let piece = prop_oneof![
        8 => prop::sample::select(pieces),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// A program in which a few pieces are replaced, doubled or left out.
fn mutation() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0_usize..12,
        prop_oneof![Just(String::new()), soup()],
    );
    prop::collection::vec(change, 1..4).prop_map(|changes| {
        let mut text = PROGRAM.to_owned();
        for (place, length, replacement) in changes {
            let mut start = place.index(text.len());
            let mut end = (start + length).min(text.len());
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            while !text.is_char_boundary(end) {
                end += 1;
            }
            text.replace_range(start..end, &replacement);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soup_never_panics(text in soup()) {
        parse(&text);
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn mutated_programs_never_panic(text in mutation()) {
        parse(&text);
    }
}
