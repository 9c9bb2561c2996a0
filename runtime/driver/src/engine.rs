//! The entry point: an engine holds a loaded program and the resources of its runs, and starts runs of its workflows.

mod canceller;
pub mod forking;
pub mod happened;
pub mod places;
pub mod resuming;
pub mod runs;
pub mod standing;
pub mod starting;
mod undoing;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use gsw_abi::program::Program;
use gsw_abi::types::TypeId;
use gsw_engine::debug::Debugger;
use gsw_engine::load::Loaded;
use gsw_engine::model::Prompts;
use gsw_engine::operation::OperationId;
use gsw_engine::prices::Prices;
use gsw_engine::run::{Finished, MocksInTests, PromptsInTests, RunSettings};
pub use gsw_journal::list::Info;
use gsw_journal::record::UndoWish;
use gsw_journal::store::Error;
use gsw_journal::wal::LastWrite;
use gsw_tree::node::Tree;
use gsw_tree::observe::attached::Attached;
use gsw_tree::observe::{Observer, Observers};
use serde_json::{Map, Value};

use crate::answers::Answers;
use crate::carrier::OnEnd;
use crate::clock::Clock;
use crate::driver::Driver;
use crate::durable::store::RunStore;
pub use crate::engine::canceller::Canceller;
use crate::engine::forking::NotForked;
use crate::engine::happened::Happened;
use crate::engine::places::Places;
use crate::engine::resuming::{NotResumed, image_digest};
use crate::engine::runs::ending::{Reach, Shutdown};
use crate::engine::runs::{DetachedEnd, Entering, RunInfo, Runs, Started, new_id};
use crate::engine::standing::{NotAdded, Settled, Standing};
use crate::host::{HostTools, Variables};
use crate::human::Humans;
use crate::models::Models;
use crate::network::Network;
use crate::pauses::Pauses;
use crate::performers::Performers;
use crate::permissions::Permissions;
use crate::receivers::{Listener, Receivers};
use crate::scripted::Entry;
use crate::servers::Servers;
use crate::tape::Tape;
use crate::threads::Threads;
use crate::timer::{Timer, Waker};
use crate::turn_threads::TurnThreads;
use crate::web::Web;

/// What the runs of an engine may use.
#[derive(Clone, Default)]
pub struct EngineOptions {
    pub models: Option<Arc<dyn Models>>,
    /// Records the requests to models, or answers in their place.
    pub tape: Tape,
    /// Makes the machines of prompt calls.
    pub prompts: Option<Arc<dyn Prompts>>,
    pub answers: Option<Arc<dyn Answers>>,
    pub web: Option<Arc<dyn Web>>,
    /// Calls tools of MCP servers.
    pub servers: Option<Arc<dyn Servers>>,
    /// The model that replaces every agent's.
    pub model_override: Option<String>,
    pub observers: Arc<Observers>,
    /// The most bytes that the values of one run may take.
    pub memory_limit: Option<u64>,
    /// Whether prompts that no mock answers reach models, where the program was compiled for its tests.
    pub prompts_in_tests: PromptsInTests,
    /// Performs the tools that the program leaves to its host.
    pub tools: Option<Arc<dyn HostTools>>,
    pub humans: Option<Arc<dyn Humans>>,
    /// Where `env.get` and `secret` look.
    pub variables: Variables,
    /// Where runs are recorded, so that they outlive the process.
    pub store: Option<Arc<RunStore>>,
    /// How long a recorded run may wait for a person or for a distant time before this process leaves it. `None`: it is left at
    /// once when no one is here who could answer, and never otherwise.
    pub idle: Option<Duration>,
    /// Follows each run, where the program was compiled for that.
    pub debugger: Option<Arc<dyn Debugger>>,
    /// The pauses of runs while a debugger inspects one of them.
    pub pauses: Option<Arc<Pauses>>,
}

/// How one run is started.
pub struct RunOptions {
    /// Called for every event of this run, besides the engine's observers.
    pub listener: Option<Listener>,
    /// Called with its end, on a thread of the engine, which it must not block.
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
    runs: Arc<Runs>,
    observers: Arc<Observers>,
    servers: Option<Arc<dyn Servers>>,
    answers: Option<Arc<dyn Answers>>,
    /// Kept alive for the runs, which know it weakly.
    _driver: Arc<Driver>,
}

