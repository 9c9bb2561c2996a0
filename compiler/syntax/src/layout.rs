//! Decides which line breaks end something and puts `Newline` tokens there, so that the grammar need not know lines.
//!
//! Only the innermost open bracket counts: line breaks mean nothing inside `( )`, `[ ]` and directly inside `${ }`.
//! A round or square bracket that is never closed counts as not there, so that one report is all it causes.

use std::ops::Range;

use gsw_source::Span;

use crate::ast::{AssignOperator, BinaryOperator, Chain, RangeEnd};
use crate::brackets::{Brackets, pair_brackets};
use crate::lexer::offset;
use crate::token::{LineStart, Token, TokenKind, Word};

/// The tokens of a file as the parser takes them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// With `Newline` tokens; a bracket's value is the distance to its partner.
    pub tokens: Vec<Token>,
    /// The tokens of each item.
    pub items: Vec<ItemTokens>,
}

/// The tokens of one item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemTokens {
    pub range: Range<usize>,
    /// The bracket that nests too deeply, when one does.
    pub too_deep: Option<Span>,
}

/// Lays out the tokens of the lexer.
#[must_use]
pub fn lay_out(tokens: &[Token]) -> Layout {
    let brackets = pair_brackets(tokens);
    let mut layout = Layout::default();
    layout.tokens.reserve(tokens.len() + tokens.len() / 4);
    for (number, first) in brackets.cuts.iter().enumerate() {
        let end = brackets
            .cuts
            .get(number + 1)
            .copied()
            .unwrap_or(tokens.len());
        let start = layout.tokens.len();
        lay_out_item(tokens, *first..end, &brackets, &mut layout.tokens);
        let too_deep = brackets
            .too_deep
            .iter()
            .find(|index| (*first..end).contains(*index))
            .map(|index| tokens[*index].span);
        layout.items.push(ItemTokens {
            range: start..layout.tokens.len(),
            too_deep,
        });
    }
    layout
}

fn lay_out_item(
    tokens: &[Token],
    range: Range<usize>,
    brackets: &Brackets,
    result: &mut Vec<Token>,
) {
    let first = range.start;
    // The new indices of open brackets, and whether line breaks mean something inside.
    let mut open: Vec<(usize, Lines)> = Vec::new();
    for index in range {
        let mut token = tokens[index];
        let partner = brackets.partners[index];
        let is_matched = partner != index;
        if token.kind.is_closer() && is_matched {
            // Unclosed braces inside end here too.
            while let Some((opener, _)) = open.pop() {
                let kind = result[opener].kind;
                if kind.closer() == Some(token.kind) && result[opener].value != 0 {
                    let distance = offset(result.len() - opener);
                    result[opener].value = distance;
                    token.value = distance;
                    break;
                }
            }
        } else if token.kind.is_closer() {
            token.value = 0;
        }
        let lines = open.last().map_or(Lines::Separate, |(_, lines)| *lines);
        if index > first
            && token.line_start != LineStart::Inside
            && lines == Lines::Separate
            && !(token.kind.is_closer() && is_matched)
            && is_separated(&tokens[..index], token, tokens.get(index + 1))
        {
            let end = tokens[index - 1].span.end;
            result.push(Token {
                kind: TokenKind::Newline,
                word: Word::Other,
                line_start: LineStart::Inside,
                value: 0,
                span: Span::new(end, end),
            });
        }
        if token.kind.is_opener() {
            // A value that is not 0 marks the bracket as one that will be closed.
            token.value = u32::from(is_matched);
            if token.kind == TokenKind::BraceOpen {
                open.push((result.len(), Lines::Separate));
            } else if is_matched {
                open.push((result.len(), Lines::Ignored));
            }
        }
        result.push(token);
    }
}

/// What line breaks do inside a bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Separate,
    Ignored,
}

fn is_separated(before: &[Token], token: Token, next: Option<&Token>) -> bool {
    let mut before = before.iter().rev().map(|it| it.kind);
    let Some(previous) = before.next() else {
        return false;
    };
    // In `accounts.*` it is no operator.
    let is_name = previous == TokenKind::Star && before.next() == Some(TokenKind::Dot);
    let precedes = |kind| next.is_some_and(|it| it.kind == kind);
    // A field may have any word for a name: `in: [string]` continues nothing.
    let is_named = precedes(TokenKind::Colon);
    // `not` alone begins a value.
    let is_not_in = token.kind == TokenKind::Not && precedes(TokenKind::In);
    let continues = continues_before(token.kind) || is_not_in;
    (is_name || !continues_after(previous))
        && !previous.is_opener()
        && (is_named || !continues)
        && !matches!(previous, TokenKind::Semicolon)
}

/// Whether a line break after this token ends nothing.
///
/// `>` may close `Task<int>`, so the grammar itself takes a line break after it as an operator.
#[must_use]
pub fn continues_after(kind: TokenKind) -> bool {
    let is_operator = BinaryOperator::of_token(kind).is_some() && kind != TokenKind::Greater;
    let is_assignment = AssignOperator::of_token(kind).is_some();
    let is_range = RangeEnd::of_token(kind).is_some();
    is_operator
        || is_assignment
        || is_range
        || matches!(
            kind,
            TokenKind::Comma
                | TokenKind::FatArrow
                | TokenKind::Arrow
                | TokenKind::Colon
                | TokenKind::Not
                | TokenKind::As
                | TokenKind::Pipe
                | TokenKind::Bang
                | TokenKind::Else
                | TokenKind::Catch
        )
}

/// Whether a line break before this token ends nothing.
#[must_use]
pub fn continues_before(kind: TokenKind) -> bool {
    let is_operator = BinaryOperator::of_token(kind).is_some_and(BinaryOperator::may_start_line);
    let is_dot = Chain::of_token(kind).is_some();
    is_operator
        || is_dot
        || matches!(
            kind,
            TokenKind::Catch
                | TokenKind::Else
                | TokenKind::Pipe
                | TokenKind::Comma
                | TokenKind::Semicolon
        )
}
