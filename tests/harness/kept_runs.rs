//! The runs of a store, looked at by its program and without one: compared, verified, exported, abandoned.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::program::{GSWC, Said, gswc, scratch, text};

/// Programs of one folder with one store.
pub struct Kept {
    pub folder: PathBuf,
    pub store: PathBuf,
}

impl Kept {
    pub fn new(name: &str) -> Self {
        let folder = scratch("kept_runs").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        Self {
            store: folder.join("runs.db"),
            folder,
        }
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Writes and builds a program.
    pub fn build(&self, name: &str, source: &str) -> PathBuf {
        let (file, built) = (self.path(&format!("{name}.gsw")), self.path(name));
        std::fs::write(&file, source).expect("the target folder can be written");
        let said = gswc(&["build", text(&file), "-o", text(&built)]);
        assert_eq!(said.code, Some(0), "{said:?}");
        built
    }

    /// Runs something of the folder, or `gswc`.
    pub fn run(&self, program: &str, words: &[&str]) -> Said {
        let program = match program {
            "gswc" => PathBuf::from(GSWC),
            name => self.path(name),
        };
        let mut command = Command::new(program);
        command
            .args(words)
            .env("GSW_STORE", &self.store)
            .env("GSW_MODEL", "sim/default")
            .env("GSW_CACHE", "off")
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        command.output().expect("it can be started").into()
    }

    /// What a command about runs gives as JSON, and its exit code.
    pub fn json(&self, program: &str, words: &[&str]) -> (Value, Option<i32>) {
        let words: Vec<&str> = ["runs"].iter().chain(words).copied().collect();
        let said = self.run(program, &[&words[..], &["--json"]].concat());
        let tree = serde_json::from_str(&said.out);
        (tree.unwrap_or_else(|_| panic!("{said:?}")), said.code)
    }

    /// The ids of the runs, the oldest first.
    pub fn ids(&self, program: &str) -> Vec<String> {
        let (listed, _) = self.json(program, &[]);
        let runs = listed.as_array().expect("a list").iter().rev();
        runs.map(|it| it["id"].as_str().expect("an id").to_owned())
            .collect()
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap_or_default()
    }
}

impl Drop for Kept {
    /// Built programs are large, and only those of a test that failed are looked at afterwards.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten() {
            let Ok(path) = entry.map(|it| it.path()) else {
                continue;
            };
            if path.is_file() && path.extension().is_none() {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

const SHOP: &str = r#"
import std/fs
permissions { fs.write: ["."] }
tool pay(n: int) -> string once {
  fs.append("paid.log", "paid ${n}\n")
  "receipt ${n}"
}
human approve(n: int) -> bool { user "Pay for ${n}?" }
workflow main(n: int) -> string {
  let a = step "first" { pay(n) }
  if step "ask" { approve(n) } { pay(n + 1) } else { a }
}
"#;

/// Another process holds the lock of a store for so many seconds; it has it when this returns.
pub fn lock(store: &Path, seconds: u32) -> Child {
    let script = format!(
        "import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=15)
store.execute('BEGIN IMMEDIATE')
print('locked', flush=True)
time.sleep({seconds})
store.execute('COMMIT')"
    );
    let locked = Command::new("python3")
        .args(["-c", &script])
        .arg(store)
        .stdout(Stdio::piped())
        .spawn();
    let mut locked = locked.expect("python3 can be started");
    let said = locked.stdout.take().expect("it is piped");
    let mut line = String::new();
    BufReader::new(said)
        .read_line(&mut line)
        .expect("it says when it has the lock");
    assert_eq!(line, "locked\n");
    locked
}

#[test]
fn two_runs_are_compared_with_and_without_their_program() {
    let kept = Kept::new("compared");
    kept.build("flow", SHOP);
    for n in ["1", "1", "2"] {
        assert_eq!(kept.run("flow", &["--n", n]).code, Some(5));
    }
    let ids = kept.ids("flow");
    let [first, second, other] = &ids[..] else {
        panic!("{ids:?}")
    };
    let (same, code) = kept.json("flow", &["diff", first, second]);
    assert_eq!((&same["parting"], code), (&Value::Null, Some(0)), "{same}");
    let (begun, code) = kept.json("gswc", &["diff", first, other]);
    assert_eq!(code, Some(1));
    assert_eq!(begun["parting"]["name"], "n", "{begun}");
    for (id, answer) in [(first, "true"), (second, "false")] {
        kept.run("flow", &["runs", "answer", id, "approve", answer]);
        assert_eq!(kept.run("flow", &["runs", "resume", id]).code, Some(0));
    }
    let (apart, code) = kept.json("flow", &["diff", first, second]);
    assert_eq!(code, Some(1));
    let parting = &apart["parting"];
    assert_eq!(parting["operation"], 1, "{apart}");
    assert_eq!(parting["first"]["place"], "main > ask > approve");
    assert_eq!(parting["first"]["outcome"], true);
    assert_eq!(parting["second"]["outcome"], false);
    assert_eq!(apart["only_first"], 1, "what is paid for a second time");
    let said = kept.run("flow", &["runs", "diff", first, second]);
    let line = said.out.lines().find(|it| it.starts_with("outcome"));
    let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    assert_eq!(words, ["outcome", "true", "false"], "{said:?}");
    // Without the program its place is unknown, and all else is the same.
    let (bare, _) = kept.json("gswc", &["diff", first, second]);
    assert_eq!(bare["parting"]["first"]["place"], Value::Null);
    assert_eq!(bare["parting"]["first"]["outcome"], true);
}

#[test]
fn a_damaged_record_is_named_and_a_changed_export_is_found() {
    let kept = Kept::new("damaged");
    kept.build("flow", SHOP);
    kept.run("flow", &["--n", "1"]);
    kept.run("flow", &["--n", "2"]);
    let ids = kept.ids("flow");
    let said = kept.run("gswc", &["runs", "verify"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("gswc", &["runs", "export", &ids[0], "run.jsonl"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("gswc", &["runs", "export", &ids[0], "run.jsonl"]);
    assert_eq!(said.code, Some(2), "nothing is written over: {said:?}");
    let (checked, code) = kept.json("gswc", &["check", "run.jsonl"]);
    assert_eq!((checked["whole"].as_bool(), code), (Some(true), Some(0)));
    // To standard output the same lines.
    let said = kept.run("flow", &["runs", "export", &ids[0]]);
    assert_eq!(said.out, kept.read("run.jsonl"));
    // A flipped bit anywhere in the file is found.
    let export = kept.read("run.jsonl").into_bytes();
    for at in (0..export.len()).step_by(export.len() / 40) {
        let mut changed = export.clone();
        changed[at] ^= 1;
        std::fs::write(kept.path("changed.jsonl"), changed).expect("it can be written");
        let said = kept.run("gswc", &["runs", "check", "changed.jsonl"]);
        assert_eq!(said.code, Some(1), "byte {at}: {said:?}");
    }
    // One in a record of the store, too: `paid 1` is in the outcome of operation 0.
    let mut store = std::fs::read(&kept.store).expect("the store");
    let wanted = b"`paid 1 `";
    let at = store.windows(wanted.len()).position(|it| it == wanted);
    store[at.expect("the words of the outcome") + 6] ^= 1;
    std::fs::write(&kept.store, store).expect("it can be written");
    let (verified, code) = kept.json("gswc", &["verify"]);
    assert_eq!((verified["whole"].as_bool(), code), (Some(false), Some(1)));
    let problems = verified["problems"].as_array().expect("a list");
    let named = problems.iter().find(|it| it["run"] == ids[0].as_str());
    let named = named.unwrap_or_else(|| panic!("{verified}"));
    assert!(named["record"].is_u64(), "{named}");
    // Nothing is exported of it, and the other run is as it was.
    let said = kept.run("gswc", &["runs", "export", &ids[0], "again.jsonl"]);
    assert!(
        said.code == Some(2) && !kept.path("again.jsonl").exists(),
        "{said:?}"
    );
    let (other, code) = kept.json("gswc", &["verify", &ids[1]]);
    assert_eq!((other["whole"].as_bool(), code), (Some(true), Some(0)));
}

#[test]
fn a_store_without_a_program_is_shown_and_its_runs_are_ended() {
    let kept = Kept::new("bare");
    let built = kept.build("flow", SHOP);
    kept.run("flow", &["--n", "1"]);
    kept.run("flow", &["--n", "2"]);
    let ids = kept.ids("gswc");
    let (shown, _) = kept.json("gswc", &["show", &ids[0]]);
    assert_eq!(shown["input"]["n"], 1, "{shown}");
    assert_eq!(shown["operations"][0]["state"], "completed", "{shown}");
    // The program does what needs one.
    let said = kept.run("gswc", &["runs", "answer", &ids[0], "approve", "false"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("gswc", &["runs", "resume", &ids[0]]);
    assert_eq!(said.out, "\"receipt 1\"\n", "{said:?}");
    std::fs::remove_file(built).expect("it was just made");
    let said = kept.run("gswc", &["runs", "resume", &ids[1]]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("runs abandon"), "{said:?}");
    let said = kept.run("gswc", &["runs", "abandon", &ids[1]]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let (listed, _) = kept.json("gswc", &[]);
    assert_eq!(listed[0]["status"], "cancelled", "{listed}");
    let said = kept.run("gswc", &["runs", "abandon", &ids[1]]);
    assert!(
        said.code == Some(4) && said.err.contains("has ended"),
        "{said:?}"
    );
}

#[test]
fn what_cannot_be_done_with_a_store_is_said() {
    let kept = Kept::new("refused");
    let cases: [(&[&str], &str); 6] = [
        (&["runs", "--store", "none.db"], "no runs are stored"),
        (
            &["runs", "verify", "--store", "none.db"],
            "there is no `none.db`",
        ),
        (&["runs", "--store", "off"], "name a store"),
        (&["runs", "check", "none.jsonl"], "`none.jsonl`: "),
        (&["runs", "diff", "a"], "write `runs diff <ID> <ID>`"),
        (&["runs", "verfy"], "did you mean `verify`"),
    ];
    for (words, part) in cases {
        let said = kept.run("gswc", words);
        assert!((said.err + &said.out).contains(part), "{words:?}");
    }
}
