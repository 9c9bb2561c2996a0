//! Every built-in error is brought about by a program, and ends one with the exit code and the words that are its own.

use fake_provider::{Body, Reply, Script};
use serde_json::{Value, json};

use crate::program::{gswc, scratch, text};
use crate::wire::{program, run, with_provider};

/// Asks once and prints which error came.
const ASK: &str = r#"
agent a { model: "anthropic/claude-sonnet-5-5", retry: 0, reflect: 0, max_tokens: 100 }
prompt ask(topic: string) -> int by a { user "How many ${topic}?" }
workflow main() -> string {
  "${ask("cups")}" catch {
    RateLimited(wait) => "RateLimited ${wait}"
    Overloaded => "Overloaded"
    Unauthorized(_) => "Unauthorized"
    QuotaExceeded(_) => "QuotaExceeded"
    InvalidResponse(issues) => "InvalidResponse ${issues.len()}"
    Refused(_) => "Refused"
    ContextTooLong(tokens, limit) => "ContextTooLong ${tokens} ${limit}"
    MaxTokens => "MaxTokens"
    ProviderError(status, _) => "ProviderError ${status}"
  }
}
"#;

fn refusal(status: u16, kind: &str, message: &str) -> Reply {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    Reply {
        times: 0,
        status,
        body: Body::Json(body),
        ..Reply::default()
    }
}

fn answer(text: &str, stop_reason: &str) -> Reply {
    let message = json!({
        "content": [{ "type": "text", "text": text }],
        "stop_reason": stop_reason,
    });
    Reply {
        times: 0,
        body: Body::Anthropic(serde_json::from_value(message).expect("it is a message")),
        ..Reply::default()
    }
}

#[test]
fn what_a_model_does_is_one_of_nine_errors() {
    let file = program("nine", ASK);
    let mut limited = refusal(429, "rate_limit_error", "slower");
    limited.headers.insert("retry-after".into(), "2".into());
    let long = "prompt is too long: 210000 tokens > 200000 maximum";
    let cases = [
        (limited, "RateLimited 2s"),
        (refusal(529, "overloaded_error", "busy"), "Overloaded"),
        (refusal(401, "authentication_error", "no"), "Unauthorized"),
        (refusal(402, "billing_error", "no credit"), "QuotaExceeded"),
        (answer("many", "end_turn"), "InvalidResponse 1"),
        (answer("", "refusal"), "Refused"),
        (
            refusal(400, "invalid_request_error", long),
            "ContextTooLong 210000 200000",
        ),
        (answer("1", "max_tokens"), "MaxTokens"),
        (refusal(500, "api_error", "broken"), "ProviderError 500"),
    ];
    let mut wrong = Vec::new();
    for (reply, expected) in cases {
        let script = Script {
            replies: vec![reply],
        };
        let (said, _) = with_provider(script, |url| run(&file, url, &["--raw"]));
        if said.out.trim_end() != expected {
            wrong.push(format!("{expected}: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A block of a workflow, the output on standard error, and the exit code.
const ENDS: &[(&str, &str, i32)] = &[
    ("timeout 1ms { sleep(1h); 1 }", "error: Timeout: ", 1),
    ("exec.check([\"false\"]); 1", "error: ToolFailed: ", 1),
    ("fs.read(\"no/such/file\").len()", "error: IoError: ", 1),
    (
        "http.get(\"http://127.0.0.1:9\").ok().status",
        "error: IoError: ",
        1,
    ),
    ("json.parse(\"{\").int_of()", "error: DecodeError: ", 1),
    ("fail Failed(\"no port\")", "error: Failed: no port", 1),
    ("fail HttpError(404, \"gone\")", "error: HttpError: ", 1),
    (
        "fail McpError(server: \"docs\", message: \"gone\")",
        "error: McpError: ",
        1,
    ),
    (
        "let xs = parallel for x in [1, 2] errors merge { if x > 0 { fail Failed(\"no\") }; x }\n  xs.len()",
        "error: Many: ",
        1,
    ),
    (
        "let n = 9223372036854775807; n + [1].len()",
        "error: Overflow",
        1,
    ),
    ("1 / [1].drop(1).len()", "error: DivisionByZero", 1),
    ("[1][3]", "error: OutOfRange", 1),
    ("deep(0)", "error: StackOverflow: calls nest too deep", 1),
    (
        "assert [1].len() == 2, \"why\"\n  1",
        "error: AssertionFailed: ",
        1,
    ),
    (
        "budget(calls: 0) { ask(\"cups\") }",
        "error: BudgetExceeded: ",
        1,
    ),
    (
        "env.get(\"HOME\")?.len() ?? 0",
        "error: PermissionDenied: ",
        3,
    ),
    ("fail OutcomeUnknown(\"pay\")", "error: OutcomeUnknown: ", 1),
    ("fail Internal(\"ours\")", "error: Internal: ours", 70),
    (
        "let t = spawn { sleep(1h); 1 }\n  t.cancel()\n  await t",
        "error: Cancelled: ",
        1,
    ),
];

fn source(block: &str) -> String {
    let permissions = match block.contains("env.") {
        true => "permissions { env: [\"OTHER\"] }\n",
        false => "",
    };
    let names = ["env", "exec", "fs", "http"].into_iter();
    let imports: String = names
        .filter(|it| block.contains(&format!("{it}.")))
        .map(|it| format!("import std/{it}\n"))
        .collect();
    let name = if block.contains("env.") {
        "[\"HO\", \"ME\"].join(\"\")"
    } else {
        "\"HOME\""
    };
    let block = block
        .replace("\"HOME\"", name)
        .replace(".int_of()", " as int");
    format!(
        "{imports}{permissions}agent a {{ model: \"sim/default\" }}\nprompt ask(topic: string) -> int by a {{ user \"How many ${{topic}}?\" }}\nfn deep(n: int) -> int {{ deep(n + 1) + 1 }}\nworkflow main() -> int {{\n  {block}\n}}\n"
    )
}

#[test]
fn an_error_that_nobody_catches_ends_the_program_with_its_words() {
    let mut wrong = Vec::new();
    for (index, (block, expected, code)) in ENDS.iter().enumerate() {
        let file = scratch("errors").join(format!("end_{index}.gsw"));
        std::fs::write(&file, source(block)).expect("the target folder can be written");
        let said = gswc(&["run", text(&file)]);
        if said.code != Some(*code) || !said.err.contains(expected) || !said.out.is_empty() {
            wrong.push(format!("{block}: {said:?}"));
            continue;
        }
        let said = gswc(&["run", text(&file), "--", "--json"]);
        let last = said.err.lines().last().unwrap_or_default();
        let parsed = serde_json::from_str::<Value>(last);
        let name = expected.trim_start_matches("error: ");
        let name = name.split(':').next().unwrap_or_default();
        let is_reported = parsed.is_ok_and(|it| it["error"] == name && it["message"].is_string());
        if said.code != Some(*code) || !is_reported {
            wrong.push(format!("{block} --json: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
