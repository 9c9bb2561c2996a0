//! What is known of an operation that has no outcome: by what it is known again, and what it needs meanwhile.

use gsw_engine::operation::{Operation, Request};
use gsw_journal::record::{Identity, digest};

/// Who waits for so long, in nanoseconds, need not have a process.
const LONG: i64 = 60_000_000_000;

/// An operation as it is known again.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) of: Identity,
    /// In a few words.
    pub(crate) what: String,
    /// The name of the `human` or `external` that is asked.
    pub(crate) asks: Option<String>,
    /// Time and people need no process.
    needs: Needs,
    /// It is written down already that it begins.
    pub(crate) is_intended: bool,
}

impl Asked {
    pub(crate) fn of(operation: &Operation) -> Self {
        Self {
            of: Identity {
                operation: operation.id.0,
                fingerprint: digest(&operation.identity()),
            },
            what: operation.request.summary(),
            asks: operation.request.asks().map(str::to_owned),
            needs: Needs::of(&operation.request),
            is_intended: false,
        }
    }
}

/// What an operation needs while it has no outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    Process,
    /// A person, or the world outside.
    Somebody,
    /// Time, and much of it.
    Time,
}

impl Needs {
    fn of(request: &Request) -> Self {
        match request {
            Request::Human { .. } | Request::External { .. } => Self::Somebody,
            Request::Sleep { nanoseconds } if *nanoseconds >= LONG => Self::Time,
            Request::Sleep { .. }
            | Request::Now
            | Request::Random
            | Request::RandomInt { .. }
            | Request::Uuid
            | Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. }
            | Request::EnvGet { .. }
            | Request::MediaUrl { .. }
            | Request::Model { .. }
            | Request::Scripted { .. }
            | Request::LookUp { .. }
            | Request::Keep { .. }
            | Request::StartRun { .. }
            | Request::Exec { .. }
            | Request::Http { .. }
            | Request::OtherRun { .. }
            | Request::Host { .. } => Self::Process,
        }
    }
}

/// What is known of an operation without an outcome. To make an identity of it costs more than many operations do, so that waits
/// until the run is written down.
pub(super) enum Known {
    Whole(Box<Operation>),
    Asked(Asked),
}

impl Known {
    pub(super) fn asked(self) -> Asked {
        match self {
            Self::Whole(operation) => Asked::of(&operation),
            Self::Asked(asked) => asked,
        }
    }

    pub(super) fn needs(&self) -> Needs {
        match self {
            Self::Whole(operation) => Needs::of(&operation.request),
            Self::Asked(asked) => asked.needs,
        }
    }
}
