//! Performs the operations of runs: tokio carries what waits for the network and for the system, a timer what sleeps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::detached::Detached;
use crate::driver::carrier::{Carrier, CarrierId};
use crate::driver::clock;
use crate::driver::commands::{Command, CommandHandle, Commands};
use crate::driver::files::FileWork;
use crate::driver::permissions::Permissions;
use crate::driver::pool::Pool;
use crate::driver::process::Surroundings;
use crate::driver::timer::Timer;
use crate::driver::work::{Abandoned, Completion, Job, Work};
use crate::export::panic_text;
use crate::host::{HostTools, Variables};
use crate::human::{Humans, NoReply, Question};
use crate::model::{FailureKind, ModelFailure, ModelRequest, Models, Prompts};
use crate::operation::{
    ExecRequest, Failure, HttpRequest, Operation, OperationId, Outcome, Request,
};
use crate::secret::Template;
use crate::web::{MayReach, Web, WebRequest};

/// Files that are worked on at once; more wait. A guess.
const FILES: usize = 32;
/// Names that are looked up at once; more wait. A guess.
const NAMES: usize = 32;
/// Work on files that is being done when it is given up is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the runs of an engine reach outside of themselves; threads start with the first use.
pub(crate) struct Outside {
    pub(crate) models: Option<Arc<dyn Models>>,
    pub(crate) prompts: Option<Arc<dyn Prompts>>,
    pub(crate) web: Option<Arc<dyn Web>>,
    pub(crate) tools: Option<Arc<dyn HostTools>>,
    pub(crate) humans: Option<Arc<dyn Humans>>,
    pub(crate) variables: Variables,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) detached: Arc<Detached>,
    pub(crate) pending: Mutex<FxHashMap<(CarrierId, OperationId), Pending>>,
}

/// What is on its way and can be ended.
pub(crate) enum Pending {
    /// What waits for the network.
    Task(AbortHandle),
    /// A program of the system.
    Command(CommandHandle),
    /// Work on files.
    Files(Work),
}

impl Pending {
    /// Ends it. What is being done and cannot be stopped is given back.
    fn end(self) -> Option<Work> {
        match self {
            Self::Task(task) => task.abort(),
            Self::Command(command) => {
                command.abandon();
            }
            Self::Files(work) => {
                if work.abandon() == Abandoned::MustWait {
                    return Some(work);
                }
            }
        }
        None
    }
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outside")
    }
}

impl Outside {
    /// Performs an operation that was asked for at this time; its outcome comes to the carrier, later or at once.
    pub(crate) fn perform(
        self: &Arc<Self>,
        carrier: &Arc<Carrier>,
        operation: Operation,
        asked: Instant,
    ) {
        let id = operation.id;
        if let Err(failure) = self.permissions.admit(&operation.request) {
            carrier.complete(id, Outcome::Failed(failure));
            return;
        }
        match operation.request {
            Request::Sleep { nanoseconds } if nanoseconds > 0 => {
                Timer::shared().sleep(carrier, id, asked, nanoseconds)
            }
            Request::StartRun { start } => {
                let run = self.detached.start(self, *start);
                carrier.complete(id, Outcome::Text(run));
            }
            Request::Model { request } => self.ask(carrier, id, *request),
            Request::Release { key } => self.wait_for_release(carrier, id, key),
            Request::Http { request } => self.send(carrier, id, *request),
            Request::MediaUrl { media } => {
                carrier.complete(id, self.permissions.admit_media(*media));
            }
            Request::Exec { request } => self.execute(carrier, id, *request),
            Request::Host { tool, input } => self.call(carrier, id, tool, &input),
            Request::Human { question } => self.ask_person(carrier, id, *question),
            request => match immediately(&request, &self.variables) {
                Some(outcome) => carrier.complete(id, outcome),
                None => self.block(carrier, id, request),
            },
        }
    }

    /// Nobody wants the outcome any more.
    pub(crate) fn forget(&self, carrier: CarrierId, id: OperationId) {
        Timer::shared().forget(carrier, id);
        let pending = self.lock().remove(&(carrier, id));
        if let Some(work) = pending.and_then(Pending::end) {
            // What comes next in the run must not be done before it.
            work.wait_for_end(Instant::now() + PATIENCE);
        }
    }

