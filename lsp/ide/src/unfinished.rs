//! What a half-typed line may become, so that the compiler's own tree says what is at the cursor.
//!
//! While a line is typed, most texts do not parse: a call is not closed, the block after a head is not there, an arm has no
//! body yet. The parser keeps no tree of such a statement, and without one it is unknown that `b` before the dot is a record,
//! or that a type is wanted. So what may be missing is put in after the line of the cursor: brackets that nothing closes, a
//! body, a value. Of the texts that come of it the one with the fewest mistakes is taken, of equals the one with the least put
//! in; where the text parses as it is, that.

use gsw_syntax::{LineStart, Token, TokenKind, item_range, lex, mistakes};

/// What may be missing after a line whose brackets are closed: the comma of an element, bodies of arms, blocks and
/// declarations, values.
const ENDS: [&str; 10] = [
    ",",
    " => 0",
    " {}",
    " = 0",
    " -> 0",
    "(..) -> 0",
    " {",
    " -> int {",
    " -> int {}",
    ": 0",
];

/// The most bytes that are parsed for one question: an editor waits for the answer, and a long item, or one with brackets without
/// end, would otherwise be tried for seconds. A guess.
const WORK: usize = 256 * 1024;

/// `text` with what is missing around byte `at`, which is the end of the cursor's word.
pub fn finished(text: String, at: usize) -> String {
    let item = item_range(&text, at);
    let whole = mistakes(&text[item.clone()]);
    if whole == 0 || at < item.start {
        return text;
    }
    let (before, after) = (&text[item.start..at], &text[at..item.end]);
    let end = end_of_line(&text[item.clone()], before.len());
    let (rest, below) = after.split_at(end - before.len());
    let mut best = Best {
        wrong: whole,
        text: None,
        work: WORK,
    };
    if let Some(hole) = open_interpolation(before) {
        let closed = [before, &closers(&open_brackets(hole)).concat(), "}"].concat();
        best.consider([closed.as_str(), rest, below].concat());
        best.fill(&[closed.as_str(), "\""].concat(), rest, below);
    }
    best.fill(before, rest, below);
    if best.wrong > 0 {
        // A head whose body is complete, but for its brackets.
        best.consider([before, rest.trim_end(), " {", below, "\n}"].concat());
    }
    match best.text {
        Some(tried) => [&text[..item.start], &tried, &text[item.end..]].concat(),
        None => text,
    }
}

/// The best text so far, and how many bytes may still be parsed.
struct Best {
    wrong: usize,
    text: Option<String>,
    work: usize,
}

impl Best {
    /// Tries what may be missing between `before`, which ends at the cursor, the rest of its line, and what is below.
    fn fill(&mut self, before: &str, rest: &str, below: &str) {
        let after = [rest, below].concat();
        for put_in in insertions(&missing_closers(before, &after)) {
            if self.wrong == 0 || self.work == 0 {
                break;
            }
            self.consider([before, rest.trim_end(), &put_in, below].concat());
            // Where something follows the cursor, the line may be meant to continue before that.
            if self.wrong > 0 && !rest.trim().is_empty() {
                self.consider([before, &put_in, rest, below].concat());
            }
        }
    }

    fn consider(&mut self, tried: String) {
        if self.work == 0 {
            return;
        }
        self.work = self.work.saturating_sub(tried.len());
        let wrong = mistakes(&tried);
        if wrong < self.wrong {
            self.wrong = wrong;
            self.text = Some(tried);
        }
    }
}

/// What may be put in, one at a time: the first of these brackets, an end, and the others after it. The least first.
fn insertions(closers: &[&str]) -> impl Iterator<Item = String> {
    let closed = |count: usize| closers[..count].concat();
    let alone = (1..=closers.len()).map(closed);
    let with_end = ENDS.iter().flat_map(move |end| {
        (0..=closers.len())
            .map(move |count| [&closed(count), *end, &closers[count..].concat()].concat())
    });
    alone.chain(with_end)
}

/// What stands in the last `${` of the line when the line has not closed it: the string around it is none to the lexer.
fn open_interpolation(before: &str) -> Option<&str> {
    let line = before.rfind('\n').map_or(before, |it| &before[it..]);
    let (_, hole) = line.rsplit_once("${")?;
    let mut depth = 0usize;
    for token in lex(hole).tokens {
        if token.kind.is_opener() {
            depth += 1;
        } else if token.kind.is_closer() {
            depth = depth.checked_sub(1)?;
        }
    }
    Some(hole)
}

/// The end of the line of byte `at`, or the start of the comment at its end.
fn end_of_line(text: &str, at: usize) -> usize {
    let line = text[at..].find('\n').map_or(text.len(), |it| at + it);
    let comments = lex(text).comments;
    let mut starts = comments.iter().map(|it| it.span.start as usize);
    starts.find(|it| (at..line).contains(it)).unwrap_or(line)
}

/// What closes the brackets before the cursor that nothing after it closes, the innermost first.
fn missing_closers(before: &str, after: &str) -> Vec<&'static str> {
    let open = open_brackets(before);
    // How many were opened after the cursor.
    let mut inner = 0usize;
    for token in lex(after).tokens {
        if token.kind.is_opener() {
            inner += 1;
        } else if token.kind.is_closer() {
            match inner.checked_sub(1) {
                Some(outer) => inner = outer,
                // What is deeper than what this closes is closed by nothing.
                None => {
                    let closed = closed_by(&open, token.kind, indentation_of(after, token));
                    return closers(&open[closed.map_or(0, |it| it + 1)..]);
                }
            }
        }
    }
    closers(&open)
}

/// The brackets that a text opens and does not close, the outermost first.
fn open_brackets(text: &str) -> Vec<Open> {
    let mut open: Vec<Open> = Vec::new();
    let mut indentation = 0;
    for token in lex(text).tokens {
        indentation = indentation_of(text, token).unwrap_or(indentation);
        if let Some(closer) = token.kind.closer() {
            open.push(Open {
                closer,
                indentation,
            });
        } else if token.kind.is_closer() {
            open.pop();
        }
    }
    open
}

/// A bracket before the cursor that is open there.
struct Open {
    closer: TokenKind,
    /// Of the line that it is on.
    indentation: usize,
}

/// Which of these a bracket closes. At the beginning of a line it closes what was opened on a line that is indented as much.
fn closed_by(open: &[Open], closer: TokenKind, indentation: Option<usize>) -> Option<usize> {
    open.iter().rposition(|it| {
        let is_beside = indentation.is_none_or(|own| it.indentation <= own);
        it.closer == closer && is_beside
    })
}

/// How far the line is indented that a token begins.
fn indentation_of(text: &str, token: Token) -> Option<usize> {
    if token.line_start == LineStart::Inside {
        return None;
    }
    let before = text.get(..token.span.start as usize)?;
    Some(before.len() - before.trim_end_matches([' ', '\t']).len())
}

/// What closes brackets, and strings with something in them.
const CLOSERS: [(TokenKind, &str); 5] = [
    (TokenKind::ParenClose, ")"),
    (TokenKind::BracketClose, "]"),
    (TokenKind::BraceClose, "}"),
    (TokenKind::InterpolationClose, "}"),
    (TokenKind::StringClose, "\""),
];

fn closers(open: &[Open]) -> Vec<&'static str> {
    let text = |it: &Open| {
        let mut known = CLOSERS.iter();
        known.find(|(kind, _)| *kind == it.closer).map(|it| it.1)
    };
    open.iter().rev().filter_map(text).collect()
}
