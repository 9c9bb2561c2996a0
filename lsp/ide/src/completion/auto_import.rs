//! What is declared elsewhere and not imported yet, with the import that brings it.

use gsw_names::{
    Definition, imports, is_std, member_names, module_path, module_scope, resolve_member,
    resolve_name,
};
use gsw_source::{File, LocatedEdit, Location, Project, Span};
use gsw_syntax::{file_item_ids, item_ast};

use super::Cursor;
use super::import::path_to;
use super::item::{Calling, Completion, CompletionKind, of_item};
use super::name::{Wanted, is_wanted};
use crate::cursor::in_file;

/// So many letters must be typed before all files are looked through.
const LEAST: usize = 2;

/// Declarations of the project's other files, and modules of the library, whose names begin with what is typed.
pub fn importable(cursor: &Cursor<'_>, wanted: Wanted) -> Vec<Completion> {
    let db = cursor.db;
    let (Some(project), Some(own)) = (Project::try_get(db), module_path(db, cursor.file)) else {
        return Vec::new();
    };
    if cursor.prefix.len() < LEAST {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, &module) in project.modules(db) {
        if module == cursor.file {
            continue;
        }
        if is_std(db, module) {
            found.extend(library_module(cursor, module, key));
        } else {
            found.extend(declarations(cursor, module, (own, key), wanted));
        }
    }
    found
}

fn library_module(cursor: &Cursor<'_>, module: File, path: &str) -> Option<Completion> {
    let name = path.rsplit('/').next()?;
    let is_meant = name.starts_with(cursor.prefix)
        && resolve_name(cursor.db, cursor.file, name).is_none()
        && !member_names(cursor.db, module).is_empty();
    is_meant.then(|| Completion {
        imports: vec![line(cursor, path)],
        ..Completion::new(name, CompletionKind::Module, 5).detail(format!("import {path}"))
    })
}

/// The declarations of a module that are meant; the keys are those of the cursor's own module and of this one.
fn declarations(
    cursor: &Cursor<'_>,
    module: File,
    (own, key): (&str, &str),
    wanted: Wanted,
) -> Vec<Completion> {
    let db = cursor.db;
    // The names of a scope are sorted, so those that begin alike stand together.
    let names = module_scope(db, module).items.keys();
    let names = names.skip_while(|it| it.as_str() < cursor.prefix);
    let meant = names.take_while(|it| it.starts_with(cursor.prefix));
    let meant: Vec<_> = meant.filter(|it| !it.contains('.')).collect();
    if meant.is_empty() {
        return Vec::new();
    }
    let Some(path) = path_to(own, key) else {
        return Vec::new();
    };
    meant
        .into_iter()
        .filter_map(|name| {
            let definition = resolve_member(db, module, name, cursor.file)?;
            let Definition::Item(item) = definition else {
                return None;
            };
            let is_free = resolve_name(db, cursor.file, name).is_none();
            if !is_free || !is_wanted(cursor, item, wanted) {
                return None;
            }
            let calling = match wanted {
                Wanted::Values => Calling::Call,
                Wanted::Types | Wanted::Errors | Wanted::Only(_) => Calling::Name,
            };
            let completion = of_item(db, name, item, calling, 6);
            let imports = vec![name_import(cursor, module, &path, name)];
            let detail = format!("import {path}.{{{name}}}");
            Some(Completion {
                imports,
                ..completion.detail(detail)
            })
        })
        .collect()
}

/// The edit that imports one name: into the braces of an import of the module, or a line of its own.
fn name_import(cursor: &Cursor<'_>, module: File, path: &str, name: &str) -> LocatedEdit {
    let db = cursor.db;
    for (item, import) in imports(db, cursor.file) {
        let target = gsw_names::module_file(db, cursor.file, &import.path);
        if let (Some(last), true) = (import.names.iter().flatten().last(), target == Some(module)) {
            let end = last.alias.as_ref().unwrap_or(&last.name).span.end;
            let span = in_file(db, item, Span::new(end, end));
            return edit(cursor, span, format!(", {name}"));
        }
    }
    line(cursor, &format!("{path}.{{{name}}}"))
}

/// The edit that writes an import after the last one, or before the first declaration.
fn line(cursor: &Cursor<'_>, what: &str) -> LocatedEdit {
    let db = cursor.db;
    let last = imports(db, cursor.file).last().and_then(|(item, _)| {
        let tree = item_ast(db, *item)?;
        Some(in_file(db, *item, tree.span).end)
    });
    match last {
        Some(end) => edit(cursor, Span::new(end, end), format!("\nimport {what}")),
        None => {
            let first = file_item_ids(db, cursor.file).first();
            let start = first.map_or(0, |it| in_file(db, *it, Span::default()).start);
            edit(
                cursor,
                Span::new(start, start),
                format!("import {what}\n\n"),
            )
        }
    }
}

fn edit(cursor: &Cursor<'_>, span: Span, text: String) -> LocatedEdit {
    let file = cursor.file;
    let location = Location { file, span };
    LocatedEdit { location, text }
}
