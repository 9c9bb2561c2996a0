//! What can go wrong between a host and its workflows.

use std::fmt;

use gsw_engine::run::{Left, RunError};
use gsw_notation::issue::Issue;
use serde::de::DeserializeOwned;

/// Why a run gave no value.
#[derive(Debug)]
pub enum Error {
    /// The workflow raised an error that it did not catch.
    Raised(Box<RunError>),
    /// The run was cancelled before its end.
    Cancelled,
    /// It did not begin: the input does not fit its parameters.
    InvalidInput(Vec<Issue>),
    /// The value does not fit the type that the host asked for.
    Output {
        /// The value that does not fit, as JSON.
        value: String,
        /// Why it does not fit.
        error: serde_json::Error,
    },
    /// A fault of Groundswell itself.
    Internal(String),
    /// The run has not ended, and this process does not carry it any more.
    Left(Left),
}

impl Error {
    /// The fields of the workflow's error, when it raised one of this kind.
    ///
    /// `error.raised::<DeployFailed>("DeployFailed")` is `None` for another error, and for one whose fields do not fit.
    #[must_use]
    pub fn raised<T: DeserializeOwned>(&self, kind: &str) -> Option<T> {
        let Self::Raised(raised) = self else {
            return None;
        };
        if raised.error != kind {
            return None;
        }
        serde_json::from_value(raised.fields.clone()).ok()
    }

    /// The error as JSON, as a built program prints it with `--json`.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Raised(raised) => serde_json::to_value(raised).unwrap_or_default(),
            Self::InvalidInput(issues) => {
                serde_json::json!({ "error": "InvalidInput", "message": self.to_string(), "issues": issues })
            }
            Self::Cancelled => {
                serde_json::json!({ "error": "Cancelled", "message": self.to_string() })
            }
            Self::Output { .. } => {
                serde_json::json!({ "error": "Output", "message": self.to_string() })
            }
            Self::Internal(message) => {
                serde_json::json!({ "error": "Internal", "message": message })
            }
            Self::Left(_) => {
                serde_json::json!({ "error": "Left", "message": self.to_string() })
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised(raised) => {
                write!(f, "{}: {}", raised.error, raised.message)?;
                if raised.path.is_empty() {
                    return Ok(());
                }
                write!(f, " (in {})", raised.path)
            }
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::InvalidInput(issues) => {
                f.write_str("the input does not fit")?;
                for issue in issues {
                    write!(f, "; {}: {}", issue.path, issue.message)?;
                }
                Ok(())
            }
            Self::Output { error, .. } => {
                write!(f, "the value does not fit the requested type: {error}")
            }
            Self::Internal(message) => write!(f, "internal error of Groundswell: {message}"),
            Self::Left(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Output { error, .. } => Some(error),
            Self::Raised(_)
            | Self::InvalidInput(_)
            | Self::Cancelled
            | Self::Internal(_)
            | Self::Left(_) => None,
        }
    }
}

/// Why a host cannot be made, or cannot start a run.
#[derive(Debug)]
pub enum HostError {
    /// The program has no workflow of this name.
    UnknownWorkflow {
        /// The name that was asked for.
        name: String,
        /// The names of the workflows that the program has.
        known: Vec<String>,
    },
    /// The input is no JSON object, or cannot be written as one.
    Input(String),
    /// Tools that the program leaves to its host and that the host does not have.
    MissingTools(Vec<String>),
    /// Tools of the host that the program does not declare with `@host`.
    UnknownTools(Vec<String>),
    /// The model that replaces every agent's is of no provider, and no short name of the program; a sentence with the names.
    UnknownModel(String),
    /// The store of runs, or a run of it, cannot be used, with the reason.
    Store(String),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownWorkflow { name, known } => write!(
                f,
                "the program has no workflow `{name}`, only {}",
                listed(known)
            ),
            Self::Input(why) => write!(f, "the input must be an object of the parameters: {why}"),
            Self::MissingTools(names) => {
                write!(
                    f,
                    "the program needs tools of its host: {} (`HostBuilder::tool`)",
                    listed(names)
                )
            }
            Self::UnknownModel(why) | Self::Store(why) => f.write_str(why),
            Self::UnknownTools(names) => write!(
                f,
                "the program declares no `@host` tool of this name: {}",
                listed(names)
            ),
        }
    }
}

impl std::error::Error for HostError {}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(", ")
}
