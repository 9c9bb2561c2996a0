//! Where an action is asked for: the item and the nodes of its tree around a range.

use gsw_source::{Db, File, ItemId, LocatedEdit, Location, Span};
use gsw_syntax::ast::{Child, Item};

use crate::cursor::{in_file, nodes_at};

pub struct Place<'a> {
    pub db: &'a dyn Db,
    pub file: File,
    pub item: ItemId,
    pub tree: &'a Item,
    /// The range, relative to the item.
    pub range: Span,
    /// The nodes around its start, from the outermost.
    pub nodes: Vec<Child<'a>>,
}

impl<'a> Place<'a> {
    /// The place of a range of `file` that begins in `item`.
    pub fn new(db: &'a dyn Db, item: ItemId, tree: &'a Item, range: Span) -> Self {
        let file = item.file(db);
        let start = in_file(db, item, Span::default()).start;
        let relative = |offset: u32| offset.saturating_sub(start);
        let range = Span::new(relative(range.start), relative(range.end));
        Self {
            db,
            file,
            item,
            tree,
            range,
            nodes: nodes_at(tree, range.start),
        }
    }

    /// The edit that puts a text before a byte of the item.
    pub fn insert(&self, at: u32, text: String) -> LocatedEdit {
        self.replace(Span::new(at, at), text)
    }

    pub fn replace(&self, span: Span, text: String) -> LocatedEdit {
        let span = in_file(self.db, self.item, span);
        let file = self.file;
        let location = Location { file, span };
        LocatedEdit { location, text }
    }

    /// The blanks that the line of a byte of the item begins with.
    pub fn indent(&self, at: u32) -> String {
        let text = self.file.text(self.db);
        let at = in_file(self.db, self.item, Span::new(at, at)).start as usize;
        let before = text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars()
            .take_while(|it| *it == ' ' || *it == '\t')
            .collect()
    }
}

/// Whether all of `inner` is in `outer`.
pub const fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
