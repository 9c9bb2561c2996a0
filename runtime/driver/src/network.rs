//! Performs what is waited for without a thread: models, HTTP, tools of the host, people, other calls of the cache.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use gsw_engine::answers::WhenBusy;
use gsw_engine::answers::{Found, KeptAnswer, LookUp};
use gsw_engine::human::Question;
use gsw_engine::model::{FailureKind, ModelFailure, ModelRequest};
use gsw_engine::operation::{Failure, HttpRequest, Outcome};
use gsw_engine::panic;
use gsw_engine::secret::Template;
use tokio::runtime::{Builder, Runtime};

use crate::answers::Answers;
use crate::call::Call;
use crate::host::{HostTools, Variables};
use crate::human::{Humans, NoReply};
use crate::models::Models;
use crate::perform::Handle;
use crate::permissions::Permissions;
use crate::web::{MayReach, Web, WebRequest};
use crate::work::Completion;

/// Name look-ups and the like that are worked on at once; more wait. A guess.
const BLOCKING: usize = 32;

/// What the runs of an engine reach over the network, and who answers them.
pub(crate) struct Network {
    pub(crate) models: Option<Arc<dyn Models>>,
    pub(crate) answers: Option<Arc<dyn Answers>>,
    pub(crate) web: Option<Arc<dyn Web>>,
    pub(crate) tools: Option<Arc<dyn HostTools>>,
    pub(crate) humans: Option<Arc<dyn Humans>>,
    pub(crate) variables: Arc<Variables>,
    pub(crate) permissions: Arc<Permissions>,
}

impl Network {
    pub(crate) fn ask(&self, request: ModelRequest, call: Call, completion: Completion) -> Handle {
        let Some(models) = self.models.clone() else {
            completion.deliver(Outcome::Model(Box::new(Err(no_models()))));
            return Handle::None;
        };
        spawn(completion, async move {
            Outcome::Model(Box::new(models.ask(request, &call).await))
        })
    }

    /// What is kept of answers; nothing where nobody keeps any.
    pub(crate) fn look_up(
        &self,
        what: LookUp,
        when_busy: WhenBusy,
        call: Call,
        completion: Completion,
    ) -> Handle {
        let Some(answers) = self.answers.clone() else {
            completion.deliver(Outcome::Found(Found::Miss));
            return Handle::None;
        };
        match when_busy {
            WhenBusy::Report => {
                completion.deliver(Outcome::Found(answers.look_up(&what, &call)));
                Handle::None
            }
            WhenBusy::Wait => spawn(completion, async move {
                Outcome::Found(answers.wait(what, call).await)
            }),
        }
    }

    pub(crate) fn keep(&self, answer: KeptAnswer, call: &Call, completion: Completion) -> Handle {
        let answers = self.answers.as_ref();
        let gave_way = answers.map(|it| it.keep(answer, call));
        completion.deliver(Outcome::GaveWay(gave_way.unwrap_or_default()));
        Handle::None
    }

    /// A tool of the host.
    pub(crate) fn call(
        &self,
        tool: String,
        input: &str,
        call: &Call,
        completion: Completion,
    ) -> Handle {
        let failed = |tool, message| Outcome::Failed(Failure::Tool { tool, message });
        let Some(tools) = self.tools.clone() else {
            let message = "this program runs without the host that has this tool";
            completion.deliver(failed(tool, message.into()));
            return Handle::None;
        };
        let input = match serde_json::from_str(input) {
            Ok(input) => input,
            Err(error) => {
                let message = format!("its arguments are no JSON: {error}");
                completion.deliver(failed(tool, message));
                return Handle::None;
            }
        };
        let call = call.clone();
        spawn(completion, async move {
            match tools.call(&tool, input, &call).await {
                Ok(value) => Outcome::Host {
                    tool,
                    answer: value.to_string(),
                },
                Err(message) => failed(tool, message),
            }
        })
    }

