//! The cache of model answers as a run sees it: what a prompt call looks up before it asks, and what it keeps.
//!
//! A look-up is an operation like any other, so what a cache holds reaches a run only as an outcome, and a replay touches
//! none. Of equal calls at once one asks; the others wait, which is an operation too.

use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LookUp {
    /// 64 hex digits.
    pub key: String,
    /// The run's time since 1970; entries expire by it.
    pub at: Duration,
    /// How far an answer would be kept: where none would be, none is looked for.
    pub tier: Tier,
    /// The keys of the calls around this one, which others may wait for: waiting for one of these would never end.
    pub around: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    Hit(String),
    /// None: the call asks, and others with its key wait until it has kept its answer or release the key.
    Miss,
    Busy,
}

/// An answer that a machine wants kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewAnswer {
    /// 64 hex digits.
    pub key: String,
    /// Whose it is: the prompt's agent, else the prompt.
    pub owner: String,
    pub prompt: String,
    /// The model that gave the answer.
    pub model: String,
    pub text: String,
    /// How far, as far as the machine knows.
    pub tier: Tier,
    pub ttl: Duration,
}

impl NewAnswer {
    /// To be kept from `at` on, no further than `tier`.
    #[must_use]
    pub fn kept(self, tier: Tier, at: Duration) -> KeptAnswer {
        let Self {
            key,
            owner,
            prompt,
            model,
            text,
            tier: _,
            ttl,
        } = self;
        KeptAnswer {
            key,
            owner,
            prompt,
            model,
            text,
            tier,
            ttl,
            at,
        }
    }
}

/// An answer that is to be kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// 64 hex digits.
    pub key: String,
    /// Whose it is: the prompt's agent, else the prompt.
    pub owner: String,
    pub prompt: String,
    /// The model that gave the answer.
    pub model: String,
    pub text: String,
    pub tier: Tier,
    pub ttl: Duration,
    /// The run's time since 1970.
    pub at: Duration,
}

/// Whether a call takes an answer that is kept. Whatever it asks, its own answer is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Earlier {
    Taken,
    /// It wants another one: that was refused before.
    Refused,
}

/// How far an answer may be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// In the memory of the process: it is made up, or parts of it are hidden by `@secret`.
    Memory,
    /// On the disk as well, where there is a cache.
    Disk,
}

/// What a look-up does when another call is already asking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenBusy {
    Report,
    /// It waits for that call.
    Wait,
}
