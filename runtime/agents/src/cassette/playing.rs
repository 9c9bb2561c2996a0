//! Answers from a cassette in the place of models.

use std::sync::{Arc, Mutex, PoisonError};

use gsw_abi::schema::canonical_digest;
use gsw_driver::host::UsedSecrets;
use gsw_driver::tape::{Played, Player};
use gsw_engine::model::{FailureKind, ModelFailure, ModelRequest};
use rustc_hash::FxHashMap;

use super::file::{Cassette, line_of};
use super::nearest;
use super::scrub::Scrub;
use crate::environment::Environment;

/// One run, or one test, that plays a cassette from its beginning.
#[derive(Debug)]
pub struct Playing {
    cassette: Arc<Cassette>,
    test: Option<String>,
    /// The command that records it again.
    command: String,
    scrub: Scrub,
    /// How often each request was answered.
    given: Mutex<FxHashMap<String, usize>>,
}

impl Playing {
    /// For a run of this command, or a test of this name.
    #[must_use]
    pub fn new(
        cassette: Arc<Cassette>,
        test: Option<String>,
        command: &str,
        secrets: UsedSecrets,
    ) -> Self {
        Self {
            cassette,
            test,
            command: command.to_owned(),
            scrub: Scrub::new(&Environment::process(), secrets),
            given: Mutex::default(),
        }
    }

    /// The records of a request: those of this test, or all where it has none.
    fn records(&self, digest: &str) -> Vec<usize> {
        let all = self.cassette.of_request(digest);
        let records = self.cassette.records();
        let is_own = |it: &usize| self.test.is_some() && records[*it].test == self.test;
        let own: Vec<usize> = all.iter().copied().filter(is_own).collect();
        if own.is_empty() { all.to_vec() } else { own }
    }

    fn missing(&self, request: &ModelRequest, why: &str) -> Played {
        let message = format!(
            "no record of this request of `{}` in `{}`: {why}\n  {} records it",
            request.schema_name,
            self.cassette.path().display(),
            self.command
        );
        let failure = ModelFailure::new(FailureKind::NotRecorded, message);
        Played::Outcome(Box::new(Err(failure)))
    }
}

impl Player for Playing {
    fn play(&self, request: &ModelRequest) -> Played {
        let Some(form) = &request.recorded else {
            return self.missing(request, "the run does not say how it may be written down");
        };
        let form = self.scrub.value((**form).clone());
        let digest = canonical_digest(&form);
        let records = self.records(&digest);
        let turn = {
            // Nothing that can panic runs while the lock is held.
            let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
            let count = given.entry(digest).or_default();
            *count += 1;
            *count - 1
        };
        match records.get(turn) {
            Some(&record) => {
                self.cassette.note_used(record);
                let played = self.cassette.records()[record].reply.played();
                played.unwrap_or_else(|| self.missing(request, "the record is damaged"))
            }
            None if records.is_empty() => {
                self.missing(request, &nearest::describe(&self.cassette, &form))
            }
            None => {
                let lines: Vec<_> = records.iter().map(|it| line_of(*it).to_string()).collect();
                let why = format!(
                    "it is asked for the {}. time and was recorded {} (line {})",
                    turn + 1,
                    times(records.len()),
                    lines.join(", ")
                );
                self.missing(request, &why)
            }
        }
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}
