//! Which brackets belong together.

use gsw_source::Span;
use gsw_syntax::lex;

/// The pairs of brackets of a text, strings with interpolations included, each as opener and closer; one without a partner is left out.
pub fn pairs(text: &str) -> Vec<(Span, Span)> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    for token in lex(text).tokens {
        if let Some(closer) = token.kind.closer() {
            open.push((token.span, closer));
        } else if token.kind.is_closer()
            // What is open inside of a pair has no partner.
            && let Some(at) = open.iter().rposition(|(_, closer)| *closer == token.kind)
        {
            found.push((open[at].0, token.span));
            open.truncate(at);
        }
    }
    found.sort();
    found
}
