//! Programs that models write: what is checked before they run, what they may do, and what they draw from.

use std::fs;
use std::net::TcpListener;

use fake_provider::{Answer, Body, Reply};
use serde_json::{Value, json};

use crate::introspection::{done, turn};
use crate::program::{gswc, scratch, text};
use crate::spawning::{Played, play};
use crate::wire::{program, with_provider};

const TOOL: &str = "request_written_workflow";

fn write(source: &str, input: Value) -> (&'static str, Value) {
    (
        TOOL,
        json!({ "source": source, "description": "because", "input": input }),
    )
}

/// A program whose model may write, with these permissions and in this budget, perhaps.
fn planner(permissions: &str, around: &str) -> String {
    format!(
        r#"
agent planner {{
  model: "anthropic/claude-sonnet-5-5"   tools: [introspect.*]   spawns: [written]
}}
prompt plan(text: string) -> string by planner {{ user "Plan ${{text}}." }}
workflow main() -> string {around} {{ step "ask" {{ plan("it") }} }}
{permissions}
"#
    )
}

/// What becomes of one program.
fn written(name: &str, permissions: &str, source: &str, input: Value) -> Played {
    let replies = vec![turn(&[write(source, input)]), done()];
    play(name, &planner(permissions, ""), replies)
}

#[test]
fn what_a_model_writes_runs_under_its_prompt() {
    // G53, G57
    let source = r#"
type Sum { of: [int], total: int, @secret pin: string }
workflow main(numbers: [int], least: int = 0) -> Sum {
  let kept = parallel for it in numbers limit 2 { step "look" { if it >= least { it } else { 0 } } }
  Sum { of: kept, total: kept.sum(), pin: "MARK" + "ER" }
}
"#;
    let played = written(
        "ran",
        "",
        source,
        json!({ "numbers": [1, 5, 9], "least": 4 }),
    );
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    let (is_error, answer) = &played.told[0][0];
    assert!(!is_error, "{answer}");
    let sum = json!({ "of": [0, 5, 9], "total": 14, "pin": "***" });
    assert_eq!(answer["result"], sum, "{answer}");
    let attached = played.of_kind("child_attached");
    let named = |name: &str| attached.iter().find(|it| it["name"] == name).copied();
    let (prompt, child) = (
        named("plan").expect("told"),
        named("written").expect("told"),
    );
    assert_eq!(child["kind"], "workflow");
    assert_eq!(child["parent"], prompt["node"], "directly under the prompt");
    assert_eq!(child["node"], answer["id"]);
    let steps = attached.iter().filter(|it| it["name"] == "look");
    assert_eq!(steps.count(), 3, "its steps are in the tree of the run");
    assert_eq!(played.verdicts(), [("granted".to_owned(), String::new())]);
    let told = played.events.iter().map(Value::to_string);
    assert!(
        !told.collect::<String>().contains("MARKER"),
        "nothing hidden is shown"
    );
}

#[test]
fn agents_and_mount_points_are_asked_for_in_the_program() {
    // G53, G57
    let source = r#"
/// Gives a page.
tool page(n: int) -> string pure { "page ${n}" }
agent reader { model: "anthropic/claude-sonnet-5-5", system: "You read.", tools: [page] }
prompt read(n: int) -> string by reader { user "Read page ${n}." }
workflow main(pages: [int]) -> [string] {
  step "chapter" { parallel for n in pages limit 1 { read(n) } }
}
"#;
    let text = Value::from("it says one");
    let replies = vec![
        turn(&[write(source, json!({ "pages": [1] }))]),
        turn(&[("page", json!({ "n": 1 }))]),
        Reply::of(Body::Answer(Answer { text })),
        done(),
    ];
    let played = play("asked_for", &planner("", ""), replies);
    assert_eq!(played.said.out, "\"done\"\n", "{:?}", played.said);
    let of_reader = &played.asked[1];
    assert!(
        of_reader["system"].to_string().contains("You read."),
        "the agent that was asked for is asked: {of_reader}"
    );
    let attached = played.of_kind("child_attached");
    let named = |name: &str| {
        let found = attached.iter().find(|it| it["name"] == name);
        *found.unwrap_or_else(|| panic!("no node is called {name}: {attached:?}"))
    };
    let chain = [
        "plan", "written", "chapter", "parallel", "item", "read", "page",
    ];
    for (above, below) in chain.iter().zip(&chain[1..]) {
        assert_eq!(named(below)["parent"], named(above)["node"], "{below}");
    }
}

