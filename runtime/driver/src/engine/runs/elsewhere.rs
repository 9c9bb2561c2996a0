//! Requests of runs to runs of other processes: their status is read from the store, and requests are left there for the
//! process that runs them.

use std::sync::{Arc, Weak};

use gsw_engine::arguments::Arguments;
use gsw_engine::operation::{AskOfRun, Outcome};
use gsw_journal::list::{Info, Status};
use gsw_journal::record::Record;
use gsw_journal::store::{Error, Store};
use gsw_notation::json::written;
use serde_json::{Value, json};

use super::Runs;
use super::asked::{json_of, refused, state_json};
use super::identity::Given;
use crate::durable::history::beginning_of;
use crate::durable::store::RunStore;
use crate::work::Completion;

/// A run that is recorded, and where.
type Written = (Arc<RunStore>, Arc<Store>, Info);

impl Runs {
    /// Performs a request of a run to one that this process does not run.
    pub(super) fn ask_elsewhere(
        self: &Arc<Self>,
        run: &str,
        ask: AskOfRun,
        by: &str,
        completion: Completion,
    ) {
        let found = match self.written(run) {
            Ok(found) => found,
            Err(error) => return completion.deliver(refused(error.to_string())),
        };
        let Some((at, store, info)) = found else {
            return completion.deliver(match ask {
                AskOfRun::Find => Outcome::Json("null".into()),
                AskOfRun::Status
                | AskOfRun::State
                | AskOfRun::Result
                | AskOfRun::Cancel { .. }
                | AskOfRun::Answer { .. } => refused(format!("there is no run `{run}`")),
            });
        };
        match ask {
            AskOfRun::Find => {
                let found = json!({ "id": info.id, "workflow": info.workflow });
                completion.deliver(json_of(&found));
            }
            AskOfRun::Status => {
                completion.deliver(json_of(&Value::from(info.shown_status().name())))
            }
            AskOfRun::State => self.state_elsewhere(info.id, completion),
            AskOfRun::Result => self.await_result(&at, &store, run, completion),
            AskOfRun::Cancel { reason } => {
                let now = self.upgraded_driver().clock.now();
                let told = store.cancel(&info.id, &reason, now);
                at.inbox().look_now();
                completion.deliver(match told {
                    Ok(_) => json_of(&Value::Bool(true)),
                    Err(Error::Ended { .. }) => json_of(&Value::Bool(false)),
                    Err(error) => refused(error.to_string()),
                });
            }
            AskOfRun::Answer { name, answer } => {
                self.bring(&info.id, name, answer, by, completion);
            }
        }
    }

    /// What a run of this id runs, whichever process runs it.
    pub(super) fn given_to(&self, run: &str) -> Option<Given> {
        let here = self.lock().runs.get(run).map(|it| it.given.clone());
        here.or_else(|| {
            let (_, store, info) = self.written(run).ok()??;
            let records = store.records(&info.id).ok();
            let beginning = records.and_then(|it| beginning_of(&store, &info.id, &it).ok());
            Some(Given {
                workflow: info.workflow,
                was: None,
                arguments: beginning.map(|it| Arguments::of(it.entered.input())),
            })
        })
    }

    /// The run of this id that is recorded.
    fn written(&self, run: &str) -> Result<Option<Written>, Error> {
        let Some(at) = self.store() else {
            return Ok(None);
        };
        let store = match at.existing() {
            Err(Error::Missing(_)) => return Ok(None),
            store => store?,
        };
        match store.find(run) {
            Ok(info) => Ok(Some((at, store, info))),
            Err(Error::NoSuchRun(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The `state` variables as far as the run is recorded, for which it is replayed in memory.
    fn state_elsewhere(self: &Arc<Self>, run: String, completion: Completion) {
        let runs = Arc::clone(self);
        // Its turns need a thread of their own.
        let look = move || {
            completion.deliver(match runs.look_at(&run) {
                Ok(standing) => state_json(&standing.state),
                Err(why) => refused(why.to_string()),
            });
        };
        // A thread that cannot be started drops the completion, which reports that.
        let _ = self.upgraded_driver().threads.run(look);
    }

    /// Those who wait for the value of a run that this process has left wait for the process that runs it.
    pub(super) fn wait_elsewhere(self: &Arc<Self>, run: &Arc<str>, waiting: Vec<Completion>) {
        let Some(driver) = self.driver.get().and_then(Weak::upgrade) else {
            return;
        };
        if waiting.is_empty() {
            return;
        }
        let (runs, run) = (Arc::clone(self), Arc::clone(run));
        // Not here: this may be the writing thread. A thread that cannot be started drops the completions, which report that.
        let _ = driver.threads.run(move || {
            let found = runs.written(&run);
            for completion in waiting {
                match &found {
                    Ok(Some((at, store, _))) => runs.await_result(at, store, &run, completion),
                    Ok(None) => completion.deliver(refused(format!("there is no run `{run}`"))),
                    Err(error) => completion.deliver(refused(error.to_string())),
                }
            }
        });
    }

    /// Delivers the result of a run when it has ended.
    fn await_result(
        self: &Arc<Self>,
        at: &RunStore,
        store: &Arc<Store>,
        run: &str,
        completion: Completion,
    ) {
        let (of, id) = (Arc::clone(store), run.to_owned());
        let then = move |ended: Result<Info, Error>| {
            let result = ended.and_then(|info| result_of(&of, &info));
            completion.deliver(match result {
                Ok(Ok(value)) => Outcome::Json(value),
                Ok(Err(why)) => refused(format!("the run `{id}` gives no value: {why}")),
                Err(error) => refused(error.to_string()),
            });
        };
        let runs = Arc::downgrade(self);
        let on_change = move || {
            if let Some(runs) = runs.upgrade() {
                runs.break_cycles();
            }
        };
        at.inbox()
            .await_end(store, run, Box::new(then), Arc::new(on_change));
    }
}

/// The value of a run that has ended, as JSON text, or why there is none.
fn result_of(store: &Store, info: &Info) -> Result<Result<String, String>, Error> {
    if info.status == Status::Cancelled {
        return Ok(Err("it was cancelled".into()));
    }
    let last = store.records(&info.id)?.pop();
    let Some(Record::End { result }) = last else {
        return Ok(Err("how it ended is not written down".into()));
    };
    let text = String::from_utf8_lossy(&store.bytes(&info.id, result)?).into_owned();
    let value = text.strip_prefix("{\"value\":");
    if let Some(value) = value.and_then(|it| it.strip_suffix('}')) {
        return Ok(Ok(value.to_owned()));
    }
    let ended = written(&text).unwrap_or_default();
    let word = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
    Ok(Err(if ended["raised"].is_object() {
        let (error, message) = (
            word(&ended["raised"], "error"),
            word(&ended["raised"], "message"),
        );
        if message.starts_with(&error) {
            message
        } else {
            format!("{error}: {message}")
        }
    } else if ended["invalid_input"].is_array() {
        "its input does not fit".to_owned()
    } else {
        format!("Internal: {}", word(&ended, "internal"))
    }))
}
