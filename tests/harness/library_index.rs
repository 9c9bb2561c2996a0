//! `docs/reference/library-index.md` lists what the library declares.

use std::fmt::Write;
use std::fs;

use gsw_describe::tail;
use gsw_names::is_private;
use gsw_source::{Db, ItemId, ItemKind, Project};
use gsw_syntax::{file_docs, file_item_ids, item_ast};

use crate::in_process::open;
use crate::program::root;

fn index(db: &dyn Db) -> String {
    let mut page = String::from(
        "# Every function of the library

Collected from `std`. A method is a function of the receiver's module: `xs.map(f)` is `list.map(xs, f)`. Behind `!` stands what a function raises; a function parameter adds what it
raises itself. A parameter with `=` may be left out. Examples are in [the language on one page](language.md#standard-library) and, all of them, on the pages that `gswc doc` writes;
`gswc explain fs.read` prints those of one function. Corner cases are in [the library](library.md).
",
    );
    let Some(project) = Project::try_get(db) else {
        return page;
    };
    let modules = project.modules(db).iter();
    for (name, file) in modules.filter(|(name, _)| name.starts_with("std/")) {
        let _ = writeln!(page, "\n## {name}\n");
        if let Some(docs) = file_docs(db, *file) {
            let _ = writeln!(page, "{docs}\n");
        }
        let items = file_item_ids(db, *file).iter().copied();
        let shown: Vec<ItemId> = items
            .filter(|it| is_listed(it.kind(db)) && !is_private(db, *it))
            .collect();
        if !shown.is_empty() {
            page.push_str("| name | what |\n|---|---|\n");
        }
        for item in shown {
            let (head, docs) = (head(db, item), summary(db, item));
            let head = head.replace('|', "\\|");
            let _ = writeln!(page, "| `{head}` | {docs} |");
        }
    }
    page
}

const fn is_listed(kind: ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Function
            | ItemKind::Const
            | ItemKind::Record
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Alias
    )
}

fn head(db: &dyn Db, item: ItemId) -> String {
    let word = match item.kind(db) {
        ItemKind::Function | ItemKind::Const => String::new(),
        kind => format!("{} ", kind.keyword().unwrap_or_default()),
    };
    format!("{word}{}{}", item.name(db), tail(db, item))
}

/// The first paragraph of the docs on one line.
fn summary(db: &dyn Db, item: ItemId) -> String {
    let docs = item_ast(db, item).and_then(|it| it.docs.clone());
    let docs = docs.unwrap_or_default();
    let lines = docs
        .lines()
        .take_while(|it| !it.is_empty() && !it.starts_with("```"));
    lines.collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[test]
fn the_index_of_the_library_is_current() {
    let path = root().join("docs/reference/library-index.md");
    let (db, _) = open("");
    let expected = index(&db);
    if std::env::var_os("ACCEPT").is_some() {
        fs::write(&path, &expected).expect("the repository can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/reference/library-index.md is not what `std` declares; ACCEPT=1 cargo test --test harness library_index writes it anew"
    );
}
