//! Sets of declared errors: a sorted list without repeats.
//!
//! The walks over bodies make, join and drop some for each expression. Nearly all are empty, and most of the others are what another
//! expression raises already: such sets share one list.

use std::sync::Arc;

use crate::types::ErrorName;

/// Declared errors, sorted, each once.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ErrorKinds {
    /// `None` where there are none.
    sorted: Option<Arc<[ErrorName]>>,
}

impl ErrorKinds {
    #[must_use]
    pub const fn new() -> Self {
        Self { sorted: None }
    }

    fn of_sorted(sorted: Vec<ErrorName>) -> Self {
        Self {
            sorted: (!sorted.is_empty()).then(|| sorted.into()),
        }
    }

    fn sorted(&self) -> &[ErrorName] {
        self.sorted.as_deref().unwrap_or_default()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.sorted.is_none()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ErrorName> {
        self.sorted().iter()
    }

    #[must_use]
    pub fn contains(&self, kind: &ErrorName) -> bool {
        self.sorted().binary_search(kind).is_ok()
    }

    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.is_same(other) || self.iter().all(|it| other.contains(it))
    }

    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|it| other.contains(it))
    }

    /// Whether both share one list.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.sorted, &other.sorted) {
            (Some(left), Some(right)) => Arc::ptr_eq(left, right),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    pub fn insert(&mut self, kind: ErrorName) {
        if let Err(place) = self.sorted().binary_search(&kind) {
            let mut sorted = self.sorted().to_vec();
            sorted.insert(place, kind);
            *self = Self::of_sorted(sorted);
        }
    }

    /// Adds what `other` holds.
    pub fn join(&mut self, other: &Self) {
        if other.is_empty() || other.is_subset(self) {
            return;
        }
        if self.is_subset(other) {
            self.clone_from(other);
        } else {
            *self = self.iter().chain(other).cloned().collect();
        }
    }

    /// What only `self` holds.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.only(|it| !other.contains(it))
    }

    /// What both hold.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        self.only(|it| other.contains(it))
    }

    fn only(&self, is_in: impl Fn(&ErrorName) -> bool) -> Self {
        if self.iter().all(&is_in) {
            return self.clone();
        }
        Self::of_sorted(self.iter().filter(|it| is_in(it)).cloned().collect())
    }
}

impl FromIterator<ErrorName> for ErrorKinds {
    fn from_iter<T: IntoIterator<Item = ErrorName>>(kinds: T) -> Self {
        let mut sorted: Vec<ErrorName> = kinds.into_iter().collect();
        sorted.sort();
        sorted.dedup();
        Self::of_sorted(sorted)
    }
}

impl<'a> IntoIterator for &'a ErrorKinds {
    type Item = &'a ErrorName;
    type IntoIter = std::slice::Iter<'a, ErrorName>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
