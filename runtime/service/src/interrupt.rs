//! Ctrl-c and its kin: the first cancels the run cleanly, the second stops it at once.

use gsw_engine::engine::{Canceller, Engine};

/// Listens for signals on a thread of its own from now on. Without a thread or signals a run simply cannot be cancelled cleanly.
/// Runs that were detached are meant too.
pub fn cancel_on_signal(canceller: Canceller, engine: Engine) {
    let listen = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
        else {
            return;
        };
        runtime.block_on(async {
            if wait_for_signal().await.is_ok() {
                canceller.cancel("interrupted");
                engine.cancel_detached("interrupted");
                if wait_for_signal().await.is_ok() {
                    canceller.stop();
                    engine.stop_detached();
                }
            }
        });
    };
    // As said above: there is nothing to do without the thread.
    let _ = std::thread::Builder::new()
        .name("signals".into())
        .stack_size(256 << 10)
        .spawn(listen);
}

#[cfg(unix)]
async fn wait_for_signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn wait_for_signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
