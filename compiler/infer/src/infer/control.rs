//! Branches, loops, and ways out.

use gsw_abi::builtin::BuiltinError;
use gsw_names::builtin_item;
use gsw_names::types::Type;
use gsw_source::{ItemId, Span};
use gsw_syntax::ast;

use crate::errors::{patterns, values as errors};
use crate::hir::{
    Arm, BinaryOperator, ExpressionId, ExpressionKind, Pattern, Statement, StatementKind,
};
use crate::infer::absence::Arms;
use crate::infer::context::{Context, Expected};
use crate::infer::pattern::Place;
use crate::infer::scopes::Loop;

/// Pattern and guard of an arm.
type Head = (Pattern, Option<ExpressionId>);

impl Context<'_> {
    /// `if c { } else { }`
    pub(super) fn if_expression(
        &mut self,
        condition: &ast::Expression,
        then: &ast::Block,
        otherwise: Option<&ast::Expression>,
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let mark = self.scopes.mark();
        let condition = self.condition(condition);
        let part = match otherwise {
            Some(_) => expected,
            None => &Expected::Dropped,
        };
        let then = self.block(then, part);
        self.scopes.leave(mark);
        let Some(otherwise) = otherwise else {
            let then = self.without_value(then);
            let kind = ExpressionKind::If {
                condition,
                then,
                otherwise: None,
            };
            let id = self.push(kind, Type::Unit, span);
            return self.without_else(id, span, expected);
        };
        let otherwise = self.expression(otherwise, expected);
        let (ty, branches) = self.agree(vec![then, otherwise], expected);
        let kind = ExpressionKind::If {
            condition,
            then: branches[0],
            otherwise: Some(branches[1]),
        };
        self.push(kind, ty, span)
    }

    /// The condition of an `if` or `while`; the names that it binds stay in scope.
    fn condition(&mut self, condition: &ast::Expression) -> ExpressionId {
        if let ast::ExpressionKind::Let { pattern, value } = &condition.kind {
            return self.pattern_test(pattern, value, condition.span);
        }
        if let ast::ExpressionKind::Binary {
            operator: ast::BinaryOperator::And,
            operator_span: _,
            left,
            right,
        } = &condition.kind
            && binds(condition)
        {
            let left = self.condition(left);
            let right = self.condition(right);
            let kind = ExpressionKind::Binary {
                operator: BinaryOperator::And,
                left,
                right,
            };
            return self.push(kind, Type::Bool, condition.span);
        }
        self.expression(condition, &Expected::Type(Type::Bool))
    }

    /// `let p = e` as a condition; the names of the pattern come into scope.
    fn pattern_test(
        &mut self,
        pattern: &ast::Pattern,
        value: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let value = self.expression(value, &Expected::Anything);
        let ty = self.ty(value);
        let pattern = self.pattern(pattern, &ty, Place::Top);
        self.push(ExpressionKind::Matches { value, pattern }, Type::Bool, span)
    }

    /// `let p = e` where no condition stands, which is reported.
    pub(super) fn misplaced_let(
        &mut self,
        pattern: &ast::Pattern,
        value: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let place = self.place(span);
        self.report(patterns::misplaced_let(place));
        self.pattern_test(pattern, value, span);
        self.push(ExpressionKind::Invalid, Type::Bool, span)
    }

    /// `let p: T = e else { }`: goes on with the names of the pattern bound, or leaves.
    pub(super) fn let_else(
        &mut self,
        pattern: &ast::Pattern,
        ty: Option<&ast::TypeExpression>,
        value: &ast::Expression,
        otherwise: &ast::Block,
        span: Span,
    ) -> StatementKind {
        let wanted = match ty {
            Some(ty) => Expected::Type(self.written_type(ty)),
            None => Expected::Anything,
        };
        let tested = Span::new(span.start, value.span.end);
        let value = self.expression(value, &wanted);
        // The names of the pattern are not bound in the block.
        let left = self.block(otherwise, &Expected::Dropped);
        if self.ty(left) != Type::Never {
            let end = otherwise.span.end;
            let place = self.place(Span::new(end.saturating_sub(1), end));
            self.report(patterns::else_must_leave(place));
        }
        let left = self.without_value(left);
        let ty = self.ty(value);
        let pattern = self.pattern(pattern, &ty, Place::Top);
        let condition = self.push(
            ExpressionKind::Matches { value, pattern },
            Type::Bool,
            tested,
        );
        let then = self.push(ExpressionKind::Unit, Type::Unit, tested);
        let kind = ExpressionKind::If {
            condition,
            then,
            otherwise: Some(left),
        };
        StatementKind::Expression(self.push(kind, Type::Unit, span))
    }

    /// Settles an `if` that has no `else` where a value may be wanted.
    fn without_else(&mut self, id: ExpressionId, span: Span, expected: &Expected) -> ExpressionId {
        let Expected::Type(wanted) = expected else {
            return id;
        };
        if let Some(id) = self.try_coerce(id, wanted) {
            return id;
        }
        let (place, text) = (
            self.place(Span::new(span.start, span.start + 2)),
            self.show(wanted),
        );
        self.report(errors::no_else(place, &text));
        self.push(ExpressionKind::Invalid, wanted.clone(), span)
    }

    /// The type of branches that were inferred with `expected`, and the branches given it.
    fn agree(
        &mut self,
        branches: Vec<ExpressionId>,
        expected: &Expected,
    ) -> (Type, Vec<ExpressionId>) {
        match expected {
            Expected::Type(ty) => (ty.clone(), branches),
            Expected::Dropped if branches.iter().all(|&it| self.ty(it) == Type::Never) => {
                (Type::Never, branches)
            }
            Expected::Dropped => {
                let branches = branches
                    .into_iter()
                    .map(|it| self.without_value(it))
                    .collect();
                (Type::Unit, branches)
            }
            Expected::Anything | Expected::Hint(_) => self.join(branches),
        }
    }

    pub(super) fn match_expression(
        &mut self,
        value: &ast::Expression,
        arms: &[ast::MatchArm],
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let value = self.expression(value, &Expected::Anything);
        let ty = self.ty(value);
        let (heads, bodies) = self.arms(arms, &ty, expected);
        let (joined, bodies) = self.agree(bodies, expected);
        let arms = whole_arms(heads, bodies);
        self.push(ExpressionKind::Match { value, arms }, joined, span)
    }

    pub(super) fn catch(
        &mut self,
        value: &ast::Expression,
        arms: &[ast::MatchArm],
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let value = self.expression(value, expected);
        let (heads, mut bodies) = self.arms(arms, &Type::Error, expected);
        bodies.insert(0, value);
        let (joined, mut bodies) = self.agree(bodies, expected);
        let value = bodies.remove(0);
        let arms = whole_arms(heads, bodies);
        self.push(ExpressionKind::Catch { value, arms }, joined, span)
    }

    /// The heads and bodies of arms over values of type `ty`.
    fn arms(
        &mut self,
        arms: &[ast::MatchArm],
        ty: &Type,
        expected: &Expected,
    ) -> (Vec<Head>, Vec<ExpressionId>) {
        let absences = Arms::new(self, arms, ty);
        let outer = self.pattern_names.enter(absences);
        let mut heads = Vec::with_capacity(arms.len());
        let mut bodies = Vec::with_capacity(arms.len() + 1);
        for (index, arm) in arms.iter().enumerate() {
            let mark = self.scopes.mark();
            self.pattern_names.at_arm(Some(index));
            let pattern = self.pattern(&arm.pattern, ty, Place::Top);
            self.pattern_names.at_arm(None);
            let guard = arm
                .guard
                .as_ref()
                .map(|it| self.expression(it, &Expected::Type(Type::Bool)));
            bodies.push(self.expression(&arm.body, expected));
            self.scopes.leave(mark);
            heads.push((pattern, guard));
        }
        self.pattern_names = outer;
        (heads, bodies)
    }

    /// What `for` and `parallel for` bind in each turn.
    pub(super) fn element(&mut self, iterable: ExpressionId) -> Type {
        let ty = self.ty(iterable);
        match self.table.unchecked(&ty) {
            Type::List(element) => (*element).clone(),
            Type::Map(key, value) => Type::Tuple([(*key).clone(), (*value).clone()].into()),
            Type::Stream(inner) => Type::Partial(inner),
            Type::Invalid => Type::Invalid,
            Type::Variable(variable) => {
                let element = self.fresh();
                self.table.bind(variable, &element.clone().list());
                element
            }
            other @ (Type::Unit
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
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Checked(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Text(_)) => {
                let (place, text) = (self.place(self.span(iterable)), self.show(&ty));
                let report = errors::not_iterable(place, &text);
                self.report(if let Type::Optional(_) = other {
                    errors::may_be_none(report)
                } else if other == Type::Json {
                    errors::elements_of_json(report)
                } else if matches!(other, Type::String | Type::Text(_)) {
                    errors::characters(report)
                } else if other == Type::Int {
                    errors::range_to(report)
                } else {
                    report
                });
                Type::Invalid
            }
        }
    }

    /// `for p in e { }`
    pub(super) fn for_loop(
        &mut self,
        pattern: &ast::Pattern,
        iterable: &ast::Expression,
        body: &ast::Block,
        span: Span,
    ) -> ExpressionId {
        let iterable = self.expression(iterable, &Expected::Anything);
        let element = self.element(iterable);
        let mark = self.scopes.mark();
        let pattern = self.pattern(pattern, &element, Place::Binding);
        self.scopes.open_loop();
        let body = self.block(body, &Expected::Dropped);
        self.scopes.close_loop();
        self.scopes.leave(mark);
        self.push(
            ExpressionKind::For {
                pattern,
                iterable,
                body,
            },
            Type::Unit,
            span,
        )
    }

    /// `while c { }`; `while true` without `break` never ends, so it fits every type.
    pub(super) fn while_loop(
        &mut self,
        condition: &ast::Expression,
        body: &ast::Block,
        span: Span,
    ) -> ExpressionId {
        let mark = self.scopes.mark();
        let condition = self.condition(condition);
        self.scopes.open_loop();
        let body = self.block(body, &Expected::Dropped);
        let left = self.scopes.close_loop();
        self.scopes.leave(mark);
        let is_true = self.hir.get(condition).kind == ExpressionKind::Bool(true);
        let id = self.push(ExpressionKind::While { condition, body }, Type::Unit, span);
        match builtin_item(self.db, BuiltinError::Internal) {
            Some(item) if is_true && left == Loop::Endless => self.endless(id, item, span),
            _ => id,
        }
    }

    /// A loop that never ends, with an end that says so to what follows.
    fn endless(&mut self, id: ExpressionId, item: ItemId, span: Span) -> ExpressionId {
        let message = self.text("an endless loop ended", span);
        let fields = vec![(0, message)];
        let error = self.push(
            ExpressionKind::ErrorValue { item, fields },
            Type::Error,
            span,
        );
        let tail = Some(self.push(ExpressionKind::Fail(error), Type::Never, span));
        let kind = StatementKind::Expression(id);
        let statements = vec![Statement { kind, span }];
        self.push(
            ExpressionKind::Block { statements, tail },
            Type::Never,
            span,
        )
    }

    pub(super) fn break_expression(&mut self, span: Span) -> ExpressionId {
        self.scopes.leave_loop();
        self.push(ExpressionKind::Break, Type::Never, span)
    }

    pub(super) fn return_expression(
        &mut self,
        value: Option<&ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        if let Some(id) = self.return_from_conversation(value, span) {
            return id;
        }
        let wanted = self.scopes.wanted_result();
        let wanted = wanted.unwrap_or(Type::Unit);
        if let (Some(variable), Some(value)) = (self.table.unknown(&wanted), value) {
            let near = self.table.near(variable);
            let value = self.expression(value, &near);
            let id = self.push(ExpressionKind::Return(Some(value)), Type::Never, span);
            self.scopes.add_return(id, value);
            return id;
        }
        let value = match value {
            Some(value) => Some(self.expression(value, &Expected::Type(wanted))),
            None => {
                let unit = self.push(ExpressionKind::Unit, Type::Unit, span);
                if self.try_coerce(unit, &wanted).is_none() {
                    let (place, text) = (self.place(span), self.show(&wanted));
                    self.report(errors::mismatch(place, &text, "()"));
                }
                None
            }
        };
        self.push(ExpressionKind::Return(value), Type::Never, span)
    }

    pub(super) fn fail(&mut self, value: &ast::Expression, span: Span) -> ExpressionId {
        let id = self.expression(value, &Expected::Anything);
        let ty = self.ty(id);
        let id = match self.try_coerce(id, &Type::Error) {
            Some(id) => id,
            None => {
                let place = self.place(self.span(id));
                let report = errors::mismatch(place, "Error", &self.show(&ty));
                let report = if self.table.operand(&ty) == Type::String {
                    let ends = self.span(id);
                    errors::fail_with_text(report, self.start(ends), self.end(ends))
                } else if let Some(name) = self.constructor_name(id) {
                    errors::lacks_payload(report, &name)
                } else {
                    errors::declared_errors(report)
                };
                self.report(report);
                self.push(ExpressionKind::Invalid, Type::Error, span)
            }
        };
        self.push(ExpressionKind::Fail(id), Type::Never, span)
    }

    pub(super) fn emit(&mut self, value: &ast::Expression, span: Span) -> ExpressionId {
        let value = self.expression(value, &Expected::Type(Type::Json));
        self.push(ExpressionKind::Emit(value), Type::Unit, span)
    }
}

/// Whether one of the conditions that `and` joins is a pattern.
fn binds(condition: &ast::Expression) -> bool {
    let mut rest = condition;
    while let ast::ExpressionKind::Binary {
        operator: ast::BinaryOperator::And,
        operator_span: _,
        left,
        right,
    } = &rest.kind
    {
        if is_let(right) {
            return true;
        }
        rest = left;
    }
    is_let(rest)
}

fn is_let(condition: &ast::Expression) -> bool {
    matches!(condition.kind, ast::ExpressionKind::Let { .. })
}

fn whole_arms(heads: Vec<Head>, bodies: Vec<ExpressionId>) -> Vec<Arm> {
    let pairs = heads.into_iter().zip(bodies);
    pairs
        .map(|((pattern, guard), body)| Arm {
            pattern,
            guard,
            body,
        })
        .collect()
}