    /// A person. The question takes its place in the queue here, so that the order is the run's.
    pub(crate) fn ask_person(
        &self,
        question: Question,
        call: &Call,
        completion: Completion,
    ) -> Handle {
        let Some(humans) = &self.humans else {
            let reason = format!(
                "`{}` asks a person, and there is nobody here to answer",
                question.human
            );
            completion.deliver(Outcome::Failed(Failure::Declined { reason }));
            return Handle::None;
        };
        let reply = humans.ask(question, call);
        spawn(completion, async move {
            match reply.await {
                Ok(reply) => Outcome::Human(Box::new(reply)),
                Err(NoReply(reason)) => Outcome::Failed(Failure::Declined { reason }),
            }
        })
    }

    pub(crate) fn send(&self, request: HttpRequest, call: &Call, completion: Completion) -> Handle {
        let Some(web) = self.web.clone() else {
            completion.deliver(unavailable("`http`", "this host has no client"));
            return Handle::None;
        };
        let headers = match resolved(&request.headers, &self.variables) {
            Ok(headers) => headers,
            Err(failure) => {
                completion.deliver(Outcome::Failed(failure));
                return Handle::None;
            }
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
        let call = call.clone();
        spawn(completion, async move {
            match web.send(request, may_reach, &call).await {
                Ok(answer) => Outcome::Http(answer),
                Err(failure) => Outcome::Failed(failure),
            }
        })
    }
}

/// Waits for `work` on the runtime; dropping it, by an abort, drops the completion, which nobody hears any more then.
fn spawn(completion: Completion, work: impl Future<Output = Outcome> + Send + 'static) -> Handle {
    match runtime() {
        Ok(runtime) => {
            let task = runtime.spawn(async move {
                let outcome = caught(work).await;
                completion.deliver(outcome);
            });
            Handle::Task(task.abort_handle())
        }
        Err(why) => {
            completion.deliver(unavailable("the network", &why));
            Handle::None
        }
    }
}

/// The one runtime of the process; it is never dropped, since that may not happen on one of its own threads. It is tried
/// again when the system had no threads or handles left for it.
pub(crate) fn runtime() -> Result<&'static Runtime, String> {
    static RUNTIME: Mutex<Option<&'static Runtime>> = Mutex::new(None);
    let mut made = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = *made {
        return Ok(runtime);
    }
    let build = || {
        Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(BLOCKING)
            .thread_name("gsw-io")
            .enable_all()
            .build()
    };
    // It panics where the system gives it no thread.
    let runtime = match catch_unwind(build) {
        Ok(Ok(runtime)) => runtime,
        Ok(Err(error)) => return Err(error.to_string()),
        Err(payload) => return Err(panic::message(payload.as_ref())),
    };
    Ok(made.insert(Box::leak(Box::new(runtime))))
}

/// Texts with the values of their secrets, which are variables of the environment.
pub(crate) fn resolved(
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

/// The outcome of work that may belong to a host: its panic is a failure with its words.
async fn caught(work: impl Future<Output = Outcome>) -> Outcome {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| {
        let poll = AssertUnwindSafe(|| work.as_mut().poll(context));
        catch_unwind(poll).unwrap_or_else(|payload| {
            let message = panic::message(payload.as_ref());
            Poll::Ready(Outcome::Failed(Failure::Other {
                message: format!("a panic: {message}"),
            }))
        })
    })
    .await
}

fn no_models() -> ModelFailure {
    ModelFailure {
        kind: FailureKind::Provider,
        message: "this host gave no models to the run".into(),
        status: None,
        retry_after: None,
        again_in: None,
        attempts: 0,
        tokens: None,
        limit: None,
    }
}

pub(crate) fn unavailable(what: &str, why: &str) -> Outcome {
    Outcome::Failed(Failure::Other {
        message: format!("{what} cannot be used: {why}"),
    })
}
