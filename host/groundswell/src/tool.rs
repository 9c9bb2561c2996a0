//! Tools of the host: async closures that a program calls by its own `@host` declarations.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use gsw_driver::call::Call;
use gsw_driver::host::{Answer, HostTools};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};

/// Why a tool gave no value; the program sees `ToolFailed`, a model a tool error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolError {
    message: String,
}

impl ToolError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

type Performed = Box<dyn Fn(Value) -> Answer + Send + Sync>;

/// The tools of a host.
#[derive(Default)]
pub(crate) struct Tools {
    calls: BTreeMap<String, Performed>,
    /// Where they run: the executor that the host was made on, if any, else the engine's.
    executor: Option<Handle>,
}

impl Tools {
    pub(crate) fn add<I, O, F, R>(&mut self, name: &str, tool: F)
    where
        I: DeserializeOwned + Send + 'static,
        O: Serialize + 'static,
        F: Fn(I) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let call: Performed = Box::new(move |input| {
            let answer = serde_json::from_value(input).map(&tool);
            Box::pin(async move {
                let answer = answer.map_err(|error| {
                    format!("the host's tool does not take these arguments: {error}")
                })?;
                let value = answer.await.map_err(|error| error.message)?;
                serde_json::to_value(value)
                    .map_err(|error| format!("its answer cannot be written as JSON: {error}"))
            })
        });
        self.calls.insert(name.to_owned(), call);
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.calls.keys().map(String::as_str)
    }

    /// From here on the tools run where this is called.
    pub(crate) fn settle(&mut self) {
        self.executor = Handle::try_current().ok();
    }
}

impl HostTools for Tools {
    fn call(&self, tool: &str, input: Value, _call: &Call) -> Answer {
        let Some(call) = self.calls.get(tool) else {
            let message = "the host has no such tool".to_owned();
            return Box::pin(std::future::ready(Err(message)));
        };
        let answer = call(input);
        match &self.executor {
            None => answer,
            Some(executor) => {
                let answer = Elsewhere(executor.spawn(answer));
                Box::pin(async move {
                    answer.await.unwrap_or_else(|error| {
                        Err(format!("the host's tool ended early: {error}"))
                    })
                })
            }
        }
    }
}

/// What is worked out on another executor; dropping it ends that.
pub(crate) struct Elsewhere<T>(pub JoinHandle<T>);

impl<T> Future for Elsewhere<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for Elsewhere<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
