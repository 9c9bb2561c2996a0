//! What tasks, `parallel` and blocks with modifiers do.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{
    Body, ErrorPolicy, ExpressionId, ExpressionKind, Lambda, Modifiers, RacePolicy,
};
use gsw_names::builtin_set;
use gsw_names::types::{Effect, EffectSet, ErrorSet};
use gsw_source::{Db, ItemId, ItemKind};

use super::body::{BodyWalk, Outcome};
use super::facts::{Facts, Raised, add, nothing};
use super::head::add_given;
use crate::call_summary::{Acts, ArgumentEffects, Summary, Waits};

impl<'a> BodyWalk<'a, '_> {
    pub(super) fn detaching(&mut self, item: ItemId, kind: &'a ExpressionKind) -> Outcome {
        let mut outcome = self.inside(kind);
        let started = self.unit.of(item).call;
        // The errors of a detached run are its own: it cannot be awaited here.
        let effects = outcome.does.effects.union(started.effects);
        outcome.does.effects = effects.with(Effect::Spawn);
        outcome.does.waits = Waits::Always;
        // An id may be none, or another workflow's.
        if let ExpressionKind::SpawnDetached { id: Some(_), .. } = kind {
            let failed = builtin_set(self.db(), BuiltinError::Failed);
            outcome.does.errors.extend(&failed);
        }
        outcome
    }

    pub(super) fn awaiting(&mut self, value: ExpressionId) -> Outcome {
        let mut outcome = self.expression(value);
        outcome.value.task.add_to(&mut outcome.does);
        outcome.does.late.extend(&deadlock(self.db()));
        outcome.does.waits = Waits::Always;
        outcome
    }

    pub(super) fn racing(&mut self, tasks: ExpressionId, policy: RacePolicy) -> Outcome {
        match policy {
            RacePolicy::First => self.awaiting(tasks),
            RacePolicy::Merge => {
                let mut outcome = self.expression(tasks);
                if !outcome.value.task.is_empty() {
                    let many = builtin_set(self.db(), BuiltinError::Many);
                    outcome.does.errors.extend(&many);
                }
                outcome.does.late.extend(&deadlock(self.db()));
                outcome.does.waits = Waits::Always;
                outcome
            }
        }
    }

    /// A step, or a block with modifiers.
    pub(super) fn modified(
        &mut self,
        modifiers: &'a Modifiers,
        kind: &'a ExpressionKind,
    ) -> Outcome {
        self.nodes += 1;
        let mut outcome = self.inside(kind);
        self.nodes -= 1;
        add_modifiers(self.db(), self.body, modifiers, &mut outcome.does);
        if let Some(judge) = judge(self.db(), self.body, modifiers) {
            let given = self.unit.of(judge).call;
            add_given(self.db(), judge, &given, &mut outcome.does);
        }
        outcome
    }

    pub(super) fn spawning(&mut self, id: ExpressionId, lambda: &'a Lambda) -> Outcome {
        let mut value = self.closure(id, 0, lambda);
        // The body's errors move from doing to awaiting: `spawn` itself raises nothing.
        let raised = Raised::taken_from(&mut value.call);
        value.task.join(&raised);
        let mut does = nothing();
        does.effects = value.call.effects.with(Effect::Spawn);
        does.arguments = value.call.arguments;
        does.waits = Waits::Always;
        does.late = value.task.errors.clone();
        // The result of a task cannot hold a function (`rules::boundary`), so nothing that could be called is lost.
        value.call = nothing();
        Outcome { does, value }
    }

    /// What takes something back runs at the end of the workflow and raises nothing: what it cannot do is reported with the error
    /// that it runs for.
    pub(super) fn undoing(&mut self, id: ExpressionId, lambda: &'a Lambda) -> Outcome {
        let value = self.closure(id, 0, lambda);
        let mut does = nothing();
        does.effects = value.call.effects;
        does.arguments = value.call.arguments;
        does.acts = Acts::Outside;
        Outcome {
            does,
            value: Facts::default(),
        }
    }

    pub(super) fn parallel_for(
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
        self.learnt_parameters.extend(&lambda.parameters);
        if let Some(limit) = limit {
            let limited = self.expression(limit);
            add(&mut outcome.does, &limited.does);
        }
        let value = self.concurrent(id, (0, lambda), policy, &mut outcome.does);
        outcome.does.waits = Waits::Always;
        Outcome {
            does: outcome.does,
            value,
        }
    }

    pub(super) fn parallel(
        &mut self,
        id: ExpressionId,
        branches: &'a [Lambda],
        policy: ErrorPolicy,
    ) -> Outcome {
        let mut outcome = Outcome::nothing();
        for branch in (0u32..).zip(branches) {
            let value = self.concurrent(id, branch, policy, &mut outcome.does);
            outcome.value.join(&value);
        }
        outcome.does.waits = Waits::Always;
        outcome
    }

    /// Adds what an iteration or branch does to what the `parallel` does, and gives what is known of its value. Which errors come out
    /// depends on the policy.
    fn concurrent(
        &mut self,
        id: ExpressionId,
        (position, lambda): (u32, &'a Lambda),
        policy: ErrorPolicy,
        does: &mut Summary,
    ) -> Facts {
        let mut value = self.closure(id, position, lambda);
        let raised = Raised::taken_from(&mut value.call);
        add(does, &value.call);
        match policy {
            ErrorPolicy::First => raised.add_to(does),
            // They are values among the outcomes, and raise only where the program `fail`s with one.
            ErrorPolicy::Settle => {
                value.error.extend(&raised.errors);
                value.error.open |= raised.arguments == ArgumentEffects::Added;
            }
            ErrorPolicy::Merge if raised.is_empty() => {}
            ErrorPolicy::Merge => {
                let many = builtin_set(self.db(), BuiltinError::Many);
                does.errors.extend(&many);
            }
        }
        value.call = nothing();
        value
    }
}

/// What waiting for what others in the program do raises where nothing moves any more: for tasks, at queues and streams, for the call
/// before with the same key or in the same session.
pub(super) fn deadlock(db: &dyn Db) -> ErrorSet {
    builtin_set(db, BuiltinError::Failed)
}

/// Modifiers open a node or scope, whose end waits for its tasks; a timeout raises its own error.
/// `body` is the one that holds their expressions.
pub(super) fn add_modifiers(db: &dyn Db, body: &Body, modifiers: &Modifiers, does: &mut Summary) {
    let Modifiers {
        budget: _,
        reflect,
        // `retry` and `budget` raise no error of their own that is no fault: the last attempt's error comes out.
        retry: _,
        timeout,
    } = modifiers;
    does.waits = Waits::Always;
    if timeout.is_some() {
        does.errors.extend(&builtin_set(db, BuiltinError::Timeout));
    }
    if let Some(reflect) = reflect {
        // Its errors never get out. What a prompt does is added by `judge`; what another function does is not known here.
        does.effects = match reflect.with {
            Some(_) if judge(db, body, modifiers).is_none() => EffectSet::ALL,
            Some(_) | None => does.effects.with(Effect::Model),
        };
    }
}

/// The prompt that a `reflect` asks what went wrong.
pub(super) fn judge(db: &dyn Db, body: &Body, modifiers: &Modifiers) -> Option<ItemId> {
    let with = modifiers.reflect.as_ref()?.with?;
    let ExpressionKind::FunctionValue { item, .. } = body.expression(with).kind else {
        return None;
    };
    (item.kind(db) == ItemKind::Prompt).then_some(item)
}
