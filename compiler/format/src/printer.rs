//! What all constructs share: source text, lists in brackets, entries and bodies in braces.

use gsw_source::Span;

use crate::comments::Comments;
use crate::document::{Document, body, braces, concat, group, join, nest, nothing, text, whole};

/// Prints the parts of one item.
pub(crate) struct Printer<'run, 'file> {
    pub(crate) comments: &'run mut Comments<'file>,
    /// Where the item starts in the file; spans in the tree count from here.
    pub(crate) offset: u32,
}

/// An entry of a list and where it is.
pub(crate) struct Entry<'run, 'file, 'tree> {
    /// Its bytes in the item.
    pub(crate) span: Span,
    pub(crate) print: Box<dyn FnOnce(&mut Printer<'run, 'file>) -> Document + 'tree>,
}

/// Where the line of several entries in a bracket may end without a break between them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Nowhere,
    /// At the opening brace of the last one.
    LastBrace,
}

pub(crate) fn entry<'run, 'file, 'tree>(
    span: Span,
    print: impl FnOnce(&mut Printer<'run, 'file>) -> Document + 'tree,
) -> Entry<'run, 'file, 'tree> {
    Entry {
        span,
        print: Box::new(print),
    }
}

impl<'run, 'file> Printer<'run, 'file> {
    /// The source text of a span.
    pub(crate) fn source(&self, span: Span) -> &'file str {
        self.comments.source(span.shifted(self.offset))
    }

    /// The source text of a span as a document; comments in it count as printed.
    pub(crate) fn verbatim(&mut self, span: Span) -> Document {
        self.comments.drop_in(span.shifted(self.offset));
        let source = self.source(span);
        if source.contains('\n') {
            Document::Verbatim(source.to_owned())
        } else {
            text(source)
        }
    }

    /// The first byte after `start` that is neither blank nor comment.
    pub(crate) fn next_token(&self, start: u32) -> u32 {
        self.comments.next_token(start + self.offset) - self.offset
    }

    /// The first `wanted` after `start`, where only words, blanks and comments precede it.
    pub(crate) fn find(&self, start: u32, wanted: char) -> u32 {
        self.comments.find(start + self.offset, wanted) - self.offset
    }

    /// Right after the last byte before `start` that is neither blank nor in a comment.
    pub(crate) fn end_before(&self, start: u32) -> u32 {
        self.comments.end_before(start + self.offset) - self.offset
    }

    /// Entries in round or square brackets, separated by commas; one a line when they do not fit on one. The line may end at
    /// the brace of the only entry and, among arguments, of the last one: `send(to, Letter {`.
    pub(crate) fn comma_list(
        &mut self,
        open: &'static str,
        entries: Vec<Entry<'run, 'file, '_>>,
        close: &'static str,
        span: Span,
        ending: Ending,
    ) -> Document {
        if entries.is_empty() && !self.comments.are_in(span.shifted(self.offset)) {
            return text(format!("{open}{close}"));
        }
        let count = entries.len();
        let mut inside = Vec::from_iter(self.after_bracket(span));
        inside.push(Document::SoftLine);
        for (index, entry) in entries.into_iter().enumerate() {
            let end = entry.span.end + self.offset;
            inside.push(self.comments.before(entry.span.start + self.offset));
            let printed = (entry.print)(self);
            let may_end_line = index + 1 == count && (count == 1 || ending == Ending::LastBrace);
            inside.push(if may_end_line {
                printed
            } else {
                whole(printed)
            });
            inside.push(if index + 1 < count {
                text(",")
            } else {
                Document::IfBroken(",", "")
            });
            let trailing = self.comments.trailing(end);
            let has_comment = trailing.is_some();
            inside.extend(trailing);
            let is_last = index + 1 == count;
            inside.extend(match (is_last, has_comment) {
                (false, true) => Some(Document::HardLine),
                (false, false) => Some(Document::Line),
                // The closing bracket starts the next line, because the comment broke the group.
                (true, true) => Some(breaker()),
                (true, false) => None,
            });
        }
        let rest = self.rest_before(span.end.saturating_sub(1));
        inside.extend(rest);
        group(concat([
            text(open),
            nest(concat(inside)),
            Document::SoftLine,
            text(close),
        ]))
    }

    /// Entries as in `comma_list` that stay on one line, unless comments are among them.
    pub(crate) fn short_list(
        &mut self,
        open: &'static str,
        entries: Vec<Entry<'run, 'file, '_>>,
        close: &'static str,
        span: Span,
    ) -> Document {
        if self.comments.are_in(span.shifted(self.offset)) {
            return self.comma_list(open, entries, close, span, Ending::Nowhere);
        }
        let entries: Vec<_> = entries.into_iter().map(|it| (it.print)(self)).collect();
        concat([text(open), join(entries, &text(", ")), text(close)])
    }

    /// The comment on the line of the bracket that opens `span`.
    fn after_bracket(&mut self, span: Span) -> Option<Document> {
        let bracket = span.start..span.start.saturating_add(1);
        let opens = "([{<".contains(self.source_between(Span::new(bracket.start, bracket.end)));
        let trailing = opens.then(|| self.comments.trailing(bracket.end + self.offset));
        Some(concat([trailing.flatten()?, breaker()]))
    }

    /// The comments between two parts of one expression, where they were written: at the end of the line of what ends at `end`,
    /// and on lines of their own before what starts at `start`, which gets a line of its own as well. None without comments.
    pub(crate) fn between(&mut self, end: u32, start: u32) -> Option<Document> {
        let gap = Span::new(end, start.max(end)).shifted(self.offset);
        if !self.comments.are_in(gap) {
            return None;
        }
        let trailing = self.comments.on_the_line_of(gap.start);
        let others = self.comments.before(gap.end);
        Some(concat(
            trailing.into_iter().chain([Document::HardLine, others]),
        ))
    }

    /// The comments right before what starts at `start`, as `between` prints them.
    pub(crate) fn right_before(&mut self, start: u32) -> Option<Document> {
        self.between(self.end_before(start), start)
    }

    /// Parts with `|` between them, each on a line of its own where comments are among them.
    pub(crate) fn alternatives(&mut self, parts: Vec<Entry<'run, 'file, '_>>) -> Document {
        let all = match (parts.first(), parts.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => return nothing(),
        };
        let has_comments = self.comments.are_in(all.shifted(self.offset));
        let mut documents = Vec::new();
        let mut end = all.start;
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                documents.push(match self.between(end, part.span.start) {
                    Some(comments) => concat([comments, text("| ")]),
                    None if has_comments => concat([Document::HardLine, text("| ")]),
                    None => text(" | "),
                });
            }
            end = part.span.end;
            documents.push((part.print)(self));
        }
        match has_comments {
            true => nest(concat(documents)),
            false => concat(documents),
        }
    }

    /// One part in a bracket that takes no comma; on a line of its own where comments are beside it.
    pub(crate) fn enclosed(
        &mut self,
        open: &'static str,
        part: Entry<'run, 'file, '_>,
        close: &'static str,
        span: Span,
    ) -> Document {
        if !self.comments.are_in(span.shifted(self.offset)) {
            return concat([text(open), (part.print)(self), text(close)]);
        }
        let mut inside = Vec::from_iter(self.after_bracket(span));
        inside.push(Document::HardLine);
        inside.push(self.comments.before(part.span.start + self.offset));
        inside.push((part.print)(self));
        inside.extend(self.comments.trailing(part.span.end + self.offset));
        inside.extend(self.rest_before(span.end.saturating_sub(1)));
        concat([
            text(open),
            nest(concat(inside)),
            Document::HardLine,
            text(close),
        ])
    }

    /// `sign` and the value after it. `gap` is what is between the name before the sign and the value: comments in it stay
    /// after the sign, and the value gets a line of its own.
    pub(crate) fn signed(
        &mut self,
        sign: &'static str,
        gap: Span,
        value: impl FnOnce(&mut Self) -> Document,
    ) -> Document {
        match self.between(gap.start, gap.end) {
            Some(comments) => concat([text(sign), nest(concat([comments, value(self)]))]),
            None => concat([text(sign), text(" "), value(self)]),
        }
    }

    /// Comments after the last entry of a bracket that closes at `end`, each on a line of its own.
    pub(crate) fn rest_before(&mut self, end: u32) -> Option<Document> {
        let end = end + self.offset;
        self.comments.next_before(end)?;
        let comments = self.comments.before(end);
        Some(concat([Document::HardLine, without_last_break(comments)]))
    }

    /// Entries in braces: on one line with commas if they were written so and fit, else one a line.
    pub(crate) fn braced(
        &mut self,
        entries: Vec<Entry<'run, 'file, '_>>,
        span: Span,
        separator: &'static str,
    ) -> Document {
        if !self.is_multi_line(span, entries.first().map(|entry| entry.span)) {
            return self.braced_line(entries, separator);
        }
        self.braced_lines(entries, span)
    }

    /// Whether a bracket was written over several lines, as is seen at its opening, or is to hold comments: its own, and those
    /// before it that have no other place.
    fn is_multi_line(&self, span: Span, first: Option<Span>) -> bool {
        let head = match first {
            Some(first) => Span::new(span.start, first.start.max(span.start)),
            None => span,
        };
        let comment = self.comments.next_before(span.end + self.offset);
        self.source_between(head).contains('\n') || comment.is_some()
    }

    fn source_between(&self, span: Span) -> &'file str {
        self.comments.raw(span.shifted(self.offset))
    }

    fn braced_line(
        &mut self,
        entries: Vec<Entry<'run, 'file, '_>>,
        separator: &'static str,
    ) -> Document {
        if entries.is_empty() {
            return text("{}");
        }
        let mut inside = vec![Document::Line];
        for (index, entry) in entries.into_iter().enumerate() {
            if index > 0 {
                inside.push(Document::IfBroken("", separator));
                inside.push(Document::Line);
            }
            inside.push((entry.print)(self));
        }
        braces(concat([
            text("{"),
            nest(concat(inside)),
            Document::Line,
            text("}"),
        ]))
    }

    fn braced_lines(&mut self, entries: Vec<Entry<'run, 'file, '_>>, span: Span) -> Document {
        let mut inside = Vec::from_iter(self.after_bracket(span));
        for (index, entry) in entries.into_iter().enumerate() {
            let start = entry.span.start + self.offset;
            let end = entry.span.end + self.offset;
            let first = self.comments.next_before(start).unwrap_or(start);
            inside.push(if index > 0 {
                self.comments.empty_line_before(first)
            } else {
                nothing()
            });
            inside.push(Document::HardLine);
            inside.push(self.comments.before(start));
            inside.push((entry.print)(self));
            inside.extend(self.comments.trailing(end));
        }
        let end = span.end.saturating_sub(1) + self.offset;
        if let Some(first) = self.comments.next_before(end) {
            inside.push(self.comments.empty_line_before(first));
            inside.push(Document::HardLine);
            inside.push(without_last_break(self.comments.before(end)));
        }
        if inside.is_empty() {
            return text("{}");
        }
        body(concat([
            text("{"),
            nest(concat(inside)),
            Document::HardLine,
            text("}"),
        ]))
    }
}

/// Breaks the group around it and prints nothing.
fn breaker() -> Document {
    Document::Break
}

/// Comments without the line break after the last one, where another break follows.
fn without_last_break(comments: Document) -> Document {
    let Document::Concat(mut documents) = comments else {
        return comments;
    };
    while matches!(
        documents.last(),
        Some(Document::HardLine | Document::EmptyLine)
    ) {
        documents.pop();
    }
    Document::Concat(documents)
}
