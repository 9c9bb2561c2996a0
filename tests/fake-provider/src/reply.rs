//! Plays one reply on a connection of HTTP/1.1, and what a reply consists of.

use std::io;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::sleep;

use crate::http::{self, Request};
use crate::script::{Body, Completion, Event, Generation, Message, Reply, Response};

/// What becomes of the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Connection {
    /// It takes the next request.
    Kept,
    Over,
}

pub(crate) async fn play(
    reply: &Reply,
    request: &Request,
    socket: &mut (impl AsyncWrite + Unpin),
) -> io::Result<Connection> {
    sleep(Duration::from_millis(reply.delay_ms)).await;
    if let Body::Raw(raw) = &reply.body {
        http::write(socket, raw.as_bytes()).await?;
        socket.shutdown().await?;
        return Ok(Connection::Over);
    }
    let (content_type, body) = content(&reply.body, request);
    let mut headers = headers(reply, content_type);
    if !headers.iter().any(|it| it.0 == "transfer-encoding") {
        headers.push(("transfer-encoding".to_owned(), "chunked".to_owned()));
    }
    http::write(socket, http::head(reply.status, &headers).as_bytes()).await?;
    let end = reply.drop_at.unwrap_or(body.len()).min(body.len());
    send(&body[..end], reply, socket).await?;
    if reply.drop_at.is_some() {
        socket.shutdown().await?;
        return Ok(Connection::Over);
    }
    if reply.hang {
        std::future::pending::<()>().await;
    }
    http::write(socket, b"0\r\n\r\n").await?;
    if reply.close {
        socket.shutdown().await?;
        return Ok(Connection::Over);
    }
    Ok(Connection::Kept)
}

pub(crate) fn headers(reply: &Reply, content_type: &str) -> Vec<(String, String)> {
    let mut headers = vec![
        ("content-type".to_owned(), content_type.to_owned()),
        ("request-id".to_owned(), "req_fake".to_owned()),
    ];
    for (name, value) in &reply.headers {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        headers.retain(|it| !it.0.eq_ignore_ascii_case(name));
        headers.push((name.clone(), text));
    }
    headers
}

/// Each piece is a chunk of its own, so a client sees it as it comes.
async fn send(
    body: &[u8],
    reply: &Reply,
    socket: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let size = reply.drip.map_or(body.len(), |it| it.bytes).max(1);
    for piece in body.chunks(size) {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        http::write(socket, &chunk).await?;
        if let Some(drip) = reply.drip.filter(|it| it.ms > 0) {
            sleep(Duration::from_millis(drip.ms)).await;
        }
    }
    Ok(())
}

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

pub(crate) fn content(body: &Body, request: &Request) -> (&'static str, Vec<u8>) {
    let asked = request.json();
    let (model, wants_stream) = (&asked["model"], asked["stream"] == true);
    match body {
        Body::Text(text) | Body::Raw(text) => ("text/plain", text.clone().into_bytes()),
        Body::Base64(text) => ("application/octet-stream", decoded(text)),
        Body::Stream(text) => (STREAM, text.clone().into_bytes()),
        Body::Json(value) => (JSON, value.to_string().into_bytes()),
        Body::Events(events) => (STREAM, stream(events)),
        Body::Garbage(count) => (STREAM, garbage(*count)),
        Body::Anthropic(message) if wants_stream => (STREAM, stream(&message.events(model))),
        Body::Anthropic(message) => (JSON, message.whole(model).to_string().into_bytes()),
        Body::Openai(completion) if wants_stream => (STREAM, stream(&completion.events(model))),
        Body::Openai(completion) => (JSON, completion.whole(model).to_string().into_bytes()),
        Body::Responses(response) if wants_stream => (STREAM, stream(&response.events(model))),
        Body::Responses(response) => (JSON, response.whole(model).to_string().into_bytes()),
        Body::Gemini(generation) if request.path.contains(":streamGenerateContent") => {
            (STREAM, stream(&generation.events()))
        }
        Body::Gemini(generation) => (JSON, generation.whole().to_string().into_bytes()),
        Body::Answer(answer) => {
            let text = answer
                .text
                .as_str()
                .map_or_else(|| answer.text.to_string(), str::to_owned);
            let body = if request.path.ends_with("/messages") {
                Body::Anthropic(Message::of_text(&text))
            } else if request.path.ends_with("/responses") {
                Body::Responses(Response::of_text(&text))
            } else if request.path.contains("enerateContent") {
                Body::Gemini(Generation::of_text(&text))
            } else {
                Body::Openai(Completion::of_text(&text))
            };
            content(&body, request)
        }
    }
}

/// What is written in Base64; a script that is wrong is shown as it is.
fn decoded(text: &str) -> Vec<u8> {
    STANDARD
        .decode(text)
        .unwrap_or_else(|_| text.as_bytes().to_vec())
}

fn stream(events: &[Event]) -> Vec<u8> {
    let mut text = String::new();
    for event in events {
        if let Some(name) = &event.event {
            text.push_str(&format!("event: {name}\n"));
        }
        let data = match &event.data {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        for line in data.split('\n') {
            text.push_str(&format!("data: {line}\n"));
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Bytes without a meaning and, now and then, without a right encoding.
fn garbage(count: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}
