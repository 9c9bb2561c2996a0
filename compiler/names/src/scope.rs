//! Scopes of files: what a name means outside of bodies, in which order it is looked for, and what it may have meant.

use std::collections::BTreeMap;

use gsw_source::{Db, File, ItemId, ItemKind, Name, Suggestion, nearest};
use gsw_syntax::ast::{Import, ImportedName, ItemBody, Visibility};
use gsw_syntax::file_item_ids;

use crate::module::{IMPLICIT_MODULES, implicit_module, module_file, prelude_file};
use crate::tree::item_head;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Definition {
    Item(ItemId),
    /// A variant of an enum.
    Variant {
        item: ItemId,
        variant: u32,
    },
    /// A module, by its alias or last name.
    Module(File),
}

/// The names that a file declares or imports. Knows no positions, so edits inside bodies do not change it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModuleScope {
    /// Own declarations; methods as `Type.method`, without tests. Of two with one name the first.
    pub items: BTreeMap<Name, ItemId>,
    /// What imports bring, by the name used here.
    pub imports: BTreeMap<Name, Definition>,
    /// Variants of enums declared or imported here.
    pub variants: BTreeMap<Name, Vec<(ItemId, u32)>>,
}

#[salsa::tracked(returns(ref))]
pub fn module_scope(db: &dyn Db, file: File) -> ModuleScope {
    let mut scope = ModuleScope::default();
    for id in file_item_ids(db, file).iter().copied() {
        match id.kind(db) {
            ItemKind::Import => add_import(db, file, id, &mut scope),
            ItemKind::Test | ItemKind::Permissions | ItemKind::Invalid => {}
            _ if id.name(db).is_empty() => {}
            ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill => {
                scope.items.entry(id.name(db).clone()).or_insert(id);
            }
        }
    }
    let own = scope.items.values().copied();
    let imported = scope.imports.values().filter_map(|it| match it {
        Definition::Item(item) => Some(*item),
        Definition::Variant { .. } | Definition::Module(_) => None,
    });
    for item in own.chain(imported).collect::<Vec<_>>() {
        add_variants(db, item, &mut scope.variants);
    }
    scope
}

/// What `name` means in `file` outside of any local: own items and imports, variants, the prelude, modules that need no
/// import. Of variants with one name the first; see [`variants_named`].
pub fn resolve_name(db: &dyn Db, file: File, name: &str) -> Option<Definition> {
    resolve_item(db, file, name).or_else(|| implicit_module(db, name).map(Definition::Module))
}

/// As [`resolve_name`], but modules do not hide what can be called: `random()` after `import std/random`.
pub fn resolve_callable(db: &dyn Db, file: File, name: &str) -> Option<Definition> {
    match resolve_name(db, file, name)? {
        module @ Definition::Module(_) => in_prelude(db, name).or(Some(module)),
        other @ (Definition::Item(_) | Definition::Variant { .. }) => Some(other),
    }
}

/// As [`resolve_name`] where an error is wanted: variants and types do not hide the built-in error of their name.
pub fn resolve_error(db: &dyn Db, file: File, name: &str) -> Option<Definition> {
    let found = resolve_name(db, file, name)?;
    let is_other = match found {
        Definition::Variant { .. } => true,
        Definition::Item(item) => item.kind(db).is_type(),
        Definition::Module(_) => false,
    };
    if !is_other {
        return Some(found);
    }
    let is_error =
        |it: &Definition| matches!(it, Definition::Item(it) if it.kind(db) == ItemKind::Error);
    in_prelude(db, name).filter(is_error).or(Some(found))
}

/// All variants called `name` that `file` sees: those of its own and imported enums, else of the prelude's.
pub fn variants_named<'db>(db: &'db dyn Db, file: File, name: &str) -> &'db [(ItemId, u32)] {
    if let Some(found) = module_scope(db, file).variants.get(name) {
        return found;
    }
    prelude_file(db)
        .and_then(|prelude| module_scope(db, prelude).variants.get(name))
        .map_or(&[], Vec::as_slice)
}

/// What `name` means after the dot of a module, for code of `from`; `None` also when it is private there.
pub fn resolve_member(db: &dyn Db, module: File, name: &str, from: File) -> Option<Definition> {
    let item = *module_scope(db, module).items.get(name)?;
    (from == module || !is_private(db, item)).then_some(Definition::Item(item))
}

/// Whether a declaration of `file` that could not be read seems to have that name, so that uses of it need no report.
pub fn seems_declared(db: &dyn Db, file: File, name: &str) -> bool {
    let mut ids = file_item_ids(db, file).iter();
    ids.any(|id| id.kind(db) == ItemKind::Invalid && id.name(db) == name)
}