    /// The run has ended.
    pub(crate) fn forget_all(&self, carrier: CarrierId) {
        Timer::shared().forget_all(carrier);
        let of_carrier = self
            .lock()
            .extract_if(|(of, _), _| *of == carrier)
            .collect::<Vec<_>>();
        let files = of_carrier.iter().filter_map(|(_, it)| match it {
            Pending::Files(work) => Some(work.clone()),
            Pending::Task(_) | Pending::Command(_) => None,
        });
        let files: Vec<Work> = files.collect();
        for (_, pending) in of_carrier {
            pending.end();
        }
        // The process may end next, and a file that is half written would stay beside its place.
        let due = Instant::now() + PATIENCE;
        for work in files {
            work.wait_for_end(due);
        }
    }

    fn ask(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, request: ModelRequest) {
        let Some(models) = self.models.clone() else {
            let failure = ModelFailure {
                kind: FailureKind::Provider,
                message: "this host gave no models to the run".into(),
                status: None,
                retry_after: None,
                attempts: 0,
                tokens: None,
                limit: None,
            };
            carrier.complete(id, Outcome::Model(Box::new(Err(failure))));
            return;
        };
        self.spawn(carrier, id, async move {
            let answer = models.ask(request, Box::new(|_| {})).await;
            Outcome::Model(Box::new(answer))
        });
    }

    fn wait_for_release(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, key: String) {
        let Some(prompts) = self.prompts.clone() else {
            carrier.complete(id, Outcome::Released);
            return;
        };
        self.spawn(carrier, id, async move {
            prompts.released(&key).await;
            Outcome::Released
        });
    }

    fn spawn(
        self: &Arc<Self>,
        carrier: &Arc<Carrier>,
        id: OperationId,
        work: impl Future<Output = Outcome> + Send + 'static,
    ) {
        let Some(runtime) = runtime() else {
            carrier.complete(id, unavailable("the network"));
            return;
        };
        let (this, carrier) = (Arc::clone(self), Arc::clone(carrier));
        let key = (carrier.id(), id);
        // The lock is held until the handle is in, so that a quick end finds it.
        let mut pending = self.lock();
        let task = runtime.spawn(async move {
            let outcome = caught(work).await;
            this.lock().remove(&key);
            carrier.complete(id, outcome);
        });
        pending.insert(key, Pending::Task(task.abort_handle()));
    }

    fn block(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, request: Request) {
        let work = Work::default();
        let key = (carrier.id(), id);
        self.lock().insert(key, Pending::Files(work.clone()));
        let permissions = Arc::clone(&self.permissions);
        let room = carrier.room().clone();
        let perform = move |work: &Work| {
            let work = FileWork {
                work,
                room: &room,
                pool: Some(files()),
            };
            permissions.perform_on_files(&request, &work)
        };
        files().run(Job::new(work, perform, self.completion(carrier, id)));
    }

    fn execute(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, request: ExecRequest) {
        let added = match resolved(&request.env, &self.variables) {
            Ok(environment) => environment,
            Err(failure) => return carrier.complete(id, Outcome::Failed(failure)),
        };
        let inherited = self.permissions.inherited();
        let commands = Commands::shared();
        let handle = commands.handle();
        let pending = Pending::Command(handle.clone());
        self.lock().insert((carrier.id(), id), pending);
        let command = Command {
            request,
            around: Surroundings { inherited, added },
            room: carrier.room().clone(),
            completion: self.completion(carrier, id),
        };
        commands.run(command, &handle);
    }

    /// Brings an outcome to the run, whatever becomes of who has it.
    fn completion(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId) -> Completion {
        let (this, carrier) = (Arc::clone(self), Arc::clone(carrier));
        Completion::new(move |outcome| {
            this.lock().remove(&(carrier.id(), id));
            carrier.complete(id, outcome);
        })
    }

    /// A tool of the host.
    fn call(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, tool: String, input: &str) {
        let failed = |tool, message| Outcome::Failed(Failure::Tool { tool, message });
        let Some(tools) = self.tools.clone() else {
            let message = "this program runs without the host that has this tool";
            return carrier.complete(id, failed(tool, message.into()));
        };
        let input = match serde_json::from_str(input) {
            Ok(input) => input,
            Err(error) => {
                let message = format!("its arguments are no JSON: {error}");
                return carrier.complete(id, failed(tool, message));
            }
        };
        self.spawn(carrier, id, async move {
            match tools.call(&tool, input).await {
                Ok(value) => Outcome::Host {
                    tool,
                    answer: value.to_string(),
                },
                Err(message) => failed(tool, message),
            }
        });
    }

