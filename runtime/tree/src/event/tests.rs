//! Events read back as they were written, and so do those of older files.

use super::{End, Event, EventKind};
use crate::node::{NodeId, Status};

#[test]
fn an_event_reads_back() {
    let event = Event {
        sequence: 7,
        time: 1_700_000_000_123_456_789,
        run: "r".into(),
        node: NodeId(3),
        kind: EventKind::StepEnd {
            step: "s".into(),
            end: End {
                status: Status::Completed,
                duration: 1_500_000_000,
                output: Some("{\"a\":[1,2.50]}".to_owned().into()),
                error: None,
            },
        },
    };
    let text = serde_json::to_string(&event).expect("events are JSON");
    let mut line = Vec::new();
    event.write_line(&mut line).expect("events are JSON");
    assert_eq!(format!("{text}\n").into_bytes(), line);
    let time = r#""time":"2023-11-14T22:13:20.123456789Z""#;
    for part in [time, r#""event":"step_end""#, r#""duration":1.5"#] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(
        serde_json::from_str::<Event>(&text).expect("it reads back"),
        event
    );
}

#[test]
fn the_details_of_a_file_of_version_1_are_read() {
    let line = r#"{
        "sequence": 1, "time": "2026-01-01T00:00:00Z", "run": "r", "node": 1, "event": "prompt_end",
        "prompt": "p", "status": "completed", "duration": 0.5,
        "usage": {"input_tokens": 1, "output_tokens": 1, "cache_read_tokens": 0, "cache_write_tokens": 0},
        "detail": {
            "model": "sim/default", "cost_usd": null, "cached": false, "cache_key": null, "attempts": 1, "turns": 0,
            "usage": {"input_tokens": 1, "output_tokens": 1, "cache_read_tokens": 0, "cache_write_tokens": 0},
            "stop_reason": "end", "liberties": ["dropped a trailing comma"], "simulated": false
        }
    }"#;
    let event: Event = serde_json::from_str(line).expect("old files are read");
    let EventKind::PromptEnd { detail, .. } = event.kind else {
        panic!("it is the end of a prompt");
    };
    let detail = detail.expect("it has details");
    assert_eq!(detail.repairs, ["dropped a trailing comma"]);
}
