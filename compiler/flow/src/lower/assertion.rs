//! `assert`: what does not hold is shown with both sides of its comparison.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_semantics::hir::{BinaryOperator, ExpressionId, ExpressionKind, Pattern};
use gsw_semantics::types::Type;

use crate::ir::{BlockId, Operand};
use crate::lower::builder::Builder;
use crate::lower::region::Region;

impl Builder<'_, '_> {
    /// `assert condition, message`; of conditions joined by `and` each stands for itself.
    pub fn assert(&mut self, condition: ExpressionId, message: Option<ExpressionId>, source: &str) {
        let body = Arc::clone(&self.body);
        if let ExpressionKind::Binary {
            operator: BinaryOperator::And,
            left,
            right,
        } = body.expression(condition).kind
        {
            self.assert(left, message, source);
            self.assert(right, message, source);
            return;
        }
        let (holds, broken) = (self.block(), self.block());
        let sides = self.assert_sides(condition, (holds, broken));
        self.start(broken);
        let mut text = self.text(source);
        if let Some(message) = message {
            let message = self.expression(message);
            text = self.appended(text, ": ", message);
        }
        for (name, value, ty) in sides {
            if is_shown(&ty) {
                let value = self.text_form(value, &ty);
                text = self.appended(text, name, value);
            }
        }
        self.raise_assertion_with(text);
        self.start(holds);
    }

    /// Goes to the first block when the condition holds, else to the second; gives the sides of a comparison.
    fn assert_sides(
        &mut self,
        condition: ExpressionId,
        (holds, broken): (BlockId, BlockId),
    ) -> Vec<(&'static str, Operand, Type)> {
        let body = Arc::clone(&self.body);
        let (left, right, value, types) = match body.expression(condition).kind {
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } if operator != BinaryOperator::Or => {
                let values = self.operands(&[left, right]);
                let ty = self.compared_type(left, right);
                let value = self.comparison(operator, &ty, values[0], values[1]);
                (values[0], values[1], value, (ty.clone(), ty))
            }
            ExpressionKind::In { value, container }
                if !matches!(
                    body.expression(container).kind,
                    ExpressionKind::Range { .. }
                ) =>
            {
                let values = self.operands(&[value, container]);
                let types = (self.type_of(value), self.type_of(container));
                let is_in = self.contained(values[0], values[1], &types.1);
                (values[0], values[1], is_in, types)
            }
            _ => {
                self.branch_on(condition, holds, broken);
                return Vec::new();
            }
        };
        self.branch(value, holds, broken);
        vec![("; left: ", left, types.0), ("; right: ", right, types.1)]
    }

    /// `assert value fails pattern`
    pub fn assert_fails(&mut self, value: ExpressionId, pattern: &Pattern, source: &str) {
        let done = self.block();
        let landing = self.new_landing();
        self.regions.push(Region::Catch(landing));
        self.expression(value);
        self.regions.pop();
        self.raise_assertion(&format!("{source} did not fail"));

        self.start(landing.block);
        let error = Operand::Local(landing.error);
        let pass_on = self.block();
        let call = RuntimeCall::error_is_catchable;
        let catchable = self.runtime(builtin::BOOL, call, vec![error]);
        self.require(catchable, pass_on);
        let other = self.block();
        self.test(pattern, error, other);
        self.jump(done);
        self.start(other);
        let text = self.text(source);
        let call = RuntimeCall::error_message;
        let message = self.runtime(builtin::STRING, call, vec![error]);
        let text = self.appended(text, " failed with another error: ", message);
        self.raise_assertion_with(text);
        self.start(pass_on);
        self.pass_on(landing.error);
        self.start(done);
    }

    fn appended(&mut self, text: Operand, between: &str, more: Operand) -> Operand {
        let between = self.text(between);
        let call = RuntimeCall::string_concat;
        let text = self.runtime(builtin::STRING, call, vec![text, between]);
        self.runtime(builtin::STRING, call, vec![text, more])
    }
}

fn is_shown(ty: &Type) -> bool {
    !matches!(
        ty,
        Type::Function(_) | Type::Task(_) | Type::Stream(_) | Type::Session | Type::Secret
    )
}
