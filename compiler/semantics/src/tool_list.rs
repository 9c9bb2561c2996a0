//! The tools and agents that an agent or prompt gives to its model.

use gsw_source::{Db, File, ItemId};
use gsw_syntax::ast::{Expression, ExpressionKind, ItemBody, PromptEntry, Setting, SettingValue};

use crate::scope::{Definition, resolve_member, resolve_name};
use crate::tree::item_tree;

/// The declarations listed after `tools` in the settings of `item`; what is no declaration is left out.
pub fn listed_tools(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let tree = item_tree(db, item);
    let settings: Vec<&Setting> = match tree.as_deref().map(|it| &it.body) {
        Some(ItemBody::Agent { settings, .. }) => settings.iter().collect(),
        Some(ItemBody::Prompt { entries, .. }) => entries
            .iter()
            .filter_map(|it| match it {
                PromptEntry::Setting(setting) => Some(setting),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let tools = settings.into_iter().filter(|it| it.name.name == "tools");
    let values = tools.filter_map(|it| match &it.value {
        SettingValue::Expression(Expression {
            kind: ExpressionKind::List(elements),
            ..
        }) => Some(elements),
        _ => None,
    });
    values
        .flatten()
        .filter_map(|it| listed(db, item.file(db), it))
        .collect()
}

fn listed(db: &dyn Db, file: File, element: &Expression) -> Option<ItemId> {
    let found = match &element.kind {
        ExpressionKind::Name(name) => resolve_name(db, file, name)?,
        ExpressionKind::AllOf(base) => return listed(db, file, base),
        ExpressionKind::Field { base, name, .. } => {
            let ExpressionKind::Name(module) = &base.kind else {
                return None;
            };
            match resolve_name(db, file, module)? {
                Definition::Module(target) => resolve_member(db, target, &name.name, file)?,
                server => server,
            }
        }
        _ => return None,
    };
    match found {
        Definition::Item(item) => Some(item),
        Definition::Variant { .. } | Definition::Module(_) => None,
    }
}
