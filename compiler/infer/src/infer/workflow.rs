//! Steps, tasks and modifiers.

use std::sync::Arc;

use gsw_abi::judge::{Fact, FactForm};
use gsw_names::types::{FunctionType, Type};
use gsw_names::{Definition, KnownItem};
use gsw_source::{ItemKind, Name, Span};
use gsw_syntax::ast;

use crate::errors::{calls, elsewhere, habits};
use crate::hir::{Budget, Callee, ExpressionId, ExpressionKind, Modifiers, Reflect, Retry};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lambda;
use crate::infer::lookup;

/// What a step is called, and was.
pub(super) struct StepNames<'a> {
    pub was: Option<&'a ast::Expression>,
    pub name: &'a ast::Expression,
}

/// `step "name" mods { }`
pub(super) fn infer_step(
    cx: &mut Context,
    names: StepNames<'_>,
    modifiers: &[ast::Modifier],
    body: &ast::Block,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let StepNames { was, name } = names;
    let was = was.map(|it| cx.expression(it, &Expected::Type(Type::String)));
    let name = cx.expression(name, &Expected::Type(Type::String));
    // Before the body, as they are evaluated; variables of the body are not in scope in them.
    let modifiers = infer_modifiers(cx, modifiers);
    let body = cx.block(body, expected);
    let ty = cx.hir.ty(body);
    cx.hir.push(
        ExpressionKind::Step {
            was,
            name,
            modifiers,
            body,
        },
        ty,
        span,
    )
}

/// `timeout D { }` and the other modifiers of a block.
pub(super) fn infer_modified(
    cx: &mut Context,
    modifiers: &[ast::Modifier],
    body: &ast::Block,
    span: Span,
    expected: &Expected,
) -> ExpressionId {
    let modifiers = infer_modifiers(cx, modifiers);
    let body = cx.block(body, expected);
    let ty = cx.hir.ty(body);
    cx.hir
        .push(ExpressionKind::Modified { modifiers, body }, ty, span)
}

/// The modifiers of a step, block, workflow or question.
pub(super) fn infer_modifiers(cx: &mut Context, written: &[ast::Modifier]) -> Modifiers {
    let mut modifiers = Modifiers::default();
    for modifier in written {
        let is_new = match &modifier.kind {
            ast::ModifierKind::Timeout(value) => {
                let value = cx.expression(value, &Expected::Type(Type::Duration));
                // The last one stays, so the body can be inferred and lowered; the report keeps it from running.
                modifiers.timeout.replace(value).is_none()
            }
            ast::ModifierKind::Retry {
                count,
                backoff,
                max,
            } => {
                let retry = infer_retry(cx, count, backoff.as_ref(), max.as_ref());
                modifiers.retry.replace(retry).is_none()
            }
            ast::ModifierKind::Reflect { count, with } => {
                let count = cx.expression(count, &Expected::Type(Type::Int));
                let with = with.as_ref().map(|it| infer_judge(cx, it));
                let reflect = Reflect { count, with };
                modifiers.reflect.replace(reflect).is_none()
            }
            ast::ModifierKind::Budget(arguments) => {
                let budget = infer_budget(cx, arguments);
                modifiers.budget.replace(budget).is_none()
            }
            ast::ModifierKind::Limit(value) => {
                cx.expression(value, &Expected::Type(Type::Int));
                misplaced(&mut cx.hir, modifier);
                continue;
            }
            ast::ModifierKind::Errors(_) => {
                misplaced(&mut cx.hir, modifier);
                continue;
            }
        };
        if !is_new {
            let (place, name) = (cx.hir.place(modifier.span), modifier.kind.name().text());
            cx.hir.report(calls::duplicate_setting(place, name));
        }
    }
    modifiers
}

/// What follows `with` of a `reflect`: a prompt or function that gives a `Reflection` for what is known of a failure.
fn infer_judge(cx: &mut Context, expression: &ast::Expression) -> ExpressionId {
    let reflection = KnownItem::Reflection.item(cx.db);
    // Missing only while the prelude itself is broken, which is reported there.
    let reflection = reflection.map_or(Type::Invalid, |it| Type::Record(it, [].into()));
    let wanted = Type::Function(Arc::new(FunctionType {
        parameters: types_of_facts(expression),
        result: reflection.clone(),
        latent: None,
    }));
    // A hint, because a judge may take fewer facts, in another order, by the names of its parameters.
    let id = cx.expression(expression, &Expected::Hint(wanted));
    let ty = cx.hir.ty(id);
    let is_judge = if let Type::Function(it) = &ty {
        // Compared as it is and not converted: the runtime reads the record's fields by their positions.
        cx.hir.table.resolve(&it.result) == reflection
    } else {
        ty == Type::Invalid
    };
    let place = cx.hir.place(expression.span);
    if !is_judge {
        let wanted = "a prompt or function that gives a `Reflection`";
        cx.hir
            .report(calls::wrong_setting(place, "reflect … with", wanted));
    } else if !has_facts_for(&cx.hir, id) {
        cx.hir.report(calls::wrong_judge(place));
    }
    id
}

