//! Starts programs of the system: what they find around them, and the process group that each is the leader of.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal};

use crate::operation::ExecRequest;

/// The process group of a program, which anybody may end.
#[derive(Clone, Debug, Default)]
pub(super) struct Group(Arc<Mutex<State>>);

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
    pub(super) fn kill(&self) -> bool {
        let mut state = self.lock();
        match *state {
            State::Running(group) => {
                // It may have ended a moment ago.
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
                *state = State::Killed;
                true
            }
            State::New => {
                *state = State::Killed;
                true
            }
            State::Killed => true,
            State::Gone => false,
        }
    }

    pub(super) fn is_killed(&self) -> bool {
        *self.lock() == State::Killed
    }

    /// A program has started as the leader of this group. It is killed at once when nobody wanted it any more by then.
    pub(super) fn has_started(&self, child: &Child) {
        let Some(leader) = leader(child) else { return };
        let mut state = self.lock();
        if *state == State::New {
            *state = State::Running(leader);
        } else {
            // It cannot have ended before it is waited for.
            let _ = rustix::process::kill_process_group(leader, Signal::KILL);
        }
    }

    /// The leader is about to be waited for: its number may then be another's.
    pub(super) fn forget(&self) {
        *self.lock() = State::Gone;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn leader(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// What a program of the system finds around it.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// What it gets of this process's variables; `None` for all of them.
    pub inherited: Option<Vec<(OsString, OsString)>>,
    /// What is added.
    pub added: Vec<(String, String)>,
}

/// Starts a program with its outputs as pipes, and its input if it is given one. It is killed when the calling thread ends.
pub(super) fn start(request: &ExecRequest, around: &Surroundings) -> std::io::Result<Child> {
    let program = request.argv.first().map_or("", String::as_str);
    // A name is looked up and a path is read here: in the folder where the program is to run, others may have put one.
    let mut command = Command::new(located(program));
    command.arg0(program).args(request.argv.iter().skip(1));
    if let Some(inherited) = &around.inherited {
        command.env_clear().envs(inherited.iter().cloned());
    }
    command
        .envs(around.added.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command.stdin(if request.stdin.is_some() {
        Stdio::piped()
    } else {
        Stdio::null()
    });
    if let Some(cwd) = &request.cwd {
        command.current_dir(cwd);
    }
    end_with_parent(&mut command);
    command.spawn()
}

/// The system kills the program when the thread that starts it ends, and so when this process ends in whatever way.
#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let ask = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that ended before this was asked for is not heard of any more.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(rustix::io::Errno::SRCH.into())
        }
    };
    // SAFETY: between fork and exec this makes two system calls and allocates nothing.
    unsafe { command.pre_exec(ask) };
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent(_: &mut Command) {}

/// The file that a program's name or path stands for; a path that leads nowhere when there is none.
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
        .filter(|it| it.is_absolute())
        .map(|it| it.join(program))
        .find(is_program)
        .unwrap_or_else(|| Path::new("/nonexistent").join(program))
}
