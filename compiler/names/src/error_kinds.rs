//! Sets of declared errors: a sorted list without repeats.
//!
//! The walks over bodies make, join and drop some for each expression. Nearly all are empty and the rest hold a few, so that a list,
//! which allocates nothing while it is empty and is copied in one piece, does less than a tree.

use crate::types::ErrorName;

/// Declared errors, sorted, each once.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ErrorKinds {
    sorted: Vec<ErrorName>,
}

impl ErrorKinds {
    #[must_use]
    pub const fn new() -> Self {
        Self { sorted: Vec::new() }
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ErrorName> {
        self.sorted.iter()
    }

    #[must_use]
    pub fn contains(&self, kind: &ErrorName) -> bool {
        self.sorted.binary_search(kind).is_ok()
    }

    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|it| other.contains(it))
    }

    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|it| other.contains(it))
    }

    pub fn insert(&mut self, kind: ErrorName) {
        if let Err(place) = self.sorted.binary_search(&kind) {
            self.sorted.insert(place, kind);
        }
    }

    /// Adds what `other` holds.
    pub fn join(&mut self, other: &Self) {
        if self.is_empty() {
            self.clone_from(other);
        } else if !other.is_subset(self) {
            self.sorted.extend_from_slice(&other.sorted);
            // Two sorted runs, which this sort merges in one pass.
            self.sorted.sort();
            self.sorted.dedup();
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
        Self {
            sorted: self.iter().filter(|it| is_in(it)).cloned().collect(),
        }
    }
}

impl FromIterator<ErrorName> for ErrorKinds {
    fn from_iter<T: IntoIterator<Item = ErrorName>>(kinds: T) -> Self {
        let mut sorted: Vec<ErrorName> = kinds.into_iter().collect();
        sorted.sort();
        sorted.dedup();
        Self { sorted }
    }
}

impl<'a> IntoIterator for &'a ErrorKinds {
    type Item = &'a ErrorName;
    type IntoIter = std::slice::Iter<'a, ErrorName>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
