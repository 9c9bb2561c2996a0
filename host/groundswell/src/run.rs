//! A run as a future.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use gsw_driver::engine::resuming::NotResumed;
use gsw_driver::engine::{Canceller, Engine, RunOptions};
use gsw_engine::run::{self, RunResult};
use gsw_notation::json::written;
use gsw_tree::node::Tree;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::oneshot::{self, Receiver};

use crate::error::Error;
use crate::events::{Events, Subscriptions};

/// A run on its way: a future of the workflow's value. Dropping it cancels the run cleanly, and its `defer`s run.
#[derive(Debug)]
#[must_use = "dropping a run cancels it"]
pub struct Run<T> {
    canceller: Canceller,
    subscriptions: Arc<Subscriptions>,
    /// Subscribed before the run began.
    first: Option<Events>,
    ending: Receiver<Box<run::Finished>>,
    on_drop: OnDrop,
    value: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OnDrop {
    Cancel,
    Nothing,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Finished<T> {
    /// Its value, or why there is none.
    pub result: Result<T, Error>,
    /// Everything that happened in it.
    pub tree: Tree,
    /// How long the whole run took.
    pub duration: Duration,
}

impl<T: DeserializeOwned> Run<T> {
    pub(crate) fn start(engine: &Engine, workflow: usize, input: Map<String, Value>) -> Self {
        let started: Result<Self, std::convert::Infallible> =
            Self::by(|options| Ok(engine.start_with(workflow, input, options)));
        match started {
            Ok(run) => run,
            Err(never) => match never {},
        }
    }

    pub(crate) fn resume(engine: &Engine, id: &str) -> Result<Self, NotResumed> {
        Self::by(|options| engine.resume_with(id, options))
    }

    fn by<E>(begin: impl FnOnce(RunOptions) -> Result<Canceller, E>) -> Result<Self, E> {
        let subscriptions = Arc::<Subscriptions>::default();
        let first = Some(subscriptions.subscribe());
        let (sender, ending) = oneshot::channel();
        let (listening, closing) = (Arc::clone(&subscriptions), Arc::clone(&subscriptions));
        let options = RunOptions {
            listener: Some(Arc::new(move |event| listening.publish(event))),
            on_end: Box::new(move |finished| {
                closing.close();
                // A run that was dropped or detached has no waiter.
                drop(sender.send(finished));
            }),
        };
        Ok(Self {
            canceller: begin(options)?,
            subscriptions,
            first,
            ending,
            on_drop: OnDrop::Cancel,
            value: PhantomData,
        })
    }

    /// The value with the tree and the duration, whatever the end.
    pub async fn finish(mut self) -> Finished<T> {
        self.first = None;
        let ending = (&mut self.ending).await.ok();
        self.on_drop = OnDrop::Nothing;
        finished(ending)
    }

    /// Waits for the end on this thread, outside of any executor.
    ///
    /// # Panics
    /// When it is called on a thread of an executor, which it would block.
    pub fn finish_blocking(mut self) -> Finished<T> {
        let (_, unused) = oneshot::channel();
        let ending = std::mem::replace(&mut self.ending, unused);
        let ending = ending.blocking_recv().ok();
        self.on_drop = OnDrop::Nothing;
        finished(ending)
    }
}

impl<T> Run<T> {
    /// The id of the run, which its events carry.
    #[must_use]
    pub fn id(&self) -> &str {
        self.canceller.run()
    }

    /// Its events: the first subscription has all of them from the beginning as far as its queue reaches, later ones those
    /// from now on.
    #[must_use]
    pub fn events(&mut self) -> Events {
        let first = self.first.take();
        first.unwrap_or_else(|| self.subscriptions.subscribe())
    }

    /// Leaves it so that it can be resumed: what must not happen twice is waited for, all else is given up, and no `defer` runs.
    /// It then ends here with [`Error::Left`]. Returns whether it can be left: a run of which nothing is recorded continues.
    #[must_use]
    pub fn leave(&self) -> bool {
        self.canceller.leave()
    }

    /// Cancels it: all of it is unwound, and its `defer`s run. It is still to be awaited.
    pub fn cancel(&self, reason: &str) {
        self.canceller.cancel(reason);
    }

    /// Lets it continue without a waiter.
    pub fn detach(mut self) {
        self.first = None;
        self.on_drop = OnDrop::Nothing;
    }
}

impl<T: DeserializeOwned> Future for Run<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // A host that awaits the run before asking for events wants none; they need not be kept.
        self.first = None;
        Pin::new(&mut self.ending).poll(context).map(|ending| {
            self.on_drop = OnDrop::Nothing;
            finished(ending.ok()).result
        })
    }
}

impl<T> Drop for Run<T> {
    fn drop(&mut self) {
        if self.on_drop == OnDrop::Cancel && self.ending.try_recv().is_err() {
            self.canceller.cancel("the host dropped the run");
        }
    }
}

fn finished<T: DeserializeOwned>(ending: Option<Box<run::Finished>>) -> Finished<T> {
    let Some(ending) = ending else {
        let message = "the driver of the run failed".to_owned();
        return Finished {
            result: Err(Error::Internal(message)),
            tree: Tree::default(),
            duration: Duration::ZERO,
        };
    };
    Finished {
        result: value(ending.result),
        tree: ending.tree,
        duration: Duration::from_nanos(ending.duration.max(0).unsigned_abs()),
    }
}

fn value<T: DeserializeOwned>(result: RunResult) -> Result<T, Error> {
    match result {
        // Read by way of a tree: numbers inside of tagged enums can be read from there only.
        RunResult::Value(json) => written(&json)
            .map_err(|issue| serde::de::Error::custom(issue.message))
            .and_then(serde_json::from_value)
            .map_err(|error| Error::Output { value: json, error }),
        RunResult::Raised(error) => Err(Error::Raised(error)),
        RunResult::Cancelled => Err(Error::Cancelled),
        RunResult::InvalidInput(issues) => Err(Error::InvalidInput(issues)),
        RunResult::Internal(message) => Err(Error::Internal(message)),
        RunResult::Left(why) => Err(Error::Left(why)),
    }
}
