//! The pretty-printing algebra: documents that know where they may be broken, and their layout on lines.
//!
//! After Wadler, *A prettier printer*: a group is laid out on one line if it fits, otherwise all its line breaks are
//! taken, and the groups inside decide for themselves.

use gsw_source::Name;

/// The longest line that is tried to be kept.
const WIDTH: usize = 100;

/// How far the inside of a bracket is moved in.
const INDENTATION: usize = 2;

/// Text with places where it may be broken.
#[derive(Clone, Debug)]
pub(crate) enum Document {
    /// Text on one line.
    Text(Name),
    /// Source text that is kept as it is, line breaks included.
    Verbatim(String),
    /// A blank, or a line break in a broken group.
    Line,
    /// Nothing, or a line break in a broken group.
    SoftLine,
    /// A line break, which breaks the groups around it.
    HardLine,
    /// An empty line, which breaks the groups around it.
    EmptyLine,
    /// Nothing, but it breaks the groups around it.
    Break,
    /// The first in a broken group, the second in one that is not.
    IfBroken(&'static str, &'static str),
    /// Moved in where lines start.
    Nest(Box<Self>),
    /// Laid out on one line if that fits.
    Group(Box<Self>, Breaks),
    /// Lines of its own between braces, which do not break what is around them.
    Body(Box<Self>),
    /// Entries between braces, on one line if they fit there, whatever is around them; the others may end their first
    /// line at its opening brace, just as if it had lines of its own.
    Braces(Box<Self>, Breaks),
    /// A part that keeps the group around it on one line only when all of it fits there: braces inside do not end that line.
    Whole(Box<Self>),
    /// A comment at the end of a line. It cannot be broken, so how long it is decides nothing; a line break has to follow.
    Remark(Name),
    /// One after the other on one line if all of it fits there; otherwise all braces that it lists get lines of their own.
    Branches(Vec<Self>),
    Concat(Vec<Self>),
}

/// What is known of the line breaks in a part, so that the parts around it need not look for them again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Breaks {
    /// It has lines of its own somewhere, also in braces.
    has_lines: bool,
    /// It does not fit on one line.
    must_break: bool,
}

/// Text on one line.
pub(crate) fn text(text: impl Into<Name>) -> Document {
    Document::Text(text.into())
}

pub(crate) fn nothing() -> Document {
    Document::Concat(Vec::new())
}

pub(crate) fn concat(documents: impl IntoIterator<Item = Document>) -> Document {
    Document::Concat(documents.into_iter().collect())
}

/// Laid out on one line if that fits.
pub(crate) fn group(document: Document) -> Document {
    let breaks = document.breaks();
    Document::Group(Box::new(document), breaks)
}

/// Moved in where lines start.
pub(crate) fn nest(document: Document) -> Document {
    Document::Nest(Box::new(document))
}

/// Lines of its own between braces.
pub(crate) fn body(document: Document) -> Document {
    Document::Body(Box::new(document))
}

/// Entries between braces, on one line if they fit there.
pub(crate) fn braces(document: Document) -> Document {
    let breaks = document.breaks();
    Document::Braces(Box::new(document), breaks)
}

/// A part that keeps the group around it on one line only when all of it fits there.
pub(crate) fn whole(document: Document) -> Document {
    Document::Whole(Box::new(document))
}

/// With `separator` between each two.
pub(crate) fn join(
    documents: impl IntoIterator<Item = Document>,
    separator: &Document,
) -> Document {
    let mut joined = Vec::new();
    for document in documents {
        if !joined.is_empty() {
            joined.push(separator.clone());
        }
        joined.push(document);
    }
    Document::Concat(joined)
}

impl Document {
    fn breaks(&self) -> Breaks {
        Breaks {
            has_lines: self.has_lines(),
            must_break: self.must_break(),
        }
    }

    /// Whether it has lines of its own somewhere, also in braces.
    fn has_lines(&self) -> bool {
        match self {
            Self::HardLine | Self::EmptyLine | Self::Break | Self::Body(_) => true,
            Self::Group(_, breaks) | Self::Braces(_, breaks) => breaks.has_lines,
            Self::Nest(inner) | Self::Whole(inner) => inner.has_lines(),
            Self::Concat(inner) | Self::Branches(inner) => inner.iter().any(Self::has_lines),
            Self::Text(_)
            | Self::Remark(_)
            | Self::Verbatim(_)
            | Self::Line
            | Self::SoftLine
            | Self::IfBroken(..) => false,
        }
    }

