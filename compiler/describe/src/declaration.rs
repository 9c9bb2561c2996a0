//! One declaration as data and as text: head, docs, parts, what a call raises and does, how it may be repeated, what a prompt says.

use std::fmt::Write as _;

use gsw_analysis::{ArgumentEffects, RepeatClass, item_summary, repeat_class};
use gsw_names::{
    Parameter, Presence, WrittenPart, display_type, is_std, item_signature, shown_module,
    source_text, type_declaration, written_check, written_parts,
};
use gsw_source::{Db, ItemId, ItemKind, Name};
use gsw_syntax::ast::{Attribute, ItemBody, PromptEntry, Setting, SettingValue};
use gsw_syntax::item_ast;
use serde_json::{Map, Value, json};

use crate::facts::{HIDDEN, declared_line, docs_and_examples, raises, tail};
use crate::graph::head_marks;
use crate::site::keyword;

/// Everything that is known of a declaration, for people and for programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// What a program writes to name it: `fs.read`, `Severity`.
    pub name: String,
    /// The word that declares it.
    pub kind: &'static str,
    /// `std/fs`, or the path of a file of the project without its ending.
    pub module: String,
    /// Its head, or all of it where that is data.
    pub signature: String,
    pub docs: String,
    pub examples: Vec<String>,
    /// Why it is not to be used any more.
    pub deprecated: Option<String>,
    /// Parameters or fields.
    pub parts: Vec<Part>,
    /// What an alias checks, as written after `where`.
    pub check: Option<String>,
    pub variants: Vec<Variant>,
    /// What a call of it does; `None` for what cannot be called.
    pub call: Option<CallFacts>,
    /// What a prompt or human says, as written, in order.
    pub texts: Vec<Said>,
    /// The settings of an agent or prompt, as written.
    pub settings: Vec<Written>,
    /// The file, and the line, from 1.
    pub place: (String, u32),
}

/// The speaker and the text, as written.
pub type Said = (&'static str, String);
/// A setting and its value, as written.
pub type Written = (String, String);

/// A parameter or field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub name: String,
    pub ty: String,
    /// As written.
    pub default: Option<String>,
    /// What it checks, as written after `where`.
    pub check: Option<String>,
    pub docs: Option<String>,
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    pub name: String,
    pub fields: Vec<Part>,
    pub docs: Option<String>,
}

/// What a call does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallFacts {
    pub result: String,
    pub errors: Vec<Name>,
    pub effects: Vec<&'static str>,
    /// Whether its function arguments raise and do more.
    pub takes_functions: bool,
    /// How a tool may be repeated.
    pub repeat: Option<&'static str>,
    /// The modifiers of the head, as written.
    pub modifiers: Vec<String>,
    /// The agent of a prompt.
    pub agent: Option<Name>,
}

/// What is known of a declaration that programs name so.
#[must_use]
pub fn declaration(db: &dyn Db, item: ItemId, name: &str) -> Declaration {
    let (docs, examples) = docs_and_examples(db, item);
    let kind = keyword(item.kind(db));
    let ast = item_ast(db, item);
    let attributes = ast.as_ref().map(|it| it.attributes.as_slice());
    let (texts, settings) = written(db, item);
    Declaration {
        name: name.to_owned(),
        kind,
        module: match is_std(db, item.file(db)) {
            true => gsw_names::module_path(db, item.file(db)).map(str::to_owned),
            false => None,
        }
        .unwrap_or_else(|| shown_module(db, item.file(db))),
        signature: format!("{kind} {}{}", item.name(db), tail(db, item)),
        docs,
        examples,
        deprecated: deprecated(db, item, attributes.unwrap_or_default()),
        parts: parts(db, item),
        check: written_check(db, item).map(|it| it.to_string()),
        variants: variants(db, item),
        call: call_facts(db, item),
        texts,
        settings,
        place: (
            item.file(db).path(db).display().to_string(),
            declared_line(db, item),
        ),
    }
}

fn deprecated(db: &dyn Db, item: ItemId, attributes: &[Attribute]) -> Option<String> {
    let it = attributes.iter().find(|it| it.name.name == "deprecated")?;
    let why = it.arguments.first();
    let why = why.map(|it| source_text(db, item, it.span).to_string());
    Some(why.unwrap_or_default().trim_matches('"').to_owned())
}

fn shown_parts(db: &dyn Db, item: ItemId, variant: usize, them: &[Parameter]) -> Vec<Part> {
    let mut written = written_parts(db, item, variant).into_iter();
    let parts = them
        .iter()
        .map(|it| (it, written.next().unwrap_or_default()));
    let shown = parts.filter(|(it, _)| !it.name.starts_with(HIDDEN));
    let part = |(it, written): (&Parameter, WrittenPart)| Part {
        name: it.name.to_string(),
        ty: display_type(db, &it.ty),
        default: written.default.map(|it| it.to_string()),
        check: written.check.map(|it| it.to_string()),
        docs: it.docs.as_ref().map(ToString::to_string),
    };
    shown.map(part).collect()
}

