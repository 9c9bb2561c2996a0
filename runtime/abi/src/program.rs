//! The tables of a program besides its types: functions, entries, prompts, tools, spans, sources.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::call::NodeKind;
use crate::hook::Hook;
use crate::permission::Permitted;
use crate::schema;
use crate::types::{Field, Trust, TypeId, TypeTable};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FunctionIndex(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SpanIndex(pub u32);

/// Everything about a program that is not code or constants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The name of the program: as the project's `gsw.toml` says, else the entry file's stem.
    pub name: String,
    /// The version that `gsw.toml` gives the project.
    pub version: Option<String>,
    pub docs: Option<String>,
    pub types: TypeTable,
    pub functions: Vec<Function>,
    /// The workflows of the entry module in order; what a command line, a service or another program can start.
    pub workflows: Vec<Workflow>,
    /// All agents that prompts can be run by.
    pub agents: Vec<Agent>,
    pub prompts: Vec<Prompt>,
    pub tools: Vec<Tool>,
    /// The skills that agents, prompts and calls list.
    pub skills: Vec<Skill>,
    /// The hooks of all modules that agents, prompts and calls list.
    pub hooks: Vec<Hook>,
    /// The workflows of all modules that agents, prompts and calls list after `spawns`.
    pub spawnable: Vec<Spawnable>,
    /// What workflows, prompts, tools and questions were called in earlier versions of the program.
    pub former: Vec<FormerName>,
    /// All places that errors can name.
    pub spans: Vec<Span>,
    pub sources: Vec<Source>,
    /// `permissions`, when the entry module or `gsw.toml` declares them.
    pub permissions: Option<Permitted>,
    /// What `gsw.toml` permits any program of the project at most; the block above can only narrow it.
    pub ceiling: Option<Permitted>,
    /// What `gsw.toml` says of models.
    pub models: ModelDefaults,
    /// What `gsw.toml` says of the runs that are kept.
    pub runs: RunsDefaults,
}

/// Where runs are kept, how long, and when one that waits is left, where neither options nor the environment say.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunsDefaults {
    /// A path relative to the folder in which the program runs, or `off`.
    pub store: Option<String>,
    /// In nanoseconds.
    pub idle: Option<i64>,
    pub keep_days: Option<u32>,
    pub keep_runs: Option<u32>,
    pub keep_bytes: Option<u64>,
}

/// An earlier name, under which runs of earlier versions remember a declaration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FormerName {
    /// Of the nodes that it makes.
    pub kind: NodeKind,
    pub name: String,
    pub was: String,
}

impl Program {
    /// A program that declares nothing: what is built by hand fills in its own part.
    #[must_use]
    pub fn empty(name: &str, types: TypeTable) -> Self {
        Self {
            name: name.to_owned(),
            version: None,
            docs: None,
            types,
            functions: Vec::new(),
            workflows: Vec::new(),
            agents: Vec::new(),
            prompts: Vec::new(),
            tools: Vec::new(),
            skills: Vec::new(),
            hooks: Vec::new(),
            spawnable: Vec::new(),
            former: Vec::new(),
            spans: Vec::new(),
            sources: Vec::new(),
            permissions: None,
            ceiling: None,
            models: ModelDefaults::default(),
            runs: RunsDefaults::default(),
        }
    }

    /// The name that what is declared so had in earlier versions, by which their runs know it.
    #[must_use]
    pub fn former_name(&self, kind: NodeKind, name: &str) -> Option<&str> {
        let mut former = self.former.iter();
        let found = former.find(|it| it.kind == kind && it.name == name)?;
        Some(&found.was)
    }

    /// The name by which runs of all versions know what is declared so.
    #[must_use]
    pub fn lasting_name<'a>(&'a self, kind: NodeKind, name: &'a str) -> &'a str {
        self.former_name(kind, name).unwrap_or(name)
    }

    /// Whether these are names of one `human` or `external`, be it in different versions of the program.
    #[must_use]
    pub fn is_same_question(&self, first: &str, second: &str) -> bool {
        let kinds = [NodeKind::Human, NodeKind::External];
        first == second
            || kinds
                .iter()
                .any(|it| self.lasting_name(*it, first) == self.lasting_name(*it, second))
    }
}

/// Which models are asked, how, and what they cost where the program does not say.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ModelDefaults {
    /// The model of agents that name none, or its short name.
    pub default: Option<String>,
    /// Short names with the models that they are aliases of.
    pub aliases: Vec<(String, String)>,
    /// Settings that hold where agent, prompt and call say nothing, each value as JSON.
    pub settings: Vec<(String, String)>,
    /// What models cost, before the built-in table: a JSON object each with `name`, `input` and `output`, and perhaps
    /// `cache_read` and `cache_write`, in dollars per million tokens.
    pub prices: Vec<String>,
}

