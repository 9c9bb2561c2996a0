//! Settings of agents, prompts, questions and calls: checked one by one, put together into one `json`.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{Definition, spawn_name};
use gsw_source::{ItemKind, Name, Span, nearest};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::context::{Context, Expected};
use crate::infer::name::kind_text;
use crate::not_yet_supported::Missing;

/// Whose settings they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SettingsOf {
    /// An agent's, a prompt's or a question's.
    Declaration,
    /// A call's, after `with`.
    Call,
}

/// What a setting takes.
pub(super) enum Form {
    /// A value of this type.
    Value(Type),
    /// A list of strings.
    Texts,
    /// A model's name, or several in `first_of(…)`.
    Model,
    /// `true`, `false` or `{ ttl: D }`.
    Cache,
    /// `usd`, `tokens`, `calls`, `time`.
    Budget,
    /// Tools, each by its name or as another: `accounts.remove as remove_account`.
    Tools,
    /// Names of declarations or texts.
    Names,
    /// Names of variables with strings or secrets.
    Environment,
    /// `exact`
    Answer,
    /// A conversation to go on with.
    Session,
}

/// Every setting.
const SETTINGS: &[(&str, Form)] = &[
    ("answer", Form::Answer),
    ("budget", Form::Budget),
    ("cache", Form::Cache),
    ("description", Form::Value(Type::String)),
    ("env", Form::Environment),
    ("hooks", Form::Names),
    ("max_tokens", Form::Value(Type::Int)),
    ("max_turns", Form::Value(Type::Int)),
    ("mcp", Form::Names),
    ("model", Form::Model),
    ("reflect", Form::Value(Type::Int)),
    ("retry", Form::Value(Type::Int)),
    ("session", Form::Session),
    ("skills", Form::Names),
    ("spawns", Form::Names),
    ("stop", Form::Texts),
    ("system", Form::Value(Type::String)),
    ("temperature", Form::Value(Type::Float)),
    ("thinking", Form::Value(Type::Int)),
    ("timeout", Form::Value(Type::Duration)),
    ("tools", Form::Tools),
];

