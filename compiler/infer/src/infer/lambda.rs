//! Lambdas and the other closures: what `spawn` and `parallel` run.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type, TypeVariable};
use gsw_source::{Name, Span};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::errors::elsewhere;
use crate::hir::{
    ExpressionId, ExpressionKind, Lambda, LocalId, LocalKind, Statement, StatementKind,
};
use crate::infer::coerce::Siblings;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::pattern::Place;
use crate::infer::table::{Blame, Table};

pub(super) fn infer_lambda(
    cx: &mut Context,
    parameters: &[ast::LambdaParameter],
    body: &ast::Expression,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    // The hint alone decides the types of parameters. Without one each gets a variable, bound by its uses in the body.
    let wanted = hint.and_then(|it| cx.hir.table.wanted_function(it));
    let result = wanted.as_ref().map(|it| it.result.clone());
    let result = result.unwrap_or_else(|| cx.hir.fresh());
    cx.hir.locals.open_frame(Some(result));
    let mark = cx.scopes.mark();
    let (locals, mut statements) = match hint.map(|it| cx.hir.table.operand(it)) {
        // What is wrong with the type that is wanted was reported, and says nothing of the parameters.
        Some(Type::Invalid) => unknown_parameters(cx, parameters),
        Some(_) | None => lambda_parameters(cx, parameters, wanted.as_deref(), span),
    };
    let body = closure_body(cx, body);
    cx.scopes.leave(mark);
    let types: Vec<Type> = locals
        .iter()
        .map(|it| cx.hir.locals.local(*it).ty.clone())
        .collect();
    let ty = cx.hir.ty(body);
    let body = match statements.is_empty() {
        true => body,
        false => {
            let span = cx.hir.span(body);
            statements.shrink_to_fit();
            let kind = ExpressionKind::Block {
                statements,
                tail: Some(body),
            };
            cx.hir.push(kind, ty.clone(), span)
        }
    };
    let captures = cx.hir.locals.close_frame().captures;
    let function = FunctionType {
        parameters: types,
        result: ty,
        latent: None,
    };
    let lambda = Lambda {
        parameters: locals,
        body,
        captures,
    };
    cx.hir.push(
        ExpressionKind::Lambda(lambda),
        Type::Function(Arc::new(function)),
        span,
    )
}

/// The value of a closure's body, of the type that its frame wants.
fn closure_body(cx: &mut Context, body: &ast::Expression) -> ExpressionId {
    let wanted = cx.hir.locals.wanted_result();
    let wanted = wanted.map_or(Type::Unit, |it| cx.hir.table.resolve(&it));
    if wanted == Type::Unit {
        let id = cx.expression(body, &Expected::Dropped);
        return cx.hir.without_value(id);
    }
    match cx.hir.table.unknown(&wanted) {
        Some(variable) => free_body(cx, body, variable),
        None => cx.expression(body, &Expected::Type(wanted)),
    }
}

/// A closure's body whose result type is unknown: the value at its end and those of its `return`s determine it.
fn free_body(cx: &mut Context, body: &ast::Expression, wanted: TypeVariable) -> ExpressionId {
    // The variable is bound once, after all values of the body are known: binding it to the first would reject a later
    // `return none`.
    let near = cx.hir.table.near(wanted);
    let end = cx.expression(body, &near);
    let returned = cx.hir.locals.take_returns();
    let wanted = Type::Variable(wanted);
    let mut values: Vec<ExpressionId> = returned.iter().map(|(_, value)| *value).collect();
    values.push(end);
    // With a default type the values are not joined: the first converts to the default, and the others to what that makes of
    // the variable.
    if matches!(near, Expected::Anything) {
        values = cx.hir.join(values, Siblings::Branches).1;
    }
    for value in &mut values {
        *value = cx.hir.coerce(*value, &wanted);
    }
    for ((id, _), value) in returned.iter().zip(&values) {
        // The `return` was pushed before its value was converted.
        cx.hir.arena.get_mut(*id).kind = ExpressionKind::Return(Some(*value));
    }
    values.last().copied().unwrap_or(end)
}

