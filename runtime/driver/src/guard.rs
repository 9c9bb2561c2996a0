//! Kills what programs have started when this process ends without doing so itself, as by `kill -9`.
//!
//! The system kills a program with the thread that started it, but not what that program has started. So a shell outside of all
//! these process groups keeps a list of them. Its input ends with this process, however that ends, and it kills the
//! groups that are left. Where there is no shell, only the programs themselves end.

use std::io::{self, PipeWriter, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;

/// Keeps the numbers of the groups between spaces: `+ 7` adds one, `- 7` takes it out. It is no child of this process, whose
/// children are the programs that it runs.
const SCRIPT: &str = r#"exec 3<&0
(
  trap '' HUP INT TERM
  g=' '
  while read -r sign n; do
    case $sign in
      +) g="$g$n " ;;
      -) case $g in *" $n "*) g="${g%% "$n" *} ${g#* "$n" }" ;; esac ;;
    esac
  done
  for n in $g; do kill -9 "-$n"; done
) <&3 3<&- &"#;

enum Guard {
    /// No program was started yet.
    New,
    There(PipeWriter),
    /// It cannot be started, or has ended.
    Missing,
}

static GUARD: Mutex<Guard> = Mutex::new(Guard::New);

/// Starts the shell, if it is not there: a program must not be there before it.
pub(crate) fn prepare() {
    ready(&mut lock());
}

/// A group that is to end with this process.
pub(crate) fn watch(leader: Pid) {
    tell('+', leader);
}

/// One whose number may be another's from now on.
pub(crate) fn release(leader: Pid) {
    tell('-', leader);
}

fn tell(sign: char, leader: Pid) {
    let mut guard = lock();
    ready(&mut guard);
    if let Guard::There(pipe) = &mut *guard {
        // A line is so short that a pipe takes it whole or not at all.
        let told = pipe.write_all(format!("{sign} {}\n", leader.as_raw_nonzero()).as_bytes());
        if told.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock) {
            *guard = Guard::Missing;
        }
    }
}

fn lock() -> MutexGuard<'static, Guard> {
    // Nothing that can panic runs while the lock is held.
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ready(guard: &mut Guard) {
    if let Guard::New = guard {
        *guard = start().map_or(Guard::Missing, Guard::There);
    }
}

fn start() -> io::Result<PipeWriter> {
    let (reader, writer) = io::pipe()?;
    // A shell that was stopped must not block this process.
    rustix::io::ioctl_fionbio(&writer, true)?;
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", SCRIPT, "gsw-guard"])
        .env_clear()
        .current_dir("/")
        .stdin(reader)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // What is sent to the group of this process, as by a terminal, is not for it.
        .process_group(0);
    match command.status()?.success() {
        true => Ok(writer),
        false => Err(io::ErrorKind::Other.into()),
    }
}
