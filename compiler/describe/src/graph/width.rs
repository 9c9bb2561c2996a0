//! How wide text is, without a font: guessed from above, so that nothing runs out of its box.

/// The size of a word in small capitals and the space after each of its letters, as in the style sheet.
const WORD_SIZE: f64 = 10.0;
const WORD_SPACING: f64 = 0.8;
/// How much wider bold letters are; a guess from above.
const BOLD_WORD: f64 = 1.12;

/// The width of a text of this size in pixels, in a plain sans-serif face.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// The width of a word in small bold capitals with space between them.
pub(super) fn word_width(word: &str) -> f64 {
    let letters = text_width(&word.to_uppercase(), WORD_SIZE) * BOLD_WORD;
    letters + word.chars().count() as f64 * WORD_SPACING
}

/// The width of a character in parts of the size, as in a wide face such as DejaVu Sans.
fn em(character: char) -> f64 {
    match character {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | 'I' => 0.34,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 0.44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.98,
        'A'..='Z' | '0'..='9' | '→' | '…' | '$' | '{' | '}' | '_' => 0.70,
        'a'..='z' => 0.62,
        '\u{0}'..='\u{2ff}' => 0.75,
        _ => 1.1,
    }
}
