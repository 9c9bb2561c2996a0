//! Performs the operations that wait without a thread: models, HTTP, tools of the host, people, other calls of the cache; for
//! MCP servers see `server`.

mod server;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use gsw_engine::answers::{Found, KeptAnswer, LookUp, WhenBusy};
use gsw_engine::human::Question;
use gsw_engine::model::{Content, FailureKind, ModelFailure, ModelRequest};
use gsw_engine::operation::{Failure, HttpRequest, Outcome};
use gsw_engine::panic;
use gsw_engine::secret::Template;
use gsw_notation::calendar::rfc3339;
use gsw_notation::json::written;
use gsw_tree::class::Class;

use crate::answers::Answers;
use crate::call::{Call, Part};
use crate::host::{HostTools, Variables};
use crate::human::{Humans, NoReply};
use crate::models::Models;
use crate::perform::Handle;
use crate::permissions::Permissions;
use crate::reactor::{HOST, NETWORK, Reactor};
use crate::servers::Servers;
use crate::tape::{Played, Tape};
use crate::web::{ReachOf, Web, WebRequest};
use crate::work::Completion;

/// What the runs of an engine reach over the network, and what answers them.
pub(crate) struct Network {
    pub(crate) models: Option<Arc<dyn Models>>,
    pub(crate) tape: Tape,
    pub(crate) answers: Option<Arc<dyn Answers>>,
    pub(crate) web: Option<Arc<dyn Web>>,
    pub(crate) servers: Option<Arc<dyn Servers>>,
    pub(crate) tools: Option<Arc<dyn HostTools>>,
    pub(crate) humans: Option<Arc<dyn Humans>>,
    pub(crate) variables: Arc<Variables>,
    pub(crate) permissions: Arc<Permissions>,
}

impl Network {
    /// A copy that permits less.
    pub(crate) fn within(&self, permissions: &Arc<Permissions>) -> Self {
        Self {
            models: self.models.clone(),
            tape: self.tape.clone(),
            answers: self.answers.clone(),
            web: self.web.clone(),
            servers: self.servers.clone(),
            tools: self.tools.clone(),
            humans: self.humans.clone(),
            variables: Arc::clone(&self.variables),
            permissions: Arc::clone(permissions),
        }
    }

    pub(crate) fn ask(
        &self,
        request: Arc<ModelRequest>,
        call: Call,
        completion: Completion,
    ) -> Handle {
        if let Tape::Plays(player) = &self.tape {
            return play(player.play(&request), &call, completion);
        }
        let Some(models) = self.models.clone() else {
            completion.deliver(Outcome::Model(Box::new(Err(no_models()))));
            return Handle::None;
        };
        spawn(&NETWORK, completion, async move {
            Outcome::Model(Box::new(models.ask(request, &call).await))
        })
    }

    /// What is kept of answers; nothing where none are kept.
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
            WhenBusy::Wait => spawn(&NETWORK, completion, async move {
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

    fn reach_of(&self) -> ReachOf {
        let permissions = Arc::clone(&self.permissions);
        Arc::new(move |host, port| permissions.reach(host, port))
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
        let input = match written(input) {
            Ok(input) => input,
            Err(error) => {
                let message = format!("its arguments are not JSON: {}", error.message);
                completion.deliver(failed(tool, message));
                return Handle::None;
            }
        };
        let call = call.clone();
        spawn(&HOST, completion, async move {
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
            completion.deliver(Outcome::Failed(Failure::Unreachable { reason }));
            return Handle::None;
        };
        let reply = humans.ask(question, call);
        spawn(&HOST, completion, async move {
            match reply.await {
                Ok(reply) => Outcome::Human(Box::new(reply)),
                Err(NoReply::Declined(reason)) => Outcome::Failed(Failure::Declined { reason }),
                Err(NoReply::Unreachable(reason)) => {
                    Outcome::Failed(Failure::Unreachable { reason })
                }
            }
        })
    }

    pub(crate) fn send(&self, request: HttpRequest, call: &Call, completion: Completion) -> Handle {
        let Some(web) = self.web.clone() else {
            completion.deliver(unavailable("`http`", "this host has no client"));
            return Handle::None;
        };
        let headers = match resolved(&request.headers, &self.variables) {
            Ok(headers) => with_key(headers, call),
            Err(failure) => {
                completion.deliver(Outcome::Failed(failure));
                return Handle::None;
            }
        };
        let what = request.summary();
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
        let reach_of = self.reach_of();
        let call = call.clone();
        spawn(&NETWORK, completion, async move {
            match web.send(request, reach_of, &call).await {
                Ok(answer) => Outcome::Http(answer),
                Err(Failure::Unknown { what: why }) => Outcome::Failed(Failure::Unknown {
                    what: format!("{what}, asked for at {}: {why}", rfc3339(call.begun)),
                }),
                Err(failure) => Outcome::Failed(failure),
            }
        })
    }
}

/// Delivers a recorded outcome in place of a model's.
fn play(played: Played, call: &Call, completion: Completion) -> Handle {
    let outcome = match played {
        Played::Outcome(outcome) => outcome,
        // What waits for it ends the wait.
        Played::Never => return spawn(&NETWORK, completion, std::future::pending()),
    };
    let content = outcome.iter().flat_map(|it| &it.content);
    for text in content.filter_map(Content::text) {
        call.parts.send(Part::Text(text.to_owned()));
    }
    completion.deliver(Outcome::Model(outcome));
    Handle::None
}

/// What changes something says by which key it is known, so that a server that is asked again, by another life of the run or by
/// a copy of its store, can see that. A key of the program's own counts.
fn with_key(mut headers: Vec<(String, String)>, call: &Call) -> Vec<(String, String)> {
    const NAME: &str = "Idempotency-Key";
    let changes = match call.class {
        Class::Pure | Class::Reads => false,
        Class::Idempotent | Class::Once => true,
    };
    if changes && !headers.iter().any(|it| it.0.eq_ignore_ascii_case(NAME)) {
        headers.push((NAME.to_owned(), call.idempotency_key()));
    }
    headers
}

/// Waits for `work`; dropping it, by an abort, drops the completion, which is ignored then.
pub(crate) fn spawn(
    reactor: &Reactor,
    completion: Completion,
    work: impl Future<Output = Outcome> + Send + 'static,
) -> Handle {
    match reactor.handle() {
        Ok(handle) => {
            let task = handle.spawn(async move {
                let outcome = caught(work).await;
                completion.deliver(outcome);
            });
            Handle::Task(task.abort_handle())
        }
        Err(why) => {
            completion.deliver(unavailable(reactor.purpose, &why));
            Handle::None
        }
    }
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
    ModelFailure::new(
        FailureKind::Provider,
        "this host gave no models to the run".into(),
    )
}

pub(crate) fn unavailable(what: &str, why: &str) -> Outcome {
    Outcome::Failed(Failure::Other {
        message: format!("{what} cannot be used: {why}"),
    })
}