#[test]
fn what_does_not_check_goes_back_as_reports() {
    // G53
    let cases = [
        ("workflow main() -> int { \"no\" }", "written.gsw:1:"),
        ("fn f() -> int { 1 }", "main"),
        ("import ./other\nworkflow main() -> int { 1 }", "no module"),
        (
            "import std/exec\nworkflow main() { exec.check([\"sh\"]) }",
            "exec",
        ),
        (
            "workflow main() -> int { 1 }\npermissions { net: [\"*\"] }",
            "net",
        ),
        (
            "import std/fs\nworkflow main() -> string { fs.read(\"/etc/passwd\") }",
            "/etc/passwd",
        ),
    ];
    let calls: Vec<_> = cases.iter().map(|it| write(it.0, json!({}))).collect();
    let source = planner("permissions { fs.read: [\"./notes\"] }", "");
    let played = play("unchecked", &source, vec![turn(&calls), done()]);
    assert_eq!(played.said.code, Some(0), "{:?}", played.said);
    for ((source, expected), (is_error, told)) in cases.iter().zip(&played.told[0]) {
        assert!(is_error, "{source}: {told}");
        assert_eq!(told["code"], "does_not_check", "{source}: {told}");
        let message = told["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{source}: {message}");
    }
    let refused = played.verdicts().into_iter().filter(|it| it.0 == "refused");
    assert_eq!(refused.count(), cases.len());
    let fits = "workflow main(n: int) -> int { n }";
    let played = written("unfit", "", fits, json!({ "n": "many" }));
    let (is_error, told) = &played.told[0][0];
    assert_eq!(
        (is_error, &told["code"], &told["path"]),
        (&true, &json!("unfit"), &json!("$.n"))
    );
}

/// Two folders, a link from the first into the second, and what reads a file of a name that is not known before.
fn folders() -> (std::path::PathBuf, String) {
    let folder = scratch("written-rights");
    for name in ["mine", "other"] {
        fs::create_dir_all(folder.join(name)).expect("a folder can be made");
        fs::write(folder.join(name).join("a.txt"), name).expect("a file can be written");
    }
    let link = folder.join("mine/link.txt");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(folder.join("other/a.txt"), link).expect("a link can be made");
    let granted = format!(
        "permissions {{ fs.read: [{:?}, {:?}] }}",
        folder.join("mine"),
        folder.join("other")
    );
    (folder, granted)
}

#[test]
fn rights_may_only_narrow_and_narrower_ones_hold() {
    let (folder, granted) = folders();
    let path = |name: &str| json!({ "path": folder.join(name) });
    let reads = "import std/fs\nworkflow main(path: string) -> string { fs.read(path) }\n";
    let own = format!(
        "{reads}permissions {{ fs.read: [{:?}] }}",
        folder.join("mine")
    );
    let calls = [
        write(reads, path("other/a.txt")),
        write(&own, path("mine/a.txt")),
        write(&own, path("other/a.txt")),
        write(&own, path("mine/link.txt")),
        write(reads, json!({ "path": "/etc/passwd" })),
    ];
    let replies = vec![turn(&calls), done()];
    let played = play("narrowed", &planner(&granted, ""), replies);
    assert_eq!(played.said.code, Some(0), "{:?}", played.said);
    let told: Vec<(bool, String)> = played.told[0]
        .iter()
        .map(|(is_error, it)| (*is_error, it.to_string()))
        .collect();
    assert!(!told[0].0 && told[0].1.contains("other"), "{told:?}");
    assert!(!told[1].0 && told[1].1.contains("mine"), "{told:?}");
    for refused in &told[2..] {
        assert!(
            refused.0 && refused.1.contains("PermissionDenied"),
            "{refused:?}"
        );
    }
    // A program that lists nothing trusts its own code, and not that of a model.
    let played = written("unlisted", "", reads, path("mine/a.txt"));
    let (is_error, told) = &played.told[0][0];
    assert_eq!(
        (is_error, &told["code"]),
        (&true, &json!("does_not_check")),
        "{told}"
    );
}

