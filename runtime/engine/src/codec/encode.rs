//! Writes the JSON form of a value, without native recursion however deep it is.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gsw_abi::builtin;
use gsw_abi::types::{Field, KIND, Secrecy, Type, TypeId, TypeTable};
use gsw_notation::calendar;

use crate::codec::places::REDACTED;
use crate::codec::sink::Sink;
use crate::hidden::Hidden;
use crate::media;
use crate::secret::Template;
use crate::value::json::View;
use crate::value::{self, error, json, list, map, set, string};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipient {
    /// The program itself, which may see everything but what errors hold back.
    Program,
    /// A server that the program calls, which sees everything as well. What may be missing is left out: it is described so, and a
    /// `null` in its place refused.
    Server,
    /// Events, logs and journals, which may not see `@secret` fields and secrets.
    Observer,
}

/// A list or object of which a part is written; words are borrowed.
enum Open<'a> {
    List {
        of: TypeId,
        words: std::slice::Iter<'a, u64>,
    },
    Tuple {
        parts: &'a [TypeId],
        word: u64,
        next: usize,
    },
    Fields {
        fields: &'a [Field],
        word: u64,
        first: usize,
        next: usize,
    },
    Map {
        key: TypeId,
        of: TypeId,
        entries: Box<dyn Iterator<Item = (u64, u64)> + 'a>,
    },
    Set {
        of: TypeId,
        entries: Box<dyn Iterator<Item = (u64, u64)> + 'a>,
    },
}

/// What is known of values, whatever they are.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) types: &'a TypeTable,
    pub(super) hidden: &'a Hidden,
}

struct Writer<'a, S> {
    types: &'a TypeTable,
    hidden: &'a Hidden,
    recipient: Recipient,
    /// Inside of an error: how many lists and objects are open around it. Its text is a message, which hides from everybody what
    /// observers do not see.
    error_from: Option<usize>,
    /// The same of one whose texts come from outside, and may repeat what the outside was given.
    told_from: Option<usize>,
    sink: &'a mut S,
    open: Vec<Open<'a>>,
}

/// Writes `word`, which is borrowed, into the sink.
pub(super) fn write<S: Sink>(
    Known { types, hidden }: Known<'_>,
    ty: TypeId,
    word: u64,
    recipient: Recipient,
    sink: &mut S,
) {
    let mut writer = Writer {
        types,
        hidden,
        recipient,
        error_from: None,
        told_from: None,
        sink,
        open: Vec::new(),
    };
    writer.value(ty, word);
    writer.finish();
}

/// Writes `words` of one type, which are borrowed, as a list into the sink.
pub(super) fn write_elements<S: Sink>(
    Known { types, hidden }: Known<'_>,
    of: TypeId,
    words: &[u64],
    recipient: Recipient,
    sink: &mut S,
) {
    let mut writer = Writer {
        types,
        hidden,
        recipient,
        error_from: None,
        told_from: None,
        sink,
        open: Vec::new(),
    };
    writer.elements(of, words);
    writer.finish();
}

impl<'a, S: Sink> Writer<'a, S> {
    /// Writes what is open, until the sink takes no more.
    fn finish(&mut self) {
        while self.advance() && !self.sink.has_ended() {}
    }

    /// Writes the next part of what was opened last, or its end; `false` when nothing is open.
    fn advance(&mut self) -> bool {
        let Some(open) = self.open.last_mut() else {
            return false;
        };
        match open {
            Open::List { of, words } => match words.next() {
                Some(&word) => {
                    let of = *of;
                    self.value(of, word);
                }
                None => self.end_list(),
            },
            Open::Tuple { parts, word, next } => match parts.get(*next) {
                Some(&ty) => {
                    let part = value::field(*word, *next);
                    *next += 1;
                    self.value(ty, part);
                }
                None => self.end_list(),
            },
            Open::Fields {
                fields,
                word,
                first,
                next,
            } => match fields.get(*next) {
                Some(field) => {
                    let part = value::field(*word, *first + *next);
                    *next += 1;
                    self.field(field, part);
                }
                None => self.end_object(),
            },
            Open::Map { key, of, entries } => match entries.next() {
                Some((name, word)) => {
                    let (key, of) = (*key, *of);
                    self.map_key(key, name);
                    self.value(of, word);
                }
                None => self.end_object(),
            },
            Open::Set { of, entries } => match entries.next() {
                Some((word, _)) => {
                    let of = *of;
                    self.value(of, word);
                }
                None => self.end_list(),
            },
        }
        true
    }

