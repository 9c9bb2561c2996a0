//! Code actions: the fixes of reports, and all of them at once.

use gsw_ide::{ActionKind, CodeAction};
use gsw_source::{Severity, Span};

use crate::fixture::{Fixture, fixture, same};

fn actions(it: &mut Fixture) -> Vec<CodeAction> {
    gsw_ide::code_action(&mut it.db, it.file, Span::new(it.offset, it.offset), |_| {
        true
    })
}

fn titles(it: &mut Fixture) -> Vec<String> {
    actions(it).into_iter().map(|it| it.title).collect()
}

/// The program after the action of that title.
fn after(text: &str, title: &str) -> String {
    let mut it = fixture(text);
    let actions = actions(&mut it);
    match actions.iter().find(|it| it.title == title) {
        Some(action) => applied(&mut it, action),
        None => panic!("no `{title}` in {:#?}", titles(&mut it)),
    }
}

/// The files that an action changes, after it. One that was formatted is formatted then.
#[track_caller]
fn applied(it: &mut Fixture, action: &CodeAction) -> String {
    let was_formatted = gsw_ide::formatting(&it.db, it.file).is_empty();
    let after = it.edited(&action.edits);
    if was_formatted && !after.starts_with("//- ") {
        it.put(&after);
        let edits = gsw_ide::formatting(&it.db, it.file);
        assert!(edits.is_empty(), "{}: {after}\n{edits:#?}", action.title);
    }
    after
}

#[test]
fn every_fix_of_a_report_is_an_action_where_it_stands() {
    let text = "fn count() -> int { 1 }\nfn f() -> int { coutn<|>() }";
    let mut it = fixture(text);
    assert_eq!(
        titles(&mut it),
        ["write `count`", "apply every fix of this file"]
    );
    same(
        &after(text, "write `count`"),
        "fn count() -> int { 1 }\nfn f() -> int { count() }",
    );
    let mut elsewhere = fixture("fn count() -> int { <|>1 }\nfn f() -> int { coutn() }");
    assert_eq!(titles(&mut elsewhere), ["apply every fix of this file"]);
}

