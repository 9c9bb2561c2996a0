//! From a compiled prompt call to a machine: settings are merged, examples and the schema are looked up.

use std::sync::Arc;

use gsw_abi::builtin::{BuiltinError, JSON};
use gsw_abi::call::{AnswerPurpose, NodeKind};
use gsw_abi::program::{FunctionIndex, ModelDefaults, Prompt};
use gsw_abi::setting::{self, CallSettings, Setting, Turn};
use gsw_abi::types::TypeId;
use gsw_notation::json::written;
use serde_json::{Map, Value};

use crate::answers::Earlier;
use crate::budget::Limits;
use crate::codec;
use crate::event::{EventKind, ReflectionLevel};
use crate::load::Loaded;
use crate::model::{Example, PromptCall, Prompts, Said};
use crate::node::{NewNode, NodeId, Status};
use crate::operation::Delivery;
use crate::run::prompt::hooks::Hooks;
use crate::run::prompt::observed::Observed;
use crate::run::prompt::said::{self, Opening};
use crate::run::prompt::trust::{self, Beginning};
use crate::run::prompt::{Gives, InSession, PromptNodes, PromptRun, Scripted};
use crate::run::script::Offered;
use crate::run::sessions::replacing::{self, Last};
use crate::run::sessions::{self, Entered};
use crate::run::{Run, raise, skills, words};
use crate::scope::ScopeId;
use crate::value::{error, optional};

/// What compiled code hands over; the words are owned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewPrompt {
    /// The type of what the program gets.
    pub result: TypeId,
    pub prompt: usize,
    /// A string, or 0.
    pub system: u64,
    /// The messages, see [`Opening::take`].
    pub said: u64,
    pub arguments: u64,
    /// A `json` of [`CallSettings`], or 0.
    pub settings: u64,
    /// The session, which the current task holds, or 0.
    pub session: u64,
    pub gives: Gives,
    pub delivery: Delivery,
}

/// The settings of agent, prompt and call, later ones winning.
struct Merged {
    /// The agent's index.
    index: Option<usize>,
    agent: Option<String>,
    settings: Map<String, Value>,
    system: Systems,
}

impl Merged {
    fn has_tools(&self) -> bool {
        let tools = self.settings.get(Setting::Tools.name());
        tools
            .and_then(Value::as_array)
            .is_some_and(|it| !it.is_empty())
    }
}

/// The system texts of a call's settings: the nearest one is sent, and what the body of the prompt says is placed between
/// them.
#[derive(Default)]
struct Systems {
    agent: Option<String>,
    prompt: Option<String>,
    call: Option<String>,
}

impl Systems {
    /// What no argument has made.
    fn of_program(&self) -> Option<&str> {
        self.call.as_deref().or(self.agent.as_deref())
    }

    fn nearest(self, body: Option<String>) -> Option<String> {
        self.call.or(body).or(self.prompt).or(self.agent)
    }
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

/// The most tokens of an answer that the agent of a session sets, else the project: an optional int. Borrows the session.
pub(crate) fn limit_of(run: &mut Run, result: TypeId, session: u64) -> Result<u64, u64> {
    let loaded = Arc::clone(&run.loaded);
    let agent = loaded.program.agents.get(run.sessions.agent(session));
    let mut settings = project_settings(&loaded.program.models);
    if let Some(agent) = agent
        && let Value::Object(own) = json_of(run, agent.settings)?
    {
        settings.extend(own);
    }
    let limit = settings.get(Setting::MaxTokens.name());
    Ok(match limit.and_then(Value::as_i64) {
        Some(limit) => optional::some(&mut run.heap, result, limit as u64),
        None => 0,
    })
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

const NO_MODELS: &str = "no model can be asked: this host gave no models to the run";

/// Opens the budget that the settings give the call.
fn own_budget(run: &mut Run, settings: &mut Map<String, Value>) -> Option<ScopeId> {
    let limits = limits(settings)?;
    Some(run.open_budget(run.scheduler.current(), limits))
}

/// The hooks of a call that is about to say this, after this many messages before.
fn hooks_of(run: &Run, merged: &Merged, said: &[Said], earlier: usize) -> Hooks {
    let hooks = Hooks::of(run, &merged.settings, merged.agent.as_ref());
    hooks.about(said, earlier)
}

fn beginning<'a>(
    declared: &'a Prompt,
    merged: &'a Merged,
    system: Option<&'a str>,
    opening: &'a Opening,
) -> Beginning<'a> {
    let of_prompt = [system, merged.system.prompt.as_deref()];
    let said = opening.texts().chain(of_prompt.into_iter().flatten());
    Beginning::of(declared, merged.system.of_program(), said.collect())
}