    fn end_list(&mut self) {
        self.open.pop();
        self.sink.end_list();
    }

    fn end_object(&mut self) {
        self.open.pop();
        if self.error_from == Some(self.open.len()) {
            self.error_from = None;
        }
        if self.told_from == Some(self.open.len()) {
            self.told_from = None;
        }
        self.sink.end_object();
    }

    /// Whether secrets and `@secret` fields are not written here.
    fn is_redacted(&self) -> bool {
        match self.recipient {
            Recipient::Observer => true,
            Recipient::Program | Recipient::Server => self.error_from.is_some(),
        }
    }

    fn field(&mut self, field: &Field, word: u64) {
        if self.recipient == Recipient::Server && self.is_left_out(field, word) {
            return;
        }
        self.sink.key(&field.wire);
        match field.secrecy {
            Secrecy::Redacted if self.is_redacted() => self.sink.text(REDACTED),
            Secrecy::Redacted => {
                self.sink.confidential();
                self.value(field.ty, word);
            }
            Secrecy::Shown => self.value(field.ty, word),
        }
    }

    /// Whether a field is `none` and has a default, which then is `none` or for the server to choose.
    fn is_left_out(&self, field: &Field, word: u64) -> bool {
        let ty = self.types.get(self.types.base(field.ty));
        let is_none = matches!(ty, Type::Optional(_)) && word == 0;
        let is_null = || matches!(ty, Type::Json) && matches!(json::view(word), View::Null);
        field.default.is_some() && (is_none || is_null())
    }

    fn map_key(&mut self, key: TypeId, word: u64) {
        let ty = self.types.get(self.types.base(key));
        if let Type::Int = ty {
            self.sink.key(&(word as i64).to_string());
        } else if let Type::Enum(it) = ty {
            self.sink.key(&it.variants[word as usize].wire);
        } else {
            // The loader has checked that every other key is laid out as a string.
            self.sink.key(string::text(word));
        }
    }

    /// An image or a document: whole where it must be read back, in short form where it is only shown.
    fn media(&mut self, word: u64) {
        let Some(media) = media::of(word) else {
            return self.sink.null();
        };
        let is_whole = self.recipient != Recipient::Observer && self.sink.is_read_back();
        let form = if is_whole {
            serde_json::to_value(&media)
        } else {
            serde_json::to_value(media::outline(&media))
        };
        self.sink.begin_object();
        let fields = form.ok().and_then(|it| it.as_object().cloned());
        for (name, value) in fields.into_iter().flatten() {
            self.sink.key(&name);
            match value.as_i64() {
                Some(number) => self.sink.int(number),
                None => self.sink.text(value.as_str().unwrap_or_default()),
            }
        }
        self.sink.end_object();
    }