fn parts(db: &dyn Db, item: ItemId) -> Vec<Part> {
    match item.kind(db) {
        ItemKind::Function
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => {
            let parameters = &item_signature(db, item).signature.parameters;
            shown_parts(db, item, 0, parameters)
        }
        ItemKind::Record | ItemKind::Error => {
            let fields = type_declaration(db, item).declaration.fields();
            shown_parts(db, item, 0, fields)
        }
        ItemKind::Import
        | ItemKind::Enum
        | ItemKind::Alias
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => Vec::new(),
    }
}

fn variants(db: &dyn Db, item: ItemId) -> Vec<Variant> {
    if item.kind(db) != ItemKind::Enum {
        return Vec::new();
    }
    let variants = type_declaration(db, item).declaration.variants();
    let variants = variants.iter().enumerate();
    let shown = variants.map(|(index, it)| Variant {
        name: it.name.to_string(),
        fields: shown_parts(db, item, index, &it.fields),
        docs: it.docs.as_ref().map(ToString::to_string),
    });
    shown.collect()
}

fn call_facts(db: &dyn Db, item: ItemId) -> Option<CallFacts> {
    let kind = item.kind(db);
    let is_callable = matches!(
        kind,
        ItemKind::Function
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External
    );
    if !is_callable {
        return None;
    }
    let signature = &item_signature(db, item).signature;
    let summary = &item_summary(db, item).item;
    let takes_functions = summary.arguments == ArgumentEffects::Added;
    let repeat = (kind == ItemKind::Tool).then(|| match repeat_class(db, item) {
        RepeatClass::Pure => "pure",
        RepeatClass::Reads => "reads",
        RepeatClass::Idempotent => "idempotent",
        RepeatClass::Once => "once",
    });
    Some(CallFacts {
        result: display_type(db, &signature.result),
        errors: raises(db, item),
        effects: summary.effects.iter().map(|it| it.name()).collect(),
        takes_functions: takes_functions && signature.property == Presence::Absent,
        repeat,
        modifiers: head_marks(db, item),
        agent: signature.agent.map(|it| it.name(db).clone()),
    })
}

/// The texts of a prompt, and the settings of it or of an agent, as they are written.
fn written(db: &dyn Db, item: ItemId) -> (Vec<Said>, Vec<Written>) {
    let Some(ast) = item_ast(db, item) else {
        return (Vec::new(), Vec::new());
    };
    let setting = |it: &Setting| {
        let span = match &it.value {
            SettingValue::Expression(it) => it.span,
            SettingValue::Settings { span, .. } => *span,
        };
        (
            it.name.name.to_string(),
            source_text(db, item, span).to_string(),
        )
    };
    match &ast.body {
        ItemBody::Agent { settings, .. } => (Vec::new(), settings.iter().map(setting).collect()),
        ItemBody::Prompt { entries, .. } | ItemBody::Human { entries, .. } => {
            let (mut texts, mut settings) = (Vec::new(), Vec::new());
            for entry in entries {
                match entry {
                    PromptEntry::Text { role, text, .. } => {
                        texts.push((role.text(), source_text(db, item, text.span).to_string()));
                    }
                    PromptEntry::Statement(it) => {
                        texts.push(("code", source_text(db, item, it.span).to_string()));
                    }
                    PromptEntry::Example { span, .. } => {
                        texts.push(("example", source_text(db, item, *span).to_string()));
                    }
                    PromptEntry::Setting(it) => settings.push(setting(it)),
                }
            }
            (texts, settings)
        }
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => (Vec::new(), Vec::new()),
    }
}

fn part_json(part: &Part) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), json!(part.name));
    fields.insert("type".into(), json!(part.ty));
    let default = part.default.as_ref();
    fields.extend(default.map(|it| ("default".into(), json!(it))));
    let check = part.check.as_ref();
    fields.extend(check.map(|it| ("where".into(), json!(it))));
    let docs = part.docs.as_ref();
    fields.extend(docs.map(|it| ("docs".into(), json!(it))));
    Value::Object(fields)
}

fn parts_json(parts: &[Part]) -> Vec<Value> {
    parts.iter().map(part_json).collect()
}

