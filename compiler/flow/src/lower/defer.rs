//! `defer`: its code is written once for each way out of its block.

use crate::lower::builder::Builder;
use crate::lower::code::Landing;
use crate::lower::region::Region;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::ExpressionId;

impl Builder<'_, '_> {
    /// Opens a `defer` for the rest of its block.
    pub fn open_defer(&mut self, body: ExpressionId) {
        let landing = self.new_landing();
        self.open(Region::Defer { body, landing });
    }

    /// Closes the innermost `defer` at the end of its block: runs it there and where an error passes.
    pub fn close_defer(&mut self) {
        let Some(Region::Defer { body, landing }) = self.close() else {
            return;
        };
        self.run_deferred(body);
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        self.run_deferred_after_error(body, landing.error);
        self.start(done);
    }

    /// Writes the code of a `defer`; an error in it is raised here.
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

    /// Writes the code of a `defer` for the way of an error, which goes on after it; an error of the `defer` is dropped.
    fn run_deferred_after_error(&mut self, body: ExpressionId, error: crate::ir::LocalId) {
        let landing = self.new_landing();
        self.deferred(body, landing);
        self.pass_on(error);
        self.start(landing.block);
        self.perform(RuntimeCall::defer_leave, Vec::new());
        self.pass_on(error);
    }

    fn deferred(&mut self, body: ExpressionId, landing: Landing) {
        self.perform(RuntimeCall::defer_enter, Vec::new());
        self.open(Region::Deferred(landing));
        self.expression(body);
        self.close();
        self.perform(RuntimeCall::defer_leave, Vec::new());
    }
}
