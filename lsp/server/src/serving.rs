//! A session with an editor, from its first message to its last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tower_lsp::ls_types as lsp;
use tower_lsp::{Client, LspService, Server};

use crate::announced::Announced;
use crate::backend::Backend;
use crate::frames;
use crate::loading::{Load, Loads};
use crate::runtime::Runtime;
use crate::worker::{Notice, Worker};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By `shutdown` and `exit`.
    Regular,
    /// The client went away, or sent `exit` without `shutdown`.
    Abrupt,
}

/// The most requests that may wait for their answers; with one at a time none could be cancelled.
const PENDING: usize = 256;

/// Serves an editor on standard input and output until it ends the session.
///
/// # Errors
/// When threads or input and output cannot be had.
pub fn serve(runtime: Arc<dyn Runtime>) -> std::io::Result<Ending> {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let ending = executor.block_on(serve_on(streams.0, streams.1, runtime));
    // Reading standard input blocks a thread that nothing can wake.
    executor.shutdown_background();
    ending
}

/// Serves an editor on a pair of streams until it ends the session or goes away.
///
/// # Errors
/// When the system gives no thread.
pub async fn serve_on(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite,
    runtime: Arc<dyn Runtime>,
) -> std::io::Result<Ending> {
    let (sender, notices) = unbounded_channel();
    let worker = Worker::start(sender)?;
    let is_shut_down = Arc::new(AtomicBool::new(false));
    let (messages, attendance) = frames::messages(input);
    let (service, socket) = LspService::new(|client| {
        let loads = Loads::new(client.clone());
        tokio::spawn(tell(client.clone(), notices, loads.clone()));
        Backend {
            client,
            attendance,
            loads,
            worker,
            runtime,
            is_shut_down: Arc::clone(&is_shut_down),
        }
    });
    // Handlers are begun in the order of messages and send their jobs before they first wait, so jobs keep that order.
    Server::new(messages, output, socket)
        .concurrency_level(PENDING)
        .serve(Announced(service))
        .await;
    Ok(match is_shut_down.load(Ordering::Relaxed) {
        true => Ending::Regular,
        false => Ending::Abrupt,
    })
}

/// Passes the thread's notices to the client.
async fn tell(client: Client, mut notices: UnboundedReceiver<Notice>, loads: Loads) {
    let mut load: Option<Load> = None;
    while let Some(notice) = notices.recv().await {
        match notice {
            Notice::Published(it) => {
                client
                    .publish_diagnostics(it.uri, it.diagnostics, it.version)
                    .await;
            }
            Notice::Loading(percentage) => {
                load.get_or_insert_with(|| loads.begin()).is_at(percentage);
            }
            Notice::Loaded => load = None,
            Notice::Broken(message) => {
                let text = format!("gswc lsp has hit a bug and goes on: {message}");
                client.log_message(lsp::MessageType::ERROR, text).await;
            }
        }
    }
}
