//! Completion while a line is typed: nothing follows the cursor yet, or something that is not to be written twice.

use crate::completion::{completed, labels, offers};
use crate::fixture::same;

/// Lines as they are while they are typed: nothing follows the cursor but what was there before.
#[test]
fn members_are_offered_before_the_line_is_finished() {
    let bug = "type Bug { title: string, line: int }\n";
    for body in [
        "if b.<|>",
        "if b.<|>\n  3",
        "match b.<|>",
        "while b.<|>",
        "for x in b.<|>",
        "if b.line == 1 and b.<|>",
        "log.info(b.<|>",
        "log.info(b.<|>\n  let c = 1",
        "log.info(b.<|>, { \"at\": \"https://a.b\" }",
        "let c = g(b.<|> // What a comment says (of it.",
        "let c = g(b.<|>, \"https://a.b\" // Where it is.",
        "let c = [b.<|>",
        "log.info(\"x\", { \"a\": b.<|>",
        "let c = xs.map(x => x.<|>",
        "let c = \"a ${b.<|> text\"",
        "let c = \"a ${b.<|>\"",
        "(b).<|>",
        "return b.<|>",
    ] {
        for end in ["\n}", "\n}\n\nfn g() -> int { 1 }", ""] {
            let text = format!("{bug}fn f(b: Bug, xs: [Bug]) {{\n  {body}{end}\n");
            offers(&text, &["title", "line"], &["f", "let", "Bug"]);
        }
    }
}

#[test]
fn types_are_offered_before_the_declaration_is_finished() {
    for text in [
        "prompt p(m: <|>\n",
        "prompt p(m: <|>\n\nfn g() -> int { 1 }",
        "prompt p(m: string) -> <|>\n",
        "prompt p(m: string) -> <|>\n\nfn g() -> int { 1 }",
        "fn g(a: <|>",
        "fn g(a: [<|>",
        "fn g(a: int, b: {string: <|>",
        "fn g(a: int) -> <|>\n  let b = 1",
        "enum W {\n  Refund(order: <|>\n}",
        "type W {\n  order: <|>\n}",
        "fn g() {\n  let a: <|>\n}",
        "fn g() {\n  let a: <|>\n  log.info(\"\")\n}",
        "const A: <|>\n",
        "prompt p(m: <|>\n  user \"a\"\n}",
        "prompt p(m: string) -> <|>\n  user \"a\"\n}",
        "fn g(a: <|>\n  let b = 1\n  b\n}\n\nfn h() -> int { 1 }",
    ] {
        offers(text, &["string", "int"], &["let", "f"]);
    }
}

#[test]
fn names_bound_in_unfinished_code_are_offered() {
    for (body, wanted) in [
        ("let a = xs.map(item => <|>", "item"),
        ("let a = match x { none => 0\n item => g(<|>", "item"),
        ("for item in xs { log.info(<|>", "item"),
        ("if let item = x { <|>", "item"),
    ] {
        let text =
            format!("fn g(a: int) -> int {{ a }}\nfn f(xs: [int], x: int?) {{\n  {body}\n}}");
        offers(&text, &[wanted], &[]);
    }
}

/// The first that is offered.
#[track_caller]
fn begins_with(text: &str, wanted: &[&str]) {
    let labels = labels(text);
    let first: Vec<&str> = labels
        .iter()
        .take(wanted.len())
        .map(String::as_str)
        .collect();
    assert_eq!(first, wanted, "{text}: {labels:#?}");
}

const SHAPES: &str = "enum Shape { Dot, Line(length: int), Word(text: string) }\ntype Bug { title: string, shape: Shape }\n";

#[test]
fn values_of_the_wanted_type_come_first() {
    for body in [
        "fn f() -> Shape { let a: Shape = <|>\n a }",
        "fn f() -> Shape {\n  let a: Shape = <|>\n}",
        "fn f() -> Shape { return <|> }",
        "fn f(yes: bool) -> Shape { if yes { <|> } else { Dot } }",
        "fn f(n: int) -> Shape { match n { 1 => <|>\n _ => Dot } }",
        "fn f() -> [Shape] { [<|>] }",
        "fn f() -> Shape { (<|>) }",
        "fn f(a: Shape = <|>) { }",
        "type A { shape: Shape = <|> }",
        "const A: Shape = <|>\n",
        "fn f(a: Shape) -> int { 1 }\nfn g() -> int { f(<|>\n}",
        "fn f() { var a: Shape = Dot\n a = <|>\n}",
    ] {
        begins_with(&format!("{SHAPES}{body}"), &["Dot", "Line", "Word"]);
    }
}

