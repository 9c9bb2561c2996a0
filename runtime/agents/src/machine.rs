//! One prompt call as a state machine: cache, request, tools, check, reflection, the next model.

mod kept;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use gsw_abi::program::{ModelDefaults, Program};
use gsw_engine::model::{
    Check, Message, ModelAnswer, ModelFailure, ModelRequest, Pending, PromptCall, PromptDetail,
    PromptEvent, PromptFailure, PromptMachine, PromptNote, PromptResult, PromptStep, Prompts,
    ToolOutcome, Usage,
};
use serde_json::{Value, json};

use crate::cache::{Cache, Hold, Lookup, key};
use crate::catalogue::Catalogue;
use crate::outcome;
use crate::request;
use crate::settings::Settings;
use crate::tools;
use kept::Kept;

/// Makes the machines of a process; they share its cache.
#[derive(Debug, Default)]
pub struct AgentPrompts {
    cache: Arc<Cache>,
}

impl AgentPrompts {
    /// Machines that share this cache.
    #[must_use]
    pub fn new(cache: Arc<Cache>) -> Self {
        Self { cache }
    }

    /// The cache.
    #[must_use]
    pub fn cache(&self) -> &Arc<Cache> {
        &self.cache
    }
}

impl Prompts for AgentPrompts {
    fn begin(&self, call: PromptCall) -> Box<dyn PromptMachine> {
        Box::new(Machine {
            cache: Arc::clone(&self.cache),
            owner: owner(&call),
            call,
            notes: Vec::new(),
            talk: None,
        })
    }

    fn cost(&self, program: &Program, model: &str, usage: &Usage) -> Option<f64> {
        Catalogue::built_in().cost(&program.models, model, usage)
    }

    fn released(&self, key: &str) -> Pending<'_, ()> {
        let key = key.to_owned();
        Box::pin(async move { self.cache.released(&key).await })
    }
}

/// Whose answers these are: the prompt's agent, else the prompt.
fn owner(call: &PromptCall) -> String {
    let Some(prompt) = call.program.prompts.get(call.prompt) else {
        return String::new();
    };
    let agent = prompt
        .agent
        .and_then(|it| call.program.agents.get(it as usize));
    agent.map_or(&prompt.name, |it| &it.name).clone()
}

/// A call on its way.
struct Machine {
    cache: Arc<Cache>,
    owner: String,
    call: PromptCall,
    notes: Vec<PromptNote>,
    /// `None` until the settings are read.
    talk: Option<Talk>,
}

/// What is known once the settings are read.
struct Talk {
    settings: Settings,
    request: ModelRequest,
    /// The messages that the call began with; another model begins with these again.
    beginning: Vec<Message>,
    /// Index of the model that is asked.
    model: usize,
    reflections: u32,
    /// Outcomes that the machine itself had for calls of the last turn.
    refused: Vec<ToolOutcome>,
    detail: PromptDetail,
    key: Option<String>,
    hold: Option<Hold>,
    now: Duration,
}

impl PromptMachine for Machine {
    fn step(&mut self, event: PromptEvent, check: &mut Check<'_>) -> PromptStep {
        match event {
            PromptEvent::Start { now } => self.start(now, check),
            PromptEvent::Released => self.look_up(check),
            PromptEvent::Waited => self.with_talk(|_, talk| talk.ask()),
            PromptEvent::Answered(answered) => match *answered {
                Ok(answer) => self.with_talk(|machine, talk| machine.answered(talk, answer, check)),
                Err(failure) => self.with_talk(|_, talk| talk.failed(&failure)),
            },
            PromptEvent::ToolsAnswered(outcomes) => {
                self.with_talk(|_, talk| talk.tools_answered(outcomes))
            }
        }
    }

    fn notes(&mut self) -> Vec<PromptNote> {
        std::mem::take(&mut self.notes)
    }

    fn abandon(&mut self) {
        self.talk = None;
    }
}

impl Machine {
    fn start(&mut self, now: Duration, check: &mut Check<'_>) -> PromptStep {
        let settings = Settings::read(&self.call.settings);
        let built = settings.and_then(|settings| {
            let request = request::request(&self.call, &settings, &mut self.notes)?;
            Ok((settings, request))
        });
        let (settings, request) = match built {
            Ok(built) => built,
            Err(message) => return PromptStep::Fail(outcome::misconfigured(&message)),
        };
        let others = others(&self.call, &settings);
        let key = settings
            .cache
            .map(|_| key::of_call(&request, &settings, &others));
        self.talk = Some(Talk {
            detail: PromptDetail {
                model: request.model.clone(),
                cache_key: key.clone(),
                ..PromptDetail::default()
            },
            beginning: request.messages.clone(),
            settings,
            request,
            model: 0,
            reflections: 0,
            refused: Vec::new(),
            key,
            hold: None,
            now,
        });
        self.look_up(check)
    }

