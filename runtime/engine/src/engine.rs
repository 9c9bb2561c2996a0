//! The way in: an engine holds a loaded program and what its runs may use, and starts runs of its workflows.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use gsw_abi::program::Program;
use serde_json::{Map, Value};

use crate::detached::{Detached, DetachedEnd, new_run};
use crate::driver::carrier::{Carrier, OnEnd};
use crate::driver::outside::Outside;
use crate::driver::permissions::Permissions;
use crate::host::{HostTools, Variables};
use crate::human::Humans;
use crate::load::Loaded;
use crate::model::{Models, Prompts};
use crate::node::Tree;
use crate::observe::Observers;
use crate::run::{Finished, RunResult};
use crate::services::{Listener, Services};
use crate::turn_threads::TurnThreads;
use crate::web::Web;

/// What the runs of an engine may use.
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Performs requests to models.
    pub models: Option<Arc<dyn Models>>,
    /// Makes the machines of prompt calls.
    pub prompts: Option<Arc<dyn Prompts>>,
    /// Sends HTTP requests.
    pub web: Option<Arc<dyn Web>>,
    /// The model that replaces every agent's.
    pub model_override: Option<String>,
    /// Who is told what happens.
    pub observers: Arc<Observers>,
    /// The most bytes that the values of one run may take.
    pub memory_limit: Option<u64>,
    /// Performs the tools that the program leaves to its host.
    pub tools: Option<Arc<dyn HostTools>>,
    /// Takes questions to people.
    pub humans: Option<Arc<dyn Humans>>,
    /// Where `env.get` and `secret` look.
    pub variables: Variables,
}

/// How one run is started.
pub struct RunOptions {
    /// Hears of every event of this run, besides the engine's observers.
    pub listener: Option<Listener>,
    /// Hears of its end, on a thread of the engine, which it must not hold up.
    pub on_end: OnEnd,
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions").finish_non_exhaustive()
    }
}

/// A program that can be run.
#[derive(Debug, Clone)]
pub struct Engine {
    loaded: Arc<Loaded>,
    services: Arc<Services>,
    outside: Arc<Outside>,
    detached: Arc<Detached>,
}

/// A run on its way.
#[derive(Debug)]
pub struct RunHandle {
    canceller: Canceller,
    finished: Receiver<Box<Finished>>,
}

/// Tells a run to end; can be kept by a signal handler.
#[derive(Debug, Clone)]
pub struct Canceller {
    carrier: Arc<Carrier>,
    run: Arc<str>,
}

impl Engine {
    /// An engine for a loaded program.
    #[must_use]
    pub fn new(loaded: Loaded, options: EngineOptions) -> Self {
        let services = Services {
            prompts: options.prompts.clone(),
            model_override: options.model_override,
            observers: options.observers,
            listener: None,
            humans: options.humans.clone(),
            memory_limit: options.memory_limit,
        };
        let permissions = Permissions::of(&loaded.program);
        let (loaded, services) = (Arc::new(loaded), Arc::new(services));
        let detached = Arc::new(Detached::new(Arc::clone(&loaded), Arc::clone(&services)));
        let outside = Outside {
            models: options.models,
            prompts: options.prompts,
            web: options.web,
            tools: options.tools,
            humans: options.humans,
            variables: options.variables,
            permissions: Arc::new(permissions),
            detached: Arc::clone(&detached),
            pending: Mutex::default(),
        };
        Self {
            loaded,
            services,
            outside: Arc::new(outside),
            detached,
        }
    }

    /// The program's tables.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.loaded.program
    }

    /// Index of the workflow of this name, `_` and `-` being alike.
    #[must_use]
    pub fn workflow(&self, name: &str) -> Option<usize> {
        let wanted = name.replace('-', "_");
        self.loaded
            .program
            .workflows
            .iter()
            .position(|it| it.name == wanted)
    }

    /// Starts a run of a workflow with its parameters by name.
    #[must_use]
    pub fn start(&self, workflow: usize, input: Map<String, Value>) -> RunHandle {
        let (sender, finished) = std::sync::mpsc::channel();
        let options = RunOptions {
            listener: None,
            // Nobody may be waiting for it.
            on_end: Box::new(move |it| drop(sender.send(it))),
        };
        let canceller = self.start_with(workflow, input, options);
        RunHandle {
            canceller,
            finished,
        }
    }

    /// Starts a run of a workflow and returns at once.
    #[must_use]
    pub fn start_with(
        &self,
        workflow: usize,
        input: Map<String, Value>,
        options: RunOptions,
    ) -> Canceller {
        let services = match options.listener {
            None => Arc::clone(&self.services),
            listener => Arc::new(Services {
                listener,
                ..Services::clone(&self.services)
            }),
        };
        let (run, id) = new_run(&self.loaded, &services);
        let carrier = Carrier::new(
            run,
            Arc::clone(&self.outside),
            TurnThreads::shared().clone(),
            options.on_end,
        );
        carrier.begin(workflow, input);
        Canceller { carrier, run: id }
    }

    /// Waits for all runs that `spawn detached` has started, also those that they start in turn. Gives how they ended; of those
    /// that ended before, in an engine that starts many, only the latest that went wrong are known.
    #[must_use]
    pub fn wait_for_detached(&self) -> Vec<DetachedEnd> {
        self.detached.wait()
    }

    /// Tells the runs that `spawn detached` has started to end, and those that it still starts.
    pub fn cancel_detached(&self, reason: &str) {
        self.detached.cancel(reason);
    }

    /// Stops them at once.
    pub fn stop_detached(&self) {
        self.detached.stop();
    }

    /// Ends all that runs have asked for and that is on its way, commands above all, for a process that leaves without waiting.
    pub fn abandon(&self) {
        self.outside.abandon();
    }

    /// Runs a workflow to its end.
    #[must_use]
    pub fn run(&self, workflow: usize, input: Map<String, Value>) -> Box<Finished> {
        self.start(workflow, input).wait()
    }
}

impl RunHandle {
    /// Waits for the end.
    #[must_use]
    pub fn wait(self) -> Box<Finished> {
        self.finished.recv().unwrap_or_else(|_| {
            Box::new(Finished {
                result: RunResult::Internal("the driver of the run failed".into()),
                duration: 0,
                tree: Tree::default(),
                live_objects: 0,
                unmocked: None,
            })
        })
    }

    /// Shows the run's tree as it is now, with the time, between two turns; `None` when the run has ended. A turn that does not
    /// wait for anything is waited for.
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Tree, i64) -> T + Send + 'static,
    ) -> Option<T> {
        self.canceller.look(look)
    }

    /// What can tell this run to end.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }
}

impl Canceller {
    /// The name of the run in events.
    #[must_use]
    pub fn run(&self) -> &Arc<str> {
        &self.run
    }

    /// Shows the run's tree as it is now, with the time, between two turns; `None` when the run has ended.
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Tree, i64) -> T + Send + 'static,
    ) -> Option<T> {
        self.carrier.look(move |run| look(&run.tree, run.now))
    }

    /// Tells the run to end: all of it is unwound, and its `defer`s run. Code that does not wait for anything is stopped
    /// after a second.
    pub fn cancel(&self, reason: &str) {
        self.carrier.cancel(reason);
    }

    /// Stops the run at once, at the next turn of a loop or call; `defer`s are cut short as well.
    pub fn stop(&self) {
        self.carrier.stop();
    }
}
