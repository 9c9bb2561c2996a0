//! Query `item_head`: the syntax tree of an item without its body, and what is read off trees.

use std::sync::Arc;

use gsw_source::{Db, ItemId, Name, Place, Retained, Span};
use gsw_syntax::ast::{Block, Function, Identifier, Item, ItemBody};
use gsw_syntax::item_ast;

/// The tree of `item` without what is in braces and without places of the whole: the wall that edits in bodies do not
/// cross. Queries that need only heads ask here. `lru` for the reason that `item_ast` has.
#[salsa::tracked(returns(clone), lru = 2048)]
pub fn item_head(db: &dyn Db, item: ItemId) -> Option<Arc<Item>> {
    let tree = item_ast(db, item)?;
    let empty = || Block {
        statements: Vec::new(),
        span: Span::default(),
    };
    let body = match &tree.body {
        ItemBody::Function(it) => ItemBody::Function(Function {
            receiver: it.receiver.clone(),
            signature: it.signature.clone(),
            body: it.body.as_ref().map(|_| empty()),
        }),
        ItemBody::Workflow { signature, .. } => ItemBody::Workflow {
            signature: signature.clone(),
            body: empty(),
        },
        ItemBody::Tool { signature, body } => ItemBody::Tool {
            signature: signature.clone(),
            body: body.as_ref().map(|_| empty()),
        },
        ItemBody::Prompt { signature, .. } => ItemBody::Prompt {
            signature: signature.clone(),
            entries: Vec::new(),
        },
        ItemBody::Human { signature, .. } => ItemBody::Human {
            signature: signature.clone(),
            entries: Vec::new(),
        },
        ItemBody::External { signature } => ItemBody::External {
            signature: signature.clone(),
        },
        ItemBody::Agent { name, .. } => ItemBody::Agent {
            name: name.clone(),
            settings: Vec::new(),
        },
        ItemBody::Test {
            name, name_span, ..
        } => test(name.clone(), *name_span, empty()),
        other @ (ItemBody::Import(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid) => other.clone(),
    };
    // Field by field, because a copy of the tree would copy the body that is left out.
    let head = Item {
        docs: tree.docs.clone(),
        attributes: tree.attributes.clone(),
        visibility: tree.visibility,
        body,
        span: Span::default(),
    };
    Some(Arc::new(head))
}

/// How many heads stay when others are released, besides those of the `open` items of documents that are edited.
pub fn keep_heads(db: &mut dyn Db, retained: Retained, open: usize) {
    let items = match retained {
        Retained::Many => 2048,
        Retained::Few => 1024,
    };
    item_head::set_lru_capacity(db, items + open);
}

/// A test without what its head says besides its name.
fn test(name: Name, name_span: Span, body: Block) -> ItemBody {
    ItemBody::Test {
        name,
        name_span,
        rows: None,
        pass: None,
        repeat: None,
        cassette: None,
        body,
    }
}

/// The declared name of an item, where it has one.
pub fn declared_name(item: &Item) -> Option<&Identifier> {
    Some(match &item.body {
        ItemBody::Function(_)
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. } => &item.body.signature()?.name,
        ItemBody::Record(it) => &it.name,
        ItemBody::Enum(it) => &it.name,
        ItemBody::Error(it) => &it.name,
        ItemBody::Const(it) => &it.name,
        ItemBody::Alias { name, .. }
        | ItemBody::Agent { name, .. }
        | ItemBody::Mcp { name, .. }
        | ItemBody::Hook { name, .. }
        | ItemBody::Skill { name } => name,
        ItemBody::Import(_)
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => return None,
    })
}

/// `span` with the rest of its line when nothing but blanks follows on it: what a removal takes away.
pub fn with_line_end(db: &dyn Db, item: ItemId, span: Span) -> Span {
    let (file, own) = gsw_syntax::locate(db, Place::Item { item, span });
    let rest = file.text(db).get(own.end as usize..).unwrap_or_default();
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', ';']).len();
    let end = match rest[blank..].chars().next() {
        Some('\n') => blank + 1,
        None => blank,
        Some(_) => 0,
    };
    Span::new(span.start, span.end + u32::try_from(end).unwrap_or(0))
}
