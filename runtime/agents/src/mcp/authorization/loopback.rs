//! The loopback address to which a browser redirects a person after consenting.

use std::collections::BTreeMap;
use std::time::Duration;

use gsw_driver::servers::ServerFailure;
use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::mcp::authorization::exchange::failed;

const PATH: &str = "/callback";
/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a connection may take to say what it wants…
const HEAD: Duration = Duration::from_secs(5);
/// …and in how many bytes.
const LARGEST: usize = 16 << 10;

const THANKS: &str = "<!doctype html><title>Groundswell</title><p>Thank you. This page can be closed: the program goes on.";
const NOTHING: &str = "<!doctype html><title>Groundswell</title><p>There is nothing here.";

pub(super) struct Loopback {
    listener: TcpListener,
    port: u16,
}

impl Loopback {
    /// Listens at a port, or at any that is free.
    pub async fn listen(port: Option<u16>) -> Result<Self, ServerFailure> {
        let refused = |error| {
            let port = port.map_or(String::new(), |it| format!(" at port {it}"));
            failed(format!(
                "the browser could not come back{port} after consent: {error}"
            ))
        };
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0)))
            .await
            .map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        Ok(Self { listener, port })
    }

    /// The redirect address.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// What a person brings back, by name.
    pub async fn answer(self) -> Result<BTreeMap<String, String>, ServerFailure> {
        let coming = async {
            loop {
                let (stream, _) = self.listener.accept().await.ok()?;
                // A browser may open a connection and say nothing.
                if let Ok(Some(answer)) = timeout(HEAD, received(stream)).await {
                    return Some(answer);
                }
            }
        };
        match timeout(PATIENCE, coming).await {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(failed("the browser cannot come back after consent".into())),
            Err(_) => Err(failed(format!(
                "consent was not given within {} minutes",
                PATIENCE.as_secs() / 60
            ))),
        }
    }
}

/// The query of a request for our path; none if it is for something else.
async fn received(mut stream: TcpStream) -> Option<BTreeMap<String, String>> {
    let mut head = Vec::new();
    let mut bytes = [0; 2048];
    while !head.windows(4).any(|it| it == b"\r\n\r\n") && head.len() < LARGEST {
        match stream.read(&mut bytes).await {
            Ok(count @ 1..) => head.extend_from_slice(&bytes[..count]),
            Ok(0) | Err(_) => break,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let target = head
        .strip_prefix("GET ")
        .and_then(|it| it.split(' ').next());
    let url = target.and_then(|it| Url::parse("http://127.0.0.1").ok()?.join(it).ok());
    let query = url.filter(|it| it.path() == PATH).map(|url| {
        let pairs = url.query_pairs();
        pairs
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect()
    });
    let (status, page) = match &query {
        Some(_) => ("200 OK", THANKS),
        None => ("404 Not Found", NOTHING),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    // A browser that has gone has still delivered the code.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    query
}
