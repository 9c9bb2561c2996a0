//! Models without a provider, and settings that the model of an agent does not take.

use gsw_abi::provider::{Provider, takes};
use gsw_abi::setting::Setting as Known;
use gsw_names::{
    agent_prompts, is_spawn_request, is_written_request, is_written_word, item_signature,
    listed_tools, settings_of,
};
use gsw_project::resolved_model;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Name, Place, Span, nearest};
use gsw_syntax::ast::{
    Child, Expression, ExpressionKind, Literal, Setting, SettingValue, children, item_children,
};
use gsw_syntax::item_ast;

use crate::errors;

pub(super) fn check(db: &dyn Db, item: ItemId, found: &mut Vec<Diagnostic>) {
    let Some(tree) = item_ast(db, item) else {
        return;
    };
    let own = settings_of(&tree.body);
    models(db, item, &own, found);
    // What a prompt sets, the model of its agent is to take.
    let agent = item_signature(db, item).signature.agent;
    let asked = match agent.and_then(|it| item_ast(db, it)) {
        Some(agent) => models_of(db, &settings_of(&agent.body)),
        None => models_of(db, &own),
    };
    report(item, &own, &asked, found);
    let mut waiting = item_children(&tree);
    while let Some(child) = waiting.pop() {
        if let Child::Expression(expression) = &child
            && let ExpressionKind::With { settings, .. } = &expression.kind
        {
            // Without a model of its own a call asks that of an agent, which a value may decide.
            let of_call: Vec<&Setting> = settings.iter().collect();
            models(db, item, &of_call, found);
            report(item, &of_call, &models_of(db, &of_call), found);
        }
        waiting.extend(children(child));
    }
    spawns(db, item, &own, found);
}

/// Reports lists of what a model may start where it has no tool to start it. Its agent may have the tool, or a prompt of it.
fn spawns(db: &dyn Db, item: ItemId, settings: &[&Setting], found: &mut Vec<Diagnostic>) {
    let mut all = settings.iter();
    let Some(setting) = all.find(|it| it.name.name == Known::Spawns.name()) else {
        return;
    };
    let SettingValue::Expression(Expression {
        kind: ExpressionKind::List(elements),
        ..
    }) = &setting.value
    else {
        return;
    };
    let agent = item_signature(db, item).signature.agent;
    let prompts = match item.kind(db) == ItemKind::Agent {
        true => agent_prompts(db, item),
        false => Vec::new(),
    };
    let around: Vec<ItemId> = [item].into_iter().chain(agent).chain(prompts).collect();
    let has = |is_it: fn(&dyn Db, ItemId) -> bool| {
        let mut tools = around.iter().flat_map(|it| listed_tools(db, *it));
        tools.any(|it| is_it(db, it))
    };
    let is_written = |it: &Expression| is_written_word(db, item.file(db), it);
    let (asks, is_there) = match elements.iter().all(is_written) {
        true => ("request_written_workflow", has(is_written_request)),
        false => ("request_spawn_workflow", has(is_spawn_request)),
    };
    if !elements.is_empty() && !is_there {
        let place = Place::Item {
            item,
            span: setting.name.span,
        };
        found.push(errors::idle_spawns(place, asks));
    }
}

fn report(item: ItemId, settings: &[&Setting], models: &[String], found: &mut Vec<Diagnostic>) {
    for setting in settings {
        let name = &setting.name.name;
        let Some(known) = Known::named(name) else {
            continue;
        };
        // Of several models that are tried in turn, one that takes it is reason enough to set it.
        let (Some(model), false) = (models.first(), models.iter().any(|it| takes(it, known)))
        else {
            continue;
        };
        let place = Place::Item {
            item,
            span: setting.name.span,
        };
        // The newer protocol of the same provider may have what the older one has not.
        let other = match Provider::of(model) {
            Some((Provider::OpenAi, rest)) => {
                Some(format!("{}/{rest}", Provider::OpenAiResponses.name()))
            }
            Some((
                Provider::Anthropic
                | Provider::Client
                | Provider::Gemini
                | Provider::OpenAiResponses
                | Provider::Sim,
                _,
            ))
            | None => None,
        };
        let other = other.filter(|it| takes(it, known));
        found.push(errors::unsupported_setting(
            place,
            name,
            model,
            other.as_deref(),
        ));
    }
}

/// The models that are written, as texts.
fn models_of(db: &dyn Db, settings: &[&Setting]) -> Vec<String> {
    let model = settings
        .iter()
        .find(|it| it.name.name == Known::Model.name());
    match model.map(|it| &it.value) {
        Some(SettingValue::Expression(value)) => texts(value)
            .into_iter()
            .map(|(text, _)| resolved_model(db, text).to_string())
            .collect(),
        Some(SettingValue::Settings { .. }) | None => Vec::new(),
    }
}

/// Reports models whose provider is unknown.
fn models(db: &dyn Db, item: ItemId, settings: &[&Setting], found: &mut Vec<Diagnostic>) {
    let providers = Provider::ALL.iter().map(|it| it.name());
    let providers: Vec<&'static str> = providers.collect();
    let known: Vec<Name> = providers.iter().map(|it| Name::new_static(it)).collect();
    let is_model = |it: &&&Setting| it.name.name == Known::Model.name();
    for setting in settings.iter().filter(is_model) {
        let SettingValue::Expression(value) = &setting.value else {
            continue;
        };
        for (text, span) in texts(value) {
            let text = &resolved_model(db, text);
            let (provider, name) = text.split_once('/').unwrap_or(("", text));
            // `openai:gpt-5`, as other frameworks write it.
            let (provider, name) = match name.split_once(':') {
                Some((before, after)) if provider.is_empty() && providers.contains(&before) => {
                    (before, after)
                }
                _ => (provider, name),
            };
            let is_other = !text.contains('/') && !provider.is_empty();
            if is_other || !providers.contains(&provider) {
                let meant = known.iter().find(|it| *it == provider).cloned();
                let meant = meant.or_else(|| meant_provider(provider, name).map(Name::new_static));
                let meant = meant.or_else(|| nearest(provider, &known).map(|it| it.name));
                let suggestion = meant.map(|it| format!("{it}/{name}"));
                let place = Place::Item { item, span };
                let report = errors::unknown_model(place, text, &providers, suggestion.as_deref());
                found.push(report);
            }
        }
    }
}

/// The provider that is known to have a model of this name, or under another name of the provider.
fn meant_provider(provider: &str, name: &str) -> Option<&'static str> {
    // Of a bare `gpt-5` or `o4-mini` the word before the first sign says whose it is.
    let word = match provider {
        "" => name.split(|it: char| !it.is_alphabetic()).next()?,
        _ => provider,
    };
    let meant = match word.to_lowercase().as_str() {
        "claude" => Provider::Anthropic,
        "gemini" | "google" | "googleai" | "vertex" => Provider::Gemini,
        "gpt" | "o" | "chatgpt" | "azure" | "deepseek" | "groq" | "lmstudio" | "mistral"
        | "ollama" | "openrouter" | "together" | "vllm" | "xai" => Provider::OpenAi,
        _ => return None,
    };
    Some(meant.name())
}

/// The strings in a model setting: itself, or those of `first_of`.
fn texts(value: &Expression) -> Vec<(&str, Span)> {
    if let ExpressionKind::Call { arguments, .. } = &value.kind {
        let inside = arguments.iter().flat_map(|it| texts(&it.value));
        return inside.collect();
    }
    let ExpressionKind::Literal(Literal::String(text)) = &value.kind else {
        return Vec::new();
    };
    vec![(text.as_str(), value.span)]
}
