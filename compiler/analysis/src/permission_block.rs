//! What is wrong with a `permissions` block: nothing in it may be taken for less than it says.

use gsw_abi::permission::Permission;
use gsw_infer::errors::{calls, habits};
use gsw_project::{meant_entry, project_configuration};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Name, Place, Project, Span, nearest};
use gsw_syntax::ast::{Expression, ExpressionKind, ItemBody, Literal, SettingValue};
use gsw_syntax::{file_item_ids, item_ast};

use crate::errors;
use crate::manifest::text;
use crate::rules::contains;

pub fn permission_diagnostics(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(tree) = item_ast(db, item) else {
        return found;
    };
    let ItemBody::Permissions { settings } = &tree.body else {
        return found;
    };
    let place = |span: Span| Place::Item { item, span };
    // The word alone: the report is about the block as a whole.
    let word = Span::new(
        tree.span.start,
        tree.span.start + "permissions".len() as u32,
    );
    found.extend(misplaced(db, item, place(word)));
    for (index, setting) in settings.iter().enumerate() {
        let (name, here) = (setting.name.name.as_str(), place(setting.name.span));
        let permission = Permission::named(name);
        if permission.is_none() {
            let names = Permission::names();
            let suggestion = nearest(name, &names.map(Name::new_static));
            let report = calls::unknown_setting(here, name, suggestion.as_ref());
            found.push(calls::permissions_are(report, &names));
        }
        if settings[..index].iter().any(|it| it.name.name == name) {
            found.push(calls::duplicate_setting(here, name));
        }
        match &setting.value {
            SettingValue::Expression(value) => {
                let wrong = wrong_entry(value);
                found.extend(wrong.map(|it| wrong_setting(place(it.span), name)));
                if let Some(permission) = permission {
                    found.extend(unmatchable(permission, value, place));
                    found.extend(beyond_project(db, permission, value, place));
                }
            }
            SettingValue::Settings { .. } => found.push(wrong_setting(here, name)),
        }
    }
    found
}

/// The entries that the project's `gsw.toml` does not grant: a block can only narrow it.
fn beyond_project(
    db: &dyn Db,
    permission: Permission,
    value: &Expression,
    place: impl Fn(Span) -> Place,
) -> Vec<Diagnostic> {
    let granted = project_configuration(db).and_then(|it| it.permissions.as_ref());
    let Some(granted) = granted else {
        return Vec::new();
    };
    let listed = granted.get(&permission).map_or(&[][..], Vec::as_slice);
    entries(value)
        .filter(|(_, text)| !listed.iter().any(|it| contains(permission, it, text)))
        .map(|(span, text)| errors::beyond_project(place(span), permission, &text, listed))
        .collect()
}

/// The entries that cover nothing, whatever the program does.
fn unmatchable(
    permission: Permission,
    value: &Expression,
    place: impl Fn(Span) -> Place,
) -> Vec<Diagnostic> {
    let wrong = entries(value).filter_map(|(span, text)| {
        let meant = meant_entry(permission, &text)?;
        Some(errors::unmatchable_entry(
            place(span),
            permission,
            &text,
            &meant,
        ))
    });
    wrong.collect()
}

/// The texts that a permission lists, and their spans.
fn entries(value: &Expression) -> impl Iterator<Item = (Span, String)> {
    let entries = if let ExpressionKind::List(entries) = &value.kind {
        entries.as_slice()
    } else {
        std::slice::from_ref(value)
    };
    entries.iter().filter_map(|it| Some((it.span, text(it)?)))
}

/// A second block, and one outside of the entry module.
fn misplaced(db: &dyn Db, item: ItemId, place: Place) -> Option<Diagnostic> {
    let project = Project::try_get(db)?;
    let entry = *project.modules(db).get(project.entry(db))?;
    let mut blocks = file_item_ids(db, entry).iter().copied();
    let first = blocks.find(|it| it.kind(db) == ItemKind::Permissions);
    if first == Some(item) {
        return None;
    }
    let home = "the entry module, once: what it lists holds for the whole program";
    Some(errors::misplaced_statement(place, "`permissions`", home))
}

/// The first entry that is no plain string.
fn wrong_entry(value: &Expression) -> Option<&Expression> {
    if let ExpressionKind::List(entries) = &value.kind {
        return entries.iter().find_map(wrong_text);
    }
    wrong_text(value)
}

fn wrong_text(value: &Expression) -> Option<&Expression> {
    if let ExpressionKind::Parenthesized(inside) = &value.kind {
        return wrong_text(inside);
    }
    let is_text = matches!(value.kind, ExpressionKind::Literal(Literal::String(_)));
    (!is_text).then_some(value)
}

fn wrong_setting(place: Place, name: &str) -> Diagnostic {
    let report = calls::wrong_setting(place, name, "a list of strings that are written out");
    if name == Permission::Net.name() {
        return habits::everything_permitted(report);
    }
    report
}
