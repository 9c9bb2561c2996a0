//! Any text through the lexer, the parser and the checker.
#![no_main]

use std::cell::RefCell;
use std::collections::BTreeMap;

use gsw_source::{Database, File, Project};
use libfuzzer_sys::fuzz_target;
use salsa::Setter;

/// Names are kept for good by a database, so a new one is made after so many texts.
const TEXTS: usize = 2_000;

struct Checker {
    db: Database,
    file: File,
    texts: usize,
}

impl Checker {
    fn new() -> Self {
        let mut db = Database::default();
        let library = gsw_std::MODULES.iter().map(|(path, text)| {
            ((*path).to_owned(), File::new(&db, (*path).into(), (*text).into()))
        });
        let mut modules: BTreeMap<String, File> = library.collect();
        let file = File::new(&db, "main.gsw".into(), "".into());
        modules.insert("main".into(), file);
        Project::new(&mut db, modules, "main".into());
        Self { db, file, texts: 0 }
    }
}

thread_local! {
    static CHECKER: RefCell<Checker> = RefCell::new(Checker::new());
}

fuzz_target!(|text: &str| {
    CHECKER.with_borrow_mut(|checker| {
        if checker.texts == TEXTS {
            *checker = Checker::new();
        }
        checker.texts += 1;
        checker.file.set_text(&mut checker.db).to(text.into());
        gsw_analysis::check_project(&checker.db);
    });
});
