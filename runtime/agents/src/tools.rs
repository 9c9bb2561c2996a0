//! The tools that a model is offered, and what becomes of its calls.

use gsw_abi::program::{Program, Tool};
use gsw_abi::schema::schema;
use gsw_abi::types::{Record, Type, TypeId, TypeTable};
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

/// The tools of these names as the model sees them. A name that the program does not know is told about.
pub(crate) fn offered(
    program: &Program,
    names: &[String],
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
        input_schema: input_schema(&mut types, offer.tool),
        description: offer.tool.docs.clone().unwrap_or_default(),
        name: offer.wire,
    };
    offers.into_iter().map(description).collect()
}

/// The schema of the tool's parameters, as if they were the fields of a record.
fn input_schema(types: &mut TypeTable, tool: &Tool) -> Value {
    let id = TypeId(u32::try_from(types.types.len()).expect("a type table has 32-bit indices"));
    types.types.push(Type::Record(Record {
        name: tool.name.clone(),
        docs: None,
        fields: tool.parameters.clone(),
    }));
    schema(types, id)
}

/// The calls in an answer: those to run, by the program's names, and the outcomes of those that no tool answers to.
pub(crate) fn calls(
    content: &[Content],
    program: &Program,
    names: &[String],
) -> (Vec<ToolCall>, Vec<ToolOutcome>) {
    let offers = offers(program, names);
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for piece in content {
        let Content::ToolUse { id, name, input } = piece else {
            continue;
        };
        if let Some(offer) = offers.iter().find(|it| it.wire == *name) {
            calls.push(ToolCall {
                id: id.clone(),
                name: offer.tool.name.clone(),
                input: input.clone(),
            });
        } else {
            refused.push(ToolOutcome {
                id: id.clone(),
                content: format!("there is no tool `{name}`"),
                is_error: true,
            });
        }
    }
    (calls, refused)
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
