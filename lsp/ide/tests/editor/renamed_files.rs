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
