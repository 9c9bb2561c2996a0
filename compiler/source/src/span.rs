//! Byte ranges in source text.

/// A half-open range of bytes, relative to whatever the context names: a file, or the first byte of an item.
///
/// Spans inside an item are relative to it, so that moving an item does not change anything inside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub start: u32,
    /// One past the last byte; never less than `start`.
    pub end: u32,
}

impl Span {
    /// The span of the bytes `start..end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The span counted from a base that is `offset` bytes further left.
    #[must_use]
    pub const fn shifted(self, offset: u32) -> Self {
        Self {
            start: self.start + offset,
            end: self.end + offset,
        }
    }

    /// Whether all of `inner` is inside.
    #[must_use]
    pub const fn holds(self, inner: Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// Whether the byte at `offset` is inside, the end included, as editors place cursors.
    #[must_use]
    pub const fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
