//! A child process that runs until it ends, until it is out of date, or until it is asked to end.

use std::io::{self, IsTerminal};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::exit::Exit;

/// How often the child and the files are checked.
const LOOK: Duration = Duration::from_millis(100);

/// After a change, files stay as they are for this long before they are read: editors write in several steps.
const SETTLED: Duration = Duration::from_millis(60);

/// How long a child that is to end may take: what its `defer`s may take, and a little more.
const PATIENCE: Duration = Duration::from_secs(12);

/// Why there is nothing more to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// What the child works on is another one now.
    Changed,
    /// The user wants the end.
    Interrupted(Exit),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wish {
    Interrupt,
    #[cfg_attr(not(unix), expect(dead_code))]
    Terminate,
    #[cfg_attr(not(unix), expect(dead_code))]
    HangUp,
}

impl Wish {
    const fn exit(self) -> Exit {
        match self {
            Self::Interrupt | Self::Terminate => Exit::Cancelled,
            Self::HangUp => Exit::HungUp,
        }
    }
}

/// Starts children, one after the other, and listens for signals all the while.
#[derive(Debug)]
pub struct Supervisor {
    runtime: tokio::runtime::Runtime,
    signals: Signals,
}

impl Supervisor {
    /// From now on signals end nothing by themselves.
    ///
    /// # Errors
    /// When signals cannot be listened for.
    pub fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let signals = runtime.block_on(async { Signals::new() })?;
        Ok(Self { runtime, signals })
    }

    /// Runs a child until `changed`; when it has ended by itself, `waiting` is called once, and the waiting continues.
    ///
    /// # Errors
    /// When the child cannot be started.
    pub fn run(
        &mut self,
        command: &mut Command,
        waiting: &dyn Fn(),
        changed: &mut dyn FnMut() -> bool,
    ) -> io::Result<Ended> {
        let mut child = Some(command.spawn()?);
        let wish = self.runtime.block_on(async {
            loop {
                tokio::select! {
                    wish = self.signals.next() => break Some(wish),
                    () = tokio::time::sleep(LOOK) => {}
                }
                if let Some(running) = &mut child
                    && has_ended(running)
                {
                    child = None;
                    waiting();
                }
                if changed() {
                    tokio::time::sleep(SETTLED).await;
                    break None;
                }
            }
        });
        if let Some(child) = child {
            self.end(child, wish);
        }
        Ok(wish.map_or(Ended::Changed, |it| Ended::Interrupted(it.exit())))
    }

    /// Ends a child: cleanly, so that it can clear up; at once when that takes too long or the user asks again.
    fn end(&mut self, mut child: Child, wish: Option<Wish>) {
        // A terminal sends ctrl-c to the child as well, and to send it a second time would mean: at once.
        let knows = wish == Some(Wish::Interrupt) && io::stdin().is_terminal();
        if !knows {
            ask_to_end(&mut child);
        }
        let began = Instant::now();
        self.runtime.block_on(async {
            while !has_ended(&mut child) && began.elapsed() < PATIENCE {
                tokio::select! {
                    _ = self.signals.next() => break,
                    () = tokio::time::sleep(LOOK / 5) => {}
                }
            }
        });
        if !has_ended(&mut child) {
            // It may have ended in between.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn has_ended(child: &mut Child) -> bool {
    // Of a child that cannot be asked about nothing more can be known.
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn ask_to_end(child: &mut Child) {
    let id = i32::try_from(child.id()).ok();
    if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
        // It may have ended in between.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask_to_end(child: &mut Child) {
    // There is no cleaner way on this platform.
    let _ = child.kill();
}

#[cfg(unix)]
#[derive(Debug)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.interrupt.recv() => Wish::Interrupt,
            _ = self.terminate.recv() => Wish::Terminate,
            _ = self.hang_up.recv() => Wish::HangUp,
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Wish {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Wish::Interrupt
    }
}
