//! `catch`: an error edge, the tests of the arms, and what happens with an error that no arm matches.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{Arm, ExpressionId};

use crate::ir::Operand;
use crate::lower::builder::Builder;
use crate::lower::region::Region;

impl Builder<'_, '_> {
    /// `value catch { arms }`
    pub fn catching(&mut self, id: ExpressionId, value: ExpressionId, arms: &[Arm]) -> Operand {
        let ty = self.type_id_of(id);
        let join = self.join(ty);
        let landing = self.new_landing();
        self.regions.push(Region::Catch(landing));
        let value = self.expression(value);
        self.runtime(builtin::UNIT, RuntimeCall::poll, Vec::new());
        self.regions.pop();
        self.deliver(join, value);

        self.start(landing.block);
        let error = Operand::Local(landing.error);
        let pass_on = self.block();
        let catchable = self.runtime(builtin::BOOL, RuntimeCall::error_is_catchable, vec![error]);
        self.require(catchable, pass_on);
        self.arms(arms, error, join);
        self.jump(pass_on);
        self.start(pass_on);
        self.pass_on(landing.error);
        self.joined_value(join)
    }
}
