//! Skills that models read: which ones a prompt's model has, and what the model is given of each.
//!
//! A prompt's settings list them by id as long as it runs. The names and descriptions are in the request, which the crate that
//! asks models makes; what is after them is handed out here, and every stage of it is an event of the prompt's node.

use std::fmt::Write;
use std::sync::Arc;

use gsw_abi::program::{Program, Skill, ToolBody};
use gsw_abi::setting::Setting;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use crate::codec::decode;
use crate::event::{EventKind, SkillStage};
use crate::node::NodeId;
use crate::run::introspection::asking_prompt;
use crate::run::{Run, raise};

/// The ids of the skills that models have, by their prompt's node.
pub(crate) type Offered = FxHashMap<NodeId, Vec<String>>;

/// Offers the tools of `std/skill` to a model that has skills.
pub(crate) fn give_tools(program: &Program, settings: &mut Map<String, Value>) {
    let skills = settings.get(Setting::Skills.name());
    if skills.and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return;
    }
    let tools = settings.entry(Setting::Tools.name());
    let Value::Array(tools) = tools.or_insert_with(|| json!([])) else {
        return;
    };
    for (index, tool) in program.tools.iter().enumerate() {
        let is_listed = |it: &Value| it.get("tool").and_then(Value::as_u64) == Some(index as u64);
        // A program may list them by itself, under other names.
        if tool.body == ToolBody::Skills && !tools.iter().any(is_listed) {
            tools.push(json!({ "tool": index }));
        }
    }
}

/// A prompt begins with these settings.
pub(crate) fn offer(run: &mut Run, prompt: NodeId, settings: &Map<String, Value>) {
    let Some(Value::Array(ids)) = settings.get(Setting::Skills.name()) else {
        return;
    };
    let ids: Vec<String> = ids
        .iter()
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect();
    let loaded = Arc::clone(&run.loaded);
    for skill in loaded
        .program
        .skills
        .iter()
        .filter(|it| ids.contains(&it.id))
    {
        report(run, prompt, &skill.name, SkillStage::Offered, None);
    }
    if !ids.is_empty() {
        run.skills.insert(prompt, ids);
    }
}

fn report(run: &mut Run, prompt: NodeId, skill: &str, stage: SkillStage, file: Option<String>) {
    let kind = EventKind::Skill {
        skill: skill.to_owned(),
        stage,
        file,
    };
    run.progress.emit(prompt, kind);
}

/// What a model asked for, as a record of this type: the instructions of a skill, or one of its files.
pub(crate) fn read(run: &mut Run, result: TypeId, name: &str, path: &str) -> Result<u64, u64> {
    let prompt = asking_prompt(run.progress.tree(), run.scheduler.current_node());
    let loaded = Arc::clone(&run.loaded);
    let offered = prompt.and_then(|it| run.skills.get(&it));
    let found = find(&loaded.program, offered.map_or(&[], Vec::as_slice), name)
        .and_then(|skill| told(skill, path).map(|text| (skill, text)));
    let file = Some(path).filter(|it| !Skill::is_instructions(it));
    let file = file.map(str::to_owned);
    let node = prompt.unwrap_or_else(|| run.scheduler.current_node());
    let tree = match found {
        Ok((skill, text)) => {
            let stage = match &file {
                None => SkillStage::Activated,
                Some(_) => SkillStage::Read,
            };
            report(run, node, &skill.name, stage, file);
            json!({ "text": text, "refusal": null })
        }
        Err(why) => {
            report(run, node, name, SkillStage::Refused, file);
            json!({ "text": null, "refusal": why })
        }
    };
    decode::decode(run, result, &tree).map_err(|issue| {
        let why = format!("what a skill holds has no record: {}", issue.message);
        raise::no_record(&mut run.heap, &why)
    })
}

fn find<'a>(program: &'a Program, offered: &[String], name: &str) -> Result<&'a Skill, String> {
    let mut own = program.skills.iter().filter(|it| offered.contains(&it.id));
    own.clone().find(|it| it.name == name).ok_or_else(|| {
        let mut why = format!("there is no skill `{name}` here");
        if let Some(first) = own.next() {
            let _ = write!(why, "; there is `{}`", first.name);
            for skill in own {
                let _ = write!(why, ", `{}`", skill.name);
            }
        }
        why
    })
}

/// The instructions with the list of files after them, or a file.
fn told(skill: &Skill, path: &str) -> Result<String, String> {
    if path.is_empty() {
        let mut text = skill.instructions.clone();
        for (index, file) in skill.files.iter().enumerate() {
            if index == 0 {
                text.push_str("\n\nFiles of this skill:");
            }
            let _ = match &file.text {
                Some(text_of) => write!(text, "\n- {} ({} bytes)", file.path, text_of.len()),
                None => write!(text, "\n- {} (no text)", file.path),
            };
        }
        return Ok(text);
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    if path == Skill::INSTRUCTIONS {
        return Ok(skill.source.clone());
    }
    let file = skill.files.iter().find(|it| it.path == path);
    let file = file.ok_or_else(|| format!("the skill `{}` has no file `{path}`", skill.name))?;
    let text = file.text.clone();
    text.ok_or_else(|| format!("`{path}` of the skill `{}` is no text", skill.name))
}
