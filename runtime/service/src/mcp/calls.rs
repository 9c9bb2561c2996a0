//! The open calls of one client: ids are unique among them, and ending or cancelling them reaches their runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use gsw_driver::engine::Canceller;
use rmcp::ErrorData;
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, GetExtensions, RequestId,
    ServerJsonRpcMessage,
};

use crate::mcp::offered::lock;

/// Why a call is cancelled whose client says nothing else.
pub(super) const BY_CLIENT: &str = "cancelled by the client";
const WITH_SESSION: &str = "its session has ended";

/// Those of a connection or a session.
#[derive(Default)]
pub(super) struct Calls(Mutex<State>);

#[derive(Default)]
struct State {
    /// They have ended together; no further one is accepted.
    over: bool,
    open: BTreeMap<RequestKey, Open>,
}

/// An id in which a number and a text differ.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
enum RequestKey {
    Number(i64),
    Text(Arc<str>),
}

#[derive(Default)]
struct Open {
    /// None before it begins, and where it is no run.
    run: Option<Canceller>,
    /// Why, if so. It gets no answer then, and is open until no task works on it.
    cancelled: Option<String>,
}

/// A call, as the task that works on it has it. It goes with the request as one of its extensions.
pub(super) struct Call {
    calls: Arc<Calls>,
    key: RequestKey,
}

impl Calls {
    /// Notes what a client has sent. A request whose id is taken is none; the error is its answer.
    pub fn heard(
        self: &Arc<Self>,
        message: &mut ClientJsonRpcMessage,
    ) -> Result<(), Box<ServerJsonRpcMessage>> {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                let key = key(&request.id);
                let mut state = lock(&self.0);
                if state.open.contains_key(&key) {
                    let why = "a request with this id is running";
                    let error = ErrorData::invalid_request(why, None);
                    let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
                    return Err(Box::new(answer));
                }
                state.open.insert(key.clone(), Open::default());
                drop(state);
                let call = Call {
                    calls: Arc::clone(self),
                    key,
                };
                request.request.extensions_mut().insert(Arc::new(call));
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                {
                    self.cancel(&cancelled.params);
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
        Ok(())
    }

    /// Notes what the client is sent: after its answer the id is free.
    pub fn said(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id {
            lock(&self.0).open.remove(&key(id));
        }
    }

    fn cancel(&self, cancelled: &CancelledNotificationParam) {
        let Some(id) = &cancelled.request_id else {
            return;
        };
        let why = cancelled.reason.clone().filter(|it| !it.is_empty());
        let why = why.unwrap_or_else(|| BY_CLIENT.to_owned());
        let run = lock(&self.0).open.get_mut(&key(id)).and_then(|open| {
            open.cancelled = Some(why.clone());
            open.run.clone()
        });
        if let Some(run) = run {
            run.cancel(&why);
        }
    }

    /// Cancels all of them, and whatever begins later.
    pub fn end(&self) {
        let mut state = lock(&self.0);
        state.over = true;
        let runs: Vec<Canceller> = state
            .open
            .values()
            .filter_map(|it| it.run.clone())
            .collect();
        drop(state);
        for run in runs {
            run.cancel(WITH_SESSION);
        }
    }
}

impl Call {
    /// Notes that its run has begun.
    pub fn began(&self, run: &Canceller) {
        let mut state = lock(&self.calls.0);
        let over = state.over.then(|| WITH_SESSION.to_owned());
        let open = state.open.get_mut(&self.key);
        let cancelled = open.and_then(|open| {
            open.run = Some(run.clone());
            open.cancelled.clone()
        });
        drop(state);
        if let Some(why) = over.or(cancelled) {
            run.cancel(&why);
        }
    }
}

impl Drop for Call {
    /// Marks it as not worked on any more. If its answer is in flight, the id is free once that was sent.
    fn drop(&mut self) {
        let mut state = lock(&self.calls.0);
        if state
            .open
            .get(&self.key)
            .is_some_and(|it| it.cancelled.is_some())
        {
            state.open.remove(&self.key);
        }
    }
}

fn key(id: &RequestId) -> RequestKey {
    match id {
        RequestId::Number(number) => RequestKey::Number(*number),
        RequestId::String(text) => RequestKey::Text(Arc::clone(text)),
    }
}
