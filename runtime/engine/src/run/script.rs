//! A test's script for an agent's model: turns, of which each request takes the next.

use std::collections::VecDeque;
use std::time::Duration;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::program::{Program, Tool, wire_name};
use gsw_abi::setting::Setting;
use gsw_abi::types::KIND;
use gsw_tree::usage::Usage;
use serde_json::{Map, Value};

use crate::model::{
    Again, Content, FailureKind, ModelAnswer, ModelFailure, ModelRequest, Oversize, StopReason,
};

/// The backoff after a failure that may pass; about that of providers.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// A provider that asks to wait longer is not waited for, as outside of tests.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// The turns that are still to come.
#[derive(Debug)]
pub(crate) struct Script {
    agent: String,
    turns: VecDeque<ScriptedTurn>,
    taken: usize,
}

/// One turn of the model.
#[derive(Debug)]
enum ScriptedTurn {
    Calls(Vec<ScriptedCall>),
    Answer(Value),
    Fail(Value),
}

#[derive(Debug)]
struct ScriptedCall {
    /// The tool's index in the program.
    tool: usize,
    input: Value,
}

/// What an agent's model is offered: the tools' indices with their names on the wire.
#[derive(Debug, Default)]
pub(crate) struct Offered(Vec<(usize, Option<String>)>);

impl Offered {
    pub(crate) fn of(settings: &Map<String, Value>) -> Self {
        let listed = settings
            .get(Setting::Tools.name())
            .and_then(Value::as_array);
        let offered = listed.into_iter().flatten().filter_map(|it| {
            let tool = usize::try_from(it.get("tool")?.as_u64()?).ok()?;
            let name = it.get("name").and_then(Value::as_str);
            Some((tool, name.map(str::to_owned)))
        });
        Self(offered.collect())
    }

    /// What the model of this request knows the tool by.
    fn name(&self, tool: usize, declared: &Tool, request: &ModelRequest) -> Option<String> {
        let (_, renamed) = self.0.iter().find(|it| it.0 == tool)?;
        let own = renamed.clone().unwrap_or_else(|| wire_name(&declared.name));
        // Two tools of one name are distinguished by their modules.
        let qualified = wire_name(&format!("{}.{}", declared.module, declared.name));
        let is_offered = |name: &String| request.tools.iter().any(|it| it.name == *name);
        [own, qualified].into_iter().find(is_offered)
    }
}

impl Script {
    /// The turns that compiled code hands over as `json`.
    pub(crate) fn new(agent: String, turns: &Value) -> Self {
        let turns = turns.as_array().into_iter().flatten();
        let turns = turns.map(|turn| {
            let calls = turn.get("calls").and_then(Value::as_array);
            match (calls, turn.get("fail")) {
                (Some(calls), _) => {
                    ScriptedTurn::Calls(calls.iter().map(ScriptedCall::of).collect())
                }
                (None, Some(error)) => ScriptedTurn::Fail(error.clone()),
                (None, None) => {
                    ScriptedTurn::Answer(turn.get("answer").cloned().unwrap_or_default())
                }
            }
        });
        Self {
            agent,
            turns: turns.collect(),
            taken: 0,
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.turns.extend(other.turns);
    }

    /// How a request ends, or what is wrong with the script.
    pub(crate) fn answer(
        &mut self,
        request: &ModelRequest,
        offered: &Offered,
        program: &Program,
    ) -> Result<Result<ModelAnswer, ModelFailure>, String> {
        let agent = &self.agent;
        let Some(turn) = self.turns.pop_front() else {
            return Err(match self.taken {
                0 => format!("the model of `{agent}` is asked, but its script is empty"),
                1 => format!(
                    "the model of `{agent}` is asked again, but its script has only one turn"
                ),
                taken => {
                    format!(
                        "the model of `{agent}` is asked again, but its script ends after {taken} turns"
                    )
                }
            });
        };
        self.taken += 1;
        let content = match turn {
            ScriptedTurn::Answer(value) => vec![Content::Text {
                text: answer_text(&value, request),
            }],
            ScriptedTurn::Calls(calls) => {
                let calls = calls.into_iter().enumerate();
                let calls = calls.map(|(index, call)| {
                    let id = format!("script_{}_{index}", self.taken);
                    call.content(id, agent, request, offered, program)
                });
                calls.collect::<Result<_, _>>()?
            }
            ScriptedTurn::Fail(error) => return Ok(failed(&error, request)),
        };
        Ok(Ok(made(content, request)))
    }

    /// The message about turns that were not used.
    pub(crate) fn left_over(&self) -> Option<String> {
        let next = match self.turns.front()? {
            ScriptedTurn::Calls(calls) if calls.len() == 1 => "the call of a tool".to_owned(),
            ScriptedTurn::Calls(calls) => format!("the calls of {} tools", calls.len()),
            ScriptedTurn::Answer(value) => format!("answer {value}"),
            ScriptedTurn::Fail(error) => format!("fail {}", kind_of(error)),
        };
        let (agent, taken) = (&self.agent, self.taken);
        let all = taken + self.turns.len();
        Some(format!(
            "the script of `{agent}` has {all} turns, and its model was asked for {taken} of them; the next is: {next}"
        ))
    }
}

impl ScriptedCall {
    fn of(call: &Value) -> Self {
        let tool = call.get("tool").and_then(Value::as_u64);
        Self {
            tool: tool.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX)),
            input: call.get("input").cloned().unwrap_or_default(),
        }
    }

    fn content(
        self,
        id: String,
        agent: &str,
        request: &ModelRequest,
        offered: &Offered,
        program: &Program,
    ) -> Result<Content, String> {
        let Self { tool, input } = self;
        let declared = program.tools.get(tool);
        let name = declared.and_then(|it| offered.name(tool, it, request));
        if let Some(name) = name {
            return Ok(Content::ToolUse {
                id,
                name,
                input: input.into(),
                flaw: None,
            });
        }
        let called = declared.map_or("?", |it| it.name.as_str());
        let offers: Vec<String> = request
            .tools
            .iter()
            .map(|it| format!("`{}`", it.name))
            .collect();
        let offers = match offers.as_slice() {
            [] => "it is offered no tools".to_owned(),
            some => format!("it is offered {}", some.join(", ")),
        };
        Err(format!(
            "the script of `{agent}` calls `{called}`, which its model is not offered: {offers}"
        ))
    }
}

