//! Which performer performs which request. Permissions are checked here, before anything begins, and nowhere else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_engine::operation::{ExecRequest, Failure, Outcome, Request, Rights};
use gsw_engine::secret::Template;
use indexmap::IndexMap;

use crate::call::Call;
use crate::carrier::arriving::no_piece;
use crate::clock::{self, Clock};
use crate::compile;
use crate::engine::runs::Runs;
use crate::host::Variables;
use crate::masked::masking;
use crate::network::Network;
use crate::perform::{FromOutside, Handle, Outlet, Perform};
use crate::permissions::Permissions;
use crate::system::System;
use crate::work::Completion;

/// In which a command finds the key by which it is known in every life of its run.
const KEY_VARIABLE: &str = "GSW_IDEMPOTENCY_KEY";

/// What the runs of an engine reach outside of themselves.
pub(crate) struct Performers {
    pub(crate) clock: Clock,
    pub(crate) variables: Arc<Variables>,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) network: Network,
    pub(crate) system: System,
    pub(crate) runs: Arc<Runs>,
    /// The performers for programs that models have written, by what those may do.
    pub(crate) within: Mutex<IndexMap<Rights, Arc<Performers>>>,
}

/// The most written programs whose permissions are kept, with the folders that are open for them.
const KEPT_RIGHTS: usize = 64;

impl Performers {
    /// Those of a process, with the variables and permissions that the network has.
    pub(crate) fn new(clock: Clock, network: Network, runs: Arc<Runs>) -> Self {
        let (variables, permissions) = (
            Arc::clone(&network.variables),
            Arc::clone(&network.permissions),
        );
        Self {
            clock,
            system: System::shared(Arc::clone(&variables), Arc::clone(&permissions)),
            variables,
            permissions,
            network,
            runs,
            within: Mutex::default(),
        }
    }

    /// The performers for a written program, which may do no more than these rights say.
    fn within(&self, rights: &Rights) -> Arc<Self> {
        if let Some(known) = self.kept_within().get(rights) {
            return Arc::clone(known);
        }
        // Opening the folders takes as long as the file system wants, which must not hold up programs with other rights.
        let permissions = Arc::new(self.permissions.within(rights));
        let network = self.network.within(&permissions);
        let performers = Self::new(self.clock.clone(), network, Arc::clone(&self.runs));
        let performers = Arc::new(performers);
        let mut within = self.kept_within();
        if let Some(known) = within.get(rights) {
            return Arc::clone(known);
        }
        let oldest = (within.len() == KEPT_RIGHTS).then(|| within.shift_remove_index(0));
        within.insert(rights.clone(), Arc::clone(&performers));
        drop(within);
        drop(oldest);
        performers
    }