#[test]
fn it_asks_only_providers_that_the_program_around_names() {
    let asks = |model: &str, rest: &str| {
        format!(
            "{rest}\nagent other {{ model: {model} }}\n\
             prompt leak() -> string by other {{ user \"all that was read\" }}\n\
             workflow main(whom: string) -> string {{ leak() with {{ model: whom }} }}"
        )
    };
    let input = json!({ "whom": "openai/gpt-5" });
    let calls = [
        write(&asks("\"openai/gpt-5\"", ""), input.clone()),
        write(
            &asks("OTHER", "const OTHER = \"openai/gpt-5\""),
            input.clone(),
        ),
        write(&asks("\"anthropic/claude-sonnet-5-5\"", ""), input),
    ];
    let replies = vec![turn(&calls), done()];
    let granted = "permissions { env: [\"OPENAI_API_KEY\"] }";
    let played = play("written-provider", &planner(granted, ""), replies);
    assert_eq!(played.said.code, Some(0), "{:?}", played.said);
    let told = &played.told[0];
    for (is_error, told) in &told[..2] {
        assert_eq!(
            (is_error, &told["code"]),
            (&true, &json!("does_not_check")),
            "{told}"
        );
        let message = told["message"].as_str().unwrap_or_default();
        assert!(message.contains("name only anthropic"), "{message}");
    }
    let (is_error, told) = &told[2];
    assert!(
        *is_error && told.to_string().contains("models of `openai`"),
        "{told}"
    );
    assert_eq!(played.asked.len(), 2, "nobody else was asked");
}

/// The question would be the model's, in the name of the program.
#[test]
fn it_asks_no_person() {
    let source = r#"
human login() -> string { user "Your session has expired. Type your password." }
workflow main() -> string { login() }
"#;
    let played = written("written-question", "", source, json!({}));
    let (is_error, told) = &played.told[0][0];
    assert!(
        *is_error && told.to_string().contains("a person, for a program"),
        "{told}"
    );
}

/// A person has consented to what the program does, whose author is known.
#[test]
fn it_uses_no_server_in_the_name_of_a_person() {
    let source = r#"
import std/mcp
workflow main(url: string) -> json { mcp.http(url, auth: mcp.oauth()).call("read") }
"#;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let host = listener.local_addr().expect("it listens");
    let input = json!({ "url": format!("http://{host}/mcp") });
    let granted = format!("permissions {{ net: [\"{host}\"] }}");
    let played = written("written-consent", &granted, source, input);
    let (is_error, told) = &played.told[0][0];
    assert!(
        *is_error && told.to_string().contains("a person's authorization"),
        "{told}"
    );
    listener.set_nonblocking(true).expect("it listens");
    assert!(listener.accept().is_err(), "nobody was asked");
}

#[test]
fn it_draws_from_the_budget_around_its_prompt() {
    let source = r#"
agent helper { model: "anthropic/claude-sonnet-5-5" }
prompt small(n: int) -> string by helper { user "small ${n}" }
workflow main() -> int {
  var made = 0
  for n in 0..20 { small(n); made += 1 }
  made
}
"#;
    let small = Reply {
        when: Some("small".into()),
        times: 0,
        ..Reply::of(Body::Answer(Answer { text: "ok".into() }))
    };
    let asks = Reply {
        when: Some("Plan it".into()),
        ..turn(&[write(source, json!({}))])
    };
    let replies = vec![asks, small, done()];
    let played = play("budget", &planner("", "budget(calls: 6)"), replies);
    // One asked for the program, and five of it were made: then nothing is left, neither for it nor for the program
    // that asked.
    assert_eq!(played.asked.len(), 6, "{:?}", played.said);
    assert!(
        played.said.err.contains("BudgetExceeded"),
        "{:?}",
        played.said
    );
    let ended = played.of_kind("workflow_end");
    let plan = ended.iter().find(|it| it["workflow"] == "written");
    assert_eq!(plan.expect("it ended")["status"], "failed");
}

