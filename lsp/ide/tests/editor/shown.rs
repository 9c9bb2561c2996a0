//! What is shown beside the text: parameters of a call, colours, hints.

use gsw_source::{Severity, Span};

use crate::fixture::fixture;

fn signature(text: &str) -> String {
    let mut it = fixture(text);
    match gsw_ide::signature_help(&mut it.db, it.file, it.offset) {
        Some(help) => {
            let active = help.active.map(|at| help.parameters[at as usize].clone());
            format!("{} | {}", help.label, active.unwrap_or_default())
        }
        None => "none".into(),
    }
}

#[test]
fn the_parameter_that_is_written_is_pointed_at() {
    let g = "fn g(a: int, b: string = \"\") -> int { a }\n";
    let cases = [
        (
            "fn f() -> int { g(<|>) }",
            "g(a: int, b: string = …) -> int | a: int",
        ),
        (
            "fn f() -> int { g(1<|>) }",
            "g(a: int, b: string = …) -> int | a: int",
        ),
        (
            "fn f() -> int { g(1, <|>) }",
            "g(a: int, b: string = …) -> int | b: string = …",
        ),
        (
            "fn f() -> int { g(b: \"\", a: <|>1) }",
            "g(a: int, b: string = …) -> int | a: int",
        ),
        (
            "fn f() -> int { g(1, \"\", <|>) }",
            "g(a: int, b: string = …) -> int | ",
        ),
        (
            "fn f(xs: [int]) -> [int] { xs.take(<|>) }",
            "take(count: int) -> [T] | count: int",
        ),
        (
            "enum E { A(x: int, y: int) }\nfn f() -> E { A(1, <|>) }",
            "E.A(x: int, y: int) | y: int",
        ),
        (
            "error Bad(why: string)\nfn f() { fail Bad(<|>) }",
            "Bad(why: string) | why: string",
        ),
        ("fn f() -> int { g(1)<|> }", "none"),
        ("fn f() -> int { <|>1 }", "none"),
    ];
    for (text, wanted) in cases {
        let found = signature(&format!("{g}{text}"));
        let is_library = text.contains("take(") && found.starts_with("take(");
        assert!(found == wanted || is_library, "{text}\nfound {found}");
    }
}