impl ModelDefaults {
    /// The model that `name` means: itself, unless it is a short name.
    #[must_use]
    pub fn resolve<'a>(&'a self, name: &'a str) -> &'a str {
        let found = self.aliases.iter().find(|(alias, _)| alias == name);
        found.map_or(name, |(_, model)| model)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// As in source, with its module: `review.find_bugs`.
    pub name: String,
    /// Offset of its first instruction in the image's code.
    pub offset: u64,
    pub colour: Colour,
    /// How many parameters it has; all are owned by it.
    pub parameters: u32,
    /// The slots of its frame, parameters first; empty for a plain one.
    pub slots: Vec<Slot>,
    /// By state: the slots that own an object while the function waits there; state 0 owns the parameters.
    pub owned: Vec<Vec<u32>>,
}

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Colour {
    /// It cannot wait: a native function.
    Plain,
    /// It can: a state machine over a frame.
    Resumable,
}

/// A slot of a frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Slot {
    /// The variable's name in source; `None` for an intermediate value.
    pub name: Option<String>,
    pub ty: TypeId,
}

/// A workflow that can be started from outside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Workflow {
    pub name: String,
    pub docs: Option<String>,
    pub parameters: Vec<Field>,
    pub result: TypeId,
    /// The names of the errors it can raise.
    pub errors: Vec<String>,
    /// The names of its effects.
    pub effects: Vec<String>,
    /// What it does outside, tools that are declared to do something included.
    pub acts: Acts,
    /// The parameters that come to a `trusted` place.
    pub guarded: Vec<Guarded>,
    /// The resumable function that takes the parameters.
    pub function: FunctionIndex,
    /// What `@resource` says of it.
    pub resource: Option<Resource>,
}

/// Whether something is changed outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Acts {
    Reads,
    Changes,
}

/// A parameter that comes to a place which takes only what no stranger has chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Guarded {
    pub parameter: String,
    /// As in "`to` of `pay`"; `None` where it is declared `trusted` itself.
    pub place: Option<String>,
}

/// A workflow as something to read, for clients of the program as a server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Resource {
    /// Its address, with parameters in braces.
    pub uri: String,
    pub media_type: Option<String>,
}

/// The entry of a `spawns` list for programs that a model writes itself: no workflow can have this name.
pub const WRITTEN: &str = "(written)";

/// A workflow that a model may be allowed to start. Its name is that in the lists of `spawns`: outside of the entry module
/// after that of its module and a dot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spawnable {
    pub workflow: Workflow,
    /// How it may be repeated.
    pub repeat: Repeat,
}

impl Spawnable {
    /// Its name without that of its module.
    #[must_use]
    pub fn short_name(&self) -> &str {
        let name = &self.workflow.name;
        name.rsplit('.').next().unwrap_or(name)
    }
}

impl Program {
    /// The workflows of these names as they are described to a model: by their short names, where no two have the same.
    #[must_use]
    pub fn spawnable(&self, allowed: &[String]) -> Vec<(&str, &Spawnable)> {
        let is_allowed = |it: &&Spawnable| allowed.contains(&it.workflow.name);
        let found: Vec<&Spawnable> = self.spawnable.iter().filter(is_allowed).collect();
        let shown = |it: &'_ &Spawnable| {
            let same = found
                .iter()
                .filter(|other| other.short_name() == it.short_name());
            same.count() == 1
        };
        found
            .iter()
            .map(|it| match shown(it) {
                true => (it.short_name(), *it),
                false => (it.workflow.name.as_str(), *it),
            })
            .collect()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Agent {
    pub name: String,
    /// The model names that could be read off its declaration, for the manifest.
    pub models: Vec<String>,
    /// A plain function without parameters that gives its settings as a `json` object; settings of agents are named as in
    /// source, durations are seconds, tools, hooks and skills are lists of names.
    pub settings: FunctionIndex,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    pub docs: Option<String>,
    pub parameters: Vec<Field>,
    /// What it is asked for.
    pub result: TypeId,
    /// Index of its agent, unless each call names one.
    pub agent: Option<u32>,
    /// Few-shot pairs: the user text and the answer as a model would write it, from a plain function without parameters that
    /// gives a `json` list of pairs.
    pub examples: Option<FunctionIndex>,
    /// Whether its texts hold nothing from outside besides its arguments.
    pub says: Trust,
    pub asks: Asks,
}

/// Whom something is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Asks {
    /// A model, by a `prompt`.
    Model,
    /// A person, by a `human`.
    Person,
    /// The world, by an `external` that has no key.
    World,
    /// The world, by an `external` with a key.
    WorldByKey,
}

