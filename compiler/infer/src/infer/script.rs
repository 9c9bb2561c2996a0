//! `mock agent a { … }`: each `call` is typed like the call of its tool, and nothing is called.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::ErrorClass;
use gsw_names::types::Type;
use gsw_names::{Definition, builtin_error, error_class};
use gsw_source::{ItemId, ItemKind, Span};
use gsw_syntax::ast;

use crate::errors::testing as errors;
use crate::hir::{ExpressionId, ExpressionKind, ScriptCall, ScriptTurn, StatementKind};
use crate::infer::argument::Call;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::{literal, prompt};

/// `None` when the agent was reported.
pub(super) fn infer_script(
    cx: &mut Context,
    agent: &[ast::Identifier],
    script: &[ast::ScriptTurn],
) -> Option<StatementKind> {
    let item = match cx.names().written_path(agent)? {
        Definition::Item(item) if item.kind(cx.db) == ItemKind::Agent => item,
        Definition::Item(_) | Definition::Module(_) | Definition::Variant { .. } => {
            let names: Vec<&str> = agent.iter().map(|it| it.name.as_str()).collect();
            let span = agent.iter().map(|it| it.span).reduce(Span::to)?;
            let place = cx.hir.place(span);
            cx.hir.report(errors::not_an_agent(place, &names.join(".")));
            return None;
        }
    };
    let script = script.iter().map(|turn| match &turn.kind {
        ast::ScriptTurnKind::Calls(calls) => {
            let calls = calls.iter().filter_map(|it| script_call(cx, item, it));
            ScriptTurn::Calls(calls.collect())
        }
        ast::ScriptTurnKind::Answer(value) => {
            ScriptTurn::Answer(cx.expression(value, &Expected::Type(Type::Json)))
        }
        ast::ScriptTurnKind::Fail(error) => ScriptTurn::Fail(failure(cx, error)),
    });
    let script = script.collect();
    Some(StatementKind::MockAgent {
        agent: item,
        script,
    })
}

/// What follows `fail`: an error with which a request to a model may end, written here, so that which one is known.
fn failure(cx: &mut Context, error: &ast::Expression) -> ExpressionId {
    let expected = match is_text(error) {
        // As an error with a text, which is elsewhere a `Failed`, it would not do here.
        true => Expected::Anything,
        false => Expected::Type(Type::Error),
    };
    let id = cx.expression(error, &expected);
    let db = cx.db;
    let kind = &cx.hir.arena.get(id).kind;
    if matches!(kind, ExpressionKind::Invalid) {
        return id;
    }
    // Whether an answer fits is known only when it is read: `answer` reports one that does not.
    let ends_request = if let ExpressionKind::ErrorValue { item, .. } = kind {
        error_class(db, *item) == ErrorClass::Model
            && builtin_error(db, *item) != Some(BuiltinError::InvalidResponse)
    } else {
        false
    };
    if !ends_request {
        let place = cx.hir.place(error.span);
        let text = gsw_names::source_text(cx.db, cx.hir.item, error.span);
        cx.hir.report(errors::not_a_failure(place, &text));
    }
    literal::as_json(&mut cx.hir, id)
}

const fn is_text(it: &ast::Expression) -> bool {
    matches!(
        it.kind,
        ast::ExpressionKind::Literal(ast::Literal::String(_))
            | ast::ExpressionKind::Interpolation(_)
    )
}

/// What follows `call`; `None` when it was reported.
fn script_call(cx: &mut Context, agent: ItemId, call: &ast::Expression) -> Option<ScriptCall> {
    let ast::ExpressionKind::Call {
        callee,
        arguments,
        arguments_span,
    } = &call.kind
    else {
        not_a_tool(&mut cx.hir, call.span);
        return None;
    };
    let tool = called_tool(cx, agent, callee)?;
    let call = Call {
        arguments,
        arguments_span: *arguments_span,
        span: call.span,
    };
    let arguments = prompt::prompt_arguments(cx, tool, call).into_iter();
    let arguments = arguments.map(|(parameter, it)| (parameter, literal::as_json(&mut cx.hir, it)));
    let arguments = arguments.collect();
    Some(ScriptCall { tool, arguments })
}

/// The modules whose tools an agent has by a setting.
const OFFERED: [&str; 2] = ["std/skill", "std/introspect"];

fn called_tool(cx: &mut Context, agent: ItemId, callee: &ast::Expression) -> Option<ItemId> {
    if let ast::ExpressionKind::Name(name) = &callee.kind
        && cx.scopes.find(name).is_none()
        && gsw_names::resolve_name(cx.db, cx.file, name).is_none()
    {
        // As its model knows it.
        if let Some(tool) = gsw_names::tool_by_alias(cx.db, agent, name) {
            return Some(tool);
        }
        // What skills and introspection offer has no import: it comes with a setting.
        let offered = OFFERED.iter().find_map(|module| {
            let file = gsw_names::module_file(cx.db, cx.file, module)?;
            let found = gsw_names::resolve_member(cx.db, file, name, file)?;
            let Definition::Item(item) = found else {
                return None;
            };
            (item.kind(cx.db) == ItemKind::Tool).then_some(item)
        });
        if offered.is_none() {
            cx.names().unknown_name(name, callee.span);
        }
        return offered;
    }
    match cx.names().path(callee) {
        Some(Definition::Item(item))
            if matches!(
                item.kind(cx.db),
                ItemKind::Tool | ItemKind::Prompt | ItemKind::Human
            ) =>
        {
            return Some(item);
        }
        Some(Definition::Item(called)) if called.kind(cx.db) == ItemKind::Agent => {
            not_its_prompt(&mut cx.hir, called, callee.span);
        }
        Some(Definition::Item(_) | Definition::Module(_) | Definition::Variant { .. }) | None => {
            not_a_tool(&mut cx.hir, callee.span);
        }
    }
    None
}

/// An agent that is listed among tools stands for its prompts, which are called by their names.
fn not_its_prompt(hir: &mut HirBuilder, agent: ItemId, span: Span) {
    let place = hir.place(span);
    let text = gsw_names::source_text(hir.db, hir.item, span);
    // In the module that it is reached by.
    let module = text.rsplit_once('.').map_or("", |it| it.0);
    let prompts = gsw_names::agent_prompts(hir.db, agent).into_iter();
    let prompts = prompts.map(|it| match module {
        "" => it.name(hir.db).to_string(),
        module => format!("{module}.{}", it.name(hir.db)),
    });
    let prompts: Vec<String> = prompts.collect();
    hir.report(errors::not_its_prompt(place, &text, &prompts));
}

fn not_a_tool(hir: &mut HirBuilder, span: Span) {
    let place = hir.place(span);
    let text = gsw_names::source_text(hir.db, hir.item, span);
    hir.report(errors::not_a_tool(place, &text));
}
