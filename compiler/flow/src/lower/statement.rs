//! Blocks, statements, and the binding of names.

use std::sync::Arc;

use gsw_abi::call::RuntimeCall;
use gsw_abi::types::Type as Entry;
use gsw_infer::hir::{
    self, Captured, ExpressionId, LocalKind, PartsAssigned, Statement, StatementKind,
};
use gsw_names::types::Type;

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
        let mut kept = None;
        for statement in statements {
            if let StatementKind::Defer(body) = statement.kind {
                // The first `defer` opens the outermost region: all later ones of the block are inside, and share the place of the value.
                if let (0, Some(tail)) = (defers, tail) {
                    let ty = self.type_of(tail);
                    kept = self.kept(&ty);
                }
                self.open_defer(body, kept);
                defers += 1;
            } else {
                self.statement(statement);
            }
        }
        if let Some(tail) = tail {
            self.mark_expression(tail);
        }
        let mut value = tail.map_or(Operand::Word(0), |it| self.expression(it));
        if let Some(kept) = kept {
            self.store(kept, value);
        }
        for _ in 0..defers {
            debug_assert!(matches!(self.regions().last(), Some(Region::Defer { .. })));
            self.close_defer();
        }
        if let (Some(kept), Some(tail)) = (kept, tail) {
            let ty = self.type_id_of(tail);
            value = Operand::Local(self.copy(Operand::Local(kept), ty));
        }
        value
    }

    fn statement(&mut self, statement: &Statement) {
        let outer = std::mem::replace(&mut self.span, statement.span);
        self.mark_written(statement, outer);
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
                path,
                change,
                value,
            } => {
                if path.is_empty() {
                    self.assign(*local, *change, *value);
                } else {
                    self.assign_part(*local, path, *change, *value);
                }
            }
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
            StatementKind::AssertSnapshot { value } => {
                let value = self.expression(*value);
                self.perform(RuntimeCall::snapshot, vec![value]);
            }
            StatementKind::Mock {
                item,
                patterns: _,
                outcome,
                calls,
            } => mock::mock(self, *item, outcome, *calls),
            StatementKind::MockAgent { agent, script } => mock::mock_agent(self, *agent, script),
        }
        self.span = outer;
    }

    /// Binds the names of a pattern over a value that never comes. They have no type, and what reads them is never reached.
    pub fn bind_lost(&mut self, value: Operand) {
        let body = Arc::clone(&self.body);
        for (index, declared) in (0..).zip(&body.locals) {
            let local = hir::LocalId(index);
            if declared.ty == Type::Invalid && !self.variables.is_bound(local) {
                self.bind(local, value);
            }
        }
    }

    /// Binds a name of the source to a value.
    pub fn bind(&mut self, local: hir::LocalId, value: Operand) {
        let body = Arc::clone(&self.body);
        let declared = body.local(local);
        let ty = self.concrete(&declared.ty);
        let ty = self.type_id(&ty);
        let may_change = matches!(declared.kind, LocalKind::Var | LocalKind::State);
        // A cell is needed where something else holds the variable: a closure, a place of a part, the run that shows a
        // `state`.
        let is_shared = declared.captured == Captured::Yes
            || declared.parts == PartsAssigned::Yes
            || self.is_observed(local);
        if may_change && is_shared {
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
            // The value's own local becomes the variable, which saves a move; not where either of them may be assigned later.
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
