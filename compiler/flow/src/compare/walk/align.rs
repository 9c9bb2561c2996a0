//! Which places of two versions belong together, up to the first that asks for something: what one has more, such as a log, shifts
//! nothing behind it.

use gsw_abi::call::RuntimeCall;

use crate::compare::item::{Calls, Cursor, Item, Shape, item, settle, text};
use crate::compare::reach::Side;
use crate::compare::walk::{Lane, Walk};
use crate::ir::{Function, Instruction};

/// How far ahead to look for equal code; a guess.
const AHEAD: usize = 400;

/// What a pair of the same shape counts: what says little, what says much, and each again where both say the same.
const WEAK: u32 = 1;
const STRONG: u32 = 1_000;

/// The pairs of places that belong together, in order.
#[derive(Default)]
pub(super) struct Aligned(std::vec::IntoIter<(Cursor, Cursor)>);

impl Iterator for Aligned {
    type Item = (Cursor, Cursor);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl<'a> Walk<'a> {
    /// The pairs from two places on, up to what asks for something, may raise, or has several successors. None where nothing that
    /// says much is on both sides, and the next that is done is not alike either.
    pub(super) fn align(&self, lane: &Lane<'a>, old: Cursor, new: Cursor) -> Aligned {
        let (olds, news) = (run(self.old, lane.old, old), run(self.new, lane.new, new));
        let shape = |function: &Function, at: &Cursor| item(function, *at).shape();
        let alike = |(i, j): &(usize, usize)| self.likeness(lane, olds[*i], news[*j]);
        let length = olds.len().min(news.len());
        let all = olds.len() == news.len() && (0..length).all(|at| is_full(alike(&(at, at))));
        let pairs = match all {
            true => (0..length).map(|at| (at, at)).collect(),
            false => best(olds.len(), news.len(), alike),
        };
        let strong = |(i, _): &(usize, usize)| !is_weak(shape(lane.old, &olds[*i]));
        let next = (shape(lane.old, &old), shape(lane.new, &new));
        let pairs = match (pairs.iter().any(strong), next.0 == next.1) {
            (true, _) => pairs,
            (false, true) => vec![(0, 0)],
            (false, false) => Vec::new(),
        };
        let pairs = pairs.into_iter().map(|(i, j)| (olds[i], news[j]));
        Aligned(pairs.collect::<Vec<_>>().into_iter())
    }

    /// Each side goes from one place to another over what asks for nothing and cannot raise.
    pub(super) fn pass_over(
        &mut self,
        lane: &mut Lane<'a>,
        (mut old, to_old): (Cursor, Cursor),
        (mut new, to_new): (Cursor, Cursor),
    ) {
        while old != to_old {
            let it = item(lane.old, old);
            self.touch(self.old.touched_by(&it));
            if let Some(local) = it.writes() {
                lane.pairing.taint(local);
            }
            let next = it.follows(old).expect("a run has one way");
            old = settle(lane.old, next);
        }
        while new != to_new {
            let it = item(lane.new, new);
            self.touch(self.new.touched_by(&it));
            if let Some(local) = it.writes() {
                lane.pairing.taint_new(local);
            }
            let next = it.follows(new).expect("a run has one way");
            new = settle(lane.new, next);
        }
    }

    /// How much speaks for it that two places belong together; 0 where nothing does.
    fn likeness(&self, lane: &Lane<'a>, old: Cursor, new: Cursor) -> u32 {
        let (one, other) = (item(lane.old, old), item(lane.new, new));
        let shape = one.shape();
        if shape != other.shape() {
            return 0;
        }
        let weight = if is_weak(shape) { WEAK } else { STRONG };
        match self.says_same(&one, &other) {
            true => 2 * weight,
            false => weight,
        }
    }

    /// Whether two items of one shape say the same by themselves, whatever they are given.
    fn says_same(&self, old: &Item<'_>, new: &Item<'_>) -> bool {
        use Instruction::{Constant, Word};
        use Item::Instruction as Of;
        if let (Of(Word { word: a, .. }), Of(Word { word: b, .. })) = (old, new) {
            return a == b;
        }
        if let (Of(Constant { constant: a, .. }), Of(Constant { constant: b, .. })) = (old, new) {
            return text(self.old.module, *a) == text(self.new.module, *b);
        }
        let name = |side: &Side<'_>, it: &Item<'_>| match it.calls(side.module) {
            Calls::Function(it) | Calls::Later(it) => {
                let functions = &side.module.program.functions;
                functions.get(it.0 as usize).map(|it| it.name.clone())
            }
            Calls::Runtime(it) => Some(side.name_of(it.call, it.arguments)),
            Calls::Value | Calls::Nothing => None,
        };
        name(self.old, old) == name(self.new, new)
    }
}

/// Whether it is what a pair that says the same counts.
const fn is_full(likeness: u32) -> bool {
    likeness == 2 * WEAK || likeness == 2 * STRONG
}

/// The pairs that together are most alike, in order. Of equal ones the last: what is given to a call stands right before it.
fn best(olds: usize, news: usize, alike: impl Fn(&(usize, usize)) -> u32) -> Vec<(usize, usize)> {
    let width = news + 1;
    // Of the first `i` and the first `j` places.
    let mut most = vec![0_u32; (olds + 1) * width];
    for i in 0..olds {
        for j in 0..news {
            let apart = most[i * width + j + 1].max(most[(i + 1) * width + j]);
            most[(i + 1) * width + j + 1] = match alike(&(i, j)) {
                0 => apart,
                likeness => apart.max(most[i * width + j] + likeness),
            };
        }
    }
    let (mut i, mut j) = (olds, news);
    let mut pairs = Vec::new();
    while i > 0 && j > 0 {
        let here = most[i * width + j];
        let before = most[(i - 1) * width + j - 1];
        let likeness = alike(&(i - 1, j - 1));
        if likeness > 0 && here == before + likeness {
            pairs.push((i - 1, j - 1));
            (i, j) = (i - 1, j - 1);
        } else if here == most[i * width + j - 1] {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    pairs.reverse();
    pairs
}

/// Whether finding one of these on both sides says little.
fn is_weak(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Word
            | Shape::Constant
            | Shape::Move
            | Shape::Load
            | Shape::Counting
            | Shape::Plain(
                RuntimeCall::value_to_string
                    | RuntimeCall::string_concat
                    | RuntimeCall::map_new
                    | RuntimeCall::map_insert
                    | RuntimeCall::json_new
            )
    )
}

/// The places from here on up to the first that asks for something, may raise, or has several successors; that one
/// included.
fn run(side: &Side<'_>, function: &Function, from: Cursor) -> Vec<Cursor> {
    let mut places = Vec::new();
    let mut at = from;
    while places.len() < AHEAD {
        at = settle(function, at);
        if places.contains(&at) {
            break;
        }
        places.push(at);
        let here = item(function, at);
        let ends = side.operation_at(function, at).is_some()
            || side.item_raises(&here)
            || matches!(here.shape(), Shape::Plain(RuntimeCall::node_enter));
        match here.follows(at) {
            Some(next) if !ends => at = next,
            Some(_) | None => break,
        }
    }
    places
}
