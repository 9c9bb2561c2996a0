//! Programs of the system that a run starts: they hold up nothing else, end with their run, and need little.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{GSWC, Said, gswc, scratch, text};

/// No test needs so long; what hangs does.
const HANGS: Duration = Duration::from_secs(120);

/// A program of its own folder.
fn program(name: &str, source: &str) -> PathBuf {
    let folder = scratch("commands").join(name);
    std::fs::create_dir_all(&folder).expect("scratch can be written");
    let file = folder.join("main.gsw");
    std::fs::write(&file, source).expect("scratch can be written");
    file
}

fn is_alive(process: &str) -> bool {
    // What has ended and was not waited for yet is a zombie.
    let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
    state.is_ok_and(|it| !it.contains(") Z "))
}

#[test]
fn a_program_dies_with_the_process_that_started_it() {
    let source = r#"
import std/exec
workflow main() -> int { exec.run(["sh", "-c", "echo $$ > new; mv new process; exec sleep 600"]).code }
"#;
    let file = program("orphan", source);
    let folder = file.parent().expect("it stands in a folder");
    let mark = folder.join("process");
    // Of an earlier run.
    let _ = std::fs::remove_file(&mark);
    let mut child = Command::new(GSWC)
        .args(["run", text(&file)])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("gswc can be started");
    let began = Instant::now();
    let process = loop {
        if let Ok(process) = std::fs::read_to_string(&mark) {
            break process.trim().to_owned();
        }
        assert!(began.elapsed() < HANGS, "the program does not start");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(is_alive(&process));
    // No handler runs.
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    while is_alive(&process) {
        assert!(began.elapsed() < HANGS, "the program goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// More than any pool of threads has: they wait while a file is read and another program runs, and end with the run.
#[test]
fn slow_programs_hold_up_neither_files_nor_other_programs() {
    let source = r#"
import std/exec
import std/fs
workflow main() -> [string] {
  for _ in 0..100 { spawn exec.run(["sleep", "600"]) }
  sleep(10ms)
  let text = "${fs.read("Cargo.toml").len() > 0}"
  let said = exec.run(["echo", "quick"]).stdout.trim()
  fail Failed("${text} ${said}")
}
"#;
    let file = program("slow", source);
    let began = Instant::now();
    let said = gswc(&["run", text(&file), "--", "--quiet"]);
    assert!(said.err.contains("Failed: true quick"), "{said:?}");
    assert!(began.elapsed() < HANGS);
}

/// Runs a program as a user of its own who may have `most` processes and threads; `None` where that cannot be tried.
fn with_few_processes(file: &Path, most: u32, user: u32) -> Option<Said> {
    let folder = std::env::temp_dir().join(format!("gsw-few-{user}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    // Where another user may read it.
    std::fs::copy(GSWC, folder.join("gswc")).expect("gswc can be copied");
    std::fs::copy(file, folder.join("main.gsw")).expect("the program can be copied");
    let script = format!("ulimit -u {most}; exec timeout 100 ./gswc run main.gsw -- --quiet");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .uid(user)
        .output();
    std::fs::remove_dir_all(&folder).expect("the test's folder can go");
    match output {
        Ok(output) => Some(output.into()),
        Err(error) => {
            eprintln!("skipped: this user cannot become another: {error}");
            None
        }
    }
}

#[test]
fn programs_wait_for_processes_that_the_system_does_not_have() {
    let source = r#"
import std/exec
workflow main() -> int {
  let codes = parallel for _ in 0..100 { exec.run(["true"]).code }
  codes.len()
}
"#;
    let file = program("few", source);
    for (most, user) in [(30, 54_301), (60, 54_302)] {
        if let Some(said) = with_few_processes(&file, most, user) {
            assert_eq!(
                (said.code, said.out.as_str()),
                (Some(0), "100\n"),
                "{most}: {said:?}"
            );
        }
    }
}
