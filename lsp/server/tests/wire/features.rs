//! Each feature once, as it goes over the wire; what the answers are in all cases is tested where they are made.

use serde_json::{Value, json};

use crate::client::{Client, folder, uri};

const PROGRAM: &str = "\
import ./lib

/// Adds one.
fn next(n: int) -> int { n + 1 }

workflow main(count: int = 1) -> int {
  let number = next(count)
  step \"add\" { number + lib.least() }
}

test \"it\" { assert next(1) == 2 }
";

const LIB: &str = "/// The least.\nfn least() -> int { 1 }\n";

fn opened(name: &str) -> (Client, String, String) {
    let root = folder(
        name,
        &[("gsw.toml", ""), ("main.gsw", PROGRAM), ("lib.gsw", LIB)],
    );
    let completion = json!({ "completionItem": { "snippetSupport": true } });
    let capabilities = json!({ "textDocument": { "completion": completion } });
    let mut client = Client::with(&json!({ "capabilities": capabilities }));
    let (main, lib) = (uri(&root.join("main.gsw")), uri(&root.join("lib.gsw")));
    client.open(&main, PROGRAM);
    assert_eq!(client.published(&main), Vec::<Value>::new());
    (client, main, lib)
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({
        "start": { "line": start.0, "character": start.1 },
        "end": { "line": end.0, "character": end.1 },
    })
}

#[test]
fn names_lead_to_their_declarations_uses_and_types() {
    let (mut client, main, lib) = opened("wire-names");
    let here = client.at("textDocument/definition", &main, 6, 16);
    assert_eq!(here["range"], range((3, 3), (3, 7)));
    let there = client.at("textDocument/definition", &main, 7, 30);
    assert_eq!(
        (&there["uri"], &there["range"]),
        (&json!(lib), &range((1, 3), (1, 8)))
    );
    let hover = client.at("textDocument/hover", &main, 6, 16);
    let shown = hover["contents"]["value"].as_str().expect("markdown");
    assert!(
        shown.contains("fn next(n: int) -> int") && shown.contains("Adds one."),
        "{shown}"
    );
    let uses = client.ask(
        "textDocument/references",
        &json!({
            "textDocument": { "uri": main }, "position": { "line": 3, "character": 4 },
            "context": { "includeDeclaration": false },
        }),
    );
    let uses = uses["result"].as_array().expect("a list").clone();
    let lines: Vec<&Value> = uses
        .iter()
        .map(|it| &it["range"]["start"]["line"])
        .collect();
    assert_eq!(lines, [6, 10]);
    let marks = client.at("textDocument/documentHighlight", &main, 6, 7);
    assert_eq!(
        (&marks[0]["kind"], &marks[1]["kind"]),
        (&json!(3), &json!(2))
    );
    client.quit();
}

#[test]
fn a_rename_edits_every_file_and_a_refusal_says_why() {
    let (mut client, main, lib) = opened("wire-rename");
    let place =
        json!({ "textDocument": { "uri": main }, "position": { "line": 7, "character": 30 } });
    let prepared = client.ask("textDocument/prepareRename", &place);
    assert_eq!(prepared["result"]["placeholder"], "least");
    let mut with_name = place.clone();
    with_name["newName"] = json!("smallest");
    let edit = client.ask("textDocument/rename", &with_name);
    let changes = &edit["result"]["changes"];
    assert_eq!(changes[&main][0]["range"], range((7, 28), (7, 33)));
    assert_eq!(changes[&lib][0]["newText"], "smallest");
    with_name["newName"] = json!("fn");
    let refused = client.ask("textDocument/rename", &with_name);
    assert_eq!(refused["error"]["message"], "`fn` is a reserved word");
    client.quit();
}

#[test]
fn a_rename_says_which_keys_of_json_it_leaves_alone() {
    let text = "type J { title: string }\nfn f(j: json) -> string { j.title as string }\n";
    let root = folder("wire-json", &[("main.gsw", text)]);
    let mut client = Client::start();
    let main = uri(&root.join("main.gsw"));
    client.open(&main, text);
    client.published(&main);
    let rename = json!({
        "textDocument": { "uri": main }, "position": { "line": 0, "character": 10 },
        "newName": "name",
    });
    let edit = client.ask("textDocument/rename", &rename);
    assert_eq!(edit["result"]["changes"][&main][0]["newText"], "name");
    let said = client.wait_for(|it| it["method"] == "window/showMessage");
    let text = said["params"]["message"].as_str().expect("a text");
    assert!(text.starts_with("main.gsw:2 may read the field"), "{text}");
    client.quit();
}

