//! Completion: at each kind of place what can stand there, the likeliest first.

use gsw_ide::Completion;

use crate::fixture::{fixture, same};

fn found(text: &str) -> Vec<Completion> {
    let mut it = fixture(text);
    gsw_ide::completion(&mut it.db, it.file, it.offset, &models())
}

/// What a runtime knows.
fn models() -> [gsw_ide::Model; 2] {
    ["anthropic/claude-big-5-5", "openai/gpt"].map(|it| gsw_ide::Model {
        name: it.to_owned(),
        detail: "$1".to_owned(),
    })
}

pub fn labels(text: &str) -> Vec<String> {
    found(text).into_iter().map(|it| it.label).collect()
}

/// That these are offered and those are not.
#[track_caller]
pub fn offers(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let labels = labels(text);
    let has = |it: &&&str| labels.iter().any(|label| label == **it);
    let missing: Vec<_> = wanted.iter().filter(|it| !has(it)).collect();
    let surplus: Vec<_> = unwanted.iter().filter(has).collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "{text}\nmissing {missing:?}, surplus {surplus:?} in {labels:#?}"
    );
}

/// The text after the completion of that label, imports included.
pub fn completed(text: &str, label: &str) -> String {
    let mut it = fixture(text);
    let found = gsw_ide::completion(&mut it.db, it.file, it.offset, &models());
    let Some(chosen) = found.iter().find(|it| it.label == label) else {
        panic!(
            "no `{label}` in {:#?}",
            found.iter().map(|it| &it.label).collect::<Vec<_>>()
        );
    };
    let mut edits = chosen.imports.clone();
    edits.push(gsw_source::LocatedEdit {
        location: gsw_source::Location {
            file: it.file,
            span: chosen.replace,
        },
        text: chosen.insert.text().to_owned(),
    });
    it.edited(&edits)
}

#[test]
fn names_in_scope_are_offered_locals_first() {
    let text = "const LIMIT: int = 1\nfn other() -> int { 1 }\nfn f(given: int) -> int { let local = 1\n if true { let inner = 1 }\n <|> }";
    offers(
        text,
        &[
            "local", "given", "other", "f", "LIMIT", "log", "sleep", "if", "match", "let",
        ],
        &["inner", "assert", "prompt"],
    );
    let order = labels(text);
    let at = |name: &str| {
        order
            .iter()
            .position(|it| it == name)
            .expect("it is offered")
    };
    assert!(at("local") < at("other") && at("given") < at("if"));
    let detail = found(text).into_iter().find(|it| it.label == "local");
    assert_eq!(detail.and_then(|it| it.detail).as_deref(), Some("int"));
}

#[test]
fn what_is_bound_around_the_cursor_is_offered() {
    let cases = [
        ("fn f(xs: [int]) -> [int] { xs.map(item => <|>) }", "item"),
        ("fn f(xs: [int]) { for item in xs { <|> } }", "item"),
        (
            "fn f(x: int?) -> int { match x { none => 0\n item => <|> } }",
            "item",
        ),
        (
            "fn f(x: int?) -> int { if let item = x { <|> } else { 0 } }",
            "item",
        ),
        ("workflow f() -> int { state item: int = 0\n <|> }", "item"),
        ("fn f() -> int { let (item, b) = (1, 2)\n ite<|> }", "item"),
        (
            "prompt p(item: string) -> int { user \"${ite<|>}\" }",
            "item",
        ),
        ("fn f(item: int) -> string { \"a ${<|>} b\" }", "item"),
        (
            "fn f() -> int { g() catch { Failed(item) => <|> } }\nfn g() -> int { fail Failed(\"\") }",
            "item",
        ),
    ];
    for (text, wanted) in cases {
        offers(text, &[wanted], &[]);
    }
}