impl Context<'_> {
    /// Settings as one `json` object.
    pub(super) fn settings(
        &mut self,
        settings: &[ast::Setting],
        whose: SettingsOf,
    ) -> ExpressionId {
        let mut entries = Vec::with_capacity(settings.len());
        let mut seen: Vec<&Name> = Vec::new();
        for setting in settings {
            let name = &setting.name;
            if seen.contains(&&name.name) {
                let place = self.place(name.span);
                self.report(errors::duplicate_setting(place, &name.name));
            }
            seen.push(&name.name);
            if let Some(value) = self.setting(setting, whose) {
                entries.push((name.clone(), value));
            }
        }
        self.json_object(entries)
    }

    /// A `json` object of entries that are `json`.
    pub(super) fn json_object(
        &mut self,
        entries: Vec<(ast::Identifier, ExpressionId)>,
    ) -> ExpressionId {
        let span = entries
            .first()
            .map_or_else(Span::default, |(name, _)| name.span);
        let entries = entries
            .into_iter()
            .map(|(name, value)| (self.text(&name.name, name.span), value))
            .collect();
        let ty = Type::Map(Arc::new(Type::String), Arc::new(Type::Json));
        let map = self.push(ExpressionKind::Map(entries), ty, span);
        self.as_json(map)
    }

    fn setting(&mut self, setting: &ast::Setting, whose: SettingsOf) -> Option<ExpressionId> {
        let name = &setting.name;
        let found = SETTINGS.iter().find(|(it, _)| *it == name.name);
        let known =
            found.filter(|(_, form)| whose == SettingsOf::Call || !matches!(form, Form::Session));
        let Some((_, form)) = known else {
            let names: Vec<Name> = SETTINGS
                .iter()
                .map(|(it, _)| Name::new_static(it))
                .collect();
            let suggestion = nearest(&name.name, &names);
            let place = self.place(name.span);
            self.report(errors::unknown_setting(
                place,
                &name.name,
                suggestion.as_deref(),
            ));
            return None;
        };
        match (form, &setting.value) {
            (Form::Budget, ast::SettingValue::Settings { settings, .. }) => {
                Some(self.inner_settings(settings, BUDGET))
            }
            (Form::Cache, ast::SettingValue::Settings { settings, .. }) => {
                Some(self.inner_settings(settings, &[("ttl", Type::Duration)]))
            }
            (Form::Environment, ast::SettingValue::Settings { span, .. })
            | (_, ast::SettingValue::Settings { span, .. }) => {
                self.wrong_form(&name.name, form, *span)
            }
            (form, ast::SettingValue::Expression(value)) => {
                self.setting_value(&name.name, form, value)
            }
        }
    }

    fn setting_value(
        &mut self,
        name: &str,
        form: &Form,
        value: &ast::Expression,
    ) -> Option<ExpressionId> {
        match form {
            Form::Value(ty) => Some(self.json_of(value, ty.clone())),
            Form::Texts => Some(self.json_of(value, Type::String.list())),
            Form::Cache => Some(self.json_of(value, Type::Bool)),
            Form::Model => Some(self.model(value)),
            Form::Environment => Some(self.environment(value)),
            Form::Answer => {
                if let ast::ExpressionKind::Name(word) = &value.kind
                    && word == "exact"
                {
                    let text = self.text(word, value.span);
                    Some(self.as_json(text))
                } else {
                    self.wrong_form(name, form, value.span)
                }
            }
            Form::Tools => self.offered_tools(value),
            Form::Names => self.names(name, form, value),
            Form::Session => {
                self.expression(value, &Expected::Anything);
                let place = self.place(value.span);
                self.report(Missing::Session.at(place));
                None
            }
            Form::Budget => self.wrong_form(name, form, value.span),
        }
    }

    pub(super) fn wrong_form(
        &mut self,
        name: &str,
        form: &Form,
        span: Span,
    ) -> Option<ExpressionId> {
        let wanted = match form {
            Form::Value(ty) => format!("a value of type `{}`", self.show(ty)),
            Form::Texts => "a list of strings".to_owned(),
            Form::Model => "the name of a model, or `first_of(…)`".to_owned(),
            Form::Cache => "`true`, `false` or `{ ttl: 1h }`".to_owned(),
            Form::Budget => "`{ usd: …, tokens: …, calls: …, time: … }`".to_owned(),
            Form::Tools => "a list of tools".to_owned(),
            Form::Names => "a list of names".to_owned(),
            Form::Environment => "a map of names and strings".to_owned(),
            Form::Answer => "`exact`".to_owned(),
            Form::Session => "a session".to_owned(),
        };
        let place = self.place(span);
        self.report(errors::wrong_setting(place, name, &wanted));
        None
    }

    /// A value of type `ty` as `json`.
    fn json_of(&mut self, value: &ast::Expression, ty: Type) -> ExpressionId {
        let id = self.expression(value, &Expected::Type(ty));
        self.as_json(id)
    }

    fn inner_settings(
        &mut self,
        settings: &[ast::Setting],
        known: &[(&'static str, Type)],
    ) -> ExpressionId {
        let mut entries = Vec::with_capacity(settings.len());
        for setting in settings {
            let name = &setting.name;
            let Some((_, ty)) = known.iter().find(|(it, _)| *it == name.name) else {
                let names: Vec<Name> = known.iter().map(|(it, _)| Name::new_static(it)).collect();
                let suggestion = nearest(&name.name, &names);
                let place = self.place(name.span);
                self.report(errors::unknown_setting(
                    place,
                    &name.name,
                    suggestion.as_deref(),
                ));
                continue;
            };
            match &setting.value {
                ast::SettingValue::Expression(value) => {
                    entries.push((name.clone(), self.json_of(value, ty.clone())));
                }
                ast::SettingValue::Settings { span, .. } => {
                    self.wrong_form(&name.name, &Form::Value(ty.clone()), *span);
                }
            }
        }
        self.json_object(entries)
    }

    /// A model's name, or several that are tried in turn.
    fn model(&mut self, value: &ast::Expression) -> ExpressionId {
        if let ast::ExpressionKind::Call {
            callee, arguments, ..
        } = &value.kind
            && matches!(&callee.kind, ast::ExpressionKind::Name(name) if name == "first_of")
        {
            let models = arguments
                .iter()
                .map(|it| self.expression(&it.value, &Expected::Type(Type::String)))
                .collect();
            let list = self.push(
                ExpressionKind::List(models),
                Type::String.list(),
                value.span,
            );
            return self.as_json(list);
        }
        self.json_of(value, Type::String)
    }

    /// Variables of an agent's tools and processes. A secret keeps its place in the `json` by name.
    fn environment(&mut self, value: &ast::Expression) -> ExpressionId {
        let ast::ExpressionKind::Map(entries) = &value.kind else {
            let ty = Type::Map(Arc::new(Type::String), Arc::new(Type::String));
            return self.json_of(value, ty);
        };
        let mut pairs = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.expression(&entry.key, &Expected::Type(Type::String));
            let value = self.expression(&entry.value, &Expected::Anything);
            let value = if self.ty(value) == Type::Secret {
                value
            } else {
                self.coerce(value, &Type::String)
            };
            pairs.push((key, self.as_json(value)));
        }
        let ty = Type::Map(Arc::new(Type::String), Arc::new(Type::Json));
        let map = self.push(ExpressionKind::Map(pairs), ty, value.span);
        self.as_json(map)
    }

    /// A list of names as a list of strings.
    fn names(
        &mut self,
        setting: &str,
        form: &Form,
        value: &ast::Expression,
    ) -> Option<ExpressionId> {
        let ast::ExpressionKind::List(elements) = &value.kind else {
            return self.wrong_form(setting, form, value.span);
        };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            // Skills are also named by their folders; everything else is a declaration, which a text might miss.
            let text = if let ast::ExpressionKind::Literal(ast::Literal::String(text)) =
                &element.kind
                && setting == "skills"
            {
                Some(text.clone())
            } else {
                self.listed_name(setting, form, element)
            };
            if let Some(text) = text {
                texts.push(self.text(&text, element.span));
            }
        }
        let list = self.push(ExpressionKind::List(texts), Type::String.list(), value.span);
        Some(self.as_json(list))
    }

    /// The name of a server, workflow, skill or hook in a list.
    fn listed_name(
        &mut self,
        setting: &str,
        form: &Form,
        element: &ast::Expression,
    ) -> Option<Name> {
        if let ast::ExpressionKind::AllOf(base) = &element.kind {
            let base = self.listed_name(setting, form, base)?;
            return Some(Name::from(format!("{base}.*")));
        }
        if let ast::ExpressionKind::Name(name) = &element.kind {
            let found = self.resolve(name, element.span, None)?;
            self.refer(element.span, crate::infer::name::reference(found));
            return self.listed_definition(setting, found, name, element.span);
        }
        if let ast::ExpressionKind::Field { base, name, .. } = &element.kind {
            let scope = self.path(base);
            if let Some(Definition::Module(module)) = scope {
                let found = self.member(module, name)?;
                return self.listed_definition(setting, found, &name.name, name.span);
            }
            if let Some(Definition::Item(server)) = scope
                && server.kind(self.db) == ItemKind::Mcp
            {
                let text = format!("{}.{}", server.name(self.db), name.name);
                return Some(Name::from(text));
            }
        }
        self.wrong_form(setting, form, element.span);
        None
    }

    fn listed_definition(
        &mut self,
        setting: &str,
        found: Definition,
        name: &str,
        span: Span,
    ) -> Option<Name> {
        let fitting: &[ItemKind] = match setting {
            "mcp" => &[ItemKind::Mcp],
            "skills" => &[ItemKind::Skill],
            "hooks" => &[ItemKind::Hook],
            _ => &[ItemKind::Workflow],
        };
        let Definition::Item(item) = found else {
            self.unlistable(setting, &format!("`{name}`"), span);
            return None;
        };
        let kind = item.kind(self.db);
        if !fitting.contains(&kind) {
            self.unlistable(setting, &format!("the {} `{name}`", kind_text(kind)), span);
            return None;
        }
        Some(match kind {
            ItemKind::Workflow => spawn_name(self.db, item),
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => item.name(self.db).clone(),
        })
    }

    pub(super) fn unlistable(&mut self, setting: &str, what: &str, span: Span) {
        let place = self.place(span);
        self.report(errors::not_listable(place, setting, what));
    }
}

/// The parts of a budget.
const BUDGET: &[(&str, Type)] = &[
    ("usd", Type::Float),
    ("tokens", Type::Int),
    ("calls", Type::Int),
    ("time", Type::Duration),
];
