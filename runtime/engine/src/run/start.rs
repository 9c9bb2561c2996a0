//! The beginning of a run: its input becomes the parameters of a workflow.

use std::collections::VecDeque;
use std::sync::Arc;

use gsw_abi::builtin::UNIT;
use gsw_abi::call::NodeKind;
use gsw_abi::program::FunctionIndex;
use gsw_abi::site::Site;
use gsw_abi::types::{Field, TypeId};
use gsw_notation::issue::Issue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::codec::checker::Checker;
use crate::codec::decode;
use crate::export::TABLE;
use crate::front::Front;
use crate::heap::Heap;
use crate::load::Loaded;
use crate::model::Prompts;
use crate::node::{NewNode, NodeId, Status, Tree};
use crate::port::Port;
use crate::prices::Prices;
use crate::run::effect::Operations;
use crate::run::native;
use crate::run::outbox::Outbox;
use crate::run::spawn::NewTask;
use crate::run::{Prompting, Run, RunResult};
use crate::scope::Scopes;
use crate::task::{Role, TaskId, Tasks};
use crate::value::error;
use crate::value::hash::HashKey;

/// The revision of everything that a replay depends on and that no image holds: how answers are read, budgets kept, texts
/// matched, prompts stepped. A test that replays recorded runs says when it must rise.
pub const BEHAVIOUR: u32 = 2;

/// What a run is begun with, besides its input; a replay is given the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// Its name in events.
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

