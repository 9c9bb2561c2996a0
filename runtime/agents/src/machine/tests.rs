//! A machine is stepped by hand: what it asks for, and what becomes of it.

use std::sync::Arc;
use std::time::Duration;

use gsw_abi::builtin::{self, BuiltinError};
use gsw_abi::program::{Asks, FunctionIndex, Program, Prompt, Repeat, Tool, ToolBody, ToolSchema};
use gsw_abi::types::{Field, Secrecy, Trust};
use gsw_driver::answers::Answers;
use gsw_driver::call::Call;
use gsw_engine::answers::{Earlier, Found, LookUp, Tier, WhenBusy};
use gsw_engine::model::{
    Content, Example, FailureKind, ModelAnswer, ModelFailure, ModelRequest, PromptCall,
    PromptEvent, PromptFailure, PromptMachine, PromptNote, PromptResult, PromptStep, Prompts, Role,
    Said, StopReason, ToolCall, ToolOutcome,
};
use gsw_engine::prices::Prices;
use gsw_notation::issue::Issue;
use gsw_tree::usage::Usage;
use serde_json::{Value, json};

use super::AgentPrompts;
use crate::cache::Cache;
use crate::catalogue::Catalogue;

fn program() -> Program {
    let path = Field {
        name: "path".into(),
        wire: "path".into(),
        docs: Some("Which file.".into()),
        ty: builtin::STRING,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    };
    let look = Tool {
        name: "look".into(),
        module: "files".into(),
        docs: Some("Looks into a file.".into()),
        parameters: vec![path],
        result: builtin::STRING,
        gives: gsw_abi::types::Trust::Any,
        repeat: Repeat::Reads,
        body: ToolBody::Program,
        function: FunctionIndex(0),
        schema: ToolSchema::default(),
    };
    let count = Prompt {
        name: "review.count".into(),
        docs: None,
        parameters: Vec::new(),
        result: builtin::INT,
        agent: None,
        examples: None,
        says: Trust::Any,
        asks: Asks::Model,
    };
    Program {
        prompts: vec![count],
        tools: vec![look],
        ..Program::empty("test", builtin::type_table())
    }
}

fn call(settings: Value) -> PromptCall {
    let Value::Object(settings) = settings else {
        panic!("settings are an object")
    };
    PromptCall {
        program: Arc::new(program()),
        prompt: 0,
        settings,
        system: Some("Count.".into()),
        said: vec![Said::user("How many?")],
        examples: vec![Example {
            said: vec![Said::user("One?")],
            answer: "1".into(),
        }],
        schema: Some(Arc::new(json!({"type": "integer"}))),
        history: None,
        improving: None,
        earlier: Earlier::Taken,
        prices: Arc::new(Prices(Catalogue::built_in().prices())),
    }
}

/// Accepts even numbers.
fn even(value: &Value) -> Result<(), Vec<Issue>> {
    if value.as_i64().is_some_and(|it| it % 2 == 0) {
        return Ok(());
    }
    let (path, expected) = ("$".into(), "an even number".into());
    Err(vec![Issue::new(path, expected, value.to_string())])
}

fn step(machine: &mut Box<dyn PromptMachine>, event: PromptEvent) -> PromptStep {
    machine.step(event, &mut even)
}

fn start(prompts: &AgentPrompts, settings: Value) -> (Box<dyn PromptMachine>, PromptStep) {
    let mut machine = prompts.begin(call(settings));
    let first = step(&mut machine, PromptEvent::Start);
    (machine, first)
}

fn answered(text: &str) -> PromptEvent {
    let text = Content::Text { text: text.into() };
    PromptEvent::Answered(Box::new(Ok(answer(vec![text], StopReason::End))))
}

fn answer(content: Vec<Content>, stop: StopReason) -> ModelAnswer {
    ModelAnswer {
        content,
        stop,
        stop_reason: "end_turn".into(),
        model: "m".into(),
        request_id: None,
        usage: Some(Usage {
            input_tokens: 1_000_000,
            output_tokens: 0,
            ..Usage::default()
        }),
        attempts: 1,
        simulated: false,
        first_token: None,
        circuit: None,
    }
}

