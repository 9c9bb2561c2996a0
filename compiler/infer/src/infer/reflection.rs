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
//! - Without `until` all rounds are made: nothing defines what is good enough.
//! - An error of any call leaves the loop. An earlier answer is not used instead: the program asked for a better one.
//!
//! The modifier `reflect N`, which repeats a block that failed, shares nothing with this but the word: it is a loop of the runtime.

use std::sync::Arc;

use gsw_abi::setting::Turn;
use gsw_names::types::{FunctionType, Type};
use gsw_source::{ItemId, Span};
use gsw_syntax::ast;

use crate::errors::calls;
use crate::hir::{
    BinaryOperator, Callee, Change, ExpressionId, ExpressionKind, LocalId, LocalKind, Pattern,
    PatternKind, PromptMode, Statement, StatementKind, UnaryOperator,
};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;

/// How often an answer is improved by default.
const ROUNDS: i64 = 3;

/// A prompt's call whose parts have names.
struct Asked {
    item: ItemId,
    arguments: Vec<(u32, LocalId)>,
    settings: Option<LocalId>,
    given: Vec<ItemId>,
    session: Option<LocalId>,
    turn: Turn,
    agent: Option<ItemId>,
    answer: Type,
    span: Span,
}

/// `reflect p(args) max N until (r => c) by critic`
pub(super) fn infer_reflection(cx: &mut Context, expression: &ast::Expression) -> ExpressionId {
    let span = expression.span;
    let ast::ExpressionKind::Reflect {
        call,
        max,
        until,
        by,
    } = &expression.kind
    else {
        return cx.hir.invalid(span);
    };
    let mut statements = Vec::new();
    // `max`, `until` and `by` are not checked then: without an answer's type `until` would only be reported as a consequence.
    let Some(asked) = asked_once(cx, call, &mut statements) else {
        return cx.hir.invalid(span);
    };
    let critic = by
        .as_ref()
        .and_then(|it| cx.names().agent(it))
        // Without `by` the model that answered improves its own answer, as in the paper.
        .or(asked.agent);
    let most = match max {
        Some(max) => cx.expression(max, &Expected::Type(Type::Int)),
        None => cx.hir.push(ExpressionKind::Int(ROUNDS), Type::Int, span),
    };
    let most = named(&mut cx.hir, most, &mut statements);
    let until = until.as_ref().map(|it| {
        let wanted = Type::Function(Arc::new(FunctionType {
            parameters: [asked.answer.clone()].into(),
            result: Type::Bool,
            latent: None,
        }));
        let until = cx.expression(it, &Expected::Type(wanted));
        named(&mut cx.hir, until, &mut statements)
    });
    // The critic is asked for better answers only; the first one is the agent's that the call names.
    let first = ask(&mut cx.hir, &asked, asked.agent, None);
    let answer = assigned(&mut cx.hir, asked.answer.clone(), first, &mut statements);
    let zero = cx.hir.push(ExpressionKind::Int(0), Type::Int, span);
    let round = assigned(&mut cx.hir, Type::Int, zero, &mut statements);
    let condition = wants_better(&mut cx.hir, answer, round, most, until, span);
    let body = improvement(&mut cx.hir, &asked, critic, answer, round);
    // `while` and not `for`: the condition is needed, and no list of rounds is.
    let kind = ExpressionKind::While { condition, body };
    let again = cx.hir.push(kind, Type::Unit, span);
    statements.push(statement(StatementKind::Expression(again), span));
    let tail = Some(cx.hir.local_value(answer, span));
    let ty = asked.answer;
    cx.hir
        .push(ExpressionKind::Block { statements, tail }, ty, span)
}

/// The call with its arguments and settings evaluated once, before it.
fn asked_once(
    cx: &mut Context,
    call: &ast::Expression,
    statements: &mut Vec<Statement>,
) -> Option<Asked> {
    let id = cx.expression(call, &Expected::Anything);
    let answer = cx.hir.ty(id);
    let written = cx.hir.arena.get_mut(id);
    let is_value = matches!(
        written.kind,
        ExpressionKind::PromptCall {
            mode: PromptMode::Value,
            ..
        }
    );
    if !is_value {
        // Otherwise the call itself was reported.
        if answer != Type::Invalid {
            let place = cx.hir.place(call.span);
            cx.hir.report(calls::not_a_prompt(place, "reflect"));
        }
        return None;
    }
    // Left in the arena, but as `()`: a walk over all expressions must not count a call that is never made.
    written.ty = Type::Unit;
    let ExpressionKind::PromptCall {
        item,
        arguments,
        agent,
        settings,
        given,
        session,
        turn,
        ..
    } = std::mem::replace(&mut written.kind, ExpressionKind::Unit)
    else {
        return None;
    };
    let arguments = arguments.into_iter();
    // In the order of the list, which is the order of evaluation, and not of the parameters.
    let arguments = arguments.map(|(index, it)| (index, named(&mut cx.hir, it, statements)));
    let arguments = arguments.collect();
    let settings = settings.map(|it| named(&mut cx.hir, it, statements));
    let session = session.map(|it| named(&mut cx.hir, it, statements));
    Some(Asked {
        item,
        arguments,
        settings,
        given,
        session,
        turn,
        agent,
        answer,
        span: call.span,
    })
}

