//! A collector of traces that plays a part: it takes everything, is slow, or answers errors, and keeps what it got.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// What a collector does with a request.
#[derive(Clone, Copy)]
pub enum Part {
    /// Takes it.
    Takes,
    /// Takes it after a while.
    TakesAfter(Duration),
    /// Answers with this status, the first so many times.
    Answers { status: u16, times: usize },
}

pub struct Collector {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A request that it got.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: Vec<String>,
    pub request: ExportTraceServiceRequest,
}

impl Collector {
    /// Listens until the process ends.
    pub fn start(part: Part) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut left = match part {
                Part::Answers { times, .. } => times,
                _ => 0,
            };
            for mut stream in listener.incoming().flatten() {
                while let Some(request) = read(&mut stream) {
                    let status = match part {
                        Part::Answers { status, .. } if left > 0 => {
                            left -= 1;
                            status
                        }
                        Part::TakesAfter(wait) => {
                            std::thread::sleep(wait);
                            200
                        }
                        _ => 200,
                    };
                    if status == 200 {
                        kept.lock().expect("nothing panics under it").push(request);
                    }
                    let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
                    // A client that has gone away does not read it.
                    let _ = stream.write_all(answer.as_bytes());
                }
            }
        });
        Self { url, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("nothing panics under it").clone()
    }

    pub fn spans(&self) -> Vec<Span> {
        let resources = self
            .seen()
            .into_iter()
            .flat_map(|it| it.request.resource_spans);
        let scopes = resources.flat_map(|it| it.scope_spans);
        scopes.flat_map(|it| it.spans).collect()
    }
}

/// The next request of a connection, whose body is taken for what its type says.
fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let header = |name: &str| {
        lines
            .iter()
            .find_map(|it| it.strip_prefix(name))
            .map(str::trim)
    };
    let length = header("content-length:")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request = match header("content-type:")? {
        "application/json" => {
            // By way of a tree, because numbers of any precision cannot be read into a flattened enum from text.
            let tree: serde_json::Value = serde_json::from_slice(&body).expect("the body is JSON");
            serde_json::from_value(tree).expect("the body is OTLP in JSON")
        }
        _ => ExportTraceServiceRequest::decode(&*body).expect("the body is OTLP in protobuf"),
    };
    Some(Seen {
        path: lines.first()?.clone(),
        headers: lines,
        request,
    })
}

pub fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|it| it.key == key)?;
    Some(match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(it) => it.clone(),
        Value::IntValue(it) => it.to_string(),
        Value::DoubleValue(it) => it.to_string(),
        Value::BoolValue(it) => it.to_string(),
        other => format!("{other:?}"),
    })
}
