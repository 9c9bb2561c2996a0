//! The names that a pattern binds, while it is inferred.

use gsw_source::Name;

use crate::hir::LocalId;
use crate::infer::absence::Arms;

/// What the current pattern has bound, and where `none` occurs in its neighbours.
#[derive(Default)]
pub(super) struct PatternNames {
    bound: Vec<(Name, LocalId)>,
    /// Names of the first alternative, which the others bind again.
    reused: Vec<(Name, LocalId)>,
    /// The way from the top to here.
    path: Vec<Name>,
    /// The arms of the current `match`.
    arms: Arms,
    /// Which of them; `None` in patterns that belong to no arm.
    arm: Option<usize>,
    /// Whether an arm before was reported for a value of another sort than its pattern is for.
    is_reported: bool,
}

/// What was bound before the alternatives of an or-pattern.
pub(super) struct Alternatives {
    bound: usize,
    reused: usize,
}

impl PatternNames {
    /// Starts on the arms of another `match`; gives back what was before, to be restored.
    pub(super) fn enter(&mut self, arms: Arms) -> Self {
        let inner = Self {
            arms,
            ..Self::default()
        };
        // A `match` inside of an arm must not see the outer arms: its own decide whether `none` is taken.
        std::mem::replace(self, inner)
    }

    /// Moves to an arm's pattern, or to what belongs to none.
    pub(super) fn at_arm(&mut self, index: Option<usize>) {
        self.arm = index;
    }

    /// Whether this is the first arm to be reported for a value of another sort: what mends one mends all.
    pub(super) fn tell_sort(&mut self) -> bool {
        !std::mem::replace(&mut self.is_reported, true)
    }

    /// Starts on a whole pattern.
    pub(super) fn start(&mut self) {
        self.bound.clear();
        self.reused.clear();
        self.path.clear();
    }

    /// The names that the last pattern bound.
    pub(super) fn take_bound(&mut self) -> Vec<(Name, LocalId)> {
        std::mem::take(&mut self.bound)
    }

    pub(super) fn add(&mut self, name: Name, local: LocalId) {
        self.bound.push((name, local));
    }

    pub(super) fn binds(&self, name: &Name) -> bool {
        self.bound.iter().any(|(it, _)| it == name)
    }

    /// The local that an earlier alternative bound to the name.
    pub(super) fn reused(&self, name: &Name) -> Option<LocalId> {
        let mut reused = self.reused.iter();
        reused.find(|(it, _)| it == name).map(|(_, local)| *local)
    }

    /// Goes into the field or element `step`.
    pub(super) fn step_in(&mut self, step: Name) {
        self.path.push(step);
    }

    pub(super) fn step_out(&mut self) {
        self.path.pop();
    }

    /// Whether another arm takes the absence of what is matched here, so that a name binds the value present.
    pub(super) fn absence_is_taken(&self) -> bool {
        self.arm
            // Asked with the path, because `none` counts only where it occurs in the same place.
            .is_some_and(|it| self.arms.take_absence(it, &self.path))
    }

    pub(super) fn open_alternatives(&self) -> Alternatives {
        Alternatives {
            bound: self.bound.len(),
            reused: self.reused.len(),
        }
    }

    /// What an alternative has bound.
    pub(super) fn take_alternative(&mut self, before: &Alternatives) -> Vec<(Name, LocalId)> {
        self.bound.split_off(before.bound)
    }

    /// Lets the alternatives after the first bind its names again.
    pub(super) fn reuse(&mut self, first: &[(Name, LocalId)]) {
        self.reused.extend(first.iter().cloned());
    }

    /// Ends the alternatives, which bind what the first of them did.
    pub(super) fn close_alternatives(
        &mut self,
        before: &Alternatives,
        first: Vec<(Name, LocalId)>,
    ) {
        // Alternatives nest: those around this one still bind their own names again.
        self.reused.truncate(before.reused);
        self.bound.extend(first);
    }
}
