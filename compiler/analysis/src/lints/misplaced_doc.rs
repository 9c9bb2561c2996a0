//! `///` after code, which documents what follows, and `///` before what has no documentation.

use std::collections::BTreeMap;
use std::ops::Range;

use gsw_source::{Db, Diagnostic, Edit, File, Place, Span};
use gsw_syntax::ast::{Attribute, ItemBody, Parameter};
use gsw_syntax::{Comment, CommentKind, CommentPosition, FileItem, parse_file};

use crate::errors;

/// Warnings about the doc comments of `file` that are not above what they document.
pub fn misplaced_docs(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let parsed = parse_file(db, file);
    let reader = Reader::new(file, file.text(db), &parsed.comments, &parsed.items);
    let mut found = Vec::new();
    let mut index = 0;
    while index < parsed.comments.len() {
        let group = index..reader.group_end(index);
        index = group.end;
        found.extend(reader.report(group));
    }
    found
}

/// A file, and what of it can have documentation.
struct Reader<'file> {
    file: File,
    text: &'file str,
    comments: &'file [Comment],
    /// For each comment the first byte after it that is neither blank nor a comment.
    next: Vec<u32>,
    /// By the first byte of a token before which `///` documents something, the first byte of that.
    documented: BTreeMap<u32, u32>,
}

impl<'file> Reader<'file> {
    fn new(
        file: File,
        text: &'file str,
        comments: &'file [Comment],
        items: &'file [FileItem],
    ) -> Self {
        let mut reader = Self {
            file,
            text,
            comments,
            next: next_tokens(text, comments),
            documented: BTreeMap::new(),
        };
        for item in items {
            reader.note_item(item);
        }
        reader
    }

    /// Where the group that begins with the comment at `index` ends: lines of documentation for the same thing, those after
    /// code with the lines that continue them below.
    fn group_end(&self, index: usize) -> usize {
        let first = self.comments[index];
        let column = self.column(first);
        let same = self.comments[index + 1..].iter().zip(index + 1..);
        let same = same.take_while(|(it, at)| {
            first.kind == CommentKind::Doc
                && it.kind == CommentKind::Doc
                && it.position == CommentPosition::OwnLine
                && self.next[*at] == self.next[index]
                && match first.position {
                    CommentPosition::Trailing => self.column(**it) == column,
                    CommentPosition::OwnLine => true,
                }
        });
        index + 1 + same.count()
    }

    /// What is wrong with a group of comments.
    fn report(&self, group: Range<usize>) -> Option<Diagnostic> {
        let comments = &self.comments[group.clone()];
        let first = comments.first().filter(|it| it.kind == CommentKind::Doc)?;
        let next = self.next[group.start];
        let is_taken = self.documented.contains_key(&next);
        let plain: Vec<Edit> = comments
            .iter()
            .map(|it| self.edit(it.span.start, it.span.start + 3, "//"))
            .collect();
        let place = self.place(first.span);
        match (first.position, is_taken) {
            (CommentPosition::OwnLine, true) => None,
            (CommentPosition::OwnLine, false) => Some(errors::idle_doc(place, plain)),
            (CommentPosition::Trailing, _) => {
                let taker = is_taken.then(|| self.place(Span::new(next, self.word_end(next))));
                let above = self.moved_above(comments);
                Some(errors::trailing_doc(place, taker, above, plain))
            }
        }
    }

    /// The comments put above the line that they follow, where that line is one thing that can have documentation.
    fn moved_above(&self, comments: &[Comment]) -> Option<Vec<Edit>> {
        let (first, last) = (comments.first()?, comments.last()?);
        let start = self.line_start(first.span.start);
        let line = self.slice(start, first.span.start);
        let code = start + offset(line.len() - line.trim_start().len());
        let end = start + offset(line.trim_end().len());
        let (_, owner) = self.documented.range(start..first.span.start).next_back()?;
        if *owner != code {
            return None;
        }
        let indentation = self.slice(start, code);
        let lines = comments.iter().map(|it| {
            let comment = self.slice(it.span.start, it.span.end);
            format!("{comment}\n{indentation}")
        });
        Some(vec![
            self.edit(code, code, lines.collect::<String>()),
            self.edit(end, last.span.end, ""),
        ])
    }

