//! The declarations of a database by the names that a program writes: those of its own files, and the public ones of the library.

use gsw_describe::{Declaration, declaration, explained};
use gsw_names::{Definition, is_private, is_std, module_scope};
use gsw_source::{Database, ItemId, Name, Project};
use gsw_syntax::file_item_ids;

/// Which declarations are searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of the library alone.
    Library,
    /// All, those of the program first.
    All,
}

/// A declaration by its full name: `fs.read`, `list.map`, `Response`, `main`.
pub type Named = (String, ItemId);

/// The declarations that a program can name.
pub fn declarations(db: &Database, whose: Whose) -> Vec<Named> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let entry = project.entry(db);
    let (mut own, mut library) = (Vec::new(), Vec::new());
    for (module, file) in project.modules(db) {
        let is_library = is_std(db, *file);
        let named = match is_library {
            true => &mut library,
            false => &mut own,
        };
        let bare = match module.strip_prefix("std/") {
            Some("prelude") => None,
            Some(module) => Some(module),
            None if module == entry => None,
            // As an import calls it, unless it says otherwise.
            None => module.rsplit('/').next(),
        };
        for item in file_item_ids(db, *file).iter().copied() {
            // What is private in a file of the user is still theirs.
            let is_shown = !is_library || !is_private(db, item);
            if item.kind(db).keyword().is_none() || !is_shown {
                continue;
            }
            let name = match bare {
                None => item.name(db).to_string(),
                Some(module) => format!("{module}.{}", item.name(db)),
            };
            named.push((name, item));
        }
    }
    match whose {
        Whose::Library => library,
        Whose::All => own.into_iter().chain(library).collect(),
    }
}

/// The declarations that the entry file imports under this name, or under it and the name of a module before it.
pub fn imported(db: &Database, name: &str) -> Vec<Named> {
    let entry = Project::try_get(db).and_then(|it| it.modules(db).get(it.entry(db)).copied());
    let Some(entry) = entry else {
        return Vec::new();
    };
    let (local, rest) = match name.split_once('.') {
        Some((local, rest)) => (local, Some(rest)),
        None => (name, None),
    };
    let scope = module_scope(db, entry);
    if let (Some(Definition::Module(module)), None) = (scope.imports.get(local), rest)
        && !is_std(db, *module)
    {
        let items = module_scope(db, *module).items.iter();
        return items
            .map(|(name, item)| (format!("{local}.{name}"), *item))
            .collect();
    }
    let named = match (scope.imports.get(local), rest) {
        (Some(Definition::Item(item)), None) => Some(*item),
        // A method of an imported type has the name of the type where it is declared.
        (Some(Definition::Item(item)), Some(method)) => {
            let method = format!("{}.{method}", item.name(db));
            let items = &module_scope(db, item.file(db)).items;
            items.get(method.as_str()).copied()
        }
        (Some(Definition::Module(module)), Some(rest)) => {
            let item = module_scope(db, *module).items.get(rest).copied();
            item.filter(|it| !is_std(db, *module) || !is_private(db, *it))
        }
        (Some(Definition::Module(_)), None) | (Some(Definition::Variant { .. }) | None, _) => None,
    };
    named.map(|it| (name.to_owned(), it)).into_iter().collect()
}

/// The declarations of this full name, else all whose name ends so after a dot.
pub fn find(named: &[Named], name: &str) -> Vec<Named> {
    let exact: Vec<Named> = named.iter().filter(|it| it.0 == name).cloned().collect();
    if !exact.is_empty() {
        return exact;
    }
    let short = format!(".{name}");
    let found = named.iter().filter(|it| it.0.ends_with(&short));
    found.cloned().collect()
}

/// What a name refers to, for a description: declarations, or a whole module.
pub fn meant(named: &[Named], name: &str) -> Result<Vec<Named>, String> {
    let mut found = find(named, name);
    if found.is_empty() {
        let module = name.trim_start_matches("./").trim_start_matches("std/");
        let before = format!("{}.", module.trim_end_matches(".gsw"));
        let own = named.iter().filter(|it| it.0.starts_with(&before));
        found.extend(own.cloned());
    }
    match found.is_empty() {
        true => Err(unknown(named, name)),
        false => Ok(found),
    }
}

/// What is known of each.
pub fn described(db: &Database, named: &[Named]) -> Vec<Declaration> {
    let described = named
        .iter()
        .map(|(name, item)| declaration(db, *item, name));
    described.collect()
}

/// One JSON object a line.
pub fn json_lines(declarations: &[Declaration]) -> String {
    let lines = declarations.iter().map(|it| format!("{}\n", it.json()));
    lines.collect()
}

/// What to say when nothing is called so.
fn unknown(named: &[Named], name: &str) -> String {
    if explained(name).is_some() {
        return format!("`{name}` is no declaration; `gswc explain {name}` says what it is");
    }
    let names: Vec<Name> = named.iter().map(|it| Name::new(&it.0)).collect();
    match gsw_source::nearest(name, &names) {
        Some(near) => {
            let near = near.as_str();
            format!("there is no declaration `{name}`; did you mean `{near}`?")
        }
        None => format!(
            "there is no declaration `{name}`; a program's own are named as in its entry file, others as `module.name`, those of the library as `fs.read`"
        ),
    }
}
