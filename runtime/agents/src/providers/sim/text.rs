//! Made-up strings: they say that they are simulated where their bounds leave room for it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::chance::Chance;
use super::pattern;

/// How many words of the prompt a string repeats.
const WORDS: usize = 12;
/// How often a pattern is tried until its text has the wanted length.
const PATTERN_TRIES: u32 = 50;

pub(crate) fn string(schema: &Map<String, Value>, prompt: &str, chance: &mut Chance) -> String {
    let bound = |name| schema.get(name).and_then(Value::as_u64);
    let least = bound("minLength").map_or(0, size);
    let most = bound("maxLength").map_or(usize::MAX, size);
    let patterns = patterns(schema);
    if !patterns.is_empty()
        && let Some(text) = by_patterns(&patterns, least, most, chance)
    {
        return text;
    }
    if let Some(text) = by_format(schema, prompt, chance) {
        return text;
    }
    fitted(&free(prompt, chance), least, most)
}

fn size(bound: u64) -> usize {
    // A minimum of a million characters is honoured, one of a billion is not.
    usize::try_from(bound).unwrap_or(usize::MAX).min(1 << 20)
}

/// The key of the patterns of a schema that has several, by way of what it refers to; no schema that is sent has it.
pub(super) const PATTERNS: &str = "patterns";

/// What a text is to match: in the order of their possible places in it.
fn patterns(schema: &Map<String, Value>) -> Vec<&str> {
    let several = schema.get(PATTERNS).and_then(Value::as_array);
    let mut found: Vec<&str> = match several {
        Some(several) => several.iter().filter_map(Value::as_str).collect(),
        None => schema
            .get("pattern")
            .and_then(Value::as_str)
            .into_iter()
            .collect(),
    };
    found.dedup();
    let is_end = |it: &&str| it.ends_with('$') && !it.starts_with('^');
    found.sort_by_key(|it| (!it.starts_with('^'), is_end(it)));
    found
}

fn by_patterns(
    patterns: &[&str],
    least: usize,
    most: usize,
    chance: &mut Chance,
) -> Option<String> {
    let is_open = patterns.iter().all(|it| !it.ends_with('$'));
    let mut last = None;
    for _ in 0..PATTERN_TRIES {
        let mut parts = patterns.iter().map(|it| pattern::matching(it, chance));
        let mut text = parts.try_fold(String::new(), |text, part| Some(text + &part?))?;
        let missing = least.saturating_sub(text.chars().count());
        if is_open {
            text.push_str(&"x".repeat(missing));
        }
        let length = text.chars().count();
        if (least..=most).contains(&length) {
            return Some(text);
        }
        last = Some(text);
    }
    last
}

fn by_format(schema: &Map<String, Value>, prompt: &str, chance: &mut Chance) -> Option<String> {
    if schema.get("contentEncoding").and_then(Value::as_str) == Some("base64") {
        return Some(STANDARD.encode(fitted(&free(prompt, chance), 0, 30)));
    }
    let mut two = |low, high| chance.between(low, high);
    let date = format!("20{:02}-{:02}-{:02}", two(20, 29), two(1, 12), two(1, 28));
    let clock = format!("{:02}:{:02}:{:02}", two(0, 23), two(0, 59), two(0, 59));
    Some(match schema.get("format")?.as_str()? {
        "date-time" => format!("{date}T{clock}Z"),
        "date" => date,
        "time" => format!("{clock}Z"),
        "duration" => format!("PT{}S", two(1, 59)),
        "email" => "simulated@example.org".into(),
        "hostname" => "simulated.example.org".into(),
        "uri" => "https://example.org/simulated".into(),
        "ipv4" => "192.0.2.1".into(),
        "ipv6" => "2001:db8::1".into(),
        "uuid" => {
            let (high, low) = (chance.draw(), chance.draw());
            format!(
                "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
                high >> 32,
                high >> 16 & 0xffff,
                high & 0xfff,
                low >> 52,
                low & 0xffff_ffff_ffff
            )
        }
        _ => return None,
    })
}

/// The first attempt repeats the prompt; later ones try what a check might ask for.
fn free(prompt: &str, chance: &mut Chance) -> String {
    let words: Vec<&str> = prompt.split_whitespace().take(WORDS).collect();
    let plain = format!("simulated: {}", words.join(" "));
    if chance.attempt() == 0 {
        return plain;
    }
    match chance.below(7) {
        0 | 1 => plain,
        2 => format!("{plain} {}", chance.below(1000)),
        3 => "simulated".into(),
        4 => words
            .get(chance.below(words.len().max(1)))
            .map_or(String::new(), |it| (*it).into()),
        5 => chance.below(1000).to_string(),
        _ => {
            let start = u8::try_from(chance.below(26)).unwrap_or_default();
            format!("{} simulated", char::from(b'A' + start))
        }
    }
}

/// Cut or lengthened to the bounds, which count characters.
fn fitted(text: &str, least: usize, most: usize) -> String {
    let mut text: String = text.chars().take(most).collect();
    let length = text.chars().count();
    text.extend(std::iter::repeat_n('.', least.saturating_sub(length)));
    text
}
