//! Performs what needs a thread of its own while it lasts: work on files, and programs of the system.

use std::sync::Arc;

use crate::driver::call::Completion;
use crate::driver::network::{resolved, runtime, unavailable};
use crate::driver::perform::Handle;
use crate::driver::permissions::Permissions;
use crate::driver::process::{self, Group, Surroundings};
use crate::host::Variables;
use crate::operation::{ExecRequest, Outcome, Request};

/// The machine that runs are on.
pub(crate) struct System {
    pub(crate) variables: Arc<Variables>,
    pub(crate) permissions: Arc<Permissions>,
}

impl System {
    pub(crate) fn work_on_files(&self, request: Request, completion: Completion) -> Handle {
        match runtime() {
            Ok(runtime) => {
                let permissions = Arc::clone(&self.permissions);
                runtime.spawn_blocking(move || {
                    completion.complete(permissions.perform_on_files(request));
                });
            }
            Err(why) => completion.complete(unavailable("work on files", &why)),
        }
        Handle::None
    }

    pub(crate) fn execute(&self, request: ExecRequest, completion: Completion) -> Handle {
        let added = match resolved(&request.env, &self.variables) {
            Ok(added) => added,
            Err(failure) => {
                completion.complete(Outcome::Failed(failure));
                return Handle::None;
            }
        };
        let around = Surroundings {
            inherited: self.permissions.inherited(),
            added,
        };
        match runtime() {
            Ok(runtime) => {
                let group = Group::default();
                let of_program = group.clone();
                runtime.spawn_blocking(move || {
                    completion.complete(process::perform(&request, &around, &of_program));
                });
                Handle::Process(group)
            }
            Err(why) => {
                completion.complete(unavailable("running programs", &why));
                Handle::None
            }
        }
    }
}