/// Enters the prompt's node and makes its machine.
pub(super) fn begin(run: &mut Run, new: NewPrompt) -> Result<Box<PromptRun>, u64> {
    let system = words::take_text(&mut run.heap, new.system);
    let opening = Opening::take(&mut run.heap, new.said);
    let arguments = trust::arguments(run, new.arguments);
    let (input, mut hidden) = words::take_arguments(&mut run.heap, new.arguments);
    let mut given = CallSettings::from(words::take_settings(&mut run.heap, new.settings));
    let (improving, turn) = (given.improving.take(), given.turn);
    // After all words were taken over, so nothing leaks; before the node is entered, so nothing is reported.
    if let Some(error) = run.interruption() {
        return Err(error);
    }
    let loaded = Arc::clone(&run.loaded);
    let declared = admitted(run, &loaded, new.prompt)?;
    let Some(prompts) = run.models.prompts() else {
        return Err(raise::failed(&mut run.heap, NO_MODELS));
    };
    if !opening.asks() {
        return Err(said::asks_nothing(&mut run.heap, &declared.name));
    }
    let (last, revised) = replaced(run, &new, improving.as_ref(), turn)?;
    let (session, entered) = enter_session(run, new.session, last).unzip();
    let earlier = entered.as_ref().map_or(0, |it| it.seen);
    entered.iter().for_each(|it| hidden.join(&it.hidden));
    let mut merged = merge_settings(run, declared.agent, given)?;
    let beginning = beginning(declared, &merged, system.as_deref(), &opening);
    let added = added_by_a_model(run, improving.as_ref());
    let before = entered.as_ref().map(|it| &it.origins);
    let origins = arguments.map(|it| beginning.after(before, added, &it));
    let examples = examples(run, declared.examples)?;
    let scripted = scripted(run, prompts.as_ref(), &mut merged);
    let nodes = enter(run, declared, &mut merged, session, input);
    let round = report_improvement(run, nodes.own, improving.as_ref());
    // After the node is entered: the budget of a call belongs to the call's node and not to what is around it.
    let budget = own_budget(run, &mut merged.settings);
    let hooks = hooks_of(run, &merged, &opening.messages, earlier);
    let has_tools = merged.has_tools();
    let system = merged.system.nearest(system.or(opening.system));
    let machine = prompts.begin(PromptCall {
        program: Arc::clone(&loaded.program),
        prompt: new.prompt,
        settings: merged.settings,
        system: with_guidance(run, nodes.outer, system),
        said: opening.messages,
        examples,
        history: entered.map(|it| it.history),
        schema: run.models.schema(&loaded.types, declared.result),
        improving: improving.map(|it| text_of(&it["answer"])),
        earlier: takes_kept(run, nodes.outer, turn),
        prices: Arc::clone(run.models.prices()),
    });
    let observed = Observed::new(Arc::clone(&loaded), declared.result, hidden, earlier);
    Ok(Box::new(PromptRun {
        round,
        budget,
        hooks,
        asked_by: merged.agent.unwrap_or_else(|| declared.name.clone()),
        scripted,
        session,
        revises: revised,
        origins,
        has_tools,
        ..PromptRun::new(machine, &new, declared.result, nodes, observed)
    }))
}