#[test]
fn imports_follow_a_file_that_is_renamed() {
    let (mut client, main, lib) = opened("wire-files");
    let operations = &client.capabilities["workspace"]["fileOperations"];
    assert_eq!(
        operations["willRename"]["filters"][0]["pattern"]["glob"],
        "**/*.gsw"
    );
    let renamed = lib.replace("lib.gsw", "numbers.gsw");
    let files = json!({ "files": [{ "oldUri": lib, "newUri": renamed }] });
    let edit = client.ask("workspace/willRenameFiles", &files);
    let mut texts: Vec<&Value> = edit["result"]["changes"][&main]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["newText"])
        .collect();
    texts.sort_by_key(|it| it.to_string());
    assert_eq!(texts, ["./numbers", "numbers"]);
    client.quit();
}

#[test]
fn a_module_is_renamed_with_its_file_by_clients_that_rename_files() {
    const MAIN: &str = "import ./lib\nworkflow main() -> int { lib.f() }\n";
    let root = folder(
        "module",
        &[
            ("gsw.toml", ""),
            ("main.gsw", MAIN),
            ("lib.gsw", "fn f() -> int { 1 }\n"),
        ],
    );
    let main = uri(&root.join("main.gsw"));
    let place = json!({ "line": 1, "character": 26 });
    let wanted = json!({ "textDocument": { "uri": main }, "position": place, "newName": "parts" });
    let edits = json!({ "documentChanges": true, "resourceOperations": ["rename"] });
    let able = json!({ "capabilities": { "workspace": { "workspaceEdit": edits } } });
    let mut client = Client::with(&able);
    client.open(&main, MAIN);
    let prepared = client.at("textDocument/prepareRename", &main, 1, 26);
    assert_eq!(prepared["placeholder"], "lib");
    let answer = client.ask("textDocument/rename", &wanted);
    let operations = answer["result"]["documentChanges"]
        .as_array()
        .expect("a list");
    let texts: Vec<&Value> = operations[0]["edits"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["newText"])
        .collect();
    assert_eq!(texts, ["parts", "./parts"]);
    assert_eq!(
        operations[0]["textDocument"],
        json!({ "uri": main, "version": 1 })
    );
    let renamed = json!({ "kind": "rename", "oldUri": uri(&root.join("lib.gsw")), "newUri": uri(&root.join("parts.gsw")) });
    assert_eq!(operations[1], renamed);
    client.quit();
    let mut client = Client::start();
    client.open(&main, MAIN);
    let answer = client.ask("textDocument/rename", &wanted);
    let why = "a module is named after its file: rename the file";
    assert_eq!(answer["error"]["message"], why);
    assert_eq!(
        client.at("textDocument/prepareRename", &main, 1, 26),
        Value::Null
    );
    client.quit();
}

/// What was answered by other settings is asked for again, and a client without settings of its own is asked for them.
#[test]
fn hints_follow_a_change_of_settings_at_once() {
    let workspace = json!({ "configuration": true, "inlayHint": { "refreshSupport": true } });
    let mut client = Client::with(&json!({ "capabilities": { "workspace": workspace } }));
    let method = |name: &'static str| move |it: &Value| it["method"] == name;
    let settings = json!({ "settings": null });
    client.tell("workspace/didChangeConfiguration", &settings);
    let asked = client.wait_for(method("workspace/configuration"));
    assert_eq!(asked["params"]["items"], json!([{ "section": "gsw" }]));
    let settings = json!({ "settings": { "gsw": { "inlayHints": { "types": false } } } });
    client.tell("workspace/didChangeConfiguration", &settings);
    client.wait_for(method("workspace/inlayHint/refresh"));
    client.quit();
}

/// Each selection lies in the answer within the one before it, and clients read no JSON of any depth.
#[test]
fn selections_nest_no_deeper_than_clients_read() {
    let (mut client, main, _) = opened("selections");
    let text = format!(
        "fn f() -> int {{ {}1{} }}\n",
        "(".repeat(9_000),
        ")".repeat(9_000)
    );
    client.change(&main, 2, &json!([{ "text": text }]));
    let asked = json!({ "textDocument": { "uri": main }, "positions": [{ "line": 0, "character": 9_020 }] });
    let answer = client.ask("textDocument/selectionRange", &asked);
    let mut depth = 0;
    let mut selection = &answer["result"][0];
    while !selection["parent"].is_null() {
        selection = &selection["parent"];
        depth += 1;
    }
    assert!((20..110).contains(&depth), "{depth}");
    client.quit();
}

