//! Which texts of a conversation a stranger may have written, and which arguments of a call may therefore not be used.
//!
//! A model writes its arguments anew, so no label sticks to them: they are judged by what the model had before it. As long as
//! nothing in the conversation comes from outside, it may give anything. From then on a `trusted` parameter takes only what occurs
//! word for word in a trusted text: its author may have meant it, and no untrusted source wrote it.
//!
//! **Invariant**: what a stranger may have written never becomes trusted, and a conversation that holds some of it never forgets that.

mod argument;
mod standing;

use std::sync::Arc;

use gsw_abi::program::{Program, Prompt, Tool, ToolBody};
use gsw_abi::types::{Field, Trust};
use gsw_notation::json;
use serde_json::Value;

use crate::codec;
use crate::event::{EventKind, TrustVerdict, Untrusted};
use crate::model::{PromptResult, ToolCall, ToolOutcome};
use crate::run::Run;
use crate::run::introspection::unpacked;
use crate::run::prompt::PromptRun;
use argument::Arguments;

/// What is shorter says too little to be known again: the `13` of "June 13" is no number of a file.
const SHORTEST: usize = 3;

/// Where the texts of a conversation come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    /// What no stranger has written.
    trusted: Vec<Arc<str>>,
    /// What a stranger may have written, the first that was found.
    foreign: Option<Arc<str>>,
}

/// What a call of a prompt begins with.
pub(super) struct Beginning<'a> {
    declared: &'a Prompt,
    /// The system text of its agent or of the call, which the program has written.
    agent: Option<&'a str>,
    /// What the prompt itself says, arguments included.
    said: Vec<&'a str>,
}

/// The arguments of a prompt, which are borrowed; `None` for a program in which nothing is `trusted`, which pays nothing.
pub(super) fn arguments(run: &Run, word: u64) -> Option<Value> {
    let is_guarded = guards(&run.loaded.program);
    is_guarded.then(|| match word {
        0 => Value::Null,
        word => codec::json_to_tree(word).unwrap_or(Value::Null),
    })
}

/// Whether something in a program refuses what a stranger may have written.
fn guards(program: &Program) -> bool {
    let refuses = |fields: &[Field]| fields.iter().any(is_trusted);
    let workflows = program.spawnable.iter().map(|it| &it.workflow);
    program.tools.iter().any(|it| refuses(&it.parameters))
        || workflows.into_iter().any(|it| refuses(&it.parameters))
}

fn is_trusted(field: &Field) -> bool {
    field.trust == Trust::Trusted
}

impl<'a> Beginning<'a> {
    pub(super) const fn of(
        declared: &'a Prompt,
        agent: Option<&'a str>,
        said: Vec<&'a str>,
    ) -> Self {
        Self {
            declared,
            agent,
            said,
        }
    }

    /// The origins of the content of the call's conversation, after the earlier exchanges: with what a model has added, as
    /// text, and the arguments, by name.
    pub(super) fn after(
        self,
        earlier: Option<&Origins>,
        added: Option<&str>,
        arguments: &Value,
    ) -> Origins {
        let mut origins = earlier.cloned().unwrap_or_default();
        let Self {
            declared,
            agent,
            said,
        } = self;
        if let Some(text) = agent {
            origins.trust(text);
        }
        for parameter in &declared.parameters {
            match parameter.trust {
                Trust::Trusted => origins.trust_value(&arguments[&parameter.name]),
                Trust::Any => origins.note_foreign(|| {
                    format!(
                        "`{}` of `{}`, which is not `trusted`",
                        parameter.name, declared.name
                    )
                }),
            }
        }
        if declared.says == Trust::Any {
            origins.note_foreign(|| format!("what the texts of `{}` read", declared.name));
        }
        // A text that shows both is believed in no part: where which of them begins is not known.
        if declared.says == Trust::Trusted && declared.parameters.iter().all(is_trusted) {
            said.into_iter().for_each(|it| origins.trust(it));
        }
        if let Some(added) = added {
            origins.note_foreign(|| added.to_owned());
        }
        origins
    }
}

impl Origins {
    fn trust(&mut self, text: &str) {
        // A part of a session is sent again with each call.
        if !text.is_empty() && self.trusted.iter().all(|it| **it != *text) {
            self.trusted.push(text.into());
        }
    }

    /// Each text of a value by itself, as it is and not as JSON writes it.
    fn trust_value(&mut self, value: &Value) {
        let mut texts = Vec::new();
        texts_of(value, &mut texts);
        self.trust(&texts.join("\n"));
    }

