//! Where an action is asked for: the item and the nodes of its tree around a range.

use std::cell::OnceCell;

use gsw_source::{Db, File, ItemId, LocatedEdit, Name, Span};
use gsw_syntax::ast::{Child, Item, Statement};
use gsw_syntax::{TokenKind, parse_file};

use crate::cursor::{in_file, nodes_at};
use crate::meaning::has_word;
use crate::scope::blocks;
use crate::symbol::{Occurrence, Symbol, occurrences};

pub struct Place<'a> {
    pub db: &'a dyn Db,
    pub file: File,
    pub item: ItemId,
    pub tree: &'a Item,
    /// The range, relative to the item.
    pub range: Span,
    /// The nodes around its start, from the outermost.
    pub nodes: Vec<Child<'a>>,
    /// The names in the item, once they were asked for.
    names: OnceCell<Vec<Occurrence>>,
}

impl<'a> Place<'a> {
    /// The place of a range of `file` that begins in `item`.
    pub fn new(db: &'a dyn Db, item: ItemId, tree: &'a Item, range: Span) -> Self {
        let file = item.file(db);
        let start = in_file(db, item, Span::default()).start;
        let relative = |offset: u32| offset.saturating_sub(start);
        let range = without_comments(db, file, range);
        let range = Span::new(relative(range.start), relative(range.end));
        Self {
            db,
            file,
            item,
            tree,
            range,
            nodes: nodes_at(tree, range.start),
            names: OnceCell::new(),
        }
    }

    /// All names in the item that mean something.
    pub fn names(&self) -> &[Occurrence] {
        let all = || occurrences(self.db, self.item);
        self.names.get_or_init(all)
    }

    /// What is written at `span` of the item.
    pub fn text(&self, span: Span) -> Name {
        gsw_names::source_text(self.db, self.item, span)
    }

    /// The innermost statement that holds all of `span`.
    pub fn statement(&self, span: Span) -> Option<&'a Statement> {
        let nodes = nodes_at(self.tree, span.start);
        nodes.into_iter().rev().find_map(|node| match node {
            Child::Statement(it) if it.span.holds(span) => Some(it),
            Child::Statement(_)
            | Child::Expression(_)
            | Child::Pattern(_)
            | Child::Type(_)
            | Child::Name(_) => None,
        })
    }

    /// The statements of one block that the range holds whole, and nothing besides.
    pub fn statements(&self) -> Option<&'a [Statement]> {
        let mut blocks = blocks(self.tree).into_iter();
        blocks.find_map(|block| {
            let mut all = block.statements.iter();
            let first = all.position(|it| it.span.start == self.range.start)?;
            let mut all = block.statements.iter();
            let last = all.position(|it| it.span.end == self.range.end)?;
            block.statements.get(first..=last)
        })
    }

    /// Whether something after `span` names a variable that is declared in it.
    pub fn is_known_after(&self, span: Span) -> bool {
        self.names().iter().any(|it| match it.symbol {
            Symbol::Local { item, declared } => {
                item == self.item && span.holds(declared) && !span.holds(it.span)
            }
            Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => {
                false
            }
        })
    }

    /// The edit that puts a block with this head around whole statements.
    pub fn in_block(&self, statements: Span, head: &str) -> LocatedEdit {
        let indent = self.indent(statements.start);
        let text = self.text(statements);
        let inner = indented_anew(&text, &indent, &format!("{indent}  "));
        let block = format!("{head} {{\n{indent}  {inner}\n{indent}}}");
        self.replace(statements, block)
    }

    /// `wanted`, or with a number where the file has such a word.
    pub fn fresh(&self, wanted: &str) -> String {
        let text = self.file.text(self.db);
        let numbered = (2u32..).map(|it| format!("{wanted}{it}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        names
            .find(|it| !has_word(text, it))
            .unwrap_or_else(|| wanted.to_owned())
    }

    /// The edit that puts a text before a byte of the item.
    pub fn insert(&self, at: u32, text: String) -> LocatedEdit {
        self.replace(Span::new(at, at), text)
    }

    pub fn replace(&self, span: Span, text: String) -> LocatedEdit {
        LocatedEdit::new(self.file, in_file(self.db, self.item, span), text)
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

/// Statements with lines that begin with `new` instead of `old`; no line that begins inside of a text.
pub fn indented_anew(text: &str, old: &str, new: &str) -> String {
    let tokens = gsw_syntax::lex(text).tokens;
    // Where each text of more than one line begins and ends; holes are in it as well.
    let mut texts: Vec<Span> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for token in tokens {
        if token.kind == TokenKind::String {
            texts.push(token.span);
        } else if token.kind == TokenKind::StringOpen {
            open.push(token.span.start);
        } else if token.kind == TokenKind::StringClose {
            texts.extend(open.pop().map(|it| Span::new(it, token.span.end)));
        }
    }
    let mut indented = String::new();
    let mut at = 0u32;
    for line in text.split_inclusive('\n') {
        let is_in_text = texts.iter().any(|it| it.start < at && at < it.end);
        match line.strip_prefix(old) {
            // The first one begins with a statement.
            Some(rest) if at > 0 && !is_in_text => {
                indented.push_str(new);
                indented.push_str(rest);
            }
            Some(_) | None => indented.push_str(line),
        }
        at += u32::try_from(line.len()).unwrap_or(0);
    }
    indented
}

/// A range without the blanks and comments that it begins and ends with: whoever selects lines means what is done in them.
fn without_comments(db: &dyn Db, file: File, range: Span) -> Span {
    let text = file.text(db);
    let all = &parse_file(db, file).comments;
    let first = all.partition_point(|it| it.span.start < range.start);
    let after = all.partition_point(|it| it.span.end <= range.end);
    let mut inside = all.get(first..after).unwrap_or_default();
    let whole = without_blanks(text, range);
    let mut kept = whole;
    loop {
        if let [comment, rest @ ..] = inside
            && comment.span.start == kept.start
        {
            inside = rest;
            kept.start = comment.span.end;
        } else if let [rest @ .., comment] = inside
            && comment.span.end >= kept.end
        {
            inside = rest;
            kept.end = comment.span.start;
        } else {
            return kept;
        }
        kept = without_blanks(text, kept);
        if kept.start == kept.end {
            return whole;
        }
    }
}

/// A range without the blanks that it begins and ends with: whole lines hold more than their statements.
fn without_blanks(text: &str, range: Span) -> Span {
    let Some(selected) = text.get(range.start as usize..range.end as usize) else {
        return range;
    };
    let length = |it: &str| u32::try_from(it.len()).unwrap_or(0);
    let kept = selected.trim();
    if kept.is_empty() {
        return Span::new(range.start, range.start);
    }
    let start = range.start + length(selected) - length(selected.trim_start());
    Span::new(start, start + length(kept))
}
