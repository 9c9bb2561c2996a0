//! Runs programs of the system: each in a process group of its own, which ends when nobody wants its output any more.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::operation::{ExecOutput, ExecRequest, Failure, Outcome};

/// The most bytes of each output; a guess.
const LARGEST: u64 = 64 << 20;
/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// The process group of a program, which anybody may end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group(Arc<Mutex<State>>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// Its program has not started yet.
    #[default]
    New,
    /// The id of the group.
    Running(i32),
    /// Killed, or not to be started.
    Killed,
    /// Nothing of it is left that could be killed.
    Gone,
}

impl Group {
    /// Kills the program and all that it started; one that has not started never will.
    pub(crate) fn kill(&self) {
        let mut state = self.lock();
        match *state {
            State::Running(group) => {
                // SAFETY: no memory is involved; the group is the program's own, made with `process_group(0)`.
                unsafe { libc::kill(-group, libc::SIGKILL) };
                *state = State::Killed;
            }
            State::New => *state = State::Killed,
            State::Killed | State::Gone => {}
        }
    }

    fn is_killed(&self) -> bool {
        *self.lock() == State::Killed
    }

    /// Starts a program as this group; `None` when nobody wants it any more.
    fn start(&self, command: &mut Command) -> Option<std::io::Result<Child>> {
        // The lock is held over the start, so that whoever kills afterwards finds the group.
        let mut state = self.lock();
        if *state == State::Killed {
            return None;
        }
        let child = command.process_group(0).spawn();
        if let Ok(child) = &child {
            *state = i32::try_from(child.id()).map_or(State::Gone, State::Running);
        }
        Some(child)
    }

    fn forget(&self) {
        let mut state = self.lock();
        if let State::Running(_) = *state {
            *state = State::Gone;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a program of the system finds around it.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// What it gets of this process's variables; `None` for all of them.
    pub inherited: Option<Vec<(OsString, OsString)>>,
    /// What is added.
    pub added: Vec<(String, String)>,
}

/// Runs a program to its end, or until its group is killed.
pub(crate) fn perform(request: &ExecRequest, around: &Surroundings, group: &Group) -> Outcome {
    let Some((program, arguments)) = request.argv.split_first() else {
        return failed("there is no program to run".into());
    };
    // A name is looked up and a path is read here: in the folder where the program is to run, others may have put one.
    let mut command = Command::new(located(program));
    command.arg0(program).args(arguments);
    if let Some(inherited) = &around.inherited {
        command.env_clear().envs(inherited.iter().cloned());
    }
    command
        .envs(around.added.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.stdin(if request.stdin.is_some() {
        Stdio::piped()
    } else {
        Stdio::null()
    });
    if let Some(cwd) = &request.cwd {
        command.current_dir(cwd);
    }
    match group.start(&mut command) {
        None => failed("cancelled".into()),
        Some(Ok(child)) => {
            let outcome = Attendance::new(child, request, group).outcome();
            group.forget();
            outcome
        }
        Some(Err(error)) => {
            let place = request.cwd.as_ref().map(|it| format!(" in `{it}`"));
            Outcome::Failed(Failure::Io {
                path: Some(program.clone()),
                message: format!(
                    "`{program}` cannot be run{}: {error}",
                    place.unwrap_or_default()
                ),
            })
        }
    }
}

/// The file that a program's name or path stands for; the name itself where there is none.
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

/// Looks after a running program.
struct Attendance<'a> {
    child: Child,
    request: &'a ExecRequest,
    group: &'a Group,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    is_too_much: Arc<AtomicBool>,
    began: Instant,
}

/// Why a program is no longer waited for.
enum Left {
    Late,
    Killed,
    TooMuch,
    Lost(std::io::Error),
}

impl<'a> Attendance<'a> {
    fn new(mut child: Child, request: &'a ExecRequest, group: &'a Group) -> Self {
        if let Some((mut pipe, text)) = child.stdin.take().zip(request.stdin.clone()) {
            std::thread::spawn(move || {
                // A program need not read what it is given.
                let _ = pipe.write_all(text.as_bytes());
            });
        }
        let is_too_much = Arc::new(AtomicBool::new(false));
        Self {
            stdout: reader(child.stdout.take(), &is_too_much),
            stderr: reader(child.stderr.take(), &is_too_much),
            is_too_much,
            child,
            request,
            group,
            began: Instant::now(),
        }
    }

    fn outcome(mut self) -> Outcome {
        let left = match self.finish() {
            Ok(output) => return Outcome::Exec(output),
            Err(left) => left,
        };
        self.group.kill();
        let _ = self.child.wait();
        match left {
            Left::Late => Outcome::Failed(Failure::Timeout {
                nanoseconds: self.request.timeout_nanoseconds.unwrap_or_default(),
            }),
            Left::Killed => failed("cancelled".into()),
            Left::TooMuch => Outcome::Failed(Failure::Io {
                path: self.request.argv.first().cloned(),
                message: format!("the program wrote more than {LARGEST} bytes"),
            }),
            Left::Lost(error) => failed(format!("the program cannot be waited for: {error}")),
        }
    }

    fn finish(&mut self) -> Result<ExecOutput, Left> {
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => self.pause()?,
                Err(error) => return Err(Left::Lost(error)),
            }
        };
        // What the program left behind may still hold its output open.
        Ok(ExecOutput {
            code: code(status),
            stdout: self.text(&self.stdout)?,
            stderr: self.text(&self.stderr)?,
        })
    }

