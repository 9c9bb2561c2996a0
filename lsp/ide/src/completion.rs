//! `textDocument/completion`: what can stand at a place.
//!
//! At the cursor there is mostly nothing that could be parsed: `bug.` and then the end of the line. So a name is put there for as long as
//! the question takes, and the compiler's own tree and types of *that* text say what stands around it: an expression, a type, a
//! pattern, a field of a record, the name of a setting. Tokens decide what no tree can say, which words may follow. The text is put back
//! before anything else is asked; only the item around the cursor is inferred anew.

mod after;
mod auto_import;
mod expected;
mod expression;
mod hook;
mod import;
mod item;
mod member;
mod name;
mod owner;
mod pattern;
mod preceding;
mod setting;
mod site;
mod text;
mod tokens;
mod ty;
mod word;

use std::collections::HashSet;

use gsw_source::{Database, Db, File, Name, Span};

pub use item::{Completion, CompletionKind, Definition, Insert, completion_docs};
use site::{Site, site};

use crate::speculation::{MARKER, with_marker};

/// A model that can be named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// `provider/model`
    pub name: String,
    /// Shown beside the name, such as its price.
    pub detail: String,
}

/// Everything that can stand at byte `offset` of `file`, the likeliest first by `rank`; `models` are those known by name.
pub fn completion(db: &mut Database, file: File, offset: u32, models: &[Model]) -> Vec<Completion> {
    let text = file.text(db);
    let start = word_start(text, offset as usize);
    let prefix = text
        .get(start..offset as usize)
        .unwrap_or_default()
        .to_owned();
    let before = text.get(..start).unwrap_or_default();
    // A model's name has digits after a dash.
    let is_in_name = before.ends_with(['-', '.', '/']);
    if prefix.starts_with(|it: char| it.is_ascii_digit()) && !is_in_name {
        return Vec::new();
    }
    let replace = Span::new(u32::try_from(start).unwrap_or(offset), offset);
    let mut found = with_marker(db, file, offset, |db, at| {
        let cursor = Cursor {
            db,
            file,
            offset: at,
            prefix: &prefix,
            models,
        };
        of_site(&cursor)
    });
    let text = file.text(db);
    for it in &mut found {
        // What takes the place of more than a word says so.
        if it.replace == Span::default() {
            it.replace = replace;
        }
    }
    found.retain(|it| {
        let typed = text.get(it.replace.start as usize..offset as usize);
        fits(&it.label, typed.unwrap_or_default()) && !it.label.contains(MARKER)
    });
    found.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    let mut seen = HashSet::new();
    found.retain(|it| seen.insert((it.label.clone(), it.kind, it.imports.clone())));
    let behind = text.get(offset as usize..).unwrap_or_default();
    let behind = behind.trim_start_matches(|it: char| it.is_alphanumeric() || it == '_');
    found.iter_mut().for_each(|it| fit_in(it, behind));
    found
}

/// Leaves out of what is inserted what comes after the cursor already: the parentheses of a call, the colon of a name, what a word of the
/// language begins, the braces of a record.
fn fit_in(it: &mut Completion, behind: &str) {
    let line = behind.trim_start_matches(' ');
    let is_begun = line.starts_with(|it: char| it.is_alphanumeric() || "_\"{[(".contains(it));
    if it.kind == CompletionKind::Snippet && is_begun {
        it.insert = Insert::Plain(it.label.clone());
        return;
    }
    let sign = match behind.trim_start_matches(' ').chars().next() {
        Some(sign @ ('(' | ':' | '{')) => sign,
        Some(_) | None => return,
    };
    let text = it.insert.text();
    if let Some(at) = text.find(sign)
        && it.label.starts_with(text[..at].trim_end())
    {
        // A part of the label, so nothing in it is to be filled in.
        it.insert = Insert::Plain(text[..at].trim_end().to_owned());
    }
}

/// Where something is to be completed, in the text with the marker.
struct Cursor<'a> {
    db: &'a dyn Db,
    file: File,
    /// Inside of the marked word.
    offset: u32,
    /// What was typed of the word.
    prefix: &'a str,
    models: &'a [Model],
}

fn of_site(cursor: &Cursor<'_>) -> Vec<Completion> {
    match site(cursor) {
        Site::Nothing => Vec::new(),
        Site::Declaration => word::declarations(),
        Site::Words(words) => word::words(&words),
        Site::Attribute => word::attributes(),
        Site::ImportPath { written } => import::paths(cursor, &written),
        Site::ImportName { module, taken } => {
            let mut found = import::names(cursor, module);
            found.retain(|it| !taken.iter().any(|name| *name == it.label));
            found
        }
        Site::Member { item, base } => member::members(cursor, item, base),
        Site::ModuleMember { module } => member::of_module(cursor, module),
        Site::VariantOf { owner } => member::of_enum(cursor, owner),
        Site::ToolOf { server, value } => member::of_server(cursor, server, value),
        Site::OfPrompt => member::of_prompt(),
        Site::Only(kind) => name::of_kind(cursor, kind, 0),
        Site::Transports => member::transports(cursor),
        Site::Handler => hook::handlers(cursor.db),
        Site::ArgumentName { parameters } => {
            expression::argument_names(cursor.db, &parameters).collect()
        }
        Site::Mocked => name::mocked(cursor),
        Site::RecordField { fields, taken } => member::fields_left(cursor, fields, &taken),
        Site::Type { item, errors } => ty::types(cursor, item, errors),
        Site::ModuleOfType { errors } => ty::modules(cursor, errors),
        Site::Pattern { ty, taken, raised } => {
            let mut found = pattern::patterns(cursor, ty.as_ref(), &raised);
            found.retain(|it| !taken.above.iter().any(|name| *name == it.label));
            for it in &mut found {
                if taken.below.iter().any(|name| *name == it.label) {
                    it.rank += 3;
                }
            }
            found
        }
        Site::Setting { owner, taken } => {
            let mut found = setting::names(owner);
            found.retain(|it| !taken.contains(&it.label));
            found
        }
        Site::Literal { texts, start } => {
            let text = |it: &Name| Completion {
                replace: Span::new(start.min(cursor.offset), cursor.offset),
                ..Completion::new(it.as_str(), CompletionKind::Text, 0)
            };
            texts.iter().map(text).collect()
        }
        Site::SettingText { setting, start } => setting::in_text(cursor, setting, start),
        Site::SettingValue { setting } => setting::values(cursor, setting),
        Site::Expression(place) => expression::expressions(cursor, &place),
    }
}

/// Where the word before `offset` starts.
fn word_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    let word = before
        .char_indices()
        .rev()
        .take_while(|(_, it)| it.is_alphanumeric() || *it == '_');
    word.last().map_or(before.len(), |(index, _)| index)
}

/// Whether the letters of `prefix` stand in `label`, in order and the first one first.
fn fits(label: &str, prefix: &str) -> bool {
    let lower = label.to_lowercase();
    let prefix = prefix.to_lowercase();
    let mut letters = lower.chars();
    let mut wanted = prefix.chars();
    let Some(first) = wanted.next() else {
        return true;
    };
    // A word in the middle may be meant as well: `usd` of `cost_usd`.
    lower
        .split(['_', '.', ' ', '"', '/'])
        .any(|it| it.starts_with(&prefix))
        || (letters.next() == Some(first) && wanted.all(|it| letters.any(|letter| letter == it)))
}
