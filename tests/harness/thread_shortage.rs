//! A run with too few threads ends with what it could do and with errors that say so, whichever thread is the one too many.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fake_provider::{Reply, Script};

use crate::program::{Said, gswc, text};
use crate::wire::with_provider;

/// No run takes so long, also on a busy machine; one that does hangs.
const HANGS: Duration = Duration::from_secs(60);
/// Users of these tests alone; the limit counts the threads of a user.
const FIRST_USER: u32 = 61_000;
/// More threads than the program needs.
const ENOUGH: u32 = 24;

/// All that is performed outside of a run, at once.
const PROGRAM: &str = r#"
import std/exec
import std/fs
import std/http
agent speaker { model: "openai/gpt-5", retry: 0 }
prompt say(n: int) -> string by speaker { user "Say ${n}." }
workflow main(url: string, file: string) -> [string] {
  let all = parallel for i in 0..5 errors settle {
    step "s ${i}" timeout 20s {
      match i {
        0 => { sleep(10ms); "slept" }
        1 => fs.read(file)
        2 => exec.run(["echo", "said"]).stdout.trim()
        3 => "status ${http.get(url).status}"
        _ => say(1)
      }
    }
  }
  all.map(it => match it { Ok(value) => value, Err(e) => "failed: ${e.message()}" })
}
"#;

/// A folder that every user may look into.
fn open_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gsw-threads-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the system has a folder for such things");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    folder
}

fn ended(mut child: std::process::Child, most: u32) -> Said {
    let began = Instant::now();
    while child.try_wait().expect("it is our child").is_none() {
        if began.elapsed() > HANGS {
            child.kill().expect("it can be killed");
            let said = Said::from(child.wait_with_output().expect("it ends"));
            panic!("with {most} threads it hangs: {said:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Said::from(child.wait_with_output().expect("it has ended"))
}

/// The output of the program for a user who may have `most` threads.
fn with_threads(most: u32, folder: &Path, url: &str) -> Said {
    let child = Command::new("prlimit")
        .arg(format!("--nproc={most}:{most}"))
        .args([text(&folder.join("main")), "--quiet", "--url", url])
        .args(["--file", text(&folder.join("file"))])
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .env("OPENAI_API_KEY", "key-of-tests")
        .env_remove("GSW_MODEL")
        .current_dir(folder)
        .uid(FIRST_USER + most)
        .gid(FIRST_USER + most)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    ended(child.expect("prlimit is part of the system"), most)
}

#[test]
fn a_run_with_too_few_threads_neither_hangs_nor_panics() {
    if std::fs::metadata("/proc/self").is_ok_and(|it| it.uid() != 0) {
        eprintln!("not run: only root can be a user of whom nobody else has threads");
        return;
    }
    let folder = open_folder();
    let source = folder.join("main.gsw");
    std::fs::write(&source, PROGRAM).expect("the folder is ours");
    std::fs::write(folder.join("file"), "read").expect("the folder is ours");
    let build = gswc(&["build", text(&source), "-o", text(&folder.join("main"))]);
    assert_eq!(build.code, Some(0), "{build:?}");
    let whole = r#"["slept","read","said","status 200","said"]"#;
    with_provider(Script::always(Reply::text("said")), |url| {
        // A name, so that it is looked up.
        let url = url.replace("127.0.0.1", "localhost");
        let mut is_enough = false;
        for most in 1..=ENOUGH {
            let said = with_threads(most, &folder, &url);
            assert!(!said.err.contains("panicked"), "{most}: {said:?}");
            assert!(!said.err.contains("bug in"), "{most}: {said:?}");
            if said.code == Some(0) && said.out.trim() == whole {
                is_enough = true;
                continue;
            }
            assert!(!is_enough, "{most} threads are more than enough: {said:?}");
            let has_reason = |it: &str| it.contains("thread") || it.contains("os error 11");
            assert!(
                has_reason(&said.out) || has_reason(&said.err),
                "{most}: {said:?}"
            );
        }
        assert!(is_enough, "the program needs more than {ENOUGH} threads");
    });
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_run_with_too_few_files_does_not_panic() {
    let folder = std::env::temp_dir().join(format!("gsw-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder is ours");
    let source = folder.join("main.gsw");
    std::fs::write(&source, "workflow main() -> int { 7 }\n").expect("the folder is ours");
    let build = gswc(&["build", text(&source), "-o", text(&folder.join("main"))]);
    assert_eq!(build.code, Some(0), "{build:?}");
    let mut is_enough = false;
    for most in 4..=16 {
        let run = Command::new("prlimit")
            .arg(format!("--nofile={most}:{most}"))
            .arg(folder.join("main"))
            .stdin(Stdio::null())
            .output();
        let said = Said::from(run.expect("prlimit is part of the system"));
        assert!(!said.err.contains("panicked"), "{most}: {said:?}");
        assert!(!said.err.contains("bug in"), "{most}: {said:?}");
        is_enough |= said.code == Some(0) && said.out.trim() == "7";
    }
    assert!(is_enough, "the program needs more than 16 files");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
