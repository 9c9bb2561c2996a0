//! The tokens around the cursor: what is known where no tree can be made.

use gsw_syntax::{Token, TokenKind, Word};

/// The tokens of the file, and which of them is the marker.
pub struct Tokens<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    pub at: usize,
}

impl Tokens<'_> {
    pub fn text(&self, index: usize) -> &str {
        let span = self.tokens[index].span;
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    pub fn previous(&self) -> Option<Token> {
        self.at.checked_sub(1).map(|it| self.tokens[it])
    }

    pub fn starts_line(&self) -> bool {
        self.tokens[self.at].line_start != gsw_syntax::LineStart::Inside
    }

    /// Whether what stands before the marker has its line continue.
    pub fn is_continued(&self) -> bool {
        self.previous().is_some_and(|it| {
            matches!(
                it.kind,
                TokenKind::Arrow
                    | TokenKind::Equal
                    | TokenKind::FatArrow
                    | TokenKind::Comma
                    | TokenKind::Bang
                    | TokenKind::Pipe
                    | TokenKind::Dot
                    | TokenKind::Colon
            )
        })
    }

    pub fn is_after_dot(&self) -> bool {
        self.previous()
            .is_some_and(|it| matches!(it.kind, TokenKind::Dot | TokenKind::QuestionDot))
    }

    /// Whether a statement may begin at the marker.
    pub fn starts_statement(&self) -> bool {
        self.starts_line()
            || self.previous().is_none_or(|it| {
                matches!(
                    it.kind,
                    TokenKind::BraceOpen | TokenKind::Semicolon | TokenKind::FatArrow
                )
            })
    }

    /// How many brackets are open before the marker.
    pub fn depth(&self) -> usize {
        self.openers().len()
    }

    /// The brackets that are open before the marker, the outermost first.
    pub fn openers(&self) -> Vec<usize> {
        let mut open = Vec::new();
        for (index, token) in self.tokens[..self.at].iter().enumerate() {
            if token.kind.is_opener() {
                open.push(index);
            } else if token.kind.is_closer() {
                open.pop();
            }
        }
        open
    }

    /// The names before colons right inside of a bracket, without the one that is being written.
    pub fn named_in(&self, bracket: usize) -> Vec<String> {
        let mut depth = 0usize;
        let mut named = Vec::new();
        for (index, token) in self.tokens.iter().enumerate().skip(bracket + 1) {
            // What begins at the margin is no part of what was not closed.
            if token.line_start == gsw_syntax::LineStart::Margin {
                break;
            }
            if token.kind.is_opener() {
                depth += 1;
            } else if token.kind.is_closer() {
                match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => break,
                }
            } else if depth == 0 && token.kind == TokenKind::Colon && index != self.at + 1 {
                named.push(self.text(index - 1).to_owned());
            }
        }
        named
    }

    /// The tokens before the marker that are beside it, back to the beginning of its line or to the bracket around it; brackets are
    /// stepped over.
    pub fn line_before(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut depth = 0usize;
        let mut index = self.at;
        // A marker that begins a line continues the one above, if at all.
        while index > 0 {
            index -= 1;
            let token = self.tokens[index];
            if depth == 0 && (!token.kind.is_opener() || token.kind == TokenKind::StringOpen) {
                found.push(index);
            }
            if token.kind.is_closer() {
                depth += 1;
            } else if token.kind.is_opener() {
                match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => break,
                }
            }
            let ends = token.line_start != gsw_syntax::LineStart::Inside
                || token.kind == TokenKind::Semicolon;
            if depth == 0 && ends {
                break;
            }
        }
        found.reverse();
        found
    }
}

/// The words and marks of a line up to the marker, for the search for a head in it.
pub struct Line {
    pub kinds: Vec<(TokenKind, Word)>,
}

impl Line {
    pub fn new(tokens: &Tokens<'_>) -> Self {
        let line = tokens.line_before();
        let kinds = line.iter().map(|&it| {
            let token = tokens.tokens[it];
            (token.kind, token.word)
        });
        Self {
            kinds: kinds.collect(),
        }
    }
}
