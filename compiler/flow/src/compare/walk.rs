//! Two versions of a function in lockstep, from its beginning along every path.

mod align;
mod call;
mod instruction;
mod node;

use std::collections::{BTreeSet, HashMap, HashSet};

use gsw_abi::program::{FunctionIndex, SpanIndex, Workflow};
use gsw_abi::types::{Field, Type};

use crate::compare::item::{Cursor, Item, item, settle};
use crate::compare::pairing::Pairing;
use crate::compare::reach::Side;
use crate::compare::running::Running;
use crate::compare::tables::TypePairs;
use crate::compare::touched::Touched;
use crate::compare::walk::align::Aligned;
use crate::compare::{Class, Difference, What};
use crate::ir::{Function, LocalId};

/// What may be asked for after a function has returned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct After {
    old: bool,
    new: bool,
}

impl After {
    const NOTHING: Self = Self {
        old: false,
        new: false,
    };
    pub(super) const ANYTHING: Self = Self {
        old: true,
        new: true,
    };
}

/// A pair of functions as they are called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    old: FunctionIndex,
    new: FunctionIndex,
    /// Which parameters have another value.
    tainted: Vec<bool>,
    pub(super) after: After,
}

impl Key {
    /// Of functions that are given the same.
    pub(super) const fn plain(old: FunctionIndex, new: FunctionIndex) -> Self {
        Self {
            old,
            new,
            tainted: Vec::new(),
            after: After::NOTHING,
        }
    }
}

/// The result of comparing a call of a pair of functions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Outcome {
    /// Whether it may return something else.
    pub(super) result: bool,
    /// Whether it may raise where the other version does not.
    pub(super) may_raise: bool,
}

impl Outcome {
    const fn and(self, other: Self) -> Self {
        Self {
            result: self.result || other.result,
            may_raise: self.may_raise || other.may_raise,
        }
    }
}

/// A comparison of one workflow.
pub(super) struct Walk<'a> {
    pub(super) old: &'a Side<'a>,
    pub(super) new: &'a Side<'a>,
    pub(super) found: BTreeSet<Difference>,
    /// The hooks that are other ones, whether or not that changes anything.
    pub(super) hooks: BTreeSet<Difference>,
    pub(super) types: TypePairs,
    /// What was found so far of each pair of functions; it only grows.
    known: HashMap<Key, Outcome>,
    /// The pairs that this round has come to.
    met: HashSet<Key>,
    /// What has another value somewhere: then all that sees it may have.
    touched: Touched,
    /// Whether this round has found what comparisons before it did not know.
    pub(super) is_news: bool,
}

/// A pair of functions that is being walked.
struct Lane<'a> {
    old: &'a Function,
    new: &'a Function,
    pairing: Pairing,
    after: After,
    /// Whether either asks for anything.
    asks: bool,
    /// The tasks of the old one that may be running.
    running: Running,
    seen: HashSet<(Cursor, Cursor)>,
    left: Vec<(Cursor, Cursor)>,
}

impl<'a> Walk<'a> {
    /// Everything in which two versions of a workflow part.
    pub(super) fn workflow(
        old: &'a Side<'a>,
        new: &'a Side<'a>,
        workflow: &Workflow,
        other: &Workflow,
    ) -> BTreeSet<Difference> {
        let mut walk = Self {
            old,
            new,
            found: BTreeSet::new(),
            hooks: BTreeSet::new(),
            types: TypePairs::default(),
            known: HashMap::new(),
            met: HashSet::new(),
            touched: Touched::default(),
            is_news: true,
        };
        while walk.is_news {
            walk.is_news = false;
            walk.found.clear();
            walk.hooks.clear();
            walk.met.clear();
            walk.types.guess_again();
            walk.begin(workflow, other);
        }
        // Where something has changed for certain, what depends on it says nothing more.
        let is_certain = |it: &Difference| !matches!(it.what, What::Depends { .. });
        if walk
            .found
            .iter()
            .any(|it| it.class == Class::Changes && is_certain(it))
        {
            walk.found.retain(is_certain);
        }
        let asks = |it: &Difference| matches!(it.what, What::Asks { .. });
        if walk.found.iter().any(asks) {
            walk.found.append(&mut walk.hooks);
        }
        walk.found
    }

