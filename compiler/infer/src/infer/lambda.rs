//! Lambdas and the other closures: what `spawn` and `parallel` run.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type, TypeVariable};
use gsw_names::{Parameter, Presence, substitute};
use gsw_source::{Name, Span};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::hir::{
    Callee, Coercion, Expression, ExpressionId, ExpressionKind, Lambda, LocalId, LocalKind,
    Statement, StatementKind,
};
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;
use crate::infer::pattern::Place;
use crate::infer::table::{Blame, Table};

impl Context<'_> {
    pub(super) fn lambda(
        &mut self,
        parameters: &[ast::LambdaParameter],
        body: &ast::Expression,
        span: Span,
        hint: Option<&Type>,
    ) -> ExpressionId {
        // The hint alone decides the types of parameters. Without one each gets a variable, bound by its uses in the body.
        let wanted = hint.and_then(|it| self.table.wanted_function(it));
        let result = wanted.as_ref().map(|it| it.result.clone());
        let result = result.unwrap_or_else(|| self.fresh());
        self.scopes.open_frame(Some(result));
        let mark = self.scopes.mark();
        let (locals, mut statements) = self.lambda_parameters(parameters, wanted.as_deref(), span);
        let body = self.closure_body(body);
        self.scopes.leave(mark);
        let types: Vec<Type> = locals
            .iter()
            .map(|it| self.scopes.local(*it).ty.clone())
            .collect();
        let ty = self.ty(body);
        let body = match statements.is_empty() {
            true => body,
            false => {
                let span = self.span(body);
                statements.shrink_to_fit();
                let kind = ExpressionKind::Block {
                    statements,
                    tail: Some(body),
                };
                self.push(kind, ty.clone(), span)
            }
        };
        let captures = self.scopes.close_frame().captures;
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
        self.push(
            ExpressionKind::Lambda(lambda),
            Type::Function(Arc::new(function)),
            span,
        )
    }

    /// The value of a closure's body, of the type that its frame wants.
    fn closure_body(&mut self, body: &ast::Expression) -> ExpressionId {
        let wanted = self.scopes.wanted_result();
        let wanted = wanted.map_or(Type::Unit, |it| self.table.resolve(&it));
        if wanted == Type::Unit {
            let id = self.expression(body, &Expected::Dropped);
            return self.without_value(id);
        }
        match self.table.unknown(&wanted) {
            Some(variable) => self.free_body(body, variable),
            None => self.expression(body, &Expected::Type(wanted)),
        }
    }

    /// A closure's body where nothing is known of its result: what it gives at its end and by `return` agree on that.
    fn free_body(&mut self, body: &ast::Expression, wanted: TypeVariable) -> ExpressionId {
        // The variable is bound once, after all values of the body are known: binding it to the first would reject a later
        // `return none`.
        let near = self.table.near(wanted);
        let end = self.expression(body, &near);
        let returned = self.scopes.take_returns();
        let wanted = Type::Variable(wanted);
        let mut values: Vec<ExpressionId> = returned.iter().map(|(_, value)| *value).collect();
        values.push(end);
        // With a default type the values are not joined: the first converts to the default, and the others to what that makes of
        // the variable.
        if matches!(near, Expected::Anything) {
            values = self.join(values).1;
        }
        for value in &mut values {
            *value = self.coerce(*value, &wanted);
        }
        for ((id, _), value) in returned.iter().zip(&values) {
            // The `return` was pushed before its value was converted.
            self.hir.get_mut(*id).kind = ExpressionKind::Return(Some(*value));
        }
        values.last().copied().unwrap_or(end)
    }

    /// The locals of a lambda's parameters, and the statements that take tuples apart.
    fn lambda_parameters(
        &mut self,
        parameters: &[ast::LambdaParameter],
        wanted: Option<&FunctionType>,
        span: Span,
    ) -> (Vec<LocalId>, Vec<Statement>) {
        let mut statements = Vec::new();
        let Some(wanted) = wanted else {
            let locals = parameters
                .iter()
                .map(|it| self.lambda_parameter(it, None, &mut statements))
                .collect();
            return (locals, statements);
        };
        if wanted.parameters.len() == parameters.len() {
            let pairs = parameters.iter().zip(&wanted.parameters);
            let locals = pairs
                .map(|(it, ty)| self.lambda_parameter(it, Some(ty), &mut statements))
                .collect();
            return (locals, statements);
        }
        // `pairs.map((key, value) => …)`: several parameters where one tuple is given are its parts.
        if let [whole] = wanted.parameters.as_slice()
            && let Some(local) = self.tuple_parameter(parameters, whole, span, &mut statements)
        {
            return (vec![local], statements);
        }
        let place = self.place(span);
        let report = errors::lambda_arity(place, wanted.parameters.len(), parameters.len());
        self.report(report);
        for parameter in parameters {
            self.lambda_parameter(parameter, Some(&Type::Invalid), &mut statements);
        }
        // The type that was wanted, so that the count is not reported a second time.
        let locals = wanted
            .parameters
            .iter()
            .map(|it| self.hidden_local(it.clone(), span))
            .collect();
        (locals, statements)
    }

    /// Several parameters where one tuple is given.
    fn tuple_parameter(
        &mut self,
        parameters: &[ast::LambdaParameter],
        whole: &Type,
        span: Span,
        statements: &mut Vec<Statement>,
    ) -> Option<LocalId> {
        if parameters.len() < 2 {
            return None;
        }
        // Two parameters are evidence enough: a function of one unknown parameter takes a tuple of that length.
        if let Some(variable) = self.table.unknown(whole) {
            let parts = self.fresh_arguments(parameters.len());
            self.table.bind(variable, &Type::Tuple(parts.into()));
        }
        let Type::Tuple(types) = self.table.unchecked(whole) else {
            return None;
        };
        if types.len() != parameters.len() {
            return None;
        }
        let local = self
            .scopes
            .add(Name::default(), whole.clone(), LocalKind::Parameter, span);
        for (index, (parameter, ty)) in (0u32..).zip(parameters.iter().zip(types.iter())) {
            let base = self.local_value(local, span);
            let kind = ExpressionKind::TupleField { base, index };
            let value = self.push(kind, ty.clone(), parameter.pattern.span);
            let ty = self.parameter_type(parameter, Some(ty));
            let value = self.coerce(value, &ty);
            let pattern = self.pattern(&parameter.pattern, &ty, Place::Binding);
            let kind = StatementKind::Let { pattern, value };
            statements.push(Statement {
                kind,
                span: parameter.pattern.span,
            });
        }
        Some(local)
    }

    fn parameter_type(&mut self, parameter: &ast::LambdaParameter, given: Option<&Type>) -> Type {
        match (&parameter.ty, given) {
            (Some(ty), _) => self.written_type(ty),
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
                self.table.fresh(blame)
            }
        }
    }

    fn lambda_parameter(
        &mut self,
        parameter: &ast::LambdaParameter,
        given: Option<&Type>,
        statements: &mut Vec<Statement>,
    ) -> LocalId {
        let ty = self.parameter_type(parameter, given);
        let span = parameter.pattern.span;
        match &parameter.pattern.kind {
            ast::PatternKind::Binding(name) => {
                self.declare(&name.name, ty, LocalKind::Parameter, name.span)
            }
            ast::PatternKind::Wildcard => {
                self.scopes
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
                let local =
                    self.scopes
                        .add(Name::default(), ty.clone(), LocalKind::Parameter, span);
                let value = self.local_value(local, span);
                let pattern = self.pattern(&parameter.pattern, &ty, Place::Binding);
                statements.push(Statement {
                    kind: StatementKind::Let { pattern, value },
                    span,
                });
                local
            }
        }
    }

    /// A declaration's name where a function of other, convertible types is wanted, or of fewer parameters because the rest
    /// have defaults: a lambda that calls it.
    pub(super) fn adapted_function(
        &mut self,
        id: ExpressionId,
        wanted: &FunctionType,
    ) -> Option<ExpressionId> {
        let Expression { kind, span, .. } = self.hir.get(id);
        // Only a declaration's name is adapted: around any other expression the lambda would evaluate that at each call.
        let ExpressionKind::FunctionValue {
            item,
            type_arguments,
        } = kind
        else {
            return None;
        };
        let (item, span, type_arguments) = (*item, *span, type_arguments.clone());
        let signature = lookup::signature(self.db, item);
        let (taken, rest) = signature
            .parameters
            .split_at_checked(wanted.parameters.len())?;
        let is_plain = !matches!(item.kind(self.db), gsw_source::ItemKind::Prompt);
        if !is_plain || rest.iter().any(|it| it.default == Presence::Absent) {
            return None;
        }
        self.scopes.open_frame(None);
        let built = self.adapting_call(item, type_arguments, taken, wanted, span);
        let captures = self.scopes.close_frame().captures;
        let (parameters, body) = built?;
        let ty = Type::Function(Arc::new(FunctionType {
            latent: None,
            ..wanted.clone()
        }));
        let lambda = Lambda {
            parameters,
            body,
            captures,
        };
        Some(self.push(ExpressionKind::Lambda(lambda), ty, span))
    }

    fn adapting_call(
        &mut self,
        item: gsw_source::ItemId,
        type_arguments: Vec<Type>,
        taken: &[Parameter],
        wanted: &FunctionType,
        span: Span,
    ) -> Option<(Vec<LocalId>, ExpressionId)> {
        let mut locals = Vec::with_capacity(taken.len());
        let mut arguments = Vec::with_capacity(taken.len());
        for (index, (parameter, ty)) in (0u32..).zip(taken.iter().zip(&wanted.parameters)) {
            let local = self
                .scopes
                .add(Name::default(), ty.clone(), LocalKind::Parameter, span);
            let value = self.local_value(local, span);
            let target = substitute(&parameter.ty, &type_arguments);
            arguments.push((index, self.try_coerce(value, &target)?));
            locals.push(local);
        }
        let result = &lookup::signature(self.db, item).result;
        let result = substitute(result, &type_arguments);
        let callee = Callee::Item {
            item,
            type_arguments,
        };
        let call = self.push(ExpressionKind::Call { callee, arguments }, result, span);
        Some((locals, self.try_coerce(call, &wanted.result)?))
    }

    /// A closure without parameters around an expression; its result goes where `wanted` says.
    pub(super) fn closure(&mut self, body: &ast::Expression, wanted: Option<&Type>) -> Lambda {
        let result = wanted.cloned().unwrap_or_else(|| self.fresh());
        self.scopes.open_frame(Some(result));
        let mark = self.scopes.mark();
        let body = self.closure_body(body);
        self.scopes.leave(mark);
        let captures = self.scopes.close_frame().captures;
        Lambda {
            parameters: Vec::new(),
            body,
            captures,
        }
    }

    /// The expression as one of type `()`, its value dropped.
    pub(super) fn without_value(&mut self, id: ExpressionId) -> ExpressionId {
        let ty = self.ty(id);
        if ty == Type::Unit {
            return id;
        }
        // A statement of type `Never` would make a block of type `()` whose end is unreachable; the conversion keeps that visible.
        if ty == Type::Never {
            return self.converted(id, Coercion::FromNever, &Type::Unit);
        }
        let span = self.span(id);
        let statement = Statement {
            kind: StatementKind::Expression(id),
            span,
        };
        let kind = ExpressionKind::Block {
            statements: vec![statement],
            tail: None,
        };
        self.push(kind, Type::Unit, span)
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
