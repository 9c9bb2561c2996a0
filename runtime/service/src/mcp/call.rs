//! A run that a client waits for: begun by its call, reported while it continues, asked about, ended.
//!
//! A client of the newer protocol cannot be asked while its call is open: it gets the questions as the result and calls again
//! with the answers and the token of the run, which continues meanwhile.

use std::collections::{BTreeSet, VecDeque};

use gsw_driver::engine::Canceller;
use gsw_driver::human::NoReply;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitResult, InputRequest, InputRequests, InputResponses,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Map, Value};

use crate::mcp::callers::{Asked, Happening, Happenings};
use crate::mcp::calls::BY_CLIENT;
use crate::mcp::form::Choices;

/// A run that a client waits for.
pub(super) struct Ongoing {
    /// Its workflow, as an index.
    pub workflow: usize,
    /// What it was called with.
    pub input: Map<String, Value>,
    pub canceller: Canceller,
    happenings: Happenings,
    /// What is asked and has no reply, by the keys of the questions.
    asked: VecDeque<(String, Box<Asked>)>,
    /// The keys of all questions, where none may come twice.
    keys: Option<BTreeSet<String>>,
    /// How many lines of progress were sent.
    pub lines: u32,
}

/// Whether a client can be asked, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// It has no form to show.
    Never,
    /// By a request, while its own is open.
    Within,
    /// By the result, after which it calls again.
    Between,
}

impl Ongoing {
    pub fn new(
        workflow: usize,
        input: Map<String, Value>,
        canceller: Canceller,
        happenings: Happenings,
    ) -> Self {
        Self {
            workflow,
            input,
            canceller,
            happenings,
            asked: VecDeque::new(),
            keys: None,
            lines: 0,
        }
    }

    /// Whether its run has nothing more to say than how it ended.
    pub fn has_ended(&self) -> bool {
        self.happenings.have_ended()
    }

    /// Replies to what was asked, as far as there are responses. What is none is asked for again.
    pub fn reply(&mut self, mut responses: InputResponses) {
        self.asked.retain_mut(|(key, asked)| {
            let response = responses.remove(key);
            let result = response.and_then(|it| serde_json::from_value::<ElicitResult>(it).ok());
            let Some(result) = result else {
                return true;
            };
            asked.fill_in(result);
            false
        });
    }

    /// From now on no question has the key of an earlier one.
    pub fn name_each_question_anew(&mut self) {
        self.keys = Some(self.asked.iter().map(|it| it.0.clone()).collect());
    }

    /// Remembers a question until it is replied to.
    pub fn keep(&mut self, asked: Box<Asked>) {
        let human = &asked.question.human;
        let taken = |key: &str| {
            let was = self.keys.as_ref().is_some_and(|it| it.contains(key));
            was || self.asked.iter().any(|it| it.0 == key)
        };
        let mut key = human.clone();
        let mut number = 2;
        while taken(&key) {
            key = format!("{human} {number}");
            number += 1;
        }
        if let Some(keys) = &mut self.keys {
            keys.insert(key.clone());
        }
        self.asked.push_back((key, asked));
    }

    /// The forms of what has no reply, if a question waits for one.
    pub fn requests(&mut self) -> Option<InputRequests> {
        self.asked.retain(|it| !it.1.is_taken_back());
        let requests = self.asked.iter().map(|(key, asked)| {
            let request = InputRequest::Elicitation(ElicitRequest::new(asked.form.clone()));
            (key.clone(), request)
        });
        let requests: InputRequests = requests.collect();
        (!requests.is_empty()).then_some(requests)
    }

    /// Reports that there will be no reply.
    pub fn abandon(&mut self) {
        for (_, asked) in &mut self.asked {
            refuse(asked, "its client has not called again");
        }
        self.asked.clear();
    }

    pub async fn happening(&mut self) -> Option<Happening> {
        self.happenings.next().await
    }

    /// What happens next, unless the client has cancelled before; then the run is cancelled and continues to its end.
    pub async fn next(&mut self, given_up: &mut GivenUp<'_>) -> Option<Happening> {
        loop {
            tokio::select! {
                happening = self.happenings.next() => return happening,
                () = given_up.comes() => self.canceller.cancel(BY_CLIENT),
            }
        }
    }
}

/// Whether the client of a call has stopped waiting, which is reported once.
pub(super) struct GivenUp<'a> {
    context: &'a RequestContext<RoleServer>,
    said: bool,
}

impl<'a> GivenUp<'a> {
    pub const fn of(context: &'a RequestContext<RoleServer>, watch: Watch) -> Self {
        Self {
            context,
            said: matches!(watch, Watch::NotAtAll),
        }
    }

    async fn comes(&mut self) {
        if self.said {
            std::future::pending::<()>().await;
        }
        self.context.ct.cancelled().await;
        self.said = true;
    }
}

/// Whether the end of a connection is the end of its calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// The process ends with its only client, and what is recorded is left.
    NotAtAll,
    Calls,
}

/// How the client of a call can be asked.
pub(super) fn asking(context: &RequestContext<RoleServer>) -> Asking {
    let capabilities = context.client_capabilities();
    let elicits = capabilities.and_then(|it| it.elicitation);
    // One that names neither kind of form has the plain one, as all had before there were two.
    if !elicits.is_some_and(|it| it.form.is_some() || it.url.is_none()) {
        return Asking::Never;
    }
    let version = context.protocol_version().unwrap_or_default();
    if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() {
        Asking::Between
    } else {
        Asking::Within
    }
}

/// The choices that the client of a call knows.
pub(super) fn choices(context: &RequestContext<RoleServer>) -> Choices {
    let version = context.protocol_version().unwrap_or_default();
    match version.as_str() >= ProtocolVersion::V_2025_11_25.as_str() {
        true => Choices::Several,
        false => Choices::One,
    }
}

/// Sends a line of progress.
pub(super) async fn tell(
    context: &RequestContext<RoleServer>,
    token: ProgressToken,
    number: u32,
    line: String,
) {
    let progress = ProgressNotificationParam::new(token, f64::from(number)).with_message(line);
    // A client that has gone is noticed elsewhere.
    let _ = context.peer.notify_progress(progress).await;
}

pub(super) fn refuse(asked: &mut Asked, why: &str) {
    let human = &asked.question.human;
    let why = NoReply::Unreachable(format!("`{human}` asks a person, and {why}"));
    asked.reply(Err(why));
}

/// Asks while the call is open. A question that was taken back is withdrawn from the client.
pub(super) async fn ask(context: &RequestContext<RoleServer>, mut asked: Box<Asked>) {
    let human = asked.question.human.clone();
    let unreachable =
        |why: String| NoReply::Unreachable(format!("`{human}` cannot be asked: {why}"));
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(asked.form.clone()));
    let options = PeerRequestOptions::default();
    let sent = context
        .peer
        .send_cancellable_request(request, options)
        .await;
    let mut handle = match sent {
        Ok(handle) => handle,
        Err(error) => return asked.reply(Err(unreachable(error.to_string()))),
    };
    let answer = tokio::select! {
        answer = &mut handle.rx => answer,
        () = asked.taken_back() => {
            let why = "the answer is not waited for any more".to_owned();
            let _ = handle.cancel(Some(why)).await;
            return;
        }
    };
    let reply = match answer {
        Ok(Ok(ClientResult::ElicitResult(result))) => return asked.fill_in(result),
        Ok(Ok(_)) => Err(unreachable("the client has answered something else".into())),
        Ok(Err(error)) => Err(unreachable(error.to_string())),
        Err(_) => Err(unreachable("the client has gone".into())),
    };
    asked.reply(reply);
}
