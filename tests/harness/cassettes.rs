//! Cassettes: models are recorded once, and answer from a file afterwards.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fake_provider::{Answer, Body, Message, Reply, Script};
use serde_json::{Map, Value, json};

use crate::program::{GSWC, Said, root, scratch, text};
use crate::wire::{when, with_provider};

/// A folder with a program, new.
pub struct Stage {
    folder: PathBuf,
}

impl Stage {
    pub fn new(name: &str, source: &str) -> Self {
        let folder = scratch("cassettes").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let stage = Self { folder };
        stage.write(source);
        stage
    }

    pub fn program(&self) -> PathBuf {
        self.folder.join("it.gsw")
    }

    fn write(&self, source: &str) {
        std::fs::write(self.program(), source).expect("the target folder can be written");
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).expect("it was just written")
    }

    /// `gswc`, in another folder than the program's.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(GSWC);
        command
            .args(words)
            .current_dir(root())
            .stdin(Stdio::null())
            .env_remove("GSW_MODEL")
            .env_remove("ANTHROPIC_API_KEY")
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
            .env("GSW_STORE", self.file("runs.db"))
            .env("GSW_CACHE", self.file("cache"));
        command
    }

    /// With a provider that can be reached.
    pub fn live(&self, url: &str, words: &[&str]) -> Said {
        let mut command = self.command(words);
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", url)
            .env("TOKEN", TOKEN);
        command.output().expect("gswc can be started").into()
    }

    /// Without a key and without a provider.
    pub fn alone(&self, words: &[&str]) -> Said {
        let mut command = self.command(words);
        command.output().expect("gswc can be started").into()
    }

    fn record(&self, url: &str) -> Said {
        self.live(url, &["test", text(&self.program()), "--record"])
    }

    fn test(&self) -> Said {
        self.alone(&["test", text(&self.program())])
    }
}

pub const KEY: &str = "key-of-tests-0123456789";
pub const TOKEN: &str = "token-of-tests-9876543210";

fn says(text: Value) -> Reply {
    Reply::of(Body::Answer(Answer { text }))
}

fn fails(status: u16, kind: &str, message: &str) -> Reply {
    let mut headers = Map::new();
    headers.insert("retry-after-ms".into(), "1".into());
    Reply {
        status,
        headers,
        ..Reply::of(Body::Json(
            json!({ "type": "error", "error": { "type": kind, "message": message } }),
        ))
    }
}

fn calls(name: &str, input: Value) -> Reply {
    Reply::of(Body::Anthropic(Message {
        content: vec![json!({ "type": "tool_use", "id": "call-1", "name": name, "input": input })],
        stop_reason: "tool_use".into(),
        ..Message::default()
    }))
}

const EVERYTHING: &str = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" reflect: 1 cache: true }
type Stars = int where it <= 5
type Login { user: string, @secret pin: int, @secret word: string, code: string? }
prompt rate(dish: string) -> Stars by clerk { user "Rate ${dish} from 1 to 5." }
prompt login_in(@secret message: string) -> Login by clerk { user "Which login does this name? ${message}" }
tool open(@secret password: string, room: string) -> Login reads {
  Login { user: room, pin: 987654, word: "inner-secret" }
}
agent guard { model: "anthropic/claude-sonnet-5-5" tools: [open] }
prompt enter(room: string) -> string by guard { user "Open ${room}." }
test "a rating is asked for again until it fits" cassette "tapes/all.jsonl" {
  assert rate("soup") == 4
}
test "rows" for dish in ["bread", "cake"] cassette "tapes/all.jsonl" {
  assert rate(dish) == dish.len() - 2
}
test "secrets" cassette "tapes/all.jsonl" {
  let login = login_in("it is hunter2-the-secret")
  assert login.user == "ada"
  assert enter("the cellar") == "It is open."
}
"#;

