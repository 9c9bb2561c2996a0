//! Built programs as processes: signals, what they carry, and what strips them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{GSWC, Said, gswc, run, scratch, text};

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

fn start(built: &Path, before: &str) -> Child {
    let script = format!("{before}\nexec \"$0\"");
    Command::new("sh")
        .args(["-c", &script, text(built)])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell can be started")
}

/// Waits for the first line on standard error, after which signals are listened for.
fn await_line(child: &mut Child) {
    let stderr = child.stderr.as_mut().expect("it is piped");
    let mut byte = [0];
    while stderr.read_exact(&mut byte).is_ok() && byte[0] != b'\n' {}
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|it| it.success()));
}

#[test]
fn a_terminal_that_goes_away_cancels_the_run_with_129() {
    let built = build("hung_up", SLEEPER);
    // Tests that run under `nohup` themselves hand on that the signal is ignored.
    let mut child = start(&built, "exec env --default-signal=HUP \"$0\"");
    await_line(&mut child);
    // The kernel and the shell each send one.
    signal(&child, "-HUP");
    signal(&child, "-HUP");
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(129), "{said:?}");
    assert!(said.err.contains("cleaned up"), "{}", said.err);
}

#[test]
fn a_program_under_nohup_outlives_its_terminal() {
    let built = build("nohup", SLEEPER);
    let mut child = start(&built, "trap '' HUP");
    await_line(&mut child);
    signal(&child, "-HUP");
    signal(&child, "-INT");
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(130), "{said:?}");
}

#[test]
fn the_second_interrupt_ends_the_process_and_its_commands() {
    let source = "import std/exec
workflow main() -> int {
  defer { sleep(1h) }
  defer { exec.run([\"sh\", \"-c\", \"echo $$ > PIDFILE; exec sleep 3600\"]) }
  log.info(\"ready\")
  sleep(1h)
  1
}
";
    let pid = scratch("process").join("stubborn.pid");
    let _ = fs::remove_file(&pid);
    let built = build("stubborn", &source.replace("PIDFILE", text(&pid)));
    let mut child = start(&built, "");
    await_line(&mut child);
    signal(&child, "-INT");
    let mut command = String::new();
    while !command.ends_with('\n') {
        command = fs::read_to_string(&pid).unwrap_or_default();
        std::thread::sleep(Duration::from_millis(5));
    }
    let since = Instant::now();
    signal(&child, "-INT");
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(130), "{said:?}");
    // What is deferred would be waited for ten seconds.
    assert!(since.elapsed() < Duration::from_secs(9));
    let is_there = || Path::new("/proc").join(command.trim()).join("exe").exists();
    while is_there() && since.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!is_there(), "the command goes on");
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_not_the_end() {
    let source = "workflow main() -> int { for i in 0..500 { log.debug(\"${i}\") }; 1 }";
    let built = build("limited", source);
    let file = scratch("process").join("limited.jsonl");
    let script = format!("ulimit -f 8; exec \"$0\" --quiet --events {}", text(&file));
    let said: Said = Command::new("sh")
        .args(["-c", &script, text(&built)])
        .stdin(Stdio::null())
        .output()
        .expect("a shell can be started")
        .into();
    assert_eq!((said.code, said.out.as_str()), (Some(0), "1\n"), "{said:?}");
    assert!(said.err.contains("events were not written"), "{said:?}");
}

#[test]
fn as_many_files_may_be_open_as_the_system_allows() {
    let source = "import std/exec
workflow main() -> string { exec.run([\"sh\", \"-c\", \"ulimit -n; ulimit -Hn\"]).stdout }";
    let built = build("files", source);
    let said: Said = Command::new("sh")
        .args(["-c", "ulimit -Sn 60; exec \"$0\" --raw", text(&built)])
        .stdin(Stdio::null())
        .output()
        .expect("a shell can be started")
        .into();
    let limits: Vec<&str> = said.out.split_whitespace().collect();
    assert!(limits.len() == 2 && limits[0] == limits[1], "{said:?}");
}

#[test]
fn a_launcher_carries_no_compiler() {
    let launcher = Path::new(env!("CARGO_BIN_EXE_gsw-launcher"));
    let bytes = fs::read(launcher).expect("the launcher is built");
    for engine in [
        "cranelift_codegen",
        "chumsky",
        "gsw_names",
        "gsw_infer",
        "gsw_analysis",
        "salsa",
    ] {
        let found = bytes
            .windows(engine.len())
            .any(|it| it == engine.as_bytes());
        assert!(!found, "the launcher holds `{engine}`");
    }
}

#[test]
fn a_program_without_a_c_library_is_built_with_the_launcher_for_it_or_not_at_all() {
    let folder = scratch("static");
    let (own, file, built) = (
        folder.join("gswc"),
        folder.join("flow.gsw"),
        folder.join("flow"),
    );
    let launcher = folder.join("gsw-launcher-static");
    for path in [&own, &built, &launcher] {
        let _ = fs::remove_file(path);
    }
    fs::hard_link(GSWC, &own).expect("both are on one disk");
    fs::write(&file, "workflow main() -> int { 1 }\n").expect("the target folder can be written");
    let words = ["build", text(&file), "--static", "-o", text(&built)];
    let said = run(&own, &words);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains(text(&launcher)), "{said:?}");
    assert!(!built.exists());
    // Which launcher is taken shows in what is built; whether it needs a library, `packaging/check.py` tries.
    fs::copy(env!("CARGO_BIN_EXE_gsw-launcher"), &launcher).expect("the launcher is built");
    assert_eq!(run(&own, &words).code, Some(0));
    let size = |path: &Path| fs::metadata(path).expect("it is there").len();
    assert!(size(&built) > size(&launcher) && size(&built) < size(&own));
    assert_eq!(run(&built, &[]).out, "1\n");
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
