//! The server at an address: streamable HTTP, of both ages of the protocol, for clients that pass its checks.
//!
//! What listens on this machine can be reached by every page that a browser of this machine shows, so a request must name the
//! server by a name of its own (`Host`), and a page must come from there (`Origin`). All that a client can make grow has a limit.

mod gate;
mod places;
mod sessions;
mod streams;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};

use crate::environment;
use crate::mcp::http::gate::{Gate, LARGEST};
use crate::mcp::http::places::{Heard, Place, Places};
use crate::mcp::http::sessions::Sessions;
use crate::mcp::offered::Offered;
use crate::mcp::reach::Http;
use crate::mcp::server::Server;
use crate::say::say;

/// The most connections that are open at once; for another one the one that was idle longest ends.
const MOST_CONNECTIONS: usize = 1_000;
/// How long the head of a request may take, and how long a connection may say nothing between two.
const HEAD: Duration = Duration::from_secs(10);
/// How much of a connection is held before it is understood.
const BUFFER: usize = 64 * 1024;
/// How long it waits where no connection can be accepted, as where too many files are open.
const PAUSE: Duration = Duration::from_millis(100);
/// The shortest token that is no invitation to guess.
const SHORTEST: usize = 16;

/// Serves clients until the server ends.
pub(super) async fn serve(offered: Arc<Offered>, http: &Http) -> Result<Infallible, String> {
    let token = token(http)?;
    let listener = TcpListener::bind(http.address).await;
    let listener =
        listener.map_err(|error| format!("it cannot listen at {}: {error}", http.address))?;
    let address = listener.local_addr();
    let address = address.map_err(|error| format!("it has no address: {error}"))?;
    let sessions = Arc::<Sessions>::default();
    let service = StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&offered))),
        Arc::clone(&sessions),
        configuration(http, address),
    );
    let gate = Arc::new(Gate::new(service, token));
    say(&format!("serves MCP at http://{address}{}", gate::PATH));
    tokio::spawn(async move { sessions.tidy().await });
    let places = Places::new(MOST_CONNECTIONS);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Some((place, ended)) = places.take() else {
            continue;
        };
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            tokio::select! {
                () = converse(stream, gate, place) => {}
                _ = ended => {}
            }
        });
    }
}

/// The token that clients must show, which does not show in a list of processes.
fn token(http: &Http) -> Result<Option<String>, String> {
    let Some(variable) = &http.token else {
        return Ok(None);
    };
    let token = environment::text(variable);
    let token = token.ok_or_else(|| format!("`--token-from`: `{variable}` is not set"))?;
    if token.len() < SHORTEST {
        return Err(format!(
            "`--token-from`: `{variable}` is too easy to guess: it needs {SHORTEST} characters at least"
        ));
    }
    Ok(Some(token))
}

/// By which names it can be reached, and from which pages.
fn configuration(http: &Http, address: SocketAddr) -> StreamableHttpServerConfig {
    let mut hosts = http.hosts.clone();
    if address.ip().is_loopback() {
        hosts.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        hosts.push(address.ip().to_string());
    }
    let port = address.port();
    let origins = hosts.iter().flat_map(|host| {
        let host = match host.contains(':') {
            true => format!("[{host}]"),
            false => host.clone(),
        };
        // A proxy in front of it may speak TLS.
        [
            format!("http://{host}:{port}"),
            format!("https://{host}:443"),
        ]
    });
    StreamableHttpServerConfig::default()
        .with_allowed_origins(origins.collect::<Vec<_>>())
        .with_allowed_hosts(hosts)
        .with_max_request_body_bytes(LARGEST)
}

async fn converse(stream: TcpStream, gate: Arc<Gate>, place: Arc<Place>) {
    // Events are small and wait for nothing.
    let _ = stream.set_nodelay(true);
    let stream = Heard {
        stream,
        place: Arc::clone(&place),
    };
    let service = service_fn(move |request| {
        let (gate, place) = (Arc::clone(&gate), Arc::clone(&place));
        async move { Ok::<_, Infallible>(gate.answer(request, &place).await) }
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service);
    // A client that breaks it off has gone.
    let _ = conversation.await;
}