/// A client that says what it cannot show is sent nothing else.
#[test]
fn what_is_shown_has_the_form_that_was_agreed() {
    let (client, uri, _) = opened("forms");
    client.quit();
    let document = json!({
        "hover": { "contentFormat": ["plaintext"] },
        "documentSymbol": { "hierarchicalDocumentSymbolSupport": false },
    });
    let mut client = Client::with(&json!({ "capabilities": { "textDocument": document } }));
    client.open(&uri, PROGRAM);
    let hover = client.at("textDocument/hover", &uri, 3, 4);
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let shown = hover["contents"]["value"].as_str().expect("a text");
    assert!(shown.starts_with("fn next(n: int) -> int"), "{shown}");
    let symbols = client.about("textDocument/documentSymbol", &uri);
    assert_eq!(symbols[0]["location"]["uri"], uri.as_str(), "{symbols}");
    client.quit();
}

#[test]
fn completion_has_edits_and_docs_and_signatures_their_parameters() {
    let (mut client, main, _) = opened("wire-typing");
    let change = json!([{ "range": range((7, 15), (7, 35)), "text": "lib.le" }]);
    client.change(&main, 2, &change);
    let list = client.at("textDocument/completion", &main, 7, 21);
    let items = list["items"].as_array().expect("a list").clone();
    let least = items
        .iter()
        .find(|it| it["label"] == "least")
        .expect("it is offered");
    assert_eq!(
        least["textEdit"],
        json!({ "range": range((7, 19), (7, 21)), "newText": "least()" })
    );
    let resolved = client.ask("completionItem/resolve", least);
    let docs = resolved["result"]["documentation"]["value"]
        .as_str()
        .expect("markdown")
        .to_owned();
    assert!(docs.contains("The least."), "{docs}");
    client.change(
        &main,
        3,
        &json!([{ "range": range((7, 15), (7, 21)), "text": "next()" }]),
    );
    let help = client.at("textDocument/signatureHelp", &main, 7, 20);
    assert_eq!(help["signatures"][0]["label"], "next(n: int) -> int");
    assert_eq!(help["activeParameter"], 0);
    client.quit();
}

#[test]
fn fixes_are_actions_and_each_makes_the_report_go() {
    let (mut client, main, _) = opened("wire-fixes");
    client.change(
        &main,
        2,
        &json!([{ "range": range((6, 15), (6, 19)), "text": "nxet" }]),
    );
    let found = client.published(&main);
    assert_eq!(found[0]["code"], "unknown-name");
    let asked = json!({
        "textDocument": { "uri": main }, "range": found[0]["range"],
        "context": { "diagnostics": found, "only": ["quickfix"] },
    });
    let actions = client.ask("textDocument/codeAction", &asked)["result"].take();
    assert_eq!(actions.as_array().map(Vec::len), Some(1));
    // The empty kind holds all of them, as does no word of it.
    let of_all = |only: Option<Value>| {
        let mut asked = asked.clone();
        asked["context"] = json!({ "diagnostics": found });
        if let Some(only) = only {
            asked["context"]["only"] = only;
        }
        asked
    };
    let all = client.ask("textDocument/codeAction", &of_all(None))["result"].take();
    assert!(all.as_array().is_some_and(|it| it.len() > 1), "{all}");
    let empty = client.ask("textDocument/codeAction", &of_all(Some(json!([""]))));
    assert_eq!(empty["result"], all);
    assert_eq!(
        (&actions[0]["title"], &actions[0]["isPreferred"]),
        (&json!("write `next`"), &json!(true))
    );
    let edit = &actions[0]["edit"]["changes"][&main][0];
    client.change(
        &main,
        3,
        &json!([{ "range": edit["range"], "text": edit["newText"] }]),
    );
    assert_eq!(client.published(&main), Vec::<Value>::new());
    client.quit();
}

