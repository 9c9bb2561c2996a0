//! A value in a sentence or after a label that says nothing but that this is the answer: `Final answer: 42`, `I say it is high`.
//!
//! The lists are closed. People deny, doubt and quote in more ways than anybody can list, so a sentence with any other word in it is
//! not read at all.

use super::word::{plain, undressed};

/// A value and what is around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Framed<'t> {
    pub before: &'t str,
    pub value: &'t str,
    pub after: &'t str,
}

/// What an answer is called.
const LABELS: &[&str] = &[
    "answer",
    "assessment",
    "category",
    "choice",
    "class",
    "classification",
    "conclusion",
    "count",
    "decision",
    "duration",
    "emotion",
    "final",
    "grade",
    "intent",
    "judgement",
    "judgment",
    "kind",
    "label",
    "language",
    "level",
    "mood",
    "number",
    "option",
    "output",
    "prediction",
    "priority",
    "rating",
    "response",
    "result",
    "score",
    "selection",
    "sentiment",
    "severity",
    "status",
    "sum",
    "tag",
    "tone",
    "topic",
    "total",
    "type",
    "urgency",
    "value",
    "verdict",
];

/// Words after which the answer may come.
const LINKS: &[&str] = &[
    "=", "as", "be", "believe", "choose", "is", "it's", "pick", "say", "select", "think",
];

const ARTICLES: &[&str] = &["a", "an", "the"];

/// Other words that may come before an answer without a change of its meaning: its speaker and its subject.
const OTHERS: &[&str] = &[
    "article",
    "best",
    "bug",
    "categorize",
    "certainly",
    "chosen",
    "classified",
    "classify",
    "comment",
    "correct",
    "document",
    "email",
    "here",
    "here's",
    "i",
    "i'd",
    "i'll",
    "issue",
    "it",
    "message",
    "my",
    "of",
    "ok",
    "okay",
    "our",
    "overall",
    "post",
    "predicted",
    "rate",
    "request",
    "review",
    "right",
    "sentence",
    "so",
    "sure",
    "text",
    "that",
    "therefore",
    "this",
    "ticket",
    "tweet",
    "would",
];

/// Words that may come after an answer.
const TAILS: &[&[&str]] = &[
    &["i", "think"],
    &["i", "believe"],
    &["i", "would", "say"],
    &["i'd", "say"],
];

/// A longer text is no sentence around one value.
const LONGEST: usize = 200;

/// The values that a text may be a sentence or a label with, where no allowed word is in what is around it.
pub(crate) fn framed<'t>(text: &'t str, allowed: &[String]) -> Vec<Framed<'t>> {
    let text = undressed(text);
    if text.len() > LONGEST {
        return Vec::new();
    }
    let pieces = pieces(text);
    let (end, tail) = tail(text, &pieces);
    let allowed: Vec<String> = allowed.iter().map(|it| plain(it)).collect();
    let mut frames = Vec::new();
    let mut may_end = tail < pieces.len();
    for (index, piece) in pieces[..tail].iter().enumerate() {
        if may_end {
            frames.push(Framed {
                before: text[..piece.start].trim(),
                value: undressed(&text[piece.start..end]),
                after: text[end..].trim_start_matches(is_break),
            });
        }
        // The first word is no value when nothing is around it.
        may_end = match goes_on(piece, may_end && index > 0) {
            Some(may_end) if !allowed.contains(&piece.plain) => may_end,
            Some(_) | None => break,
        };
    }
    if pieces[tail..].iter().any(|it| allowed.contains(&it.plain)) {
        frames.clear();
    }
    frames
}

/// A value between tags that are called like an answer: `<answer>42</answer>`.
pub(crate) fn tagged<'t>(text: &'t str, allowed: &[String]) -> Option<Framed<'t>> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let value = rest.strip_suffix(&format!("</{name}>"))?;
    let is_label = name.split(['_', '-']).all(|it| {
        let plain = plain(it);
        LABELS.contains(&plain.as_str()) && !allowed.iter().any(|it| self::plain(it) == plain)
    });
    is_label.then(|| Framed {
        before: &text[..name.len() + 2],
        value: undressed(value),
        after: &text[text.len() - name.len() - 3..],
    })
}

/// A word of a sentence.
struct Piece {
    start: usize,
    end: usize,
    plain: String,
    mark: Option<char>,
}

/// The words of a text; a colon ends one even without a blank.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, it) in text.char_indices() {
        let end = at + if it == ':' { 1 } else { 0 };
        if it == ':' || it.is_whitespace() {
            pieces.extend(piece(text, start, end));
            start = at + it.len_utf8();
        }
    }
    pieces.extend(piece(text, start, text.len()));
    pieces
}

