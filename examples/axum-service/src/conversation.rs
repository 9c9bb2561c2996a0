//! A run as a stream of server-sent events: what happens, then `result` or `error`.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::response::sse::Event;
use futures_core::Stream;
use groundswell::{Events, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Owns the run: when the client goes away the stream is dropped, and with it the run, which cancels it.
#[derive(Debug)]
pub struct Conversation<T> {
    events: Events,
    run: Option<Run<T>>,
}

impl<T> Conversation<T> {
    /// The stream of a run that was just started.
    pub fn new(mut run: Run<T>) -> Self {
        Self {
            events: run.events(),
            run: Some(run),
        }
    }
}

impl<T: DeserializeOwned + Serialize> Stream for Conversation<T> {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(event) = ready!(Pin::new(&mut self.events).poll_next(context)) {
            return Poll::Ready(Some(Ok(named("progress", &*event))));
        }
        let Some(run) = &mut self.run else {
            return Poll::Ready(None);
        };
        let result = ready!(Pin::new(run).poll(context));
        self.run = None;
        Poll::Ready(Some(Ok(match result {
            Ok(value) => named("result", &value),
            Err(error) => named("error", &error.to_json()),
        })))
    }
}

fn named(name: &str, data: &impl Serialize) -> Event {
    let event = Event::default().event(name);
    event.json_data(data).unwrap_or_else(|error| {
        let data = json!({ "error": "Internal", "message": error.to_string() });
        Event::default().event("error").data(data.to_string())
    })
}