#[test]
fn all_fixes_are_applied_at_once_errors_first() {
    let text = "import std/fs\nfn count() -> int { 1 }\nfn f() -> int { coutn<|>() + conut() }";
    same(
        &after(text, "apply every fix of this file"),
        "import std/fs\nfn count() -> int { 1 }\nfn f() -> int { count() + count() }",
    );
    let mut it = fixture(text);
    let actions = actions(&mut it);
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

/// What may change the meaning of a program is offered where it is, and is not among all fixes.
#[test]
fn what_its_author_decides_is_offered_alone() {
    let text = "type User { user<|>Name: string }\nfn f() -> int { 1 }";
    let mut it = fixture(text);
    assert_eq!(titles(&mut it), ["rename it to `user_name`"]);
    let actions = actions(&mut it);
    assert_eq!(actions[0].kind, ActionKind::Fix);
    same(
        &after(text, "rename it to `user_name`"),
        "type User { user_name: string }\nfn f() -> int { 1 }",
    );
}

/// A fix that renames leaves no use behind, in whatever file, and is not there where the rename would be refused.
#[test]
fn a_fix_that_renames_follows_every_use() {
    let cases = [
        (
            "fn g(a<|>B: int) -> int { aB + aB }\nfn f() -> int { g(aB: 1) }",
            "rename it to `a_b`",
            "fn g(a_b: int) -> int { a_b + a_b }\nfn f() -> int { g(a_b: 1) }",
        ),
        (
            "fn g(a<|>: int) -> int { 1 }\nfn f() -> int { g(a: 1) }",
            "rename it to `_a`",
            "fn g(_a: int) -> int { 1 }\nfn f() -> int { g(_a: 1) }",
        ),
        (
            "fn Ar<|>ea(n: int) -> int { n }\nfn f() -> int { Area(1) }",
            "rename it to `area`",
            "fn area(n: int) -> int { n }\nfn f() -> int { area(1) }",
        ),
        (
            "import ./lib.{User}\nfn f(u: User) -> string { u.userName }\n//- lib.gsw\ntype User { user<|>Name: string }",
            "rename it to `user_name`",
            "//- lib.gsw\ntype User { user_name: string }//- main.gsw\nimport ./lib.{User}\nfn f(u: User) -> string { u.user_name }\n",
        ),
    ];
    for (text, title, wanted) in cases {
        same(&after(text, title), wanted);
    }
    let taken = "fn g(a<|>B: int) -> int { let a_b = 1\n aB + a_b }\nfn f() -> int { g(aB: 1) }";
    assert_eq!(titles(&mut fixture(taken)), Vec::<String>::new());
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
    let mut harmless = fixture("fn f() -> int { let x = 1 <|>+ 1\n x }");
    assert_eq!(titles(&mut harmless), Vec::<String>::new());
}

/// Two errors of one name are two, and what several calls raise is one.
#[test]
fn an_error_is_handled_once() {
    let text = "import ./a\nimport ./b\n\nfn f() -> int {\n  let <|>n = a.one() + b.one() + a.two()\n  n\n}\n//- a.gsw\nerror Gone\nfn one() -> int ! Gone { fail Gone }\nfn two() -> int ! Gone { fail Gone }\n//- b.gsw\nerror Gone\nfn one() -> int ! Gone { fail Gone }";
    let found = after(text, "handle the errors that it raises");
    for arm in ["a.Gone =>", "b.Gone =>"] {
        assert_eq!(found.matches(arm).count(), 1, "{found}");
    }
}

/// The program after the action of that title on the text between two markers `<|>`.
fn after_selection(text: &str, title: &str) -> String {
    after_selection_in(&mut fixture(""), text, title)
}

/// A program that does not compile would be refused for another reason than the one that it is there for.
#[track_caller]
fn compiles(it: &Fixture) {
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    let is_error = |it: &&gsw_source::Diagnostic| it.severity == Severity::Error;
    let errors: Vec<_> = reports.iter().filter(is_error).collect();
    assert!(errors.is_empty(), "{}: {errors:#?}", it.file.text(&it.db));
}

fn after_selection_in(it: &mut Fixture, text: &str, title: &str) -> String {
    let start = text.find("<|>").expect("a first marker");
    let end = text.rfind("<|>").expect("a second marker") - 3;
    it.put(&text.replace("<|>", ""));
    compiles(it);
    let bytes = |at: usize| u32::try_from(at).expect("a small text");
    let range = Span::new(bytes(start), bytes(end));
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
    match actions.iter().find(|it| it.title == title) {
        Some(action) => applied(it, action),
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

/// What is evaluated before its statement must not leave what guards it, nor what is evaluated before it.
#[test]
fn a_variable_is_extracted_where_its_time_is_no_matter() {
    let mut it = fixture("");
    let title = "extract into a variable";
    let refused = [
        // A `catch`, around a part and around the whole.
        "fn f(xs: [int]) -> string { let a = \"${<|>xs[5]<|>}\" catch { OutOfRange => \"none\" }\n a }",
        "fn f(xs: [int]) -> string { let a = <|>\"${xs[5]}\"<|> catch { OutOfRange => \"none\" }\n a }",
        // A guard, an arm, a branch, the right side of what is lazy.
        "fn f(a: int) -> string { match a { 0 => \"zero\", _ if <|>10 / a<|> > 2 => \"x\", _ => \"y\" } }",
        "fn f(a: int) -> int { match a { 0 => 0, _ => <|>10 / a<|> } }",
        "fn f(a: int) -> bool { a != 0 and <|>10 / a<|> > 1 }",
        "fn f(a: int) -> bool { a == 0 or <|>10 / a<|> > 1 }",
        "fn f(a: int?, xs: [int]) -> int { a ?? <|>xs[0]<|> }",
        // A loop's condition, and a closure.
        "fn f() -> int { var n = 0\n while <|>n + 1<|> < 3 { n += 1 }\n n }",
        "fn f(a: int) -> [int] { [1].map(x => x + <|>10 / a<|>) }",
        // What is evaluated before it acts on it.
        "fn f() -> int { var n = 1\n do { n += 1; n } + <|>(n * 2)<|> }",
        "fn f() -> int { var n = 1\n let bump = () => { n += 1; n }\n bump() + <|>n<|> }",
        "fn f(q: Queue<int>) -> [int?] { [q.pop(), <|>q.pop()<|>] }",
        "fn f(a: int) -> int { a / 0 + <|>(a % 0)<|> }",
        "test \"t\" { let s = \"a\"\n assert <|>[s][5]<|> fails OutOfRange }",
    ];
    for text in refused {
        assert_eq!(
            after_selection_in(&mut it, text, title),
            "refused",
            "{text}"
        );
    }
    let offered = [
        (
            "fn f(a: int) -> int { (<|>10 / a<|>) + 1 }",
            "fn f(a: int) -> int { let extracted = 10 / a\n(extracted) + 1 }",
        ),
        (
            "fn f(a: int) -> int { <|>(10 / a)<|> + 1 }",
            "fn f(a: int) -> int { let extracted = (10 / a)\nextracted + 1 }",
        ),
        // What is steady may be evaluated at any time.
        (
            "fn f(a: int, s: string) -> int { match a { 0 => 0, _ => <|>s.len()<|> } }",
            "fn f(a: int, s: string) -> int { let extracted = s.len()\nmatch a { 0 => 0, _ => extracted } }",
        ),
        (
            "fn f(q: Queue<int>) -> [int?] { [<|>q.pop()<|>, q.pop()] }",
            "fn f(q: Queue<int>) -> [int?] { let extracted = q.pop()\n[extracted, q.pop()] }",
        ),
        (
            "fn f(a: int) -> int { if <|>10 / a<|> > 1 { 1 } else { 2 } }",
            "fn f(a: int) -> int { let extracted = 10 / a\nif extracted > 1 { 1 } else { 2 } }",
        ),
        // The name is one that the file does not have.
        (
            "fn f(extracted: int) -> int { <|>1 + extracted<|> }",
            "fn f(extracted: int) -> int { let extracted2 = 1 + extracted\nextracted2 }",
        ),
    ];
    for (text, wanted) in offered {
        same(&after_selection_in(&mut it, text, title), wanted);
    }
}

#[test]
fn a_function_is_extracted_where_it_sees_what_its_text_saw() {
    let mut it = fixture("");
    let title = "extract into a function";
    let refused = [
        // A `var` that a closure shares.
        "fn f() -> int { var n = 1\n let f = <|>() => n + 1<|>\n n = 50\n f() }",
        "fn f() -> int { var n = 1\n let bump = () => { n += 1; n }\n <|>bump() + n<|> }",
        // A task belongs to the node in which it is begun.
        "import std/fs\nworkflow main() -> string { let t = <|>spawn fs.read(\"a\")<|>\n await t }",
        "fn f() -> int { <|>do { defer { log.info(\"x\") }; 1 }<|> + 1 }",
        "type A { n: int where <|>it + 1<|> > 2 }",
    ];
    for text in refused {
        assert_eq!(
            after_selection_in(&mut it, text, title),
            "refused",
            "{text}"
        );
    }
    same(
        &after_selection_in(
            &mut it,
            "fn f() -> int { var n = 1\n n += 1\n <|>n + 1<|> }",
            title,
        ),
        "fn f() -> int { var n = 1\n n += 1\n extracted(n) }\n\nfn extracted(n: int) -> int {\n  n + 1\n}",
    );
}

#[test]
fn what_is_offered_compiles() {
    let mut it = fixture("");
    // What has no value of its own, and what has its type from its context.
    let texts = [
        "fn f() -> int { var n = 1\n <|>n<|> += 1\n n }",
        "fn f() -> [int] { var xs = [1]\n <|>xs[0]<|> = 1\n xs }",
        "fn f() -> json { { <|>\"n\"<|>: 1 } }",
        "enum Severity { Low, High }\nfn f() -> int { <|>Severity<|>.values().len() }",
        "fn f() -> json { <|>json<|>.parse(\"1\") }",
        "fn f(s: string) -> int { <|>s.len<|>() }",
        "enum Box { Full(n: int) }\nfn f() -> Box { <|>Box.Full<|>(2) }",
        "fn f(a: int?) -> int { if <|>let b = a<|> { b } else { 0 } }",
        "workflow main() -> int { let t = spawn <|>{ 1 }<|>\n await t }",
    ];
    for text in texts {
        let titles = [
            "extract into a variable",
            "extract into a function",
            "extract into a step",
        ];
        for title in titles {
            assert_eq!(
                after_selection_in(&mut it, text, title),
                "refused",
                "{title}: {text}"
            );
        }
    }
    let mut tasks = fixture(
        "import std/fs\nworkflow main() -> string { let t = sp<|>awn fs.read(\"a\")\n await t }",
    );
    let titles = titles(&mut tasks);
    assert!(
        !titles.iter().any(|it| it.starts_with("wrap in")),
        "{titles:?}"
    );
}

#[test]
fn imports_are_sorted_and_unused_ones_left_out() {
    let text = "import ./b.{one, two}\nimport std/math\nimport std/fs<|>\n\nworkflow main() -> int { two()\n fs.read(\"a\").len() }\n//- b.gsw\nfn one() -> int { 1 }\nfn two() -> int { 1 }";
    same(
        &after(text, "organize imports"),
        "import std/fs\nimport ./b.{two}\n\nworkflow main() -> int { two()\n fs.read(\"a\").len() }\n",
    );
    let mut sorted = fixture("import std/fs<|>\nfn f() -> string { fs.read(\"a\") }");
    assert_eq!(titles(&mut sorted), Vec::<String>::new());
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
    let again = written.replacen("find(path", "fin<|>d(path", 1);
    let written = after(&again, "write a test for `find`, its model mocked");
    assert_eq!(written.matches("test \"find\" {").count(), 1, "{written}");
    assert!(written.contains("test \"find 2\" {"), "{written}");
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
        // A queue of its own at each use; what takes from one twice; what asks the run.
        "workflow main() -> int { let <|>q = queue(limit: 4)\n q.push(1)\n q.pop() ?? 0 }",
        "workflow main(q: int) -> [int] { let q = queue(limit: 4)\n let <|>c = q.pop() ?? 0\n [c, c] }",
        "agent a { model: \"sim/x\" }\nfn f() -> int { let <|>s = session(a)\n s.messages().len() + s.messages().len() }",
        "fn f() -> string { let <|>n = context.node()\n n.path }",
        "const Q: Queue<int> = queue(limit: 4)\nfn size() -> int { Q.pop() ?? 0 }\nfn f() -> int { let <|>n = size()\n n + n }",
        "fn loud() -> int { log.info(\"x\"); 1 }\nfn f() -> int { let <|>n = loud()\n n + n }",
        // Functions that come from elsewhere, or read what is assigned.
        "fn f() -> int { var n = 1\n let next = () => n\n let <|>before = next()\n n = 2\n before }",
        "fn f() -> int { var n = 1\n let fs2 = [() => n]\n let <|>before = fs2[0]()\n n = 2\n before }",
        "fn twice(g: fn() -> int) -> int { g() + g() }\nfn f() -> int { var n = 1\n let g = () => n\n let <|>before = twice(g)\n n = 2\n before }",
        "fn f(g: fn(int) -> int) -> [int] { let <|>xs = [1].map(g)\n xs + xs }",
        // An error that is raised later, or not at all.
        "fn f(xs: [int]) -> int { let <|>x = xs[5]\n log.info(\"before\")\n x }",
        "fn f(xs: [int], b: bool) -> int { let <|>x = xs[5]\n if b { x } else { 0 } }",
        "fn f(xs: [int]) -> int { let <|>x = xs[5]\n x catch { OutOfRange => 0 } }",
        "fn f(a: int) -> [int] { let <|>x = 10 / a\n [log.info(\"a\")].map(_ => x) }",
        // A name that means something else there.
        "const M: int = 1\nfn size() -> int { 2 }\nfn f() -> [int] { let <|>m = size()\n [1].map(size => size + m) }",
    ];
    let mut it = fixture("");
    for text in refused {
        it.put(text);
        compiles(&it);
        let titles = titles(&mut it);
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
