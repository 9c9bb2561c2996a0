//! What control flow does: arms, catches, blocks, loops, and what leaves them.

use gsw_infer::hir::{
    Arm, Change, ExpressionId, LocalId, LocalKind, Pattern, PlacePart, PlaceStep, ScriptTurn,
    Statement, StatementKind,
};
use gsw_names::types::{ErrorSet, Type};
use gsw_names::{alias_target, substitute};
use gsw_source::{Db, ItemId};

use super::body::{BodyWalk, Outcome, acting};
use super::caught::{Remaining, impossible_parts};
use super::facts::{Facts, Raised, add, nothing};
use super::left_task::may_be_left;
use super::task::deadlock;
use super::used::bound;
use crate::call_summary::{Acts, ArgumentEffects, Summary, Waits};

impl<'a> BodyWalk<'a, '_> {
    pub(super) fn chained(
        &mut self,
        base: ExpressionId,
        local: LocalId,
        body: ExpressionId,
    ) -> Outcome {
        let mut outcome = self.expression(base);
        self.learn(local, &outcome.value);
        self.then(body, &mut outcome);
        outcome
    }

    pub(super) fn returning(&mut self, value: Option<ExpressionId>) -> Outcome {
        let outcome = value.map_or_else(Outcome::nothing, |it| self.expression(it));
        self.give_back(&outcome.value);
        let left = Outcome {
            does: outcome.does,
            value: Facts::default(),
        };
        acting(left, Acts::Inside)
    }

    pub(super) fn failing(&mut self, value: ExpressionId) -> Outcome {
        let mut outcome = self.expression(value);
        outcome.does.errors.extend(&outcome.value.error);
        let failed = Outcome {
            does: outcome.does,
            value: Facts::default(),
        };
        acting(failed, Acts::Outside)
    }

    /// Of a `match` over an error, what earlier arms took cannot be in later ones.
    pub(super) fn matching(&mut self, value: ExpressionId, arms: &'a [Arm]) -> Outcome {
        let matched = self.expression(value);
        let is_error = self.body.expression(value).ty == Type::Error;
        let mut left = Remaining::new(self.db(), matched.value.error.clone());
        let mut outcome = Outcome {
            does: matched.does,
            value: Facts::default(),
        };
        for arm in arms {
            let mut facts = matched.value.clone();
            if is_error {
                // So that `catch { e => match e { A => …, other => fail other } }` is known to raise everything but `A`.
                facts.error = left.matched_by(&arm.pattern);
            }
            self.arm(arm, &facts, &mut outcome);
            if is_error && arm.guard.is_none() {
                left.subtract(&arm.pattern);
            }
        }
        outcome
    }

    /// `let p = e` as a condition.
    pub(super) fn testing(&mut self, value: ExpressionId, pattern: &'a Pattern) -> Outcome {
        let tested = self.expression(value);
        let mut facts = tested.value;
        if self.body.expression(value).ty == Type::Error {
            facts.error = Remaining::new(self.db(), facts.error).matched_by(pattern);
        }
        self.bind(pattern, &facts);
        Outcome {
            does: tested.does,
            value: Facts::default(),
        }
    }

    fn arm(&mut self, arm: &'a Arm, facts: &Facts, outcome: &mut Outcome) {
        self.bind(&arm.pattern, facts);
        if let Some(guard) = arm.guard {
            let guarded = self.expression(guard);
            add(&mut outcome.does, &guarded.does);
        }
        self.then(arm.body, outcome);
    }

    pub(super) fn catching(
        &mut self,
        id: ExpressionId,
        value: ExpressionId,
        arms: &'a [Arm],
    ) -> Outcome {
        let guarded = self.expression(value);
        let mut left = Remaining::new(self.db(), guarded.does.errors.clone());
        let late = Remaining::new(self.db(), guarded.does.late.clone());
        // A function parameter is called inside: what it raises is known to callers only, so no arm is impossible and `e` may be
        // anything.
        let unknown = guarded.does.arguments == ArgumentEffects::Added;
        let mut handled = Outcome {
            does: nothing(),
            value: guarded.value,
        };
        for arm in arms {
            if !unknown {
                let is_impossible = |it: &Pattern| left.is_impossible(it) && late.is_impossible(it);
                for part in impossible_parts(&arm.pattern, &is_impossible) {
                    self.never_matches(id, part);
                }
            }
            let mut facts = Facts {
                // Before the subtraction: this arm may be met by what it takes itself.
                error: left.matched_by(&arm.pattern),
                ..Facts::default()
            };
            facts.error.open |= unknown;
            self.arm(arm, &facts, &mut handled);
            if arm.guard.is_none() {
                left.subtract(&arm.pattern);
            }
        }
        let (errors, taken) = left.into_parts();
        let does = Summary {
            errors,
            kept: guarded.does.kept.or(&taken),
            ..guarded.does
        };
        add(&mut handled.does, &does);
        handled
    }

    pub(super) fn block(
        &mut self,
        statements: &'a [Statement],
        tail: Option<ExpressionId>,
    ) -> Outcome {
        let mut outcome = Outcome::nothing();
        for statement in statements {
            let does = self.statement(statement);
            add(&mut outcome.does, &does);
        }
        if let Some(tail) = tail {
            self.then(tail, &mut outcome);
        }
        // After all of it, when it is known what may raise an error.
        for (index, statement) in statements.iter().enumerate() {
            let late = self.left_late(statement, (&statements[index + 1..], tail));
            late.add_to(&mut outcome.does);
        }
        outcome
    }

    /// What tasks raise that a statement begins under a name and that the rest of its block may leave to the end of their node.
    fn left_late(
        &mut self,
        statement: &Statement,
        rest: (&[Statement], Option<ExpressionId>),
    ) -> Raised {
        let (locals, value) = match &statement.kind {
            StatementKind::Let { pattern, value } => (bound(pattern), *value),
            StatementKind::Var { local, value } => (vec![*local], *value),
            StatementKind::Assign { .. }
            | StatementKind::Expression(_)
            | StatementKind::Defer(_)
            | StatementKind::Assert { .. }
            | StatementKind::AssertFails { .. }
            | StatementKind::AssertSnapshot { .. }
            | StatementKind::Mock { .. }
            | StatementKind::MockAgent { .. } => return Raised::default(),
        };
        let late = self.begun(&locals, value);
        let is_left = !late.is_empty() && {
            let raises = |id: ExpressionId| self.raises(id);
            may_be_left(self.body, &locals, rest, self.leaving(), &raises)
        };
        match is_left {
            true => {
                self.late_at(value, &late);
                late
            }
            false => Raised::default(),
        }
    }

    fn statement(&mut self, statement: &'a Statement) -> Summary {
        match &statement.kind {
            StatementKind::Let { pattern, value } => self.given(&bound(pattern), *value).does,
            StatementKind::Var { local, value } => self.given(&[*local], *value).does,
            StatementKind::Assign {
                local,
                path,
                change,
                value,
            } => self.assignment(*local, path, *change, *value),
            StatementKind::Expression(value) => self.dropped(*value),
            StatementKind::Defer(value) => self.expression(*value).does,
            StatementKind::Assert {
                condition, message, ..
            } => {
                let mut outcome = self.expression(*condition);
                if let Some(message) = message {
                    self.then(*message, &mut outcome);
                }
                acting(outcome, Acts::Outside).does
            }
            StatementKind::AssertFails { value, pattern, .. } => {
                let outcome = self.expression(*value);
                self.bind(pattern, &Facts::unknown(self.db(), &Type::Error));
                Summary {
                    errors: ErrorSet::default(),
                    acts: Acts::Outside,
                    ..outcome.does
                }
            }
            StatementKind::AssertSnapshot { value } => self.expression(*value).does,
            StatementKind::Mock { outcome, .. } => {
                // It runs where the prompt is called, in place of what the call would do, and is walked for the calls and lambdas in it.
                self.lambda_code(outcome);
                Summary {
                    acts: Acts::Outside,
                    ..nothing()
                }
            }
            StatementKind::MockAgent { agent: _, script } => {
                let mut outcome = Outcome::nothing();
                for value in script.iter().flat_map(ScriptTurn::expressions) {
                    self.then(value, &mut outcome);
                }
                Summary {
                    acts: Acts::Outside,
                    ..outcome.does
                }
            }
        }
    }

    fn assignment(
        &mut self,
        local: LocalId,
        path: &'a [PlaceStep],
        change: Change,
        value: ExpressionId,
    ) -> Summary {
        // Learnt by the whole variable, whatever part is assigned: parts are not distinguished.
        let assigned = self.given(&[local], value);
        let acts = match self.body.local(local).kind {
            // Each change of it is seen outside.
            LocalKind::State => Acts::Outside,
            LocalKind::Parameter | LocalKind::Let | LocalKind::Var => Acts::Inside,
        };
        let mut does = acting(assigned, acts).does;
        for step in path {
            match step.part {
                PlacePart::Field(_) => {}
                PlacePart::Element(key) => {
                    let key = self.expression(key);
                    add(&mut does, &key.does);
                }
            }
        }
        match change {
            Change::Set | Change::SetUnchecked | Change::Operator(_) => {}
            Change::Converted {
                old: _,
                right: _,
                new,
            } => {
                let converted = self.given(&[local], new);
                add(&mut does, &converted.does);
            }
        }
        self.checks_of_change(local, path, change, &mut does);
        does
    }

    /// The checks that run where a part of a variable has changed: those of the records and aliases that hold the part, from the inside
    /// out, and those of an alias whose value an operator has changed.
    fn checks_of_change(
        &mut self,
        local: LocalId,
        path: &[PlaceStep],
        change: Change,
        does: &mut Summary,
    ) {
        let body = self.body;
        let whole = &body.local(local).ty;
        let mut types: Vec<&Type> = std::iter::once(whole)
            .chain(path.iter().map(|it| &it.ty))
            .collect();
        match change {
            Change::Operator(_) => {}
            Change::Set | Change::Converted { .. } => {
                types.pop();
            }
            Change::SetUnchecked => return,
        }
        let db = self.db();
        for item in types.into_iter().flat_map(|it| checking(db, it)) {
            does.errors.extend(&self.unit.of(item).checks);
        }
    }

    pub(super) fn iterating(
        &mut self,
        pattern: &'a Pattern,
        iterable: ExpressionId,
        body: ExpressionId,
    ) -> Outcome {
        let mut outcome = self.expression(iterable);
        self.bind(pattern, &outcome.value);
        let ty = &self.body.expression(iterable).ty;
        if matches!(ty, Type::Stream(_)) {
            outcome.value.task.add_to(&mut outcome.does);
        }
        if matches!(ty, Type::Stream(_) | Type::Queue(_)) {
            outcome.does.late.extend(&deadlock(self.db()));
            outcome.does.waits = Waits::Always;
        }
        let turn = self.dropped(body);
        add(&mut outcome.does, &turn);
        Outcome {
            does: outcome.does,
            value: Facts::default(),
        }
    }
}

/// The declarations whose checks a value of this type passes as a whole.
fn checking(db: &dyn Db, ty: &Type) -> Vec<ItemId> {
    let mut found = Vec::new();
    let mut ty = ty.clone();
    while let Type::Checked(item, arguments) = &ty {
        found.push(*item);
        ty = substitute(&alias_target(db, *item), arguments);
    }
    if let Type::Record(item, _) = &ty {
        found.push(*item);
    }
    found
}