/// Another round is wanted: there is one, and the answer is not good enough.
fn wants_better(
    hir: &mut HirBuilder,
    answer: LocalId,
    round: LocalId,
    most: LocalId,
    until: Option<LocalId>,
    span: Span,
) -> ExpressionId {
    let (left, right) = (hir.local_value(round, span), hir.local_value(most, span));
    let is_left = binary_of(hir, BinaryOperator::Less, left, right, span);
    // The count comes first: after the last round `until` is not asked, since its answer could change nothing.
    let Some(until) = until else { return is_left };
    let function = hir.local_value(until, span);
    let argument = hir.local_value(answer, span);
    let call = ExpressionKind::Call {
        callee: Callee::Value(function),
        arguments: vec![(0, argument)],
    };
    let operand = hir.push(call, Type::Bool, span);
    let not = ExpressionKind::Unary {
        operator: UnaryOperator::Not,
        operand,
    };
    let is_bad = hir.push(not, Type::Bool, span);
    binary_of(hir, BinaryOperator::And, is_left, is_bad, span)
}

/// The body of the loop: the answer becomes a better one.
fn improvement(
    hir: &mut HirBuilder,
    asked: &Asked,
    critic: Option<ItemId>,
    answer: LocalId,
    round: LocalId,
) -> ExpressionId {
    let span = asked.span;
    let one = hir.push(ExpressionKind::Int(1), Type::Int, span);
    let assign = |local, change, value| {
        let kind = StatementKind::Assign {
            local,
            path: Vec::new(),
            change,
            value,
        };
        statement(kind, span)
    };
    // Counted before the call, so that the model is told round 1 first.
    let count = assign(round, Change::Operator(BinaryOperator::Add), one);
    let earlier = hir.local_value(answer, span);
    let number = hir.local_value(round, span);
    let better = ask(hir, asked, critic, Some((earlier, number)));
    let statements = vec![count, assign(answer, Change::Set, better)];
    let kind = ExpressionKind::Block {
        statements,
        tail: None,
    };
    hir.push(kind, Type::Unit, span)
}

fn ask(
    hir: &mut HirBuilder,
    asked: &Asked,
    agent: Option<ItemId>,
    improving: Option<(ExpressionId, ExpressionId)>,
) -> ExpressionId {
    let span = asked.span;
    let arguments = asked.arguments.iter();
    let arguments = arguments
        .map(|(index, it)| (*index, hir.local_value(*it, span)))
        .collect();
    let settings = asked.settings.map(|it| hir.local_value(it, span));
    let kind = ExpressionKind::PromptCall {
        item: asked.item,
        arguments,
        agent,
        settings,
        // The same tools in each round: what the settings give belongs to the question.
        given: asked.given.clone(),
        session: asked.session.map(|it| hir.local_value(it, span)),
        // A better answer takes the place of its own first one, and not of what that has replaced.
        turn: match improving {
            Some(_) => Turn::New,
            None => asked.turn,
        },
        mode: PromptMode::Value,
        improving,
    };
    hir.push(kind, asked.answer.clone(), span)
}

/// Binds a value to a local that no name reaches.
pub(super) fn named(
    hir: &mut HirBuilder,
    value: ExpressionId,
    statements: &mut Vec<Statement>,
) -> LocalId {
    let (ty, span) = (hir.ty(value), hir.span(value));
    let local = hir.hidden_local(ty.clone(), span);
    let kind = PatternKind::Binding(local);
    let pattern = Pattern { kind, ty, span };
    statements.push(statement(StatementKind::Let { pattern, value }, span));
    local
}

/// Like [`named`], for a variable that is assigned later.
fn assigned(
    hir: &mut HirBuilder,
    ty: Type,
    value: ExpressionId,
    statements: &mut Vec<Statement>,
) -> LocalId {
    let span = hir.span(value);
    let local = hir
        .locals
        .add(gsw_source::Name::default(), ty, LocalKind::Var, span);
    statements.push(statement(StatementKind::Var { local, value }, span));
    local
}

fn binary_of(
    hir: &mut HirBuilder,
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
    hir.push(kind, Type::Bool, span)
}

fn statement(kind: StatementKind, span: Span) -> Statement {
    Statement { kind, span }
}
