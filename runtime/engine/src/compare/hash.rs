//! Hash of values by their type: the same for equal values, keyed, without native recursion however deep they are.

use gsw_abi::builtin;
use gsw_abi::types::{Field, Type, TypeId};

use crate::heap::{Heap, Poll};
use crate::value::hash::HashKey;
use crate::value::json::View;
use crate::value::{self, error, json, list, map, optional, set, string};

/// A step of hashing; the last pushed is the first done.
enum Step {
    Value(TypeId, u64),
    /// The elements of a list from a place on.
    Elements {
        of: TypeId,
        list: u64,
        from: usize,
    },
    /// The entry of a map begins, with the hash of its key.
    BeginEntry(u64),
    /// It ends, and is added to the entries before it: entries have no order in `==`.
    EndEntry,
    /// The entries of a map end.
    EndMap,
}

/// A number that is equal for equal values; arbitrary when the run is to stop meanwhile.
#[must_use]
pub fn hash(heap: &Heap, ty: TypeId, word: u64) -> u64 {
    let mut hasher = Hasher {
        heap,
        key: heap.hash_key(),
        work: vec![Step::Value(ty, word)],
        outer: Vec::new(),
        hash: 0,
    };
    let mut poll = Poll::default();
    while let Some(step) = hasher.work.pop() {
        hasher.step(&step);
        if poll.ends(heap) {
            break;
        }
    }
    hasher.hash
}

struct Hasher<'a> {
    heap: &'a Heap,
    key: HashKey,
    work: Vec<Step>,
    /// What was hashed around the map or entry that is being hashed, outermost first.
    outer: Vec<u64>,
    hash: u64,
}

impl Hasher<'_> {
    fn step(&mut self, step: &Step) {
        match *step {
            Step::Value(ty, word) => self.value(ty, word),
            Step::Elements { of, list, from } => {
                if let Some(&word) = list::words(list).get(from) {
                    let from = from + 1;
                    self.work.push(Step::Elements { of, list, from });
                    self.value(of, word);
                }
            }
            Step::BeginEntry(key) => {
                self.outer.push(self.hash);
                self.hash = key;
            }
            Step::EndEntry => {
                let before = self.end();
                self.hash = before.wrapping_add(self.hash);
            }
            Step::EndMap => {
                let (before, entries) = (self.end(), self.hash);
                self.hash = before;
                self.mix(entries);
            }
        }
    }

    fn end(&mut self) -> u64 {
        self.outer.pop().expect("what ends has begun")
    }

    fn mix(&mut self, word: u64) {
        self.hash = self.key.word(self.hash ^ word);
    }

    fn mix_bytes(&mut self, word: u64) {
        self.mix(self.key.bytes(string::bytes(word)));
    }

    /// Mixes in what a value shows at once and leaves its parts in `work`.
    fn value(&mut self, ty: TypeId, word: u64) {
        let heap = self.heap;
        match heap.types().get(heap.types().base(ty)) {
            Type::Float => self.mix(float(f64::from_bits(word))),
            Type::String | Type::Bytes | Type::Secret | Type::Media | Type::Literals(_) => {
                self.mix_bytes(word);
            }
            Type::Json => self.json(word),
            Type::Optional(of) => {
                if word != 0 {
                    let inside = optional::inside(heap, *of, word);
                    self.work.push(Step::Value(*of, inside));
                }
                self.mix(u64::from(word != 0));
            }
            Type::List(of) => self.list(*of, word),
            Type::Map { key, value } => self.map(*key, *value, word),
            Type::Set { of, .. } => self.map(*of, builtin::BOOL, set::members(word)),
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let steps = parts.map(|(at, &ty)| Step::Value(ty, value::field(word, at)));
                self.work.extend(steps);
            }
            Type::Record(record) => self.fields(&record.fields, 0, word),
            Type::Enum(it) if !it.is_inline() => {
                let variant = value::extra(word);
                self.fields(&it.variants[variant as usize].fields, 0, word);
                self.mix(u64::from(variant));
            }
            Type::Error | Type::ErrorKind(_) => {
                let kind = value::type_of(word);
                self.fields(error::fields(heap, kind), 1, word);
                self.mix(u64::from(kind.0));
            }
            Type::Enum(_)
            | Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Time
            | Type::Duration
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => self.mix(word),
            Type::Checked { .. } => unreachable!("the base of a type is not checked"),
        }
    }

    fn list(&mut self, of: TypeId, word: u64) {
        self.mix(list::len(word) as u64);
        self.work.push(Step::Elements {
            of,
            list: word,
            from: 0,
        });
    }

    fn fields(&mut self, fields: &[Field], first: usize, word: u64) {
        let fields = fields.iter().enumerate();
        let steps = fields.map(|(at, it)| Step::Value(it.ty, value::field(word, first + at)));
        self.work.extend(steps);
    }

    fn map(&mut self, key: TypeId, of: TypeId, word: u64) {
        self.mix(map::len(word) as u64);
        self.outer.push(self.hash);
        self.hash = 0;
        self.work.push(Step::EndMap);
        let is_text = self.heap.is_reference(key);
        for (entry, value) in map::entries(word) {
            let entry = if is_text {
                self.key.bytes(string::bytes(entry))
            } else {
                self.key.word(entry)
            };
            self.work.push(Step::EndEntry);
            self.work.push(Step::Value(of, value));
            self.work.push(Step::BeginEntry(entry));
        }
    }

    fn json(&mut self, word: u64) {
        match json::view(word) {
            View::Null => self.mix(1),
            View::Bool(it) => self.mix(2 + u64::from(it)),
            View::Int(it) => self.mix(float(it as f64)),
            View::Float(it) => self.mix(float(it)),
            View::String(text) => self.mix_bytes(text),
            View::List(elements) => self.list(builtin::JSON, elements),
            View::Object(entries) => self.map(builtin::STRING, builtin::JSON, entries),
        }
    }
}

/// Both zeros are equal, so they hash alike.
fn float(value: f64) -> u64 {
    if value == 0.0 { 0 } else { value.to_bits() }
}