#[test]
fn fields_and_methods_follow_a_dot() {
    let bug = "type Bug { title: string, line: int? }\nfn Bug.urgent(self, least: int) -> bool { true }\n";
    let at = |body: &str| format!("{bug}fn f(b: Bug, xs: [Bug]) {{ {body} }}");
    offers(
        &at("b.<|>"),
        &["title", "line", "urgent", "to_json"],
        &["map", "f", "let"],
    );
    offers(&at("b.ti<|>"), &["title"], &["urgent"]);
    offers(&at("b.<|>\n let x = 1"), &["title", "urgent"], &[]);
    offers(&at("let t = b.<|>title"), &["title"], &[]);
    offers(&at("xs.first()?.<|>"), &["title"], &[]);
    offers(&at("xs.map(it => it.<|>)"), &["title"], &[]);
    offers(&at("xs.<|>"), &["map", "len", "sort_by"], &["title"]);
    offers(&at("\"a\".<|>"), &["len", "split"], &["map"]);
    offers(&at("(1, \"a\").<|>"), &["0", "1"], &[]);
    let texts: Vec<String> = found(&at("b.<|>"))
        .into_iter()
        .map(|it| it.insert.text().to_owned())
        .collect();
    assert!(texts.contains(&"urgent($0)".to_owned()) && texts.contains(&"to_json()".to_owned()));
}

#[test]
fn only_what_has_places_to_fill_in_is_a_snippet() {
    let text = "type Price = \"$5\" | \"free\"\nfn f() -> Price { <|> }";
    let inserted = |label: &str| {
        let mut found = found(text).into_iter();
        found.find(|it| it.label == label).map(|it| it.insert)
    };
    let plain = gsw_ide::Insert::Plain("\"$5\"".to_owned());
    assert_eq!(inserted("\"$5\""), Some(plain));
    let snippet = gsw_ide::Insert::Snippet("do { $0 }".to_owned());
    assert_eq!(inserted("do"), Some(snippet));
}

#[test]
fn members_of_modules_and_enums_follow_a_dot() {
    offers(
        "import std/fs\nfn f() { fs.<|> }",
        &["read", "write", "glob"],
        &["len", "let"],
    );
    offers(
        "import ./b\nfn f() { b.<|> }\n//- b.gsw\nfn seen() {}\nprivate fn hidden() {}\ntype T { x: int }\nfn T.method(self) {}",
        &["seen", "T"],
        &["hidden", "T.method", "method"],
    );
    offers(
        "enum E { Low, High(why: string) }\nfn f() -> E { E.<|> }",
        &["Low", "High"],
        &["values"],
    );
    offers(
        "enum E { Low, High }\nfn f() -> [E] { E.<|> }",
        &["Low", "values"],
        &[],
    );
    offers(
        "import ./b\nfn f(x: b.<|>) {}\n//- b.gsw\ntype T { x: int }",
        &["T"],
        &[],
    );
}

#[test]
fn the_wanted_type_comes_first() {
    let first = |text: &str| labels(text).into_iter().take(2).collect::<Vec<_>>();
    let level = "enum Level { Low, High }\nfn g(level: Level, name: string) -> int { 1 }\n";
    assert_eq!(
        first(&format!("{level}fn f() -> int {{ g(<|>) }}")),
        ["High", "Low"]
    );
    assert_eq!(
        first(&format!("{level}fn f(l: Level) -> bool {{ l == <|> }}")),
        ["High", "Low"]
    );
    assert_eq!(
        first(&format!("{level}fn f() -> Level {{ <|> }}")),
        ["High", "Low"]
    );
    assert_eq!(
        first(&format!(
            "{level}type R {{ level: Level }}\nfn f() -> R {{ R {{ level: <|> }} }}"
        )),
        ["High", "Low"]
    );
    assert_eq!(
        first("fn g(kind: \"spam\" | \"ham\") {}\nfn f() { g(<|>) }"),
        ["\"ham\"", "\"spam\""]
    );
    offers(
        &format!("{level}fn f() -> int {{ g(Low, <|>) }}"),
        &["name: "],
        &["level: "],
    );
    offers(
        &format!("{level}fn f() -> int {{ g(name: \"\", <|>) }}"),
        &["level: "],
        &["name: "],
    );
}

