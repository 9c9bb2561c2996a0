//! Assignment: the right side first, then the variable is taken, changed and stored, in place where it has one owner.

use std::sync::Arc;

use gsw_abi::call::RuntimeCall;
use gsw_semantics::hir::{self, BinaryOperator, ExpressionId, ExpressionKind, LocalKind};
use gsw_semantics::types::Type;

use crate::ir::{Instruction, Operand};
use crate::lower::builder::{Builder, Variable, type_word};
use crate::lower::prompt::can_be_revised;

impl Builder<'_, '_> {
    /// `x = e`, `x += e`
    pub fn assign(
        &mut self,
        local: hir::LocalId,
        operator: Option<BinaryOperator>,
        value: ExpressionId,
    ) {
        let body = Arc::clone(&self.body);
        let ty = self.concrete(&body.local(local).ty);
        match operator {
            None => {
                let value = self.expression(value);
                self.write(local, value);
            }
            Some(operator) => self.update(local, &ty, operator, value),
        }
        self.tell_state(local);
    }

    fn update(
        &mut self,
        local: hir::LocalId,
        ty: &Type,
        operator: BinaryOperator,
        value: ExpressionId,
    ) {
        let body = Arc::clone(&self.body);
        let base = self.program.base_type(ty);
        // `xs += [a, b]` appends without making the list on the right.
        let appended = match (&base, &body.expression(value).kind) {
            (Type::List(_), ExpressionKind::List(elements)) if operator == BinaryOperator::Add => {
                Some(self.operands(elements))
            }
            _ => None,
        };
        let right = match appended {
            Some(_) => Operand::Word(0),
            None => self.expression(value),
        };
        let right_type = self.type_of(value);
        let joins = matches!(base, Type::String | Type::List(_) | Type::Literals(_));
        let old = self.taken(local, ty, joins);
        let new = match appended {
            Some(elements) => elements.into_iter().fold(old, |list, element| {
                let ty = self.type_id(ty);
                self.runtime(ty, RuntimeCall::list_push, vec![list, element])
            }),
            None => self.arithmetic(operator, (old, ty), (right, &right_type), ty),
        };
        self.write(local, new);
    }

    /// The variable's value, out of its cell when it can be stored again without anything raised between.
    fn taken(&mut self, local: hir::LocalId, ty: &Type, cannot_raise: bool) -> Operand {
        match self.variable(local) {
            Variable::Local(local) => Operand::Local(local),
            Variable::Cell(cell) => {
                let ty = self.type_id(ty);
                let to = self.local(ty);
                self.emit(if cannot_raise {
                    Instruction::CellTake { to, cell }
                } else {
                    Instruction::CellGet { to, cell }
                });
                Operand::Local(to)
            }
        }
    }

    fn write(&mut self, local: hir::LocalId, value: Operand) {
        match self.variable(local) {
            Variable::Local(local) => self.store(local, value),
            Variable::Cell(cell) => self.emit(Instruction::CellSet { cell, value }),
        }
    }

    /// What a `state` variable begins with: in another attempt of its workflow perhaps what the reflection on it said.
    pub fn revised_state(&mut self, local: hir::LocalId, value: Operand) -> Operand {
        let body = Arc::clone(&self.body);
        let declared = body.local(local);
        let ty = self.concrete(&declared.ty);
        if declared.kind != LocalKind::State || !can_be_revised(&ty) {
            return value;
        }
        let ty = self.type_id(&ty);
        let name = self.text(&declared.name);
        let arguments = vec![type_word(ty), name, value];
        self.runtime(ty, RuntimeCall::state_revised, arguments)
    }

    /// Tells the run what a `state` variable is now.
    pub fn tell_state(&mut self, local: hir::LocalId) {
        let body = Arc::clone(&self.body);
        let declared = body.local(local);
        if declared.kind != LocalKind::State {
            return;
        }
        let ty = self.concrete(&declared.ty);
        let id = self.type_id(&ty);
        let value = match self.variable(local) {
            Variable::Local(local) => Operand::Local(local),
            Variable::Cell(cell) => {
                let to = self.local(id);
                self.emit(Instruction::CellGet { to, cell });
                Operand::Local(to)
            }
        };
        let name = self.text(&declared.name);
        let value = self.json_form(value, &ty);
        self.perform(RuntimeCall::state_set, vec![name, value]);
    }
}
