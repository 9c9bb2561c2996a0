//! What depends on what the client can do: actions as commands, and how far a load is.

use serde_json::{Value, json};

use crate::client::{Client, folder, uri};

#[test]
fn a_client_without_literals_is_given_commands() {
    let parameters = json!({ "capabilities": { "textDocument": { "codeAction": {} } } });
    let mut client = Client::with(&parameters);
    let commands = &client.capabilities["executeCommandProvider"]["commands"];
    assert_eq!(*commands, json!(["gsw.apply"]));
    let file = "untitled:Untitled-1";
    client.open(file, "fn f(count: int) -> int { coutn }\n");
    let found = client.published(file);
    let asked = json!({
        "textDocument": { "uri": file }, "range": found[0]["range"],
        "context": { "diagnostics": found, "only": ["quickfix"] },
    });
    let actions = client.ask("textDocument/codeAction", &asked)["result"].take();
    let action = &actions[0];
    assert_eq!(
        (&action["title"], &action["command"]),
        (&json!("write `count`"), &json!("gsw.apply"))
    );
    let call = json!({ "command": action["command"], "arguments": action["arguments"] });
    let id = client.request("workspace/executeCommand", &call);
    let asked = client.wait_for(|it| it["method"] == "workspace/applyEdit");
    let edit = &asked["params"]["edit"]["changes"][file][0];
    // What the two words have in common stays.
    assert_eq!(edit["newText"], "nt");
    assert_eq!(client.answer(id)["result"], Value::Null);
    let wrong = client.ask(
        "workspace/executeCommand",
        &json!({ "command": "rm", "arguments": [] }),
    );
    assert!(wrong["error"]["message"].is_string(), "{wrong}");
    client.quit();
    let literals = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
    let parameters = json!({ "capabilities": { "textDocument": { "codeAction": literals } } });
    let client = Client::with(&parameters);
    assert_eq!(client.capabilities.get("executeCommandProvider"), None);
    client.quit();
}

/// What was typed between a question and its answer must not move the edits elsewhere.
#[test]
fn a_client_that_takes_versions_is_told_of_which_ones_edits_are() {
    let edits = json!({ "workspaceEdit": { "documentChanges": true } });
    let mut client = Client::with(&json!({ "capabilities": { "workspace": edits } }));
    let root = folder(
        "versions",
        &[("gsw.toml", ""), ("lib.gsw", "fn least() -> int { 1 }\n")],
    );
    let (main, lib) = (uri(&root.join("main.gsw")), uri(&root.join("lib.gsw")));
    client.open(
        &main,
        "import ./lib\nfn f() -> int { lib.least() + nxet() }\n",
    );
    client.published(&main);
    client.change(
        &main,
        7,
        &json!([{ "text": "import ./lib\nfn next() -> int { 1 }\nfn f() -> int { lib.least() + nxet() }\n" }]),
    );
    let found = client.published(&main);
    let rename = json!({
        "textDocument": { "uri": main }, "position": { "line": 2, "character": 21 }, "newName": "most",
    });
    let edit = client.ask("textDocument/rename", &rename)["result"].take();
    assert_eq!(edit.get("changes"), None);
    let documents: Vec<&Value> = edit["documentChanges"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["textDocument"])
        .collect();
    let wanted = [
        json!({ "uri": lib, "version": null }),
        json!({ "uri": main, "version": 7 }),
    ];
    assert_eq!(documents, wanted.iter().collect::<Vec<_>>());
    let asked = json!({
        "textDocument": { "uri": main }, "range": found[0]["range"],
        "context": { "diagnostics": found, "only": ["quickfix"] },
    });
    let actions = client.ask("textDocument/codeAction", &asked)["result"].take();
    let changed = &actions[0]["edit"]["documentChanges"][0];
    assert_eq!(changed["textDocument"], wanted[1]);
    assert!(changed["edits"][0]["newText"].is_string(), "{actions}");
    client.quit();
}

/// The percentages of the load that is shown next, from its beginning to its end.
fn load(client: &mut Client) -> Vec<u64> {
    let made = client.wait_for(|it| it["method"] == "window/workDoneProgress/create");
    let token = made["params"]["token"].clone();
    let mut percentages = Vec::new();
    loop {
        let told =
            client.wait_for(|it| it["method"] == "$/progress" && it["params"]["token"] == token);
        let value = &told["params"]["value"];
        match value["kind"].as_str() {
            Some("end") => return percentages,
            _ => percentages.extend(value["percentage"].as_u64()),
        }
    }
}

/// A project of a hundred files, as what `initialize` says of folders.
fn large(name: &str) -> Value {
    let names: Vec<String> = (0..100).map(|it| format!("m{it}.gsw")).collect();
    let text = "fn f() -> int { 1 }\n";
    let files: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), text)).collect();
    let root = folder(name, &files);
    std::fs::write(root.join("gsw.toml"), "").expect("it can be written");
    json!([{ "uri": uri(&root), "name": name }])
}

#[test]
fn a_large_project_shows_how_far_its_first_check_is() {
    let folders = large("load");
    for document in [json!({}), json!({ "diagnostic": {} })] {
        let window = json!({ "workDoneProgress": true });
        let mut client = Client::with(&json!({
            "capabilities": { "window": window, "textDocument": document },
            "workspaceFolders": folders,
        }));
        let asked = json!({ "previousResultIds": [] });
        let pulled = document.get("diagnostic");
        let all = pulled.map(|_| client.request("workspace/diagnostic", &asked));
        let percentages = load(&mut client);
        assert_eq!(percentages.first(), Some(&0));
        assert!(
            percentages.is_sorted() && percentages.len() > 2,
            "{percentages:?}"
        );
        if let Some(id) = all {
            let answer = client.answer(id);
            assert_eq!(
                answer["result"]["items"].as_array().map(Vec::len),
                Some(101)
            );
        }
        client.quit();
    }
}

#[test]
fn loads_at_the_same_time_are_shown_each_from_its_beginning_to_its_end() {
    let mut client = Client::with(&json!({
        "capabilities": { "window": { "workDoneProgress": true }, "textDocument": { "diagnostic": {} } },
        "workspaceFolders": large("loads"),
    }));
    let asked = json!({ "previousResultIds": [] });
    let all = [(); 3].map(|()| client.request("workspace/diagnostic", &asked));
    let loads = [(); 3].map(|()| load(&mut client));
    for percentages in loads {
        assert_eq!(percentages.first(), Some(&0));
        assert!(
            percentages.is_sorted() && percentages.last() > Some(&50),
            "{percentages:?}"
        );
    }
    for id in all {
        let answer = client.answer(id);
        let items = answer["result"]["items"].as_array();
        assert_eq!(items.map(Vec::len), Some(101));
    }
    client.quit();
}
