//! What calling something may raise and do.

use gsw_infer::hir::{BodyPart, ExpressionId};
use gsw_names::ErrorKinds;
use gsw_names::types::{EffectSet, ErrorSet};

/// Whether calling something can wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Waits {
    Never,
    /// When one of the function values given to it as arguments waits.
    WithArguments,
    Always,
}

/// Whether something does what neither its value nor its errors nor its effects show.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Acts {
    /// Its value is all that it is good for.
    Never,
    /// It changes variables of the body that it is in, or leaves it.
    Inside,
    /// It logs, emits, asserts, cancels a task and the like.
    Outside,
}

/// What calling a function, or one of the lambdas in it, may raise and do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The errors, without faults and without what function parameters add.
    pub errors: ErrorSet,
    /// What is in no signature and may still come: the errors of tasks that were begun under a name, which the end of the node
    /// raises where they are not awaited, that of a deadlock, and that of a text that is no key.
    pub late: ErrorSet,
    /// The effects, without what function parameters add.
    pub effects: EffectSet,
    /// Whether what its function parameters raise and do comes on top.
    pub arguments: ArgumentEffects,
    /// What of that stays inside, because they are called under a `catch`.
    pub kept: Kept,
    pub waits: Waits,
    pub acts: Acts,
}

impl Summary {
    /// Whether a call is useless when its value is dropped. Faults do not count: no one adds two numbers for the
    /// overflow.
    #[must_use]
    pub fn is_for_its_value(&self) -> bool {
        self.errors.is_empty()
            && !self.errors.open
            && self.effects == EffectSet::default()
            && self.arguments == ArgumentEffects::None
            && self.waits == Waits::Never
            && self.acts == Acts::Never
    }
}

/// Whether a function calls its function parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgumentEffects {
    /// It does, so it raises and does what they raise and do.
    Added,
    None,
}

/// Errors of function parameters that a function does not pass on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of them; also where no function parameter is called.
    All,
    Only(ErrorKinds),
}

impl Kept {
    /// What stays inside on both ways.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, kept) | (kept, Self::All) => kept.clone(),
            (Self::Only(some), Self::Only(others)) => Self::Only(some.common(others)),
        }
    }

    /// What stays inside when both take something.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Only(some), Self::Only(others)) => {
                let mut both = some.clone();
                both.join(others);
                Self::Only(both)
            }
        }
    }

    /// What of `errors` does not stay inside.
    #[must_use]
    pub fn passed(&self, errors: &ErrorSet) -> ErrorSet {
        match self {
            Self::All => ErrorSet::default(),
            Self::Only(kept) => ErrorSet {
                kinds: errors.kinds.without(kept),
                open: errors.open,
            },
        }
    }
}

/// The summaries of an item's bodies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemSummary {
    /// Of the `Main` body: of a call of the item.
    pub item: Summary,
    /// Of each of its bodies.
    pub parts: Box<[PartSummary]>,
}

/// The summary of one body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartSummary {
    pub part: BodyPart,
    /// Whether evaluating it can wait.
    pub waits: Waits,
    /// Of each lambda in it (also those of `spawn` and `parallel`), by the expression that holds it; for `Parallel` by
    /// position as well.
    pub lambdas: Box<[((ExpressionId, u32), Summary)]>,
    /// The calls of items that are given functions to call some of which wait, in order.
    pub handed: Box<[(ExpressionId, Waits)]>,
}

impl PartSummary {
    /// Whether some of the functions wait that the call of an item at `id` is given to call.
    #[must_use]
    pub fn handed_waits(&self, id: ExpressionId) -> Waits {
        let place = self.handed.binary_search_by_key(&id, |it| it.0);
        place.map_or(Waits::Never, |place| self.handed[place].1)
    }
}

impl ItemSummary {
    /// Of one of its bodies; `None` when it has no such body, or nothing is known of it.
    #[must_use]
    pub fn part(&self, part: BodyPart) -> Option<&PartSummary> {
        self.parts.iter().find(|it| it.part == part)
    }
}