/// A run on its way.
#[derive(Debug)]
pub struct RunHandle {
    canceller: Canceller,
    finished: Receiver<Box<Finished>>,
}

/// A run that continues.
#[derive(Debug)]
pub struct Resumed {
    pub handle: RunHandle,
    /// The type of its value.
    pub result: TypeId,
    /// How many outcomes it had.
    pub outcomes: usize,
}

/// What happened to a request for a run of an id.
#[derive(Debug)]
pub enum Starting {
    New(Canceller),
    /// There is one of this id, or has been.
    Exists(RunInfo),
}

impl Engine {
    /// An engine for a loaded program.
    #[must_use]
    pub fn new(loaded: Loaded, options: EngineOptions) -> Self {
        let receivers = receivers(&options);
        let prompts = options.prompts;
        let prices = prices(&loaded.program, prompts.as_deref());
        let settings = RunSettings {
            model_override: options.model_override,
            prices: Arc::new(prices),
            memory_limit: options.memory_limit,
            prompts_in_tests: options.prompts_in_tests,
            mocks_in_tests: MocksInTests::Inside,
        };
        let loaded = Arc::new(loaded);
        let runs = Runs::new(
            Arc::clone(&loaded),
            prompts,
            settings,
            receivers,
            options.store,
        );
        let network = Network {
            models: options.models,
            tape: options.tape,
            answers: options.answers.clone(),
            web: options.web,
            servers: options.servers.clone(),
            tools: options.tools,
            humans: options.humans,
            variables: Arc::new(options.variables),
            permissions: Arc::new(Permissions::of(&runs.loaded.program)),
        };
        let (clock, timer) = time(options.pauses);
        let performers = Performers::new(clock.clone(), network, Arc::clone(&runs));
        let driver = Arc::new(Driver {
            clock,
            timer,
            threads: Threads::Engine(TurnThreads::shared().clone()),
            performers: Box::new(performers),
            active: AtomicUsize::new(0),
            idle: options.idle,
        });
        runs.set_driver(&driver);
        Self {
            loaded,
            runs,
            observers: options.observers,
            servers: options.servers,
            answers: options.answers,
            _driver: driver,
        }
    }

    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.loaded.program
    }

    /// Index of the workflow of this name, `_` and `-` being alike.
    #[must_use]
    pub fn workflow(&self, name: &str) -> Option<usize> {
        let wanted = name.replace('-', "_");
        let mut workflows = self.program().workflows.iter();
        workflows.position(|it| it.name == wanted)
    }

    /// Resumes a run that was interrupted, by its id or a prefix of it.
    ///
    /// # Errors
    /// When there is no such run, it has ended or is carried, or this program cannot resume it.
    pub fn resume(&self, id: &str) -> Result<Resumed, NotResumed> {
        let (sender, finished) = std::sync::mpsc::channel();
        let options = RunOptions {
            listener: None,
            // The receiver may be gone.
            on_end: Box::new(move |it| drop(sender.send(it))),
        };
        let taken = self.runs.resume(id, options.listener, options.on_end)?;
        let run = Arc::clone(taken.carrier.run());
        let canceller = Canceller {
            carrier: taken.carrier,
            run,
        };
        Ok(Resumed {
            handle: RunHandle {
                canceller,
                finished,
            },
            result: taken.result,
            outcomes: taken.outcomes,
        })
    }

    /// The same, and returns at once.
    ///
    /// # Errors
    /// As for [`Self::resume`].
    pub fn resume_with(&self, id: &str, options: RunOptions) -> Result<Canceller, NotResumed> {
        let RunOptions { listener, on_end } = options;
        let carrier = self.runs.resume(id, listener, on_end)?.carrier;
        let run = Arc::clone(carrier.run());
        Ok(Canceller { carrier, run })
    }

    /// The state of a stored run, without resuming it.
    ///
    /// # Errors
    /// As for [`Engine::places`].
    pub fn look_at(&self, id: &str) -> Result<Standing, NotResumed> {
        self.runs.look_at(id)
    }

    /// Where the operations of a stored run are in this program, and how far the run gets with it. Nothing is performed.
    ///
    /// # Errors
    /// When there is no such run, or this program cannot read it.
    pub fn places(&self, id: &str) -> Result<Places, NotResumed> {
        self.runs.places(id)
    }

    /// What happened in a stored run, with all its operations and their outcomes.
    ///
    /// # Errors
    /// As for [`Engine::places`].
    pub fn happened(&self, id: &str) -> Result<Happened, NotResumed> {
        self.runs.happened(id)
    }

    /// Moves a stored run that another build of the program began to this build.
    ///
    /// # Errors
    /// When there is no such run, it is carried, or this program asks for something else than it did.
    pub fn migrate(&self, id: &str) -> Result<(), NotAdded> {
        self.runs.migrate(id)
    }

    /// What the store knows of a run without its records.
    ///
    /// # Errors
    /// When there is no such run.
    pub fn kept(&self, id: &str) -> Result<Info, NotResumed> {
        let store = self.runs.store().ok_or(NotResumed::NoStore)?.existing()?;
        Ok(store.find(id)?)
    }

    /// The digest of the program's image, by which builds are told apart.
    #[must_use]
    pub fn image(&self) -> [u8; 32] {
        image_digest(&self.loaded)
    }

    /// Forks a stored run: makes a new one with its records up to the start of a node, optionally with another input. Returns
    /// its id.
    ///
    /// # Errors
    /// When there is no such run or node, or the run would not have come there with that input.
    pub fn fork(
        &self,
        id: &str,
        node: &str,
        set: Map<String, Value>,
    ) -> Result<Arc<str>, NotForked> {
        self.runs.fork(id, node, set)
    }

    /// Whether a run of this process only waits for the ends of other runs.
    #[must_use]
    pub fn stands_by(&self, id: &str) -> bool {
        self.runs.stands_by(id)
    }

    /// Records what is wanted of what could not be taken back of a run that has ended; it is done when the run is resumed.
    ///
    /// # Errors
    /// When the run has not ended, or nothing of it is left to take back.
    pub fn wish_undo(&self, id: &str, wish: UndoWish) -> Result<(), NotAdded> {
        self.runs.wish_undo(id, wish)
    }

    /// Says what happened to an operation of a run of the store that may have been done.
    ///
    /// # Errors
    /// When it is not in doubt, or cannot have such a result.
    pub fn settle(
        &self,
        id: &str,
        operation: OperationId,
        settled: &Settled,
    ) -> Result<(), NotAdded> {
        self.runs
            .settle(id, operation, settled, Clock::System.now())
    }

    /// The newest run of this workflow and input that has not ended, or that has with an undelivered result.
    ///
    /// # Errors
    /// Those of the store; there is none where there is no store yet.
    pub fn interrupted(
        &self,
        workflow: usize,
        input: &Map<String, Value>,
    ) -> Result<Option<Info>, Error> {
        let Some(workflow) = self.loaded.program.workflows.get(workflow) else {
            return Ok(None);
        };
        let store = self.runs.store();
        let program = &self.loaded.program;
        store.map_or(Ok(None), |it| {
            it.interrupted(program, &workflow.name, input)
        })
    }

    /// Whether the last write to the store before it was opened was lost; `None` where there is no store.
    #[must_use]
    pub fn last_write(&self) -> Option<LastWrite> {
        let store = self.runs.store()?.existing().ok()?;
        Some(store.last_write())
    }

    /// All runs of the store, the newest first; none where there is no store yet.
    ///
    /// # Errors
    /// Those of the store, and when a run is damaged.
    pub fn kept_runs(&self) -> Result<Vec<Info>, Error> {
        match self.runs.store().map(|it| it.existing()) {
            None | Some(Err(Error::Missing(_))) => Ok(Vec::new()),
            Some(store) => store?.list()?.whole(),
        }
    }

    /// Follows a run of this engine from the event of this number on, as far as its observers keep the past, and what comes
    /// after. An observer that is too slow learns how many it missed.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn follow(
        &self,
        run: &str,
        from: u64,
        observer: Box<dyn Observer>,
    ) -> std::io::Result<Attached> {
        self.observers.follow(run, from, observer)
    }

    /// The runs, by their ids.
    #[must_use]
    pub fn runs(&self) -> &Arc<Runs> {
        &self.runs
    }

    /// Waits for all runs that `spawn detached` has started, also those that they start in turn. Returns how they ended; of
    /// those that ended before, in an engine that starts many, only the latest that went wrong are known.
    #[must_use]
    pub fn wait_for_detached(&self) -> Vec<DetachedEnd> {
        self.runs.wait_for_detached()
    }

    /// Ends the servers that runs have started and releases kept answers, when no run is left.
    pub fn close(&self) {
        if let Some(servers) = &self.servers {
            servers.close();
        }
        if let Some(answers) = &self.answers {
            answers.close();
        }
    }

    /// Leaves the runs that `spawn detached` has started, and those that it still starts, where they can be resumed, and
    /// cancels those that cannot be.
    pub fn leave_detached(&self, reason: &str) {
        self.shut_down(Reach::Detached, reason);
    }

    /// Leaves all runs of this engine, those too that begin from now on, where they can be resumed, and cancels those that
    /// cannot be.
    pub fn leave_all(&self, reason: &str) {
        self.shut_down(Reach::All, reason);
    }

    fn shut_down(&self, reach: Reach, reason: &str) {
        self.runs.shut_down(&Shutdown {
            reach,
            reason: reason.to_owned(),
        });
    }

    /// Stops all runs at once.
    pub fn stop_all(&self) {
        self.runs.stop_all();
    }

    /// Ends all that runs have asked for and that is on its way, commands above all, for a process that leaves without waiting.
    pub fn abandon(&self) {
        self.runs.abandon();
    }

    /// Runs what a test enters to its end, with the clock, the models and whatever else the engine has.
    #[must_use]
    pub fn run_test(&self, entry: Entry) -> Box<Finished> {
        let (sender, finished) = std::sync::mpsc::channel();
        let on_end: OnEnd = Box::new(move |it| drop(sender.send(it)));
        match self
            .runs
            .start(new_id(), Entering::Test(entry), None, on_end)
        {
            Started::New(_) => finished.recv().unwrap_or_else(|_| Finished::lost()),
            Started::Exists(_) | Started::Elsewhere(_) | Started::Unwritten(_) => {
                unreachable!("nobody else has this id, and tests are not written down")
            }
        }
    }

    /// Runs a workflow to its end.
    #[must_use]
    pub fn run(&self, workflow: usize, input: Map<String, Value>) -> Box<Finished> {
        self.start(workflow, input).wait()
    }
}