    /// Writes a value that is no list or object, and opens one that is.
    fn value(&mut self, ty: TypeId, word: u64) {
        match self.types.get(self.types.base(ty)) {
            Type::Bool => self.sink.bool(word != 0),
            Type::Int => self.sink.int(word as i64),
            Type::Float => self.sink.float(f64::from_bits(word)),
            Type::String if self.told_from.is_some() => {
                let text = self.hidden.redact_text(string::text(word).to_owned());
                self.sink.text(&text);
            }
            Type::String | Type::Literals(_) => self.sink.text(string::text(word)),
            Type::Secret if self.is_redacted() => self.sink.text(REDACTED),
            Type::Secret => {
                self.sink.confidential();
                self.sink.text(Template::of(word).text());
            }
            Type::Media => self.media(word),
            Type::Bytes => self.sink.text(&STANDARD.encode(string::bytes(word))),
            Type::Time => self.sink.text(&calendar::rfc3339(word as i64)),
            Type::Duration => self.sink.seconds(word as i64),
            Type::Json => self.json(word),
            Type::Optional(_) if word == 0 => self.sink.null(),
            // Optionals do not nest, so this is one step.
            Type::Optional(of) if self.types.is_reference(*of) => self.value(*of, word),
            Type::Optional(of) => self.value(*of, value::field(word, 0)),
            Type::List(of) => self.elements(*of, list::words(word)),
            Type::Tuple(parts) => {
                self.sink.begin_list();
                self.open.push(Open::Tuple {
                    parts,
                    word,
                    next: 0,
                });
            }
            Type::Map { key, value } => self.map(*key, *value, word),
            Type::Set { of, .. } => {
                self.sink.begin_list();
                self.open.push(Open::Set {
                    of: *of,
                    entries: Box::new(map::entries(set::members(word))),
                });
            }
            Type::Record(record) => self.fields(None, &record.fields, word, 0),
            Type::Enum(it) if it.is_inline() => self.sink.text(&it.variants[word as usize].wire),
            Type::Enum(it) => {
                let variant = &it.variants[value::extra(word) as usize];
                if variant.fields.is_empty() {
                    self.sink.text(&variant.wire);
                } else {
                    self.fields(Some(&variant.wire), &variant.fields, word, 0);
                }
            }
            Type::Error | Type::ErrorKind(_) => self.error(word),
            // What cannot be recorded does not compile where JSON is asked for, but an error may hold it; `()` is null.
            Type::Unit
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => self.sink.null(),
            Type::Checked { .. } => unreachable!("the base of a type is not checked"),
        }
    }

    fn fields(&mut self, kind: Option<&str>, fields: &'a [Field], word: u64, first: usize) {
        self.sink.begin_object();
        if let Some(kind) = kind {
            self.sink.key(KIND);
            self.sink.text(kind);
        }
        self.open.push(Open::Fields {
            fields,
            word,
            first,
            next: 0,
        });
    }

    fn error(&mut self, word: u64) {
        if let Type::ErrorKind(kind) = self.types.get(value::type_of(word)) {
            self.error_from.get_or_insert(self.open.len());
            if error::kind(word).is_some_and(error::tells_of_outside) {
                self.told_from.get_or_insert(self.open.len());
            }
            self.fields(Some(&kind.name), &kind.fields, word, 1);
        } else {
            self.sink.null();
        }
    }

    fn elements(&mut self, of: TypeId, words: &'a [u64]) {
        self.sink.begin_list();
        self.open.push(Open::List {
            of,
            words: words.iter(),
        });
    }

    fn map(&mut self, key: TypeId, of: TypeId, word: u64) {
        self.sink.begin_object();
        self.open.push(Open::Map {
            key,
            of,
            entries: Box::new(map::entries(word)),
        });
    }

    fn json(&mut self, word: u64) {
        if self.is_redacted() && json::is_confidential(word) {
            return self.sink.text(REDACTED);
        }
        if self.sink.whole(word) {
            return;
        }
        match json::view(word) {
            View::Null => self.sink.null(),
            View::Bool(it) => self.sink.bool(it),
            View::Int(it) => self.sink.int(it),
            View::Float(it) => self.sink.float(it),
            View::String(it) => self.sink.text(string::text(it)),
            View::List(it) => self.elements(builtin::JSON, list::words(it)),
            View::Object(it) => self.map(builtin::STRING, builtin::JSON, it),
        }
    }
}