#[test]
fn fields_of_a_record_that_are_missing_are_offered() {
    let bug = "type Bug { title: string, line: int?, level: int = 1 }\n";
    offers(
        &format!("{bug}fn f() -> Bug {{ Bug {{ <|> }} }}"),
        &["title", "line", "level"],
        &["f", "let"],
    );
    offers(
        &format!("{bug}fn f() -> Bug {{ Bug {{ title: \"\", <|> }} }}"),
        &["line"],
        &["title"],
    );
    offers(
        &format!("{bug}fn f(b: Bug) -> int {{ match b {{ Bug {{ ti<|> }} => 1 }} }}"),
        &["title"],
        &["f"],
    );
}

#[test]
fn arms_take_the_variants_of_what_is_matched() {
    let level = "enum Level { Low, High(why: string) }\n";
    let text = format!("{level}fn f(l: Level) -> int {{ match l {{\n <|>\n }} }}");
    offers(&text, &["Low", "High", "_"], &["f", "let"]);
    same(
        &completed(
            &format!("{level}fn f(l: Level) -> int {{ match l {{\n Hi<|> => 1\n }} }}"),
            "High",
        ),
        &format!("{level}fn f(l: Level) -> int {{ match l {{\n High(why) => 1\n }} }}"),
    );
    offers(
        "fn f() -> int { g() catch { <|> => 1 } }\nfn g() -> int { 1 }\nerror Mine",
        &["Timeout", "Mine", "ModelError", "_"],
        &["f"],
    );
}

#[test]
fn a_module_stands_where_something_in_it_may_stand() {
    let modules = "\n//- shapes.gsw\ntype Shape { x: int }\nprivate error Broken\n//- work.gsw\nfn work() {}\nprivate type Own { x: int }";
    let imports = "import ./shapes\nimport ./work\n";
    let both = |code: &str| format!("{imports}{code}{modules}");
    offers(&both("fn f(x: <|>) {}"), &["shapes"], &["work", "log"]);
    offers(&both("fn f() ! <|> {}"), &[], &["shapes", "work", "log"]);
    offers(&both("fn f() { <|> }"), &["shapes", "work", "log"], &[]);
}

#[test]
fn types_and_errors_stand_in_heads() {
    let text = "type Bug { x: int }\nerror Mine\nfn f<T>(x: <|>) -> int ! Mine { 1 }";
    offers(
        text,
        &["Bug", "int", "string", "T", "Task", "Agent"],
        &["f", "Mine", "let"],
    );
    offers("type Bug { x: <|> }", &["Bug", "int"], &["let"]);
    offers("fn f() -> <|> { 1 }", &["int"], &["let"]);
    offers("fn f() { let x: <|> = 1 }", &["int"], &["let"]);
    offers(
        "error Mine\nfn f() -> int ! <|> { 1 }",
        &["Mine", "Timeout"],
        &["int"],
    );
    offers("fn f() -> [<|>] { [] }", &["string"], &["let"]);
}

#[test]
fn settings_have_their_names_and_values() {
    offers(
        "agent a { <|> }",
        &["model", "system", "tools", "temperature"],
        &["user", "let", "mcp"],
    );
    offers(
        "agent a {\n  model: \"sim/x\"\n  te<|>\n}",
        &["temperature"],
        &["model"],
    );
    offers(
        "prompt p() -> int {\n  <|>\n}",
        &["user", "system", "example", "temperature"],
        &["fn"],
    );
    offers(
        "agent a { model: \"<|>\" }",
        &["anthropic/", "openai/", "sim/"],
        &["let"],
    );
    offers("agent a { model: <|> }", &["anthropic/"], &["let"]);
    offers(
        "agent a { answer: \"<|>\" }",
        &["exact", "lenient"],
        &["sim/"],
    );
    offers(
        "tool t() -> int { 1 }\nprompt p() -> int { user \"\" }\nhuman h() -> bool { user \"\" }\nmcp m = stdio(\"m\", [])\nfn no() {}\nagent a { tools: [<|>] }",
        &["t", "p", "h", "m", "a"],
        &["no"],
    );
    let listed = "workflow w() {}\nhook k { }\nagent a { ";
    offers(&format!("{listed} spawns: [<|>] }}"), &["w"], &["k"]);
    offers(&format!("{listed} hooks: [<|>] }}"), &["k"], &["w"]);
    offers("agent a { cache: <|> }", &["true", "false"], &[]);
    offers(
        "agent a { budget: { <|> } }",
        &["usd", "tokens"],
        &["model"],
    );
    offers("permissions { <|> }", &["fs.read", "net"], &["model"]);
    offers(
        "prompt p() -> int { user \"\" }\nfn f() -> int { p() with { <|> } }",
        &["model", "max_tokens"],
        &["let"],
    );
    offers(
        "agent a { model: \"\" }\nprompt p() -> int by <|> { user \"\" }",
        &["a"],
        &[],
    );
    offers("fn f() { log.info(\"<|>\") }", &[], &["f", "anthropic/"]);
}

