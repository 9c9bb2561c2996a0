//! Runs as OpenTelemetry traces: what a collector gets, and that a bad one changes nothing.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::trace::v1::Span;

use crate::collector::{Collector, Part, attribute};
use crate::program::{Said, root, scratch, text};

const PROGRAM: &str = r#"
agent critic { model: "sim/default" system: "You are strict." }
prompt judge(work: string) -> string by critic { user "Judge ${work}" }
tool measure(work: string) -> int { work.len() }
workflow inner(work: string) -> int {
  log.warn("inner has ${work}")
  measure(work)
}
workflow main(fails: bool = false) -> int {
  let length = step "work" { inner("abc") }
  let _ = judge("private words")
  step "end" retry 1 backoff 1ms {
    if fails { fail Failed("it was told to") }
  }
  length
}
"#;

fn run(variables: &[(&str, &str)], words: &[&str]) -> Said {
    let file = scratch("telemetry").join("program.gsw");
    std::fs::write(&file, PROGRAM).expect("the target folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gswc"));
    command
        .args(["run", text(&file), "--", "--quiet"])
        .args(words);
    command.current_dir(root()).stdin(Stdio::null());
    for (name, value) in variables {
        command.env(name, value);
    }
    command.output().expect("gswc can be started").into()
}

fn assert_done(said: &Said) {
    assert_eq!((said.code, said.out.as_str()), (Some(0), "3\n"), "{said:?}");
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let names: Vec<_> = spans.iter().map(|it| it.name.as_str()).collect();
    spans
        .iter()
        .find(|it| it.name == name)
        .unwrap_or_else(|| panic!("{name:?} is not in {names:?}"))
}

#[test]
fn spans_mirror_the_tree() {
    // G3, G18
    for protocol in ["http/protobuf", "http/json"] {
        let collector = Collector::start(Part::Takes);
        let said = run(
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url),
                ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
                ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b"),
                ("OTEL_SERVICE_NAME", "judges"),
                (
                    "TRACEPARENT",
                    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                ),
            ],
            &[],
        );
        assert_done(&said);
        assert_eq!(said.err, "");
        the_head_is_right(&collector);
        let spans = collector.spans();
        let parent_of = |name: &str| {
            let parent = &named(&spans, name).parent_span_id;
            spans
                .iter()
                .find(|it| it.span_id == *parent)
                .map(|it| it.name.clone())
        };
        assert_eq!(
            parent_of("invoke_workflow inner").as_deref(),
            Some("step work")
        );
        assert_eq!(
            parent_of("execute_tool measure").as_deref(),
            Some("invoke_workflow inner")
        );
        assert_eq!(
            parent_of("chat default").as_deref(),
            Some("invoke_agent critic")
        );
        let main = named(&spans, "invoke_workflow main");
        assert_eq!(main.parent_span_id, 0xb7ad_6b71_6920_3331_u64.to_be_bytes());
        for span in &spans {
            assert_eq!(
                span.trace_id,
                0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128.to_be_bytes()
            );
            assert!(
                span.end_time_unix_nano >= span.start_time_unix_nano
                    && span.start_time_unix_nano > 0
            );
        }
        let log = &named(&spans, "invoke_workflow inner").events[0];
        assert_eq!(
            attribute(&log.attributes, "message").as_deref(),
            Some("inner has abc")
        );
        the_conventions_are_kept(&spans);
    }
}

/// Where spans are sent, with which headers, and as whose.
fn the_head_is_right(collector: &Collector) {
    let seen = collector.seen();
    assert!(
        seen[0].path.starts_with("POST /v1/traces "),
        "{}",
        seen[0].path
    );
    assert!(
        seen[0].headers.contains(&"x-key: a b".to_owned()),
        "{:?}",
        seen[0].headers
    );
    let resource = seen[0].request.resource_spans[0]
        .resource
        .as_ref()
        .expect("there is one");
    assert_eq!(
        attribute(&resource.attributes, "service.name").as_deref(),
        Some("judges")
    );
}

