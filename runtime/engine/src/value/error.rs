//! Error objects: their fields, their message, and the places they passed.

use gsw_abi::builtin::{self, BuiltinError};
use gsw_abi::layout::{ERROR_TRACE, error_field};
use gsw_abi::types::{ErrorClass, ErrorKind, Field, Secrecy, Type, TypeId};
use gsw_notation::duration;
use gsw_notation::issue::Issue;

use crate::codec;
use crate::heap::Heap;
use crate::value::{self, built, list, load, map, optional, store, string};

/// A new error of a built-in kind; takes over its fields.
#[must_use]
pub fn new(heap: &mut Heap, kind: BuiltinError, fields: &[u64]) -> u64 {
    new_of(heap, kind.ty(), fields)
}

/// A new error of any kind; takes over its fields.
#[must_use]
pub fn new_of(heap: &mut Heap, kind: TypeId, fields: &[u64]) -> u64 {
    let word = heap.object(kind, 0, 1 + fields.len());
    for (index, &field) in fields.iter().enumerate() {
        store(word, error_field(index), field);
    }
    word
}

/// A new error of a kind whose only field is a text: `Failed`, `Internal`, `PermissionDenied` and the like.
#[must_use]
pub fn with_text(heap: &mut Heap, kind: BuiltinError, text: &str) -> u64 {
    let text = heap.without_hidden(text.to_owned());
    let text = string::new(heap, &text);
    new(heap, kind, &[text])
}

/// `OutOfRange` for an index into a list of this many elements.
#[must_use]
pub fn no_index(heap: &mut Heap, index: u64, length: usize) -> u64 {
    let list = match length {
        0 => "an empty list".into(),
        1 => "a list of 1 element".into(),
        length => format!("a list of {length} elements"),
    };
    let text = format!("there is no index {} in {list}", index as i64);
    with_text(heap, BuiltinError::OutOfRange, &text)
}

/// `OutOfRange` for a key, which is borrowed, of a map.
#[must_use]
pub fn no_key(heap: &mut Heap, map: u64, key: u64) -> u64 {
    let (ty, _) = map::types(heap, value::type_of(map));
    let shown = |key| {
        let mut text = heap.without_hidden(codec::encode_redacted(heap, ty, key));
        if let Some((cut, _)) = text.char_indices().nth(LONGEST_KEY) {
            text.truncate(cut);
            text.push('…');
        }
        text
    };
    let keys: Vec<String> = map::entries(map)
        .take(MOST_KEYS)
        .map(|(key, _)| shown(key))
        .collect();
    let map = match map::len(map) {
        0 => "an empty map".into(),
        1 => format!("a map with the key {}", keys.join("")),
        count if count > MOST_KEYS => {
            format!("a map with the {count} keys {}, …", keys.join(", "))
        }
        _ => format!("a map with the keys {}", keys.join(", ")),
    };
    let text = format!("there is no key {} in {map}", shown(key));
    with_text(heap, BuiltinError::OutOfRange, &text)
}

/// The most keys of a map that are named, and the most characters of each; guesses at what a line holds.
const MOST_KEYS: usize = 5;
const LONGEST_KEY: usize = 40;

#[must_use]
pub fn decode(heap: &mut Heap, issue: &Issue) -> u64 {
    let fields = [&issue.path, &issue.expected, &issue.found].map(|text| {
        let text = heap.without_hidden(text.clone());
        string::new(heap, &text)
    });
    new(heap, BuiltinError::DecodeError, &fields)
}

/// A new `Many` of these errors, of `total` children of what is called `place`.
#[must_use]
pub fn many_of(heap: &mut Heap, errors: &[u64], total: usize, place: &str) -> u64 {
    // A number in the header instead of a field, so that `Many(errors)` stays the whole of what programs see.
    let label = heap.label(&format!("of {total} concurrent children failed in {place}"));
    let errors = list::new(heap, builtin::LIST_ERROR, errors);
    let word = heap.object(BuiltinError::Many.ty(), label, 2);
    store(word, error_field(0), errors);
    word
}

/// The built-in kind of an error, if it has one.
#[must_use]
pub fn kind(error: u64) -> Option<BuiltinError> {
    BuiltinError::of(value::type_of(error))
}

