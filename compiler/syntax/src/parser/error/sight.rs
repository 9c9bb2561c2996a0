//! What is around a token that is not allowed where it is.

use gsw_source::Span;

use crate::parser::error::Expected;
use crate::parser::error::outline::Outline;
use crate::token::{Token, TokenKind, Word};

/// A mistake in its surroundings.
#[derive(Clone, Copy)]
pub(super) struct Sight<'tokens> {
    /// The tokens of the item.
    pub(super) tokens: &'tokens [Token],
    pub(super) outline: &'tokens Outline,
    /// The token that is not allowed there, and where among them it is.
    pub(super) token: Token,
    pub(super) index: usize,
    /// What the parser would have accepted there.
    pub(super) expected: Expected,
}

impl Sight<'_> {
    /// The token this many places before.
    pub(super) fn before(&self, count: usize) -> Option<Token> {
        let index = self.index.checked_sub(count)?;
        self.tokens.get(index).copied()
    }

    /// Whether the token so many places before is of that kind.
    pub(super) fn follows(&self, count: usize, kind: TokenKind) -> bool {
        self.before(count).is_some_and(|it| it.kind == kind)
    }

    /// The token this many places after.
    pub(super) fn after(&self, count: usize) -> Option<Token> {
        self.tokens.get(self.index + count).copied()
    }

    /// Whether the token after is of that kind.
    pub(super) fn precedes(&self, kind: TokenKind) -> bool {
        self.after(1).is_some_and(|it| it.kind == kind)
    }

    /// Whether nothing is between the token and the one before.
    pub(super) fn is_joined(&self) -> bool {
        let before = self.before(1);
        before.is_some_and(|it| it.span.end == self.token.span.start)
    }

    /// Whether one of these things was possible there.
    pub(super) fn expects(&self, expected: Expected) -> bool {
        self.expected.has(expected)
    }

    /// Whether a token of that kind was possible there.
    pub(super) fn expects_token(&self, kind: TokenKind) -> bool {
        self.expected.has(Expected::token(kind))
    }

    /// Whether nothing but a token of that kind was possible there.
    pub(super) fn expects_only(&self, kind: TokenKind) -> bool {
        self.expected == Expected::token(kind)
    }

    /// Whether what is before is an expression in a statement or in brackets, which could end there.
    pub(super) fn ends_operand(&self) -> bool {
        self.expects(Expected::END_OF_STATEMENT)
            || self.expects_token(TokenKind::ParenClose)
            || self.expects_token(TokenKind::BracketClose)
            || self.expects_token(TokenKind::Comma)
    }

    /// The innermost bracket that is open before `index`.
    pub(super) fn opener(&self, index: usize) -> Option<usize> {
        self.outline.opener(index)
    }

    /// Whether what is before is the name of something that is declared with parameters.
    pub(super) fn follows_name_of_function(&self) -> bool {
        let is_second = |it: &Token| {
            it.kind == TokenKind::Fn
                || it.kind == TokenKind::Workflow
                || matches!(
                    it.word,
                    Word::Prompt | Word::Tool | Word::Human | Word::External
                )
        };
        let before = self.tokens.get(..self.index.saturating_sub(1));
        let has_brackets = before.is_some_and(|it| it.iter().any(|it| it.kind.is_opener()));
        let begins = before.is_some_and(|it| it.iter().any(is_second));
        begins && !has_brackets && self.before(1).is_some_and(|it| it.is_word())
    }

    /// Whether the token is among the arguments of a call.
    pub(super) fn is_argument(&self) -> bool {
        let opener = self.opener(self.index);
        let Some(opener) = opener.filter(|it| self.tokens[*it].kind == TokenKind::ParenOpen) else {
            return false;
        };
        let callee = opener.checked_sub(1).and_then(|it| self.tokens.get(it));
        callee.is_some_and(|it| {
            it.is_word() || matches!(it.kind, TokenKind::ParenClose | TokenKind::BracketClose)
        })
    }

    /// Whether the token begins what is in the brackets after a value: `xs[..2]`.
    pub(super) fn is_index(&self) -> bool {
        self.follows(1, TokenKind::BracketOpen)
            && self.before(2).is_some_and(|it| {
                it.is_word() || matches!(it.kind, TokenKind::ParenClose | TokenKind::BracketClose)
            })
    }

    /// Whether the token before is the name of a type after `:` or `->`.
    pub(super) fn follows_type_name(&self) -> bool {
        self.follows(1, TokenKind::Identifier)
            && (self.follows(2, TokenKind::Colon) || self.follows(2, TokenKind::Arrow))
    }

    /// Whether the innermost bracket is of that kind and begins a type after `:` or `->`.
    pub(super) fn follows_part_of_type(&self, kind: TokenKind) -> bool {
        let opener = self.opener(self.index);
        let Some(opener) = opener.filter(|it| self.tokens[*it].kind == kind) else {
            return false;
        };
        // In a list of them, `[{name: string, age: int}]`, its bracket stands between.
        let mut before = self.tokens[..opener].iter().rev();
        let before = before.find(|it| it.kind != TokenKind::BracketOpen);
        before.is_some_and(|it| matches!(it.kind, TokenKind::Colon | TokenKind::Arrow))
    }

    /// Whether the token before may be the key of a map.
    pub(super) fn is_key(&self) -> bool {
        self.follows(1, TokenKind::String) || self.follows(1, TokenKind::Int)
    }

    /// Whether the token is among the errors of a signature.
    pub(super) fn is_among_errors(&self) -> bool {
        let before = self.tokens[..self.index.min(self.tokens.len())].iter();
        let mut before = before.rev().skip_while(|it| {
            matches!(
                it.kind,
                TokenKind::Identifier | TokenKind::Pipe | TokenKind::Dot
            )
        });
        before.next().is_some_and(|it| it.kind == TokenKind::Bang)
    }

    /// Whether a token of the same line before, outside of brackets, is meant.
    pub(super) fn is_in_head(&self, is_meant: fn(&Token) -> bool) -> bool {
        let mut depth = 0;
        let before = self.tokens[..self.index.min(self.tokens.len())].iter();
        let own = before.rev().take_while(|it| {
            depth += i32::from(it.kind.is_closer()) - i32::from(it.kind.is_opener());
            depth >= 0 && (depth > 0 || it.kind != TokenKind::Newline)
        });
        own.into_iter().any(is_meant)
    }

    /// Whether what is before is in parentheses, in place of a type of a signature or of a field.
    pub(super) fn follows_parameters_of_type(&self) -> bool {
        let opener = self
            .follows(1, TokenKind::ParenClose)
            .then(|| self.opener(self.index - 1))
            .flatten();
        let before = opener.and_then(|it| self.tokens.get(it.checked_sub(1)?));
        let has_types = self.outline.has_type || !self.outline.has_brace_before(self.index);
        has_types && before.is_some_and(|it| matches!(it.kind, TokenKind::Colon | TokenKind::Arrow))
    }

    /// Whether the innermost braces follow the `=` of a declared type.
    pub(super) fn is_in_aliased_braces(&self) -> bool {
        let opener = self.opener(self.index);
        let before = opener.and_then(|it| self.tokens.get(it.checked_sub(1)?));
        self.outline.has_type && before.is_some_and(|it| it.kind == TokenKind::Equal)
    }

    /// From the end of the token before to the end of the token.
    pub(super) fn span_with_gap(&self) -> Span {
        let start = self
            .before(1)
            .map_or(self.token.span.start, |it| it.span.end);
        Span::new(start, self.token.span.end)
    }
}
