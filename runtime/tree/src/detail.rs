//! How the answer of a prompt came about.

use gsw_notation::issue::Issue;
use serde::{Deserialize, Serialize};

use crate::event::form;
use crate::usage::Usage;

/// What is known about how an answer came about.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptDetail {
    /// The model that answered, as `provider/model`.
    pub model: String,
    /// All tokens of all attempts.
    pub usage: Usage,
    /// What they cost, where the model's price is known.
    pub cost_usd: Option<f64>,
    /// Whether it came from the cache.
    pub cached: bool,
    /// Its key in the cache, 64 hex digits; `None` when the cache is off for it.
    pub cache_key: Option<String>,
    /// Requests to models, failed ones included.
    pub attempts: u32,
    /// Answers in which the model called tools.
    pub turns: u32,
    /// From when the request that was answered was sent until something of its answer came; none of an answer that came whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "form::optional_seconds")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub first_token: Option<i64>,
    /// As the provider names it.
    pub stop_reason: String,
    /// What the parser repaired to read the answer, each in words.
    #[serde(alias = "liberties")]
    pub repairs: Vec<String>,
    /// What was wrong with the list items that were left out, one issue each: `answer: "keep_valid"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Issue>,
    /// Whether it is made up by the built-in simulator.
    pub simulated: bool,
}
