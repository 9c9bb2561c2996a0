//! From a compiled prompt call to a machine: settings are merged, examples and the schema are looked up.

use std::sync::Arc;

use gsw_abi::builtin::JSON;
use gsw_abi::call::NodeKind;
use gsw_abi::program::{FunctionIndex, ModelDefaults};
use gsw_abi::setting::{self, CallSettings, Setting};
use gsw_abi::types::{Type, TypeId};
use serde_json::{Map, Value};

use crate::budget::Limits;
use crate::event::{EventKind, ReflectionLevel};
use crate::model::PromptCall;
use crate::node::{NewNode, NodeId, Status};
use crate::run::prompt::observed::Observed;
use crate::run::prompt::{Gives, PromptNodes, PromptRun};
use crate::run::{Run, raise, words};
use crate::{codec, media};

/// What compiled code hands over; the words are owned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewPrompt {
    /// The type of what the program gets.
    pub result: TypeId,
    pub prompt: usize,
    /// A string, or 0.
    pub system: u64,
    /// A string, or a text with media in it.
    pub user: u64,
    pub arguments: u64,
    /// A `json` of [`CallSettings`], or 0.
    pub settings: u64,
    pub gives: Gives,
}

/// The settings of agent, prompt and call, later ones winning.
struct Merged {
    agent: Option<String>,
    settings: Map<String, Value>,
    system: Option<String>,
}

/// The limits of the call's own budget.
fn limits(settings: &mut Map<String, Value>) -> Option<Limits> {
    let Some(Value::Object(given)) = settings.shift_remove(Setting::Budget.name()) else {
        return None;
    };
    let number = |name| given.get(name).and_then(Value::as_f64);
    // What is below nothing is nothing.
    let count = |name| number(name).map(|it| it.max(0.0) as u64);
    Some(Limits {
        usd: number(setting::USD).map(|it| it.max(0.0)),
        tokens: count(setting::TOKENS),
        calls: count(setting::CALLS),
        time: number(setting::TIME).map(|it| (it * 1e9).max(0.0) as i64),
    })
}

/// What the project says of every call.
fn project_settings(defaults: &ModelDefaults) -> Map<String, Value> {
    let settings = defaults.settings.iter();
    let mut settings: Map<String, Value> = settings
        .filter_map(|(name, json)| Some((name.clone(), serde_json::from_str(json).ok()?)))
        .collect();
    if let Some(model) = &defaults.default {
        settings.insert(Setting::Model.name().into(), Value::String(model.clone()));
    }
    settings
}

