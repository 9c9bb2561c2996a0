//! Performs the operations of runs: tokio carries what waits for the network and for the system, a timer what sleeps.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::driver::carrier::{Carrier, CarrierId};
use crate::driver::timer::Timer;
use crate::driver::{clock, files, process};
use crate::model::{FailureKind, ModelFailure, ModelRequest, Models, Prompts};
use crate::operation::{Failure, Operation, OperationId, Outcome, Request};

/// Files and processes that are worked on at once; more wait. A guess.
const BLOCKING: usize = 32;

/// What the runs of an engine reach outside of themselves; threads start with the first use.
pub(crate) struct Outside {
    models: Option<Arc<dyn Models>>,
    prompts: Option<Arc<dyn Prompts>>,
    pending: Mutex<FxHashMap<(CarrierId, OperationId), AbortHandle>>,
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outside")
    }
}

impl Outside {
    pub(crate) fn new(models: Option<Arc<dyn Models>>, prompts: Option<Arc<dyn Prompts>>) -> Self {
        Self {
            models,
            prompts,
            pending: Mutex::default(),
        }
    }

    /// Performs an operation; its outcome comes to the carrier, later or at once.
    pub(crate) fn perform(self: &Arc<Self>, carrier: &Arc<Carrier>, operation: Operation) {
        let id = operation.id;
        match operation.request {
            Request::Sleep { nanoseconds } if nanoseconds > 0 => {
                Timer::shared().sleep(carrier, id, nanoseconds)
            }
            Request::Model { request } => self.ask(carrier, id, *request),
            Request::Release { key } => self.wait_for_release(carrier, id, key),
            Request::Http { .. } => carrier.complete(id, unavailable("`http`")),
            request => match immediately(&request) {
                Some(outcome) => carrier.complete(id, outcome),
                None => self.block(carrier, id, request),
            },
        }
    }

    /// Nobody wants the outcome any more.
    pub(crate) fn forget(&self, carrier: CarrierId, id: OperationId) {
        Timer::shared().forget(carrier, id);
        if let Some(task) = self.lock().remove(&(carrier, id)) {
            task.abort();
        }
    }

    /// The run has ended.
    pub(crate) fn forget_all(&self, carrier: CarrierId) {
        self.lock().retain(|(of, _), task| {
            if *of == carrier {
                task.abort();
            }
            *of != carrier
        });
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
            let outcome = work.await;
            this.lock().remove(&key);
            carrier.complete(id, outcome);
        });
        pending.insert(key, task.abort_handle());
    }

    fn block(self: &Arc<Self>, carrier: &Arc<Carrier>, id: OperationId, request: Request) {
        let Some(runtime) = runtime() else {
            carrier.complete(id, unavailable("work on files"));
            return;
        };
        let carrier = Arc::clone(carrier);
        if let Request::Exec { request } = request {
            self.spawn(&carrier, id, process::run(request));
            return;
        }
        runtime.spawn_blocking(move || carrier.complete(id, files::perform(&request)));
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<(CarrierId, OperationId), AbortHandle>> {
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
pub(crate) fn immediately(request: &Request) -> Option<Outcome> {
    Some(match request {
        Request::Sleep { .. } => Outcome::Done,
        Request::Now => Outcome::Time(clock::now()),
        Request::Random => Outcome::Float(clock::random_float()),
        Request::RandomInt { low, high } => Outcome::Int(clock::random_int(*low, *high)),
        Request::Uuid => Outcome::Text(clock::uuid()),
        Request::EnvGet { name } => environment(name),
        _ => return None,
    })
}

fn environment(name: &str) -> Outcome {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Outcome::OptionalText(None);
    }
    Outcome::OptionalText(std::env::var_os(name).map(|it| it.to_string_lossy().into_owned()))
}

fn unavailable(what: &str) -> Outcome {
    Outcome::Failed(Failure::Other {
        message: format!("{what} is not available in this version"),
    })
}
