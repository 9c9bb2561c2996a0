//! Files that are there and are no text to look at: what is said of them, and that everything else goes on.

use serde_json::{Value, json};

use crate::client::{Client, codes, folder, uri, write};

const MAIN: &str = "import ./lib\nworkflow main() -> int { lib.f() }\n";
const LIB: &str = "fn f() -> int { 1 }\n";

fn asks(root: &std::path::Path) -> Client {
    let folders = json!([{ "uri": uri(root), "name": "unreadable" }]);
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    Client::with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }))
}

/// The first line of each report about a document.
fn said(client: &mut Client, uri: &str) -> Vec<String> {
    let report = client.about("textDocument/diagnostic", uri);
    let all = report["items"].as_array().expect("reports are a list");
    let message = |it: &Value| it["message"].as_str().map(str::to_owned);
    let lines = all.iter().filter_map(message);
    lines
        .map(|it| it.lines().next().unwrap_or_default().to_owned())
        .collect()
}

fn changed(client: &mut Client, path: &std::path::Path) {
    let change = json!({ "changes": [{ "uri": uri(path), "type": 2 }] });
    client.tell("workspace/didChangeWatchedFiles", &change);
}

fn whole(client: &mut Client, uri: &str, version: u64, text: &str) {
    client.change(uri, version, &json!([{ "text": text }]));
}

#[test]
fn an_import_of_a_file_that_is_no_text_says_so_until_it_is_one() {
    let root = folder("no-text", &[("gsw.toml", ""), ("main.gsw", MAIN)]);
    let (main, lib) = (uri(&root.join("main.gsw")), root.join("lib.gsw"));
    std::fs::write(&lib, b"fn f() -> int { \xff }\n").expect("it can be written");
    let mut client = asks(&root);
    client.open(&main, MAIN);
    let no_text = "the file of module `./lib` is not UTF-8 text: byte 16 is invalid";
    assert_eq!(said(&mut client, &main), [no_text]);
    write(&root, "lib.gsw", LIB);
    changed(&mut client, &lib);
    assert_eq!(said(&mut client, &main), Vec::<String>::new());
    // Also when it was one before.
    std::fs::write(&lib, b"fn f() -> int { \xff }\n").expect("it can be written");
    changed(&mut client, &lib);
    assert_eq!(said(&mut client, &main), [no_text]);
    std::fs::remove_file(&lib).expect("it is there");
    changed(&mut client, &lib);
    assert_eq!(said(&mut client, &main), ["there is no module `./lib`"]);
    std::fs::create_dir(&lib).expect("nothing is there");
    changed(&mut client, &lib);
    let folder = "the file of module `./lib` is a folder, not a `.gsw` file";
    assert_eq!(said(&mut client, &main), [folder]);
    client.quit();
}

/// The file that most projects begin with cannot be read: the others are looked at nevertheless.
#[test]
fn a_project_is_looked_at_without_its_first_file() {
    let files = [
        ("gsw.toml", ""),
        ("other.gsw", "fn f() -> int { nothing }\n"),
    ];
    let root = folder("no-main", &files);
    std::fs::write(root.join("main.gsw"), b"\xff").expect("it can be written");
    let other = uri(&root.join("other.gsw"));
    let mut client = asks(&root);
    client.open(&other, "fn f() -> int { nothing }\n");
    let report = client.about("textDocument/diagnostic", &other);
    let all = report["items"].as_array().expect("reports are a list");
    assert_eq!(codes(all), ["unknown-name"]);
    client.quit();
}

#[test]
fn a_document_that_is_too_large_has_one_report_until_it_is_smaller() {
    let root = folder(
        "large",
        &[("gsw.toml", ""), ("main.gsw", MAIN), ("lib.gsw", LIB)],
    );
    let (main, lib) = (uri(&root.join("main.gsw")), uri(&root.join("lib.gsw")));
    let large = format!("{LIB}{}", "fn g() -> int { nothing }\n".repeat(180_000));
    let mut client = asks(&root);
    client.open(&main, MAIN);
    client.open(&lib, LIB);
    assert_eq!(said(&mut client, &main), Vec::<String>::new());
    whole(&mut client, &lib, 2, &large);
    let why = "has 4.4 MB; in an editor, files of up to 4 MB are checked";
    assert_eq!(said(&mut client, &lib), [format!("this file {why}")]);
    assert_eq!(
        said(&mut client, &main),
        [format!("the file of module `./lib` {why}")]
    );
    // It is still edited, and nothing is found out about it.
    let start = json!({ "line": 0, "character": 0 });
    let change = json!([{ "range": { "start": start, "end": start }, "text": "// a\n" }]);
    client.change(&lib, 3, &change);
    assert_eq!(client.at("textDocument/hover", &lib, 1, 3), Value::Null);
    assert_eq!(client.about("textDocument/formatting", &lib), Value::Null);
    assert_eq!(said(&mut client, &lib), [format!("this file {why}")]);
    let rest = json!({ "line": 2, "character": 0 });
    let end = json!({ "line": 999_999, "character": 0 });
    let change = json!([{ "range": { "start": rest, "end": end }, "text": "" }]);
    client.change(&lib, 4, &change);
    assert_eq!(said(&mut client, &lib), Vec::<String>::new());
    assert_eq!(said(&mut client, &main), Vec::<String>::new());
    client.quit();
}

/// A client that is told has the report too, and it goes with the document.
#[test]
fn a_large_document_that_is_closed_takes_its_report_along() {
    let root = folder("large-closed", &[]);
    let uri = uri(&root.join("main.gsw"));
    let mut client = Client::start();
    client.open(&uri, &"// filler\n".repeat(500_000));
    let found = client.published(&uri);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["end"]["line"], 0);
    client.close(&uri);
    assert_eq!(client.published(&uri), Vec::<Value>::new());
    client.quit();
}
