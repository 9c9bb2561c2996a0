//! Imports follow files and folders that are moved.

use std::path::PathBuf;

use crate::fixture::{fixture, same};

/// What becomes of a project when a file or folder is moved, by the contents of those files that change.
const CASES: &[(&str, &str, &str, &str)] = &[
    // The name of the module follows where it is written.
    (
        "import ./geo\nfn f() -> int { geo.area() }\n//- geo.gsw\nfn area() -> int { 1 }\n",
        "geo.gsw",
        "shapes.gsw",
        "import ./shapes\nfn f() -> int { shapes.area() }\n",
    ),
    (
        "import ./geo.{area}\nfn f() -> int { area() }\n//- geo.gsw\nfn area() -> int { 1 }\n",
        "geo.gsw",
        "deep/geo.gsw",
        "import ./deep/geo.{area}\nfn f() -> int { area() }\n",
    ),
    (
        "import ./geo as g\nfn f() -> int { g.area() }\n//- geo.gsw\nfn area() -> int { 1 }\n",
        "geo.gsw",
        "shapes.gsw",
        "import ./shapes as g\nfn f() -> int { g.area() }\n",
    ),
    // The new name is another thing's, or none.
    (
        "import ./geo\nfn f(shapes: int) -> int { geo.area() + shapes }\n//- geo.gsw\nfn area() -> int { 1 }\n",
        "geo.gsw",
        "shapes.gsw",
        "import ./shapes as geo\nfn f(shapes: int) -> int { geo.area() + shapes }\n",
    ),
    (
        "import ./geo\nfn f() -> int { geo.area() }\n//- geo.gsw\nfn area() -> int { 1 }\n",
        "geo.gsw",
        "match.gsw",
        "import ./match as geo\nfn f() -> int { geo.area() }\n",
    ),
    // What the file itself imports.
    (
        "import ./geo\nimport std/fs\nfn f() -> int { geo.area() + fs.read(\"a\").len() }\n//- geo.gsw\nfn area() -> int { 1 }\n",
        "main.gsw",
        "app/main.gsw",
        "import ../geo\nimport std/fs\nfn f() -> int { geo.area() + fs.read(\"a\").len() }\n",
    ),
    // A folder, whose files stay beside each other.
    (
        "import ./lib/a\nfn f() -> int { a.one() }\n//- lib/a.gsw\nimport ./b\nfn one() -> int { b.two() }\n//- lib/b.gsw\nfn two() -> int { 2 }\n",
        "lib",
        "parts/lib",
        "import ./parts/lib/a\nfn f() -> int { a.one() }\n",
    ),
];

/// What else names files: skills, cassettes, and the entry of the project.
#[test]
fn paths_lead_to_files_where_they_go() {
    let text = r#"
agent a { model: "sim/x" skills: ["./skills/one"] }
test "t" cassette "tapes/t.jsonl" { }
//- skills/one/SKILL.md
---
name: one
description: One.
---
//- gsw.toml
entry = "main.gsw"
"#;
    let after = |old: &str, new: &str| {
        let it = fixture(text);
        let root = PathBuf::from("/project");
        let moved = [(root.join(old), root.join(new))];
        let edits = gsw_ide::will_rename_files(&it.db, &moved);
        let texts = edits.into_iter().map(|it| it.text);
        texts.collect::<Vec<String>>()
    };
    assert_eq!(after("skills", "docs/skills"), ["\"./docs/skills/one\""]);
    assert_eq!(after("tapes", "old"), ["\"./old/t.jsonl\""]);
    let moved = [
        "\"app/main.gsw\"",
        "\"../skills/one\"",
        "\"../tapes/t.jsonl\"",
    ];
    assert_eq!(after("main.gsw", "app/main.gsw"), moved);
    assert_eq!(after("main.gsw", "other.gsw"), ["\"other.gsw\""]);
    assert_eq!(after("none.gsw", "other.gsw"), Vec::<String>::new());
}

#[test]
fn imports_lead_to_files_where_they_go() {
    for (text, old, new, wanted) in CASES {
        let it = fixture(text);
        let root = PathBuf::from("/project");
        let moved = [(root.join(old), root.join(new))];
        let edits = gsw_ide::will_rename_files(&it.db, &moved);
        same(&it.edited(&edits), wanted);
    }
}

/// The path that the module at the cursor gets, or why it has none.
fn moved(text: &str, new: &str) -> Result<Option<String>, String> {
    let it = fixture(text);
    let found = gsw_ide::moved_module(&it.db, it.file, it.offset, new)?;
    Ok(found.map(|it| it.new.to_string_lossy().into_owned()))
}

#[test]
fn a_module_is_renamed_by_its_name() {
    let library = "//- sub/geo.gsw\nfn area() -> int { 1 }\n//- sub/line.gsw\nfn f() {}\n";
    for named in [
        "import ./sub/g<|>eo\nfn f() -> int { geo.area() }",
        "import ./sub/geo\nfn f() -> int { ge<|>o.area() }",
        "import ./sub/geo<|>.{area}\nfn f() -> int { area() }",
        "import ./sub/geo<|> as g\nfn f() -> int { g.area() }",
    ] {
        let text = format!("{named}\n{library}");
        let it = fixture(&text);
        let found = gsw_ide::prepare_rename(&it.db, it.file, it.offset).expect("a module");
        let (start, end) = (found.span.start as usize, found.span.end as usize);
        assert_eq!(&it.file.text(&it.db)[start..end], "geo", "{named}");
        assert_eq!(found.kind, gsw_ide::RenamableKind::Module);
        assert_eq!(
            moved(&text, "shapes"),
            Ok(Some("/project/sub/shapes.gsw".into()))
        );
    }
    let alias = format!("import ./sub/geo as g\nfn f() -> int {{ g<|>.area() }}\n{library}");
    assert_eq!(moved(&alias, "shapes"), Ok(None));
    let named = format!("import ./sub/geo<|>\n{library}");
    let refused = |text: &str, new| moved(text, new).expect_err("it cannot");
    assert_eq!(
        refused(&named, "line"),
        "there is a module `line` beside it already"
    );
    assert_eq!(refused(&named, "match"), "`match` is a reserved word");
    assert_eq!(
        refused("import std/fs<|>", "files"),
        "`fs` is a module of the standard library, which cannot be changed"
    );
}
