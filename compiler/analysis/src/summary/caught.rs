//! What the arms of a `catch`, or of a `match` over an error, take out of a set.

use gsw_abi::types::ErrorClass;
use gsw_infer::hir::{Pattern, PatternKind};
use gsw_names::types::ErrorSet;
use gsw_names::{
    ErrorKinds, TypeDeclarationKind, error_class, error_name, model_errors, type_declaration,
};
use gsw_source::{Db, ItemId};

use crate::call_summary::Kept;

/// What is left of a set of errors.
pub(super) struct Remaining<'a> {
    db: &'a dyn Db,
    left: ErrorSet,
    /// What was taken out, in the set or not.
    taken: Kept,
}

impl<'a> Remaining<'a> {
    pub(super) fn new(db: &'a dyn Db, left: ErrorSet) -> Self {
        let taken = Kept::Only(ErrorKinds::new());
        Self { db, left, taken }
    }

    /// What is left, and what was taken out.
    pub(super) fn into_parts(self) -> (ErrorSet, Kept) {
        (self.left, self.taken)
    }

    /// The errors that a value which `pattern` matches may be.
    pub(super) fn matched_by(&self, pattern: &Pattern) -> ErrorSet {
        match &pattern.kind {
            PatternKind::Error { item, .. } => self.only(&[*item]),
            PatternKind::ModelError => {
                let items: Vec<ItemId> = model_errors(self.db)
                    .kinds
                    .iter()
                    .map(|it| it.item)
                    .collect();
                self.only(&items)
            }
            PatternKind::Or(parts) => {
                let mut set = ErrorSet::default();
                parts.iter().for_each(|it| set.extend(&self.matched_by(it)));
                set
            }
            PatternKind::Wildcard
            | PatternKind::Binding(_)
            | PatternKind::Int(_)
            | PatternKind::Float(_)
            | PatternKind::Bool(_)
            | PatternKind::String(_)
            | PatternKind::Constant(_)
            | PatternKind::None
            | PatternKind::Some(_)
            | PatternKind::Range { .. }
            | PatternKind::Variant { .. }
            | PatternKind::Record { .. }
            | PatternKind::Tuple(_)
            | PatternKind::List { .. }
            | PatternKind::Invalid => self.left.clone(),
        }
    }

    /// Takes out what `pattern` matches whatever the payload.
    pub(super) fn subtract(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Binding(_) => self.take(Kept::All),
            PatternKind::ModelError => self.take(Kept::Only(model_errors(self.db).kinds)),
            // `Failed(0) =>` leaves a `Failed(1)` uncaught, so only arms that take every payload take the error out.
            PatternKind::Error { item, fields }
                if fields.iter().all(|(_, it)| covers_all(self.db, it)) =>
            {
                self.take(Kept::Only(
                    [error_name(self.db, *item)].into_iter().collect(),
                ));
            }
            PatternKind::Or(parts) => parts.iter().for_each(|it| self.subtract(it)),
            PatternKind::Error { .. }
            | PatternKind::Int(_)
            | PatternKind::Float(_)
            | PatternKind::Bool(_)
            | PatternKind::String(_)
            | PatternKind::Constant(_)
            | PatternKind::None
            | PatternKind::Some(_)
            | PatternKind::Range { .. }
            | PatternKind::Variant { .. }
            | PatternKind::Record { .. }
            | PatternKind::Tuple(_)
            | PatternKind::List { .. }
            | PatternKind::Invalid => {}
        }
    }

    fn take(&mut self, taken: Kept) {
        // What was taken is remembered even if it was not in the set: a function argument may raise it (`kept`).
        self.left = taken.passed(&self.left);
        self.taken = self.taken.or(&taken);
    }

    /// Whether nothing that is left can match. Faults can always happen, and an open set may hold anything.
    pub(super) fn is_impossible(&self, pattern: &Pattern) -> bool {
        match &pattern.kind {
            PatternKind::Error { item, .. } => {
                // Any expression may raise a fault, so an arm for one is never impossible.
                error_class(self.db, *item) != ErrorClass::Fault
                    && self.matched_by(pattern).is_empty()
                    && !self.left.open
            }
            PatternKind::ModelError => self.matched_by(pattern).is_empty() && !self.left.open,
            PatternKind::Or(parts) => parts.iter().all(|it| self.is_impossible(it)),
            PatternKind::Wildcard
            | PatternKind::Binding(_)
            | PatternKind::Int(_)
            | PatternKind::Float(_)
            | PatternKind::Bool(_)
            | PatternKind::String(_)
            | PatternKind::Constant(_)
            | PatternKind::None
            | PatternKind::Some(_)
            | PatternKind::Range { .. }
            | PatternKind::Variant { .. }
            | PatternKind::Record { .. }
            | PatternKind::Tuple(_)
            | PatternKind::List { .. }
            | PatternKind::Invalid => false,
        }
    }

    /// Those of `items` that may be left; all of them when anything may be.
    fn only(&self, items: &[ItemId]) -> ErrorSet {
        let mut set = ErrorSet::default();
        for &item in items {
            let name = error_name(self.db, item);
            let is_error = error_class(self.db, item) != ErrorClass::Fault;
            if is_error && (self.left.open || self.left.kinds.contains(&name)) {
                set.kinds.insert(name);
            }
        }
        set
    }
}

/// The largest parts of a pattern that can match nothing: all of it, or some of those that `|` joins.
pub(super) fn impossible_parts<'p>(
    pattern: &'p Pattern,
    is_impossible: &dyn Fn(&Pattern) -> bool,
) -> Vec<&'p Pattern> {
    if is_impossible(pattern) {
        return vec![pattern];
    }
    let PatternKind::Or(parts) = &pattern.kind else {
        return Vec::new();
    };
    let parts = parts.iter();
    parts
        .flat_map(|it| impossible_parts(it, is_impossible))
        .collect()
}

/// Whether a pattern inside a payload matches every value.
fn covers_all(db: &dyn Db, pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Binding(_) => true,
        PatternKind::Tuple(parts) => parts.iter().all(|it| covers_all(db, it)),
        PatternKind::Record { fields } => fields.iter().all(|(_, it)| covers_all(db, it)),
        PatternKind::Or(parts) => parts.iter().any(|it| covers_all(db, it)),
        PatternKind::Variant { item, fields, .. } => {
            let declared = &type_declaration(db, *item).declaration.kind;
            let is_single =
                matches!(declared, TypeDeclarationKind::Enum(variants) if variants.len() == 1);
            is_single && fields.iter().all(|(_, it)| covers_all(db, it))
        }
        PatternKind::Error { .. }
        | PatternKind::ModelError
        | PatternKind::Int(_)
        | PatternKind::Float(_)
        | PatternKind::Bool(_)
        | PatternKind::String(_)
        | PatternKind::Constant(_)
        | PatternKind::None
        | PatternKind::Some(_)
        | PatternKind::Range { .. }
        | PatternKind::List { .. }
        | PatternKind::Invalid => false,
    }
}
