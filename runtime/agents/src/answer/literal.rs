//! Which of some allowed words a text means.

/// The one that the text means: but for case, punctuation, separators and accents, or as the only one named in a sentence.
pub(crate) fn meant<'a>(text: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let plain = plain(text);
    if plain.is_empty() {
        return None;
    }
    let same = |it: &&&str| self::plain(it) == plain;
    // Only where exactly one word fits: "high or medium" names two and is no answer.
    only(allowed.iter().filter(same).copied()).or_else(|| only(named(text, allowed)))
}

fn named<'a>(text: &str, allowed: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let words = words(text);
    allowed.iter().copied().filter(move |it| {
        let wanted = self::words(it);
        !wanted.is_empty() && words.windows(wanted.len()).any(|some| some == wanted)
    })
}

fn only<'a>(mut found: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Only its letters and digits, lower case, without accents.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter_map(bare)
        .flat_map(char::to_lowercase)
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|it: char| !it.is_alphanumeric())
        .map(plain)
        .filter(|it| !it.is_empty())
        .collect()
}

/// The letter under an accent of the Latin alphabets.
fn bare(letter: char) -> Option<char> {
    Some(match letter {
        'À'..='Å' | 'à'..='å' => 'a',
        'Ç' | 'ç' => 'c',
        'È'..='Ë' | 'è'..='ë' => 'e',
        'Ì'..='Ï' | 'ì'..='ï' => 'i',
        'Ñ' | 'ñ' => 'n',
        'Ò'..='Ö' | 'ò'..='ö' => 'o',
        'Ù'..='Ü' | 'ù'..='ü' => 'u',
        'Ý' | 'ý' | 'ÿ' => 'y',
        _ if letter.is_alphanumeric() => letter,
        _ => return None,
    })
}