    fn note_item(&mut self, item: &FileItem) {
        let tree = &item.item;
        let start = self.token_from(item.offset);
        let attributes = tree.attributes.last();
        match &tree.body {
            // What an import brings has its documentation elsewhere.
            ItemBody::Import(_) | ItemBody::Invalid => return,
            ItemBody::Function(_)
            | ItemBody::Prompt { .. }
            | ItemBody::Workflow { .. }
            | ItemBody::Tool { .. }
            | ItemBody::Human { .. }
            | ItemBody::External { .. } => {
                if let Some(signature) = tree.body.signature() {
                    self.note_parameters(item, &signature.parameters);
                }
            }
            ItemBody::Record(record) => {
                for it in &record.fields {
                    self.note(item, &it.attributes, it.name.span);
                }
            }
            ItemBody::Enum(declaration) => {
                for it in &declaration.variants {
                    self.note(item, &it.attributes, it.name.span);
                    self.note_parameters(item, &it.fields);
                }
            }
            ItemBody::Error(error) => self.note_parameters(item, &error.fields),
            ItemBody::Alias { .. }
            | ItemBody::Const(_)
            | ItemBody::Agent { .. }
            | ItemBody::Mcp { .. }
            | ItemBody::Hook { .. }
            | ItemBody::Skill { .. }
            | ItemBody::Test { .. }
            | ItemBody::Permissions { .. } => {}
        }
        self.documented.insert(start, start);
        if let Some(last) = attributes {
            let word = self.token_from(item.offset + last.span.end);
            self.documented.insert(word, start);
        }
    }

    fn note_parameters(&mut self, item: &FileItem, parameters: &[Parameter]) {
        for it in parameters {
            self.note(item, &it.attributes, it.name.span);
        }
    }

    /// A field, variant or parameter: its documentation comes before its attributes or before its name.
    fn note(&mut self, item: &FileItem, attributes: &[Attribute], name: Span) {
        let name = item.offset + name.start;
        let first = attributes.first();
        let start = first.map_or(name, |it| item.offset + it.span.start);
        self.documented.insert(start, start);
        self.documented.insert(name, start);
    }

    /// The first byte from `position` on that is neither blank nor in a comment.
    fn token_from(&self, position: u32) -> u32 {
        let rest = self.slice(position, offset(self.text.len()));
        let start = position + offset(rest.len() - rest.trim_start().len());
        let comments = self.comments;
        match comments.binary_search_by_key(&start, |it| it.span.start) {
            Ok(index) => self.next[index],
            Err(_) => start,
        }
    }

    /// The end of the word that begins at `start`.
    fn word_end(&self, start: u32) -> u32 {
        let rest = self.slice(start, offset(self.text.len()));
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let length = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        start + offset(length.max(1))
    }

    fn column(&self, comment: Comment) -> u32 {
        comment.span.start - self.line_start(comment.span.start)
    }

    fn line_start(&self, position: u32) -> u32 {
        let before = self.slice(0, position);
        before.rfind('\n').map_or(0, |it| offset(it + 1))
    }

    fn slice(&self, start: u32, end: u32) -> &'file str {
        let range = start as usize..end as usize;
        self.text.get(range).unwrap_or_default()
    }

    fn place(&self, span: Span) -> Place {
        let file = self.file;
        Place::File { file, span }
    }

    fn edit(&self, start: u32, end: u32, text: impl Into<String>) -> Edit {
        Edit {
            place: self.place(Span::new(start, end)),
            text: text.into(),
        }
    }
}

fn next_tokens(text: &str, comments: &[Comment]) -> Vec<u32> {
    let mut next = vec![0; comments.len()];
    for index in (0..comments.len()).rev() {
        let end = comments[index].span.end;
        let rest = text.get(end as usize..).unwrap_or_default();
        let start = end + offset(rest.len() - rest.trim_start().len());
        let following = comments.get(index + 1);
        next[index] = match following.is_some_and(|it| it.span.start == start) {
            true => next[index + 1],
            false => start,
        };
    }
    next
}

/// An offset as spans keep it; longer texts than 4 GiB are refused where files are read.
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
