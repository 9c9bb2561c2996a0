//! An answer as it is kept in the cache.

use gsw_engine::model::{Check, PromptResult};
use gsw_notation::issue::Issue;
use gsw_tree::detail::PromptDetail;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::strict_json;

/// What is kept of a result.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    value: Value,
    model: String,
    stop_reason: String,
    repairs: Vec<String>,
    #[serde(default)]
    dropped: Vec<Issue>,
    simulated: bool,
}

impl Kept {
    /// Of a value that passed the check.
    pub fn of(value: &Value, detail: &PromptDetail) -> Self {
        Self {
            value: value.clone(),
            model: detail.model.clone(),
            stop_reason: detail.stop_reason.clone(),
            repairs: detail.repairs.clone(),
            dropped: detail.dropped.clone(),
            simulated: detail.simulated,
        }
    }

    /// As text, which is immutable and whose size is known.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("all its keys are texts")
    }

    /// From text; `None` when its value does not pass the check any more.
    pub fn read(text: &str, check: &mut Check<'_>) -> Option<Self> {
        // Our own parser, because a value may nest deeper than the usual one goes.
        let kept: Self = serde_json::from_value(strict_json(text)?).ok()?;
        check(&kept.value).ok()?;
        Some(kept)
    }

    /// The result of a call that asked no model.
    pub fn into_result(self, key: String) -> PromptResult {
        PromptResult {
            value: self.value,
            detail: PromptDetail {
                model: self.model,
                cost_usd: Some(0.0),
                cached: true,
                cache_key: Some(key),
                stop_reason: self.stop_reason,
                repairs: self.repairs,
                dropped: self.dropped,
                simulated: self.simulated,
                ..PromptDetail::default()
            },
            exchange: None,
        }
    }
}
