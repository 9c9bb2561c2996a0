//! Skills as the model sees them: names and purposes in the description of the tool that reads them, and what their
//! `allowed-tools` leaves of its tools once it does. `runtime/engine/src/run/skills.rs` hands out the rest.

use std::fmt::Write;
use std::sync::Arc;

use gsw_abi::program::{Program, Skill, Tool, ToolBody};
use gsw_abi::schema::input_schema;
use gsw_engine::model::{Content, Message, ToolCall};
use serde_json::Value;

use crate::settings::Settings;
use crate::tools;

/// The tool of `std/skill` that returns instructions; the other one returns files.
const ACTIVATE: &str = "activate_skill";
/// The parameter of both that names the skill.
const NAME: &str = "name";
/// The parameter of the other one that names the file.
const PATH: &str = "path";

/// Those of these ids that the program has, in the order of the settings.
fn listed<'a>(program: &'a Program, ids: &'a [String]) -> impl Iterator<Item = &'a Skill> {
    let skill = |id: &'a String| program.skills.iter().find(move |it| it.id == *id);
    ids.iter().filter_map(skill)
}

/// The parameters of a tool of `std/skill`: only what is listed can be named.
pub(crate) fn schema(program: &Program, tool: &Tool, ids: &[String]) -> Value {
    let mut schema = input_schema(&program.types, &tool.parameters);
    let names: Vec<Value> = listed(program, ids)
        .map(|it| it.name.clone().into())
        .collect();
    let name = schema.get_mut("properties").and_then(|it| it.get_mut(NAME));
    if let Some(Value::Object(name)) = name {
        name.insert("enum".into(), names.into());
    }
    schema
}

/// What the tool is for, with the skills that there are: a model cannot choose one otherwise.
pub(crate) fn described(program: &Program, tool: &Tool, ids: &[String]) -> String {
    let mut text = tool.docs.clone().unwrap_or_default();
    if tool.name == ACTIVATE {
        text.push_str("\n\nThe skills:");
        for skill in listed(program, ids) {
            let _ = write!(text, "\n- `{}`: {}", skill.name, skill.description);
        }
    }
    text
}

/// The skills that the model has read the instructions of, in a conversation.
pub(crate) fn active<'a>(
    program: &'a Program,
    settings: &'a Settings,
    messages: &[Arc<Message>],
) -> Vec<&'a Skill> {
    // A program may list them several times, under other names.
    let named = |is: fn(&Tool) -> bool| tools::names_of(program, &settings.tools, is);
    let activating = named(|it| it.body == ToolBody::Skills && it.name == ACTIVATE);
    let reading = named(|it| it.body == ToolBody::Skills && it.name != ACTIVATE);
    let mut asked: Vec<(&str, String)> = Vec::new();
    let mut active: Vec<&Skill> = Vec::new();
    for piece in messages.iter().flat_map(|it| &it.content) {
        if let Content::ToolUse {
            id, name, input, ..
        } = piece
            && let mut input = input.tree()
            && (activating.contains(name)
                || reading.contains(name) && asks_for_instructions(&input))
            && let Value::String(skill) = input.get_mut(NAME).map_or(Value::Null, Value::take)
        {
            asked.push((id, skill));
        } else if let Content::ToolResult { id, is_error, .. } = piece
            && let Some(at) = asked.iter().position(|it| it.0 == id)
        {
            let (_, name) = asked.swap_remove(at);
            let skill = listed(program, &settings.skills).find(|it| it.name == name);
            active.extend(skill.filter(|_| !is_error));
        }
    }
    active
}

/// Whether a file that is asked for holds the instructions of its skill.
fn asks_for_instructions(input: &Value) -> bool {
    let path = input.get(PATH).and_then(Value::as_str).unwrap_or_default();
    Skill::is_instructions(path)
}

/// Why a model that follows these skills may not make a call.
pub(crate) fn refusal(program: &Program, active: &[&Skill], call: &ToolCall) -> Option<String> {
    let tool = program.tools.get(call.tool as usize)?;
    if tool.body == ToolBody::Skills {
        return None;
    }
    let mut allowed: Vec<&str> = Vec::new();
    for skill in active {
        // One that says nothing of tools is followed with all of them.
        allowed.extend(skill.tools.as_ref()?.iter().map(String::as_str));
    }
    let names = [call.name.as_str(), tool.name.as_str()];
    let is_allowed = active.is_empty() || names.iter().any(|it| allowed.contains(it));
    (!is_allowed).then(|| {
        let followed: Vec<String> = active.iter().map(|it| format!("`{}`", it.name)).collect();
        let mut why = format!(
            "not run: {} allows no tool `{}`",
            followed.join(" and "),
            call.name
        );
        if !allowed.is_empty() {
            let _ = write!(why, ", only `{}`", allowed.join("`, `"));
        }
        why
    })
}