    fn kept_within(&self) -> MutexGuard<'_, IndexMap<Rights, Arc<Self>>> {
        // Nothing that can panic runs while the lock is held.
        self.within.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a written program may not ask this at all: it reaches beyond the run that it is part of.
fn beyond_run(request: &Request) -> Option<Failure> {
    let what = match request {
        Request::StartRun { .. } => "a run of its own",
        Request::OtherRun { .. } => "other runs",
        Request::External { .. } => "what comes from outside",
        Request::Host { .. } => "tools of the host",
        // The question would be the model's: it could ask for a password in the name of the program.
        Request::Human { .. } => "a person",
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
        | Request::Piece { .. }
        | Request::Scripted { .. }
        | Request::LookUp { .. }
        | Request::Keep { .. }
        | Request::Exec { .. }
        | Request::Http { .. }
        | Request::Mcp { .. }
        | Request::Mocked { .. }
        | Request::Compile { .. } => return None,
    };
    Some(Failure::Denied {
        what: format!("{what}, for a program that a model has written"),
    })
}

/// Whether what answers may have been given secrets, or found them, and may repeat them. What files hold stays as it is, so that a
/// program which reads and writes them changes nothing.
fn speaks_of_secrets(request: &Request) -> bool {
    matches!(
        request,
        Request::Exec { .. } | Request::Http { .. } | Request::Mcp { .. }
    )
}

/// A command that knows its idempotency key, which one of the program's own goes before.
fn with_key(mut request: ExecRequest, call: &Call) -> ExecRequest {
    let key = Template::plain(&call.idempotency_key());
    request.env.insert(0, (KEY_VARIABLE.to_owned(), key));
    request
}

impl Performers {
    /// Begins what is permitted.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a request: rustc names what a new request must join"
    )]
    fn begin(&self, request: Request, call: Call, outlet: Outlet) -> Handle {
        let Outlet {
            completion,
            allowance,
        } = outlet;
        let completion = match speaks_of_secrets(&request) {
            true => masking(completion, &self.variables),
            false => completion,
        };
        if let Err(failure) = self.permissions.admit(&request) {
            completion.deliver(Outcome::Failed(failure));
            return Handle::None;
        }
        match request {
            Request::Scripted { outcome } => now(completion, Outcome::Model(outcome)),
            // The carrier of a run has what arrives for it.
            Request::Piece { .. } => now(completion, no_piece()),
            Request::Model { request, .. } => self.network.ask(request, call, completion),
            Request::LookUp { what, when_busy } => {
                self.network.look_up(*what, when_busy, call, completion)
            }
            Request::Keep { answer } => self.network.keep(*answer, &call, completion),
            Request::Http { request } => self.network.send(*request, &call, completion),
            Request::Mcp { request } => self.network.call_server(*request, &call, completion),
            Request::Host { tool, input } => self.network.call(tool, &input, &call, completion),
            Request::Human { question } => self.network.ask_person(*question, &call, completion),
            Request::OtherRun { run, ask } => {
                self.runs.ask(&run, ask, &call.run, completion);
                Handle::None
            }
            Request::External { external } => {
                self.runs
                    .wait_for(*external, &call, completion, self.clock.now())
            }
            Request::Exec { request } => {
                let request = with_key(*request, &call);
                self.system.execute(request, allowance, completion)
            }
            request @ (Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. }) => {
                self.system.work_on_files(request, allowance, completion)
            }
            Request::StartRun { start } => {
                completion.deliver(self.runs.start_detached(*start, &call));
                Handle::None
            }
            Request::MediaUrl { media } => {
                completion.deliver(self.permissions.admit_media(*media));
                Handle::None
            }
            Request::Compile { written } => {
                compile::compile(self.runs.plans(), written, completion)
            }
            // Carriers wait by themselves for all sleeps but those of no length.
            Request::Sleep { .. } | Request::Mocked { .. } => now(completion, Outcome::Done),
            Request::Now => now(completion, Outcome::Time(self.clock.now())),
            Request::Random => now(completion, Outcome::Float(clock::random_float())),
            Request::RandomInt { low, high } => {
                now(completion, Outcome::Int(clock::random_int(low, high)))
            }
            Request::Uuid => now(completion, Outcome::Text(clock::uuid())),
            Request::EnvGet { name } => {
                let value = self.variables.variable(&name);
                now(completion, Outcome::OptionalText(value))
            }
        }
    }
}

impl Perform for Performers {
    fn outside(&self) -> FromOutside {
        let humans = self.network.humans.as_ref();
        humans.map_or(FromOutside::Comes, |it| it.outside())
    }

    fn all_rest(&self) {
        self.runs.look_again();
    }

    fn awaits_runs(&self, run: &Arc<str>) {
        self.runs.break_cycle(run);
    }

    fn perform(&self, request: Request, call: Call, outlet: Outlet) -> Handle {
        if let Some(rights) = call.within.clone() {
            if let Some(failure) = beyond_run(&request) {
                outlet.completion.deliver(Outcome::Failed(failure));
                return Handle::None;
            }
            let call = Call {
                within: None,
                ..call
            };
            return self.within(&rights).begin(request, call, outlet);
        }
        self.begin(request, call, outlet)
    }
}

/// Brings the outcome of what needs no waiting.
fn now(completion: Completion, outcome: Outcome) -> Handle {
    completion.deliver(outcome);
    Handle::None
}
