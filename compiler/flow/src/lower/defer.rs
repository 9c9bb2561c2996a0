//! `defer`: its code is written once for all ways out of its block.
//!
//! A way out notes its target and jumps to that code, which continues from there: to the end of the block, with the error
//! that is passing, out of a loop, or out of the function. A copy for each way would double with each `defer` inside of
//! another one, and be as long as all that are open for each `return`.
//!
//! The value of a `return` is made before, and lives across the code in a local that all `return`s of the function share.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::ExpressionId;
use gsw_names::types::Type;

use crate::ir::{BlockId, LocalId, Operand, Operation};
use crate::lower::builder::Builder;
use crate::lower::code::{Code, Landing};
use crate::lower::emitter::Emitter;
use crate::lower::region::{LoopTarget, Region};

/// How an open `defer` is left other than at the end of its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Loop(LoopTarget),
    Return,
}

/// What the `return`s that leave a `defer` give.
#[derive(Clone, Debug)]
pub(crate) struct Returned {
    ty: Type,
    /// As [`Emitter::kept`] gives it.
    place: Option<LocalId>,
}

/// A `defer` that is open.
#[derive(Debug)]
pub(crate) struct Deferral {
    body: ExpressionId,
    /// Where a way without a value to return leads.
    entry: BlockId,
    /// Its code starts here.
    shared: BlockId,
    /// The error that passes, or `none`.
    pending: LocalId,
    /// The value of its block, once there is one: `none` on the other ways.
    kept: Option<LocalId>,
    /// Which of `exits` is taken, counted from 1; 0 for none. Only there when there are any.
    selector: Option<LocalId>,
    exits: Vec<Exit>,
}

impl Deferral {
    /// Goes to its code from where its block ends or an error passes.
    fn enter(&self, code: &mut Code) {
        if let Some(selector) = self.selector {
            code.store(selector, Operand::Word(0));
        }
        code.jump(self.entry);
    }
}

impl Builder<'_, '_> {
    /// Opens a `defer` for the rest of its block, whose value goes to `kept`.
    pub fn open_defer(&mut self, body: ExpressionId, kept: Option<LocalId>) {
        let error = self.type_id(&Type::Error.optional());
        let deferral = Deferral {
            body,
            entry: self.block(),
            shared: self.block(),
            pending: self.local(error),
            kept,
            selector: None,
            exits: Vec::new(),
        };
        self.deferrals.push(deferral);
        let landing = self.new_landing();
        let deferral = self.deferrals.len() - 1;
        self.open(Region::Defer { deferral, landing });
    }

    /// Leaves the function through open `defer`s with a value.
    pub fn return_through_defers(&mut self, value: Operand, ty: &Type) {
        if *ty == Type::Never {
            // It is never made.
            self.unreachable();
            return;
        }
        let place = match &self.returned {
            Some(known) => {
                debug_assert_eq!(known.ty, *ty, "all `return`s give the function's result");
                known.place
            }
            None => {
                let place = self.kept(ty);
                let ty = ty.clone();
                self.returned = Some(Returned { ty, place });
                place
            }
        };
        if let Some(place) = place {
            self.store(place, value);
        }
        self.leave_by_return();
    }

    /// Writes the way out of the function for the value that is to be returned, up to the first `defer` as
    /// [`Self::leave_to_loop`] does.
    fn leave_by_return(&mut self) {
        let Some(Returned { ty, place }) = self.returned.clone() else {
            return;
        };
        let value = match place {
            Some(place) if !self.has_defer() => {
                let id = self.type_id(&ty);
                Operand::Local(self.copy(Operand::Local(place), id))
            }
            // Of a type with one value, or read where the last `defer` ends.
            Some(_) | None => Operand::Word(0),
        };
        self.leave_all((value, &ty));
    }

