//! `textDocument/documentLink`: the imports of a file, the skills of its agents and the cassettes of its tests, each leading to what it names.

use std::path::{Path, PathBuf};

use gsw_infer::cassette_file;
use gsw_names::{imports, module_file, skill_instructions};
use gsw_source::{Db, File, Span, normal};
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
    let folder = file.path(db).parent().unwrap_or(Path::new(""));
    for it in relative_paths(db, file) {
        let target = match it.kind {
            PathKind::Skills => skills(db, file, &it.path),
            PathKind::Cassette => Some(normal(&folder.join(&it.path))),
        };
        links.extend(target.map(|target| Link {
            span: it.span,
            target,
        }));
    }
    links
}

/// A text that names a file or a folder, from the folder of the file that it stands in.
pub struct RelativePath {
    /// In the file, in its quotes.
    pub span: Span,
    pub path: String,
    kind: PathKind,
}

#[derive(Clone, Copy)]
enum PathKind {
    Skills,
    Cassette,
}

/// The elements of `skills` and the cassettes of tests.
pub fn relative_paths(db: &dyn Db, file: File) -> Vec<RelativePath> {
    let mut found = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        let Some(tree) = item_ast(db, item) else {
            continue;
        };
        let mut add = |span: Span, path: String, kind: PathKind| {
            found.push(RelativePath {
                span: in_file(db, item, span),
                path,
                kind,
            });
        };
        for element in listed_skills(&tree) {
            if let Some(path) = text(element) {
                add(element.span, path.to_owned(), PathKind::Skills);
            }
        }
        if let ItemBody::Test {
            cassette: Some(value),
            ..
        } = &tree.body
            && let Some(path) = cassette_file(value)
        {
            add(value.span, path, PathKind::Cassette);
        }
    }
    found
}

/// Where the skills that a path names are read: the `SKILL.md` of one, the folder of several.
fn skills(db: &dyn Db, file: File, path: &str) -> Option<PathBuf> {
    let instructions = skill_instructions(db, file, path);
    let first = instructions.first()?.path(db);
    let target = match instructions.len() {
        1 => first.as_path(),
        _ => first.parent()?.parent()?,
    };
    Some(target.to_owned())
}

/// The elements of the lists after `skills` in an item.
fn listed_skills(tree: &Item) -> impl Iterator<Item = &Expression> {
    let lists = settings(tree).into_iter().filter_map(|it| {
        if it.name.name == "skills"
            && let SettingValue::Expression(value) = &it.value
            && let ExpressionKind::List(elements) = &value.kind
        {
            return Some(elements);
        }
        None
    });
    lists.flatten()
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

fn text(it: &Expression) -> Option<&str> {
    let ExpressionKind::Literal(Literal::String(text)) = &it.kind else {
        return None;
    };
    Some(text)
}
