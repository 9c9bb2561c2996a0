//! The tools and agents that an agent or prompt gives to its model.

use gsw_source::{Db, File, ItemId, ItemKind};
use gsw_syntax::ast::{Expression, ExpressionKind, ItemBody, PromptEntry, Setting, SettingValue};
use gsw_syntax::file_item_ids;

use crate::scope::{Definition, is_private, resolve_member, resolve_name};
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
        .flat_map(|it| listed(db, item.file(db), it))
        .collect()
}

/// The tools that a module declares for all, in their order.
pub(crate) fn module_tools(db: &dyn Db, module: File) -> Vec<ItemId> {
    let items = file_item_ids(db, module).iter().copied();
    items
        .filter(|it| it.kind(db) == ItemKind::Tool && !is_private(db, *it))
        .collect()
}

fn listed(db: &dyn Db, file: File, element: &Expression) -> Vec<ItemId> {
    let found = match &element.kind {
        ExpressionKind::Name(name) => resolve_name(db, file, name),
        ExpressionKind::AllOf(base) => return listed(db, file, base),
        ExpressionKind::Field { base, name, .. } => {
            let ExpressionKind::Name(module) = &base.kind else {
                return Vec::new();
            };
            match resolve_name(db, file, module) {
                Some(Definition::Module(target)) => resolve_member(db, target, &name.name, file),
                server => server,
            }
        }
        _ => None,
    };
    match found {
        Some(Definition::Item(item)) => vec![item],
        Some(Definition::Module(module)) => module_tools(db, module),
        Some(Definition::Variant { .. }) | None => Vec::new(),
    }
}
