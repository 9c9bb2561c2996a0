//! Declarations of one name in several modules: a model reaches the one that its agent lists.

use fake_provider::Script;
use serde_json::{Value, json};

use crate::introspection::{answers, done, turn};
use crate::program::scratch;
use crate::wire::{run, with_provider};

const ACCOUNTS: &str = r#"
/// Removes an account for good.
tool remove(id: string) -> string { "ACCOUNT removed ${id}" }
agent clerk { model: "anthropic/claude-opus-5-5" tools: [remove] }
prompt bank(what: string) -> string by clerk { user "Bank ${what}" }
fn bank_it(what: string) -> string { bank(what) }
"#;

const FILES: &str = r#"
/// Removes a file.
tool remove(id: string) -> string { "FILE removed ${id}" }
agent clerk { model: "anthropic/claude-sonnet-5-5" tools: [remove] }
prompt tidy(what: string) -> string by clerk { user "Tidy ${what}" }
fn tidy_files(what: string) -> string { tidy(what) }
"#;

/// Lets the model make these calls in a program of three modules; gives the request and the results of its calls.
fn called(name: &str, main: &str, calls: &[&str]) -> (Value, Vec<(bool, String)>) {
    let folder = scratch("named_alike").join(name);
    std::fs::create_dir_all(&folder).expect("scratch can be written");
    for (file, text) in [("accounts", ACCOUNTS), ("files", FILES), ("main", main)] {
        let file = folder.join(format!("{file}.gsw"));
        std::fs::write(file, text).expect("scratch can be written");
    }
    let input = json!({ "id": "7" });
    let calls: Vec<_> = calls.iter().map(|it| (*it, input.clone())).collect();
    let replies = vec![turn(&calls), done()];
    let (said, mut asked) = with_provider(Script { replies }, |url| {
        run(&folder.join("main.gsw"), url, &["--quiet"])
    });
    assert_eq!(said.code, Some(0), "{said:?}");
    let told = answers(&asked[1]);
    (asked.swap_remove(0), told)
}

fn is(text: &str) -> (bool, String) {
    (false, text.to_owned())
}

#[test]
fn a_tool_is_that_of_the_module_that_lists_it() {
    for (name, imports) in [
        ("accounts_first", "import ./accounts\nimport ./files"),
        ("files_first", "import ./files\nimport ./accounts"),
        ("files_alone", "import ./files"),
    ] {
        let main = format!("{imports}\nworkflow main() -> string {{ files.tidy_files(\"x\") }}");
        let (request, told) = called(name, &main, &["remove"]);
        assert_eq!(told, [is("FILE removed 7")], "{name}");
        assert_eq!(request["tools"][0]["description"], "Removes a file.");
    }
    let main =
        "import ./files\nimport ./accounts\nworkflow main() -> string { accounts.bank_it(\"x\") }";
    assert_eq!(
        called("bank", main, &["remove"]).1,
        [is("ACCOUNT removed 7")]
    );
}

#[test]
fn an_alias_is_the_name_of_a_tool_for_the_model() {
    let main = r#"
import ./accounts
import ./files
agent both { model: "anthropic/claude-sonnet-5-5" tools: [files.remove, accounts.remove as remove_account] }
prompt ask() -> string by both { user "Ask" }
workflow main() -> string { ask() }
"#;
    let (request, told) = called("alias", main, &["remove_account", "remove"]);
    let names: Vec<&Value> = request["tools"]
        .as_array()
        .expect("tools are a list")
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["remove", "remove_account"]);
    assert_eq!(told, [is("ACCOUNT removed 7"), is("FILE removed 7")]);
}

#[test]
fn a_tool_that_only_a_call_lists_is_that_of_its_module() {
    let main = r#"
import ./accounts
import ./files.{tidy}
workflow main() -> string { tidy("x") with { tools: [accounts.remove as remove_account] } }
"#;
    let told = called("of_call", main, &["remove_account", "remove"]).1;
    assert_eq!(told[0], is("ACCOUNT removed 7"));
    assert!(
        told[1].0 && told[1].1.contains("no tool `remove`"),
        "{told:?}"
    );
}

#[test]
fn an_agent_is_that_which_stands_after_by() {
    for (by, model, told) in [
        ("accounts", "claude-opus-5-5", "ACCOUNT removed 7"),
        ("files", "claude-sonnet-5-5", "FILE removed 7"),
    ] {
        let main = format!(
            "import ./accounts\nimport ./files\nprompt ask() -> string {{ user \"Ask\" }}\n\
             workflow main() -> string {{ ask() by {by}.clerk }}"
        );
        let (request, answers) = called(&format!("by_{by}"), &main, &["remove"]);
        assert_eq!(
            (&request["model"], answers),
            (&json!(model), vec![is(told)])
        );
    }
}
