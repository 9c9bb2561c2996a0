//! A run takes the same path in another process: what was brought to it is all that reaches it.
//!
//! Every program of `tests/run`, of the conformance programs and of the examples runs in one process, which records what was
//! brought to it, and again from that in two others. These have another environment, folder, time, address space and hash
//! seed; in one of them several runs share the threads, in the other programs come in another order. Every event, request
//! and result must be the same, byte for byte.
//!
//! The processes are this very program, controlled by variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gsw_driver::scripted::{Around, Brought, Entry, Report, Script, replay, run};
use gsw_engine::load::Loaded;
use serde_json::{Map, Value};

use crate::in_process::{compiled_image, image, simulated};
use crate::page::{cases, pages, write_project};
use crate::perturb::simulator;
use crate::program::{root, scratch};

/// How many runs share a process at once where several do.
const AT_ONCE: usize = 4;

/// One program, with the input of its `main`.
struct Program {
    place: String,
    file: PathBuf,
    /// Where it is all of the program.
    source: Option<String>,
    input: Map<String, Value>,
}

impl Program {
    fn image(&self) -> Option<Arc<[u8]>> {
        if let Some(source) = &self.source {
            return compiled_image(source);
        }
        let mut db = gsw_source::Database::default();
        gsw_project::open_project(&mut db, &self.file, &gsw_source::Disk).ok()?;
        image(&db).ok().map(Arc::from)
    }
}

/// What each process does with the programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Record,
    ReplayAtOnce,
    ReplayBackwards,
}

impl Task {
    const REPLAYS: [Self; 2] = [Self::ReplayAtOnce, Self::ReplayBackwards];

    const fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::ReplayAtOnce => "at-once",
            Self::ReplayBackwards => "backwards",
        }
    }

    fn of(name: &str) -> Self {
        let all = [Self::Record, Self::ReplayAtOnce, Self::ReplayBackwards];
        let found = all.into_iter().find(|it| it.name() == name);
        found.expect("the parent knows the tasks")
    }
}

