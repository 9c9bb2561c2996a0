//! Providers over TLS, by HTTP/2 and by HTTP/1.1: what goes over which connection, and how connections break.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use fake_provider::{
    AUTHORITY, Answer, Body, Completion, Reply, Request, Script, Server, Transport,
};

use crate::program::{Said, scratch, text};
use crate::wire::program;

const ASK: &str = r#"
agent speaker { model: "openai/gpt-5" }
prompt say(n: int) -> string by speaker { user "Say ${n}." }
workflow main(n: int) -> int {
  let said = parallel for i in 0..n { say(i) }
  said.filter(it => it == "yes").len()
}
"#;

/// What a program says that asks `count` times at once, and what the server was asked.
fn asked(
    name: &str,
    transport: Transport,
    replies: Vec<Reply>,
    count: usize,
) -> (Said, Vec<Request>) {
    asked_by(ASK, name, transport, replies, count)
}

fn asked_by(
    source: &str,
    name: &str,
    transport: Transport,
    replies: Vec<Reply>,
    count: usize,
) -> (Said, Vec<Request>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let server = Server::start_with(Script { replies }, 0, transport);
    let server = runtime.block_on(server).expect("a port is free");
    let authority = scratch("http2").join(format!("{name}.pem"));
    std::fs::write(&authority, AUTHORITY).expect("the target folder can be written");
    let file = program(&format!("http2_{name}"), source);
    let said = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args([
            "run",
            text(&file),
            "--",
            "--quiet",
            "--n",
            &count.to_string(),
        ])
        .stdin(Stdio::null())
        .env_remove("GSW_MODEL")
        .env("GSW_CACHE", "off")
        .env("SSL_CERT_FILE", &authority)
        .env("OPENAI_API_KEY", "key-of-tests")
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url()))
        .output()
        .expect("gswc can be started");
    (said.into(), server.requests())
}

fn yes() -> Reply {
    let text = "yes".into();
    Reply {
        times: 0,
        ..Reply::of(Body::Answer(Answer { text }))
    }
}

/// As [`ASK`], with no second try: what is sent again is what the server has not begun to work on.
const ONCE: &str = r#"
agent speaker { model: "openai/gpt-5" retry: 0 }
prompt say(n: int) -> string by speaker { user "Say ${n}." }
workflow main(n: int) -> int {
  let said = parallel for i in 0..n { say(i) }
  said.filter(it => it == "yes").len()
}
"#;

/// How many requests went over each connection.
fn by_connection(asked: &[Request]) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for request in asked {
        *counts.entry(request.connection).or_default() += 1;
    }
    counts
}

#[test]
fn requests_share_a_connection_of_http2_and_none_waits_for_a_place_on_it() {
    // Late enough that all are on their way before the first answer.
    let replies = vec![Reply {
        delay_ms: 1500,
        ..yes()
    }];
    let (said, asked) = asked("many", Transport::TlsHttp2, replies, 250);
    assert_eq!((said.code, said.out.trim()), (Some(0), "250"), "{said:?}");
    assert!(asked.iter().all(|it| it.version == 2));
    let most = asked.iter().map(|it| it.in_flight).max();
    assert_eq!(most, Some(250), "some have waited for others");
    let counts = by_connection(&asked);
    assert_eq!(counts.len(), 3, "{counts:?}");
    assert!(counts.values().all(|it| *it <= 100), "{counts:?}");
}

#[test]
fn a_server_that_speaks_http1_alone_is_asked_by_it() {
    let (said, asked) = asked(
        "old",
        Transport::Tls,
        vec![Reply {
            delay_ms: 500,
            ..yes()
        }],
        20,
    );
    assert_eq!((said.code, said.out.trim()), (Some(0), "20"), "{said:?}");
    assert!(asked.iter().all(|it| it.version == 1));
    assert_eq!(by_connection(&asked).len(), 20);
}

#[test]
fn a_stream_that_is_reset_is_one_failed_request_and_no_more() {
    let cut = Reply {
        drop_at: Some(60),
        ..Reply::of(Body::Openai(Completion {
            content: "half of an answer".into(),
            ..Completion::default()
        }))
    };
    let (said, asked) = asked("reset", Transport::TlsHttp2, vec![cut, yes()], 8);
    assert_eq!((said.code, said.out.trim()), (Some(0), "8"), "{said:?}");
    // Of one connection, on which the others continue.
    assert_eq!(asked.len(), 9);
    assert_eq!(by_connection(&asked).len(), 1);
}

#[test]
fn a_connection_that_says_goodbye_loses_no_request() {
    let last = Reply {
        close: true,
        times: 1,
        ..yes()
    };
    let replies = vec![last, yes()];
    let (said, asked) = asked_by(ONCE, "goodbye", Transport::TlsHttp2, replies, 30);
    assert_eq!((said.code, said.out.trim()), (Some(0), "30"), "{said:?}");
    assert!(asked.iter().all(|it| it.version == 2));
}

#[test]
fn a_request_that_was_refused_before_any_work_is_sent_again_at_once() {
    let refused = Reply {
        refuse: true,
        times: 3,
        ..yes()
    };
    let replies = vec![refused, yes()];
    let (said, asked) = asked_by(ONCE, "refused", Transport::TlsHttp2, replies, 8);
    assert_eq!((said.code, said.out.trim()), (Some(0), "8"), "{said:?}");
    assert_eq!(asked.len(), 11);
    // One that refuses all of them is not asked for ever.
    let refused = Reply {
        refuse: true,
        ..yes()
    };
    let (said, asked) = asked_by(ONCE, "refuses", Transport::TlsHttp2, vec![refused], 1);
    assert_eq!((said.code, asked.len()), (Some(1), 6), "{said:?}");
    assert!(
        said.err.contains("the connection to 127.0.0.1") && said.err.contains("refused stream"),
        "{said:?}"
    );
}

#[test]
fn a_certificate_that_nobody_has_signed_is_refused_with_the_reason() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let server = Server::start_with(
        Script {
            replies: vec![yes()],
        },
        0,
        Transport::TlsHttp2,
    );
    let server = runtime.block_on(server).expect("a port is free");
    let file = program("http2_unsigned", ASK);
    let said = crate::wire::run(&file, &server.url(), &["--quiet", "--n", "1"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("no secure connection to 127.0.0.1"),
        "{said:?}"
    );
    assert!(server.requests().is_empty());
}
