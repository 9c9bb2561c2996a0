//! Functions as values: what they are called with, and by whom.
//!
//! One that is written where it is handed to a parameter that is a function is called with what the summary of the callee says.
//! Any other is kept: it may be called with anything. One that comes from a parameter of the item around is noted in the item's
//! summary, with all that it is called with.

use std::cell::RefCell;

use gsw_infer::hir::{ExpressionId, ExpressionKind, Lambda};
use gsw_names::types::Type;
use gsw_names::{MOST_INSTANCES, find_held, item_signature};
use gsw_source::{Db, ItemId, Span};
use rustc_hash::FxHashSet;

use super::ItemWalk;
use super::call::joined;
use crate::trust::ItemTrust;
use crate::trust::label::{Label, Parameters};
use crate::trust::origin::{Origin, origin};

impl<'a> ItemWalk<'_, 'a> {
    /// How many bodies and lambdas are around.
    pub(super) fn depth(&self) -> u32 {
        self.returns.len() as u32
    }

    /// What a function is given that is made here and kept.
    pub(super) fn handed(&self, span: Span) -> Label {
        Label::handed(self.depth() + 1, span)
    }

    /// The label of a lambda's result when its arguments have this label.
    pub(super) fn lambda_called(&mut self, lambda: &'a Lambda, passed: &Label) -> Label {
        for parameter in &lambda.parameters {
            self.learn(*parameter, passed);
        }
        self.lambda(lambda)
    }

    /// The label of a lambda's result, without its arguments: those are seen where it is called.
    pub(super) fn lambda(&mut self, lambda: &'a Lambda) -> Label {
        self.returns.push(Label::default());
        let depth = self.depth();
        let mut label = self.expression(lambda.body);
        label.join(&self.returns.pop().unwrap_or_default());
        label.handed.remove(&depth);
        label
    }

    /// The label of a declared function that is called with what has this label.
    pub(super) fn function_called(&mut self, item: ItemId, passed: &Label, span: Span) -> Label {
        let db = self.db();
        let known = self.unit.of(item, self.item);
        let signature = &item_signature(db, item).signature;
        for index in 0..signature.parameters.len() as u32 {
            if let Some(wanted) = self.wanted(item, index, &known) {
                self.demand(passed, span, &wanted);
            }
        }
        let given = vec![passed.clone(); signature.parameters.len()];
        let mut label = self.result_of(item, &given, span);
        label.handed.remove(&(self.depth() + 1));
        label
    }

    /// What the last walk has found of a function that is handed over: it may give what another one is called with that is handed
    /// to the same callee.
    pub(super) fn known_function(&self, id: ExpressionId) -> Label {
        self.known.functions.get(&id).cloned().unwrap_or_default()
    }

    /// The label of a function that is written where it is handed over, and is called with what has this label; `None` of
    /// anything else.
    pub(super) fn function(&mut self, id: ExpressionId, passed: &Label) -> Option<Label> {
        let expression = self.body.expression(id);
        let (ty, span) = (&expression.ty, expression.span);
        let found = if let ExpressionKind::Lambda(lambda) = &expression.kind {
            self.lambda_called(lambda, passed)
        } else if let ExpressionKind::FunctionValue {
            item,
            type_arguments,
        } = &expression.kind
        {
            if self.takes_functions(*item, type_arguments) {
                self.note_called(passed, &self.handed(span));
            }
            self.function_called(*item, passed, span)
        } else {
            return None;
        };
        if let Type::Function(it) = ty
            && can_hold_function(self.db(), &it.result)
        {
            // The caller has another function in hand.
            self.note_called(&found, &self.handed(span));
        }
        let known = self.known.functions.entry(id).or_default();
        let before = known.clone();
        known.join(&found);
        self.has_learnt |= *known != before;
        Some(known.clone())
    }

    fn takes_functions(&self, item: ItemId, type_arguments: &[Type]) -> bool {
        let parameters = &item_signature(self.db(), item).signature.parameters;
        let mut types = parameters.iter().map(|it| &it.ty).chain(type_arguments);
        types.any(|it| can_hold_function(self.db(), it))
    }

    /// The functions in a value are called with what has this label.
    pub(super) fn note_called(&mut self, functions: &Label, passed: &Label) {
        for parameter in functions.parameters.indices() {
            self.trust.passes.entry(parameter).or_default().join(passed);
        }
    }

    /// What the functions in the argument of this index may be called with.
    pub(super) fn passed_to(
        &self,
        item: ItemId,
        known: &ItemTrust,
        index: u32,
        given: &[Label],
        span: Span,
    ) -> Label {
        let db = self.db();
        let signature = &item_signature(db, item).signature;
        let mut is_kept = true;
        let mut passed = Label::default();
        match origin(db, item) {
            Origin::Arguments | Origin::Found => passed = joined(given),
            Origin::Bodies | Origin::Trusted | Origin::Foreign => {
                let inside = known.passes.get(&Parameters::index(index));
                // It may give the function back, and its holder calls it with anything. What it takes for any value at all it may
                // put anywhere.
                is_kept = inside.is_some_and(|it| !it.handed.is_empty())
                    || can_hold_function(db, &signature.result)
                    || !can_hold_function(db, &signature.parameters[index as usize].ty);
                if let Some(inside) = inside {
                    passed = inside.called(given, span, item.name(db));
                }
            }
        }
        if is_kept {
            passed.join(&self.handed(span));
        }
        passed
    }
}

/// Whether there may be a function in a value of this type, or in what comes of it: out of a task, a stream, a queue. What a type
/// parameter stands for counts where it is known: at the call.
pub(super) fn can_hold_function(db: &dyn Db, ty: &Type) -> bool {
    let mut seen = FxHashSet::default();
    let mut waiting = vec![ty.clone()];
    while let Some(ty) = waiting.pop() {
        let later = RefCell::new(Vec::new());
        let found = find_held(db, &ty, Some(()), |it| {
            if let Type::Task(it) | Type::Stream(it) | Type::Queue(it) = it {
                later.borrow_mut().push(Type::clone(it));
            }
            matches!(it, Type::Function(_)).then_some(())
        });
        if found.is_some() || seen.len() > MOST_INSTANCES {
            return true;
        }
        let later = later.into_inner().into_iter();
        waiting.extend(later.filter(|it| seen.insert(it.clone())));
    }
    false
}
