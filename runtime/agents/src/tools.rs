//! The tools that a model is offered, and what becomes of its calls.

use gsw_abi::program::{Program, Tool};
use gsw_abi::schema::schema;
use gsw_abi::types::{Record, Type, TypeId, TypeTable};
use gsw_engine::model::{
    Content, Message, PromptNote, Role, ToolCall, ToolDescription, ToolOutcome,
};
use serde_json::Value;

/// The tools of these names as the model sees them. A name that the program does not know is told about.
pub(crate) fn offered(
    program: &Program,
    names: &[String],
    notes: &mut Vec<PromptNote>,
) -> Vec<ToolDescription> {
    let mut offered: Vec<ToolDescription> = Vec::new();
    if names.is_empty() {
        return offered;
    }
    // The parameters of tools are no type of the program, so they are added to a table of our own.
    let mut types = program.types.clone();
    for name in names {
        let short = wire_name(name);
        match program.tools.iter().find(|it| it.name == *name) {
            Some(_) if offered.iter().any(|it| it.name == short) => {}
            Some(tool) => offered.push(ToolDescription {
                name: short.to_owned(),
                description: tool.docs.clone().unwrap_or_default(),
                input_schema: input_schema(&mut types, tool),
            }),
            None => notes.push(PromptNote::Warning {
                message: format!("the tool `{name}` is not offered: it is not known here"),
            }),
        }
    }
    offered
}

/// Names on the wire hold no dots.
fn wire_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
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

/// The calls in an answer: those to run, and the outcomes of those that no tool answers to.
pub(crate) fn calls(
    content: &[Content],
    offered: &[ToolDescription],
) -> (Vec<ToolCall>, Vec<ToolOutcome>) {
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for piece in content {
        let Content::ToolUse { id, name, input } = piece else {
            continue;
        };
        if offered.iter().any(|it| it.name == *name) {
            calls.push(ToolCall {
                id: id.clone(),
                name: name.clone(),
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
