//! `reflect p(…) max N until (r => c) by critic`, written out as what it means: the prompt is asked, and asked again with its own
//! answer until that is good enough. The loop is that of Madaan et al., *Self-Refine* (2023), with the condition in code.
//!
//! ```text
//! let plan = reflect draft(goal) max 2 until (it => it.len() > 3) by critic
//! ```
//!
//! becomes, with locals that no name reaches,
//!
//! ```text
//! let a = goal; let most = 2; let until = it => it.len() > 3
//! var answer = draft(a)
//! var round = 0
//! while round < most and not until(answer) {
//!     round += 1
//!     answer = draft(a) by critic          // with `answer` and `round` as what is improved
//! }
//! answer
//! ```
//!
//! - Because this is ordinary typed HIR, errors, effects, waiting, lowering and the reference evaluator need no rule for it.
//! - Arguments, settings, `max` and `until` are evaluated once, before the first call, in the order in which they are written.
//! - Without `until` all rounds are made: nobody has said what is good enough.
//! - An error of any call leaves the loop. An earlier answer is not used instead: the program asked for a better one.
//!
//! The modifier `reflect N`, which repeats a block that failed, shares nothing with this but the word: it is a loop of the runtime.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type};
use gsw_source::{ItemId, Span};
use gsw_syntax::ast;

use crate::errors::calls;
use crate::hir::{
    BinaryOperator, Callee, Change, ExpressionId, ExpressionKind, LocalId, LocalKind, Pattern,
    PatternKind, PromptMode, Statement, StatementKind, UnaryOperator,
};
use crate::infer::context::{Context, Expected};

/// How often an answer is improved where nothing is said.
const ROUNDS: i64 = 3;

/// A prompt's call whose parts have names.
struct Asked {
    item: ItemId,
    arguments: Vec<(u32, LocalId)>,
    settings: Option<LocalId>,
    given: Vec<ItemId>,
    agent: Option<ItemId>,
    answer: Type,
    span: Span,
}