    fn begin(&mut self, workflow: &Workflow, other: &Workflow) {
        let (old, new) = (
            self.old.function(workflow.function),
            self.new.function(other.function),
        );
        let mut pairing = Pairing::new(old.locals.len());
        let numbered = workflow.parameters.iter().zip(0_u32..);
        for (field, number) in numbered {
            let local = LocalId(number);
            let mut others = other.parameters.iter().zip(0_u32..);
            let found = others.find(|(it, _)| it.wire == field.wire);
            let is_same = match found {
                Some((it, at)) => {
                    let is_same = self.same_field(field, it);
                    pairing.write(local, LocalId(at), !is_same);
                    is_same
                }
                None => false,
            };
            if !is_same {
                pairing.taint(local);
                self.part(
                    Class::Changes,
                    What::Parameter {
                        name: field.name.clone(),
                    },
                    (old, Cursor { block: 0, index: 0 }),
                    (new, Cursor { block: 0, index: 0 }),
                );
            }
        }
        for what in self.no_longer(workflow, other) {
            self.part(
                Class::Changes,
                what,
                (old, Cursor { block: 0, index: 0 }),
                (new, Cursor { block: 0, index: 0 }),
            );
        }
        let mut lane = Lane {
            old,
            new,
            pairing,
            after: After::NOTHING,
            asks: true,
            running: Running::of(self.old, old),
            seen: HashSet::new(),
            left: Vec::new(),
        };
        self.lane(&mut lane);
    }

    /// What a run that the earlier version has begun has not, or may not do, in the later one.
    fn no_longer(&self, workflow: &Workflow, other: &Workflow) -> Vec<What> {
        let is_wanted = |it: &&Field| {
            let mut fields = workflow.parameters.iter();
            let is_given = fields.any(|given| given.wire == it.wire);
            let types = &self.new.module.program.types;
            let may_lack = matches!(types.get(types.base(it.ty)), Type::Optional(_));
            !is_given && it.default.is_none() && !may_lack
        };
        let wanted = other.parameters.iter().filter(is_wanted);
        let wanted = wanted.map(|it| What::Wanted {
            name: it.name.clone(),
        });
        let narrowed = self.narrowed(&workflow.effects).into_iter();
        wanted
            .chain(narrowed.map(|permission| What::Permits { permission }))
            .collect()
    }

    /// Compares two functions that are called alike, once in a round.
    pub(super) fn functions(&mut self, key: &Key) -> Outcome {
        // A recursive pair returns the same, unless that turns out otherwise.
        let known = self.known.get(key).copied().unwrap_or_default();
        if !self.met.insert(key.clone()) {
            return known;
        }
        let outcome = known.and(self.walked(key));
        if outcome != known {
            self.is_news = true;
            self.known.insert(key.clone(), outcome);
        }
        outcome
    }

    /// Whether two functions do the same, whenever they are called.
    pub(super) fn does_same(&mut self, old: FunctionIndex, new: FunctionIndex) -> bool {
        let mut key = Key::plain(old, new);
        key.after = After::ANYTHING;
        self.functions(&key) == Outcome::default()
    }

    /// Something has another value that is seen elsewhere.
    pub(super) fn touch(&mut self, touched: Touched) {
        let all = self.touched.and(touched);
        self.is_news |= all != self.touched;
        self.touched = all;
    }

    fn walked(&mut self, key: &Key) -> Outcome {
        let (old, new) = (self.old.function(key.old), self.new.function(key.new));
        let mut pairing = Pairing::new(old.locals.len());
        for number in 0..old.parameters.min(new.parameters) {
            let local = LocalId(number);
            let is_tainted = key.tainted.get(number as usize).copied().unwrap_or(false);
            pairing.write(local, local, is_tainted);
        }
        let mut lane = Lane {
            old,
            new,
            pairing,
            after: key.after,
            asks: self.old.asks(key.old) || self.new.asks(key.new),
            running: Running::of(self.old, old),
            seen: HashSet::new(),
            left: Vec::new(),
        };
        self.lane(&mut lane);
        let raises = self.old.raises(key.old) || self.new.raises(key.new);
        Outcome {
            result: lane.pairing.result,
            may_raise: lane.pairing.is_apart && raises,
        }
    }

