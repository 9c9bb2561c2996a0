//! Where things are in the site.

use gsw_names::is_private;
use gsw_source::{Db, File, ItemId, ItemKind};
use gsw_syntax::file_item_ids;
use rustc_hash::FxHashMap;

use super::Module;

/// The page of each module, by its file.
pub(crate) struct Links {
    pages: FxHashMap<File, String>,
}

impl Links {
    pub fn new<'a>(modules: impl Iterator<Item = &'a Module>) -> Self {
        let pages = modules.map(|it| (it.file, module_page(&it.name))).collect();
        Self { pages }
    }

    /// The address of a declaration; `None` for what has no place in the site.
    pub fn item(&self, db: &dyn Db, item: ItemId) -> Option<String> {
        let page = self.pages.get(&item.file(db))?;
        (is_shown(db, item)).then(|| format!("{page}#{}", anchor(db, item)))
    }
}

/// The declarations of a file that the site shows, in order.
pub(crate) fn shown_items(db: &dyn Db, file: File) -> Vec<ItemId> {
    let items = file_item_ids(db, file).iter().copied();
    items.filter(|it| is_shown(db, *it)).collect()
}

fn is_shown(db: &dyn Db, item: ItemId) -> bool {
    item.kind(db).keyword().is_some() && !is_private(db, item)
}

/// The id of a declaration on its page.
pub(crate) fn anchor(db: &dyn Db, item: ItemId) -> String {
    format!("{}.{}", keyword(item.kind(db)), item.name(db))
}

/// The word before the name of what the site shows.
pub(crate) fn keyword(kind: ItemKind) -> &'static str {
    kind.keyword().unwrap_or_default()
}

/// The file of a module's page.
pub(crate) fn module_page(name: &str) -> String {
    format!("module.{}.html", file_name(name))
}

/// The file of a module's source.
pub(crate) fn source_page(name: &str) -> String {
    format!("source.{}.html", file_name(name))
}

/// A module's name as part of a file's and of an address: what is more than letters, digits, `-` and `_` is written by number.
fn file_name(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        match character {
            '/' => out.push('.'),
            it if it.is_ascii_alphanumeric() || "-_".contains(it) => out.push(it),
            it => out.push_str(&format!("~{:x}", u32::from(it))),
        }
    }
    out
}
