//! Walks over typed HIR: the children of an expression, and questions about a whole subtree.

use gsw_semantics::hir::{
    Body, Callee, ExpressionId, ExpressionKind, LocalId, Modifiers, Part, Statement, StatementKind,
};

/// The expressions directly inside `id`, bodies of lambdas included, in order of evaluation.
#[must_use]
pub fn children(body: &Body, id: ExpressionId) -> Vec<ExpressionId> {
    use ExpressionKind as Kind;
    let fields = |them: &[(u32, ExpressionId)]| them.iter().map(|it| it.1).collect::<Vec<_>>();
    match &body.expression(id).kind {
        Kind::Record { fields: all, base, .. } => {
            let mut children = fields(all);
            children.extend(base);
            children
        }
        Kind::Variant { fields: all, .. }
        | Kind::ErrorValue { fields: all, .. }
        | Kind::PromptText { arguments: all, .. }
        | Kind::SpawnDetached { arguments: all, .. } => fields(all),
        Kind::List(all) | Kind::Tuple(all) => all.clone(),
        Kind::Map(all) => all.iter().flat_map(|(key, value)| [*key, *value]).collect(),
        Kind::Interpolation(parts) => parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(_) => None,
                Part::Expression(id) => Some(*id),
            })
            .collect(),
        Kind::Call { callee, arguments } => {
            let mut children = match callee {
                Callee::Value(value) => vec![*value],
                _ => Vec::new(),
            };
            children.extend(fields(arguments));
            children
        }
        Kind::PromptCall {
            arguments,
            settings,
            ..
        } => {
            let mut children = fields(arguments);
            children.extend(settings);
            children
        }
        Kind::Match { value, arms } | Kind::Catch { value, arms } => {
            let mut children = vec![*value];
            for arm in arms {
                children.extend(arm.guard);
                children.push(arm.body);
            }
            children
        }
        Kind::Block { statements, tail } => {
            let mut children: Vec<_> = statements.iter().flat_map(statement_children).collect();
            children.extend(tail);
            children
        }
        _ => fixed_children(&body.expression(id).kind),
    }
}

/// The children of the kinds that have a fixed number of them.
fn fixed_children(kind: &ExpressionKind) -> Vec<ExpressionId> {
    use ExpressionKind as Kind;
    match kind {
        Kind::Lambda(lambda) | Kind::Spawn(lambda) => vec![lambda.body],
        Kind::Field { base, .. }
        | Kind::TupleField { base, .. }
        | Kind::JsonField { base, .. } => vec![*base],
        Kind::Index { base, index } => vec![*base, *index],
        Kind::Unary { operand, .. } => vec![*operand],
        Kind::Binary { left, right, .. } => vec![*left, *right],
        Kind::In { value, container } => vec![*value, *container],
        Kind::Otherwise { value, fallback } => vec![*value, *fallback],
        Kind::Chain { base, body, .. } => vec![*base, *body],
        Kind::Range { start, end, .. } => vec![*start, *end],
        Kind::Coerce { value, .. }
        | Kind::As(value)
        | Kind::Fail(value)
        | Kind::Emit(value)
        | Kind::Await(value)
        | Kind::Race(value) => vec![*value],
        Kind::If {
            condition,
            then,
            otherwise,
        } => {
            let mut children = vec![*condition, *then];
            children.extend(otherwise);
            children
        }
        Kind::For { iterable, body, .. } => vec![*iterable, *body],
        Kind::While { condition, body } => vec![*condition, *body],
        Kind::Return(value) => value.iter().copied().collect(),
        Kind::ParallelFor {
            iterable,
            limit,
            body,
            ..
        } => {
            let mut children = vec![*iterable];
            children.extend(limit);
            children.push(body.body);
            children
        }
        Kind::Parallel(lambdas) => lambdas.iter().map(|it| it.body).collect(),
        Kind::Step {
            name,
            modifiers,
            body,
        } => {
            let mut children = vec![*name];
            children.extend(modifier_children(modifiers));
            children.push(*body);
            children
        }
        Kind::Modified { modifiers, body } => {
            let mut children = modifier_children(modifiers);
            children.push(*body);
            children
        }
        _ => Vec::new(),
    }
}

/// The expressions of a modifier list.
#[must_use]
pub fn modifier_children(modifiers: &Modifiers) -> Vec<ExpressionId> {
    let mut children = Vec::new();
    if let Some(budget) = &modifiers.budget {
        children.extend([budget.usd, budget.tokens, budget.calls, budget.time].into_iter().flatten());
    }
    if let Some(reflect) = &modifiers.reflect {
        children.push(reflect.count);
        children.extend(reflect.with);
    }
    if let Some(retry) = &modifiers.retry {
        children.push(retry.count);
        children.extend([retry.backoff, retry.max].into_iter().flatten());
    }
    children.extend(modifiers.timeout);
    children
}

fn statement_children(statement: &Statement) -> Vec<ExpressionId> {
    match &statement.kind {
        StatementKind::Let { value, .. }
        | StatementKind::Var { value, .. }
        | StatementKind::Assign { value, .. }
        | StatementKind::AssertFails { value, .. }
        | StatementKind::Expression(value)
        | StatementKind::Defer(value) => vec![*value],
        StatementKind::Assert {
            condition, message, ..
        } => {
            let mut children = vec![*condition];
            children.extend(message);
            children
        }
        StatementKind::Mock { outcome, .. } => vec![outcome.body],
    }
}

/// Whether `holds` for some expression of the subtree.
pub fn any(body: &Body, root: ExpressionId, holds: &mut dyn FnMut(ExpressionId) -> bool) -> bool {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if holds(id) {
            return true;
        }
        stack.extend(children(body, id));
    }
    false
}

/// Whether the subtree assigns `local`.
#[must_use]
pub fn assigns(body: &Body, root: ExpressionId, local: LocalId) -> bool {
    any(body, root, &mut |id| match &body.expression(id).kind {
        ExpressionKind::Block { statements, .. } => statements.iter().any(|it| {
            matches!(it.kind, StatementKind::Assign { local: assigned, .. } if assigned == local)
        }),
        _ => false,
    })
}

/// Whether the subtree reads `local`.
#[must_use]
pub fn reads(body: &Body, root: ExpressionId, local: LocalId) -> bool {
    any(body, root, &mut |id| {
        matches!(body.expression(id).kind, ExpressionKind::Local(it) if it == local)
    })
}

/// The value that a `let` of a plain name gives to `local`.
#[must_use]
pub fn let_value(body: &Body, local: LocalId) -> Option<ExpressionId> {
    use gsw_semantics::hir::PatternKind;
    body.expressions.iter().find_map(|expression| {
        let ExpressionKind::Block { statements, .. } = &expression.kind else {
            return None;
        };
        statements.iter().find_map(|it| match &it.kind {
            StatementKind::Let { pattern, value }
                if matches!(pattern.kind, PatternKind::Binding(bound) if bound == local) =>
            {
                Some(*value)
            }
            _ => None,
        })
    })
}