/// The types that the parameters of a judge have where it is a lambda that does not say: those of the facts of their names.
fn types_of_facts(judge: &ast::Expression) -> Vec<Type> {
    let type_of = |fact: &Fact| match fact.form() {
        FactForm::Text => Type::String,
        FactForm::Number => Type::Int,
        FactForm::List => Type::String.list(),
    };
    if let ast::ExpressionKind::Parenthesized(inside) = &judge.kind {
        return types_of_facts(inside);
    }
    let ast::ExpressionKind::Lambda { parameters, .. } = &judge.kind else {
        return Fact::ALL.iter().take(4).map(type_of).collect();
    };
    let names = parameters.iter().map(|it| {
        let ast::PatternKind::Binding(name) = &it.pattern.kind else {
            return None;
        };
        Some(name.name.as_str())
    });
    let facts = Fact::assigned(names).into_iter();
    let types = facts.map(|it| it.as_ref().map_or(Type::Invalid, type_of));
    types.collect()
}

/// Whether there is a fact for each parameter of a judge, and of its type.
fn has_facts_for(hir: &HirBuilder, judge: ExpressionId) -> bool {
    // Invalid, which has been reported.
    let Type::Function(function) = hir.ty(judge) else {
        return true;
    };
    let kind = &hir.arena.get(judge).kind;
    let names: Vec<&str> = if let ExpressionKind::FunctionValue { item, .. } = kind {
        let parameters = lookup::signature(hir.db, *item).parameters.iter();
        parameters.map(|it| it.name.as_str()).collect()
    } else if let ExpressionKind::Lambda(lambda) = kind {
        let parameters = lambda.parameters.iter();
        let local = |it| hir.locals.local(it).name.as_str();
        parameters.map(|it| local(*it)).collect()
    } else {
        // Of a value only the type is known.
        Vec::new()
    };
    let names = (0..function.parameters.len()).map(|it| names.get(it).copied());
    let facts = Fact::assigned(names).into_iter();
    facts
        .zip(&function.parameters)
        .all(|(fact, ty)| fact.is_some_and(|it| takes_fact(&hir.table.resolve(ty), it.form())))
}

pub(super) fn misplaced(hir: &mut HirBuilder, modifier: &ast::Modifier) {
    let place = hir.place(modifier.span);
    hir.report(calls::misplaced_modifier(place, &modifier.kind));
}

fn infer_retry(
    cx: &mut Context,
    count: &ast::Expression,
    backoff: Option<&ast::Expression>,
    max: Option<&ast::Expression>,
) -> Retry {
    let duration = Expected::Type(Type::Duration);
    Retry {
        count: cx.expression(count, &Expected::Type(Type::Int)),
        backoff: backoff.map(|it| cx.expression(it, &duration)),
        max: max.map(|it| cx.expression(it, &duration)),
    }
}

fn infer_budget(cx: &mut Context, arguments: &[ast::Argument]) -> Budget {
    let mut budget = Budget::default();
    for argument in arguments {
        let name = argument.name.as_ref();
        let (slot, ty) = match name.map(|it| it.name.as_str()) {
            Some("usd") => (&mut budget.usd, Type::Float),
            Some("tokens") => (&mut budget.tokens, Type::Int),
            Some("calls") => (&mut budget.calls, Type::Int),
            Some("time") => (&mut budget.time, Type::Duration),
            other => {
                let place = cx.hir.place(name.map_or(argument.value.span, |it| it.span));
                let names = ["usd", "tokens", "calls", "time"].map(Name::new_static);
                let other = other.unwrap_or_default();
                let suggestion = gsw_source::meant(other, &names);
                let suggestion = suggestion.as_ref();
                let report = match name {
                    Some(_) => calls::unknown_argument(place, other, "`budget`", suggestion),
                    None => calls::unnamed_bound(place),
                };
                cx.hir
                    .report(report.note("a budget has `usd`, `tokens`, `calls` and `time`"));
                continue;
            }
        };
        // After the name is known, since the name says the type.
        let value = cx.expression(&argument.value, &Expected::Type(ty));
        if slot.replace(value).is_some() {
            let place = cx.hir.place(argument.value.span);
            let name = name.map_or("", |it| it.name.as_str());
            cx.hir.report(calls::duplicate_argument(place, name));
        }
    }
    budget
}

