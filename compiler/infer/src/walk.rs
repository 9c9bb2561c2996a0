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
    if !add_parts(kind, &mut found) && !add_control(kind, &mut found) {
        add_work(kind, &mut found);
    }
    found
}

/// Parts of data and operators; whether `kind` is one.
fn add_parts<'a>(kind: &'a ExpressionKind, found: &mut Vec<Child<'a>>) -> bool {
    use ExpressionKind as Kind;
    match kind {
        Kind::Record { fields, base, .. } => {
            add_numbered(fields, found);
            found.extend(base.map(Child::Inline));
        }
        Kind::Variant { fields, .. } | Kind::ErrorValue { fields, .. } => {
            add_numbered(fields, found)
        }
        Kind::List(them) | Kind::Tuple(them) => {
            found.extend(them.iter().map(|it| Child::Inline(*it)))
        }
        Kind::Map(entries) => {
            let parts = entries.iter().flat_map(|(key, value)| [*key, *value]);
            found.extend(parts.map(Child::Inline));
        }
        Kind::Interpolation(parts) => found.extend(parts.iter().filter_map(|part| match part {
            Part::Expression(it) => Some(Child::Inline(*it)),
            Part::Text(_) => None,
        })),
        Kind::Field { base: it, .. }
        | Kind::TupleField { base: it, .. }
        | Kind::JsonField { base: it, .. }
        | Kind::Unary { operand: it, .. }
        | Kind::Coerce { value: it, .. }
        | Kind::As(it) => found.push(Child::Inline(*it)),
        Kind::Index { base, index } => found.extend([*base, *index].map(Child::Inline)),
        Kind::Binary { left, right, .. } => found.extend([*left, *right].map(Child::Inline)),
        Kind::In { value, container } => found.extend([*value, *container].map(Child::Inline)),
        Kind::Otherwise { value, fallback } => found.extend([*value, *fallback].map(Child::Inline)),
        Kind::Chain { base, body, .. } => found.extend([*base, *body].map(Child::Inline)),
        Kind::Range { start, end, .. } => found.extend([*start, *end].map(Child::Inline)),
        _ => return false,
    }
    true
}

/// Parts of control flow; whether `kind` is such.
fn add_control<'a>(kind: &'a ExpressionKind, found: &mut Vec<Child<'a>>) -> bool {
    use ExpressionKind as Kind;
    match kind {
        Kind::If {
            condition,
            then,
            otherwise,
        } => {
            found.extend([*condition, *then].map(Child::Inline));
            found.extend(otherwise.map(Child::Inline));
        }
        Kind::Match { value, arms } | Kind::Catch { value, arms } => {
            found.push(Child::Inline(*value));
            add_arms(arms, found);
        }
        Kind::Block { statements, tail } => {
            statements.iter().for_each(|it| add_statement(it, found));
            found.extend(tail.map(Child::Inline));
        }
        Kind::For { iterable, body, .. } => found.extend([*iterable, *body].map(Child::Inline)),
        Kind::While { condition, body } => found.extend([*condition, *body].map(Child::Inline)),
        Kind::Return(value) => found.extend(value.map(Child::Inline)),
        Kind::Fail(it) | Kind::Emit(it) => found.push(Child::Inline(*it)),
        _ => return false,
    }
    true
}

/// Parts of calls, closures, tasks and blocks with modifiers.
fn add_work<'a>(kind: &'a ExpressionKind, found: &mut Vec<Child<'a>>) {
    use ExpressionKind as Kind;
    match kind {
        Kind::Lambda(lambda) | Kind::Spawn(lambda) => found.push(Child::Closure(lambda, 0)),
        Kind::Call { callee, arguments } => {
            if let Callee::Value(it) = callee {
                found.push(Child::Inline(*it));
            }
            add_numbered(arguments, found);
        }
        Kind::PromptCall {
            arguments,
            settings,
            improving,
            ..
        } => {
            add_numbered(arguments, found);
            found.extend(settings.map(Child::Inline));
            let improving = improving.iter().flat_map(|it| [it.0, it.1]);
            found.extend(improving.map(Child::Inline));
        }
        Kind::PromptText { arguments, .. } | Kind::SpawnDetached { arguments, .. } => {
            add_numbered(arguments, found)
        }
        Kind::Await(it) | Kind::Race(it) => found.push(Child::Inline(*it)),
        Kind::ParallelFor {
            iterable,
            limit,
            body,
            ..
        } => {
            found.push(Child::Inline(*iterable));
            found.extend(limit.map(Child::Inline));
            found.push(Child::Closure(body, 0));
        }
        Kind::Parallel(lambdas) => {
            let numbered = (0u32..).zip(lambdas);
            found.extend(numbered.map(|(index, it)| Child::Closure(it, index)));
        }
        Kind::Step {
            name,
            modifiers,
            body,
        } => {
            found.push(Child::Inline(*name));
            add_modifiers(modifiers, found);
            found.push(Child::Inline(*body));
        }
        Kind::Modified { modifiers, body } => {
            add_modifiers(modifiers, found);
            found.push(Child::Inline(*body));
        }
        _ => {}
    }
}

fn add_numbered(them: &[(u32, ExpressionId)], found: &mut Vec<Child<'_>>) {
    found.extend(them.iter().map(|(_, it)| Child::Inline(*it)));
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
