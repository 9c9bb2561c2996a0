//! What a run asks of the client that has called for it: that a person fills in a form, that the client's model answers, or which
//! folders the client has opened.
#![expect(
    deprecated,
    reason = "clients of both ages lend their models and have folders, whatever newer ones should do"
)]

use gsw_abi::program::Program;
use gsw_driver::human::NoReply;
use gsw_engine::human::{Question, Reply};
use gsw_engine::model::{ModelAnswer, ModelFailure};
use rmcp::model::{
    ClientResult, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequest, ElicitRequestParams, ElicitResult, InputRequest, ListRootsRequest,
    ListRootsResult, Root, ServerRequest,
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::mcp::client::{Asking, Client, Need};
use crate::mcp::form::{self, Choices};
use crate::mcp::{content, sampling};

/// What is asked, and where the reply goes.
pub(super) enum Asked {
    Person {
        question: Box<Question>,
        /// What the client shows.
        form: Box<ElicitRequestParams>,
        /// What the form has.
        choices: Choices,
        reply: Listener<Result<Reply, NoReply>>,
    },
    /// A question whose answer is the folders of the client.
    Folders {
        question: Box<Question>,
        reply: Listener<Result<Reply, NoReply>>,
    },
    Model {
        request: Box<CreateMessageRequestParams>,
        reply: Listener<Result<ModelAnswer, ModelFailure>>,
    },
}

/// Where a reply goes, once. It is gone when what was asked is taken back.
pub(super) struct Listener<T>(Option<oneshot::Sender<T>>);

impl<T> Listener<T> {
    /// One, and where the reply comes.
    pub fn new() -> (Self, oneshot::Receiver<T>) {
        let (sender, coming) = oneshot::channel();
        (Self(Some(sender)), coming)
    }

    /// Hands on a reply. A run that has taken back what it asked needs none.
    fn reply(&mut self, reply: T) {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(reply);
        }
    }

    fn is_gone(&self) -> bool {
        self.0.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    async fn gone(&mut self) {
        if let Some(sender) = &mut self.0 {
            sender.closed().await;
        }
    }
}

impl Asked {
    pub const fn need(&self) -> Need {
        match self {
            Self::Person { .. } => Need::Forms,
            Self::Folders { .. } => Need::Folders,
            Self::Model { .. } => Need::Model,
        }
    }

    /// What it is called among all that is asked.
    pub fn name(&self) -> &str {
        match self {
            Self::Person { question, .. } | Self::Folders { question, .. } => &question.human,
            Self::Model { .. } => "model",
        }
    }

    /// As this client is asked it: by a form with the choices that it knows, and by none for the folders that it can tell.
    pub fn to(self, client: &Client, program: &Program) -> Self {
        let (question, form, reply) = match self {
            Self::Person {
                question,
                form,
                reply,
                ..
            } => (question, form, reply),
            other @ (Self::Folders { .. } | Self::Model { .. }) => return other,
        };
        let types = &program.types;
        // Told that its folders do not fit, it would tell the same ones.
        let is_first = question.refused.is_none();
        if is_first
            && content::is_folders(types, question.result)
            && client.asking(Need::Folders) != Asking::Never
        {
            return Self::Folders { question, reply };
        }
        let choices = client.choices();
        // One that has no such form keeps the plain one.
        match form::request(types, &question, choices) {
            Ok(laid_out) => Self::Person {
                question,
                form: Box::new(laid_out),
                choices,
                reply,
            },
            Err(_) => Self::Person {
                question,
                form,
                choices: Choices::One,
                reply,
            },
        }
    }

    /// As a request to a client that can be asked within its call.
    pub fn request(&self) -> ServerRequest {
        match self {
            Self::Person { form, .. } => {
                ServerRequest::ElicitRequest(ElicitRequest::new((**form).clone()))
            }
            Self::Folders { .. } => ServerRequest::ListRootsRequest(ListRootsRequest::default()),
            Self::Model { request, .. } => {
                ServerRequest::CreateMessageRequest(CreateMessageRequest::new((**request).clone()))
            }
        }
    }

    /// As a part of the result for a client that calls again.
    pub fn input_request(&self) -> InputRequest {
        match self {
            Self::Person { form, .. } => {
                InputRequest::Elicitation(ElicitRequest::new((**form).clone()))
            }
            Self::Folders { .. } => InputRequest::ListRoots(ListRootsRequest::default()),
            Self::Model { request, .. } => {
                InputRequest::CreateMessage(CreateMessageRequest::new((**request).clone()))
            }
        }
    }

    /// Hands on what the client has answered within its call.
    pub fn answer(&mut self, answer: ClientResult) {
        match (&*self, answer) {
            (Self::Person { .. }, ClientResult::ElicitResult(result)) => self.fill_in(result),
            (Self::Model { .. }, ClientResult::CreateMessageResult(result)) => {
                self.complete(*result);
            }
            (Self::Folders { .. }, ClientResult::ListRootsResult(result)) => self.list(result),
            (Self::Person { .. } | Self::Folders { .. } | Self::Model { .. }, _) => {
                self.refuse("the client has answered something else");
            }
        }
    }

    /// Hands on what the client has brought when it called again. Whether that was an answer.
    pub fn take(&mut self, input: Value) -> Taken {
        let taken = match self {
            Self::Person { .. } => {
                serde_json::from_value::<ElicitResult>(input).map(|it| self.fill_in(it))
            }
            Self::Folders { .. } => {
                serde_json::from_value::<ListRootsResult>(input).map(|it| self.list(it))
            }
            Self::Model { .. } => {
                serde_json::from_value::<CreateMessageResult>(input).map(|it| self.complete(it))
            }
        };
        match taken {
            Ok(()) => Taken::Answered,
            Err(_) => Taken::NoAnswer,
        }
    }

    fn fill_in(&mut self, result: ElicitResult) {
        if let Self::Person {
            question,
            choices,
            reply,
            ..
        } = self
        {
            reply.reply(form::reply(question, *choices, result));
        }
    }

    fn list(&mut self, result: ListRootsResult) {
        if let Self::Folders { question, reply } = self {
            let folder = |it: Root| json!({ "uri": it.uri, "name": it.name });
            let folders: Vec<Value> = result.roots.into_iter().map(folder).collect();
            reply.reply(Ok(Reply {
                digest: question.digest.clone(),
                answer: Value::Array(folders).to_string(),
            }));
        }
    }

    fn complete(&mut self, result: CreateMessageResult) {
        if let Self::Model { reply, .. } = self {
            reply.reply(sampling::answer(result));
        }
    }

    /// There is no answer, for this reason.
    pub fn refuse(&mut self, why: &str) {
        match self {
            Self::Person {
                question, reply, ..
            }
            | Self::Folders { question, reply } => {
                let human = &question.human;
                let why = format!("`{human}` asks a person, and {why}");
                reply.reply(Err(NoReply::Unreachable(why)));
            }
            Self::Model { reply, .. } => {
                let why = format!("the model of the client is asked, and {why}");
                reply.reply(Err(sampling::failure(why)));
            }
        }
    }

    /// Whether the reply is not waited for any more.
    pub fn is_taken_back(&self) -> bool {
        match self {
            Self::Person { reply, .. } | Self::Folders { reply, .. } => reply.is_gone(),
            Self::Model { reply, .. } => reply.is_gone(),
        }
    }

    /// Waits until that is so.
    pub async fn taken_back(&mut self) {
        match self {
            Self::Person { reply, .. } | Self::Folders { reply, .. } => reply.gone().await,
            Self::Model { reply, .. } => reply.gone().await,
        }
    }
}

/// Whether what a client has brought was an answer. What is none is asked for again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    Answered,
    NoAnswer,
}
