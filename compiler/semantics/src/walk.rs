//! The children of expressions of the typed form, in the order of evaluation.

use crate::hir::{
    Arm, Body, Callee, ExpressionId, ExpressionKind, Lambda, Modifiers, Part, Pattern, PatternKind,
    Statement, StatementKind,
};

/// What stands directly inside an expression.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// Evaluated where it stands.
    Inline(ExpressionId),
    /// Code that something else may run, at this position of its expression.
    Closure(&'a Lambda, u32),
}

/// What stands directly inside `kind`.
pub fn children(kind: &ExpressionKind) -> Vec<Child<'_>> {
    let mut found = Vec::new();
    let inline = |them: &[&ExpressionId]| {
        them.iter()
            .map(|it| Child::Inline(**it))
            .collect::<Vec<_>>()
    };
    match kind {
        ExpressionKind::Lambda(lambda) | ExpressionKind::Spawn(lambda) => {
            found.push(Child::Closure(lambda, 0))
        }
        ExpressionKind::Record { fields, base, .. } => {
            found.extend(fields.iter().map(|(_, it)| Child::Inline(*it)));
            found.extend(base.map(Child::Inline));
        }
        ExpressionKind::Variant { fields, .. } | ExpressionKind::ErrorValue { fields, .. } => {
            found.extend(fields.iter().map(|(_, it)| Child::Inline(*it)));
        }
        ExpressionKind::List(them) | ExpressionKind::Tuple(them) => {
            found.extend(them.iter().map(|it| Child::Inline(*it)));
        }
        ExpressionKind::Map(entries) => {
            found.extend(
                entries
                    .iter()
                    .flat_map(|(key, value)| inline(&[key, value])),
            );
        }
        ExpressionKind::Interpolation(parts) => {
            found.extend(parts.iter().filter_map(|part| match part {
                Part::Expression(it) => Some(Child::Inline(*it)),
                Part::Text(_) => None,
            }))
        }
        ExpressionKind::Field { base: it, .. }
        | ExpressionKind::TupleField { base: it, .. }
        | ExpressionKind::JsonField { base: it, .. }
        | ExpressionKind::Unary { operand: it, .. }
        | ExpressionKind::Coerce { value: it, .. }
        | ExpressionKind::As(it)
        | ExpressionKind::Fail(it)
        | ExpressionKind::Emit(it)
        | ExpressionKind::Await(it)
        | ExpressionKind::Race(it) => found.extend(inline(&[it])),
        ExpressionKind::Index { base: a, index: b }
        | ExpressionKind::Binary {
            left: a, right: b, ..
        }
        | ExpressionKind::In {
            value: a,
            container: b,
        }
        | ExpressionKind::Otherwise {
            value: a,
            fallback: b,
        }
        | ExpressionKind::Chain {
            base: a, body: b, ..
        }
        | ExpressionKind::Range {
            start: a, end: b, ..
        }
        | ExpressionKind::For {
            iterable: a,
            body: b,
            ..
        }
        | ExpressionKind::While {
            condition: a,
            body: b,
        } => found.extend(inline(&[a, b])),
        ExpressionKind::If {
            condition,
            then,
            otherwise,
        } => {
            found.extend(inline(&[condition, then]));
            found.extend(otherwise.map(Child::Inline));
        }
        ExpressionKind::Match { value, arms } | ExpressionKind::Catch { value, arms } => {
            found.push(Child::Inline(*value));
            add_arms(arms, &mut found);
        }
        ExpressionKind::Block { statements, tail } => {
            for statement in statements {
                add_statement(statement, &mut found);
            }
            found.extend(tail.map(Child::Inline));
        }
        ExpressionKind::Return(value) => found.extend(value.map(Child::Inline)),
        ExpressionKind::Call { callee, arguments } => {
            if let Callee::Value(it) = callee {
                found.push(Child::Inline(*it));
            }
            found.extend(arguments.iter().map(|(_, it)| Child::Inline(*it)));
        }
        ExpressionKind::PromptCall {
            arguments,
            settings,
            ..
        } => {
            found.extend(arguments.iter().map(|(_, it)| Child::Inline(*it)));
            found.extend(settings.map(Child::Inline));
        }
        ExpressionKind::PromptText { arguments, .. }
        | ExpressionKind::SpawnDetached { arguments, .. } => {
            found.extend(arguments.iter().map(|(_, it)| Child::Inline(*it)));
        }
        ExpressionKind::ParallelFor {
            iterable,
            limit,
            body,
            ..
        } => {
            found.push(Child::Inline(*iterable));
            found.extend(limit.map(Child::Inline));
            found.push(Child::Closure(body, 0));
        }
        ExpressionKind::Parallel(lambdas) => {
            found.extend(
                (0u32..)
                    .zip(lambdas)
                    .map(|(index, it)| Child::Closure(it, index)),
            );
        }
        ExpressionKind::Step {
            name,
            modifiers,
            body,
        } => {
            found.push(Child::Inline(*name));
            add_modifiers(modifiers, &mut found);
            found.push(Child::Inline(*body));
        }
        ExpressionKind::Modified { modifiers, body } => {
            add_modifiers(modifiers, &mut found);
            found.push(Child::Inline(*body));
        }
        _ => {}
    }
    found
}

