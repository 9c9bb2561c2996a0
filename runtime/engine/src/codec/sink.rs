//! Where JSON goes while it is written: into a text, or into `json` objects.

use gsw_abi::builtin::LIST_JSON;
use gsw_abi::layout::json as tag;
use gsw_notation::{duration, number};

use crate::heap::{Heap, Poll};
use crate::value::{json, list, map, string};

/// Takes JSON piece by piece, in the order of its text.
pub(super) trait Sink {
    fn null(&mut self);
    fn bool(&mut self, value: bool);
    fn int(&mut self, value: i64);
    fn float(&mut self, value: f64);
    fn text(&mut self, value: &str);
    /// Seconds, given as nanoseconds.
    fn seconds(&mut self, nanoseconds: i64);
    fn begin_list(&mut self);
    fn end_list(&mut self);
    fn begin_object(&mut self);
    fn key(&mut self, name: &str);
    fn end_object(&mut self);
    /// A whole `json` object, borrowed, where the sink can take it as it is.
    fn whole(&mut self, word: u64) -> bool;
    /// Observers may not see the next value.
    fn confidential(&mut self);
    /// Whether values may be made of what is written.
    fn is_read_back(&self) -> bool;
    /// Whether further output is not needed: the run is to stop, or its memory is used up.
    fn has_ended(&mut self) -> bool;
}

/// A text that is written piece by piece.
pub(super) trait Text {
    fn push_str(&mut self, piece: &str);
    fn has_ended(&self) -> bool;
}

impl Text for String {
    fn push_str(&mut self, piece: &str) {
        Self::push_str(self, piece);
    }

    fn has_ended(&self) -> bool {
        false
    }
}

impl Text for string::Writer<'_> {
    fn push_str(&mut self, piece: &str) {
        string::Writer::push_str(self, piece);
    }

    fn has_ended(&self) -> bool {
        string::Writer::has_ended(self)
    }
}

/// How a text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Compact,
    Indented,
}

#[derive(Debug)]
pub(super) struct TextSink<T> {
    text: T,
    layout: Layout,
    depth: usize,
    place: Place,
}

/// What precedes the next piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Nothing, or a key.
    Alone,
    First,
    Next,
}

impl<T: Text> TextSink<T> {
    pub(super) fn new(layout: Layout, text: T) -> Self {
        Self {
            text,
            layout,
            depth: 0,
            place: Place::Alone,
        }
    }

    pub(super) fn finish(self) -> T {
        self.text
    }

    /// Before an element or a key.
    fn separate(&mut self) {
        if self.place == Place::Next {
            self.text.push_str(",");
        }
        if self.place != Place::Alone {
            self.new_line();
        }
        self.place = Place::Next;
    }

    fn new_line(&mut self) {
        if self.layout == Layout::Indented {
            self.text.push_str("\n");
            (0..self.depth).for_each(|_| self.text.push_str("  "));
        }
    }

    fn begin(&mut self, bracket: &str) {
        self.separate();
        self.text.push_str(bracket);
        self.depth += 1;
        self.place = Place::First;
    }

    fn end(&mut self, bracket: &str) {
        self.depth -= 1;
        if self.place == Place::Next {
            self.new_line();
        }
        self.text.push_str(bracket);
        self.place = Place::Next;
    }

    fn raw(&mut self, text: &str) {
        self.separate();
        self.text.push_str(text);
    }
}

impl<T: Text> Sink for TextSink<T> {
    fn null(&mut self) {
        self.raw("null");
    }

    fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    fn int(&mut self, value: i64) {
        self.raw(&value.to_string());
    }

    fn float(&mut self, value: f64) {
        match number::special_text(value) {
            Some(text) => self.text(text),
            None => self.raw(&number::float_text(value)),
        }
    }

    fn text(&mut self, value: &str) {
        self.separate();
        quote(value, &mut self.text);
    }

    fn seconds(&mut self, nanoseconds: i64) {
        self.raw(&duration::seconds_text(nanoseconds));
    }

    fn begin_list(&mut self) {
        self.begin("[");
    }

    fn end_list(&mut self) {
        self.end("]");
    }

    fn begin_object(&mut self) {
        self.begin("{");
    }

    fn key(&mut self, name: &str) {
        self.separate();
        quote(name, &mut self.text);
        self.text.push_str(if self.layout == Layout::Indented {
            ": "
        } else {
            ":"
        });
        self.place = Place::Alone;
    }

    fn end_object(&mut self) {
        self.end("}");
    }

    fn whole(&mut self, _: u64) -> bool {
        false
    }

    fn confidential(&mut self) {}

    fn is_read_back(&self) -> bool {
        true
    }

    fn has_ended(&mut self) -> bool {
        self.text.has_ended()
    }
}

#[derive(Debug)]
pub(super) struct JsonSink<'a> {
    heap: &'a mut Heap,
    open: Vec<Open>,
    poll: Poll,
    done: u64,
    /// The number of open lists and objects from which on all is confidential.
    confidential_from: Option<usize>,
}

