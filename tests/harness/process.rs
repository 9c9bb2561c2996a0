//! Built programs as processes: signals, what they carry, and what strips them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::program::{Said, gswc, run, scratch, text};

fn build(name: &str, source: &str) -> PathBuf {
    let folder = scratch("process");
    let (file, built) = (folder.join(format!("{name}.gsw")), folder.join(name));
    fs::write(&file, source).expect("the target folder can be written");
    let said = gswc(&["build", text(&file), "-o", text(&built)]);
    assert_eq!(said.code, Some(0), "{said:?}");
    built
}

const SLEEPER: &str = "workflow main() -> int {
  defer { log.info(\"cleaned up\") }
  log.info(\"ready\")
  sleep(1h)
  1
}
";

#[test]
fn an_interrupt_runs_what_is_deferred_and_exits_with_130() {
    let built = build("sleeper", SLEEPER);
    let child = Command::new(&built)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a built program can be started");
    // Long enough for the handler to listen; a signal before that ends the process as it ends any other.
    std::thread::sleep(Duration::from_millis(500));
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.is_ok_and(|it| it.success()));
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.err.contains("cleaned up"), "{}", said.err);
}

#[test]
fn a_launcher_carries_no_compiler() {
    let launcher = Path::new(env!("CARGO_BIN_EXE_gsw-launcher"));
    let bytes = fs::read(launcher).expect("the launcher is built");
    for engine in ["cranelift_codegen", "chumsky", "gsw_semantics", "salsa"] {
        let found = bytes
            .windows(engine.len())
            .any(|it| it == engine.as_bytes());
        assert!(!found, "the launcher holds `{engine}`");
    }
}

#[test]
fn a_stripped_program_says_so() {
    let built = build("stripped", "workflow main() -> int { 1 }\n");
    let stripped = Command::new("strip")
        .arg(&built)
        .stderr(Stdio::null())
        .status();
    if stripped.is_ok_and(|it| it.success()) {
        let said = run(&built, &[]);
        assert_eq!(said.code, Some(4), "{said:?}");
        assert!(said.err.contains("stripped"), "{}", said.err);
    }
}