fn piece(text: &str, start: usize, end: usize) -> Option<Piece> {
    let word = &text[start..end];
    if word.is_empty() {
        return None;
    }
    // Emphasis may begin or end anywhere in a sentence.
    let is_emphasis = |it: char| it == '*' || it == '_';
    let word = word.trim_matches(is_emphasis);
    let (word, mark) = match word.chars().next_back() {
        Some(it @ (':' | ',' | '.' | '!')) => (&word[..word.len() - 1], Some(it)),
        Some(_) | None => (word, None),
    };
    Some(Piece {
        start,
        end,
        plain: plain(word.trim_matches(is_emphasis)),
        mark,
    })
}

/// Whether the sentence may continue with a value after this word, which may precede one; `None` where it may not.
fn goes_on(piece: &Piece, was_link: bool) -> Option<bool> {
    let word = piece.plain.as_str();
    let is_link = LINKS.contains(&word);
    let is_label = LABELS.contains(&word);
    let is_article = ARTICLES.contains(&word);
    // Emphasis on its own.
    if word.is_empty() {
        return piece.mark.is_none().then_some(was_link);
    }
    match piece.mark {
        Some(':') => (is_link || is_label).then_some(true),
        Some('.' | '!') => matches!(word, "sure" | "certainly" | "ok" | "okay").then_some(false),
        Some(_) | None => {
            let is_known = is_link || is_label || is_article || OTHERS.contains(&word);
            is_known.then_some(is_link || (is_article && was_link))
        }
    }
}

/// Where the text after a value begins: its place in the text, and the number of its first word.
fn tail(text: &str, pieces: &[Piece]) -> (usize, usize) {
    let is_it = |tail: &&&[&str]| {
        let from = pieces.len().checked_sub(tail.len());
        from.is_some_and(|from| {
            let words = pieces[from..].iter().map(|it| it.plain.as_str());
            from > 0 && words.eq(tail.iter().copied())
        })
    };
    match TAILS.iter().find(is_it) {
        Some(tail) => {
            let first = pieces.len() - tail.len();
            let said = text[..pieces[first - 1].end].trim_end_matches(is_break);
            (said.len(), first)
        }
        None => (text.len(), pieces.len()),
    }
}

fn is_break(it: char) -> bool {
    it.is_whitespace() || it == ','
}

#[cfg(test)]
mod tests {
    use crate::answer::word::meant;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_sentence_that_says_nothing_else_is_its_value() {
        for text in [
            "Answer: High",
            "**Answer:** High",
            "**Answer: High**",
            "Answer:High.",
            "Final answer:\n\nHigh",
            "The answer is **High**.",
            "The correct answer is: High",
            "My final answer is High",
            "Sure! The severity is High.",
            "Here is my classification: high",
            "It is high, I think",
            "It's high",
            "I say it is high",
            "I would say high",
            "I'd classify this issue as High.",
            "The severity of this bug is high",
            "This is a high",
            "severity = high",
            "high, I'd say",
        ] {
            assert_eq!(meant(text, &words("Low High")), Some("High"), "{text}");
        }
    }

    #[test]
    fn a_sentence_that_may_say_another_thing_is_none() {
        for text in [
            "not high",
            "The answer is not: high",
            "Not high: low",
            "Do not say: high",
            "Wrong answer: high",
            "High: false",
            "The answer is low: high would be wrong",
            "low or high",
            "anything but High",
            "less than High",
            "below High",
            "almost High",
            "nicht High",
            "The opposite of: high",
            "I refuse to call it: high",
            "It was high",
            "Is it high?",
            "If it is high",
            "Review: high",
            "Sure? high",
            "It is high, but I doubt it",
            "High. Low would be wrong.",
            "is",
            "Answer:",
            "I think so",
        ] {
            assert_eq!(meant(text, &words("Low High")), None, "{text}");
        }
    }

    #[test]
    fn everyday_words_are_not_found_in_prose() {
        for (text, allowed) in [
            ("It is a tie", "A B"),
            ("This has a bug", "A B"),
            ("I am a model", "A B"),
            ("It is a B", "A B"),
            ("I think so", "I II"),
            ("I think it is II", "I II"),
            ("Where did it go wrong", "go stop"),
            ("The answer is yes", "answer yes"),
        ] {
            assert_eq!(meant(text, &words(allowed)), None, "{text}");
        }
        assert_eq!(meant("It is A", &words("A B")), Some("A"));
        assert_eq!(meant("as is", &words("as_is other")), Some("as_is"));
        assert_eq!(meant("Answer: as is", &words("as_is other")), Some("as_is"));
    }
}