/// Enters the node of a call.
fn enter(
    run: &mut Run,
    declared: &Prompt,
    merged: &mut Merged,
    session: Option<InSession>,
    input: Option<Arc<str>>,
) -> PromptNodes {
    let outer = run.scheduler.current_node();
    choose_model(run, outer, &mut merged.settings);
    let own = enter_prompt(run, &declared.name, input);
    report_start(run, own, merged, session);
    grant(run, own, &merged.settings);
    PromptNodes { own, outer }
}

/// The prompt, unless models ask each other without end.
fn admitted<'a>(run: &mut Run, loaded: &'a Loaded, prompt: usize) -> Result<&'a Prompt, u64> {
    let Some(declared) = loaded.program.prompts.get(prompt) else {
        let message = format!("there is no prompt {prompt}");
        return Err(raise::internal(&mut run.heap, &message));
    };
    let node = run.scheduler.current_node();
    match run.nesting.admit(run.progress.tree(), node) {
        Ok(()) => Ok(declared),
        Err(why) => {
            let message = format!("`{}` is not asked: {why}", declared.name);
            Err(raise::failed(&mut run.heap, &message))
        }
    }
}

/// What a model has a part in of what this call begins with, besides its arguments.
fn added_by_a_model(run: &Run, improving: Option<&Value>) -> Option<&'static str> {
    let node = run.scheduler.current_node();
    let guidance = run.reflection_log.guidance(run.progress.tree(), node);
    match (improving, guidance.is_empty()) {
        (Some(_), _) => Some("an earlier answer"),
        (None, false) => Some("what a reflection has advised"),
        (None, true) => None,
    }
}

/// What refused an answer is not given it again.
fn takes_kept(run: &Run, outer: NodeId, turn: Turn) -> Earlier {
    match turn {
        Turn::Revised => Earlier::Refused,
        Turn::New => run.reflection_log.earlier(run.progress.tree(), outer),
    }
}

/// The model of the call, which is remembered for a judge that has none.
fn choose_model(run: &mut Run, outer: NodeId, settings: &mut Map<String, Value>) {
    model_of_reflection(run, outer, settings);
    if let Some(model) = settings.get(Setting::Model.name()) {
        run.reflection_log
            .note_model(run.progress.tree(), outer, model);
    }
}

/// The exchange of the session that gives way to this one, and the prompt that `revise` replaces: that of the exchange, else the last
/// one of the step around. There must be something to replace.
fn replaced(
    run: &mut Run,
    new: &NewPrompt,
    improving: Option<&Value>,
    turn: Turn,
) -> Result<(Last, Option<NodeId>), u64> {
    let purpose = match (improving, turn) {
        (Some(_), _) => AnswerPurpose::Better,
        (None, Turn::New) => AnswerPurpose::Next,
        (None, Turn::Revised) => AnswerPurpose::Revision,
    };
    let found = match new.session {
        0 => last_in_step(run, turn).map(|revised| (Last::Kept, revised)),
        session => replacing::last(run, session, new.prompt, purpose).map(|last| {
            let replaced = replacing::prompt_of(run, session, last);
            (last, replaced.filter(|_| turn == Turn::Revised))
        }),
    };
    found.map_err(|why| error::with_text(&mut run.heap, BuiltinError::AssertionFailed, why))
}

/// The prompt that `revise` replaces where there is no session.
fn last_in_step(run: &Run, turn: Turn) -> Result<Option<NodeId>, &'static str> {
    let tree = run.progress.tree();
    let around = match turn {
        Turn::New => return Ok(None),
        Turn::Revised => tree.shown(run.scheduler.current_node()),
    };
    let last = around.and_then(|it| tree.last_prompt(it));
    last.map(Some).ok_or("`revise` replaces the answer of the last prompt in the same step or body, and there is none yet")
}

/// The conversation of the session of a call, where it has one.
fn enter_session(run: &Run, word: u64, last: Last) -> Option<(InSession, Entered)> {
    if word == 0 {
        return None;
    }
    let entered = sessions::entered(run, word, last);
    let weight = entered.weight;
    Some((InSession { word, last, weight }, entered))
}

