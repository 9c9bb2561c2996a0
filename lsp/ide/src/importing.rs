//! Imports that are not written yet: by which path a module sees another one, what can be had from where, and the edit that imports it.

use std::ops::Bound;
use std::path::Path;

use gsw_names::{
    Definition, imports, is_std, member_names, module_file, module_path, module_scope,
    resolve_member,
};
use gsw_source::{Db, File, ItemId, LocatedEdit, Name, Project, Span};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::in_file;

/// A module that a file can import.
pub struct Importable<'db> {
    pub module: File,
    /// Its key in the project: for modules of the library it is the path as well.
    pub key: &'db str,
    /// That of the file which would import it.
    own: &'db str,
}

impl Importable<'_> {
    /// How the file writes the module; `None` for a file that no path leads to.
    pub fn path(&self) -> Option<String> {
        path_to(self.own, self.key)
    }

    /// The name that an import of the whole module brings.
    pub fn name(&self) -> &str {
        self.key.rsplit('/').next().unwrap_or(self.key)
    }
}

/// The modules of the project and of the library besides `file`, in order of their keys.
pub fn importable(db: &dyn Db, file: File) -> Vec<Importable<'_>> {
    let (Some(project), Some(own)) = (Project::try_get(db), module_path(db, file)) else {
        return Vec::new();
    };
    let others = project.modules(db).iter();
    others
        .filter(|(_, module)| **module != file)
        .map(|(key, module)| Importable {
            module: *module,
            key,
            own,
        })
        .collect()
}

/// Whether a module of the library has something to give to programs.
pub fn is_public_library(db: &dyn Db, module: File) -> bool {
    is_std(db, module) && !member_names(db, module).is_empty()
}

/// What `module` declares under `name`, as far as `file` may import it.
pub fn declared(db: &dyn Db, module: File, name: &str, file: File) -> Option<ItemId> {
    match resolve_member(db, module, name, file)? {
        Definition::Item(item) => Some(item),
        Definition::Variant { .. } | Definition::Module(_) => None,
    }
}

/// The names in `module` that begin with `prefix`: the names of a scope are sorted, so they are together.
pub fn names_with<'db>(
    db: &'db dyn Db,
    module: File,
    prefix: &'db str,
) -> impl Iterator<Item = &'db Name> {
    let from = (Bound::Included(prefix), Bound::Unbounded);
    let names = module_scope(db, module).items.range::<str, _>(from);
    let names = names.map(|(name, _)| name);
    let meant = names.take_while(move |it| it.starts_with(prefix));
    meant.filter(|it| !it.contains('.'))
}

/// How a module is imported by another one; `None` where no path leads from the one to the other.
pub fn path_to(from: &str, to: &str) -> Option<String> {
    if to.starts_with("std/") {
        return Some(to.to_owned());
    }
    let folder = Path::new(from).parent()?;
    let mut up = 0;
    let mut around = folder;
    loop {
        if let Ok(rest) = Path::new(to).strip_prefix(around) {
            let rest = rest.to_str()?;
            return Some(match up {
                0 => format!("./{rest}"),
                _ => format!("{}{rest}", "../".repeat(up)),
            });
        }
        around = around.parent()?;
        up += 1;
    }
}

/// The edit that imports one name: into the braces of an import of the module, or a line of its own.
pub fn name_import(db: &dyn Db, file: File, module: File, path: &str, name: &str) -> LocatedEdit {
    for (item, import) in imports(db, file) {
        let target = module_file(db, file, &import.path);
        if let (Some(last), true) = (import.names.iter().flatten().last(), target == Some(module)) {
            let end = last.alias.as_ref().unwrap_or(&last.name).span.end;
            let span = in_file(db, item, Span::new(end, end));
            return LocatedEdit::new(file, span, format!(", {name}"));
        }
    }
    module_import(db, file, &format!("{path}.{{{name}}}"))
}

/// The edit that writes an import after the last one and the comment after it, or before the first declaration.
pub fn module_import(db: &dyn Db, file: File, what: &str) -> LocatedEdit {
    let last = imports(db, file).last().and_then(|(item, _)| {
        let tree = item_ast(db, *item)?;
        let end = in_file(db, *item, tree.span).end;
        Some(end + comment_behind(file.text(db), end))
    });
    match last {
        Some(end) => LocatedEdit::new(file, Span::new(end, end), format!("\nimport {what}")),
        None => {
            let first = file_item_ids(db, file).first();
            let start = first.map_or(0, |it| in_file(db, *it, Span::default()).start);
            LocatedEdit::new(file, Span::new(start, start), format!("import {what}\n\n"))
        }
    }
}

/// The length of the blanks and the comment that end the line of byte `at`; 0 where something else, or nothing, follows.
fn comment_behind(text: &str, at: u32) -> u32 {
    let rest = text.get(at as usize..).and_then(|it| it.lines().next());
    let comment = rest.filter(|it| it.trim_start().starts_with("//"));
    comment.map_or(0, |it| u32::try_from(it.len()).unwrap_or(0))
}
