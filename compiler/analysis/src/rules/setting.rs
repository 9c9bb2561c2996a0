//! Settings and modifiers whose value is known before the program runs, and makes no sense: `max_tokens: 0`, `retry -1`.

use gsw_abi::bounds::Bounds;
use gsw_abi::setting::Setting;
use gsw_infer::hir::{
    Body, BodyPart, Budget, ExpressionId, ExpressionKind, Modifiers, Reflect, Retry,
};
use gsw_infer::infer_item;
use gsw_source::{Db, Diagnostic, ItemKind};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

/// A test may try on purpose what makes no sense.
pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if body.item.kind(db) == ItemKind::Test {
        return;
    }
    let mut finder = Finder { db, body, found };
    if body.part == BodyPart::Settings {
        finder.settings(body.root);
    }
    if body.part == BodyPart::Main {
        finder.modifiers(&infer_item(db, body.item).modifiers);
    }
    for expression in &body.expressions {
        let kind = &expression.kind;
        if let ExpressionKind::Step { modifiers, .. } | ExpressionKind::Modified { modifiers, .. } =
            kind
        {
            finder.modifiers(modifiers);
        } else if let ExpressionKind::PromptCall {
            settings: Some(settings),
            ..
        } = kind
        {
            finder.settings(*settings);
        } else if let ExpressionKind::ParallelFor {
            limit: Some(limit), ..
        } = kind
        {
            finder.value("limit", *limit, Bounds::COUNT_FROM_ONE);
        }
    }
}

struct Finder<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    found: &'a mut Vec<Diagnostic>,
}

impl Finder<'_> {
    fn settings(&mut self, id: ExpressionId) {
        for (name, value) in self.entries(id) {
            let Some(setting) = Setting::named(&name) else {
                continue;
            };
            if let Some(bounds) = setting.bounds() {
                self.value(&name, value, bounds);
            }
            for (part, value) in self.entries(value) {
                if let Some(bounds) = setting.part_bounds(&part) {
                    self.value(&part, value, bounds);
                }
            }
        }
    }

    /// The entries of an object that is written out; of anything else none.
    fn entries(&self, id: ExpressionId) -> Vec<(String, ExpressionId)> {
        let kind = &self.body.expression(id).kind;
        if let ExpressionKind::Coerce { value, .. } = kind {
            return self.entries(*value);
        }
        let ExpressionKind::Map(entries) = kind else {
            return Vec::new();
        };
        let named = entries.iter().filter_map(|(key, value)| {
            let ConstantValue::Text(name) = known_value(self.db, self.body, *key)? else {
                return None;
            };
            Some((name.to_string(), *value))
        });
        named.collect()
    }

    fn modifiers(&mut self, modifiers: &Modifiers) {
        let Modifiers {
            budget,
            reflect,
            retry,
            timeout,
        } = modifiers;
        if let Some(Budget {
            usd,
            tokens,
            calls,
            time,
        }) = budget
        {
            self.maybe("usd", *usd, Bounds::AMOUNT);
            self.maybe("tokens", *tokens, Bounds::COUNT);
            self.maybe("calls", *calls, Bounds::COUNT);
            self.maybe("time", *time, Bounds::WAIT);
        }
        if let Some(Reflect { count, with: _ }) = reflect {
            self.value("reflect", *count, Bounds::COUNT);
        }
        if let Some(Retry {
            count,
            backoff,
            max,
        }) = retry
        {
            self.value("retry", *count, Bounds::COUNT);
            self.maybe("backoff", *backoff, Bounds::WAIT);
            self.maybe("max", *max, Bounds::WAIT);
        }
        self.maybe("timeout", *timeout, Bounds::TIME);
    }

    fn maybe(&mut self, name: &str, value: Option<ExpressionId>, bounds: Bounds) {
        if let Some(value) = value {
            self.value(name, value, bounds);
        }
    }

    fn value(&mut self, name: &str, id: ExpressionId, bounds: Bounds) {
        let number = match known_value(self.db, self.body, id) {
            Some(ConstantValue::Int(it)) => it as f64,
            Some(ConstantValue::Float(it)) => it,
            Some(ConstantValue::Duration(it)) => it as f64 / 1e9,
            Some(ConstantValue::Bool(_) | ConstantValue::Text(_) | ConstantValue::List(_))
            | None => return,
        };
        if !bounds.admit(number) {
            let place = self.body.place(self.body.expression(id).span);
            self.found.push(errors::senseless_setting(
                place,
                name,
                bounds.instead_of(number),
            ));
        }
    }
}
