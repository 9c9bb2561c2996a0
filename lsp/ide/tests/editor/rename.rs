//! Renaming: every name of the thing, in every file, or a refusal that says why.

use gsw_ide::Renamable;
use salsa::Setter;

use crate::fixture::{Fixture, fixture, same};

/// The changed files, or why there are none.
fn renamed(text: &str, new: &str) -> String {
    renamed_in(&mut fixture(text), new)
}

fn renamed_in(it: &mut Fixture, new: &str) -> String {
    match gsw_ide::rename(&mut it.db, it.file, it.offset, new) {
        Ok(edits) => {
            let after = it.edited(&edits);
            assert!(edits.is_empty() || !after.is_empty());
            after
        }
        Err(why) => why,
    }
}

#[test]
fn every_name_of_the_thing_is_renamed() {
    let cases = [
        (
            "fn f() -> int { let a<|> = 1\n a + a }",
            "b",
            "fn f() -> int { let b = 1\n b + b }",
        ),
        (
            "fn f<|>(n: int) -> int { f(n) }\nfn g() -> int { f(1) }",
            "h",
            "fn h(n: int) -> int { h(n) }\nfn g() -> int { h(1) }",
        ),
        (
            "fn f(a<|>: int) -> int { a }\nfn g() -> int { f(a: 1) }",
            "b",
            "fn f(b: int) -> int { b }\nfn g() -> int { f(b: 1) }",
        ),
        (
            "enum E { Low<|>, High }\nfn f() -> E { E.Low }",
            "Small",
            "enum E { Small, High }\nfn f() -> E { E.Small }",
        ),
        (
            "fn f<T<|>>(x: T) -> [T] { [x] }",
            "Item",
            "fn f<Item>(x: Item) -> [Item] { [x] }",
        ),
        (
            "fn f(xs: [int]) -> [int] { xs.map(it<|> => it + 1) }",
            "x",
            "fn f(xs: [int]) -> [int] { xs.map(x => x + 1) }",
        ),
        // A local hides another of its name: only one of them is meant.
        (
            "fn f(n: int) -> int { let n = n + 1\n n<|> }",
            "m",
            "fn f(n: int) -> int { let m = n + 1\n m }",
        ),
    ];
    for (text, new, wanted) in cases {
        same(&renamed(text, new), wanted);
    }
}

#[test]
fn a_name_that_stands_for_a_field_and_a_variable_is_taken_apart() {
    let program = |field: &str, variable: &str| {
        format!(
            "type Bug {{ title{field}: string }}\nfn f(title{variable}: string) -> Bug {{ Bug {{ title }} }}\nfn g(b: Bug) -> string {{ match b {{ Bug {{ title }} => title }} }}"
        )
    };
    same(
        &renamed(&program("<|>", ""), "name"),
        "type Bug { name: string }\nfn f(title: string) -> Bug { Bug { name: title } }\nfn g(b: Bug) -> string { match b { Bug { name: title } => title } }",
    );
    same(
        &renamed(&program("", "<|>"), "name"),
        "type Bug { title: string }\nfn f(name: string) -> Bug { Bug { title: name } }\nfn g(b: Bug) -> string { match b { Bug { title } => title } }",
    );
}

#[test]
fn other_files_follow_and_other_names_given_by_imports_stay() {
    same(
        &renamed(
            "
import ./lib.{start as begin, stop}
fn f() -> int { begin() + stop() }
//- lib.gsw
fn start<|>() -> int { 1 }
fn stop() -> int { start() }
",
            "launch",
        ),
        "
//- lib.gsw
fn launch() -> int { 1 }
fn stop() -> int { launch() }
//- main.gsw
import ./lib.{launch as begin, stop}
fn f() -> int { begin() + stop() }
",
    );
}

