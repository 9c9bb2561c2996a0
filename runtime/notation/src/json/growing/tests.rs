//! However a text is cut, the same arrives, and each byte of it once.

use serde_json::{Map, Value, json};

use super::{Change, Fields, Growing, Shape};

/// `title` grows, `tags` grows, `inner` is a record of the same kind, everything else is whole.
struct Report;

impl Fields for Report {
    fn field(&self, record: u32, name: &str) -> Option<(u32, Shape)> {
        assert_eq!(record, 7);
        match name {
            "title" => Some((0, Shape::Text)),
            "tags" => Some((1, Shape::List)),
            "inner" => Some((2, Shape::Record(7))),
            "count" => Some((3, Shape::Whole)),
            _ => None,
        }
    }
}

const NAMES: [&str; 4] = ["title", "tags", "inner", "count"];

/// What has arrived, as a tree.
pub(super) struct Arrived {
    /// What a field is called, by its place.
    name: fn(usize) -> String,
    pub root: Value,
    /// The fields that lead to what is open.
    path: Vec<usize>,
    next: Option<usize>,
    /// The bytes that were handed over.
    pub work: usize,
}

impl Default for Arrived {
    fn default() -> Self {
        Self::named(|it| NAMES[it].to_owned())
    }
}

impl Arrived {
    pub fn named(name: fn(usize) -> String) -> Self {
        Self {
            name,
            root: Value::Null,
            path: Vec::new(),
            next: None,
            work: 0,
        }
    }

    fn place(&mut self) -> &mut Value {
        let path = self.path.iter();
        path.fold(&mut self.root, |value, it| &mut value[(self.name)(*it)])
    }

    pub fn take(&mut self, change: Change<'_>) {
        match change {
            Change::Field(field) => self.next = Some(field as usize),
            Change::Begin(shape) => {
                self.path.extend(self.next.take());
                *self.place() = match shape {
                    Shape::Text => "".into(),
                    Shape::List => json!([]),
                    Shape::Record(_) => Value::Object(Map::new()),
                    Shape::Whole => panic!("what is whole does not begin"),
                };
            }
            Change::Text(more) => {
                self.work += more.len();
                let before = self.place().as_str().expect("a text").to_owned();
                *self.place() = (before + more).into();
            }
            Change::Element(text) => {
                self.work += text.len();
                let element = serde_json::from_str(text).expect("an element is JSON");
                self.place().as_array_mut().expect("a list").push(element);
            }
            Change::Whole(text) => {
                self.work += text.len();
                let value = serde_json::from_str(text).expect("a whole value is JSON");
                let field = (self.name)(self.next.take().expect("a field"));
                self.place()[field] = value;
            }
            Change::End => drop(self.path.pop()),
            Change::Anew => {
                self.root = Value::Null;
                self.path.clear();
                self.next = None;
            }
        }
    }
}

const TEXT: &str = "Here {it} is:\n```json\n{ \"title\": \"a \\\"b\\\" \\u00fc\\ud83d\\ude00\\n\",\n \"other\": {\"title\": [1, \"}\"]}, \
    \"tags\": [\"x]\", {\"y\": \"\\\"\"}, 3.5 , null], \"inner\": {\"title\": \"ünï\", \"count\": -1, \"tags\": []}, \"count\": 12 }\n```\nDone {\"title\": 1}.";

fn whole() -> Value {
    json!({
        "title": "a \"b\" ü😀\n",
        "tags": ["x]", {"y": "\""}, 3.5, null],
        "inner": {"title": "ünï", "count": -1, "tags": []},
        "count": 12,
    })
}

/// Whether `new` has all that `old` has.
pub(super) fn refines(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Null, _) => true,
        (Value::String(old), Value::String(new)) => new.starts_with(old),
        (Value::Array(old), Value::Array(new)) => new.starts_with(old),
        (Value::Object(old), Value::Object(new)) => old
            .iter()
            .all(|(key, it)| new.get(key).is_some_and(|new| refines(it, new))),
        (old, new) => old == new,
    }
}

#[test]
fn a_text_cut_anywhere_only_adds_to_what_was_there() {
    let borders: Vec<usize> = TEXT.char_indices().map(|it| it.0).collect();
    for &first in &borders {
        for &second in borders.iter().filter(|it| **it >= first).step_by(7) {
            let mut growing = Growing::new(Shape::Record(7));
            let mut arrived = Arrived::default();
            for piece in [&TEXT[..first], &TEXT[first..second], &TEXT[second..]] {
                let before = arrived.root.clone();
                growing.feed(piece, &Report, &mut |change| arrived.take(change));
                assert!(refines(&before, &arrived.root), "{before} {}", arrived.root);
            }
            assert!(growing.is_whole());
            assert_eq!(arrived.root, whole(), "cut at {first} and {second}");
        }
    }
}

#[test]
fn each_byte_is_handed_over_once_however_small_the_pieces_are() {
    let long = format!(
        "{{\"title\": \"{}\", \"tags\": [{}]}}",
        "word ".repeat(2_000),
        "\"tag\",".repeat(2_000)
    );
    for size in [1, 7, 100_000] {
        let mut growing = Growing::new(Shape::Record(7));
        let mut arrived = 0;
        for piece in long.as_bytes().chunks(size) {
            let piece = std::str::from_utf8(piece).expect("it is ASCII");
            growing.feed(piece, &Report, &mut |change| match change {
                Change::Text(it) | Change::Element(it) | Change::Whole(it) => arrived += it.len(),
                Change::Field(_) | Change::Begin(_) | Change::End | Change::Anew => {}
            });
        }
        assert!(growing.is_whole() && arrived <= long.len(), "{arrived}");
    }
}

