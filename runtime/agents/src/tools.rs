//! The tools that a model is offered, and what becomes of its calls.

use std::fmt::Write;

use gsw_abi::program::{Program, Tool, ToolBody};
use gsw_abi::schema::schema;
use gsw_abi::types::{Field, Record, Type, TypeId, TypeTable};
use gsw_engine::model::{
    Content, Message, PromptNote, Role, ToolCall, ToolDescription, ToolOutcome,
};
use serde_json::Value;

/// The longest name of a tool that providers take.
const LONGEST_NAME: usize = 64;

/// A tool of the program and its name on the wire.
struct Offer<'a> {
    tool: &'a Tool,
    wire: String,
}

/// The tools of these names, each once, in order.
fn offers<'a>(program: &'a Program, names: &[String]) -> Vec<Offer<'a>> {
    let mut offers: Vec<Offer<'a>> = Vec::new();
    for name in names {
        let Some(tool) = find(program, name) else {
            continue;
        };
        if offers.iter().any(|it| it.tool.name == tool.name) {
            continue;
        }
        let short = wire_name(short_name(&tool.name));
        let is_taken = offers.iter().any(|it| it.wire == short);
        let wire = if is_taken {
            wire_name(&tool.name)
        } else {
            short
        };
        offers.push(Offer { tool, wire });
    }
    offers
}

/// The tool of this name; a name without a module may be that of a tool in any.
fn find<'a>(program: &'a Program, name: &str) -> Option<&'a Tool> {
    let mut tools = program.tools.iter();
    let exact = tools.clone().find(|it| it.name == name);
    exact.or_else(|| tools.find(|it| short_name(&it.name) == name))
}

fn short_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Names on the wire hold only letters, digits, `_` and `-`.
fn wire_name(name: &str) -> String {
    let wire = |it: char| {
        if it.is_ascii_alphanumeric() || it == '-' {
            it
        } else {
            '_'
        }
    };
    name.chars().map(wire).take(LONGEST_NAME).collect()
}

/// The tools of these names as the model sees them. A name that the program does not know is told about. `spawns` are the
/// workflows that it may start.
pub(crate) fn offered(
    program: &Program,
    names: &[String],
    spawns: &[String],
    notes: &mut Vec<PromptNote>,
) -> Vec<ToolDescription> {
    for unknown in names.iter().filter(|it| find(program, it).is_none()) {
        notes.push(PromptNote::Warning {
            message: format!("the tool `{unknown}` is not offered: it is not known here"),
        });
    }
    let offers = offers(program, names);
    if offers.is_empty() {
        return Vec::new();
    }
    // The parameters of tools are no type of the program, so they are added to a table of our own.
    let mut types = program.types.clone();
    let description = |offer: Offer<'_>| ToolDescription {
        input_schema: input_schema(&mut types, &offer.tool.name, &offer.tool.parameters),
        description: match offer.tool.body {
            ToolBody::SpawnRequest => spawns_told(program, &mut types, offer.tool, spawns),
            _ => docs(&offer.tool.docs),
        },
        name: offer.wire,
    };
    offers.into_iter().map(description).collect()
}

fn docs(docs: &Option<String>) -> String {
    docs.clone().unwrap_or_default()
}

/// What the tool is for, with the workflows that may be started: a model cannot know them otherwise.
fn spawns_told(program: &Program, types: &mut TypeTable, tool: &Tool, spawns: &[String]) -> String {
    let mut told = docs(&tool.docs);
    let allowed = program.spawnable(spawns);
    if allowed.is_empty() {
        told.push_str("\n\nHere you may start none.");
        return told;
    }
    told.push_str("\n\nYou may start these:");
    for (name, spawnable) in allowed {
        let workflow = &spawnable.workflow;
        let input = input_schema(types, name, &workflow.parameters);
        let what = docs(&workflow.docs);
        let colon = if what.is_empty() { "" } else { ": " };
        let _ = write!(told, "\n- `{name}`{colon}{what} Input: {input}");
    }
    told
}

/// The schema of parameters, as if they were the fields of a record.
fn input_schema(types: &mut TypeTable, name: &str, parameters: &[Field]) -> Value {
    let id = TypeId(u32::try_from(types.types.len()).expect("a type table has 32-bit indices"));
    types.types.push(Type::Record(Record {
        name: name.to_owned(),
        docs: None,
        fields: parameters.to_vec(),
    }));
    schema(types, id)
}

/// The calls in an answer: those to run, by the program's names, and those that no tool answers to.
pub(crate) fn calls(
    content: &[Content],
    program: &Program,
    names: &[String],
) -> (Vec<ToolCall>, Vec<ToolCall>) {
    let offers = offers(program, names);
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for piece in content {
        let Content::ToolUse { id, name, input } = piece else {
            continue;
        };
        let called = |name: &str| ToolCall {
            id: id.clone(),
            name: name.to_owned(),
            input: input.clone(),
        };
        match offers.iter().find(|it| it.wire == *name) {
            Some(offer) => calls.push(called(&offer.tool.name)),
            None => refused.push(called(name)),
        }
    }
    (calls, refused)
}

/// What a model is told that calls a tool which it was not given.
pub(crate) fn unknown(name: &str) -> String {
    format!("there is no tool `{name}`")
}

/// The outcome of such a call.
pub(crate) fn refusal(call: ToolCall) -> ToolOutcome {
    ToolOutcome {
        content: unknown(&call.name),
        id: call.id,
        is_error: true,
    }
}

/// The message that tells the model what its calls gave, in the order of its calls.
pub(crate) fn results(asked: &[Content], outcomes: Vec<ToolOutcome>) -> Message {
    let place = |id: &str| {
        let is_it = |it: &Content| matches!(it, Content::ToolUse { id: asked, .. } if asked == id);
        asked.iter().position(is_it)
    };
    let mut outcomes = outcomes;
    outcomes.sort_by_key(|it| place(&it.id));
    let content = outcomes
        .into_iter()
        .map(|it| Content::ToolResult {
            id: it.id,
            content: it.content,
            is_error: it.is_error,
        })
        .collect();
    Message {
        role: Role::User,
        content,
    }
}