fn everything() -> Script {
    let soup = |reply: Reply| Reply {
        when: Some("soup".into()),
        ..reply
    };
    let once = |part: &str, reply: Reply| Reply {
        when: Some(part.into()),
        ..reply
    };
    Script {
        replies: vec![
            soup(fails(429, "rate_limit_error", &format!("slow down, {KEY}"))),
            soup(fails(529, "overloaded_error", "too many")),
            soup(says(json!("7"))),
            soup(says(json!("4"))),
            when("bread", json!("3")),
            when("cake", json!("2")),
            when(
                "hunter2",
                json!({ "user": "ada", "pin": 123_456, "word": "outer-secret", "code": null }),
            ),
            once(
                "cellar",
                calls(
                    "open",
                    json!({ "password": "open-sesame", "room": "cellar" }),
                ),
            ),
            once("cellar", says(json!("It is open."))),
        ],
    }
}

/// What is hidden, in whatever form.
const SECRETS: [&str; 8] = [
    KEY,
    TOKEN,
    "hunter2",
    "123456",
    "outer-secret",
    "open-sesame",
    "inner-secret",
    "987654",
];

pub fn without_secrets(cassette: &str) {
    for secret in SECRETS {
        assert!(!cassette.contains(secret), "{secret} is in\n{cassette}");
    }
    for header in ["authorization", "x-api-key", "anthropic-version", "Bearer"] {
        assert!(!cassette.to_lowercase().contains(&header.to_lowercase()));
    }
}

#[test]
fn what_was_recorded_stands_for_models_tools_reflection_and_failures() {
    let stage = Stage::new("everything", EVERYTHING);
    let (said, asked) = with_provider(everything(), |url| stage.record(url));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("9 recorded"), "{said:?}");
    assert_eq!(asked.len(), 9);
    let cassette = stage.read("tapes/all.jsonl");
    without_secrets(&cassette);
    let lines: Vec<Value> = cassette
        .lines()
        .map(|it| serde_json::from_str(it).expect("each line is JSON"))
        .collect();
    assert_eq!(lines[0], json!({ "cassette": 1 }));
    assert_eq!(lines[1]["failure"]["kind"], "rate_limited");
    assert_eq!(
        lines[1]["failure"]["message"]
            .as_str()
            .map(|it| it.contains("***")),
        Some(true)
    );
    assert_eq!(lines[2]["failure"]["status"], 529);
    assert_eq!(lines[3]["answer"]["content"], "7");

    let said = stage.test();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("no test asks"), "{said:?}");
    // The order of declarations and tests, blanks and comments change no request.
    let at = EVERYTHING.find("test \"a rating").expect("it is there");
    let (declared, tests) = EVERYTHING.split_at(at);
    let moved = format!("// Tests first.\n{tests}\n\n\n{declared}")
        .replace("user \"Rate", "\n\n    user   \"Rate");
    stage.write(&moved);
    let said = stage.test();
    assert_eq!(said.code, Some(0), "{said:?}");
    // A test of another name finds the records all the same.
    stage.write(&EVERYTHING.replace("test \"secrets\"", "test \"renamed\""));
    let said = stage.test();
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_request_without_a_record_fails_the_test_and_shows_the_nearest() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate the dish.\n${dish}\nFrom 1 to 5." }
test "asks" cassette "tape.jsonl" { assert rate("soup") == 4 }
"#;
    let stage = Stage::new("nearest", source);
    let script = Script {
        replies: vec![when("soup", json!("4"))],
    };
    let (said, _) = with_provider(script, |url| stage.record(url));
    assert_eq!(said.code, Some(0), "{said:?}");
    stage.write(&source.replace("soup", "bread"));
    let said = stage.test();
    assert_eq!(said.code, Some(1), "{said:?}");
    for part in [
        "no record of this request of `rate`",
        "the nearest is line 2 (- recorded, + asked)",
        "-   soup",
        "+   bread",
        "`gswc test --record` records it",
    ] {
        assert!(said.out.contains(part), "{part}: {said:?}");
    }
    // It is no error of a model: nothing tries it again, and a `catch` does not hide it.
    let caught = source.replace(
        "assert rate(\"soup\") == 4",
        "let n = (retry 3 { rate(\"bread\") }) catch _ => 4\n  assert n == 4",
    );
    stage.write(&caught);
    let said = stage.test();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("this was caught"), "{said:?}");
    // Asked more often than it was recorded.
    stage.write(&source.replace("== 4", "== rate(\"soup\")"));
    let said = stage.test();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out
            .contains("asked for the 2. time and was recorded once (line 2)"),
        "{said:?}"
    );
}

