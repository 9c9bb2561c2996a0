//! Files by the paths that an editor has for them.

use serde_json::json;

use super::Editor;
use crate::program::{scratch, text};

#[test]
fn a_file_that_is_imported_from_above_has_the_path_of_the_editor() {
    let folder = scratch("debugger_addresses");
    let (main, lib) = (folder.join("a/main.gsw"), folder.join("lib.gsw"));
    std::fs::create_dir_all(folder.join("a")).expect("scratch can be written");
    let program = "import ../lib\n\nworkflow main() -> int {\n  lib.one()\n}\n";
    std::fs::write(&main, program).expect("scratch can be written");
    let library = "fn one() -> int {\n  let y = 1\n  y + 1\n}\n";
    std::fs::write(&lib, library).expect("scratch can be written");
    let mut editor = Editor::new(&folder);
    editor.launch(json!({"program": text(&main)}));
    let set = editor.lines(&lib, &[3]);
    assert_eq!(set[0]["verified"], true, "{set:#}");
    editor.begin();
    editor.stopped();
    let stack = editor.told("stackTrace", json!({"threadId": 1}));
    let lib = lib.canonicalize().expect("it was written");
    assert_eq!(stack["stackFrames"][0]["source"]["path"], text(&lib));
    editor.leave();
}
