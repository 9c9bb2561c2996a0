//! Starts programs of the system: what they find around them, and the process group that each is the leader of.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_engine::operation::ExecRequest;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus};

use crate::guard;
use crate::spawn::Start;

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Child {
    pub(super) pid: Pid,
    /// Where it reads, if it is given something.
    pub(super) input: Option<OwnedFd>,
    /// Where it writes: output and errors.
    pub(super) outputs: [OwnedFd; 2],
}

/// A program that is only waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending(pub(super) Pid);

impl Ending {
    /// Whether it has ended; it stays to be waited for, so that its number is not given away.
    pub(crate) fn is_over(self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(
            rustix::process::waitid(WaitId::Pid(self.0), options),
            Ok(None) | Err(rustix::io::Errno::INTR)
        )
    }

    /// How it ended, once; `None` when it has not.
    pub(crate) fn status(self) -> io::Result<Option<WaitStatus>> {
        let waited = rustix::process::waitpid(Some(self.0), WaitOptions::NOHANG)?;
        Ok(waited.map(|it| it.1))
    }
}

/// The process group of a program, which anybody may end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group(Arc<Mutex<State>>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// Its program has not started yet.
    #[default]
    New,
    /// The id of the group, whose leader was not waited for, so that no other group can have it.
    Running(Pid),
    /// Killed, or not to be started.
    Killed,
    /// Nothing of it is left that could be killed.
    Gone,
}

impl Group {
    /// Kills the program and all that it started; one that has not started never will. Whether there was anything to end.
    pub(crate) fn kill(&self) -> bool {
        let mut state = self.lock();
        match *state {
            State::Running(group) => {
                // It may have ended a moment ago.
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
                *state = State::Killed;
                true
            }
            // Remembered, so that a start which is under way in another thread is killed in `has_started`.
            State::New => {
                *state = State::Killed;
                true
            }
            State::Killed => true,
            State::Gone => false,
        }
    }

    /// Asks the program and all that it started to end.
    pub(crate) fn ask_to_end(&self) {
        if let State::Running(group) = *self.lock() {
            // It may have ended a moment ago.
            let _ = rustix::process::kill_process_group(group, Signal::TERM);
        }
    }

    pub(crate) fn is_killed(&self) -> bool {
        *self.lock() == State::Killed
    }

    #[cfg(test)]
    pub(crate) fn is_running(&self) -> bool {
        matches!(*self.lock(), State::Running(_))
    }

    /// A program has started as the leader of this group. It is killed at once when it was given up by then.
    pub(crate) fn has_started(&self, leader: Pid) {
        let mut state = self.lock();
        guard::watch(leader);
        if *state == State::New {
            *state = State::Running(leader);
        } else {
            // It cannot have ended before it is waited for.
            let _ = rustix::process::kill_process_group(leader, Signal::KILL);
        }
    }

    /// Whether nothing of it is left that could be killed.
    pub(crate) fn is_gone(&self) -> bool {
        *self.lock() == State::Gone
    }

    /// The leader has ended, and is about to be waited for. What it has left behind ends now: afterwards its number, by which
    /// all of them are named, may be another's.
    pub(crate) fn end(&self, leader: Pid) {
        let mut state = self.lock();
        // There may be nobody left.
        let _ = rustix::process::kill_process_group(leader, Signal::KILL);
        *state = State::Gone;
        guard::release(leader);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a program of the system finds around it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Surroundings {
    /// What it gets of this process's variables; `None` for all of them.
    pub inherited: Option<Vec<(OsString, OsString)>>,
    pub added: Vec<(String, String)>,
}

/// Starts a program with all three as pipes. It is killed when the calling thread ends.
pub(crate) fn start_server(argv: &[String], around: &Surroundings) -> io::Result<Child> {
    let ((read, input), (stdout, write), (stderr, write_errors)) =
        (io::pipe()?, io::pipe()?, io::pipe()?);
    let start = Start {
        program: located(argv.first().map_or("", String::as_str)),
        arguments: argv.to_vec(),
        environment: around.variables(),
        folder: None,
        streams: [read.into(), write.into(), write_errors.into()],
    };
    guard::prepare();
    Ok(Child {
        pid: start.start()?,
        input: Some(input.into()),
        outputs: [stdout.into(), stderr.into()],
    })
}

/// Starts a program with its outputs as pipes, and its input if it is given one. It is killed when the calling thread ends.
pub(crate) fn start(request: &ExecRequest, around: &Surroundings) -> io::Result<Child> {
    let program = request.argv.first().map_or("", String::as_str);
    let (read, input): (OwnedFd, _) = if request.stdin.is_some() {
        let (reader, writer) = io::pipe()?;
        (reader.into(), Some(writer.into()))
    } else {
        (File::open("/dev/null")?.into(), None)
    };
    let ((stdout, write), (stderr, write_errors)) = (io::pipe()?, io::pipe()?);
    let start = Start {
        // A name is looked up and a path is read here: in the folder where the program is to run, others may have put one.
        program: located(program),
        arguments: request.argv.clone(),
        environment: around.variables(),
        folder: request.cwd.clone(),
        streams: [read, write.into(), write_errors.into()],
    };
    guard::prepare();
    Ok(Child {
        pid: start.start()?,
        input,
        outputs: [stdout.into(), stderr.into()],
    })
}

impl Surroundings {
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let mut variables: BTreeMap<OsString, OsString> = match &self.inherited {
            Some(inherited) => inherited.iter().cloned().collect(),
            None => std::env::vars_os().collect(),
        };
        for (name, value) in &self.added {
            variables.insert(name.into(), value.into());
        }
        variables.into_iter().collect()
    }
}

/// The executable that a program's name or path refers to; a path that does not exist when there is none.
fn located(program: &str) -> PathBuf {
    if program.contains('/') {
        return std::path::absolute(program).unwrap_or_else(|_| program.into());
    }
    let is_program = |it: &PathBuf| {
        let known = std::fs::metadata(it);
        known.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        // A relative entry of PATH would look into the folder that a model may write to.
        .filter(|it| it.is_absolute())
        .map(|it| it.join(program))
        .find(is_program)
        .unwrap_or_else(|| Path::new("/nonexistent").join(program))
}
