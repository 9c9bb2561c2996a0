//! Runs that outlive their process: recorded while they continue, replayed from what was written.
//!
//! **Idea.** A run is a function of its beginning and of what is brought to it, in order. So nothing else is written: the
//! carrier notes each completion just before the run gets it (`remembered`), and a run that is replayed is begun as it was and
//! given the same completions (`resume`); what it then still waits for is begun again, or is said to be unknown.
//!
//! **Invariants.**
//! - No file is touched before the run asks for something that costs money, acts on the world or waits for somebody.
//! - What must not happen twice begins when its intent is on the disk, and an outcome is noted before the run knows of it.
//! - Nothing is performed while a run is replayed, and nothing after that when what it asks for differs from before.

pub(crate) mod asked;
pub(crate) mod awaited;
mod backlog;
pub(crate) mod became;
pub(crate) mod beginning;
pub(crate) mod care;
pub mod cost;
pub(crate) mod ended;
pub mod history;
pub(crate) mod inbox;
pub(crate) mod noted;
pub(crate) mod remembered;
pub(crate) mod results;
pub(crate) mod resume;
pub(crate) mod secrecy;
pub mod store;
mod trail;