/// Calls `visit` with every expression that runs as part of `root` itself, not of a closure in it; parents first.
pub fn visit_inline(body: &Body, root: ExpressionId, visit: &mut impl FnMut(ExpressionId)) {
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        visit(id);
        let inside = children(&body.expression(id).kind);
        waiting.extend(inside.iter().rev().filter_map(|it| match it {
            Child::Inline(it) => Some(*it),
            Child::Closure(..) => None,
        }));
    }
}

/// Calls `visit` with every pattern in `pattern`, itself first.
pub fn visit_patterns<'a>(pattern: &'a Pattern, visit: &mut impl FnMut(&'a Pattern)) {
    visit(pattern);
    match &pattern.kind {
        PatternKind::Some(inside) => visit_patterns(inside, visit),
        PatternKind::Variant { fields, .. }
        | PatternKind::Error { fields, .. }
        | PatternKind::Record { fields } => {
            fields.iter().for_each(|(_, it)| visit_patterns(it, visit));
        }
        PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
            parts.iter().for_each(|it| visit_patterns(it, visit));
        }
        PatternKind::List { before, after, .. } => {
            before
                .iter()
                .chain(after)
                .for_each(|it| visit_patterns(it, visit));
        }
        _ => {}
    }
}

fn add_arms<'a>(arms: &'a [Arm], found: &mut Vec<Child<'a>>) {
    for arm in arms {
        found.extend(arm.guard.map(Child::Inline));
        found.push(Child::Inline(arm.body));
    }
}

fn add_statement<'a>(statement: &'a Statement, found: &mut Vec<Child<'a>>) {
    match &statement.kind {
        StatementKind::Let { value, .. }
        | StatementKind::Var { value, .. }
        | StatementKind::Assign { value, .. } => {
            found.push(Child::Inline(*value));
        }
        StatementKind::Expression(it) | StatementKind::Defer(it) => found.push(Child::Inline(*it)),
        StatementKind::Assert {
            condition, message, ..
        } => {
            found.push(Child::Inline(*condition));
            found.extend(message.map(Child::Inline));
        }
        StatementKind::AssertFails { value, .. } => found.push(Child::Inline(*value)),
        StatementKind::Mock { outcome, .. } => found.push(Child::Closure(outcome, 0)),
    }
}

/// The expressions of modifiers, in the order in which they take effect.
pub fn modifier_expressions(modifiers: &Modifiers) -> Vec<ExpressionId> {
    let mut found = Vec::new();
    if let Some(budget) = &modifiers.budget {
        found.extend(
            [budget.usd, budget.tokens, budget.calls, budget.time]
                .into_iter()
                .flatten(),
        );
    }
    if let Some(reflect) = &modifiers.reflect {
        found.push(reflect.count);
        found.extend(reflect.with);
    }
    if let Some(retry) = &modifiers.retry {
        found.push(retry.count);
        found.extend([retry.backoff, retry.max].into_iter().flatten());
    }
    found.extend(modifiers.timeout);
    found
}

fn add_modifiers(modifiers: &Modifiers, found: &mut Vec<Child<'_>>) {
    found.extend(
        modifier_expressions(modifiers)
            .into_iter()
            .map(Child::Inline),
    );
}
