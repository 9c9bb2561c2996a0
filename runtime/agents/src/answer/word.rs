//! Which of some allowed words a text means, `true`, `false` and `null` among them.

/// A longer text is no word and no sentence with one.
const LONGEST: usize = 200;

/// The one that the text means: but for case, punctuation, separators and accents, or as the only one named in a sentence.
pub(crate) fn meant<'a>(text: &str, allowed: &'a [String]) -> Option<&'a str> {
    if text.len() > LONGEST {
        return None;
    }
    let plain = plain(text);
    if plain.is_empty() {
        return None;
    }
    let same = |it: &&str| self::plain(it) == plain;
    let allowed = || allowed.iter().map(String::as_str);
    // Only where exactly one word fits: "high or medium" names two and is no answer.
    only(allowed().filter(same)).or_else(|| only(named(text, allowed())))
}

/// Words that turn a sentence around; what is meant then cannot be known.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "neither", "nor", "without", "isnt", "cannot", "except", "t",
];

fn named<'a>(text: &str, allowed: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let words = words(text);
    let is_negated = words.iter().any(|it| NEGATIONS.contains(&it.as_str()));
    allowed.filter(move |it| {
        if is_negated {
            return false;
        }
        let wanted = self::words(it);
        !wanted.is_empty() && words.windows(wanted.len()).any(|some| some == wanted)
    })
}

fn only<'a>(mut found: impl Iterator<Item = &'a str>) -> Option<&'a str> {
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

/// `null` in the words of other languages.
pub(crate) fn null(text: &str) -> Option<()> {
    let names = ["null", "none", "nil", "undefined"];
    let is_null = text.trim().is_empty() || names.contains(&short(text)?.as_str());
    is_null.then_some(())
}

/// A short text, plain.
fn short(text: &str) -> Option<String> {
    (text.len() <= 20).then(|| plain(text))
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
