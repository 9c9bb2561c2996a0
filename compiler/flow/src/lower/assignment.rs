//! Assignment: the right side first, then the variable is taken, changed and stored, in place where it has one owner.

use std::sync::Arc;

use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{
    self, BinaryOperator, ExpressionId, ExpressionKind, LocalKind, OperatorClass,
};
use gsw_names::types::Type;

use crate::ir::{Instruction, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::type_word;
use crate::lower::json::has_json;
use crate::lower::prompt::can_be_revised;
use crate::lower::variable::Variable;

/// What an assignment does to the value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// Another one takes its place.
    Set,
    /// More is at its end.
    Append,
}

/// What the cell of a variable holds from when its value is read until the new one is stored.
#[derive(Clone, Copy)]
enum Cell {
    /// Nothing, so that the value has one owner and grows in place. Nothing may raise in between: a handler of the error would
    /// read an empty variable.
    Emptied,
    /// The value.
    Kept,
}

/// The right side of an operator.
pub(super) enum Right {
    Value(Operand),
    /// The elements of a list, which is not made.
    Elements(Vec<Operand>),
}

impl Builder<'_, '_> {
    /// `x = e`, `x += e`
    pub fn assign(&mut self, local: hir::LocalId, change: hir::Change, value: ExpressionId) {
        let body = Arc::clone(&self.body);
        let ty = self.concrete(&body.local(local).ty);
        let change = match change {
            hir::Change::Set | hir::Change::SetUnchecked => {
                let value = self.expression(value);
                let change = self.taken_back(local, value);
                self.write(local, value);
                change
            }
            hir::Change::Operator(operator) => self.update(local, &ty, operator, value),
            // A whole variable is set to what was converted.
            hir::Change::Converted { .. } => {
                self.unreachable();
                return;
            }
        };
        self.report_state(local, change);
    }

    /// `x = x + e` and `x = x.insert(…)` may change the value of `x` in place: the call at the end of the block that takes over
    /// what was read of the cell of `x` may have it, since the cell is written next.
    fn taken_back(&mut self, local: hir::LocalId, value: Operand) -> Change {
        let Variable::Cell(cell) = self.variables.place(local) else {
            return Change::Set;
        };
        match self.take_for_last_call(cell, value) {
            Some(
                RuntimeCall::list_push | RuntimeCall::list_concat | RuntimeCall::string_concat,
            ) => Change::Append,
            Some(_) | None => Change::Set,
        }
    }

    fn update(
        &mut self,
        local: hir::LocalId,
        ty: &Type,
        operator: BinaryOperator,
        value: ExpressionId,
    ) -> Change {
        // The right side before the old value is taken: it may wait, raise or read the variable itself.
        let right = match self.appended_elements(ty, operator, value) {
            Some(elements) => Right::Elements(self.operands(&elements)),
            None => Right::Value(self.expression(value)),
        };
        let joins = self.joins(ty);
        // A join that makes a checked value raises where the check fails, and then the variable keeps what it has.
        let old = match joins && !matches!(ty, Type::Checked(..)) {
            true => self.old_value(local, ty, Cell::Emptied),
            false => self.old_value(local, ty, Cell::Kept),
        };
        let new = self.updated(ty, operator, old, right);
        self.write(local, new);
        if joins { Change::Append } else { Change::Set }
    }

    /// The elements of a literal on the right: `xs += [a, b]` appends without making the list.
    pub(super) fn appended_elements(
        &self,
        ty: &Type,
        operator: BinaryOperator,
        value: ExpressionId,
    ) -> Option<Vec<ExpressionId>> {
        let is_list = matches!(self.program.base_type(ty), Type::List(_));
        if let ExpressionKind::List(elements) = &self.body.expression(value).kind
            && operator == BinaryOperator::Add
            && is_list
        {
            return Some(elements.clone());
        }
        None
    }

    /// Whether `+=` on such a value joins something to its end, which cannot raise.
    pub(super) fn joins(&self, ty: &Type) -> bool {
        matches!(
            self.program.base_type(ty),
            Type::String | Type::List(_) | Type::Literals(_)
        )
    }

    /// What an operator makes of the value that is there.
    pub(super) fn updated(
        &mut self,
        ty: &Type,
        operator: BinaryOperator,
        old: Operand,
        right: Right,
    ) -> Operand {
        let right = match right {
            Right::Elements(elements) => {
                let ty = self.type_id(ty);
                return elements.into_iter().fold(old, |list, element| {
                    self.runtime(ty, RuntimeCall::list_push, vec![list, element])
                });
            }
            Right::Value(right) => right,
        };
        match operator.class() {
            OperatorClass::Arithmetic(operator) => self.arithmetic(operator, ty, old, right, ty),
            OperatorClass::Logic(_) | OperatorClass::Equality(_) | OperatorClass::Order(_) => {
                self.unreachable()
            }
        }
    }

    /// The variable's value.
    fn old_value(&mut self, local: hir::LocalId, ty: &Type, left: Cell) -> Operand {
        match self.variables.place(local) {
            Variable::Local(local) => Operand::Local(local),
            Variable::Cell(cell) => {
                let ty = self.type_id(ty);
                let to = self.local(ty);
                self.emit(match left {
                    Cell::Emptied => Instruction::CellTake { to, cell },
                    Cell::Kept => Instruction::CellGet { to, cell },
                });
                Operand::Local(to)
            }
        }
    }

    fn write(&mut self, local: hir::LocalId, value: Operand) {
        match self.variables.place(local) {
            Variable::Local(local) => self.store(local, value),
            Variable::Cell(cell) => self.emit(Instruction::CellSet { cell, value }),
        }
    }

    /// What a `state` variable begins with: in another attempt of its workflow perhaps the value of the reflection on
    /// it.
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

    /// Whether this is a `state` variable whose value can be written down, so that its cell is known to the run.
    pub fn is_observed(&self, local: hir::LocalId) -> bool {
        let declared = self.body.local(local);
        declared.kind == LocalKind::State && has_json(&self.concrete(&declared.ty))
    }

    /// Shows the run the cell of a `state` variable that was just bound.
    pub fn begin_state(&mut self, local: hir::LocalId) {
        if !self.is_observed(local) {
            return;
        }
        let body = Arc::clone(&self.body);
        let declared = body.local(local);
        let ty = self.concrete(&declared.ty);
        let ty = self.type_id(&ty);
        let name = self.text(&declared.name);
        if let Variable::Cell(cell) = self.variables.place(local) {
            let arguments = vec![type_word(ty), name, Operand::Local(cell)];
            self.perform(RuntimeCall::state_begin, arguments);
        }
    }

    /// Reports to the run that a `state` variable has changed, and how.
    fn report_state(&mut self, local: hir::LocalId, change: Change) {
        if !self.is_observed(local) {
            return;
        }
        if let Variable::Cell(cell) = self.variables.place(local) {
            let call = match change {
                Change::Set => RuntimeCall::state_set,
                Change::Append => RuntimeCall::state_append,
            };
            self.perform(call, vec![Operand::Local(cell)]);
        }
    }
}
