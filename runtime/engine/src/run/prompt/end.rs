//! From a machine's result to a value or error of the program.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::{Type, TypeId};
use gsw_tree::detail::PromptDetail;
use serde_json::{Value, json};

use crate::codec::{self, decode};
use crate::event::{EventKind, ReflectionLevel};
use crate::model::{PromptFailure, PromptResult};
use crate::node::Status;
use crate::run::Run;
use crate::run::prompt::{Gives, PromptRun};
use crate::value::{self, error, string};

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
            "repairs": detail.repairs,
            // The name that the field had.
            "liberties": detail.repairs,
        })
    }

    /// The error that a machine wants raised.
    pub(super) fn error_of_prompt(&mut self, prompt: &PromptRun, failure: &PromptFailure) -> u64 {
        let kind = failure.error;
        let fields = prompt.observed.failure(failure);
        let declared = error::fields(&self.heap, kind.ty()).to_vec();
        let mut words = Vec::with_capacity(declared.len());
        for field in &declared {
            let tree = fields.get(&field.name).unwrap_or(&Value::Null);
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
        let (status, output) = match result {
            Ok(word) => (Status::Completed, Some(self.shown_answer(prompt, word))),
            Err(raised) => self.tell_failure(prompt.node, raised),
        };
        self.leave_prompt(prompt, status, output, detail);
        result
    }

    /// The answer as observers see it.
    fn shown_answer(&self, prompt: &PromptRun, word: u64) -> Arc<str> {
        let (ty, word) = match prompt.gives {
            Gives::Answer => (prompt.result, word),
            // The answer is the first field of the record.
            Gives::Response => (prompt.answer, value::field(word, 0)),
        };
        let output = codec::encode_redacted(&self.heap, ty, word);
        prompt.observed.output(output).into()
    }

    pub(super) fn leave_prompt(
        &mut self,
        prompt: &PromptRun,
        status: Status,
        output: Option<Arc<str>>,
        detail: Option<PromptDetail>,
    ) {
        if let Some(budget) = prompt.budget {
            self.close_budget(budget);
        }
        self.discharge_conversation(prompt);
        let node = prompt.node;
        self.let_go_of_key(node);
        self.introspection.forget(node);
        if !self.tree.finish(node, status, output, self.now) {
            return;
        }
        if prompt.round.is_some() {
            let success = status == Status::Completed;
            let level = ReflectionLevel::Prompt;
            let reason = "the answer was criticised".to_owned();
            self.tell(
                node,
                EventKind::ReflectionEnd {
                    level,
                    success,
                    reason,
                },
            );
        }
        let name = Arc::clone(self.tree.name(node));
        let kind = EventKind::PromptEnd {
            prompt: name,
            end: self.end_of(node),
            usage: prompt.usage,
            detail: detail.map(Box::new),
        };
        self.tell(node, kind);
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