    /// Whether it does not fit on one line.
    fn must_break(&self) -> bool {
        match self {
            Self::HardLine | Self::EmptyLine | Self::Break => true,
            Self::Group(_, breaks) => breaks.must_break,
            Self::Nest(inner) => inner.must_break(),
            // Its braces have lines of their own, so it is in none with what is around it.
            Self::Whole(inner) => inner.has_lines(),
            Self::Concat(inner) | Self::Branches(inner) => inner.iter().any(Self::must_break),
            Self::Text(_)
            | Self::Remark(_)
            | Self::Verbatim(_)
            | Self::Line
            | Self::SoftLine
            | Self::IfBroken(..)
            | Self::Body(_)
            | Self::Braces(..) => false,
        }
    }
}

/// How a document is laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Flat,
    Broken,
}

type Pending<'document> = (usize, Mode, &'document Document);

/// The text of documents that are below each other.
#[derive(Default)]
pub(crate) struct Page {
    output: Output,
}

impl Page {
    /// Adds a document that ends with a line break, or with nothing: how it is laid out depends on no other.
    pub(crate) fn add(&mut self, document: &Document) {
        lay_out(document, &mut self.output);
    }

    /// The text of all that was added.
    pub(crate) fn finish(self) -> String {
        self.output.finish()
    }
}

fn lay_out(document: &Document, output: &mut Output) {
    let mut pending: Vec<Pending<'_>> = vec![(0, Mode::Broken, document)];
    // Used by each question whether something fits, so that these allocate nothing.
    let mut scratch = Vec::new();
    while let Some((indentation, mode, document)) = pending.pop() {
        match document {
            Document::Text(text) | Document::Remark(text) => output.word(text),
            Document::Verbatim(text) => output.word(text),
            Document::IfBroken(broken, flat) => output.word(match mode {
                Mode::Broken => broken,
                Mode::Flat => flat,
            }),
            Document::Line if mode == Mode::Flat => output.word(" "),
            Document::SoftLine if mode == Mode::Flat => {}
            Document::Break => {}
            Document::Line | Document::SoftLine | Document::HardLine => output.line(indentation),
            Document::EmptyLine => output.empty_line(),
            // What is on one line has nothing to move in, but braces inside it may be broken.
            Document::Nest(inner) if mode == Mode::Flat => pending.push((indentation, mode, inner)),
            Document::Nest(inner) => pending.push((indentation + INDENTATION, mode, inner)),
            Document::Body(inner) => pending.push((indentation, Mode::Broken, inner)),
            Document::Whole(inner) => pending.push((indentation, mode, inner)),
            Document::Concat(inner) => {
                pending.extend(inner.iter().rev().map(|inner| (indentation, mode, inner)));
            }
            Document::Branches(inner) => {
                let room = WIDTH.saturating_sub(output.column());
                let flat = (indentation, Mode::Flat, document);
                let is_flat = !document.has_lines()
                    && fits(room, Within::Braces, flat, &pending, &mut scratch);
                pending.extend(inner.iter().rev().map(|part| {
                    if is_flat {
                        (indentation, Mode::Flat, part)
                    } else if let Document::Braces(lines, _) = part {
                        (indentation, Mode::Broken, &**lines)
                    } else {
                        (indentation, mode, part)
                    }
                }));
            }
            Document::Group(inner, breaks) | Document::Braces(inner, breaks) => {
                let room = WIDTH.saturating_sub(output.column());
                let flat = (indentation, Mode::Flat, &**inner);
                let (within, must_break) = if matches!(document, Document::Braces(..)) {
                    (Within::Braces, breaks.has_lines)
                } else {
                    (Within::Group, breaks.must_break)
                };
                let mode = if !must_break && fits(room, within, flat, &pending, &mut scratch) {
                    Mode::Flat
                } else {
                    Mode::Broken
                };
                pending.push((indentation, mode, inner));
            }
        }
    }
}

/// What is to be laid out on one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// A group, whose line may end after a `{`.
    Group,
    /// Braces, which are on one line with everything inside.
    Braces,
}

