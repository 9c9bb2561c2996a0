//! Errors as a program builds them, `Missing(name: "port", wait: 1m30s)`, without native recursion however deep they are.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::{Field, Secrecy, Type, TypeId};
use gsw_notation::duration;

use crate::codec;
use crate::codec::places::REDACTED;
use crate::heap::Heap;
use crate::value::{self, error, list, map, optional, set};

/// What is still to be written, the last first.
enum Piece<'a> {
    Text(&'a str),
    /// In quotes, with what a text escapes.
    Quoted(&'a str),
    /// A borrowed value.
    Value(TypeId, u64),
}

struct Writer<'a> {
    heap: &'a Heap,
    out: String,
    waiting: Vec<Piece<'a>>,
}

/// An error of a program's own with its fields, secrets hidden; it is borrowed.
#[must_use]
pub fn error_text(heap: &Heap, error: u64) -> String {
    let mut writer = Writer::new(heap);
    let kind = value::type_of(error);
    writer.constructed(
        error::name(heap, error),
        error::fields(heap, kind),
        error,
        1,
    );
    writer.finish()
}

impl<'a> Writer<'a> {
    fn new(heap: &'a Heap) -> Self {
        Self {
            heap,
            out: String::new(),
            waiting: Vec::new(),
        }
    }

    fn finish(mut self) -> String {
        while let Some(piece) = self.waiting.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Quoted(text) => self.out.push_str(&format!("{text:?}")),
                Piece::Value(ty, word) => self.value(ty, word),
            }
        }
        self.out
    }

    fn value(&mut self, ty: TypeId, word: u64) {
        let types = self.heap.types();
        match types.get(types.base(ty)) {
            Type::Duration => self.out.push_str(&duration::text(word as i64)),
            Type::Optional(_) if word == 0 => self.out.push_str("none"),
            // Optionals do not nest.
            Type::Optional(of) => {
                let inside = optional::inside(self.heap, *of, word);
                self.waiting.push(Piece::Value(*of, inside));
            }
            Type::List(of) => self.sequence("[", list::words(word).iter().copied(), *of, "]"),
            Type::Set { of, .. } => {
                let members = map::entries(set::members(word)).map(|it| it.0);
                self.sequence("[", members, *of, "]");
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts =
                    parts.map(|(index, ty)| vec![Piece::Value(*ty, value::field(word, index))]);
                self.joined("(", parts.collect(), ")");
            }
            Type::Map { key, value } => self.map(*key, *value, word),
            Type::Record(record) => {
                self.out.push_str(&record.name);
                let fields = named_fields(&record.fields, word, 0);
                self.joined(" { ", fields, " }");
            }
            Type::Enum(it) if it.is_inline() => self.out.push_str(&it.variants[word as usize].name),
            Type::Enum(it) => {
                let variant = &it.variants[value::extra(word) as usize];
                self.constructed(&variant.name, &variant.fields, word, 0);
            }
            Type::Error | Type::ErrorKind(_) => self.error(word),
            // Their JSON is what a program writes, or a text: it hides what observers may not see.
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Literals(_)
            | Type::Bytes
            | Type::Time
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => self
                .out
                .push_str(&codec::encode_redacted(self.heap, ty, word)),
            Type::Checked { .. } => unreachable!("the base of a type is not checked"),
        }
    }

    fn map(&mut self, key: TypeId, of: TypeId, word: u64) {
        let entry = |(name, word)| {
            vec![
                Piece::Value(key, name),
                Piece::Text(": "),
                Piece::Value(of, word),
            ]
        };
        self.joined("{", map::entries(word).map(entry).collect(), "}");
    }

    /// An error in a field.
    fn error(&mut self, word: u64) {
        if error::kind(word).is_some_and(error::tells_of_outside) {
            // It holds no other error.
            let mut apart = Writer::new(self.heap);
            apart.error_with_its_fields(word);
            let text = self.heap.without_hidden(apart.finish());
            self.out.push_str(&text);
        } else {
            self.error_with_its_fields(word);
        }
    }

    /// Those of the language with one field are as programs raise them, `Failed("x")`.
    fn error_with_its_fields(&mut self, word: u64) {
        let kind = value::type_of(word);
        let fields = error::fields(self.heap, kind);
        let name = error::name(self.heap, word);
        match (BuiltinError::of(kind), fields) {
            (Some(_), [field]) => {
                self.out.push_str(name);
                self.joined("(", vec![vec![shown(field, error::field(word, 0))]], ")");
            }
            (Some(_) | None, fields) => self.constructed(name, fields, word, 1),
        }
    }

    /// `Name(field: value)`; the fields follow the first words of the object.
    fn constructed(&mut self, name: &str, fields: &'a [Field], word: u64, first: usize) {
        self.out.push_str(name);
        if !fields.is_empty() {
            self.joined("(", named_fields(fields, word, first), ")");
        }
    }

    fn sequence(
        &mut self,
        open: &str,
        words: impl Iterator<Item = u64>,
        of: TypeId,
        close: &'a str,
    ) {
        let parts = words.map(|word| vec![Piece::Value(of, word)]);
        self.joined(open, parts.collect(), close);
    }

    fn joined(&mut self, open: &str, parts: Vec<Vec<Piece<'a>>>, close: &'a str) {
        self.out.push_str(open);
        self.waiting.push(Piece::Text(close));
        let last = parts.len().saturating_sub(1);
        for (index, part) in parts.into_iter().enumerate().rev() {
            if index < last {
                self.waiting.push(Piece::Text(", "));
            }
            self.waiting.extend(part.into_iter().rev());
        }
    }
}

fn named_fields(fields: &[Field], word: u64, first: usize) -> Vec<Vec<Piece<'_>>> {
    let named = fields.iter().enumerate().map(|(index, it)| {
        let part = value::field(word, first + index);
        vec![Piece::Text(&it.name), Piece::Text(": "), shown(it, part)]
    });
    named.collect()
}

fn shown(field: &Field, word: u64) -> Piece<'_> {
    match field.secrecy {
        Secrecy::Shown => Piece::Value(field.ty, word),
        Secrecy::Redacted => Piece::Quoted(REDACTED),
    }
}