/// The longest name of a tool that providers take.
const LONGEST_WIRE_NAME: usize = 64;

/// What a model knows a tool of this name by, unless the list of tools gives it another name: letters, digits, `_` and `-`.
#[must_use]
pub fn wire_name(name: &str) -> String {
    let wire = |it: char| {
        if it.is_ascii_alphanumeric() || it == '-' {
            it
        } else {
            '_'
        }
    };
    name.chars().map(wire).take(LONGEST_WIRE_NAME).collect()
}

/// A tool. Settings name it by its index in [`Program::tools`]: `{"tool": 3}`, and `{"tool": 3, "name": "other"}` where the
/// model knows it by another name than its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tool {
    /// Its name, which a tool of another module may have as well.
    pub name: String,
    /// The module that declares it, without the ending, seen from the folder of the entry.
    pub module: String,
    /// Its docs, which the model reads.
    pub docs: Option<String>,
    pub parameters: Vec<Field>,
    pub result: TypeId,
    /// Whether what it gives may be taken for what no stranger has written.
    pub gives: Trust,
    /// How it may be repeated.
    pub repeat: Repeat,
    pub body: ToolBody,
    /// The resumable function that takes the parameters.
    pub function: FunctionIndex,
    #[serde(skip)]
    pub schema: ToolSchema,
}

impl Tool {
    /// The JSON Schema of its parameters.
    #[must_use]
    pub fn input_schema(&self, types: &TypeTable) -> Arc<Value> {
        let made = || Arc::new(schema::input_schema(types, &self.parameters));
        Arc::clone(self.schema.0.get_or_init(made))
    }
}

/// The JSON Schema of a tool's parameters, once something has asked for it: all models that are offered the tool share it.
#[derive(Clone, Default, Debug)]
pub struct ToolSchema(OnceLock<Arc<Value>>);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ToolBody {
    Program,
    /// A prompt, that another model calls.
    Prompt,
    /// A person, whom a model asks.
    Human,
    /// The program that embeds it, after `@host`.
    Host,
    /// The library: it inspects the run that its model is part of.
    Question,
    /// The library: it asks for a workflow to be started, which answers for what it does itself.
    SpawnRequest,
    /// The library: it runs a workflow that its model has written, which answers for what it does itself.
    WrittenRequest,
    /// The library: it hands out what skills hold.
    Skills,
}

/// A skill: instructions that a model reads when it needs them. Settings name it by its id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Skill {
    /// Its name with the first digits of the SHA-256 of all that it holds, so that a kept answer was made by just this one.
    pub id: String,
    pub name: String,
    /// What it is for, which is always part of the request.
    pub description: String,
    /// The tools that may be called by a model that follows it; `None` for all that it has.
    pub tools: Option<Vec<String>>,
    /// Its folder, as the program names it.
    pub path: String,
    /// The whole `SKILL.md`.
    pub source: String,
    /// The text below its head.
    pub instructions: String,
    /// The other files, sorted by path.
    pub files: Vec<SkillFile>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SkillFile {
    /// Below the skill's folder.
    pub path: String,
    /// `None` for one that is no text, which is only listed.
    pub text: Option<String>,
}

impl Skill {
    /// The file of a skill with its instructions, in its folder.
    pub const INSTRUCTIONS: &str = "SKILL.md";

    /// Whether a path in the folder of a skill leads to its instructions, by whichever tool: who has read them follows them.
    #[must_use]
    pub fn is_instructions(path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        path.is_empty() || path == Self::INSTRUCTIONS
    }

    /// Gives it the id of what it holds.
    pub fn seal(&mut self) {
        let mut sum = Sha256::new();
        let mut part = |text: &str| {
            // With its length, so that no text can end another one.
            sum.update((text.len() as u64).to_le_bytes());
            sum.update(text);
        };
        part(&self.source);
        for file in &self.files {
            part(&file.path);
            part(file.text.as_deref().unwrap_or_default());
        }
        let sum = sum.finalize();
        let digits = gsw_notation::hex::text(&sum[..6]);
        self.id = format!("{}@{digits}", self.name);
    }
}

/// How a tool may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Repeat {
    Pure,
    Reads,
    /// A plain function of the parameters gives the key under which a second call returns the first result.
    Idempotent(FunctionIndex),
    /// It must not be repeated by itself.
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The file, as an index into [`Program::sources`].
    pub source: u32,
    /// The first byte of the span.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Source {
    /// As shown to the user.
    pub path: String,
    /// The text, unless the image was stripped of it.
    pub text: Option<String>,
    /// The byte at which each line starts.
    pub lines: Vec<u32>,
}