    /// Walks until nothing new is known of any local.
    fn lane(&mut self, lane: &mut Lane<'a>) {
        let start = Cursor { block: 0, index: 0 };
        loop {
            let before = lane.pairing.clone();
            lane.seen.clear();
            lane.left.push((start, start));
            while let Some((old, new)) = lane.left.pop() {
                self.path(lane, old, new);
            }
            if lane.pairing == before {
                return;
            }
        }
    }

    /// Follows a pair of places as long as there is one way.
    fn path(&mut self, lane: &mut Lane<'a>, mut old: Cursor, mut new: Cursor) {
        let mut aligned = Aligned::default();
        loop {
            (old, new) = (settle(lane.old, old), settle(lane.new, new));
            if !lane.seen.insert((old, new)) {
                return;
            }
            match aligned.next().or_else(|| {
                aligned = self.align(lane, old, new);
                aligned.next()
            }) {
                Some((one, other)) if (one, other) != (old, new) => {
                    self.pass_over(lane, (old, one), (new, other));
                    (old, new) = (one, other);
                    if !lane.seen.insert((old, new)) {
                        return;
                    }
                }
                Some(_) => {}
                None => return self.way(lane, old, new),
            }
            match (item(lane.old, old), item(lane.new, new)) {
                (Item::Instruction(one), Item::Instruction(other)) => {
                    self.instruction(lane, one, old, other, new);
                    (old, new) = (old.next(), new.next());
                }
                (Item::Terminator(one), Item::Terminator(other)) => {
                    return self.terminator(lane, one, old, other, new);
                }
                (Item::Instruction(_), Item::Terminator(_))
                | (Item::Terminator(_), Item::Instruction(_)) => {
                    unreachable!("their shapes differ")
                }
            }
        }
    }

    /// The ways part here: says so if anything was asked for beyond, or is now.
    fn way(&mut self, lane: &mut Lane<'a>, old: Cursor, new: Cursor) {
        // Nothing is known of what comes to its end from here.
        lane.pairing.is_apart = true;
        lane.pairing.result = true;
        if !lane.asks {
            // By its result, and by what others see of it.
            if lane.after.old {
                let touched = self.old.touched_from(lane.old, old);
                self.touch(touched.and(self.new.touched_from(lane.new, new)));
            }
            return;
        }
        let goes = |side: &Side<'_>, function: &Function, at: Cursor, after: bool| {
            let first = side.first_operation(function, at);
            let further = || after.then(|| "what comes after this function".to_owned());
            first.or_else(further)
        };
        let tasks = || {
            let is_busy = lane.running.any(self.old, lane.old, old);
            is_busy.then(|| "what a task asks for".to_owned())
        };
        let one = goes(self.old, lane.old, old, lane.after.old).or_else(tasks);
        let other = goes(self.new, lane.new, new, lane.after.new);
        let class = match (&one, &other) {
            (None, None) => return,
            (None, Some(_)) => Class::Adds,
            (Some(_), _) => Class::Changes,
        };
        if class == Class::Changes {
            self.touch(Touched::CELLS);
        }
        let what = match (one, other) {
            (Some(one), Some(other)) if one == other => What::Depends { operation: one },
            (old, new) => What::Goes { old, new },
        };
        self.part(class, what, (lane.old, old), (lane.new, new));
    }

    fn part(
        &mut self,
        class: Class,
        what: What,
        old: (&Function, Cursor),
        new: (&Function, Cursor),
    ) {
        self.found.insert(Difference {
            class,
            what,
            old: self.old.place_of(span_near(old.0, old.1)),
            new: self.new.place_of(span_near(new.0, new.1)),
        });
    }
}

/// The place in the source next to a place in the code.
fn span_near(function: &Function, from: Cursor) -> SpanIndex {
    let mut at = from;
    for _ in 0..64 {
        let here = item(function, at);
        if let Some(handler) = here.handler() {
            return handler.span;
        }
        match here.follows(at) {
            Some(next) => at = next,
            None => break,
        }
    }
    function.span
}