/// Whether the texts of such an error come from outside, and may repeat what the outside was given. Those of the others are of the
/// program itself, or were made by the runtime, which hides what it should.
#[must_use]
pub fn tells_of_outside(kind: BuiltinError) -> bool {
    match kind {
        BuiltinError::Refused
        | BuiltinError::Unauthorized
        | BuiltinError::QuotaExceeded
        | BuiltinError::InvalidResponse
        | BuiltinError::ProviderError
        | BuiltinError::ToolFailed
        | BuiltinError::McpError
        | BuiltinError::IoError
        | BuiltinError::HttpError
        | BuiltinError::PermissionDenied
        | BuiltinError::OutcomeUnknown => true,
        BuiltinError::RateLimited
        | BuiltinError::Overloaded
        | BuiltinError::ContextTooLong
        | BuiltinError::MaxTokens
        | BuiltinError::Timeout
        | BuiltinError::DecodeError
        | BuiltinError::Failed
        | BuiltinError::Many
        | BuiltinError::Overflow
        | BuiltinError::DivisionByZero
        | BuiltinError::AssertionFailed
        | BuiltinError::OutOfRange
        | BuiltinError::StackOverflow
        | BuiltinError::OutOfMemory
        | BuiltinError::BudgetExceeded
        | BuiltinError::Internal
        | BuiltinError::Cancelled
        | BuiltinError::Unwind => false,
    }
}

/// The name of an error's kind.
#[must_use]
pub fn name(heap: &Heap, error: u64) -> &str {
    &error_kind(heap, value::type_of(error)).name
}

/// What an error is to `catch`, `retry` and signatures.
#[must_use]
pub fn class(heap: &Heap, error: u64) -> ErrorClass {
    error_kind(heap, value::type_of(error)).class
}

/// The declared fields of a kind of error; they follow the trace.
#[must_use]
pub fn fields(heap: &Heap, kind: TypeId) -> &[Field] {
    &error_kind(heap, kind).fields
}

fn error_kind(heap: &Heap, kind: TypeId) -> &ErrorKind {
    let ty = heap.types().get(kind);
    let Type::ErrorKind(kind) = ty else {
        unreachable!("an error is of an error's kind, not of {ty:?}")
    };
    kind
}

/// Field `index` of an error, borrowed.
#[must_use]
pub fn field(error: u64, index: usize) -> u64 {
    load(error, error_field(index))
}

/// Appends a span to an error's trace. Constants have none, since they are read-only.
pub fn push_trace(heap: &mut Heap, error: u64, span: u32) {
    push(heap, error, u64::from(span));
}

fn push(heap: &mut Heap, error: u64, element: u64) {
    if value::owners(error).is_none() {
        return;
    }
    let mut trace = load(error, ERROR_TRACE);
    if trace == 0 {
        trace = list::with_capacity(heap, builtin::LIST_INT, 4);
    }
    if list::len(trace) < LONGEST_TRACE {
        trace = list::push(heap, trace, element);
    } else {
        // Only the error has a share in its trace, so it is not copied.
        trace = list::unique(heap, trace, 0).unwrap_or_else(|trace| trace);
        leave_out(list::words_mut(trace), element);
    }
    store(error, ERROR_TRACE, trace);
}

/// Puts an element after a full trace: one in the middle makes room, and the number of those that did is kept there.
fn leave_out(trace: &mut [u64], element: u64) {
    let (first, last) = trace.split_at_mut(LONGEST_TRACE / 2);
    let Some((count, last)) = last.split_first_mut() else {
        return;
    };
    let mut gone = vec![last[0]];
    if *count & LEFT_OUT == 0 {
        gone.push(*count);
        *count = LEFT_OUT;
    }
    // The first places show where it arose and the last where it has come to.
    // Those in the middle of an endless recursion say the same again and again.
    last.copy_within(1.., 0);
    last[last.len() - 1] = element;
    // The origin is no place, and is needed.
    for element in gone {
        if element & ORIGIN != 0 {
            let before = first.len() - 1;
            first[before] = element;
        }
        *count += 1;
    }
}

/// The most elements of a trace that are kept: the first ones and the last.
const LONGEST_TRACE: usize = 256;

/// An element of a trace that is no span: how many are left out there.
const LEFT_OUT: u64 = 1 << 33;

/// An element of a trace that is no span: the node in which the error arose.
const ORIGIN: u64 = 1 << 32;

/// The number of the node in which an error arose, once it has been reported. Constants do not know it.
#[must_use]
pub fn origin(error: u64) -> Option<u32> {
    let mut elements = elements(error).iter();
    let element = elements.find(|&&it| it & ORIGIN != 0)?;
    Some(*element as u32)
}

/// Remembers the number of the node in which an error arose.
pub fn set_origin(heap: &mut Heap, error: u64, node: u32) {
    push(heap, error, ORIGIN | u64::from(node));
}

/// The spans that an error passed, from the inside out.
#[must_use]
pub fn trace(error: u64) -> Vec<u32> {
    let is_span = |it: &&u64| **it & (ORIGIN | LEFT_OUT) == 0;
    let spans = elements(error).iter().filter(is_span);
    spans.map(|&span| span as u32).collect()
}

