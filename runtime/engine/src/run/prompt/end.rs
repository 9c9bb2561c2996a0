//! From a machine's result to a value or error of the program.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::{Type, TypeId};
use gsw_tree::detail::PromptDetail;
use serde_json::{Value, json};

use crate::codec::{self, decode};
use crate::event::{EventKind, ReflectionLevel};
use crate::heap::Heap;
use crate::model::{PromptFailure, PromptResult};
use crate::node::Status;
use crate::operation::Delivery;
use crate::run::prompt::around::Ended;
use crate::run::prompt::{Gives, PromptRun, keys};
use crate::run::{Run, raise, sessions};
use crate::task::TaskId;
use crate::value::{self, error, list, string};

impl PromptRun {
    pub(super) fn done(&self, run: &mut Run, task: TaskId, mut result: PromptResult) -> Ended {
        self.show_made_up(run, task, &result);
        let dropped = std::mem::take(&mut result.detail.dropped);
        result.detail.dropped = self.observed.issues(dropped);
        // Decoded a second time: the checks kept nothing.
        let word = self.word_of_answer(run, &result);
        if let (Some(session), Some(exchange), Ok(_)) = (self.session, result.exchange.take(), word)
        {
            sessions::hide(run, session.word, self.observed.hidden());
            sessions::answered(run, session.word, session.last, task, self.node, exchange);
            if let Some(origins) = self.origins_with(&result) {
                sessions::learn_origins(run, session.word, origins);
            }
        }
        if let (Some(old), Ok(_)) = (self.revises, word) {
            let new = self.node;
            run.progress
                .emit(new, EventKind::PromptRevision { old, new });
        }
        Ended {
            result: word,
            detail: Some(result.detail),
        }
    }

    /// An answer that was made up or scripted came at once: its stream is given it in pieces.
    fn show_made_up(&self, run: &mut Run, task: TaskId, result: &PromptResult) {
        let is_made_up = result.detail.simulated || self.scripted.is_some();
        if self.delivery == Delivery::Pieces && is_made_up && !result.detail.cached {
            let text = if let Value::String(text) = &result.value
                && self.answers_with_text(run)
            {
                text.clone()
            } else {
                result.value.to_string()
            };
            run.answer_in_pieces(task, self.node, self.observed.shown(), &text);
        }
    }

    /// Whether the answer is a plain text and no JSON.
    fn answers_with_text(&self, run: &Run) -> bool {
        let types = run.heap.types();
        matches!(types.get(types.base(self.answer)), Type::String)
    }

    /// The value that the program gets.
    fn word_of_answer(&self, run: &mut Run, result: &PromptResult) -> Result<u64, u64> {
        let decoded = match self.gives {
            Gives::Answer => decode::decode(run, self.result, &result.value),
            Gives::Response => {
                let response = self.response(run, result);
                decode::decode(run, self.result, &response)
            }
        };
        decoded.map_err(|issue| {
            // `word_of_answer` decodes what `check` has accepted, so a failure here is a bug, or the run ends.
            let error = raise::internal(
                &mut run.heap,
                &format!(
                    "an answer passed the check and does not decode: {}",
                    issue.message
                ),
            );
            run.in_place_of(error)
        })
    }

    fn response(&self, run: &Run, result: &PromptResult) -> Value {
        let detail = &result.detail;
        let nanoseconds = run.progress.now() - run.progress.tree().node(self.node).start;
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
            "first_token": detail.first_token.map(|it| it as f64 / 1e9),
            "repairs": detail.repairs,
            "dropped": detail.dropped,
            // The name that the field had.
            "liberties": detail.repairs,
        })
    }

    /// The error that a machine wants raised.
    pub(super) fn error_of(&self, run: &mut Run, failure: &PromptFailure) -> u64 {
        let kind = failure.error;
        let fields = self.observed.failure(failure);
        let declared = error::fields(&run.heap, kind.ty()).to_vec();
        let mut words = Vec::with_capacity(declared.len());
        for field in &declared {
            let tree = fields.get(&field.name).unwrap_or(&Value::Null);
            words.push(match decode::decode(run, field.ty, tree) {
                Ok(word) => word,
                Err(_) => empty_word(&mut run.heap, field.ty),
            });
        }
        error::new(&mut run.heap, kind, &words)
    }

    pub(super) fn end(
        &self,
        run: &mut Run,
        result: Result<u64, u64>,
        detail: Option<PromptDetail>,
    ) -> Result<u64, u64> {
        let (status, output) = match result {
            Ok(word) => (Status::Completed, Some(self.shown_answer(run, word))),
            Err(raised) => run.report_failure(self.node, raised),
        };
        self.leave(run, status, output, detail);
        result
    }

    /// The answer as observers see it.
    fn shown_answer(&self, run: &Run, word: u64) -> Arc<str> {
        let (ty, word) = match self.gives {
            Gives::Answer => (self.result, word),
            // The answer is the first field of the record.
            Gives::Response => (self.answer, value::field(word, 0)),
        };
        let output = codec::encode_redacted(&run.heap, ty, word);
        self.observed.output(output).into()
    }

    pub(super) fn leave(
        &self,
        run: &mut Run,
        status: Status,
        output: Option<Arc<str>>,
        detail: Option<PromptDetail>,
    ) {
        if let Some(budget) = self.budget {
            run.close_budget(budget);
        }
        self.discharge_conversation(run);
        sessions::leave(run, self.session.map_or(0, |it| it.word));
        let node = self.node;
        keys::release(run, node);
        run.introspection.forget(node);
        run.nesting.forget(node);
        run.skills.remove(&node);
        run.environments.forget(node);
        if !run.progress.finish(node, status, output) {
            return;
        }
        if self.round.is_some() {
            let success = status == Status::Completed;
            let level = ReflectionLevel::Prompt;
            let reason = "the answer was criticised".to_owned();
            run.progress.emit(
                node,
                EventKind::ReflectionEnd {
                    level,
                    success,
                    reason,
                },
            );
        }
        let name = Arc::clone(run.progress.tree().name(node));
        let kind = EventKind::PromptEnd {
            prompt: name,
            end: run.progress.end_of(node),
            usage: self.usage,
            detail: detail.map(Box::new),
        };
        run.progress.emit(node, kind);
    }
}

/// The value of an error's field that the machine left out.
fn empty_word(heap: &mut Heap, ty: TypeId) -> u64 {
    match heap.types().get(ty) {
        Type::String => string::new(heap, ""),
        Type::List(_) => list::new(heap, ty, &[]),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => 0,
    }
}

/// Whether a tool's error goes to the program and not back to the model.
pub(super) fn passes_the_model(raised: u64) -> bool {
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
