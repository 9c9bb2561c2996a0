//! How far the first check of a large project is, for clients that show it.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::Client;
use tower_lsp::ls_types as lsp;

/// The percentage of what is done.
pub const DONE: u32 = 100;

/// A request that loads files one after the other; it has ended when it is dropped.
pub struct Load {
    /// `None` where the client shows nothing.
    shown: Option<UnboundedSender<u32>>,
    files: usize,
}

impl Load {
    pub const fn new(shown: Option<UnboundedSender<u32>>, files: usize) -> Self {
        Self { shown, files }
    }

    /// This many files are done.
    pub fn is_at(&self, done: usize) {
        self.tell(percentage(done, self.files));
    }

    fn tell(&self, percentage: u32) {
        if let Some(shown) = &self.shown {
            // The session may be ending.
            let _ = shown.send(percentage);
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.tell(DONE);
    }
}

/// How much of `all` is done, as long as it is not all.
pub fn percentage(done: usize, all: usize) -> u32 {
    let percentage = u32::try_from(done * 100 / all.max(1)).unwrap_or(DONE);
    percentage.min(DONE - 1)
}

/// Shows the client one load after the other: the percentages of each, of which [`DONE`] ends it.
pub async fn show(client: Client, mut percentages: UnboundedReceiver<u32>) {
    let mut loads = 0;
    while let Some(first) = percentages.recv().await {
        if first >= DONE {
            continue;
        }
        loads += 1;
        let token = lsp::ProgressToken::String(format!("gswc/load/{loads}"));
        // A client that refuses is shown nothing.
        let is_taken = client
            .create_work_done_progress(token.clone())
            .await
            .is_ok();
        let shown = match is_taken {
            true => {
                let progress = client.progress(token, "checking the project");
                Some(progress.with_percentage(first).begin().await)
            }
            false => None,
        };
        while let Some(percentage) = percentages.recv().await {
            if percentage >= DONE {
                break;
            }
            if let Some(shown) = &shown {
                shown.report(percentage).await;
            }
        }
        if let Some(shown) = shown {
            shown.finish().await;
        }
    }
}