/// The locals of a lambda's parameters where nothing can be known of their types.
fn unknown_parameters(
    cx: &mut Context,
    parameters: &[ast::LambdaParameter],
) -> (Vec<LocalId>, Vec<Statement>) {
    let mut statements = Vec::new();
    let locals = parameters
        .iter()
        .map(|it| lambda_parameter(cx, it, Some(&Type::Invalid), &mut statements))
        .collect();
    (locals, statements)
}

/// The locals of a lambda's parameters, and the statements that take tuples apart.
fn lambda_parameters(
    cx: &mut Context,
    parameters: &[ast::LambdaParameter],
    wanted: Option<&FunctionType>,
    span: Span,
) -> (Vec<LocalId>, Vec<Statement>) {
    let mut statements = Vec::new();
    let Some(wanted) = wanted else {
        let locals = parameters
            .iter()
            .map(|it| lambda_parameter(cx, it, None, &mut statements))
            .collect();
        return (locals, statements);
    };
    if wanted.parameters.len() == parameters.len() {
        let pairs = parameters.iter().zip(&wanted.parameters);
        let locals = pairs
            .map(|(it, ty)| lambda_parameter(cx, it, Some(ty), &mut statements))
            .collect();
        return (locals, statements);
    }
    // `pairs.map((key, value) => …)`: several parameters where one tuple is given are its parts.
    if let [whole] = wanted.parameters.as_slice()
        && let Some(local) = tuple_parameter(cx, parameters, whole, span, &mut statements)
    {
        return (vec![local], statements);
    }
    let place = cx.hir.place(span);
    let report = errors::lambda_arity(place, wanted.parameters.len(), parameters.len());
    cx.hir.report(match wanted.parameters.len() {
        2 => elsewhere::two_parameters(report),
        1 if parameters.len() == 2 => match called(&cx.hir, span).as_str() {
            "sort_by" | "sort_by_desc" | "min_by" | "max_by" => elsewhere::compares_keys(report),
            "map" | "filter" | "filter_map" | "flat_map" | "any" | "all" | "find" | "count" => {
                elsewhere::one_parameter(report)
            }
            _ => report,
        },
        _ => report,
    });
    for parameter in parameters {
        lambda_parameter(cx, parameter, Some(&Type::Invalid), &mut statements);
    }
    // The type that was wanted, so that the count is not reported a second time.
    let locals = wanted
        .parameters
        .iter()
        .map(|it| cx.hir.hidden_local(it.clone(), span))
        .collect();
    (locals, statements)
}

/// The name of the function whose first argument begins there; empty where that is none.
fn called(hir: &HirBuilder, argument: Span) -> String {
    let before = gsw_names::source_text(hir.db, hir.item, Span::new(0, argument.start));
    let Some(callee) = before.trim_end().strip_suffix('(') else {
        return String::new();
    };
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let name = callee.rsplit(|it| !is_part(it)).next();
    name.unwrap_or_default().to_owned()
}

/// Several parameters where one tuple is given.
fn tuple_parameter(
    cx: &mut Context,
    parameters: &[ast::LambdaParameter],
    whole: &Type,
    span: Span,
    statements: &mut Vec<Statement>,
) -> Option<LocalId> {
    if parameters.len() < 2 {
        return None;
    }
    // Two parameters are evidence enough: a function of one unknown parameter takes a tuple of that length.
    if let Some(variable) = cx.hir.table.unknown(whole) {
        let parts = cx.hir.fresh_arguments(parameters.len());
        cx.hir.table.bind(variable, &Type::Tuple(parts.into()));
    }
    let Type::Tuple(types) = cx.hir.table.unchecked(whole) else {
        return None;
    };
    if types.len() != parameters.len() {
        return None;
    }
    let local = cx
        .hir
        .locals
        .add(Name::default(), whole.clone(), LocalKind::Parameter, span);
    for (index, (parameter, ty)) in (0u32..).zip(parameters.iter().zip(types.iter())) {
        let base = cx.hir.local_value(local, span);
        let kind = ExpressionKind::TupleField { base, index };
        let value = cx.hir.push(kind, ty.clone(), parameter.pattern.span);
        let ty = parameter_type(cx, parameter, Some(ty));
        let value = cx.hir.coerce(value, &ty);
        let pattern = cx.pattern(&parameter.pattern, &ty, Place::Binding);
        let kind = StatementKind::Let { pattern, value };
        statements.push(Statement {
            kind,
            span: parameter.pattern.span,
        });
    }
    Some(local)
}

