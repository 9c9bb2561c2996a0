//! Stores that hurt, by command: disks that are full or take nothing, damage of every kind, clocks that are set. Each is named
//! with an error and an exit code, nothing is lost and nothing is done twice.
//!
//! `GSW_FLIPS` is how many places of a store are damaged.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::determinism::number;
use crate::killed::{Kept, await_text, signal};
use crate::program::{Said, scratch, text};

/// How many places a plain `cargo test` damages.
const FLIPS: u64 = 24;

/// Exit codes that say what went wrong; a panic is 101, a signal none.
fn is_said(said: &Said) -> bool {
    match said.code {
        Some(0) => true,
        Some(1 | 2 | 4 | 5) => said.err.contains("error: ") || said.err.contains("runs answer"),
        Some(_) | None => false,
    }
}

fn lines_of(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

const MANY: &str = r#"
import std/fs
permissions { fs.write: ["."] }
tool pay(n: int) -> string once {
  fs.append("paid-${n % 16}.log", "paid ${n}\n")
  "receipt ${n}"
}
workflow main(count: int) -> int {
  var unknown = 0
  for n in 0..count {
    pay(n) catch { OutcomeUnknown(_) => { unknown += 1; "" } }
  }
  unknown
}
"#;

fn paid(kept: &Kept) -> String {
    let files = (0..16).map(|it| kept.read(&format!("paid-{it}.log")));
    files.collect()
}

/// The disk is full in the middle of a run; with room again the run resumes.
#[test]
fn a_run_on_a_full_disk_stops_and_goes_on_when_there_is_room() {
    let kept = Kept::new("hurt-full", MANY);
    const COUNT: usize = 400;
    let mut filled = 0;
    // A little more room each time: it fills up at several places of the run.
    for blocks in [120, 240, 480] {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""
            ))
            .arg(&kept.program)
            .args(["--resume", "--count", &COUNT.to_string()])
            .env("GSW_STORE", &kept.store)
            .current_dir(&kept.folder)
            .stdin(Stdio::null());
        let said: Said = command.output().expect("sh is there").into();
        if said.code == Some(0) {
            continue;
        }
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("cannot be written down"), "{said:?}");
        filled += 1;
    }
    assert!(filled > 0, "the disk was never full");
    let said = kept.run(&["--resume", "--count", &COUNT.to_string()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let unknown: usize = said.out.trim().parse().expect("a number");
    let paid = paid(&kept);
    let mut lines = lines_of(&paid);
    let all = lines.len();
    lines.dedup();
    assert_eq!(lines.len(), all, "paid twice");
    // What was done and could not be noted is not known.
    assert!(
        unknown <= filled && all + unknown >= COUNT,
        "{all} paid, {unknown} unknown"
    );
}

/// A store that was begun on a disk that was almost full is there whole or not at all: its tables fit, and then the file that
/// they are written into does not.
#[cfg(target_os = "linux")]
#[test]
fn a_store_that_does_not_fit_on_the_disk_leaves_nothing_in_its_place() {
    let kept = Kept::new("hurt-beginning", MANY);
    let disk = kept.folder.join("disk");
    std::fs::create_dir_all(&disk).expect("the target folder can be written");
    let on_a_disk = |script: &str| -> Said {
        let mut command = Command::new("unshare");
        command
            .args(["--map-root-user", "--mount", "sh", "-c", script])
            .arg(&kept.program)
            .args(["--count", "1"])
            .env("DISK", &disk)
            .env("GSW_STORE", disk.join("runs.db"))
            .current_dir(&kept.folder)
            .stdin(Stdio::null());
        command.output().expect("a shell can be started").into()
    };
    // A container may not allow it.
    if on_a_disk("mount -t tmpfs -o size=1m none \"$DISK\"").code != Some(0) {
        return;
    }
    for kilobytes in (56..200).step_by(8) {
        let said = on_a_disk(&format!(
            "mount -t tmpfs -o size={kilobytes}k none \"$DISK\" && {{ \"$0\" \"$@\" >/dev/null 2>&1; \
             rm -f paid-*; mount -o remount,size=20m \"$DISK\" && exec \"$0\" \"$@\"; }}"
        ));
        assert_eq!(said.code, Some(0), "{kilobytes}: {said:?}");
    }
}

/// Whatever the last thing is that fits on a disk: a run that says how it ended has ended.
#[test]
fn a_result_is_given_only_when_the_end_of_the_run_is_written_down() {
    let kept = Kept::new("hurt-end", MANY);
    let (mut ended, mut stopped) = (0, 0);
    for blocks in (320..640).step_by(8) {
        let _ = std::fs::remove_dir_all(kept.folder.join("state"));
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""
            ))
            .arg(&kept.program)
            .args(["--count", "12"])
            .env("GSW_STORE", &kept.store)
            .current_dir(&kept.folder)
            .stdin(Stdio::null());
        let said: Said = command.output().expect("sh is there").into();
        match said.code {
            Some(0) => {
                assert_eq!(kept.listed()["status"], "completed", "{blocks}: {said:?}");
                ended += 1;
            }
            _ => {
                assert!(
                    said.err.contains("cannot be written down"),
                    "{blocks}: {said:?}"
                );
                stopped += 1;
            }
        }
    }
    assert!(ended > 0 && stopped > 0, "{ended} ended, {stopped} stopped");
}