#[test]
fn arms_offer_what_is_left() {
    let text =
        format!("{SHAPES}fn f(s: Shape) -> int {{ match s {{ Dot => 1\n Line(_) => 2\n <|> }} }}");
    offers(&text, &["Word"], &["Dot", "Line"]);
    let text = format!("{SHAPES}fn f(s: Shape) -> int {{ match s {{ Line(1) => 2\n <|> }} }}");
    offers(&text, &["Dot", "Line", "Word"], &[]);
    let caught =
        "fn f() -> int { g() catch { Failed(_) => 1\n <|> } }\nfn g() -> int { fail Failed(\"\") }";
    offers(caught, &["Timeout"], &["Failed"]);
    let raised = "error Lost(n: int)\nfn f() -> int { g() catch { <|> } }\nfn g() -> int { if true { fail Lost(1) } else { fail Failed(\"\") } }";
    begins_with(raised, &["Failed", "Lost"]);
    let field =
        format!("{SHAPES}fn f(b: Bug) -> int {{ match b {{ Bug {{ shape: <|>, .. }} => 1 }} }}");
    offers(&field, &["Dot", "Line"], &["title"]);
}

#[test]
fn texts_of_a_type_are_offered_in_a_string() {
    let head = "fn q(x: \"low\" | \"high\") -> int { match x { \"low\" => 1\n \"high\" => 2 } }\n";
    offers(
        &format!("{head}fn f() -> int {{ q(\"<|>\") }}"),
        &["low", "high"],
        &["q"],
    );
    offers(
        &format!("{head}fn f() -> int {{ q(\"lo<|>\") }}"),
        &["low"],
        &["high"],
    );
    let arm = "fn q(x: \"low\" | \"high\") -> int { match x { \"<|>\" => 1\n _ => 2 } }";
    offers(arm, &["low", "high"], &[]);
}

#[test]
fn agents_follow_by_and_nothing_else_does() {
    let head = "agent clerk { model: \"sim/default\" }\nfn other() -> int { 1 }\n";
    for body in [
        "prompt p(x: string) -> int by <|> { user \"a\" }",
        "prompt p(x: string) -> int by <|>",
        "prompt p(x: string) -> int by cl<|>\n",
        "prompt p(x: string) -> int { user \"a\" }\nfn f() -> int { p(\"x\") by <|> }",
        "test \"t\" { mock agent <|> }",
    ] {
        let text = format!("{head}{body}");
        assert_eq!(labels(&text), ["clerk"], "{text}");
    }
    offers(
        &format!("{head}tool pay(order: string) -> int idempotent by <|> {{ 1 }}"),
        &["order"],
        &[],
    );
}

#[test]
fn what_stands_behind_the_cursor_is_not_written_again() {
    let head = format!("{SHAPES}fn area(s: Shape) -> int {{ 1 }}\n");
    let at =
        |body: &str, label: &str| completed(&format!("{head}{body}"), label).replace(&head, "");
    assert_eq!(
        at("fn f() -> int { ar<|>(Dot) }", "area"),
        "fn f() -> int { area(Dot) }"
    );
    assert_eq!(
        at("fn f(s: string) -> int { s.le<|>() }", "len"),
        "fn f(s: string) -> int { s.len() }"
    );
    assert_eq!(
        at("agent x { mo<|>: \"a\" }", "model"),
        "agent x { model: \"a\" }"
    );
    assert_eq!(
        at(
            "fn f(s: Shape) -> int { match s { Li<|>(n) => 1 } }",
            "Line"
        ),
        "fn f(s: Shape) -> int { match s { Line(n) => 1 } }"
    );
    assert_eq!(
        at(
            "fn f() -> Bug { Bug { ti<|>: \"a\", shape: Dot } }",
            "title"
        ),
        "fn f() -> Bug { Bug { title: \"a\", shape: Dot } }"
    );
    // A function that is handed over is not called.
    assert_eq!(
        at("fn f(s: [Shape]) -> [int] { s.map(ar<|>) }", "area"),
        "fn f(s: [Shape]) -> [int] { s.map(area) }"
    );
}

