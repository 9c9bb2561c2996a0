//! Makes up schemas, values that fit them, and their texts.

use gsw_notation::path::Step;
use serde_json::{Map, Value, json};

/// Numbers from a seed (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678)
    }

    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((it ^ (it >> 31)) % most.max(1) as u64) as usize
    }

    pub fn pick<'p, T>(&mut self, all: &'p [T]) -> &'p T {
        &all[self.below(all.len())]
    }
}

const NAMES: &[&str] = &[
    "title",
    "line_number",
    "tags",
    "severity",
    "author",
    "isOpen",
    "count",
    "note",
    "value",
    "items",
];

/// What a prompt may ask for: a record, a list or a choice.
pub fn schema(random: &mut Random) -> Value {
    match random.below(8) {
        0..=3 => record(random, 2, None),
        4..=5 => json!({"type": "array", "items": record(random, 2, None)}),
        6 => json!({"type": "array", "items": scalar(random)}),
        _ => choice(random, 2),
    }
}

fn part(random: &mut Random, depth: usize) -> Value {
    if depth == 0 {
        return scalar(random);
    }
    match random.below(13) {
        0..=5 => scalar(random),
        6 => json!({"type": "array", "items": part(random, depth - 1)}),
        7 => record(random, depth - 1, None),
        8 => json!({"type": "object", "additionalProperties": part(random, depth - 1)}),
        9 => choice(random, depth - 1),
        10 => json!({"anyOf": [record(random, depth - 1, None), {"type": "null"}]}),
        11 => {
            json!({"type": "array", "prefixItems": [scalar(random), scalar(random)], "items": false, "minItems": 2, "maxItems": 2})
        }
        _ => json!({}),
    }
}

fn scalar(random: &mut Random) -> Value {
    match random.below(8) {
        0..=2 => json!({"type": "string"}),
        3 => json!({"type": "integer"}),
        4 => json!({"type": "number"}),
        5 => json!({"type": "boolean"}),
        6 => json!({"type": "string", "enum": ["Low", "Medium", "High"]}),
        _ => json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    }
}

