//! `textDocument/rename` and `textDocument/prepareRename`: a new name for what the name at a place names, in every file.
//!
//! A rename either keeps the meaning of every name or is refused: the new name must be one, be spelled as its kind is, and neither
//! hide nor be hidden where the old one was. What the likely reasons for a refusal do not show is found by trying: the edits are
//! made, every name is looked up again, and the texts are put back.

mod alias;
mod left_behind;
mod lost;
mod module;

use std::collections::HashSet;

use gsw_names::{is_std, item_signature, module_scope};
use gsw_source::{Database, Db, File, ItemId, ItemKind, LocatedEdit, Location, Name, Span};
use gsw_syntax::ast::{Child, ExpressionKind, Item, PatternKind};
use gsw_syntax::{TokenKind, file_item_ids, is_name, item_ast, item_offset};

pub use left_behind::{LeftBehind, NamedInTexts, left_behind};
pub use module::{MovedFile, moved_module};

use crate::cursor::{Cursor, cursor, in_file, located, visit_nodes};
use crate::meaning::{Difference, Meaning, files_with_words};
use crate::name_in_text::text_for;
use crate::references::files_that_may_name;
use crate::scope::bindings;
use crate::speculation::with_edits;
use crate::symbol::{
    Occurrence, Symbol, declaration, declared_text, occurrences, symbol_of_definition,
};

/// A name that can be renamed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renamable {
    /// In the file.
    pub span: Span,
    pub name: Name,
    pub kind: RenamableKind,
}

/// What a rename is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenamableKind {
    Declaration,
    /// A module, which has the name of its file.
    Module,
}

/// The name at `offset`, when it can be renamed.
///
/// # Errors
/// Why it cannot: a sentence for the user.
pub fn prepare_rename(db: &dyn Db, file: File, offset: u32) -> Result<Renamable, String> {
    if let Some(module) = module::named_module(db, file, offset)? {
        return Ok(Renamable {
            span: module.span,
            name: module.name,
            kind: RenamableKind::Module,
        });
    }
    let (cursor, name) = renamable(db, file, offset)?;
    Ok(Renamable {
        span: in_file(db, cursor.item, cursor.span),
        name,
        kind: RenamableKind::Declaration,
    })
}

/// The edits that give what is named at `offset` the name `new`; a module has the name of its file, which [`moved_module`] tells.
///
/// # Errors
/// Why it cannot be called that: a sentence for the user.
pub fn rename(
    db: &mut Database,
    file: File,
    offset: u32,
    new: &str,
) -> Result<Vec<LocatedEdit>, String> {
    let (cursor, old) = renamable(db, file, offset)?;
    if new == old {
        return Ok(Vec::new());
    }
    check_spelling(&old, new)?;
    if alias::alias(db, cursor).is_some() {
        let edits = alias::edits(db, cursor, &old, new);
        let home = cursor.item.file(db);
        keeps_meaning(db, &[home], &edits, new)?;
        return Ok(alias::without_repetition(db, home, &old, new, edits));
    }
    checked_edits(db, cursor.symbol, &old, new)
}

/// Where the thing is declared that a rename at `offset` is of, in all files; `None` where it is of a name in one file alone.
#[must_use]
pub fn renamed_everywhere(db: &dyn Db, file: File, offset: u32) -> Option<Location> {
    let cursor = cursor(db, file, offset)?;
    if alias::alias(db, cursor).is_some() {
        return None;
    }
    Some(located(db, declaration(db, cursor.symbol)?))
}

/// Why a module is not renamed where the client cannot rename files.
pub const MODULE: &str = "a module is named after its file: rename the file";

/// The edits that give a symbol a name which a report asks for, also one whose first letter has the other case; `None` where a rename
/// would be refused.
pub fn corrected(db: &mut Database, symbol: Symbol, new: &str) -> Option<Vec<LocatedEdit>> {
    let old = declared_text(db, symbol)?;
    checked_edits(db, symbol, &old, new).ok()
}

