//! Settings of agents, prompts, questions and calls: checked one by one, put together into one `json`.

use std::sync::Arc;

use gsw_abi::program::WRITTEN;
use gsw_abi::setting::{
    AnswerForm, BUDGET_PARTS, CACHE_PARTS, Form, Listed, Origin, Reader, Setting,
};
use gsw_names::types::Type;
use gsw_names::{Definition, is_written_word, skills_at, spawn_name};
use gsw_source::{Code, Diagnostic, ItemKind, Name, Span, meant};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::errors::elsewhere;
use crate::errors::habits;
use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::literal;
use crate::infer::name::kind_text;
use crate::infer::names::reference;
use crate::infer::offer;
use crate::not_yet_supported::Missing;

/// Settings as one `json` object.
pub(super) fn infer_settings(
    cx: &mut Context,
    settings: &[ast::Setting],
    origin: Origin,
) -> ExpressionId {
    inferred(cx, settings, origin).0
}

/// The settings after `with` as one `json` object, and the session that they name, which has no JSON form.
pub(super) fn infer_call_settings(
    cx: &mut Context,
    settings: &[ast::Setting],
) -> (ExpressionId, Option<ExpressionId>) {
    inferred(cx, settings, Origin::Call)
}

fn inferred(
    cx: &mut Context,
    settings: &[ast::Setting],
    origin: Origin,
) -> (ExpressionId, Option<ExpressionId>) {
    let mut session = None;
    let mut entries = Vec::with_capacity(settings.len());
    let mut seen: Vec<&Name> = Vec::new();
    for setting in settings {
        let name = &setting.name;
        if seen.contains(&&name.name) {
            let place = cx.hir.place(name.span);
            cx.hir.report(errors::duplicate_setting(place, &name.name));
        }
        // A second one is inferred as well, for the errors in its own expression.
        seen.push(&name.name);
        match infer_setting(cx, setting, origin) {
            Some(Inferred::Json(value)) => entries.push((name.clone(), value)),
            Some(Inferred::Session(value)) => session = Some(value),
            None => {}
        }
    }
    (json_object(&mut cx.hir, entries), session)
}

/// The value of a setting.
enum Inferred {
    Json(ExpressionId),
    /// A session, which stays what it is.
    Session(ExpressionId),
}

/// A `json` object of entries that are `json`.
pub(super) fn json_object(
    hir: &mut HirBuilder,
    entries: Vec<(ast::Identifier, ExpressionId)>,
) -> ExpressionId {
    let span = entries
        .first()
        // Settings have no span of their own; the first name is where a reader looks.
        .map_or_else(Span::default, |(name, _)| name.span);
    let entries = entries
        .into_iter()
        .map(|(name, value)| (literal::push_text(hir, &name.name, name.span), value))
        .collect();
    let ty = Type::Map(Arc::new(Type::String), Arc::new(Type::Json));
    let map = hir.push(ExpressionKind::Map(entries), ty, span);
    literal::as_json(hir, map)
}

fn infer_setting(cx: &mut Context, written: &ast::Setting, origin: Origin) -> Option<Inferred> {
    let name = &written.name;
    // Origins are ordered by how much may be written there; a setting of another place is reported as unknown, with those that
    // this place has.
    let setting = Setting::named(&name.name).filter(|it| it.origin() <= origin);
    let Some(setting) = setting else {
        unknown_setting(&mut cx.hir, name, &Setting::names_at(origin));
        return None;
    };
    if setting.reader() == Reader::Nobody {
        let place = cx.hir.place(name.span);
        cx.hir.report(Missing::Setting(setting).at(place));
    }
    let json = match &written.value {
        ast::SettingValue::Expression(value) if setting.form() == Form::Session => {
            let session = cx.expression(value, &Expected::Type(Type::Session));
            return Some(Inferred::Session(session));
        }
        ast::SettingValue::Expression(value) => setting_value(cx, setting, value),
        ast::SettingValue::Settings { settings, span } => match setting.form() {
            Form::Budget => Some(inner_settings(cx, settings, BUDGET_PARTS)),
            Form::Cache => Some(inner_settings(cx, settings, CACHE_PARTS)),
            // A block where a value belongs; its parts are not inferred, since what they mean depends on the setting.
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
            | Form::Session) => wrong_form(&mut cx.hir, setting.name(), form, *span),
        },
    };
    json.map(Inferred::Json)
}