#[test]
fn a_document_has_an_outline_folds_lenses_links_and_a_style() {
    let (mut client, main, lib) = opened("wire-structure");
    let outline = client.about("textDocument/documentSymbol", &main);
    let names: Vec<&Value> = outline
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["next", "main", "it"]);
    assert_eq!(outline[1]["children"][0]["name"], "add");
    let folds = client.about("textDocument/foldingRange", &main);
    assert_eq!(
        (&folds[0]["startLine"], &folds[0]["endLine"]),
        (&json!(5), &json!(7))
    );
    let lenses = client.about("textDocument/codeLens", &main);
    assert_eq!(lenses[0]["command"]["command"], "gsw.run");
    assert_eq!(lenses[1]["command"]["arguments"], json!([main, "it"]));
    let links = client.about("textDocument/documentLink", &main);
    assert_eq!(links[0]["target"], json!(lib));
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let asked = json!({ "textDocument": { "uri": main }, "options": options });
    assert_eq!(
        client.ask("textDocument/formatting", &asked)["result"],
        json!([])
    );
    client.change(
        &main,
        2,
        &json!([{ "range": range((3, 24), (3, 25)), "text": "   " }]),
    );
    let edits = client.ask("textDocument/formatting", &asked)["result"].take();
    assert_eq!(edits.as_array().map(Vec::len), Some(1));
    let found = client.ask("workspace/symbol", &json!({ "query": "least" }));
    assert_eq!(found["result"][0]["location"]["uri"], json!(lib));
    client.quit();
}

#[test]
fn colours_come_whole_in_part_and_as_a_difference() {
    let (mut client, main, _) = opened("wire-colours");
    let whole = client.about("textDocument/semanticTokens/full", &main);
    let data = whole["data"].as_array().expect("numbers").clone();
    assert!(data.len() > 50 && data.len() % 5 == 0);
    let part = json!({ "textDocument": { "uri": main }, "range": range((3, 0), (3, 10)) });
    let part = client.ask("textDocument/semanticTokens/range", &part)["result"].take();
    assert!(
        part["data"]
            .as_array()
            .is_some_and(|it| it.len() < data.len() && !it.is_empty())
    );
    client.change(
        &main,
        2,
        &json!([{ "range": range((3, 25), (3, 26)), "text": "12" }]),
    );
    let asked = json!({ "textDocument": { "uri": main }, "previousResultId": whole["resultId"] });
    let delta = client.ask("textDocument/semanticTokens/full/delta", &asked)["result"].take();
    let mut after = data;
    for edit in delta["edits"].as_array().expect("edits") {
        let number = |name: &str| usize::try_from(edit[name].as_u64().unwrap_or(0)).unwrap_or(0);
        let (start, count) = (number("start"), number("deleteCount"));
        let fresh = edit["data"].as_array().cloned().unwrap_or_default();
        after.splice(start..start + count, fresh);
    }
    let now = client.about("textDocument/semanticTokens/full", &main);
    assert_eq!(now["data"], json!(after));
    client.quit();
}

#[test]
fn hints_can_be_turned_off() {
    let (mut client, main, _) = opened("wire-hints");
    let asked = json!({ "textDocument": { "uri": main }, "range": range((0, 0), (20, 0)) });
    let hints = client.ask("textDocument/inlayHint", &asked)["result"].take();
    assert_eq!(hints[0]["label"], "waits");
    assert_eq!(hints[1]["label"], ": int");
    assert_eq!(hints[1]["position"], json!({ "line": 6, "character": 12 }));
    let off =
        json!({ "settings": { "gsw": { "inlayHints": { "types": false, "errors": false } } } });
    client.tell("workspace/didChangeConfiguration", &off);
    assert_eq!(
        client.ask("textDocument/inlayHint", &asked)["result"],
        json!([])
    );
    client.quit();
}

#[test]
fn calls_are_followed_through_their_items() {
    let (mut client, main, _) = opened("wire-calls");
    let items = client.at("textDocument/prepareCallHierarchy", &main, 3, 4);
    let incoming = client.ask("callHierarchy/incomingCalls", &json!({ "item": items[0] }));
    let names: Vec<&Value> = incoming["result"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["from"]["name"])
        .collect();
    assert_eq!(names, ["main", "it"]);
    let main_item = &incoming["result"][0]["from"];
    let outgoing = client.ask("callHierarchy/outgoingCalls", &json!({ "item": main_item }));
    let names: Vec<&Value> = outgoing["result"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["to"]["name"])
        .collect();
    assert_eq!(names, ["next", "add"]);
    let step = &outgoing["result"][1]["to"];
    let inside = client.ask("callHierarchy/outgoingCalls", &json!({ "item": step }));
    assert_eq!(inside["result"][0]["to"]["name"], "least");
    client.quit();
}

