//! One prompt call as a state machine: cache, request, tools, check, reflection, the next model.

mod breaker;
mod clearing;
mod conversation;
mod handover;
mod kept;
mod turn;

use std::sync::Arc;

use gsw_abi::provider::{OFFLINE_MODEL, Provider};
use gsw_engine::answers::{Earlier, Found, NewAnswer, Tier, WhenBusy};
use gsw_engine::conversation::Exchange;
use gsw_engine::model::{
    Check, Message, ModelAnswer, ModelFailure, ModelRequest, PromptCall, PromptEvent,
    PromptFailure, PromptMachine, PromptNote, PromptResult, PromptStep, Prompts, Role, Said,
    ToolOutcome,
};
use gsw_engine::prices::{Price, Prices};
use gsw_tree::detail::PromptDetail;
use serde_json::Value;

use crate::cache::key;
use crate::catalogue::Catalogue;
use crate::outcome;
use crate::request;
use crate::settings::Settings;
use crate::tools;
use breaker::Breaker;
use clearing::Counted;
use conversation::Conversation;
use kept::Kept;

/// Makes the machines of prompt calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentPrompts;

impl Prompts for AgentPrompts {
    fn begin(&self, call: PromptCall) -> Box<dyn PromptMachine> {
        Box::new(Machine {
            owner: owner(&call),
            call,
            notes: Vec::new(),
            talk: None,
        })
    }

    fn prices(&self) -> Vec<Price> {
        Catalogue::built_in().prices()
    }

    fn window(&self, model: &str) -> Option<u64> {
        Catalogue::built_in().find(model)?.context
    }

    fn is_simulated(&self, model: &str) -> bool {
        Provider::of(model).is_some_and(|(provider, _)| provider.is_simulated())
    }

    fn offline_model(&self) -> Option<&'static str> {
        Some(OFFLINE_MODEL)
    }
}

/// Whose answers these are: the prompt's agent, else the prompt.
fn owner(call: &PromptCall) -> String {
    let prompt = call.program.prompts.get(call.prompt);
    let agent = prompt
        .and_then(|it| it.agent)
        .and_then(|it| call.program.agents.get(it as usize));
    agent.map_or(name_of(call), |it| &it.name).to_owned()
}

fn name_of(call: &PromptCall) -> &str {
    let prompt = call.program.prompts.get(call.prompt);
    prompt.map_or("", |it| &it.name)
}

/// A call on its way.
struct Machine {
    owner: String,
    call: PromptCall,
    notes: Vec<PromptNote>,
    /// `None` until the settings are read.
    talk: Option<Talk>,
}

/// What is known once the settings are read.
struct Talk {
    settings: Settings,
    /// Shared with the code that sends it: it is copied only where it is changed before it is answered.
    request: Arc<ModelRequest>,
    /// What the call begins with; another model begins with it again.
    conversation: Conversation,
    /// What the session gets once the answer is there.
    exchange: Option<Exchange>,
    /// Index of the model that is asked.
    model: usize,
    reflections: u32,
    /// For each call of the last turn: its outcome, where the machine itself had it.
    outcomes: Vec<Option<ToolOutcome>>,
    /// Whether the last message is a turn that the provider paused.
    is_paused: bool,
    /// Whether a tool call that must not be repeated may have begun in this conversation.
    has_begun_once: bool,
    breaker: Breaker,
    /// As far as the last answer's provider has counted the conversation.
    counted: Counted,
    /// What all answers cost so far; `None` once the cost of one is not known.
    cost: Option<f64>,
    detail: PromptDetail,
    key: Option<String>,
    /// Its value, which is returned once it is kept.
    value: Option<Value>,
}

impl PromptMachine for Machine {
    fn attach(&mut self, text: String) {
        let said = &mut self.call.said;
        match said.iter_mut().rev().find(|it| it.role == Role::User) {
            Some(last) => {
                last.text.text.push_str("\n\n");
                last.text.text.push_str(&text);
            }
            None => said.push(Said::user(text)),
        }
    }

    fn step(&mut self, event: PromptEvent, check: &mut Check<'_>) -> PromptStep {
        match event {
            PromptEvent::Start => self.start(),
            PromptEvent::Found(found) => {
                self.with_talk(|machine, talk| machine.found(talk, &found, check))
            }
            PromptEvent::Kept(gave_way) => {
                let notes = gave_way
                    .into_iter()
                    .map(|key| PromptNote::CacheEvict { key });
                self.notes.extend(notes);
                self.with_talk(|_, talk| talk.end())
            }
            PromptEvent::Waited => self.with_talk(|_, talk| talk.ask()),
            PromptEvent::Answered(answered) => match *answered {
                Ok(answer) => self.with_talk(|machine, talk| machine.answered(talk, answer, check)),
                Err(failure) => self.with_talk(|machine, talk| machine.failed(talk, &failure)),
            },
            PromptEvent::ToolsAnswered(outcomes) => {
                self.with_talk(|machine, talk| machine.tools_answered(talk, outcomes))
            }
        }
    }

