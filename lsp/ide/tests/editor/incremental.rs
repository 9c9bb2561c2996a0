//! What an edit, and a question about a text that is only begun, do not make the compiler do again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use gsw_source::{Database, Retained};
use salsa::Setter;

use crate::fixture::{Fixture, fixture_in};

const PROGRAM: &str = "
import ./lib
fn first(n: int) -> int { n + 1 }
fn second(n: int) -> int { first(n<|>) * 2 }
workflow main() -> int { second(lib.third(1)) }
//- lib.gsw
fn third(n: int) -> int { n * 3 }
fn fourth(n: int) -> int { third(n) }
";

/// A project that writes down which queries run.
struct Watched {
    it: Fixture,
    log: Arc<Mutex<Vec<String>>>,
}

fn watched() -> Watched {
    watched_in(PROGRAM)
}

fn watched_in(program: &str) -> Watched {
    let log = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&log);
    let listener = move |event: salsa::Event| {
        if let salsa::EventKind::WillExecute { database_key } = event.kind {
            own.lock()
                .expect("no test panics while it holds the log")
                .push(format!("{database_key:?}"));
        }
    };
    let it = fixture_in(Database::with_listener(Box::new(listener)), program);
    let watched = Watched { it, log };
    watched.check();
    watched.ran();
    watched
}

impl Watched {
    /// Checks every file, as the server does after an edit.
    fn check(&self) {
        for file in gsw_ide::own_files(&self.it.db) {
            let reports = gsw_ide::diagnostics(&self.it.db, file);
            assert!(reports.is_empty(), "{reports:#?}");
        }
    }

    /// The queries that have run since it was last asked.
    fn ran(&self) -> Vec<String> {
        let mut log = self
            .log
            .lock()
            .expect("no test panics while it holds the log");
        std::mem::take(&mut *log)
    }
}

fn count(ran: &[String], query: &str) -> usize {
    let named = |it: &&String| {
        let name = it.split('(').next().unwrap_or_default();
        name.rsplit("::").next() == Some(query)
    };
    ran.iter().filter(named).count()
}

#[test]
fn a_keystroke_in_a_body_parses_one_file_and_infers_one_body() {
    let mut project = watched();
    let file = project.it.file;
    let text = file.text(&project.it.db).replace("* 2", "* 20");
    file.set_text(&mut project.it.db).to(text.as_str().into());
    project.check();
    let ran = project.ran();
    assert_eq!(count(&ran, "parse_file"), 1, "{ran:#?}");
    assert_eq!(count(&ran, "infer_item"), 1, "{ran:#?}");
    assert_eq!(count(&ran, "item_signature"), 0, "{ran:#?}");
    assert_eq!(count(&ran, "module_scope"), 0, "{ran:#?}");
    // Nothing to do with it was asked again.
    project.check();
    assert_eq!(project.ran(), Vec::<String>::new());
}

#[test]
fn a_completion_infers_the_item_around_the_cursor_and_no_other() {
    let mut project = watched();
    let Fixture { db, file, offset } = &mut project.it;
    gsw_ide::completion(db, *file, *offset, &[]);
    let ran = project.ran();
    assert_eq!(count(&ran, "infer_item"), 1, "{ran:#?}");
    // The text that was put back is inferred when it is next asked for, and nothing else is.
    project.check();
    let ran = project.ran();
    assert!(count(&ran, "infer_item") <= 1, "{ran:#?}");
    assert_eq!(count(&ran, "item_signature"), 0, "{ran:#?}");
}

/// What is tried with edits that are not made leaves everything as it was, and costs what the edits themselves would.
#[test]
fn what_was_tried_is_put_back() {
    let mut project = watched();
    let Fixture { db, file, offset } = &mut project.it;
    let original = file.text(db).clone();
    let range = gsw_source::Span::new(*offset - "first(n".len() as u32, *offset + 1);
    let actions = gsw_ide::code_action(db, *file, range, |_| true);
    assert_eq!(actions.len(), 2, "{actions:#?}");
    // The edited function in each of the two texts, and in one of them what is added and what sees that there is one more name.
    let ran = project.ran();
    assert_eq!(count(&ran, "infer_item"), 4, "{ran:#?}");
    let Fixture { db, file, offset } = &mut project.it;
    assert_eq!(*file.text(db), original);
    gsw_ide::rename(db, *file, *offset, "m").expect("it is free");
    gsw_ide::rename(db, *file, *offset, "now").expect("nobody asks what time it is");
    assert_eq!(*file.text(db), original);
    project.ran();
    project.check();
    let ran = project.ran();
    // The function whose parameter had another name, and its caller.
    assert_eq!(count(&ran, "infer_item"), 2, "{ran:#?}");
}

