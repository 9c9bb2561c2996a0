//! Signals: ctrl-c, SIGTERM and a terminal that goes away leave a recorded run so that it can be resumed, and cancel any other
//! cleanly; the second ctrl-c or SIGTERM stops it at once.
//!
//! A closed terminal often sends SIGHUP twice, from the kernel and from the shell, so that never counts as a second wish. SIGQUIT
//! keeps its meaning: the process ends there and then.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use gsw_driver::engine::{Canceller, Engine};
use gsw_tree::observe::Observers;
use tokio::sync::oneshot;

use crate::exit::Exit;
use crate::person;
use crate::say::say;

/// How long a run that is to stop at once may take for that, before the process leaves without it.
const STOPPING: Duration = Duration::from_secs(1);
/// After the first wish to end, the run waits so long for a file of events that makes no progress…
const PATIENCE: Duration = Duration::from_millis(500);
/// …and this long in all.
const TOTAL: Duration = Duration::from_secs(5);

/// Which signal has asked for the end first.
#[derive(Clone, Debug, Default)]
pub struct Interrupted(Arc<AtomicU8>);

impl Interrupted {
    /// How a process ends whose run was cancelled.
    pub fn exit(&self) -> Exit {
        if self.0.load(Ordering::Acquire) == Exit::HungUp as u8 {
            Exit::HungUp
        } else {
            Exit::Cancelled
        }
    }

    /// Whether a signal has asked for the end.
    pub fn has_come(&self) -> bool {
        self.0.load(Ordering::Acquire) != 0
    }

    fn note(&self, exit: Exit) {
        // The first request has decided.
        let _ = self
            .0
            .compare_exchange(0, exit as u8, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// What an interrupt cancels.
pub enum Whom {
    /// This run, and those that are detached.
    Run(Canceller),
    /// All runs of the engine.
    All,
}

struct Ends {
    whom: Whom,
    engine: Engine,
    observers: Arc<Observers>,
    interrupted: Interrupted,
}

impl Ends {
    fn cancel(&self, exit: Exit) {
        self.interrupted.note(exit);
        // A recorded run stays as it is, to be resumed.
        match &self.whom {
            Whom::All => self.engine.leave_all("interrupted"),
            Whom::Run(run) => {
                // It may have ended, or not be recorded, while those that it has detached are.
                if !run.leave() {
                    run.cancel("interrupted");
                }
                self.engine.leave_detached("interrupted");
            }
        }
        self.observers.hurry(PATIENCE, TOTAL);
    }

    /// Ends the process when the run does not.
    fn stop(&self) -> ! {
        self.observers.hurry(Duration::ZERO, Duration::ZERO);
        self.engine.stop_all();
        std::thread::sleep(STOPPING);
        self.engine.abandon();
        person::show_keys();
        say("cancelled");
        std::process::exit(self.interrupted.exit() as i32)
    }
}

/// Listens for signals, on a thread of its own, and is given later what they end.
///
/// The thread takes as long to begin as a short run, so it is started first of all and awaited when the run continues.
pub struct Listener {
    ends: oneshot::Sender<Ends>,
    /// Ready once signals are listened for; its sender is dropped where that is not possible.
    ready: std::sync::mpsc::Receiver<()>,
}

/// Whether the process may open as many more files as a runtime for signals does.
#[cfg(unix)]
fn spare_files() -> std::io::Result<()> {
    use std::os::unix::net::UnixStream;
    let _files = [
        UnixStream::pair()?,
        UnixStream::pair()?,
        UnixStream::pair()?,
        UnixStream::pair()?,
    ];
    Ok(())
}

#[cfg(not(unix))]
fn spare_files() -> std::io::Result<()> {
    Ok(())
}

impl Listener {
    /// Begins to listen. Without a thread, or the files for it, a signal ends the process as it ends any other.
    pub fn start() -> Self {
        let (ends, told) = oneshot::channel();
        let (sender, ready) = std::sync::mpsc::channel();
        let serve = move || {
            // tokio panics where it cannot open what signals need.
            if spare_files().is_err() {
                return;
            }
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
            else {
                return;
            };
            runtime.block_on(async {
                let signals = Signals::new();
                // The waiter has continued when it is too late.
                let _ = sender.send(());
                if let Ok(signals) = signals {
                    signals.serve(told).await;
                }
            });
        };
        let thread = std::thread::Builder::new().name("signals".into());
        // Where it cannot be started, both other ends go away with it.
        drop(thread.stack_size(256 << 10).spawn(serve));
        Self { ends, ready }
    }

    /// What signals end from now on. Runs that were detached are meant too.
    pub fn end(self, whom: Whom, engine: Engine, observers: Arc<Observers>) -> Interrupted {
        let interrupted = Interrupted::default();
        let ends = Ends {
            whom,
            engine,
            observers,
            interrupted: interrupted.clone(),
        };
        let _ = self.ends.send(ends);
        let _ = self.ready.recv();
        interrupted
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` under `nohup`, where a hang-up must end nothing.
    hang_up: Option<tokio::signal::unix::Signal>,
    /// Never heard: that it is listened for makes a file that grows too large an error instead of the end.
    _too_large: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let too_large = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        let hang_up = (!ignores_hang_up()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: hang_up.transpose()?,
            _too_large: signal(too_large).ok(),
        })
    }

    async fn serve(mut self, told: oneshot::Receiver<Ends>) {
        let ends = tokio::select! {
            ends = told => ends,
            // Nothing runs yet that must end cleanly.
            exit = self.next() => std::process::exit(exit as i32),
        };
        let Ok(ends) = ends else { return };
        let mut is_asked = false;
        loop {
            let exit = self.next().await;
            if is_asked && exit == Exit::Cancelled {
                ends.stop();
            }
            is_asked |= exit == Exit::Cancelled;
            ends.cancel(exit);
        }
    }

    /// How a process ends that this signal ends.
    async fn next(&mut self) -> Exit {
        let hung_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Cancelled,
            _ = self.terminate.recv() => Exit::Cancelled,
            _ = hung_up => Exit::HungUp,
        }
    }
}

/// Whether this process was started to outlive its terminal.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let bits = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    bits.is_some_and(|it| it & 1 << (rustix::process::Signal::HUP.as_raw() - 1) != 0)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn serve(self, told: oneshot::Receiver<Ends>) {
        let Ok(ends) = told.await else { return };
        if tokio::signal::ctrl_c().await.is_ok() {
            ends.cancel(Exit::Cancelled);
            if tokio::signal::ctrl_c().await.is_ok() {
                ends.stop();
            }
        }
    }
}
