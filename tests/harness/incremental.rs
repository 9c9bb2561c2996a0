//! The walls of the front end: which queries must not run again after which edit.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gsw_source::{Database, File, Files};
use salsa::Setter;

const ENTRY: &str = "import ./lib

fn first(n: int) -> int { n + 1 }

fn second(n: int) -> int { first(n) * 2 }

workflow main() -> int { second(lib.third(1)) }

mcp shop = stdio(\"shop\")

tool buy(n: int) -> json by shop

tool sell(n: int) -> json by shop

workflow trade() -> [json] { [buy(1), sell(2)] }
";

const LIBRARY: &str = "fn third(n: int) -> int { n * 3 }\n";

/// Two files that are nowhere on disk.
struct Two;

impl Files for Two {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        match path.file_name().and_then(|name| name.to_str()) {
            Some("main.gsw") => Ok(ENTRY.into()),
            Some("lib.gsw") => Ok(LIBRARY.into()),
            _ => Err("does not exist".into()),
        }
    }

    fn below(&self, _: &Path) -> Result<Vec<String>, String> {
        Err("does not exist".into())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/project").join(path)
    }
}

/// A checked project that writes down which queries run.
struct Watched {
    db: Database,
    entry: File,
    log: Arc<Mutex<Vec<String>>>,
}

fn watched() -> Watched {
    let log = Arc::new(Mutex::new(Vec::new()));
    let listener = {
        let log = Arc::clone(&log);
        move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                log.lock()
                    .expect("no test panics while it holds the log")
                    .push(format!("{database_key:?}"));
            }
        }
    };
    let mut db = Database::with_listener(Box::new(listener));
    let entry = gsw_project::open_project(&mut db, Path::new("main.gsw"), &Two)
        .expect("the entry is there");
    let mut watched = Watched { db, entry, log };
    watched.check();
    watched
}

impl Watched {
    fn check(&mut self) {
        let reports = gsw_analysis::check_project(&self.db);
        assert!(reports.is_empty(), "{reports:?}");
    }

    /// Edits the entry, checks again, and gives the names of the queries that ran, each as often as it did.
    fn after(&mut self, from: &str, to: &str) -> Vec<String> {
        self.log
            .lock()
            .expect("no test panics while it holds the log")
            .clear();
        let text = self.entry.text(&self.db).replace(from, to);
        assert_ne!(
            text.as_str(),
            &**self.entry.text(&self.db),
            "the edit changes something"
        );
        self.entry.set_text(&mut self.db).to(text.as_str().into());
        self.check();
        let log = self
            .log
            .lock()
            .expect("no test panics while it holds the log");
        log.iter()
            .map(|line| line.split('(').next().unwrap_or_default().to_owned())
            .collect()
    }
}

fn count(ran: &[String], query: &str) -> usize {
    ran.iter().filter(|it| it.ends_with(query)).count()
}

#[test]
fn an_edit_in_one_body_infers_one_body() {
    let mut project = watched();
    let ran = project.after("n + 1", "n + 10");
    assert_eq!(count(&ran, "parse_file"), 1, "{ran:?}");
    assert_eq!(count(&ran, "infer_item"), 1, "{ran:?}");
    // The head of the edited item turns out as before, so that no query that reads it runs again.
    assert_eq!(count(&ran, "item_head"), 1, "{ran:?}");
    assert_eq!(count(&ran, "item_signature"), 0, "{ran:?}");
    assert_eq!(count(&ran, "module_scope"), 0, "{ran:?}");
    assert_eq!(count(&ran, "type_declaration"), 0, "{ran:?}");
}

#[test]
fn an_edit_that_only_moves_things_infers_nothing() {
    let mut project = watched();
    let ran = project.after("fn first", "\n\n// A remark.\nfn first");
    assert_eq!(count(&ran, "parse_file"), 1, "{ran:?}");
    assert_eq!(count(&ran, "infer_item"), 0, "{ran:?}");
    assert_eq!(count(&ran, "item_signature"), 0, "{ran:?}");
}

#[test]
fn an_edit_of_a_signature_infers_those_who_call_it() {
    let mut project = watched();
    let ran = project.after(
        "fn first(n: int) -> int { n + 1 }",
        "fn first(n: int, m: int = 1) -> int { n + m }",
    );
    // `first` itself and `second`, which calls it; `main` and `third` do not.
    assert_eq!(count(&ran, "infer_item"), 2, "{ran:?}");
}

/// A file that `gswc mcp lock` has made declares thousands: were each to look at all, checking it would take time by their square.
#[test]
fn a_tool_of_a_server_looks_at_no_other_one() {
    let mut project = watched();
    let ran = project.after("tool sell(n: int)", "tool sell(n: int, m: int = 1)");
    // `sell` itself and `trade`, which calls it; `buy` does not.
    assert_eq!(count(&ran, "infer_item"), 2, "{ran:?}");
}
