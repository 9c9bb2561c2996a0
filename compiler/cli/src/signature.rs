//! Heads of declarations with what was inferred about them, one line each.

use std::fmt::Write;

use gsw_analysis::{ArgumentEffects, item_summary};
use gsw_describe::error_names;
use gsw_names::types::Type;
use gsw_names::{Signature, display_parameter, display_type, is_std, item_signature};
use gsw_source::{Database, ItemId, Project};
use gsw_syntax::file_item_ids;

/// The heads of everything that can be called, by file.
pub fn signatures(db: &Database) -> String {
    let mut out = String::new();
    let Some(project) = Project::try_get(db) else {
        return out;
    };
    for file in project.modules(db).values() {
        if is_std(db, *file) {
            continue;
        }
        let heads: Vec<String> = file_item_ids(db, *file)
            .iter()
            .filter_map(|it| signature(db, *it))
            .collect();
        if !heads.is_empty() {
            let path = file.path(db).display();
            let _ = writeln!(out, "// {path}\n{}", heads.join("\n"));
        }
    }
    out
}

fn signature(db: &Database, item: ItemId) -> Option<String> {
    let kind = item.kind(db);
    let keyword = kind.keyword().filter(|_| kind.is_callable())?;
    let signature = &item_signature(db, item).signature;
    let mut head = format!("{keyword} {}{}", item.name(db), heading(db, signature));
    let summary = &item_summary(db, item).item;
    let errors = error_names(db, &summary.errors);
    if !errors.is_empty() {
        let _ = write!(head, " ! {}", errors.join(" | "));
    }
    let effects: Vec<_> = summary.effects.iter().map(|it| it.name()).collect();
    if !effects.is_empty() {
        let _ = write!(head, " uses {}", effects.join(" + "));
    }
    let takes_functions = signature
        .parameters
        .iter()
        .any(|it| matches!(it.ty, Type::Function(_)));
    if takes_functions && summary.arguments == ArgumentEffects::Added {
        head.push_str("  // plus the errors and effects of its function arguments");
    }
    Some(head)
}

fn heading(db: &Database, signature: &Signature) -> String {
    let generics = if signature.generics.is_empty() {
        String::new()
    } else {
        format!("<{}>", signature.generics.join(", "))
    };
    let parameters: Vec<_> = signature
        .parameters
        .iter()
        .map(|it| format!("{}: {}", it.name, display_parameter(db, it)))
        .collect();
    let result = if signature.result == Type::Unit {
        String::new()
    } else {
        format!(" -> {}", display_type(db, &signature.result))
    };
    format!("{generics}({}){result}", parameters.join(", "))
}