/// Whether what comes up to the next line break fits into `room` columns. What is in `pending` before does not matter.
#[expect(
    clippy::too_many_lines,
    reason = "one arm a form: rustc names what a new form must join"
)]
fn fits<'document>(
    room: usize,
    within: Within,
    first: Pending<'document>,
    rest: &[Pending<'document>],
    pending: &mut Vec<Pending<'document>>,
) -> bool {
    let mut left = room;
    let mut rest = rest.iter().rev();
    pending.clear();
    pending.push(first);
    let mut is_after = false;
    loop {
        let next = match pending.pop() {
            Some(next) => Some(next),
            None => {
                is_after = true;
                rest.next().copied()
            }
        };
        let Some((indentation, mode, document)) = next else {
            return true;
        };
        let width = match document {
            Document::Text(text) => text.chars().count(),
            Document::Verbatim(text) => match text.split_once('\n') {
                // What follows a text of several lines inside of braces decides about the braces as well.
                Some((line, rest)) if within == Within::Braces && !is_after => {
                    if line.chars().count() > left {
                        return false;
                    }
                    let last = rest.rsplit('\n').next().unwrap_or(rest);
                    left = WIDTH.saturating_sub(last.chars().count());
                    0
                }
                Some((line, _)) => return line.chars().count() <= left,
                None => text.chars().count(),
            },
            Document::IfBroken(broken, flat) => match mode {
                Mode::Broken => broken.chars().count(),
                Mode::Flat => flat.chars().count(),
            },
            Document::Line if mode == Mode::Flat => 1,
            Document::SoftLine if mode == Mode::Flat => 0,
            Document::Break => 0,
            Document::Line | Document::SoftLine | Document::HardLine | Document::EmptyLine => {
                return true;
            }
            Document::Body(inner) => {
                pending.push((indentation, Mode::Broken, inner));
                0
            }
            Document::Remark(_) => return true,
            Document::Whole(inner)
                if !is_after && within == Within::Group && mode == Mode::Flat =>
            {
                match flat_width(inner, left) {
                    Some(width) => width,
                    None => return false,
                }
            }
            // What is left of the line after `{` is decided by the braces themselves.
            Document::Braces(..) if within != Within::Braces || is_after => return left > 0,
            // Braces inside braces that stay on one line stay there too.
            Document::Nest(inner)
            | Document::Whole(inner)
            | Document::Group(inner, _)
            | Document::Braces(inner, _) => {
                pending.push((indentation, mode, inner));
                0
            }
            Document::Concat(inner) | Document::Branches(inner) => {
                pending.extend(inner.iter().rev().map(|inner| (indentation, mode, inner)));
                0
            }
        };
        if width > left {
            return false;
        }
        left -= width;
    }
}

/// How wide a part is on one line, counted no further than `room`; `None` when it does not fit.
fn flat_width(document: &Document, room: usize) -> Option<usize> {
    let mut width = 0;
    let mut pending = vec![document];
    while let Some(document) = pending.pop() {
        if width > room {
            break;
        }
        width += match document {
            Document::Text(text) => text.chars().count(),
            Document::Verbatim(text) if text.contains('\n') => return None,
            Document::Verbatim(text) => text.chars().count(),
            Document::IfBroken(_, flat) => flat.chars().count(),
            Document::Line => 1,
            Document::SoftLine => 0,
            Document::HardLine
            | Document::EmptyLine
            | Document::Break
            | Document::Body(_)
            | Document::Remark(_) => return None,
            Document::Nest(inner)
            | Document::Whole(inner)
            | Document::Group(inner, _)
            | Document::Braces(inner, _) => {
                pending.push(inner);
                0
            }
            Document::Concat(inner) | Document::Branches(inner) => {
                pending.extend(inner.iter().rev());
                0
            }
        };
    }
    Some(width)
}

/// The text so far, with no blanks at ends of lines.
#[derive(Default)]
struct Output {
    text: String,
    /// The indentation that the next word gets; `None` inside a line.
    indentation: Option<usize>,
}

impl Output {
    fn word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if let Some(indentation) = self.indentation.take() {
            self.text.extend(std::iter::repeat_n(' ', indentation));
        }
        self.text.push_str(word);
    }

    fn line(&mut self, indentation: usize) {
        self.end_line();
        self.text.push('\n');
        self.indentation = Some(indentation);
    }

    /// An empty line, unless there is one already; a line break has to follow.
    fn empty_line(&mut self) {
        self.end_line();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn end_line(&mut self) {
        self.indentation = None;
        while self.text.ends_with(' ') {
            self.text.pop();
        }
    }

    fn column(&self) -> usize {
        let line = self.text.rfind('\n').map_or(0, |index| index + 1);
        self.text[line..].chars().count() + self.indentation.unwrap_or(0)
    }

    fn finish(mut self) -> String {
        let length = self.text.trim_end().len();
        self.text.truncate(length);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Page, concat, group, join, nest, text};

    fn print(document: &Document) -> String {
        let mut page = Page::default();
        page.add(document);
        page.finish()
    }

    fn list(words: &[&str]) -> Document {
        let separator = concat([text(","), Document::Line]);
        let inside = join(words.iter().map(|word| text(*word)), &separator);
        group(concat([
            text("["),
            nest(concat([Document::SoftLine, inside])),
            Document::IfBroken(",", ""),
            Document::SoftLine,
            text("]"),
        ]))
    }

    #[test]
    fn a_group_that_fits_stays_on_its_line() {
        assert_eq!(print(&list(&["a", "b"])), "[a, b]\n");
    }

    #[test]
    fn a_group_that_does_not_fit_is_broken_everywhere() {
        let long = "x".repeat(60);
        let expected = format!("[\n  {long},\n  {long},\n]\n");
        assert_eq!(print(&list(&[&long, &long])), expected);
    }
}