// G4, G13: nothing reaches a run but what is brought to it.
#[test]
fn every_program_takes_the_same_path_elsewhere() {
    let folder = scratch("elsewhere");
    let mut places = BTreeMap::new();
    for (number, program) in programs().into_iter().enumerate() {
        // What does not compile is another test's affair.
        let Some(image) = program.image() else {
            continue;
        };
        let name = format!("{number:04}");
        write(&folder, &name, "image", &image);
        let input = serde_json::to_vec(&program.input).expect("it is JSON");
        write(&folder, &name, "input", &input);
        places.insert(name, program.place);
    }
    assert!(places.len() > 200, "{} programs compile", places.len());
    for task in [Task::Record, Task::ReplayAtOnce, Task::ReplayBackwards] {
        let names: Vec<&str> = places.keys().map(String::as_str).collect();
        in_a_process(task, &folder, &names);
    }
    let mut wrong = Vec::new();
    let mut ended = 0;
    for (name, place) in &places {
        let was = read(&folder, name, Task::Record.name());
        ended += usize::from(was.contains("\nresult Value("));
        for task in Task::REPLAYS {
            let is = read(&folder, name, task.name());
            let pairs = was.lines().zip(is.lines());
            if let Some((was, is)) = pairs.into_iter().find(|(was, is)| was != is) {
                wrong.push(format!("{place}: {}:\n  {was}\n  {is}", task.name()));
            } else if was != is {
                wrong.push(format!("{place}: {}: one is longer", task.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Most programs come to an end of their own, so that there is something to compare.
    assert!(ended * 2 > places.len(), "{ended} of {}", places.len());
}

/// What the other processes do. In a process that is none of them it does nothing.
#[test]
fn as_another_process() {
    let (Ok(task), Ok(folder), Ok(names)) = (
        std::env::var("ELSEWHERE_TASK"),
        std::env::var("ELSEWHERE_FOLDER"),
        std::env::var("ELSEWHERE_NAMES"),
    ) else {
        return;
    };
    let (task, folder) = (Task::of(&task), PathBuf::from(folder));
    let mut names: Vec<&str> = names.split(' ').collect();
    // What one program leaves with the process, the cache among it, is there for the next.
    let around = simulated();
    match task {
        Task::Record => {}
        Task::ReplayBackwards => names.reverse(),
        Task::ReplayAtOnce => {
            let next = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..AT_ONCE {
                    scope.spawn(|| {
                        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                            carry(task, &folder, name, &around);
                        }
                    });
                }
            });
            return;
        }
    }
    for name in names {
        carry(task, &folder, name, &around);
    }
}

/// Runs one program, or replays it, and writes down what could be seen.
fn carry(task: Task, folder: &Path, name: &str, around: &Around) {
    let image = std::fs::read(path(folder, name, "image")).expect("the parent wrote it");
    let loaded = Arc::new(Loaded::from_bytes(&image).expect("it is an image"));
    let input = read(folder, name, "input");
    let workflows = &loaded.program.workflows;
    let Some(index) = workflows.iter().position(|it| it.name == "main") else {
        return write(folder, name, task.name(), b"no main");
    };
    let input = serde_json::from_str(&input).expect("it is JSON");
    let entry = Entry::Workflow { index, input };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&seen);
    let mut around = around.clone();
    around.receivers.listener = Some(Arc::new(move |event| {
        // A run that this one detaches is a run of its own, and not brought back with it.
        if &*event.run != "scripted" {
            return;
        }
        let line = serde_json::to_string(event).expect("events are JSON");
        hears.lock().expect("no listener panics").push(line);
    }));
    let report = match task {
        Task::Record => {
            let script = Script {
                latency: Some(77),
                answer: Some(simulator()),
                ..Script::default()
            };
            run(&loaded, &around, entry, script)
        }
        Task::ReplayAtOnce | Task::ReplayBackwards => {
            let record = read(folder, name, "brought");
            // By way of a tree, as numbers inside of tagged enums can be read from there only.
            let tree: Value = serde_json::from_str(&record).expect("it was written");
            let record: Vec<Brought> = serde_json::from_value(tree).expect("it reads back");
            replay(&loaded, &around, entry, record)
        }
    };
    let record = report.as_ref().map_or(&[][..], |it| &it.record);
    if task == Task::Record {
        let record = serde_json::to_vec(record).expect("records are JSON");
        write(folder, name, "brought", &record);
    }
    let events = seen.lock().expect("no listener panics").join("\n");
    let text = format!("{events}\n{}", text(report.as_ref()));
    write(folder, name, task.name(), text.as_bytes());
}

fn text(report: Option<&Report>) -> String {
    let Some(report) = report else {
        return "it does not end".into();
    };
    let requested: Vec<String> = report
        .requested
        .iter()
        .map(|it| format!("request {it:?}\n"))
        .collect();
    let finished = &report.finished;
    format!(
        "{}result {:?}\nfault {:?}\nleft {}\n",
        requested.concat(),
        finished.result,
        finished.fault,
        finished.live_objects
    )
}

fn in_a_process(task: Task, folder: &Path, names: &[&str]) {
    let program = std::env::current_exe().expect("it runs");
    let mut command = Command::new(program);
    command
        .args(["--exact", "elsewhere::as_another_process", "-q"])
        .env("ELSEWHERE_TASK", task.name())
        .env("ELSEWHERE_FOLDER", folder)
        .env("ELSEWHERE_NAMES", names.join(" "))
        .env_remove("GSW_MODEL");
    let inside = folder.join(task.name());
    std::fs::create_dir_all(&inside).expect("the target folder can be written");
    command.current_dir(&inside);
    if task != Task::Record {
        for (name, value) in [
            ("TZ", "Pacific/Chatham"),
            ("LANG", "tr_TR.UTF-8"),
            ("LC_ALL", "tr_TR.UTF-8"),
            ("HOME", "/nowhere"),
            ("PATH", "/nowhere"),
            ("USER", "nobody"),
            ("TMPDIR", "/nowhere"),
            ("GSW_MODEL", "sim/other"),
            ("GSW_PRICES", "{}"),
            ("ANTHROPIC_API_KEY", "k"),
            ("HTTPS_PROXY", "http://127.0.0.1:1"),
            ("NO_COLOR", "1"),
        ] {
            command.env(name, value);
        }
    }
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{}: {}{}",
        task.name(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for page in pages(&root().join("tests/run")) {
        let name = page.file_stem().unwrap_or_default().to_string_lossy();
        let content = std::fs::read_to_string(&page).expect("pages can be read");
        for (index, case) in cases(&content).into_iter().enumerate() {
            programs.push(Program {
                place: format!("{name}.md: {}", case.claim),
                file: write_project("elsewhere-programs", &name, index, &case),
                source: case.files.is_empty().then_some(case.source),
                input: Map::new(),
            });
        }
    }
    for folder in ["tests/conformance/run", "examples"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("it is there");
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.expect("a folder can be listed").path())
            .filter(|path| path.extension().is_some_and(|it| it == "gsw"))
            .collect();
        files.sort();
        programs.extend(files.into_iter().map(|file| Program {
            place: file.display().to_string(),
            input: input(&file),
            file,
            source: None,
        }));
    }
    programs
}

/// The input beside a program: one option, one space, and the rest of the line is its value.
fn input(file: &Path) -> Map<String, Value> {
    let line = if file.ends_with("review.gsw") {
        format!("--dir {}", root().join("runtime/abi").display())
    } else {
        std::fs::read_to_string(file.with_extension("args")).unwrap_or_default()
    };
    let Some((name, value)) = line.trim_end().split_once(' ') else {
        return Map::new();
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    [(name.trim_start_matches('-').replace('-', "_"), value)]
        .into_iter()
        .collect()
}

fn path(folder: &Path, name: &str, what: &str) -> PathBuf {
    folder.join(format!("{name}.{what}"))
}

fn write(folder: &Path, name: &str, what: &str, bytes: &[u8]) {
    std::fs::write(path(folder, name, what), bytes).expect("the target folder can be written");
}

fn read(folder: &Path, name: &str, what: &str) -> String {
    let path = path(folder, name, what);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