#[test]
fn a_hint_is_resolved_to_the_docs_of_what_it_names() {
    let (mut client, main, _) = opened("wire-hint-docs");
    client.change(
        &main,
        2,
        &json!([{ "range": range((3, 0), (3, 0)), "text": "/// Wide.\ntype Box { width: int }\nfn boxed() -> int { let box = Box { width: 1 }\n box.width }\n" }]),
    );
    let asked = json!({ "textDocument": { "uri": main }, "range": range((0, 0), (20, 0)) });
    let hints = client.ask("textDocument/inlayHint", &asked)["result"].take();
    let hints = hints.as_array().expect("a list");
    let boxed = hints.iter().find(|it| it["label"] == ": Box");
    let resolved = client.ask("inlayHint/resolve", boxed.expect("a type"));
    let docs = resolved["result"]["tooltip"]["value"].as_str();
    assert!(docs.is_some_and(|it| it.contains("Wide.")), "{resolved}");
    client.quit();
}

#[test]
fn types_are_followed_to_wider_and_narrower_ones() {
    let (mut client, main, _) = opened("wire-types");
    // To a client that takes no registrations as well.
    assert_eq!(client.capabilities["typeHierarchyProvider"], true);
    client.change(
        &main,
        2,
        &json!([{ "range": range((3, 0), (3, 0)), "text": "enum Level { Low, High }\n" }]),
    );
    let items = client.at("textDocument/prepareTypeHierarchy", &main, 3, 6);
    assert_eq!(items[0]["name"], "Level");
    let below = client.ask("typeHierarchy/subtypes", &json!({ "item": items[0] }));
    assert_eq!(below["result"][1]["name"], "Level.High");
    let item = &below["result"][1];
    let above = client.ask("typeHierarchy/supertypes", &json!({ "item": item }));
    assert_eq!(above["result"][0]["name"], "Level");
    client.quit();
}

#[test]
fn the_library_opens_as_a_file_that_nothing_is_wrong_with() {
    let (mut client, main, _) = opened("wire-library");
    client.change(
        &main,
        2,
        &json!([{ "range": range((3, 25), (3, 30)), "text": "[n].len()" }]),
    );
    let target = client.at("textDocument/definition", &main, 3, 30);
    let address = target["uri"].as_str().expect("an address").to_owned();
    assert!(address.ends_with("/std/list.gsw"), "{address}");
    let path = address.strip_prefix("file://").expect("a file");
    let text = std::fs::read_to_string(path).expect("it was written");
    let is_readonly = std::fs::metadata(path)
        .expect("it is there")
        .permissions()
        .readonly();
    assert!(text.contains("fn len") && is_readonly);
    client.open(&address, &text);
    let line = text
        .lines()
        .position(|it| it.starts_with("fn len"))
        .expect("it is declared");
    let hover = client.at(
        "textDocument/hover",
        &address,
        u32::try_from(line).expect("small"),
        4,
    );
    assert!(
        hover["contents"]["value"]
            .as_str()
            .is_some_and(|it| it.contains("fn len")),
        "{hover}"
    );
    client.quit();
}

#[test]
fn a_brace_that_is_typed_puts_its_declaration_into_the_style() {
    let (mut client, main, _) = opened("wire-typed");
    let text = "fn  other( ) -> int { 1 }\nfn f() -> int {\n    let a  = 1\n  a\n}\n";
    client.change(&main, 2, &json!([{ "text": text }]));
    let typed = json!({
        "textDocument": { "uri": main }, "position": { "line": 4, "character": 1 }, "ch": "}",
        "options": { "tabSize": 2, "insertSpaces": true },
    });
    let edits = client.ask("textDocument/onTypeFormatting", &typed)["result"].take();
    let edits = edits.as_array().expect("a list");
    assert!(!edits.is_empty());
    // The other declaration stays as it is.
    for edit in edits {
        assert_eq!(edit["range"]["start"]["line"], 2, "{edit}");
    }
    client.quit();
}

#[test]
fn a_type_leads_to_its_methods_and_an_error_to_where_it_is_raised() {
    let (mut client, main, _) = opened("wire-implementation");
    let text = "type Bug { n: int }\nerror Gone\nfn Bug.next(self) -> int { self.n + 1 }\nfn f() -> int ! Gone { fail Gone }\n";
    client.change(&main, 2, &json!([{ "text": text }]));
    let methods = client.at("textDocument/implementation", &main, 0, 6);
    assert_eq!(methods[0]["range"], range((2, 7), (2, 11)), "{methods}");
    let raised = client.at("textDocument/implementation", &main, 1, 7);
    assert_eq!(raised[0]["range"]["start"]["line"], 3, "{raised}");
    client.quit();
}