#[test]
fn equal_requests_get_their_answers_in_order_whatever_runs_beside_them() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt pick() -> int by clerk { user "Pick a number." }
test "first" cassette "tape.jsonl" { assert [pick(), pick(), pick()].len() == 3 }
test "second" cassette "tape.jsonl" { assert [pick(), pick()].len() == 2 }
"#;
    let stage = Stage::new("order", source);
    let script = Script {
        replies: (1..=5).map(|it| says(json!(it.to_string()))).collect(),
    };
    let (said, _) = with_provider(script, |url| stage.record(url));
    assert_eq!(said.code, Some(0), "{said:?}");
    let of = |test: &str| -> Vec<Value> {
        let cassette = stage.read("tape.jsonl");
        let lines = cassette.lines().skip(1);
        let lines = lines.map(|it| serde_json::from_str::<Value>(it).expect("each line is JSON"));
        lines
            .filter(|it| it["test"] == test)
            .map(|it| serde_json::from_str(it["answer"]["content"].as_str().expect("a text")))
            .map(|it| it.expect("a number"))
            .collect()
    };
    let (first, second) = (of("first"), of("second"));
    assert_eq!((first.len(), second.len()), (3, 2));
    let expected = source
        .replace(".len() == 3", &format!(" == {}", json!(first)))
        .replace(".len() == 2", &format!(" == {}", json!(second)));
    stage.write(&expected);
    for _ in 0..3 {
        let said = stage.test();
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

#[test]
fn only_what_is_recorded_anew_changes_and_what_nobody_asks_for_is_named() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
test "soup" cassette "tape.jsonl" { assert rate("soup") > 0 }
test "bread" cassette "tape.jsonl" { assert rate("bread") > 0 }
"#;
    let stage = Stage::new("anew", source);
    let script = |soup: &str| Script {
        replies: vec![when("soup", json!(soup)), when("bread", json!("2"))],
    };
    let (said, _) = with_provider(script("1"), |url| stage.record(url));
    assert_eq!(said.code, Some(0), "{said:?}");
    let (said, asked) = with_provider(script("5"), |url| {
        let program = stage.program();
        stage.live(
            url,
            &["test", text(&program), "--record", "--filter", "soup"],
        )
    });
    assert_eq!((said.code, asked.len()), (Some(0), 1), "{said:?}");
    assert!(
        said.out.contains("1 recorded, 1 of other tests kept"),
        "{said:?}"
    );
    let cassette = stage.read("tape.jsonl");
    assert!(cassette.contains(r#""content":"5""#) && cassette.contains(r#""content":"2""#));
    assert!(!cassette.contains(r#""content":"1""#), "{cassette}");
    stage.write(&source.replace("assert rate(\"bread\") > 0", "assert true"));
    let said = stage.test();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out
            .contains("line 2 (`rate`: Rate bread.): no test asks for this record"),
        "{said:?}"
    );
}

#[test]
fn a_recording_that_could_not_be_replayed_leaves_the_file_as_it_was() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" retry: 1 }
type Card { @secret code: string where it.len() == 6 }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
prompt card() -> Card by clerk { user "The card." }
test "rates" cassette "tape.jsonl" { assert rate("soup") == 4 catch _ => 4 }
"#;
    let source = source.replace(
        "assert rate(\"soup\") == 4 catch _ => 4",
        "let n = rate(\"soup\") catch _ => 4\n  assert n == 4",
    );
    let stage = Stage::new("unwritten", &source);
    let good = Script {
        replies: vec![when("soup", json!("4"))],
    };
    let (said, _) = with_provider(good, |url| stage.record(url));
    assert_eq!(said.code, Some(0), "{said:?}");
    let before = stage.read("tape.jsonl");

    // There is no provider and no key.
    for (key, why) in [
        (Some(KEY), "cannot be reached"),
        (None, "ANTHROPIC_API_KEY"),
    ] {
        let program = stage.program();
        let mut command = stage.command(&["test", text(&program), "--record"]);
        if let Some(key) = key {
            command.env("ANTHROPIC_API_KEY", key);
        }
        let said: Said = command.output().expect("gswc can be started").into();
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.out.contains(why), "{said:?}");
        assert_eq!(stage.read("tape.jsonl"), before);
    }

    // What is hidden has no stand-in that fits.
    stage.write(&source.replace("let n = rate(\"soup\") catch _ => 4", "let n = 4\n  card()"));
    let script = Script {
        replies: vec![when("card", json!({ "code": "abcdef" }))],
    };
    let (said, _) = with_provider(script, |url| stage.record(url));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("an answer of `card` cannot be recorded"),
        "{said:?}"
    );
    assert_eq!(stage.read("tape.jsonl"), before);

    // A failing assertion is no reason to pay for the answers again.
    stage.write(&source.replace("== 4", "== 5"));
    let script = Script {
        replies: vec![when("soup", json!("3"))],
    };
    let (said, _) = with_provider(script, |url| stage.record(url));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(stage.read("tape.jsonl").contains(r#""content":"3""#));
}

#[test]
fn files_that_are_no_cassettes_are_refused() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
workflow main() -> int { rate("soup") }
test "asks" cassette "tape.jsonl" { assert rate("soup") == 4 }
"#;
    let stage = Stage::new("refused", source);
    let said = stage.test();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("`gswc test --record` makes it"),
        "{said:?}"
    );
    let tape = stage.file("tape.jsonl");
    for (content, why) in [
        ("", "line 1: this is no cassette"),
        ("{\"prompt\": 1}\n", "line 1: this is no cassette"),
        ("{\"cassette\": 2}\n", "line 1: it is of version 2"),
        (
            "{\"cassette\": 1}\n{\"prompt\": \"rate\"}\n",
            "line 2: this is no record",
        ),
        ("{\"cassette\": 1}\n{\n", "line 2: "),
    ] {
        std::fs::write(&tape, content).expect("scratch can be written");
        let said = stage.test();
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.out.contains(why), "{why}: {said:?}");
        // Nothing is recorded over what is something else.
        let said = stage.record("http://127.0.0.1:9");
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_eq!(
            std::fs::read_to_string(&tape).ok().as_deref(),
            Some(content)
        );
        let program = stage.program();
        let said = stage.alone(&["run", text(&program), "--", "--replay", text(&tape)]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(why), "{why}: {said:?}");
    }
    let program = stage.program();
    let said = stage.alone(&["test", text(&program), "--record", "--filter", "nothing"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    let both = [
        "run",
        text(&program),
        "--",
        "--record",
        "a",
        "--replay",
        "b",
    ];
    let said = stage.alone(&both);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("give one of the two"), "{said:?}");
    let nowhere = ["run", text(&program), "--", "--record", text(&stage.folder)];
    let said = stage.alone(&nowhere);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("cannot be written"), "{said:?}");
}

