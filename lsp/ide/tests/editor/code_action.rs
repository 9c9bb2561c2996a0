//! Code actions: the fixes of reports, and all of them at once.

use gsw_ide::ActionKind;
use gsw_source::Span;

use crate::fixture::{Fixture, fixture, same};

fn titles(it: &Fixture) -> Vec<String> {
    let actions = gsw_ide::code_action(&it.db, it.file, Span::new(it.offset, it.offset));
    actions.into_iter().map(|it| it.title).collect()
}

/// The program after the action of that title.
fn after(text: &str, title: &str) -> String {
    let it = fixture(text);
    let actions = gsw_ide::code_action(&it.db, it.file, Span::new(it.offset, it.offset));
    match actions.iter().find(|it| it.title == title) {
        Some(action) => it.edited(&action.edits),
        None => panic!("no `{title}` in {:#?}", titles(&it)),
    }
}

#[test]
fn every_fix_of_a_report_is_an_action_where_it_stands() {
    let text = "fn count() -> int { 1 }\nfn f() -> int { coutn<|>() }";
    let it = fixture(text);
    assert_eq!(
        titles(&it),
        ["write `count`", "apply every fix of this file"]
    );
    same(
        &after(text, "write `count`"),
        "fn count() -> int { 1 }\nfn f() -> int { count() }",
    );
    let elsewhere = fixture("fn count() -> int { <|>1 }\nfn f() -> int { coutn() }");
    assert_eq!(titles(&elsewhere), ["apply every fix of this file"]);
}

#[test]
fn all_fixes_are_applied_at_once_errors_first() {
    let text = "import std/fs\nfn count() -> int { 1 }\nfn f() -> int { coutn<|>() + conut() }";
    same(
        &after(text, "apply every fix of this file"),
        "import std/fs\nfn count() -> int { 1 }\nfn f() -> int { count() + count() }",
    );
    let it = fixture(text);
    let actions = gsw_ide::code_action(&it.db, it.file, Span::new(it.offset, it.offset));
    let last = actions.last().expect("there are some");
    assert_eq!(last.kind, ActionKind::FixAll);
}

#[test]
fn missing_arms_are_written() {
    same(
        &after(
            "enum E { Low, High }\nfn f(e: E) -> int {\n  match<|> e {\n    Low => 1\n  }\n}",
            "add the arm that is missing",
        ),
        "enum E { Low, High }\nfn f(e: E) -> int {\n  match e {\n    Low => 1\n    High => fail AssertionFailed(\"not handled\")\n  }\n}",
    );
}

/// What may change the meaning of a program is offered where it stands, and is not among all fixes.
#[test]
fn what_its_author_decides_is_offered_alone() {
    let text = "type User { user<|>Name: string }\nfn f() -> int { 1 }";
    let it = fixture(text);
    assert_eq!(titles(&it), ["rename it to `user_name`"]);
    let actions = gsw_ide::code_action(&it.db, it.file, Span::new(it.offset, it.offset));
    assert_eq!(actions[0].kind, ActionKind::Fix);
    same(
        &after(text, "rename it to `user_name`"),
        "type User { user_name: string }\nfn f() -> int { 1 }",
    );
}

#[test]
fn a_statement_is_wrapped_in_what_a_workflow_does_about_failures() {
    let text = |body: &str| {
        format!("import std/fs\nworkflow main() -> string {{\n  let text = {body}\n  text\n}}")
    };
    let at = text("fs.re<|>ad(\"a\")");
    same(
        &after(&at, "wrap in a step"),
        &text("step \"read\" { fs.read(\"a\") }"),
    );
    same(
        &after(&at, "wrap in a retry"),
        &text("retry 3 { fs.read(\"a\") }"),
    );
    same(
        &after(&at, "wrap in a timeout"),
        &text("timeout 30s { fs.read(\"a\") }"),
    );
    same(
        &after(&at, "handle the errors that it raises"),
        &text("fs.read(\"a\") catch {\n    IoError(..) => fail Failed(\"IoError\")\n  }"),
    );
    let harmless = fixture("fn f() -> int { let x = 1 <|>+ 1\n x }");
    assert_eq!(titles(&harmless), Vec::<String>::new());
}

/// The program after the action of that title on what stands between two markers `<|>`.
fn after_selection(text: &str, title: &str) -> String {
    let start = text.find("<|>").expect("a first marker");
    let end = text.rfind("<|>").expect("a second marker") - 3;
    let it = fixture(&text.replace("<|>", ""));
    let bytes = |at: usize| u32::try_from(at).expect("a small text");
    let range = Span::new(bytes(start), bytes(end));
    let actions = gsw_ide::code_action(&it.db, it.file, range);
    match actions.iter().find(|it| it.title == title) {
        Some(action) => it.edited(&action.edits),
        None => "refused".into(),
    }
}

