//! What holds a session together: documents, folders, files on disk, positions, diagnostics, and everything that goes wrong on a wire.

use gsw_server::Ending;
use serde_json::{Value, json};

use crate::client::{Client, codes, folder, uri, write};

const RIGHT: &str = "fn f() -> int { 1 }\n";
const WRONG: &str = "fn f() -> int { nothing }\n";

#[test]
fn changes_apply_in_order_each_to_what_the_last_one_left() {
    let mut client = Client::start();
    let uri = uri(&folder("sync", &[]).join("main.gsw"));
    client.open(&uri, "fn f() -> int { 1 }\n");
    assert_eq!(client.published(&uri), Vec::<Value>::new());
    let range = |line: u32, from: u32, to: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
    let changes = json!([
        { "range": range(0, 16, 17), "text": "one" },
        { "range": range(0, 0, 0), "text": "// a\n" },
        { "range": range(1, 16, 19), "text": "two" },
    ]);
    client.change(&uri, 2, &changes);
    let found = client.published(&uri);
    assert_eq!(codes(&found), ["unknown-name"]);
    assert!(
        found[0]["message"]
            .as_str()
            .is_some_and(|it| it.contains("`two`"))
    );
    assert_eq!(found[0]["range"], range(1, 16, 19));
    // A range past every end is the end, and a change without one is the whole text.
    let changes = json!([
        { "range": { "start": { "line": 99, "character": 9 }, "end": { "line": 99, "character": 9 } }, "text": "fn g(" },
        { "text": RIGHT },
    ]);
    client.change(&uri, 3, &changes);
    assert_eq!(client.published(&uri), Vec::<Value>::new());
    client.quit();
}

#[test]
fn positions_count_what_was_agreed() {
    for (encoding, character) in [("utf-8", 26), ("utf-16", 24), ("utf-32", 23)] {
        let capabilities = json!({ "general": { "positionEncodings": [encoding] } });
        let mut client = Client::with(&json!({ "capabilities": capabilities }));
        assert_eq!(client.capabilities["positionEncoding"], encoding);
        let uri = uri(&folder("units", &[]).join("main.gsw"));
        client.open(&uri, "fn f() -> int { /* */ 1 }\n");
        client.published(&uri);
        client.change(
            &uri,
            2,
            &json!([{ "text": "fn f() -> string { \"😀\" + nothing }\n" }]),
        );
        let found = client.published(&uri);
        assert_eq!(
            found[0]["range"]["start"]["character"],
            character + 2,
            "{encoding}"
        );
        let change = json!([{
            "range": {
                "start": { "line": 0, "character": character + 2 },
                "end": { "line": 0, "character": character + 9 },
            },
            "text": "\"a\"",
        }]);
        client.change(&uri, 3, &change);
        assert_eq!(client.published(&uri), Vec::<Value>::new(), "{encoding}");
        client.quit();
    }
}

#[test]
fn every_file_of_a_project_is_checked_and_others_follow_an_edit() {
    let root = folder(
        "project",
        &[
            ("gsw.toml", "name = \"demo\"\n"),
            (
                "main.gsw",
                "import ./lib\nworkflow main() -> int { lib.f() }\n",
            ),
            ("lib.gsw", RIGHT),
            ("alone.gsw", WRONG),
        ],
    );
    let folders = json!([{ "uri": uri(&root), "name": "demo" }]);
    let mut client = Client::with(&json!({ "capabilities": {}, "workspaceFolders": folders }));
    let [main, lib, alone] =
        ["main", "lib", "alone"].map(|it| uri(&root.join(format!("{it}.gsw"))));
    assert_eq!(codes(&client.published(&alone)), ["unknown-name"]);
    // `lib` is edited and never saved; `main`, which is not even open, is wrong from then on.
    client.open(&lib, RIGHT);
    client.change(&lib, 2, &json!([{ "text": "fn g() -> int { 1 }\n" }]));
    assert_eq!(codes(&client.published(&main)), ["unknown-name"]);
    // Closing it brings the text on disk back.
    client.close(&lib);
    assert_eq!(client.published(&main), Vec::<Value>::new());
    client.quit();
}

