//! A run that a client waits for: begun by its call, reported while it continues, asked about, ended.
//!
//! A client of the newer protocol cannot be asked while its call is open: it gets the questions as the result and calls again
//! with the answers and the token of the run, which continues meanwhile.

use std::collections::{BTreeSet, VecDeque};

use gsw_driver::engine::Canceller;
use rmcp::RoleServer;
use rmcp::model::{InputRequests, InputResponses, ProgressNotificationParam, ProgressToken};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Map, Value};

use crate::mcp::asked::{Asked, Taken};
use crate::mcp::callers::{Happening, Happenings};
use crate::mcp::calls::BY_CLIENT;
use crate::mcp::client::Need;

/// A run that a client waits for.
pub(super) struct Ongoing {
    /// Its workflow, as an index.
    pub workflow: usize,
    /// What it was called with.
    pub input: Map<String, Value>,
    pub canceller: Canceller,
    happenings: Happenings,
    /// What is asked and has no reply, by the keys of the questions.
    asked: VecDeque<(String, Asked)>,
    /// The keys of all questions, where none may come twice.
    keys: Option<BTreeSet<String>>,
    /// How many lines of progress were sent.
    pub lines: u32,
    /// What was asked of it that its client has not said that it can.
    pub lacking: Option<Need>,
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
            lacking: None,
        }
    }

    /// Whether its run has nothing more to say than how it ended.
    pub fn has_ended(&self) -> bool {
        self.happenings.have_ended()
    }

    /// Replies to what was asked, as far as there are responses. What is none is asked for again.
    pub fn reply(&mut self, mut responses: InputResponses) {
        self.asked.retain_mut(|(key, asked)| {
            let taken = responses.remove(key).map(|it| asked.take(it));
            taken != Some(Taken::Answered)
        });
    }

    /// From now on no question has the key of an earlier one.
    pub fn name_each_question_anew(&mut self) {
        self.keys = Some(self.asked.iter().map(|it| it.0.clone()).collect());
    }

    /// Remembers a question until it is replied to.
    pub fn keep(&mut self, asked: Asked) {
        let name = asked.name();
        let taken = |key: &str| {
            let was = self.keys.as_ref().is_some_and(|it| it.contains(key));
            was || self.asked.iter().any(|it| it.0 == key)
        };
        let mut key = name.to_owned();
        let mut number = 2;
        while taken(&key) {
            key = format!("{name} {number}");
            number += 1;
        }
        if let Some(keys) = &mut self.keys {
            keys.insert(key.clone());
        }
        self.asked.push_back((key, asked));
    }

    /// Refuses what its client has not said that it can.
    pub fn lacks(&mut self, asked: &mut Asked) {
        let need = asked.need();
        self.lacking = Some(need);
        asked.refuse(&format!("the client has no {}", need.name()));
    }

    /// Whether something has no reply.
    pub fn asks(&mut self) -> bool {
        self.asked.retain(|it| !it.1.is_taken_back());
        !self.asked.is_empty()
    }

    /// What has no reply, if there is something.
    pub fn requests(&mut self) -> Option<InputRequests> {
        if !self.asks() {
            return None;
        }
        let requests = self.asked.iter();
        let requests = requests.map(|(key, asked)| (key.clone(), asked.input_request()));
        Some(requests.collect())
    }

    /// Reports that there will be no reply.
    pub fn abandon(&mut self) {
        for (_, asked) in &mut self.asked {
            asked.refuse("its client has not called again");
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

/// Asks while the call is open. What was taken back is withdrawn from the client.
pub(super) async fn ask(context: &RequestContext<RoleServer>, mut asked: Asked) {
    let options = PeerRequestOptions::default();
    let sent = context
        .peer
        .send_cancellable_request(asked.request(), options)
        .await;
    let mut handle = match sent {
        Ok(handle) => handle,
        Err(error) => return asked.refuse(&error.to_string()),
    };
    let answer = tokio::select! {
        answer = &mut handle.rx => answer,
        () = asked.taken_back() => {
            let why = "the answer is not waited for any more".to_owned();
            let _ = handle.cancel(Some(why)).await;
            return;
        }
    };
    match answer {
        Ok(Ok(answer)) => asked.answer(answer),
        Ok(Err(error)) => asked.refuse(&error.to_string()),
        Err(_) => asked.refuse("the client has gone"),
    }
}
