//! What a program offers its clients, and the runs that they ask for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gsw_abi::program::Program;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::runs::new_id;
use gsw_driver::engine::{Engine, RunOptions, Starting};
use gsw_engine::run::{Finished, RunResult, input};
use gsw_tree::event::Level;
use rmcp::RoleServer;
use rmcp::model::{
    ErrorData, InputRequests, InputRequiredResult, InputResponses, Prompt, Resource,
    ResourceTemplate, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::arguments::BuiltinOptions;
use crate::mcp::call::{GivenUp, Ongoing, Watch, ask, tell};
use crate::mcp::callers::{Callers, Happening, Line};
use crate::mcp::client::{Asking, Client, Need};
use crate::mcp::ending::Ended;
use crate::mcp::parted::{NotTaken, Parted};
use crate::mcp::tasks::Tasks;
use crate::mcp::watched::Changes;
use crate::mcp::{log, offer, progress, prompt, resource};
use crate::report::Next;
use crate::store::Origin;
use crate::undos::{Stepping, Undos};

/// What is asked within this time of the first question goes to the client with it: each result is a round trip of its own.
const TOGETHER: Duration = Duration::from_millis(20);

/// A program as a server, the same for all its clients.
pub(super) struct Offered {
    engine: Engine,
    callers: Arc<Callers>,
    pub tools: Vec<Tool>,
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    pub templates: Vec<ResourceTemplate>,
    origin: Origin,
    options: BuiltinOptions,
    store: Option<Arc<RunStore>>,
    /// Runs whose client is to call again.
    parted: Mutex<Parted>,
    watch: Watch,
    pub tasks_begun: Tasks,
    pub changes: Arc<Changes>,
}

/// What a client asks for.
pub(super) struct Wanted {
    /// A workflow, as an index.
    pub workflow: usize,
    pub input: Map<String, Value>,
    /// The token of a run that has asked before, and the answers.
    pub again: Option<(String, InputResponses)>,
}

pub(super) enum Followed {
    /// Questions, after which it is to ask again.
    Asked(InputRequiredResult),
    Ended(Ended, Next),
    /// It takes longer than the client wants to wait.
    Late(Box<Ongoing>),
}

impl Offered {
    pub fn new(
        engine: Engine,
        callers: Arc<Callers>,
        store: Option<Arc<RunStore>>,
        origin: &Origin,
        options: &BuiltinOptions,
        watch: Watch,
    ) -> Self {
        let program = engine.program();
        Self {
            tools: offer::tools(program),
            prompts: prompt::prompts(program),
            resources: resource::resources(program),
            templates: resource::templates(program),
            engine,
            callers,
            origin: origin.clone(),
            options: options.clone(),
            store,
            parted: Mutex::default(),
            watch,
            tasks_begun: Tasks::default(),
            changes: Arc::default(),
        }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn program(&self) -> &Program {
        self.engine.program()
    }

    /// The end of a call whose arguments have keys that no field takes: a schema of ours allows none, and a misspelt one would
    /// leave its field at the default.
    pub fn unfit(&self, wanted: &Wanted) -> Option<Followed> {
        let program = self.program();
        let parameters = &program.workflows[wanted.workflow].parameters;
        let issues = input::surplus(&program.types, parameters, &wanted.input);
        (!issues.is_empty()).then(|| {
            let ended = Ended {
                workflow: wanted.workflow,
                result: RunResult::InvalidInput(issues),
            };
            // Nothing was begun that could be gone on with.
            Followed::Ended(ended, Next::new(&self.origin, &self.options, ""))
        })
    }

    /// Begins a run, or finds the one that has asked.
    pub fn ongoing(&self, wanted: Wanted) -> Result<Ongoing, ErrorData> {
        let Some((token, responses)) = wanted.again else {
            return self.begin(wanted.workflow, wanted.input);
        };
        let found = lock(&self.parted).take(&token, wanted.workflow, &wanted.input);
        let mut ongoing = found.map_err(|why| {
            let why = match why {
                NotTaken::Unknown => "no run waits for this `requestState`",
                NotTaken::OfAnotherCall => {
                    "this `requestState` belongs to a call of something else or with other arguments: \
                     an answer counts only for what was asked about"
                }
            };
            ErrorData::invalid_params(why, None)
        })?;
        ongoing.reply(responses);
        Ok(ongoing)
    }

    fn begin(&self, workflow: usize, input: Map<String, Value>) -> Result<Ongoing, ErrorData> {
        let id = new_id();
        let added = self.callers.add(&id);
        let (teller, happenings) = added
            .ok_or_else(|| ErrorData::internal_error("too many calls go on: try again", None))?;
        let (callers, run) = (Arc::clone(&self.callers), Arc::clone(&id));
        let changes = Arc::clone(&self.changes);
        let program = Arc::clone(self.engine.program());
        let undos = Mutex::new(Undos::default());
        let options = RunOptions {
            listener: Some(Arc::new(move |event| {
                let stepping = undos.lock().map_or(Stepping::Step, |mut it| it.see(event));
                teller.progress(|| progress::line(&event.kind, stepping));
            })),
            on_end: Box::new(move |finished| {
                callers.remove(&run, finished);
                changes.ended(&program.workflows[workflow]);
            }),
        };
        match self.engine.start_once(id, workflow, input.clone(), options) {
            Starting::New(canceller) => Ok(Ongoing::new(workflow, input, canceller, happenings)),
            Starting::Exists(_) => unreachable!("nobody else has this id"),
        }
    }

    /// Follows a run to its end, to questions that the client answers by asking again, or until that takes too long.
    pub async fn follow(
        &self,
        mut ongoing: Ongoing,
        context: &RequestContext<RoleServer>,
        patience: Option<Duration>,
        logged: Option<Level>,
    ) -> Result<Followed, ErrorData> {
        let late = patience.map(|it| Instant::now() + it);
        let client = Client::of(context);
        let mut given_up = GivenUp::of(context, self.watch);
        let mut gathered: Option<Instant> = None;
        loop {
            gathered = match ongoing.asks() {
                true => gathered.or_else(|| Some(Instant::now() + TOGETHER)),
                false => None,
            };
            let next = ongoing.next(&mut given_up);
            let next = match gathered.into_iter().chain(late).min() {
                Some(limit) => tokio::time::timeout_at(limit, next).await,
                None => Ok(next.await),
            };
            let Ok(next) = next else {
                if let Some(requests) = ongoing.requests() {
                    return Ok(Followed::Asked(self.part(ongoing, requests)));
                }
                if late.is_some_and(|it| it <= Instant::now()) {
                    return Ok(Followed::Late(Box::new(ongoing)));
                }
                continue;
            };
            match next {
                Some(Happening::Progress(line)) => {
                    say(&mut ongoing, line, context, logged).await;
                }
                Some(Happening::Asked(asked)) => {
                    let mut asked = asked.to(&client, self.program());
                    match client.asking(asked.need()) {
                        Asking::Never => ongoing.lacks(&mut asked),
                        Asking::Within => ask(context, asked).await,
                        Asking::Between => ongoing.keep(asked),
                    }
                }
                Some(Happening::Ended(finished)) => {
                    let (ended, next) = self.ended(&ongoing, *finished);
                    if let (Some(need), RunResult::Raised(error)) = (ongoing.lacking, &ended.result)
                        && client.is_newer()
                    {
                        return Err(missing(need, &error.message));
                    }
                    return Ok(Followed::Ended(ended, next));
                }
                None => return Err(ErrorData::internal_error("the run was lost", None)),
            }
        }
    }

    /// What is asked of a client that answers by calling again.
    fn part(&self, ongoing: Ongoing, requests: InputRequests) -> InputRequiredResult {
        let (token, oldest) = lock(&self.parted).add(ongoing);
        if let Some(mut oldest) = oldest {
            oldest.abandon();
        }
        InputRequiredResult::new(Some(requests), Some(token))
    }

    /// How a run has ended, for a client that is about to be given that.
    pub fn ended(&self, ongoing: &Ongoing, finished: Finished) -> (Ended, Next) {
        let run = ongoing.canceller.run();
        if let Some(store) = &self.store {
            // A caller of the command line with the same input asks for a run of their own, so should
            // this fail, they get this result once more.
            let _ = store.delivered(run);
        }
        let next = Next::new(&self.origin, &self.options, run);
        let ended = Ended {
            workflow: ongoing.workflow,
            result: finished.result,
        };
        (ended, next)
    }
}

/// The run has failed, and the client has not declared what it was asked for.
fn missing(need: Need, why: &str) -> ErrorData {
    let mut error = ErrorData::missing_required_client_capability(need.capability());
    error.message = why.to_owned().into();
    error
}

/// Forwards a log line of a run, if it is of the level that the client wants.
async fn say(
    ongoing: &mut Ongoing,
    line: Line,
    context: &RequestContext<RoleServer>,
    logged: Option<Level>,
) {
    if let (Some(level), Some(least)) = (line.level, logged)
        && level >= least
    {
        log::send(context, level, &line.text).await;
    }
    if let Some(token) = context.meta.get_progress_token()
        && progress::is_progress(&line)
    {
        ongoing.lines += 1;
        tell(context, token, ongoing.lines, line.text).await;
    }
}

pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic runs while the lock is held.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
