//! Definition, type definition, references, highlights, calls.

use crate::fixture::{fixture, same};

fn definition(text: &str) -> String {
    let it = fixture(text);
    match gsw_ide::definition(&it.db, it.file, it.offset) {
        Some(target) => it.shown(target),
        None => "nowhere".into(),
    }
}

fn references(text: &str) -> String {
    let it = fixture(text);
    let found = gsw_ide::references(&it.db, it.file, it.offset).into_iter();
    let lines: Vec<String> = found
        .map(|found| {
            let role = match found.role {
                gsw_ide::Role::Declaration => " (declared)",
                gsw_ide::Role::Use => "",
            };
            format!("{}{role}", it.shown(found.location))
        })
        .collect();
    lines.join("\n")
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case a line")]
fn a_name_leads_to_where_it_is_declared() {
    let cases = [
        ("fn f(n: int) -> int { <|>n }", "main.gsw:1 n"),
        ("fn f() -> int { let n = 1\n n<|> }", "main.gsw:1 n"),
        (
            "fn f() -> int { g() }\nfn g() -> int { <|>f() }",
            "main.gsw:1 f",
        ),
        (
            "type A { x: int }\nfn f(a: <|>A) -> int { a.x }",
            "main.gsw:1 A",
        ),
        (
            "type A { x: int }\nfn f(a: A) -> int { a.<|>x }",
            "main.gsw:1 x",
        ),
        (
            "enum E { Low, High }\nfn f() -> E { <|>High }",
            "main.gsw:1 High",
        ),
        (
            "enum E { Low }\nfn f(e: E) -> int { match e { <|>Low => 1 } }",
            "main.gsw:1 Low",
        ),
        (
            "error Bad(why: string)\nfn f() -> int ! <|>Bad { fail Bad(\"x\") }",
            "main.gsw:1 Bad",
        ),
        ("fn f<T>(xs: [T]) -> <|>T? { xs.first() }", "main.gsw:1 T"),
        (
            "type A { x: int }\nfn <|>A.twice(self) -> int { self.x * 2 }",
            "main.gsw:1 A",
        ),
        (
            "agent a { model: \"sim/x\" }\nprompt p() -> int by <|>a { user \"n\" }",
            "main.gsw:1 a",
        ),
        (
            "prompt p(n: int) -> int { user \"${<|>n}\" }",
            "main.gsw:1 n",
        ),
        (
            "fn f(width: int) -> int { width }\nfn g() -> int { f(<|>width: 3) }",
            "main.gsw:1 width",
        ),
        (
            "fn f() -> int { if true { let a = 1\n a<|> } else { 2 } }",
            "main.gsw:1 a",
        ),
        (
            "import ./b\nfn f() -> int { b.<|>g() }\n//- b.gsw\n\nfn g() -> int { 1 }",
            "b.gsw:2 g",
        ),
        (
            "import ./b.{<|>g}\nfn f() -> int { g() }\n//- b.gsw\nfn g() -> int { 1 }",
            "b.gsw:1 g",
        ),
        (
            "import ./b.{g as h}\nfn f() -> int { <|>h() }\n//- b.gsw\nfn g() -> int { 1 }",
            "b.gsw:1 g",
        ),
        (
            "import <|>./b\nfn f() -> int { b.g() }\n//- b.gsw\nfn g() -> int { 1 }",
            "b.gsw:1 ",
        ),
        ("fn f(xs: [int]) -> int { xs.<|>len() }", "list.gsw:8 len"),
        ("fn f() -> int { <|>1 }", "nowhere"),
        ("fn f() -> int { nothing<|> }", "nowhere"),
        ("<|>", "nowhere"),
    ];
    for (text, wanted) in cases {
        let found = definition(text);
        let is_library = wanted.starts_with("list.gsw") && found.starts_with("list.gsw:");
        assert!(found == wanted || is_library, "{text}\nfound {found}");
    }
}

#[test]
fn a_value_leads_to_the_types_that_it_is_made_of() {
    let cases = [
        (
            "type A { x: int }\nfn f(a: [A]) -> int { <|>a.len() }",
            vec!["main.gsw:1 A"],
        ),
        (
            "type A { x: B? }\nenum B { C }\nfn f(a: A) { let b = a.<|>x }",
            vec!["main.gsw:2 B"],
        ),
        (
            "enum B { C }\nfn f() -> {string: B} { <|>f() }",
            vec!["main.gsw:1 B"],
        ),
        ("fn f(<|>n: int) -> int { n }", vec![]),
    ];
    for (text, wanted) in cases {
        let it = fixture(text);
        let found = gsw_ide::type_definition(&it.db, it.file, it.offset);
        let found: Vec<String> = found.into_iter().map(|to| it.shown(to)).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn references_are_found_in_bodies_heads_imports_and_arguments() {
    same(
        &references(
            "
import ./shapes.{Shape}

fn area(shape: Shape) -> float { shape.<|>width * shape.height }
fn square(side: float) -> Shape { Shape { width: side, height: side } }
fn wide(shape: Shape) -> bool {
  match shape { Shape { width, .. } => width > 1.0 }
}
//- shapes.gsw
type Shape { width: float, height: float }
fn Shape.double(self) -> Shape { Shape { width: self.width * 2.0, ..self } }
",
        ),
        "
shapes.gsw:1 width (declared)
shapes.gsw:2 width
shapes.gsw:2 width
main.gsw:3 width
main.gsw:4 width
main.gsw:6 width",
    );
    same(
        &references(
            "
import ./shapes.{Shape as S}
import ./shapes
fn f(a: S, b: shapes.Shape) -> S { a }
//- shapes.gsw
type <|>Shape { width: float }
fn Shape.double(self) -> Shape { self }
",
        ),
        "
shapes.gsw:1 Shape (declared)
shapes.gsw:2 Shape
shapes.gsw:2 Shape
main.gsw:1 Shape
main.gsw:1 S
main.gsw:3 S
main.gsw:3 Shape
main.gsw:3 S",
    );
    same(
        &references(
            "
fn scale(<|>factor: int = 2, twice: int = factor) -> int { factor * twice }
fn g() -> int { let factor = 1
  scale(factor: factor) }
",
        ),
        "
main.gsw:1 factor (declared)
main.gsw:1 factor
main.gsw:1 factor
main.gsw:3 factor",
    );
}

#[test]
fn highlights_tell_writes_from_reads() {
    let it = fixture("fn f() -> int {\n  var n<|> = 1\n  n += 1\n  let m = n\n  n\n}");
    let found = gsw_ide::document_highlight(&it.db, it.file, it.offset);
    let shown: Vec<_> = found.iter().map(|it| format!("{:?}", it.access)).collect();
    assert_eq!(shown, ["Write", "Write", "Read", "Read"]);
}

#[test]
fn calls_are_listed_both_ways() {
    let it = fixture(
        "
fn inner() -> int { 1 }
fn middle<|>() -> int { inner() + inner() }
workflow main() -> int { middle() }
test \"it\" { assert middle() == 2 }
",
    );
    let target = gsw_ide::prepare_call_hierarchy(&it.db, it.file, it.offset).expect("a function");
    let shown = |calls: Vec<gsw_ide::Call>| -> Vec<String> {
        let line = |it: gsw_ide::Call| format!("{} {}", it.other.name, it.places.len());
        calls.into_iter().map(line).collect()
    };
    assert_eq!(
        shown(gsw_ide::incoming_calls(&it.db, &target)),
        ["main 1", "it 1"]
    );
    assert_eq!(shown(gsw_ide::outgoing_calls(&it.db, &target)), ["inner 2"]);
}

#[test]
fn a_step_stands_between_its_workflow_and_what_it_calls() {
    let it = fixture(
        "
agent a { model: \"sim/x\" }
prompt ask() -> string by a { user \"?\" }
fn help() -> int { 1 }
workflow main() -> int {
  help()
  step \"out<|>er\" {
    let answer = ask()
    step \"inner\" { help() }
  }
}
",
    );
    let names = |calls: Vec<gsw_ide::Call>| -> Vec<String> {
        calls.into_iter().map(|it| it.other.name).collect()
    };
    let outer = gsw_ide::prepare_call_hierarchy(&it.db, it.file, it.offset).expect("a step");
    assert_eq!(outer.name, "outer");
    let calls = gsw_ide::outgoing_calls(&it.db, &outer);
    let ask = calls[0].other.clone();
    assert_eq!(names(calls), ["ask", "inner"]);
    let around = gsw_ide::incoming_calls(&it.db, &outer);
    let main = around[0].other.clone();
    assert_eq!(names(around), ["main"]);
    assert_eq!(
        names(gsw_ide::outgoing_calls(&it.db, &main)),
        ["help", "outer"]
    );
    assert_eq!(names(gsw_ide::incoming_calls(&it.db, &ask)), ["outer"]);
}

#[test]
fn narrower_types_are_below_wider_ones() {
    let it = fixture(
        "
enum Level { Low, High(why: string) }
type Bug { level: Level }
type Severe = Bug where self.level == Low
fn f(b: Bu<|>g) -> int { 1 }
",
    );
    let at = |needle: &str| {
        let found = it.file.text(&it.db).find(needle).expect("it is there");
        let offset = u32::try_from(found).expect("a small text");
        gsw_ide::prepare_type_hierarchy(&it.db, it.file, offset).expect("a type")
    };
    let names = |found: Vec<gsw_ide::TypeItem>| -> Vec<String> {
        found.into_iter().map(|it| it.name).collect()
    };
    let bug = gsw_ide::prepare_type_hierarchy(&it.db, it.file, it.offset).expect("a type");
    assert_eq!(bug.name, "Bug");
    assert_eq!(names(gsw_ide::subtypes(&it.db, bug.symbol)), ["Severe"]);
    assert_eq!(
        names(gsw_ide::supertypes(&it.db, at("Severe").symbol)),
        ["Bug"]
    );
    let level = at("Level {");
    assert_eq!(
        names(gsw_ide::subtypes(&it.db, level.symbol)),
        ["Level.Low", "Level.High"]
    );
    assert_eq!(
        names(gsw_ide::supertypes(&it.db, at("High").symbol)),
        ["Level"]
    );
    // A variable leads to its type.
    assert_eq!(at("b: Bug").name, "Bug");
}

#[test]
fn uses_stand_where_their_names_do() {
    let uses = |text: &str| {
        let it = fixture(text);
        let found = gsw_ide::references(&it.db, it.file, it.offset).into_iter();
        let own = found.filter(|found| found.location.file == it.file);
        own.map(|found| it.shown(found.location))
            .collect::<Vec<_>>()
    };
    let server = "mcp git = stdio(\"uvx\")\n";
    assert_eq!(
        uses(&format!(
            "{server}tool log(pa<|>th: string) -> json reads by git"
        )),
        ["main.gsw:2 path"]
    );
    assert_eq!(
        uses("fn f() -> [string] { [context.no<|>de.path, context.node.status] }"),
        ["main.gsw:1 node", "main.gsw:1 node"]
    );
    assert_eq!(
        uses(
            "hook g { before_tool(call) { den<|>y(\"a\") } }\nhook h { before_tool(call) { deny(\"b\") } }"
        ),
        ["main.gsw:1 deny", "main.gsw:2 deny"]
    );
    // The call that a tool of a server is stands nowhere, so it is not in the way.
    let text = format!("{server}tool log(path: string) -> json reads by gi<|>t");
    let mut it = fixture(&text);
    let edits = gsw_ide::rename(&mut it.db, it.file, it.offset, "hub").expect("it can be renamed");
    let wanted = text.replace("gi<|>t", "hub").replace("mcp git", "mcp hub");
    assert_eq!(it.edited(&edits), wanted);
}

#[test]
fn words_settings_and_handlers_are_hovered_where_they_are_such() {
    let shown = |text: &str| {
        let it = fixture(text);
        let hover = gsw_ide::hover(&it.db, it.file, it.offset)?;
        Some((hover.word, hover.markdown))
    };
    for (text, word) in [
        (
            "workflow w() -> int { step \"a\" re<|>try 3 { 1 } }",
            "retry",
        ),
        ("fn f() -> int { ma<|>tch 1 { _ => 2 } }", "match"),
        ("tool t(to: string tru<|>sted) -> int once { 1 }", "trusted"),
        (
            "type P = int where it > 0\nfn f(x: int) -> int { x c<|>atch _ => 1 }",
            "catch",
        ),
    ] {
        let found = shown(text).and_then(|it| it.0);
        assert_eq!(found.as_deref(), Some(word), "{text}");
    }
    for (text, part) in [
        (
            "agent a { max_<|>tokens: 3 }",
            "The most tokens of one answer.",
        ),
        ("agent a { sys<|>tem: \"\" }", "The system prompt."),
        (
            "hook g { before_<|>tool(call) { allow } }",
            "```gsw\nbefore_tool",
        ),
    ] {
        let found = shown(text).map(|it| it.1).unwrap_or_default();
        assert!(found.contains(part), "{text}: {found}");
    }
    // A name is what it is declared as, and a key of JSON is nothing.
    let name = shown("fn f(step: int) -> int { st<|>ep }").expect("a name");
    assert_eq!(name.0, None);
    assert!(name.1.contains("step: int"));
    assert_eq!(shown("fn f(j: json) -> json { j.ti<|>meout }"), None);
    assert_eq!(shown("fn f() -> int { 4<|>2 }"), None);
}

#[test]
fn a_hover_of_a_tool_says_how_often_it_may_run() {
    let shown = |text: &str| {
        let it = fixture(text);
        let hover = gsw_ide::hover(&it.db, it.file, it.offset).expect("a name");
        (hover.markdown, hover.prompt.is_some())
    };
    let once = "import std/fs\ntool no<|>te(text: string) { fs.append(\"a\", text) }";
    let (once, is_prompt) = shown(once);
    assert!(
        once.contains("// repeat class: once") && !is_prompt,
        "{once}"
    );
    let written = shown("tool no<|>te(text: string) -> string reads { text }").0;
    assert!(written.contains("// repeat class: reads"), "{written}");
    let limited = shown("tool no<|>te(text: string) -> string reads timeout 5s retry 2 { text }").0;
    assert!(
        limited.contains("! Timeout\n// modifiers: timeout 5s retry 2"),
        "{limited}"
    );
    // Whether making its request does nothing else.
    let agent = "agent a { model: \"sim/x\" }\n";
    let plain = format!("{agent}prompt a<|>sk() -> string by a {{ user \"?\" }}");
    assert!(shown(&plain).1);
    let reading = format!(
        "import std/fs\n{agent}prompt a<|>sk() -> string by a {{ user \"${{fs.read(\"x\")}}\" }}"
    );
    assert!(!shown(&reading).1);
}

/// A name, and the code that its hover shows.
const HOVERED: &[(&str, &str)] = &[
    (
        "/// Docs.\ntype Bug<|> {\n  /// What.\n  title: string\n  line: int = 0 where it >= 0 // c\n}",
        "type Bug { title: string, line: int = 0 where it >= 0 }",
    ),
    (
        "type Pair<|><A, B> { first: A, second: B }",
        "type Pair<A, B> { first: A, second: B }",
    ),
    (
        "enum Shape<|> { Dot, Box(width: int, height: int = 1), Circle(radius: int) }",
        "enum Shape {\n  Dot\n  Box(width: int, height: int = 1)\n  Circle(radius: int)\n}",
    ),
    (
        "type Age<|> = int where it >= 0",
        "type Age = int where it >= 0",
    ),
    ("const LIMIT<|>: int = 10 * 2", "const LIMIT: int = 10 * 2"),
    (
        "error Gone<|>(why: string = \"a\")",
        "error Gone(why: string = \"a\")",
    ),
    (
        "agent clerk<|> {\n  model: \"sim/x\"\n  system: \"\"\"\n    Long.\n    \"\"\"\n}",
        "agent clerk {\n  model: \"sim/x\"\n  system: …\n}",
    ),
    (
        "type Long<|> { a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, i: int, j: int, k: int, l: int }",
        "type Long {\n  a: int\n  b: int\n  c: int\n  d: int\n  e: int\n  f: int\n  g: int\n  h: int\n  i: int\n  j: int\n  …\n}",
    ),
    (
        "type Bug { line: int = 1 where it > 0 }\nfn f(b: Bug) -> int { b.line<|> }",
        "line: int = 1 where it > 0",
    ),
    (
        "fn f<|><T>(a: T, n: int = 1 + 1) -> T { a }",
        "fn f<T>(a: T, n: int = 1 + 1) -> T",
    ),
    ("fn f(n: int = 2) -> int { n<|> }", "n: int = 2"),
    (
        "hook guard<|> { before_tool(call) { allow } }",
        "hook guard",
    ),
];

#[test]
fn a_hover_shows_all_of_a_short_declaration() {
    for (text, wanted) in HOVERED {
        let it = fixture(text);
        let hover = gsw_ide::hover(&it.db, it.file, it.offset).expect("a name");
        let code = hover.markdown.strip_prefix("```gsw\n");
        let code = code.and_then(|it| it.split("\n```").next());
        assert_eq!(code, Some(*wanted), "{text}");
    }
}

fn implementations(text: &str) -> Vec<String> {
    let it = fixture(text);
    let found = gsw_ide::implementation(&it.db, it.file, it.offset);
    found.into_iter().map(|place| it.shown(place)).collect()
}

#[test]
fn a_type_leads_to_its_methods_and_an_error_to_where_it_is_raised() {
    let methods = "import ./b.{twice}\ntype <|>A { x: int }\nfn A.half(self) -> int { self.x / 2 }\nfn other(a: A) -> int { a.x }\n//- b.gsw\nimport ./main.{A}\nfn A.third(self) -> int { self.x / 3 }\nfn twice() -> int { 2 }";
    assert_eq!(
        implementations(methods),
        ["main.gsw:3 half", "b.gsw:2 third"]
    );
    let raised = "error <|>Bad(why: string)\nfn f(n: int) -> int ! Bad { if n < 0 { fail Bad(\"low\") }\n n }\nfn g() -> int { f(1) catch { Bad(_) => 0 } }";
    assert_eq!(implementations(raised), ["main.gsw:2 fail Bad(\"low\")"]);
    let plain = "fn f() -> int { 1 }\nfn g() -> int { <|>f() }";
    assert_eq!(implementations(plain), ["main.gsw:1 f"]);
}

/// Where typing over a name changes it at once: everywhere, or nowhere.
#[test]
fn a_name_is_edited_in_all_its_places_or_alone() {
    let cases: &[(&str, usize)] = &[
        ("fn f() -> int { let a<|> = 1\n a + a }", 3),
        ("fn f(a<|>: int) -> int { a }\nfn g() -> int { f(1) }", 2),
        ("fn f(xs: [int]) -> [int] { xs.map(it<|> => it + 1) }", 2),
        // A call names it, here or in another file.
        ("fn f(a<|>: int) -> int { a }\nfn g() -> int { f(a: 1) }", 0),
        (
            "fn f(a<|>: int) -> int { a }\n//- b.gsw\nimport ./main\nfn g() -> int { main.f(a: 1) }",
            0,
        ),
        ("type A { a: int }\nfn f(a<|>: int) -> A { A { a } }", 0),
    ];
    for (text, wanted) in cases {
        let it = fixture(text);
        let places = gsw_ide::linked_editing_range(&it.db, it.file, it.offset);
        assert_eq!(places.len(), *wanted, "{text}: {places:?}");
    }
}