fn parameter_type(
    cx: &mut Context,
    parameter: &ast::LambdaParameter,
    given: Option<&Type>,
) -> Type {
    match (&parameter.ty, given) {
        (Some(ty), _) => cx.written_type(ty),
        (None, Some(given)) => given.clone(),
        (None, None) => {
            let blame = match &parameter.pattern.kind {
                // Only a name can be reported usefully: what no name is bound to has no use that the type could matter to.
                ast::PatternKind::Binding(_) => Blame::Binding,
                ast::PatternKind::Wildcard
                | ast::PatternKind::Literal(_)
                | ast::PatternKind::Range { .. }
                | ast::PatternKind::Variant { .. }
                | ast::PatternKind::Record { .. }
                | ast::PatternKind::Tuple(_)
                | ast::PatternKind::List { .. }
                | ast::PatternKind::Or(_)
                | ast::PatternKind::Invalid => Blame::Suppressed,
            };
            cx.hir.table.fresh(blame)
        }
    }
}

fn lambda_parameter(
    cx: &mut Context,
    parameter: &ast::LambdaParameter,
    given: Option<&Type>,
    statements: &mut Vec<Statement>,
) -> LocalId {
    let ty = parameter_type(cx, parameter, given);
    let span = parameter.pattern.span;
    match &parameter.pattern.kind {
        ast::PatternKind::Binding(name) => {
            cx.declare(&name.name, ty, LocalKind::Parameter, name.span)
        }
        ast::PatternKind::Wildcard => {
            cx.hir
                .locals
                .add(Name::new_static("_"), ty, LocalKind::Parameter, span)
        }
        ast::PatternKind::Literal(_)
        | ast::PatternKind::Range { .. }
        | ast::PatternKind::Variant { .. }
        | ast::PatternKind::Record { .. }
        | ast::PatternKind::Tuple(_)
        | ast::PatternKind::List { .. }
        | ast::PatternKind::Or(_)
        | ast::PatternKind::Invalid => {
            let local = cx
                .hir
                .locals
                .add(Name::default(), ty.clone(), LocalKind::Parameter, span);
            let value = cx.hir.local_value(local, span);
            let pattern = cx.pattern(&parameter.pattern, &ty, Place::Binding);
            statements.push(Statement {
                kind: StatementKind::Let { pattern, value },
                span,
            });
            local
        }
    }
}

/// A closure without parameters around an expression; its result goes where `wanted` says.
pub(super) fn closure(cx: &mut Context, body: &ast::Expression, wanted: Option<&Type>) -> Lambda {
    let result = wanted.cloned().unwrap_or_else(|| cx.hir.fresh());
    cx.hir.locals.open_frame(Some(result));
    let mark = cx.scopes.mark();
    let body = closure_body(cx, body);
    cx.scopes.leave(mark);
    let captures = cx.hir.locals.close_frame().captures;
    Lambda {
        parameters: Vec::new(),
        body,
        captures,
    }
}

impl Table<'_> {
    /// The type of the function that a lambda is to be where `ty` is wanted.
    fn wanted_function(&self, ty: &Type) -> Option<Arc<FunctionType>> {
        let ty = self.unchecked(ty);
        if let Type::Optional(inner) = &ty {
            return self.wanted_function(inner);
        }
        let Type::Function(function) = ty else {
            return None;
        };
        Some(function)
    }
}
