//! The way in: an engine holds a loaded program and what its runs may use, and starts runs of its workflows.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use gsw_abi::program::Program;
use serde_json::{Map, Value};

use crate::driver::carrier::Carrier;
use crate::driver::clock;
use crate::driver::outside::Outside;
use crate::driver::permissions::Permissions;
use crate::load::Loaded;
use crate::model::{Models, Prompts};
use crate::observe::Observers;
use crate::run::{Finished, Run, RunResult, Start};
use crate::services::Services;
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
}

/// A program that can be run.
#[derive(Debug, Clone)]
pub struct Engine {
    loaded: Arc<Loaded>,
    services: Arc<Services>,
    outside: Arc<Outside>,
}

/// A run on its way.
#[derive(Debug)]
pub struct RunHandle {
    carrier: Arc<Carrier>,
    finished: Receiver<Box<Finished>>,
}

/// Tells a run to end; can be kept by a signal handler.
#[derive(Debug, Clone)]
pub struct Canceller(Arc<Carrier>);

impl Engine {
    /// An engine for a loaded program.
    #[must_use]
    pub fn new(loaded: Loaded, options: EngineOptions) -> Self {
        let services = Services {
            prompts: options.prompts.clone(),
            model_override: options.model_override,
            observers: options.observers,
            memory_limit: options.memory_limit,
        };
        let permissions = Permissions::new(loaded.program.permissions.as_deref());
        let outside = Outside::new(permissions, options.models, options.prompts, options.web);
        Self {
            loaded: Arc::new(loaded),
            services: Arc::new(services),
            outside: Arc::new(outside),
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
        let start = Start {
            // As wide as the ids of traces, so that none is given twice anywhere.
            id: format!("{:016x}{:016x}", clock::random_word(), clock::random_word()).into(),
            now: clock::now(),
            seed: clock::random_word(),
        };
        let run = Run::new(Arc::clone(&self.loaded), Arc::clone(&self.services), start);
        let (sender, finished) = std::sync::mpsc::channel();
        let carrier = Carrier::new(
            run,
            Arc::clone(&self.outside),
            TurnThreads::shared().clone(),
            sender,
        );
        carrier.begin(workflow, input);
        RunHandle { carrier, finished }
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
                tree: crate::node::Tree::default(),
                live_objects: 0,
                unmocked: None,
            })
        })
    }

    /// What can tell this run to end.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.carrier))
    }
}

impl Canceller {
    /// Tells the run to end: all of it is unwound, and its `defer`s run. Code that does not wait for anything is stopped
    /// after a second.
    pub fn cancel(&self, reason: &str) {
        self.0.cancel(reason);
    }

    /// Stops the run at once, at the next turn of a loop or call; `defer`s are cut short as well.
    pub fn stop(&self) {
        self.0.stop();
    }
}