/// What a test has scripted for the agent's model, which then needs no model to be named.
fn scripted(run: &Run, prompts: &dyn Prompts, merged: &mut Merged) -> Option<Scripted> {
    let agent = u32::try_from(merged.index?).ok()?;
    if !run.mocks.has_script(agent) {
        return None;
    }
    if let Some(model) = prompts.offline_model() {
        let settings = &mut merged.settings;
        settings
            .entry(Setting::Model.name())
            .or_insert_with(|| model.into());
    }
    let offered = Offered::of(&merged.settings);
    Some(Scripted { agent, offered })
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

fn report_start(run: &mut Run, node: NodeId, merged: &Merged, session: Option<InSession>) {
    let session = session.map(|it| sessions::place(run, it.word, it.last));
    let model = merged.settings.get(Setting::Model.name()).map(text_of);
    let prompt = Arc::clone(run.progress.tree().name(node));
    let agent = merged.agent.clone();
    run.progress.emit(
        node,
        EventKind::PromptStart {
            agent,
            prompt,
            model,
            session,
        },
    );
}

/// What the model, and the tools that it calls, may see and start.
fn grant(run: &mut Run, node: NodeId, settings: &Map<String, Value>) {
    run.introspection.grant(node, settings);
    skills::offer(run, node, settings);
    run.environments.grant(node, settings);
}

fn merge_settings(
    run: &mut Run,
    declared: Option<u32>,
    given: CallSettings,
) -> Result<Merged, u64> {
    let CallSettings {
        mut prompt,
        mut call,
        agent: named,
        improving: _,
        turn: _,
    } = given;
    let loaded = Arc::clone(&run.loaded);
    let agents = &loaded.program.agents;
    let index = named.or(declared.map(|it| it as usize));
    let agent = index.and_then(|index| agents.get(index));
    let defaults = &loaded.program.models;
    let mut settings = project_settings(defaults);
    if let Some(agent) = agent
        && let Value::Object(own) = json_of(run, agent.settings)?
    {
        settings.extend(own);
    }
    let system = Systems {
        agent: take_system(&mut settings),
        prompt: take_system(&mut prompt),
        call: take_system(&mut call),
    };
    // Project, agent, prompt, call, each replacing what came before; `--model` last, since the starter of the run decides.
    settings.extend(prompt);
    settings.extend(call);
    let model = Setting::Model.name();
    if let Some(given) = run.models.model_override() {
        settings.insert(model.into(), Value::String(given.to_owned()));
    }
    settings.entry(model).and_modify(|it| resolve(defaults, it));
    skills::give_tools(&loaded.program, &mut settings);
    Ok(Merged {
        index,
        agent: agent.map(|it| it.name.clone()),
        settings,
        system,
    })
}

fn take_system(settings: &mut Map<String, Value>) -> Option<String> {
    match settings.shift_remove(Setting::System.name()) {
        Some(Value::String(text)) => Some(text),
        // Of another form than the checker lets through.
        Some(_) | None => None,
    }
}

/// What a plain function without parameters gives, as JSON.
fn json_of(run: &mut Run, function: FunctionIndex) -> Result<Value, u64> {
    let word = run.call_plain(function.0, &[])?;
    let text = codec::encode(&run.heap, JSON, word);
    run.heap.release(word);
    written(&text).map_err(|issue| {
        let message = format!("a value of the agent cannot be read: {}", issue.message);
        raise::failed(&mut run.heap, &message)
    })
}

fn examples(run: &mut Run, function: Option<FunctionIndex>) -> Result<Vec<Example>, u64> {
    let Some(function) = function else {
        return Ok(Vec::new());
    };
    let Value::Array(pairs) = json_of(run, function)? else {
        return Ok(Vec::new());
    };
    Ok(pairs
        .iter()
        .filter_map(|pair| {
            Some(Example {
                said: Opening::of_json(pair.get(0)?).messages,
                answer: text_of(pair.get(1)?),
            })
        })
        .collect())
}

fn with_guidance(run: &Run, node: NodeId, system: Option<String>) -> Option<String> {
    let around = run.reflection_log.guidance(run.progress.tree(), node);
    let texts: Vec<&str> = system.as_deref().into_iter().chain(around).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Reports that an earlier answer is revised; returns the number of the round.
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
