//! A `gswc` of its own for what changes files or runs programs; it ends when its caller has stopped waiting.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::answer::Answer;

/// How often it is looked whether it has ended.
const PERIOD: Duration = Duration::from_millis(10);
/// More than this many bytes are not read by anybody.
const MOST: u64 = 1 << 20;

/// Kills what it holds when it is dropped.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It has ended already, or its result is not needed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `gswc` with these arguments and returns its output.
pub async fn run(words: Vec<String>) -> Answer {
    run_to_end(words).await.into()
}

async fn run_to_end(words: Vec<String>) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("`gswc` cannot be started: {error}");
    let program = std::env::current_exe().map_err(failed)?;
    let child = Command::new(program)
        .args(&words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut child = Guarded(child);
    let (out, err) = (child.0.stdout.take(), child.0.stderr.take());
    let out = tokio::task::spawn_blocking(move || out.map(read).unwrap_or_default());
    let err = tokio::task::spawn_blocking(move || err.map(read).unwrap_or_default());
    let status = loop {
        match child.0.try_wait().map_err(failed)? {
            Some(status) => break status,
            None => tokio::time::sleep(PERIOD).await,
        }
    };
    let (out, err) = (out.await, err.await);
    Ok(said(
        status,
        &(out.unwrap_or_default() + &err.unwrap_or_default()),
    ))
}

/// What a process writes, as far as it is read; the rest is taken from the pipe, so that the process can end.
fn read(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before a failure is shown.
    let _ = (&mut from).take(MOST).read_to_end(&mut bytes);
    let more = std::io::copy(&mut from, &mut std::io::sink()).unwrap_or_default();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if more > 0 {
        text.push_str(&format!("\n… ({more} more bytes)\n"));
    }
    text
}

/// A program that is wrong, or a test that fails, is what was asked about.
fn said(status: ExitStatus, text: &str) -> Answer {
    let text = match (text.trim(), status.code()) {
        ("", Some(0)) => "done".to_owned(),
        (text, _) => text.to_owned(),
    };
    match status.code() {
        Some(0 | 1) => Answer::text(text),
        Some(code) => Answer::wrong(format!("{text}\n(exit code {code})")),
        None => Answer::wrong(format!("{text}\n({status})")),
    }
}