#[test]
fn two_projects_know_nothing_of_each_other() {
    let root = folder(
        "two",
        &[
            ("one/gsw.toml", "[lints]\nunused-variable = \"deny\"\n"),
            ("one/main.gsw", "workflow main() { let x = 1 }\n"),
            ("two/main.gsw", "workflow main() { let x = 1 }\n"),
        ],
    );
    let mut client = Client::start();
    for (name, severity) in [("one", 1), ("two", 2)] {
        let uri = uri(&root.join(name).join("main.gsw"));
        client.open(&uri, "workflow main() { let x = 1 }\n");
        let found = client.published(&uri);
        assert_eq!(codes(&found), ["unused-variable"], "{name}");
        assert_eq!(found[0]["severity"], severity, "{name}");
    }
    client.quit();
}

#[test]
fn a_document_of_a_large_project_has_its_own_mistakes_first() {
    let text = "import ./m0\nimport ./m1\nfn f() -> int { \"a\" }\nfn h() -> int { m0.next(1) }\n";
    let names: Vec<String> = (0..80).map(|it| format!("m{it}.gsw")).collect();
    let sources: Vec<String> = (1..=80)
        .map(|it| match it {
            80 => "fn next(n: int) -> int { n + 1 }\n".to_owned(),
            _ => format!("import ./m{it}\nfn next(n: int) -> int {{ m{it}.next(n) }}\n"),
        })
        .collect();
    let listed = names.iter().zip(&sources);
    let mut files: Vec<(&str, &str)> = listed.map(|(name, it)| (&**name, &**it)).collect();
    files.extend([("gsw.toml", ""), ("main.gsw", text)]);
    let root = folder("large", &files);
    let mut client = Client::start();
    let main = uri(&root.join("main.gsw"));
    client.open(&main, text);
    assert_eq!(codes(&client.published(&main)), ["type-mismatch"]);
    // What needs the whole project follows.
    let found = client.published(&main);
    let all = codes(&found);
    assert!(
        all.len() > 1 && all.contains(&"unused-import".to_owned()),
        "{all:?}"
    );
    client.quit();
}

#[test]
fn files_that_come_change_and_go_on_disk_are_noticed() {
    let root = folder(
        "disk",
        &[(
            "main.gsw",
            "import ./lib\nworkflow main() -> int { lib.f() }\n",
        )],
    );
    let mut client = Client::start();
    let main = uri(&root.join("main.gsw"));
    client.open(&main, "import ./lib\nworkflow main() -> int { lib.f() }\n");
    assert_eq!(codes(&client.published(&main))[0], "unknown-module");
    let lib = root.join("lib.gsw");
    let on_disk = |client: &mut Client, text: Option<&str>| {
        match text {
            Some(text) => write(&root, "lib.gsw", text),
            None => std::fs::remove_file(&lib).expect("it is there"),
        }
        let change = json!({ "changes": [{ "uri": uri(&lib), "type": 2 }] });
        client.tell("workspace/didChangeWatchedFiles", &change);
    };
    on_disk(&mut client, Some(RIGHT));
    assert_eq!(client.published(&main), Vec::<Value>::new());
    on_disk(&mut client, Some("fn g() -> int { 1 }\n"));
    assert_eq!(codes(&client.published(&main)), ["unknown-name"]);
    on_disk(&mut client, None);
    assert_eq!(codes(&client.published(&main))[0], "unknown-module");
    client.quit();
}

/// What is reported about a file.
fn reported(client: &mut Client, uri: &str) -> Vec<String> {
    let report = client.about("textDocument/diagnostic", uri);
    codes(report["items"].as_array().expect("reports are a list"))
}

fn asks_for_reports(root: &std::path::Path) -> Client {
    let folders = json!([{ "uri": uri(root), "name": "folder" }]);
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    Client::with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }))
}