pub(super) fn infer_spawn(
    cx: &mut Context,
    value: &ast::Expression,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    let wanted = if let Some(Type::Task(inner)) = hint.map(|it| cx.hir.table.resolve(it))
        // `task: Task<T>` with an unknown `T` says nothing about the body.
        && !cx.hir.table.is_open(&inner)
    {
        Some((*inner).clone())
    } else {
        None
    };
    if let ast::ExpressionKind::Parenthesized(inner) = &value.kind
        && let ast::ExpressionKind::Name(name) = &inner.kind
        && cx.scopes.find(name).is_none()
        && let Some(Definition::Item(item)) = gsw_names::resolve_callable(cx.db, cx.file, name)
        && item.kind(cx.db) == ItemKind::Function
    {
        let place = cx.hir.place(value.span);
        cx.hir.report(habits::spawned_call(place, name));
        return cx.hir.invalid(span);
    }
    // A closure without parameters: a task outlives the statement, so what it uses is captured like in any lambda.
    let lambda = lambda::closure(cx, value, wanted.as_ref());
    let ty = Type::Task(Arc::new(cx.hir.ty(lambda.body)));
    cx.hir.push(ExpressionKind::Spawn(lambda), ty, span)
}

/// `undo mods { }`: a closure without parameters, which the end of the workflow calls.
pub(super) fn infer_undo(
    cx: &mut Context,
    modifiers: &[ast::Modifier],
    body: &ast::Block,
    span: Span,
) -> ExpressionId {
    let body = body.clone();
    let kind = match modifiers {
        [] => ast::ExpressionKind::Do(body),
        modifiers => ast::ExpressionKind::Modified {
            modifiers: modifiers.to_vec(),
            body,
        },
    };
    let whole = ast::Expression { kind, span };
    let lambda = lambda::closure(cx, &whole, Some(&Type::Unit));
    cx.hir.push(ExpressionKind::Undo(lambda), Type::Unit, span)
}

pub(super) fn infer_spawn_detached(
    cx: &mut Context,
    call: &ast::Expression,
    span: Span,
) -> ExpressionId {
    let (call, settings) = if let ast::ExpressionKind::With { call, settings } = &call.kind {
        (&**call, settings.as_slice())
    } else {
        (call, &[][..])
    };
    if let ast::ExpressionKind::Binary { left, right, .. } = &call.kind {
        return compared_spawn(cx, [left, right], call.span);
    }
    if let ast::ExpressionKind::Catch { value, .. } = &call.kind {
        let place = cx.hir.place(call.span);
        let around = (cx.hir.place_before(span), cx.hir.place_after(value.span));
        let report = habits::detached_caught(calls::not_a_workflow(place), around);
        cx.hir.report(report);
        return cx.hir.invalid(span);
    }
    // As a call first, so that arguments, defaults and names are checked by the same rules.
    let id = cx.expression(call, &Expected::Anything);
    if let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        arguments,
    } = &cx.hir.arena.get(id).kind
        && item.kind(cx.db) == ItemKind::Workflow
    {
        let (item, arguments) = (*item, arguments.clone());
        // The call itself must not remain: it would count as one that runs here, with its errors and effects.
        cx.hir.arena.pop();
        let id = infer_run_id(cx, settings);
        let kind = ExpressionKind::SpawnDetached {
            item,
            arguments,
            id,
        };
        return cx.hir.push(kind, Type::String, span);
    }
    infer_run_id(cx, settings);
    if cx.hir.ty(id) != Type::Invalid {
        let place = cx.hir.place(call.span);
        cx.hir.report(calls::not_a_workflow(place));
    }
    cx.hir.push(ExpressionKind::Invalid, Type::String, span)
}

/// `spawn detached f(x) == id`: the comparison is what is spawned.
fn compared_spawn(cx: &mut Context, sides: [&ast::Expression; 2], span: Span) -> ExpressionId {
    for side in sides {
        cx.expression(side, &Expected::Anything);
    }
    let place = cx.hir.place(span);
    cx.hir
        .report(elsewhere::takes_all(calls::not_a_workflow(place)));
    cx.hir.invalid(span)
}

/// The settings of a detached run: its id.
fn infer_run_id(cx: &mut Context, settings: &[ast::Setting]) -> Option<ExpressionId> {
    let mut id = None;
    for setting in settings {
        let place = cx.hir.place(setting.name.span);
        let name = &setting.name.name;
        let ast::SettingValue::Expression(value) = &setting.value else {
            cx.hir.report(calls::unknown_run_setting(place, name));
            continue;
        };
        if name != RUN_ID {
            cx.hir.report(calls::unknown_run_setting(place, name));
            cx.expression(value, &Expected::Anything);
            continue;
        }
        let value = cx.expression(value, &Expected::Type(Type::String));
        if id.replace(value).is_some() {
            cx.hir.report(calls::duplicate_setting(place, name));
        }
    }
    id
}

/// The one setting of `spawn detached … with { }`.
const RUN_ID: &str = "id";

/// Whether a parameter of this type can take a fact; the elements of a list are decoded when the judge is asked.
fn takes_fact(ty: &Type, form: FactForm) -> bool {
    match form {
        FactForm::Text => matches!(
            ty,
            Type::String | Type::Literals(_) | Type::Text(_) | Type::Json
        ),
        FactForm::Number => matches!(ty, Type::Int | Type::Json),
        FactForm::List => matches!(ty, Type::List(_) | Type::Json),
    }
}