fn unknown_setting(hir: &mut HirBuilder, name: &ast::Identifier, known: &[&'static str]) {
    let known: Vec<Name> = known.iter().map(|it| Name::new_static(it)).collect();
    let place = hir.place(name.span);
    hir.report(match elsewhere::setting_elsewhere(&name.name) {
        Some(sentence) => errors::unknown_setting(place, &name.name, None).note(sentence),
        None => {
            let suggestion = meant(&name.name, &known);
            errors::unknown_setting(place, &name.name, suggestion.as_ref())
        }
    });
}

/// Reports what is no part of a setting.
fn unknown_part(hir: &mut HirBuilder, name: &ast::Identifier, known: &[&'static str]) {
    let names: Vec<Name> = known.iter().map(|it| Name::new_static(it)).collect();
    let suggestion = meant(&name.name, &names);
    let place = hir.place(name.span);
    let report = errors::unknown_setting(place, &name.name, suggestion.as_ref());
    hir.report(match suggestion {
        Some(_) => report,
        None => habits::parts_are(report, known),
    });
}

fn setting_value(
    cx: &mut Context,
    setting: Setting,
    value: &ast::Expression,
) -> Option<ExpressionId> {
    let name = setting.name();
    match setting.form() {
        Form::Count { .. } if setting == Setting::Thinking => {
            Some(advised(cx, value, Type::Int, habits::thinking_tokens))
        }
        Form::Text => Some(json_of(cx, value, Type::String)),
        Form::Texts => Some(json_of(cx, value, Type::String.list())),
        Form::Count { .. } => Some(json_of(cx, value, Type::Int)),
        Form::Number => Some(json_of(cx, value, Type::Float)),
        Form::Duration => Some(json_of(cx, value, Type::Duration)),
        Form::Cache => Some(advised(cx, value, Type::Bool, habits::kept_for)),
        Form::Model => Some(infer_model(cx, value)),
        Form::Environment => infer_environment(cx, value),
        Form::Answer => {
            if let ast::ExpressionKind::Name(word) = &value.kind
                // A word of this setting alone and no name: a constant called `exact` is not meant.
                && cx.scopes.find(word).is_none()
            {
                if AnswerForm::named(word).is_none() {
                    return wrong_form(&mut cx.hir, name, Form::Answer, value.span);
                }
                let text = literal::push_text(&mut cx.hir, word, value.span);
                return Some(literal::as_json(&mut cx.hir, text));
            }
            let mut forms = AnswerForm::ALL.map(|it| Name::new_static(it.name()));
            // A union has its texts in order.
            forms.sort();
            Some(json_of(cx, value, Type::Literals(forms.into())))
        }
        Form::Tools => offer::offered_tools(cx, value),
        Form::Names(listed) => names(cx, name, listed, value),
        form @ (Form::Session | Form::Budget) => wrong_form(&mut cx.hir, name, form, value.span),
    }
}

pub(super) fn wrong_form(
    hir: &mut HirBuilder,
    name: &str,
    form: Form,
    span: Span,
) -> Option<ExpressionId> {
    let place = hir.place(span);
    hir.report(errors::wrong_setting(
        place,
        name,
        errors::wanted_form(form),
    ));
    None
}

/// Infers a value as JSON of a type, with advice where it is of another type.
fn advised(
    cx: &mut Context,
    value: &ast::Expression,
    ty: Type,
    advise: fn(&mut Diagnostic),
) -> ExpressionId {
    let before = cx.hir.findings.reported();
    let id = json_of(cx, value, ty);
    if let Some(report) = cx.hir.findings.first_error_since(before)
        && report.code == Code::TYPE_MISMATCH
    {
        advise(report);
    }
    id
}

/// A value of type `ty` as `json`.
fn json_of(cx: &mut Context, value: &ast::Expression, ty: Type) -> ExpressionId {
    let id = cx.expression(value, &Expected::Type(ty));
    literal::as_json(&mut cx.hir, id)
}

fn inner_settings(
    cx: &mut Context,
    settings: &[ast::Setting],
    known: &[(&'static str, Form)],
) -> ExpressionId {
    let mut entries = Vec::with_capacity(settings.len());
    for setting in settings {
        let name = &setting.name;
        let Some((_, form)) = known.iter().find(|(it, _)| *it == name.name) else {
            let names: Vec<&'static str> = known.iter().map(|(it, _)| *it).collect();
            unknown_part(&mut cx.hir, name, &names);
            continue;
        };
        match &setting.value {
            ast::SettingValue::Expression(value) => {
                if let Some(value) = part_value(cx, &name.name, *form, value) {
                    entries.push((name.clone(), value));
                }
            }
            ast::SettingValue::Settings { span, .. } => {
                wrong_form(&mut cx.hir, &name.name, *form, *span);
            }
        }
    }
    json_object(&mut cx.hir, entries)
}

fn part_value(
    cx: &mut Context,
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
        | Form::Session => return wrong_form(&mut cx.hir, name, form, value.span),
    };
    Some(json_of(cx, value, ty))
}

/// A model's name, or several that are tried in turn.
fn infer_model(cx: &mut Context, value: &ast::Expression) -> ExpressionId {
    if let ast::ExpressionKind::Call {
        callee, arguments, ..
    } = &value.kind
        // By its name and before names are resolved: it is no function, as the settings are read when no program runs.
        && matches!(&callee.kind, ast::ExpressionKind::Name(name) if name == "first_of")
    {
        let models = arguments
            .iter()
            .map(|it| {
                let before = cx.hir.findings.reported();
                let model = cx.expression(&it.value, &Expected::Type(Type::String));
                if let Some(report) = cx.hir.findings.first_error_since(before)
                    && matches!(it.value.kind, ast::ExpressionKind::List(_))
                {
                    habits::models_side_by_side(report);
                }
                model
            })
            .collect();
        let list = cx.hir.push(
            ExpressionKind::List(models),
            Type::String.list(),
            value.span,
        );
        return literal::as_json(&mut cx.hir, list);
    }
    if let ast::ExpressionKind::List(elements) = &value.kind {
        return several_models(cx, elements, value.span);
    }
    if is_bare_model(cx, value) {
        let place = cx.hir.place(value.span);
        let text = gsw_names::source_text(cx.db, cx.hir.item, value.span);
        cx.hir.report(habits::model_in_quotes(place, &text));
        return cx.hir.invalid(value.span);
    }
    json_of(cx, value, Type::String)
}

/// `model: sim/default`, a quotient of names that nothing has.
fn is_bare_model(cx: &Context, value: &ast::Expression) -> bool {
    let text = gsw_names::source_text(cx.db, cx.hir.item, value.span);
    let Some((provider, _)) = text.split_once('/') else {
        return false;
    };
    let is_name = provider.chars().all(|it| it.is_alphanumeric() || it == '_');
    is_name
        && matches!(value.kind, ast::ExpressionKind::Binary { .. })
        && cx.scopes.find(provider).is_none()
        && gsw_names::resolve_name(cx.db, cx.file, provider).is_none()
}

/// `model: ["a", "b"]`: several models are `first_of(…)`.
fn several_models(cx: &mut Context, elements: &[ast::Expression], span: Span) -> ExpressionId {
    let mut is_plain = !elements.is_empty();
    for element in elements {
        cx.expression(element, &Expected::Type(Type::String));
        let literal = &element.kind;
        is_plain &= matches!(
            literal,
            ast::ExpressionKind::Literal(ast::Literal::String(_))
        );
    }
    let open = cx.hir.place(Span::new(span.start, span.start + 1));
    let close = cx.hir.place(Span::new(span.end - 1, span.end));
    let report = elsewhere::first_of_models(cx.hir.place(span), is_plain.then_some((open, close)));
    cx.hir.report(report);
    cx.hir.invalid(span)
}

/// Variables of an agent's tools and processes, as texts that name secrets.
fn infer_environment(cx: &mut Context, value: &ast::Expression) -> Option<ExpressionId> {
    let ast::ExpressionKind::Map(entries) = &value.kind else {
        return wrong_form(
            &mut cx.hir,
            Setting::Env.name(),
            Form::Environment,
            value.span,
        );
    };
    let mut pairs = Vec::with_capacity(entries.len());
    for entry in entries {
        let key = cx.expression(&entry.key, &Expected::Type(Type::String));
        // All of them as secrets, so that a `$` in a plain text is none that begins a name.
        let value = cx.expression(&entry.value, &Expected::Type(Type::Secret));
        pairs.push((key, literal::as_json(&mut cx.hir, value)));
    }
    let ty = Type::Map(Arc::new(Type::String), Arc::new(Type::Json));
    let map = cx.hir.push(ExpressionKind::Map(pairs), ty, value.span);
    Some(literal::as_json(&mut cx.hir, map))
}

/// A list of names as a list of strings.
fn names(
    cx: &mut Context,
    setting: &str,
    listed: Listed,
    value: &ast::Expression,
) -> Option<ExpressionId> {
    let ast::ExpressionKind::List(elements) = &value.kind else {
        return wrong_form(&mut cx.hir, setting, Form::Names(listed), value.span);
    };
    let mut texts = Vec::with_capacity(elements.len());
    let mut skills = Vec::new();
    for element in elements {
        // Skills are also named by their folders; everything else is a declaration, which a text might miss.
        if let ast::ExpressionKind::Literal(ast::Literal::String(path)) = &element.kind
            && listed == Listed::Skills
        {
            for id in skills_in(cx, path, element.span, &mut skills) {
                texts.push(literal::push_text(&mut cx.hir, &id, element.span));
            }
        } else if listed == Listed::Workflows && is_written_word(cx.db, cx.file, element) {
            texts.push(literal::push_text(&mut cx.hir, WRITTEN, element.span));
        } else if let Some(text) = listed_name(cx, setting, listed, element) {
            texts.push(literal::push_text(&mut cx.hir, &text, element.span));
        }
    }
    let list = cx
        .hir
        .push(ExpressionKind::List(texts), Type::String.list(), value.span);
    Some(literal::as_json(&mut cx.hir, list))
}

/// The ids of the skills in a folder; `known` are the names of those before it in the list.
fn skills_in(cx: &mut Context, path: &str, span: Span, known: &mut Vec<String>) -> Vec<Name> {
    let found = skills_at(cx.db, cx.file, path);
    let place = cx.hir.place(span);
    for why in &found.errors {
        cx.hir.report(errors::bad_skill(place, path, why));
    }
    // In one report, since a place has one of a code.
    if let Some(report) = errors::skill_form(place, &found.warnings, &found.left_out) {
        cx.hir.report(report);
    }
    for skill in &found.skills {
        if known.contains(&skill.name) {
            cx.hir.report(errors::same_skill(place, &skill.name));
        }
        known.push(skill.name.clone());
    }
    let ids = found.skills.iter();
    ids.map(|it| Name::from(it.id.as_str())).collect()
}

/// The name of a workflow, skill or hook in a list.
fn listed_name(
    cx: &mut Context,
    setting: &str,
    listed: Listed,
    element: &ast::Expression,
) -> Option<Name> {
    if let ast::ExpressionKind::Name(name) = &element.kind {
        let found = cx.names().resolve(name, element.span, None)?;
        cx.hir.refer(element.span, reference(found));
        let name = ast::Identifier {
            name: name.clone(),
            span: element.span,
        };
        return listed_definition(&mut cx.hir, setting, listed, found, &name);
    }
    if let ast::ExpressionKind::Field { base, name, .. } = &element.kind {
        let scope = cx.names().path(base);
        if let Some(Definition::Module(module)) = scope {
            let found = cx.names().member(module, name)?;
            return listed_definition(&mut cx.hir, setting, listed, found, name);
        }
    }
    wrong_form(&mut cx.hir, setting, Form::Names(listed), element.span);
    None
}

/// The kind of the declarations that a list of names takes.
pub fn listed_kind(listed: Listed) -> ItemKind {
    match listed {
        Listed::Skills => ItemKind::Skill,
        Listed::Hooks => ItemKind::Hook,
        Listed::Workflows => ItemKind::Workflow,
    }
}

fn listed_definition(
    hir: &mut HirBuilder,
    setting: &str,
    listed: Listed,
    found: Definition,
    name: &ast::Identifier,
) -> Option<Name> {
    let (name, span) = (&name.name, name.span);
    let Definition::Item(item) = found else {
        unlistable(hir, setting, &format!("`{name}`"), span);
        return None;
    };
    let kind = item.kind(hir.db);
    if kind != listed_kind(listed) {
        unlistable(
            hir,
            setting,
            &format!("the {} `{name}`", kind_text(kind)),
            span,
        );
        return None;
    }
    Some(match listed {
        // Workflows and hooks of all modules are in one table each, with the module in the name; the others are looked up in tables by their own names.
        Listed::Workflows | Listed::Hooks => spawn_name(hir.db, item),
        Listed::Skills => item.name(hir.db).clone(),
    })
}

pub(super) fn unlistable(hir: &mut HirBuilder, setting: &str, what: &str, span: Span) {
    let place = hir.place(span);
    let report = errors::not_listable(place, setting, what);
    hir.report(match setting == Setting::Tools.name() {
        true if what.starts_with("the workflow") => elsewhere::spawned_by_model(report),
        true => elsewhere::wrapped_in_tool(report),
        false => report,
    });
}

#[cfg(test)]
mod tests {
    use gsw_abi::setting::{AnswerForm, BUDGET_PARTS, CACHE_PARTS};
    use gsw_source::{Code, explain};

    #[test]
    fn the_page_of_wrong_settings_lists_what_closed_ones_may_be() {
        let page = explain(Code::WRONG_SETTING.name()).unwrap_or_default();
        let words = AnswerForm::ALL
            .iter()
            .map(|it| format!("\"{}\"", it.name()));
        let parts = CACHE_PARTS.iter().chain(BUDGET_PARTS);
        for written in words.chain(parts.map(|(name, _)| format!("{name}: "))) {
            assert!(page.contains(&written), "{written}");
        }
    }
}
