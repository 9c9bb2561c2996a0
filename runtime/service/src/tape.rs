//! `--record` and `--replay`: a file into which a run records the answers of models, or from which it replays them.

use std::path::PathBuf;
use std::sync::Arc;

use gsw_agents::{Cassette, Environment, Playing, Recording};
use gsw_driver::host::UsedSecrets;
use gsw_driver::tape::Tape;
use gsw_engine::run::{Finished, RunResult};
use serde_json::json;

use crate::arguments::{BuiltinOptions, ResultForm, TapeOption, Verbosity};
use crate::exit::Exit;
use crate::say::{self, say};

/// What a run's options say of models.
pub(crate) enum Taping {
    Off,
    Records {
        path: PathBuf,
        recording: Arc<Recording>,
    },
    Plays {
        cassette: Arc<Cassette>,
        playing: Arc<Playing>,
    },
}

impl Taping {
    /// Opens the file, before anything is paid for.
    ///
    /// # Errors
    /// When it cannot be written, or is no cassette.
    pub(crate) fn begin(option: &TapeOption, secrets: UsedSecrets) -> Result<Self, String> {
        match option {
            TapeOption::Off => Ok(Self::Off),
            TapeOption::Record(path) => {
                let path = PathBuf::from(path);
                Cassette::check_writable(&path)?;
                let recording = Recording::new(&Environment::process(), secrets);
                Ok(Self::Records {
                    path,
                    recording: Arc::new(recording),
                })
            }
            TapeOption::Replay(path) => {
                let path = PathBuf::from(path);
                let cassette = Arc::new(Cassette::read(&path)?);
                let command = format!("`--record {}`", path.display());
                let playing = Playing::new(Arc::clone(&cassette), None, &command, secrets);
                Ok(Self::Plays {
                    cassette,
                    playing: Arc::new(playing),
                })
            }
        }
    }

    pub(crate) fn tape(&self) -> Tape {
        match self {
            Self::Off => Tape::Off,
            Self::Records { recording, .. } => Tape::Records(Arc::clone(recording) as _),
            Self::Plays { playing, .. } => Tape::Plays(Arc::clone(playing) as _),
        }
    }

    /// Writes what was recorded, and says what was not played. Returns the exit code of a run that has this one without it.
    pub(crate) fn end(&self, options: &BuiltinOptions, exit: Exit) -> Exit {
        match self.finish() {
            Ok(notes) => {
                if exit == Exit::Done && options.verbosity == Verbosity::Normal {
                    notes.iter().for_each(|it| say(&format!("note: {it}")));
                }
                exit
            }
            Err(why) => {
                let failed = tell_failure(options, &why);
                if exit == Exit::Done { failed } else { exit }
            }
        }
    }

    /// Writes what was recorded; returns what there is to say.
    ///
    /// # Errors
    /// When the file is not written: why.
    fn finish(&self) -> Result<Vec<String>, String> {
        match self {
            Self::Off => Ok(Vec::new()),
            Self::Records { path, recording } => {
                let records = recording.finish(None);
                let records =
                    records.map_err(|why| format!("`{}` is not written: {why}", path.display()))?;
                Cassette::write(path, &records)?;
                Ok(Vec::new())
            }
            Self::Plays { cassette, .. } => {
                let path = cassette.path().display();
                let unused = cassette.unused().into_iter();
                let notes = unused.map(|it| format!("{path}, {it}: the run did not ask for this"));
                Ok(notes.collect())
            }
        }
    }
}

/// Why the value of a run is none: it asked what was not recorded, and caught that.
pub(crate) fn unasked(finished: &Finished) -> Option<&str> {
    match &finished.result {
        RunResult::Value(_) => finished.fault.as_deref(),
        RunResult::Raised(_)
        | RunResult::Cancelled
        | RunResult::InvalidInput(_)
        | RunResult::Internal(_)
        | RunResult::Left(_) => None,
    }
}

pub(crate) fn tell_failure(options: &BuiltinOptions, why: &str) -> Exit {
    if options.form == ResultForm::Json {
        say::say_json(&json!({ "error": "AssertionFailed", "message": why }).to_string());
    } else {
        say::say_lines(&format!("error: {why}\n"));
    }
    Exit::Raised
}
