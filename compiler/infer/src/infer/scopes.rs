//! The names in scope at the place of work, and the loops around it.

use gsw_source::{Name, Span};

use crate::hir::LocalId;

/// What surrounds the place of work.
#[derive(Default)]
pub(super) struct Scopes {
    /// From the outermost to the innermost scope.
    names: Vec<(Name, LocalId)>,
    /// The fields that patterns of the scopes around have left alone, by name.
    untaken: Vec<(Name, Untaken)>,
    /// From the outermost to the innermost scope.
    loops: Vec<Loop>,
    /// The `let` words of bound locals, to be replaced by `var`.
    let_words: Vec<(LocalId, Span)>,
}

/// A pattern that names a variant or error and takes none of its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Untaken {
    pub(super) owner: Name,
    /// The position after the pattern.
    pub(super) end: Span,
    /// What takes the field, with the parentheses.
    pub(super) fields: String,
}

/// How many names were in scope, and how many fields that patterns have left alone.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize);

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

    /// Notes what a pattern leaves alone of what it names.
    pub(super) fn leave_fields(&mut self, owner: &Name, end: Span, fields: &[Name]) {
        for taken in fields {
            let list: Vec<&str> = fields
                .iter()
                .map(|it| if it == taken { taken.as_str() } else { "_" })
                .collect();
            let untaken = Untaken {
                owner: owner.clone(),
                end,
                fields: format!("({})", list.join(", ")),
            };
            self.untaken.push((taken.clone(), untaken));
        }
    }

    /// The innermost pattern that has left a field of this name alone.
    pub(super) fn untaken(&self, name: &str) -> Option<&Untaken> {
        let mut fields = self.untaken.iter().rev();
        fields.find(|(it, _)| it == name).map(|(_, it)| it)
    }

    /// The names in scope, innermost last.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.names.iter().map(|(name, _)| name)
    }

    /// Names put in scope from now on are taken out by [`Self::leave`].
    pub(super) fn mark(&self) -> Mark {
        Mark(self.names.len(), self.untaken.len())
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        // Also what an error left: a rule that returns early cannot leak a name into the block around it.
        self.names.truncate(mark.0);
        self.untaken.truncate(mark.1);
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