    pub(crate) fn note_foreign(&mut self, what: impl FnOnce() -> String) {
        if self.foreign.is_none() {
            self.foreign = Some(what().into());
        }
    }

    /// Whether a text occurs in a trusted one.
    fn holds(&self, text: &str) -> bool {
        let says_enough = text.is_empty() || text.chars().nth(SHORTEST - 1).is_some();
        says_enough && self.trusted.iter().any(|it| standing::stands_in(it, text))
    }
}

/// The texts and numbers in a value, and the names of what is in it.
pub(super) fn texts_of(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|it| texts_of(it, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.push(name.clone());
                texts_of(value, texts);
            }
        }
    }
}

impl PromptRun {
    /// The places in the arguments of a call that must not hold what they hold; `defaults` are texts in it which the program has
    /// written.
    pub(super) fn untrusted_in(
        &self,
        run: &Run,
        call: &ToolCall,
        defaults: &[String],
    ) -> Vec<String> {
        let Some(origins) = &self.origins else {
            return Vec::new();
        };
        let program = &run.loaded.program;
        let Some(tool) = program.tools.get(call.tool as usize) else {
            return Vec::new();
        };
        if origins.foreign.is_none() {
            return Vec::new();
        }
        let mut arguments = Arguments::new(&run.loaded.types, |text| {
            origins.holds(text) || defaults.iter().any(|it| it == text)
        });
        arguments.check("", &tool.parameters, &call.input);
        if tool.body == ToolBody::SpawnRequest {
            let wanted = call.input["name"].as_str().unwrap_or_default();
            let input = unpacked(&call.input["input"]);
            let is_meant = |it: &&gsw_abi::program::Spawnable| {
                it.short_name() == wanted || it.workflow.name == wanted
            };
            for it in program.spawnable.iter().filter(is_meant) {
                arguments.check("input.", &it.workflow.parameters, &input);
            }
        }
        arguments.refused
    }

    /// The result that the model gets for a call that is not made.
    pub(super) fn untrusted_message(&self, places: &[String]) -> String {
        let (places, verb) = (
            listed(places),
            if places.len() == 1 { "takes" } else { "take" },
        );
        format!(
            "not called: {places} {verb} only what stands word for word in what was asked of you, since {} stands in this \
             conversation",
            self.foreign()
        )
    }

    fn foreign(&self) -> &str {
        let foreign = self.origins.as_ref().and_then(|it| it.foreign.as_deref());
        foreign.unwrap_or("what a stranger may have written")
    }

    pub(super) fn report_untrusted(
        &self,
        run: &mut Run,
        call: &ToolCall,
        places: &[String],
        verdict: TrustVerdict,
        reason: Option<&str>,
    ) {
        let reason = reason.unwrap_or_else(|| self.foreign());
        let noted = Untrusted {
            tool: Some(call.name.as_str().into()),
            arguments: places.to_vec(),
            verdict,
            reason: self.observed.text(reason.to_owned()),
        };
        run.progress
            .emit(self.node, EventKind::Untrusted(Box::new(noted)));
    }

    /// A tool has been called, and this is what goes to the model.
    pub(super) fn note_origin(&mut self, tool: Option<&Tool>, outcome: &ToolOutcome) {
        let Some(origins) = &mut self.origins else {
            return;
        };
        let gives = tool.map_or(Trust::Any, |it| it.gives);
        // The reason of a failure may be text of the party that caused it.
        if gives == Trust::Any || outcome.is_error {
            let name = tool.map_or("a tool", |it| it.name.as_str());
            return origins.note_foreign(|| format!("what `{name}` gave"));
        }
        match json::parse(&outcome.content) {
            Ok(value) => origins.trust_value(&value),
            Err(_) => origins.trust(&outcome.content),
        }
    }

    /// The origins of the content of its conversation with its answer. Of one that was kept nobody knows any more what tools gave its
    /// model.
    pub(super) fn origins_with(&self, result: &PromptResult) -> Option<Origins> {
        let mut origins = self.origins.clone()?;
        if result.detail.cached && self.has_tools {
            origins.note_foreign(|| "a kept answer of a model with tools".to_owned());
        }
        Some(origins)
    }

    /// Notes that untrusted content is added to the conversation.
    pub(super) fn note_foreign(&mut self, what: &str) {
        if let Some(origins) = &mut self.origins {
            origins.note_foreign(|| what.to_owned());
        }
    }
}

fn listed(places: &[String]) -> String {
    let places: Vec<String> = places.iter().map(|it| format!("`{it}`")).collect();
    places.join(", ")
}
