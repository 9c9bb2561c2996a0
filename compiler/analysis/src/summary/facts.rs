//! The lattices of the fixpoint: summaries and the facts of values, with their unions.

use gsw_names::types::{EffectSet, ErrorSet, Latent, Type};
use gsw_names::{ErrorKinds, find_held};
use gsw_source::Db;

use crate::call_summary::{Acts, ArgumentEffects, Kept, Summary, Waits};

/// What a value brings with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Facts {
    /// What awaiting the tasks in it, or in what its functions give, may raise.
    pub(super) task: Raised,
    /// Which errors it, or a part of it, may be.
    pub(super) error: ErrorSet,
    /// What calling the functions in it does.
    pub(super) call: Summary,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            task: Raised::default(),
            error: ErrorSet::default(),
            call: nothing(),
        }
    }
}

impl Facts {
    pub(super) fn join(&mut self, other: &Self) {
        self.task.join(&other.task);
        self.error.extend(&other.error);
        add(&mut self.call, &other.call);
    }

    /// Whether the value brings nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.task.is_empty() && self.error.is_empty() && self.call == nothing()
    }

    /// Leaves what a value of this type can bring: facts of parts end at a type that cannot hold a function, task or error. Without
    /// this an `int` that was computed from a task would bring the task's errors.
    pub(super) fn keep_within(&mut self, db: &dyn Db, ty: &Type) {
        // Looking into a type takes longer than all the rest, and nearly all values bring nothing.
        if !self.is_empty() && !can_carry_effects(db, ty) {
            *self = Self::default();
        }
    }

    /// Nothing is known about the value, so it may bring anything that its type can hold.
    pub(super) fn unknown(db: &dyn Db, ty: &Type) -> Self {
        let mut facts = Self::default();
        // Values that can hold nothing of it keep the empty facts, so that `unknown` does not spread through data.
        if can_carry_effects(db, ty) {
            facts.task.errors.open = true;
            facts.error.open = true;
            facts.call = anything();
        }
        facts
    }
}

/// What is raised somewhere else than where it is called: where a task is awaited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Raised {
    /// Without what function parameters add.
    pub(super) errors: ErrorSet,
    /// Whether what these raise comes on top, but for what is kept.
    pub(super) arguments: ArgumentEffects,
    kept: Kept,
}

impl Default for Raised {
    fn default() -> Self {
        Self::of(ErrorSet::default())
    }
}

impl Raised {
    pub(super) const fn of(errors: ErrorSet) -> Self {
        Self {
            errors,
            arguments: ArgumentEffects::None,
            kept: Kept::All,
        }
    }

    /// What a call raises, which raises nothing any more.
    pub(super) fn taken_from(call: &mut Summary) -> Self {
        Self {
            errors: std::mem::take(&mut call.errors),
            arguments: call.arguments,
            kept: std::mem::replace(&mut call.kept, Kept::All),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.arguments == ArgumentEffects::None
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.errors.extend(&other.errors);
        if other.arguments == ArgumentEffects::Added {
            self.arguments = ArgumentEffects::Added;
            self.kept = self.kept.and(&other.kept);
        }
    }

    pub(super) fn add_to(&self, does: &mut Summary) {
        let raised = Summary {
            errors: self.errors.clone(),
            arguments: self.arguments,
            kept: self.kept.clone(),
            ..nothing()
        };
        add(does, &raised);
    }

    /// What of it a task may raise whose beginning does this.
    pub(super) fn begun_by(&self, does: &Summary) -> Self {
        Self {
            errors: ErrorSet {
                kinds: self.errors.kinds.common(&does.late.kinds),
                open: self.errors.open && does.late.open,
            },
            arguments: match does.arguments {
                ArgumentEffects::Added => self.arguments,
                ArgumentEffects::None => ArgumentEffects::None,
            },
            kept: self.kept.clone(),
        }
    }

    /// Closes the facts where `given` is what the function parameters do.
    pub(super) fn close(&mut self, given: &Summary) {
        if self.arguments == ArgumentEffects::None {
            return;
        }
        self.errors.extend(&self.kept.passed(&given.errors));
        self.arguments = given.arguments;
        self.kept = given.kept.or(&self.kept);
    }
}

/// The summary of what does nothing.
pub(super) const fn nothing() -> Summary {
    Summary {
        errors: ErrorSet::empty(),
        late: ErrorSet::empty(),
        effects: EffectSet(0),
        arguments: ArgumentEffects::None,
        kept: Kept::All,
        waits: Waits::Never,
        acts: Acts::Never,
    }
}

/// The summary of what may do anything.
pub(super) fn anything() -> Summary {
    let mut summary = nothing();
    summary.errors.open = true;
    summary.effects = EffectSet::ALL;
    summary.waits = Waits::Always;
    summary.acts = Acts::Outside;
    summary
}

/// The summary of a call of a function parameter: nothing of its own.
pub(super) fn of_parameter() -> Summary {
    Summary {
        arguments: ArgumentEffects::Added,
        kept: Kept::Only(ErrorKinds::new()),
        waits: Waits::WithArguments,
        ..nothing()
    }
}

/// What a parameter of a lambda brings where it is not known all that it may be. The caller of the lambda answers for what
/// functions among its arguments raise and do, and for nothing else: code that calls what it was given may always have to wait
/// for it, and a task or an error that is given may raise anything.
pub(super) fn of_lambda_parameter(db: &dyn Db, ty: &Type) -> Facts {
    Facts {
        call: of_lambda_argument().call,
        ..Facts::unknown(db, ty)
    }
}

/// What a parameter of a lambda brings where all that it may be is learnt elsewhere.
pub(super) fn of_lambda_argument() -> Facts {
    Facts {
        call: Summary {
            waits: Waits::Always,
            ..nothing()
        },
        ..Facts::default()
    }
}

/// The summary of a call of a function whose type says what it may raise and do.
pub(super) fn of_latent(latent: &Latent) -> Summary {
    Summary {
        errors: latent.errors.clone(),
        effects: latent.effects,
        waits: Waits::Always,
        acts: Acts::Outside,
        ..nothing()
    }
}

/// Adds all that `other` does to `summary`.
pub(super) fn add(summary: &mut Summary, other: &Summary) {
    summary.errors.extend(&other.errors);
    summary.late.extend(&other.late);
    summary.effects = summary.effects.union(other.effects);
    // The order of the variants is the lattice: never, with arguments, always.
    summary.waits = summary.waits.max(other.waits);
    summary.acts = summary.acts.max(other.acts);
    if other.arguments == ArgumentEffects::Added {
        summary.arguments = ArgumentEffects::Added;
        summary.kept = summary.kept.and(&other.kept);
    }
}

/// Whether a value of this type can hold a function, a task or an error. What a type parameter stands for counts where it
/// is known: at the call.
pub(super) fn can_carry_effects(db: &dyn Db, ty: &Type) -> bool {
    let carries = |it: &Type| {
        matches!(
            it,
            Type::Function(_) | Type::Task(_) | Type::Stream(_) | Type::Error
        )
    };
    // Looks into records and enums too: a function in a field is held by the record.
    find_held(db, ty, Some(()), |it| carries(it).then_some(())).is_some()
}
