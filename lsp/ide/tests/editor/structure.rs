//! Outline, folds, selections, format, links, lenses.

use gsw_ide::DocumentSymbol;

use crate::fixture::{fixture, same};

#[test]
fn the_outline_shows_parts_and_steps() {
    let it = fixture(
        "
/// Docs.
type Bug { title: string, line: int? }
enum Level { Low, High(why: string) }
fn Bug.urgent(self) -> bool { true }
workflow main(n: int) {
  step \"outer ${n}\" {
    let x = step \"inner\" { 1 }
  }
}
hook guard {
  before_tool(call) { allow }
  on_error(session, failure) { }
}
test \"works\" { }
",
    );
    fn lines(them: &[DocumentSymbol], depth: usize, out: &mut String) {
        for it in them {
            out.push_str(&format!(
                "{}{:?} {}\n",
                "  ".repeat(depth),
                it.kind,
                it.name
            ));
            assert!(it.span.start <= it.name_span.start && it.name_span.end <= it.span.end);
            lines(&it.children, depth + 1, out);
        }
    }
    let mut out = String::new();
    lines(&gsw_ide::document_symbol(&it.db, it.file), 0, &mut out);
    same(
        &out,
        "
Item(Record) Bug
  Field title
  Field line
Item(Enum) Level
  Variant Low
  Variant High
    Field why
Method Bug.urgent
Item(Workflow) main
  Step outer …
    Step inner
Item(Hook) guard
  Method before_tool
  Method on_error
Item(Test) works
",
    );
}

#[test]
fn symbols_of_a_project_are_found_by_their_letters() {
    let it =
        fixture("fn find_bugs() {}\nfn bugs() {}\nfn other() {}\n//- b.gsw\ntype Bugs { x: int }");
    let names = |query: &str| -> Vec<String> {
        let found = gsw_ide::workspace_symbol(&it.db, query).into_iter();
        found.map(|it| it.name).collect()
    };
    assert_eq!(names("bugs"), ["Bugs", "bugs", "find_bugs"]);
    assert_eq!(names("fb"), ["find_bugs"]);
    assert_eq!(names("").len(), 4);
    assert!(names("zzz").is_empty());
}

#[test]
fn brackets_comments_and_imports_fold() {
    let it = fixture(
        "import std/fs
import std/math

// one
// two
fn f(
  a: int,
) -> int {
  if a > 0 {
    1
  } else { 2 }
}
",
    );
    let folds = gsw_ide::folding_range(&it.db, it.file);
    let text = it.file.text(&it.db);
    let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
    let shown: Vec<String> = folds
        .iter()
        .map(|it| {
            format!(
                "{:?} {}-{}",
                it.kind,
                line(it.span.start),
                line(it.span.end)
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Imports 1-2",
            "Comment 4-5",
            "Code 6-8",
            "Code 8-12",
            "Code 9-11"
        ]
    );
}

#[test]
fn a_selection_begins_with_the_word_beside_a_bracket() {
    for text in [
        "fn f(n: int) -> int { g(<|>count) }",
        "fn f(n: int) -> int { g(count<|>) }",
    ] {
        let it = fixture(text);
        let spans = gsw_ide::selection_range(&it.db, it.file, it.offset);
        let whole = it.file.text(&it.db);
        let texts = spans
            .iter()
            .map(|it| &whole[it.start as usize..it.end as usize]);
        let texts: Vec<&str> = texts.take(4).collect();
        assert_eq!(texts, ["", "count", "(count)", "g(count)"]);
    }
}

#[test]
fn a_selection_grows_from_a_word_to_the_file() {
    let it = fixture("fn f(a: int) -> int {\n  g(a<|> + 1)\n}\nfn g(b: int) -> int { b }\n");
    let text = it.file.text(&it.db);
    let spans = gsw_ide::selection_range(&it.db, it.file, it.offset);
    let shown: Vec<&str> = spans
        .iter()
        .map(|it| {
            text[it.start as usize..it.end as usize]
                .lines()
                .next()
                .unwrap_or_default()
        })
        .collect();
    let wanted = [
        "",
        "a",
        "a + 1",
        "(a + 1)",
        "g(a + 1)",
        "",
        "{",
        "fn f(a: int) -> int {",
        "fn f(a: int) -> int {",
    ];
    assert_eq!(shown, wanted);
}

#[test]
fn formatting_is_one_edit_and_a_range_touches_its_declarations_alone() {
    let text = "fn f()->int{1}\n\n// kept\nfn g()->int<|>{2}\n";
    let it = fixture(text);
    let all = gsw_ide::formatting(&it.db, it.file);
    let formatted = "fn f() -> int { 1 }\n\n// kept\nfn g() -> int { 2 }\n";
    same(&it.edited(&all), formatted);
    let at = gsw_source::Span::new(it.offset, it.offset);
    let some = gsw_ide::range_formatting(&it.db, it.file, at);
    same(
        &it.edited(&some),
        "fn f()->int{1}\n\n// kept\nfn g() -> int { 2 }\n",
    );
    assert!(gsw_ide::formatting(&fixture(formatted).db, fixture(formatted).file).is_empty());
    let broken = fixture("fn f( -> int {\n");
    assert!(gsw_ide::formatting(&broken.db, broken.file).is_empty());
}

/// The texts that are links, each with what it leads to.
fn links(text: &str) -> Vec<(String, String)> {
    let it = fixture(text);
    let shown = |link: &gsw_ide::Link| {
        let text = it.file.text(&it.db);
        let (start, end) = (link.span.start as usize, link.span.end as usize);
        let target = link.target.to_string_lossy().into_owned();
        (text[start..end].to_owned(), target)
    };
    gsw_ide::document_link(&it.db, it.file)
        .iter()
        .map(shown)
        .collect()
}

#[test]
fn imports_skills_and_cassettes_are_links() {
    let found = links(
        r#"
import ./b
import std/fs
import ./none
agent a { model: "sim/x" skills: ["./one", "./none"] }
prompt p() -> int by a { user "n" skills: ["./several"] }
workflow main() -> int { p() with { skills: ["./one"] } }
test "t" cassette "tapes/t.jsonl" { }
//- b.gsw
//- one/SKILL.md
---
name: one
description: One.
---
//- several/two/SKILL.md
---
name: two
description: Two.
---
//- several/three/SKILL.md
---
name: three
description: Three.
---
"#,
    );
    let wanted = [
        ("./b", "/project/b.gsw"),
        ("std/fs", "std/fs.gsw"),
        ("\"./one\"", "/project/one/SKILL.md"),
        ("\"./several\"", "/project/several"),
        ("\"./one\"", "/project/one/SKILL.md"),
        ("\"tapes/t.jsonl\"", "/project/tapes/t.jsonl"),
    ];
    let wanted = wanted.map(|(text, target)| (text.to_owned(), target.to_owned()));
    assert_eq!(found, wanted);
}

#[test]
fn declarations_have_lenses() {
    let it = fixture("prompt p() -> int { user \"n\" }\nworkflow main() {}\ntest \"t\" {}\n");
    let lenses: Vec<String> = gsw_ide::code_lens(&it.db, it.file)
        .into_iter()
        .map(|it| format!("{:?} {}", it.action, it.name))
        .collect();
    assert_eq!(lenses, ["ShowRequest p", "Run main", "Test t"]);
}