    fn notes(&mut self) -> Vec<PromptNote> {
        std::mem::take(&mut self.notes)
    }
}

impl Machine {
    fn start(&mut self) -> PromptStep {
        // Read here and not kept: many calls may wait for their answers.
        let written = std::mem::take(&mut self.call.settings);
        let settings = Settings::read(&written);
        let built = settings.and_then(|settings| {
            let mut request =
                request::request(&mut self.call, &self.owner, &settings, &mut self.notes)?;
            let conversation = Conversation::take(&mut self.call);
            self.notes.extend(conversation.begin(&mut request));
            Ok((settings, request, conversation))
        });
        let (settings, request, conversation) = match built {
            Ok(built) => built,
            Err(message) => return PromptStep::Fail(outcome::misconfigured(&message)),
        };
        // From the request and the settings as written: whatever can change the answer is in one of both.
        let key = settings.cache.map(|_| {
            key::of_call(&key::Asked {
                request: &request,
                settings: &settings,
                written: &written,
                tools: tools::identities(&self.call.program, &settings.tools),
            })
        });
        self.talk = Some(Talk {
            detail: PromptDetail {
                model: request.model.clone(),
                cache_key: key.clone(),
                ..PromptDetail::default()
            },
            // Shared messages, so the copy is a list of pointers.
            conversation,
            exchange: None,
            settings,
            request: Arc::new(request),
            model: 0,
            reflections: 0,
            cost: Some(0.0),
            outcomes: Vec::new(),
            is_paused: false,
            has_begun_once: false,
            breaker: Breaker::default(),
            counted: Counted::default(),
            key,
            value: None,
        });
        // First without waiting: the run reports a wait, and has to see whether the prompt would wait for itself.
        self.with_talk(|machine, talk| match (&talk.key, machine.call.earlier) {
            (Some(key), Earlier::Taken) => talk.look_up(key.clone(), WhenBusy::Report),
            (Some(_), Earlier::Refused) | (None, _) => machine.ask(talk),
        })
    }

    /// What was kept is the value, if it still fits; else the program has another mind of what fits, and asks again.
    fn found(&mut self, talk: &mut Talk, found: &Found, check: &mut Check<'_>) -> PromptStep {
        let Some(key) = talk.key.clone() else {
            return self.ask(talk);
        };
        let kept = match found {
            Found::Busy => return talk.look_up(key, WhenBusy::Wait),
            // Checked again: the program's `where`s may have changed since it was kept.
            Found::Hit(text) => Kept::read(text, check),
            Found::Miss => None,
        };
        match kept {
            Some(kept) => {
                self.notes.push(PromptNote::CacheHit { key: key.clone() });
                let mut result = kept.into_result(key);
                let answer = Message::answer(text_of(&result.value));
                result.exchange = talk.conversation.kept_exchange(answer);
                PromptStep::Done(Box::new(result))
            }
            None => {
                self.notes.push(PromptNote::CacheMiss { key });
                self.ask(talk)
            }
        }
    }

    /// Asks with what the conversation is now, if it has to be without what was left out to make room.
    fn ask(&mut self, talk: &mut Talk) -> PromptStep {
        let program = &self.call.program;
        let request = Arc::make_mut(&mut talk.request);
        let cleared = clearing::clear(request, program, &talk.settings, talk.counted);
        self.notes.extend(cleared);
        talk.ask()
    }

    /// Runs a step that needs the talk, and releases it when the call ends.
    fn with_talk(&mut self, step: impl FnOnce(&mut Self, &mut Talk) -> PromptStep) -> PromptStep {
        let Some(mut talk) = self.talk.take() else {
            return PromptStep::Fail(outcome::misconfigured(
                "the prompt was stepped before its start or after its end",
            ));
        };
        let next = step(self, &mut talk);
        // Taken and put back, so that a step may use machine and talk at once.
        // After the end there is none, and a further step is an error instead of a second answer.
        if !matches!(next, PromptStep::Done(_) | PromptStep::Fail(_)) {
            self.talk = Some(talk);
        }
        next
    }

