//! Signs of other languages where they are not allowed, and what is written here instead.

mod declarations;
mod forms;
mod heads;
mod idioms;
mod particular;
mod signatures;
mod table;

use gsw_source::Span;

use crate::parser::error::sight::Sight;
use crate::token::TokenKind as Kind;

/// A sign that is not allowed where it is.
pub(super) struct Sign {
    /// Its kinds; empty for whatever is not allowed there.
    kinds: &'static [Kind],
    /// Whether it is meant where it is.
    is_meant: fn(&Sight<'_>) -> bool,
    pub(super) sentence: &'static str,
    edit: Edit,
}

/// What replaces a sign, where that is certain.
enum Edit {
    None,
    /// The text replaces the sign.
    Sign(&'static str),
    /// The text replaces the sign and the one after it.
    Both(&'static str),
    /// The text precedes the sign.
    Before(&'static str),
    /// The text follows the token before directly.
    Close(&'static str),
    /// The text follows the token before, and the sign stays.
    After(&'static str),
    /// The token before is left out.
    RemoveBefore,
    /// The sign and the token before are left out.
    RemoveWithBefore,
    /// The text replaces the sign and the token before.
    WithBefore(&'static str),
}

impl Sign {
    /// What an edit replaces, and by what.
    pub(super) fn fix(&self, sight: &Sight<'_>) -> Option<(Span, &'static str)> {
        let span = sight.token.span;
        match self.edit {
            Edit::None => None,
            Edit::Sign(text) => Some((span, text)),
            Edit::Both(text) => Some((Span::new(span.start, sight.after(1)?.span.end), text)),
            Edit::Before(text) => Some((Span::new(span.start, span.start), text)),
            Edit::Close(text) => Some((sight.span_with_gap(), text)),
            Edit::After(text) => {
                let end = sight.before(1)?.span.end;
                Some((Span::new(end, end), text))
            }
            Edit::RemoveBefore => Some((sight.before(1)?.span, "")),
            Edit::RemoveWithBefore => Some((sight.before(1)?.span.to(span), "")),
            Edit::WithBefore(text) => Some((sight.before(1)?.span.to(span), text)),
        }
    }
}

/// A sign whose surroundings leave no doubt.
pub(super) fn find_particular(sight: &Sight<'_>) -> Option<&'static Sign> {
    find_in(idioms::IDIOMS, sight)
        .or_else(|| find_in(forms::FORMS, sight))
        .or_else(|| find_in(heads::HEADS, sight))
        .or_else(|| find_in(particular::PARTICULAR, sight))
}

/// The sign that is meant.
pub(super) fn find(sight: &Sight<'_>) -> Option<&'static Sign> {
    find_in(declarations::DECLARATIONS, sight)
        .or_else(|| find_in(signatures::SIGNATURES, sight))
        .or_else(|| find_in(table::SIGNS, sight))
        .or_else(|| find_in(declarations::BODIES, sight))
}

fn find_in(table: &'static [Sign], sight: &Sight<'_>) -> Option<&'static Sign> {
    let is_kind = |it: &Sign| it.kinds.is_empty() || it.kinds.contains(&sight.token.kind);
    table.iter().find(|it| is_kind(it) && (it.is_meant)(sight))
}

const fn sign(
    kinds: &'static [Kind],
    is_meant: fn(&Sight<'_>) -> bool,
    sentence: &'static str,
    edit: Edit,
) -> Sign {
    Sign {
        kinds,
        is_meant,
        sentence,
        edit,
    }
}
