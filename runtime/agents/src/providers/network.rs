//! What all requests of a process share, and how the text of an answer is passed on while it arrives.

use gsw_driver::call::{Call, Part};

use super::http::Http;
use super::retry::Policy;
use super::traffic::Traffic;
use crate::environment::Environment;

/// Takes the text of an answer as it comes.
pub(crate) type OnDelta = Box<dyn FnMut(&str) + Send>;

/// What all requests of a process share. Nothing is set up before the first one.
#[derive(Debug)]
pub(crate) struct Network {
    pub environment: Environment,
    pub http: Http,
    pub policy: Policy,
    pub traffic: Traffic,
}

/// Sends text to the parts of a call as it comes; an empty one means that a further attempt starts over.
pub(crate) fn deltas_of(call: &Call) -> OnDelta {
    let parts = call.parts.clone();
    Box::new(move |text| {
        parts.send(match text {
            "" => Part::Restart,
            text => Part::Text(text.to_owned()),
        });
    })
}