#[test]
fn live_tests_ask_models_in_spite_of_a_cassette() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
test "asks" cassette "none.jsonl" { assert rate("soup") == 4 }
"#;
    let stage = Stage::new("live", source);
    let script = Script {
        replies: vec![when("soup", json!("4"))],
    };
    let program = stage.program();
    let (said, asked) = with_provider(script, |url| {
        stage.live(url, &["test", text(&program), "--live"])
    });
    assert_eq!((said.code, asked.len()), (Some(0), 1), "{said:?}");
    assert!(!Path::new(&stage.file("none.jsonl")).exists());
}

#[test]
fn a_test_with_a_cassette_is_killed_at_every_record() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" retry: 2 }
prompt pick() -> int by clerk { user "Pick a number." }
prompt about(what: string) -> string by clerk { user "About ${what}." }
tool note(n: int) -> string once { "noted ${n}" }
test "picks" cassette "tape.jsonl" {
  mock note(n) -> "noted ${n}"
  let first = pick()
  sleep(1h)
  let second = pick()
  let both = parallel (about("bread"), pick())
  let late = timeout 300ms { about("snails") } catch { Timeout(_) => "late" }
  assert [first, second, both.1] == [1, 2, 3], "each answer once"
  assert [both.0, late, note(first)] == ["white", "late", "noted 1"]
}
"#;
    let stage = Stage::new("crash", source);
    let bread = |reply: Reply| Reply {
        when: Some("bread".into()),
        ..reply
    };
    let snails = Reply {
        delay_ms: 600_000,
        ..when("snails", json!("slow"))
    };
    let numbers = (1..=3).map(|it| Reply {
        when: Some("Pick".into()),
        ..says(json!(it.to_string()))
    });
    let mut replies: Vec<Reply> = numbers.collect();
    replies.extend([
        bread(fails(529, "overloaded_error", "too many")),
        bread(says(json!("white"))),
        snails,
    ]);
    // The sleep is real while it records.
    stage.write(&source.replace("sleep(1h)", "sleep(1ms)"));
    let (said, _) = with_provider(Script { replies }, |url| stage.record(url));
    assert_eq!(said.code, Some(0), "{said:?}");
    stage.write(source);
    let said = stage.alone(&["test", text(&stage.program()), "--crash", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let lines = said.out.lines();
    let mut tests = lines.map(|it| serde_json::from_str::<Value>(it).expect("an object a line"));
    let test = tests.find(|it| it["test"] == "picks").expect("it was run");
    // Each answer and failure, both sleeps and limits, the intent and the outcome of the note.
    let places = test["crashes"]["places"].as_u64();
    assert!(places >= Some(18), "{test}");
    assert_eq!(test["crashes"]["in_doubt"], 2, "{test}");
}

#[test]
fn models_that_replace_others_are_not_recorded_and_nothing_leaves_no_file() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
test "asks" cassette "tape.jsonl" { assert rate("soup") == 4 }
"#;
    let stage = Stage::new("replaced", source);
    let program = stage.program();
    let words = ["test", text(&program), "--record"];
    let script = || Script {
        replies: vec![when("soup", json!("4"))],
    };
    let (said, asked) = with_provider(script(), |url| {
        stage.live(
            url,
            &[words.as_slice(), &["--model", "sim/default"]].concat(),
        )
    });
    assert_eq!((said.code, asked.len()), (Some(2), 0), "{said:?}");
    assert!(said.err.contains("`--model` is for `--live`"), "{said:?}");
    let (said, asked) = with_provider(script(), |url| {
        let mut command = stage.command(&words);
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", url)
            .env("GSW_MODEL", "sim/default");
        command.output().expect("gswc can be started").into()
    });
    let said: Said = said;
    assert_eq!((said.code, asked.len()), (Some(2), 0), "{said:?}");
    assert!(said.err.contains("unset `GSW_MODEL`"), "{said:?}");
    // Without a key.
    let said = stage.alone(&words);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("tape.jsonl: nothing recorded"),
        "{said:?}"
    );
    assert!(
        said.out.contains("the agents name are recorded"),
        "{said:?}"
    );
    assert!(!said.out.contains("sim/default"), "{said:?}");
    assert!(!stage.file("tape.jsonl").exists());
    // A test that asks nothing has a cassette that answers nothing.
    stage.write(&source.replace("rate(\"soup\") == 4", "true"));
    let said = stage.alone(&words);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = stage.test();
    assert_eq!(said.code, Some(0), "{said:?}");
}
