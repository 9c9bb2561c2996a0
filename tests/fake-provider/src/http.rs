//! Just enough HTTP/1.1 to be read by real clients and to misbehave exactly.

use std::io;

use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The most bytes of a request.
pub(crate) const LARGEST: usize = 64 << 20;

/// A recorded request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Request {
    /// `POST`
    pub method: String,
    /// `/v1/messages`
    pub path: String,
    /// Names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// How many were on their way when it had come, itself included.
    pub in_flight: usize,
    /// The number of its connection, from 1 on.
    pub connection: usize,
    /// The version of HTTP: 1 or 2.
    pub version: u8,
}

impl Request {
    /// The first header of this name, which is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|it| it.0 == name)?;
        Some(&found.1)
    }

    /// The body as JSON; `null` when it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Reads the next request; `None` when the client has ended the connection.
pub(crate) async fn read(
    socket: &mut (impl AsyncRead + Unpin),
    pending: &mut Vec<u8>,
) -> io::Result<Option<Request>> {
    let head = loop {
        if let Some(end) = find(pending, b"\r\n\r\n") {
            break end;
        }
        if !fill(socket, pending).await? {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&pending[..head]).into_owned();
    pending.drain(..head + 4);
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let mut request = Request {
        method: first.next().unwrap_or_default().to_owned(),
        path: first.next().unwrap_or_default().to_owned(),
        headers: lines
            .filter_map(|it| it.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect(),
        body: String::new(),
        in_flight: 0,
        connection: 0,
        version: 1,
    };
    let length = request
        .header("content-length")
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    while pending.len() < length {
        if !fill(socket, pending).await? {
            return Ok(None);
        }
    }
    let body: Vec<u8> = pending.drain(..length).collect();
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}

async fn fill(socket: &mut (impl AsyncRead + Unpin), pending: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 16 * 1024];
    let count = socket.read(&mut buffer).await?;
    pending.extend_from_slice(&buffer[..count]);
    if pending.len() > LARGEST {
        return Err(io::Error::other("the request is too large"));
    }
    Ok(count > 0)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|it| it == wanted)
}

/// The first lines of a response.
pub(crate) fn head(status: u16, headers: &[(String, String)]) -> String {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        529 => "Overloaded",
        _ => "Whatever",
    }
}

/// Writes and makes sure that it leaves.
pub(crate) async fn write(socket: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    socket.write_all(bytes).await?;
    socket.flush().await
}
