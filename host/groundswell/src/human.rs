//! People whom the host asks: an async closure that answers what a program's `human` declarations ask.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use gsw_driver::call::Call;
use gsw_driver::human::{Humans, NoReply, Replying};
use gsw_engine::human::{self, Reply};
use gsw_notation::issue::Issue;
use serde::Serialize;
use serde_json::Value;
use tokio::runtime::Handle;

use crate::tool::{Elsewhere, ToolError};

/// A closure whose answer was refused this often is not asked again: unlike a person it does not get tired. A guess.
const MOST_REFUSALS: u32 = 10;

/// What a person is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The name of the `human`.
    pub name: String,
    /// The question, with the parameters that it does not mention attached as blocks.
    pub text: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// 64 hex digits over all that is asked; events name the question by it.
    pub digest: String,
    /// What was wrong with the answer before; empty when there was none.
    pub refused: Vec<Issue>,
}

type Answering = Pin<Box<dyn Future<Output = Result<Value, String>> + Send>>;
type Ask = Box<dyn Fn(Question) -> Answering + Send + Sync>;

/// What answers for a host.
#[derive(Default)]
pub(crate) struct People {
    ask: Option<Ask>,
    executor: Option<Handle>,
}

impl People {
    pub(crate) fn set<O, F, R>(&mut self, human: F)
    where
        O: Serialize + 'static,
        F: Fn(Question) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        self.ask = Some(Box::new(move |question| {
            let answer = human(question);
            Box::pin(async move {
                let value = answer.await.map_err(|error| error.to_string())?;
                serde_json::to_value(value)
                    .map_err(|error| format!("the answer cannot be written as JSON: {error}"))
            })
        }));
    }

    /// From here on the closure runs where this is called.
    pub(crate) fn settle(mut self) -> Option<Self> {
        self.executor = Handle::try_current().ok();
        self.ask.is_some().then_some(self)
    }
}

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("People")
            .field("can_ask", &self.ask.is_some())
            .finish_non_exhaustive()
    }
}

impl Humans for People {
    fn ask(&self, question: human::Question, _call: &Call) -> Replying {
        let Some(ask) = &self.ask else {
            let why = format!(
                "`{}` asks a person, and the host has nobody to ask",
                question.human
            );
            return Box::pin(std::future::ready(Err(NoReply::Declined(why))));
        };
        let refused = question.refused.unwrap_or_else(no_refusal);
        if refused.count >= MOST_REFUSALS {
            let issues = refused.issues.iter();
            let issues: Vec<&str> = issues.map(|it| it.message.as_str()).collect();
            let why = format!(
                "the host's answers to `{}` do not fit: {}",
                question.human,
                issues.join("; ")
            );
            return Box::pin(std::future::ready(Err(NoReply::Declined(why))));
        }
        let (digest, name) = (question.digest.clone(), question.human.clone());
        let answer = ask(Question {
            name: question.human,
            text: question.text,
            schema: question.schema,
            digest: question.digest,
            refused: refused.issues,
        });
        let executor = self.executor.clone();
        Box::pin(async move {
            let answer = match executor {
                None => answer.await,
                Some(executor) => Elsewhere(executor.spawn(answer)).await.map_err(|error| {
                    NoReply::Declined(format!("who answers `{name}` ended early: {error}"))
                })?,
            };
            match answer {
                Ok(value) => Ok(Reply {
                    digest,
                    answer: value.to_string(),
                }),
                Err(why) => Err(NoReply::Declined(why)),
            }
        })
    }
}

fn no_refusal() -> human::Refused {
    human::Refused {
        answer: String::new(),
        issues: Vec::new(),
        count: 0,
    }
}