    fn look_up(&mut self, check: &mut Check<'_>) -> PromptStep {
        self.with_talk(|machine, talk| {
            let Some(key) = talk.key.clone() else {
                return talk.ask();
            };
            match machine.cache.look_up(&key, talk.now) {
                Lookup::Busy => PromptStep::WaitFor(key),
                Lookup::Miss(hold) => machine.missed(talk, hold),
                Lookup::Hit(text) => match Kept::read(&text, check) {
                    Some(kept) => {
                        machine
                            .notes
                            .push(PromptNote::CacheHit { key: key.clone() });
                        PromptStep::Done(Box::new(kept.into_result(key)))
                    }
                    None => {
                        // It does not fit any more: the program has changed its mind about what fits.
                        machine.cache.bust(&key);
                        match machine.cache.look_up(&key, talk.now) {
                            Lookup::Miss(hold) => machine.missed(talk, hold),
                            Lookup::Busy | Lookup::Hit(_) => PromptStep::WaitFor(key),
                        }
                    }
                },
            }
        })
    }

    fn missed(&mut self, talk: &mut Talk, hold: Hold) -> PromptStep {
        let key = hold.key().to_owned();
        self.notes.push(PromptNote::CacheMiss { key });
        talk.hold = Some(hold);
        talk.ask()
    }

    /// Runs a step that needs the talk, and lets go of it when the call ends.
    fn with_talk(&mut self, step: impl FnOnce(&mut Self, &mut Talk) -> PromptStep) -> PromptStep {
        let Some(mut talk) = self.talk.take() else {
            return PromptStep::Fail(outcome::misconfigured(
                "the prompt was stepped before its start or after its end",
            ));
        };
        let next = step(self, &mut talk);
        if !matches!(next, PromptStep::Done(_) | PromptStep::Fail(_)) {
            self.talk = Some(talk);
        }
        next
    }

    /// Keeps the value, if the call wants it kept, and ends.
    fn done(&mut self, talk: &mut Talk, value: Value) -> PromptStep {
        let detail = talk.detail.clone();
        let result = PromptResult { value, detail };
        if let (Some(key), Some(ttl)) = (&talk.key, talk.settings.cache) {
            let text = Kept::of(&result).to_text();
            let evicted = self.cache.set(key, &self.owner, &text, ttl, talk.now);
            let notes = evicted
                .into_iter()
                .map(|key| PromptNote::CacheEvict { key });
            self.notes.extend(notes);
        }
        PromptStep::Done(Box::new(result))
    }
}

impl Talk {
    fn ask(&self) -> PromptStep {
        PromptStep::Ask(Box::new(self.request.clone()))
    }

    /// Counts what an answer cost.
    fn count(&mut self, answer: &ModelAnswer, prices: &ModelDefaults) {
        let detail = &mut self.detail;
        detail.model.clone_from(&self.request.model);
        detail.attempts += answer.attempts;
        detail.stop_reason.clone_from(&answer.stop_reason);
        detail.simulated |= answer.simulated;
        detail.usage.input_tokens += answer.usage.input_tokens;
        detail.usage.output_tokens += answer.usage.output_tokens;
        detail.usage.cache_read_tokens += answer.usage.cache_read_tokens;
        detail.usage.cache_write_tokens += answer.usage.cache_write_tokens;
        let cost = Catalogue::built_in().cost(prices, &self.request.model, &answer.usage);
        detail.cost_usd = match (cost, detail.cost_usd, detail.attempts > answer.attempts) {
            (Some(cost), Some(before), _) => Some(before + cost),
            (Some(cost), None, false) => Some(cost),
            // A part of unknown cost makes the whole unknown.
            _ => None,
        };
    }

    fn failed(&mut self, failure: &ModelFailure) -> PromptStep {
        self.detail.attempts += failure.attempts;
        let next = self.settings.models.get(self.model + 1);
        if let Some(next) = next.filter(|_| outcome::is_outage(failure)) {
            self.request.model.clone_from(next);
            self.request.messages.clone_from(&self.beginning);
            self.model += 1;
            return self.ask();
        }
        fail(outcome::of_failure(failure))
    }
}

fn fail(failure: PromptFailure) -> PromptStep {
    PromptStep::Fail(failure)
}

/// Settings that this crate does not read and that can change an answer.
fn others(call: &PromptCall, settings: &Settings) -> Value {
    let get = |name| call.settings.get(name).cloned().unwrap_or(Value::Null);
    json!({
        "mcp": get("mcp"),
        "skills": get("skills"),
        "hooks": get("hooks"),
        "env": get("env"),
        "spawns": get("spawns"),
        "tools": tools::identities(&call.program, &settings.tools),
        "session": get("session"),
    })
}

#[cfg(test)]
mod tests;