fn record(random: &mut Random, depth: usize, kind: Option<&str>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some(kind) = kind {
        properties.insert("kind".into(), json!({"type": "string", "const": kind}));
        required.push("kind");
    }
    let first = random.below(NAMES.len());
    for index in 0..=random.below(4) {
        let name = NAMES[(first + index) % NAMES.len()];
        properties.insert(name.into(), part(random, depth));
        if random.below(4) > 0 {
            required.push(name);
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn choice(random: &mut Random, depth: usize) -> Value {
    let circle = record(random, depth, Some("Circle"));
    let square = record(random, depth, Some("Square"));
    json!({"anyOf": [circle, square, {"type": "string", "const": "Nothing"}]})
}

/// A value that fits, whose strings and numbers are all different.
pub fn value(random: &mut Random, schema: &Value) -> Value {
    let mut maker = Maker { random, count: 0 };
    maker.value(schema, 0)
}

struct Maker<'r> {
    random: &'r mut Random,
    count: usize,
}

impl Maker<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        self.count += 1;
        let count = self.count;
        if let Some(branches) = schema["anyOf"].as_array() {
            let branch = self.random.below(branches.len());
            return self.value(&branches[branch], depth);
        }
        if let Some(words) = schema["enum"].as_array() {
            return words[self.random.below(words.len())].clone();
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        match schema["type"].as_str() {
            Some("string") => self.text().into(),
            Some("integer") => (100_000 + count).into(),
            Some("number") => (1_000.5 + count as f64).into(),
            Some("boolean") => count.is_multiple_of(2).into(),
            Some("null") => Value::Null,
            Some("array") => match schema["prefixItems"].as_array() {
                Some(places) => places.iter().map(|it| self.value(it, depth + 1)).collect(),
                None => (0..self.random.below(4))
                    .map(|_| self.value(&schema["items"], depth + 1))
                    .collect(),
            },
            Some("object") => self.object(schema, depth),
            _ if depth > 3 => self.text().into(),
            _ => match self.random.below(4) {
                0 => json!({"any": self.text(), "more": [count, self.text()]}),
                1 => json!([self.text(), count + 500_000]),
                _ => self.text().into(),
            },
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut fields = Map::new();
        match schema["properties"].as_object() {
            Some(properties) => {
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                for (name, schema) in properties {
                    let is_required = required.iter().any(|it| it == name);
                    if is_required || self.random.below(3) > 0 {
                        fields.insert(name.clone(), self.value(schema, depth + 1));
                    }
                }
            }
            None => {
                for _ in 0..self.random.below(4) {
                    self.count += 1;
                    let name = format!("key{}", self.count);
                    fields.insert(name, self.value(&schema["additionalProperties"], depth + 1));
                }
            }
        }
        Value::Object(fields)
    }

    fn text(&mut self) -> String {
        self.count += 1;
        let count = self.count;
        match self.random.below(8) {
            0 => format!("some words, {count} of them"),
            1 => format!("w{count} {{x}} [y]"),
            2 => format!("say \"w{count}\" now"),
            3 => format!("w{count}\nline: two"),
            4 => format!("it's w{count} // no comment"),
            5 => format!("w{count}: \"quoted\", x"),
            _ => format!("w{count}"),
        }
    }
}

/// A value as text, with the places of its parts.
#[derive(Default)]
pub struct Written {
    pub text: String,
    pub tokens: Vec<Token>,
    pub leaves: Vec<Leaf>,
}

pub struct Token {
    pub start: usize,
    pub end: usize,
    pub kind: TokenKind,
    /// The place of a key or leaf.
    pub path: Vec<Step<'static>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Mark,
    Key,
    Leaf,
}

pub struct Leaf {
    pub path: Vec<Step<'static>>,
    pub value: Value,
    pub start: usize,
    pub end: usize,
}

/// The text of a value, in one of three layouts.
pub fn written(random: &mut Random, value: &Value) -> Written {
    let mut writer = Writer {
        written: Written::default(),
        layout: random.below(3),
        path: Vec::new(),
    };
    writer.value(value);
    writer.written
}

struct Writer {
    written: Written,
    /// Compact, spaced or pretty.
    layout: usize,
    path: Vec<Step<'static>>,
}

impl Writer {
    fn token(&mut self, text: &str, kind: TokenKind) {
        let start = self.written.text.len();
        self.written.text.push_str(text);
        self.written.tokens.push(Token {
            start,
            end: self.written.text.len(),
            kind,
            path: self.path.clone(),
        });
    }

    fn gap(&mut self) {
        match self.layout {
            0 => {}
            1 => self.written.text.push(' '),
            _ => {
                self.written.text.push('\n');
                self.written.text.push_str(&"  ".repeat(self.path.len()));
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => {
                self.token("[", TokenKind::Mark);
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.token(",", TokenKind::Mark);
                    }
                    self.path.push(Step::Index(index));
                    self.gap();
                    self.value(item);
                    self.path.pop();
                }
                self.gap();
                self.token("]", TokenKind::Mark);
            }
            Value::Object(fields) => {
                self.token("{", TokenKind::Mark);
                for (index, (key, it)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.token(",", TokenKind::Mark);
                    }
                    self.path.push(Step::Key(key.clone().into()));
                    self.gap();
                    self.token(&Value::from(key.as_str()).to_string(), TokenKind::Key);
                    self.token(":", TokenKind::Mark);
                    if self.layout > 0 {
                        self.written.text.push(' ');
                    }
                    self.value(it);
                    self.path.pop();
                }
                self.gap();
                self.token("}", TokenKind::Mark);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let start = self.written.text.len();
                self.token(&value.to_string(), TokenKind::Leaf);
                self.written.leaves.push(Leaf {
                    path: self.path.clone(),
                    value: value.clone(),
                    start,
                    end: self.written.text.len(),
                });
            }
        }
    }
}
