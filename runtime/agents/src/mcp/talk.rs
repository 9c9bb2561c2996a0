//! Calls in which a server may ask for forms and for answers of models: the question goes to the program, and the answer back.
//!
//! A server of the newer age asks by a result, and is called again with the answers; what it has to know of the first call is in a
//! state that goes with it. One of the older age asks while its call is open, which then waits here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gsw_driver::servers::ServerFailure;
use gsw_engine::operation::Grants;
use rmcp::model::{
    CallToolRequestParams, InputRequiredResult, ProgressToken, RequestId, ServerResult,
};
use rmcp::service::{InboundStreamOrigin, ServiceError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use crate::mcp::asked::{Asked, Reply, What};
use crate::mcp::call::OpenCall;
use crate::mcp::lock;

/// A call waits this long for what it asks.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);
/// A question may arrive before its call is registered: how often it is looked for, and how long each wait is.
const LOOKS: u32 = 100;
const LOOK: Duration = Duration::from_millis(10);
/// The name of the only question of a call of the older age.
const ONLY: &str = "form";
/// A result may ask this much at once.
const MOST: usize = 100;

/// What a program says in such a call.
#[derive(Deserialize)]
pub(super) struct Turn {
    /// The arguments of the tool.
    input: Map<String, Value>,
    /// What the server has to know of the call that has asked; none at first.
    #[serde(default)]
    open: Option<Pending>,
    /// The answers, by the names of the questions; `None` of what was declined.
    #[serde(default)]
    answers: HashMap<String, Option<Map<String, Value>>>,
    /// There will be no answers: the call that has asked is not waited for any longer.
    #[serde(default)]
    is_given_up: bool,
    /// What the tool must be by its name, description and schemas; any if none is given.
    #[serde(default)]
    digest: Option<String>,
}

impl Turn {
    /// What the tool must be, where it is about to be called.
    pub fn locked(&self) -> Option<&str> {
        self.digest.as_deref().filter(|_| self.open.is_none())
    }
}

/// What the program is given.
#[derive(Serialize)]
struct Told {
    is_open: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    asked: Vec<Asked>,
    open: Option<Pending>,
    done: Value,
}

/// A call that has asked. The program hands it back as it is.
#[derive(Clone, Serialize, Deserialize)]
struct Pending {
    asked: Vec<Asked>,
    at: At,
}

#[derive(Clone, Serialize, Deserialize)]
enum At {
    /// The server is called again, with the state that it has given.
    Again(Option<String>),
    /// The call is open, and known by this name.
    Open(String),
}

/// The calls of one session in which the server may ask.
#[derive(Clone)]
pub(super) struct Talks {
    grants: Arc<Grants>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Where questions about a call go.
    on_their_way: HashMap<RequestId, mpsc::UnboundedSender<Question>>,
    /// Calls that have asked, by their names.
    waiting: HashMap<String, Waiting>,
}

/// A question of the older age.
struct Question {
    what: What,
    answer: oneshot::Sender<Reply>,
}

/// A call that waits for an answer.
struct Waiting {
    talk: Talk,
    answer: oneshot::Sender<Reply>,
    /// Ends its patience with it.
    _patience: Patience,
}

/// The task that forgets a call which has waited too long.
struct Patience(AbortHandle);

impl Drop for Patience {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A call, and what is asked in it.
pub(super) struct Talk {
    call: OpenCall,
    questions: mpsc::UnboundedReceiver<Question>,
    /// Forgets where its questions go.
    _registered: Registered,
}

struct Registered {
    talks: Talks,
    id: RequestId,
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.talks.state).on_their_way.remove(&self.id);
    }
}

/// What comes next of a call.
pub(super) enum Next {
    /// The server asks; the call waits.
    Asks(String),
    Answered(Box<Result<ServerResult, ServiceError>>),
}

/// What a turn does next.
pub(super) enum Begun {
    Call(Box<CallToolRequestParams>),
    /// With one that has waited.
    GoesOn(Box<Talk>),
    GivenUp,
}

impl Talks {
    pub fn new(grants: Grants) -> Self {
        Self {
            grants: Arc::new(grants),
            state: Arc::default(),
        }
    }

    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Takes the answers to where they were asked for.
    pub fn begin(&self, tool: String, turn: Turn) -> Result<Begun, ServerFailure> {
        let Turn {
            input,
            open,
            answers,
            is_given_up,
            digest: _,
        } = turn;
        let params = CallToolRequestParams::new(tool).with_arguments(input);
        let Some(Pending { asked, at }) = open else {
            return Ok(Begun::Call(Box::new(params)));
        };
        if is_given_up {
            // One of the newer age holds nothing.
            if let At::Open(name) = at {
                let waiting = lock(&self.state).waiting.remove(&name);
                drop(waiting);
            }
            return Ok(Begun::GivenUp);
        }
        let mut replies = Vec::new();
        for Asked { key, what } in asked {
            let answer = answers.get(&key).cloned().flatten();
            replies.push((key, what.reply(answer, &self.grants.roots)?));
        }
        match at {
            At::Again(state) => {
                let replies = replies.into_iter();
                let inputs = replies.map(|(key, it)| Ok((key, it.into_input()?)));
                let inputs = inputs.collect::<Result<_, ServerFailure>>()?;
                let mut params = params.with_input_responses(inputs);
                params.request_state = state;
                Ok(Begun::Call(Box::new(params)))
            }
            At::Open(name) => {
                let waiting = lock(&self.state).waiting.remove(&name);
                let (Some(Waiting { talk, answer, .. }), Some((_, reply))) =
                    (waiting, replies.pop())
                else {
                    return Err(ServerFailure::Lost(
                        "the call that has asked is not open any more, and whether it was done is not known".into(),
                    ));
                };
                // The call reports that the server has gone.
                let _ = answer.send(reply);
                Ok(Begun::GoesOn(Box::new(talk)))
            }
        }
    }

