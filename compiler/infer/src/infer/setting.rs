//! Settings of agents, prompts, questions and calls: checked one by one, put together into one `json`.

use std::sync::Arc;

use gsw_abi::setting::{AnswerForm, BUDGET_PARTS, CACHE_PARTS, Form, Listed, Origin, Setting};
use gsw_names::types::Type;
use gsw_names::{Definition, spawn_name};
use gsw_source::{ItemKind, Name, Span, nearest};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::context::{Context, Expected};
use crate::infer::name::kind_text;
use crate::not_yet_supported::Missing;

impl Context<'_> {
    /// Settings as one `json` object.
    pub(super) fn settings(&mut self, settings: &[ast::Setting], origin: Origin) -> ExpressionId {
        let mut entries = Vec::with_capacity(settings.len());
        let mut seen: Vec<&Name> = Vec::new();
        for setting in settings {
            let name = &setting.name;
            if seen.contains(&&name.name) {
                let place = self.place(name.span);
                self.report(errors::duplicate_setting(place, &name.name));
            }
            seen.push(&name.name);
            if let Some(value) = self.setting(setting, origin) {
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

    fn setting(&mut self, written: &ast::Setting, origin: Origin) -> Option<ExpressionId> {
        let name = &written.name;
        let setting = Setting::named(&name.name).filter(|it| it.origin() <= origin);
        let Some(setting) = setting else {
            self.unknown_setting(name, &Setting::names_at(origin));
            return None;
        };
        match &written.value {
            ast::SettingValue::Expression(value) => self.setting_value(setting, value),
            ast::SettingValue::Settings { settings, span } => match setting.form() {
                Form::Budget => Some(self.inner_settings(settings, BUDGET_PARTS)),
                Form::Cache => Some(self.inner_settings(settings, CACHE_PARTS)),
                form @ (Form::Text
                | Form::Texts
                | Form::Count { .. }
                | Form::Number
                | Form::Duration
                | Form::Model
                | Form::Tools
                | Form::Names(_)
                | Form::Environment
                | Form::Answer
                | Form::Session) => self.wrong_form(setting.name(), form, *span),
            },
        }
    }

    fn unknown_setting(&mut self, name: &ast::Identifier, known: &[&'static str]) {
        let known: Vec<Name> = known.iter().map(|it| Name::new_static(it)).collect();
        let suggestion = nearest(&name.name, &known);
        let place = self.place(name.span);
        self.report(errors::unknown_setting(
            place,
            &name.name,
            suggestion.as_deref(),
        ));
    }

    fn setting_value(&mut self, setting: Setting, value: &ast::Expression) -> Option<ExpressionId> {
        let name = setting.name();
        match setting.form() {
            Form::Text => Some(self.json_of(value, Type::String)),
            Form::Texts => Some(self.json_of(value, Type::String.list())),
            Form::Count { .. } => Some(self.json_of(value, Type::Int)),
            Form::Number => Some(self.json_of(value, Type::Float)),
            Form::Duration => Some(self.json_of(value, Type::Duration)),
            Form::Cache => Some(self.json_of(value, Type::Bool)),
            Form::Model => Some(self.model(value)),
            Form::Environment => Some(self.environment(value)),
            Form::Answer => {
                if let ast::ExpressionKind::Name(word) = &value.kind
                    && self.scopes.find(word).is_none()
                {
                    if AnswerForm::named(word).is_none() {
                        return self.wrong_form(name, Form::Answer, value.span);
                    }
                    let text = self.text(word, value.span);
                    return Some(self.as_json(text));
                }
                let mut forms = AnswerForm::ALL.map(|it| Name::new_static(it.name()));
                // A union has its texts in order.
                forms.sort();
                Some(self.json_of(value, Type::Literals(forms.into())))
            }
            Form::Tools => self.offered_tools(value),
            Form::Names(listed) => self.names(name, listed, value),
            Form::Session => {
                self.expression(value, &Expected::Anything);
                let place = self.place(value.span);
                self.report(Missing::Session.at(place));
                None
            }
            Form::Budget => self.wrong_form(name, Form::Budget, value.span),
        }
    }

    pub(super) fn wrong_form(
        &mut self,
        name: &str,
        form: Form,
        span: Span,
    ) -> Option<ExpressionId> {
        let place = self.place(span);
        self.report(errors::wrong_setting(
            place,
            name,
            errors::wanted_form(form),
        ));
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
        known: &[(&'static str, Form)],
    ) -> ExpressionId {
        let mut entries = Vec::with_capacity(settings.len());
        for setting in settings {
            let name = &setting.name;
            let Some((_, form)) = known.iter().find(|(it, _)| *it == name.name) else {
                let names: Vec<&'static str> = known.iter().map(|(it, _)| *it).collect();
                self.unknown_setting(name, &names);
                continue;
            };
            match &setting.value {
                ast::SettingValue::Expression(value) => {
                    if let Some(value) = self.part_value(&name.name, *form, value) {
                        entries.push((name.clone(), value));
                    }
                }
                ast::SettingValue::Settings { span, .. } => {
                    self.wrong_form(&name.name, *form, *span);
                }
            }
        }
        self.json_object(entries)
    }

    fn part_value(
        &mut self,
        name: &str,
        form: Form,
        value: &ast::Expression,
    ) -> Option<ExpressionId> {
        let ty = match form {
            Form::Count { .. } => Type::Int,
            Form::Number => Type::Float,
            Form::Duration => Type::Duration,
            Form::Text
            | Form::Texts
            | Form::Model
            | Form::Cache
            | Form::Budget
            | Form::Tools
            | Form::Names(_)
            | Form::Environment
            | Form::Answer
            | Form::Session => return self.wrong_form(name, form, value.span),
        };
        Some(self.json_of(value, ty))
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
        listed: Listed,
        value: &ast::Expression,
    ) -> Option<ExpressionId> {
        let ast::ExpressionKind::List(elements) = &value.kind else {
            return self.wrong_form(setting, Form::Names(listed), value.span);
        };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            // Skills are also named by their folders; everything else is a declaration, which a text might miss.
            let text = if let ast::ExpressionKind::Literal(ast::Literal::String(text)) =
                &element.kind
                && listed == Listed::Skills
            {
                Some(text.clone())
            } else {
                self.listed_name(setting, listed, element)
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
        listed: Listed,
        element: &ast::Expression,
    ) -> Option<Name> {
        if let ast::ExpressionKind::AllOf(base) = &element.kind {
            let base = self.listed_name(setting, listed, base)?;
            return Some(Name::from(format!("{base}.*")));
        }
        if let ast::ExpressionKind::Name(name) = &element.kind {
            let found = self.resolve(name, element.span, None)?;
            self.refer(element.span, crate::infer::name::reference(found));
            let name = ast::Identifier {
                name: name.clone(),
                span: element.span,
            };
            return self.listed_definition(setting, listed, found, &name);
        }
        if let ast::ExpressionKind::Field { base, name, .. } = &element.kind {
            let scope = self.path(base);
            if let Some(Definition::Module(module)) = scope {
                let found = self.member(module, name)?;
                return self.listed_definition(setting, listed, found, name);
            }
            if let Some(Definition::Item(server)) = scope
                && server.kind(self.db) == ItemKind::Mcp
            {
                let text = format!("{}.{}", server.name(self.db), name.name);
                return Some(Name::from(text));
            }
        }
        self.wrong_form(setting, Form::Names(listed), element.span);
        None
    }

    fn listed_definition(
        &mut self,
        setting: &str,
        listed: Listed,
        found: Definition,
        name: &ast::Identifier,
    ) -> Option<Name> {
        let (name, span) = (&name.name, name.span);
        let fitting = match listed {
            Listed::Servers => ItemKind::Mcp,
            Listed::Skills => ItemKind::Skill,
            Listed::Hooks => ItemKind::Hook,
            Listed::Workflows => ItemKind::Workflow,
        };
        let Definition::Item(item) = found else {
            self.unlistable(setting, &format!("`{name}`"), span);
            return None;
        };
        let kind = item.kind(self.db);
        if kind != fitting {
            self.unlistable(setting, &format!("the {} `{name}`", kind_text(kind)), span);
            return None;
        }
        Some(match listed {
            Listed::Workflows => spawn_name(self.db, item),
            Listed::Servers | Listed::Skills | Listed::Hooks => item.name(self.db).clone(),
        })
    }

    pub(super) fn unlistable(&mut self, setting: &str, what: &str, span: Span) {
        let place = self.place(span);
        self.report(errors::not_listable(place, setting, what));
    }
}
