//! Other files where a store should be, and disks that do not take it.

use std::path::Path;
use std::process::{Command, Stdio};

use gsw_journal::store::{Error, Store};
use gsw_journal::writer::Failure;

use crate::folder::{Folder, begin, flushed, new_run, outcome};
use crate::processes::child;

fn refusal(path: &Path) -> String {
    match Store::open(path) {
        Ok(_) => panic!("`{}` is taken", path.display()),
        Err(error) => error.to_string(),
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = Folder::new("kinds");
    std::fs::create_dir_all(folder.0.join("folder")).expect("it can be made");
    let pipe = folder.0.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let _socket =
        std::os::unix::net::UnixListener::bind(folder.0.join("socket")).expect("a socket");
    for (name, kind) in [
        ("folder", "a folder"),
        ("pipe", "a named pipe"),
        ("socket", "a socket"),
    ] {
        let path = folder.0.join(name);
        let expected = format!(
            "`{}` is {kind}, and runs are kept in a file",
            path.display()
        );
        assert_eq!(refusal(&path), expected);
        assert!(matches!(Store::existing(&path), Err(Error::NoFile { .. })));
    }
    let device = refusal(Path::new("/dev/null"));
    assert_eq!(
        device,
        "`/dev/null` is a device, and runs are kept in a file"
    );
    let under = refusal(&folder.0.join("pipe/runs.db"));
    assert!(under.contains("Not a directory"), "{under}");
}

#[cfg(unix)]
#[test]
fn what_may_not_be_written_is_said() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let folder = Folder::new("read-only");
    drop(Store::open(&folder.store()).expect("a store"));
    let to = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    // The user of the tests may be allowed everything, so another user tries.
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        for path in [&folder.0, &folder.store()] {
            chown(path, Some(65_534), Some(65_534)).expect("root may");
        }
    }
    for (mode, of_folder) in [(0o400, 0o700), (0o600, 0o500), (0o000, 0o700)] {
        to(&folder.0, of_folder);
        to(&folder.store(), mode);
        let mut command = child("open", &folder.store());
        #[cfg(unix)]
        if is_root {
            std::os::unix::process::CommandExt::uid(&mut command, 65_534);
            std::os::unix::process::CommandExt::gid(&mut command, 65_534);
        }
        let output = match command.output() {
            // Only root can reach this folder, so no other user can try.
            Err(error) if is_root && error.kind() == std::io::ErrorKind::PermissionDenied => return,
            output => output.expect("it runs"),
        };
        to(&folder.0, 0o700);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // What can be read can be looked at; writing to it reports why not (`hurt::` of the harness, by command).
        let is_readable = mode & 0o400 != 0 && text.contains("opened");
        assert!(
            is_readable || text.contains("error: ") && text.contains("runs.db"),
            "file {mode:o}, folder {of_folder:o}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Runs the child with files of at most so many blocks of 512 bytes.
fn limited(folder: &Folder, blocks: u32, signal: &str) -> std::process::Output {
    let inner = child("fill", &folder.store());
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{signal} ulimit -f {blocks}; exec \"$0\" \"$@\""))
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        shell.env(name, value.expect("it is set"));
    }
    shell.stdin(Stdio::null()).output().expect("it runs")
}

/// The numbers of the records that were reported to the child as on the disk.
fn durable(output: &std::process::Output) -> usize {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|it| it.starts_with("durable ")).count()
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let folder = Folder::new("full");
    drop(Store::open(&folder.store()).expect("a store"));
    let output = limited(&folder, 1_000, "trap '' XFSZ;");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("failed: the run cannot be written down any more"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let durable = durable(&output);
    assert!(durable > 10, "{durable}");
    // With room again it continues from all that was reported.
    let store = Store::existing(&folder.store()).expect("it is whole");
    let (mut journal, records) = store.take("full").expect("nobody carries it");
    assert!(records.len() > durable, "{} of {durable}", records.len());
    let (record, blob) = outcome(9_999, vec![1]);
    journal.write(&record, blob);
    flushed(&journal).expect("there is room");
    assert!(store.verify(None).expect("a store").is_whole());
}

#[cfg(unix)]
#[test]
fn who_is_killed_while_writing_has_written_all_that_was_reported() {
    let folder = Folder::new("killed");
    drop(Store::open(&folder.store()).expect("a store"));
    // The system kills a process that writes past the limit, in the middle of the write.
    for (life, blocks) in [(1, 200), (2, 400), (3, 900)] {
        let output = limited(&folder, blocks, "");
        assert!(!output.status.success());
        let durable = durable(&output);
        let store = Store::existing(&folder.store()).expect("it is whole");
        let records = store.records("full").expect("the chain is whole").len();
        assert!(records > durable, "life {life}: {records} of {durable}");
        assert!(store.verify(None).expect("a store").is_whole());
    }
}

#[test]
fn nothing_is_begun_where_nothing_can_be_written() {
    let folder = Folder::new("nowhere");
    std::fs::create_dir_all(&folder.0).expect("it can be made");
    std::fs::write(folder.0.join("file"), "x").expect("it can be written");
    let text = refusal(&folder.0.join("file/runs.db"));
    assert!(text.contains("cannot be used"), "{text}");
    let store = Store::open(&folder.store()).expect("a store");
    std::fs::remove_dir_all(&folder.0).expect("it is ours");
    // Its folder went away: there is no place for a lock, so no run begins.
    assert!(store.begin(&new_run("a"), vec![begin()]).is_err());
}

/// Another process removes the log of a store that seems to be unused to it: what goes on writing into it must learn so.
#[cfg(unix)]
#[test]
fn nothing_is_written_to_a_log_that_is_gone() {
    let folder = Folder::new("log-gone");
    let store = Store::open(&folder.store()).expect("a store");
    let mut journal = store.begin(&new_run("a"), vec![begin()]).expect("a run");
    flushed(&journal).expect("it is written");
    let log = format!("{}-wal", folder.store().display());
    std::fs::remove_file(&log).expect("it is there");
    let (record, blob) = outcome(0, vec![1]);
    journal.write(&record, blob);
    assert_eq!(flushed(&journal), Err(Failure::Removed));
    let begun = store.begin(&new_run("b"), vec![begin()]);
    assert!(matches!(begun, Err(Error::Removed(_))), "{begun:?}");
    // Another one of that name is not ours.
    std::fs::write(&log, []).expect("it can be written");
    let begun = store.begin(&new_run("c"), vec![begin()]);
    assert!(matches!(begun, Err(Error::Removed(_))), "{begun:?}");
}