/// As a model writes it: JSON where a text is among the values that are wanted, else a text is the answer itself, with all that may
/// surround JSON.
fn answer_text(value: &Value, request: &ModelRequest) -> String {
    let schema = request.schema.as_deref();
    let is_value = schema.is_some_and(|it| takes_text(it, it, MOST_REFERENCES));
    let plain = value.as_str().filter(|_| !is_value);
    plain.map_or_else(|| value.to_string(), str::to_owned)
}

/// Schemas that name each other are not followed further.
const MOST_REFERENCES: usize = 8;

/// Whether a text fits the schema, which is within `root`.
fn takes_text(schema: &Value, root: &Value, references: usize) -> bool {
    let any = |key: &str, fits: &dyn Fn(&Value) -> bool| {
        let listed = schema.get(key).and_then(Value::as_array);
        listed.map(|it| it.iter().any(fits))
    };
    if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
        let target = path.strip_prefix('#').and_then(|it| root.pointer(it));
        return references > 0 && target.is_some_and(|it| takes_text(it, root, references - 1));
    }
    if let Some(fits) = any("anyOf", &|it| takes_text(it, root, references)) {
        return fits;
    }
    if let Some(fits) = any("enum", &Value::is_string).or_else(|| any("type", &|it| it == "string"))
    {
        return fits;
    }
    match (schema.get("const"), schema.get("type")) {
        (Some(value), _) => value.is_string(),
        (None, Some(kind)) => kind == "string",
        // Any JSON.
        (None, None) => true,
    }
}

/// A request that ends without an answer that says something: as a provider ends it.
fn failed(error: &Value, request: &ModelRequest) -> Result<ModelAnswer, ModelFailure> {
    let number = |name| error.get(name).and_then(Value::as_u64);
    let text = |name| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let stopped = |stop| {
        Ok(ModelAnswer {
            stop,
            ..made(Vec::new(), request)
        })
    };
    let kind = match BuiltinError::named(kind_of(error)) {
        Some(BuiltinError::MaxTokens) => return stopped(StopReason::MaxTokens),
        Some(BuiltinError::Refused) => return stopped(StopReason::Refusal(text("reason").into())),
        Some(BuiltinError::RateLimited) => FailureKind::RateLimited,
        Some(BuiltinError::Overloaded) => FailureKind::Overloaded,
        Some(BuiltinError::Unauthorized) => FailureKind::Unauthorized,
        Some(BuiltinError::QuotaExceeded) => FailureKind::QuotaExceeded,
        Some(BuiltinError::ContextTooLong) => FailureKind::ContextTooLong,
        // The compiler lets no other pass.
        _ => FailureKind::Provider,
    };
    let wait = error.get("retry_after").and_then(Value::as_f64);
    let wait = wait.and_then(|it| Duration::try_from_secs_f64(it).ok());
    let status = number("status").and_then(|it| u16::try_from(it).ok());
    let may_pass = match kind {
        FailureKind::RateLimited | FailureKind::Overloaded => {
            wait.is_none_or(|it| it <= LONGEST_WAIT)
        }
        FailureKind::Provider => status.is_none_or(|it| it >= 500 || matches!(it, 408 | 409)),
        FailureKind::Unauthorized
        | FailureKind::QuotaExceeded
        | FailureKind::ContextTooLong
        | FailureKind::PermissionDenied
        | FailureKind::NotRecorded => false,
    };
    Err(ModelFailure {
        status,
        retry_after: wait,
        again: may_pass.then_some(Again::After(FIRST_WAIT)),
        attempts: 1,
        oversize: number("tokens")
            .zip(number("limit"))
            .map(|(tokens, limit)| Box::new(Oversize { tokens, limit })),
        ..ModelFailure::new(kind, text("message").into())
    })
}

/// The name of an error in JSON.
fn kind_of(error: &Value) -> &str {
    error.get(KIND).and_then(Value::as_str).unwrap_or_default()
}

fn made(content: Vec<Content>, request: &ModelRequest) -> ModelAnswer {
    let calls = content
        .iter()
        .any(|it| matches!(it, Content::ToolUse { .. }));
    let sent = request.messages.iter().flat_map(|it| &it.content);
    let sent: usize = sent.map(length).sum();
    let system = request.system.as_ref().map_or(0, String::len);
    ModelAnswer {
        stop: if calls {
            StopReason::ToolUse
        } else {
            StopReason::End
        },
        stop_reason: "scripted".into(),
        model: request.model.clone(),
        request_id: None,
        usage: Some(Usage {
            input_tokens: tokens(sent + system),
            output_tokens: tokens(content.iter().map(length).sum()),
            ..Usage::default()
        }),
        content,
        attempts: 1,
        simulated: false,
        first_token: None,
        circuit: None,
    }
}

/// Bytes of text, of which providers count about four as a token.
fn length(content: &Content) -> usize {
    match content {
        Content::Text { text } => text.len(),
        Content::ToolUse { name, input, .. } => name.len() + input.text().len(),
        Content::ToolResult { content, .. } => content.len(),
        Content::Media { .. } | Content::Opaque { .. } => 0,
    }
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