/// A list or object that is being filled.
#[derive(Debug)]
enum Open {
    /// A `[json]`.
    List(u64),
    /// A `{string: json}`, and the key of the value that comes next, or 0.
    Object { entries: u64, key: u64 },
}

impl<'a> JsonSink<'a> {
    pub(super) fn new(heap: &'a mut Heap) -> Self {
        Self {
            heap,
            open: Vec::new(),
            poll: Poll::default(),
            done: 0,
            confidential_from: None,
        }
    }

    /// The finished `json`, owned by the caller; `null` when it was left in the middle.
    pub(super) fn finish(self) -> u64 {
        for open in self.open {
            match open {
                Open::List(elements) => self.heap.release(elements),
                Open::Object { entries, key } => {
                    self.heap.release(entries);
                    self.heap.release(key);
                }
            }
        }
        match self.done {
            0 => json::new(self.heap, tag::NULL, 0),
            done => done,
        }
    }

    fn put(&mut self, word: u64) {
        match self.open.last_mut() {
            None => self.done = word,
            Some(Open::List(elements)) => *elements = list::push(self.heap, *elements, word),
            Some(Open::Object { entries, key }) => {
                let key = std::mem::take(key);
                *entries = map::insert(self.heap, *entries, key, word);
            }
        }
    }

    fn put_new(&mut self, tag: u32, payload: u64) {
        let tag = tag | self.mark();
        let word = json::new(self.heap, tag, payload);
        self.put(word);
    }

    /// What is joined to the tag of a value that is now whole.
    fn mark(&mut self) -> u32 {
        match self.confidential_from {
            None => 0,
            Some(depth) => {
                if depth == self.open.len() {
                    self.confidential_from = None;
                }
                tag::CONFIDENTIAL
            }
        }
    }
}

impl Sink for JsonSink<'_> {
    fn null(&mut self) {
        self.put_new(tag::NULL, 0);
    }

    fn bool(&mut self, value: bool) {
        self.put_new(tag::BOOL, u64::from(value));
    }

    fn int(&mut self, value: i64) {
        self.put_new(tag::INT, value as u64);
    }

    fn float(&mut self, value: f64) {
        match number::special_text(value) {
            Some(text) => self.text(text),
            None => self.put_new(tag::FLOAT, value.to_bits()),
        }
    }

    fn text(&mut self, value: &str) {
        let text = string::new(self.heap, value);
        self.put_new(tag::STRING, text);
    }

    fn seconds(&mut self, nanoseconds: i64) {
        if nanoseconds % duration::SECOND == 0 {
            self.int(nanoseconds / duration::SECOND);
        } else {
            self.float(nanoseconds as f64 / duration::SECOND as f64);
        }
    }

    fn begin_list(&mut self) {
        let elements = list::new(self.heap, LIST_JSON, &[]);
        self.open.push(Open::List(elements));
    }

    fn end_list(&mut self) {
        let Some(Open::List(elements)) = self.open.pop() else {
            unreachable!("a list ends where one began")
        };
        self.put_new(tag::LIST, elements);
    }

    fn begin_object(&mut self) {
        let entries = json::new_entries(self.heap);
        self.open.push(Open::Object { entries, key: 0 });
    }

    fn key(&mut self, name: &str) {
        let name = string::new(self.heap, name);
        let Some(Open::Object { key, .. }) = self.open.last_mut() else {
            unreachable!("keys stand in objects")
        };
        *key = name;
    }

    fn end_object(&mut self) {
        let Some(Open::Object { entries, .. }) = self.open.pop() else {
            unreachable!("an object ends where one began")
        };
        self.put_new(tag::OBJECT, entries);
    }

    fn whole(&mut self, word: u64) -> bool {
        let is_confidential = self.mark() != 0;
        let word = if is_confidential {
            json::confidential(self.heap, word)
        } else {
            self.heap.retain(word);
            word
        };
        self.put(word);
        true
    }

    fn confidential(&mut self) {
        self.confidential_from.get_or_insert(self.open.len());
    }

    fn is_read_back(&self) -> bool {
        false
    }

    fn has_ended(&mut self) -> bool {
        self.poll.ends(self.heap)
    }
}

/// Appends `text` as a JSON string.
fn quote(text: &str, to: &mut impl Text) {
    to.push_str("\"");
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        let (plain, special) = rest.split_at(at);
        to.push_str(plain);
        let (special, after) = special.split_at(1);
        to.push_str(escape(special));
        rest = after;
    }
    to.push_str(rest);
    to.push_str("\"");
}

fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// The escape of a special character.
fn escape(special: &str) -> &'static str {
    /// Those of the control characters, in order.
    const CONTROLS: [&str; 32] = [
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
        "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011",
        "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018", "\\u0019",
        "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ];
    match special {
        "\"" => "\\\"",
        "\\" => "\\\\",
        control => CONTROLS[usize::from(control.as_bytes()[0])],
    }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn strings_are_quoted_as_by_serde() {
        let all: String = (0..0x250).filter_map(char::from_u32).collect();
        let mut quoted = String::new();
        quote(&all, &mut quoted);
        assert_eq!(quoted, serde_json::Value::from(all).to_string());
    }
}
