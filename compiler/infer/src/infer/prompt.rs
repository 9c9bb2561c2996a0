//! Calls of prompts: `p(x)`, `.detail`, `.stream`, `by`, `with`, `revise`.

use std::sync::Arc;

use gsw_abi::setting::Turn;
use gsw_names::KnownItem;
use gsw_names::given_by_call;
use gsw_names::types::Type;
use gsw_source::{ItemId, Span};
use gsw_syntax::ast;

use crate::errors::calls;
use crate::hir::{ExpressionId, ExpressionKind, PromptMode};
use crate::infer::argument::{self, Call, Formal};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::setting;

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
    settings: Option<TakenSettings>,
    turn: Turn,
}

/// The settings after `with`.
struct TakenSettings {
    /// All but the session, a `json`.
    written: ExpressionId,
    session: Option<ExpressionId>,
    /// The tools and workflows that they give to the model.
    given: Vec<ItemId>,
}

pub(super) fn prompt_call(
    cx: &mut Context,
    item: ItemId,
    call: Call,
    mode: PromptMode,
) -> ExpressionId {
    let arguments = prompt_arguments(cx, item, call);
    let plain = call.arguments.iter().take_while(|it| it.name.is_none());
    if plain.count() > lookup::signature(cx.db, item).parameters.len() {
        // What was wanted of it is something else, as that it streams.
        return cx.hir.invalid(call.span);
    }
    let result = lookup::signature(cx.db, item).result.clone();
    let ty = match mode {
        PromptMode::Value => result,
        PromptMode::Detail => {
            let response = KnownItem::Response.item(cx.db);
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
        session: None,
        turn: Turn::New,
        mode,
        improving: None,
    };
    cx.hir.push(kind, ty, call.span)
}

/// The arguments of a prompt.
pub(super) fn prompt_arguments(
    cx: &mut Context,
    item: ItemId,
    call: Call,
) -> Vec<(u32, ExpressionId)> {
    let formal = Formal {
        parameters: &lookup::signature(cx.db, item).parameters,
        taken: 0,
        substitution: &[],
        callee: &format!("`{}`", item.name(cx.db)),
        of_library: None,
        settings: argument::Settings::After,
    };
    argument::infer_arguments(cx, formal, call)
}

/// A prompt's call with `by`, `with` or `revise` around it.
pub(super) fn overridden(
    cx: &mut Context,
    inner: &ast::Expression,
    with: Override<'_>,
    span: Span,
) -> ExpressionId {
    let id = cx.expression(inner, &Expected::Anything);
    let ty = cx.hir.ty(id);
    // Decided by what was inferred, not by the syntax: `(p(x)) with { … }` and calls of imported prompts are the same to it.
    let is_prompt = matches!(cx.hir.arena.get(id).kind, ExpressionKind::PromptCall { .. });
    if !is_prompt {
        if ty != Type::Invalid {
            let place = cx.hir.place(inner.span);
            cx.hir.report(calls::not_a_prompt(place, with.word()));
        }
        return cx.hir.invalid(span);
    }
    let mut taken = Taken::default();
    match with {
        Override::By(agent) => taken.agent = cx.names().agent(agent),
        Override::With(settings) => {
            let given = given_by_call(cx.db, cx.file, settings);
            let (written, session) = setting::infer_call_settings(cx, settings);
            taken.settings = Some(TakenSettings {
                written,
                session,
                given,
            });
        }
        Override::Revise => taken.turn = Turn::Revised,
    }
    with_overrides(&mut cx.hir, id, taken, span)
}

/// The call `id` with what is written around it, so that no expression is the call alone.
fn with_overrides(
    hir: &mut HirBuilder,
    id: ExpressionId,
    taken: Taken,
    span: Span,
) -> ExpressionId {
    let Taken {
        agent,
        settings,
        turn: taken_turn,
    } = taken;
    let ty = hir.ty(id);
    let call = hir.arena.get_mut(id);
    // The call is moved into its override: left where it is, it would be a second call to code that counts calls, effects
    // and errors over all expressions of a body.
    call.ty = Type::Unit;
    let kind = std::mem::replace(&mut call.kind, ExpressionKind::Unit);
    let ExpressionKind::PromptCall {
        item,
        arguments,
        agent: inner_agent,
        settings: inner_settings,
        given: inner_given,
        session: inner_session,
        turn: inner_turn,
        mode,
        improving,
    } = kind
    else {
        return hir.invalid(span);
    };
    if (agent.is_some() && inner_agent.is_some())
        || (settings.is_some() && inner_settings.is_some())
    {
        let place = hir.place(span);
        let word = if agent.is_some() { "by" } else { "with" };
        hir.report(calls::duplicate_setting(place, word));
    }
    let turn = match taken_turn {
        Turn::New => inner_turn,
        Turn::Revised => Turn::Revised,
    };
    let (settings, session, given) = match settings {
        Some(TakenSettings {
            written,
            session,
            given,
        }) => (Some(written), session, given),
        None => (inner_settings, inner_session, inner_given),
    };
    let kind = ExpressionKind::PromptCall {
        item,
        arguments,
        // Overrides nest, `p(x) by a with { … }`, and each was checked for a second one above, so the order does not matter.
        agent: agent.or(inner_agent),
        settings,
        given,
        session,
        turn,
        mode,
        improving,
    };
    hir.push(kind, ty, span)
}
