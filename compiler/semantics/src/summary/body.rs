//! One walk over a body: what each expression does and what its value brings.

use gsw_source::Db;

use super::Unit;
use super::caught::Remaining;
use super::facts::{Facts, add, bears, nothing, of_latent, of_parameter};
use crate::error_class::{builtin_set, error_class, error_name};
use crate::hir::{
    Arm, Body, ErrorPolicy, Expression, ExpressionId, ExpressionKind, Lambda, LocalId, Modifiers,
    Pattern, PatternKind, Statement, StatementKind,
};
use crate::model::{Summary, Waits};
use crate::types::{Effect, ErrorSet, Type};
use crate::walk::{Child, children, visit_patterns};
use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::ErrorClass;

/// What an expression does, and what its value brings.
pub(super) struct Outcome {
    pub(super) does: Summary,
    pub(super) value: Facts,
}

impl Outcome {
    pub(super) fn nothing() -> Self {
        Self {
            does: nothing(),
            value: Facts::default(),
        }
    }
}

/// What is known of a body; grows from walk to walk.
pub(super) struct BodyFacts {
    locals: Vec<Facts>,
    /// What each expression does by itself and inside.
    pub(super) does: Vec<Summary>,
    closures: Vec<((ExpressionId, u32), Summary)>,
    /// Arms of `catch` by expression and position, with whether they can match; as the last walk found it.
    pub(super) impossible: Vec<(ExpressionId, usize)>,
    learnt: bool,
}

impl BodyFacts {
    pub(super) fn new(db: &dyn Db, body: &Body) -> Self {
        let mut locals = vec![Facts::default(); body.locals.len()];
        for &LocalId(index) in &body.parameters {
            if let (Some(facts), Some(local)) = (
                locals.get_mut(index as usize),
                body.locals.get(index as usize),
            ) {
                *facts = parameter_facts(db, &local.ty);
            }
        }
        Self {
            locals,
            does: vec![nothing(); body.expressions.len()],
            closures: Vec::new(),
            impossible: Vec::new(),
            learnt: false,
        }
    }

    pub(super) fn lambdas(&self) -> Vec<((ExpressionId, u32), Summary)> {
        let mut all = self.closures.clone();
        all.sort_by_key(|(key, _)| *key);
        all
    }

    pub(super) fn take_learnt(&mut self) -> bool {
        std::mem::take(&mut self.learnt)
    }
}

/// A function given as an argument does what the caller's does; anything deeper is stored.
fn parameter_facts(db: &dyn Db, ty: &Type) -> Facts {
    match ty {
        Type::Function(function) => {
            let mut facts = Facts::unknown(db, &function.result);
            facts.call = function
                .latent
                .as_ref()
                .map_or_else(of_parameter, of_latent);
            facts
        }
        other => Facts::unknown(db, other),
    }
}

/// A walk over one body.
pub(super) struct BodyWalk<'a, 'u> {
    pub(super) unit: &'a mut Unit<'u>,
    pub(super) body: &'a Body,
    facts: &'a mut BodyFacts,
    /// What `return` gives, one per function or lambda that is open.
    returned: Vec<Facts>,
}

impl<'a, 'u> BodyWalk<'a, 'u> {
    pub(super) fn new(unit: &'a mut Unit<'u>, body: &'a Body, facts: &'a mut BodyFacts) -> Self {
        facts.impossible.clear();
        Self {
            unit,
            body,
            facts,
            returned: vec![Facts::default()],
        }
    }

    pub(super) fn run(mut self) -> Outcome {
        let mut outcome = self.expression(self.body.root);
        if let Some(returned) = self.returned.pop() {
            outcome.value.join(&returned);
        }
        outcome
    }

