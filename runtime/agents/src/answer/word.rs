//! Which of some allowed words a text means, `true`, `false` and `null` among them.
//!
//! A word may be written in another case, without accents, with other separators between its letters, with emphasis or quotes around
//! it and a mark at its end. Every other sign is part of what it means: `-1`, `>18`, `C#` and `!true` are not `1`, `<18`, `C` and `true`.

use super::frame::framed;

/// A longer text is no word and no sentence with one.
const LONGEST: usize = 200;

/// The one that the text means: but for its spelling, or in a sentence that says nothing else.
pub(crate) fn meant<'a>(text: &str, allowed: &'a [String]) -> Option<&'a str> {
    if text.len() > LONGEST {
        return None;
    }
    if let Some(word) = same(text, allowed) {
        return Some(word);
    }
    let said = framed(text, allowed);
    let mut words = said.iter().filter_map(|it| same(it.value, allowed));
    let first = words.next()?;
    words.all(|it| it == first).then_some(first)
}

/// The allowed word that is the text in another spelling; none where two are.
pub(crate) fn same<'a>(text: &str, allowed: &'a [String]) -> Option<&'a str> {
    let plain = plain(text);
    if plain.is_empty() {
        return None;
    }
    let mut found = allowed.iter().filter(|it| self::plain(it) == plain);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// `true` or `false` in the words of people and other languages.
pub(crate) fn bool(text: &str) -> Option<bool> {
    match short(text)?.as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// `null` in the words of languages.
const NULLS: &[&str] = &["null", "none", "nil", "undefined"];

/// `null` in the words of other languages.
pub(crate) fn null(text: &str) -> Option<()> {
    let is_null = text.trim().is_empty() || NULLS.contains(&short(text)?.as_str());
    is_null.then_some(())
}

/// Whether a word without quotes is `null`, though a text could be written like that as well.
pub(crate) fn is_bare_null(word: &str) -> bool {
    NULLS.iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// `text` in plain form, if it is short enough to be one of the known words.
fn short(text: &str) -> Option<String> {
    (text.len() <= 20).then(|| plain(text))
}

/// A text in lower case, without accents, dress, and separators between its letters; equal for texts that mean one word.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut last = None;
    // The separators since then.
    let mut gap = String::new();
    for it in undressed(text).chars().map(usual) {
        if it.is_whitespace() || it == '_' || it == '-' {
            gap.push(it);
            continue;
        }
        if !last.is_some_and(|last| separates(&gap, last, it)) {
            plain.push_str(&gap);
        }
        gap.clear();
        plain.extend(bare(it).to_lowercase());
        last = Some(it);
    }
    plain + &gap
}

/// Whether what is between two characters says nothing more than that there they part. Before a digit it may be a sign, and between
/// two digits it makes one number of them or two.
fn separates(gap: &str, last: char, next: char) -> bool {
    let letters = usize::from(last.is_alphabetic()) + usize::from(next.is_alphabetic());
    match letters {
        2 => true,
        1 => last.is_alphanumeric() && next.is_alphanumeric() && gap.chars().nth(1).is_none(),
        _ => false,
    }
}

/// A text without blanks, emphasis and quotes around it, and without a mark at its end.
pub(crate) fn undressed(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let inside = without_mark(without_pair(text)).trim();
        if inside.len() == text.len() {
            return text;
        }
        text = inside;
    }
}

/// Without a pair of marks around it; one alone may mean something, as in `A*`.
fn without_pair(text: &str) -> &str {
    const PAIRS: [(char, char); 10] = [
        ('*', '*'),
        ('_', '_'),
        ('`', '`'),
        ('"', '"'),
        ('\'', '\''),
        ('“', '”'),
        ('„', '“'),
        ('‘', '’'),
        ('«', '»'),
        ('(', ')'),
    ];
    let inside = PAIRS.iter().find_map(|(open, close)| {
        let inside = text.strip_prefix(*open)?.strip_suffix(*close)?;
        // Round brackets around a number are a minus to accountants.
        let is_dress = *open != '(' || inside.starts_with(char::is_alphabetic);
        is_dress.then_some(inside)
    });
    inside.unwrap_or(text)
}

