//! What coding agents use: `gswc describe`, `gswc doc --format json`, `gswc mcp` with the official client, and the skill.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::program::{GSWC, Said, gswc, root, run_with_input, scratch, text};

const PROGRAM: &str = r#"//! Sorts bugs.
import std/fs
import ./levels

/// How bad it is.
enum Severity {
  /// Nobody sees it.
  Low
  High(reason: string)
}

/// A bug.
type Bug {
  /// One line.
  title: string
  severity: Severity = Low
}

error NoFile(path)

agent reviewer { model: "sim/default", reflect: 3 }

/// Finds the bugs of a file.
prompt find_bugs(
  /// Where it stands.
  path: string,
  code: string,
) -> [Bug] by reviewer {
  system "You review."
  user "Find the bugs in ${path}."
}

/// Notes something.
tool note(line: string) idempotent by line retry 2 { fs.append("notes.txt", line) }

workflow main(dir: string = ".") -> [Bug] {
  note(dir)
  find_bugs(dir, levels.worst().to_string())
}

test "main finds what the prompt finds" {
  mock fs.append(_, _) -> ()
  mock find_bugs(_, _) -> [Bug { title: "one" }]
  assert main()[0].title == "one"
}

test "a test that fails" {
  assert 1 == 2
}
"#;

const LEVELS: &str = "/// The worst level.\nfn worst() -> int { 3 }\n";

/// A project in a folder of its own.
fn project(name: &str) -> PathBuf {
    let folder = scratch("coding_agents").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("scratch can be written");
    let files = [
        ("main.gsw", PROGRAM),
        ("levels.gsw", LEVELS),
        (
            "gsw.toml",
            "name = \"bugs\"\n[permissions]\n\"fs.write\" = [\".\"]\n",
        ),
    ];
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("scratch can be written");
    }
    folder
}

fn described(words: &[&str]) -> Vec<Value> {
    let said = gswc(words);
    assert_eq!(said.code, Some(0), "{said:?}");
    let lines = said.out.lines().map(serde_json::from_str);
    lines.map(|it| it.expect("each line is JSON")).collect()
}

#[test]
fn a_declaration_is_described_as_data() {
    let folder = project("described");
    let of = |name: &str| described(&["describe", name, text(&folder), "--format", "json"]);
    let prompt = &of("find_bugs")[0];
    assert_eq!(prompt["kind"], "prompt");
    assert_eq!(prompt["docs"], "Finds the bugs of a file.");
    assert_eq!(prompt["parameters"][0]["docs"], "Where it stands.");
    assert_eq!(prompt["result"], "[Bug]");
    assert_eq!(prompt["agent"], "reviewer");
    assert_eq!(
        prompt["says"][1],
        json!({"role": "user", "text": "\"Find the bugs in ${path}.\""})
    );
    let errors = prompt["errors"].as_array().expect("a list");
    assert!(errors.contains(&json!("ModelError")), "{errors:?}");
    assert_eq!(prompt["effects"], json!(["model"]));
    let tool = &of("note")[0];
    assert_eq!(tool["repeat"], "idempotent");
    assert_eq!(tool["modifiers"], json!(["retry 2"]));
    assert_eq!(tool["errors"], json!(["IoError"]));
    let bug = &of("Bug")[0];
    assert_eq!(bug["fields"][1]["default"], "Low");
    assert_eq!(bug["line"], 13);
    let severity = &of("Severity")[0];
    assert_eq!(severity["variants"][0]["docs"], "Nobody sees it.");
    assert_eq!(severity["variants"][1]["fields"][0]["name"], "reason");
    let worst = &of("worst")[0];
    assert_eq!(worst["name"], "levels.worst");
    assert_eq!(of("reviewer")[0]["settings"]["reflect"], "3");
    let read = &of("fs.read")[0];
    assert_eq!(read["module"], "std/fs");
    assert_eq!(
        read["signature"],
        "fn read(path: string) -> string ! IoError"
    );
}

