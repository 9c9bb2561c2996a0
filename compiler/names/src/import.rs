//! Imports: the graph of files, its cycles, and what is wrong with an import.

use std::collections::{HashMap, HashSet, VecDeque};

use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Place, Span, Suggestion, meant, nearest};
use gsw_syntax::ast::{Import, ItemBody};
use gsw_syntax::{file_item_ids, imported_paths, is_damaged, item_ast, slip_of_import};

use crate::errors;
use crate::import_graph::is_cycle;
use crate::module::{entry_file, module_file, shown_file, unreadable_module};
use crate::scope::{
    import_name, is_importable, is_private, member_names, module_scope, resolve_member,
    seems_declared,
};
use crate::source_text::{item_text, source_text};
use crate::tree::item_head;

/// The files that `file` imports, in order, each once.
#[salsa::tracked(returns(ref))]
pub fn imported_files(db: &dyn Db, file: File) -> Vec<File> {
    let mut files = Vec::new();
    for path in imported_paths(db, file) {
        let target = module_file(db, file, path);
        files.extend(target.filter(|it| !files.contains(it)));
    }
    files
}

/// The imports of `file` that are on no cycle: following only these ends.
pub fn acyclic_imports(db: &dyn Db, file: File) -> Vec<File> {
    let all = imported_files(db, file).iter().copied();
    all.filter(|target| !is_cycle(db, *target, file)).collect()
}

/// What is wrong with the imports of `file`, unused ones aside.
pub fn import_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = late_imports(db, file);
    for (item, import) in imports(db, file) {
        let place = Place::Item {
            item,
            span: import.path_span,
        };
        match module_file(db, file, &import.path) {
            // `import std/`
            None if is_damaged(db, item) => {}
            None => found.push(missing_module(db, file, &import.path, place)),
            Some(target) => {
                found.extend(cycle(db, file, target, place));
                found.extend(unknown_imports(db, file, item, &import, target));
            }
        }
    }
    found
}

/// That `path`, written in an import of `file`, leads to no module.
fn missing_module(db: &dyn Db, file: File, path: &str, place: Place) -> Diagnostic {
    if let Some(why) = unreadable_module(db, file, path) {
        return errors::unreadable_module(place, path, why);
    }
    let suggestion = nearest_module(db, path);
    errors::unknown_module(place, path, suggestion.as_ref(), &library_modules(db))
}

fn late_imports(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let ids = file_item_ids(db, file).iter().copied();
    let mut behind =
        ids.skip_while(|it| matches!(it.kind(db), ItemKind::Import | ItemKind::Invalid));
    let Some(first) = behind.next() else {
        return Vec::new();
    };
    let late = behind.filter(|it| it.kind(db) == ItemKind::Import);
    late.map(|item| {
        let span = item_ast(db, item).map_or(Span::default(), |it| it.span);
        let start = Place::Item {
            item: first,
            span: Span::default(),
        };
        let text = source_text(db, item, span);
        errors::late_import(Place::Item { item, span }, start, &text)
    })
    .collect()
}

/// The imports of `file` with their items.
pub fn imports(db: &dyn Db, file: File) -> Vec<(ItemId, Import)> {
    let ids = file_item_ids(db, file).iter().copied();
    let imports = ids.filter(|id| id.kind(db) == ItemKind::Import);
    imports
        .filter_map(|id| {
            let ItemBody::Import(import) = &item_head(db, id)?.body else {
                return None;
            };
            Some((id, import.clone()))
        })
        .collect()
}

/// Whether an import of `file` means to bring `name`. When it is in scope nevertheless not, the import was reported.
pub(crate) fn is_imported(db: &dyn Db, file: File, name: &str) -> bool {
    imports(db, file).iter().any(|(_, import)| {
        let names = import.names.iter().flatten();
        let mut names = names.map(|it| it.alias.as_ref().unwrap_or(&it.name));
        names.any(|it| it.name == name) || import.names.is_none() && import_name(import) == name
    })
}

/// A report of a name that an imported module has and the import does not bring; `None` where there is no such module.
pub fn with_import(db: &dyn Db, file: File, name: &str, report: &Diagnostic) -> Option<Diagnostic> {
    imports(db, file).into_iter().find_map(|(item, import)| {
        let module = module_file(db, file, &import.path)?;
        resolve_member(db, module, name, file)?;
        let report = report.clone();
        let Some(names) = &import.names else {
            let written = format!("{}.{name}", import_name(&import));
            return Some(errors::written_with_module(report, &import.path, &written));
        };
        let last = names.last()?;
        let end = last.alias.as_ref().unwrap_or(&last.name).span.end;
        let end = Place::Item {
            item,
            span: Span::new(end, end),
        };
        Some(errors::not_listed(report, &import.path, name, end))
    })
}

/// A report of the type of an imported module where a function of that module is meant: `Set.of` for `set.of`.
pub fn with_module_of(
    db: &dyn Db,
    file: File,
    name: &str,
    member: &str,
    report: &Diagnostic,
) -> Option<Diagnostic> {
    let (_, import) = imports(db, file).into_iter().find(|(_, import)| {
        let module = module_file(db, file, &import.path);
        let has = |module, it: &str| resolve_member(db, module, it, file).is_some();
        import.names.is_none() && module.is_some_and(|it| has(it, name) && has(it, member))
    })?;
    let module = import_name(&import);
    let written = format!("{module}.{member}");
    let report = report.clone();
    Some(errors::function_of_module(
        report,
        &import.path,
        &module,
        &written,
    ))
}

