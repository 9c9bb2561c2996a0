//! The queries that parse a file and hand out its items.

use std::sync::Arc;

use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Name, Place, Retained, Span};
use rustc_hash::FxHashMap;

use crate::ast::{Item, ItemBody};
use crate::file_reader::{FileReader, MaybeRead};
use crate::last_parse::{LastItem, LastParse};
use crate::parser::word_instead;
use crate::token::{Token, TokenKind};
use crate::trivia::Comment;

#[derive(Clone, Debug)]
pub struct ParsedFile {
    pub items: Vec<FileItem>,
    pub docs: Option<String>,
    /// Every comment in order, with spans in the file.
    pub comments: Vec<Comment>,
    /// What is wrong with its syntax, in the order of places.
    pub diagnostics: Vec<Diagnostic>,
    /// The first byte of each mistake of syntax, in order.
    mistakes: Vec<u32>,
    /// The index in `items` of each one.
    places: FxHashMap<ItemId, usize>,
    /// Held for the next parse alone.
    #[expect(dead_code, reason = "its owner, which `Earlier` only borrows")]
    last: Arc<LastParse>,
}

/// An item and its place.
#[derive(Clone, Debug)]
pub struct FileItem {
    pub id: ItemId,
    /// Its tree, with spans relative to `offset`.
    pub item: Arc<Item>,
    /// Its first byte in the file.
    pub offset: u32,
}

/// Parses `file`. Never fails: what cannot be parsed becomes diagnostics and holes in the tree.
///
/// `no_eq`, because every edit moves positions: comparing two trees would cost and never pay.
///
/// `lru`, because trees take many times the text: an editor that has checked a large project releases those of closed files.
/// The number is a guess.
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
pub fn parse_file(db: &dyn Db, file: File) -> ParsedFile {
    let reader = FileReader::new(db, file);
    let mut diagnostics = reader.lexical_diagnostics();
    let mut items = Vec::with_capacity(reader.count());
    let mut whole = Vec::with_capacity(reader.count());
    let mut occurrences: FxHashMap<(ItemKind, Name), u32> = FxHashMap::default();
    let last = db.earlier().get::<LastParse>(file);
    for (place, item) in reader.items_since(last.as_deref()) {
        let (kind, name, tree, is_whole) = match item {
            MaybeRead::Known(known) => {
                let (id, tree) = (known.id, Arc::clone(&known.item));
                (id.kind(db), id.name(db).clone(), tree, true)
            }
            MaybeRead::Read(read) => {
                let (is_whole, parsed) = (read.is_whole(), read.parsed);
                diagnostics.extend(read.diagnostics);
                let text = &reader.text()[parsed.offset as usize..];
                let (kind, name) = identify(&parsed.item, &parsed.tokens, text);
                (kind, name, Arc::new(parsed.item), is_whole)
            }
        };
        let occurrence = occurrences.entry((kind, name.clone())).or_default();
        let item = FileItem {
            id: ItemId::new(db, file, kind, name, *occurrence),
            item: tree,
            offset: place.start(),
        };
        *occurrence += 1;
        if is_whole {
            whole.push(LastItem::new(place, item.clone()));
        }
        items.push(item);
    }
    diagnostics.sort_by_key(|diagnostic| match diagnostic.place {
        Place::File { span, .. } | Place::Item { span, .. } => span,
    });
    let mistakes = mistakes(&diagnostics);
    let last = Arc::new(LastParse::new(reader.shared_text(), whole));
    db.earlier().set(file, &last);
    let places = items.iter().map(|item| item.id).zip(0..).collect();
    ParsedFile {
        items,
        places,
        docs: reader.module_docs().cloned(),
        comments: reader.comments().to_vec(),
        diagnostics,
        mistakes,
        last,
    }
}

/// The items of `file` by identity: the wall that edits inside an item do not cross.
#[salsa::tracked(returns(ref))]
pub fn file_item_ids(db: &dyn Db, file: File) -> Vec<ItemId> {
    parse_file(db, file)
        .items
        .iter()
        .map(|item| item.id)
        .collect()
}

/// The tree of an item; `None` when its file has no such item any more. `lru`, since it holds what `parse_file` releases; as many as
/// there are bodies, since of a tree that was released nobody knows that an edit has left it alone, and its body is inferred again.
#[salsa::tracked(returns(clone), lru = 2048)]
pub fn item_ast(db: &dyn Db, id: ItemId) -> Option<Arc<Item>> {
    find_item(db, id).map(|item| Arc::clone(&item.item))
}

/// How many trees stay when others are released, besides those of the `open` items of documents that are edited: an edit of one asks
/// for all.
pub fn keep_trees(db: &mut dyn Db, retained: Retained, open: usize) {
    let (files, items) = match retained {
        Retained::Many => (128, 2048),
        Retained::Few => (16, 64),
    };
    parse_file::set_lru_capacity(db, files);
    item_ast::set_lru_capacity(db, items + open);
}

/// The first byte of an item in its file; 0 when its file has no such item any more.
pub fn item_offset(db: &dyn Db, id: ItemId) -> u32 {
    find_item(db, id).map_or(0, |item| item.offset)
}

