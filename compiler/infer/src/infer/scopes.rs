//! The locals of a body, the names in scope, and the closures and loops around the place of work.

use gsw_source::{Name, Span};

use crate::hir::{Captured, ExpressionId, Local, LocalId, LocalKind, PartsAssigned};
use gsw_names::types::Type;

/// All locals of a body, and what surrounds the place of work.
#[derive(Default)]
pub(super) struct Scopes {
    locals: Vec<Local>,
    /// Innermost last.
    names: Vec<(Name, LocalId)>,
    /// The body, then the closures that enclose the place of work.
    frames: Vec<Frame>,
    /// Innermost last.
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

/// A body or a closure in it.
pub(super) struct Frame {
    /// Locals from this one on belong to the frame or to frames in it.
    first_local: u32,
    /// What `return` must give; `None` where nothing is known of it.
    result: Option<Type>,
    /// What the frame takes from outside, in order of first use.
    pub(super) captures: Vec<LocalId>,
    /// Each `return e` whose type is still open, with its `e`.
    returned: Vec<(ExpressionId, ExpressionId)>,
}

impl Scopes {
    /// Adds a local without putting its name in scope.
    pub(super) fn add(&mut self, name: Name, ty: Type, kind: LocalKind, span: Span) -> LocalId {
        let id = self.next();
        self.locals.push(Local {
            name,
            ty,
            kind,
            span,
            captured: Captured::No,
            parts: PartsAssigned::No,
        });
        id
    }

    /// The local that is added next.
    pub(super) fn next(&self) -> LocalId {
        LocalId(u32::try_from(self.locals.len()).unwrap_or(u32::MAX))
    }

    pub(super) fn local(&self, LocalId(index): LocalId) -> &Local {
        &self.locals[index as usize]
    }

    pub(super) fn locals(&self) -> &[Local] {
        &self.locals
    }

    pub(super) fn locals_mut(&mut self) -> impl Iterator<Item = &mut Local> {
        self.locals.iter_mut()
    }

    pub(super) fn finish(self) -> Vec<Local> {
        self.locals
    }

    /// Puts a name in scope.
    pub(super) fn name(&mut self, name: Name, local: LocalId) {
        self.names.push((name, local));
    }

    /// The innermost local of that name.
    pub(super) fn find(&self, name: &str) -> Option<LocalId> {
        let mut names = self.names.iter().rev();
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
        self.names.truncate(mark.0);
    }

    /// Notes the use of a local: closures between it and here capture it.
    pub(super) fn touch(&mut self, id: LocalId) {
        for frame in self.frames.iter_mut().rev() {
            if id.0 >= frame.first_local {
                break;
            }
            if !frame.captures.contains(&id) {
                frame.captures.push(id);
            }
            self.locals[id.0 as usize].captured = Captured::Yes;
        }
    }

    /// Notes that a part of a local is assigned.
    pub(super) fn assign_parts(&mut self, LocalId(index): LocalId) {
        self.locals[index as usize].parts = PartsAssigned::Yes;
    }

    /// Whether the place of work is in a closure of the body.
    pub(super) fn is_in_closure(&self) -> bool {
        self.frames.len() > 1
    }

    /// Opens a closure; locals declared from now on are its own.
    pub(super) fn open_frame(&mut self, result: Option<Type>) {
        let LocalId(first_local) = self.next();
        self.frames.push(Frame {
            first_local,
            result,
            captures: Vec::new(),
            returned: Vec::new(),
        });
    }

    pub(super) fn close_frame(&mut self) -> Frame {
        let frame = self.frames.pop();
        frame.expect("every frame that is closed was opened")
    }

    /// What `return` must give here; `None` where nothing is known of it.
    pub(super) fn wanted_result(&self) -> Option<Type> {
        self.frames.last()?.result.clone()
    }

    /// Notes a `return e`, with its `e`, whose type is still open.
    pub(super) fn add_return(&mut self, id: ExpressionId, value: ExpressionId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.returned.push((id, value));
        }
    }

    /// The `return`s of the innermost closure whose type is still open.
    pub(super) fn take_returns(&mut self) -> Vec<(ExpressionId, ExpressionId)> {
        let frame = self.frames.last_mut();
        frame.map_or_else(Vec::new, |it| std::mem::take(&mut it.returned))
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
            *innermost = Loop::Left;
        }
    }

    /// Notes the `let` that bound all locals from `first` on.
    pub(super) fn add_let(&mut self, LocalId(first): LocalId, word: Span) {
        let LocalId(end) = self.next();
        let bound = (first..end).map(|index| (LocalId(index), word));
        self.let_words.extend(bound);
    }

    /// Where the `let` stands that bound a local.
    pub(super) fn let_word(&self, local: LocalId) -> Option<Span> {
        let mut words = self.let_words.iter();
        words.find(|(it, _)| *it == local).map(|(_, word)| *word)
    }
}
