//! What follows an answer: it fits, it is shown back, tools are called, or the call fails.

use std::sync::Arc;

use gsw_engine::conversation::Exchange;
use gsw_engine::model::{
    Check, Content, Message, ModelAnswer, PromptNote, PromptStep, Role, StopReason, ToolOutcome,
};
use gsw_notation::issue::Issue;
use serde_json::Value;

use super::{Machine, Talk, fail, text_of};
use crate::answer::{self, Reading};
use crate::outcome;
use crate::providers::sim;
use crate::reflection::{self, said_by_model};
use crate::settings::Exactness;
use crate::skills;
use crate::tools::{self, Calls};

impl Machine {
    pub(super) fn answered(
        &mut self,
        talk: &mut Talk,
        answer: ModelAnswer,
        check: &mut Check<'_>,
    ) -> PromptStep {
        talk.count(&answer, &self.call.prices);
        let answer = talk.resumed(answer);
        match &answer.stop {
            StopReason::End => self.read(talk, answer, check),
            StopReason::ToolUse => self.call_tools(talk, answer),
            StopReason::Paused => talk.go_on(answer),
            // Not read: what is missing may be the half that matters, although the rest might be repaired into a value.
            StopReason::MaxTokens => fail(outcome::cut()),
            StopReason::ContextFull => fail(outcome::full()),
            StopReason::Refusal(reason) => fail(outcome::refused(reason)),
        }
    }

    fn read(&mut self, talk: &mut Talk, answer: ModelAnswer, check: &mut Check<'_>) -> PromptStep {
        let text = text(&answer.content);
        let exactness = if answer.simulated {
            Exactness::Exact
        } else {
            talk.settings.answer
        };
        let mut reading = talk.read(&text, exactness, check);
        if answer.simulated && reading.is_err() {
            // The simulator makes answers from the schema, which does not say what a `where` asks.
            reading = talk.simulate(check).ok_or(()).or(reading);
        }
        if talk.reflections > 0 {
            let success = reading.is_ok();
            self.notes.push(PromptNote::ReflectionEnd { success });
        }
        match reading {
            Ok(reading) => {
                talk.exchange = talk.answered_with(answer, &reading.value);
                talk.detail.repairs = reading.repairs;
                talk.detail.dropped = reading.dropped;
                self.done(talk, reading.value)
            }
            Err(issues) => self.reflect(talk, answer, text, issues),
        }
    }

    fn reflect(
        &mut self,
        talk: &mut Talk,
        answer: ModelAnswer,
        response: String,
        issues: Vec<Issue>,
    ) -> PromptStep {
        let max = talk.settings.reflect;
        self.notes.push(PromptNote::InvalidResponse {
            response,
            issues: issues.clone(),
        });
        // The simulator has tried as often as it will; showing it its answer teaches it nothing.
        if talk.reflections >= max || answer.simulated {
            return fail(outcome::invalid(&issues));
        }
        talk.reflections += 1;
        let attempt = talk.reflections;
        self.notes
            .push(PromptNote::ReflectionStart { attempt, max });
        // The model sees its own answer and what is wrong with it, in the same conversation.
        let messages = reflection::messages(answer.content, &issues);
        talk.messages().extend(messages);
        talk.ask()
    }

    fn call_tools(&mut self, talk: &mut Talk, answer: ModelAnswer) -> PromptStep {
        // Counted before the tools run, so a model that only ever calls tools ends after `max_turns` requests.
        talk.detail.turns += 1;
        if talk.detail.turns > talk.settings.max_turns {
            let most = talk.settings.max_turns;
            let message = format!("no answer after {most} turns of tool use (`max_turns`)");
            return fail(outcome::misconfigured(&message));
        }
        let mut calls = Calls::of(&answer.content, &self.call.program, &talk.settings.tools);
        let program = &self.call.program;
        let active = skills::active(program, &talk.settings, &talk.request.messages);
        calls.refuse(|it| {
            let broken = talk.breaker.refusal(it);
            broken.or_else(|| skills::refusal(program, &active, it))
        });
        talk.breaker.await_outcomes(&calls.run);
        talk.messages().push(Arc::new(Message {
            role: Role::Assistant,
            content: answer.content,
        }));
        if calls.outcomes.is_empty() {
            let message = "the model stopped for a tool without naming one";
            return fail(outcome::misconfigured(message));
        }
        self.notes.extend(calls.notes);
        talk.outcomes = calls.outcomes;
        // Before the calls are made: a model that fails after them must not begin again.
        talk.has_begun_once |= calls.begins_once;
        if calls.run.is_empty() {
            return self.tools_answered(talk, Vec::new());
        }
        PromptStep::CallTools(calls.run)
    }

    pub(super) fn tools_answered(
        &mut self,
        talk: &mut Talk,
        outcomes: Vec<ToolOutcome>,
    ) -> PromptStep {
        talk.breaker.note(&outcomes);
        let results = tools::results(std::mem::take(&mut talk.outcomes), outcomes);
        talk.messages().push(Arc::new(results));
        self.ask(talk)
    }
}

impl Talk {
    /// What the session gets. A simulated answer is what was made of it, which may be another try than the first.
    fn answered_with(&self, answer: ModelAnswer, value: &Value) -> Option<Exchange> {
        let message = match answer.simulated {
            true => Message::answer(text_of(value)),
            false => said_by_model(answer.content),
        };
        self.conversation.exchange(&self.request, message)
    }

    fn read(
        &self,
        text: &str,
        exactness: Exactness,
        check: &mut Check<'_>,
    ) -> Result<Reading, Vec<Issue>> {
        answer::read(text, self.request.schema.as_deref(), exactness, check)
    }

    /// Sends the conversation back as it is, so that the provider continues its turn.
    fn go_on(&mut self, answer: ModelAnswer) -> PromptStep {
        self.detail.turns += 1;
        let most = self.settings.max_turns;
        if self.detail.turns > most {
            let message = format!("no answer after {most} turns of tool use (`max_turns`)");
            return fail(outcome::misconfigured(&message));
        }
        if answer.content.is_empty() {
            let message = "the provider paused its turn before it said anything";
            return fail(outcome::misconfigured(message));
        }
        self.messages().push(Arc::new(Message {
            role: Role::Assistant,
            content: answer.content,
        }));
        self.is_paused = true;
        self.ask()
    }

    /// The answer with its part from before the provider paused: both are one turn of the conversation.
    fn resumed(&mut self, mut answer: ModelAnswer) -> ModelAnswer {
        if std::mem::take(&mut self.is_paused)
            && let Some(before) = self.messages().pop()
        {
            let mut content = Arc::unwrap_or_clone(before).content;
            content.append(&mut answer.content);
            answer.content = content;
        }
        answer
    }

    /// Makes up other answers until one passes a check that the schema cannot express.
    fn simulate(&self, check: &mut Check<'_>) -> Option<Reading> {
        (1..sim::TRIES).find_map(|attempt| {
            let text = sim::answer(&self.request, attempt);
            self.read(&text, Exactness::Exact, check).ok()
        })
    }
}

/// The text of an answer; what tools and thinking say is no part of it.
fn text(content: &[Content]) -> String {
    content.iter().filter_map(Content::text).collect()
}
