//! `assert`: what does not hold is shown with both sides of its comparison.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_semantics::hir::{BinaryOperator, ExpressionId, ExpressionKind, Pattern};
use gsw_semantics::types::Type;

use crate::ir::Operand;
use crate::lower::builder::Builder;
use crate::lower::region::Region;

impl Builder<'_, '_> {
    /// `assert condition, message`
    pub fn assert(&mut self, condition: ExpressionId, message: Option<ExpressionId>, source: &str) {
        let body = Arc::clone(&self.body);
        let (holds, broken) = (self.block(), self.block());
        let sides = match &body.expression(condition).kind {
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } if !matches!(operator, BinaryOperator::And | BinaryOperator::Or) => {
                let values = self.operands(&[*left, *right]);
                let ty = self.compared_type(*left, *right);
                let value = self.comparison(*operator, &ty, values[0], values[1]);
                self.branch(value, holds, broken);
                Some((values[0], values[1], ty))
            }
            _ => {
                self.branch_on(condition, holds, broken);
                None
            }
        };
        self.start(broken);
        let mut text = self.text(source);
        if let Some(message) = message {
            let message = self.expression(message);
            text = self.appended(text, ": ", message);
        }
        if let Some((left, right, ty)) = sides.filter(|(_, _, ty)| is_shown(ty)) {
            let left = self.text_form(left, &ty);
            text = self.appended(text, "; left: ", left);
            let right = self.text_form(right, &ty);
            text = self.appended(text, "; right: ", right);
        }
        self.raise_assertion_with(text);
        self.start(holds);
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
