//! Performs the operations of runs: tokio carries what waits for the network and for the system, a timer what sleeps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;
use std::time::Instant;

use rustc_hash::FxHashMap;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::detached::Detached;
use crate::driver::carrier::{Carrier, CarrierId};
use crate::driver::permissions::Permissions;
use crate::driver::process::{Group, Surroundings};
use crate::driver::timer::Timer;
use crate::driver::{clock, process};
use crate::export::panic_text;
use crate::host::{HostTools, Variables};
use crate::human::{Humans, NoReply, Question};
use crate::model::{FailureKind, ModelFailure, ModelRequest, Models, Prompts};
use crate::operation::{
    ExecRequest, Failure, HttpRequest, Operation, OperationId, Outcome, Request,
};
use crate::secret::Template;
use crate::web::{MayReach, Web, WebRequest};

/// Files and processes that are worked on at once; more wait. A guess.
const BLOCKING: usize = 32;

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
    Process(Group),
}

impl Pending {
    fn end(self) {
        match self {
            Self::Task(task) => task.abort(),
            Self::Process(group) => group.kill(),
        }
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
        if let Some(pending) = pending {
            pending.end();
        }
    }

    /// The run has ended.
    pub(crate) fn forget_all(&self, carrier: CarrierId) {
        Timer::shared().forget_all(carrier);
        let of_carrier = self
            .lock()
            .extract_if(|(of, _), _| *of == carrier)
            .collect::<Vec<_>>();
        for (_, pending) in of_carrier {
            pending.end();
        }
    }

    /// The process is about to end.
    pub(crate) fn abandon(&self) {
        let all: Vec<_> = self.lock().drain().collect();
        for (_, pending) in all {
            pending.end();
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
        let Some(runtime) = runtime() else {
            carrier.complete(id, unavailable("work on files"));
            return;
        };
        let (carrier, permissions) = (Arc::clone(carrier), Arc::clone(&self.permissions));
        runtime.spawn_blocking(move || {
            carrier.complete(id, permissions.perform_on_files(request));
        });
    }

    fn execute(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, request: ExecRequest) {
        let environment = match resolved(&request.env, &self.variables) {
            Ok(environment) => environment,
            Err(failure) => return carrier.complete(id, Outcome::Failed(failure)),
        };
        let Some(runtime) = runtime() else {
            return carrier.complete(id, unavailable("running programs"));
        };
        let (this, carrier) = (Arc::clone(self), Arc::clone(carrier));
        let around = Surroundings {
            inherited: self.permissions.inherited(),
            added: environment,
        };
        let (key, group) = ((carrier.id(), id), Group::default());
        self.lock().insert(key, Pending::Process(group.clone()));
        runtime.spawn_blocking(move || {
            let outcome = process::perform(&request, &around, &group);
            this.lock().remove(&key);
            carrier.complete(id, outcome);
        });
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
            .max_blocking_threads(BLOCKING)
            .thread_name("gsw-io")
            .enable_all()
            .build()
            .ok()
    });
    runtime.as_ref()
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
