//! A slip in the word that a declaration begins with. It is read as the word that was meant, so that what is declared is known all
//! the same; `import` apart, since what a file imports is read without its tree, from the word itself.

use gsw_source::{Name, Span, Suggestion, nearest};

use crate::brackets::starts_declaration;
use crate::parser::{ParseError, Reason, is_word_of_declaration};
use crate::token::{LineStart, Token, TokenKind, Word};

/// The words that declarations begin with, and that a slip is read as.
const WORDS: [&str; 16] = [
    "agent",
    "const",
    "enum",
    "error",
    "external",
    "fn",
    "hook",
    "human",
    "mcp",
    "permissions",
    "prompt",
    "skill",
    "test",
    "tool",
    "type",
    "workflow",
];

/// The word whose slip is reported, and read as none.
const IMPORT: &str = "import";

/// Makes the first word of an item that is near to one of a declaration that word, where the rest of a declaration follows.
pub(crate) fn correct(tokens: &mut [Token], text: &str) -> Option<ParseError> {
    let skipped = tokens.iter().take_while(|it| it.kind == TokenKind::Private);
    let index = skipped.count();
    let token = *tokens.get(index)?;
    let next = *tokens.get(index + 1)?;
    let written = source(text, token.span)?;
    let is_slip = token.kind == TokenKind::Identifier
        && next.line_start == LineStart::Inside
        && !starts_declaration(tokens, index)
        && !WORDS.contains(&written)
        && !is_word_of_declaration(written);
    if !is_slip {
        return None;
    }
    if is_path(&tokens[index + 1..])
        && let Some(import) = slip_of_import(written)
    {
        let reason = Reason::Misspelt(IMPORT, import.applicability);
        return Some(ParseError::because(index, reason));
    }
    let words = WORDS.map(Name::new_static);
    let meant = nearest(written, &words)?;
    let word = WORDS.into_iter().find(|it| *it == meant.as_str())?;
    let corrected = Token {
        kind: TokenKind::keyword(word).unwrap_or(TokenKind::Identifier),
        word: match TokenKind::keyword(word) {
            Some(_) => Word::Other,
            None => Word::classify(word),
        },
        ..token
    };
    tokens[index] = corrected;
    if !starts_declaration(tokens, index) {
        tokens[index] = token;
        return None;
    }
    let reason = Reason::Misspelt(word, meant.applicability);
    Some(ParseError::because(index, reason))
}

/// `import` where a word that begins no declaration is a slip of it.
#[must_use]
pub fn slip_of_import(word: &str) -> Option<Suggestion> {
    let is_slip = word != IMPORT && !is_word_of_declaration(word);
    is_slip
        .then(|| nearest(word, &[Name::new_static(IMPORT)]))
        .flatten()
}

/// Whether tokens begin with the path of a module.
fn is_path(tokens: &[Token]) -> bool {
    let kinds: Vec<TokenKind> = tokens.iter().take(2).map(|it| it.kind).collect();
    matches!(
        kinds[..],
        [
            TokenKind::Identifier | TokenKind::Dot | TokenKind::DotDot,
            TokenKind::Slash
        ]
    )
}

fn source(text: &str, span: Span) -> Option<&str> {
    text.get(span.start as usize..span.end as usize)
}
