//! A program that runs: its pipes, its end, and why it may be ended before.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use gsw_engine::operation::{ExecOutput, Failure, Outcome};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, WaitStatus};

use super::Command;
use crate::allowance::Share;
use crate::portions::{Portions, Source};
use crate::process::{Child, Ending, Group};
use crate::work::Completion;

/// The most bytes of each output; a guess.
const LARGEST: usize = 64 << 20;
/// A program that was killed is waited for this long: its outcome should mean that it is gone.
const DYING: Duration = Duration::from_secs(1);
/// After a program's end, what it has left behind may write this long to its pipes, such as a `tee` that has not written all it
/// was given; then it ends too.
const LEAVING: Duration = Duration::from_secs(1);

pub(super) struct Program {
    name: String,
    pid: Pid,
    /// Readable when the program has ended; `None` where the system has no such thing.
    exit: Option<OwnedFd>,
    life: Life,
    group: Group,
    input: Option<Input>,
    outputs: [Output; 2],
    share: Share,
    /// When it is late, and after how many nanoseconds that is.
    late: Option<(Instant, i64)>,
    /// After it was killed: the outcome to report once it has ended, and when to stop waiting for that.
    dying: Option<(Outcome, Instant)>,
    completion: Completion,
}

#[derive(Clone, Copy)]
enum Life {
    Running,
    /// It has ended, and what it has left behind may write until then.
    Ended(Instant),
}

struct Input {
    pipe: OwnedFd,
    text: String,
    written: usize,
}

struct Output {
    pipe: Option<OwnedFd>,
    bytes: Portions,
}

impl Program {
    pub(super) fn new(child: Child, command: Command, group: Group) -> Self {
        let Command {
            request,
            around: _,
            allowance,
            completion,
        } = command;
        let Child {
            pid,
            input,
            outputs,
        } = child;
        let input = input.zip(request.stdin);
        let timeout = request.timeout_nanoseconds.map(|it| it.max(0));
        let late = timeout.and_then(|it| {
            let length = Duration::from_nanos(it.unsigned_abs());
            Some((Instant::now().checked_add(length)?, it))
        });
        Self {
            name: request.argv.into_iter().next().unwrap_or_default(),
            exit: exit_of(pid),
            pid,
            life: Life::Running,
            group,
            input: input.and_then(|(pipe, text)| Input::new(pipe, text)),
            outputs: outputs.map(Output::new),
            share: allowance.share(),
            late,
            dying: None,
            completion,
        }
    }

    /// Adds what to wait for.
    pub(super) fn watch<'a>(&'a self, fds: &mut Vec<PollFd<'a>>) {
        if let (Some(exit), Life::Running) = (&self.exit, self.life) {
            fds.push(PollFd::new(exit, PollFlags::IN));
        }
        if let Some(Input { pipe, .. }) = &self.input {
            fds.push(PollFd::new(pipe, PollFlags::OUT));
        }
        let pipes = self.outputs.iter().filter_map(|it| it.pipe.as_ref());
        fds.extend(pipes.map(|it| PollFd::new(it, PollFlags::IN)));
    }

    /// When it must be checked whatever happens.
    pub(super) fn due(&self) -> Option<Instant> {
        match (&self.dying, self.life) {
            (Some((_, due)), _) => Some(*due),
            (None, Life::Ended(until)) => Some(until),
            (None, Life::Running) => self.late.map(|it| it.0),
        }
    }

    /// Whether nothing says when it ends.
    pub(super) fn must_look(&self) -> bool {
        self.exit.is_none() && matches!(self.life, Life::Running)
    }

    /// Whether there is something to do although its descriptors say nothing.
    pub(super) fn must_act(&self, now: Instant) -> bool {
        let is_killed = self.dying.is_none() && self.group.is_killed();
        is_killed || self.must_look() || self.due().is_some_and(|it| it <= now)
    }

    /// Does what can be done without waiting. Whether it has ended.
    pub(super) fn advance(&mut self, now: Instant) -> bool {
        if matches!(self.life, Life::Running) && Ending(self.pid).is_over() {
            self.life = Life::Ended(now + LEAVING);
        }
        if self.dying.is_none()
            && let Err(outcome) = self.serve(now)
        {
            self.group.kill();
            self.input = None;
            // What a killed program still writes is of no interest, and its children may hold the pipes open.
            self.outputs.iter_mut().for_each(|it| it.pipe = None);
            self.dying = Some((outcome, now + DYING));
        }
        match (&self.dying, self.life) {
            (Some((_, due)), Life::Running) => *due <= now,
            (Some(_), Life::Ended(_)) => true,
            (None, Life::Running) => false,
            // What the program left behind may still hold its output open.
            (None, Life::Ended(until)) => {
                until <= now || self.outputs.iter().all(|it| it.pipe.is_none())
            }
        }
    }

    /// Serves the pipes; an error is the outcome for which the program is to be killed.
    fn serve(&mut self, now: Instant) -> Result<(), Outcome> {
        if self.group.is_killed() {
            // It may have done something.
            let message = "it was killed, because nothing waits for it any more".into();
            return Err(Outcome::Failed(Failure::Other { message }));
        }
        if let (Some((at, nanoseconds)), Life::Running) = (self.late, self.life)
            && at <= now
        {
            return Err(Outcome::Failed(Failure::Timeout { nanoseconds }));
        }
        if self.input.as_mut().is_some_and(Input::has_ended) {
            self.input = None;
        }
        for output in &mut self.outputs {
            output
                .read()
                .map_err(|_| Outcome::Failed(Failure::TooLarge))?;
            if output.bytes.len() > LARGEST {
                let message = format!("the program wrote more than {LARGEST} bytes");
                let path = Some(self.name.clone());
                return Err(Outcome::Failed(Failure::Io { path, message }));
            }
        }
        let written: usize = self.outputs.iter().map(|it| it.bytes.len()).sum();
        let fits = self.share.grow_to(written as u64);
        fits.map_err(|_| Outcome::Failed(Failure::TooLarge))
    }

    /// Delivers its outcome; gives the program back if it has not ended although it was killed.
    pub(super) fn end(self) -> Option<Ending> {
        self.group.end(self.pid);
        let ending = Ending(self.pid);
        let status = ending.status();
        let outcome = match (self.dying, &status) {
            (Some((outcome, _)), _) => outcome,
            (None, Ok(Some(status))) => written(code(*status), self.outputs),
            (None, Ok(None)) => lost("it has no exit code"),
            (None, Err(error)) => lost(&error.to_string()),
        };
        self.completion.deliver(outcome);
        matches!(status, Ok(None)).then_some(ending)
    }
}

