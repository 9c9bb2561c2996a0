//! Runs `gswc` and built programs as a user does, and gives their output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The top of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there")
}

/// A folder for what a test makes, removed with the target folder.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// The output of a process and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

/// Runs a process in the repository's top folder with no input, no keys and the simulator as its only model.
pub fn run(program: &Path, words: &[&str]) -> Said {
    said(command(program, words).env("GSW_MODEL", "sim/default"))
}

fn command(program: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(words)
        .current_dir(root())
        .stdin(Stdio::null())
        .env("GSW_CACHE", "off")
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .env_remove("GSW_MODEL");
    command
}

/// Runs a program with a text on standard input, which then ends.
pub fn run_with_input(program: &Path, words: &[&str], input: &str) -> Said {
    let mut command = command(program, words);
    command
        .env("GSW_MODEL", "sim/default")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be started");
    let mut pipe = child.stdin.take().expect("its input is a pipe");
    // A program that wants none of it may have ended.
    let _ = std::io::Write::write_all(&mut pipe, input.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("it ends").into()
}

fn said(command: &mut Command) -> Said {
    match command.output() {
        Ok(output) => output.into(),
        Err(error) => panic!("{command:?} cannot be started: {error}"),
    }
}

/// Runs `gswc` with the programs' own models and no keys for them.
pub fn without_keys(words: &[&str]) -> Said {
    said(&mut command(Path::new(GSWC), words))
}

pub const GSWC: &str = env!("CARGO_BIN_EXE_gswc");

pub fn gswc(words: &[&str]) -> Said {
    run(Path::new(GSWC), words)
}

/// Runs `gswc` in another folder.
pub fn gswc_in(folder: &Path, words: &[&str]) -> Said {
    let mut command = command(Path::new(GSWC), words);
    said(command.env("GSW_MODEL", "sim/default").current_dir(folder))
}

/// Runs `gswc` with the models that programs themselves name.
pub fn without_model(words: &[&str]) -> Said {
    said(&mut command(Path::new(GSWC), words))
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

/// Runs a program in memory and as a built file, asserts that both outputs are equal, and gives it.
pub fn run_both_ways(file: &Path, arguments: &[&str]) -> Said {
    run_both_ways_with_input(file, arguments, "")
}

/// Like [`run_both_ways`], with a text on standard input each time.
pub fn run_both_ways_with_input(file: &Path, arguments: &[&str], input: &str) -> Said {
    let mut words = vec!["run", text(file), "--"];
    words.extend(arguments);
    let in_memory = run_with_input(Path::new(GSWC), &words, input);
    let name = text(file).replace(['/', '.', '\\'], "_");
    let built = scratch("built").join(name);
    let build = gswc(&["build", text(file), "-o", text(&built)]);
    assert_eq!(
        build.code,
        Some(0),
        "{} does not build:\n{}",
        file.display(),
        build.err
    );
    let from_file = run_with_input(&built, arguments, input);
    std::fs::remove_file(&built).expect("a file that was just run can be removed");
    assert_eq!(
        in_memory.out,
        from_file.out,
        "{}: output differs when built",
        file.display()
    );
    assert_eq!(
        in_memory.code,
        from_file.code,
        "{}: exit differs when built",
        file.display()
    );
    in_memory
}
