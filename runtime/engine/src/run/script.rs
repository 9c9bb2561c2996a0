//! What a test makes of an agent's model: turns, of which each request to the model takes the next.

use std::collections::VecDeque;

use gsw_abi::program::{Program, Tool, wire_name};
use gsw_abi::setting::Setting;
use gsw_tree::usage::Usage;
use serde_json::{Map, Value};

use crate::model::{Content, ModelAnswer, ModelRequest, StopReason};

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
        // Two tools of one name are told apart by their modules.
        let qualified = wire_name(&format!("{}.{}", declared.module, declared.name));
        let is_offered = |name: &String| request.tools.iter().any(|it| it.name == *name);
        [own, qualified].into_iter().find(is_offered)
    }
}

impl Script {
    /// The turns that compiled code hands over as `json`.
    pub(crate) fn new(agent: String, turns: &Value) -> Self {
        let turns = turns.as_array().into_iter().flatten();
        let turns = turns.map(|turn| match turn.get("calls").and_then(Value::as_array) {
            Some(calls) => ScriptedTurn::Calls(calls.iter().map(ScriptedCall::of).collect()),
            None => ScriptedTurn::Answer(turn.get("answer").cloned().unwrap_or_default()),
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

    /// The answer to a request, or what is wrong with the script.
    pub(crate) fn answer(
        &mut self,
        request: &ModelRequest,
        offered: &Offered,
        program: &Program,
    ) -> Result<ModelAnswer, String> {
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
        };
        Ok(made(content, request))
    }

    /// What is said of turns that nobody has asked for.
    pub(crate) fn left_over(&self) -> Option<String> {
        let next = match self.turns.front()? {
            ScriptedTurn::Calls(calls) if calls.len() == 1 => "the call of a tool".to_owned(),
            ScriptedTurn::Calls(calls) => format!("the calls of {} tools", calls.len()),
            ScriptedTurn::Answer(value) => format!("answer {value}"),
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
                input,
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

/// As a model writes it: plain where any text will do, else JSON.
fn answer_text(value: &Value, request: &ModelRequest) -> String {
    let plain = value.as_str().filter(|_| request.schema.is_none());
    plain.map_or_else(|| value.to_string(), str::to_owned)
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
    }
}

/// Bytes of text, of which providers count about four as a token.
fn length(content: &Content) -> usize {
    match content {
        Content::Text { text } => text.len(),
        Content::ToolUse { name, input, .. } => name.len() + input.to_string().len(),
        Content::ToolResult { content, .. } => content.len(),
        Content::Media { .. } | Content::Opaque { .. } => 0,
    }
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