fn the_conventions_are_kept(spans: &[Span]) {
    let has = |name: &str, key: &str| attribute(&named(spans, name).attributes, key);
    let chat = "chat default";
    assert_eq!(has(chat, "gen_ai.operation.name").as_deref(), Some("chat"));
    assert_eq!(has(chat, "gen_ai.provider.name").as_deref(), Some("sim"));
    assert_eq!(
        has(chat, "gen_ai.request.model").as_deref(),
        Some("default")
    );
    assert!(has(chat, "gen_ai.usage.input_tokens").is_some_and(|it| it != "0"));
    assert_eq!(named(spans, chat).kind, 3, "a request is a client's");
    assert_eq!(
        has("execute_tool measure", "gen_ai.tool.name").as_deref(),
        Some("measure")
    );
    assert_eq!(
        has("invoke_agent critic", "gen_ai.agent.name").as_deref(),
        Some("critic")
    );
    assert_eq!(
        has("invoke_workflow main", "gen_ai.workflow.name").as_deref(),
        Some("main")
    );
    let all = format!("{spans:?}");
    assert!(
        !all.contains("private words"),
        "content is sent only when it is asked for"
    );
}

#[test]
fn failures_and_content_are_reported() {
    let collector = Collector::start(Part::Takes);
    let content = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    let endpoint = format!("{}/v1/traces", collector.url);
    let said = run(
        &[
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &endpoint),
            (content, "true"),
        ],
        &["--fails"],
    );
    assert_eq!(said.code, Some(1), "{said:?}");
    let spans = collector.spans();
    let end = named(&spans, "step end");
    assert_eq!(end.status.as_ref().map(|it| it.code), Some(2));
    assert_eq!(
        attribute(&end.attributes, "error.type").as_deref(),
        Some("Failed")
    );
    assert_eq!(
        attribute(&end.attributes, "groundswell.attempts").as_deref(),
        Some("2")
    );
    let thrown = spans
        .iter()
        .flat_map(|it| &it.events)
        .find(|it| it.name == "exception");
    let thrown = thrown.expect("the error is an event");
    assert_eq!(
        attribute(&thrown.attributes, "exception.message").as_deref(),
        Some("it was told to")
    );
    let messages = attribute(
        &named(&spans, "chat default").attributes,
        "gen_ai.input.messages",
    );
    assert!(messages.is_some_and(|it| it.contains("private words")));
}

#[test]
fn a_bad_collector_changes_nothing() {
    let down = "http://127.0.0.1:1".to_owned();
    let slow = Collector::start(Part::TakesAfter(Duration::from_secs(60))).url;
    let broken = Collector::start(Part::Answers {
        status: 500,
        times: usize::MAX,
    })
    .url;
    let busy = Collector::start(Part::Answers {
        status: 503,
        times: usize::MAX,
    })
    .url;
    for (url, why) in [
        (down, "cannot be reached"),
        (slow, "takes too long to answer"),
        (broken, "the collector answers 500"),
        (busy, "the collector answers 503"),
    ] {
        let start = Instant::now();
        let said = run(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &url)], &[]);
        assert_done(&said);
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{url}: {:?}",
            start.elapsed()
        );
        let lines: Vec<_> = said.err.lines().collect();
        let [line] = lines[..] else {
            panic!("{said:?}");
        };
        let head = format!("spans were not delivered to {url}/v1/traces: ");
        assert!(
            line.starts_with("warning: ") && line.contains(&head) && line.contains(why),
            "{line}"
        );
    }
}

#[test]
fn what_the_environment_asks_for_and_cannot_be_done_is_said() {
    let said = run(
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ],
        &[],
    );
    assert_done(&said);
    let wanted = "warning: no trace is exported: `OTEL_EXPORTER_OTLP_PROTOCOL` is `grpc`; `http/protobuf` and `http/json` are available\n";
    assert_eq!(said.err, wanted);
}
