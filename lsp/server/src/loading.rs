//! How far the first check of a large project is, for clients that show it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::Client;
use tower_lsp::ls_types as lsp;

/// Shows the client how far loads are. Several may be under way at once, each under a token of its own.
#[derive(Clone)]
pub struct Loads {
    client: Client,
    /// How many there have been.
    begun: Arc<AtomicU32>,
}

impl Loads {
    pub fn new(client: Client) -> Self {
        Self {
            client,
            begun: Arc::default(),
        }
    }

    /// A load that has not come far yet.
    pub fn begin(&self) -> Load {
        let (shown, percentages) = unbounded_channel();
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::spawn(show(self.client.clone(), number, percentages));
        Load { shown }
    }
}

/// Files that are loaded one after the other; it has ended when it is dropped.
pub struct Load {
    shown: UnboundedSender<u32>,
}

impl Load {
    pub fn is_at(&self, percentage: u32) {
        // The session may be ending.
        let _ = self.shown.send(percentage);
    }
}

/// How much of `all` is done, in percent, as long as it is not all.
pub fn percentage(done: usize, all: usize) -> u32 {
    let percentage = u32::try_from(done * 100 / all.max(1)).unwrap_or(100);
    percentage.min(99)
}

/// Shows the client one load, which ends when nothing more can come.
async fn show(client: Client, number: u32, mut percentages: UnboundedReceiver<u32>) {
    let Some(first) = percentages.recv().await else {
        return;
    };
    let token = lsp::ProgressToken::String(format!("gswc/load/{number}"));
    let made = client.create_work_done_progress(token.clone()).await;
    if made.is_err() {
        // A client that refuses is shown nothing.
        return;
    }
    let progress = client.progress(token, "checking the project");
    let shown = progress.with_percentage(first).begin().await;
    while let Some(percentage) = percentages.recv().await {
        shown.report(percentage).await;
    }
    shown.finish().await;
}
