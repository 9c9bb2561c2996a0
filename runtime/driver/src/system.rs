//! Performs operations of the local machine: work on files, and programs of the system.

use std::sync::{Arc, OnceLock};

use gsw_engine::operation::{ExecRequest, Outcome, Request};

use crate::allowance::Allowance;
use crate::commands::{Command, Commands};
use crate::files::FileWork;
use crate::host::Variables;
use crate::network::resolved;
use crate::perform::Handle;
use crate::permissions::Permissions;
use crate::pool::Pool;
use crate::process::Surroundings;
use crate::work::{Completion, Job, Work};

/// Files that are worked on at once; more wait. A guess.
const FILES: usize = 32;

/// The machine that runs are on.
pub(crate) struct System {
    pub(crate) variables: Arc<Variables>,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) files: Pool,
    pub(crate) commands: Commands,
}

impl System {
    /// With the threads that all engines of the process share.
    pub(crate) fn shared(variables: Arc<Variables>, permissions: Arc<Permissions>) -> Self {
        static FILE_THREADS: OnceLock<Pool> = OnceLock::new();
        let files = FILE_THREADS.get_or_init(|| Pool::new("gsw-files", FILES));
        Self {
            variables,
            permissions,
            files: files.clone(),
            commands: Commands::shared().clone(),
        }
    }

    pub(crate) fn work_on_files(
        &self,
        request: Request,
        allowance: Allowance,
        completion: Completion,
    ) -> Handle {
        let work = Work::default();
        let (permissions, pool) = (Arc::clone(&self.permissions), self.files.clone());
        let perform = move |work: &Work| {
            let work = FileWork {
                work,
                allowance: &allowance,
                pool: Some(&pool),
            };
            permissions.perform_on_files(&request, &work)
        };
        self.files.run(Job::new(work.clone(), perform, completion));
        Handle::Files(work)
    }

    pub(crate) fn execute(
        &self,
        request: ExecRequest,
        allowance: Allowance,
        completion: Completion,
    ) -> Handle {
        let added = match resolved(&request.env, &self.variables) {
            Ok(added) => added,
            Err(failure) => {
                completion.deliver(Outcome::Failed(failure));
                return Handle::None;
            }
        };
        let inherited = self.permissions.inherited();
        let handle = self.commands.handle();
        let command = Command {
            request,
            around: Surroundings { inherited, added },
            allowance,
            completion,
        };
        self.commands.run(command, &handle);
        Handle::Command(handle)
    }
}
