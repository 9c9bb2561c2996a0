//! The page of a module.

use std::fmt::Write;

use gsw_source::{ItemId, ItemKind};
use gsw_syntax::{file_docs, item_ast};

use super::link::{anchor, keyword, shown_items, source_page};
use super::markdown::{markdown, summary};
use super::{Module, Site, frame, item};
use crate::escape::escaped;

/// The parts of a page in order.
const PARTS: [(&str, &[ItemKind]); 7] = [
    ("Workflows", &[ItemKind::Workflow]),
    (
        "Prompts, people and the outside",
        &[ItemKind::Prompt, ItemKind::Human, ItemKind::External],
    ),
    (
        "Agents",
        &[
            ItemKind::Agent,
            ItemKind::Mcp,
            ItemKind::Hook,
            ItemKind::Skill,
        ],
    ),
    ("Tools", &[ItemKind::Tool]),
    (
        "Types",
        &[ItemKind::Record, ItemKind::Enum, ItemKind::Alias],
    ),
    ("Errors", &[ItemKind::Error]),
    (
        "Functions and constants",
        &[ItemKind::Const, ItemKind::Function],
    ),
];

/// The page of a module.
pub(crate) fn page(site: &Site<'_>, module: &Module) -> String {
    let items = shown_items(site.db, module.file);
    let name = escaped(&module.name);
    let source = escaped(&source_page(&module.name));
    let mut main = format!(
        "<h1><span class=\"kind\">module</span> {name}</h1>\n<p><a href=\"{source}\">Source</a></p>\n"
    );
    if let Some(docs) = file_docs(site.db, module.file) {
        let _ = writeln!(main, "<div class=\"docs\">{}</div>", markdown(&docs));
    }
    let mut sections = String::new();
    let mut contents = String::new();
    for (title, kinds) in PARTS {
        let of_part: Vec<ItemId> = items
            .iter()
            .copied()
            .filter(|it| kinds.contains(&it.kind(site.db)))
            .collect();
        if of_part.is_empty() {
            continue;
        }
        contents.push_str(&overview(site, title, &of_part));
        let _ = writeln!(sections, "<h2>{title}</h2>");
        for id in of_part {
            sections.push_str(&item::item(site, module, id));
        }
    }
    if items.is_empty() {
        main.push_str("<p>This module declares nothing for others.</p>\n");
    }
    main.push_str(&contents);
    main.push_str(&sections);
    frame::frame(site, &module.name, frame::Current::Module(module), &main)
}

/// A table of names with the first paragraph of their docs.
fn overview(site: &Site<'_>, title: &str, items: &[ItemId]) -> String {
    let db = site.db;
    let mut out = format!("<table class=\"overview\"><caption>{title}</caption>\n");
    for item in items {
        let docs = item_ast(db, *item).and_then(|it| it.docs.clone());
        let docs = docs.map(|it| summary(&it)).unwrap_or_default();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th><td class=\"kind\">{}</td><td>{}</td></tr>",
            escaped(&anchor(db, *item)),
            escaped(item.name(db)),
            keyword(item.kind(db)),
            escaped(&docs)
        );
    }
    out.push_str("</table>\n");
    out
}
