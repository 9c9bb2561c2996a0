//! Recording of requests to models, or playing a recording in their place.

use std::sync::Arc;

use gsw_engine::exchange::Exchange;
use gsw_engine::model::{ModelAnswer, ModelFailure, ModelRequest};

/// Records the requests of runs to models.
pub trait Recorder: Send + Sync {
    /// Takes what went between a run and a model, on the thread of the run's turn, which it must not hold up.
    fn take(&self, run: &str, exchange: Exchange);
}

/// Answers in the place of models.
pub trait Player: Send + Sync {
    fn play(&self, request: &ModelRequest) -> Played;
}

/// What comes in the place of a model's answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Played {
    Outcome(Box<Result<ModelAnswer, ModelFailure>>),
    /// Nothing ever comes: the run did not wait for it when it was recorded.
    Never,
}

/// Whether models are asked, and what receives the exchanges.
#[derive(Clone, Default)]
pub enum Tape {
    #[default]
    Off,
    Records(Arc<dyn Recorder>),
    Plays(Arc<dyn Player>),
}

impl Tape {
    /// Whether requests are to say how they may be recorded.
    pub(crate) fn is_on(&self) -> bool {
        match self {
            Self::Off => false,
            Self::Records(_) | Self::Plays(_) => true,
        }
    }
}
