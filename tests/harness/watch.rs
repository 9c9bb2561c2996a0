//! `--watch`: a process that runs its command again when a file changes, until it is asked to end.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::program::{GSWC, scratch};

/// No test needs so long; what hangs does.
const HANGS: Duration = Duration::from_secs(120);

/// A process that watches, with the lines that it prints.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(folder: &Path, words: &[&str]) -> Self {
        let mut child = Command::new(GSWC)
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("gswc can be started");
        let (sender, lines) = channel();
        let out: Box<dyn std::io::Read + Send> = Box::new(child.stdout.take().expect("piped"));
        let err: Box<dyn std::io::Read + Send> = Box::new(child.stderr.take().expect("piped"));
        for stream in [out, err] {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    // The client may have gone.
                    let _ = sender.send(line);
                }
            });
        }
        Self { child, lines }
    }

    /// Waits for a line with this part.
    fn expect(&self, part: &str) {
        let began = Instant::now();
        let mut seen = Vec::new();
        while began.elapsed() < HANGS {
            match self.lines.recv_timeout(Duration::from_secs(1)) {
                Ok(line) if line.contains(part) => return,
                Ok(line) => seen.push(line),
                Err(_) => {}
            }
        }
        panic!("no {part:?} in {seen:#?}");
    }

    /// Sends a signal and gives the exit code.
    fn end(mut self, signal: rustix::process::Signal) -> Option<i32> {
        let id = i32::try_from(self.child.id()).ok();
        let id = id
            .and_then(rustix::process::Pid::from_raw)
            .expect("it runs");
        rustix::process::kill_process(id, signal).expect("it runs");
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return status.code();
            }
            assert!(began.elapsed() < HANGS, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch("watch").join(name);
    // Of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    for (file, text) in files {
        write(&folder, file, text);
    }
    folder
}

fn write(folder: &Path, file: &str, text: &str) {
    fs::write(folder.join(file), text).expect("the target folder can be written");
}

#[test]
fn a_check_is_made_again_when_an_import_changes() {
    let folder = folder(
        "check",
        &[
            (
                "main.gsw",
                "import ./lib\nworkflow main() -> int { lib.one() }\n",
            ),
            ("lib.gsw", "fn one() -> int { 1 }\n"),
        ],
    );
    let watching = Watching::start(&folder, &["check", "main.gsw", "--watch"]);
    watching.expect("ctrl-c ends");
    write(&folder, "lib.gsw", "fn two() -> int { 2 }\n");
    watching.expect("has no `one`");
    watching.expect("ctrl-c ends");
    write(&folder, "lib.gsw", "fn one() -> int { 3 }\n");
    watching.expect("a file has changed");
    watching.expect("ctrl-c ends");
    assert_eq!(watching.end(rustix::process::Signal::INT), Some(130));
}

#[test]
fn tests_run_again_and_new_files_are_found() {
    let folder = folder(
        "test",
        &[
            ("gsw.toml", ""),
            (
                "main.gsw",
                "workflow main() -> int { 1 }\ntest \"one\" { assert main() == 1 }\n",
            ),
        ],
    );
    let watching = Watching::start(&folder, &["test", "--watch"]);
    watching.expect("1 passed, 0 failed");
    write(&folder, "more.gsw", "test \"two\" { assert 1 == 2 }\n");
    watching.expect("1 passed, 1 failed");
    assert_eq!(watching.end(rustix::process::Signal::TERM), Some(130));
}

#[test]
fn a_run_that_goes_on_is_cancelled_when_its_source_changes() {
    let source = |text: &str| {
        format!(
            "workflow main() -> string {{\n  defer {{ log.info(\"cleared up\") }}\n  log.info(\"{text}\")\n  sleep(1h)\n  \"\"\n}}\n"
        )
    };
    let folder = folder("run", &[("main.gsw", &source("first"))]);
    let watching = Watching::start(&folder, &["run", "main.gsw", "--watch"]);
    watching.expect("first");
    write(&folder, "main.gsw", &source("second"));
    watching.expect("cleared up");
    watching.expect("second");
    assert_eq!(watching.end(rustix::process::Signal::INT), Some(130));
}
