//! Surrogate pairs split over two events of a stream: servers that count in 16-bit units cut there, and JSON escapes each half,
//! which is no text by itself.

use std::borrow::Cow;

/// What joins the halves of a stream.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    /// The escape of a first half that ended a string.
    first: Option<String>,
}

/// How long an escape is: `\ud83d`.
const LENGTH: usize = 6;
/// Replaces an unpaired half.
const REPLACEMENT: &str = "\\ufffd";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Half {
    First,
    Second,
}

impl Halves {
    /// The data of the next event without halves.
    pub fn join<'d>(&mut self, data: &'d str) -> Cow<'d, str> {
        if !data.contains("\\ud") && !data.contains("\\uD") {
            return Cow::Borrowed(data);
        }
        let mut joined = String::with_capacity(data.len());
        let mut rest = data;
        while let Some(at) = rest.find('\\') {
            joined.push_str(&rest[..at]);
            rest = &rest[at..];
            let length = match (half(rest), rest.get(LENGTH..).and_then(half)) {
                (None, _) => rest.chars().take(2).map(char::len_utf8).sum(),
                (Some(Half::First), Some(Half::Second)) => 2 * LENGTH,
                (Some(Half::First), Some(Half::First) | None) => {
                    match rest[LENGTH..].starts_with('"') {
                        true => self.first = Some(rest[..LENGTH].to_owned()),
                        false => joined.push_str(REPLACEMENT),
                    }
                    rest = &rest[LENGTH..];
                    continue;
                }
                (Some(Half::Second), _) => {
                    match self.first.take().filter(|_| joined.ends_with('"')) {
                        Some(first) => {
                            joined.push_str(&first);
                            joined.push_str(&rest[..LENGTH]);
                        }
                        None => joined.push_str(REPLACEMENT),
                    }
                    rest = &rest[LENGTH..];
                    continue;
                }
            };
            joined.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        joined.push_str(rest);
        Cow::Owned(joined)
    }
}

/// The half of a character whose escape a text begins with.
fn half(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u32::from_str_radix(digits, 16).ok()? {
        0xd800..0xdc00 => Some(Half::First),
        0xdc00..0xe000 => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Halves;

    #[test]
    fn halves_in_two_events_are_one_character() {
        let mut halves = Halves::default();
        assert_eq!(halves.join(r#"{"t":"a\ud83d"}"#), r#"{"t":"a"}"#);
        assert_eq!(halves.join(r#"{"u":1}"#), r#"{"u":1}"#);
        assert_eq!(
            halves.join(r#"{"t":"\ude00b"}"#),
            r#"{"t":"\ud83d\ude00b"}"#
        );
    }

    #[test]
    fn what_is_no_half_stays_and_what_has_no_other_is_replaced() {
        for (data, joined) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d b""#, r#""\ufffd b""#),
            (r#""a\ude00""#, r#""a\ufffd""#),
            (r#""\ude00""#, r#""\ufffd""#),
            (r#""\ud83"#, r#""\ud83"#),
        ] {
            assert_eq!(Halves::default().join(data), joined);
        }
    }
}