/// Puts models in the place of their short names.
fn resolve(defaults: &ModelDefaults, models: &mut Value) {
    match models {
        Value::String(name) => *name = defaults.resolve(name).to_owned(),
        Value::Array(names) => names.iter_mut().for_each(|it| resolve(defaults, it)),
        // Whatever else was given is refused where the settings are read.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}

/// A string as it is, everything else as JSON.
fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Enters the prompt's node and makes its machine.
pub(super) fn begin(run: &mut Run, new: NewPrompt) -> Result<Box<PromptRun>, u64> {
    let system = words::take_text(&mut run.heap, new.system);
    let user = media::user_text(new.user);
    run.heap.release(new.user);
    let (input, hidden) = words::take_arguments(&mut run.heap, new.arguments);
    let mut given = CallSettings::from(words::take_settings(&mut run.heap, new.settings));
    let improving = given.improving.take();
    // After all words were taken over, so nothing leaks; before the node is entered, so nothing is reported.
    if let Some(error) = run.interruption() {
        return Err(error);
    }
    let loaded = Arc::clone(&run.loaded);
    let Some(declared) = loaded.program.prompts.get(new.prompt) else {
        return Err(raise::internal(
            &mut run.heap,
            &format!("there is no prompt {}", new.prompt),
        ));
    };
    let Some(prompts) = run.models.prompts() else {
        return Err(raise::failed(
            &mut run.heap,
            "no model can be asked: this host gave no models to the run",
        ));
    };
    let mut merged = merge_settings(run, declared.agent, given)?;
    let examples = match declared.examples {
        Some(function) => examples(run, function)?,
        None => Vec::new(),
    };
    let outer = run.scheduler.current_node();
    model_of_reflection(run, outer, &mut merged.settings);
    if let Some(model) = merged.settings.get(Setting::Model.name()) {
        run.reflection_log
            .note_model(run.progress.tree(), outer, model);
    }
    let node = enter_prompt(run, &declared.name, input);
    run.introspection.grant(node, &merged.settings);
    report_start(run, node, &merged);
    let round = report_improvement(run, node, improving.as_ref());
    // After the node is entered: the budget of a call belongs to the call's node and not to what is around it.
    let budget =
        limits(&mut merged.settings).map(|it| run.open_budget(run.scheduler.current(), it));
    let schema = schema_of(run, declared.result);
    let machine = prompts.begin(PromptCall {
        program: Arc::clone(&loaded.program),
        prompt: new.prompt,
        settings: merged.settings,
        system: with_guidance(run, outer, system.or(merged.system)),
        user: user.text,
        media: user.media,
        examples,
        schema,
        improving: improving.map(|it| text_of(&it["answer"])),
        prices: Arc::clone(run.models.prices()),
    });
    let observed = Observed::new(Arc::clone(&loaded), declared.result, hidden);
    let nodes = PromptNodes { own: node, outer };
    let mut prompt = PromptRun::new(machine, &new, declared.result, nodes, observed);
    prompt.round = round;
    prompt.budget = budget;
    prompt.asked_by = merged.agent.unwrap_or_else(|| declared.name.clone());
    Ok(Box::new(prompt))
}

fn enter_prompt(run: &mut Run, name: &str, input: Option<Arc<str>>) -> NodeId {
    let node = run.enter_node(NewNode {
        parent: run.scheduler.current_node(),
        kind: NodeKind::Prompt,
        name,
        index: None,
        status: Status::Running,
        input,
    });
    let current = run.scheduler.current();
    run.scheduler.task_mut(current).node = node;
    node
}

fn report_start(run: &mut Run, node: NodeId, merged: &Merged) {
    let model = merged.settings.get(Setting::Model.name()).map(text_of);
    let prompt = Arc::clone(run.progress.tree().name(node));
    let agent = merged.agent.clone();
    run.progress.emit(
        node,
        EventKind::PromptStart {
            agent,
            prompt,
            model,
        },
    );
}

fn merge_settings(
    run: &mut Run,
    declared: Option<u32>,
    given: CallSettings,
) -> Result<Merged, u64> {
    let CallSettings {
        prompt,
        call,
        agent: named,
        improving: _,
    } = given;
    let loaded = Arc::clone(&run.loaded);
    let agents = &loaded.program.agents;
    let agent = named.or(declared.map(|it| it as usize));
    let agent = agent.and_then(|index| agents.get(index));
    let defaults = &loaded.program.models;
    let mut settings = project_settings(defaults);
    if let Some(agent) = agent
        && let Value::Object(own) = json_of(run, agent.settings)?
    {
        settings.extend(own);
    }
    let system = match settings.shift_remove(Setting::System.name()) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    // Project, agent, prompt, call, each replacing what came before; `--model` last, since whoever starts the run decides.
    settings.extend(prompt);
    settings.extend(call);
    let model = Setting::Model.name();
    if let Some(given) = run.models.model_override() {
        settings.insert(model.into(), Value::String(given.to_owned()));
    }
    settings.entry(model).and_modify(|it| resolve(defaults, it));
    Ok(Merged {
        agent: agent.map(|it| it.name.clone()),
        settings,
        system,
    })
}

/// What a plain function without parameters gives, as JSON.
fn json_of(run: &mut Run, function: FunctionIndex) -> Result<Value, u64> {
    let word = run.call_plain(function.0, &[])?;
    let text = codec::encode(&run.heap, JSON, word);
    run.heap.release(word);
    Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
}

fn examples(run: &mut Run, function: FunctionIndex) -> Result<Vec<(String, String)>, u64> {
    let Value::Array(pairs) = json_of(run, function)? else {
        return Ok(Vec::new());
    };
    Ok(pairs
        .iter()
        .filter_map(|pair| Some((text_of(pair.get(0)?), text_of(pair.get(1)?))))
        .collect())
}

/// The schema that answers must fit; a plain `string` has none.
fn schema_of(run: &Run, answer: TypeId) -> Option<Arc<Value>> {
    let types = &run.loaded.types;
    if matches!(types.get(answer), Type::String) {
        return None;
    }
    Some(Arc::new(gsw_abi::schema::schema(types, answer)))
}

fn with_guidance(run: &Run, node: NodeId, system: Option<String>) -> Option<String> {
    let around = run.reflection_log.guidance(run.progress.tree(), node);
    let texts: Vec<&str> = system.as_deref().into_iter().chain(around).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Says that an earlier answer is looked at again; gives the number of the round.
fn report_improvement(run: &mut Run, node: NodeId, improving: Option<&Value>) -> Option<u32> {
    let round = improving?.get("round").and_then(Value::as_u64);
    let round = round.map_or(1, |it| u32::try_from(it).unwrap_or(u32::MAX));
    let level = ReflectionLevel::Prompt;
    // Nothing has failed: an answer that fits is to be better.
    let error = String::new();
    run.progress.emit(
        node,
        EventKind::ReflectionStart {
            level,
            round,
            error,
        },
    );
    Some(round)
}

/// A reflection that names no model is asked of the one that was asked inside of what failed.
fn model_of_reflection(run: &Run, outer: NodeId, settings: &mut Map<String, Value>) {
    let reflection = run.progress.tree().node(outer).parent;
    if reflection == NodeId::NONE
        || run.progress.tree().node(reflection).kind != NodeKind::Reflection
    {
        return;
    }
    let failed = run.progress.tree().node(reflection).parent;
    if let Some(model) = run.reflection_log.model(failed) {
        settings
            .entry(Setting::Model.name())
            .or_insert_with(|| model.clone());
    }
}
