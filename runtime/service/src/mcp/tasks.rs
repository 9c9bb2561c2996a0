//! Tasks: calls that take long, for clients that know them. Such a client gets a task as the answer to its call instead of waiting,
//! asks how far it is, answers what is asked in it, and may cancel it. A task is a run, and its id that of the run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gsw_driver::engine::Canceller;
use gsw_engine::run::RunResult;
use gsw_notation::calendar::rfc3339;
use rmcp::RoleServer;
use rmcp::model::{
    CreateTaskResult, DetailedTask, ErrorData, InputRequests, InputResponses, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::mcp::call::Ongoing;
use crate::mcp::callers::Happening;
use crate::mcp::calls::BY_CLIENT;
use crate::mcp::client::{Asking, Client};
use crate::mcp::ending;
use crate::mcp::offered::{Offered, lock};
use crate::mcp::progress;

/// A call that takes longer becomes a task.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// How often a client is to ask, in milliseconds.
const POLL: u64 = 1_000;
/// How long the end of a task is kept.
const KEPT: Duration = Duration::from_secs(3600);
/// The ends of this many tasks are kept, the latest ones,
const MOST_ENDED: usize = 1_000;
/// as far as they have no more bytes than this.
const LARGEST: usize = 64 << 20;

/// The tasks of a server.
#[derive(Default)]
pub(super) struct Tasks(Mutex<State>);

#[derive(Default)]
struct State {
    all: BTreeMap<Arc<str>, Entry>,
    /// Those that have ended, the first one first, with the bytes of what they gave.
    ended: VecDeque<(Arc<str>, Instant, usize)>,
}

struct Entry {
    task: Task,
    payload: TaskPayload,
    canceller: Canceller,
    /// The channel for clients' answers to the running task; `None` once it has ended.
    answers: Option<UnboundedSender<InputResponses>>,
}

/// Whether the client of a call knows tasks.
pub(super) fn are_known(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|it| it.supports_tasks())
}

/// Has a run continue as a task.
pub(super) fn begin(offered: &Arc<Offered>, ongoing: Ongoing, client: Client) -> CreateTaskResult {
    let id = Arc::clone(ongoing.canceller.run());
    let now = now();
    let mut task = Task::new(&*id, TaskStatus::Working, now.clone(), now);
    task.poll_interval_ms = Some(POLL);
    let (sender, answers) = unbounded_channel();
    let entry = Entry {
        task: task.clone(),
        payload: TaskPayload::Working,
        canceller: ongoing.canceller.clone(),
        answers: Some(sender),
    };
    lock(&offered.tasks_begun.0)
        .all
        .insert(Arc::clone(&id), entry);
    tokio::spawn(carry(Arc::clone(offered), id, ongoing, answers, client));
    CreateTaskResult::new(task)
}

/// Follows the run of a task to its end.
async fn carry(
    offered: Arc<Offered>,
    id: Arc<str>,
    mut ongoing: Ongoing,
    mut answers: UnboundedReceiver<InputResponses>,
    client: Client,
) {
    let tasks = &offered.tasks_begun;
    ongoing.name_each_question_anew();
    loop {
        let happening = tokio::select! {
            happening = ongoing.happening() => happening,
            Some(responses) = answers.recv() => {
                ongoing.reply(responses);
                tasks.asks(&id, ongoing.requests());
                continue;
            }
        };
        match happening {
            Some(Happening::Progress(line)) if progress::is_progress(&line) => {
                tasks.says(&id, line.text);
            }
            Some(Happening::Progress(_)) => {}
            Some(Happening::Asked(asked)) => {
                let mut asked = asked.to(&client, offered.program());
                match client.asking(asked.need()) {
                    Asking::Never => ongoing.lacks(&mut asked),
                    Asking::Within | Asking::Between => ongoing.keep(asked),
                }
                tasks.asks(&id, ongoing.requests());
            }
            Some(Happening::Ended(finished)) => {
                let (ended, next) = offered.ended(&ongoing, *finished);
                if matches!(ended.result, RunResult::Cancelled) {
                    return tasks.end(&id, TaskPayload::Cancelled);
                }
                let payload = match ending::result(offered.engine(), ended, &next) {
                    Ok(result) => TaskPayload::Completed {
                        result: object(&result),
                    },
                    Err(error) => failed(&error),
                };
                return tasks.end(&id, payload);
            }
            None => {
                let lost = ErrorData::internal_error("the run was lost", None);
                return tasks.end(&id, failed(&lost));
            }
        }
    }
}

