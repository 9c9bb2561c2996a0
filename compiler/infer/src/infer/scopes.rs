//! The names in scope at the place of work, and the loops around it.

use gsw_source::{Name, Span};

use crate::hir::LocalId;

/// What surrounds the place of work.
#[derive(Default)]
pub(super) struct Scopes {
    /// From the outermost to the innermost scope.
    names: Vec<(Name, LocalId)>,
    /// From the outermost to the innermost scope.
    loops: Vec<Loop>,
    /// The `let` words of bound locals, to be replaced by `var`.
    let_words: Vec<(LocalId, Span)>,
}

/// How many names were in scope.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// Whether a loop can be left by `break`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loop {
    /// No `break` was met in it so far.
    Endless,
    Left,
}

impl Scopes {
    /// Puts a name in scope.
    pub(super) fn name(&mut self, name: Name, local: LocalId) {
        self.names.push((name, local));
    }

    /// The innermost local of that name.
    pub(super) fn find(&self, name: &str) -> Option<LocalId> {
        let mut names = self.names.iter().rev();
        // Searched from the end, which is all that shadowing needs; bodies have few names in scope at a time.
        names.find(|(it, _)| it == name).map(|(_, id)| *id)
    }

    /// The names in scope, innermost last.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.names.iter().map(|(name, _)| name)
    }

    /// Names put in scope from now on are taken out by [`Self::leave`].
    pub(super) fn mark(&self) -> Mark {
        Mark(self.names.len())
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        // Also what an error left: a rule that returns early cannot leak a name into the block around it.
        self.names.truncate(mark.0);
    }

    pub(super) fn open_loop(&mut self) {
        self.loops.push(Loop::Endless);
    }

    pub(super) fn close_loop(&mut self) -> Loop {
        let closed = self.loops.pop();
        closed.expect("every loop that is closed was opened")
    }

    pub(super) fn leave_loop(&mut self) {
        if let Some(innermost) = self.loops.last_mut() {
            // Only of the innermost: `break` has no label.
            *innermost = Loop::Left;
        }
    }

    /// Notes the `let` that bound the locals from `first` up to `end`.
    pub(super) fn add_let(&mut self, LocalId(first): LocalId, LocalId(end): LocalId, word: Span) {
        let bound = (first..end).map(|index| (LocalId(index), word));
        self.let_words.extend(bound);
    }

    /// The position of the `let` that bound a local.
    pub(super) fn let_word(&self, local: LocalId) -> Option<Span> {
        let mut words = self.let_words.iter();
        words.find(|(it, _)| *it == local).map(|(_, word)| *word)
    }
}