/// Editors report a folder that comes or goes, and not what is in it.
#[test]
fn a_folder_that_comes_or_goes_is_noticed_with_what_is_in_it() {
    const MAIN: &str = "import ./sub/lib\nworkflow main() -> int { lib.f() }\n";
    let files = [("gsw.toml", ""), ("main.gsw", MAIN), ("sub/lib.gsw", RIGHT)];
    let root = folder("folders", &files);
    let mut client = asks_for_reports(&root);
    let main = uri(&root.join("main.gsw"));
    assert_eq!(reported(&mut client, &main), Vec::<String>::new());
    let mut moves = |from: &str, to: &str| {
        std::fs::rename(root.join(from), root.join(to)).expect("it is there");
        let changes = json!([{ "uri": uri(&root.join(from)), "type": 3 }, { "uri": uri(&root.join(to)), "type": 1 }]);
        client.tell(
            "workspace/didChangeWatchedFiles",
            &json!({ "changes": changes }),
        );
        let known = client.ask("workspace/symbol", &json!({ "query": "f" }));
        let found = known["result"].as_array().expect("a list").len();
        (codes_of(&mut client, &main), found)
    };
    assert_eq!(
        moves("sub", "other"),
        (vec!["unknown-module".to_owned()], 1)
    );
    // What builds leave behind is no part of the project.
    assert_eq!(
        moves("other", "target"),
        (vec!["unknown-module".to_owned()], 0)
    );
    assert_eq!(moves("target", "sub"), (Vec::new(), 1));
    client.quit();
}

fn codes_of(client: &mut Client, uri: &str) -> Vec<String> {
    let mut found = reported(client, uri);
    found.dedup();
    found
}

#[test]
fn a_client_that_cannot_watch_files_sees_them_when_it_saves() {
    const MAIN: &str = "import ./lib\nworkflow main() -> int { lib.f() }\n";
    let root = folder("saved", &[("gsw.toml", ""), ("main.gsw", MAIN)]);
    let mut client = asks_for_reports(&root);
    let [main, toml] = ["main.gsw", "gsw.toml"].map(|it| uri(&root.join(it)));
    client.open(&main, MAIN);
    assert_eq!(codes_of(&mut client, &main)[0], "unknown-module");
    let save = json!({ "textDocument": { "uri": main } });
    for (file, text) in [
        ("lib.gsw", RIGHT),
        ("new.gsw", WRONG),
        ("gsw.toml", "x = 1"),
    ] {
        write(&root, file, text);
    }
    client.tell("textDocument/didSave", &save);
    assert_eq!(codes_of(&mut client, &main), Vec::<String>::new());
    assert_eq!(
        codes_of(&mut client, &uri(&root.join("new.gsw"))),
        ["unknown-name"]
    );
    assert_eq!(codes_of(&mut client, &toml), ["unknown-key"]);
    client.quit();
}

/// A `gsw.toml` has reports, and is no text of the language.
#[test]
fn nothing_is_asked_of_a_configuration() {
    let text = "name = \"a\"\n# fn f() -> int { 1 }\n";
    let root = folder("toml", &[("gsw.toml", text), ("main.gsw", RIGHT)]);
    let mut client = asks_for_reports(&root);
    let toml = uri(&root.join("gsw.toml"));
    client.open(&toml, "nam = 1\nfn f() -> int { 1 }\n");
    assert_eq!(reported(&mut client, &toml), ["invalid-toml"]);
    client.change(&toml, 2, &json!([{ "text": "entry = \"none.gsw\"\n" }]));
    assert_eq!(reported(&mut client, &toml), ["wrong-value"]);
    client.change(&toml, 3, &json!([{ "text": "entry = \"main.gsw\"\n" }]));
    assert_eq!(reported(&mut client, &toml), Vec::<String>::new());
    for method in ["documentSymbol", "semanticTokens/full", "foldingRange"] {
        let answer = client.about(&format!("textDocument/{method}"), &toml);
        assert_eq!(answer, Value::Null, "{method}");
    }
    assert_eq!(client.at("textDocument/hover", &toml, 1, 3), Value::Null);
    client.quit();
}

