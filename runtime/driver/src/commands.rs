//! Runs programs of the system: one thread starts them all, serves their pipes and sees them end.
//!
//! It is one thread because a program dies with the thread that started it, which is how none outlives this process, and
//! because a program that runs then costs no thread: thousands of slow ones leave threads to everything else.

mod program;

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gsw_engine::operation::{ExecRequest, Failure, Outcome};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::allowance::Allowance;
use crate::process::{Ending, Group, Surroundings, start};
use crate::work::{Abandoned, Completion, given_up};
use program::Program;

/// With nothing to do for this long the thread ends.
const IDLE: Duration = Duration::from_secs(10);
/// When the system has no process or file descriptor for a program, it is tried again after this long.
const AGAIN: Duration = Duration::from_millis(100);
/// How often a program is polled where the system cannot notify of its end.
const LOOK: Duration = Duration::from_millis(10);
/// More programs than this never run at once. A guess.
const MOST: usize = 4096;
/// The most commands that are started before those that run are served.
const BATCH: usize = 16;
/// File descriptors that a program takes: two outputs and what says that it has ended, and an input for some.
const DESCRIPTORS: u64 = 4;

/// Runs programs; its thread starts with the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// More programs than this never run at once.
    most: usize,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            most: MOST,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Queued>,
    /// Wakes the thread; there is one as long as there is a thread.
    waker: Option<PipeWriter>,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) request: ExecRequest,
    pub(crate) around: Surroundings,
    /// What it writes must fit in here.
    pub(crate) allowance: Allowance,
    pub(crate) completion: Completion,
}

#[derive(Debug)]
struct Queued {
    command: Command,
    group: Group,
}

/// A program that runs or will.
#[derive(Clone, Debug)]
pub(crate) struct CommandHandle {
    group: Group,
    shared: Arc<Shared>,
}

impl Commands {
    pub(crate) fn shared() -> &'static Self {
        static COMMANDS: OnceLock<Commands> = OnceLock::new();
        COMMANDS.get_or_init(Self::default)
    }

    /// What a program that is not run yet can be given up by.
    pub(crate) fn handle(&self) -> CommandHandle {
        CommandHandle {
            group: Group::default(),
            shared: Arc::clone(&self.0),
        }
    }

    /// Runs a program to its end, or until it is given up. Its outcome may come before this returns.
    pub(crate) fn run(&self, command: Command, handle: &CommandHandle) {
        let group = handle.group.clone();
        self.0.give(Queued { command, group });
    }

    /// Runs a program and waits for its outcome.
    pub(crate) fn run_to_end(&self, request: ExecRequest, around: Surroundings) -> Outcome {
        let (sender, outcome) = std::sync::mpsc::channel();
        let command = Command {
            request,
            around,
            allowance: Allowance::default(),
            // The caller waits for it.
            completion: Completion::new(move |it| drop(sender.send(it))),
        };
        self.run(command, &self.handle());
        outcome.recv().unwrap_or_else(|_| given_up())
    }
}

impl CommandHandle {
    /// Kills the program and all that it started; one that waits to be started never is.
    pub(crate) fn abandon(&self) -> Abandoned {
        if !self.group.kill() {
            return Abandoned::Finished;
        }
        self.shared.wake();
        Abandoned::Stopped
    }
}

impl Shared {
    fn give(self: &Arc<Self>, queued: Queued) {
        let mut state = self.lock();
        state.queue.push_back(queued);
        if state.waker.is_some() {
            drop(state);
            return self.wake();
        }
        // Under the lock: two first commands must not start two threads.
        let Err(error) = self.begin(&mut state) else {
            return;
        };
        let unserved = std::mem::take(&mut state.queue);
        drop(state);
        for queued in unserved {
            queued.fail(&error);
        }
    }

