//! `==`, order and hash of values by their type, without native recursion however deep they are.

mod hash;

use std::cmp::Ordering;

use gsw_abi::builtin;
use gsw_abi::types::{Field, Type, TypeId};
use gsw_notation::number::is_same;

use crate::heap::{Heap, Poll};
use crate::value::json::View;
use crate::value::{self, error, json, list, map, optional, set, string};

pub use hash::hash;

/// Two words of one type that are still to be compared.
type Pair = (TypeId, u64, u64);

/// Lists of equal lengths, of which the elements from a place on are still to be compared.
#[derive(Clone, Copy)]
struct Rest {
    of: TypeId,
    a: u64,
    b: u64,
    from: usize,
}

impl Rest {
    /// The next pair, and what is left after it.
    fn next(self) -> Option<(Pair, Self)> {
        let pair = (
            self.of,
            *list::words(self.a).get(self.from)?,
            *list::words(self.b).get(self.from)?,
        );
        let from = self.from + 1;
        Some((pair, Self { from, ..self }))
    }
}

/// What is still to be compared for `==`; the last is compared first.
enum Task {
    Pair(Pair),
    Lists(Rest),
}

/// `a == b`. Floats compare as IEEE 754 says, maps without regard to order, functions and tasks by identity. `false` when the
/// run is to stop meanwhile.
#[must_use]
pub fn equal(heap: &Heap, ty: TypeId, a: u64, b: u64) -> bool {
    let mut poll = Poll::default();
    let mut work = vec![Task::Pair((ty, a, b))];
    while let Some(task) = work.pop() {
        let (ty, a, b) = match task {
            Task::Pair(pair) => pair,
            Task::Lists(rest) => match rest.next() {
                Some((pair, rest)) => {
                    work.push(Task::Lists(rest));
                    pair
                }
                None => continue,
            },
        };
        if a == b && heap.is_reflexive(ty) {
            continue;
        }
        if poll.ends(heap) || !equal_front(heap, (ty, a, b), &mut work) {
            return false;
        }
    }
    true
}

/// The order of two values; where the language knows none, equal.
///
/// Floats are in a total order that agrees with `<`: `NaN` comes last and equals itself. What is compared when the run is to
/// stop is equal.
#[must_use]
pub fn compare(heap: &Heap, ty: TypeId, a: u64, b: u64) -> Ordering {
    let mut poll = Poll::default();
    let mut work = vec![Step::Values((ty, a, b))];
    while let Some(step) = work.pop() {
        let order = match step {
            Step::Known(order) => order,
            Step::Values(pair) => compare_front(heap, pair, &mut work),
            Step::Lists(rest) => match rest.next() {
                Some((pair, rest)) => {
                    work.push(Step::Lists(rest));
                    compare_front(heap, pair, &mut work)
                }
                None => Ordering::Equal,
            },
        };
        if order != Ordering::Equal || poll.ends(heap) {
            return order;
        }
    }
    Ordering::Equal
}

/// The total order of floats that sorting uses.
#[must_use]
pub fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// A step of an ordered comparison; the last pushed is compared first.
enum Step {
    Values(Pair),
    /// The elements that both have.
    Lists(Rest),
    Known(Ordering),
}

