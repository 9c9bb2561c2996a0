//! Runs whose models are recorded, and replayed.

use fake_provider::{Body, Reply, Script};
use serde_json::json;

use crate::cassettes::{Stage, TOKEN, without_secrets};
use crate::program::text;
use crate::wire::{when, with_provider};

const RUN: &str = r#"
import std/http
agent clerk { model: "anthropic/claude-sonnet-5-5" cache: true }
agent slow { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
prompt wait_for(what: string) -> int by slow { user "Wait for ${what}." }
prompt echo(page: string) -> string by slow { user "Repeat ${page}." }
workflow main(url: string) -> string {
  let page = http.get(url, headers: { "x-token": secret("TOKEN") }).body
  let late = timeout 1s { wait_for("godot") } catch Timeout(_) => 0
  let dishes = parallel for dish in ["soup", "soup", "bread"] { rate(dish) }
  "${dishes} ${late} ${echo(page)}"
}
"#;

#[test]
fn a_run_is_recorded_and_replayed_without_a_model() {
    let stage = Stage::new("run", RUN);
    let tape = stage.file("deep/run.jsonl");
    let program = stage.program();
    let script = Script {
        replies: vec![
            Reply {
                when: Some("/page".into()),
                times: 0,
                ..Reply::of(Body::Text(format!("you sent {TOKEN}")))
            },
            Reply {
                delay_ms: 60_000,
                ..when("godot", json!("9"))
            },
            when("Repeat", json!(format!("it was {TOKEN}"))),
            when("soup", json!("4")),
            when("bread", json!("2")),
        ],
    };
    let words = |url: &str, how: &str| -> Vec<String> {
        [
            "run",
            text(&program),
            "--",
            "--url",
            &format!("{url}/page"),
            how,
            text(&tape),
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let both = |stage: &Stage, url: &str, how: &str| {
        let words = words(url, how);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        stage.live(url, &words)
    };
    let ((recorded, replayed), asked) = with_provider(script, |url| {
        let recorded = both(&stage, url, "--record");
        (recorded, both(&stage, url, "--replay"))
    });
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    assert_eq!(recorded.out, format!("\"[4,4,2] 0 it was {TOKEN}\"\n"));
    // What a model has repeated is not in the file, so the replay cannot say it.
    assert_eq!(replayed.out, "\"[4,4,2] 0 it was ***\"\n");
    let models = asked.iter().filter(|it| it["messages"].is_array());
    assert_eq!(models.count(), 4, "the replay asks no model");
    let cassette = std::fs::read_to_string(&tape).expect("it was just written");
    without_secrets(&cassette);
    assert!(cassette.contains("\"given_up\":true"), "{cassette}");
    assert!(!replayed.err.contains("did not ask"), "{replayed:?}");
}

#[test]
fn a_replay_keeps_no_run_and_names_what_it_did_not_play() {
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" }
prompt rate(dish: string) -> int by clerk { user "Rate ${dish}." }
workflow main(dish: string = "soup", more: bool = false) -> int {
  if more { rate("bread") }
  rate(dish) catch _ => 0
}
"#;
    let stage = Stage::new("replay", source);
    let tape = stage.file("tape.jsonl");
    let program = stage.program();
    let script = Script {
        replies: vec![when("soup", json!("4")), when("bread", json!("2"))],
    };
    let (said, _) = with_provider(script, |url| {
        stage.live(
            url,
            &[
                "run",
                text(&program),
                "--",
                "--more",
                "--record",
                text(&tape),
            ],
        )
    });
    assert_eq!(said.code, Some(0), "{said:?}");
    std::fs::remove_file(stage.file("runs.db")).expect("a run that was paid for is kept");
    let said = stage.alone(&["run", text(&program), "--", "--replay", text(&tape)]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "4\n"), "{said:?}");
    assert!(
        said.err
            .contains("line 2 (`rate`: Rate bread.): the run did not ask for this"),
        "{said:?}"
    );
    assert!(!stage.file("runs.db").exists(), "a replay is not kept");
    // The run catches the error, and its value is none all the same.
    let other = [
        "run",
        text(&program),
        "--",
        "--replay",
        text(&tape),
        "--dish",
        "fish",
    ];
    let said = stage.alone(&other);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(said.err.contains("+ user: Rate fish."), "{said:?}");
    let kept = [
        "run",
        text(&program),
        "runs",
        "resume",
        "--",
        "--replay",
        text(&tape),
    ];
    let said = stage.alone(&kept);
    assert_eq!(said.code, Some(2), "{said:?}");
}