const PAYS: &str = r#"
import std/exec
import std/fs
permissions { fs.write: ["."] exec: ["sh"] }
tool pay(n: int) -> string once {
  fs.append("paid.log", "paid ${n}\n")
  "receipt ${n}"
}
workflow main() -> [string] {
  var said: [string] = []
  for n in 0..4 {
    said += [pay(n) catch { OutcomeUnknown(_) => "unknown ${n}" }]
  }
  fs.append("held.log", "held\n") catch { OutcomeUnknown(_) => () }
  let waited = exec.run(["sh", "-c", "test -e go || { echo here > here.log; sleep 600; }"]).code catch { OutcomeUnknown(_) => 0 }
  said
}
"#;

/// A program that was killed when it had paid for all, and what was left on the disk.
struct Killed {
    kept: Kept,
    /// The files of the store and what they hold.
    files: Vec<(PathBuf, Vec<u8>)>,
    id: String,
}

impl Killed {
    fn new(name: &str) -> Self {
        let kept = Kept::new(name, PAYS);
        let mut child = kept.start(&[]);
        await_text(&kept.folder.join("here.log"), "here");
        child.kill().expect("it can be killed");
        let _ = child.wait();
        let files = ["", "-wal"]
            .iter()
            .map(|it| PathBuf::from(format!("{}{it}", kept.store.display())));
        let files: Vec<_> = files
            .filter_map(|it| std::fs::read(&it).ok().map(|bytes| (it, bytes)))
            .collect();
        assert_eq!(kept.read("paid.log").lines().count(), 4);
        std::fs::write(kept.folder.join("go"), "").expect("it can be written");
        let id = {
            let listed = kept.listed();
            listed["id"].as_str().expect("a text").to_owned()
        };
        Self { kept, files, id }
    }

    /// Puts the store back as the killed process left it, but for what `damage` does to one of its files.
    fn restore(&self, file: usize, damage: impl FnOnce(&mut Vec<u8>)) {
        let folder = self.kept.store.parent().expect("it is in a folder");
        std::fs::remove_dir_all(folder).expect("it can be removed");
        std::fs::create_dir_all(folder).expect("it can be made");
        let mut damage = Some(damage);
        for (number, (path, bytes)) in self.files.iter().enumerate() {
            let mut bytes = bytes.clone();
            if number == file
                && let Some(damage) = damage.take()
            {
                damage(&mut bytes);
            }
            std::fs::write(path, bytes).expect("it can be written");
        }
    }

