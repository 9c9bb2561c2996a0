//! Statements, and what patterns bind.

use gsw_infer::hir::{
    Change, ListRest, LocalId, LocalKind, Pattern, PatternKind, PlacePart, PlaceStep, Statement,
    StatementKind,
};
use gsw_names::types::Type;

use super::{ERROR, HANDED, ItemWalk};
use crate::trust::label::Label;

impl<'a> ItemWalk<'_, 'a> {
    pub(super) fn bind(&mut self, pattern: &'a Pattern, label: &Label) {
        match &pattern.kind {
            PatternKind::Binding(local) => self.learn(*local, label),
            PatternKind::Some(inside) => self.bind(inside, label),
            PatternKind::Variant { fields, .. } | PatternKind::Record { fields } => {
                fields.iter().for_each(|it| self.bind(&it.1, label));
            }
            PatternKind::Error { fields, .. } => {
                let said = Label::foreign(pattern.span, ERROR);
                fields.iter().for_each(|it| self.bind(&it.1, &said));
            }
            PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
                parts.iter().for_each(|it| self.bind(it, label));
            }
            PatternKind::List {
                before,
                rest,
                after,
            } => {
                before
                    .iter()
                    .chain(after)
                    .for_each(|it| self.bind(it, label));
                if let Some(ListRest::Bound(local)) = rest {
                    self.learn(*local, label);
                }
            }
            PatternKind::Wildcard
            | PatternKind::Int(_)
            | PatternKind::Float(_)
            | PatternKind::Bool(_)
            | PatternKind::String(_)
            | PatternKind::Constant(_)
            | PatternKind::None
            | PatternKind::Range { .. }
            | PatternKind::ModelError
            | PatternKind::Invalid => {}
        }
    }

    pub(super) fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Let { pattern, value } => {
                let label = self.expression(*value);
                self.bind(pattern, &label);
            }
            StatementKind::Var { local, value } => {
                let mut label = self.expression(*value);
                self.depths.insert(*local, self.depth());
                let is_state = self.body.local(*local).kind == LocalKind::State;
                if is_state && self.bodies.modifiers.reflect.is_some() {
                    let what = "a `state` that a reflection may revise";
                    label.join(&Label::foreign(statement.span, what));
                }
                self.learn(*local, &label);
            }
            StatementKind::Assign {
                local,
                path,
                change,
                value,
            } => {
                let mut label = self.expression(*value);
                let keys = self.keys(*local, path);
                label.join(&keys);
                self.assign(*local, &label);
                if let Change::Converted { old, right, new } = change {
                    let known = self.known.locals[local.0 as usize].clone();
                    self.learn(*old, &known);
                    self.learn(*right, &label);
                    let label = self.expression(*new);
                    self.assign(*local, &label);
                }
            }
            StatementKind::Expression(it) | StatementKind::Defer(it) => self.pass([*it]),
            StatementKind::Assert {
                condition, message, ..
            } => self.pass([*condition].into_iter().chain(*message)),
            StatementKind::AssertFails { value, .. } | StatementKind::AssertSnapshot { value } => {
                self.pass([*value]);
            }
            // Only in tests, which are not walked.
            StatementKind::Mock { .. } | StatementKind::MockAgent { .. } => {}
        }
    }
    /// What of the place of an assignment comes into the value: the keys of maps, which the program reads out again. Which element
    /// of a list it is says nothing of the list.
    fn keys(&mut self, local: LocalId, path: &'a [PlaceStep]) -> Label {
        let mut keys = Label::default();
        let mut around = &self.body.local(local).ty;
        for step in path {
            if let PlacePart::Element(key) = step.part {
                let label = self.expression(key);
                if !matches!(around, Type::List(_)) {
                    keys.join(&label);
                }
            }
            around = &step.ty;
        }
        keys
    }

    /// A function that is kept may leave what it is given in a variable around it, and code that reads that one has not called
    /// it.
    fn assign(&mut self, local: LocalId, label: &Label) {
        let declared = self.depths.get(&local).copied().unwrap_or_default();
        let mut label = label.clone();
        let left = label.handed.split_off(&(declared + 1));
        if let Some(span) = left.into_values().next() {
            label.join(&Label::foreign(span, HANDED));
        }
        self.learn(local, &label);
    }
}