fn checked_edits(
    db: &mut Database,
    symbol: Symbol,
    old: &Name,
    new: &str,
) -> Result<Vec<LocatedEdit>, String> {
    let edits = edits(db, symbol, old, new)?;
    check_meaning(db, symbol, old, new, &edits)?;
    Ok(edits)
}

fn edits(db: &dyn Db, symbol: Symbol, old: &Name, new: &str) -> Result<Vec<LocatedEdit>, String> {
    check_siblings(db, symbol, new)?;
    let mut edits = Vec::new();
    for file in files_that_may_name(db, symbol) {
        lost::check(db, file, symbol, old)?;
        check_file_names(db, file, symbol, new)?;
        for item in file_item_ids(db, file).iter().copied() {
            let own = edits_of_item(db, item, symbol, old, new)?;
            edits.extend(own);
        }
    }
    Ok(edits)
}

/// Whether the edits leave nothing behind, and no name means something else.
fn check_meaning(
    db: &mut Database,
    symbol: Symbol,
    old: &Name,
    new: &str,
    edits: &[LocatedEdit],
) -> Result<(), String> {
    if let Some((file, span)) = text_for(db, &files_with_words(db, &[old]), symbol, old) {
        let line = line(db, file, span.start);
        return Err(format!(
            "the text \"{old}\" in line {line} most likely means it, and is not renamed: change it first"
        ));
    }
    let files = files_to_compare(db, symbol, old, new);
    keeps_meaning(db, &files, edits, new)
}

/// Whether everything in `files` means after the edits what it meant before.
fn keeps_meaning(
    db: &mut Database,
    files: &[File],
    edits: &[LocatedEdit],
    new: &str,
) -> Result<(), String> {
    let before = Meaning::of(db, files);
    let after = with_edits(db, edits, |db| Meaning::after(db, files, edits));
    match before.difference(&after, files) {
        Some(difference) => Err(refusal(db, &difference, new)),
        None => Ok(()),
    }
}

/// The files in which a name may mean something else when the symbol is renamed.
fn files_to_compare(db: &dyn Db, symbol: Symbol, old: &str, new: &str) -> Vec<File> {
    match symbol {
        Symbol::Local { item, declared } => {
            let parameters = &item_signature(db, item).signature.parameters;
            // Code that names a function may name its parameters, or get facts by their names.
            let is_known_outside = parameters.iter().any(|it| it.span == declared);
            let owner = item.name(db).rsplit('.').next();
            match owner.filter(|_| is_known_outside) {
                Some(owner) => files_with_words(db, &[owner]),
                None => vec![item.file(db)],
            }
        }
        Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => {
            files_with_words(db, &[old, new])
        }
    }
}

fn refusal(db: &dyn Db, difference: &Difference, new: &str) -> String {
    match difference {
        Difference::Name(file, span) => {
            let text = file.text(db);
            let name = text.get(span.start as usize..span.end as usize);
            let (name, line) = (name.unwrap_or_default(), line(db, *file, span.start));
            match name == new {
                true => format!("`{new}` already means something else in line {line}"),
                false => format!("`{name}` in line {line} would mean something else then"),
            }
        }
        Difference::Facts(file, span) => {
            let line = line(db, *file, span.start);
            format!("the judge in line {line} takes facts by the names of its parameters")
        }
        Difference::Error(message) => {
            format!("the program would not compile then: {message}")
        }
    }
}

fn line(db: &dyn Db, file: File, at: u32) -> u32 {
    let lines = gsw_source::file_line_index(db, file);
    lines.position(file.text(db), at).line
}

