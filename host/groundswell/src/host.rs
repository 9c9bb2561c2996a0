//! A program together with what its runs may use.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gsw_agents::{AgentPrompts, Cache, Environment, McpServers, Providers, WebClient, known_model};
use gsw_driver::durable::store::{Need, RunStore};
use gsw_driver::engine::runs::delivery::Sender;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::external::{Address, NotTaken, Taken};
use gsw_driver::host::{Beyond, Variables};
use gsw_driver::human::Humans;
use gsw_notation::issue::Issue;
use gsw_tree::observe::{History, Observers};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::HostError;
use crate::human::{People, Question};
use crate::kept::KeptRun;
use crate::program::Program;
use crate::run::Run;
use crate::tool::{ToolError, Tools};

/// Starts runs of a program. Cheap to clone; clones share the cache of answers.
#[derive(Clone, Debug)]
pub struct Host {
    engine: Engine,
}

/// What a host is built from: models, limits and observers.
pub struct HostBuilder {
    program: Program,
    tools: Tools,
    people: People,
    variables: Variables,
    model: Option<String>,
    memory_limit: Option<u64>,
    store: Option<PathBuf>,
    idle: Option<Duration>,
}

impl std::fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuilder")
            .field("program", &self.program.name())
            .field("tools", &self.tools.names().collect::<Vec<_>>())
            .field("people", &self.people)
            .field("variables", &self.variables)
            .field("model", &self.model)
            .field("memory_limit", &self.memory_limit)
            .field("store", &self.store)
            .field("idle", &self.idle)
            .finish()
    }
}

impl HostBuilder {
    /// The model that replaces every agent's, like `--model`. The variable `GSW_MODEL` does the same where this is not called.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// A variable for `env.get`, `secret` and the providers (`ANTHROPIC_API_KEY`, `OPENAI_BASE_URL` and so on).
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.set(name, value);
        self
    }

    /// A secret for `secret("NAME")` and the providers, which `env.get` does not see.
    #[must_use]
    pub fn secret(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.set_secret(name, value);
        self
    }

    /// Variables and secrets are those that are set here; the environment of the process is not looked at.
    #[must_use]
    pub fn without_process_environment(mut self) -> Self {
        self.variables.look_beyond(Beyond::Nothing);
        self
    }

    /// The most bytes that the values of one run may take; beyond it the run raises `OutOfMemory`.
    #[must_use]
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Records runs in this file, so that they outlive the process: [`Host::resume`] resumes them. A run that cannot be recorded
    /// does not act.
    #[must_use]
    pub fn store(mut self, path: impl Into<PathBuf>) -> Self {
        self.store = Some(path.into());
        self
    }

    /// How long a recorded run waits for a person, or for a time that is further away, before it is left: it ends here with
    /// [`Error::Left`](crate::Error::Left) and can be resumed.
    #[must_use]
    pub fn idle(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// Gives the program a tool that it declares by `@host tool name(…) -> T`. `I` is a struct of the parameters, by name.
    ///
    /// Tools run on the executor on which [`HostBuilder::build`] is called, else on the engine's. A tool whose call is
    /// cancelled is dropped at its next `await`.
    #[must_use]
    pub fn tool<I, O, F, R>(mut self, name: &str, tool: F) -> Self
    where
        I: DeserializeOwned + Send + 'static,
        O: Serialize + 'static,
        F: Fn(I) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        self.tools.add(name, tool);
        self
    }

    /// Answers what the program's `human` declarations ask. Without it they raise `Failed`.
    ///
    /// An answer is checked like any other; one that does not fit is asked for again, with what is wrong in
    /// [`Question::refused`]. An error is the program's `Cancelled`. Dropping the future takes the question back.
    #[must_use]
    pub fn human<O, F, R>(mut self, human: F) -> Self
    where
        O: Serialize + 'static,
        F: Fn(Question) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        self.people.set(human);
        self
    }

    /// The host.
    ///
    /// # Errors
    /// When the tools are not those that the program declares, or the model is none.
    pub fn build(mut self) -> Result<Host, HostError> {
        let declared = self.program.host_tools();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let known: Vec<&str> = self.tools.names().collect();
        let missing = declared.iter().filter(|it| !known.contains(it));
        let missing: Vec<&str> = missing.copied().collect();
        if !missing.is_empty() {
            return Err(HostError::MissingTools(owned(missing)));
        }
        let unknown = known.iter().filter(|it| !declared.contains(it));
        let unknown: Vec<&str> = unknown.copied().collect();
        if !unknown.is_empty() {
            return Err(HostError::UnknownTools(owned(unknown)));
        }
        self.tools.settle();
        let variables = self.variables.clone();
        let environment = Environment::by(move |name| variables.secret(name));
        let model = self.model.or_else(|| self.variables.variable("GSW_MODEL"));
        let model = model.filter(|it| !it.is_empty());
        if let Some(given) = &model {
            known_model(given, &self.program.loaded.program.models)
                .map_err(HostError::UnknownModel)?;
        }
        let options = EngineOptions {
            models: Some(Arc::new(Providers::new(environment))),
            prompts: Some(Arc::new(AgentPrompts)),
            answers: Some(Arc::new(Cache::default())),
            web: Some(Arc::new(WebClient::default())),
            servers: Some(Arc::new(McpServers::default())),
            model_override: model,
            memory_limit: self.memory_limit,
            // A host that watches subscribes to a run.
            observers: Arc::new(Observers::new(History {
                count: 0,
                ..History::default()
            })),
            tools: Some(Arc::new(self.tools)),
            humans: self
                .people
                .settle()
                .map(|it| Arc::new(it) as Arc<dyn Humans>),
            variables: self.variables,
            store: self.store.map(|path| {
                let program = std::env::current_exe().unwrap_or_default();
                RunStore::new(path, program.display().to_string(), Need::Asked)
            }),
            idle: self.idle,
            ..EngineOptions::default()
        };
        Ok(Host {
            engine: Engine::new(self.program.loaded, options),
        })
    }
}