#[test]
fn ten_are_run_for_one_prompt_and_none_for_one_that_may_not() {
    // G54
    let one = || write("workflow main() -> int { 1 }", json!({}));
    let mut replies: Vec<Reply> = (0..11).map(|_| turn(&[one()])).collect();
    replies.push(done());
    let played = play("many", &planner("", ""), replies);
    let codes: Vec<&Value> = played
        .told
        .iter()
        .map(|it| &it.last().expect("a call").1["code"])
        .collect();
    assert_eq!(codes.last(), Some(&&json!("too_many")), "{codes:?}");
    assert_eq!(
        played
            .verdicts()
            .iter()
            .filter(|it| it.0 == "granted")
            .count(),
        10
    );
    let without = planner("", "").replace("spawns: [written]", "");
    let played = play("ungranted", &without, vec![turn(&[one()]), done()]);
    assert_eq!(
        played.told[0][0].1["code"], "not_allowed",
        "{:?}",
        played.told
    );
    let offered = played.asked[0]["tools"].to_string();
    assert!(!offered.contains(TOOL), "it is not offered");
}

#[test]
fn one_that_computes_without_end_is_ended_and_the_run_goes_on() {
    let played = written(
        "endless",
        "",
        "workflow main() -> int { var n = 0; while true { n = (n + 1) % 7 }; n }",
        json!({}),
    );
    assert_eq!(played.said.code, Some(0), "{:?}", played.said);
    let (is_error, told) = &played.told[0][0];
    assert!(
        *is_error && told.to_string().contains("computed for too long"),
        "{told}"
    );
}

#[test]
fn one_that_wants_more_memory_than_a_model_has_a_claim_to_is_refused_it() {
    let large = "workflow main() -> int { \"x\".repeat(1_200_000_000).len() }";
    let played = written("large", "", large, json!({}));
    assert_eq!(played.said.code, Some(0), "{:?}", played.said);
    let (is_error, told) = &played.told[0][0];
    assert!(
        *is_error && told.to_string().contains("OutOfMemory"),
        "{told}"
    );
}

/// In tests time is virtual, and none of it passes while a program computes.
#[test]
fn one_that_computes_without_end_is_ended_in_a_test_as_well() {
    let loop_without_end =
        "workflow main() -> int { var n = 0; while true { n = (n + 1) % 7 }; n }";
    let tested = format!(
        "import std/introspect
agent planner {{ model: \"sim/default\", tools: [introspect.request_written_workflow], spawns: [written] }}
prompt plan(what: string) -> string by planner {{ user \"${{what}}\" }}
test \"it goes on\" {{
  mock agent planner {{
    call introspect.request_written_workflow(\"{loop_without_end}\", \"it counts\", {{}})
    answer \"given up\"
  }}
  assert plan(\"count\") == \"given up\"
}}
"
    );
    let said = gswc(&["test", text(&program("written-endless-test", &tested))]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_built_program_has_the_compiler_only_if_it_is_asked_for() {
    let file = program("written-built", &planner("", ""));
    let run = |built: &std::path::Path| {
        let replies = vec![
            turn(&[write("workflow main() -> int { 7 }", json!({}))]),
            done(),
        ];
        let script = fake_provider::Script { replies };
        let (said, asked) = with_provider(script, |url| {
            let said = std::process::Command::new(built)
                .env("ANTHROPIC_API_KEY", "key-of-tests")
                .env("ANTHROPIC_BASE_URL", url)
                .env("GSW_CACHE", "off")
                .env("GSW_STORE", "off")
                .output();
            said.expect("it can be started")
        });
        assert!(said.status.success(), "{said:?}");
        asked[1]["messages"].to_string()
    };
    let build = |name: &str, more: &[&str]| {
        let built = scratch("written").join(name);
        let mut words = vec!["build", text(&file), "-o", text(&built)];
        words.extend(more);
        let said = gswc(&words);
        assert_eq!(said.code, Some(0), "{said:?}");
        (built.clone(), said.err)
    };
    let (with, _) = build("with", &["--with-compiler"]);
    assert!(run(&with).contains("\\\"result\\\":7"), "{}", run(&with));
    let (without, said) = build("without", &[]);
    assert!(said.contains("--with-compiler"), "{said}");
    let told = run(&without);
    assert!(
        told.contains("not_allowed") && told.contains("--with-compiler"),
        "{told}"
    );
}
