//! Which build of a program resumes a run: the one that began it, where it still exists; else this one.
//!
//! A run knows the path of its program and the sum of its image. What has another sum is another build, whatever its name: it
//! may ask for something else, which is found before anything is done.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::Engine;
use gsw_driver::engine::resuming::image_digest;
use gsw_engine::load::{Loaded, footer};
use gsw_journal::list::Info;
use gsw_journal::record::Hash;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};

use crate::arguments::{BuiltinOptions, EventSink, ResultForm, TapeOption, Verbosity};

/// What is known of the build that began a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Build {
    This,
    /// It exists and is unchanged.
    There(PathBuf),
    /// Another one is in its place.
    Changed(PathBuf),
    Gone(PathBuf),
    /// What is in its place cannot be read.
    Unreadable {
        path: PathBuf,
        why: String,
    },
}

impl Build {
    pub(crate) fn of(engine: &Engine, info: &Info) -> Self {
        Self::beside(engine.image(), info)
    }

    /// The build that resumes a run, beside a program with this image.
    fn beside(image: Hash, info: &Info) -> Self {
        if info.image == image {
            return Self::This;
        }
        Self::at(PathBuf::from(&info.program), &info.image)
    }

    /// What there is now of a program that had this image.
    fn at(path: PathBuf, image: &Hash) -> Self {
        match footer::sum_of(&path) {
            Ok(Some(sum)) if sum == *image => Self::There(path),
            Ok(_) => Self::Changed(path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::Gone(path),
            Err(error) => Self::Unreadable {
                path,
                why: error.to_string(),
            },
        }
    }

    /// The note on a run that this build does not resume.
    pub(crate) fn note(&self) -> String {
        match self {
            Self::This => String::new(),
            Self::There(path) => format!("it was begun by `{}`", path.display()),
            Self::Changed(path) => format!(
                "it was begun by another build of `{}`, which no longer exists",
                path.display()
            ),
            Self::Gone(path) => {
                format!("it was begun by `{}`, which is gone", path.display())
            }
            Self::Unreadable { path, why } => format!(
                "it was begun by `{}`, which cannot be read: {why}",
                path.display()
            ),
        }
    }
}

/// Lets the build that began a run do what was asked for, where that is another one and still there. Comes back when it is this
/// one, or with why that failed.
pub(crate) fn hand_over(
    loaded: &Loaded,
    store: &RunStore,
    id: &str,
    words: &[String],
    options: &BuiltinOptions,
) -> Option<String> {
    // The resume here reports what is wrong with the store or the id.
    let info = store.existing().and_then(|it| it.find(id)).ok()?;
    match Build::beside(image_digest(loaded), &info) {
        Build::There(program) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            Some(become_it(&program, &words, options, store.path()))
        }
        Build::This | Build::Changed(_) | Build::Gone(_) | Build::Unreadable { .. } => None,
    }
}

/// Becomes the program that began a run, which does what was asked for. Comes back only when that fails.
pub(crate) fn become_it(
    program: &Path,
    words: &[&str],
    options: &BuiltinOptions,
    store: &Path,
) -> String {
    let why = run(program, &all_words(words, options, store));
    format!(
        "`{}`, which began the run, cannot be started: {why}; `runs migrate` moves it to this build",
        program.display()
    )
}

fn all_words(words: &[&str], options: &BuiltinOptions, store: &Path) -> Vec<OsString> {
    let mut all: Vec<OsString> = ["runs"].iter().chain(words).map(Into::into).collect();
    all.extend(["--store".into(), store.as_os_str().to_owned()]);
    all.extend(words_of(options).into_iter().map(OsString::from));
    all
}

/// Starts the program that began a run as a child process; its result is ignored.
pub(crate) fn start(
    program: &Path,
    words: &[&str],
    options: &BuiltinOptions,
    store: &Path,
) -> std::io::Result<Child> {
    Command::new(program)
        .args(all_words(words, options, store))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
}

/// Asks a program that was started to end, as a terminal or a service manager would.
#[cfg(unix)]
pub(crate) fn tell_to_end(process: &Child) {
    // One that has ended needs no signal; it is not reaped before, so its process id is not reused.
    let _ = kill_process(Pid::from_child(process), Signal::TERM);
}

#[cfg(not(unix))]
pub(crate) fn tell_to_end(_: &Child) {}

#[cfg(unix)]
fn run(program: &Path, words: &[OsString]) -> String {
    use std::os::unix::process::CommandExt;
    // In the place of this process: signals, the terminal and the exit code are the program's.
    Command::new(program).args(words).exec().to_string()
}

#[cfg(not(unix))]
fn run(program: &Path, words: &[OsString]) -> String {
    match Command::new(program).args(words).status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(70)),
        Err(error) => error.to_string(),
    }
}

/// Options as they are written, but for the store.
fn words_of(options: &BuiltinOptions) -> Vec<String> {
    let BuiltinOptions {
        // A run resumes with its original model and purpose.
        model: _,
        entry: _,
        store: _,
        events,
        form,
        memory,
        cache,
        tape,
        idle,
        verbosity,
    } = options;
    let mut words = Vec::new();
    let mut give = |name: &str, value: &str| words.push(format!("--{name}={value}"));
    match events {
        None => {}
        Some(EventSink::Standard) => give("events", "-"),
        Some(EventSink::File(file)) => give("events", file),
    }
    if let Some(bytes) = memory {
        give("memory", &format!("{bytes}B"));
    }
    if let Some(cache) = cache {
        give("cache", cache);
    }
    match idle {
        None => {}
        Some(Duration::MAX) => give("idle", "never"),
        Some(idle) => give("idle", &format!("{}s", idle.as_secs_f64())),
    }
    match tape {
        TapeOption::Off => {}
        TapeOption::Record(file) => give("record", file),
        TapeOption::Replay(file) => give("replay", file),
    }
    match form {
        ResultForm::Plain => {}
        ResultForm::Json => words.push("--json".into()),
        ResultForm::Pretty => words.push("--pretty".into()),
        ResultForm::Raw => words.push("--raw".into()),
    }
    match verbosity {
        Verbosity::Normal => {}
        Verbosity::Quiet => words.push("--quiet".into()),
    }
    words
}

#[cfg(test)]
mod tests {
    use super::Build;

    #[test]
    fn a_program_that_cannot_be_read_is_not_taken_for_another_build() {
        let folder = std::env::temp_dir();
        let missing = Build::at(folder.join("gsw-no-such-program"), &[0; 32]);
        assert!(matches!(missing, Build::Gone(_)), "{missing:?}");
        let folder = Build::at(folder, &[0; 32]);
        assert!(matches!(folder, Build::Unreadable { .. }), "{folder:?}");
        assert!(folder.note().contains("cannot be read: "));
    }
}