fn renamable(db: &dyn Db, file: File, offset: u32) -> Result<(Cursor, Name), String> {
    let Some(cursor) = cursor(db, file, offset) else {
        return Err("there is no name here that can be renamed".into());
    };
    if let Some(alias) = alias::alias(db, cursor) {
        return Ok((cursor, alias));
    }
    let home = match cursor.symbol {
        Symbol::Local { item, .. }
        | Symbol::Item(item)
        | Symbol::Variant { item, .. }
        | Symbol::Field { item, .. } => item.file(db),
        Symbol::Module(_) => {
            return Err(MODULE.into());
        }
    };
    let name = declared_text(db, cursor.symbol).unwrap_or_default();
    if is_std(db, home) {
        return Err(format!(
            "`{name}` is declared in the standard library, which cannot be changed"
        ));
    }
    // An `it` without a declaration stands for no symbol.
    if name == "self" {
        return Err("`self` is a word of the language".into());
    }
    if name == "main"
        && let Symbol::Item(item) = cursor.symbol
        && item.kind(db) == ItemKind::Workflow
    {
        return Err("a program begins with its workflow `main`".into());
    }
    let here = gsw_names::source_text(db, cursor.item, cursor.span);
    if here != name {
        return Err(format!("`{here}` is another name for `{name}` here"));
    }
    Ok((cursor, name))
}

/// Whether `new` is a name of the same kind as `old`: what begins with a capital letter is looked up in other ways.
fn check_spelling(old: &str, new: &str) -> Result<(), String> {
    if !is_name(new) {
        return Err(match TokenKind::keyword(new) {
            Some(_) => format!("`{new}` is a reserved word"),
            None => format!("`{new}` is not a name: use letters, digits and `_`, a letter first"),
        });
    }
    let is_capital = |it: &str| it.starts_with(char::is_uppercase);
    match (is_capital(old), is_capital(new)) {
        (true, false) => Err(format!(
            "`{new}` must begin with a capital letter, as `{old}` does"
        )),
        (false, true) => Err(format!(
            "`{new}` must begin with a small letter, as `{old}` does"
        )),
        (true, true) | (false, false) => Ok(()),
    }
}

/// Whether another field or variant beside the symbol has the name.
fn check_siblings(db: &dyn Db, symbol: Symbol, new: &str) -> Result<(), String> {
    let Some((item, list)) = list_of(symbol) else {
        return Ok(());
    };
    let taken = occurrences(db, item)
        .into_iter()
        .filter(|it| list_of(it.symbol) == Some((item, list)))
        .any(|it| gsw_names::source_text(db, item, it.span) == new);
    match taken {
        true => Err(format!("`{}` already has a `{new}`", item.name(db))),
        false => Ok(()),
    }
}

/// The declaration whose variants, or the fields of whose variant, a symbol is one of.
const fn list_of(symbol: Symbol) -> Option<(ItemId, Option<u32>)> {
    match symbol {
        Symbol::Variant { item, .. } => Some((item, None)),
        Symbol::Field { item, variant, .. } => Some((item, Some(variant))),
        Symbol::Local { .. } | Symbol::Item(_) | Symbol::Module(_) => None,
    }
}

/// Whether the names of a file that uses the symbol already have the new one.
fn check_file_names(db: &dyn Db, file: File, symbol: Symbol, new: &str) -> Result<(), String> {
    // Two enums may have a variant of one name; the type that is wanted distinguishes them.
    let Symbol::Item(item) = symbol else {
        return Ok(());
    };
    let full = match item.name(db).rsplit_once('.') {
        Some((receiver, _)) => Name::from(format!("{receiver}.{new}")),
        None => Name::new(new),
    };
    let scope = module_scope(db, file);
    let imported = scope.imports.get(new).map(|it| symbol_of_definition(*it));
    let declared = scope.items.get(&full).map(|it| Symbol::Item(*it));
    let mut others = imported.into_iter().chain(declared);
    if others.any(|it| it != symbol) {
        let path = gsw_names::shown_module(db, file);
        return Err(format!("`{path}` already has a `{new}`"));
    }
    Ok(())
}

