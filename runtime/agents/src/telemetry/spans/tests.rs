//! Events that become spans, and what of them is withheld.

use gsw_tree::event::Event;
use opentelemetry_proto::tonic::trace::v1::Span;

use super::{MOST_STARTERS, Spans};
use crate::environment::Environment;
use crate::telemetry::settings::Settings;

fn settings() -> Settings {
    let endpoint = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c")];
    let settings = Settings::read(&Environment::of(&endpoint), "p");
    settings.expect("it is right").expect("it is on")
}

fn event(number: u64, line: &str) -> Event {
    let time = "2026-01-01T00:00:00Z";
    let line = format!("{{\"sequence\":{number},\"time\":\"{time}\",{line}}}");
    serde_json::from_str(&line).expect("it is an event")
}

fn spans_of(lines: &[&str]) -> Vec<Span> {
    let mut spans = Spans::new(&settings());
    for (number, line) in (0..).zip(lines) {
        spans.apply(&event(number, line));
    }
    spans.end_all();
    spans.take_ended()
}

#[test]
fn a_detached_run_and_its_starter_name_each_other() {
    let top = |run: &str| {
        format!(
            r#""run":"{run}","node":1,"event":"child_attached","parent":0,"kind":"workflow","name":"{run}","index":0,"status":"running""#
        )
    };
    let (starter, child) = (top("starter"), top("child"));
    let told =
        r#""run":"starter","node":1,"event":"child_detached","child":"child","workflow":"child""#;
    for lines in [[&*starter, told, &*child], [&*starter, &*child, told]] {
        let spans = spans_of(&lines);
        let named = |name: &str| {
            let found = spans.iter().find(|it| it.name.ends_with(name));
            found.expect("both have a span")
        };
        let (starter, child) = (named("starter"), named("child"));
        assert_ne!(starter.trace_id, child.trace_id);
        assert_eq!(child.links[0].span_id, starter.span_id);
        assert_eq!(starter.links[0].span_id, child.span_id);
        assert_eq!(starter.links[0].trace_id, child.trace_id);
    }
}

#[test]
fn what_programs_models_and_people_say_is_withheld() {
    let top = r#""run":"r","node":1,"event":"child_attached","parent":0,"kind":"workflow","name":"w","index":0,"status":"running""#;
    let events = [
        r#""event":"human_request","human":"approve","digest":"00","question":"SAID","data":{"a":"SAID"},"schema":{"SAID":1}"#,
        r#""event":"external_request","external":"paid","key":"SAID","digest":"00","data":"SAID","schema":{}"#,
        r#""event":"spawn_request","workflow":"w","description":"SAID","verdict":"granted","reason":"SAID""#,
        r#""event":"spawn_request","workflow":"SAID","description":"SAID","verdict":"refused""#,
        r#""event":"step_retry","step":"s","attempt":1,"error":"SAID","analysis":"SAID","delay":1.5"#,
        r#""event":"hook","hook":"h","moment":"before_tool","verdict":"denied","reason":"SAID""#,
        r#""event":"cancel","reason":"SAID""#,
        r#""event":"circuit","model":"m","change":"opened","error":"SAID""#,
        r#""event":"model_retry","model":"m","attempt":2,"error":"SAID","delay":1"#,
        r#""event":"reflection_start","level":"step","round":1,"error":"SAID""#,
        r#""event":"reflection_end","level":"step","success":true,"reason":"SAID""#,
        r#""event":"emit","value":"SAID""#,
        r#""event":"error","error":"Failed","message":"SAID","fields":{"a":"SAID"},"is_fault":false,"trace":[],"path":"w","hint":"SAID""#,
        r#""event":"workflow_end","workflow":"w","status":"failed","duration":1,"error":"Failed: SAID""#,
    ];
    let events = events.map(|it| format!(r#""run":"r","node":1,{it}"#));
    let lines: Vec<&str> = [top]
        .into_iter()
        .chain(events.iter().map(String::as_str))
        .collect();
    let spans = spans_of(&lines);
    assert_eq!(spans[0].events.len(), events.len() - 1);
    let all = format!("{spans:?}");
    assert!(!all.contains("SAID"), "{all}");
    for name in [
        "approve", "paid", "granted", "refused", "1.5", "opened", "Failed",
    ] {
        assert!(all.contains(name), "{name}: {all}");
    }
}

/// The message is the provider's, which has no kind of ours before it.
#[test]
fn a_request_that_fails_has_its_status_as_the_kind_of_error() {
    let top = r#""run":"r","node":1,"event":"child_attached","parent":0,"kind":"workflow","name":"w","index":0,"status":"running""#;
    let asked = r#""run":"r","node":1,"event":"model_request","model":"openai/m","attempt":1"#;
    for (status, kind) in [(r#","status":400"#, "400"), ("", "_OTHER")] {
        let answered = format!(
            r#""run":"r","node":1,"event":"model_answer","model":"openai/m","attempt":1,"requests":1,"usage":{{"input_tokens":0,"output_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0}},"error":"SAID: by them"{status}"#
        );
        let spans = spans_of(&[top, asked, &answered]);
        let chat = spans.iter().find(|it| it.name.starts_with("chat"));
        let all = format!("{chat:?}");
        assert!(
            all.contains(&format!("{kind:?}")) && !all.contains("SAID"),
            "{all}"
        );
    }
}

#[test]
fn runs_of_which_nothing_is_seen_are_forgotten() {
    let mut spans = Spans::new(&settings());
    let starter = r#""run":"starter","node":1,"event":"child_attached","parent":0,"kind":"workflow","name":"w","index":0,"status":"running""#;
    spans.apply(&event(0, starter));
    for number in 0..3 * MOST_STARTERS as u64 {
        let told = format!(
            r#""run":"starter","node":1,"event":"child_detached","child":"child{number}","workflow":"w""#
        );
        spans.apply(&event(number + 1, &told));
    }
    assert_eq!((spans.runs.len(), spans.starters.len()), (1, MOST_STARTERS));
}
