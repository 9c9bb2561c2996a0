//! What is wrapped, extracted and inlined: all of what is selected, or nothing.

use gsw_source::{Severity, Span};

use crate::fixture::{Fixture, fixture, same};

/// The program after the action of that title on the text between two markers `<|>`, or at one; `refused` without such an action.
#[track_caller]
fn after(it: &mut Fixture, text: &str, title: &str) -> String {
    let start = text.find("<|>").expect("a marker");
    let rest = text.replacen("<|>", "", 1);
    let end = rest.find("<|>").unwrap_or(start);
    it.put(&rest);
    let errors: Vec<_> = gsw_ide::diagnostics(&it.db, it.file)
        .into_iter()
        .filter(|it| it.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{rest}: {errors:#?}");
    let bytes = |at: usize| u32::try_from(at).expect("a small text");
    let range = Span::new(bytes(start), bytes(end));
    let actions = gsw_ide::code_action(&mut it.db, it.file, range, |_| true);
    match actions.iter().find(|it| it.title == title) {
        Some(action) => it.edited(&action.edits),
        None => "refused".into(),
    }
}

/// The text with what precedes it in all cases.
fn program(body: &str) -> String {
    format!(
        "agent a {{\n  model: \"sim/x\"\n}}\n\nprompt ask(q: string) -> string by a {{\n  user \"${{q}}\"\n}}\n\n{body}\n"
    )
}

#[track_caller]
fn check(cases: &[(&str, &str, &str)]) {
    let mut it = fixture("");
    for (title, text, wanted) in cases {
        let found = after(&mut it, &program(text), title);
        match *wanted {
            "refused" => assert_eq!(found, "refused", "{title}: {text}"),
            wanted => same(&found, &program(wanted)),
        }
    }
}

#[test]
fn a_lambda_is_guarded_inside() {
    check(&[
        (
            "wrap in a retry",
            "fn f() -> string {\n  let g = () => a<|>sk(\"a\")\n  g()\n}",
            "fn f() -> string {\n  let g = () => retry 3 { ask(\"a\") }\n  g()\n}",
        ),
        (
            "wrap in a timeout",
            "fn f() -> string {\n  let <|>g = () => ask(\"a\")\n  g()\n}",
            "refused",
        ),
        (
            "wrap in a retry",
            "fn f() -> [string] {\n  let<|> g = [\"a\"].map(q => ask(q))\n  g\n}",
            "fn f() -> [string] {\n  let g = retry 3 { [\"a\"].map(q => ask(q)) }\n  g\n}",
        ),
    ]);
}

#[test]
fn several_statements_are_wrapped_together() {
    let body = |inside: &str| {
        format!(
            "workflow main() -> int {{\n  var n = 0\n  for i in 1..=3 {{\n{inside}\n  }}\n  n\n}}"
        )
    };
    let text = body(
        "    <|>let r = ask(\"${i}\")\n    if r == \"\" { break }\n    log.info(r)<|>\n    n += 1",
    );
    let wrapped = |head: &str| {
        body(&format!(
            "    {head} {{\n      let r = ask(\"${{i}}\")\n      if r == \"\" {{ break }}\n      log.info(r)\n    }}\n    n += 1"
        ))
    };
    let lines = body("<|>    let r = ask(\"${i}\")\n    log.info(r)\n<|>    n += 1");
    let of_lines =
        body("    retry 3 {\n      let r = ask(\"${i}\")\n      log.info(r)\n    }\n    n += 1");
    // What is named afterwards, and parts of statements.
    let known = body("    <|>let r = ask(\"${i}\")\n    log.info(r)<|>\n    log.info(r)");
    let parts = body("    let r = a<|>sk(\"${i}\")\n    log.info<|>(r)\n    n += 1");
    check(&[
        ("wrap in a step", &text, &wrapped("step \"ask\"")),
        ("wrap in a retry", &text, &wrapped("retry 3")),
        ("wrap in a timeout", &text, &wrapped("timeout 30s")),
        ("extract into a step", &text, &wrapped("step \"extracted\"")),
        ("wrap in a retry", &lines, &of_lines),
        ("wrap in a retry", &known, "refused"),
        ("wrap in a retry", &parts, "refused"),
    ]);
}

#[test]
fn what_has_no_value_is_no_variable() {
    check(&[
        (
            "extract into a variable",
            "fn f() -> int {\n  <|>for x in [1] {\n    log.info(\"${x}\")\n  }<|>\n  1\n}",
            "refused",
        ),
        (
            "extract into a variable",
            "fn f() -> int {\n  <|>return 3<|>\n}",
            "refused",
        ),
        (
            "extract into a variable",
            "fn f(n: int) -> int { <|>n<|> + 1 }",
            "refused",
        ),
        (
            "extract into a function",
            "fn f(n: int) -> int { <|>(n)<|> + 1 }",
            "refused",
        ),
    ]);
}

#[test]
fn parentheses_stand_where_they_must() {
    let title = "inline the variable";
    check(&[
        (
            title,
            "fn f() -> [int] {\n  let <|>p = \"7\".parse_int() ?? 0\n  [p, 1]\n}",
            "fn f() -> [int] {\n  [\"7\".parse_int() ?? 0, 1]\n}",
        ),
        (
            title,
            "fn f(n: int) -> string {\n  let <|>p = n + 1\n  \"${p} of ${p * 2}\"\n}",
            "fn f(n: int) -> string {\n  \"${n + 1} of ${(n + 1) * 2}\"\n}",
        ),
        (
            title,
            "fn f() -> string {\n  let <|>name = \"a\"\n  \"${name}: \" + name\n}",
            "fn f() -> string {\n  \"a: \" + \"a\"\n}",
        ),
        (
            title,
            "fn f() -> int {\n  let <|>m = { \"a\": 1 }\n  [m].len()\n}",
            "fn f() -> int {\n  [{ \"a\": 1 }].len()\n}",
        ),
        (
            title,
            "fn f(n: int) -> int {\n  let <|>m = n + 1\n  let k = m\n  k\n}",
            "fn f(n: int) -> int {\n  let k = n + 1\n  k\n}",
        ),
    ]);
}

#[test]
fn statements_become_a_function_that_gives_what_follows_needs() {
    let title = "extract into a function";
    check(&[
        (
            title,
            "fn f(name: string) -> string {\n  <|>let x = name.upper()\n  let y = x + \"b\"<|>\n  x + y\n}",
            "fn f(name: string) -> string {\n  let (x, y) = extracted(name)\n  x + y\n}\n\nfn extracted(name: string) -> (string, string) {\n  let x = name.upper()\n  let y = x + \"b\"\n  (x, y)\n}",
        ),
        (
            title,
            "fn f(xs: [int]) -> int {\n  <|>var n = 0\n  for x in xs {\n    if x < 0 { continue }\n    n += x\n  }<|>\n  n += 1\n  n\n}",
            "fn f(xs: [int]) -> int {\n  var n = extracted(xs)\n  n += 1\n  n\n}\n\nfn extracted(xs: [int]) -> int {\n  var n = 0\n  for x in xs {\n    if x < 0 { continue }\n    n += x\n  }\n  n\n}",
        ),
        (
            title,
            "fn f(n: int) -> int {\n  if n > 1 {\n    <|>let m = n * 2\n    log.info(\"${m}\")\n    m + 1<|>\n  } else {\n    0\n  }\n}",
            "fn f(n: int) -> int {\n  if n > 1 {\n    extracted(n)\n  } else {\n    0\n  }\n}\n\nfn extracted(n: int) -> int {\n  let m = n * 2\n  log.info(\"${m}\")\n  m + 1\n}",
        ),
        (
            title,
            "fn f(n: int) -> int {\n  <|>log.info(\"a\")\n  log.info(\"${n}\")<|>\n  n\n}",
            "fn f(n: int) -> int {\n  extracted(n)\n  n\n}\n\nfn extracted(n: int) {\n  log.info(\"a\")\n  log.info(\"${n}\")\n}",
        ),
        // What leaves, what assigns a variable outside, and variables that are not declared alike.
        (
            title,
            "fn f(n: int) -> int {\n  <|>if n > 1 { return 2 }\n  log.info(\"a\")<|>\n  n\n}",
            "refused",
        ),
        (
            title,
            "fn f(xs: [int]) -> int {\n  for x in xs {\n    <|>if x > 1 { break }\n    log.info(\"a\")<|>\n  }\n  1\n}",
            "refused",
        ),
        (
            title,
            "fn f() -> int {\n  var n = 0\n  <|>n += 1\n  log.info(\"a\")<|>\n  n\n}",
            "refused",
        ),
        (
            title,
            "fn f() -> int {\n  <|>var n = 0\n  let m = 1<|>\n  n += m\n  n\n}",
            "refused",
        ),
        (
            title,
            "workflow main() -> string {\n  <|>let t = spawn ask(\"a\")\n  log.info(\"a\")<|>\n  await t\n}",
            "refused",
        ),
    ]);
}

/// A function that is named and not called raises nothing.
#[test]
fn only_errors_that_can_be_raised_are_handled() {
    let title = "handle the errors that it raises";
    let declared =
        "error Bad\n\nfn risky(n: int) -> int ! Bad {\n  if n > 1 { fail Bad }\n  n\n}\n\n";
    let cases = [
        (
            "fn f(xs: [int]) -> int {\n  let <|>n = xs[0] + risky(1)\n  n\n}",
            "fn f(xs: [int]) -> int {\n  let n = xs[0] + risky(1) catch {\n    Bad => fail Failed(\"Bad\")\n  }\n  n\n}",
        ),
        (
            "fn f() -> int {\n  let <|>g = risky\n  g(1) catch { Bad => 0 }\n}",
            "refused",
        ),
        // Beside those that are handled.
        (
            "error Worse\n\nfn f(n: int) -> int {\n  let <|>m = more(n) catch Bad => 0\n  m\n}\n\nfn more(n: int) -> int ! Bad | Worse {\n  if n > 1 { fail Worse }\n  risky(n)\n}",
            "error Worse\n\nfn f(n: int) -> int {\n  let m = more(n) catch { Bad => 0, Worse => fail Failed(\"Worse\") }\n  m\n}\n\nfn more(n: int) -> int ! Bad | Worse {\n  if n > 1 { fail Worse }\n  risky(n)\n}",
        ),
        (
            "fn f() -> int {\n  let <|>m = risky(1) catch { Bad => 0 }\n  m\n}",
            "refused",
        ),
        (
            "fn f() -> int {\n  let <|>m = risky(1) catch { _ => 0 }\n  m\n}",
            "refused",
        ),
        (
            "fn f() -> int {\n  let <|>m = risky(1) + (risky(2) catch { Bad => 0 })\n  m\n}",
            "fn f() -> int {\n  let m = risky(1) + (risky(2) catch { Bad => 0 }) catch {\n    Bad => fail Failed(\"Bad\")\n  }\n  m\n}",
        ),
    ];
    for (text, wanted) in cases {
        let text = format!("{declared}{text}");
        match wanted {
            "refused" => check(&[(title, &text, wanted)]),
            wanted => check(&[(title, &text, &format!("{declared}{wanted}"))]),
        }
    }
}

#[test]
fn a_variable_that_a_function_gives_keeps_its_type_and_is_assigned_where_it_was() {
    check(&[
        (
            "extract into a function",
            "type Sorted = [int] where it.len() < 2 or it[0] <= it[1]\n\nfn f() -> [int] {\n  <|>var xs: Sorted = [1, 2]<|>\n  xs[0] = 2\n  xs\n}",
            "type Sorted = [int] where it.len() < 2 or it[0] <= it[1]\n\nfn f() -> [int] {\n  var xs: Sorted = extracted()\n  xs[0] = 2\n  xs\n}\n\nfn extracted() -> Sorted {\n  let xs: Sorted = [1, 2]\n  xs\n}",
        ),
        (
            "extract into a function",
            "fn f(xs: [int]) -> int {\n  <|>var n = 0\n  for x in xs { n += x }<|>\n  n\n}",
            "fn f(xs: [int]) -> int {\n  let n = extracted(xs)\n  n\n}\n\nfn extracted(xs: [int]) -> int {\n  var n = 0\n  for x in xs { n += x }\n  n\n}",
        ),
        (
            "extract into a function",
            "fn f() -> (int, int) {\n  <|>var a = 0\n  var b = 1\n  (a, b) = (b, a)<|>\n  a += 1\n  b += 1\n  (a, b)\n}",
            "fn f() -> (int, int) {\n  var (a, b) = extracted()\n  a += 1\n  b += 1\n  (a, b)\n}\n\nfn extracted() -> (int, int) {\n  var a = 0\n  var b = 1\n  (a, b) = (b, a)\n  (a, b)\n}",
        ),
        // The closure would change a variable that nobody reads.
        (
            "extract into a function",
            "fn f() -> int {\n  <|>var n = 0\n  let bump = () => { n += 1 }<|>\n  bump()\n  n\n}",
            "refused",
        ),
    ]);
}

#[test]
fn what_nothing_takes_becomes_no_variable_and_nothing_no_prompt() {
    check(&[
        (
            "extract into a variable",
            "fn f() -> int {\n  <|>ask(\"a\")<|>\n  1\n}",
            "refused",
        ),
        (
            "extract into a variable",
            "fn f() {\n  for x in [1] { <|>ask(\"${x}\")<|> }\n}",
            "refused",
        ),
        (
            "extract into a variable",
            "fn f() {\n  <|>ask(\"a\")<|>\n}",
            "refused",
        ),
        (
            "extract into a prompt",
            "fn f() -> string { <|>\"\"<|> }",
            "refused",
        ),
    ]);
}

#[test]
fn lines_of_texts_stay_as_they_are() {
    let texts = |inner: &str| {
        format!(
            "{inner}log.info(r#\"a\n  b\n\"#)\n{inner}log.info(\"\"\"\n  c\n    ${{ask(\n    \"d\")}}\n  \"\"\")\n{inner}log.info(\n{inner}  \"e\")"
        )
    };
    let around = |body: &str| format!("workflow main() -> int {{\n{body}\n  1\n}}");
    let text = around(&format!("  <|>{}<|>", texts("  ").trim_start()));
    let wrapped = |head: &str| around(&format!("  {head} {{\n{}\n  }}", texts("    ")));
    let extracted = around("  extracted()") + "\n\nfn extracted() {\n" + &texts("  ") + "\n}";
    check(&[
        ("wrap in a retry", &text, &wrapped("retry 3")),
        ("wrap in a timeout", &text, &wrapped("timeout 30s")),
        ("extract into a step", &text, &wrapped("step \"extracted\"")),
        ("extract into a function", &text, &extracted),
    ]);
    let deep = "fn f() {\n  if true {\n    <|>ask(r#\"a\n    b\"#)\n    ask(\"c\")<|>\n  }\n}";
    let out = "fn f() {\n  if true {\n    extracted()\n  }\n}\n\nfn extracted() -> string {\n  ask(r#\"a\n    b\"#)\n  ask(\"c\")\n}";
    check(&[("extract into a function", deep, out)]);
}

#[test]
fn a_range_that_is_asked_itself_is_made_no_list() {
    let cases = [
        "fn f() -> int {\n  for i in <|>0..100_000_000_000<|> {\n    if i > 3 { return i }\n  }\n  0\n}",
        "fn f() -> int? { (<|>0..100_000_000_000<|>).find(it => it > 3) }",
        "fn f() -> int? { <|>(0..100_000_000_000)<|>.find(it => it > 3) }",
        "fn f(n: int) -> bool { n in <|>0..=100_000_000_000<|> }",
    ];
    for text in cases {
        check(&[
            ("extract into a variable", text, "refused"),
            ("extract into a function", text, "refused"),
        ]);
    }
    check(&[(
        "extract into a function",
        "fn f() -> int? { <|>(0..9).find(it => it > 3)<|> }",
        "fn f() -> int? { extracted() }\n\nfn extracted() -> int? {\n  (0..9).find(it => it > 3)\n}",
    )]);
}

/// What is shown of a declaration, to a model or in help, is made of what is written in it.
#[test]
fn what_is_read_as_it_is_written_stays_there() {
    let cases = [
        "type P { a: int where it > <|>1 + 2<|> }",
        "type P { a: int = <|>1 + 2<|> }",
        "type P = int where it > <|>1 + 2<|>",
        "enum E { A(n: int = <|>1 + 2<|>) }",
        "const N: int = <|>1 + 2<|>",
        "workflow f(n: int = <|>1 + 2<|>) -> int { n }",
    ];
    for text in cases {
        check(&[("extract into a function", text, "refused")]);
    }
}

#[test]
fn texts_that_meet_begin_no_hole() {
    let title = "inline the variable";
    check(&[
        (
            title,
            "fn f(k: int) -> string {\n  let <|>a = \"x$\"\n  \"<${a}{k}>\"\n}",
            "fn f(k: int) -> string {\n  \"<${\"x$\"}{k}>\"\n}",
        ),
        (
            title,
            "fn f(k: int) -> string {\n  let <|>a = \"{k}\"\n  \"$${a}\"\n}",
            "fn f(k: int) -> string {\n  \"$${\"{k}\"}\"\n}",
        ),
        (
            title,
            "fn f(k: int) -> string {\n  let <|>a = \"\"\n  \"$${a}{k}\"\n}",
            "fn f(k: int) -> string {\n  \"$${\"\"}{k}\"\n}",
        ),
        (
            title,
            "fn f(k: int) -> string {\n  let <|>a = \"{k$\"\n  \"${a}${a}}\"\n}",
            "fn f(k: int) -> string {\n  \"${\"{k$\"}${\"{k$\"}}\"\n}",
        ),
        (
            title,
            "fn f(k: int) -> string {\n  let <|>a = \"x\"\n  \"$${a}{k}\"\n}",
            "fn f(k: int) -> string {\n  \"$x{k}\"\n}",
        ),
    ]);
}

#[test]
fn an_answer_and_what_replaces_it_stay_in_one_step() {
    let titles = [
        "wrap in a step",
        "wrap in a retry",
        "wrap in a timeout",
        "extract into a step",
    ];
    let cases = [
        "workflow main() -> string {\n  <|>let a = ask(\"a\")\n  log.info(a)<|>\n  revise ask(\"b\")\n}",
        "workflow main() -> string {\n  let a = ask(\"a\")\n  <|>log.info(a)\n  revise ask(\"b\")<|>\n}",
        "workflow main() -> string {\n  <|>log.info(ask(\"a\"))<|>\n  again()\n}\n\nfn again() -> string { revise ask(\"b\") }",
    ];
    for title in titles {
        for text in cases {
            check(&[(title, text, "refused")]);
        }
    }
    // A conversation knows its last answer.
    check(&[(
        "wrap in a retry",
        "workflow main() -> string {\n  let chat = session(a)\n  ask(\"a\") with { session: chat }\n  <|>revise ask(\"b\") with { session: chat }<|>\n}",
        "workflow main() -> string {\n  let chat = session(a)\n  ask(\"a\") with { session: chat }\n  retry 3 { revise ask(\"b\") with { session: chat } }\n}",
    )]);
}

#[test]
fn comments_around_what_is_selected_are_not_meant() {
    let variable = "extract into a variable";
    let function = "extract into a function";
    check(&[
        (
            variable,
            "fn f(a: int) -> int {\n  let b = <|>a + 1 // why\n<|>  b * 2\n}",
            "fn f(a: int) -> int {\n  let extracted = a + 1\n  let b = extracted // why\n  b * 2\n}",
        ),
        (
            function,
            "fn f() -> int {\n<|>  // start\n  // again\n  let a = 1 // done\n  // end\n<|>  a * 2\n}",
            "fn f() -> int {\n  // start\n  // again\n  let a = extracted() // done\n  // end\n  a * 2\n}\n\nfn extracted() -> int {\n  let a = 1\n  a\n}",
        ),
        (
            function,
            "fn f() -> int {\n  <|>// start\n  // end<|>\n  2\n}",
            "refused",
        ),
    ]);
}

/// A function without a result would drop the value, which is reported.
#[test]
fn a_value_that_is_dropped_is_given_by_the_function_that_is_extracted() {
    check(&[(
        "extract into a function",
        "fn f() -> int {\n  <|>log.info(\"a\")\n  ask(\"b\")<|>\n  1\n}",
        "fn f() -> int {\n  extracted()\n  1\n}\n\nfn extracted() -> string {\n  log.info(\"a\")\n  ask(\"b\")\n}",
    )]);
}
