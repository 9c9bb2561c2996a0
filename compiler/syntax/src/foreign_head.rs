//! Words of other languages at the beginning of a declaration, `export async function f`, `class P`: read as what is written here
//! instead, so that what is declared is known all the same.

use crate::brackets::{after_prefix, starts_declaration};
use crate::parser::{Expected, ParseError, word_instead};
use crate::token::{Token, TokenKind, Word};

/// An item as it is meant, and what was wrong with its first words.
pub(crate) struct ForeignHead {
    pub(crate) tokens: Vec<Token>,
    /// Of the tokens as they are written.
    pub(crate) errors: Vec<ParseError>,
}

/// The item without the words of other languages before it, and with ours for the one that it begins with; `None` where it has no
/// such words or is no declaration even so.
pub(crate) fn replace(written: &[Token], text: &str) -> Option<ForeignHead> {
    let start = after_prefix(written, 0);
    let mut tokens = written[..start.min(written.len())].to_vec();
    let mut errors = Vec::new();
    let mut rest = start;
    while let Some(token) = written.get(rest)
        && token.kind == TokenKind::Identifier
        && let Some(ours) = text.get(token.span.start as usize..token.span.end as usize)
        && let Some(ours) = word_instead(ours)
    {
        errors.push(ParseError::unexpected(rest, Expected::DECLARATION));
        rest += 1;
        // What is imported is read without the tree of its item.
        let kind = TokenKind::keyword(ours).filter(|it| *it != TokenKind::Import);
        if let Some(kind) = kind {
            let word = Word::Other;
            tokens.push(Token {
                kind,
                word,
                ..*token
            });
            break;
        }
        if !ours.is_empty() {
            return None;
        }
    }
    tokens.extend_from_slice(written.get(rest..)?);
    let is_meant = !errors.is_empty() && start < tokens.len() && starts_declaration(&tokens, start);
    is_meant.then_some(ForeignHead { tokens, errors })
}