impl Tasks {
    /// How far a task is.
    pub fn get(&self, id: &str) -> Result<DetailedTask, ErrorData> {
        let state = lock(&self.0);
        let entry = state.all.get(id).ok_or_else(|| unknown(id))?;
        Ok(DetailedTask::new(entry.task.clone(), entry.payload.clone()))
    }

    /// Hands on what was answered. What is not asked any more is passed over.
    pub fn answer(&self, id: &str, responses: InputResponses) -> Result<(), ErrorData> {
        let state = lock(&self.0);
        let entry = state.all.get(id).ok_or_else(|| unknown(id))?;
        if let Some(answers) = &entry.answers {
            // A task that ends right now needs no answer.
            let _ = answers.send(responses);
        }
        Ok(())
    }

    pub fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        let canceller = {
            let state = lock(&self.0);
            let entry = state.all.get(id).ok_or_else(|| unknown(id))?;
            entry.answers.is_some().then(|| entry.canceller.clone())
        };
        if let Some(canceller) = canceller {
            canceller.cancel(BY_CLIENT);
        }
        Ok(())
    }

    fn says(&self, id: &str, text: String) {
        self.change(id, |entry| entry.task.status_message = Some(text));
    }

    fn asks(&self, id: &str, requests: Option<InputRequests>) {
        self.change(id, |entry| {
            entry.payload = match requests {
                Some(input_requests) => TaskPayload::InputRequired { input_requests },
                None => TaskPayload::Working,
            };
        });
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = lock(&self.0).all.get_mut(id) {
            change(entry);
            entry.task.last_updated_at = now();
        }
    }

    /// It has ended. The oldest ends make room.
    fn end(&self, id: &Arc<str>, payload: TaskPayload) {
        let size = match &payload {
            TaskPayload::Completed { result: of } | TaskPayload::Failed { error: of } => {
                serde_json::to_vec(of).map_or(0, |it| it.len())
            }
            TaskPayload::Working
            | TaskPayload::InputRequired { .. }
            | TaskPayload::Cancelled
            | _ => 0,
        };
        self.change(id, |entry| {
            entry.payload = payload;
            entry.answers = None;
        });
        let mut state = lock(&self.0);
        let State { all, ended } = &mut *state;
        ended.push_back((Arc::clone(id), Instant::now(), size));
        let mut bytes: usize = ended.iter().map(|it| it.2).sum();
        while let Some((oldest, since, size)) = ended.front()
            && (ended.len() > MOST_ENDED || bytes > LARGEST || since.elapsed() > KEPT)
            // What has just ended is to be seen once.
            && oldest != id
        {
            all.remove(oldest);
            bytes -= size;
            ended.pop_front();
        }
    }
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{id}`"), None)
}

fn failed(error: &ErrorData) -> TaskPayload {
    TaskPayload::Failed {
        error: object(error),
    }
}

fn object(of: &impl Serialize) -> JsonObject {
    match serde_json::to_value(of) {
        Ok(Value::Object(fields)) => fields,
        // Results and errors are objects of JSON.
        Ok(_) | Err(_) => JsonObject::new(),
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |it| it.as_nanos());
    rfc3339(i64::try_from(nanoseconds).unwrap_or(i64::MAX))
}
