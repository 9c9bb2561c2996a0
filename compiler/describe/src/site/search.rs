//! The index of the search, as a script: pages opened from a folder may load no other data.

use gsw_source::ItemId;
use gsw_syntax::{file_docs, item_ast};
use serde_json::{Value, json};

use super::link::{anchor, keyword, module_page, shown_items};
use super::markdown::summary;
use super::{Module, Site, manual};

/// A script that sets `gswIndex` to a list of `[name, kind, module, address, summary]`.
pub(crate) fn index(site: &Site<'_>) -> String {
    let mut rows = Vec::new();
    for module in site.own.iter().chain(&site.library) {
        let docs = file_docs(site.db, module.file);
        let docs = docs.map(|it| summary(&it)).unwrap_or_default();
        let page = module_page(&module.name);
        rows.push(json!([module.name, "module", "", page, docs]));
        let items = shown_items(site.db, module.file).into_iter();
        rows.extend(items.map(|it| row(site, module, it)));
    }
    rows.extend(manual::rows());
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    format!("var gswIndex = [\n{}\n];\n", lines.join(",\n"))
}

fn row(site: &Site<'_>, module: &Module, item: ItemId) -> Value {
    let docs = item_ast(site.db, item).and_then(|it| it.docs.clone());
    let docs = docs.map(|it| summary(&it)).unwrap_or_default();
    let address = format!("{}#{}", module_page(&module.name), anchor(site.db, item));
    let kind = keyword(item.kind(site.db));
    json!([
        item.name(site.db).as_str(),
        kind,
        module.name,
        address,
        docs
    ])
}