    fn begin(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let (reader, writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("gsw-exec".into());
        thread.spawn(move || {
            let attendant = Attendant::new(Arc::clone(&shared), reader);
            if catch_unwind(AssertUnwindSafe(|| attendant.serve())).is_err() {
                // What waits has no outcome but that it was lost; what comes next gets another thread.
                let mut state = shared.lock();
                let lost = (state.waker.take(), std::mem::take(&mut state.queue));
                drop(state);
                drop(lost);
            }
        })?;
        state.waker = Some(writer);
        Ok(())
    }

    fn wake(&self) {
        if let Some(waker) = &mut self.lock().waker {
            // A full pipe wakes as well as another byte would.
            let _ = waker.write(&[0]);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queued {
    /// It could not be started.
    fn fail(self, error: &io::Error) {
        let ExecRequest { argv, cwd, .. } = self.command.request;
        let program = argv.first().map_or("", String::as_str);
        let place = cwd.map(|it| format!(" in `{it}`")).unwrap_or_default();
        let message = format!("`{program}` cannot be run{place}: {error}");
        let path = Some(program.to_owned());
        let failure = Failure::Io { path, message };
        self.command.completion.deliver(Outcome::Failed(failure));
    }
}

struct Attendant {
    shared: Arc<Shared>,
    wake_ups: PipeReader,
    waiting: VecDeque<Queued>,
    /// When the system had no room for another program: when to try again.
    again: Option<Instant>,
    programs: Vec<Program>,
    /// Programs that were killed and have not ended: only the system can say why.
    unended: Vec<Ending>,
}

impl Attendant {
    fn new(shared: Arc<Shared>, wake_ups: PipeReader) -> Self {
        Self {
            shared,
            wake_ups,
            waiting: VecDeque::new(),
            again: None,
            programs: Vec::new(),
            unended: Vec::new(),
        }
    }

    fn serve(mut self) {
        while self.take_queue() {
            self.give_up_killed();
            self.start_waiting();
            let has_happened = self.wait();
            self.advance(&has_happened);
            self.unended.retain(|it| matches!(it.status(), Ok(None)));
        }
    }

    fn most(&self) -> usize {
        most().min(self.shared.most)
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.programs.is_empty() && self.unended.is_empty()
    }

    /// Takes what is new. `false` when there is nothing to do and has not been for a while: the thread ends.
    fn take_queue(&mut self) -> bool {
        let mut state = self.shared.lock();
        self.waiting.append(&mut state.queue);
        drop(state);
        if !self.is_idle() {
            return true;
        }
        let mut fds = [PollFd::new(&self.wake_ups, PollFlags::IN)];
        let woken = poll(&mut fds, Some(&timespec(IDLE)));
        let mut state = self.shared.lock();
        // Checked again under the lock, in which the waker is dropped: a command given since then starts a new thread.
        if woken == Ok(0) && state.queue.is_empty() {
            state.waker = None;
            return false;
        }
        self.waiting.append(&mut state.queue);
        true
    }

    /// Ends what was killed before it was started, whether or not there is room to start anything.
    fn give_up_killed(&mut self) {
        if !self.waiting.iter().any(|it| it.group.is_killed()) {
            return;
        }
        for queued in std::mem::take(&mut self.waiting) {
            if queued.group.is_killed() {
                queued.command.completion.deliver(given_up());
            } else {
                self.waiting.push_back(queued);
            }
        }
    }

    fn start_waiting(&mut self) {
        if self.again.is_some_and(|it| it > Instant::now()) {
            return;
        }
        self.again = None;
        // A few at a time, so that a thousand starts do not leave the pipes of running programs unserved.
        let most = self.most().min(self.programs.len() + BATCH);
        while self.programs.len() < most {
            let Some(Queued { command, group }) = self.waiting.pop_front() else {
                return;
            };
            if group.is_killed() {
                command.completion.deliver(given_up());
                continue;
            }
            match start(&command.request, &command.around) {
                Ok(child) => {
                    group.has_started(child.pid);
                    self.programs.push(Program::new(child, command, group));
                }
                // With no program running nothing would change by waiting, so then it is an error.
                Err(error) if is_shortage(&error) && !self.programs.is_empty() => {
                    // One of those that run will end.
                    self.again = Some(Instant::now() + AGAIN);
                    self.waiting.push_front(Queued { command, group });
                    return;
                }
                Err(error) => Queued { command, group }.fail(&error),
            }
        }
    }

    /// Waits until something happens, and says to which programs it may have.
    fn wait(&mut self) -> Vec<bool> {
        let mut fds = vec![PollFd::new(&self.wake_ups, PollFlags::IN)];
        let mut ends = Vec::with_capacity(self.programs.len());
        for program in &self.programs {
            program.watch(&mut fds);
            ends.push(fds.len());
        }
        let rest = timespec(self.rest());
        let is_known = match poll(&mut fds, Some(&rest)) {
            Ok(_) => true,
            Err(rustix::io::Errno::INTR) => false,
            Err(_) => {
                // More descriptors than the system polls: they are checked one by one.
                std::thread::sleep(LOOK);
                false
            }
        };
        let mut begin = 1;
        let has_happened = ends.iter().map(|&end| {
            let own = &fds[std::mem::replace(&mut begin, end)..end];
            !is_known || own.iter().any(|it| !it.revents().is_empty())
        });
        let has_happened = has_happened.collect();
        drop(fds);
        // All events so far are handled now.
        let _ = self.wake_ups.read(&mut [0; 64]);
        has_happened
    }

    /// How long only the descriptors need to be polled.
    fn rest(&self) -> Duration {
        if !self.waiting.is_empty() && self.again.is_none() && self.programs.len() < self.most() {
            return Duration::ZERO;
        }
        let now = Instant::now();
        let dues = self.programs.iter().filter_map(Program::due);
        let first = dues.chain(self.again).min();
        let rest = first.map_or(IDLE, |it| it.saturating_duration_since(now));
        let must_look = !self.unended.is_empty() || self.programs.iter().any(Program::must_look);
        if must_look { rest.min(LOOK) } else { rest }
    }

    fn advance(&mut self, has_happened: &[bool]) {
        let now = Instant::now();
        let mut ended = Vec::new();
        for (place, program) in self.programs.iter_mut().enumerate() {
            let has_happened = has_happened.get(place).copied().unwrap_or(true);
            if (has_happened || program.must_act(now)) && program.advance(now) {
                ended.push(place);
            }
        }
        // From the last, so that the others keep their places.
        for place in ended.into_iter().rev() {
            self.unended.extend(self.programs.swap_remove(place).end());
            // There may be room again.
            self.again = None;
        }
    }
}

/// How many programs may run at once, so that they leave half of the file descriptors to everything else.
fn most() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let programs = limit.map_or(u64::MAX, |it| it / 2 / DESCRIPTORS);
    usize::try_from(programs).unwrap_or(MOST).clamp(4, MOST)
}

/// Whether the system has no process, memory or descriptor left, which the end of a program may change.
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let shortages = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    let number = error.raw_os_error();
    shortages.iter().any(|it| number == Some(it.raw_os_error()))
}

fn timespec(length: Duration) -> Timespec {
    Timespec::try_from(length.min(IDLE)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
