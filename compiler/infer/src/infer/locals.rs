//! The locals of a body, and which of them its closures capture.

use gsw_names::types::Type;
use gsw_source::{Name, Span};

use crate::hir::{Captured, ExpressionId, Local, LocalId, LocalKind, PartsAssigned};

/// All locals of a body, and the closures around the place of work.
#[derive(Default)]
pub(super) struct Locals {
    locals: Vec<Local>,
    /// The body, then the closures that enclose the place of work.
    frames: Vec<Frame>,
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

impl Locals {
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

    /// Notes the use of a local: closures between it and here capture it.
    pub(super) fn touch(&mut self, id: LocalId) {
        for frame in self.frames.iter_mut().rev() {
            // Locals are numbered in order of declaration, so one comparison says whether the frame declared it or has to capture it;
            // frames further out declared it or capture it as well.
            if id.0 >= frame.first_local {
                break;
            }
            // A linear search: captures are few, and their order is that of the slots.
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

    /// The type that `return` must have here; `None` where it is unknown.
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
}