#[test]
fn a_keystroke_leaves_what_is_known_of_closed_files_alone() {
    let mut project = watched();
    let file = project.it.file;
    // An open document changes more often than the files on disk.
    let text = file.text(&project.it.db).to_string();
    let edited = |project: &mut Watched, text: &str| {
        file.set_text(&mut project.it.db)
            .with_durability(salsa::Durability::LOW)
            .to(text.into());
        project.check();
        project.ran()
    };
    edited(&mut project, &text.replace("n + 1", "n + 2"));
    let ran = edited(&mut project, &text.replace("n + 1", "n + 3"));
    let of_closed: Vec<&String> = ran
        .iter()
        .filter(|it| it.contains("host_tools") || it.contains("asks_for_trust"))
        .collect();
    // Once for the file that was edited, and never for all.
    assert!(of_closed.len() <= 2, "{of_closed:#?}");
    for query in ["import_cycles", "below", "untrusted_values"] {
        assert_eq!(count(&ran, query), 0, "{ran:#?}");
    }
    assert_eq!(count(&ran, "infer_item"), 1, "{ran:#?}");
    assert_eq!(count(&ran, "check_item"), 1, "{ran:#?}");
    assert_eq!(count(&ran, "item_diagnostics"), 0, "{ran:#?}");
    assert_eq!(count(&ran, "summarize_group"), 1, "{ran:#?}");
}

/// One declaration of each kind, several of most, so that each rule and each lint has something to look at.
const WHOLE: &str = r#"
import std/fs
import ./lib
permissions { fs.read: ["./notes"] }
const LIMIT = 3
type Bug { title: string where it.len() > 0, line: int = 1 }
type Severe = Bug where it.line > 2
enum Level { Low, High(why: string) }
error Lost(why: string)
agent helper { model: "sim/x" system: "You help." tools: [count] hooks: [guard] }
agent judge { model: "sim/y" }
prompt ask(question: string) -> [Bug] by helper { user "${question}" }
prompt rate(bug: Bug) -> float by judge { user "${bug.title}" }
tool count(text: string) -> int pure { text.len() }
tool find(text: string) -> int reads { fs.read("notes/${text}").len() }
hook guard { before_tool(call) { if call.name == "count" { deny("no") } else { allow } } }
human approve(what: string) -> bool timeout 1h { user "${what}?" }
fn Bug.urgent(self) -> bool { self.line > LIMIT }
fn first(n: int) -> int { n + 1<|> }
fn second(n: int) -> int ! Lost { if n > 9 { fail Lost("x") }
  first(n) * 2 }
fn level(n: int) -> Level { if n > 1 { Low } else { High("n") } }
fn spell(level: Level) -> string { match level { Low => "low", High(why) => why } }
workflow nightly() -> int { second(2) catch { Lost(_) => 0 } }
workflow main(dir: string = "notes") -> [string] {
  state seen: int = 0
  let found = parallel for file in fs.glob("${dir}/*") limit 2 {
    step "look ${file}" timeout 2m retry 3 { ask(fs.read(file)) catch { InvalidResponse(_) => [] } }
  }
  var titles: [string] = []
  for bug in found.flatten() {
    if bug.urgent() and rate(bug) > 0.5 { titles = titles + [bug.title] }
    seen += lib.third(1)
  }
  titles
}
test "it" { mock fs.glob(_) -> []; assert main("x") == [] }
test "second" { assert second(1) == 4; assert spell(level(2)) == "low" }
//- lib.gsw
fn third(n: int) -> int { n * 3 }
fn fourth(n: int) -> int { third(n) }
"#;

