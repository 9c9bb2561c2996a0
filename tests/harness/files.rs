//! Files that are large, never end, or are given up: what a run holds, and what it leaves on the disk.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{GSWC, Said, gswc_in, scratch};

/// No test needs so long; what hangs does.
const HANGS: Duration = Duration::from_secs(120);

/// A folder of its own with a program in it.
fn folder(name: &str, source: &str) -> PathBuf {
    let folder = scratch("files").join(name);
    // Of an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("scratch can be written");
    std::fs::write(folder.join("main.gsw"), source).expect("scratch can be written");
    folder
}

fn run(folder: &Path, words: &[&str]) -> Said {
    let began = Instant::now();
    let mut all = vec!["run", "main.gsw", "--", "--quiet"];
    all.extend(words);
    let said = gswc_in(folder, &all);
    assert!(began.elapsed() < HANGS, "{:?}", began.elapsed());
    said
}

fn parts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it is there").flatten();
    let names = entries.map(|it| it.file_name().to_string_lossy().into_owned());
    names.filter(|it| it.ends_with(".part")).collect()
}

/// More of them than any pool has threads, some given up and some not.
#[test]
fn pipes_that_never_end_hold_up_no_other_file() {
    let source = r#"
import std/fs
workflow main() -> string {
  parallel for _ in 0..100 { timeout 20ms { fs.read("pipe") } catch { Timeout(_) => "" } }
  for _ in 0..100 { spawn fs.read("pipe") }
  sleep(10ms)
  let text = fs.read("ok.txt")
  fail Failed(text)
}
"#;
    let folder = folder("pipes", source);
    std::fs::write(folder.join("ok.txt"), "quick").expect("scratch can be written");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.is_ok_and(|it| it.success()));
    let said = run(&folder, &[]);
    assert!(said.err.contains("error: Failed: quick"), "{said:?}");
}

#[test]
fn a_write_that_was_given_up_neither_lands_later_nor_stays_beside() {
    let source = r#"
import std/fs
workflow main() -> [string] {
  let big = "x".repeat(50_000_000)
  var left: [string] = []
  for pause in [1ms, 5ms, 20ms, 50ms] {
    timeout pause { fs.write("a.txt", big) } catch { Timeout(_) => () }
    fs.write("a.txt", "the second")
    sleep(300ms)
    left += [fs.read("a.txt")]
  }
  left + fs.glob("*.part")
}
"#;
    let folder = folder("lost", source);
    let said = run(&folder, &[]);
    let second = "\"the second\"";
    let expected = format!("[{}]\n", [second; 4].join(","));
    assert_eq!(said.out, expected, "{said:?}");
    assert_eq!(parts(&folder), [""; 0]);
}

#[test]
fn a_run_that_is_interrupted_leaves_no_half_written_file() {
    let source = r#"
import std/fs
workflow main() -> int {
  let big = "x".repeat(4_000_000)
  parallel for n in 0..100_000 limit 8 { fs.write("${n % 20}.txt", big) }
  0
}
"#;
    let folder = folder("interrupted", source);
    for pause in [300, 500, 900] {
        let child = Command::new(GSWC)
            .args(["run", "main.gsw", "--", "--quiet"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("gswc can be started");
        std::thread::sleep(Duration::from_millis(pause));
        let interrupt = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(interrupt.is_ok_and(|it| it.success()));
        let code = child.wait_with_output().expect("it ends").status.code();
        // A signal before anybody listens ends it as any other process.
        assert!(matches!(code, Some(130) | None), "{code:?}");
        assert_eq!(parts(&folder), [""; 0], "after {pause} ms");
    }
}

/// What is read is measured before it is there, and read no further once it was given up.
#[test]
fn what_is_read_fits_within_the_memory_limit() {
    let source = r#"
import std/exec
import std/fs
fn most() -> string { exec.check(["sh", "-c", "grep VmHWM /proc/$PPID/status | tr -dc 0-9"]).stdout }
fn length(path: string) -> int { fs.read_bytes(path).len() catch { OutOfMemory => -1, Timeout(_) => -2 } }
workflow main() -> [int] {
  let before = most().parse_int() ?? 0
  let lengths = [length("small"), length("sparse"), length("/dev/zero")]
  let listed = exec.run(["yes"]).code catch { OutOfMemory => -1, IoError(..) => -2 }
  let after = most().parse_int() ?? 0
  lengths + [listed, (after - before) / 200_000]
}
"#;
    let folder = folder("large", source);
    std::fs::write(folder.join("small"), "1234").expect("scratch can be written");
    let sparse = std::fs::File::create(folder.join("sparse")).expect("scratch can be written");
    sparse.set_len(3 << 30).expect("it takes no space");
    let said = run(&folder, &["--memory", "50MB"]);
    assert_eq!(said.out, "[4,-1,-1,-1,0]\n", "{said:?}");
}