/// What a rename leaves alone: the lines with texts that are called so.
#[test]
fn texts_with_the_old_name_are_found() {
    let cases: &[(&str, &[&str])] = &[
        (
            "type J { ti<|>tle: string }\nfn f(j: json) -> string { j.title as string }\nfn g(j: json) -> json { j.get(\"title\") }\nfn h() -> json { json.parse(\"{\\\"title\\\": 1}\") }",
            &[
                "main.gsw:2 j.title",
                "main.gsw:3 j.get(\"title\")",
                "main.gsw:4 \"{\\\"title\\\": 1}\"",
            ],
        ),
        (
            "type J { ti<|>tle: string }\nfn f() -> J { { \"title\": \"a\" } as J }",
            &["main.gsw:2 \"title\""],
        ),
        (
            "enum Level { L<|>ow, High }\nfn f(j: json) -> bool { j == \"Low\" }\nfn g() -> Level { \"Low\" as Level }\nfn h(l: Level) -> int { match \"${l}\" { \"Low\" => 1, _ => 2 } }",
            &[
                "main.gsw:2 \"Low\"",
                "main.gsw:3 \"Low\"",
                "main.gsw:4 \"Low\"",
            ],
        ),
        (
            "workflow other(ti<|>tle: string) -> string { title }\nworkflow main() -> json {\n  let w = workflows.find(\"other\") ?? fail Failed(\"no\")\n  let input = { \"title\": \"x\" }\n  await w.start(input)\n}",
            &["main.gsw:4 \"title\""],
        ),
        // Another text, another type, a file that uses neither, and a key of its own.
        (
            "type J { ti<|>tle: string }\nfn f(j: J) -> string { j.title + \"titles\" }\n//- lib.gsw\nfn g() -> string { \"title\" }",
            &[],
        ),
        (
            "workflow other(ti<|>tle: string) -> string { title }\nfn f() -> string { \"title\" }",
            &[],
        ),
        (
            "enum Level { @alias(\"low\") L<|>ow, High }\nfn g() -> Level { \"low\" as Level }\nfn h() -> string { \"Low\" }",
            &[],
        ),
        (
            "type J { @alias(\"t\") ti<|>tle: string }\nfn f(j: json) -> string { j.title as string }",
            &[],
        ),
        ("fn f(title<|>: json) -> json { title.title }", &[]),
    ];
    for (text, wanted) in cases {
        let it = fixture(text);
        let left = gsw_ide::left_behind(&it.db, it.file, it.offset);
        let keys = left.map_or_else(Vec::new, |it| it.places).into_iter();
        let shown: Vec<_> = keys.map(|key| it.shown(key)).collect();
        assert_eq!(shown, *wanted, "{text}");
    }
}

