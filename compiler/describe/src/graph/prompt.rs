//! A prompt in a picture: its agent and models, its tools, and the settings that bound or repeat it.

use gsw_abi::setting::Setting as Known;
use gsw_analysis::agent_models;
use gsw_names::{item_signature, listed_tools};
use gsw_source::{Db, ItemId};
use gsw_syntax::ast::{ExpressionKind, ItemBody, Literal, PromptEntry, Setting, SettingValue};
use gsw_syntax::item_ast;

use super::label;
use super::{Work, WorkKind};

/// A prompt with its agent; `by` is the one that the call names.
pub(super) fn prompt(db: &dyn Db, item: ItemId, by: Option<ItemId>) -> Work {
    let agent = by.or(item_signature(db, item).signature.agent);
    let own = settings(db, item);
    let inherited = agent.map_or_else(Vec::new, |it| settings(db, it));
    let own_setting = |of: Known| own.iter().find(|it| it.name.name == of.name());
    let own_model = own_setting(Known::Model).and_then(text);
    let models = match own_model {
        Some(model) => vec![gsw_project::resolved_model(db, &model)],
        None => agent.map_or_else(Vec::new, |it| agent_models(db, it)),
    };
    let of_tools = if own_setting(Known::Tools).is_some() {
        Some(item)
    } else {
        agent
    };
    let tools = of_tools.map_or_else(Vec::new, |it| listed_tools(db, it));
    let marks = Known::ALL.iter().filter_map(|known| {
        let of_agent = inherited.iter().filter_map(|it| Some((agent?, it)));
        let mut written = own.iter().map(|it| (item, it)).chain(of_agent);
        let (owner, setting) = written.find(|it| it.1.name.name == known.name())?;
        mark(db, *known, owner, setting)
    });
    Work {
        kind: WorkKind::Prompt,
        name: item.name(db).to_string(),
        details: agent
            .map(|it| format!("by {}", it.name(db)))
            .into_iter()
            .chain((!models.is_empty()).then(|| models.join(", ")))
            .collect(),
        tools: tools.iter().map(|it| it.name(db).to_string()).collect(),
        marks: marks.collect(),
    }
}

/// What the picture says of a setting beside the prompt; `None` for those that it shows elsewhere or not at all.
fn mark(db: &dyn Db, known: Known, owner: ItemId, written: &Setting) -> Option<String> {
    match known {
        Known::Reflect | Known::Retry | Known::MaxTurns | Known::Rate => {
            let count = number(written)?;
            Some(format!("{} {count}", known.name().replace('_', " ")))
        }
        Known::Cache => (!is_false(written)).then(|| known.name().to_owned()),
        Known::Budget => Some(budget(db, owner, written)),
        Known::Model
        | Known::System
        | Known::Description
        | Known::Tools
        | Known::Spawns
        | Known::Skills
        | Known::Hooks
        | Known::Env
        | Known::Session
        | Known::Answer
        | Known::MaxTokens
        | Known::Stop
        | Known::Temperature
        | Known::Thinking
        | Known::ClearResults
        | Known::Timeout
        | Known::FirstToken => None,
    }
}

/// `budget usd: 0.5, calls: 3`, as the modifier of a step is shown.
fn budget(db: &dyn Db, owner: ItemId, written: &Setting) -> String {
    let limits = match &written.value {
        SettingValue::Settings { settings, .. } => settings.as_slice(),
        SettingValue::Expression(whole) => {
            return format!("budget {}", label::source(db, owner, whole.span));
        }
    };
    let limits = limits.iter().map(|it| {
        let span = match &it.value {
            SettingValue::Expression(value) => value.span,
            SettingValue::Settings { span, .. } => *span,
        };
        format!("{}: {}", it.name.name, label::source(db, owner, span))
    });
    let limits: Vec<String> = limits.collect();
    format!("budget {}", limits.join(", "))
}

fn settings(db: &dyn Db, item: ItemId) -> Vec<Setting> {
    let Some(ast) = item_ast(db, item) else {
        return Vec::new();
    };
    if let ItemBody::Agent { settings, .. } = &ast.body {
        return settings.clone();
    }
    let ItemBody::Prompt { entries, .. } = &ast.body else {
        return Vec::new();
    };
    entries
        .iter()
        .filter_map(|it| match it {
            PromptEntry::Setting(setting) => Some(setting.clone()),
            PromptEntry::Text { .. } | PromptEntry::Statement(_) | PromptEntry::Example { .. } => {
                None
            }
        })
        .collect()
}

fn literal(setting: &Setting) -> Option<&Literal> {
    let SettingValue::Expression(value) = &setting.value else {
        return None;
    };
    let ExpressionKind::Literal(literal) = &value.kind else {
        return None;
    };
    Some(literal)
}

fn text(setting: &Setting) -> Option<String> {
    let Literal::String(text) = literal(setting)? else {
        return None;
    };
    Some(text.to_string())
}

fn number(setting: &Setting) -> Option<i128> {
    let Literal::Int(number) = literal(setting)? else {
        return None;
    };
    *number
}

fn is_false(setting: &Setting) -> bool {
    matches!(literal(setting), Some(Literal::Bool(false)))
}
