//! Decides which tool calls of an answer may be made.
//!
//! A call acts on the world, so it is made only where its answer has ended in order: what stops an answer for a reason that nobody knows
//! may have stopped it in the middle of a plan, although each call in it is whole.

use std::collections::HashSet;

use gsw_engine::model::Content;

use super::exchange::Trouble;

/// Reasons of an end in order, as compatible servers write them; the case does not count.
const IN_ORDER: &[&str] = &[
    "stop",
    "stop_sequence",
    "end_turn",
    "eos",
    "eos_token",
    "complete",
    "completed",
    "tool_call",
    "tool_calls",
    "tool_use",
    "function_call",
];

/// Reasons of an end at a limit of tokens.
const AT_A_LIMIT: &[&str] = &["length", "max_tokens", "max_output_tokens", "model_length"];

/// Fails where an answer with calls has not ended in order.
pub(crate) fn check_end(host: &str, reason: &str) -> Result<(), Trouble> {
    match is_one_of(reason, IN_ORDER) {
        true => Ok(()),
        false => Err(Trouble::doubtful(host, reason)),
    }
}

pub(crate) fn is_at_a_limit(reason: &str) -> bool {
    is_one_of(reason, AT_A_LIMIT)
}

fn is_one_of(reason: &str, known: &[&str]) -> bool {
    known.iter().any(|it| it.eq_ignore_ascii_case(reason))
}

/// Fails where two calls have one id: an event came twice, and which of both is meant is unknown.
pub(crate) fn check_ids(host: &str, content: &[Content]) -> Result<(), Trouble> {
    let mut seen = HashSet::new();
    for part in content {
        if let Content::ToolUse { id, .. } = part
            && !seen.insert(id)
        {
            return Err(Trouble::called_twice(host, id));
        }
    }
    Ok(())
}
