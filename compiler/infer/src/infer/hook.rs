//! `hook`: the bodies of its handlers, each of the form that the library gives it.

use gsw_abi::hook::Moment;
use gsw_names::types::Type;
use gsw_names::{Parameter, handler_form};
use gsw_source::{Name, Place, Span, meant};
use gsw_syntax::ast::{self, HookHandler};

use crate::errors::hooks as errors;
use crate::hir::{BodyPart, ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::item_body::{ItemInference, declare_hidden};
use crate::infer::lookup;

impl ItemInference<'_> {
    pub(super) fn hook(&mut self, handlers: &[HookHandler]) {
        let mut seen: Vec<Moment> = Vec::new();
        for (index, handler) in (0u32..).zip(handlers) {
            let Some(moment) = self.moment(handler) else {
                continue;
            };
            if seen.contains(&moment) {
                let place = self.place_of(handler.name.span);
                self.found
                    .diagnostics
                    .push(errors::second_handler(place, moment.name()));
                continue;
            }
            seen.push(moment);
            self.handler(index, moment, handler);
        }
    }

    fn place_of(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    fn moment(&mut self, handler: &HookHandler) -> Option<Moment> {
        let name = &handler.name;
        let moment = Moment::named(&name.name);
        if moment.is_none() {
            let known = Moment::ALL.map(|it| Name::new_static(it.name()));
            let suggestion = meant(&name.name, &known);
            let place = self.place_of(name.span);
            let report = errors::unknown_handler(place, &name.name, suggestion.as_ref());
            self.found.diagnostics.push(report);
        }
        moment
    }

    fn handler(&mut self, index: u32, moment: Moment, handler: &HookHandler) {
        let Some(form) = handler_form(self.db, moment) else {
            return;
        };
        let declared = &lookup::signature(self.db, form).parameters;
        let Some((said, given)) = declared.split_last() else {
            return;
        };
        let said = &said.ty;
        let written = &handler.parameters;
        let typed = written
            .iter()
            .find(|it| it.ty.is_some() || it.default.is_some());
        if written.len() != given.len() || typed.is_some() {
            let span = typed.map_or(handler.name.span, |it| it.name.span);
            let names: Vec<&str> = given.iter().map(|it| it.name.as_str()).collect();
            let place = self.place_of(span);
            let report = errors::handler_parameters(place, moment.name(), &names);
            self.found.diagnostics.push(report);
            return;
        }
        let part = BodyPart::Handler(index);
        self.part_with(part, &[], given.len(), said.clone(), |cx| {
            for (written, given) in written.iter().zip(given) {
                let Parameter { ty, .. } = given;
                declare_hidden(cx, &written.name.name, ty.clone(), written.name.span);
            }
            decided(cx, &handler.body, said)
        });
    }
}

/// What a handler says. Where it need not decide, a body without a value says nothing.
fn decided(cx: &mut Context, body: &ast::Block, said: &Type) -> ExpressionId {
    if *said == Type::Unit {
        let id = cx.block(body, &Expected::Dropped);
        return cx.hir.without_value(id);
    }
    let Type::Optional(_) = said else {
        return cx.block(body, &Expected::Type(said.clone()));
    };
    let id = cx.block(body, &Expected::Hint(said.clone()));
    if cx.hir.ty(id) != Type::Unit {
        return cx.hir.coerce(id, said);
    }
    let none = cx.hir.push(ExpressionKind::None, said.clone(), body.span);
    cx.hir.after(id, none)
}
