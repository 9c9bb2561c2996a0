//! The comments of a file, given out in order, so that none is lost.

use gsw_source::Span;
use gsw_syntax::Comment;

use crate::document::{Document, concat, nothing, text};

/// The comments that are not printed yet, and the text that they come from.
pub(crate) struct Comments<'file> {
    text: &'file str,
    comments: Vec<Comment>,
    next: usize,
}

impl<'file> Comments<'file> {
    pub(crate) fn new(text: &'file str, comments: &'file [Comment]) -> Self {
        Self {
            text,
            comments: comments.to_vec(),
            next: 0,
        }
    }

    /// Whether a comment starts inside `span` and is not printed yet.
    pub(crate) fn are_in(&self, span: Span) -> bool {
        let rest = self.comments[self.next..].iter();
        rest.take_while(|comment| comment.span.start < span.end)
            .any(|comment| comment.span.start >= span.start)
    }

    /// The comments before the byte at `position`, each on its line, with the empty lines between them.
    pub(crate) fn before(&mut self, position: u32) -> Document {
        let mut documents = Vec::new();
        while let Some(comment) = self.comments.get(self.next) {
            if comment.span.start >= position {
                break;
            }
            if !documents.is_empty() && self.has_empty_line_before(comment.span.start) {
                documents.push(Document::EmptyLine);
            }
            documents.push(text(self.source(comment.span)));
            documents.push(Document::HardLine);
            self.next += 1;
        }
        if !documents.is_empty() && self.has_empty_line_before(position) {
            documents.insert(documents.len() - 1, Document::EmptyLine);
        }
        concat(documents)
    }

    /// The first byte of the next comment if it is before `position`.
    pub(crate) fn next_before(&self, position: u32) -> Option<u32> {
        let comment = self.comments.get(self.next)?;
        (comment.span.start < position).then_some(comment.span.start)
    }

    /// The comment after the byte at `position` on its line, with a line break that must be the line's end.
    pub(crate) fn trailing(&mut self, position: u32) -> Option<Document> {
        let comment = self.comments.get(self.next)?;
        let between = self
            .text
            .get(position as usize..comment.span.start as usize)?;
        let is_behind = between.chars().all(|character| " \t,;".contains(character));
        if !is_behind {
            return None;
        }
        self.next += 1;
        let source = self.source(comment.span);
        Some(Document::Remark(format!(" {source}").into()))
    }

    /// The next comment where it is on the line of the byte at `position`, whatever is between: an operator, an arrow.
    pub(crate) fn on_the_line_of(&mut self, position: u32) -> Option<Document> {
        let comment = self.comments.get(self.next)?;
        let between = self
            .text
            .get(position as usize..comment.span.start as usize)?;
        if between.contains('\n') {
            return None;
        }
        self.next += 1;
        let source = self.source(comment.span);
        Some(Document::Remark(format!(" {source}").into()))
    }

    /// Whether an empty line precedes the byte at `position`, comments aside.
    pub(crate) fn has_empty_line_before(&self, position: u32) -> bool {
        let before = &self.text[..position as usize];
        let blanks = &before[before.trim_end().len()..];
        blanks.matches('\n').count() > 1
    }

    /// The source text of a span in the file.
    pub(crate) fn source(&self, span: Span) -> &'file str {
        self.text[span.start as usize..span.end as usize].trim_end()
    }

    /// The source text of a span, blanks at its end included.
    pub(crate) fn raw(&self, span: Span) -> &'file str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Takes the comments inside `span` out, because its source text is printed as it is.
    pub(crate) fn drop_in(&mut self, span: Span) {
        let first = self
            .comments
            .partition_point(|comment| comment.span.start < span.start);
        let last = self
            .comments
            .partition_point(|comment| comment.span.start < span.end);
        let first = first.max(self.next);
        if first < last {
            self.comments.drain(first..last);
        }
    }

    /// The first byte from `start` on that is neither blank nor part of a comment.
    pub(crate) fn next_token(&self, start: u32) -> u32 {
        self.scan(start, |character| !character.is_whitespace())
    }

    /// Right after the last byte before `start` that is neither blank nor in a comment that is not printed yet.
    pub(crate) fn end_before(&self, start: u32) -> u32 {
        let rest = self.comments[self.next..].iter();
        let before: Vec<_> = rest.take_while(|it| it.span.start < start).collect();
        let mut end = start;
        loop {
            let trimmed = self.text[..end as usize].trim_end().len();
            end = u32::try_from(trimmed).unwrap_or(end);
            let covers = |it: &&&Comment| it.span.start < end && it.span.end >= end;
            match before.iter().rev().find(covers) {
                Some(comment) => end = comment.span.start,
                None => return end,
            }
        }
    }

    /// The first `wanted` from `start` on that is not part of a comment.
    pub(crate) fn find(&self, start: u32, wanted: char) -> u32 {
        self.scan(start, |character| character == wanted)
    }

    fn scan(&self, start: u32, is_wanted: impl Fn(char) -> bool) -> u32 {
        let mut rest = &self.text[start as usize..];
        while let Some(character) = rest.chars().next() {
            if rest.starts_with("//") {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
            } else if is_wanted(character) {
                break;
            } else {
                rest = &rest[character.len_utf8()..];
            }
        }
        let position = self.text.len() - rest.len();
        u32::try_from(position).unwrap_or(u32::MAX)
    }

    /// An empty line, if the source has one before `position`.
    pub(crate) fn empty_line_before(&self, position: u32) -> Document {
        if self.has_empty_line_before(position) {
            Document::EmptyLine
        } else {
            nothing()
        }
    }
}
