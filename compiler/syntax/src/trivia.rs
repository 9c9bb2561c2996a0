//! Comments: what the parser does not see and the formatter must not lose.

use gsw_source::Span;

/// One comment, from its slashes to the end of its line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Comment {
    /// Its bytes, the line break not among them, in the file.
    pub span: Span,
    /// How many slashes it has and whether an exclamation mark follows.
    pub kind: CommentKind,
    /// What else is on its line.
    pub position: CommentPosition,
}

/// What a comment is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommentKind {
    Plain,
    Doc,
    ModuleDoc,
}

/// What is before a comment on its line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommentPosition {
    OwnLine,
    Trailing,
}

/// The `///` lines before a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocComment {
    /// Where the first of the lines starts, in the file.
    pub start: u32,
    /// The lines without slashes and one space, joined by line breaks.
    pub text: String,
}