    pub(super) fn db(&self) -> &'u dyn Db {
        self.unit.db
    }

    pub(super) fn expression(&mut self, id: ExpressionId) -> Outcome {
        let body = self.body;
        let expression = body.expression(id);
        let mut outcome = self.kind(id, expression);
        if !bears(self.db(), &expression.ty) && expression.ty != Type::Never {
            outcome.value = Facts::default();
        }
        if let Some(known) = self.facts.does.get_mut(id.0 as usize) {
            *known = outcome.does.clone();
        }
        outcome
    }

    fn kind(&mut self, id: ExpressionId, expression: &'a Expression) -> Outcome {
        match &expression.kind {
            ExpressionKind::Local(LocalId(index)) => Outcome {
                does: nothing(),
                value: self
                    .facts
                    .locals
                    .get(*index as usize)
                    .cloned()
                    .unwrap_or_default(),
            },
            ExpressionKind::FunctionValue { item, .. } => self.function_value(*item),
            ExpressionKind::Lambda(lambda) => Outcome {
                does: nothing(),
                value: self.closure(id, 0, lambda),
            },
            ExpressionKind::Record { item, .. } | ExpressionKind::Variant { item, .. } => {
                let mut outcome = self.inside(&expression.kind);
                let (defaults, _) = self.unit.of(*item);
                add(&mut outcome.does, &defaults);
                outcome
            }
            ExpressionKind::ErrorValue { item, .. } => {
                let mut outcome = self.inside(&expression.kind);
                if error_class(self.db(), *item) != ErrorClass::Fault {
                    outcome
                        .value
                        .error
                        .kinds
                        .insert(error_name(self.db(), *item));
                }
                outcome
            }
            ExpressionKind::JsonField { .. } | ExpressionKind::As(_) => {
                self.decoding(&expression.kind)
            }
            ExpressionKind::Index { base, .. } if self.body.expression(*base).ty == Type::Json => {
                self.decoding(&expression.kind)
            }
            ExpressionKind::Match { value, arms } => self.matching(*value, arms),
            ExpressionKind::Catch { value, arms } => self.catching(id, *value, arms),
            ExpressionKind::Block { statements, tail } => self.block(statements, *tail),
            ExpressionKind::Chain { base, local, body } => {
                let mut outcome = self.expression(*base);
                self.learn(*local, &outcome.value);
                self.then(*body, &mut outcome);
                outcome
            }
            ExpressionKind::For {
                pattern,
                iterable,
                body,
            } => self.iterating(pattern, *iterable, *body),
            ExpressionKind::Return(value) => {
                let outcome = value.map_or_else(Outcome::nothing, |it| self.expression(it));
                if let Some(returned) = self.returned.last_mut() {
                    returned.join(&outcome.value);
                }
                Outcome {
                    does: outcome.does,
                    value: Facts::default(),
                }
            }
            ExpressionKind::Fail(value) => {
                let mut outcome = self.expression(*value);
                outcome.does.errors.extend(&outcome.value.error);
                Outcome {
                    does: outcome.does,
                    value: Facts::default(),
                }
            }
            ExpressionKind::Call { callee, arguments } => {
                self.call(callee, arguments, &expression.ty)
            }
            ExpressionKind::PromptCall {
                item,
                arguments,
                agent,
                settings,
                ..
            } => self.prompt_call(*item, arguments, *agent, *settings),
            ExpressionKind::PromptText { item, .. }
            | ExpressionKind::SpawnDetached { item, .. } => {
                let mut outcome = self.inside(&expression.kind);
                let (summary, _) = self.unit.of(*item);
                outcome.does.effects = outcome
                    .does
                    .effects
                    .union(summary.effects)
                    .with(Effect::Spawn);
                outcome.does.waits = Waits::Always;
                outcome
            }
            ExpressionKind::Spawn(lambda) => self.spawning(id, lambda),
            ExpressionKind::Await(value) | ExpressionKind::Race(value) => {
                let mut outcome = self.expression(*value);
                outcome.does.errors.extend(&outcome.value.task);
                outcome.does.waits = Waits::Always;
                outcome
            }
            ExpressionKind::ParallelFor {
                iterable,
                limit,
                policy,
                body,
            } => self.parallel_for(id, *iterable, *limit, *policy, body),
            ExpressionKind::Parallel(lambdas) => self.parallel(id, lambdas),
            ExpressionKind::Step { modifiers, .. } | ExpressionKind::Modified { modifiers, .. } => {
                let mut outcome = self.inside(&expression.kind);
                add_modifiers(self.db(), modifiers, &mut outcome.does);
                outcome
            }
            other => self.inside(other),
        }
    }

    /// Everything inside, one after the other; the value brings what any part brings.
    fn inside(&mut self, kind: &'a ExpressionKind) -> Outcome {
        let mut outcome = Outcome::nothing();
        for child in children(kind) {
            if let Child::Inline(id) = child {
                self.then(id, &mut outcome);
            }
        }
        outcome
    }

    pub(super) fn then(&mut self, id: ExpressionId, outcome: &mut Outcome) {
        let next = self.expression(id);
        add(&mut outcome.does, &next.does);
        outcome.value.join(&next.value);
    }

    fn decoding(&mut self, kind: &'a ExpressionKind) -> Outcome {
        let mut outcome = self.inside(kind);
        let set = builtin_set(self.db(), BuiltinError::DecodeError);
        outcome.does.errors.extend(&set);
        outcome
    }

    /// Walks the code of a closure and gives what the closure, as a value, brings.
    pub(super) fn closure(&mut self, id: ExpressionId, position: u32, lambda: &'a Lambda) -> Facts {
        self.returned.push(Facts::default());
        let outcome = self.expression(lambda.body);
        let mut value = self.returned.pop().unwrap_or_default();
        value.join(&outcome.value);
        let key = (id, position);
        match self.facts.closures.iter_mut().find(|(it, _)| *it == key) {
            Some((_, known)) => {
                if *known != outcome.does {
                    *known = outcome.does.clone();
                    self.facts.learnt = true;
                }
            }
            None => {
                self.facts.closures.push((key, outcome.does.clone()));
                self.facts.learnt = true;
            }
        }
        add(&mut value.call, &outcome.does);
        value
    }

    /// Whatever value a local gets brings `facts`.
    pub(super) fn learn(&mut self, LocalId(index): LocalId, facts: &Facts) {
        let Some(ty) = self.body.locals.get(index as usize).map(|it| &it.ty) else {
            return;
        };
        if !bears(self.unit.db, ty) {
            return;
        }
        if let Some(known) = self.facts.locals.get_mut(index as usize) {
            let before = known.clone();
            known.join(facts);
            self.facts.learnt |= *known != before;
        }
    }

    fn bind(&mut self, pattern: &'a Pattern, facts: &Facts) {
        let mut bound = Vec::new();
        visit_patterns(pattern, &mut |it| match &it.kind {
            PatternKind::Binding(local) => bound.push(*local),
            PatternKind::List {
                rest: Some(crate::hir::ListRest::Bound(local)),
                ..
            } => bound.push(*local),
            _ => {}
        });
        for local in bound {
            self.learn(local, facts);
        }
    }

    /// Of a `match` over an error, what earlier arms took cannot be in later ones.
    fn matching(&mut self, value: ExpressionId, arms: &'a [Arm]) -> Outcome {
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
                facts.error = left.matched_by(&arm.pattern);
            }
            self.arm(arm, &facts, &mut outcome);
            if is_error && arm.guard.is_none() {
                left.subtract(&arm.pattern);
            }
        }
        outcome
    }

    fn arm(&mut self, arm: &'a Arm, facts: &Facts, outcome: &mut Outcome) {
        self.bind(&arm.pattern, facts);
        if let Some(guard) = arm.guard {
            let guarded = self.expression(guard);
            add(&mut outcome.does, &guarded.does);
        }
        self.then(arm.body, outcome);
    }

    fn catching(&mut self, id: ExpressionId, value: ExpressionId, arms: &'a [Arm]) -> Outcome {
        let guarded = self.expression(value);
        let mut left = Remaining::new(self.db(), guarded.does.errors.clone());
        let unknown = guarded.does.arguments == crate::model::ArgumentEffects::Added;
        let mut handled = Outcome {
            does: nothing(),
            value: guarded.value,
        };
        for (index, arm) in arms.iter().enumerate() {
            if !unknown && left.is_impossible(&arm.pattern) {
                self.facts.impossible.push((id, index));
            }
            let mut facts = Facts {
                error: left.matched_by(&arm.pattern),
                ..Facts::default()
            };
            facts.error.open |= unknown;
            self.arm(arm, &facts, &mut handled);
            if arm.guard.is_none() {
                left.subtract(&arm.pattern);
            }
        }
        let does = Summary {
            errors: left.into_set(),
            ..guarded.does
        };
        add(&mut handled.does, &does);
        handled
    }

    fn block(&mut self, statements: &'a [Statement], tail: Option<ExpressionId>) -> Outcome {
        let mut outcome = Outcome::nothing();
        for statement in statements {
            let does = self.statement(statement);
            add(&mut outcome.does, &does);
        }
        if let Some(tail) = tail {
            self.then(tail, &mut outcome);
        }
        outcome
    }

    fn statement(&mut self, statement: &'a Statement) -> Summary {
        match &statement.kind {
            StatementKind::Let { pattern, value } => {
                let outcome = self.expression(*value);
                self.bind(pattern, &outcome.value);
                outcome.does
            }
            StatementKind::Var { local, value } | StatementKind::Assign { local, value, .. } => {
                let outcome = self.expression(*value);
                self.learn(*local, &outcome.value);
                outcome.does
            }
            // Nobody can await a task that is dropped at once: its error is raised when its node ends.
            StatementKind::Expression(value) => {
                let mut outcome = self.expression(*value);
                outcome.does.errors.extend(&outcome.value.task);
                outcome.does
            }
            StatementKind::Defer(value) => self.expression(*value).does,
            StatementKind::Assert {
                condition, message, ..
            } => {
                let mut outcome = self.expression(*condition);
                if let Some(message) = message {
                    self.then(*message, &mut outcome);
                }
                outcome.does
            }
            StatementKind::AssertFails { value, pattern, .. } => {
                let outcome = self.expression(*value);
                self.bind(pattern, &Facts::unknown(self.db(), &Type::Error));
                Summary {
                    errors: ErrorSet::default(),
                    ..outcome.does
                }
            }
            StatementKind::Mock { .. } => nothing(),
        }
    }

    fn iterating(
        &mut self,
        pattern: &'a Pattern,
        iterable: ExpressionId,
        body: ExpressionId,
    ) -> Outcome {
        let mut outcome = self.expression(iterable);
        self.bind(pattern, &outcome.value);
        if matches!(self.body.expression(iterable).ty, Type::Stream(_)) {
            outcome.does.errors.extend(&outcome.value.task);
            outcome.does.waits = Waits::Always;
        }
        let turn = self.expression(body);
        add(&mut outcome.does, &turn.does);
        outcome.does.errors.extend(&turn.value.task);
        Outcome {
            does: outcome.does,
            value: Facts::default(),
        }
    }

    fn spawning(&mut self, id: ExpressionId, lambda: &'a Lambda) -> Outcome {
        let mut value = self.closure(id, 0, lambda);
        value.task.extend(&value.call.errors);
        let mut does = nothing();
        does.effects = value.call.effects.with(Effect::Spawn);
        does.arguments = value.call.arguments;
        does.waits = Waits::Always;
        value.call = nothing();
        Outcome { does, value }
    }

    fn parallel_for(
        &mut self,
        id: ExpressionId,
        iterable: ExpressionId,
        limit: Option<ExpressionId>,
        policy: ErrorPolicy,
        lambda: &'a Lambda,
    ) -> Outcome {
        let mut outcome = self.expression(iterable);
        for parameter in &lambda.parameters {
            self.learn(*parameter, &outcome.value);
        }
        if let Some(limit) = limit {
            let limited = self.expression(limit);
            add(&mut outcome.does, &limited.does);
        }
        let mut value = self.closure(id, 0, lambda);
        let errors = std::mem::take(&mut value.call.errors);
        add(&mut outcome.does, &value.call);
        match policy {
            ErrorPolicy::First => outcome.does.errors.extend(&errors),
            ErrorPolicy::Settle => value.error.extend(&errors),
            ErrorPolicy::Merge if errors.is_empty() => {}
            ErrorPolicy::Merge => {
                let many = builtin_set(self.db(), BuiltinError::Many);
                outcome.does.errors.extend(&many);
            }
        }
        outcome.does.waits = Waits::Always;
        value.call = nothing();
        Outcome {
            does: outcome.does,
            value,
        }
    }

    fn parallel(&mut self, id: ExpressionId, lambdas: &'a [Lambda]) -> Outcome {
        let mut outcome = Outcome::nothing();
        for (position, lambda) in (0u32..).zip(lambdas) {
            let mut value = self.closure(id, position, lambda);
            add(&mut outcome.does, &value.call);
            value.call = nothing();
            outcome.value.join(&value);
        }
        outcome.does.waits = Waits::Always;
        outcome
    }
}

/// Modifiers open a node or scope, whose end waits for its tasks; a timeout raises its own error.
pub(super) fn add_modifiers(db: &dyn Db, modifiers: &Modifiers, does: &mut Summary) {
    does.waits = Waits::Always;
    if modifiers.timeout.is_some() {
        does.errors.extend(&builtin_set(db, BuiltinError::Timeout));
    }
    if modifiers.reflect.is_some() {
        does.effects = does.effects.with(Effect::Model);
    }
}
