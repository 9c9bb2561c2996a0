//! What the queries hand out, and what an edit leaves alone.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gsw_source::{Database, Db, File, ItemId, ItemKind, Place, Span};
use gsw_syntax::{
    file_docs, file_item_ids, file_syntax_diagnostics, imported_paths, is_damaged, item_ast,
    item_offset, locate,
};
use salsa::Setter;

fn names(db: &dyn Db, file: File) -> Vec<(ItemKind, String)> {
    let ids = file_item_ids(db, file).iter();
    ids.map(|id| (id.kind(db), id.name(db).to_string()))
        .collect()
}

#[test]
fn items_are_known_by_kind_and_name() {
    let db = Database::default();
    let text = "//! About.\nimport std/fs\nfn Bug.urgent(self) {}\ntest \"a b\" {}\nfn f() {}\nfn f() {}\npermissions {}\nfn broken(";
    let file = File::new(&db, "a.gsw".into(), text.into());
    let expected = [
        (ItemKind::Import, "std/fs"),
        (ItemKind::Function, "Bug.urgent"),
        (ItemKind::Test, "a b"),
        (ItemKind::Function, "f"),
        (ItemKind::Function, "f"),
        (ItemKind::Permissions, ""),
        (ItemKind::Function, "broken"),
    ];
    let expected = expected.map(|(kind, name)| (kind, name.to_owned()));
    assert_eq!(names(&db, file), expected);
    let ids = file_item_ids(&db, file);
    assert_eq!((ids[3].occurrence(&db), ids[4].occurrence(&db)), (0, 1));
    assert_eq!(file_docs(&db, file).as_deref(), Some("About."));
    assert_eq!(file_syntax_diagnostics(&db, file).len(), 1);
}

#[test]
fn imports_are_read_without_the_tree_as_with_it() {
    let mut read = 0;
    for folder in ["std", "examples", "tests"] {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder);
        let mut waiting = vec![top];
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).expect("a folder can be listed");
                waiting.extend(entries.map(|it| it.expect("a folder can be listed").path()));
            } else if path.extension().is_some_and(|it| it == "gsw" || it == "md") {
                // Pages hold programs between other text, which is as good a file as any that is being edited.
                let Ok(text) = std::fs::read_to_string(&path) else {
                    continue;
                };
                let db = Database::default();
                let file = File::new(&db, path.clone(), text.into());
                let ids = file_item_ids(&db, file).iter();
                let imports = ids.filter(|it| it.kind(&db) == ItemKind::Import);
                let paths: Vec<_> = imports.map(|it| it.name(&db).clone()).collect();
                assert_eq!(*imported_paths(&db, file), paths, "{}", path.display());
                read += paths.len();
            }
        }
    }
    assert!(read > 200, "{read} imports were read");
}

#[test]
fn places_are_found_again() {
    let db = Database::default();
    let file = File::new(
        &db,
        "a.gsw".into(),
        "fn a() {}\n/// Docs.\nfn b() {}\n".into(),
    );
    let id = file_item_ids(&db, file)[1];
    assert_eq!(item_offset(&db, id), 10);
    let place = Place::Item {
        item: id,
        span: Span::new(10, 12),
    };
    assert_eq!(locate(&db, place), (file, Span::new(20, 22)));
}

#[salsa::tracked]
fn tree_user(db: &dyn Db, id: ItemId) -> bool {
    item_ast(db, id).is_some()
}

#[salsa::tracked]
fn list_user(db: &dyn Db, file: File) -> usize {
    file_item_ids(db, file).len()
}

#[test]
fn an_edit_before_an_item_leaves_its_tree_alone() {
    let executed = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&executed);
    let mut db = Database::with_listener(Box::new(move |event| {
        if let salsa::EventKind::WillExecute { database_key } = event.kind {
            log.lock().unwrap().push(format!("{database_key:?}"));
        }
    }));
    let file = File::new(&db, "a.gsw".into(), "fn a() { 1 }\nfn b() { 2 }\n".into());
    let id = file_item_ids(&db, file)[1];
    tree_user(&db, id);
    list_user(&db, file);
    executed.lock().unwrap().clear();
    file.set_text(&mut db)
        .to("// longer\nfn a() { 1 + 1 }\nfn b() { 2 }\n".into());
    tree_user(&db, id);
    list_user(&db, file);
    let executed = executed.lock().unwrap().join(" ");
    assert!(executed.contains("parse_file"), "{executed}");
    assert!(!executed.contains("tree_user"), "{executed}");
    assert!(!executed.contains("list_user"), "{executed}");
    assert_eq!(item_offset(&db, id), 27);
}

#[test]
fn mistakes_are_found_in_the_items_that_have_them() {
    let db = Database::default();
    let text = "fn a() {}\nfn b() { let x = = 1 }\nfn c() {}\nfn d() { let x = = 1 }\n";
    let file = File::new(&db, "a.gsw".into(), text.into());
    let ids = file_item_ids(&db, file).iter();
    let damaged: Vec<bool> = ids.map(|it| is_damaged(&db, *it)).collect();
    assert_eq!(damaged, [false, true, false, true]);
}

/// Each item is asked about itself: with as many mistakes as items that must not take the one times the other.
#[test]
fn mistakes_are_found_in_long_files_in_time() {
    let time = |count: usize| -> Duration {
        let db = Database::default();
        let function = |it| format!("fn f{it}() {{ let a = = 1 }}\n");
        let text: String = (0..count).map(function).collect();
        let file = File::new(&db, "a.gsw".into(), text.into());
        let ids = file_item_ids(&db, file);
        let begun = Instant::now();
        assert!(ids.iter().all(|it| is_damaged(&db, *it)));
        begun.elapsed()
    };
    let (once, fourfold) = (time(3000), time(12_000));
    assert!(fourfold < once * 9, "{once:?} becomes {fourfold:?}");
}
