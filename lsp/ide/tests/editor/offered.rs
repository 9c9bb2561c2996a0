//! Completion where a declaration of its own kind, or a line that is only half typed, says what may stand.

use crate::completion::{completed, labels, offers};

const BEFORE: &str = "
import std/http
error Gone(what: string, code: int)
type Bug { title: string, line: int? }
enum Level { Low, High(why: string) }
const MOST: int = 3
agent helper { model: \"sim/x\", tools: [count] }
mcp git = stdio(\"uvx\")
tool log(limit: int) -> json by git
tool count(text: string, times: int = 1) -> int pure { text.len() }
prompt ask(question: string) -> [Bug] by helper { user \"${question}\" }
fn sub(n: int) -> int ! Gone { if n > 1 { fail Gone(\"a\", 1) }
 n }
";

#[track_caller]
fn offered(text: &str, wanted: &[&str], unwanted: &[&str]) {
    offers(&format!("{BEFORE}{text}"), wanted, unwanted);
}

#[test]
fn a_hook_has_handlers_and_each_its_decisions() {
    offered(
        "hook g { <|> }",
        &["before_tool", "after_tool", "on_error"],
        &["let", "ask"],
    );
    let decisions = ["allow", "deny", "ask", "change"];
    for text in [
        "hook g { before_tool(call) { <|> } }",
        "hook g { before_tool(call) { if call.tool == \"x\" { <|> } else { allow } } }",
        "hook g { before_tool(call) { match call.tool { \"x\" => <|> } } }",
    ] {
        offered(text, &decisions, &["Deny", "replace"]);
    }
    offered(
        "hook g { after_tool(call, outcome) { <|> } }",
        &["replace", "add"],
        &["deny"],
    );
    let text = "hook g { before_tool(call) { den<|> } }";
    let wanted = "hook g { before_tool(call) { deny($0) } }";
    assert_eq!(completed(text, "deny"), wanted);
}

#[test]
fn a_setting_is_written_once() {
    offered(
        "agent z {\n  model: \"sim/x\"\n  <|>\n  tools: [count]\n}\nagent y { temperature: 1.0 }",
        &["temperature", "system"],
        &["model", "tools"],
    );
    offered("agent z {\n  mod<|>el: \"sim/x\"\n}", &["model"], &[]);
    offered(
        "fn f() -> [Bug] { ask(\"\") with { temperature: 1.0, <|> } }",
        &["model"],
        &["temperature"],
    );
}

#[test]
fn what_a_server_is_and_which_tools_it_has_are_offered() {
    offered("mcp z = <|>", &["stdio", "http"], &["ask", "let"]);
    for head in ["by <|>", "reads by <|>"] {
        let text = format!("tool x(a: int) -> json {head}");
        offered(&text, &["git"], &["helper"]);
    }
    offered("prompt p(a: int) -> json by <|> {}", &["helper"], &["git"]);
    offered("tool x(a: int) -> json <|>", &["by", "once"], &[]);
    offered("test \"x\" { mock <|> }", &["git", "ask", "http"], &["let"]);
    offered("test \"x\" { mock git.<|> }", &["log"], &["ask"]);
}

#[test]
fn a_test_counts_mocks_and_scripts_agents() {
    offered("test \"x\" { let calls = <|> }", &["mock", "ask"], &[]);
    offered("fn f() { let calls = <|> }", &["ask"], &["mock"]);
    let turns = ["call", "answer", "fail"];
    offered("test \"x\" { mock agent helper { <|> } }", &turns, &["let"]);
    let text = "test \"x\" { mock agent helper { call count(\"a\"), <|> } }";
    offered(text, &["call"], &["answer", "let"]);
    let text = "test \"x\" { mock agent helper { call <|> } }";
    offered(text, &["count"], &["let", "match"]);
    offered("test \"x\" { mock ask(_) -> [] <|> }", &["then"], &[]);
}

#[test]
fn names_before_a_colon_are_those_that_are_left() {
    let cases: [(&str, &[&str]); 5] = [
        ("fn f() { fail Gone(what: \"a\", <|>: 2) }", &["code: "]),
        ("fn f() -> int { count(\"a\", <|>: 2) }", &["times: "]),
        ("fn f() -> Level { High(<|>: \"a\") }", &["why: "]),
        (
            "fn f(b: Bug) -> int { match b { Bug { <|>: \"x\", .. } => 1, _ => 2 } }",
            &["line", "title"],
        ),
        (
            "fn f() -> int { sub(1) catch { Gone(<|>: w, code: _) => 1 } }",
            &["what: "],
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(labels(&format!("{BEFORE}{text}")), wanted, "{text}");
    }
}

#[test]
fn a_record_of_a_module_is_completed_before_its_braces() {
    for text in [
        "fn f() -> json { let a = http.<|> { status: 1 } }",
        "test \"x\" { mock http.get(_, ..) -> http.<|> { status: 1 } }",
        "fn f() -> json { let a = http.<|>\n IoError(..) => 1\n } }",
    ] {
        offered(text, &["HttpResponse", "get"], &["let", "ask"]);
    }
    let text = "type Bug { title: string }\nfn f() -> Bug { Bu<|> { title: \"\" } }";
    assert_eq!(completed(text, "Bug"), text.replace("Bu<|>", "Bug"));
}

#[test]
fn in_a_string_that_nothing_closes_the_hole_is_code() {
    let members = ["title", "line"];
    for text in [
        "fn f(b: Bug) -> string { \"x ${b.<|>",
        "fn f(b: Bug) -> string { \"x ${b.title.slice(b.<|>",
        "fn f(bs: [Bug]) -> string { log.info(\"${bs[0].title} ${bs[1].<|>",
        "fn f(bs: [Bug]) -> string { bs.map(b => \"${b.<|>",
    ] {
        offered(text, &members, &["b", "let"]);
    }
}

#[test]
fn an_element_may_be_begun_before_its_comma() {
    let text = "fn f(b: Bug, c: Bug) -> json {\n  [\n    b.<|>\n    c.title,\n  ]\n}";
    offered(text, &["title", "line"], &["let"]);
}

#[test]
fn parts_of_patterns_have_the_types_of_what_they_take() {
    let cases: [(&str, &[&str], &[&str]); 7] = [
        (
            "fn f(l: Level, b: bool) -> int { match (l, b) { (<|>, true) => 1, _ => 2 } }",
            &["Low", "High"],
            &["true", "Ok"],
        ),
        (
            "fn f(l: Level, b: bool) -> int { match (l, b) { (Low, <|>) => 1, _ => 2 } }",
            &["true", "false"],
            &["Low"],
        ),
        (
            "fn f(l: [Level?]) -> int { match l { [<|>] => 1, _ => 2 } }",
            &["Low", "none"],
            &["true"],
        ),
        (
            "enum Tree { Leaf, Node(l: Level, r: Tree?) }\nfn f(t: Tree) -> int { match t { Node(<|>, _) => 1, _ => 2 } }",
            &["Low", "High"],
            &["Leaf", "none"],
        ),
        (
            "enum Tree { Leaf, Node(l: Level, r: Tree?) }\nfn f(t: Tree) -> int { match t { Node(r: <|>, ..) => 1, _ => 2 } }",
            &["Leaf", "none"],
            &["Low"],
        ),
        (
            "fn f() -> int { sub(1) catch { <|>(_) | IoError(_) => 1 } }",
            &["Gone"],
            &["Low"],
        ),
        (
            "fn f(n: int) -> int { match n { <|> => 1, _ => 2 } }",
            &["MOST"],
            &["Low"],
        ),
    ];
    for (text, wanted, unwanted) in cases {
        offered(text, wanted, unwanted);
    }
}

#[test]
fn an_arm_above_may_take_a_part_of_what_one_below_takes() {
    let head = "fn f(l: Level) -> int { match l { ";
    offered(
        &format!("{head}Low => 1, <|> => 2, High(_) => 3 }} }}"),
        &["High"],
        &["Low"],
    );
}

#[test]
fn what_an_absent_value_may_hold_is_reached_by_a_question_mark() {
    let head = "type P { name: string }\nfn P.shout(self) -> string { self.name }\n";
    let text = format!("{head}fn f(p: P?) -> json {{ p.<|> }}");
    offers(&text, &["name", "shout", "is_none", "map"], &[]);
    let after = text.replace("p.<|>", "p?.name");
    assert_eq!(completed(&text, "name"), after);
    let text = format!("{head}fn f(p: P?) -> json {{ p?.<|> }}");
    offers(&text, &["name", "shout"], &["is_none"]);
    let after = text.replace("p?.<|>", "p?.shout()");
    assert_eq!(completed(&text, "shout"), after);
}

#[test]
fn what_arrives_has_the_fields_of_the_whole() {
    let text = "prompt tell(a: string) -> Bug by helper { user \"a\" }\nfn f() { for part in tell.stream(\"a\") { log.info(part.<|>) } }";
    offered(text, &["title", "line"], &[]);
}

#[test]
fn words_follow_what_they_belong_to() {
    let cases: [(&str, &[&str]); 9] = [
        (
            "workflow w(xs: [int]) -> [int] { parallel <|> x in xs { x } }",
            &["for"],
        ),
        ("type T { a: float = 1.0 <|>\n}", &["where", "and"]),
        ("type P = int where it >= 0 <|>", &["and", "or"]),
        ("tool t(a: string) -> int idempotent <|>", &["by"]),
        (
            "workflow w() { undo retry 5 <|> { } }",
            &["timeout", "backoff"],
        ),
        (
            "workflow w() -> int { let a = timeout 5s <|> { 1 } }",
            &["retry"],
        ),
        (
            "fn f(x: int?) -> int { if <|> { 1 } else { 2 } }",
            &["let", "not"],
        ),
        ("workflow w() -> string { spawn <|> }", &["detached", "sub"]),
        ("fn f(xs: [int]) { for _ <|> }", &["in"]),
    ];
    for (text, wanted) in cases {
        offered(text, wanted, &[]);
    }
    offered("workflow w() -> int { <|> }", &["budget", "revise"], &[]);
    let text = "fn f(timeout: duration) -> float { timeout.seconds() <|> }";
    offered(text, &["and", "as"], &["retry"]);
    let text = "prompt p(a: [string]) -> string by helper { for x in a { <|> } }";
    offered(text, &["user", "assistant"], &[]);
    let text = "prompt p(a: [string]) -> string by helper { <|> }";
    offered(text, &["user", "if", "match", "for"], &[]);
}

#[test]
fn types_are_offered_in_heads_that_are_not_finished() {
    for text in [
        "enum Tree<T> { Leaf, Node(l: Tree<T>, v: <|>\nfn after() -> int { 1 }",
        "fn grown(m: {string: [<|>\nfn after() -> int { 1 }",
        "type Runner { run: <|>\nfn after() -> int { 1 }",
        "fn f() -> {string: <|>\nfn after() -> int { 1 }",
    ] {
        offered(text, &["int", "Bug", "fn"], &["let", "ask"]);
    }
}

#[test]
fn errors_come_first_after_fail_and_late_elsewhere() {
    let at = |text: &str, name: &str| {
        let all = labels(&format!("{BEFORE}{text}"));
        let found = all.iter().position(|it| it == name);
        found.unwrap_or_else(|| panic!("{name} in {all:?}"))
    };
    let text = "fn f() -> int { fail <|> }";
    assert!(at(text, "Gone") < at(text, "ask"));
    let text = "fn f() -> int { <|> }";
    assert!(at(text, "ask") < at(text, "Gone"));
    assert!(at(text, "Gone") < at(text, "AssertionFailed"));
    assert!(at(text, "sub") < at(text, "sleep"));
}
