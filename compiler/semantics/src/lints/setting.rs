//! Settings that the model of an agent does not take.

use gsw_source::{Db, Diagnostic, ItemId, Place};
use gsw_syntax::ast::{
    Expression, ExpressionKind, ItemBody, Literal, PromptEntry, Setting, SettingValue,
};

use crate::configuration::resolved_model;
use crate::declaration::item_signature;
use crate::errors;
use crate::tree::item_tree;

/// Sampling settings, which the newest interface of Anthropic has no more.
const SAMPLING: &[&str] = &["temperature", "top_k", "top_p"];

pub(super) fn check(db: &dyn Db, item: ItemId, found: &mut Vec<Diagnostic>) {
    let Some(tree) = item_tree(db, item) else {
        return;
    };
    match &tree.body {
        ItemBody::Agent { settings, .. } => {
            report(item, settings.iter(), &model_of(db, settings), found)
        }
        ItemBody::Prompt { entries, .. } => {
            let settings = entries.iter().filter_map(|it| match it {
                PromptEntry::Setting(setting) => Some(setting),
                _ => None,
            });
            let agent = item_signature(db, item).signature.agent;
            let agent = agent.and_then(|it| item_tree(db, it));
            if let Some(ItemBody::Agent {
                settings: inherited,
                ..
            }) = agent.as_deref().map(|it| &it.body)
            {
                report(item, settings, &model_of(db, inherited), found);
            }
        }
        _ => {}
    }
}

fn report<'a>(
    item: ItemId,
    settings: impl Iterator<Item = &'a Setting>,
    model: &str,
    found: &mut Vec<Diagnostic>,
) {
    if !model.starts_with("anthropic/") {
        return;
    }
    for setting in settings.filter(|it| SAMPLING.contains(&it.name.name.as_str())) {
        let place = Place::Item {
            item,
            span: setting.name.span,
        };
        found.push(errors::unsupported_setting(
            place,
            &setting.name.name,
            model,
        ));
    }
}

/// The model as written; empty when it is not a plain string.
fn model_of(db: &dyn Db, settings: &[Setting]) -> String {
    let model = settings.iter().find(|it| it.name.name == "model");
    match model.map(|it| &it.value) {
        Some(SettingValue::Expression(Expression {
            kind: ExpressionKind::Literal(Literal::String(text)),
            ..
        })) => resolved_model(db, text),
        _ => String::new(),
    }
}
