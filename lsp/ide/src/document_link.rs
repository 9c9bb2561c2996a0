//! `textDocument/documentLink`: the imports of a file, the skills of its agents and the cassettes of its tests, each leading to what it names.

use std::path::{Path, PathBuf};

use gsw_infer::cassette_file;
use gsw_names::{imports, module_file, skill_instructions};
use gsw_source::{Db, File, Span};
use gsw_syntax::ast::{
    Child, Expression, ExpressionKind, Item, ItemBody, Literal, PromptEntry, Setting, SettingValue,
};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::{in_file, visit_nodes};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// In the file.
    pub span: Span,
    /// A file or a folder. Where a test is not recorded yet, its cassette is not there.
    pub target: PathBuf,
}

#[must_use]
pub fn document_link(db: &dyn Db, file: File) -> Vec<Link> {
    let mut links = Vec::new();
    for (item, import) in imports(db, file) {
        links.extend(module_file(db, file, &import.path).map(|it| Link {
            span: in_file(db, item, import.path_span),
            target: it.path(db).clone(),
        }));
    }
    for item in file_item_ids(db, file).iter().copied() {
        let Some(tree) = item_ast(db, item) else {
            continue;
        };
        let targets = skills(db, file, &tree).chain(cassette(db, file, &tree));
        links.extend(targets.map(|(span, target)| Link {
            span: in_file(db, item, span),
            target,
        }));
    }
    links
}

/// The elements of `skills` in an item: each leads to its `SKILL.md`, or to the folder of several skills.
fn skills(db: &dyn Db, file: File, tree: &Item) -> impl Iterator<Item = (Span, PathBuf)> {
    let lists = settings(tree).into_iter().filter_map(|it| {
        if it.name.name == "skills"
            && let SettingValue::Expression(value) = &it.value
            && let ExpressionKind::List(elements) = &value.kind
        {
            return Some(elements);
        }
        None
    });
    let folders = lists.flatten().filter_map(|it| Some((it.span, text(it)?)));
    folders.filter_map(move |(span, path)| {
        let instructions = skill_instructions(db, file, path);
        let first = instructions.first()?.path(db);
        let target = match instructions.len() {
            1 => first.as_path(),
            _ => first.parent()?.parent()?,
        };
        Some((span, target.to_owned()))
    })
}

/// The settings of an item, and of the calls in it.
fn settings(tree: &Item) -> Vec<&Setting> {
    let mut all: Vec<&Setting> = Vec::new();
    if let ItemBody::Agent { settings, .. } = &tree.body {
        all.extend(settings);
    }
    if let ItemBody::Prompt { entries, .. } = &tree.body {
        for entry in entries {
            if let PromptEntry::Setting(it) = entry {
                all.push(it);
            }
        }
    }
    visit_nodes(tree, |node| {
        if let Child::Expression(it) = node
            && let ExpressionKind::With { settings, .. } = &it.kind
        {
            all.extend(settings);
        }
    });
    all
}

/// The file from which a test takes the answers of models.
fn cassette(db: &dyn Db, file: File, tree: &Item) -> Option<(Span, PathBuf)> {
    let ItemBody::Test {
        cassette: Some(value),
        ..
    } = &tree.body
    else {
        return None;
    };
    let folder = file.path(db).parent().unwrap_or(Path::new(""));
    Some((value.span, folder.join(cassette_file(value)?)))
}

fn text(it: &Expression) -> Option<&str> {
    let ExpressionKind::Literal(Literal::String(text)) = &it.kind else {
        return None;
    };
    Some(text)
}