/// Whether the syntax of the item has a mistake, so that its tree may lack what its text has.
#[salsa::tracked(returns(copy))]
pub fn is_damaged(db: &dyn Db, id: ItemId) -> bool {
    let parsed = parse_file(db, id.file(db));
    let Some(position) = parsed.places.get(&id) else {
        return false;
    };
    let start = parsed.items[*position].offset;
    let next = parsed.items.get(position + 1);
    let end = next.map_or(u32::MAX, |next| next.offset);
    let first = parsed.mistakes.partition_point(|it| *it < start);
    parsed.mistakes.get(first).is_some_and(|it| *it < end)
}

/// Where the mistakes of syntax are made, in order.
fn mistakes(diagnostics: &[Diagnostic]) -> Vec<u32> {
    // A bracket that is not closed is reported at what follows it, which may be the next item.
    let places = diagnostics.iter().map(|it| {
        let opener = it.labels.first();
        opener.map_or(it.place, |label| label.place)
    });
    let mut starts: Vec<u32> = places.map(start).collect();
    starts.sort_unstable();
    starts
}

/// The first byte of what is reported of syntax, which has its place in the file.
const fn start(place: Place) -> u32 {
    match place {
        Place::File { span, .. } | Place::Item { span, .. } => span.start,
    }
}

/// The file and the bytes in it that `place` stands for.
pub fn locate(db: &dyn Db, place: Place) -> (File, Span) {
    match place {
        Place::File { file, span } => (file, span),
        Place::Item { item, span } => (item.file(db), span.shifted(item_offset(db, item))),
    }
}

/// The module's documentation: its `//!` lines.
#[salsa::tracked(returns(clone))]
pub fn file_docs(db: &dyn Db, file: File) -> Option<String> {
    parse_file(db, file).docs.clone()
}

/// What is wrong with the syntax of `file`, in the order of places.
pub fn file_syntax_diagnostics(db: &dyn Db, file: File) -> &[Diagnostic] {
    &parse_file(db, file).diagnostics
}

fn find_item(db: &dyn Db, id: ItemId) -> Option<&FileItem> {
    let parsed = parse_file(db, id.file(db));
    parsed.places.get(&id).map(|place| &parsed.items[*place])
}

/// The kind and name by which an item is known; an invalid one is known by the name it seems to declare.
fn identify(item: &Item, tokens: &[Token], text: &str) -> (ItemKind, Name) {
    let plain = |kind, identifier: &crate::ast::Identifier| (kind, identifier.name.clone());
    match &item.body {
        ItemBody::Import(import) => (ItemKind::Import, import.path.clone()),
        ItemBody::Function(function) => {
            let name = &function.signature.name.name;
            let name = match &function.receiver {
                Some(receiver) => Name::from(format!("{}.{name}", receiver.name)),
                None => name.clone(),
            };
            (ItemKind::Function, name)
        }
        ItemBody::Record(record) => plain(ItemKind::Record, &record.name),
        ItemBody::Alias { name, .. } => plain(ItemKind::Alias, name),
        ItemBody::Enum(declaration) => plain(ItemKind::Enum, &declaration.name),
        ItemBody::Error(error) => plain(ItemKind::Error, &error.name),
        ItemBody::Const(constant) => plain(ItemKind::Const, &constant.name),
        ItemBody::Agent { name, .. } => plain(ItemKind::Agent, name),
        ItemBody::Prompt { signature, .. } => plain(ItemKind::Prompt, &signature.name),
        ItemBody::Workflow { signature, .. } => plain(ItemKind::Workflow, &signature.name),
        ItemBody::Tool { signature, .. } => plain(ItemKind::Tool, &signature.name),
        ItemBody::Mcp { name, .. } => plain(ItemKind::Mcp, name),
        ItemBody::Hook { name, .. } => plain(ItemKind::Hook, name),
        ItemBody::Human { signature, .. } => plain(ItemKind::Human, &signature.name),
        ItemBody::External { signature } => plain(ItemKind::External, &signature.name),
        ItemBody::Skill { name } => plain(ItemKind::Skill, name),
        ItemBody::Test { name, .. } => (ItemKind::Test, name.clone()),
        ItemBody::Permissions { .. } => (ItemKind::Permissions, Name::default()),
        ItemBody::Invalid => (ItemKind::Invalid, seeming_name(tokens, text)),
    }
}

/// The name after the first words, so that uses of it need not be reported as well: of `impl Show for P` and `func (p P) show()`
/// the type that has the methods.
fn seeming_name(tokens: &[Token], text: &str) -> Name {
    let source = |it: &Token| &text[it.span.start as usize..it.span.end as usize];
    let is_name = |it: &&Token| it.kind == TokenKind::Identifier;
    let head = tokens.iter().skip(1).take(6);
    let head = head.take_while(|it| it.kind != TokenKind::BraceOpen);
    let mut behind_for = head.skip_while(|it| it.kind != TokenKind::For);
    let owner = behind_for.find(is_name);
    let receiver = match tokens {
        [_, open, name, rest @ ..] if open.kind == TokenKind::ParenOpen && is_name(&name) => {
            let mut rest = rest.iter().skip_while(|it| it.kind == TokenKind::Star);
            rest.next().filter(is_name)
        }
        _ => None,
    };
    let first = tokens.iter();
    let first = first.take_while(|it| word_instead(source(it)).is_some());
    let behind = tokens.iter().skip(first.count().max(1)).take(3);
    let mut names = behind.filter(is_name);
    let name = owner.or(receiver).or_else(|| names.next());
    name.map(|it| Name::new(source(it))).unwrap_or_default()
}
