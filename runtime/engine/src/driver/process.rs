//! Runs programs of the system: each in a process group of its own, which ends with the run.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::operation::{ExecOutput, ExecRequest, Failure, Outcome};

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Tells the thread that looks after a program that nobody wants its output any more.
struct Interest(Arc<AtomicBool>);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a program; when the future is dropped, the program and all that it started are killed.
pub(crate) async fn run(request: ExecRequest) -> Outcome {
    let is_unwanted = Arc::new(AtomicBool::new(false));
    let interest = Interest(Arc::clone(&is_unwanted));
    let work = tokio::task::spawn_blocking(move || perform(&request, &is_unwanted));
    let outcome = work
        .await
        .unwrap_or_else(|_| failed("the program could not be looked after".into()));
    drop(interest);
    outcome
}

/// Runs a program to its end, or until nobody wants its output any more.
#[must_use]
pub fn perform(request: &ExecRequest, is_unwanted: &AtomicBool) -> Outcome {
    let Some((program, arguments)) = request.argv.split_first() else {
        return failed("there is no program to run".into());
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
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
    match command.spawn() {
        Ok(child) => attend(child, request, is_unwanted),
        Err(error) => Outcome::Failed(Failure::Io {
            path: Some(program.clone()),
            message: format!("`{program}` cannot be run: {error}"),
        }),
    }
}

fn attend(mut child: Child, request: &ExecRequest, is_unwanted: &AtomicBool) -> Outcome {
    let stdin = child.stdin.take().zip(request.stdin.clone());
    let writer = std::thread::spawn(move || {
        if let Some((mut pipe, text)) = stdin {
            // A program need not read what it is given.
            let _ = pipe.write_all(text.as_bytes());
        }
    });
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let timeout = request
        .timeout_nanoseconds
        .map(|it| Duration::from_nanos(it.max(0).unsigned_abs()));
    let began = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return failed(format!("the program cannot be waited for: {error}")),
        }
        let is_late = timeout.is_some_and(|it| began.elapsed() >= it);
        if is_late || is_unwanted.load(Ordering::Relaxed) {
            kill_group(&mut child);
            if is_late {
                let text = crate::duration::text(request.timeout_nanoseconds.unwrap_or_default());
                return failed(format!("`{}` took longer than {text}", request.argv[0]));
            }
            return failed("cancelled".into());
        }
        std::thread::sleep(LOOK);
    };
    let _ = writer.join();
    let code = status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Outcome::Exec(ExecOutput {
        code: i64::from(code),
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    })
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came until the pipe broke is what there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn kill_group(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: no memory is involved; the group is the child's own, since it was made with `process_group(0)`.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    let _ = child.wait();
}

fn failed(message: String) -> Outcome {
    Outcome::Failed(Failure::Other { message })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use super::perform;
    use crate::operation::{ExecOutput, ExecRequest, Failure, Outcome};

    fn shell(script: &str, stdin: Option<&str>, timeout_nanoseconds: Option<i64>) -> ExecRequest {
        ExecRequest {
            argv: ["sh", "-c", script].map(str::to_owned).into(),
            stdin: stdin.map(str::to_owned),
            cwd: None,
            timeout_nanoseconds,
        }
    }

    #[test]
    fn a_program_gets_its_input_and_gives_both_outputs() {
        let request = shell("cat; echo problem >&2; exit 3", Some("text"), None);
        let expected = ExecOutput {
            code: 3,
            stdout: "text".into(),
            stderr: "problem\n".into(),
        };
        assert_eq!(
            perform(&request, &AtomicBool::new(false)),
            Outcome::Exec(expected)
        );
    }

    #[test]
    fn a_program_that_is_late_or_unwanted_is_killed_with_its_children() {
        let began = Instant::now();
        let late = perform(
            &shell("sleep 60 & sleep 60", None, Some(20_000_000)),
            &AtomicBool::new(false),
        );
        assert!(
            matches!(late, Outcome::Failed(Failure::Other { ref message }) if message.contains("20ms"))
        );
        let unwanted = perform(&shell("sleep 60", None, None), &AtomicBool::new(true));
        assert!(matches!(unwanted, Outcome::Failed(_)));
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let request = ExecRequest {
            argv: vec!["no-such-program-here".into()],
            ..shell("", None, None)
        };
        assert!(matches!(
            perform(&request, &AtomicBool::new(false)),
            Outcome::Failed(Failure::Io { .. })
        ));
    }
}