#[test]
fn the_path_says_what_is_arriving() {
    let mut growing = Growing::new(Shape::Record(7));
    let mut open = |piece: &str| {
        growing.feed(piece, &Report, &mut |_| {});
        growing.open()
    };
    let paths = [
        ("well: ", None),
        ("{", Some("$")),
        ("\"ti", Some("$")),
        ("tle\"", Some("$")),
        (": ", Some("$.title")),
        ("\"a", Some("$.title")),
        ("\"", Some("$")),
        (", \"tags\": [", Some("$.tags[0]")),
        ("\"b\", \"", Some("$.tags[1]")),
        ("c\"]", Some("$")),
        (",\"inner\":{\"count\":1", Some("$.inner.count")),
        ("}", Some("$")),
        ("}", None),
        (" {\"title\": \"", None),
    ];
    for (piece, path) in paths {
        assert_eq!(open(piece).as_deref(), path, "{piece}");
    }
}

#[test]
fn what_is_no_json_ends_the_growth_and_takes_nothing_back() {
    for (text, last) in [
        ("{\"title\": \"a\" \"tags\": [1]}", json!({"title": "a"})),
        ("{\"title\": \"a\\x\"}", json!({"title": "a"})),
        ("{\"title\": \"a\\ud83d\\u0041\"}", json!({"title": "a"})),
        ("{\"tags\": [1, , 2]}", json!({"tags": [1]})),
        ("{\"tags\": [1], 'title': 2}", json!({"tags": [1]})),
        ("{\"title\": null, \"count\": ]}", json!({"title": null})),
    ] {
        let mut growing = Growing::new(Shape::Record(7));
        let mut arrived = Arrived::default();
        for character in text.chars() {
            let piece = character.to_string();
            growing.feed(&piece, &Report, &mut |change| arrived.take(change));
        }
        assert!(!growing.is_whole() && growing.open().is_none(), "{text}");
        assert_eq!(arrived.root, last, "{text}");
    }
}

#[test]
fn a_draft_in_a_thought_that_nothing_begins_is_taken_back_at_its_end() {
    for text in [
        "{\"title\": \"draft\"}</think>{\"title\": \"a\"}",
        "Say {\"title\": \"draft\", \"tags\": [1]}.\n</think>\n```json\n{\"title\": \"a\"}",
        "{\"title\": \"draft\", oh no}</THINK> {\"title\": \"a\"}",
        "{\"title\": \"draft\"} {\"title\": \"b\"}[/think]{\"title\": \"a\"}",
    ] {
        for size in [1, 3, text.len()] {
            let mut growing = Growing::new(Shape::Record(7));
            let mut arrived = Arrived::default();
            let all: Vec<char> = text.chars().collect();
            for piece in all.chunks(size) {
                let piece: String = piece.iter().collect();
                growing.feed(&piece, &Report, &mut |change| arrived.take(change));
            }
            assert_eq!(arrived.root, json!({"title": "a"}), "{text}");
        }
    }
}

#[test]
fn a_draft_in_a_thought_is_not_the_value() {
    for text in [
        "<think>{\"title\": \"draft\"}</think>{\"title\": \"a\"}",
        "Hm.\n[THINK]{\"title\": \"draft\"}\n[/THINK]```json\n{\"title\": \"a\"}",
        "\u{25c1}Think\u{25b7}{\"title\": \"draft\"}\u{25c1}/think\u{25b7} {\"title\": \"a\"}",
    ] {
        for size in [1, 3, text.len()] {
            let mut growing = Growing::new(Shape::Record(7));
            let mut arrived = Arrived::default();
            let all: Vec<char> = text.chars().collect();
            for piece in all.chunks(size) {
                let piece: String = piece.iter().collect();
                growing.feed(&piece, &Report, &mut |change| arrived.take(change));
            }
            assert_eq!(arrived.root, json!({"title": "a"}), "{text}");
        }
    }
    for text in [
        "[THINK][1][/THINK][2]",
        "[think][1][/think][2]",
        "[Think] [[1]] [/tHINK]\n[2]",
        "[think]1, [1][/think]```json\n[2]\n```",
        "[note] [think][1][/think][2]",
        "[1st] [think][1][/think][2]",
        "[-] [think][1][/think][2]",
        "[not a list] [think][1][/think][2]",
        "[see [think][1][/think][2]",
        "<think>[think]</think>[2]",
        "[think]<think>[1][/think][2]",
    ] {
        for size in [1, 2, text.len()] {
            let mut growing = Growing::new(Shape::List);
            let mut elements = Vec::new();
            let all: Vec<char> = text.chars().collect();
            for piece in all.chunks(size) {
                let piece: String = piece.iter().collect();
                growing.feed(&piece, &Report, &mut |change| {
                    if let Change::Element(text) = change {
                        elements.push(text.to_owned());
                    }
                });
            }
            assert_eq!(elements, ["2"], "{text} {size}");
        }
    }
}

#[test]
fn lists_and_texts_grow_by_themselves() {
    let mut growing = Growing::new(Shape::List);
    let mut elements = Vec::new();
    growing.feed(
        "{\"items\": [1, {\"a\": [2]}, ]} [3]",
        &Report,
        &mut |change| {
            if let Change::Element(text) = change {
                elements.push(text.to_owned());
            }
        },
    );
    assert!(growing.is_whole());
    assert_eq!(elements, ["1", "{\"a\": [2]}"]);
}
