//! Calls: the labels of arguments flow to parameters, and the label of the result.

use gsw_abi::call::RuntimeCall;
use gsw_abi::setting::Setting;
use gsw_infer::hir::{Callee, ExpressionId, ExpressionKind};
use gsw_names::types::Type;
use gsw_names::{KnownItem, Presence, item_signature};
use gsw_source::{ItemId, Span};

use super::ItemWalk;
use super::function::can_hold_function;
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
            Callee::Value(function) => self.call_value(*function, arguments, span),
            Callee::EnumValues(_) => Label::default(),
        }
    }

    /// A call of a function that is a value. What it gives is made of its arguments too, as far as anybody knows.
    fn call_value(
        &mut self,
        function: ExpressionId,
        arguments: &'a Arguments,
        span: Span,
    ) -> Label {
        let mut label = self.expression(function);
        let mut given = Label::default();
        for (_, id) in arguments {
            let argument = self.expression(*id);
            if can_hold_function(self.db(), &self.body.expression(*id).ty) {
                // The receiver is unknown, so neither is known what it is called with.
                self.note_called(&argument, &self.handed(span));
            }
            given.join(&argument);
        }
        self.note_called(&label, &given);
        label.join(&given);
        label
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
            given[*index as usize] = if is_function(&self.body.expression(*id).kind) {
                self.known_function(*id)
            } else {
                self.expression(*id)
            };
        }
        let known = self.unit.of(item, self.item);
        for (index, id) in arguments {
            if can_hold_function(db, &self.body.expression(*id).ty) {
                let passed = self.passed_to(item, &known, *index, &given, span);
                let label = &mut given[*index as usize];
                match self.function(*id, &passed) {
                    Some(found) => *label = found,
                    None => self.note_called(label, &passed),
                }
            }
        }
        for (index, id) in arguments {
            if let Some(wanted) = self.wanted(item, *index, &known) {
                let label = given[*index as usize].clone();
                self.demand(&label, self.body.expression(*id).span, &wanted);
            }
        }
        given
    }

    /// A system text says what the model is to do, so no stranger writes the one that a call gives.
    pub(super) fn call_settings(&mut self, settings: ExpressionId) {
        self.trusted_setting(settings, Setting::System, "the `system` text of a call");
        self.trusted_setting(settings, Setting::Env, "the `env` of a call");
    }

    /// What a declaration gives the tools of its model: they take their environment for that of the program, which is trusted.
    pub(super) fn environment(&mut self, settings: ExpressionId) {
        let wanted = format!("the `env` of `{}`", self.item.name(self.db()));
        self.trusted_setting(settings, Setting::Env, &wanted);
    }

    fn trusted_setting(&mut self, settings: ExpressionId, setting: Setting, wanted: &str) {
        let expression = self.body.expression(settings);
        if let ExpressionKind::Coerce { value, .. } = expression.kind {
            return self.trusted_setting(value, setting, wanted);
        }
        let ExpressionKind::Map(entries) = &expression.kind else {
            return;
        };
        let is_it = |key: ExpressionId| {
            let key = &self.body.expression(key).kind;
            matches!(key, ExpressionKind::String(it) if it == setting.name())
        };
        let values: Vec<ExpressionId> = entries
            .iter()
            .filter(|it| is_it(it.0))
            .map(|it| it.1)
            .collect();
        for value in values {
            let label = self.expression(value);
            let span = self.body.expression(value).span;
            self.demand(&label, span, wanted);
        }
    }

    /// The place to which an argument comes that takes only what is trusted.
    pub(super) fn wanted(&self, item: ItemId, index: u32, known: &ItemTrust) -> Option<String> {
        let db = self.db();
        let signature = &item_signature(db, item).signature;
        let parameter = &signature.parameters[index as usize];
        if signature.intrinsic == Some(RuntimeCall::workflow_start) {
            // Which workflow it is, and so which of its parameters are `trusted`, is known only when it runs.
            return Some("what a workflow is started with by its name".to_owned());
        }
        if signature.intrinsic == Some(RuntimeCall::run_ask)
            && parameter.ty == Type::Json
            && self.unit.trusted_external == Presence::Present
        {
            // Nor which `external` of which run it is.
            return Some("what an `external` is answered with".to_owned());
        }
        match parameter.trusted {
            Presence::Present => Some(format!("`{}` of `{}`", parameter.name, item.name(db))),
            Presence::Absent => known.needs.get(&index).cloned(),
        }
    }
}

pub(super) fn joined(labels: &[Label]) -> Label {
    let mut joined = Label::default();
    labels.iter().for_each(|it| joined.join(it));
    joined
}

/// Whether a function is written here, instead of read from somewhere.
const fn is_function(kind: &ExpressionKind) -> bool {
    matches!(
        kind,
        ExpressionKind::Lambda(_) | ExpressionKind::FunctionValue { .. }
    )
}