impl Context<'_> {
    /// `reflect p(args) max N until (r => c) by critic`
    pub(super) fn reflection(&mut self, expression: &ast::Expression) -> ExpressionId {
        let span = expression.span;
        let ast::ExpressionKind::Reflect {
            call,
            max,
            until,
            by,
        } = &expression.kind
        else {
            return self.invalid(span);
        };
        let mut statements = Vec::new();
        let Some(asked) = self.asked_once(call, &mut statements) else {
            return self.invalid(span);
        };
        let critic = by.as_ref().and_then(|it| self.agent(it)).or(asked.agent);
        let most = match max {
            Some(max) => self.expression(max, &Expected::Type(Type::Int)),
            None => self.push(ExpressionKind::Int(ROUNDS), Type::Int, span),
        };
        let most = self.named(most, &mut statements);
        let until = until.as_ref().map(|it| {
            let wanted = Type::Function(Arc::new(FunctionType {
                parameters: [asked.answer.clone()].into(),
                result: Type::Bool,
                latent: None,
            }));
            let until = self.expression(it, &Expected::Type(wanted));
            self.named(until, &mut statements)
        });
        let first = self.ask(&asked, asked.agent, None);
        let answer = self.assigned(asked.answer.clone(), first, &mut statements);
        let zero = self.push(ExpressionKind::Int(0), Type::Int, span);
        let round = self.assigned(Type::Int, zero, &mut statements);
        let condition = self.wants_better(answer, round, most, until, span);
        let body = self.improvement(&asked, critic, answer, round);
        let kind = ExpressionKind::While { condition, body };
        let again = self.push(kind, Type::Unit, span);
        statements.push(statement(StatementKind::Expression(again), span));
        let tail = Some(self.local_value(answer, span));
        let ty = asked.answer;
        self.push(ExpressionKind::Block { statements, tail }, ty, span)
    }

    /// The call with its arguments and settings evaluated once, before it.
    fn asked_once(
        &mut self,
        call: &ast::Expression,
        statements: &mut Vec<Statement>,
    ) -> Option<Asked> {
        let id = self.expression(call, &Expected::Anything);
        let answer = self.ty(id);
        let written = self.hir.get_mut(id);
        let is_value = matches!(
            written.kind,
            ExpressionKind::PromptCall {
                mode: PromptMode::Value,
                ..
            }
        );
        if !is_value {
            if answer != Type::Invalid {
                let place = self.place(call.span);
                self.report(calls::not_a_prompt(place, "reflect"));
            }
            return None;
        }
        written.ty = Type::Unit;
        let ExpressionKind::PromptCall {
            item,
            arguments,
            agent,
            settings,
            given,
            ..
        } = std::mem::replace(&mut written.kind, ExpressionKind::Unit)
        else {
            return None;
        };
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|(index, it)| (index, self.named(it, statements)));
        let arguments = arguments.collect();
        let settings = settings.map(|it| self.named(it, statements));
        Some(Asked {
            item,
            arguments,
            settings,
            given,
            agent,
            answer,
            span: call.span,
        })
    }

    /// Another round is wanted: there is one, and the answer is not good enough.
    fn wants_better(
        &mut self,
        answer: LocalId,
        round: LocalId,
        most: LocalId,
        until: Option<LocalId>,
        span: Span,
    ) -> ExpressionId {
        let (left, right) = (self.local_value(round, span), self.local_value(most, span));
        let is_left = self.binary_of(BinaryOperator::Less, left, right, span);
        let Some(until) = until else { return is_left };
        let function = self.local_value(until, span);
        let argument = self.local_value(answer, span);
        let call = ExpressionKind::Call {
            callee: Callee::Value(function),
            arguments: vec![(0, argument)],
        };
        let operand = self.push(call, Type::Bool, span);
        let not = ExpressionKind::Unary {
            operator: UnaryOperator::Not,
            operand,
        };
        let is_bad = self.push(not, Type::Bool, span);
        self.binary_of(BinaryOperator::And, is_left, is_bad, span)
    }

    /// The body of the loop: the answer becomes a better one.
    fn improvement(
        &mut self,
        asked: &Asked,
        critic: Option<ItemId>,
        answer: LocalId,
        round: LocalId,
    ) -> ExpressionId {
        let span = asked.span;
        let one = self.push(ExpressionKind::Int(1), Type::Int, span);
        let assign = |local, change, value| {
            let kind = StatementKind::Assign {
                local,
                path: Vec::new(),
                change,
                value,
            };
            statement(kind, span)
        };
        let count = assign(round, Change::Operator(BinaryOperator::Add), one);
        let earlier = self.local_value(answer, span);
        let number = self.local_value(round, span);
        let better = self.ask(asked, critic, Some((earlier, number)));
        let statements = vec![count, assign(answer, Change::Set, better)];
        let kind = ExpressionKind::Block {
            statements,
            tail: None,
        };
        self.push(kind, Type::Unit, span)
    }

    fn ask(
        &mut self,
        asked: &Asked,
        agent: Option<ItemId>,
        improving: Option<(ExpressionId, ExpressionId)>,
    ) -> ExpressionId {
        let span = asked.span;
        let arguments = asked.arguments.iter();
        let arguments = arguments
            .map(|(index, it)| (*index, self.local_value(*it, span)))
            .collect();
        let settings = asked.settings.map(|it| self.local_value(it, span));
        let kind = ExpressionKind::PromptCall {
            item: asked.item,
            arguments,
            agent,
            settings,
            given: asked.given.clone(),
            mode: PromptMode::Value,
            improving,
        };
        self.push(kind, asked.answer.clone(), span)
    }

    /// Binds a value to a local that no name reaches.
    pub(super) fn named(
        &mut self,
        value: ExpressionId,
        statements: &mut Vec<Statement>,
    ) -> LocalId {
        let (ty, span) = (self.ty(value), self.span(value));
        let local = self.hidden_local(ty.clone(), span);
        let kind = PatternKind::Binding(local);
        let pattern = Pattern { kind, ty, span };
        statements.push(statement(StatementKind::Let { pattern, value }, span));
        local
    }

    /// The same for one that is assigned.
    fn assigned(
        &mut self,
        ty: Type,
        value: ExpressionId,
        statements: &mut Vec<Statement>,
    ) -> LocalId {
        let span = self.span(value);
        let local = self
            .scopes
            .add(gsw_source::Name::default(), ty, LocalKind::Var, span);
        statements.push(statement(StatementKind::Var { local, value }, span));
        local
    }

    fn binary_of(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        let kind = ExpressionKind::Binary {
            operator,
            left,
            right,
        };
        self.push(kind, Type::Bool, span)
    }
}

fn statement(kind: StatementKind, span: Span) -> Statement {
    Statement { kind, span }
}