/// Without the mark that ends a sentence or a part of one.
fn without_mark(text: &str) -> &str {
    let Some(before) = text.strip_suffix(['.', '!', ',', ';']) else {
        return text;
    };
    let is_end = match before.chars().next_back() {
        Some(it) if it.is_numeric() => text.ends_with('.'),
        Some(it) => it.is_alphabetic() || "*_`\"'”’»)".contains(it),
        None => false,
    };
    if is_end { before } else { text }
}

/// One sign for those that look alike.
fn usual(sign: char) -> char {
    match sign {
        '\u{2010}'..='\u{2013}' | '−' => '-',
        '’' => '\'',
        it => it,
    }
}

/// The letter under an accent of the Latin alphabets.
fn bare(letter: char) -> char {
    match letter {
        'À'..='Å' | 'à'..='å' => 'a',
        'Ç' | 'ç' => 'c',
        'È'..='Ë' | 'è'..='ë' => 'e',
        'Ì'..='Ï' | 'ì'..='ï' => 'i',
        'Ñ' | 'ñ' => 'n',
        'Ò'..='Ö' | 'ò'..='ö' => 'o',
        'Ù'..='Ü' | 'ù'..='ü' => 'u',
        'Ý' | 'ý' | 'ÿ' => 'y',
        it => it,
    }
}

#[cfg(test)]
mod tests {
    use super::{bool, meant, null, plain};

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_word_is_itself_in_another_spelling() {
        for (text, word) in [
            ("HIGH", "High"),
            ("**High**.", "High"),
            ("`high`", "High"),
            ("\"High.\"", "High"),
            ("High!", "High"),
            ("Not sure", "not_sure"),
            ("not-sure", "not_sure"),
            ("NotSure", "not_sure"),
            ("très élevé", "tres_eleve"),
            ("GPT 4", "gpt-4"),
            ("gpt4", "gpt-4"),
            ("(A)", "A"),
            ("c++", "C++"),
            ("−1", "-1"),
            ("don’t", "don't"),
            ("1.", "1"),
        ] {
            assert_eq!(meant(text, &words(word)), Some(word), "{text}");
        }
    }

    #[test]
    fn signs_are_part_of_a_word() {
        for (text, allowed) in [
            ("1", "-1 0"),
            ("-1", "1 0"),
            ("+1", "1"),
            ("10%", "-10% 0%"),
            ("10", "10%"),
            ("1.0", "1 10"),
            ("20", "1.5 2.0"),
            ("15", "1.5 2.0"),
            ("1 0", "10"),
            ("1-2", "12"),
            ("level -1", "level-1"),
            (">18", "<18 >=65"),
            ("C++", "C Java"),
            ("C#", "C Java"),
            ("A-", "A B"),
            ("A+", "A B"),
            ("A*", "A B"),
            ("!High", "Low High"),
            ("¬High", "Low High"),
            ("<High", "Low High"),
            ("> High", "Low High"),
            ("-High", "Low High"),
            ("- High", "Low High"),
            ("~~High~~", "Low High"),
            ("un-High", "Low High"),
            ("High?", "Low High"),
            ("High...", "Low High"),
            ("❌ High", "Low High"),
            ("(5)", "5"),
            ("$5", "5"),
            ("1:2", "12"),
            ("1/2", "12"),
        ] {
            assert_eq!(meant(text, &words(allowed)), None, "{text} as {allowed}");
        }
        for text in ["!true", "-true", "not true", "true?", "true false"] {
            assert_eq!(bool(text), None, "{text}");
        }
        for text in ["!null", "~null", "-none", "not none"] {
            assert_eq!(null(text), None, "{text}");
        }
    }

    #[test]
    fn what_two_words_are_is_neither() {
        assert_eq!(meant("ab", &words("a-b A_B")), None);
        assert_eq!(plain("a-b"), plain("A_B"));
    }
}