#[test]
fn tests_name_what_they_mock_and_what_fails() {
    let head = "import std/fs\nagent clerk { model: \"sim/default\" }\nprompt ask(x: string) -> int by clerk { user \"a\" }\n";
    offers(
        &format!("{head}test \"t\" {{ mock <|> }}"),
        &["ask", "fs", "agent"],
        &["clerk", "Failed", "let"],
    );
    offers(
        &format!("{head}test \"t\" {{\n  mock fs.<|>\n}}"),
        &["read", "glob"],
        &["ask"],
    );
    offers(
        &format!("{head}test \"t\" {{ mock ask(text) -> <|> }}"),
        &["text"],
        &[],
    );
    offers(
        &format!("{head}test \"t\" {{ assert ask(\"\") fails <|> }}"),
        &["Failed", "Timeout"],
        &["ask"],
    );
}

#[test]
fn prompts_checks_settings_and_imports_offer_their_own() {
    let head = "agent clerk { model: \"sim/default\" }\nprompt ask(x: string) -> int by clerk { user \"a\" }\n";
    offers(
        &format!("{head}fn f() -> int {{ ask.<|> }}"),
        &["detail", "stream"],
        &["map"],
    );
    offers("type A { a: int where <|> }", &["it", "self"], &[]);
    offers("type A { a: int where i<|>, b: int }", &["it"], &[]);
    offers(
        &format!(
            "{head}workflow main() -> int {{ let chat = session()\n ask(\"\") with {{ session: <|> }} }}"
        ),
        &["chat"],
        &[],
    );
    let two =
        "import ./geo.{area, <|>}\n//- geo.gsw\nfn area() -> int { 1 }\nfn size() -> int { 2 }";
    offers(two, &["size"], &["area"]);
    offers(
        "import ./geo.{<|>\n//- geo.gsw\nfn area() -> int { 1 }",
        &["area"],
        &["log"],
    );
    offers(
        "import <|>\n//- geo.gsw\nfn area() -> int { 1 }",
        &["./geo", "std/"],
        &[],
    );
    offers(
        "fn f() -> int { <|> }",
        &["queue"],
        &["mock_count", "new_queue"],
    );
    let unclosed = format!("{SHAPES}fn f() -> Bug {{\n  Bug {{ title: \"a\", <|>\n}}");
    offers(&unclosed, &["shape"], &["title", "let"]);
}

#[test]
fn words_and_names_that_belong_to_brackets_are_offered() {
    offers("workflow f(xs: [int]) { for x <|> }", &["in"], &["f"]);
    offers(
        "workflow f(xs: [int]) { parallel for (a, b) <|>\n}",
        &["in"],
        &["f"],
    );
    offers(
        "workflow f() -> int { budget(<|>) { 1 } }",
        &["usd", "calls"],
        &["f"],
    );
    offers(
        "workflow f() -> int { budget(usd: 1.0, <|>) { 1 } }",
        &["tokens"],
        &["f"],
    );
    offers(
        "agent a { model: \"sim/default\" }\ntest \"t\" {\n  mock agent a {\n    <|>\n  }\n}",
        &["call", "answer"],
        &["let"],
    );
    offers(
        "permissions { fs.<|> }",
        &["read", "write"],
        &["log", "net"],
    );
    offers("<|>", &["hook", "mcp"], &[]);
}

/// What is never closed is tried for a while and no longer.
#[test]
fn brackets_without_end_are_answered() {
    for open in ["[", "f(", "{ \"a\": ", "if b { "] {
        let text = format!("fn f(b: bool) {{\n  {}b.<|>\n", open.repeat(20_000));
        labels(&text);
    }
}