#[test]
fn what_is_written_like_a_call_has_its_parameters() {
    let before = "error Gone(what: string, code: int)\nenum E { A(x: int, y: int) }\nagent h { model: \"sim/x\" }\nprompt ask(question: string) -> int by h { user \"a\" }\nfn g(a: int, b: string = \"\") -> int { a }\n";
    let cases = [
        (
            "fn f(h: fn(int, string) -> bool) -> bool { h(1, <|>) }",
            "h(int, string) -> bool | string",
        ),
        (
            "fn f() -> int { let h = (n: int) => n\n h(<|>) }",
            "h(int) -> int | int",
        ),
        (
            "test \"t\" { mock g(1, <|>) -> 1 }",
            "g(a: int, b: string = …) -> int | b: string = …",
        ),
        (
            "test \"t\" { mock ask(<|>) -> 1 }",
            "ask(question: string) -> int | question: string",
        ),
        // Before its answer is written.
        (
            "test \"t\" { mock ask(<|>) }",
            "ask(question: string) -> int | question: string",
        ),
        (
            "test \"t\" {\n  mock g(1, <|>\n}",
            "g(a: int, b: string = …) -> int | b: string = …",
        ),
        (
            "fn f(e: E) -> int { match e { A(_, <|>) => 1 } }",
            "E.A(x: int, y: int) | y: int",
        ),
        (
            "fn f() -> int { ask(\"\") catch { Gone(code: <|>) => 1 } }",
            "Gone(what: string, code: int) | code: int",
        ),
        (
            "fn f() -> json { ask.detail(<|>) }",
            "ask(question: string) -> int | question: string",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(signature(&format!("{before}{text}")), wanted, "{text}");
    }
}

#[test]
fn hints_say_types_parameters_and_errors() {
    let it = fixture(
        "
fn g(path: string, count: int) -> int { count }
fn f(xs: [int]) -> int {
  let total = g(\"a\", 2)
  let typed: int = 1
  let _hidden = 1
  for x in xs { }
  let (a, b) = (1, \"s\")
  let doubled = xs.map(it => it * 2)
  total + typed + a
}
workflow main(n: int) -> int { if n > 1 { fail Failed(\"x\") }
 sleep(1s)
 f([n]) }
",
    );
    let text = it.file.text(&it.db);
    let all = Span::new(0, u32::try_from(text.len()).expect("a small text"));
    let hints = gsw_ide::inlay_hint(&it.db, it.file, all);
    let shown: Vec<String> = hints
        .iter()
        .map(|it| {
            let before = &text[..it.offset as usize];
            let word = before.rsplit([' ', '(', '\n']).next().unwrap_or_default();
            format!("{word}|{}", it.label)
        })
        .collect();
    let wanted = [
        "total|: int",
        "|path:",
        "|count:",
        "x|: int",
        "a|: int",
        "b|: string",
        "doubled|: [int]",
        "it|: int",
        "|! Failed, waits",
    ];
    assert_eq!(shown, wanted);
}

/// With all that hints say written down the program is the same; what cannot be written is only shown.
#[test]
fn what_hints_say_can_be_written_where_they_say_so() {
    let cases = [
        (
            "fn f(xs: [int]) { let a = 1\n for x in xs { log.info(\"${x + a}\") } }",
            "fn f(xs: [int]) { let a: int = 1\n for x in xs { log.info(\"${x + a}\") } }",
        ),
        (
            "fn f() -> int { let (p, q) = (1, \"a\")\n p + q.len() }",
            "fn f() -> int { let (p, q) = (1, \"a\")\n p + q.len() }",
        ),
        (
            "fn f() -> [int] { let ys = [\"a\"].map(q => q.len())\n ys }",
            "fn f() -> [int] { let ys: [int] = [\"a\"].map(q => q.len())\n ys }",
        ),
        (
            "fn f() -> [int] { [\"a\"].map((q) => q.len()) }",
            "fn f() -> [int] { [\"a\"].map((q: string) => q.len()) }",
        ),
        (
            "fn g(key: int, name: string, last: bool) -> int { 1 }\nfn f(v: string) -> int { g(1, \"\", v.len() > 0) }",
            "fn g(key: int, name: string, last: bool) -> int { 1 }\nfn f(v: string) -> int { g(1, \"\", v.len() > 0) }",
        ),
        (
            "fn g(key: int, name: string) -> int { 1 }\nfn f() -> int { g(1, \"\") + g(2, name: \"\") }",
            "fn g(key: int, name: string) -> int { 1 }\nfn f() -> int { g(1, name: \"\") + g(key: 2, name: \"\") }",
        ),
        // A type that the file does not know.
        (
            "import ./lib.{make}\nfn f() -> string { let it = make()\n it.name }\n//- lib.gsw\ntype Item { name: string }\nfn make() -> Item { Item { name: \"a\" } }\n",
            "import ./lib.{make}\nfn f() -> string { let it = make()\n it.name }\n",
        ),
    ];
    for (text, wanted) in cases {
        let mut it = fixture(text);
        let mut written = it.file.text(&it.db).to_string();
        let all = Span::new(0, u32::try_from(written.len()).expect("a small text"));
        let mut hints = gsw_ide::inlay_hint(&it.db, it.file, all);
        hints.sort_by_key(|it| std::cmp::Reverse(it.offset));
        for hint in hints {
            let text = hint.written.unwrap_or_default();
            written.insert_str(hint.offset as usize, &text);
        }
        assert_eq!(written, wanted);
        it.put(&written);
        let reports = gsw_ide::diagnostics(&it.db, it.file);
        let mut errors = reports.iter().filter(|it| it.severity == Severity::Error);
        assert!(errors.next().is_none(), "{written}: {reports:#?}");
    }
}

#[test]
fn hints_say_what_calls_raise_and_how_often_tools_run() {
    let it = fixture(
        "
import std/fs
error Bad(why: string)
type Box { width: int }
fn risky(n: int) -> int ! Bad { if n > 1 { fail Bad(\"much\") }
 n }
tool note(text: string) { fs.append(\"a\", text) }
tool wide(box: Box) -> int reads { box.width }
fn f() -> int { let box = Box { width: 1 }
 risky(box.width) }
",
    );
    let text = it.file.text(&it.db);
    let all = Span::new(0, u32::try_from(text.len()).expect("a small text"));
    let hints = gsw_ide::inlay_hint(&it.db, it.file, all);
    let labels: Vec<&str> = hints.iter().map(|it| it.label.as_str()).collect();
    let has = |wanted: &str| labels.contains(&wanted);
    assert!(has(": Box") && has("! Bad"), "{labels:#?}");
    let note = labels.iter().find(|it| it.contains("once"));
    assert!(note.is_some(), "{labels:#?}");
    assert!(
        !labels.iter().any(|it| it.contains("reads")),
        "it is written"
    );
    let call = hints.iter().find(|it| it.kind == gsw_ide::HintKind::Call);
    let about = call.map(|it| it.about[0].item.as_str());
    assert!(about.is_some(), "{hints:#?}");
    let ty = hints.iter().find(|it| it.label == ": Box").expect("a type");
    let (code, _) = gsw_ide::completion_docs(&it.db, &ty.about[0]).expect("it is declared");
    assert_eq!(code, "type Box");
}

#[test]
fn every_word_has_a_colour_and_none_goes_over_a_line() {
    let it = fixture(
        "
import ./b.{g}
/// Docs.
enum Level { Low }
agent helper { model: \"sim/x\" }
prompt ask(q: string) -> int by helper { user \"\"\"
  two ${q}
  lines
  \"\"\" }
const N: int = 1
workflow main() -> int { let x = ask(\"a\") // c
 step \"s\" { x + N + g(Low) } }
hook guard { on_budget(session, what) { log.warn(what) } }
//- b.gsw
fn g(l: string) -> int { 1 }
",
    );
    let text = it.file.text(&it.db);
    let tokens = gsw_ide::semantic_tokens(&it.db, it.file, None);
    let of = |span: Span| &text[span.start as usize..span.end as usize];
    assert!(tokens.iter().all(|it| !of(it.span).contains('\n')));
    let sorted = tokens
        .windows(2)
        .all(|it| it[0].span.end <= it[1].span.start);
    assert!(sorted, "{tokens:#?}");
    let kind = |word: &str| {
        let found = tokens.iter().rfind(|it| of(it.span) == word);
        found.map_or("none", |it| it.kind.name())
    };
    let wanted = [
        ("import", "keyword"),
        ("enum", "keyword"),
        ("Level", "enum"),
        ("Low", "enumMember"),
        ("agent", "keyword"),
        ("helper", "class"),
        ("model", "property"),
        ("prompt", "keyword"),
        ("ask", "function"),
        ("q", "parameter"),
        ("string", "type"),
        ("by", "keyword"),
        ("user", "keyword"),
        ("  lines", "string"),
        ("N", "variable"),
        ("1", "number"),
        ("x", "variable"),
        ("// c", "comment"),
        ("/// Docs.", "comment"),
        ("step", "keyword"),
        ("g", "function"),
        ("on_budget", "method"),
        ("what", "parameter"),
    ];
    for (word, wanted) in wanted {
        assert_eq!(kind(word), wanted, "{word}");
    }
}

#[test]
fn a_stopped_frame_shows_the_variables_up_to_where_it_is() {
    let it = fixture(
        "fn g(m: int) -> int { m }\nfn f<T>(n: int, xs: [T]) -> int {\n  let a = n + 1\n  let b = <|>a\n  let c = b\n  c }",
    );
    let whole = gsw_source::Span::new(0, 200);
    let values = gsw_ide::inline_value(&it.db, it.file, whole, it.offset);
    let names: Vec<&str> = values.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["n", "xs", "a", "n", "a"]);
}

#[test]
fn a_word_of_the_language_that_is_a_name_here_is_no_keyword() {
    let it = fixture(
        "import std/hook\ntype T { once: int }\n@was(\"g\")\nfn f(t: T) -> int { budget.total + t.once + g(match: 1) }\n",
    );
    let text = it.file.text(&it.db);
    let tokens = gsw_ide::semantic_tokens(&it.db, it.file, None);
    let kind = |word: &str| {
        let mut named = tokens.iter().rev();
        let found = named.find(|it| text[it.span.start as usize..].starts_with(word));
        found.map_or("none", |it| it.kind.name())
    };
    let wanted = [
        ("hook", "namespace"),
        ("once", "property"),
        ("was", "none"),
        ("budget", "variable"),
        ("match", "property"),
        ("fn", "keyword"),
    ];
    for (word, wanted) in wanted {
        assert_eq!(kind(word), wanted, "{word}");
    }
}

#[test]
fn a_debugger_shows_no_variable_of_another_function_that_has_the_name() {
    let it = fixture(
        "fn f(n: int) -> int {\n  let a = 1\n  let g = (n: int) => { let a = n; a + 1 }\n  for a in [2] { g(a) }\n  <|>g(a)\n}",
    );
    let whole = gsw_source::Span::new(0, 200);
    let values = gsw_ide::inline_value(&it.db, it.file, whole, it.offset);
    let text = it.file.text(&it.db);
    let shown: Vec<(&str, usize)> = values
        .iter()
        .map(|it| {
            (
                it.name.as_str(),
                text[..it.span.start as usize].lines().count(),
            )
        })
        .collect();
    assert_eq!(shown, [("n", 1), ("a", 2), ("g", 3), ("g", 4), ("g", 5)]);
}
