//! Calls: what comes to the parameters of what is called, and what it gives.

use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{Callee, ExpressionId, ExpressionKind};
use gsw_names::{KnownItem, Presence, Signature, item_signature};
use gsw_source::{ItemId, Span};

use super::ItemWalk;
use crate::summary::can_carry_effects;
use crate::trust::ItemTrust;
use crate::trust::label::Label;
use crate::trust::origin::{Origin, origin};

type Arguments = [(u32, ExpressionId)];

impl<'a> ItemWalk<'_, 'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a Callee,
        arguments: &'a Arguments,
        span: Span,
    ) -> Label {
        match callee {
            Callee::Item { item, .. } => self.call_item(*item, arguments, span),
            Callee::Value(function) => {
                let mut label = self.expression(*function);
                // It is called here, with what is seen here.
                label.handed = None;
                let given = self.all(arguments.iter().map(|it| it.1));
                self.trust.passes.join(&given);
                label.join(&given);
                label
            }
            Callee::EnumValues(_) => Label::default(),
        }
    }

    pub(super) fn call_item(
        &mut self,
        item: ItemId,
        arguments: &'a Arguments,
        span: Span,
    ) -> Label {
        let given = self.arguments_of(item, arguments, span);
        self.result_of(item, &given, span)
    }

    /// What a call of `item` gives.
    pub(super) fn result_of(&mut self, item: ItemId, given: &[Label], span: Span) -> Label {
        let db = self.db();
        if KnownItem::Trust.is(db, item) {
            return Label::default();
        }
        let name = item.name(db);
        match origin(db, item) {
            Origin::Trusted => Label::default(),
            Origin::Foreign => Label::foreign(span, format!("what `{name}` gives")),
            Origin::Arguments => joined(given),
            Origin::Found => given.first().cloned().unwrap_or_default(),
            Origin::Bodies => self
                .unit
                .of(item, self.item)
                .result
                .called(given, span, name),
        }
    }

    /// The labels of the arguments of a call by parameter, each of which is held to what its parameter takes.
    pub(super) fn arguments_of(
        &mut self,
        item: ItemId,
        arguments: &'a Arguments,
        span: Span,
    ) -> Vec<Label> {
        let db = self.db();
        let signature = &item_signature(db, item).signature;
        let mut given = vec![Label::default(); signature.parameters.len()];
        for (index, id) in arguments {
            if !is_function(&self.body.expression(*id).kind) {
                given[*index as usize] = self.expression(*id);
            }
        }
        let known = self.unit.of(item, self.item);
        let passed = self.passed_by(item, &known, arguments, &given, span);
        for (index, id) in arguments {
            if let Some(label) = self.function(*id, &passed) {
                given[*index as usize] = label;
            }
        }
        for (index, id) in arguments {
            if let Some(wanted) = wanted(signature, *index, item.name(db), &known) {
                let label = given[*index as usize].clone();
                self.demand(&label, self.body.expression(*id).span, &wanted);
            }
        }
        given
    }

    /// What a callee may call the functions with that it is given.
    fn passed_by(
        &mut self,
        item: ItemId,
        known: &ItemTrust,
        arguments: &Arguments,
        given: &[Label],
        span: Span,
    ) -> Label {
        let db = self.db();
        let mut types = arguments.iter().map(|it| &self.body.expression(it.1).ty);
        if !types.any(|it| can_carry_effects(db, it)) {
            return Label::default();
        }
        let mut passed = match origin(db, item) {
            Origin::Arguments | Origin::Found => joined(given),
            Origin::Bodies | Origin::Trusted | Origin::Foreign => {
                known.passes.called(given, span, item.name(db))
            }
        };
        self.trust.passes.join(&passed);
        // It may give the function back, and whoever has it calls it with anything.
        if can_carry_effects(db, &item_signature(db, item).signature.result) {
            passed.join(&Label::handed(span));
        }
        passed
    }

    /// The label of a function that is written where it is handed over, and is called with what has this label; `None` of
    /// anything else.
    fn function(&mut self, id: ExpressionId, passed: &Label) -> Option<Label> {
        let expression = self.body.expression(id);
        if let ExpressionKind::Lambda(lambda) = &expression.kind {
            for parameter in &lambda.parameters {
                self.learn(*parameter, passed);
            }
            return Some(self.lambda(lambda));
        }
        let ExpressionKind::FunctionValue { item, .. } = &expression.kind else {
            return None;
        };
        Some(self.function_called(*item, passed, expression.span))
    }

    /// The label of a declared function that is called with what has this label.
    pub(super) fn function_called(&mut self, item: ItemId, passed: &Label, span: Span) -> Label {
        let db = self.db();
        let known = self.unit.of(item, self.item);
        let signature = &item_signature(db, item).signature;
        for index in 0..signature.parameters.len() as u32 {
            if let Some(wanted) = wanted(signature, index, item.name(db), &known) {
                self.demand(passed, span, &wanted);
            }
        }
        let given = vec![passed.clone(); signature.parameters.len()];
        self.result_of(item, &given, span)
    }
}

/// The place to which an argument comes that takes only what is trusted.
fn wanted(signature: &Signature, index: u32, of: &str, known: &ItemTrust) -> Option<String> {
    if signature.intrinsic == Some(RuntimeCall::workflow_start) {
        // Which workflow it is, and so which of its parameters are `trusted`, is known only when it runs.
        return Some("what a workflow is started with by its name".to_owned());
    }
    let parameter = &signature.parameters[index as usize];
    match parameter.trusted {
        Presence::Present => Some(format!("`{}` of `{of}`", parameter.name)),
        Presence::Absent => known.needs.get(&index).cloned(),
    }
}

fn joined(labels: &[Label]) -> Label {
    let mut joined = Label::default();
    labels.iter().for_each(|it| joined.join(it));
    joined
}

const fn is_function(kind: &ExpressionKind) -> bool {
    matches!(
        kind,
        ExpressionKind::Lambda(_) | ExpressionKind::FunctionValue { .. }
    )
}
