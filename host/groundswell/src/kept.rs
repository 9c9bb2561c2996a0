//! Runs that outlive the process.

use gsw_abi::run_status::RunStatus;
use gsw_driver::engine::Info;

/// A run of the store, whichever process runs it.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptRun {
    /// By which it is resumed and answered.
    pub id: String,
    /// The name of its workflow.
    pub workflow: String,
    /// How far it is.
    pub status: RunStatus,
    /// What it waits for, as text.
    pub waits_for: Option<String>,
    /// In nanoseconds since 1970.
    pub started: i64,
    /// When it is due if nothing happens before, likewise.
    pub due: Option<i64>,
}

impl KeptRun {
    pub(crate) fn of(info: Info) -> Self {
        Self {
            status: info.shown_status(),
            id: info.id,
            workflow: info.workflow,
            waits_for: info.waiting,
            started: info.begun,
            due: info.wake,
        }
    }
}
