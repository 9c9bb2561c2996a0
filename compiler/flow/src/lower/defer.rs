//! `defer`: its code is written once for all ways out of its block but `return`, whose value is made before.
//!
//! A way out notes its target and jumps to that code, which continues from there: to the end of the block, with the error
//! that is passing, or out of a loop. A copy for each way would double with each `defer` inside of another one.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::ExpressionId;
use gsw_names::types::Type;

use crate::ir::{BlockId, LocalId, Operand, Operation};
use crate::lower::builder::Builder;
use crate::lower::code::{Code, Landing};
use crate::lower::emitter::Emitter;
use crate::lower::region::{LoopTarget, Region};

/// A `defer` that is open.
#[derive(Debug)]
pub(crate) struct Deferral {
    body: ExpressionId,
    /// Its code starts here.
    entry: BlockId,
    /// The error that passes, or `none`.
    pending: LocalId,
    /// The value of its block, once there is one: `none` on the other ways.
    kept: Option<LocalId>,
    /// Which of `exits` is taken, counted from 1; 0 for none. Only there when there are any.
    selector: Option<LocalId>,
    exits: Vec<LoopTarget>,
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
            pending: self.local(error),
            kept,
            selector: None,
            exits: Vec::new(),
        };
        self.deferrals.push(deferral);
        let landing = self.new_landing();
        let deferral = self.deferrals.len() - 1;
        self.open(Region::Defer {
            body,
            deferral,
            landing,
        });
    }

    /// Leaves an open `defer` on the way out of a loop.
    pub fn leave_by_defer(&mut self, deferral: usize, exit: LoopTarget) {
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
        let (entry, pending, kept) = (open.entry, open.pending, open.kept);
        self.store(selector, Operand::Word(index as u64 + 1));
        // All that the shared code reads is written on every way into it, as the verifier demands.
        self.store(pending, Operand::Word(0));
        if let Some(kept) = kept {
            self.store(kept, Operand::Word(0));
        }
        self.jump(entry);
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
                self.leave_to_loop(*exit);
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

    /// Writes the code of a `defer` on the way of a `return`; an error in it is raised here.
    pub fn run_deferred(&mut self, body: ExpressionId) {
        let landing = self.new_landing();
        self.deferred(body, landing);
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        self.perform(RuntimeCall::defer_leave, Vec::new());
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