#[test]
fn a_declaration_is_found_by_the_name_that_the_entry_file_imports() {
    let folder = project("imported");
    let files = [
        (
            "main.gsw",
            "import ./parts/levels as l\nimport ./parts/levels.{Level as Grade}\n\nworkflow main() -> Grade { l.worst() }\n",
        ),
        (
            "parts/levels.gsw",
            "/// A level.\ntype Level { size: int }\n\nfn Level.next(self) -> int { self.size + 1 }\n\nfn worst() -> Level { Level { size: 3 } }\n",
        ),
    ];
    fs::create_dir_all(folder.join("parts")).expect("scratch can be written");
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("scratch can be written");
    }
    let of = |name: &str| described(&["describe", name, text(&folder), "--format", "json"]);
    for (name, kind) in [
        ("Grade", "type"),
        ("Grade.next", "fn"),
        ("l.worst", "fn"),
        ("l.Level", "type"),
        ("levels.worst", "fn"),
    ] {
        let found = of(name);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0]["name"], name);
        assert_eq!(found[0]["kind"], kind, "{name}");
    }
    assert_eq!(of("l").len(), 3);
}

#[test]
fn a_declaration_is_described_for_people_and_an_unknown_one_refused() {
    let folder = project("people");
    let said = gswc(&["describe", "find_bugs", text(&folder)]);
    for part in [
        "prompt find_bugs(path: string, code: string) -> [Bug] ! ",
        "- `path: string`: Where it stands.",
        "asked by: reviewer",
        "user \"Find the bugs in ${path}.\"",
        "main.gsw:",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let unknown = gswc(&["describe", "find_bug", text(&folder)]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.err.contains("did you mean `find_bugs`?"),
        "{unknown:?}"
    );
    // What is no declaration may be a word.
    let word = gswc(&["describe", "retry", text(&folder)]);
    assert!(word.err.contains("`gswc explain retry`"), "{word:?}");
    // A module is described by all that it declares.
    for name in ["fs", "std/fs"] {
        let module = gswc(&["describe", name]).out;
        assert!(
            module.contains("# fs.read\n") && module.contains("# fs.write\n"),
            "{module}"
        );
    }
    let module = gswc(&["describe", "levels", text(&folder)]).out;
    assert!(module.starts_with("# levels."), "{module}");
    // A program that is wrong can be asked about all the same.
    fs::write(folder.join("levels.gsw"), "fn worst() -> int { \"\" }\n").expect("scratch");
    let broken = gswc(&["describe", "worst", text(&folder)]);
    assert_eq!(broken.code, Some(0), "{broken:?}");
}

#[test]
fn what_is_checked_after_where_is_described() {
    let folder = project("checked");
    let program = "type Count = int where it > 0\n\ntype Order {\n  n: Count\n  mark: string = \"a\" where it.len() < 5\n}\n\nworkflow main(o: Order) -> int { o.n }\n";
    fs::write(folder.join("main.gsw"), program).expect("scratch");
    for (name, signature) in [
        ("Count", "type Count = int where it > 0"),
        (
            "Order",
            "type Order { n: Count, mark: string = \"a\" where it.len() < 5 }",
        ),
    ] {
        let said = gswc(&["describe", name, text(&folder)]);
        assert!(said.out.contains(signature), "{}", said.out);
    }
    let of = |name: &str| described(&["describe", name, text(&folder), "--format", "json"]);
    assert_eq!(of("Count")[0]["where"], "it > 0");
    let fields = &of("Order")[0]["fields"];
    assert_eq!(fields[0].get("where"), None);
    assert_eq!(fields[1]["where"], "it.len() < 5");
}

#[test]
fn all_declarations_are_data() {
    let folder = project("all");
    let all = described(&["doc", text(&folder), "--format", "json"]);
    let names: Vec<&str> = all.iter().filter_map(|it| it["name"].as_str()).collect();
    for name in ["main", "Bug", "levels.worst", "fs.read", "list.map"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(all.iter().all(|it| it["line"].is_u64()));
}

#[derive(Clone)]
struct Agent;

impl ClientHandler for Agent {}

type Session = RunningService<RoleClient, Agent>;

/// A server that was started in a folder, and a client of it.
async fn connect(folder: &Path, age: ClientLifecycleMode) -> (Child, Session) {
    let mut child = Command::new(GSWC)
        .arg("mcp")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = OwnedFd::from(child.stdin.take().expect("its input is a pipe"));
    let output = OwnedFd::from(child.stdout.take().expect("its output is a pipe"));
    let reader = Receiver::from_owned_fd(output).expect("a pipe");
    let writer = Sender::from_owned_fd(input).expect("a pipe");
    let session = Agent.serve_with_lifecycle((reader, writer), age);
    (child, session.await.expect("both speak the protocol"))
}

async fn call(session: &Session, name: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    let call = CallToolRequestParams::new(name).with_arguments(arguments);
    session.call_tool(call).await.expect("a result")
}

fn said(result: &CallToolResult) -> String {
    let first = result.content.first().expect("it says something");
    first.as_text().expect("it is text").text.clone()
}

fn data(result: &CallToolResult) -> Value {
    result.structured_content.clone().expect("it has data")
}

async fn close(session: Session, mut child: Child) {
    session.cancel().await.expect("it closes");
    for _ in 0..1_500 {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert_eq!(status.code(), Some(0));
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the server does not end with its client");
}

fn block_on(future: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    runtime.block_on(future);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one session, in order")]
fn an_agent_checks_and_looks_things_up_over_mcp() {
    let folder = project("looks");
    let ages = [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    ];
    for age in ages {
        block_on(async {
            let (child, session) = connect(&folder, age).await;
            let tools = session.list_all_tools().await.expect("tools");
            let names: Vec<&str> = tools.iter().map(|it| &*it.name).collect();
            assert_eq!(
                names,
                [
                    "check",
                    "describe",
                    "hover",
                    "definition",
                    "references",
                    "format",
                    "fix",
                    "explain",
                    "search",
                    "page",
                    "test"
                ]
            );
            let clean = call(&session, "check", json!({})).await;
            assert_eq!(data(&clean)["errors"], 0, "{clean:?}");
            let wrong = json!({"text": "workflow main() -> int { lenght(\"\") }\n"});
            let wrong = call(&session, "check", wrong).await;
            assert_eq!(data(&wrong)["errors"], 1, "{wrong:?}");
            assert_eq!(data(&wrong)["diagnostics"][0]["code"], "unknown-name");
            assert_eq!(
                wrong.is_error,
                Some(false),
                "finding an error is no failure"
            );
            let bug = call(&session, "describe", json!({"name": "Bug"})).await;
            assert_eq!(data(&bug)["declarations"][0]["fields"][0]["name"], "title");
            let at = json!({"file": "main.gsw", "line": 38, "name": "worst"});
            let hover = call(&session, "hover", at.clone()).await;
            assert!(said(&hover).contains("fn worst() -> int"), "{hover:?}");
            let found = call(&session, "definition", at).await;
            assert_eq!(data(&found)["line"], 2, "{found:?}");
            let word = json!({"file": "main.gsw", "line": 36, "name": "workflow"});
            let word = call(&session, "hover", word).await;
            assert!(said(&word).starts_with("# workflow"), "{word:?}");
            let at = json!({"file": "levels.gsw", "line": 2, "name": "worst"});
            let found = data(&call(&session, "references", at).await);
            let places = found["references"].as_array().expect("a list");
            assert_eq!(places.len(), 2, "{places:?}");
            let page = call(&session, "page", json!({"about": "reference/testing"})).await;
            assert!(said(&page).starts_with("# "), "{page:?}");
            let search = call(&session, "search", json!({"about": "cassette record"})).await;
            assert!(said(&search).contains("page `reference/"), "{search:?}");
            let explained = call(&session, "explain", json!({"about": "retry"})).await;
            assert!(said(&explained).starts_with("# retry"), "{explained:?}");
            let formatted =
                call(&session, "format", json!({"text": "workflow  main( ) { }"})).await;
            assert_eq!(said(&formatted), "workflow main() {}", "{formatted:?}");
            close(session, child).await;
        });
    }
}

#[test]
fn an_agent_tests_fixes_and_formats_over_mcp() {
    let folder = project("does");
    block_on(async {
        let (child, session) = connect(&folder, ClientLifecycleMode::Initialize).await;
        let tests = call(&session, "test", json!({})).await;
        assert!(said(&tests).contains("a test that fails"), "{tests:?}");
        let passing = call(&session, "test", json!({"filter": "main finds"})).await;
        assert!(said(&passing).contains("1 passed"), "{passing:?}");
        let file = folder.join("levels.gsw");
        fs::write(&file, "import std/fs\nfn  worst() -> int { 3 }\n").expect("scratch");
        let formatted = call(&session, "format", json!({"file": "levels.gsw"})).await;
        assert_eq!(said(&formatted), "done", "{formatted:?}");
        let written = fs::read_to_string(&file).expect("it is there");
        assert!(written.contains("fn worst() -> int"), "{written}");
        let fixed = call(&session, "fix", json!({"file": "levels.gsw"})).await;
        assert!(said(&fixed).contains("1 fix"), "{fixed:?}");
        let written = fs::read_to_string(&file).expect("it is there");
        assert!(!written.contains("std/fs"), "{written}");
        close(session, child).await;
    });
}

#[test]
fn what_an_agent_asks_wrongly_is_said() {
    let folder = project("wrongly");
    block_on(async {
        let (child, session) = connect(&folder, ClientLifecycleMode::Initialize).await;
        for (name, arguments, why) in [
            (
                "hover",
                json!({"file": "main.gsw", "line": 1}),
                "`name` or `column`",
            ),
            (
                "hover",
                json!({"file": "main.gsw", "line": 900, "column": 1}),
                "no line 900",
            ),
            (
                "hover",
                json!({"file": "gone.gsw", "line": 1, "column": 1}),
                "does not exist",
            ),
            (
                "hover",
                json!({"file": "main.gsw", "line": 1, "name": "zebra"}),
                "is not in line 1",
            ),
            ("describe", json!({"name": "Bugg"}), "did you mean `Bug`?"),
            ("check", json!({"file": "--help"}), "does not exist"),
            ("fix", json!({"file": "--help"}), "does not exist"),
            ("format", json!({"text": "workflow {"}), "error["),
            ("page", json!({"about": "nothing"}), "reference/language"),
        ] {
            let answer = call(&session, name, arguments.clone()).await;
            assert!(
                said(&answer).contains(why),
                "{name} {arguments}: {answer:?}"
            );
        }
        for (name, arguments) in [
            ("hover", json!({"line": "x"})),
            ("check", json!({"fiel": "main.gsw"})),
            ("nothing", json!({})),
        ] {
            let Value::Object(arguments) = arguments else {
                continue;
            };
            let asked = CallToolRequestParams::new(name).with_arguments(arguments);
            let refused = session.call_tool(asked).await;
            assert!(
                matches!(refused, Err(ServiceError::McpError(_))),
                "{refused:?}"
            );
        }
        // It continues after all of that.
        let clean = call(&session, "check", json!({})).await;
        assert_eq!(data(&clean)["errors"], 0, "{clean:?}");
        close(session, child).await;
    });
}

/// The words after `gswc` in back-quotes and blocks of a page.
fn commands(page: &str) -> Vec<String> {
    let words = page.split("gswc ").skip(1);
    let command = |it: &str| {
        let end = it
            .find(|c: char| !(c.is_ascii_lowercase()))
            .unwrap_or(it.len());
        it[..end].to_owned()
    };
    words.map(command).filter(|it| !it.is_empty()).collect()
}

#[test]
fn the_skill_is_read_by_agents_and_says_what_is_true() {
    let folder = root().join("editors/skill/groundswell");
    let page = fs::read_to_string(folder.join("SKILL.md")).expect("it is there");
    let (head, body) = page
        .strip_prefix("---\n")
        .and_then(|it| it.split_once("\n---\n"))
        .expect("it has a head");
    let field = |name: &str| {
        let line = head.lines().find_map(|it| it.strip_prefix(name));
        line.unwrap_or_else(|| panic!("the head has no `{name}`"))
            .trim()
    };
    // What agentskills.io asks for.
    assert_eq!(field("name:"), "groundswell");
    assert!(field("description:").len() <= 1024);
    assert!(body.lines().count() < 500);
    let names = commands(body);
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let Said { code, .. } = gswc(&[&name, "--help"]);
        assert_eq!(code, Some(0), "there is no `gswc {name}`");
    }
    let program = body
        .split("```gsw\n")
        .nth(1)
        .and_then(|it| it.split_once("```"))
        .expect("it shows a program")
        .0;
    let file = scratch("coding_agents").join("skill.gsw");
    fs::write(&file, program).expect("scratch can be written");
    let tested = gswc(&["test", text(&file)]);
    assert_eq!(tested.code, Some(0), "{tested:?}");
}

/// A client that waits for an answer is told that what was sent could not be read.
#[test]
fn a_line_that_the_server_cannot_read_is_answered() {
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    }});
    let twice =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check","name":"fix"}}"#;
    let nameless = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#;
    let input = format!("{greeting}\n{{\n{twice}\n{nameless}\n");
    let said = run_with_input(Path::new(GSWC), &["mcp"], &input);
    let lines = said.out.lines().skip(1);
    let lines = lines.map(|it| serde_json::from_str::<Value>(it).expect("each line is JSON"));
    let refused = lines.map(|it| (it["id"].clone(), it["error"]["code"].clone()));
    let expected = [
        (Value::Null, json!(-32700)),
        (json!(2), json!(-32602)),
        (json!(3), json!(-32602)),
    ];
    assert_eq!(refused.collect::<Vec<_>>(), expected, "{said:?}");
}
