//! Documents by other addresses than those of files, and files by two.

use serde_json::{Value, json};

use crate::client::{Client, codes, folder, uri};

const MAIN: &str = "import ./geo\nworkflow main() -> int { geo.two() }\n";
const GEO: &str = "fn two() -> int { 2 }\n";
const TEXT: &str = "fn two() -> string { \"2\" }\n";

#[test]
fn a_folder_that_is_reached_through_a_link_is_one_folder() {
    let root = folder(
        "links",
        &[
            ("own/gsw.toml", ""),
            ("own/main.gsw", MAIN),
            ("own/geo.gsw", GEO),
        ],
    );
    std::os::unix::fs::symlink(root.join("own"), root.join("link")).expect("links can be made");
    let folders = ["link", "own"].map(|it| json!({ "uri": uri(&root.join(it)), "name": it }));
    let mut client = Client::with(&json!({ "capabilities": {}, "workspaceFolders": folders }));
    let (main, geo) = (
        uri(&root.join("link/main.gsw")),
        uri(&root.join("own/geo.gsw")),
    );
    client.open(&main, MAIN);
    assert_eq!(client.published(&main), Vec::<Value>::new());
    client.open(&geo, TEXT);
    assert_eq!(codes(&client.published(&main)), ["type-mismatch"]);
    let found = client.at("textDocument/definition", &main, 1, 29);
    assert_eq!(found["uri"], geo.as_str());
    let all = client.ask("workspace/symbol", &json!({ "query": "two" }))["result"].take();
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all:#}");
    // Two documents of one file have edits of their own.
    let twin = uri(&root.join("link/geo.gsw"));
    client.open(&twin, GEO);
    client.change(&geo, 2, &json!([{ "text": TEXT.replace("two", "three") }]));
    for (of, name) in [(&twin, "two"), (&geo, "three")] {
        let outline = client.about("textDocument/documentSymbol", of);
        assert_eq!(outline[0]["name"], name);
    }
    client.quit();
}

#[test]
fn what_is_named_from_a_folder_around_is_found_from_the_one_inside() {
    let inner = "fn c() -> int { 1 }\n";
    let outer = "import ./in/c\nfn b() -> int { c.c() }\n";
    let root = folder("nested", &[("in/c.gsw", inner), ("b.gsw", outer)]);
    let both = [root.join("in"), root.clone()];
    for order in [[0, 1], [1, 0]] {
        let folders = order.map(|it| json!({ "uri": uri(&both[it]), "name": "it" }));
        let mut client = Client::with(&json!({ "capabilities": {}, "workspaceFolders": folders }));
        let file = uri(&root.join("in/c.gsw"));
        client.open(&file, inner);
        let asked = json!({
            "textDocument": { "uri": file },
            "position": { "line": 0, "character": 3 },
            "context": { "includeDeclaration": true },
        });
        let found = client.ask("textDocument/references", &asked)["result"].take();
        assert_eq!(found.as_array().map(Vec::len), Some(2), "{found:#}");
        client.quit();
    }
}

