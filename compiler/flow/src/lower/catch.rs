//! `catch`: an error edge, the tests of the arms, and what happens with an error that no arm matches.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{Arm, ExpressionId};

use crate::ir::Operand;
use crate::lower::builder::Builder;
use crate::lower::region::Region;

/// `value catch { arms }`
pub fn catching(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    value: ExpressionId,
    arms: &[Arm],
) -> Operand {
    let ty = builder.type_id_of(id);
    let join = builder.join(ty);
    let landing = builder.new_landing();
    builder.open(Region::Catch(landing));
    let value = builder.expression(value);
    builder.runtime(builtin::UNIT, RuntimeCall::poll, Vec::new());
    builder.close();
    builder.deliver(join, value);

    builder.start(landing.block);
    let error = Operand::Local(landing.error);
    let pass_on = builder.block();
    let catchable = builder.runtime(builtin::BOOL, RuntimeCall::error_is_catchable, vec![error]);
    builder.require(catchable, pass_on);
    builder.arms(arms, error, join);
    builder.jump(pass_on);
    builder.start(pass_on);
    builder.pass_on(landing.error);
    builder.joined_value(join)
}
