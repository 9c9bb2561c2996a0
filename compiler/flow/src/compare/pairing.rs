//! Which locals of two functions hold the same thing, and which of these hold another value.
//!
//! Both only grow while a pair of functions is walked, whatever path comes first; so it is walked until nothing is new.

use std::collections::HashMap;

use crate::ir::{LocalId, Operand};

/// The locals of a pair of functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Pairing {
    other: HashMap<LocalId, LocalId>,
    /// Locals of the old function that hold another value than in the new one, or nothing that it has.
    tainted: Vec<bool>,
    /// Whether the result may be another one.
    pub(super) result: bool,
    /// Whether the ways have parted somewhere.
    pub(super) is_apart: bool,
}

impl Pairing {
    pub(super) fn new(locals: usize) -> Self {
        Self {
            other: HashMap::new(),
            tainted: vec![false; locals],
            result: false,
            is_apart: false,
        }
    }

    /// Both write a local.
    pub(super) fn write(&mut self, old: LocalId, new: LocalId, is_tainted: bool) {
        let known = *self.other.entry(old).or_insert(new);
        if known != new || is_tainted {
            self.taint(old);
        }
    }

    /// One alone writes the old local.
    pub(super) fn taint(&mut self, old: LocalId) {
        self.tainted[old.0 as usize] = true;
    }

    /// One alone writes the new local.
    pub(super) fn taint_new(&mut self, new: LocalId) {
        let olds: Vec<LocalId> = self
            .other
            .iter()
            .filter(|(_, it)| **it == new)
            .map(|(old, _)| *old)
            .collect();
        for old in olds {
            self.taint(old);
        }
    }

    pub(super) fn same_local(&self, old: LocalId, new: LocalId) -> bool {
        self.other.get(&old) == Some(&new) && !self.tainted[old.0 as usize]
    }

    pub(super) fn same(&self, old: &Operand, new: &Operand) -> bool {
        match (old, new) {
            (Operand::Word(old), Operand::Word(new)) => old == new,
            (Operand::Local(old), Operand::Local(new)) => self.same_local(*old, *new),
            (Operand::Word(_), Operand::Local(_)) | (Operand::Local(_), Operand::Word(_)) => false,
        }
    }

    /// Which of the operands differ.
    pub(super) fn differing(&self, old: &[Operand], new: &[Operand]) -> Vec<bool> {
        let pairs = old.iter().zip(new);
        pairs.map(|(old, new)| !self.same(old, new)).collect()
    }
}
