//! What the report of a mistake asks of the whole item, found in one pass: an item may hold as many mistakes as lines.

use crate::token::{Token, TokenKind, Word};

/// What is at each place among the tokens of an item that has mistakes.
pub(super) struct Outline {
    /// For each token the innermost bracket that is open before it.
    openers: Vec<Option<u32>>,
    /// The first brace that opens.
    first_brace: Option<usize>,
    /// The first `fn`, `workflow` or `tool`.
    first_function: Option<usize>,
    /// Whether it declares a record or another name of a type.
    pub(super) has_type: bool,
    pub(super) has_enum: bool,
    pub(super) has_tool: bool,
}

impl Outline {
    pub(super) fn new(tokens: &[Token]) -> Self {
        let mut open = Vec::new();
        let mut openers = Vec::with_capacity(tokens.len());
        // A file has no more than 4 GiB.
        for (token, index) in tokens.iter().zip(0u32..) {
            openers.push(open.last().copied());
            if token.kind.is_opener() {
                open.push(index);
            } else if token.kind.is_closer() {
                open.pop();
            }
        }
        let has = |kind| tokens.iter().any(|it| it.kind == kind);
        Self {
            openers,
            first_brace: tokens.iter().position(|it| it.kind == TokenKind::BraceOpen),
            first_function: tokens.iter().position(|it| {
                matches!(it.kind, TokenKind::Fn | TokenKind::Workflow) || it.word == Word::Tool
            }),
            has_type: has(TokenKind::Type),
            has_enum: has(TokenKind::Enum),
            has_tool: tokens.iter().any(|it| it.word == Word::Tool),
        }
    }

    /// The innermost bracket that is open before the token.
    pub(super) fn opener(&self, index: usize) -> Option<usize> {
        let opener = self.openers.get(index).copied().flatten()?;
        usize::try_from(opener).ok()
    }

    /// Whether a brace opens before the token.
    pub(super) fn has_brace_before(&self, index: usize) -> bool {
        self.first_brace.is_some_and(|it| it < index)
    }

    /// Whether the token follows the word that declares a function, a workflow or a tool.
    pub(super) fn has_function_before(&self, index: usize) -> bool {
        self.first_function.is_some_and(|it| it < index)
    }
}