#[test]
fn after_an_operand_come_the_words_that_continue_it() {
    let in_body = |line: &str| format!("fn f(j: json, n: int) -> int {{\n  {line}\n}}");
    for (line, wanted) in [
        ("let n = j.n a<|>", "as"),
        ("let n = j.n as<|> int", "as?"),
        ("if n == 1 a<|> { 1 }", "and"),
        ("if n i<|> { 1 }", "in"),
        ("[n o<|>]", "or"),
        ("if n == 0 { 0 } e<|>", "else"),
        ("if n == 0 { 0 } e<|> { 2 }", "else"),
        ("let x = n.abs() e<|>", "else"),
        ("f(j, 1) c<|>", "catch"),
        ("f(j, 1) w<|>", "with"),
        ("f(j, 1) b<|>", "by"),
        ("race [spawn 1] e<|>", "errors"),
        ("race [spawn 1] errors <|>", "merge"),
        ("parallel for x in 0..3 errors <|> { x }", "settle"),
        (
            "let x = parallel for x in 0..3 limit 2 errors m<|> { x }",
            "merge",
        ),
    ] {
        let unwanted = [
            "AssertionFailed",
            "Err",
            "Calls",
            "now",
            "image",
            "MaxTokens",
        ];
        offers(&in_body(line), &[wanted], &unwanted);
    }
    let body = "fn f(a: Answer) -> Answer {\n  if true { a } e<|> { a }\n}\ntype Answer {}";
    offers(body, &["else"], &["Err"]);
    let test = "fn f() {}\ntest \"t\" { assert f() f<|> }";
    offers(test, &["fails"], &["fail", "false"]);
    // A new statement, and what a word of the language asks for.
    offers(
        &in_body("f(j, 1)\n  con<|>"),
        &["continue", "context"],
        &["catch"],
    );
    offers(&in_body("emit n<|>"), &["n", "now"], &["and"]);
    offers(&in_body("let x = await n<|>"), &["n"], &["and"]);
    offers(&in_body("match n { 1 => n <|> }"), &["and"], &["n"]);
}

#[test]
fn nothing_is_offered_for_a_name_that_is_being_declared() {
    for text in [
        "type P { s<|> }",
        "type P { s<|>: string }",
        "type P {\n  a: int\n  s<|>\n}",
        "type P { a: int, s<|>: int }",
        "enum E { S<|> }",
        "enum E {\n  A\n  S<|>\n}",
        "enum E { A(s<|>: int), B }",
        "error Bad(s<|>)",
        "error Bad(a: int, s<|>: int)",
        "fn f(s<|>) {}",
        "fn f(a: int, s<|>: int) -> int { a }",
        "workflow main(\n  s<|>: string,\n) {}",
        "private tool t(s<|>: string) {}",
        "prompt p(s<|>: string) -> string { user \"\" }",
        "fn f() {\n  let x s<|>\n}",
    ] {
        let found = crate::completion::labels(text);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
    offers("type P { a: string <|> }", &["where"], &["now", "string"]);
    offers("type P {\n  a: [int] w<|>\n}", &["where"], &["workflows"]);
    offers("type P = float w<|>", &["where"], &["workflows"]);
    offers("tool t(a: string t<|>) {}", &["trusted"], &["true"]);
    // What is a type, a default and a check are asked for as ever.
    offers("type P { a: s<|> }", &["string"], &["spawn"]);
    offers("type P { a: int where i<|> }", &["it"], &[]);
    offers("fn f(a: int = <|>) {}", &["none"], &[]);
    offers("fn f(a: int) -> (int, s<|>) {}", &["string"], &["spawn"]);
}

#[test]
fn a_line_at_the_margin_begins_a_declaration() {
    let text = "external pay(o: string) -> bool by \"k\" timeout 2d\n\nw<|> main() {}";
    offers(text, &["workflow"], &[]);
    offers("const N: int = 1\nf<|>", &["fn"], &["false"]);
    let settings = "agent a { model: \"m\" t<|> }";
    offers(settings, &["tools", "temperature"], &["true", "time"]);
}

#[test]
fn what_a_word_begins_is_not_written_again() {
    for (text, label, wanted) in [
        ("w<|> main() {}", "workflow", "workflow main() {}"),
        (
            "fn f() {\n  l<|> x = 1\n}",
            "let",
            "fn f() {\n  let x = 1\n}",
        ),
        (
            "fn f() {\n  d<|> { f() }\n}",
            "do",
            "fn f() {\n  do { f() }\n}",
        ),
        (
            "human ask() -> bool { use<|> \"Is it?\" }",
            "user",
            "human ask() -> bool { user \"Is it?\" }",
        ),
        (
            "fn f() {\n  st<|> \"a\" {}\n}",
            "step",
            "fn f() {\n  step \"a\" {}\n}",
        ),
        (
            "fn f() -> int { (m<|>) }",
            "match",
            "fn f() -> int { (match $1 {\n  $0\n}) }",
        ),
    ] {
        same(&completed(text, label), wanted);
    }
}