#[test]
fn what_is_selected_becomes_a_function_or_a_variable() {
    let text = "fn f(xs: [int], n: int) -> int {\n  let m = n * 2\n  <|>xs.len() + m<|> + 1\n}";
    same(
        &after_selection(text, "extract into a function"),
        "fn f(xs: [int], n: int) -> int {\n  let m = n * 2\n  extracted(xs, m) + 1\n}\n\nfn extracted(xs: [int], m: int) -> int {\n  xs.len() + m\n}",
    );
    same(
        &after_selection(text, "extract into a variable"),
        "fn f(xs: [int], n: int) -> int {\n  let m = n * 2\n  let extracted = xs.len() + m\n  extracted + 1\n}",
    );
    let inner = "fn f(xs: [int]) -> [int] { xs.map(x => <|>x + 1<|>) }";
    assert_eq!(after_selection(inner, "extract into a variable"), "refused");
    same(
        &after_selection(inner, "extract into a function"),
        "fn f(xs: [int]) -> [int] { xs.map(x => extracted(x)) }\n\nfn extracted(x: int) -> int {\n  x + 1\n}",
    );
    let leaves = "fn f() -> int { let x = <|>do { return 1 }<|>\n 2 }";
    assert_eq!(
        after_selection(leaves, "extract into a function"),
        "refused"
    );
}

#[test]
fn imports_are_sorted_and_unused_ones_left_out() {
    let text = "import ./b.{one, two}\nimport std/math\nimport std/fs<|>\n\nworkflow main() -> int { two()\n fs.read(\"a\").len() }\n//- b.gsw\nfn one() -> int { 1 }\nfn two() -> int { 1 }";
    same(
        &after(text, "organize imports"),
        "import std/fs\nimport ./b.{two}\n\nworkflow main() -> int { two()\n fs.read(\"a\").len() }\n",
    );
    let sorted = fixture("import std/fs<|>\nfn f() -> string { fs.read(\"a\") }");
    assert_eq!(titles(&sorted), Vec::<String>::new());
}

#[test]
fn a_test_of_a_prompt_compiles_and_needs_no_model() {
    let text = "enum Level { Low, High(why: string) }\ntype Bug { title: string, level: Level, line: int?, tags: [string] }\nprompt find<|>(path: string, limit: int = 3) -> [Bug] { user \"${path}\" }";
    let written = after(text, "write a test for `find`, its model mocked");
    let wanted = "test \"find\" {\n  mock find(_, _) -> [Bug { title: \"text\", level: Level.Low, tags: [\"text\"] }]\n  assert find(path: \"text\") == [Bug { title: \"text\", level: Level.Low, tags: [\"text\"] }]\n}";
    assert!(written.ends_with(wanted), "{written}");
    let it = fixture(&written);
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    assert!(reports.is_empty(), "{reports:#?}");
}

#[test]
fn a_variable_is_put_where_it_is_used() {
    let title = "inline the variable";
    same(
        &after(
            "fn f(n: int) -> int {\n  let <|>m = n + 1\n  m * m\n}",
            title,
        ),
        "fn f(n: int) -> int {\n  (n + 1) * (n + 1)\n}",
    );
    same(
        &after(
            "fn f(xs: [int]) -> string { let n = xs.len(); \"${n<|>} of ${n}\" }",
            title,
        ),
        "fn f(xs: [int]) -> string { \"${xs.len()} of ${xs.len()}\" }",
    );
    // What acts is not done twice or at another time, and what changes or means something else there is not moved.
    let refused = [
        "import std/fs\nfn f() -> string { let <|>text = fs.read(\"a\")\n text }",
        "fn f() -> int { var n = 1\n let <|>m = n\n n = 2\n m + n }",
        "fn f(n: int) -> [int] { let <|>m = n\n [1].map(n => n + m) }",
        "type A { m: int }\nfn f() -> A { let <|>m = 1\n A { m } }",
        "fn f() -> int { var <|>n = 1\n n }",
        "fn f() -> int { let <|>n = 1\n 2 }",
    ];
    for text in refused {
        let titles = titles(&fixture(text));
        assert!(!titles.iter().any(|it| it == title), "{text}: {titles:?}");
    }
}

#[test]
fn statements_that_are_selected_become_a_step() {
    let title = "extract into a step";
    let text =
        "workflow main() -> int {\n  let a = 1\n  <|>let b = a + 1\n  log.info(\"b\")\n  b<|>\n}";
    let written = after_selection(text, title);
    same(
        &written,
        "workflow main() -> int {\n  let a = 1\n  step \"extracted\" {\n    let b = a + 1\n    log.info(\"b\")\n    b\n  }\n}",
    );
    let it = fixture(&written);
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    assert!(reports.is_empty(), "{reports:#?}");
    for text in [
        "workflow main() -> int {\n  <|>let b = 1<|>\n  b\n}",
        "workflow main() -> int {\n  let a = <|>1<|>\n  a\n}",
        "workflow main() -> int {\n  <|>return 1<|>\n}",
        "fn f() -> int {\n  <|>1<|>\n}",
    ] {
        assert_eq!(after_selection(text, title), "refused", "{text}");
    }
}

#[test]
fn a_text_that_is_selected_becomes_a_prompt() {
    let title = "extract into a prompt";
    let text = "workflow main(topic: string) -> string {\n  <|>\"About ${topic}.\"<|>\n}";
    let written = after_selection(text, title);
    same(
        &written,
        "workflow main(topic: string) -> string {\n  extracted(topic)\n}\n\nprompt extracted(topic: string) -> string {\n  user \"About ${topic}.\"\n}",
    );
    let it = fixture(&written);
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    assert!(reports.is_empty(), "{reports:#?}");
    let number = "workflow main() -> int {\n  <|>1 + 1<|>\n}";
    assert_eq!(after_selection(number, title), "refused");
}
