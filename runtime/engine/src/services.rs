//! What a process gives to all its runs.

use std::sync::Arc;

use crate::event::Event;
use crate::human::Humans;
use crate::model::Prompts;
use crate::observe::Observers;

/// Hears of every event at once, on the thread of the turn, which it must not hold up.
pub type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// What a process gives to all its runs. None of it is asked for anything that is not a pure function of a run's input.
#[derive(Clone, Default)]
pub struct Services {
    /// Makes the machines of prompt calls; without it every prompt fails.
    pub prompts: Option<Arc<dyn Prompts>>,
    /// The model that replaces every agent's.
    pub model_override: Option<String>,
    /// Who is told what happens.
    pub observers: Arc<Observers>,
    /// Hears of them before the observers do.
    pub listener: Option<Listener>,
    /// Hears which answers of people count; who asks them is the driver.
    pub humans: Option<Arc<dyn Humans>>,
    /// The most bytes that the values of one run may take.
    pub memory_limit: Option<u64>,
}

impl std::fmt::Debug for Services {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Services")
            .field("has_prompts", &self.prompts.is_some())
            .field("model_override", &self.model_override)
            .finish_non_exhaustive()
    }
}