/// Compares what two values show at once and leaves their parts in `work`.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn equal_front(heap: &Heap, (ty, a, b): Pair, work: &mut Vec<Task>) -> bool {
    match heap.types().get(heap.types().base(ty)) {
        Type::Float => f64::from_bits(a) == f64::from_bits(b),
        Type::String | Type::Bytes | Type::Secret | Type::Media | Type::Literals(_) => {
            string::bytes(a) == string::bytes(b)
        }
        Type::Json => equal_json(heap, a, b, work),
        Type::Optional(of) => {
            if a != 0 && b != 0 {
                let (a, b) = (
                    optional::inside(heap, *of, a),
                    optional::inside(heap, *of, b),
                );
                work.push(Task::Pair((*of, a, b)));
            }
            (a == 0) == (b == 0)
        }
        Type::List(of) => {
            if list::len(a) != list::len(b) {
                return false;
            }
            // Words of what is held inline and equals itself are equal as they are.
            if !heap.is_reference(*of) && heap.is_reflexive(*of) {
                return list::words(a) == list::words(b);
            }
            let of = *of;
            work.push(Task::Lists(Rest { of, a, b, from: 0 }));
            true
        }
        Type::Map { value, .. } => equal_maps(heap, *value, a, b, work),
        Type::Set { .. } => {
            let (a, b) = (set::members(a), set::members(b));
            equal_maps(heap, builtin::BOOL, a, b, work)
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().enumerate().rev();
            work.extend(
                parts.map(|(at, &ty)| Task::Pair((ty, value::field(a, at), value::field(b, at)))),
            );
            true
        }
        Type::Record(record) => {
            push_fields(&record.fields, 0, a, b, work);
            true
        }
        Type::Enum(it) if !it.is_inline() => {
            let variant = value::extra(a);
            if variant != value::extra(b) {
                return false;
            }
            push_fields(&it.variants[variant as usize].fields, 0, a, b, work);
            true
        }
        Type::Error | Type::ErrorKind(_) => {
            let kind = value::type_of(a);
            if kind != value::type_of(b) {
                return false;
            }
            push_fields(error::fields(heap, kind), 1, a, b, work);
            true
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
        | Type::Session => a == b,
        Type::Checked { .. } => unreachable!("the base of a type is not checked"),
    }
}

fn push_fields(fields: &[Field], first: usize, a: u64, b: u64, work: &mut Vec<Task>) {
    let fields = fields.iter().enumerate().rev();
    work.extend(fields.map(|(at, field)| {
        Task::Pair((
            field.ty,
            value::field(a, first + at),
            value::field(b, first + at),
        ))
    }));
}

fn equal_maps(heap: &Heap, of: TypeId, a: u64, b: u64, work: &mut Vec<Task>) -> bool {
    if map::len(a) != map::len(b) {
        return false;
    }
    for (key, value) in map::entries(a) {
        let Some(other) = map::get(heap, b, key) else {
            return false;
        };
        work.push(Task::Pair((of, value, other)));
    }
    true
}

fn equal_json(heap: &Heap, a: u64, b: u64, work: &mut Vec<Task>) -> bool {
    match (json::view(a), json::view(b)) {
        (View::Int(int), View::Float(float)) | (View::Float(float), View::Int(int)) => {
            is_same(int, float)
        }
        (View::String(a), View::String(b)) => string::bytes(a) == string::bytes(b),
        (View::List(a), View::List(b)) => {
            work.push(Task::Pair((builtin::LIST_JSON, a, b)));
            true
        }
        (View::Object(a), View::Object(b)) => equal_maps(heap, builtin::JSON, a, b, work),
        (a, b) => a == b,
    }
}

fn compare_front(heap: &Heap, (ty, a, b): Pair, work: &mut Vec<Step>) -> Ordering {
    match heap.types().get(heap.types().base(ty)) {
        Type::Bool | Type::Int | Type::Time | Type::Duration => (a as i64).cmp(&(b as i64)),
        Type::Enum(it) if it.is_inline() => a.cmp(&b),
        Type::Float => compare_floats(f64::from_bits(a), f64::from_bits(b)),
        Type::String | Type::Bytes | Type::Literals(_) => string::bytes(a).cmp(string::bytes(b)),
        Type::Optional(of) => {
            if a != 0 && b != 0 {
                let (a, b) = (
                    optional::inside(heap, *of, a),
                    optional::inside(heap, *of, b),
                );
                work.push(Step::Values((*of, a, b)));
            }
            (a != 0).cmp(&(b != 0))
        }
        Type::List(of) => {
            work.push(Step::Known(list::len(a).cmp(&list::len(b))));
            let of = *of;
            work.push(Step::Lists(Rest { of, a, b, from: 0 }));
            Ordering::Equal
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().enumerate().rev();
            work.extend(
                parts.map(|(at, &ty)| Step::Values((ty, value::field(a, at), value::field(b, at)))),
            );
            Ordering::Equal
        }
        // What has no order does not compile where one is asked for.
        Type::Unit
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Record(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Ordering::Equal,
    }
}
