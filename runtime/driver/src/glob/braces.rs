//! Braces in patterns: `*.{pdf,txt}` is `*.pdf` or `*.txt`.
//!
//! As in shells, braces without a comma stand for themselves, and so does what is in `[…]`; they may nest.

use super::Unfit;

/// The most patterns that one part may stand for; a guess at more than anybody lists.
const MOST: usize = 1_000;
/// A longer text is the name of nothing, and has no choices.
const LONGEST: usize = 4_096;

/// Braces with what they choose from, all as places in a text.
struct Choice {
    open: usize,
    /// The commas that belong to it.
    commas: Vec<usize>,
    close: usize,
}

/// Whether a text has braces that choose.
pub(super) fn has_choice(text: &str) -> bool {
    first(text).is_some()
}

/// Refuses braces that choose between parts of a path instead of parts of a name.
pub(super) fn check(pattern: &str) -> Result<(), Unfit> {
    match outermost(pattern).any(|it| pattern[it.open..it.close].contains('/')) {
        true => Err(Unfit::SlashInBraces),
        false => Ok(()),
    }
}

/// The texts without choices that a text stands for.
pub(super) fn alternatives(text: &str) -> Result<Vec<String>, Unfit> {
    let mut waiting = vec![text.to_owned()];
    let mut all = Vec::new();
    while let Some(text) = waiting.pop() {
        let Some(Choice {
            open,
            commas,
            close,
        }) = first(&text)
        else {
            all.push(text);
            continue;
        };
        if waiting.len() + all.len() + commas.len() >= MOST {
            return Err(Unfit::TooManyInBraces);
        }
        let begins = std::iter::once(open).chain(commas.iter().copied());
        let ends = commas.iter().copied().chain([close]);
        for (begin, end) in begins.zip(ends) {
            let (before, chosen, after) =
                (&text[..open], &text[begin + 1..end], &text[close + 1..]);
            waiting.push(format!("{before}{chosen}{after}"));
        }
    }
    Ok(all)
}

/// The first braces that choose, those around others before these.
fn first(text: &str) -> Option<Choice> {
    match text.len() > LONGEST {
        true => None,
        false => outermost(text).next(),
    }
}

/// The braces that choose and are in no others that do.
fn outermost(text: &str) -> impl Iterator<Item = Choice> {
    // Those that are open, with their commas.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Vec<Choice> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'[' => at = end_of_class(text, at),
            b'{' => open.push((at, Vec::new())),
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => {
                if let Some((begin, commas)) = open.pop()
                    && !commas.is_empty()
                {
                    while found.last().is_some_and(|it| it.open > begin) {
                        found.pop();
                    }
                    found.push(Choice {
                        open: begin,
                        commas,
                        close: at,
                    });
                }
            }
            _ => {}
        }
        at += 1;
    }
    found.into_iter()
}

/// Where a `[…]` ends that begins at a place; the place itself where it has no end.
fn end_of_class(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    // `]` as the first of its characters stands for itself.
    let first = match bytes.get(at + 1) {
        Some(b'!') => at + 2,
        Some(_) | None => at + 1,
    };
    let rest = bytes.get(first + 1..).unwrap_or_default();
    let end = rest.iter().position(|it| *it == b']');
    end.map_or(at, |it| first + 1 + it)
}

#[cfg(test)]
mod tests {
    use super::{Unfit, alternatives, check};

    fn of(text: &str) -> Vec<String> {
        let mut all = alternatives(text).expect("it is searched for");
        all.sort();
        all
    }

    #[test]
    fn braces_choose_between_parts_of_a_name() {
        assert_eq!(of("*.{pdf,txt}"), ["*.pdf", "*.txt"]);
        assert_eq!(of("{a,b}-{1,2}"), ["a-1", "a-2", "b-1", "b-2"]);
        assert_eq!(of("a{,.bak}"), ["a", "a.bak"]);
        assert_eq!(of("{a,{b,c}d}e"), ["ae", "bde", "cde"]);
        assert_eq!(of("{x{a,b}}"), ["{xa}", "{xb}"]);
        for plain in [
            "a{b}c", "{", "}", "a{b,c", "a}b,c{", "[{]a,b}", "[]{,}]", "ü{ö}", "{}",
        ] {
            assert_eq!(of(plain), [plain]);
        }
    }

    #[test]
    fn what_cannot_be_searched_for_is_refused() {
        assert!(matches!(check("{a/b,c}"), Err(Unfit::SlashInBraces)));
        assert!(matches!(check("x/{a,{b/c,d}}"), Err(Unfit::SlashInBraces)));
        assert!(check("{a,b}/{c,d}").is_ok() && check("a{b/c}").is_ok());
        let many = "{a,b}".repeat(12);
        assert!(matches!(alternatives(&many), Err(Unfit::TooManyInBraces)));
    }
}