/// Whether what is wrong with `name` was reported where it is imported or declared.
pub fn is_reported(db: &dyn Db, file: File, name: &str) -> bool {
    is_imported(db, file, name)
        || seems_declared(db, file, name)
        || file_item_ids(db, file)
            .iter()
            .any(|it| seems_to_bring(db, *it, name))
}

/// Whether a declaration that could not be read looks like an import of `name`, like an enum with such a variant, or like a
/// function that lacks its name.
fn seems_to_bring(db: &dyn Db, item: ItemId, name: &str) -> bool {
    if item.kind(db) == ItemKind::Enum && name.starts_with(char::is_uppercase) {
        return is_damaged(db, item);
    }
    if item.kind(db) != ItemKind::Invalid {
        return false;
    }
    let text = item_text(db, item);
    let mut words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
    match words.find(|it| !it.is_empty()) {
        Some(word) if slip_of_import(word).is_some() => words.any(|it| it == name),
        // Which other languages write instead, and the report of that mends.
        Some("import" | "use" | "from") => words.any(|it| it == name),
        // A variable at the top level.
        Some("let" | "var" | "val" | "static") => words.find(|it| !it.is_empty()) == Some(name),
        Some("enum") => {
            let rest = text.strip_prefix("enum").unwrap_or_default().trim_start();
            let has_name = rest.starts_with(|it: char| it.is_alphanumeric());
            !has_name || words.any(|it| it == name)
        }
        // A declaration without its name may be any unresolved name.
        Some(word @ ("fn" | "type" | "const" | "workflow" | "tool" | "prompt")) => {
            let rest = text.strip_prefix(word).unwrap_or_default().trim_start();
            !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_')
        }
        Some(_) | None => false,
    }
}

/// The paths of the library's modules, in back-quotes.
fn library_modules(db: &dyn Db) -> Vec<String> {
    let Some(project) = gsw_source::Project::try_get(db) else {
        return Vec::new();
    };
    let modules = project.modules(db).keys();
    let library = modules.filter(|it| it.starts_with("std/") && *it != "std/prelude");
    let mut names: Vec<String> = library.map(|it| format!("`{it}`")).collect();
    names.sort();
    names
}

/// Only paths into the library are offered: a relative path is known to whoever wrote the file.
fn nearest_module(db: &dyn Db, path: &str) -> Option<Suggestion> {
    let project = gsw_source::Project::try_get(db)?;
    let library = project
        .modules(db)
        .keys()
        .filter(|it| it.starts_with("std/"));
    let names: Vec<gsw_source::Name> = library.map(gsw_source::Name::new).collect();
    nearest(path, &names).or_else(|| {
        let guess = gsw_source::Name::new(format!("std/{}", path.trim_start_matches("./")));
        names.contains(&guess).then(|| Suggestion::offered(guess))
    })
}

/// A cycle is reported once: in the entry, else in the file of it that comes first by its path.
fn cycle(db: &dyn Db, file: File, target: File, place: Place) -> Option<Diagnostic> {
    let back = is_cycle(db, target, file).then(|| path_between(db, target, file))??;
    let entry = entry_file(db);
    let rank = |it: File| (Some(it) != entry, it.path(db));
    if back.iter().any(|it| rank(*it) < rank(file)) {
        return None;
    }
    let path: Vec<String> = std::iter::once(file)
        .chain(back)
        .map(|it| shown_file(db, it))
        .collect();
    Some(errors::import_cycle(place, &path))
}

/// The shortest way along imports from `start` to `end`, both included.
fn path_between(db: &dyn Db, start: File, end: File) -> Option<Vec<File>> {
    let mut before: HashMap<File, File> = HashMap::new();
    let mut seen: HashSet<File> = HashSet::from([start]);
    let mut waiting = VecDeque::from([start]);
    while let Some(file) = waiting.pop_front() {
        if file == end {
            let mut path = vec![end];
            let mut at = end;
            while let Some(&previous) = before.get(&at) {
                path.push(previous);
                at = previous;
            }
            path.reverse();
            return Some(path);
        }
        for &next in imported_files(db, file) {
            if seen.insert(next) {
                before.insert(next, file);
                waiting.push_back(next);
            }
        }
    }
    None
}

fn unknown_imports(
    db: &dyn Db,
    file: File,
    item: ItemId,
    import: &Import,
    target: File,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for imported in import.names.iter().flatten() {
        let name = imported.name.name.as_str();
        let place = Place::Item {
            item,
            span: imported.name.span,
        };
        let declared = module_scope(db, target).items.get(name);
        match declared.filter(|it| is_importable(db, **it)) {
            Some(it) if file != target && is_private(db, *it) => {
                found.push(errors::private_name(place, name, &import.path));
            }
            Some(_) => {}
            None if seems_declared(db, target, name) => {}
            None => {
                let variants = &module_scope(db, target).variants;
                let of = variants.get(name).and_then(|it| it.first());
                let suggestion = meant(name, &member_names(db, target)).filter(|_| of.is_none());
                let report = errors::unknown_import(place, name, &import.path, suggestion.as_ref());
                found.push(match of {
                    Some((of, _)) => errors::brings_variants(report, of.name(db), &import.path),
                    None => report,
                });
            }
        }
    }
    found
}