#[test]
fn modifiers_follow_the_heads_that_take_them() {
    offers(
        "workflow f() { step \"a\" <|> { } }",
        &["timeout", "retry", "reflect", "budget"],
        &["let", "limit"],
    );
    offers(
        "workflow f() { step \"a\" retry 3 <|> { } }",
        &["backoff", "max", "timeout"],
        &["let"],
    );
    offers(
        "workflow f(xs: [int]) { parallel for x in xs <|> { } }",
        &["limit", "errors"],
        &["timeout"],
    );
    offers(
        "workflow f() -> int <|> { 1 }",
        &["retry", "timeout"],
        &["by"],
    );
    offers("prompt p() -> int <|> { user \"\" }", &["by"], &["retry"]);
    offers(
        "tool t() -> int <|> { 1 }",
        &["pure", "reads", "once", "idempotent by", "timeout", "retry"],
        &["reflect"],
    );
    offers(
        "tool t() -> int reads retry 2 <|> { 1 }",
        &["backoff", "max", "timeout"],
        &["budget"],
    );
    offers(
        "workflow f() { step \"a\" timeout <|> { } }",
        &[],
        &["backoff", "limit"],
    );
}

#[test]
fn declarations_begin_between_declarations() {
    offers(
        "<|>",
        &["fn", "workflow", "agent", "import"],
        &["let", "if"],
    );
    offers("fn f() {}\n\nwor<|>", &["workflow"], &["fn"]);
    offers("fn f() {}\n<|>\nfn g() {}", &["prompt", "type"], &["let"]);
    offers("@<|>\nworkflow main() {}", &["was", "deprecated"], &["fn"]);
    offers("type T { @<|> x: int }", &["alias", "secret"], &["int"]);
    offers("test \"a\" { <|> }", &["assert", "mock"], &["workflow"]);
    offers("fn f() { // comment <|>\n}", &[], &["fn", "let", "f"]);
}

#[test]
fn imports_are_completed() {
    offers("import <|>\n//- lib/b.gsw\n", &["std/"], &[]);
    offers("import std/<|>", &["fs", "http", "json"], &["prelude"]);
    offers(
        "import ./<|>\n//- lib/b.gsw\n\n//- c.gsw\n",
        &["lib/", "c"],
        &["main", "fs"],
    );
    offers(
        "import ./b.{<|>}\n//- b.gsw\nfn seen() {}\nprivate fn hidden() {}",
        &["seen"],
        &["hidden"],
    );
}

#[test]
fn what_is_not_imported_brings_its_import() {
    same(
        &completed("import std/math\n\nfn f() -> string { fs<|> }", "fs"),
        "import std/math\nimport std/fs\n\nfn f() -> string { fs }",
    );
    same(
        &completed(
            "/// Docs.\nfn f(x: Sha<|>) {}\n//- sub/b.gsw\ntype Shape { x: int }",
            "Shape",
        ),
        "import ./sub/b.{Shape}\n\n/// Docs.\nfn f(x: Shape) {}",
    );
    same(
        &completed(
            "import ./b.{one}\nfn f() { one(); tw<|> }\n//- b.gsw\nfn one() {}\nfn two() {}",
            "two",
        ),
        "import ./b.{one, two}\nfn f() { one(); two() }",
    );
}

