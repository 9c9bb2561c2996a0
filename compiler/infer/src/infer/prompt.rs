//! Calls of prompts: `p(x)`, `.detail`, `.stream`, `by`, `with`, `revise`.

use std::sync::Arc;

use gsw_abi::setting::Origin;
use gsw_names::KnownItem;
use gsw_names::types::Type;
use gsw_names::{Definition, errors, given_by_call};
use gsw_source::{ItemId, ItemKind, Span};
use gsw_syntax::ast;

use crate::errors::calls;
use crate::hir::{ExpressionId, ExpressionKind, PromptMode};
use crate::infer::argument::Formal;
use crate::infer::call::Call;
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;

/// What is written around a prompt's call.
#[derive(Clone, Copy)]
pub(super) enum Override<'a> {
    By(&'a ast::Expression),
    With(&'a [ast::Setting]),
    Revise,
}

impl Override<'_> {
    const fn word(self) -> &'static str {
        match self {
            Self::By(_) => "by",
            Self::With(_) => "with",
            Self::Revise => "revise",
        }
    }
}

/// What an override puts into the call.
#[derive(Default)]
struct Taken {
    agent: Option<ItemId>,
    /// The settings, and the tools and workflows that they give to the model.
    settings: Option<(ExpressionId, Vec<ItemId>)>,
    mode: Option<PromptMode>,
}

impl Context<'_> {
    pub(super) fn prompt_call(
        &mut self,
        item: ItemId,
        call: Call,
        mode: PromptMode,
    ) -> ExpressionId {
        let arguments = self.prompt_arguments(item, call);
        let result = lookup::signature(self.db, item).result.clone();
        let ty = match mode {
            PromptMode::Value | PromptMode::Revise => result,
            PromptMode::Detail => {
                let response = KnownItem::Response.item(self.db);
                response.map_or(Type::Invalid, |it| Type::Record(it, [result].into()))
            }
            PromptMode::Stream => Type::Stream(Arc::new(result)),
        };
        let kind = ExpressionKind::PromptCall {
            item,
            arguments,
            agent: None,
            settings: None,
            given: Vec::new(),
            mode,
            improving: None,
        };
        self.push(kind, ty, call.span)
    }

    /// The arguments of a prompt.
    pub(super) fn prompt_arguments(
        &mut self,
        item: ItemId,
        call: Call,
    ) -> Vec<(u32, ExpressionId)> {
        let formal = Formal {
            parameters: &lookup::signature(self.db, item).parameters,
            taken: 0,
            substitution: &[],
            callee: &format!("`{}`", item.name(self.db)),
        };
        self.arguments(formal, call)
    }

    /// A prompt's call with `by`, `with` or `revise` around it.
    pub(super) fn overridden(
        &mut self,
        inner: &ast::Expression,
        with: Override<'_>,
        span: Span,
    ) -> ExpressionId {
        let id = self.expression(inner, &Expected::Anything);
        let ty = self.ty(id);
        // Decided by what was inferred, not by the syntax: `(p(x)) with { … }` and calls of imported prompts are the same to it.
        let is_prompt = matches!(self.hir.get(id).kind, ExpressionKind::PromptCall { .. });
        if !is_prompt {
            if ty != Type::Invalid {
                let place = self.place(inner.span);
                self.report(calls::not_a_prompt(place, with.word()));
            }
            return self.invalid(span);
        }
        let mut taken = Taken::default();
        match with {
            Override::By(agent) => taken.agent = self.agent(agent),
            Override::With(settings) => {
                let given = given_by_call(self.db, self.file, settings);
                taken.settings = Some((self.settings(settings, Origin::Call), given));
            }
            Override::Revise => taken.mode = Some(PromptMode::Revise),
        }
        self.with_overrides(id, taken, span)
    }

    /// The call `id` with what is written around it, so that no expression is the call alone.
    fn with_overrides(&mut self, id: ExpressionId, taken: Taken, span: Span) -> ExpressionId {
        let Taken {
            agent,
            settings,
            mode: taken_mode,
        } = taken;
        let ty = self.ty(id);
        let call = self.hir.get_mut(id);
        // The call is moved into its override: left where it is, it would be a second call to whoever counts calls, effects and
        // errors over all expressions of a body.
        call.ty = Type::Unit;
        let kind = std::mem::replace(&mut call.kind, ExpressionKind::Unit);
        let ExpressionKind::PromptCall {
            item,
            arguments,
            agent: inner_agent,
            settings: inner_settings,
            given: inner_given,
            mode,
            improving,
        } = kind
        else {
            return self.invalid(span);
        };
        if (agent.is_some() && inner_agent.is_some())
            || (settings.is_some() && inner_settings.is_some())
        {
            let place = self.place(span);
            let word = if agent.is_some() { "by" } else { "with" };
            self.report(calls::duplicate_setting(place, word));
        }
        let mode = taken_mode.unwrap_or(mode);
        let (settings, given) = match settings {
            Some((settings, given)) => (Some(settings), given),
            None => (inner_settings, inner_given),
        };
        let kind = ExpressionKind::PromptCall {
            item,
            arguments,
            // Overrides nest, `p(x) by a with { … }`, and each was checked for a second one above, so the order does not matter.
            agent: agent.or(inner_agent),
            settings,
            given,
            mode,
            improving,
        };
        self.push(kind, ty, span)
    }

    /// The agent that an expression after `by` names.
    pub(super) fn agent(&mut self, expression: &ast::Expression) -> Option<ItemId> {
        if let ast::ExpressionKind::Name(name) = &expression.kind
            && self.scopes.find(name).is_none()
            && gsw_names::resolve_name(self.db, self.file, name).is_none()
        {
            self.unknown_name(name, expression.span);
            return None;
        }
        if let Some(Definition::Item(item)) = self.path(expression)
            && item.kind(self.db) == ItemKind::Agent
        {
            return Some(item);
        }
        let place = self.place(expression.span);
        let text = gsw_names::source_text(self.db, self.item, expression.span);
        self.report(errors::not_an_agent(place, &format!("`{text}`")));
        None
    }
}
