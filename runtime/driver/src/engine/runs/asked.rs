//! Requests of runs to other runs (`std/runs`): their status, their result, their cancellation.

use std::sync::Arc;

use gsw_abi::run_status::RunStatus;
use gsw_engine::operation::{AskOfRun, Failure, Outcome};
use gsw_engine::run::{Finished, RunResult};
use gsw_tree::event::State;
use serde_json::{Value, json};

use super::delivery::Sender;
use super::{RunInfo, RunStage, Runs};
use crate::external::Address;
use crate::work::Completion;

/// What is kept of a detached run that has ended.
pub(super) struct Ended {
    /// Its value as JSON text, or why there is none.
    result: Result<String, String>,
    state: State,
}

impl Ended {
    pub(super) fn of(finished: &Finished) -> Self {
        let result = match &finished.result {
            RunResult::Value(value) => Ok(value.clone()),
            RunResult::Raised(error) if error.message.starts_with(&error.error) => {
                Err(error.message.clone())
            }
            RunResult::Raised(error) => Err(format!("{}: {}", error.error, error.message)),
            RunResult::Cancelled => Err("it was cancelled".into()),
            RunResult::InvalidInput(issues) => {
                let issues: Vec<&str> = issues.iter().map(|it| it.message.as_str()).collect();
                Err(format!("its input does not fit: {}", issues.join("; ")))
            }
            RunResult::Internal(message) => Err(format!("Internal: {message}")),
            RunResult::Left(why) => Err(why.to_string()),
        };
        Self {
            result,
            state: finished.state.clone(),
        }
    }

    pub(super) fn outcome(&self, run: &str) -> Outcome {
        match &self.result {
            Ok(value) => Outcome::Json(value.clone()),
            Err(why) => refused(format!("the run `{run}` gives no value: {why}")),
        }
    }
}

impl Runs {
    /// Another run asks something of this one.
    pub(crate) fn ask(
        self: &Arc<Self>,
        run: &str,
        ask: AskOfRun,
        by: &str,
        completion: Completion,
    ) {
        let Some(info) = self.here(run) else {
            return self.ask_elsewhere(run, ask, by, completion);
        };
        match ask {
            AskOfRun::Find => completion.deliver(json_of(&json!({
                "id": &*info.id,
                "workflow": info.workflow,
            }))),
            AskOfRun::Status => {
                let waits = self.carrier(run).is_some_and(|it| it.waits());
                let status = if waits {
                    RunStatus::Waiting
                } else {
                    info.stage.shown()
                };
                completion.deliver(json_of(&Value::from(status.name())));
            }
            AskOfRun::Cancel { reason } => {
                completion.deliver(json_of(&Value::Bool(self.cancel(run, &reason))));
            }
            AskOfRun::State => self.look_at_state(run, completion),
            // It ends after all that waits in it.
            AskOfRun::Result if *info.id == *by => {
                let why = format!("deadlock: the run `{run}` waits for its own result");
                completion.deliver(refused(why));
            }
            AskOfRun::Result => self.wait_for_result(run, completion),
            AskOfRun::Answer { name, answer } => self.bring(run, name, answer, by, completion),
        }
    }

    /// What is known of a run that this process runs, or has run to its end.
    fn here(&self, run: &str) -> Option<RunInfo> {
        let info = self.get(run)?;
        let is_left = info.stage == RunStage::Left && self.store().is_some();
        (!is_left).then_some(info)
    }

    /// Another run answers what this one waits for.
    pub(super) fn bring(
        self: &Arc<Self>,
        run: &str,
        name: String,
        answer: String,
        by: &str,
        completion: Completion,
    ) {
        let address = Address::Name {
            run: run.into(),
            name: name.into(),
        };
        let sender = Sender::Program(format!("the run `{by}`"));
        self.deliver_then(address, answer, sender, move |taken| {
            completion.deliver(match taken {
                Ok(_) => Outcome::Json("null".into()),
                Err(why) => refused(why.to_string()),
            });
        });
    }

    /// The `state` variables of a run, as they are or as they were last.
    fn look_at_state(&self, run: &str, completion: Completion) {
        let (carrier, ended) = {
            let state = self.lock();
            let entry = state.runs.get(run);
            let ended = entry.and_then(|it| it.ended.as_ref());
            let ended = ended.map(|it| state_json(&it.state));
            (entry.and_then(|it| it.carrier.clone()), ended)
        };
        match (carrier, ended) {
            (_, Some(ended)) => completion.deliver(ended),
            (Some(carrier), None) => carrier.look_then(move |run| {
                completion.deliver(state_json(&run.main_state()));
            }),
            (None, None) => completion.deliver(refused(format!("there is no run `{run}`"))),
        }
    }

    /// Delivers the result of a run, at once or when it has ended.
    fn wait_for_result(&self, run: &str, completion: Completion) {
        let mut state = self.lock();
        let Some(entry) = state.runs.get_mut(run) else {
            drop(state);
            return completion.deliver(refused(format!("there is no run `{run}`")));
        };
        match &entry.ended {
            None => entry.waiting.push(completion),
            Some(ended) => {
                let outcome = ended.outcome(run);
                drop(state);
                completion.deliver(outcome);
            }
        }
    }
}

pub(super) fn json_of(value: &Value) -> Outcome {
    Outcome::Json(value.to_string())
}

pub(super) fn state_json(state: &State) -> Outcome {
    let entries = state.iter();
    let entries = entries.map(|(name, value)| (name.to_string(), value.tree()));
    json_of(&Value::Object(entries.collect()))
}

pub(super) fn refused(message: String) -> Outcome {
    Outcome::Failed(Failure::Other { message })
}

pub(super) fn deliver_all(waiting: Vec<Completion>, outcome: Option<Outcome>) {
    for completion in waiting {
        if let Some(outcome) = &outcome {
            completion.deliver(outcome.clone());
        }
    }
}