fn failed(kind: FailureKind, status: Option<u16>) -> PromptEvent {
    PromptEvent::Answered(Box::new(Err(ModelFailure {
        status,
        retry_after: Some(Duration::from_millis(1500)),
        attempts: 3,
        ..ModelFailure::new(kind, "no luck".into())
    })))
}

fn asked(step: PromptStep) -> ModelRequest {
    let PromptStep::Ask(request) = step else {
        panic!("{step:?}");
    };
    Arc::unwrap_or_clone(request)
}

fn done(step: PromptStep) -> PromptResult {
    let PromptStep::Done(result) = step else {
        panic!("{step:?}");
    };
    *result
}

fn raised(step: PromptStep) -> PromptFailure {
    let PromptStep::Fail(failure) = step else {
        panic!("{step:?}");
    };
    failure
}

#[test]
fn a_call_becomes_a_request_and_its_answer_a_value() {
    let prompts = AgentPrompts;
    let (mut machine, first) = start(&prompts, json!({"max_tokens": 9}));
    let request = asked(first);
    assert_eq!(request.model, "anthropic/claude-sonnet-5-5");
    assert_eq!(
        (request.schema_name.as_str(), request.max_tokens),
        ("count", 9)
    );
    let roles: Vec<Role> = request.messages.iter().map(|it| it.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
    let result = done(step(&mut machine, answered("42")));
    assert_eq!(result.value, json!(42));
    let detail = result.detail;
    assert_eq!(
        (detail.attempts, detail.cached, detail.cost_usd),
        (1, false, Some(2.0))
    );
    assert!(detail.repairs.is_empty() && detail.cache_key.is_none());
}

#[test]
fn a_wrong_answer_is_shown_back_as_often_as_is_said() {
    let prompts = AgentPrompts;
    let (mut machine, _) = start(&prompts, json!({"reflect": 2}));
    let second = asked(step(&mut machine, answered("41")));
    assert_eq!(second.messages.len(), 5);
    let Content::Text { text } = &second.messages[4].content[0] else {
        panic!("text")
    };
    assert!(text.contains("expected an even number, found 41"), "{text}");
    asked(step(&mut machine, answered("no idea")));
    let failure = raised(step(&mut machine, answered("43")));
    assert_eq!(failure.error, BuiltinError::InvalidResponse);
    assert_eq!(failure.fields["issues"][0]["found"], "43");
    let reflections: Vec<_> = machine
        .notes()
        .into_iter()
        .filter(|it| !matches!(it, PromptNote::InvalidResponse { .. }))
        .collect();
    let begun = |attempt| PromptNote::ReflectionStart { attempt, max: 2 };
    let ended = PromptNote::ReflectionEnd { success: false };
    assert_eq!(reflections, [begun(1), ended.clone(), begun(2), ended]);

    let (mut machine, _) = start(&prompts, json!({"reflect": 1}));
    asked(step(&mut machine, answered("")));
    let result = done(step(&mut machine, answered("```json\n\"44\"\n```")));
    assert_eq!((result.value, result.detail.attempts), (json!(44), 2));
    assert_eq!(result.detail.repairs.len(), 2);
    assert_eq!(result.detail.cost_usd, Some(4.0));
}

#[test]
fn ends_without_an_answer_are_errors_of_their_own() {
    let prompts = AgentPrompts;
    for (stop, error) in [
        (StopReason::MaxTokens, BuiltinError::MaxTokens),
        (StopReason::ContextFull, BuiltinError::ContextTooLong),
        (StopReason::Refusal("no".into()), BuiltinError::Refused),
    ] {
        let (mut machine, _) = start(&prompts, json!({"reflect": 3}));
        let content = vec![Content::Text { text: "42".into() }];
        let event = PromptEvent::Answered(Box::new(Ok(answer(content, stop))));
        assert_eq!(raised(step(&mut machine, event)).error, error);
    }
    for (kind, error, fields) in [
        (
            FailureKind::RateLimited,
            BuiltinError::RateLimited,
            json!({"retry_after": 1.5}),
        ),
        (FailureKind::Overloaded, BuiltinError::Overloaded, json!({})),
        (
            FailureKind::Unauthorized,
            BuiltinError::Unauthorized,
            json!({"message": "no luck"}),
        ),
        (
            FailureKind::QuotaExceeded,
            BuiltinError::QuotaExceeded,
            json!({"message": "no luck"}),
        ),
        (
            FailureKind::ContextTooLong,
            BuiltinError::ContextTooLong,
            json!({"tokens": null, "limit": null}),
        ),
        (
            FailureKind::Provider,
            BuiltinError::ProviderError,
            json!({"status": 500, "message": "no luck"}),
        ),
        (
            FailureKind::PermissionDenied,
            BuiltinError::PermissionDenied,
            json!({"what": "no luck"}),
        ),
    ] {
        let (mut machine, _) = start(&prompts, json!({"reflect": 3}));
        let failure = raised(step(&mut machine, failed(kind, Some(500))));
        assert_eq!((failure.error, failure.fields), (error, fields));
    }
}

#[test]
fn wrong_settings_raise_before_anything_is_asked() {
    let prompts = AgentPrompts;
    for (settings, part) in [
        (json!({"modell": "sim/a"}), "no setting `modell`"),
        (json!({"model": "gpt"}), "`gpt`"),
        (
            json!({"model": ["sim/a", "mistral/b"]}),
            "unknown provider `mistral`",
        ),
    ] {
        let (_, first) = start(&prompts, settings);
        let failure = raised(first);
        assert_eq!(failure.error, BuiltinError::ProviderError);
        assert!(
            failure.fields["message"]
                .as_str()
                .expect("text")
                .contains(part)
        );
    }
    let (mut machine, _) = start(&prompts, json!({"temperature": 0.1}));
    assert!(
        matches!(&machine.notes()[..], [PromptNote::Warning { message }] if message.contains("temperature"))
    );
}

#[test]
fn the_next_model_is_asked_when_one_is_out() {
    let prompts = AgentPrompts;
    let models = json!({"model": ["anthropic/a", "openai/b", "sim/c"], "reflect": 1});
    let (mut machine, first) = start(&prompts, models.clone());
    assert_eq!(asked(first).model, "anthropic/a");
    asked(step(&mut machine, answered("41")));
    let next = asked(step(
        &mut machine,
        failed(FailureKind::Overloaded, Some(529)),
    ));
    // Another model does not see what the first one answered.
    assert_eq!((next.model.as_str(), next.messages.len()), ("openai/b", 3));
    let next = asked(step(&mut machine, failed(FailureKind::Provider, None)));
    assert_eq!(next.model, "sim/c");
    let failure = raised(step(
        &mut machine,
        failed(FailureKind::RateLimited, Some(429)),
    ));
    assert_eq!(failure.error, BuiltinError::RateLimited);

    let (mut machine, _) = start(&prompts, models);
    let failure = raised(step(
        &mut machine,
        failed(FailureKind::Unauthorized, Some(401)),
    ));
    assert_eq!(failure.error, BuiltinError::Unauthorized);
}

#[test]
fn what_an_answer_costs_is_known_after_another_model_failed() {
    let models = json!({"model": ["openai/b", "anthropic/claude-sonnet-5-5"], "reflect": 1});
    let (mut machine, _) = start(&AgentPrompts, models);
    asked(step(&mut machine, failed(FailureKind::Provider, None)));
    asked(step(&mut machine, answered("no number")));
    let result = done(step(&mut machine, answered("44")));
    assert_eq!(result.detail.cost_usd, Some(4.0));
    assert_eq!(result.detail.attempts, 5);
    // One answer of unknown cost makes the whole unknown, whatever comes after it.
    let (mut machine, _) = start(&AgentPrompts, json!({"reflect": 1}));
    let mut silent = answer(Vec::new(), StopReason::End);
    silent.usage = None;
    asked(step(
        &mut machine,
        PromptEvent::Answered(Box::new(Ok(silent))),
    ));
    let result = done(step(&mut machine, answered("44")));
    assert_eq!(result.detail.cost_usd, None);
}

#[test]
fn a_turn_that_the_provider_paused_goes_on_as_it_is() {
    let text = |text: &str| Content::Text { text: text.into() };
    let search = Content::Opaque {
        block: json!({"type": "server_tool_use", "id": "s1"}),
    };
    let paused = |content| PromptEvent::Answered(Box::new(Ok(answer(content, StopReason::Paused))));
    let (mut machine, first) = start(&AgentPrompts, json!({"max_turns": 2}));
    let first = asked(first).messages.len();
    let second = asked(step(&mut machine, paused(vec![text("4"), search.clone()])));
    assert_eq!(second.messages.len(), first + 1);
    assert_eq!(second.messages[first].content, [text("4"), search.clone()]);
    let third = asked(step(&mut machine, paused(vec![search])));
    // Both pieces are one turn: no two messages of the model follow each other.
    assert_eq!(third.messages.len(), first + 1);
    let result = done(step(&mut machine, answered("2")));
    assert_eq!(result.value, json!(42));

    let (mut machine, _) = start(&AgentPrompts, json!({"max_turns": 1}));
    asked(step(&mut machine, paused(vec![text("4")])));
    let failure = raised(step(&mut machine, paused(vec![text("2")])));
    assert!(failure.fields["message"].to_string().contains("max_turns"));
}

/// Performs what a step wants of the answers that are kept, but for a wait.
fn kept(
    machine: &mut Box<dyn PromptMachine>,
    mut next: PromptStep,
    cache: &Cache,
    at: u64,
) -> PromptStep {
    let at = Duration::from_secs(at);
    loop {
        let event = match next {
            PromptStep::LookUp {
                key,
                when_busy: WhenBusy::Report,
                tier,
            } => {
                let what = LookUp {
                    key,
                    at,
                    tier,
                    around: Vec::new(),
                };
                PromptEvent::Found(cache.look_up(&what, &Call::alone()))
            }
            PromptStep::Keep(new) => {
                let tier = new.tier;
                let answer = new.kept(tier, at);
                PromptEvent::Kept(cache.keep(answer, &Call::alone()))
            }
            other @ (PromptStep::LookUp {
                when_busy: WhenBusy::Wait,
                ..
            }
            | PromptStep::Ask(_)
            | PromptStep::Wait(_)
            | PromptStep::CallTools(_)
            | PromptStep::Done(_)
            | PromptStep::Fail(_)) => return other,
        };
        next = step(machine, event);
    }
}

#[test]
fn an_answer_is_kept_and_checked_again() {
    let (prompts, cache) = (AgentPrompts, Cache::default());
    let settings = json!({"cache": {"ttl": 60}});
    let (mut machine, first) = start(&prompts, settings.clone());
    asked(kept(&mut machine, first, &cache, 1_000));
    let answer = step(&mut machine, answered("42"));
    let first = done(kept(&mut machine, answer, &cache, 1_000));
    let key = first.detail.cache_key.expect("a key");
    assert_eq!(
        machine.notes(),
        [PromptNote::CacheMiss { key: key.clone() }]
    );
    let (mut machine, first) = start(&prompts, settings.clone());
    let second = done(kept(&mut machine, first, &cache, 1_000));
    assert_eq!(
        (second.value, second.detail.cached, second.detail.attempts),
        (json!(42), true, 0)
    );
    assert_eq!(
        (second.detail.cost_usd, second.detail.usage),
        (Some(0.0), Usage::default())
    );
    assert_eq!(machine.notes(), [PromptNote::CacheHit { key: key.clone() }]);

    let (mut machine, first) = start(&prompts, settings.clone());
    asked(kept(&mut machine, first, &cache, 1_061));

    // What does not fit any more is asked for again, and what comes takes its place.
    cache.let_go("", &key);
    cache.set(&key, "", &kept_text("41"), Duration::MAX, Duration::ZERO);
    let (mut machine, first) = start(&prompts, settings);
    asked(kept(&mut machine, first, &cache, 1_061));
    let answer = step(&mut machine, answered("44"));
    assert_eq!(
        done(kept(&mut machine, answer, &cache, 1_061)).value,
        json!(44)
    );
    // A call without the cache neither reads nor writes.
    let (_, first) = start(&prompts, json!({"cache": false}));
    asked(first);
}

fn kept_text(value: &str) -> String {
    format!(
        "{{\"value\": {value}, \"model\": \"m\", \"stop_reason\": \"\", \"repairs\": [], \"simulated\": false}}"
    )
}

#[test]
fn equal_calls_make_one_request_and_failures_are_not_kept() {
    let (prompts, cache) = (AgentPrompts, Cache::default());
    let begin = || {
        let (mut machine, first) = start(&prompts, json!({"cache": true}));
        let first = kept(&mut machine, first, &cache, 1_000);
        (machine, first)
    };
    let (mut first, one) = begin();
    asked(one);
    let mut others: Vec<_> = (0..9).map(|_| begin()).collect();
    let mut key = String::new();
    for (_, waiting) in &others {
        let PromptStep::LookUp {
            key: it,
            when_busy: WhenBusy::Wait,
            tier: _,
        } = waiting
        else {
            panic!("{waiting:?}")
        };
        key.clone_from(it);
    }
    let what = || LookUp {
        key: key.clone(),
        at: Duration::from_secs(1_000),
        tier: Tier::Disk,
        around: Vec::new(),
    };
    let look = || PromptEvent::Found(cache.look_up(&what(), &Call::alone()));
    raised(step(&mut first, failed(FailureKind::Overloaded, None)));
    cache.let_go("", &key);
    // The next in line asks, the rest keep waiting.
    let (mut second, _) = others.remove(0);
    asked(step(&mut second, look()));
    assert_eq!(cache.look_up(&what(), &Call::alone()), Found::Busy);
    let answer = step(&mut second, answered("42"));
    done(kept(&mut second, answer, &cache, 1_000));
    for (other, _) in &mut others {
        assert!(done(step(other, look())).detail.cached);
    }
}

#[test]
fn tools_are_called_and_their_results_sent_back() {
    let prompts = AgentPrompts;
    let settings = json!({"tools": [{"tool": 0}, {"tool": 0, "name": "peek"}], "max_turns": 2});
    let (mut machine, first) = start(&prompts, settings);
    let request = asked(first);
    let names: Vec<&str> = request.tools.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["look", "peek"]);
    assert_eq!(
        request.tools[0].input_schema["properties"]["path"]["description"],
        "Which file."
    );
    let wanted = |id: &str, name: &str| Content::ToolUse {
        id: id.into(),
        name: name.into(),
        input: json!({"path": "a"}).into(),
        flaw: None,
    };
    let turn = || {
        let content = vec![wanted("1", "delete"), wanted("2", "look")];
        PromptEvent::Answered(Box::new(Ok(answer(content, StopReason::ToolUse))))
    };
    let PromptStep::CallTools(calls) = step(&mut machine, turn()) else {
        panic!("a call")
    };
    // Only what is offered can be called.
    assert_eq!(
        calls,
        [ToolCall {
            id: "2".into(),
            tool: 0,
            name: "look".into(),
            input: json!({"path": "a"})
        }]
    );
    let outcome = || {
        vec![ToolOutcome {
            id: "2".into(),
            content: "text".into(),
            ..ToolOutcome::default()
        }]
    };
    let next = asked(step(&mut machine, PromptEvent::ToolsAnswered(outcome())));
    let results = &next.messages.last().expect("a message").content;
    assert!(matches!(&results[0], Content::ToolResult { id, is_error: true, .. } if id == "1"));
    assert!(
        matches!(&results[1], Content::ToolResult { id, content, .. } if id == "2" && content == "text")
    );
    step(&mut machine, turn());
    step(&mut machine, PromptEvent::ToolsAnswered(outcome()));
    let failure = raised(step(&mut machine, turn()));
    assert!(
        failure.fields["message"]
            .as_str()
            .expect("text")
            .contains("2 turns")
    );
}

#[test]
fn the_simulator_tries_a_check_that_no_schema_expresses() {
    let prompts = AgentPrompts;
    let ask = |check: &mut dyn FnMut(&Value) -> Result<(), Vec<Issue>>| {
        let (mut machine, first) = start(&prompts, json!({"model": "sim/default", "reflect": 3}));
        let request = asked(first);
        let text = crate::providers::sim::answer(&request, 0);
        let mut simulated = answer(vec![Content::Text { text }], StopReason::End);
        simulated.simulated = true;
        machine.step(PromptEvent::Answered(Box::new(Ok(simulated))), check)
    };
    let mut tries = 0;
    let fits = done(ask(&mut |it| {
        tries += 1;
        if tries > 1 { even(it) } else { Err(Vec::new()) }
    }));
    assert!(fits.detail.simulated && fits.value.as_i64().is_some_and(|it| it % 2 == 0));
    let mut count = 0;
    let failure = raised(ask(&mut |it| {
        count += 1;
        even(&json!(it.as_i64().unwrap_or(0) * 2 + 1))
    }));
    assert_eq!((failure.error, count), (BuiltinError::InvalidResponse, 100));
}
