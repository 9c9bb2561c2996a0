//! `if`, `match`, and what joins their branches.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_infer::hir::{
    Arm, ExpressionId, ExpressionKind, LogicOperator, OperatorClass, UnaryOperator,
};

use crate::ir::{BlockId, Operand, Terminator};
use crate::lower::builder::Builder;
use crate::lower::code::Join;

impl Builder<'_, '_> {
    /// Ends the current block by whether a condition holds; evaluates only as much of it as is needed.
    pub fn branch_on(&mut self, condition: ExpressionId, then: BlockId, otherwise: BlockId) {
        let body = Arc::clone(&self.body);
        let kind = &body.expression(condition).kind;
        if let ExpressionKind::Unary {
            operator: UnaryOperator::Not,
            operand,
        } = kind
        {
            // `not` exchanges the targets and costs no instruction.
            return self.branch_on(*operand, otherwise, then);
        }
        if let ExpressionKind::Binary {
            operator,
            left,
            right,
        } = kind
            && let OperatorClass::Logic(operator) = operator.class()
        {
            // Each operand branches by itself, so the pattern of a `let` in it binds in the blocks that it dominates.
            let further = self.block();
            match operator {
                LogicOperator::And => self.branch_on(*left, further, otherwise),
                LogicOperator::Or => self.branch_on(*left, then, further),
            }
            self.start(further);
            return self.branch_on(*right, then, otherwise);
        }
        if let ExpressionKind::Matches { value, pattern } = kind {
            let ty = self.type_id_of(*value);
            let value = self.expression(*value);
            let value = Operand::Local(self.held(value, ty));
            self.test(pattern, value, otherwise);
            return self.jump(then);
        }
        let value = self.expression(condition);
        self.branch(value, then, otherwise);
    }

    /// Tries the arms one after the other and continues where none of them matches.
    pub fn arms(&mut self, arms: &[Arm], value: Operand, join: Join) {
        for arm in arms {
            let next = self.block();
            self.test(&arm.pattern, value, next);
            if let Some(guard) = arm.guard {
                let holds = self.block();
                self.branch_on(guard, holds, next);
                self.start(holds);
            }
            let value = self.expression(arm.body);
            self.deliver(join, value);
            self.start(next);
        }
    }
}

pub fn conditional(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    condition: ExpressionId,
    then: ExpressionId,
    otherwise: Option<ExpressionId>,
) -> Operand {
    let ty = match otherwise {
        Some(_) => builder.type_id_of(id),
        None => builtin::UNIT,
    };
    let join = builder.join(ty);
    let (yes, no) = (builder.block(), builder.block());
    builder.branch_on(condition, yes, no);
    builder.start(yes);
    let value = builder.expression(then);
    builder.deliver(join, value);
    builder.start(no);
    let value = otherwise.map_or(Operand::Word(0), |it| builder.expression(it));
    builder.deliver(join, value);
    builder.joined_value(join)
}

pub fn matching(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    value: ExpressionId,
    arms: &[Arm],
) -> Operand {
    let guards: Vec<ExpressionId> = arms.iter().filter_map(|it| it.guard).collect();
    let matched = builder.expression(value);
    // A guard may assign the variable that is matched; later arms still test the value from before.
    let matched = builder.settled(matched, &guards);
    let ty = builder.type_id_of(value);
    let matched = Operand::Local(builder.held(matched, ty));
    let ty = builder.type_id_of(id);
    let join = builder.join(ty);
    builder.arms(arms, matched, join);
    // The checker proved that one of the arms matches.
    builder.end(Terminator::Unreachable);
    builder.joined_value(join)
}
