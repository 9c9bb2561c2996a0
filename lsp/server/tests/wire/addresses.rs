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
