//! Records what a run asks models, for a cassette.

use std::sync::{Mutex, PoisonError};

use gsw_abi::schema::canonical_digest;
use gsw_driver::host::UsedSecrets;
use gsw_driver::tape::Recorder;
use gsw_engine::exchange::{Exchange, Reply};
use gsw_engine::model::{FailureKind, ModelFailure};
use rustc_hash::FxHashMap;

use super::record::{Record, Recorded};
use super::scrub::Scrub;
use crate::environment::Environment;

/// What one run, with those that it detaches, has asked so far.
#[derive(Debug)]
pub struct Recording {
    scrub: Scrub,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// The runs in the order in which they first asked something.
    runs: FxHashMap<String, usize>,
    exchanges: Vec<(usize, Exchange)>,
}

impl Recording {
    /// Of a run that finds its keys in this environment, and its secrets among those.
    #[must_use]
    pub fn new(environment: &Environment, secrets: UsedSecrets) -> Self {
        Self {
            scrub: Scrub::new(environment, secrets),
            taken: Mutex::default(),
        }
    }

    /// The records of what was asked, in the order of the requests.
    ///
    /// # Errors
    /// When something cannot be replayed: a request that was not answered in the end, or an answer that may not be recorded.
    pub fn finish(&self, test: Option<&str>) -> Result<Vec<Record>, String> {
        // Nothing that can panic runs while the lock is held.
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut exchanges = std::mem::take(&mut taken.exchanges);
        drop(taken);
        exchanges.sort_by_key(|(run, it)| (*run, it.operation));
        check(&exchanges)?;
        let records = exchanges.into_iter().map(|(_, exchange)| {
            let Exchange {
                operation: _,
                prompt,
                request,
                reply,
            } = exchange;
            let reply = Recorded::of(reply).map_err(|why| withheld(&prompt, &why))?;
            let reply = match reply {
                Recorded::Answer(form) => Recorded::Answer(self.scrub.value(form)),
                Recorded::Failure(form) => Recorded::Failure(self.scrub.value(form)),
                Recorded::GivenUp => Recorded::GivenUp,
            };
            Ok(Record {
                test: test.map(str::to_owned),
                prompt,
                request: self.scrub.value((*request).clone()),
                reply,
            })
        });
        records.collect()
    }
}

impl Recorder for Recording {
    fn take(&self, run: &str, exchange: Exchange) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let next = taken.runs.len();
        let run = *taken.runs.entry(run.to_owned()).or_insert(next);
        taken.exchanges.push((run, exchange));
    }
}

/// Refuses an outcome that a replay could not reproduce.
fn check(exchanges: &[(usize, Exchange)]) -> Result<(), String> {
    let mut unanswered: FxHashMap<String, (&str, &ModelFailure)> = FxHashMap::default();
    for (_, exchange) in exchanges {
        let request = canonical_digest(&exchange.request);
        match &exchange.reply {
            Reply::Failed(failure) if is_ours(failure) => {
                return Err(not_asked(&exchange.prompt, failure));
            }
            Reply::Failed(failure) if is_silence(failure) => {
                unanswered.insert(request, (&exchange.prompt, failure));
            }
            Reply::Failed(_) | Reply::Answered(_) | Reply::GivenUp => {
                unanswered.remove(&request);
            }
            Reply::Withheld(why) => return Err(withheld(&exchange.prompt, why)),
        }
    }
    match unanswered.into_values().next() {
        Some((prompt, failure)) => Err(not_asked(prompt, failure)),
        None => Ok(()),
    }
}

/// What is wrong here and not at the provider.
fn is_ours(failure: &ModelFailure) -> bool {
    match failure.kind {
        FailureKind::Unauthorized | FailureKind::PermissionDenied | FailureKind::NotRecorded => {
            true
        }
        FailureKind::RateLimited
        | FailureKind::Overloaded
        | FailureKind::QuotaExceeded
        | FailureKind::ContextTooLong
        | FailureKind::Provider => false,
    }
}

/// There was no answer, or not all of it.
fn is_silence(failure: &ModelFailure) -> bool {
    failure.kind == FailureKind::Provider && failure.status.is_none()
}

fn not_asked(prompt: &str, failure: &ModelFailure) -> String {
    format!(
        "`{prompt}` got no answer that can be recorded: {}",
        failure.message
    )
}

fn withheld(prompt: &str, why: &str) -> String {
    format!("an answer of `{prompt}` cannot be recorded: {why}; mock this prompt")
}
