//! Brackets that are never closed: which of them is meant, and what took its partner.

use gsw_source::{Code, Diagnostic};

use crate::parser::error::{ParseError, Scene, shortened};
use crate::token::{LineStart, Token, TokenKind};

impl Scene<'_> {
    /// The brace whose closing brace is missing, by the indentation of lines: inside an outer brace without partner,
    /// the last one whose partner is further left than the line that opens it.
    fn likely_unclosed(&self, open: Token) -> Token {
        if open.kind != TokenKind::BraceOpen {
            return open;
        }
        let first = self
            .tokens
            .partition_point(|token| token.span.start <= open.span.start);
        let is_further_left = |(index, token): &(usize, &Token)| {
            let partner = self.tokens.get(index + token.value as usize);
            token.kind == TokenKind::BraceOpen
                && token.is_matched()
                && partner.is_some_and(|partner| {
                    partner.line_start != LineStart::Inside
                        && self.indentation(*partner) < self.indentation(**token)
                })
        };
        let mut braces = self.tokens.iter().enumerate().skip(first);
        braces
            .rfind(is_further_left)
            .map_or(open, |(_, token)| *token)
    }

    /// How far the line of a token is moved in, in bytes.
    fn indentation(&self, token: Token) -> usize {
        let before = &self.text[..token.span.start as usize];
        let line = before.rfind('\n').map_or(0, |index| index + 1);
        let line = &self.text[line..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    pub(super) fn unclosed(&self, error: &ParseError, open: Token) -> Diagnostic {
        let mut index = error.index;
        // The end of a line is not what fails to continue a bracket, but the token after it.
        while self
            .tokens
            .get(index)
            .is_some_and(|token| token.kind == TokenKind::Newline)
        {
            index += 1;
        }
        let (found, span) = if index < self.tokens.len() {
            self.found(index)
        } else {
            match self.next_item {
                Some(span) => (format!("`{}`", shortened(self.source(span))), span),
                None => ("the end of the file".to_owned(), self.found(index).1),
            }
        };
        let open = self.likely_unclosed(open);
        let closer = open.kind.closer().map_or("", TokenKind::description);
        let opener = open.kind.description();
        let report = Diagnostic::error(
            Code::UNCLOSED_BRACKET,
            (self.place)(span),
            format!("expected {closer} before {found}"),
        )
        .label(
            (self.place)(open.span),
            format!("this {opener} is not closed"),
        );
        match self.is_in_comment(open) {
            true => report.note("`//` starts a comment, in which it stands; ints are divided with `/`, which rounds toward zero"),
            false => report,
        }
    }

    /// Whether the partner that a bracket lacks is in a comment behind code of its line: `(7 // 2)`.
    fn is_in_comment(&self, open: Token) -> bool {
        let Some(sign) = open.kind.closer().map(TokenKind::text) else {
            return false;
        };
        let rest = &self.text[open.span.end as usize..];
        let line = rest.split('\n').next().unwrap_or_default();
        let starts = open.span.end;
        let is_gap = |at: usize| {
            let at = starts as usize + at;
            let is_inside =
                |it: &Token| (it.span.start as usize..it.span.end as usize).contains(&at);
            !self.tokens.iter().any(is_inside)
        };
        line.match_indices("//")
            .find(|(at, _)| is_gap(*at))
            .is_some_and(|(at, _)| line[at..].contains(sign))
    }
}
