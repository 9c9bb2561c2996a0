//! `mock p(patterns) -> value`: patterns stand for arguments as in a call, by position and by name.

use gsw_names::types::Type;
use gsw_names::{Definition, KnownItem, Parameter, Presence, resolve_callable};
use gsw_source::{Name, Span, meant};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::errors::habits;
use crate::hir::{
    BinaryOperator, ExpressionId, ExpressionKind, Lambda, LocalId, LocalKind, Pattern, PatternKind,
    StatementKind,
};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::name::function_type;
use crate::infer::pattern::Place;

/// `None` when what is mocked was reported.
pub(super) fn infer_mock(
    cx: &mut Context,
    calls: Option<&ast::Identifier>,
    target: &[ast::Identifier],
    arguments: (&[ast::PatternField], ast::Rest),
    outcomes: &[ast::Expression],
    span: Span,
) -> Option<StatementKind> {
    let definition = match (cx.names().written_path(target)?, target) {
        // A module does not hide what can be called, here as in calls.
        (module @ Definition::Module(_), [name]) => {
            resolve_callable(cx.db, cx.file, &name.name).unwrap_or(module)
        }
        (definition, _) => definition,
    };
    let Definition::Item(item) = definition else {
        let place = cx.hir.place(span);
        cx.hir.report(errors::not_callable(place, "this"));
        return None;
    };
    let signature = lookup::signature(cx.db, item);
    let type_arguments = cx.hir.fresh_arguments(signature.generics.len());
    let ty = function_type(&signature.parameters, &signature.result, &type_arguments);
    let Type::Function(function) = ty else {
        return None;
    };
    let callee = format!("`{}`", item.name(cx.db));
    let given = mocked_arguments(&mut cx.hir, &signature.parameters, &callee, arguments, span);
    // The outcome is a closure that is called in place of the prompt: its parameters are the arguments, and what it uses of
    // the test is captured.
    cx.hir.locals.open_frame(Some(function.result.clone()));
    let mark = cx.scopes.mark();
    let mut parameters = Vec::new();
    let mut patterns = Vec::new();
    for (given, ty) in given.iter().zip(&function.parameters) {
        parameters.push(
            cx.hir
                .locals
                .add(Name::default(), ty.clone(), LocalKind::Parameter, span),
        );
        patterns.push(match given {
            // `Inside`, so that a name takes an optional argument as it is: a mock for `p(x)` must also match `p(none)`.
            Some(pattern) => cx.pattern(pattern, ty, Place::Inside),
            None => Pattern {
                kind: PatternKind::Wildcard,
                ty: ty.clone(),
                span,
            },
        });
    }
    let turn = cx
        .hir
        .locals
        .add(Name::default(), Type::Int, LocalKind::Parameter, span);
    parameters.push(turn);
    let body = in_turn(cx, outcomes, turn, &function.result, span);
    cx.scopes.leave(mark);
    let captures = cx.hir.locals.close_frame().captures;
    let outcome = Lambda {
        parameters,
        body,
        captures,
    };
    let calls = calls.and_then(|it| mocked_calls(cx, it, &function.parameters));
    Some(StatementKind::Mock {
        item,
        patterns,
        outcome,
        calls,
    })
}

/// The outcome number `turn`, the last one for all further turns.
fn in_turn(
    cx: &mut Context,
    outcomes: &[ast::Expression],
    turn: LocalId,
    result: &Type,
    span: Span,
) -> ExpressionId {
    let values: Vec<ExpressionId> = outcomes
        .iter()
        .map(|it| {
            let before = cx.hir.findings.reported();
            let value = cx.expression(it, &Expected::Type(result.clone()));
            let is_list = matches!(it.kind, ast::ExpressionKind::List(_));
            let is_wanted = matches!(cx.hir.table.unchecked(result), Type::List(_));
            if let Some(report) = cx.hir.findings.first_error_since(before)
                && is_list
                && !is_wanted
            {
                habits::several_outcomes(report);
            }
            value
        })
        .collect();
    let Some((last, before)) = values.split_last() else {
        return cx.hir.invalid(span);
    };
    let mut value = *last;
    for (index, &then) in before.iter().enumerate().rev() {
        let left = cx.hir.local_value(turn, span);
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        let right = cx.hir.push(ExpressionKind::Int(index), Type::Int, span);
        let is_next = ExpressionKind::Binary {
            operator: BinaryOperator::Equal,
            left,
            right,
        };
        let condition = cx.hir.push(is_next, Type::Bool, span);
        let choice = ExpressionKind::If {
            condition,
            then,
            otherwise: Some(value),
        };
        value = cx.hir.push(choice, result.clone(), span);
    }
    value
}

/// The variable that holds the calls of a mock: a `Calls` of what each call is given.
fn mocked_calls(cx: &mut Context, name: &ast::Identifier, parameters: &[Type]) -> Option<LocalId> {
    let given = match parameters {
        [] => Type::Unit,
        [only] => only.clone(),
        several => Type::Tuple(several.into()),
    };
    // Missing only while the prelude itself is broken.
    let calls = KnownItem::Calls.item(cx.db)?;
    let ty = Type::Record(calls, [given].into());
    Some(cx.declare(&name.name, ty, LocalKind::Let, name.span))
}

/// The pattern of each parameter, where one is given.
fn mocked_arguments<'a>(
    hir: &mut HirBuilder,
    declared: &[Parameter],
    callee: &str,
    (fields, rest): (&'a [ast::PatternField], ast::Rest),
    span: Span,
) -> Vec<Option<&'a ast::Pattern>> {
    let mut given: Vec<Option<&ast::Pattern>> = vec![None; declared.len()];
    let mut is_wrong = false;
    for (index, field) in fields.iter().enumerate() {
        let position = match &field.name {
            None => Some(index).filter(|it| *it < declared.len()),
            Some(name) => declared.iter().position(|it| it.name == name.name),
        };
        let place = hir.place(field.pattern.span);
        let report = match (position, &field.name) {
            (Some(position), name) => match given[position].replace(&field.pattern) {
                None => continue,
                Some(_) => {
                    let name = name
                        .as_ref()
                        .map_or(&declared[position].name, |it| &it.name);
                    errors::duplicate_argument(place, name)
                }
            },
            (None, Some(name)) => {
                let names: Vec<Name> = declared.iter().map(|it| it.name.clone()).collect();
                let suggestion = meant(&name.name, &names);
                let place = hir.place(name.span);
                errors::unknown_argument(place, &name.name, callee, suggestion.as_ref())
            }
            (None, None) => errors::too_many_arguments(place, callee, declared.len(), fields.len()),
        };
        is_wrong = true;
        hir.report(report);
    }
    let missing = given.iter().zip(declared);
    let missing =
        missing.filter(|(it, parameter)| it.is_none() && parameter.default == Presence::Absent);
    let missing: Vec<&str> = missing.map(|(_, it)| it.name.as_str()).collect();
    if rest == ast::Rest::Complete && !missing.is_empty() && !is_wrong {
        let place = hir.place(span);
        let report = errors::missing_argument(place, &missing, callee);
        hir.report(report.note("`..` at the end takes any other arguments"));
    }
    given
}