    /// Looks at the run and resumes it. Nothing may be paid again, and what is wrong must be reported.
    fn goes_on(&self, what: &str) -> Said {
        let words = [
            vec!["runs"],
            vec!["runs", "show", &self.id],
            vec!["runs", "verify"],
        ];
        for words in words {
            let said = self.kept.run(&words);
            assert!(is_said(&said), "{what}: {words:?}: {said:?}");
        }
        let said = self.kept.run(&["runs", "resume", &self.id]);
        assert!(is_said(&said), "{what}: {said:?}");
        let paid = self.kept.read("paid.log");
        assert_eq!(
            lines_of(&paid),
            ["paid 0", "paid 1", "paid 2", "paid 3"],
            "{what}: {said:?}"
        );
        said
    }
}

#[test]
fn a_torn_write_a_page_of_zeros_and_flipped_bits_are_found_or_harmless() {
    let killed = Killed::new("hurt-damaged");
    killed.restore(0, |_| ());
    let said = killed.goes_on("whole");
    let whole = "[\"receipt 0\",\"receipt 1\",\"receipt 2\",\"receipt 3\"]\n";
    assert_eq!(said.out, whole, "{said:?}");
    let mut refused = 0;
    for (file, (path, bytes)) in killed.files.iter().enumerate() {
        let name = path.display();
        for cut in [1, 100, 5_000] {
            killed.restore(file, |it| it.truncate(bytes.len().saturating_sub(cut)));
            refused +=
                usize::from(killed.goes_on(&format!("{name} without {cut}")).code != Some(0));
        }
        for page in [0, 1, 2] {
            let at = (page * 4096).min(bytes.len().saturating_sub(4096));
            killed.restore(file, |it| {
                let end = (at + 4096).min(it.len());
                it[at..end].fill(0);
            });
            refused +=
                usize::from(killed.goes_on(&format!("{name} zeros at {at}")).code != Some(0));
        }
        let flips = number("GSW_FLIPS", FLIPS);
        for flip in 0..flips {
            let at = (bytes.len() as u64 * flip / flips) as usize;
            let bit = 1 << (flip % 8);
            killed.restore(file, |it| it[at] ^= bit);
            refused += usize::from(killed.goes_on(&format!("{name} bit at {at}")).code != Some(0));
        }
    }
    assert!(refused > 0, "damage is found");
}

#[test]
fn a_store_that_cannot_be_used_keeps_the_program_from_acting() {
    let kept = Kept::new("hurt-unusable", PAYS);
    let folder = kept.folder.join("folder.db");
    std::fs::create_dir_all(&folder).expect("it can be made");
    let garbage = kept.folder.join("garbage.db");
    std::fs::write(&garbage, "no store at all, ".repeat(1_000)).expect("it can be written");
    let under = kept.folder.join("garbage.db/runs.db");
    for store in [
        folder.as_path(),
        &garbage,
        &under,
        Path::new("/proc/runs.db"),
    ] {
        let said = kept.run(&["--store", text(store)]);
        assert_eq!(said.code, Some(1), "{}: {said:?}", store.display());
        assert!(
            said.err.contains("cannot be written down"),
            "{}: {said:?}",
            store.display()
        );
    }
    assert_eq!(kept.read("paid.log"), "");
    assert!(
        std::fs::read_to_string(&garbage)
            .expect("it is there")
            .starts_with("no store")
    );
}

/// A store that may be read and not written, by its file or by its folder: nothing is done, and every command says why.
#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_keeps_the_program_from_acting() {
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    /// The user of the tests may be allowed everything, so another user tries.
    const NOBODY: u32 = 65_534;
    let kept = Kept::new("hurt-read-only", MANY);
    let said = kept.run(&["--count", "3"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let before = paid(&kept);
    let folder = kept.store.parent().expect("it is in a folder");
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        for path in [folder, &kept.store] {
            chown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
        }
    }
    let allow = |path: &Path, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, mode).expect("it is ours");
    };
    for (of_file, of_folder) in [(0o600, 0o500), (0o000, 0o700)] {
        for words in [
            &["--count", "1"][..],
            &["--resume", "--count", "1"],
            &["worker"],
            &["runs"],
        ] {
            allow(folder, of_folder);
            allow(&kept.store, of_file);
            let mut command = kept.command(words);
            if is_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            let said: Said = command.output().expect("it can be started").into();
            allow(folder, 0o700);
            let what = format!("file {of_file:o}, folder {of_folder:o}, {words:?}: {said:?}");
            assert!(matches!(said.code, Some(1 | 2 | 4)), "{what}");
            assert!(
                said.err.contains("error: ") && said.err.contains("runs.db"),
                "{what}"
            );
        }
    }
    assert_eq!(paid(&kept), before);
}

