//! Numbers: JSON's, and what else models write.

use serde_json::{Number, Value};

use super::{Flaw, Parser};

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Result<Value, Flaw> {
        let rest = self.rest();
        // Further than a number reaches, so that `12ab` is an error and not the number 12.
        let end = rest.find(|it: char| !(it.is_ascii_alphanumeric() || "+-.".contains(it)));
        let text = &rest[..end.unwrap_or(rest.len())];
        let number = strict_number(text).ok_or(Flaw)?;
        self.at += text.len();
        Ok(number)
    }

    /// The number that a bare word means, if it means one.
    pub(super) fn lenient_number(&mut self, word: &str) -> Option<Value> {
        if let Some(number) = strict_number(word) {
            return Some(number);
        }
        let word = match word {
            // JSON has no form for them; as texts they are refused by a check of numbers, and by that alone.
            "NaN" | "Infinity" | "-Infinity" => {
                self.repair("put quotes around a number that is not finite");
                return Some(word.into());
            }
            _ => word,
        };
        let number = loose_number(word)?;
        self.repair("read a number written in another way");
        Some(number)
    }
}

/// A number as JSON writes it.
pub(crate) fn strict_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut parts = digits.as_bytes();
    let whole = leading_digits(&mut parts)?;
    if whole.len() > 1 && whole[0] == b'0' {
        return None;
    }
    if let [b'.', rest @ ..] = parts {
        parts = rest;
        leading_digits(&mut parts)?;
    }
    if let [b'e' | b'E', rest @ ..] = parts {
        parts = rest;
        if let [b'+' | b'-', rest @ ..] = parts {
            parts = rest;
        }
        leading_digits(&mut parts)?;
    }
    if !parts.is_empty() {
        return None;
    }
    text.parse::<Number>().ok().map(Value::Number)
}

fn leading_digits<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let count = bytes.iter().take_while(|it| it.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(count);
    *bytes = rest;
    (count > 0).then_some(digits)
}

/// A number with a plus, separated thousands, or a point at its edge.
pub(crate) fn loose_number(text: &str) -> Option<Value> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let joined = without_separators(digits)?;
    let joined = joined.strip_suffix('.').unwrap_or(&joined);
    let zero = if joined.starts_with('.') { "0" } else { "" };
    // Rewritten and read by the strict rule, so that nothing else gets through.
    strict_number(&format!("{sign}{zero}{joined}"))
}

/// `1,234,567.5` and `1_000` without their separators; `None` where they are misplaced.
fn without_separators(text: &str) -> Option<String> {
    let (whole, rest) = text
        .split_once('.')
        .map_or((text, None), |(a, b)| (a, Some(b)));
    let whole = if whole.contains([',', '_']) {
        let groups: Vec<&str> = whole.split([',', '_']).collect();
        let is_group = |it: &&str| it.len() == 3 && it.bytes().all(|it| it.is_ascii_digit());
        // `1,5` is a decimal comma or two numbers: neither is guessed.
        let is_fine = (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(is_group);
        is_fine.then(|| groups.concat())?
    } else {
        whole.to_owned()
    };
    Some(match rest {
        Some(rest) => format!("{whole}.{rest}"),
        None => whole,
    })
}
