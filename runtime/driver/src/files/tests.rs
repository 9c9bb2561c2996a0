//! Files are written, read, listed, removed, refused and given up.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use gsw_engine::operation::{Failure, Outcome, Request};
use gsw_journal::open_file::OpenFile;
use gsw_journal::store::{NewRun, Store};
use gsw_journal::writer::Journal;

use super::{FileWork, sync};
use crate::allowance::Allowance;
use crate::beneath;
use crate::permissions::Permissions;
use crate::pool::Pool;
use crate::work::{Abandoned, Completion, Job, Work};

/// A folder that is gone at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("gsw-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        Self(folder.canonicalize().expect("it was just made"))
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("it is there");
        let names = entries.flatten().map(|it| it.file_name());
        let mut names: Vec<_> = names.map(|it| it.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn fifo(&self, name: &str) -> String {
        let path = self.path(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|it| it.success()));
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Whatever the test was about has been seen.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn perform(request: &Request) -> Outcome {
    Permissions::default().perform_alone(request)
}

/// Performs on a pool of one thread.
fn begin(pool: &Pool, request: Request, allowance: Allowance) -> (Work, Receiver<Outcome>) {
    let (sender, outcome) = channel();
    let (work, own) = (Work::default(), pool.clone());
    let perform = move |work: &Work| {
        let work = FileWork {
            work,
            allowance: &allowance,
            pool: Some(&own),
        };
        Permissions::default().perform_on_files(&request, &work)
    };
    let completion = Completion::new(move |it| drop(sender.send(it)));
    pool.run(Job::new(work.clone(), perform, completion));
    (work, outcome)
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_file_is_written_read_listed_and_removed() {
    let scratch = Scratch::new("files");
    let folder = scratch.path("made/deeper");
    let path = format!("{folder}/a.txt");
    let made = Request::FsMakeDir {
        path: folder.clone(),
    };
    assert_eq!(perform(&made), Outcome::Done);
    let write = Request::FsWrite {
        path: path.clone(),
        text: text("ä"),
    };
    assert_eq!(perform(&write), Outcome::Done);
    let append = Request::FsAppend {
        path: path.clone(),
        text: text("b"),
    };
    assert_eq!(perform(&append), Outcome::Done);
    let read = Request::FsRead { path: path.clone() };
    assert_eq!(perform(&read), Outcome::Text(text("äb")));
    let list = Request::FsList {
        path: folder.clone(),
    };
    assert_eq!(perform(&list), Outcome::Texts(vec![text("a.txt")]));
    let exists = |path: String| perform(&Request::FsExists { path });
    assert_eq!(exists(format!("{folder}/.")), Outcome::Bool(true));
    assert_eq!(exists(format!("{path}/.")), Outcome::Bool(false));
    assert_eq!(
        perform(&Request::FsRemove { path: path.clone() }),
        Outcome::Done
    );
    assert_eq!(exists(path), Outcome::Bool(false));
    assert_eq!(perform(&Request::FsRemove { path: folder }), Outcome::Done);
    let missing = perform(&read);
    assert!(matches!(
        missing,
        Outcome::Failed(Failure::Io { path: Some(_), .. })
    ));
}

#[test]
fn a_name_as_long_as_it_may_be_can_be_written_and_a_link_is_written_through() {
    let scratch = Scratch::new("names");
    let long = "ñ".repeat(127);
    let write = |name: &str, content: &str| {
        let path = scratch.path(name);
        let text = text(content);
        perform(&Request::FsWrite { path, text })
    };
    assert_eq!(write(&long, "1"), Outcome::Done);
    std::os::unix::fs::symlink(&long, scratch.path("link")).expect("a link");
    assert_eq!(write("link", "2"), Outcome::Done);
    let read = std::fs::read_to_string(scratch.path(&long));
    assert_eq!(read.expect("it is there"), "2");
    assert_eq!(scratch.names(), [text("link"), long]);
    assert_eq!(
        perform(&Request::FsWrite {
            path: text("/dev/null"),
            text: text("x")
        }),
        Outcome::Done
    );
}

#[test]
fn a_write_that_was_given_up_changes_nothing_and_leaves_nothing() {
    let scratch = Scratch::new("given-up");
    let path = scratch.path("a.txt");
    std::fs::write(&path, "before").expect("a file for the test");
    let work = Work::default();
    let around = FileWork {
        work: &work,
        allowance: &Allowance::default(),
        pool: None,
    };
    assert_eq!(work.abandon(), Abandoned::Stopped);
    for request in [
        Request::FsWrite {
            path: path.clone(),
            text: text("after"),
        },
        Request::FsAppend {
            path: path.clone(),
            text: text("after"),
        },
        Request::FsRemove { path: path.clone() },
        Request::FsMakeDir {
            path: scratch.path("made"),
        },
    ] {
        let outcome = Permissions::default().perform_on_files(&request, &around);
        assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    }
    assert_eq!(scratch.names(), ["a.txt"]);
    let read = std::fs::read_to_string(&path);
    assert_eq!(read.expect("it is there"), "before");
}

#[test]
fn a_large_write_is_given_up_on_its_way() {
    let scratch = Scratch::new("on-its-way");
    let pool = Pool::new("test", 1);
    // Whether it has ended, is on its way or has not begun: nothing is left beside, and a file is whole or not there.
    for pause in [0, 1, 5, 20, 100] {
        let path = scratch.path(&format!("{pause}.txt"));
        let write = Request::FsWriteBytes {
            path: path.clone(),
            bytes: vec![7; 64 << 20],
        };
        let (work, outcome) = begin(&pool, write, Allowance::default());
        std::thread::sleep(Duration::from_millis(pause));
        let abandoned = work.abandon();
        let outcome = outcome.recv().expect("there is always an outcome");
        let is_there = std::fs::metadata(&path).is_ok_and(|it| it.len() == 64 << 20);
        assert_eq!(is_there, outcome == Outcome::Done);
        assert_eq!(is_there, abandoned != Abandoned::Stopped);
        let _ = std::fs::remove_file(&path);
    }
    assert!(scratch.names().is_empty());
}

#[test]
fn a_file_is_read_within_the_room_that_is_left() {
    let scratch = Scratch::new("room");
    let path = scratch.path("a.bin");
    std::fs::write(&path, vec![7; 1000]).expect("a file for the test");
    let read = |path: &str, left: u64| {
        let allowance = Allowance::default();
        allowance.set(Some(left));
        let pool = Pool::new("test", 1);
        let request = Request::FsReadBytes { path: path.into() };
        begin(&pool, request, allowance).1.recv()
    };
    assert!(matches!(read(&path, 1000), Ok(Outcome::Bytes(it)) if it.len() == 1000));
    assert_eq!(read(&path, 999), Ok(Outcome::Failed(Failure::TooLarge)));
    assert_eq!(
        read("/dev/zero", 3 << 20),
        Ok(Outcome::Failed(Failure::TooLarge))
    );
    // It says that it is empty, and is not.
    assert!(matches!(read("/proc/self/stat", 1 << 20), Ok(Outcome::Bytes(it)) if !it.is_empty()));
    // Nothing is reserved for what a file only says that it holds.
    let sparse = std::fs::File::create(scratch.path("sparse")).expect("a file for the test");
    sparse.set_len(1 << 40).expect("it takes no space");
    assert_eq!(
        perform(&Request::FsRead {
            path: scratch.path("sparse")
        }),
        Outcome::Failed(Failure::TooLarge)
    );
}

#[test]
fn a_pipe_is_waited_for_until_it_ends_or_is_given_up_and_holds_no_other_file_up() {
    let scratch = Scratch::new("pipes");
    let (pool, path) = (Pool::new("test", 1), scratch.fifo("pipe"));
    let request = Request::FsRead { path: path.clone() };
    let (given_up, its_outcome) = begin(&pool, request.clone(), Allowance::default());
    std::fs::write(scratch.path("a.txt"), "quick").expect("a file for the test");
    let quick = Request::FsRead {
        path: scratch.path("a.txt"),
    };
    let (_, quick) = begin(&pool, quick, Allowance::default());
    assert_eq!(quick.recv(), Ok(Outcome::Text(text("quick"))));
    assert_eq!(given_up.abandon(), Abandoned::Stopped);
    assert!(given_up.wait_for_end(Instant::now() + Duration::from_secs(60)));
    assert!(matches!(its_outcome.recv(), Ok(Outcome::Failed(_))));

    let (_, outcome) = begin(&pool, request, Allowance::default());
    let write = Request::FsWrite {
        path: path.clone(),
        text: "long".repeat(100_000),
    };
    let (_, written) = begin(&pool, write, Allowance::default());
    assert_eq!(written.recv(), Ok(Outcome::Done));
    assert!(matches!(outcome.recv(), Ok(Outcome::Text(it)) if it.len() == 400_000));
    // The pipe has no reader.
    let write = Request::FsWrite {
        path,
        text: text("x"),
    };
    let (work, outcome) = begin(&pool, write, Allowance::default());
    assert_eq!(work.abandon(), Abandoned::Stopped);
    assert!(matches!(outcome.recv(), Ok(Outcome::Failed(_))));
}

#[test]
fn a_database_that_the_process_has_open_is_refused_by_any_name() {
    let scratch = Scratch::new("open-database");
    let (file, log) = (scratch.path("runs.db"), scratch.path("runs.db-wal"));
    let (hard, soft) = (scratch.path("hard"), scratch.path("soft"));
    std::fs::write(&file, "pages").expect("it is written");
    std::fs::write(&log, "frames").expect("it is written");
    std::fs::hard_link(&file, &hard).expect("it can be linked");
    std::os::unix::fs::symlink(&log, &soft).expect("it can be linked");
    let open = OpenFile::at(file.as_ref());
    for path in [&file, &log, &hard, &soft] {
        let path = path.clone();
        for request in [
            Request::FsRead { path: path.clone() },
            Request::FsReadBytes { path: path.clone() },
            Request::FsAppend {
                path: path.clone(),
                text: text("more"),
            },
        ] {
            let outcome = perform(&request);
            assert!(
                matches!(&outcome, Outcome::Failed(Failure::Io { message, .. }) if message.contains("no program may use it")),
                "{request:?}: {outcome:?}"
            );
        }
    }
    for path in [&file, &log, &hard] {
        let path = path.clone();
        let write = Request::FsWrite {
            path: path.clone(),
            text: text("other"),
        };
        assert!(matches!(perform(&write), Outcome::Failed(_)), "{path}");
        let remove = Request::FsRemove { path: path.clone() };
        assert!(matches!(perform(&remove), Outcome::Failed(_)), "{path}");
    }
    assert_eq!(scratch.names(), ["hard", "runs.db", "runs.db-wal", "soft"]);
    drop(open);
    let read = perform(&Request::FsRead { path: file });
    assert_eq!(read, Outcome::Text(text("pages")));
}

/// A run that is recorded: of others nothing is remembered that could be wrong.
fn recorded(scratch: &Scratch) -> Journal {
    let store = scratch.path("store/runs.db");
    let store = Store::open(store.as_ref()).expect("a store");
    let new = NewRun {
        id: "a",
        workflow: "main",
        image: [1; 32],
        program: "/bin/flow",
        input: [2; 32],
        begun: 5,
    };
    store.begin(&new, []).expect("a run")
}

/// The inodes that were synced since the last time.
fn synced() -> Vec<u64> {
    let mut inodes = sync::seen::take();
    inodes.sort_unstable();
    inodes.dedup();
    inodes
}

fn inodes(scratch: &Scratch, paths: &[&str]) -> Vec<u64> {
    let of = |it: &&str| std::fs::metadata(scratch.path(it)).expect("it is there");
    let mut inodes: Vec<u64> = paths.iter().map(|it| of(it).ino()).collect();
    inodes.sort_unstable();
    inodes
}

#[test]
fn what_changed_a_file_or_a_folder_is_synced_before_the_run_is_told() {
    let scratch = Scratch::new("unsynced");
    let journal = recorded(&scratch);
    let changes = [
        Request::FsMakeDir {
            path: scratch.path("made"),
        },
        Request::FsWrite {
            path: scratch.path("made/a.txt"),
            text: text("a"),
        },
        Request::FsAppend {
            path: scratch.path("made/b.txt"),
            text: text("b"),
        },
    ];
    for change in &changes {
        assert_eq!(perform(change), Outcome::Done);
    }
    let changed = ["", "made", "made/a.txt", "made/b.txt"];
    assert_eq!(synced(), inodes(&scratch, &changed));
    let remove = Request::FsRemove {
        path: scratch.path("made/a.txt"),
    };
    assert_eq!(perform(&remove), Outcome::Done);
    assert_eq!(synced(), inodes(&scratch, &["made"]));
    // Reading changes nothing.
    let read = Request::FsRead {
        path: scratch.path("made/b.txt"),
    };
    assert_eq!(perform(&read), Outcome::Text(text("b")));
    assert_eq!(synced(), [0_u64; 0]);
    drop(journal);
}

/// Each folder on the way to what is new holds a new name.
#[test]
fn folders_that_are_made_on_the_way_are_synced() {
    let scratch = Scratch::new("unsynced_way");
    let journal = recorded(&scratch);
    let write = Request::FsWrite {
        path: scratch.path("x/y/c.txt"),
        text: text("c"),
    };
    assert_eq!(perform(&write), Outcome::Done);
    assert_eq!(synced(), inodes(&scratch, &["", "x", "x/y", "x/y/c.txt"]));
    let make = Request::FsMakeDir {
        path: scratch.path("x/z/w"),
    };
    assert_eq!(perform(&make), Outcome::Done);
    assert_eq!(synced(), inodes(&scratch, &["x", "x/z"]));
    // An attempt that was cut off may have made it.
    assert_eq!(perform(&make), Outcome::Done);
    assert_eq!(synced(), inodes(&scratch, &["x/z"]));
    let folder = File::open(scratch.path("x")).expect("it is there");
    let names = ["z", "v", "u"].map(OsStr::new);
    beneath::make(&folder, names).expect("it is made");
    assert_eq!(synced(), inodes(&scratch, &["x/z", "x/z/v"]));
    drop(journal);
}
