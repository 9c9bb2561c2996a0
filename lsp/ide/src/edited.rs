//! A text after edits, and which place in it came from where.

use gsw_source::{File, LocatedEdit, Span};

/// The text of `file`, which was `original`, after those of the edits that are of it.
pub fn edited(original: &str, file: File, edits: &[LocatedEdit]) -> String {
    let mut text = String::with_capacity(original.len());
    let mut done = 0;
    for edit in in_order(file, edits) {
        let span = edit.location.span;
        text.push_str(original.get(done..span.start as usize).unwrap_or_default());
        text.push_str(&edit.text);
        done = (span.end as usize).max(done);
    }
    text.push_str(original.get(done..).unwrap_or_default());
    text
}

/// The edits of one file by place; of two insertions at one place the first comes first.
fn in_order(file: File, edits: &[LocatedEdit]) -> Vec<&LocatedEdit> {
    let mut own: Vec<&LocatedEdit> = edits.iter().filter(|it| it.location.file == file).collect();
    own.sort_by_key(|it| it.location.span);
    own
}

/// Where places of a file's text after edits were before them.
pub struct Origins {
    /// What each edit has written, after all edits, and what was there before; in order, since edits of one text do not overlap.
    written: Vec<(Span, Span)>,
}

impl Origins {
    pub fn new(file: File, edits: &[LocatedEdit]) -> Self {
        let mut written = Vec::new();
        let mut moved: i64 = 0;
        for edit in in_order(file, edits) {
            let before = edit.location.span;
            let length = i64::try_from(edit.text.len()).unwrap_or(i64::MAX);
            let start = i64::from(before.start) + moved;
            let after = Span::new(offset(start), offset(start + length));
            written.push((after, before));
            moved += length - i64::from(before.end - before.start);
        }
        Self { written }
    }

    /// What was where `span` is now: all of an edit's place for what is in the text that it has written.
    pub fn of(&self, span: Span) -> Span {
        let first = self.written.partition_point(|(it, _)| it.end < span.end);
        let touching = self.written[first..].iter();
        let mut touching = touching.take_while(|(after, _)| after.start <= span.start);
        match touching.find(|(after, _)| after.start < after.end && after.holds(span)) {
            Some((_, before)) => *before,
            None => Span::new(self.origin(span.start), self.origin(span.end)),
        }
    }

    fn origin(&self, at: u32) -> u32 {
        let before = self.written.partition_point(|(after, _)| after.end <= at);
        let last = self.written[..before].last();
        let moved = last.map_or(0, |(after, before)| {
            i64::from(before.end) - i64::from(after.end)
        });
        offset(i64::from(at) + moved)
    }
}

fn offset(at: i64) -> u32 {
    u32::try_from(at.max(0)).unwrap_or(u32::MAX)
}