    fn failed(&mut self, talk: &mut Talk, failure: &ModelFailure) -> PromptStep {
        // A failed request costs nothing, so what follows it decides whether the whole is known.
        if talk.detail.attempts == 0 {
            talk.detail.cost_usd = Some(0.0);
        }
        talk.detail.attempts += failure.attempts;
        let next = talk.settings.model.get(talk.model + 1);
        // Only an outage justifies another model: a refusal or a wrong request would be the same there.
        let Some(next) = next.filter(|_| outcome::is_outage(failure)).cloned() else {
            return fail(outcome::of_failure(failure));
        };
        talk.model += 1;
        // For a model that is known to be down it was reported before.
        if failure.attempts > 0 && !talk.has_begun_once {
            let message = format!("`{}` failed: `{next}` is asked instead", talk.request.model);
            self.notes.push(PromptNote::Warning { message });
        }
        let request = Arc::make_mut(&mut talk.request);
        request.fallback = request::fallback(&talk.settings, talk.model);
        if std::mem::take(&mut talk.is_paused) {
            // Only the provider that paused its turn can continue it.
            request.messages.pop();
        }
        talk.counted = Counted::default();
        if talk.has_begun_once {
            let note = handover::hand_over(request, next);
            self.notes.push(note);
        } else {
            request.model = next;
            // From the prompt again, so that it is not led by what another model said; pure work is done again.
            let note = talk.conversation.begin(request);
            self.notes.extend(note);
        }
        self.ask(talk)
    }

    /// Keeps the value, if the call wants it kept, and ends.
    fn done(&mut self, talk: &mut Talk, value: Value) -> PromptStep {
        let (Some(key), Some(ttl)) = (talk.key.clone(), talk.settings.cache) else {
            let detail = talk.detail.clone();
            let exchange = talk.exchange.take();
            return PromptStep::Done(Box::new(PromptResult {
                value,
                detail,
                exchange,
            }));
        };
        let text = Kept::of(&value, &talk.detail).to_text();
        let tier = talk.tier();
        // Returned when it is kept and not before, so that a call after this one finds it.
        talk.value = Some(value);
        PromptStep::Keep(Box::new(NewAnswer {
            key,
            owner: self.owner.clone(),
            prompt: name_of(&self.call).to_owned(),
            model: talk.detail.model.clone(),
            text,
            tier,
            ttl,
        }))
    }
}

impl Talk {
    fn look_up(&self, key: String, when_busy: WhenBusy) -> PromptStep {
        PromptStep::LookUp {
            key,
            when_busy,
            tier: self.tier(),
        }
    }

    /// A simulated answer is not kept for other processes.
    fn tier(&self) -> Tier {
        let is_simulated =
            |model: &String| Provider::of(model).is_some_and(|(it, _)| it.is_simulated());
        match self.detail.simulated || self.settings.model.iter().any(is_simulated) {
            true => Tier::Memory,
            false => Tier::Disk,
        }
    }

    fn messages(&mut self) -> &mut Vec<Arc<Message>> {
        &mut Arc::make_mut(&mut self.request).messages
    }

    fn ask(&self) -> PromptStep {
        PromptStep::Ask(Arc::clone(&self.request))
    }

    fn end(&mut self) -> PromptStep {
        match self.value.take() {
            Some(value) => PromptStep::Done(Box::new(PromptResult {
                value,
                detail: self.detail.clone(),
                exchange: self.exchange.take(),
            })),
            None => fail(outcome::misconfigured(
                "an answer was kept before it was there",
            )),
        }
    }

    /// Counts what an answer cost.
    fn count(&mut self, answer: &ModelAnswer, prices: &Prices) {
        let detail = &mut self.detail;
        detail.model.clone_from(&self.request.model);
        detail.attempts += answer.attempts;
        detail.stop_reason.clone_from(&answer.stop_reason);
        detail.simulated |= answer.simulated;
        detail.first_token = answer.first_token_nanoseconds();
        if let Some(usage) = &answer.usage {
            detail.usage.add(usage);
        }
        self.counted = Counted {
            tokens: answer.usage.map_or(0, |it| it.total()),
            // With the answer itself, which comes next.
            messages: answer.usage.map_or(0, |_| self.request.messages.len() + 1),
        };
        let price = |usage| prices.cost(&self.request.model, usage);
        let cost = answer.usage.as_ref().and_then(price);
        // Requests that failed cost nothing, whichever model they asked; an answer of unknown cost makes the whole unknown.
        self.cost = self.cost.zip(cost).map(|(before, cost)| before + cost);
        detail.cost_usd = self.cost;
    }
}

/// A value as a model writes it.
fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn fail(failure: PromptFailure) -> PromptStep {
    PromptStep::Fail(failure)
}

#[cfg(test)]
mod tests;
