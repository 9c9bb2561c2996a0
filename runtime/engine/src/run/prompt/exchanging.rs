//! What a prompt asked its model and what came back, for the recording: reported once both are known.

use std::sync::Arc;

use gsw_notation::json;
use serde_json::Value;

use crate::codec::decode;
use crate::exchange::{Exchange, Reply};
use crate::model::{Content, ModelAnswer, ModelFailure, StopReason};
use crate::operation::OperationId;
use crate::run::Run;
use crate::run::prompt::PromptRun;

/// A request on its way, or with its answer.
#[derive(Debug)]
pub(super) struct Exchanging {
    pub operation: OperationId,
    pub prompt: String,
    pub request: Arc<Value>,
    /// As it came, until it is reported.
    pub reply: Option<Box<Result<ModelAnswer, ModelFailure>>>,
}

impl Exchanging {
    pub(super) fn ended(self, reply: Reply) -> Exchange {
        let Self {
            operation,
            prompt,
            request,
            reply: _,
        } = self;
        Exchange {
            operation,
            prompt,
            request,
            reply,
        }
    }
}

impl PromptRun {
    /// The request on its way is answered.
    pub(super) fn note_exchange(&mut self, answer: &Result<ModelAnswer, ModelFailure>) {
        if let Some(exchange) = &mut self.exchange {
            exchange.reply = Some(Box::new(answer.clone()));
        }
    }

    /// Reports what came back, if it has come and was not reported.
    pub(super) fn flush_exchange(&mut self, run: &mut Run) {
        let Some(mut exchange) = self.exchange.take_if(|it| it.reply.is_some()) else {
            return;
        };
        let reply = match exchange.reply.take().map(|it| *it) {
            Some(Ok(answer)) => match self.replayable(run, &answer) {
                Ok(answer) => Reply::Answered(Box::new(answer)),
                Err(why) => Reply::Withheld(why),
            },
            Some(Err(failure)) => Reply::Failed(Box::new(self.observed.failed(&failure))),
            None => Reply::GivenUp,
        };
        run.progress.exchanged(exchange.ended(reply));
    }

    /// The answer as it can be given again; one that fits must fit also without what is hidden.
    fn replayable(&self, run: &mut Run, answer: &ModelAnswer) -> Result<ModelAnswer, String> {
        let standing = self.observed.replayable(answer)?;
        let changed = answer.stop == StopReason::End && standing.content != answer.content;
        if changed && self.fits(run, answer) && !self.fits(run, &standing) {
            return Err("without what `@secret` hides it does not fit its type".into());
        }
        Ok(standing)
    }

    fn fits(&self, run: &mut Run, answer: &ModelAnswer) -> bool {
        let text: String = answer.content.iter().filter_map(Content::text).collect();
        let Ok(tree) = json::parse(&text) else {
            return false;
        };
        match decode::decode_all_issues(run, self.answer, &tree) {
            Ok(word) => {
                run.heap.release_typed(self.answer, word);
                true
            }
            Err(_) => false,
        }
    }
}