#[test]
fn a_document_that_is_nowhere_on_disk_is_checked() {
    let mut client = Client::start();
    client.open("untitled:Untitled-1", WRONG);
    assert_eq!(
        codes(&client.published("untitled:Untitled-1")),
        ["unknown-name"]
    );
    client.close("untitled:Untitled-1");
    assert_eq!(client.published("untitled:Untitled-1"), Vec::<Value>::new());
    client.open("untitled:b", "import ./y\n");
    let found = client.published("untitled:b");
    let said = found[0]["message"].as_str().unwrap_or_default();
    assert!(said.starts_with("there is no module `./y`\n"), "{said}");
    client.quit();
}

#[test]
fn a_file_that_is_deleted_takes_its_reports_along() {
    let root = folder(
        "gone",
        &[("gsw.toml", ""), ("main.gsw", RIGHT), ("lib.gsw", WRONG)],
    );
    let mut client = Client::start();
    let [main, lib] = ["main.gsw", "lib.gsw"].map(|it| uri(&root.join(it)));
    client.open(&main, RIGHT);
    assert_eq!(codes(&client.published(&lib)), ["unknown-name"]);
    std::fs::remove_file(root.join("lib.gsw")).expect("it is there");
    let change = json!({ "changes": [{ "uri": lib, "type": 3 }] });
    client.tell("workspace/didChangeWatchedFiles", &change);
    assert_eq!(client.published(&lib), Vec::<Value>::new());
    client.quit();
}

#[test]
fn diagnostics_that_are_asked_for_are_not_published() {
    let root = folder(
        "pull",
        &[("gsw.toml", ""), ("main.gsw", WRONG), ("lib.gsw", RIGHT)],
    );
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let folders = json!([{ "uri": uri(&root), "name": "pull" }]);
    let mut client =
        Client::with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    let main = uri(&root.join("main.gsw"));
    client.open(&main, WRONG);
    let report = client.about("textDocument/diagnostic", &main);
    assert_eq!(report["kind"], "full");
    assert_eq!(report["items"][0]["code"], "unknown-name");
    let again = json!({
        "textDocument": { "uri": main },
        "previousResultId": report["resultId"],
    });
    let same = client.ask("textDocument/diagnostic", &again);
    assert_eq!(same["result"]["kind"], "unchanged");
    let all = client.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    let items = all["result"]["items"].as_array().expect("a list").clone();
    let of = |name: &str| {
        let own = uri(&root.join(name));
        items.iter().find(|it| it["uri"] == own.as_str()).cloned()
    };
    assert_eq!(of("main.gsw").expect("it is checked")["version"], 1);
    assert_eq!(of("lib.gsw").expect("it is checked")["items"], json!([]));
    client.quit();
}

#[test]
fn a_request_that_is_cancelled_is_answered_so_and_nothing_else_suffers() {
    let mut client = Client::start();
    let uri = uri(&folder("cancel", &[]).join("main.gsw"));
    client.open(&uri, RIGHT);
    // Whether the answer or the cancellation wins is open; that each request gets one answer is not.
    let ids: Vec<u64> = (0..20)
        .map(|_| {
            let id = client.request("workspace/diagnostic", &json!({ "previousResultIds": [] }));
            client.tell("$/cancelRequest", &json!({ "id": id }));
            id
        })
        .collect();
    for id in ids {
        let answer = client.answer(id);
        let is_cancelled = answer["error"]["code"] == -32800;
        assert!(
            is_cancelled || answer["result"]["items"].is_array(),
            "{answer}"
        );
    }
    assert!(client.at("textDocument/hover", &uri, 0, 3).is_object());
    client.quit();
}