    fn text(&self, reader: &Receiver<String>) -> Result<String, Left> {
        loop {
            match reader.try_recv() {
                Ok(text) => return Ok(text),
                Err(TryRecvError::Empty) => self.pause()?,
                Err(TryRecvError::Disconnected) => {
                    self.pause()?;
                    return Ok(String::new());
                }
            }
        }
    }

    fn pause(&self) -> Result<(), Left> {
        let timeout = self.request.timeout_nanoseconds;
        let timeout = timeout.map(|it| Duration::from_nanos(it.max(0).unsigned_abs()));
        if timeout.is_some_and(|it| self.began.elapsed() >= it) {
            return Err(Left::Late);
        }
        if self.group.is_killed() {
            return Err(Left::Killed);
        }
        if self.is_too_much.load(Ordering::Relaxed) {
            return Err(Left::TooMuch);
        }
        std::thread::sleep(LOOK);
        Ok(())
    }
}

fn code(status: ExitStatus) -> i64 {
    let code = status.code();
    i64::from(code.unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

fn reader(
    pipe: Option<impl Read + Send + 'static>,
    is_too_much: &Arc<AtomicBool>,
) -> Receiver<String> {
    let (sender, receiver) = channel();
    let is_too_much = Arc::clone(is_too_much);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What came until the pipe broke is what there is.
            let _ = pipe.take(LARGEST + 1).read_to_end(&mut bytes);
        }
        if bytes.len() as u64 > LARGEST {
            is_too_much.store(true, Ordering::Relaxed);
            return;
        }
        // Nobody listens any more when the program was killed.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn failed(message: String) -> Outcome {
    Outcome::Failed(Failure::Other { message })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Group, Surroundings, perform};
    use crate::operation::{ExecOutput, ExecRequest, Failure, Outcome};

    fn shell(script: &str, stdin: Option<&str>, timeout_nanoseconds: Option<i64>) -> ExecRequest {
        ExecRequest {
            argv: ["sh", "-c", script].map(str::to_owned).into(),
            stdin: stdin.map(str::to_owned),
            cwd: None,
            timeout_nanoseconds,
            env: Vec::new(),
        }
    }

    #[test]
    fn a_program_gets_its_input_and_gives_both_outputs() {
        let request = shell("cat; echo $WORD >&2; exit 3", Some("text"), None);
        let around = Surroundings {
            inherited: None,
            added: vec![("WORD".to_owned(), "problem".to_owned())],
        };
        let expected = ExecOutput {
            code: 3,
            stdout: "text".into(),
            stderr: "problem\n".into(),
        };
        let outcome = perform(&request, &around, &Group::default());
        assert_eq!(outcome, Outcome::Exec(expected));
    }

    #[test]
    fn a_late_program_ends_with_all_that_it_started() {
        let began = Instant::now();
        let request = shell("sleep 60 & echo started", None, Some(100_000_000));
        let outcome = perform(&request, &Surroundings::default(), &Group::default());
        let failure = Failure::Timeout {
            nanoseconds: 100_000_000,
        };
        assert_eq!(outcome, Outcome::Failed(failure));
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_program_that_writes_without_end_is_ended() {
        let outcome = perform(
            &shell("yes", None, None),
            &Surroundings::default(),
            &Group::default(),
        );
        assert!(
            matches!(outcome, Outcome::Failed(Failure::Io { message, .. }) if message.contains("more than"))
        );
    }

    #[test]
    fn a_killed_group_never_starts() {
        let group = Group::default();
        group.kill();
        let outcome = perform(
            &shell("exit 3", None, None),
            &Surroundings::default(),
            &group,
        );
        assert!(matches!(outcome, Outcome::Failed(Failure::Other { .. })));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let request = ExecRequest {
            argv: vec!["no-such-program-here".into()],
            ..shell("", None, None)
        };
        let outcome = perform(&request, &Surroundings::default(), &Group::default());
        assert!(matches!(outcome, Outcome::Failed(Failure::Io { .. })));
    }
}
