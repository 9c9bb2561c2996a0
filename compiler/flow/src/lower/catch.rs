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
    // Calls that cannot raise only set a flag when memory ends; polled here, that becomes an error inside of the `catch`, so
    // nothing that was made of too little is seen after it.
    builder.runtime(builtin::UNIT, RuntimeCall::poll, Vec::new());
    builder.close();
    builder.deliver(join, value);

    builder.start(landing.block);
    let error = Operand::Local(landing.error);
    let pass_on = builder.block();
    let catchable = builder.runtime(builtin::BOOL, RuntimeCall::error_is_catchable, vec![error]);
    // An unwinding (cancellation, a stop of the run) takes the same edges as an error but matches no arm.
    builder.require(catchable, pass_on);
    builder.arms(arms, error, join);
    builder.jump(pass_on);
    builder.start(pass_on);
    builder.pass_on(landing.error);
    builder.joined_value(join)
}
