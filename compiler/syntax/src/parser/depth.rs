//! Keeps trees within a depth that every later pass can walk by recursion, and the parser within its stack.

use gsw_source::{Name, Span};

use crate::ast::{ChildMut, Expression, ExpressionKind, Item, children_mut, item_children_mut};
use crate::parser::error::{ParseError, Reason};
use crate::token::{Token, TokenKind, Word};

/// How deep a syntax tree may be.
pub(crate) const DEEPEST_TREE: u32 = 1_000;

/// The estimate up to which an item is parsed on the caller's stack; a guess with much room.
pub(crate) const PLAIN_STACK: usize = 16;

/// Stack for the deepest item that is let through, in a build without optimisation.
const LARGE_STACK: usize = 256 << 20;

/// How many levels of recursion parsing the tokens takes at most, in units that cost about the same.
pub(crate) fn estimate(tokens: &[Token]) -> usize {
    let mut levels: Vec<usize> = Vec::new();
    let mut current = 0;
    let mut deepest = 0;
    for token in tokens {
        let kind = token.kind;
        if kind.is_opener() {
            levels.push(current);
            current += 1;
        } else if kind.is_closer() {
            current = levels.pop().unwrap_or(0);
        } else if kind.is_separator() {
            current = levels.last().map_or(0, |level| level + 1);
        } else if recurses(*token) {
            current += 1;
        }
        deepest = deepest.max(current);
    }
    deepest
}

/// Whether the token starts a part that is parsed by recursion without a bracket.
fn recurses(token: Token) -> bool {
    matches!(
        token.kind,
        TokenKind::Minus
            | TokenKind::Not
            | TokenKind::Await
            | TokenKind::FatArrow
            | TokenKind::Arrow
            | TokenKind::Spawn
            | TokenKind::Fail
            | TokenKind::Return
            | TokenKind::Else
            | TokenKind::QuestionQuestion
    ) || matches!(
        token.word,
        Word::Emit | Word::Reflect | Word::Revise | Word::Detached | Word::By
    )
}

/// Runs `work` on a stack that is large enough for the deepest item.
pub(crate) fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    gsw_source::with_stack(LARGE_STACK, work)
}

/// Cuts off what is deeper than allowed and reports the first place where that was needed.
pub(crate) fn limit(item: &mut Item) -> Option<ParseError> {
    let mut error = None;
    let mut pending: Vec<(ChildMut<'_>, u32)> = Vec::new();
    pending.extend(item_children_mut(item).into_iter().map(|root| (root, 1)));
    while let Some((node, depth)) = pending.pop() {
        let (node, depth_inside) = match node {
            ChildMut::Expression(expression) if depth >= DEEPEST_TREE => {
                let span = expression.span;
                let cut = std::mem::replace(expression, invalid(span));
                dismantle(cut);
                error.get_or_insert(ParseError::because(
                    0,
                    Reason::TooDeep(Some(first_byte(span))),
                ));
                continue;
            }
            node @ ChildMut::Expression(_) => (node, depth + 1),
            // The expressions of a block are one level below the expression that it is part of.
            node @ ChildMut::Statement(_) => (node, depth),
            // The grammar itself bounds how deeply patterns and types nest.
            ChildMut::Pattern(_) | ChildMut::Type(_) | ChildMut::Name(_) => continue,
        };
        let inside = children_mut(node).into_iter();
        pending.extend(inside.map(|child| (child, depth_inside)));
    }
    error
}

fn first_byte(span: Span) -> Span {
    Span::new(span.start, span.end.min(span.start + 1))
}

fn invalid(span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Invalid,
        span,
    }
}

/// Drops an expression without recursion.
fn dismantle(expression: Expression) {
    let mut pending = vec![expression];
    while let Some(mut expression) = pending.pop() {
        let mut nodes = children_mut(ChildMut::Expression(&mut expression));
        while let Some(node) = nodes.pop() {
            match node {
                ChildMut::Expression(child) => {
                    let leaf = Expression {
                        kind: ExpressionKind::Name(Name::default()),
                        span: child.span,
                    };
                    pending.push(std::mem::replace(child, leaf));
                }
                statement @ ChildMut::Statement(_) => nodes.extend(children_mut(statement)),
                ChildMut::Pattern(_) | ChildMut::Type(_) | ChildMut::Name(_) => {}
            }
        }
    }
}