    /// Has what is asked about a call come to it.
    pub fn follow(&self, call: OpenCall) -> Talk {
        let (sender, questions) = mpsc::unbounded_channel();
        let id = call.id().clone();
        lock(&self.state).on_their_way.insert(id.clone(), sender);
        Talk {
            call,
            questions,
            _registered: Registered {
                talks: self.clone(),
                id,
            },
        }
    }

    /// Has a call wait for what it has asked, as the program is given it.
    fn wait(&self, talk: Talk, question: Question) -> Result<String, ServerFailure> {
        let Question { what, answer } = question;
        let asked = vec![Asked {
            key: ONLY.to_owned(),
            what,
        }];
        // A run in another process must not find the call of this one by its name.
        let name = name()?;
        let (talks, waits) = (self.clone(), name.clone());
        let patience = tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            let late = lock(&talks.state).waiting.remove(&waits);
            drop(late);
        });
        let waiting = Waiting {
            talk,
            answer,
            _patience: Patience(patience.abort_handle()),
        };
        lock(&self.state).waiting.insert(name.clone(), waiting);
        told(asked, At::Open(name))
    }

    /// What a server of the older age asks; `None` where it is unknown which call that is about, or the call is over.
    pub async fn ask(&self, what: What, origin: Option<&InboundStreamOrigin>) -> Option<Reply> {
        let (answer, answered) = oneshot::channel();
        let mut question = Question { what, answer };
        for _ in 0..LOOKS {
            if let Some(call) = self.asking(origin) {
                match call.send(question) {
                    Ok(()) => return answered.await.ok(),
                    Err(unsent) => question = unsent.0,
                }
            }
            tokio::time::sleep(LOOK).await;
        }
        None
    }

    /// What the program is given for a result that asks.
    pub fn asks(&self, result: InputRequiredResult) -> Result<String, ServerFailure> {
        let refused = |why: &str| Err(ServerFailure::Tool(why.into()));
        let mut asked = Vec::new();
        for (key, request) in result.input_requests.unwrap_or_default() {
            let what = What::of(request).map_err(ServerFailure::Tool)?;
            match &what {
                What::Form { .. } if !self.grants.forms => {
                    return refused("it asks for a form: `call_with_forms` has it filled in");
                }
                What::Sample { .. } if !self.grants.sampling => {
                    return refused("it asks for a model, and is granted none (`sampling`)");
                }
                What::Folders { .. } if self.grants.roots.is_empty() => {
                    return refused("it asks for folders, and is granted none (`roots`)");
                }
                What::Form { .. } | What::Sample { .. } | What::Folders { .. } => {}
            }
            asked.push(Asked { key, what });
        }
        if asked.len() > MOST {
            return refused("it asks for too much at once");
        }
        told(asked, At::Again(result.request_state))
    }

    /// The call that is asked about: the one whose stream brought the question, or the only one.
    fn asking(
        &self,
        origin: Option<&InboundStreamOrigin>,
    ) -> Option<mpsc::UnboundedSender<Question>> {
        let state = lock(&self.state);
        let mut calls = state.on_their_way.iter();
        match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => state.on_their_way.get(id).cloned(),
            Some(InboundStreamOrigin::Unassociated) | None => match (calls.next(), calls.next()) {
                (Some((_, only)), None) => Some(only.clone()),
                (None | Some(_), _) => None,
            },
        }
    }
}

impl Talk {
    pub fn token(&self) -> &ProgressToken {
        self.call.token()
    }

    pub async fn next(mut self, talks: &Talks) -> Result<Next, ServerFailure> {
        let question = tokio::select! {
            answer = self.call.answer() => return Ok(Next::Answered(Box::new(answer))),
            question = self.questions.recv() => question,
        };
        match question {
            Some(question) => Ok(Next::Asks(talks.wait(self, question)?)),
            None => Err(ServerFailure::Server(
                "no client can answer its questions".into(),
            )),
        }
    }
}

fn told(asked: Vec<Asked>, at: At) -> Result<String, ServerFailure> {
    let open = Pending {
        asked: asked.clone(),
        at,
    };
    written(&Told {
        is_open: true,
        asked,
        open: Some(open),
        done: Value::Null,
    })
}

/// The program's result of a call that has ended.
pub(super) fn done(answer: &str) -> Result<String, ServerFailure> {
    let done = gsw_notation::json::read(answer);
    let done =
        done.map_err(|error| ServerFailure::Server(format!("its answer is not JSON: {error}")))?;
    written(&Told {
        is_open: false,
        asked: Vec::new(),
        open: None,
        done,
    })
}

fn written(told: &Told) -> Result<String, ServerFailure> {
    serde_json::to_string(told)
        .map_err(|error| ServerFailure::Server(format!("its question is not JSON: {error}")))
}

fn name() -> Result<String, ServerFailure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        ServerFailure::Server(format!("the system gives no random numbers: {error}"))
    })?;
    Ok(gsw_notation::hex::text(bytes))
}
