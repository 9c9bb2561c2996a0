//! What runs ask of people and of the outside, and what these answered.
//!
//! A question is a row from when its run asks until the run is forgotten: so it can be answered while no process carries the
//! run, and a second answer is told which was first. One transaction looks and answers; of any number of processes one wins.
//! The run takes the answer from here, records it as an outcome, and then marks the question as settled.
//!
//! ```text
//! open ──answer──► answered ──settle──► settled
//!   └────────────close (its time is over, its scope was left)──► closed
//! ```
//!
//! An answer by key may come before its question. It is kept for [`KEPT`], and the question takes it when it is asked.

mod table;

use serde::{Deserialize, Serialize};

use crate::record::Hash;

pub(crate) use table::Table;

/// How long an answer waits for its question, in nanoseconds: a week.
pub const KEPT: i64 = 7 * 86_400 * 1_000_000_000;

/// The most early answers that are kept. A guess, against senders that make up keys; what comes beyond is refused and not
/// dropped.
pub(crate) const MOST_EARLY: i64 = 10_000;

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    Human,
    External,
}

/// What a run asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The operation of the run that waits for it.
    pub operation: u64,
    pub kind: Kind,
    /// Of its declaration.
    pub name: String,
    /// By which it is found without knowing the run.
    pub key: Option<String>,
    /// Of all that is asked: an answer to something else is not taken for one to this.
    pub digest: Hash,
    /// The type of its answer, as JSON.
    pub schema: String,
    /// What is shown to the person who answers, as JSON.
    pub shown: String,
    /// Who may answer; anybody when it is empty.
    pub who: Vec<String>,
    /// In nanoseconds since 1970.
    pub asked: i64,
    /// When it is too late.
    pub due: Option<i64>,
}

/// How far a question is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum State {
    Open,
    /// Its run has not taken it yet.
    Answered(Answer),
    /// Its run has taken the answer.
    Settled {
        by: String,
        at: i64,
    },
    /// It is not waited for any more.
    Closed {
        why: String,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    pub value: Vec<u8>,
    pub by: String,
    /// In nanoseconds since 1970.
    pub at: i64,
}

/// A question of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The id of its run.
    pub run: String,
    pub question: Question,
    pub state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To<'a> {
    /// The oldest open one of this name; of several that ask different things, the one of the digest.
    Named {
        run: &'a str,
        name: &'a str,
    },
    Operation {
        run: &'a str,
        operation: u64,
    },
    /// The oldest open one of this key, whatever run asks it.
    Key(&'a str),
}

/// An answer on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    pub to: To<'a>,
    /// What was seen when it was answered, if it is known.
    pub digest: Option<Hash>,
    pub answer: Answer,
}

/// What happened to an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Delivered {
    /// The run takes it when it is resumed.
    ToRun { run: String, operation: u64 },
    /// The question was not asked yet.
    Early,
}

/// Which answer counts where the process that runs a run received one itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claimed {
    Own,
    /// Another answer was first.
    First(Answer),
    /// It is not waited for any more.
    Over,
}

/// Why an answer was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The run asks nothing of this name.
    NotAsked {
        run: String,
        open: Vec<String>,
    },
    /// Different things are asked under this name, or by this key.
    Several {
        name: String,
        runs: Vec<String>,
    },
    Answered {
        by: String,
        at: i64,
        /// The run that it was given to; none while it is kept for a question that was not asked yet.
        run: Option<String>,
    },
    Closed {
        why: String,
    },
    Late {
        due: i64,
    },
    /// Something else was asked when it was answered.
    Another,
    NotAllowed {
        by: String,
        who: Vec<String>,
    },
    /// Too many answers to questions that were not asked yet are kept.
    Full,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAsked { run, open } if open.is_empty() => {
                write!(f, "run `{run}` asks nothing now")
            }
            Self::NotAsked { run, open } => {
                write!(
                    f,
                    "run `{run}` does not ask this; it asks `{}`",
                    open.join("`, `")
                )
            }
            Self::Several { name, runs } => write!(
                f,
                "`{name}` is asked several times (`{}`): say which operation is meant",
                runs.join("`, `")
            ),
            Self::Answered { by, .. } => write!(f, "`{by}` has answered it before"),
            Self::Closed { why } => write!(f, "nobody waits for this answer any more: {why}"),
            Self::Late { .. } => f.write_str("the time to answer it is over"),
            Self::Another => f.write_str("this answers something else than what is asked now"),
            Self::NotAllowed { by, who } => {
                write!(f, "`{by}` may not answer it; `{}` may", who.join("`, `"))
            }
            Self::Full => write!(
                f,
                "{MOST_EARLY} answers are kept that nothing has asked for, and no further one is"
            ),
        }
    }
}