/// The edits in one item; refused where a name would change its meaning.
fn edits_of_item(
    db: &dyn Db,
    item: ItemId,
    symbol: Symbol,
    old: &Name,
    new: &str,
) -> Result<Vec<LocatedEdit>, String> {
    let all = occurrences(db, item);
    let of_symbol: Vec<&Occurrence> = all.iter().filter(|it| it.symbol == symbol).collect();
    if of_symbol.is_empty() {
        return Ok(Vec::new());
    }
    check_capture(db, item, symbol, &all, new)?;
    let file = item.file(db);
    let short = item_ast(db, item).map_or_else(HashSet::new, |it| short_fields(&it));
    let mut edits = Vec::new();
    for it in of_symbol {
        // A name that an import gives stays as it is.
        if gsw_names::source_text(db, item, it.span) != *old {
            continue;
        }
        let first = all.partition_point(|other| other.span < it.span);
        let mut there = all[first..]
            .iter()
            .take_while(|other| other.span == it.span);
        let shared = there.any(|other| other.symbol != symbol) || short.contains(&it.span);
        let is_field = matches!(symbol, Symbol::Field { .. });
        let text = match (shared, is_field) {
            (false, _) => new.to_owned(),
            // `title` alone names a field and a variable.
            (true, true) => format!("{new}: {old}"),
            (true, false) => format!("{old}: {new}"),
        };
        let span = in_file(db, item, it.span);
        edits.push(LocatedEdit::new(file, span, text));
    }
    Ok(edits)
}

/// The names that stand for a field and for a value at once, also where it is unknown what they are fields of.
fn short_fields(tree: &Item) -> HashSet<Span> {
    let mut found = HashSet::new();
    visit_nodes(tree, |node| match node {
        Child::Pattern(it) => {
            if let PatternKind::Record { fields, .. } = &it.kind {
                let names = fields.iter().filter_map(|it| {
                    let name = it.name.as_ref()?;
                    (name.span == it.pattern.span).then_some(name.span)
                });
                found.extend(names);
            }
        }
        Child::Expression(it) => {
            if let ExpressionKind::Record { fields, .. } = &it.kind {
                let short = fields.iter().filter(|it| it.value.is_none());
                found.extend(short.map(|it| it.name.span));
            }
        }
        Child::Statement(_) | Child::Type(_) | Child::Name(_) => {}
    });
    found
}

/// Whether the new name would be hidden by a local where the symbol is named, or a local renamed would hide another name; `named` is all
/// that the item names.
fn check_capture(
    db: &dyn Db,
    item: ItemId,
    symbol: Symbol,
    named: &[Occurrence],
    new: &str,
) -> Result<(), String> {
    // What follows a dot or names an argument is not looked up among locals.
    let is_looked_up = match symbol {
        Symbol::Local { item: own, .. } => own == item,
        Symbol::Item(own) => !own.name(db).contains('.'),
        Symbol::Variant { .. } => true,
        Symbol::Field { .. } | Symbol::Module(_) => false,
    };
    if !is_looked_up {
        return Ok(());
    }
    let Some(tree) = item_ast(db, item) else {
        return Ok(());
    };
    let bindings = bindings(&tree);
    let taken = |span: Span| {
        let line = line(db, item.file(db), span.start + item_offset(db, item));
        Err(format!(
            "`{new}` already means something else in line {line}"
        ))
    };
    let places = || named.iter().filter(|it| it.symbol == symbol);
    for other in bindings.iter().filter(|it| it.name == new) {
        let hides =
            places().any(|it| other.visible.touches(it.span.start) || other.declared == it.span);
        if hides {
            return taken(other.declared);
        }
    }
    let Symbol::Local { declared, .. } = symbol else {
        return Ok(());
    };
    for own in bindings.iter().filter(|it| it.declared == declared) {
        let hidden = named.iter().find(|it| {
            own.visible.touches(it.span.start)
                && it.symbol != symbol
                && !matches!(it.symbol, Symbol::Field { .. })
                && gsw_names::source_text(db, item, it.span) == new
        });
        if let Some(hidden) = hidden {
            return taken(hidden.span);
        }
    }
    Ok(())
}
