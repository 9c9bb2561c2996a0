//! Errors that the run itself raises.

use gsw_abi::builtin::BuiltinError;

use crate::operation::Failure;
use crate::run::Run;
use crate::value::{error, string};

impl Run {
    /// A built-in error without fields.
    pub(crate) fn fault(&mut self, kind: BuiltinError) -> u64 {
        error::new(&mut self.heap, kind, &[])
    }

    /// `Failed`
    pub(crate) fn failed(&mut self, message: &str) -> u64 {
        error::with_text(&mut self.heap, BuiltinError::Failed, message)
    }

    /// `Internal`
    pub(crate) fn internal(&mut self, message: &str) -> u64 {
        error::with_text(&mut self.heap, BuiltinError::Internal, message)
    }

    /// A record that the runtime makes does not fit its type: a mistake of ours, unless making it was interrupted.
    pub(crate) fn no_record(&mut self, message: &str) -> u64 {
        let interruption = self.heap.interruption();
        interruption.unwrap_or_else(|| self.internal(message))
    }

    /// The error of an operation that could not be done.
    pub(crate) fn error_of_failure(&mut self, failure: Failure) -> u64 {
        match failure {
            Failure::Io { path, message } => {
                // A `string?` is the string itself, or 0.
                let path = path.map_or(0, |path| string::new(&mut self.heap, &path));
                let message = string::new(&mut self.heap, &message);
                error::new(&mut self.heap, BuiltinError::IoError, &[path, message])
            }
            Failure::Denied { what } => {
                error::with_text(&mut self.heap, BuiltinError::PermissionDenied, &what)
            }
            Failure::Timeout { nanoseconds } => {
                error::new(&mut self.heap, BuiltinError::Timeout, &[nanoseconds as u64])
            }
            Failure::Tool { tool, message } => {
                let tool = string::new(&mut self.heap, &tool);
                let message = string::new(&mut self.heap, &message);
                error::new(&mut self.heap, BuiltinError::ToolFailed, &[tool, message])
            }
            Failure::Declined { reason } => {
                // A `string?` is the string itself.
                error::with_text(&mut self.heap, BuiltinError::Cancelled, &reason)
            }
            // Whoever gave it up unwinds, and nobody else is told of it.
            Failure::Stopped => self.failed("it was given up"),
            Failure::TooLarge => self.fault(BuiltinError::OutOfMemory),
            Failure::Other { message } => self.failed(&message),
        }
    }
}
