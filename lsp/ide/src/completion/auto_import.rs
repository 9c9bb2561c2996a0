//! What is declared elsewhere and not imported yet, with the import that brings it.

use std::ops::Bound;

use gsw_names::{is_std, module_scope, resolve_name};
use gsw_syntax::is_name;

use super::Cursor;
use super::item::{Calling, Completion, CompletionKind, of_item, of_variant};
use super::name::{Wanted, is_wanted, leads_to};
use crate::importing::{self, Importable};

/// How many letters must be typed before all files are searched.
const LEAST: usize = 2;

/// Modules, and declarations of the project's other files, whose names begin with what is typed.
pub fn importable(cursor: &Cursor<'_>, wanted: Wanted) -> Vec<Completion> {
    if cursor.prefix.len() < LEAST {
        return Vec::new();
    }
    let mut found = Vec::new();
    for it in importing::importable(cursor.db, cursor.file) {
        found.extend(module(cursor, &it, wanted));
        if !is_std(cursor.db, it.module) {
            found.extend(declarations(cursor, &it, wanted));
            if wanted == Wanted::Values {
                found.extend(variants(cursor, &it));
            }
        }
    }
    found
}

fn module(cursor: &Cursor<'_>, of: &Importable<'_>, wanted: Wanted) -> Option<Completion> {
    let (db, file, name) = (cursor.db, cursor.file, of.name());
    if !name.starts_with(cursor.prefix) || !is_name(name) || resolve_name(db, file, name).is_some()
    {
        return None;
    }
    let (is_meant, rank) = match is_std(db, of.module) {
        true => {
            let is_public = importing::is_public_library(db, of.module);
            let is_of_kind = match wanted {
                Wanted::Only(_) => leads_to(cursor, of.module, wanted),
                Wanted::Values | Wanted::Types | Wanted::Errors => true,
            };
            (is_public && is_of_kind, 5)
        }
        false => (leads_to(cursor, of.module, wanted), 6),
    };
    let path = of.path().filter(|_| is_meant)?;
    Some(Completion {
        imports: vec![importing::module_import(db, file, &path)],
        ..Completion::new(name, CompletionKind::Module, rank).detail(format!("import {path}"))
    })
}

/// The variants of a module's enums, each with the import of its enum.
fn variants(cursor: &Cursor<'_>, of: &Importable<'_>) -> Vec<Completion> {
    let (db, file, module) = (cursor.db, cursor.file, of.module);
    let from = (Bound::Included(cursor.prefix), Bound::Unbounded);
    let named = module_scope(db, module).variants.range::<str, _>(from);
    let meant = named.take_while(|(name, _)| name.starts_with(cursor.prefix));
    let found = meant
        .flat_map(|(_, all)| all)
        .filter_map(|(item, variant)| {
            let name = item.name(db);
            let is_free = resolve_name(db, file, name).is_none();
            if importing::declared(db, module, name, file) != Some(*item) || !is_free {
                return None;
            }
            let path = of.path()?;
            let completion = of_variant(db, *item, *variant, 6)?;
            let import = importing::name_import(db, file, module, &path, name);
            Some(Completion {
                imports: vec![import],
                ..completion.detail(format!("import {path}.{{{name}}}"))
            })
        });
    found.collect()
}

/// The declarations of a module that are meant.
fn declarations(cursor: &Cursor<'_>, of: &Importable<'_>, wanted: Wanted) -> Vec<Completion> {
    let (db, file, module) = (cursor.db, cursor.file, of.module);
    let mut meant = importing::names_with(db, module, cursor.prefix).peekable();
    if meant.peek().is_none() {
        return Vec::new();
    }
    let Some(path) = of.path() else {
        return Vec::new();
    };
    meant
        .filter_map(|name| {
            let item = importing::declared(db, module, name, file)?;
            let is_free = resolve_name(db, file, name).is_none();
            if !is_free || !is_wanted(cursor, item, wanted) {
                return None;
            }
            let calling = match wanted {
                Wanted::Values => Calling::Call,
                Wanted::Types | Wanted::Errors | Wanted::Only(_) => Calling::Name,
            };
            let completion = of_item(db, name, item, calling, 6);
            let imports = vec![importing::name_import(db, file, module, &path, name)];
            let detail = format!("import {path}.{{{name}}}");
            Some(Completion {
                imports,
                ..completion.detail(detail)
            })
        })
        .collect()
}
