//! Arms of a `match` and variants of an enum that all have the sign of another language, which is one mistake; and a `try` with its parts.

use gsw_source::Edit;

use crate::parser::error::{Expected, ParseError, Scene};
use crate::token::{LineStart, Token, TokenKind as Kind};

impl Scene<'_> {
    /// Whether it is about an arm with the arrow of another language, or about a variant with a value, as one in the same braces
    /// that was reported.
    pub(super) fn is_told(&mut self, error: &ParseError) -> bool {
        if self.handles_try(error) {
            return true;
        }
        let opener = self.arms_with_arrow(error);
        let opener = opener
            .or_else(|| self.variants_with_value(error))
            .or_else(|| self.variants_with_case(error))
            .or_else(|| self.variants_of_type(error));
        let Some(opener) = opener else {
            return false;
        };
        if self.told.contains(&opener) {
            return true;
        }
        self.told.push(opener);
        false
    }

    /// What puts our sign into all arms around a mistake; `None` where that is no arm with another arrow.
    pub(super) fn arrows_of_arms(&self, error: &ParseError) -> Option<Vec<Edit>> {
        let opener = self.arms_with_arrow(error)?;
        let mut edits = Vec::new();
        let mut has_sign = false;
        for (index, token) in self.tokens.iter().enumerate().skip(opener + 1) {
            if self.outline.opener(index) != Some(opener) {
                continue;
            }
            if matches!(token.kind, Kind::Newline | Kind::Comma) {
                has_sign = false;
            } else if token.kind == Kind::Arrow && !has_sign {
                edits.push(Edit {
                    place: (self.place)(token.span),
                    text: "=>".to_owned(),
                });
            }
            has_sign |= matches!(token.kind, Kind::FatArrow | Kind::Arrow);
        }
        Some(edits)
    }

    /// Whether it is on the line of an `except:` that belongs to the `try:` above it, which was reported.
    fn handles_try(&self, error: &ParseError) -> bool {
        let upto = self.tokens.get(..=error.index).unwrap_or_default();
        let line = upto
            .iter()
            .rposition(|it| it.line_start != LineStart::Inside);
        let (above, line) = upto.split_at(line.unwrap_or(0));
        let word = line.first().map(|it| self.source(it.span));
        let is_try =
            |pair: &[Token]| self.source(pair[0].span) == "try" && pair[1].kind == Kind::Colon;
        matches!(word, Some("except" | "finally")) && above.windows(2).any(is_try)
    }

    /// The braces of the enum one of whose variants has a value.
    fn variants_with_value(&self, error: &ParseError) -> Option<usize> {
        let token = self.tokens.get(error.index)?;
        let opener = self.outline.opener(error.index)?;
        let is_enum = self.outline.has_enum && !self.outline.has_brace_before(opener);
        (token.kind == Kind::Equal && is_enum).then_some(opener)
    }

    /// The braces of the `match` in one of whose arms `->` is in place of our sign.
    fn arms_with_arrow(&self, error: &ParseError) -> Option<usize> {
        let token = self.tokens.get(error.index)?;
        let is_arm = error.expected.has(Expected::token(Kind::FatArrow));
        (token.kind == Kind::Arrow && is_arm)
            .then(|| self.outline.opener(error.index))
            .flatten()
    }
}