    /// A person. The question takes its place in the queue here, so that the order is the run's.
    fn ask_person(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, question: Question) {
        let Some(humans) = &self.humans else {
            let message = format!(
                "`{}` asks a person, and there is nobody here to answer",
                question.human
            );
            return carrier.complete(id, Outcome::Failed(Failure::Declined { reason: message }));
        };
        let reply = humans.ask(question);
        self.spawn(carrier, id, async move {
            match reply.await {
                Ok(reply) => Outcome::Human(Box::new(reply)),
                Err(NoReply(reason)) => Outcome::Failed(Failure::Declined { reason }),
            }
        });
    }

    fn send(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, request: HttpRequest) {
        let Some(web) = self.web.clone() else {
            return carrier.complete(id, unavailable("`http`"));
        };
        let headers = match resolved(&request.headers, &self.variables) {
            Ok(headers) => headers,
            Err(failure) => return carrier.complete(id, Outcome::Failed(failure)),
        };
        let secret = |it: &(String, Template)| !it.1.names().is_empty();
        let request = WebRequest {
            confidential: request
                .headers
                .iter()
                .filter(|it| secret(it))
                .map(|it| it.0.clone())
                .collect(),
            method: request.method,
            url: request.url,
            headers,
            body: request.body,
        };
        let permissions = Arc::clone(&self.permissions);
        let may_reach: MayReach = Arc::new(move |host, port| permissions.admits_host(host, port));
        self.spawn(carrier, id, async move {
            match web.send(request, may_reach).await {
                Ok(answer) => Outcome::Http(answer),
                Err(failure) => Outcome::Failed(failure),
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<(CarrierId, OperationId), Pending>> {
        // Nothing that can panic runs while the lock is held.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one runtime of the process; it is never dropped, since that may not happen on one of its own threads.
fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(NAMES)
            .thread_name("gsw-io")
            .enable_all()
            .build()
            .ok()
    });
    runtime.as_ref()
}

/// The threads of the process that work on files.
fn files() -> &'static Pool {
    static FILE_THREADS: OnceLock<Pool> = OnceLock::new();
    FILE_THREADS.get_or_init(|| Pool::new("gsw-files", FILES))
}

/// The outcome of what needs no waiting.
pub(crate) fn immediately(request: &Request, variables: &Variables) -> Option<Outcome> {
    Some(match request {
        Request::Sleep { .. } => Outcome::Done,
        Request::Now => Outcome::Time(clock::now()),
        Request::Random => Outcome::Float(clock::random_float()),
        Request::RandomInt { low, high } => Outcome::Int(clock::random_int(*low, *high)),
        Request::Uuid => Outcome::Text(clock::uuid()),
        Request::EnvGet { name } => Outcome::OptionalText(variables.variable(name)),
        _ => return None,
    })
}

/// Texts with the values of their secrets, which are variables of the environment.
pub(super) fn resolved(
    templates: &[(String, Template)],
    variables: &Variables,
) -> Result<Vec<(String, String)>, Failure> {
    let pairs = templates.iter().map(|(key, template)| {
        let text = template
            .resolve(|name| variables.secret(name))
            .map_err(|name| Failure::Io {
                path: None,
                message: format!("the secret `{name}` is not set in the environment"),
            })?;
        Ok((key.clone(), text))
    });
    pairs.collect()
}

/// The outcome of work that may belong to a host: its panic must not leave the run waiting.
async fn caught(work: impl Future<Output = Outcome>) -> Outcome {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| {
        let poll = AssertUnwindSafe(|| work.as_mut().poll(context));
        catch_unwind(poll).unwrap_or_else(|payload| {
            let message = panic_text(payload.as_ref());
            Poll::Ready(Outcome::Failed(Failure::Other {
                message: format!("a panic: {message}"),
            }))
        })
    })
    .await
}

fn unavailable(what: &str) -> Outcome {
    Outcome::Failed(Failure::Other {
        message: format!("{what} is not available in this version"),
    })
}
