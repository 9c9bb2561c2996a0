//! How declarations of any module are written in one file, and the imports that this needs.

use gsw_names::types::Type;
use gsw_names::{Definition, display_type, module_scope, resolve_name};
use gsw_source::{Db, File, ItemId, LocatedEdit};

use crate::importing;
use crate::type_definition::declared_in;

pub struct Spelling<'db> {
    db: &'db dyn Db,
    file: File,
    /// What is not imported yet, module by module: its path from the file, and the names.
    wanted: Vec<(File, String, Vec<String>)>,
}

impl<'db> Spelling<'db> {
    pub const fn new(db: &'db dyn Db, file: File) -> Self {
        Self {
            db,
            file,
            wanted: Vec::new(),
        }
    }

    /// A declaration as the file writes it; `None` where its name means something else there, or it is private.
    pub fn item(&mut self, item: ItemId) -> Option<String> {
        let (db, file) = (self.db, self.file);
        let name = item.name(db).to_string();
        if resolve_name(db, file, &name) == Some(Definition::Item(item)) {
            return Some(name);
        }
        let home = item.file(db);
        if importing::declared(db, home, &name, file) != Some(item) {
            return None;
        }
        let imports = &module_scope(db, file).imports;
        for (known, definition) in imports {
            if *definition == Definition::Item(item) {
                return Some(known.to_string());
            }
        }
        for (known, definition) in imports {
            if *definition == Definition::Module(home) {
                return Some(format!("{known}.{name}"));
            }
        }
        let is_free = resolve_name(db, file, &name).is_none();
        (is_free && self.import(home, &name).is_some()).then_some(name)
    }

    /// Notes that a name of a module must be imported.
    fn import(&mut self, module: File, name: &str) -> Option<()> {
        if let Some((.., names)) = self.wanted.iter_mut().find(|(it, ..)| *it == module) {
            if !names.iter().any(|it| it == name) {
                names.push(name.to_owned());
            }
            return Some(());
        }
        let all = importing::importable(self.db, self.file);
        let path = all.iter().find(|it| it.module == module)?.path()?;
        self.wanted.push((module, path, vec![name.to_owned()]));
        Some(())
    }

    /// A type as a declaration can write it; `None` when it cannot.
    pub fn ty(&mut self, ty: &Type) -> Option<String> {
        let mut shown = display_type(self.db, ty);
        let declared = declared_in(ty);
        let is_unknown = words(&shown).any(|(_, it)| it.chars().all(|it| it == '_'));
        if *ty == Type::Invalid || *ty == Type::Never || is_unknown {
            return None;
        }
        for item in &declared {
            let name = item.name(self.db);
            let spelled = self.item(*item)?;
            if spelled == name.as_str() {
                continue;
            }
            if declared
                .iter()
                .any(|it| it != item && it.name(self.db) == name)
            {
                return None;
            }
            shown = replaced(&shown, name, &spelled);
        }
        Some(shown)
    }

    /// The edits that import what the file does not know yet.
    pub fn imports(&self) -> Vec<LocatedEdit> {
        let wanted = self.wanted.iter();
        wanted
            .map(|(module, path, names)| {
                let names = names.join(", ");
                importing::name_import(self.db, self.file, *module, path, &names)
            })
            .collect()
    }
}

/// The words of a text, and where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let mut at = 0;
    text.split_inclusive(move |it| !is_part(it))
        .filter_map(move |piece| {
            let start = at;
            at += piece.len();
            let word = piece.trim_end_matches(move |it| !is_part(it));
            (!word.is_empty()).then_some((start, word))
        })
}

fn replaced(text: &str, word: &str, with: &str) -> String {
    let places: Vec<usize> = words(text)
        .filter(|(_, it)| *it == word)
        .map(|(at, _)| at)
        .collect();
    let mut text = text.to_owned();
    for at in places.into_iter().rev() {
        text.replace_range(at..at + word.len(), with);
    }
    text
}