#[test]
fn nothing_is_answered_before_initialize_nor_after_shutdown() {
    let mut client = Client::uninitialized();
    let early = client.ask("textDocument/hover", &json!({}));
    assert_eq!(early["error"]["code"], -32002);
    let answer = client.ask("initialize", &json!({ "capabilities": {} }));
    assert_eq!(answer["result"]["serverInfo"]["name"], "gswc");
    let twice = client.ask("initialize", &json!({ "capabilities": {} }));
    assert_eq!(twice["error"]["code"], -32600);
    client.tell("initialized", &json!({}));
    assert_eq!(client.ask("shutdown", &Value::Null)["result"], Value::Null);
    let late = client.ask("textDocument/hover", &json!({}));
    assert_eq!(late["error"]["code"], -32600);
    client.tell("exit", &Value::Null);
}

#[test]
fn broken_frames_are_left_out() {
    let mut client = Client::start();
    client.send("{ this is not JSON");
    client.send("[]");
    client.send("\u{0}");
    client.raw(b"Content-Length: nonsense\r\n\r\n");
    client.raw(b"Content-Length: 99999999999999\r\n\r\n");
    client.raw(b"\r\n\r\nX-Other: 1\r\nContent-Length: 2\r\n\r\n{}");
    client.raw(b"Content-Length: 4\r\nContent-Type: text\r\n\r\n\xff\xfe\x00\x01");
    client.raw(&[b'x'; 100_000]);
    client.raw(b"\n");
    let uri = uri(&folder("frames", &[]).join("main.gsw"));
    client.open(&uri, WRONG);
    assert_eq!(codes(&client.published(&uri)), ["unknown-name"]);
    let unknown = client.ask("gsw/unknown", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let optional = client.ask("$/unknown", &json!({ "a": 1 }));
    assert_eq!(optional["error"]["code"], -32601);
    client.tell("$/unknown", &json!({}));
    let wrong = client.ask("textDocument/hover", &json!({ "position": "here" }));
    assert_eq!(wrong["error"]["code"], -32602);
    client.quit();
}

#[test]
fn a_message_of_megabytes_is_a_message() {
    let mut client = Client::start();
    let uri = uri(&folder("huge", &[]).join("main.gsw"));
    let filler = "// filler\n".repeat(400_000);
    client.open(&uri, &format!("{filler}{WRONG}"));
    let found = client.published(&uri);
    assert_eq!(found[0]["range"]["start"]["line"], 400_000);
    client.quit();
}

#[test]
fn a_client_that_vanishes_ends_the_server() {
    let mut client = Client::start();
    client.open("untitled:a", WRONG);
    assert_eq!(client.vanish(), Ending::Abrupt);
    // Also in the middle of a message.
    let mut client = Client::start();
    client.raw(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\":");
    assert_eq!(client.vanish(), Ending::Abrupt);
}

/// A server whose client was killed has no one to end it.
#[test]
fn a_session_ends_with_the_process_of_its_client() {
    let mut editor = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .expect("it can be started");
    let parameters = json!({ "capabilities": {}, "processId": editor.id() });
    let mut client = Client::with(&parameters);
    let symbols = client.ask("workspace/symbol", &json!({ "query": "a" }));
    assert!(symbols["result"].is_array(), "{symbols}");
    editor.kill().expect("it was started here");
    assert_eq!(client.left(), Ending::Abrupt);
    editor.wait().expect("it was killed");
    // One that has gone before.
    assert_eq!(Client::with(&parameters).left(), Ending::Abrupt);
}

/// A server that has asked something waits for the answer no longer than there is someone to give it.
#[test]
fn a_client_that_answers_nothing_ends_its_session_all_the_same() {
    let asking = || {
        let watching = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
        let parameters = json!({ "capabilities": { "workspace": watching } });
        let mut client = Client::with(&parameters);
        assert_eq!(client.asked()["method"], "client/registerCapability");
        client
    };
    let mut regular = asking();
    assert_eq!(regular.ask("shutdown", &Value::Null)["result"], Value::Null);
    regular.tell("exit", &Value::Null);
    assert_eq!(regular.left(), Ending::Regular);
    let mut hasty = asking();
    hasty.tell("exit", &Value::Null);
    assert_eq!(hasty.left(), Ending::Abrupt);
    assert_eq!(asking().vanish(), Ending::Abrupt);
}

#[test]
fn a_configuration_that_is_edited_counts_before_it_is_saved() {
    let main = "workflow main() { let x = 1 }\n";
    let root = folder("toml", &[("gsw.toml", ""), ("main.gsw", main)]);
    let mut client = Client::start();
    let (toml, main) = (uri(&root.join("gsw.toml")), uri(&root.join("main.gsw")));
    // Opened before any source of its project.
    client.open(&toml, "");
    assert_eq!(client.published(&toml), Vec::<Value>::new());
    let found = client.published(&main);
    assert_eq!(
        (codes(&found), &found[0]["severity"]),
        (vec!["unused-variable".into()], &json!(2))
    );
    client.change(
        &toml,
        2,
        &json!([{ "text": "[lints]\nunused-variable = \"deny\"\nnone = 1\n" }]),
    );
    assert_eq!(codes(&client.published(&toml)), ["unknown-key"]);
    assert_eq!(client.published(&main)[0]["severity"], 1);
    client.close(&toml);
    assert_eq!(client.published(&main)[0]["severity"], 2);
    client.quit();
}

#[test]
fn a_table_of_prices_counts_when_an_edit_names_it() {
    let root = folder(
        "prices",
        &[
            ("gsw.toml", ""),
            ("main.gsw", "workflow main() { }\n"),
            (
                "prices.toml",
                "[\"openai/gpt-5\"]\ninput = 1.0\noutput = 2.0\n",
            ),
        ],
    );
    let mut client = Client::start();
    let toml = uri(&root.join("gsw.toml"));
    client.open(&toml, "");
    assert_eq!(client.published(&toml), Vec::<Value>::new());
    let name = |version: u64, table: &str| {
        let text = format!("[models]\nprices = \"{table}\"\n");
        (version, json!([{ "text": text }]))
    };
    let (version, missing) = name(2, "other.toml");
    client.change(&toml, version, &missing);
    assert_eq!(client.published(&toml).len(), 1);
    let (version, right) = name(3, "prices.toml");
    client.change(&toml, version, &right);
    assert_eq!(client.published(&toml), Vec::<Value>::new());
    client.quit();
}

#[test]
fn a_configuration_that_is_open_when_it_is_saved_first_takes_its_folder_together() {
    let wrong = "workflow main() { let x = 1 }\n";
    let root = folder("first", &[("main.gsw", wrong)]);
    let mut client = Client::start();
    let (toml, main) = (uri(&root.join("gsw.toml")), uri(&root.join("main.gsw")));
    client.open(&main, wrong);
    assert_eq!(client.published(&main)[0]["severity"], 2);
    let text = "[lints]\nunused-variable = \"deny\"\n";
    client.open(&toml, text);
    write(&root, "gsw.toml", text);
    client.tell(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": [{ "uri": toml, "type": 1 }] }),
    );
    assert_eq!(client.published(&main)[0]["severity"], 1);
    client.quit();
}

#[test]
fn hundreds_of_files_that_come_at_once_are_read_once() {
    let root = folder(
        "many",
        &[
            ("gsw.toml", ""),
            (
                "main.gsw",
                "import ./m299\nworkflow main() -> int { m299.f() }\n",
            ),
        ],
    );
    let mut client = Client::start();
    let main = uri(&root.join("main.gsw"));
    client.open(
        &main,
        "import ./m299\nworkflow main() -> int { m299.f() }\n",
    );
    assert_eq!(codes(&client.published(&main))[0], "unknown-module");
    let mut changes = Vec::new();
    for index in 0..300 {
        let text = match index {
            0 => "fn f() -> int { 1 }\n".to_owned(),
            _ => format!("import ./m{0}\nfn f() -> int {{ m{0}.f() }}\n", index - 1),
        };
        write(&root, &format!("m{index}.gsw"), &text);
        changes.push(json!({ "uri": uri(&root.join(format!("m{index}.gsw"))), "type": 1 }));
    }
    client.tell(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": changes }),
    );
    assert_eq!(client.published(&main), Vec::<Value>::new());
    client.quit();
}
