//! The tables of agents, prompts and tools, filled in as they are reached.

use gsw_abi::program::{
    Acts, Agent, Asks, Guarded, Prompt, Repeat, Resource, Skill, Spawnable, Tool, ToolBody,
    ToolSchema, Workflow,
};
use gsw_abi::setting::Setting;
use gsw_abi::types::{DefaultValue, Field, Trust};
use gsw_analysis::{changes_outside, guarded_parameters};
use gsw_infer::hir::{Body, BodyPart, ExpressionId, ExpressionKind};
use gsw_names::types::Type;
use gsw_names::{
    Parameter, is_host_tool, is_question, is_skill_tool, is_spawn_request, is_written_request,
    listed_hooks, listed_skill_tools, listed_spawns, listed_tools, project_skills, spawn_name,
};
use gsw_source::{Db, ItemId, ItemKind};

use crate::instance::{BodyInstance, Instance};
use crate::ir::{Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::types::nominal::trust_of;
use crate::waiting::ArgumentsWait;
use gsw_abi::program::Colour;

impl Lowering<'_> {
    /// The index of an agent.
    pub fn agent(&mut self, item: ItemId) -> u32 {
        if let Some(index) = self.agents.get_index_of(&item) {
            return index as u32;
        }
        let settings = self.instance(body_instance(item, BodyPart::Settings));
        self.offered(item);
        let agent = Agent {
            name: item.name(self.view.db()).to_string(),
            models: self.models(item),
            settings,
        };
        self.agents.insert_full(item, agent).0 as u32
    }

    /// What an agent or prompt gives to its model.
    fn offered(&mut self, item: ItemId) {
        let db = self.view.db();
        self.given(&listed_tools(db, item));
        self.given(&listed_spawns(db, item));
        self.given(&listed_hooks(db, item));
        self.given(&listed_skill_tools(db, item));
    }

    /// Tools, workflows and hooks that a model is given; those of other modules are in the program only when one does.
    pub fn given(&mut self, items: &[ItemId]) {
        for &item in items {
            match item.kind(self.view.db()) {
                ItemKind::Tool | ItemKind::Prompt | ItemKind::Human => {
                    self.tool(item);
                }
                ItemKind::Workflow => self.spawnable(item),
                ItemKind::Hook => self.hook(item),
                ItemKind::Import
                | ItemKind::Function
                | ItemKind::Record
                | ItemKind::Alias
                | ItemKind::Enum
                | ItemKind::Error
                | ItemKind::Const
                | ItemKind::Agent
                | ItemKind::Mcp
                | ItemKind::External
                | ItemKind::Skill
                | ItemKind::Test
                | ItemKind::Permissions
                | ItemKind::Invalid => {}
            }
        }
    }

    /// What the models of the program can read: all skills that the project names, where any model is given the tools for it.
    pub fn skills(&self) -> Vec<Skill> {
        match self.tools.values().any(|it| it.body == ToolBody::Skills) {
            true => project_skills(self.view.db())
                .iter()
                .map(|it| (**it).clone())
                .collect(),
            false => Vec::new(),
        }
    }

    /// A workflow that models may start.
    fn spawnable(&mut self, item: ItemId) {
        if self.spawnable.contains_key(&item) {
            return;
        }
        let workflow = self.workflow(item);
        let name = spawn_name(self.view.db(), item).to_string();
        let repeat = self.view.repeat(item);
        // The model sees the name that calls in text use, with its module unless that is the entry.
        let workflow = Workflow { name, ..workflow };
        let spawnable = Spawnable { workflow, repeat };
        self.spawnable.insert(item, spawnable);
    }

    /// What can be started from outside.
    pub fn workflow(&mut self, item: ItemId) -> Workflow {
        self.startable(item, body_instance(item, BodyPart::Main))
    }

    /// A prompt as something that can be started from outside.
    pub fn prompt_entry(&mut self, item: ItemId) -> Workflow {
        self.startable(item, Instance::PromptEntry { item })
    }

    fn startable(&mut self, item: ItemId, instance: Instance) -> Workflow {
        let signature = self.view.signature(item);
        let function = self.instance(instance);
        let (errors, effects) = self.view.errors_and_effects(item);
        Workflow {
            name: item.name(self.view.db()).to_string(),
            docs: self.view.docs(item),
            parameters: self.parameters(item),
            result: self.type_id(&signature.result),
            errors,
            effects,
            acts: match changes_outside(self.view.db(), item) {
                true => Acts::Changes,
                false => Acts::Reads,
            },
            guarded: guarded(self.view.db(), item),
            function,
            resource: signature.resource.as_ref().map(|it| Resource {
                uri: it.uri.to_string(),
                media_type: it.media_type.as_ref().map(ToString::to_string),
            }),
        }
    }

    /// The strings in an agent's settings that are its `model`.
    fn models(&self, item: ItemId) -> Vec<String> {
        let Some(body) = self.view.body(item, BodyPart::Settings) else {
            return Vec::new();
        };
        let text = |id| {
            let ExpressionKind::String(text) = &body.expression(id).kind else {
                return None;
            };
            Some(text.to_string())
        };
        let mut models: Vec<String> = Vec::new();
        for expression in &body.expressions {
            let ExpressionKind::Map(entries) = &expression.kind else {
                continue;
            };
            // Any map in the settings counts, also in a branch of an `if`: the list is what a program may ask for, not what it will.
            for (key, value) in entries {
                if text(*key).as_deref() == Some(Setting::Model.name()) {
                    self.add_texts(&body, *value, &mut models);
                }
            }
        }
        if models.is_empty() {
            models.extend(
                self.view
                    .configuration()
                    .and_then(|it| it.models.default.clone()),
            );
        }
        models.iter().map(|it| self.view.model(it)).collect()
    }

    /// The strings in an expression, those of constants included.
    fn add_texts(&self, body: &Body, root: ExpressionId, texts: &mut Vec<String>) {
        let mut constants = Vec::new();
        crate::walk::any(body, root, &mut |id| {
            let kind = &body.expression(id).kind;
            if let ExpressionKind::String(text) = kind {
                texts.push(text.to_string());
            } else if let ExpressionKind::Constant(item) = kind {
                constants.push(*item);
            }
            false
        });
        // No constant is made of itself, so this ends.
        for body in constants
            .into_iter()
            .filter_map(|it| self.view.body(it, BodyPart::Main))
        {
            self.add_texts(&body, body.root, texts);
        }
    }

    /// The index of a prompt, or of a `human` or `external`, which are listed with the prompts.
    pub fn prompt(&mut self, item: ItemId) -> u32 {
        if let Some(index) = self.prompts.get_index_of(&item) {
            return index as u32;
        }
        let signature = self.view.signature(item);
        // Before the prompt itself, whose entry holds the agent's index.
        let agent = signature.agent.map(|it| self.agent(it));
        self.offered(item);
        let examples =
            (self.view.example_count(item) > 0).then(|| self.instance(Instance::Examples { item }));
        let prompt = Prompt {
            name: item.name(self.view.db()).to_string(),
            docs: self.view.docs(item),
            parameters: self.parameters(item),
            result: self.type_id(&signature.result),
            agent,
            examples,
            says: match gsw_analysis::says_foreign(self.view.db(), item) {
                true => Trust::Any,
                false => Trust::Trusted,
            },
            asks: self.asks(item),
        };
        self.prompts.insert_full(item, prompt).0 as u32
    }

    fn asks(&mut self, item: ItemId) -> Asks {
        match item.kind(self.view.db()) {
            ItemKind::Human => Asks::Person,
            ItemKind::External => match self.part(item, BodyPart::Key, &[]) {
                Some(_) => Asks::WorldByKey,
                None => Asks::World,
            },
            ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Hook
            | ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Mcp
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => Asks::Model,
        }
    }

    /// The index of a tool, or of a prompt or `human` that a model may call.
    pub fn tool(&mut self, item: ItemId) -> u32 {
        if let Some(index) = self.tools.get_index_of(&item) {
            return index as u32;
        }
        let signature = self.view.signature(item);
        let db = self.view.db();
        let body = self.body_of_tool(item);
        let function = match body {
            ToolBody::Prompt | ToolBody::Human => self.instance(Instance::CalledByModel { item }),
            ToolBody::Program
            | ToolBody::Host
            | ToolBody::Question
            | ToolBody::SpawnRequest
            | ToolBody::WrittenRequest
            | ToolBody::Skills => self.instance(body_instance(item, BodyPart::Main)),
        };
        let tool = Tool {
            name: item.name(db).to_string(),
            module: self.view.module(item.file(db)),
            docs: self.view.docs(item),
            parameters: self.parameters(item),
            result: self.type_id(&signature.result),
            gives: match body {
                // What a person says is no stranger's word.
                ToolBody::Human => Trust::Trusted,
                ToolBody::Program
                | ToolBody::Prompt
                | ToolBody::Host
                | ToolBody::Question
                | ToolBody::SpawnRequest
                | ToolBody::WrittenRequest
                | ToolBody::Skills => trust_of(signature.trusted),
            },
            repeat: self.repeat_of_tool(item, body),
            body,
            function,
            schema: ToolSchema::default(),
        };
        self.tools.insert_full(item, tool).0 as u32
    }

    fn repeat_of_tool(&mut self, item: ItemId, body: ToolBody) -> Repeat {
        match body {
            // What the prompt does in turn, its own tools answer for.
            ToolBody::Prompt => Repeat::Reads,
            // No one likes to be asked the same thing again because something else has failed.
            ToolBody::Human => Repeat::Once,
            ToolBody::Program
            | ToolBody::Host
            | ToolBody::Question
            | ToolBody::SpawnRequest
            | ToolBody::WrittenRequest
            | ToolBody::Skills => {
                match self.view.repeat(item) {
                    Repeat::Idempotent(_) => {
                        // The key is code of its own, which the runtime calls before the tool to look for an earlier call with the same one.
                        Repeat::Idempotent(self.instance(body_instance(item, BodyPart::Key)))
                    }
                    repeat @ (Repeat::Pure | Repeat::Reads | Repeat::Once) => repeat,
                }
            }
        }
    }

    fn body_of_tool(&self, item: ItemId) -> ToolBody {
        let db = self.view.db();
        let kind = item.kind(db);
        if kind == ItemKind::Prompt {
            ToolBody::Prompt
        } else if kind == ItemKind::Human {
            ToolBody::Human
        } else if is_host_tool(db, item) {
            ToolBody::Host
        } else if is_spawn_request(db, item) {
            ToolBody::SpawnRequest
        } else if is_written_request(db, item) {
            ToolBody::WrittenRequest
        } else if is_skill_tool(db, item) {
            ToolBody::Skills
        } else if is_question(db, item) {
            ToolBody::Question
        } else {
            ToolBody::Program
        }
    }

    /// The parameters of a declaration without type parameters, with their defaults.
    pub fn parameters(&mut self, item: ItemId) -> Vec<Field> {
        let signature = self.view.signature(item);
        (0..)
            .zip(&signature.parameters)
            .map(|(index, it)| Field {
                default: self.parameter_default(item, index, it),
                ..self.field(it, &[])
            })
            .collect()
    }

    /// The default of a parameter; one that waits can only be evaluated by a call in the program.
    fn parameter_default(
        &mut self,
        item: ItemId,
        parameter: u32,
        declared: &Parameter,
    ) -> Option<DefaultValue> {
        let part = BodyPart::ParameterDefault(parameter);
        let instance = self.part(item, part, &[])?;
        // A start from outside has no frame to suspend.
        (self.colour(&instance) == Colour::Plain).then(|| DefaultValue {
            function: self.instance(Instance::Default { item, parameter }),
            source: self.default_source(item, part, declared),
            json: self.default_json(item, part, (declared, &[])),
        })
    }

    /// The default of a parameter as a function with a frame.
    pub fn lower_default(&mut self, item: ItemId, parameter: u32) -> Function {
        let signature = self.view.signature(item);
        let part = BodyPart::ParameterDefault(parameter);
        let default = self.instance(body_instance(item, part));
        let mut builder = self.builder(item, part, Colour::Resumable);
        let (before, after) = signature.parameters.split_at(parameter as usize);
        let arguments = before.iter().map(|it| {
            let ty = builder.type_id(&it.ty);
            Operand::Local(builder.parameter(ty, &it.name))
        });
        let arguments = arguments.collect();
        let ty = builder.type_id(&after[0].ty);
        let value = builder.call(ty, default, arguments);
        builder.end(Terminator::Return(value));
        builder.finish()
    }

    /// The rows of a test as a function with a frame.
    pub fn lower_rows(&mut self, item: ItemId) -> Function {
        let rows = self.instance(body_instance(item, BodyPart::Rows));
        let body = self.view.body(item, BodyPart::Rows);
        let mut builder = self.builder(item, BodyPart::Rows, Colour::Resumable);
        let ty = body.map_or(Type::Unit, |it| it.result.clone());
        let ty = builder.type_id(&ty);
        let value = builder.call(ty, rows, Vec::new());
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}

/// A body without type parameters.
pub(crate) fn body_instance(item: ItemId, part: BodyPart) -> Instance {
    Instance::Body(BodyInstance {
        item,
        part,
        type_arguments: Vec::new(),
        arguments: ArgumentsWait::No,
    })
}

fn guarded(db: &dyn Db, workflow: ItemId) -> Vec<Guarded> {
    let guarded = guarded_parameters(db, workflow).into_iter();
    guarded
        .map(|it| Guarded {
            parameter: it.name.to_string(),
            place: it.place,
        })
        .collect()
}