    /// Leaves an open `defer` on the way out of a loop or of the function.
    pub fn leave_by_defer(&mut self, deferral: usize, exit: Exit) {
        let selector = match self.deferrals[deferral].selector {
            Some(selector) => selector,
            None => self.local(builtin::INT),
        };
        let open = &mut self.deferrals[deferral];
        open.selector = Some(selector);
        let known = open.exits.iter().position(|it| *it == exit);
        let index = known.unwrap_or_else(|| {
            open.exits.push(exit);
            open.exits.len() - 1
        });
        let start = match exit {
            Exit::Loop(_) => open.entry,
            Exit::Return => open.shared,
        };
        let (pending, kept) = (open.pending, open.kept);
        self.store(selector, Operand::Word(index as u64 + 1));
        // All that the shared code reads is written on every way into it, as the verifier demands.
        self.store(pending, Operand::Word(0));
        if let Some(kept) = kept {
            self.store(kept, Operand::Word(0));
        }
        self.jump(start);
    }

    /// Closes the innermost `defer` at the end of its block, and writes its code.
    pub fn close_defer(&mut self) {
        let Some(Region::Defer {
            deferral, landing, ..
        }) = self.close()
        else {
            return;
        };
        debug_assert_eq!(
            deferral + 1,
            self.deferrals.len(),
            "defers close inside out"
        );
        let Some(deferral) = self.deferrals.pop() else {
            return;
        };
        // The end of the block: no error passes.
        self.store(deferral.pending, Operand::Word(0));
        deferral.enter(self);
        self.start(landing.block);
        self.store(deferral.pending, Operand::Local(landing.error));
        if let Some(kept) = deferral.kept {
            self.store(kept, Operand::Word(0));
        }
        deferral.enter(self);
        self.start(deferral.entry);
        if let Some(Returned { place, .. }) = &self.returned
            && deferral.exits.contains(&Exit::Return)
            && let Some(place) = *place
        {
            self.store(place, Operand::Word(0));
        }
        self.jump(deferral.shared);
        self.start(deferral.shared);
        self.shared_code(&deferral);
    }

    /// The code of a `defer`, and where it continues. An error in it is raised, unless one is passing already.
    fn shared_code(&mut self, deferral: &Deferral) {
        let landing = self.new_landing();
        // The region of this `defer` is closed: an error in its code goes outwards, not into the same code again.
        self.deferred(deferral.body, landing);
        let pending = Operand::Local(deferral.pending);
        let (passing, going_on, done) = (self.block(), self.block(), self.block());
        self.branch(pending, passing, going_on);
        self.start(passing);
        // The error that is passing wins over one that the `defer` raises: it is what went wrong first.
        self.pass_on(deferral.pending);

        self.start(going_on);
        if let Some(selector) = deferral.selector {
            for (number, exit) in (1..).zip(&deferral.exits) {
                let (taken, other) = (self.block(), self.block());
                let number = Operand::Word(number);
                let selector = Operand::Local(selector);
                let is_taken = self.operation(builtin::BOOL, Operation::IntEqual, selector, number);
                self.branch(is_taken, taken, other);
                self.start(taken);
                match exit {
                    Exit::Loop(target) => self.leave_to_loop(*target),
                    Exit::Return => self.leave_by_return(),
                }
                self.start(other);
            }
        }
        self.jump(done);

        self.start(landing.block);
        self.perform(RuntimeCall::defer_leave, Vec::new());
        let own = self.block();
        self.branch(pending, passing, own);
        self.start(own);
        self.pass_on(landing.error);
        self.start(done);
    }

    fn deferred(&mut self, body: ExpressionId, landing: Landing) {
        self.perform(RuntimeCall::defer_enter, Vec::new());
        self.open(Region::Deferred(landing));
        self.expression(body);
        self.close();
        self.perform(RuntimeCall::defer_leave, Vec::new());
    }
}

impl Emitter<'_, '_> {
    /// A place for the value of a block of type `ty` with a `defer` in it, which is empty on the ways on which there is no such
    /// value; `None` when the type has only one.
    pub fn kept(&mut self, ty: &Type) -> Option<LocalId> {
        if matches!(ty, Type::Unit | Type::Never | Type::Invalid) {
            return None;
        }
        let id = self.type_id(ty);
        // A counted local must own a value or nothing on each way into the block, so it is an optional that can be `none`. A word
        // needs none: whatever it holds is not read on the other ways.
        let id = if self.program.is_reference(id) {
            self.type_id(&ty.clone().optional())
        } else {
            id
        };
        Some(self.local(id))
    }
}
