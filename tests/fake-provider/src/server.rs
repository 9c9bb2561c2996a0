//! The server: listens, records, and gives each request its reply.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::http::{self, Request};
use crate::http2;
use crate::reply::{self, Connection};
use crate::script::{Body, Reply, Script};
use crate::secure::{self, Acceptor, Socket, Transport};

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    transport: Transport,
    stage: Arc<Stage>,
    listening: JoinHandle<()>,
}

/// What all connections share.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    state: Mutex<State>,
    in_flight: AtomicUsize,
    connections: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    /// How often each reply has been given.
    given: Vec<u32>,
    requests: Vec<Request>,
}

impl Server {
    /// Starts on a port of this machine, a free one for 0.
    pub async fn start(script: Script, port: u16) -> io::Result<Self> {
        Self::start_with(script, port, Transport::Plain).await
    }

    /// Like [`Self::start`], over another transport. [`AUTHORITY`](crate::AUTHORITY) has signed its certificate.
    pub async fn start_with(script: Script, port: u16, transport: Transport) -> io::Result<Self> {
        let acceptor = secure::acceptor(transport)?;
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let stage = Arc::new(Stage::default());
        stage.play(script);
        let listening = tokio::spawn(listen(listener, acceptor, Arc::clone(&stage)));
        Ok(Self {
            address,
            transport,
            stage,
            listening,
        })
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:4711`
    #[must_use]
    pub fn url(&self) -> String {
        match self.transport {
            Transport::Plain => format!("http://{}", self.address),
            Transport::Tls | Transport::TlsHttp2 => format!("https://{}", self.address),
        }
    }

    /// Plays another script from its beginning, and forgets the recorded requests.
    pub fn play(&self, script: Script) {
        self.stage.play(script);
    }

    /// What it was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.stage.state().requests.clone()
    }

    /// Runs until the process ends.
    pub async fn run(mut self) -> io::Result<()> {
        (&mut self.listening).await.map_err(io::Error::other)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn listen(listener: TcpListener, acceptor: Option<Acceptor>, stage: Arc<Stage>) {
    while let Ok((socket, _)) = listener.accept().await {
        let (stage, acceptor) = (Arc::clone(&stage), acceptor.clone());
        let connection = stage.connections.fetch_add(1, Ordering::SeqCst) + 1;
        // A client may leave at any time; that is no error of the server.
        tokio::spawn(async move {
            socket.set_nodelay(true)?;
            match acceptor {
                None => serve(socket, &stage, connection).await,
                Some(acceptor) => match acceptor.accept(socket).await? {
                    Socket::Http1(socket) => serve(socket, &stage, connection).await,
                    Socket::Http2(socket) => http2::serve(socket, stage, connection).await,
                },
            }
        });
    }
}

async fn serve(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    stage: &Stage,
    connection: usize,
) -> io::Result<()> {
    let mut pending = Vec::new();
    while let Some(mut request) = http::read(&mut socket, &mut pending).await? {
        let present = Present::of(stage);
        request.in_flight = present.count;
        request.connection = connection;
        let reply = stage.reply(&request);
        if reply::play(&reply, &request, &mut socket).await? == Connection::Over {
            break;
        }
    }
    Ok(())
}

/// A request on its way, from when it has come until its reply is given.
pub(crate) struct Present<'a> {
    stage: &'a Stage,
    pub(crate) count: usize,
}

impl<'a> Present<'a> {
    pub(crate) fn of(stage: &'a Stage) -> Self {
        let count = stage.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        Self { stage, count }
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.stage.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Stage {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn play(&self, script: Script) {
        let mut state = self.state();
        state.given = vec![0; script.replies.len()];
        state.requests.clear();
        state.script = script;
    }

    pub(crate) fn reply(&self, request: &Request) -> Reply {
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/__script") => match serde_json::from_str(&request.body) {
                Ok(script) => {
                    self.play(script);
                    Reply::of(Body::Json(json!({ "playing": true })))
                }
                Err(error) => Reply::error(400, "bad_script", &error.to_string()),
            },
            ("GET", "/__requests") => {
                let requests = self.state().requests.clone();
                Reply::of(Body::Json(json!(requests)))
            }
            _ => self.scripted(request),
        }
    }

    fn scripted(&self, request: &Request) -> Reply {
        let mut state = self.state();
        state.requests.push(request.clone());
        let fits = |it: &Reply| {
            let when = it.when.as_deref();
            when.is_none_or(|it| request.path.contains(it) || request.body.contains(it))
        };
        let mut last = None;
        for (index, reply) in state.script.replies.iter().enumerate() {
            if !fits(reply) {
                continue;
            }
            last = Some(index);
            if reply.times == 0 || state.given[index] < reply.times {
                break;
            }
        }
        let Some(index) = last else {
            return Reply::error(
                404,
                "not_found_error",
                "the script has no reply for this request",
            );
        };
        state.given[index] = state.given[index].saturating_add(1);
        state.script.replies[index].clone()
    }
}