/// The types of other modules, in all places where types stand.
#[test]
fn before_the_dot_of_a_type_stands_a_module() {
    let geo = "//- geo.gsw\ntype Circle { r: int }\nerror Flat { }\n//- nope.gsw\nfn f() {}";
    for text in [
        "import ./geo\nfn f(x: ge<|>.Circle) -> int { 1 }",
        "import ./geo\nfn f(x: <|>.Circle) -> int { 1 }",
        "import ./geo\nfn f() -> ge<|>.Circle { 1 }",
        "import ./geo\ntype T { a: [ge<|>.Circle]? }",
        "import ./geo\nfn f() -> int ! <|>.Flat { 1 }",
        "import ./geo\nfn f() { let x: ge<|>.Circle = 1 }",
    ] {
        offers(
            &format!("{text}\n{geo}"),
            &["geo"],
            &["int", "f", "Circle", "nope"],
        );
    }
    same(
        &completed(&format!("fn f(x: ge<|>.Circle) {{}}\n{geo}"), "geo"),
        "import ./geo\n\nfn f(x: geo.Circle) {}",
    );
    same(
        &completed(&format!("fn f() -> int {{ no<|> }}\n{geo}"), "nope"),
        "import ./nope\n\nfn f() -> int { nope }",
    );
}

#[test]
fn docs_are_looked_up_when_they_are_shown() {
    let mut it = fixture(
        "/// How many.\nfn count(n: int) -> int { n }\nenum E {\n  /// Not much.\n  Low\n}\nfn f() -> E { cou<|> }",
    );
    let found = gsw_ide::completion(&mut it.db, it.file, it.offset, &models());
    let count = found
        .iter()
        .find(|it| it.label == "count")
        .expect("it is offered");
    let definition = count.definition.as_ref().expect("it is declared");
    let (head, docs) = gsw_ide::completion_docs(&it.db, definition).expect("it is there");
    assert_eq!(head, "fn count(n: int) -> int");
    assert_eq!(docs.as_deref(), Some("How many."));
}

#[test]
fn the_text_is_as_before_wherever_it_is_asked() {
    let text = include_str!("../../../../examples/review.gsw");
    let mut it = fixture(text);
    let before = it.file.text(&it.db).clone();
    let reports = gsw_ide::diagnostics(&it.db, it.file);
    for offset in (0..before.len()).step_by(7) {
        let at = u32::try_from(offset).expect("a small text");
        gsw_ide::completion(&mut it.db, it.file, at, &models());
        gsw_ide::signature_help(&mut it.db, it.file, at);
    }
    assert_eq!(*it.file.text(&it.db), before);
    assert_eq!(gsw_ide::diagnostics(&it.db, it.file), reports);
}

#[test]
fn models_are_completed_as_wholes() {
    let all = ["anthropic/claude-big-5-5", "openai/gpt", "sim/"];
    offers("agent a { model: \"<|>\" }", &all, &[]);
    for typed in [
        "",
        "an",
        "anthropic/",
        "anthropic/claude-",
        "anthropic/claude-big-5",
    ] {
        let text = format!("agent a {{ model: \"{typed}<|>\" }}");
        same(
            &completed(&text, "anthropic/claude-big-5-5"),
            "agent a { model: \"anthropic/claude-big-5-5\" }",
        );
    }
    offers(
        "agent a { model: \"anthropic/<|>\" }",
        &["anthropic/claude-big-5-5"],
        &["openai/gpt"],
    );
    same(
        &completed("agent a { model: op<|> }", "openai/gpt"),
        "agent a { model: \"openai/gpt\" }",
    );
}

#[test]
fn tools_of_servers_are_offered() {
    let server =
        "mcp git = stdio(\"git-mcp\", [])\ntool git_log(path: string) -> json reads by git\n";
    offers(
        &format!("{server}agent a {{ model: \"sim/x\", tools: [<|>] }}"),
        &["git", "git_log"],
        &["let"],
    );
    offers(
        &format!("{server}agent a {{ model: \"sim/x\", tools: [git.<|>] }}"),
        &["git_log"],
        &["let"],
    );
    offers(
        &format!("{server}workflow main() -> json {{ git.<|> }}"),
        &["git_log", "call"],
        &["let"],
    );
}
