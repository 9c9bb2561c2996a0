//! Runtime calls that make strings of strings.

use gsw_abi::builtin::{BuiltinError, LIST_STRING};
use gsw_abi::types::{Type, TypeId};

use crate::export::guard::calls;
use crate::export::list::clamp;
use crate::heap::Heap;
use crate::model::Issue;
use crate::value::{error, list, set_field, string};

calls! {
    /// `s.trim()`
    plain string_trim(run, s) {
        let text = string::text(s).trim();
        part_of(&mut run.heap, s, text)
    }

    /// `b.text()` of bytes.
    raising bytes_text(run, b) {
        match std::str::from_utf8(string::bytes(b)) {
            Ok(text) => Ok(string::new(&mut run.heap, text)),
            Err(why) => {
                let found = format!("something else behind {} bytes", why.valid_up_to());
                let issue = Issue {
                    path: "$".into(),
                    expected: "UTF-8".into(),
                    message: String::new(),
                    found,
                };
                Err(error::decode(&mut run.heap, &issue))
            }
        }
    }

    /// `s.bytes()` in UTF-8.
    plain string_bytes(run, s) {
        string::new_bytes(&mut run.heap, string::bytes(s))
    }

    /// `s.split(separator)`; an empty separator splits into characters.
    plain string_split(run, s, separator) {
        let text = string::text(s);
        match string::text(separator) {
            "" => chars(&mut run.heap, text),
            separator => strings(&mut run.heap, text.split(separator)),
        }
    }

    /// `s.split_once(separator)`
    plain string_split_once(run, result, s, separator) {
        let Some((before, after)) = string::text(s).split_once(string::text(separator)) else {
            return 0;
        };
        let (before, after) =
            (string::new(&mut run.heap, before), string::new(&mut run.heap, after));
        let pair = match run.heap.types().get(run.heap.types().base(TypeId(result as u32))) {
            Type::Optional(pair) => *pair,
            other => unreachable!("`split_once` gives an optional, not {other:?}"),
        };
        let word = run.heap.object(pair, 0, 2);
        set_field(word, 0, before);
        set_field(word, 1, after);
        word
    }

    /// `s.lines()`
    plain string_lines(run, s) {
        strings(&mut run.heap, string::text(s).lines())
    }

    /// `s.words()`
    plain string_words(run, s) {
        strings(&mut run.heap, string::text(s).split_whitespace())
    }

    /// `s.chars()`
    plain string_chars(run, s) {
        chars(&mut run.heap, string::text(s))
    }

    /// `s.upper()`
    plain string_upper(run, s) {
        let text = string::text(s).to_uppercase();
        string::new(&mut run.heap, &text)
    }

    /// `s.lower()`
    plain string_lower(run, s) {
        let text = string::text(s).to_lowercase();
        string::new(&mut run.heap, &text)
    }

    /// `s.replace(a, b)`; an empty `a` stands nowhere.
    plain string_replace(run, s, a, b) {
        replace(&mut run.heap, s, string::text(a), string::text(b))
    }

    /// `s.slice(from, to)`
    plain string_slice(run, s, from, to) {
        let range = clamp(string::scalars(s), from as i64, to as i64);
        let text = string::text(s);
        let part = if string::is_ascii(s) { &text[range] } else { scalar_range(text, range) };
        part_of(&mut run.heap, s, part)
    }

    /// `s.repeat(n)`; nothing for a negative n.
    raising string_repeat(run, s, count) {
        let text = string::text(s);
        let count = usize::try_from(count as i64).unwrap_or(0);
        if !run.heap.admit((text.len() as u64).saturating_mul(count as u64)) {
            return Err(error::new(&mut run.heap, BuiltinError::OutOfMemory, &[]));
        }
        // Nothing times any number is nothing, however often.
        let text = if text.is_empty() { String::new() } else { text.repeat(count) };
        Ok(string::new(&mut run.heap, &text))
    }

    /// `s.pad_start(n, c)`
    plain string_pad_start(run, s, length, with) {
        let padding = padding(&mut run.heap, s, length as i64, string::text(with));
        let text = padding + string::text(s);
        string::new(&mut run.heap, &text)
    }

    /// `s.pad_end(n, c)`
    plain string_pad_end(run, s, length, with) {
        let padding = padding(&mut run.heap, s, length as i64, string::text(with));
        let text = string::text(s).to_owned() + &padding;
        string::new(&mut run.heap, &text)
    }
}

fn strings<'a>(heap: &mut Heap, texts: impl Iterator<Item = &'a str>) -> u64 {
    let words: Vec<u64> = texts.map(|text| string::new(heap, text)).collect();
    list::new(heap, LIST_STRING, &words)
}

fn chars(heap: &mut Heap, text: &str) -> u64 {
    let mut buffer = [0; 4];
    let words: Vec<u64> = text
        .chars()
        .map(|char| string::new(heap, char.encode_utf8(&mut buffer)))
        .collect();
    list::new(heap, LIST_STRING, &words)
}

/// The string `whole` itself when `part` is all of it.
fn part_of(heap: &mut Heap, whole: u64, part: &str) -> u64 {
    if part.len() == string::bytes(whole).len() {
        heap.retain(whole);
        return whole;
    }
    string::new(heap, part)
}

fn scalar_range(text: &str, range: std::ops::Range<usize>) -> &str {
    let mut offsets = text
        .char_indices()
        .map(|(offset, _)| offset)
        .chain([text.len()]);
    let from = offsets.nth(range.start).unwrap_or(text.len());
    if range.is_empty() {
        return "";
    }
    let to = offsets.nth(range.len() - 1).unwrap_or(text.len());
    &text[from..to]
}

fn replace(heap: &mut Heap, s: u64, a: &str, b: &str) -> u64 {
    let text = string::text(s);
    let count = if a.is_empty() {
        0
    } else {
        text.matches(a).count()
    };
    let length = text.len() as u64 - (count * a.len()) as u64;
    let length = length.saturating_add((count as u64).saturating_mul(b.len() as u64));
    if count == 0 || !heap.admit(length) {
        heap.retain(s);
        return s;
    }
    string::new(heap, &text.replace(a, b))
}

/// What is missing of `length` characters, made of `with`; nothing when that is empty or too much.
fn padding(heap: &mut Heap, s: u64, length: i64, with: &str) -> String {
    let missing = usize::try_from(length)
        .unwrap_or(0)
        .saturating_sub(string::scalars(s));
    let bytes = (missing as u64).saturating_mul(4);
    if missing == 0 || with.is_empty() || !heap.admit(bytes) {
        return String::new();
    }
    with.chars().cycle().take(missing).collect()
}