impl Input {
    fn new(pipe: OwnedFd, text: String) -> Option<Self> {
        rustix::io::ioctl_fionbio(&pipe, true).ok()?;
        let written = 0;
        Some(Self {
            pipe,
            text,
            written,
        })
    }

    /// Writes as much as the pipe takes; returns whether there is nothing left to write. A program need not read its input.
    fn has_ended(&mut self) -> bool {
        loop {
            let rest = &self.text.as_bytes()[self.written..];
            if rest.is_empty() {
                return true;
            }
            match rustix::io::write(&self.pipe, rest) {
                Ok(written) => self.written += written,
                Err(rustix::io::Errno::AGAIN) => return false,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return true,
            }
        }
    }
}

impl Output {
    fn new(pipe: OwnedFd) -> Self {
        // A pipe that would block everything else is not read.
        let is_ready = rustix::io::ioctl_fionbio(&pipe, true).is_ok();
        Self {
            pipe: is_ready.then_some(pipe),
            bytes: Portions::default(),
        }
    }

    /// Fails when there is no memory for what comes.
    fn read(&mut self) -> io::Result<()> {
        let Some(pipe) = self.pipe.take() else {
            return Ok(());
        };
        let pipe = std::fs::File::from(pipe);
        let is_open = match self.bytes.read(&pipe) {
            Ok(source) => source == Source::Open,
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => return Err(error),
            // What came until the pipe broke is what there is.
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        };
        self.pipe = is_open.then(|| pipe.into());
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn exit_of(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_: Pid) -> Option<OwnedFd> {
    None
}

fn code(status: WaitStatus) -> i64 {
    let code = status.exit_status();
    i64::from(code.unwrap_or_else(|| 128 + status.terminating_signal().unwrap_or(0)))
}

/// What a program wrote; bytes that are no text are replaced.
fn written(code: i64, [stdout, stderr]: [Output; 2]) -> Outcome {
    let text = |output: Output| {
        let bytes = output.bytes.into_bytes()?;
        io::Result::Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into(),
        })
    };
    match (text(stdout), text(stderr)) {
        (Ok(stdout), Ok(stderr)) => Outcome::Exec(ExecOutput {
            code,
            stdout,
            stderr,
        }),
        (Err(_), _) | (_, Err(_)) => Outcome::Failed(Failure::TooLarge),
    }
}

fn lost(why: &str) -> Outcome {
    let message = format!("the program cannot be waited for: {why}");
    Outcome::Failed(Failure::Other { message })
}