impl Host {
    /// A host of this program, to be set up.
    #[must_use]
    pub fn builder(program: Program) -> HostBuilder {
        HostBuilder {
            program,
            tools: Tools::default(),
            people: People::default(),
            variables: Variables::default(),
            model: None,
            memory_limit: None,
            store: None,
            idle: None,
        }
    }

    /// Starts a run of a workflow with its parameters by name and returns at once. Parameters with defaults may be left out.
    ///
    /// # Errors
    /// When there is no such workflow or the input is no object. Input that does not fit ends the run with an error.
    pub fn start<T: DeserializeOwned>(
        &self,
        workflow: &str,
        input: &impl Serialize,
    ) -> Result<Run<T>, HostError> {
        let index = self
            .engine
            .workflow(workflow)
            .ok_or_else(|| self.unknown(workflow))?;
        let input =
            serde_json::to_value(input).map_err(|error| HostError::Input(error.to_string()))?;
        let input = match input {
            Value::Object(input) => input,
            Value::Null => Map::new(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return Err(HostError::Input(format!("it is {other}")));
            }
        };
        Ok(Run::start(&self.engine, index, input))
    }

    /// Resumes a run that was interrupted or left, named by its id or the beginning of it. It has what was answered
    /// meanwhile, and nothing that was done is done again.
    ///
    /// # Errors
    /// When there is no such run, it has ended, another process carries it, or this program cannot resume it.
    pub fn resume<T: DeserializeOwned>(&self, id: &str) -> Result<Run<T>, HostError> {
        Run::resume(&self.engine, id).map_err(|it| HostError::Store(it.to_string()))
    }

    /// The runs of the store, the newest first; none where nothing was recorded yet.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn kept_runs(&self) -> Result<Vec<KeptRun>, HostError> {
        let kept = self.engine.kept_runs();
        let kept = kept.map_err(|it| HostError::Store(it.to_string()))?;
        Ok(kept.into_iter().map(KeptRun::of).collect())
    }

    /// Brings an answer to an `external` that a run of this host waits for, or will wait for under a key, and says what
    /// happened to it. It is checked here: one that does not fit changes nothing.
    ///
    /// # Errors
    /// When it was not taken, with the reason: no run waits for it, it does not fit, it was answered before.
    pub async fn answer(&self, to: Address, value: &impl Serialize) -> Result<Taken, NotTaken> {
        let answer = match serde_json::to_string(value) {
            Ok(answer) => answer,
            Err(error) => return Err(unwritable(&to, &error)),
        };
        let (sender, taken) = tokio::sync::oneshot::channel();
        let then = move |it| drop(sender.send(it));
        let sender = Sender::Program("the host program".into());
        self.engine.runs().deliver_then(to, answer, sender, then);
        taken.await.unwrap_or(Err(NotTaken::Gone))
    }

    fn unknown(&self, workflow: &str) -> HostError {
        let workflows = self.engine.program().workflows.iter();
        HostError::UnknownWorkflow {
            name: workflow.to_owned(),
            known: workflows.map(|it| it.name.clone()).collect(),
        }
    }
}

/// An answer that has no JSON form.
fn unwritable(to: &Address, error: &serde_json::Error) -> NotTaken {
    let name = match to {
        Address::Name { name, .. } => name.to_string(),
        Address::Operation { operation, .. } => operation.to_string(),
        Address::Key(key) => key.to_string(),
    };
    let found = format!("a value without a JSON form: {error}");
    NotTaken::Unfit {
        name,
        issues: vec![Issue::new("$".into(), "JSON".into(), found)],
    }
}