/// How many spans of an error's trace are left out in the middle of it.
#[must_use]
pub fn left_out(error: u64) -> u64 {
    let count = elements(error).iter().find(|&&it| it & LEFT_OUT != 0);
    count.map_or(0, |it| it & !LEFT_OUT)
}

fn elements<'a>(error: u64) -> &'a [u64] {
    match load(error, ERROR_TRACE) {
        0 => &[],
        trace => list::words(trace),
    }
}

/// The text of `e.message()`.
#[must_use]
pub fn message(heap: &Heap, error: u64) -> String {
    match kind(error) {
        Some(kind) if tells_of_outside(kind) => {
            heap.without_hidden(builtin_message(heap, kind, error))
        }
        Some(kind) => builtin_message(heap, kind, error),
        None => built::error_text(heap, error),
    }
}

fn builtin_message(heap: &Heap, kind: BuiltinError, error: u64) -> String {
    let text = |index| string::text(field(error, index));
    match kind {
        BuiltinError::RateLimited => rate_limited(heap, error),
        BuiltinError::Overloaded => "the provider has no capacity".into(),
        BuiltinError::Unauthorized
        | BuiltinError::QuotaExceeded
        | BuiltinError::AssertionFailed
        | BuiltinError::OutOfRange
        | BuiltinError::Internal
        | BuiltinError::Failed => text(0).into(),
        BuiltinError::InvalidResponse => invalid(error),
        BuiltinError::Refused => format!("refused: {}", text(0)),
        BuiltinError::ContextTooLong => "the request is longer than the model accepts".into(),
        BuiltinError::MaxTokens => "the answer was cut at its token limit".into(),
        BuiltinError::ProviderError | BuiltinError::IoError => text(1).into(),
        BuiltinError::Timeout => {
            format!("timed out after {}", duration::text(field(error, 0) as i64))
        }
        BuiltinError::ToolFailed | BuiltinError::McpError => format!("{}: {}", text(0), text(1)),
        BuiltinError::HttpError => format!("HTTP status {}", field(error, 0) as i64),
        BuiltinError::DecodeError => {
            format!("at {}: expected {}, found {}", text(0), text(1), text(2))
        }
        BuiltinError::Many => many(heap, error),
        BuiltinError::Overflow => "an integer overflowed 64 bits".into(),
        BuiltinError::DivisionByZero => "division by zero".into(),
        BuiltinError::StackOverflow => "calls nest too deep".into(),
        BuiltinError::OutOfMemory => "the memory limit is reached".into(),
        BuiltinError::BudgetExceeded => format!("the budget is used up: {}", text(0)),
        BuiltinError::PermissionDenied => format!("not permitted: {}", text(0)),
        BuiltinError::OutcomeUnknown => format!("the outcome is unknown: {}", text(0)),
        BuiltinError::Cancelled => match field(error, 0) {
            0 => "cancelled".into(),
            reason => format!("cancelled: {}", string::text(reason)),
        },
        BuiltinError::Unwind => "cancelled".into(),
    }
}

fn rate_limited(heap: &Heap, error: u64) -> String {
    match field(error, 0) {
        0 => "the provider asks to wait".into(),
        wait => {
            let wait = optional::inside(heap, builtin::DURATION, wait) as i64;
            format!("the provider asks to wait {}", duration::text(wait))
        }
    }
}

fn invalid(error: u64) -> String {
    let issues = list::words(field(error, 0));
    let messages = issues
        .iter()
        .map(|&issue| string::text(value::field(issue, 3)));
    format!(
        "the answer does not fit: {}",
        messages.collect::<Vec<_>>().join("; ")
    )
}

/// What `parallel for` merged says how many of how many; of others one level is spelled out, so that `Many` in `Many` needs
/// no recursion.
fn many(heap: &Heap, error: u64) -> String {
    let errors = list::words(field(error, 0));
    if let Some(label) = heap.label_text(value::extra(error)) {
        return format!("{} {label}", errors.len());
    }
    let texts = errors.iter().map(|&error| {
        if kind(error) == Some(BuiltinError::Many) {
            format!("{} errors", list::len(field(error, 0)))
        } else {
            message(heap, error)
        }
    });
    format!(
        "{} errors: {}",
        errors.len(),
        texts.collect::<Vec<_>>().join("; ")
    )
}

/// The JSON of an error's field as people may see it: without secrets.
#[must_use]
pub fn shown_field(heap: &Heap, field: &Field, word: u64) -> String {
    match field.secrecy {
        Secrecy::Shown => codec::encode_redacted(heap, field.ty, word),
        Secrecy::Redacted => format!("\"{}\"", codec::places::REDACTED),
    }
}
