//! The tools that a model is offered, and what becomes of its calls.

use std::collections::BTreeMap;
use std::fmt::Write;

use gsw_abi::program::{Program, Tool, ToolBody, wire_name};
use gsw_abi::schema::schema;
use gsw_abi::types::{Field, Record, Type, TypeId, TypeTable};
use gsw_engine::model::{Content, Message, Role, ToolCall, ToolDescription, ToolOutcome};
use serde_json::Value;

use crate::settings::Listed;

/// A tool of the program and its name on the wire.
struct Offer<'a> {
    index: u32,
    tool: &'a Tool,
    wire: String,
}

/// The listed tools that the program has, in order. The compiler refuses two of one name; where they come together all the
/// same, each is told by its module, whatever their order.
fn offers<'a>(program: &'a Program, listed: &[Listed]) -> Vec<Offer<'a>> {
    let offer = |it: &Listed| {
        let tool = program.tools.get(it.tool as usize)?;
        Some(Offer {
            index: it.tool,
            tool,
            wire: it.name.clone().unwrap_or_else(|| wire_name(&tool.name)),
        })
    };
    let mut offers: Vec<Offer<'a>> = listed.iter().filter_map(offer).collect();
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    for offer in &offers {
        *count.entry(offer.wire.clone()).or_default() += 1;
    }
    for offer in offers.iter_mut().filter(|it| count[&it.wire] > 1) {
        offer.wire = wire_name(&qualified_name(offer.tool));
    }
    offers
}

/// The name that no other tool of the program has.
fn qualified_name(tool: &Tool) -> String {
    format!("{}.{}", tool.module, tool.name)
}

/// The listed tools by names that say which they are, also after the program's other tools have changed.
pub(crate) fn identities(program: &Program, listed: &[Listed]) -> Vec<String> {
    let tools = listed.iter();
    let tools = tools.filter_map(|it| program.tools.get(it.tool as usize));
    tools.map(qualified_name).collect()
}

/// The listed tools as the model sees them. `spawns` are the workflows that it may start.
pub(crate) fn offered(
    program: &Program,
    listed: &[Listed],
    spawns: &[String],
) -> Vec<ToolDescription> {
    let offers = offers(program, listed);
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

/// A call of a tool that was not offered.
pub(crate) struct UnknownCall {
    pub id: String,
    pub name: String,
    pub input: Value,
}

/// The calls in an answer: those to run, and those that no offered tool answers to.
pub(crate) fn calls(
    content: &[Content],
    program: &Program,
    listed: &[Listed],
) -> (Vec<ToolCall>, Vec<UnknownCall>) {
    let offers = offers(program, listed);
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for piece in content {
        let Content::ToolUse { id, name, input } = piece else {
            continue;
        };
        let (id, name, input) = (id.clone(), name.clone(), input.clone());
        match offers.iter().find(|it| it.wire == name) {
            Some(offer) => calls.push(ToolCall {
                id,
                tool: offer.index,
                name,
                input,
            }),
            None => refused.push(UnknownCall { id, name, input }),
        }
    }
    (calls, refused)
}

/// What a model is told that calls a tool which it was not given.
pub(crate) fn unknown(name: &str) -> String {
    format!("there is no tool `{name}`")
}

/// The outcome of such a call.
pub(crate) fn refusal(call: UnknownCall) -> ToolOutcome {
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
