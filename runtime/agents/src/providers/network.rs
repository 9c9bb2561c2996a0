//! What all requests of a process share, and how an answer is passed on while it arrives.

use gsw_driver::call::{Call, Part};
use gsw_engine::operation::CallPart;

use super::http::Http;
use super::retry::Policy;
use super::traffic::Traffic;
use crate::environment::Environment;

/// A part of an answer as it arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delta<'a> {
    Text(&'a str),
    /// Of the arguments of the call with this number, from 0; nothing of them where it only begins.
    Call {
        call: usize,
        tool: &'a str,
        text: &'a str,
    },
    /// What has come is no part of an answer.
    Restart,
}

/// Takes an answer as it comes.
pub(crate) type OnDelta = Box<dyn FnMut(Delta<'_>) + Send>;

/// What all requests of a process share. Nothing is set up before the first one.
#[derive(Debug)]
pub(crate) struct Network {
    pub environment: Environment,
    pub http: Http,
    pub policy: Policy,
    pub traffic: Traffic,
}

/// Sends a delta to the parts of a call, if anything receives them.
pub(crate) fn deltas_of(call: &Call) -> OnDelta {
    if !call.parts.is_heard() {
        return Box::new(|_| ());
    }
    let parts = call.parts.clone();
    Box::new(move |delta| {
        parts.send(match delta {
            Delta::Text(text) => Part::Text(text.to_owned()),
            Delta::Call { call, tool, text } => Part::Call(CallPart {
                call: u32::try_from(call).unwrap_or(u32::MAX),
                tool: tool.to_owned(),
                text: text.to_owned(),
            }),
            Delta::Restart => Part::Restart,
        });
    })
}