#[test]
fn a_name_that_an_import_gives_is_renamed_in_its_file() {
    let lib =
        "\n//- lib.gsw\ntype Bug { title: string }\nfn find() -> Bug { Bug { title: \"a\" } }\n";
    let cases = [
        (
            "import ./lib as l<|>\nfn f() -> string { l.find().title }",
            "lb",
            "import ./lib as lb\nfn f() -> string { lb.find().title }",
        ),
        (
            "import ./lib as l\nfn f() -> string { l<|>.find().title }",
            "lb",
            "import ./lib as lb\nfn f() -> string { lb.find().title }",
        ),
        (
            "import ./lib as l\nfn f() -> string { l.find().title }\nfn g(l<|>: int) -> int { l }",
            "n",
            "import ./lib as l\nfn f() -> string { l.find().title }\nfn g(n: int) -> int { n }",
        ),
        (
            "import ./lib.{Bug as Defect, find}\nfn f(d: Def<|>ect) -> Defect { Defect { title: find().title + d.title } }",
            "Flaw",
            "import ./lib.{Bug as Flaw, find}\nfn f(d: Flaw) -> Flaw { Flaw { title: find().title + d.title } }",
        ),
        (
            "import ./lib.{Bug as Def<|>ect}\nfn f(d: Defect) -> string { d.title }",
            "Bug",
            "import ./lib.{Bug}\nfn f(d: Bug) -> string { d.title }",
        ),
    ];
    for (text, new, wanted) in cases {
        same(&renamed(&format!("{text}{lib}"), new), wanted);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case a line")]
fn what_would_change_a_meaning_is_refused() {
    let cases = [
        (
            "fn f() -> int { let a<|> = 1\n a }",
            "fn",
            "`fn` is a reserved word",
        ),
        (
            "fn f() -> int { let a<|> = 1\n a }",
            "1x",
            "`1x` is not a name: use letters, digits and `_`, a letter first",
        ),
        (
            "fn f() -> int { let a<|> = 1\n a }",
            "B",
            "`B` must begin with a small letter, as `a` does",
        ),
        (
            "type A<|> { x: int }",
            "b",
            "`b` must begin with a capital letter, as `A` does",
        ),
        (
            "fn f(b: int) -> int { let a<|> = 1\n a + b }",
            "b",
            "`b` already means something else in line 1",
        ),
        (
            "fn f() -> int { let a<|> = 1\n if true { let b = 2\n a + b } else { 0 } }",
            "b",
            "`b` already means something else in line 2",
        ),
        (
            "fn f<|>() -> int { 1 }\nfn g() -> int { 2 }",
            "g",
            "`main` already has a `g`",
        ),
        (
            "fn f<|>() -> int { 1 }\nfn g(h: int) -> int { f() + h }",
            "h",
            "`h` already means something else in line 2",
        ),
        ("type A { x<|>: int, y: int }", "y", "`A` already has a `y`"),
        (
            "fn f(xs: [int]) -> int { xs.len<|>() }",
            "size",
            "`len` is declared in the standard library, which cannot be changed",
        ),
        (
            "import ./b<|>\n//- b.gsw\nfn f() {}",
            "c",
            "a module is named after its file: rename the file",
        ),
        (
            "import ./b.{f as g}\nfn c() {}\nfn h() { g<|>() }\n//- b.gsw\nfn f() {}",
            "c",
            "`g` in line 3 would mean something else then",
        ),
        (
            "fn f() -> int { <|>1 }",
            "x",
            "there is no name here that can be renamed",
        ),
    ];
    for (text, new, wanted) in cases {
        assert_eq!(renamed(text, new), wanted, "{text}");
    }
}

/// What no list of reasons foresees is found by looking up every name again.
#[test]
#[expect(clippy::too_many_lines, reason = "one case a line")]
fn a_name_that_would_be_taken_for_another_is_refused() {
    let cases = [
        // The prelude: functions, errors, types, modules.
        (
            "fn clock<|>() -> int { 1 }\nworkflow main() -> string { \"${now() == now()} ${clock()}\" }",
            "now",
            "`now` already means something else in line 2",
        ),
        (
            "import std/hook\nfn soft<|>(why: string) -> hook.Decision { Allow }\nhook h { before_tool(c) { if c.name == \"x\" { soft(\"x\") } else { deny(\"no\") } } }",
            "deny",
            "`deny` already means something else in line 3",
        ),
        (
            "error Bad<|>(message: string)\nworkflow main() -> string { do { fail Failed(\"x\") } catch { Bad(m) => \"bad\", _ => \"other\" } }",
            "Failed",
            "`Failed` already means something else in line 2",
        ),
        (
            "type Own<|> { a: int }\nfn f(r: Result<int>) -> int { 1 }",
            "Result",
            "`Result` already means something else in line 2",
        ),
        (
            "fn note<|>(why: string) { log.info(why) }",
            "log",
            "`log` already means something else in line 1",
        ),
        // The prelude in another file, which an import brings the name into.
        (
            "import ./lib.{clock}\nfn f() -> bool { clock() == 1 and now() == now() }\n//- lib.gsw\nfn clock<|>() -> int { 1 }",
            "now",
            "`now` already means something else in line 2",
        ),
        // Fields, methods and what every value has.
        (
            "type C { a: fn() -> int }\nfn C.total<|>(self) -> int { 7 }\nfn f(c: C) -> [int] { [c.total(), c.a()] }",
            "a",
            "`total` in line 3 would mean something else then",
        ),
        (
            "type C { a<|>: fn() -> int }\nfn C.total(self) -> int { 7 }\nfn f(c: C) -> [int] { [c.total(), c.a()] }",
            "total",
            "`total` already means something else in line 3",
        ),
        (
            "type C { a: int }\nfn C.total<|>(self) -> json { self.a }\nfn f(c: C) -> json { [c.total(), c.to_json()] }",
            "to_json",
            "`to_json` already means something else in line 3",
        ),
        // A judge gets facts by the names of its parameters.
        (
            "fn judge(level<|>: string) -> Reflection { Reflection { should_retry: level == \"step\", reason: \"\", guidance: \"\", revised: {} } }\nworkflow main() -> int { step \"s\" reflect 3 with judge { 1 } }",
            "kind",
            "the judge in line 2 takes facts by the names of its parameters",
        ),
        (
            "workflow main() -> int { step \"s\" reflect 3 with (level<|> => Reflection { should_retry: level == \"step\", reason: \"\", guidance: \"\", revised: {} }) { 1 } }",
            "kind",
            "the judge in line 1 takes facts by the names of its parameters",
        ),
        (
            "import ./lib\nworkflow main() -> int reflect 3 with lib.judge { 1 }\n//- lib.gsw\nfn judge(other<|>: string) -> Reflection { Reflection { should_retry: other == \"step\", reason: \"\", guidance: \"\", revised: {} } }",
            "level",
            "the judge in line 2 takes facts by the names of its parameters",
        ),
        // Texts that are looked up while the program runs.
        (
            "import std/workflows\nworkflow triage<|>(title: string) -> string { title }\nworkflow main() -> json { let f = workflows.find(\"triage\") ?? fail Failed(\"none\")\n await f.start({ \"title\": \"door\" }) }",
            "sort_it",
            "the text \"triage\" in line 3 most likely means it, and is not renamed: change it first",
        ),
        (
            "import std/workflows\nworkflow triage(title<|>: string) -> string { title }\nworkflow main() -> json { let f = workflows.find(\"triage\") ?? fail Failed(\"none\")\n await f.start({ \"title\": \"door\" }) }",
            "name",
            "the text \"title\" in line 4 most likely means it, and is not renamed: change it first",
        ),
        (
            "fn judge(failure: string) -> Reflection { Reflection { should_retry: true, reason: \"\", guidance: \"\", revised: { \"words\": 3 } } }\nworkflow main() -> int { step \"s\" reflect 2 with judge { state words<|>: int = 9\n words } }",
            "count",
            "the text \"words\" in line 1 most likely means it, and is not renamed: change it first",
        ),
        (
            "import std/hook\ntool wipe<|>() -> int pure { 1 }\nhook h { before_tool(c) { if c.name == \"wipe\" { deny(\"no\") } else { Allow } } }",
            "erase",
            "the text \"wipe\" in line 3 most likely means it, and is not renamed: change it first",
        ),
        (
            "import std/hook\ntool wipe<|>() -> int pure { 1 }\nhook h { before_tool(c) { match c.name { \"wipe\" => deny(\"no\"), _ => Allow } } }",
            "erase",
            "the text \"wipe\" in line 3 most likely means it, and is not renamed: change it first",
        ),
        // What does not compile.
        (
            "@resource(\"shop://o/{id}\")\nworkflow order(id<|>: string) -> string { id }",
            "number",
            "the program would not compile then: the workflow has no parameter `id: string` for `{id}`",
        ),
        (
            "enum A { Low, High }\nenum B { Few<|>, Many }\nfn f() { let x = Few\n let y = Low\n log.info(\"${x} ${y}\") }",
            "Low",
            "`Few` in line 3 would mean something else then",
        ),
        (
            "enum E { Low(why<|>: string), High }",
            "kind",
            "the program would not compile then: in JSON `kind` is the name of the variant or error itself",
        ),
        (
            "workflow main<|>() -> int { 1 }",
            "start",
            "a program begins with its workflow `main`",
        ),
    ];
    let mut it = fixture("");
    for (text, new, wanted) in cases {
        let found = match text.contains("//- ") {
            true => renamed(text, new),
            false => {
                it.put(text);
                renamed_in(&mut it, new)
            }
        };
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn a_name_that_only_looks_taken_is_given() {
    // No judge, and the name of a method that another type has.
    same(
        &renamed("fn f(level<|>: string) -> string { level }", "kind"),
        "fn f(kind: string) -> string { kind }",
    );
    same(
        &renamed(
            "type A { a: int }\ntype B { a: int }\nfn A.one<|>(self) -> int { self.a }\nfn B.two(self) -> int { self.a }\nfn f(a: A, b: B) -> int { a.one() + b.two() }",
            "two",
        ),
        "type A { a: int }\ntype B { a: int }\nfn A.two(self) -> int { self.a }\nfn B.two(self) -> int { self.a }\nfn f(a: A, b: B) -> int { a.two() + b.two() }",
    );
    // A text that is looked up nowhere.
    same(
        &renamed(
            "workflow summary<|>(x: int) -> json { { \"summary\": x } }",
            "brief",
        ),
        "workflow brief(x: int) -> json { { \"summary\": x } }",
    );
    // A program with a mistake of its own.
    same(
        &renamed("fn f<|>() -> int { unknown() }", "g"),
        "fn g() -> int { unknown() }",
    );
}

#[test]
fn a_renamed_program_means_what_it_meant() {
    // Every name of a program that uses most forms, one after the other: nothing new is wrong afterwards.
    let program = "
import std/fs
enum Level { Low, High(why: string) }
type Bug { title: string, level: Level, line: int? = none }
error Broken(part: string)
const LIMIT: int = 3
agent helper { model: \"sim/x\" system: \"hi\" }
prompt ask(question: string) -> [Bug] by helper { user \"${question}\" }
fn Bug.urgent(self, least: int = LIMIT) -> bool { (self.line ?? 0) > least }
workflow main(dir: string) -> [Bug] ! Broken | IoError | ModelError {
  state seen: int = 0
  let found = parallel for file in fs.glob(dir) limit 2 { step \"look ${file}\" { ask(fs.read(file)) } }
  let all = found.flatten().filter(bug => bug.urgent(least: 2))
  for _ in all { seen += 1 }
  let (a, b) = (seen, all.len())
  if a != b { fail Broken(\"count\") }
  match all.first() {
    Bug { level: High(reason), title, .. } => log.info(\"${reason} ${title}\")
    _ => log.info(\"none\")
  }
  all
}
";
    let mut before = fixture(program);
    let original = before.file.text(&before.db).clone();
    let reports = gsw_ide::diagnostics(&before.db, before.file);
    assert!(reports.is_empty(), "{reports:#?}");
    let mut tried = 0;
    for offset in 0..original.len() {
        let at = u32::try_from(offset).unwrap();
        let found = gsw_ide::prepare_rename(&before.db, before.file, at);
        let Some(Renamable { name, .. }) = found.ok().filter(|it| it.span.start == at) else {
            continue;
        };
        let new = match name.chars().all(|it| it.is_ascii_uppercase()) {
            true => "OTHER".to_owned(),
            false => format!("{name}_other").replace(
                "_other",
                if name.starts_with(char::is_uppercase) {
                    "Other"
                } else {
                    "_other"
                },
            ),
        };
        let edits = gsw_ide::rename(&mut before.db, before.file, at, &new).expect("it is free");
        let text = before.edited(&edits);
        let file = before.file;
        file.set_text(&mut before.db).to(text.as_str().into());
        let reports = gsw_ide::diagnostics(&before.db, file);
        assert!(
            reports.is_empty(),
            "{name} at {offset}: {reports:#?}\n{text}"
        );
        file.set_text(&mut before.db).to(original.clone());
        tried += 1;
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn names_in_what_does_not_parse_follow_or_refuse() {
    same(
        &renamed(
            "fn f(a<|>bc: int) -> int {\n  let y = abc +\n  let z = foo(abc, \n  if abc > { 1 }\n  await . abc\n  abc\n}",
            "q",
        ),
        "fn f(q: int) -> int {\n  let y = q +\n  let z = foo(q, \n  if q > { 1 }\n  await . q\n  q\n}",
    );
    same(
        &renamed(
            "fn a<|>bc() -> int { 1 }\nfn g( -> int { abc() }\nfn h() -> int { \"${abc( \" }",
            "q",
        ),
        "fn q() -> int { 1 }\nfn g( -> int { q() }\nfn h() -> int { \"${q( \" }",
    );
    same(
        &renamed(
            "import ./b\nfn f() {\n  let x = = b.abc()\n  b.a<|>bc()\n}\n//- b.gsw\nfn abc() {}",
            "q",
        ),
        "//- b.gsw\nfn q() {}//- main.gsw\nimport ./b\nfn f() {\n  let x = = b.q()\n  b.q()\n}",
    );
    same(
        &renamed(
            "type R { a<|>bc: int }\nenum E { Abc }\nfn f(r: R) -> int {\n  let y = = r.abc\n  foo(r.abc,\n}",
            "q",
        ),
        "type R { q: int }\nenum E { Abc }\nfn f(r: R) -> int {\n  let y = = r.q\n  foo(r.q,\n}",
    );
    same(
        &renamed("enum E { A<|>bc }\nfn g() { let x = = E.Abc }", "Q"),
        "enum E { Q }\nfn g() { let x = = E.Q }",
    );
    // A variable of the same name that is another.
    same(
        &renamed(
            "fn f(a<|>bc: int) -> int { abc }\nfn g(abc: int) -> int { abc + }",
            "q",
        ),
        "fn f(q: int) -> int { q }\nfn g(abc: int) -> int { abc + }",
    );
    for text in [
        "type R { a<|>bc: int }\nfn f(rs: [R]) -> int {\n  let y = = rs[0].abc\n  rs[0].abc\n}",
        "type R { a<|>bc: int }\nfn f(abc: int) -> R {\n  let y = = R { abc }\n  R { abc }\n}",
        "fn f(a<|>bc: int) -> int { abc }\nfn g() { let x = = f(abc: 1) }",
        "type R { x: int }\nfn R.a<|>bc(self) {}\nfn g(r: R) { let x = = r.abc() }",
        "enum E { A<|>bc }\nfn g() { let x = = b.E.Abc }",
    ] {
        let why = renamed(text, if text.contains("Abc") { "Q" } else { "q" });
        assert!(why.contains("does not parse"), "{text}: {why}");
    }
}

#[test]
fn a_short_field_of_what_is_unknown_keeps_its_name() {
    same(
        &renamed(
            "fn f(fault: int) -> string {\n  let Fault { title<|>, .. } = fault\n  title\n}",
            "name",
        ),
        "fn f(fault: int) -> string {\n  let Fault { title: name, .. } = fault\n  name\n}",
    );
}

#[test]
fn alternatives_bind_one_name() {
    same(
        &renamed(
            "enum S { A(w: int), B(w: int, h: int) }\nfn f(s: S) -> int {\n  match s {\n    A(w) | B(w, _) if w > 1 => w<|>\n    A(w) | B(w: w, ..) => w\n  }\n}",
            "q",
        ),
        "enum S { A(w: int), B(w: int, h: int) }\nfn f(s: S) -> int {\n  match s {\n    A(q) | B(q, _) if q > 1 => q\n    A(w) | B(w: w, ..) => w\n  }\n}",
    );
    same(
        &renamed(
            "fn f(xs: [int]) -> int {\n  match xs {\n    [a] | [a, _] | [_, _, a<|>] => a\n    _ => 0\n  }\n}",
            "q",
        ),
        "fn f(xs: [int]) -> int {\n  match xs {\n    [q] | [q, _] | [_, _, q] => q\n    _ => 0\n  }\n}",
    );
}

#[test]
fn a_type_parameter_is_renamed_in_the_methods_that_name_it() {
    same(
        &renamed(
            "type Box<T<|>> { item: T }\nfn Box.kept(self, other: T) -> Box<T> { Box { item: other } }\nfn Box.map<U>(self, f: fn(T) -> U) -> U { f(self.item) }\nfn other<T>(x: T) -> T { x }",
            "V",
        ),
        "type Box<V> { item: V }\nfn Box.kept(self, other: V) -> Box<V> { Box { item: other } }\nfn Box.map<U>(self, f: fn(V) -> U) -> U { f(self.item) }\nfn other<T>(x: T) -> T { x }",
    );
}

#[test]
fn a_variant_is_not_the_error_of_its_name() {
    same(
        &renamed(
            "enum Status { Open, Fai<|>led(why: string) }\nfn checked(f: fn() -> int ! Failed) -> Status ! Failed {\n  if f() > 3 { fail Failed(\"no\") }\n  Failed(\"its own\")\n}",
            "Broken",
        ),
        "enum Status { Open, Broken(why: string) }\nfn checked(f: fn() -> int ! Failed) -> Status ! Failed {\n  if f() > 3 { fail Failed(\"no\") }\n  Broken(\"its own\")\n}",
    );
}
