//! `if`, `match`, and what joins their branches.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::types::TypeId;
use gsw_infer::hir::{
    Arm, ExpressionId, ExpressionKind, LogicOperator, OperatorClass, UnaryOperator,
};

use crate::ir::{BlockId, LocalId, Operand, Terminator};
use crate::lower::builder::Builder;

/// Where branches meet, with the local that their values go into.
#[derive(Clone, Copy)]
pub(crate) struct Join {
    block: BlockId,
    result: Option<LocalId>,
}

impl Builder<'_, '_> {
    /// A place for branches to meet with values of this type.
    pub fn join(&mut self, ty: TypeId) -> Join {
        Join {
            block: self.block(),
            result: (ty != builtin::UNIT).then(|| self.local(ty)),
        }
    }

    /// Ends a branch with its value.
    pub fn deliver(&mut self, join: Join, value: Operand) {
        if let Some(result) = join.result {
            self.store(result, value);
        }
        self.jump(join.block);
    }

    /// Goes on where the branches meet.
    pub fn joined_value(&mut self, join: Join) -> Operand {
        self.start(join.block);
        join.result.map_or(Operand::Word(0), Operand::Local)
    }

    /// `if`
    pub fn conditional(
        &mut self,
        id: ExpressionId,
        condition: ExpressionId,
        then: ExpressionId,
        otherwise: Option<ExpressionId>,
    ) -> Operand {
        let ty = match otherwise {
            Some(_) => self.type_id_of(id),
            None => builtin::UNIT,
        };
        let join = self.join(ty);
        let (yes, no) = (self.block(), self.block());
        self.branch_on(condition, yes, no);
        self.start(yes);
        let value = self.expression(then);
        self.deliver(join, value);
        self.start(no);
        let value = otherwise.map_or(Operand::Word(0), |it| self.expression(it));
        self.deliver(join, value);
        self.joined_value(join)
    }

    /// Ends the current block by whether a condition holds; evaluates only as much of it as is needed.
    pub fn branch_on(&mut self, condition: ExpressionId, then: BlockId, otherwise: BlockId) {
        let body = Arc::clone(&self.body);
        let kind = &body.expression(condition).kind;
        if let ExpressionKind::Unary {
            operator: UnaryOperator::Not,
            operand,
        } = kind
        {
            return self.branch_on(*operand, otherwise, then);
        }
        if let ExpressionKind::Binary {
            operator,
            left,
            right,
        } = kind
            && let OperatorClass::Logic(operator) = operator.class()
        {
            let further = self.block();
            match operator {
                LogicOperator::And => self.branch_on(*left, further, otherwise),
                LogicOperator::Or => self.branch_on(*left, then, further),
            }
            self.start(further);
            return self.branch_on(*right, then, otherwise);
        }
        let value = self.expression(condition);
        self.branch(value, then, otherwise);
    }

    /// `match`
    pub fn matching(&mut self, id: ExpressionId, value: ExpressionId, arms: &[Arm]) -> Operand {
        let guards: Vec<ExpressionId> = arms.iter().filter_map(|it| it.guard).collect();
        let matched = self.expression(value);
        let matched = self.settled(matched, &guards);
        let ty = self.type_id_of(value);
        let matched = Operand::Local(self.held(matched, ty));
        let ty = self.type_id_of(id);
        let join = self.join(ty);
        self.arms(arms, matched, join);
        // The checker proved that one of the arms matches.
        self.end(Terminator::Unreachable);
        self.joined_value(join)
    }

    /// Tries the arms one after the other and goes on where none of them matches.
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
