//! Steps, tasks, parallel work and their modifiers.

use std::sync::Arc;

use gsw_abi::judge::{Fact, FactForm};
use gsw_names::KnownItem;
use gsw_names::types::{FunctionType, Type};
use gsw_source::{ItemKind, Name, Span};
use gsw_syntax::ast;

use crate::errors::{calls, values as errors};
use crate::hir::{
    Budget, Callee, ErrorPolicy, ExpressionId, ExpressionKind, Lambda, LocalKind, Modifiers,
    RacePolicy, Reflect, Retry, Statement, StatementKind,
};
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;
use crate::infer::pattern::Place;

impl Context<'_> {
    /// `step "name" mods { }`
    pub(super) fn step(
        &mut self,
        name: &ast::Expression,
        modifiers: &[ast::Modifier],
        body: &ast::Block,
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let name = self.expression(name, &Expected::Type(Type::String));
        let modifiers = self.modifiers(modifiers);
        let body = self.block(body, expected);
        let ty = self.ty(body);
        self.push(
            ExpressionKind::Step {
                name,
                modifiers,
                body,
            },
            ty,
            span,
        )
    }

    /// `timeout D { }` and its kin.
    pub(super) fn modified(
        &mut self,
        modifiers: &[ast::Modifier],
        body: &ast::Block,
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let modifiers = self.modifiers(modifiers);
        let body = self.block(body, expected);
        let ty = self.ty(body);
        self.push(ExpressionKind::Modified { modifiers, body }, ty, span)
    }

    /// The modifiers of a step, block, workflow or question.
    pub(super) fn modifiers(&mut self, written: &[ast::Modifier]) -> Modifiers {
        let mut modifiers = Modifiers::default();
        for modifier in written {
            let is_new = match &modifier.kind {
                ast::ModifierKind::Timeout(value) => {
                    let value = self.expression(value, &Expected::Type(Type::Duration));
                    modifiers.timeout.replace(value).is_none()
                }
                ast::ModifierKind::Retry {
                    count,
                    backoff,
                    max,
                } => {
                    let retry = self.retry(count, backoff.as_ref(), max.as_ref());
                    modifiers.retry.replace(retry).is_none()
                }
                ast::ModifierKind::Reflect { count, with } => {
                    let count = self.expression(count, &Expected::Type(Type::Int));
                    let with = with.as_ref().map(|it| self.judge(it));
                    let reflect = Reflect { count, with };
                    modifiers.reflect.replace(reflect).is_none()
                }
                ast::ModifierKind::Budget(arguments) => {
                    let budget = self.budget(arguments);
                    modifiers.budget.replace(budget).is_none()
                }
                ast::ModifierKind::Limit(value) => {
                    self.expression(value, &Expected::Type(Type::Int));
                    self.misplaced(modifier);
                    continue;
                }
                ast::ModifierKind::Errors(_) => {
                    self.misplaced(modifier);
                    continue;
                }
            };
            if !is_new {
                let (place, name) = (
                    self.place(modifier.span),
                    calls::modifier_name(&modifier.kind),
                );
                self.report(calls::duplicate_setting(place, name));
            }
        }
        modifiers
    }

    /// What stands after `with` of a `reflect`: a prompt or function that gives a `Reflection` for what is known of a failure.
    fn judge(&mut self, expression: &ast::Expression) -> ExpressionId {
        let reflection = KnownItem::Reflection.item(self.db);
        let reflection = reflection.map_or(Type::Invalid, |it| Type::Record(it, [].into()));
        let parameters = [Type::String, Type::String, Type::Int, Type::String.list()];
        let wanted = Type::Function(Arc::new(FunctionType {
            parameters: parameters.into(),
            result: reflection.clone(),
            latent: None,
        }));
        let id = self.expression(expression, &Expected::Hint(wanted));
        let ty = self.ty(id);
        let is_judge = if let Type::Function(it) = &ty {
            self.table.resolve(&it.result) == reflection
        } else {
            ty == Type::Invalid
        };
        let place = self.place(expression.span);
        if !is_judge {
            let wanted = "a prompt or function that gives a `Reflection`";
            self.report(calls::wrong_setting(place, "reflect … with", wanted));
        } else if !self.has_facts_for(id) {
            self.report(calls::wrong_judge(place));
        }
        id
    }

    /// Whether there is a fact for each parameter of a judge, and of its type.
    fn has_facts_for(&self, judge: ExpressionId) -> bool {
        let Type::Function(function) = self.ty(judge) else {
            return true;
        };
        let kind = &self.hir.get(judge).kind;
        let parameters = if let ExpressionKind::FunctionValue { item, .. } = kind {
            lookup::signature(self.db, *item).parameters.as_slice()
        } else {
            &[]
        };
        let names =
            (0..function.parameters.len()).map(|it| parameters.get(it).map(|it| it.name.as_str()));
        let facts = Fact::assigned(names).into_iter();
        facts
            .zip(&function.parameters)
            .all(|(fact, ty)| fact.is_some_and(|it| takes_fact(&self.table.resolve(ty), it.form())))
    }

    fn misplaced(&mut self, modifier: &ast::Modifier) {
        let place = self.place(modifier.span);
        self.report(calls::misplaced_modifier(place, &modifier.kind));
    }

    fn retry(
        &mut self,
        count: &ast::Expression,
        backoff: Option<&ast::Expression>,
        max: Option<&ast::Expression>,
    ) -> Retry {
        let duration = Expected::Type(Type::Duration);
        Retry {
            count: self.expression(count, &Expected::Type(Type::Int)),
            backoff: backoff.map(|it| self.expression(it, &duration)),
            max: max.map(|it| self.expression(it, &duration)),
        }
    }

    fn budget(&mut self, arguments: &[ast::Argument]) -> Budget {
        let mut budget = Budget::default();
        for argument in arguments {
            let name = argument.name.as_ref();
            let (slot, ty) = match name.map(|it| it.name.as_str()) {
                Some("usd") => (&mut budget.usd, Type::Float),
                Some("tokens") => (&mut budget.tokens, Type::Int),
                Some("calls") => (&mut budget.calls, Type::Int),
                Some("time") => (&mut budget.time, Type::Duration),
                other => {
                    let place = self.place(name.map_or(argument.value.span, |it| it.span));
                    let names = ["usd", "tokens", "calls", "time"].map(Name::new_static);
                    let other = other.unwrap_or_default();
                    let suggestion = gsw_source::meant(other, &names);
                    let suggestion = suggestion.as_deref();
                    self.report(
                        calls::unknown_argument(place, other, "`budget`", suggestion)
                            .note("a budget has `usd`, `tokens`, `calls` and `time`"),
                    );
                    continue;
                }
            };
            let value = self.expression(&argument.value, &Expected::Type(ty));
            if slot.replace(value).is_some() {
                let place = self.place(argument.value.span);
                let name = name.map_or("", |it| it.name.as_str());
                self.report(calls::duplicate_argument(place, name));
            }
        }
        budget
    }

    pub(super) fn spawn(
        &mut self,
        value: &ast::Expression,
        span: Span,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let wanted = if let Some(Type::Task(inner)) = hint.map(|it| self.table.resolve(it))
            && !self.table.is_open(&inner)
        {
            Some((*inner).clone())
        } else {
            None
        };
        let lambda = self.closure(value, wanted.as_ref());
        let ty = Type::Task(Arc::new(self.ty(lambda.body)));
        self.push(ExpressionKind::Spawn(lambda), ty, span)
    }

    pub(super) fn spawn_detached(&mut self, call: &ast::Expression, span: Span) -> ExpressionId {
        let id = self.expression(call, &Expected::Anything);
        if let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            arguments,
        } = &self.hir.get(id).kind
            && item.kind(self.db) == ItemKind::Workflow
        {
            let kind = ExpressionKind::SpawnDetached {
                item: *item,
                arguments: arguments.clone(),
            };
            self.hir.pop();
            return self.push(kind, Type::String, span);
        }
        if self.ty(id) != Type::Invalid {
            let place = self.place(call.span);
            self.report(calls::not_a_workflow(place));
        }
        self.push(ExpressionKind::Invalid, Type::String, span)
    }

    pub(super) fn await_expression(&mut self, value: &ast::Expression, span: Span) -> ExpressionId {
        let value = self.expression(value, &Expected::Anything);
        let ty = self.ty(value);
        match self.awaited(&ty) {
            Some(ty) => self.push(ExpressionKind::Await(value), ty, span),
            None => self.not_awaitable("await", value, span),
        }
    }

    fn awaited(&mut self, ty: &Type) -> Option<Type> {
        match self.table.resolve(ty) {
            Type::Task(inner) => Some((*inner).clone()),
            Type::List(element) => Some(self.awaited(&element)?.list()),
            Type::Tuple(parts) => {
                let parts: Option<Vec<Type>> = parts.iter().map(|it| self.awaited(it)).collect();
                Some(Type::Tuple(parts?.into()))
            }
            Type::Variable(variable) => {
                let inner = self.fresh();
                self.table
                    .bind(variable, &Type::Task(Arc::new(inner.clone())));
                Some(inner)
            }
            Type::Invalid => Some(Type::Invalid),
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Never
            | Type::Literals(_)
            | Type::Optional(_)
            | Type::Map(..)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Checked(..)
            | Type::Function(_)
            | Type::Stream(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Text(_) => None,
        }
    }

    fn not_awaitable(&mut self, word: &str, value: ExpressionId, span: Span) -> ExpressionId {
        let place = self.place(self.span(value));
        let text = self.show(&self.ty(value));
        self.report(errors::not_awaitable(place, word, &text));
        self.invalid(span)
    }

    pub(super) fn race(
        &mut self,
        value: &ast::Expression,
        errors: Option<&ast::Identifier>,
        span: Span,
    ) -> ExpressionId {
        let value = self.expression(value, &Expected::Anything);
        let policy = errors.map_or(RacePolicy::First, |it| self.race_policy(it));
        let ty = self.ty(value);
        let element = if let Type::List(element) = &ty {
            self.table.resolve(element)
        } else if ty == Type::Invalid {
            Type::Invalid
        } else {
            return self.not_awaitable("race", value, span);
        };
        if !matches!(element, Type::Task(_) | Type::Variable(_) | Type::Invalid) {
            return self.not_awaitable("race", value, span);
        }
        let ty = self.awaited(&element).unwrap_or(Type::Invalid);
        let kind = ExpressionKind::Race {
            tasks: value,
            policy,
        };
        self.push(kind, ty, span)
    }

    /// The name after `errors` of a `race`.
    fn race_policy(&mut self, name: &ast::Identifier) -> RacePolicy {
        match name.name.as_str() {
            "first" => RacePolicy::First,
            "merge" => RacePolicy::Merge,
            _ => {
                let place = self.place(name.span);
                self.report(calls::wrong_race_policy(place));
                RacePolicy::First
            }
        }
    }

    /// `parallel for p in e mods { }`
    pub(super) fn parallel_for(
        &mut self,
        pattern: &ast::Pattern,
        iterable: &ast::Expression,
        modifiers: &[ast::Modifier],
        body: &ast::Block,
        span: Span,
    ) -> ExpressionId {
        let iterable = self.expression(iterable, &Expected::Anything);
        let element = self.element(iterable);
        let (limit, policy) = self.parallel_modifiers(modifiers);
        let result = self.fresh();
        // A `return` in it is reported elsewhere, whatever it gives.
        self.scopes.open_frame(Some(Type::Invalid));
        let mark = self.scopes.mark();
        let mut statements = Vec::new();
        let local = if let ast::PatternKind::Binding(name) = &pattern.kind {
            self.declare(&name.name, element, LocalKind::Parameter, name.span)
        } else {
            let span = pattern.span;
            let local =
                self.scopes
                    .add(Name::default(), element.clone(), LocalKind::Parameter, span);
            let value = self.local_value(local, span);
            let pattern = self.pattern(pattern, &element, Place::Binding);
            statements.push(Statement {
                kind: StatementKind::Let { pattern, value },
                span,
            });
            local
        };
        let mut body = self.block(body, &Expected::Anything);
        body = self.coerce(body, &result);
        if !statements.is_empty() {
            let ty = self.ty(body);
            let kind = ExpressionKind::Block {
                statements,
                tail: Some(body),
            };
            body = self.push(kind, ty, span);
        }
        self.scopes.leave(mark);
        let captures = self.scopes.close_frame().captures;
        let body = Lambda {
            parameters: vec![local],
            body,
            captures,
        };
        let ty = match policy {
            ErrorPolicy::Settle => {
                let outcome = KnownItem::Result.item(self.db);
                let outcome = outcome.map(|it| Type::Enum(it, [result].into()));
                outcome.unwrap_or(Type::Invalid).list()
            }
            ErrorPolicy::First | ErrorPolicy::Merge => result.list(),
        };
        self.push(
            ExpressionKind::ParallelFor {
                iterable,
                limit,
                policy,
                body,
            },
            ty,
            span,
        )
    }

    fn parallel_modifiers(
        &mut self,
        modifiers: &[ast::Modifier],
    ) -> (Option<ExpressionId>, ErrorPolicy) {
        let mut limit = None;
        let mut policy = None;
        for modifier in modifiers {
            let is_new = match &modifier.kind {
                ast::ModifierKind::Limit(value) => {
                    let value = self.expression(value, &Expected::Type(Type::Int));
                    limit.replace(value).is_none()
                }
                ast::ModifierKind::Errors(name) => {
                    let found = match name.name.as_str() {
                        "first" => ErrorPolicy::First,
                        "settle" => ErrorPolicy::Settle,
                        "merge" => ErrorPolicy::Merge,
                        _ => {
                            let place = self.place(name.span);
                            let wanted = "`first`, `settle` or `merge`";
                            self.report(calls::wrong_setting(place, "errors", wanted));
                            continue;
                        }
                    };
                    policy.replace(found).is_none()
                }
                ast::ModifierKind::Timeout(_)
                | ast::ModifierKind::Retry { .. }
                | ast::ModifierKind::Reflect { .. }
                | ast::ModifierKind::Budget(_) => {
                    self.misplaced(modifier);
                    self.modifiers(std::slice::from_ref(modifier));
                    continue;
                }
            };
            if !is_new {
                let (place, name) = (
                    self.place(modifier.span),
                    calls::modifier_name(&modifier.kind),
                );
                self.report(calls::duplicate_setting(place, name));
            }
        }
        (limit, policy.unwrap_or(ErrorPolicy::First))
    }

    pub(super) fn parallel(&mut self, parts: &[ast::Expression], span: Span) -> ExpressionId {
        let lambdas: Vec<Lambda> = parts.iter().map(|it| self.closure(it, None)).collect();
        let types: Vec<Type> = lambdas.iter().map(|it| self.ty(it.body)).collect();
        self.push(
            ExpressionKind::Parallel(lambdas),
            Type::Tuple(types.into()),
            span,
        )
    }
}

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
