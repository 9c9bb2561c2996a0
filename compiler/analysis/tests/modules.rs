//! Programs of several files: imports, cycles, privacy, and errors that cross modules.

use std::collections::BTreeMap;

use gsw_analysis::{check_project, item_summary};
use gsw_names::module_scope;
use gsw_source::{Database, File, Project};
use gsw_syntax::locate;

/// A project of these modules and the library; the first is the entry.
fn opened(modules: &[(&str, &str)]) -> (Database, BTreeMap<String, File>) {
    let db = Database::default();
    let all = gsw_std::MODULES.iter().chain(modules);
    let files: BTreeMap<String, File> = all
        .map(|(path, text)| {
            (
                (*path).to_string(),
                File::new(&db, format!("{path}.gsw").into(), (*text).into()),
            )
        })
        .collect();
    Project::new(&db, files.clone(), modules[0].0.into());
    (db, files)
}

/// What is reported, as `file: code message`.
fn reports(modules: &[(&str, &str)]) -> Vec<String> {
    let (db, _) = opened(modules);
    let found = check_project(&db);
    let shown = found.iter().map(|it| {
        let path = locate(&db, it.place).0.path(&db).display().to_string();
        format!("{path}: {} {}", it.code.name(), it.message)
    });
    shown.collect()
}

#[test]
fn names_types_variants_and_methods_come_from_other_modules() {
    let found = reports(&[
        (
            "main",
            "import ./lib/shapes.{Shape, area as size}\nimport ./lib/shapes as s\n\
             workflow main() -> float {\n  let c: s.Shape = Circle(2.0)\n  size(c) + c.doubled() + s.area(Dot)\n}\n\
             fn f(x: Shape) -> int { match x { Dot => 0, s.Shape.Circle(_) => 1 } }\n",
        ),
        (
            "lib/shapes",
            "enum Shape { Dot, Circle(r: float) }\nfn area(s: Shape) -> float { match s { Dot => 0.0, Circle(r) => r } }\n\
             fn Shape.doubled(self) -> float { area(self) * 2.0 }\n",
        ),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_cycle_of_imports_is_reported_once_and_shown() {
    let found = reports(&[
        (
            "a",
            "import ./b\nfn f() -> int { b.g() }\nworkflow main() -> int { f() }\n",
        ),
        ("b", "import ./c\nfn g() -> int { c.h() }\n"),
        ("c", "import ./a\nfn h() -> int { a.f() }\n"),
    ]);
    assert_eq!(
        found,
        [
            "a.gsw: import-cycle modules import each other in a cycle: `a.gsw` → `b.gsw` → `c.gsw` → `a.gsw`"
        ]
    );
}

#[test]
fn what_is_private_stays_in_its_module() {
    let found = reports(&[
        (
            "main",
            "import ./lib.{hidden}\nimport ./lib\nfn f() -> int { lib.hidden() }\n",
        ),
        (
            "lib",
            "private fn hidden() -> int { 1 }\nfn shown() -> int { hidden() }\n",
        ),
    ]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found.iter().all(|it| it.contains("private-name")),
        "{found:?}"
    );
}

#[test]
fn errors_and_effects_cross_modules() {
    let (db, files) = opened(&[
        (
            "main",
            "import ./lib.{load}\nworkflow main() -> string { load(\"x\") }\n",
        ),
        (
            "lib",
            "import std/fs\nerror Missing(path)\nfn load(p: string) -> string { if fs.exists(p) { fs.read(p) } else { fail Missing(p) } }\n",
        ),
    ]);
    let main = module_scope(&db, files["main"]).items["main"];
    let summary = item_summary(&db, main);
    let errors: Vec<&str> = summary
        .item
        .errors
        .kinds
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let effects: Vec<&str> = summary.item.effects.iter().map(|it| it.name()).collect();
    assert_eq!(errors, ["IoError", "Missing"]);
    assert_eq!(effects, ["fs.read"]);
}
