//! Blocks, statements, and the binding of names.

use std::sync::Arc;

use gsw_abi::types::Type as Entry;
use gsw_infer::hir::{self, Captured, ExpressionId, LocalKind, Statement, StatementKind};

use crate::ir::{Instruction, Operand};
use crate::lower::builder::Builder;
use crate::lower::region::Region;
use crate::lower::variable::Variable;
use crate::lower::{assertion, mock};

impl Builder<'_, '_> {
    pub fn block_expression(
        &mut self,
        statements: &[Statement],
        tail: Option<ExpressionId>,
    ) -> Operand {
        let mut defers = 0;
        for statement in statements {
            if let StatementKind::Defer(body) = statement.kind {
                self.open_defer(body);
                defers += 1;
            } else {
                self.statement(statement);
            }
        }
        let mut value = tail.map_or(Operand::Word(0), |it| self.expression(it));
        if defers > 0 {
            value = self.detached(value);
        }
        for _ in 0..defers {
            debug_assert!(matches!(self.regions().last(), Some(Region::Defer { .. })));
            self.close_defer();
        }
        value
    }

    fn statement(&mut self, statement: &Statement) {
        let outer = std::mem::replace(&mut self.span, statement.span);
        match &statement.kind {
            StatementKind::Let { pattern, value } => {
                let value = self.expression(*value);
                // The checker proved that the pattern always matches.
                let never = self.block();
                self.test(pattern, value, never);
            }
            StatementKind::Var { local, value } => {
                let value = self.expression(*value);
                let value = self.revised_state(*local, value);
                self.bind(*local, value);
                self.begin_state(*local);
            }
            StatementKind::Assign {
                local,
                operator,
                value,
            } => self.assign(*local, *operator, *value),
            StatementKind::Expression(value) => {
                self.expression(*value);
            }
            StatementKind::Defer(_) => {}
            StatementKind::Assert {
                condition,
                message,
                source,
            } => assertion::assert(self, *condition, *message, source),
            StatementKind::AssertFails {
                value,
                pattern,
                source,
            } => assertion::assert_fails(self, *value, pattern, source),
            StatementKind::Mock { item, outcome, .. } => mock::mock(self, *item, outcome),
        }
        self.span = outer;
    }

    /// Binds a name of the source to a value.
    pub fn bind(&mut self, local: hir::LocalId, value: Operand) {
        let body = Arc::clone(&self.body);
        let declared = body.local(local);
        let ty = self.concrete(&declared.ty);
        let ty = self.type_id(&ty);
        let may_change = matches!(declared.kind, LocalKind::Var | LocalKind::State);
        if may_change && (declared.captured == Captured::Yes || self.is_observed(local)) {
            let cell_type = self.program.types.structure(Entry::Cell(ty));
            let cell = self.named_local(cell_type, &declared.name);
            self.emit(Instruction::CellNew {
                to: cell,
                ty: cell_type,
                value,
            });
            self.variables.bind(local, Variable::Cell(cell));
            return;
        }
        // Alternatives of a pattern bind the same names: their locals are there before.
        if let Some(known) = self.variables.shared(local) {
            self.store(known, value);
            return;
        }
        if let Operand::Local(held) = value
            && !may_change
            && self.variables.assignable(held).is_none()
        {
            self.name_local(held, &declared.name);
            self.variables.bind(local, Variable::Local(held));
            return;
        }
        let own = self.named_local(ty, &declared.name);
        self.store(own, value);
        if may_change {
            self.variables.bind_assignable(local, own);
        } else {
            self.variables.bind(local, Variable::Local(own));
        }
    }
}