impl CallFacts {
    fn json(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("result".into(), json!(self.result));
        let errors: Vec<&str> = self.errors.iter().map(Name::as_str).collect();
        // Also none: a reader who asks what a call raises wants to see that it is nothing.
        fields.insert("errors".into(), json!(errors));
        fields.insert("effects".into(), json!(self.effects));
        fields.insert("takes_functions".into(), json!(self.takes_functions));
        fields.extend(self.repeat.map(|it| ("repeat".into(), json!(it))));
        if !self.modifiers.is_empty() {
            fields.insert("modifiers".into(), json!(self.modifiers));
        }
        let agent = self.agent.as_ref().map(Name::as_str);
        fields.extend(agent.map(|it| ("agent".into(), json!(it))));
        fields
    }
}

impl Declaration {
    /// As Markdown that reads well on a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("# {}\n\n    {}\n", self.name, self.signature);
        if let Some(why) = &self.deprecated {
            let _ = write!(text, "\nDeprecated: {why}\n");
        }
        if !self.docs.is_empty() {
            let _ = write!(text, "\n{}\n", self.docs);
        }
        self.parts_text(&mut text);
        self.call_text(&mut text);
        let mut written = String::new();
        for (role, said) in &self.texts {
            let _ = writeln!(written, "    {role} {said}");
        }
        for (name, value) in &self.settings {
            let _ = writeln!(written, "    {name}: {value}");
        }
        if !written.is_empty() {
            let _ = write!(text, "\n{written}");
        }
        for example in &self.examples {
            let _ = write!(text, "\n```gsw\n{example}\n```\n");
        }
        let _ = write!(text, "\n{}:{}\n", self.place.0, self.place.1);
        text
    }

    fn parts_text(&self, text: &mut String) {
        let mut lines = String::new();
        let described = self.parts.iter().filter(|it| it.docs.is_some());
        for part in described {
            let docs = part.docs.as_deref().unwrap_or_default();
            let _ = writeln!(lines, "- `{}: {}`: {docs}", part.name, part.ty);
        }
        for variant in self.variants.iter().filter(|it| it.docs.is_some()) {
            let docs = variant.docs.as_deref().unwrap_or_default();
            let _ = writeln!(lines, "- `{}`: {docs}", variant.name);
        }
        if !lines.is_empty() {
            let _ = write!(text, "\n{lines}");
        }
    }

    fn call_text(&self, text: &mut String) {
        let Some(call) = &self.call else { return };
        let mut lines = String::new();
        if !call.errors.is_empty() {
            let _ = writeln!(lines, "raises: {}", call.errors.join(", "));
        }
        if !call.effects.is_empty() {
            let _ = writeln!(lines, "does: {}", call.effects.join(", "));
        }
        if call.takes_functions {
            lines.push_str("raises and does also what its function arguments do\n");
        }
        if let Some(class) = call.repeat {
            let _ = writeln!(lines, "repeated as: {class}");
        }
        if !call.modifiers.is_empty() {
            let _ = writeln!(lines, "within: {}", call.modifiers.join(" "));
        }
        if let Some(agent) = &call.agent {
            let _ = writeln!(lines, "asked by: {agent}");
        }
        if !lines.is_empty() {
            let _ = write!(text, "\n{lines}");
        }
    }

    /// As a JSON object; what is not there is left out.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| {
            let is_empty = match &value {
                Value::Null => true,
                Value::String(it) => it.is_empty(),
                Value::Array(it) => it.is_empty(),
                Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
            };
            if !is_empty {
                fields.insert(name.to_owned(), value);
            }
        };
        put("name", json!(self.name));
        put("kind", json!(self.kind));
        put("module", json!(self.module));
        put("file", json!(self.place.0));
        put("line", json!(self.place.1));
        put("signature", json!(self.signature));
        put("docs", json!(self.docs));
        put("deprecated", json!(self.deprecated));
        put("examples", json!(self.examples));
        let name_of_parts = match self.call {
            Some(_) => "parameters",
            None => "fields",
        };
        put(name_of_parts, json!(parts_json(&self.parts)));
        put("where", json!(self.check));
        let variants = self.variants.iter().map(
            |it| json!({ "name": it.name, "fields": parts_json(&it.fields), "docs": it.docs }),
        );
        put("variants", variants.collect());
        if let Some(call) = &self.call {
            fields.extend(call.json());
        }
        let said = self.texts.iter();
        let said: Vec<_> = said
            .map(|(role, it)| json!({ "role": role, "text": it }))
            .collect();
        if !said.is_empty() {
            fields.insert("says".into(), json!(said));
        }
        if !self.settings.is_empty() {
            let settings = self.settings.iter();
            let settings = settings.map(|(name, it)| (name.clone(), json!(it)));
            fields.insert("settings".into(), Value::Object(settings.collect()));
        }
        Value::Object(fields)
    }
}