#[test]
fn a_version_of_a_file_is_no_file() {
    let root = folder(
        "versions",
        &[("gsw.toml", ""), ("main.gsw", MAIN), ("geo.gsw", GEO)],
    );
    let main = uri(&root.join("main.gsw"));
    let mut client = Client::start();
    client.open(&main, MAIN);
    assert_eq!(client.published(&main), Vec::<Value>::new());
    let [old, older] = ["~", "HEAD~2"].map(|it| main.replace("file://", "git:") + "?" + it);
    client.open(&old, &MAIN.replace("two", "one"));
    assert_eq!(client.published(&old), Vec::<Value>::new());
    client.open(
        &older,
        &MAIN
            .replace("main", "mean")
            .replace("geo.two()", "lenght(1)"),
    );
    // What no other file decides is reported.
    assert!(codes(&client.published(&older)).contains(&"unknown-name".to_owned()));
    let name = |client: &mut Client, of: &str| {
        let outline = client.about("textDocument/documentSymbol", of);
        outline[0]["name"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(name(&mut client, &old), "main");
    assert_eq!(name(&mut client, &older), "mean");
    assert_eq!(client.about("textDocument/codeLens", &old), json!([]));
    client.close(&older);
    assert_eq!(name(&mut client, &old), "main");
    assert_eq!(name(&mut client, &main), "main");
    assert_ne!(client.about("textDocument/codeLens", &main), json!([]));
    client.quit();
}

#[test]
fn edits_without_a_version_count() {
    let mut client = Client::start();
    let file = "untitled:Untitled-1";
    let document = json!({ "uri": file, "languageId": "gsw", "text": GEO });
    client.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    assert_eq!(client.published(file), Vec::<Value>::new());
    for document in [
        json!({ "uri": file, "version": null }),
        json!({ "uri": file }),
    ] {
        let edit = json!({ "range": { "start": { "line": 0, "character": 3 },
            "end": { "line": 0, "character": 3 } }, "text": "x" });
        let change = json!({ "textDocument": document, "contentChanges": [edit] });
        client.tell("textDocument/didChange", &change);
    }
    let outline = client.about("textDocument/documentSymbol", file);
    assert_eq!(outline[0]["name"], "xxtwo");
    client.quit();
}

/// A file outside of the root, which an import reaches by `..`, is the one that is open.
#[test]
fn a_file_beside_the_root_has_one_address() {
    let root = folder(
        "beside",
        &[
            ("a/gsw.toml", ""),
            (
                "a/main.gsw",
                "import ../geo\nworkflow main() -> int { geo.two() }\n",
            ),
            ("geo.gsw", GEO),
        ],
    );
    let (main, geo) = (uri(&root.join("a/main.gsw")), uri(&root.join("geo.gsw")));
    let mut client = Client::start();
    client.open(&geo, &format!("// unsaved\n{TEXT}"));
    assert_eq!(client.published(&geo), Vec::<Value>::new());
    client.open(
        &main,
        "import ../geo\nworkflow main() -> int { geo.two() }\n",
    );
    assert_eq!(codes(&client.published(&main)), ["type-mismatch"]);
    let found = client.at("textDocument/definition", &main, 1, 29);
    assert_eq!(found["uri"], geo.as_str());
    assert_eq!(found["range"]["start"]["line"], 1);
    let rename = json!({
        "textDocument": { "uri": main }, "position": { "line": 1, "character": 29 }, "newName": "three",
    });
    let edits = client.ask("textDocument/rename", &rename)["result"]["changes"].take();
    assert_eq!(
        edits.as_object().map(serde_json::Map::len),
        Some(2),
        "{edits:#}"
    );
    assert_eq!(edits[&main].as_array().map(Vec::len), Some(1), "{edits:#}");
    assert_eq!(edits[&geo][0]["range"]["start"]["line"], 1);
    client.quit();
}

/// Of two projects that share a file both are renamed in.
#[test]
fn a_rename_in_a_shared_file_is_one_in_all_projects() {
    let program = "import ../geo\nworkflow main() -> int { geo.two() }\n";
    let root = folder(
        "shared",
        &[
            ("a/gsw.toml", ""),
            ("a/main.gsw", program),
            ("b/gsw.toml", ""),
            ("b/main.gsw", program),
            ("geo.gsw", GEO),
        ],
    );
    let [a, b, geo] = ["a/main.gsw", "b/main.gsw", "geo.gsw"].map(|it| uri(&root.join(it)));
    let mut client = Client::start();
    client.open(&a, program);
    client.open(&b, program);
    for it in [&a, &b] {
        assert_eq!(client.published(it), Vec::<Value>::new());
    }
    let rename = json!({
        "textDocument": { "uri": a }, "position": { "line": 1, "character": 29 }, "newName": "three",
    });
    let edits = client.ask("textDocument/rename", &rename)["result"]["changes"].take();
    for it in [&a, &b, &geo] {
        assert_eq!(edits[it].as_array().map(Vec::len), Some(1), "{edits:#}");
    }
    let taken = program
        .replace("../geo", "../geo.{two}")
        .replace("geo.two", "two");
    client.change(
        &b,
        2,
        &json!([{ "text": taken + "\nfn three() -> int { 3 }\n" }]),
    );
    let refused = client.ask("textDocument/rename", &rename);
    let why = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(why.contains("already has a `three`"), "{refused}");
    client.quit();
}

/// Editors take a mark of the byte order for no character.
#[test]
fn a_mark_of_the_byte_order_on_disk_is_not_counted() {
    let root = folder(
        "mark",
        &[
            ("gsw.toml", ""),
            ("main.gsw", MAIN),
            (
                "geo.gsw",
                &format!("\u{feff}{}", TEXT.replace("\"2\"", "2")),
            ),
        ],
    );
    let (main, geo) = (uri(&root.join("main.gsw")), uri(&root.join("geo.gsw")));
    let mut client = Client::start();
    client.open(&main, MAIN);
    let reports = client.published(&geo);
    assert_eq!(
        reports[0]["range"]["start"]["character"], 21,
        "{reports:#?}"
    );
    let found = client.at("textDocument/definition", &main, 1, 29);
    assert_eq!(found["range"]["start"]["character"], 3);
    let rename = json!({
        "textDocument": { "uri": main }, "position": { "line": 1, "character": 29 }, "newName": "three",
    });
    let edits = client.ask("textDocument/rename", &rename)["result"]["changes"].take();
    assert_eq!(
        edits[&geo][0]["range"]["start"]["character"], 3,
        "{edits:#}"
    );
    // One that an editor sends is a character of its text.
    client.open(&geo, &format!("\u{feff}{GEO}"));
    let found = client.at("textDocument/definition", &main, 1, 29);
    assert_eq!(found["range"]["start"]["character"], 4);
    client.close(&geo);
    let found = client.at("textDocument/definition", &main, 1, 29);
    assert_eq!(found["range"]["start"]["character"], 3);
    client.quit();
}