/// A library that sets the clock of the processes that load it, by `CLOCK_OFFSET` seconds.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  const char *offset = getenv("CLOCK_OFFSET");
  if (clock == CLOCK_REALTIME && offset) time->tv_sec += atol(offset);
  return result;
}
"#;

fn clock() -> PathBuf {
    let folder = scratch("hurt-clock");
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, CLOCK).expect("the target folder can be written");
    let made = Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-o",
            text(&library),
            text(&source),
            "-ldl",
        ])
        .status();
    // Whatever links Rust programs is there.
    assert!(made.expect("cc is there").success());
    library
}

const WAITS: &str = r#"
import std/fs
permissions { fs.write: ["."] }
human approve(what: string) -> bool timeout 24h { user "${what}?" }
workflow main(what: string) -> string {
  fs.append("begun.log", "begun\n")
  let said = approve(what) catch { Timeout(_) => false }
  if said { "yes" } else { "no" }
}
"#;

const DAY: i64 = 86_400;

#[cfg(target_os = "linux")]
#[test]
fn a_clock_that_is_set_ends_no_wait_early_and_loses_none() {
    let clock = clock();
    let at = |kept: &Kept, offset: i64, words: &[&str]| -> Said {
        let mut command = kept.command(words);
        command
            .env("LD_PRELOAD", &clock)
            .env("CLOCK_OFFSET", offset.to_string());
        command.output().expect("it can be started").into()
    };
    // The answer is due by the clock on the wall.
    for (offset, code, end) in [
        (0, 0, "\"yes\"\n"),
        (-DAY, 0, "\"yes\"\n"),
        (DAY / 2, 0, "\"yes\"\n"),
        (DAY + 60, 2, "\"no\"\n"),
    ] {
        let kept = Kept::new(&format!("hurt-clock-{}", offset / 60), WAITS);
        let said = at(&kept, 0, &["--what", "it"]);
        assert_eq!(said.code, Some(5), "{said:?}");
        let id = kept.listed()["id"].as_str().expect("a text").to_owned();
        let said = at(&kept, offset, &["runs", "answer", &id, "approve", "true"]);
        assert_eq!(said.code, Some(code), "{offset}: {said:?}");
        if code != 0 {
            assert!(said.err.contains("too late"), "{said:?}");
        }
        let said = at(&kept, offset, &["runs", "resume", &id]);
        assert_eq!(
            (said.code, &*said.out),
            (Some(0), end),
            "{offset}: {said:?}"
        );
        assert_eq!(kept.read("begun.log"), "begun\n");
    }
    // Begun tomorrow, resumed today, and the other way round: what is done is done.
    for (first, then) in [(DAY, 0), (0, DAY), (-DAY, DAY)] {
        let kept = Kept::new(&format!("hurt-clock-{}-{}", first / DAY, then / DAY), MANY);
        let all = at(&kept, first, &["--count", "3"]);
        assert_eq!(all.code, Some(0), "{all:?}");
        let said = at(&kept, then, &["runs"]);
        assert!(said.out.contains("completed"), "{said:?}");
        let said = at(&kept, then, &["--resume", "--count", "3"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert_eq!(paid(&kept).lines().count(), 6);
    }
}

const CURIOUS: &str = r#"
import std/fs
workflow main(rounds: int) -> int {
  fs.write("begun.txt", "")
  var refused = 0
  for path in ["runs.db", "runs.db-wal", "runs.db-shm", "alias.db"] {
    let why = fs.read_bytes(path).len().to_string() catch { IoError(_, why) => why }
    if why.contains("no program may use it") { refused += 1 }
  }
  fs.write("looked.txt", "")
  for n in 0..rounds {
    sleep(100ms)
    fs.write("${n}.txt", "")
  }
  refused
}
"#;

/// A process that closes a file of its own store loses its locks on it, and the next process that looks at the store would remove
/// the log that the first one writes to.
#[test]
fn a_program_cannot_read_the_store_that_it_runs_in() {
    let mut kept = Kept::new("hurt-curious", CURIOUS);
    kept.store = kept.folder.join("runs.db");
    // It makes the store, and there is a second name for it.
    assert_eq!(kept.run(&["--rounds", "0"]).out, "3\n");
    std::fs::hard_link(&kept.store, kept.folder.join("alias.db")).expect("it can be linked");
    let _ = std::fs::remove_file(kept.folder.join("looked.txt"));
    let run = kept.start(&["--rounds", "12"]);
    await_text(&kept.folder.join("looked.txt"), "");
    assert_eq!(kept.run(&["runs", "--json"]).code, Some(0));
    let said: Said = run.wait_with_output().expect("it ends").into();
    assert_eq!((said.code, &*said.out), (Some(0), "4\n"), "{said:?}");
    let verified = kept.run(&["runs", "verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let listed: Vec<serde_json::Value> =
        serde_json::from_str(&kept.run(&["runs", "--json"]).out).expect("a list");
    let statuses: Vec<&str> = listed
        .iter()
        .filter_map(|it| it["status"].as_str())
        .collect();
    assert_eq!(statuses, ["completed", "completed"]);
}

const ASKS: &str = r#"
import std/fs
permissions { fs.write: ["."] }
human approve(what: string) -> bool { user "${what}?" }
workflow main(what: string) -> bool {
  let said = approve(what)
  fs.write("${what}.txt", "${said}")
  said
}
"#;

/// Changes the path of the program in the row of a run.
fn damage_row(kept: &Kept, id: &str) {
    let mut bytes = std::fs::read(&kept.store).expect("it is there");
    let find = |part: &[u8], from: usize| {
        let found = bytes[from..].windows(part.len()).position(|it| it == part);
        from + found.expect("the row has it")
    };
    let row = find(format!("{id}main").as_bytes(), 0);
    let program = find(text(&kept.program).as_bytes(), row);
    bytes[program] ^= 1;
    std::fs::write(&kept.store, bytes).expect("it can be written");
}

#[test]
fn a_damaged_run_keeps_nobody_from_the_others() {
    let kept = Kept::new("hurt-row", ASKS);
    let list = |said: &Said| -> Vec<serde_json::Value> {
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("a list: {said:?}"))
    };
    for what in ["a", "b"] {
        assert_eq!(kept.run(&["--what", what]).code, Some(5));
    }
    let listed = list(&kept.run(&["runs", "--json"]));
    let ids: Vec<&str> = listed
        .iter()
        .rev()
        .filter_map(|it| it["id"].as_str())
        .collect();
    for id in &ids {
        let answered = kept.run(&["runs", "answer", id, "approve", "true"]);
        assert_eq!(answered.code, Some(0), "{answered:?}");
    }
    damage_row(&kept, ids[0]);
    let named = format!("the entry of run `{}` is damaged", ids[0]);
    let said = kept.run(&["runs", "--json"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains(&named), "{said:?}");
    assert_eq!(list(&said).len(), 1);
    // It may be the one that is damaged, and another input cannot.
    let said = kept.run(&["--resume", "--what", "a"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains(&named), "{said:?}");
    let said = kept.run(&["--resume", "--what", "c"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let worker = kept.start(&["worker"]);
    await_text(&kept.folder.join("b.txt"), "true");
    // It looks some more times.
    std::thread::sleep(Duration::from_secs(1));
    signal(&worker, "-TERM");
    let said: Said = worker.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.err.matches(&named).count(), 1, "{said:?}");
    assert_eq!(kept.read("a.txt"), "");
}
