//! Runtime calls that make strings of strings.

use gsw_abi::builtin::LIST_STRING;
use gsw_abi::types::{Type, TypeId};
use gsw_notation::issue::Issue;

use crate::export::guard::calls;
use crate::export::list::clamp;
use crate::heap::Heap;
use crate::value::list::Filling;
use crate::value::string::Writer;
use crate::value::{error, list, set_field, string};

calls! {
    text string_trim(run, s) {
        let text = string::text(s).trim();
        part_of(&mut run.heap, s, text)
    }

    /// `b.text()` of bytes.
    raising bytes_text(run, b) {
        match std::str::from_utf8(string::bytes(b)) {
            Ok(text) => string::admitted(&mut run.heap, text),
            Err(why) => {
                let found = format!("something else after {} bytes", why.valid_up_to());
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
    raising string_bytes(run, s) {
        let bytes = string::bytes(s);
        run.heap.demand(bytes.len() as u64)?;
        Ok(string::new_bytes(&mut run.heap, bytes))
    }

    /// `s.split(separator)`; an empty separator splits into characters.
    raising string_split(run, s, separator) {
        let text = string::text(s);
        match string::text(separator) {
            "" => chars(&mut run.heap, text),
            separator => list::of_texts(&mut run.heap, text.split(separator)),
        }
    }

    plain string_split_once(run, result, s, separator) {
        let Some((before, after)) = string::text(s).split_once(string::text(separator)) else {
            return 0;
        };
        let (before, after) =
            (string::new(&mut run.heap, before), string::new(&mut run.heap, after));
        let types = run.heap.types();
        let Type::Optional(pair) = *types.get(types.base(TypeId(result as u32))) else {
            unreachable!("`split_once` gives an optional");
        };
        let word = run.heap.object(pair, 0, 2);
        set_field(word, 0, before);
        set_field(word, 1, after);
        word
    }

    raising string_lines(run, s) {
        list::of_texts(&mut run.heap, string::text(s).lines())
    }

    raising string_words(run, s) {
        list::of_texts(&mut run.heap, string::text(s).split_whitespace())
    }

    raising string_chars(run, s) {
        chars(&mut run.heap, string::text(s))
    }

    raising string_upper(run, s) {
        by_pieces(&mut run.heap, string::text(s), str::to_uppercase)
    }

    raising string_lower(run, s) {
        by_pieces(&mut run.heap, string::text(s), str::to_lowercase)
    }

    /// `s.replace(a, b)`; an empty `a` is found nowhere.
    raising string_replace(run, s, a, b) {
        replace(&mut run.heap, s, string::text(a), string::text(b))
    }

    text string_slice(run, s, from, to) {
        let range = clamp(string::scalars(s), from as i64, to as i64);
        let bytes = run.heap.byte_at(s, range.start)..run.heap.byte_at(s, range.end);
        part_of(&mut run.heap, s, &string::text(s)[bytes])
    }

    /// `s.repeat(n)`; nothing for a negative n.
    raising string_repeat(run, s, count) {
        let text = string::text(s);
        // Nothing times any number is nothing, however often.
        let count = if text.is_empty() { 0 } else { usize::try_from(count as i64).unwrap_or(0) };
        let mut repeated = Writer::new(&mut run.heap, text.len().saturating_mul(count))?;
        for _ in 0..count {
            repeated.push_str(text);
            if repeated.has_ended() {
                break;
            }
        }
        repeated.finish()
    }

    raising string_pad_start(run, s, length, with) {
        let padding = Padding::of(s, length as i64, string::text(with));
        let mut padded = Writer::new(&mut run.heap, padding.room(s))?;
        padding.write(&mut padded);
        padded.push_str(string::text(s));
        padded.finish()
    }

    raising string_pad_end(run, s, length, with) {
        let padding = Padding::of(s, length as i64, string::text(with));
        let mut padded = Writer::new(&mut run.heap, padding.room(s))?;
        padded.push_str(string::text(s));
        padding.write(&mut padded);
        padded.finish()
    }
}

fn chars(heap: &mut Heap, text: &str) -> Result<u64, u64> {
    let mut words = Filling::new(heap, LIST_STRING, string::scalar_count(text))?;
    let mut buffer = [0; 4];
    for char in text.chars() {
        let word = string::new(heap, char.encode_utf8(&mut buffer));
        words = words.push(heap, word)?;
    }
    Ok(words.finish())
}

/// A text with each piece of it converted. Pieces end after a space or a line break, across which no letter looks.
fn by_pieces(heap: &mut Heap, text: &str, convert: fn(&str) -> String) -> Result<u64, u64> {
    let mut converted = Writer::new(heap, text.len())?;
    let mut rest = text;
    while !rest.is_empty() && !converted.has_ended() {
        let bytes = rest.as_bytes().iter().enumerate().skip(PIECE);
        let mut ends = bytes.filter(|(_, byte)| matches!(byte, b' ' | b'\n'));
        let end = ends.next().map_or(rest.len(), |(at, _)| at + 1);
        let (piece, after) = rest.split_at(end);
        converted.push_str(&convert(piece));
        rest = after;
    }
    converted.finish()
}

/// The bytes of a piece of a text, at least; a guess.
const PIECE: usize = 64 << 10;

/// The string `whole` itself when `part` is all of it.
fn part_of(heap: &mut Heap, whole: u64, part: &str) -> u64 {
    if part.len() == string::bytes(whole).len() {
        heap.retain(whole);
        return whole;
    }
    string::new(heap, part)
}

fn replace(heap: &mut Heap, s: u64, a: &str, b: &str) -> Result<u64, u64> {
    let text = string::text(s);
    let count = if a.is_empty() {
        0
    } else {
        text.matches(a).count()
    };
    if count == 0 {
        heap.retain(s);
        return Ok(s);
    }
    let length = (text.len() - count * a.len()).saturating_add(count.saturating_mul(b.len()));
    let mut replaced = Writer::new(heap, length)?;
    let mut pieces = text.split(a);
    replaced.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        replaced.push_str(b);
        replaced.push_str(piece);
        if replaced.has_ended() {
            break;
        }
    }
    replaced.finish()
}

/// What is missing of a length, in characters.
struct Padding<'a> {
    missing: usize,
    with: &'a str,
}

impl<'a> Padding<'a> {
    /// What a string lacks to be this long, made of `with`; nothing when that is empty.
    fn of(s: u64, length: i64, with: &'a str) -> Self {
        let length = usize::try_from(length).unwrap_or(0);
        let missing = length.saturating_sub(string::scalars(s));
        Self {
            missing: if with.is_empty() { 0 } else { missing },
            with,
        }
    }

    /// The bytes of the padded string, at most.
    fn room(&self, s: u64) -> usize {
        let widest = self.with.chars().map(char::len_utf8).max().unwrap_or(0);
        let missing = self.missing.saturating_mul(widest);
        missing.saturating_add(string::bytes(s).len())
    }

    fn write(&self, to: &mut Writer<'_>) {
        let whole = string::scalar_count(self.with).max(1);
        for _ in 0..self.missing / whole {
            to.push_str(self.with);
            if to.has_ended() {
                return;
            }
        }
        let rest = self.with.chars().take(self.missing % whole);
        to.push_str(&rest.collect::<String>());
    }
}
