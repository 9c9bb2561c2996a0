//! Runs whose client has been asked by a result, until it calls again.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gsw_driver::engine::runs::new_id;

use crate::mcp::call::Ongoing;

/// So many are kept; the client of the oldest has gone then.
const MOST: usize = 1_000;
/// How long the end of a run is kept whose client has not called again.
const KEPT: Duration = Duration::from_secs(600);

/// Runs by the tokens that their clients give back, the oldest first.
#[derive(Default)]
pub(super) struct Parted(VecDeque<Parting>);

struct Parting {
    token: String,
    since: Instant,
    ongoing: Ongoing,
}

impl Parted {
    /// The token for a run that is left here, and the run that has no place any more.
    pub fn add(&mut self, ongoing: Ongoing) -> (String, Option<Ongoing>) {
        let long_over = |it: &Parting| it.ongoing.has_ended() && it.since.elapsed() > KEPT;
        self.0.retain(|it| !long_over(it));
        let oldest = match self.0.len() >= MOST {
            true => self.0.pop_front().map(|it| it.ongoing),
            false => None,
        };
        // Nobody can guess it, so that no other call gets the run.
        let token = new_id().to_string();
        self.0.push_back(Parting {
            token: token.clone(),
            since: Instant::now(),
            ongoing,
        });
        (token, oldest)
    }

    /// The run of a token, for the client of a tool.
    pub fn take(&mut self, token: &str, workflow: usize) -> Option<Ongoing> {
        let fits = |it: &Parting| it.token == token && it.ongoing.workflow == workflow;
        let place = self.0.iter().position(fits)?;
        self.0.remove(place).map(|it| it.ongoing)
    }
}
