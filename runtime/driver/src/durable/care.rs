//! What must be recorded before an operation begins. Every request is named.

use gsw_engine::operation::{Operation, Request};
use gsw_tree::class::Class;

/// What must have been recorded before an operation begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Care {
    /// Nothing: it costs nothing, changes nothing and waits for no person.
    None,
    /// All that led to it is on the disk, and the run is recorded from now on. The operation may be repeated.
    Written,
    /// That it begins is on the disk: it must not happen twice.
    Intent,
}

/// The models of the simulator cost nothing.
const SIMULATED: &str = "sim/";

impl Care {
    pub(crate) fn of(operation: &Operation) -> Self {
        match &operation.request {
            Request::Sleep { .. }
            | Request::Now
            | Request::Random
            | Request::RandomInt { .. }
            | Request::Uuid
            | Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::EnvGet { .. }
            | Request::LookUp { .. }
            | Request::Compile { .. }
            // The whole answer is what must not be lost.
            | Request::Piece { .. }
            // What it keeps is in the run already.
            | Request::Keep { .. }
            | Request::MediaUrl { .. } => Self::None,
            Request::Model { request, .. } if request.model.starts_with(SIMULATED) => Self::None,
            // A scripted model of a test is treated like a model that costs money.
            Request::Model { .. } | Request::Scripted { .. } | Request::StartRun { .. } => {
                Self::Written
            }
            Request::Human { .. } | Request::External { .. } => Self::Intent,
            Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. }
            | Request::Exec { .. }
            | Request::Http { .. }
            | Request::Mcp { .. }
            | Request::OtherRun { .. }
            | Request::Mocked { .. }
            | Request::Host { .. } => match operation.class {
                Class::Pure | Class::Reads => Self::None,
                Class::Idempotent => Self::Written,
                Class::Once => Self::Intent,
            },
        }
    }
}