/// No rule and no lint asks about another body again: whatever is asked is asked once, of the function or of the file that was edited.
#[test]
fn an_edit_in_a_body_checks_that_body_alone() {
    let mut project = watched_in(WHOLE);
    let file = project.it.file;
    let text = file.text(&project.it.db).to_string();
    // As it is when it is opened, and then with other numbers.
    for number in 1..5 {
        let edited = text.replace("n + 1 }", &format!("n + {number} }}"));
        file.set_text(&mut project.it.db)
            .with_durability(salsa::Durability::LOW)
            .to(edited.into());
        project.check();
        let ran = project.ran();
        if number == 1 {
            continue;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for it in &ran {
            *counts
                .entry(it.split('(').next().unwrap_or_default())
                .or_default() += 1;
        }
        assert!(counts.contains_key("infer_item"), "{counts:#?}");
        // Each declaration is cut out of the new text, and nothing goes on from those that are as they were.
        counts.retain(|name, count| *count > 1 && !matches!(*name, "item_ast" | "item_text"));
        assert_eq!(counts, BTreeMap::new(), "{ran:#?}");
    }
}

/// How many bodies are inferred when all are asked for that were checked before and then let go.
fn found_again(functions: usize, retained: Retained) -> usize {
    let names = 0..functions;
    let texts = names.map(|it| format!("fn f{it}(n: int) -> int {{ n + {it} }}\n"));
    let mut project = watched_in(&format!("<|>{}", texts.collect::<String>()));
    gsw_ide::let_go(&mut project.it.db, retained, 0);
    let db = &project.it.db;
    for item in gsw_syntax::file_item_ids(db, project.it.file) {
        gsw_infer::infer_item(db, *item);
    }
    count(&project.ran(), "infer_item")
}

#[test]
fn a_first_check_leaves_the_bodies_of_a_few_items_and_a_later_one_those_of_many() {
    assert!(found_again(400, Retained::Few) > 100);
    assert_eq!(found_again(400, Retained::Many), 0);
}

#[test]
fn what_was_let_go_once_is_kept_by_an_edit() {
    let texts = (0..400).map(|it| format!("fn f{it}(n: int) -> int {{ n + {it} }}\n"));
    let mut project = watched_in(&format!("<|>{}", texts.collect::<String>()));
    let file = project.it.file;
    gsw_ide::let_go(&mut project.it.db, Retained::Few, 0);
    for (index, (old, new)) in [("n + 7 ", "n + 70 "), ("n + 8 ", "n + 80 ")]
        .into_iter()
        .enumerate()
    {
        let text = file.text(&project.it.db).replace(old, new);
        file.set_text(&mut project.it.db).to(text.as_str().into());
        project.check();
        let inferred = count(&project.ran(), "infer_item");
        // The first edit finds again what was let go, the second one has all but the edited body.
        assert_eq!(inferred > 1, index == 0, "{inferred}");
    }
}

/// A program of functions that call the one before them, and the one in the middle with another number.
fn chain(functions: usize, number: usize) -> String {
    let call = |it: usize| match it {
        0 => "n".to_owned(),
        it => format!("f{}(n)", it - 1),
    };
    let middle = |it: usize| if it == functions / 2 { number } else { it };
    let texts = (0..functions).map(|it| {
        format!(
            "fn f{it}(n: int) -> int {{ {} + {} }}\n",
            call(it),
            middle(it)
        )
    });
    texts.collect()
}

#[test]
fn an_edit_of_a_file_of_thousands_of_functions_looks_at_one() {
    // More than the trees that stay of files that are not open.
    let functions = 2_500;
    let mut project = watched_in(&format!("<|>{}", chain(functions, 0)));
    let file = project.it.file;
    gsw_ide::hold(&mut project.it.db, functions);
    for number in [1, 22, 333] {
        let text = chain(functions, number);
        file.set_text(&mut project.it.db).to(text.into());
        project.check();
        let ran = project.ran();
        for query in ["infer_item", "check_item", "foreseen", "summarize_group"] {
            assert_eq!(count(&ran, query), 1, "{query}");
        }
    }
    let before = gsw_syntax::parse_file(&project.it.db, file).clone();
    file.set_text(&mut project.it.db)
        .to(chain(functions, 4_444).into());
    let after = gsw_syntax::parse_file(&project.it.db, file);
    let pairs = before.items.iter().zip(&after.items);
    let parsed = pairs.filter(|(old, new)| !Arc::ptr_eq(&old.item, &new.item));
    assert_eq!(parsed.count(), 1);
}