/// Whether `item` is declared `private`.
pub fn is_private(db: &dyn Db, item: ItemId) -> bool {
    item_head(db, item).is_some_and(|ast| ast.visibility == Visibility::Private)
}

/// The public names of `module`, for completion and suggestions.
pub fn member_names(db: &dyn Db, module: File) -> Vec<Name> {
    let items = module_scope(db, module).items.iter();
    items
        .filter(|(name, item)| !name.contains('.') && !is_private(db, **item))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Every name that `file` sees outside of locals, for completion; sorted.
pub fn visible_names(db: &dyn Db, file: File) -> Vec<Name> {
    let mut names = own_names(module_scope(db, file));
    if let Some(prelude) = prelude_file(db) {
        names.extend(own_names(module_scope(db, prelude)));
    }
    let implicit = IMPLICIT_MODULES.iter().map(|it| Name::new_static(it));
    names.extend(implicit.filter(|it| implicit_module(db, it).is_some()));
    names.sort();
    names.dedup();
    names
}

/// The name in scope that `name` was most likely meant to be.
pub fn suggest(db: &dyn Db, file: File, name: &str, locals: &[Name]) -> Option<Suggestion> {
    nearest(name, locals.iter().chain(&visible_names(db, file)))
}

fn own_names(scope: &ModuleScope) -> Vec<Name> {
    let items = scope.items.keys().filter(|it| !it.contains('.'));
    items
        .chain(scope.imports.keys())
        .chain(scope.variants.keys())
        .cloned()
        .collect()
}

fn resolve_item(db: &dyn Db, file: File, name: &str) -> Option<Definition> {
    in_scope(module_scope(db, file), name).or_else(|| in_prelude(db, name))
}

fn in_prelude(db: &dyn Db, name: &str) -> Option<Definition> {
    in_scope(module_scope(db, prelude_file(db)?), name)
}

fn in_scope(scope: &ModuleScope, name: &str) -> Option<Definition> {
    if let Some(&item) = scope.items.get(name) {
        return Some(Definition::Item(item));
    }
    if let Some(&imported) = scope.imports.get(name) {
        return Some(imported);
    }
    let &(item, variant) = scope.variants.get(name)?.first()?;
    Some(Definition::Variant { item, variant })
}

fn add_import(db: &dyn Db, file: File, id: ItemId, scope: &mut ModuleScope) {
    let Some(ast) = item_head(db, id) else { return };
    let ItemBody::Import(import) = &ast.body else {
        return;
    };
    let Some(module) = module_file(db, file, &import.path) else {
        return;
    };
    let Some(names) = &import.names else {
        let entry = scope.imports.entry(import_name(import));
        entry.or_insert(Definition::Module(module));
        return;
    };
    for ImportedName { name, alias } in names {
        if let Some(found) = imported(db, module, &name.name, file) {
            let local = alias.as_ref().unwrap_or(name);
            scope.imports.entry(local.name.clone()).or_insert(found);
        }
    }
}

/// The name by which an import without braces brings its module.
pub fn import_name(import: &Import) -> Name {
    let last = import.path.rsplit('/').next().unwrap_or_default();
    let alias = import.alias.as_ref().map(|it| it.name.clone());
    alias.unwrap_or_else(|| Name::new(last))
}

/// Reads the items of `module` only, never its imports, so that import cycles are no query cycles.
fn imported(db: &dyn Db, module: File, name: &str, from: File) -> Option<Definition> {
    let mut ids = file_item_ids(db, module).iter().copied();
    let item = ids.find(|id| is_importable(db, *id) && id.name(db) == name)?;
    (module == from || !is_private(db, item)).then_some(Definition::Item(item))
}

/// Whether an import may name an item of this kind.
pub(crate) fn is_importable(db: &dyn Db, id: ItemId) -> bool {
    !matches!(
        id.kind(db),
        ItemKind::Import | ItemKind::Test | ItemKind::Permissions | ItemKind::Invalid
    )
}

fn add_variants(db: &dyn Db, item: ItemId, to: &mut BTreeMap<Name, Vec<(ItemId, u32)>>) {
    if item.kind(db) != ItemKind::Enum {
        return;
    }
    let Some(ast) = item_head(db, item) else {
        return;
    };
    let ItemBody::Enum(declaration) = &ast.body else {
        return;
    };
    for (index, variant) in (0u32..).zip(&declaration.variants) {
        let found = to.entry(variant.name.name.clone()).or_default();
        if !found.iter().any(|(other, _)| *other == item) {
            found.push((item, index));
        }
    }
}
