//! The beginning of a run: what it is made of, and its root task.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::program::FunctionIndex;
use gsw_abi::site::Site;
use gsw_abi::types::TypeId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::codec::checker::Secrets;
use crate::debug::Debugger;
use crate::event::State;
use crate::export::TABLE;
use crate::front::Front;
use crate::heap::Heap;
use crate::load::Loaded;
use crate::model::Prompts;
use crate::node::NodeId;
use crate::port::Port;
use crate::prices::Prices;
use crate::run::Run;
use crate::run::call_stack::CallStack;
use crate::run::completion::Completion;
use crate::run::deadlock::Suspects;
use crate::run::debugging::Debugging;
use crate::run::describe::ReportedErrors;
use crate::run::doubts::Doubts;
use crate::run::environment::Environments;
use crate::run::input::{self, Surplus};
use crate::run::interrupt::Shutdown;
use crate::run::introspection::Introspection;
use crate::run::jitter::Jitter;
use crate::run::mocks::Mocks;
use crate::run::model_access::ModelAccess;
use crate::run::nesting::Nesting;
use crate::run::operations::Operations;
use crate::run::plans::Plans;
use crate::run::progress::Progress;
use crate::run::queue::Lines;
use crate::run::reflection_log::ReflectionLog;
use crate::run::scheduler::Scheduler;
use crate::run::sessions::Sessions;
use crate::run::skills;
use crate::run::states::States;
use crate::run::stream::Streams;
use crate::run::tool_key::ToolKeys;
use crate::run::undo::{FailedUndos, Undos};
use crate::scope::Scopes;
use crate::task::{NewTask, Role, TaskId};
use crate::value::hash::HashKey;

/// The revision of everything that a replay depends on and that no image holds: how answers are read, budgets kept, texts
/// matched, prompts stepped. A test that replays recorded runs says when it must rise.
pub const BEHAVIOUR: u32 = 4;

/// What a run is begun with, besides its input; a replay is given an equal one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Start {
    pub id: Arc<str>,
    /// The time, in nanoseconds since 1970.
    pub now: i64,
    /// What its delays are drawn from.
    pub seed: u64,
    /// What the process has settled for it.
    pub settings: RunSettings,
    /// The run that has started it, and where.
    pub parent: Option<(Arc<str>, Site)>,
    /// By which revision of the runtime's behaviour it was begun: [`BEHAVIOUR`].
    pub behaviour: u32,
}

/// What a run knows of its environment, beyond the program and its input. All of it can change what the run does, so a replay
/// gets the same.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunSettings {
    /// The model that replaces every agent's.
    pub model_override: Option<String>,
    pub prices: Arc<Prices>,
    /// The most bytes that the run's values may take.
    pub memory_limit: Option<u64>,
    #[serde(default)]
    pub prompts_in_tests: PromptsInTests,
    #[serde(default)]
    pub mocks_in_tests: MocksInTests,
}

/// What a call is that a mock answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MocksInTests {
    /// Nothing that leaves the run.
    #[default]
    Inside,
    /// An operation, performed before the mock answers: what the real call would be for a run that is recorded.
    Performed,
}

/// What happens to a prompt that a test calls and nothing mocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptsInTests {
    /// The test fails.
    #[default]
    Refused,
    /// A model is asked.
    Asked,
}

impl Run {
    /// A run of a program, not yet begun.
    #[must_use]
    pub fn new(
        loaded: Arc<Loaded>,
        prompts: Option<Arc<dyn Prompts>>,
        start: Start,
        port: Box<dyn Port>,
    ) -> Box<Self> {
        let front = Front::new(&loaded, &TABLE);
        let mut heap = Heap::new(
            Arc::clone(&loaded.types),
            start.settings.memory_limit,
            // From the seed, so that a replay hashes as the run did.
            HashKey::of_seed(start.seed),
        );
        // The end of memory is signalled like a stop, by the flag that compiled code polls anyway.
        heap.set_alarm(Arc::clone(&front));
        let Start {
            id,
            now,
            seed,
            settings,
            // What a replay needs and a run does not.
            parent: _,
            behaviour: _,
        } = start;
        let mocks = Mocks::new(settings.mocks_in_tests);
        Box::new(Self {
            front,
            heap,
            scheduler: Scheduler::default(),
            suspects: Suspects::default(),
            stack: CallStack::default(),
            progress: Progress::new(id, &loaded.program, now, port),
            operations: Operations::default(),
            scopes: Scopes::default(),
            models: ModelAccess::new(prompts, settings),
            reflection_log: ReflectionLog::default(),
            states: States::default(),
            introspection: Introspection::default(),
            nesting: Nesting::default(),
            skills: skills::Offered::default(),
            plans: Plans::default(),
            environments: Environments::default(),
            tool_keys: ToolKeys::default(),
            doubts: Doubts::default(),
            undos: Undos::default(),
            sessions: Sessions::default(),
            lines: Lines::default(),
            streams: Streams::default(),
            mocks,
            jitter: Jitter::of_seed(seed),
            reported_errors: ReportedErrors::default(),
            shutdown: Shutdown::default(),
            completion: Completion::default(),
            debugging: Debugging::default(),
            last_state: State::default(),
            failed_undos: FailedUndos::default(),
            reads_secrets: Secrets::AsText,
            loaded,
        })
    }

    /// Lets a debugger follow the run, which begins as `start` says and has not yet.
    pub fn follow(&mut self, by: Arc<dyn Debugger>, start: Start) {
        self.debugging = Debugging::new(by, start);
    }

    /// Begins with a workflow and its parameters by name. Input that does not fit ends the run before its first turn.
    pub fn start(&mut self, workflow: usize, input: &Map<String, Value>) {
        self.enter_native();
        self.debugging.keep_entry(workflow, input);
        let loaded = Arc::clone(&self.loaded);
        let Some(workflow) = loaded.program.workflows.get(workflow) else {
            self.fail_internally(format!("there is no workflow {workflow}"));
            return;
        };
        let parameters = &workflow.parameters;
        let words = input::decode_arguments(self, parameters, input, Surplus::PassedOver);
        self.input_was_read(workflow.function, workflow.result, words);
    }

    /// Begins with a resumable function and its parameters, which it takes over.
    pub(crate) fn start_root(&mut self, function: FunctionIndex, result: TypeId, words: &[u64]) {
        self.start_root_at(NodeId::ROOT, function, result, words);
    }

    /// Like [`Self::start_root`], in a node that exists already.
    pub(crate) fn start_root_at(
        &mut self,
        node: NodeId,
        function: FunctionIndex,
        result: TypeId,
        words: &[u64],
    ) -> TaskId {
        let frame = self.frame_with(function.0, words.iter().copied());
        let root = self.start_task_on(
            node,
            NewTask {
                frame,
                owner: node,
                kind: NodeKind::Region,
                name: "",
                index: None,
                input: None,
                role: Role::Root,
                result,
            },
        );
        // The root's node is the run's own, so it must not wait for itself.
        self.scheduler.count_ended(node);
        self.scheduler.unlist(root);
        self.completion.expect(root, result);
        root
    }
}
