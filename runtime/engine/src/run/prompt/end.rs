//! From a machine's result to a value or error of the program.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::{Type, TypeId};
use serde_json::{Value, json};

use crate::codec::decode;
use crate::event::EventKind;
use crate::model::{PromptDetail, PromptFailure, PromptResult};
use crate::node::{Spent, Status};
use crate::run::Run;
use crate::run::prompt::{Gives, PromptRun};
use crate::value::{error, string};

impl Run {
    /// The value that the program gets.
    pub(super) fn word_of_answer(
        &mut self,
        prompt: &PromptRun,
        result: &PromptResult,
    ) -> Result<u64, u64> {
        let decoded = match prompt.gives {
            Gives::Answer => decode::decode(self, prompt.result, &result.value),
            Gives::Response => {
                let response = self.response(prompt, result);
                decode::decode(self, prompt.result, &response)
            }
        };
        decoded.map_err(|issue| {
            self.internal(&format!(
                "an answer passed the check and does not decode: {}",
                issue.message
            ))
        })
    }

    fn response(&self, prompt: &PromptRun, result: &PromptResult) -> Value {
        let detail = &result.detail;
        let nanoseconds = self.now - self.tree.node(prompt.node).start;
        json!({
            "value": result.value,
            "model": detail.model,
            "usage": {
                "input_tokens": detail.usage.input_tokens,
                "output_tokens": detail.usage.output_tokens,
                "cache_read_tokens": detail.usage.cache_read_tokens,
                "cache_write_tokens": detail.usage.cache_write_tokens,
            },
            "cost_usd": detail.cost_usd,
            "cached": detail.cached,
            "attempts": detail.attempts,
            "turns": detail.turns,
            "stop_reason": detail.stop_reason,
            "duration": nanoseconds as f64 / 1e9,
            "liberties": detail.liberties,
        })
    }

    /// The error that a machine wants raised.
    pub(super) fn error_of_prompt(&mut self, failure: &PromptFailure) -> u64 {
        let kind = failure.error;
        let declared = error::fields(&self.heap, kind.ty()).to_vec();
        let mut words = Vec::with_capacity(declared.len());
        for field in &declared {
            let tree = failure.fields.get(&field.name).unwrap_or(&Value::Null);
            words.push(match decode::decode(self, field.ty, tree) {
                Ok(word) => word,
                Err(_) => self.empty_word(field.ty),
            });
        }
        error::new(&mut self.heap, kind, &words)
    }

    /// What stands in an error's field that the machine left out.
    fn empty_word(&mut self, ty: TypeId) -> u64 {
        match self.loaded.types.get(ty) {
            Type::String => string::new(&mut self.heap, ""),
            Type::List(_) => crate::value::list::new(&mut self.heap, ty, &[]),
            _ => 0,
        }
    }

    /// Leaves the prompt's node.
    pub(super) fn end_prompt(
        &mut self,
        prompt: &PromptRun,
        result: Result<u64, u64>,
        detail: Option<PromptDetail>,
    ) -> Result<u64, u64> {
        match result {
            Ok(_) => self.leave_prompt(prompt, Status::Completed, detail),
            Err(raised) => {
                let node = prompt.node;
                self.fail_node(node, raised);
                let status = self.tree.node(node).status;
                self.leave_prompt(prompt, status, detail);
            }
        }
        result
    }

    pub(super) fn leave_prompt(
        &mut self,
        prompt: &PromptRun,
        status: Status,
        detail: Option<PromptDetail>,
    ) {
        let node = prompt.node;
        self.leave_node(node, status, None);
        let usage = detail.as_ref().map(|it| it.usage).unwrap_or_default();
        let it = self.tree.node_mut(node);
        let duration = it.end - it.start;
        it.spent = Some(Box::new(Spent {
            usage,
            cost_usd: detail.as_ref().and_then(|it| it.cost_usd),
            attempts: prompt.requests,
        }));
        self.tell(
            node,
            EventKind::PromptEnd {
                status,
                duration,
                usage,
                detail: detail.map(Box::new),
            },
        );
    }

    /// Whether a tool's error goes to the program and not back to the model.
    pub(super) fn passes_the_model(&self, raised: u64) -> bool {
        matches!(
            error::kind(raised),
            Some(
                BuiltinError::Cancelled
                    | BuiltinError::BudgetExceeded
                    | BuiltinError::PermissionDenied
                    | BuiltinError::OutcomeUnknown
            )
        )
    }
}