/// What a run knows of where it runs, beyond the program and its input. All of it can change what the run does, so a replay
/// is given the same.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunSettings {
    /// The model that replaces every agent's.
    pub model_override: Option<String>,
    /// What models cost.
    pub prices: Arc<Prices>,
    /// The most bytes that the run's values may take.
    pub memory_limit: Option<u64>,
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
        let mut tree = Tree::default();
        tree.enter(
            NewNode {
                parent: NodeId::NONE,
                kind: NodeKind::Region,
                name: &loaded.program.name,
                index: None,
                status: Status::Running,
                input: None,
            },
            start.now,
        );
        let front = Front::new(&loaded, &TABLE);
        let mut heap = Heap::new(
            Arc::clone(&loaded.types),
            start.settings.memory_limit,
            HashKey::of_seed(start.seed),
        );
        heap.set_alarm(Arc::clone(&front));
        Box::new(Self {
            front,
            native_limit: 0,
            is_cancelled: false,
            is_hurried: false,
            heap,
            loaded,
            prompts: Prompting(prompts),
            settings: start.settings,
            outbox: Outbox::new(port),
            cache_keys: rustc_hash::FxHashMap::default(),
            id: start.id,
            tasks: Tasks::default(),
            tree,
            scopes: Scopes::default(),
            operations: Operations::default(),
            ready: VecDeque::new(),
            current: TaskId::NONE,
            depth: 0,
            now: start.now,
            began: start.now,
            // The generator below must not start at 0.
            random: start.seed | 1,
            events: 0,
            detaching: rustc_hash::FxHashMap::default(),
            reads_secrets: crate::codec::checker::Secrets::AsText,
            told: None,
            lessons: crate::run::lessons::Lessons::default(),
            states: crate::run::state::States::default(),
            introspection: crate::run::introspection::Introspection::default(),
            tool_keys: crate::run::tool_key::ToolKeys::default(),
            mocks: rustc_hash::FxHashMap::default(),
            unmocked: None,
            root: TaskId::NONE,
            result: UNIT,
            finished: None,
        })
    }

    /// Begins with a workflow and its parameters by name. Input that does not fit ends the run before its first turn.
    pub fn start(&mut self, workflow: usize, input: &Map<String, Value>) {
        self.enter_native();
        let loaded = Arc::clone(&self.loaded);
        let Some(workflow) = loaded.program.workflows.get(workflow) else {
            self.fail_internally(format!("there is no workflow {workflow}"));
            return;
        };
        match self.decode_arguments(&workflow.parameters, input) {
            Ok(words) => self.start_root(workflow.function, workflow.result, &words),
            Err(issues) => self.finished = Some(RunResult::InvalidInput(issues)),
        }
    }

    /// Begins with a resumable function and its parameters, which it takes over.
    pub(crate) fn start_root(&mut self, function: FunctionIndex, result: TypeId, words: &[u64]) {
        self.result = result;
        let frame = self.bottom_frame(function.0);
        for (index, &word) in words.iter().enumerate() {
            // SAFETY: the loader checked that the function takes so many parameters.
            unsafe { native::write_slot(frame, index, word) };
        }
        self.root = self.start_task_on(
            NodeId::ROOT,
            NewTask {
                frame,
                owner: NodeId::ROOT,
                kind: NodeKind::Region,
                name: "",
                index: None,
                input: None,
                role: Role::Root,
                result,
            },
        );
        // The root's node is the run's own, so it must not wait for itself.
        self.tree.node_mut(NodeId::ROOT).live_tasks -= 1;
        let root = self.root;
        self.unlist(root);
    }

    /// The words of parameters that are given by name, in order; missing ones take their default, or `none`.
    pub(crate) fn decode_arguments(
        &mut self,
        parameters: &[Field],
        input: &Map<String, Value>,
    ) -> Result<Vec<u64>, Vec<Issue>> {
        let mut words: Vec<u64> = Vec::with_capacity(parameters.len());
        let mut issues = unknown_names(parameters, input);
        for (index, parameter) in parameters.iter().enumerate() {
            let before = (&parameters[..index], words.as_slice());
            match self.decode_argument(parameter, input, before) {
                Ok(word) => words.push(word),
                Err(found) => {
                    issues.extend(found);
                    // Later defaults may need this one, so nothing after it can be looked at.
                    break;
                }
            }
        }
        if issues.is_empty() {
            return Ok(words);
        }
        for (parameter, &word) in parameters.iter().zip(&words) {
            self.heap.release_typed(parameter.ty, word);
        }
        Err(issues)
    }

    fn decode_argument(
        &mut self,
        parameter: &Field,
        input: &Map<String, Value>,
        before: (&[Field], &[u64]),
    ) -> Result<u64, Vec<Issue>> {
        let given = input
            .get(&parameter.wire)
            .or_else(|| input.get(&parameter.name));
        let word = match (given, parameter.default) {
            (Some(tree), _) => decode::decode_field(self, parameter, tree).map_err(|issues| {
                issues
                    .into_iter()
                    .map(|it| below(&parameter.name, it))
                    .collect::<Vec<_>>()
            })?,
            (None, Some(default)) => self
                .default_of(default, before)
                .map_err(|why| vec![missing(&parameter.name, &why)])?,
            (None, None) => decode::decode_all_issues(self, parameter.ty, &Value::Null)
                .map_err(|_| vec![missing(&parameter.name, "it is missing")])?,
        };
        let Some(check) = &parameter.check else {
            return Ok(word);
        };
        self.heap.retain_typed(parameter.ty, word);
        if Checker::check(self, check.function, &[word, 0]) {
            return Ok(word);
        }
        let found = error::shown_field(&self.heap, parameter, word);
        self.heap.release_typed(parameter.ty, word);
        let message = format!(
            "`{}` must fit `{}`, but is {found}",
            parameter.name, check.source
        );
        Err(vec![Issue {
            path: format!("$.{}", parameter.name),
            expected: check.source.clone(),
            found,
            message,
        }])
    }

    /// A parameter's default, which may look at the parameters before it.
    fn default_of(
        &mut self,
        default: FunctionIndex,
        (parameters, words): (&[Field], &[u64]),
    ) -> Result<u64, String> {
        for (parameter, &word) in parameters.iter().zip(words) {
            self.heap.retain_typed(parameter.ty, word);
        }
        // The loader checked that it takes just the parameters before it.
        self.call_framed(default.0, words).map_err(|raised| {
            let said = self.said_by(raised);
            self.heap.release(raised);
            format!("its default raised {said}")
        })
    }

    /// The name of an error, which is borrowed, and its message.
    pub(crate) fn said_by(&self, raised: u64) -> String {
        let name = error::name(&self.heap, raised);
        let message = error::message(&self.heap, raised);
        if message.starts_with(name) {
            return message;
        }
        format!("{name}: {message}")
    }
}

fn unknown_names(parameters: &[Field], input: &Map<String, Value>) -> Vec<Issue> {
    let is_known = |name: &str| {
        parameters
            .iter()
            .any(|it| it.wire == name || it.name == name)
    };
    let unknown = input.keys().filter(|name| !is_known(name));
    unknown
        .map(|name| Issue {
            path: format!("$.{name}"),
            expected: "a parameter of this name".into(),
            found: "none".into(),
            message: format!("there is no parameter `{name}`"),
        })
        .collect()
}

fn missing(name: &str, why: &str) -> Issue {
    Issue {
        path: format!("$.{name}"),
        expected: "a value".into(),
        found: "nothing".into(),
        message: format!("parameter `{name}` has no value: {why}"),
    }
}

/// An issue of a parameter's value, its path beginning with the parameter.
fn below(name: &str, issue: Issue) -> Issue {
    let rest = issue.path.strip_prefix('$').unwrap_or(&issue.path);
    Issue {
        path: format!("$.{name}{rest}"),
        ..issue
    }
}