fn receivers(options: &EngineOptions) -> Receivers {
    Receivers {
        observers: Arc::clone(&options.observers),
        listener: None,
        humans: options.humans.clone(),
        answers: options.answers.clone(),
        tape: options.tape.clone(),
        debugger: options.debugger.clone(),
    }
}

/// The clock and the timer of the engine's runs, which stand still during `pauses`.
fn time(pauses: Option<Arc<Pauses>>) -> (Clock, Arc<Timer>) {
    match pauses {
        Some(pauses) => {
            let clock = Clock::Paused(pauses);
            (clock.clone(), Timer::new(clock, Waker::Thread))
        }
        None => (Clock::System, Arc::clone(Timer::shared())),
    }
}

/// What models cost: what the program says counts before what its host knows.
#[must_use]
pub fn prices(program: &Program, prompts: Option<&dyn Prompts>) -> Prices {
    let own = program.models.prices.iter();
    // The compiler and the service have checked what they put there.
    let own = own.filter_map(|it| serde_json::from_str(it).ok());
    let known = prompts.map(Prompts::prices).unwrap_or_default();
    // In this order, since a look-up takes the first that fits.
    Prices(own.chain(known).collect())
}

impl RunHandle {
    #[must_use]
    pub fn wait(self) -> Box<Finished> {
        // The sender is dropped unused only where a bug of ours took the carrier along, which must not take the host down too.
        self.finished.recv().unwrap_or_else(|_| Finished::lost())
    }

    /// As [`Canceller::look`].
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Tree, i64) -> T + Send + 'static,
    ) -> Option<T> {
        self.canceller.look(look)
    }

    /// What can ask this run to end.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }
}
