//! The children of expressions of the typed form, in the order of evaluation.

use crate::hir::{
    Arm, Body, Budget, Callee, Change, ExpressionId, ExpressionKind, Lambda, Modifiers, Part,
    Pattern, PatternKind, PlacePart, Reflect, Retry, ScriptTurn, Statement, StatementKind,
};

/// What is directly inside an expression.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// Evaluated as part of the expression that holds it.
    Inline(ExpressionId),
    /// Code that something else may run, at this position of its expression.
    Closure(&'a Lambda, u32),
}

/// What is directly inside `kind`.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
pub fn children(kind: &ExpressionKind) -> Vec<Child<'_>> {
    use ExpressionKind as Kind;
    let mut found = Vec::new();
    match kind {
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_)
        | Kind::FunctionValue { .. }
        | Kind::ConstructorValue { .. }
        | Kind::OfferedTool { .. }
        | Kind::Break
        | Kind::Continue
        | Kind::Invalid => {}
        Kind::Field { base: it, .. }
        | Kind::TupleField { base: it, .. }
        | Kind::JsonField { base: it, .. }
        | Kind::Unary { operand: it, .. }
        | Kind::Coerce { value: it, .. }
        | Kind::Matches { value: it, .. }
        | Kind::As(it)
        | Kind::Fail(it)
        | Kind::Emit(it)
        | Kind::Await(it)
        | Kind::Race {
            tasks: it,
            policy: _,
        } => add_all([it], &mut found),
        Kind::Index { base, index } => add_all([base, index], &mut found),
        Kind::Binary { left, right, .. } => add_all([left, right], &mut found),
        Kind::In { value, container } => add_all([value, container], &mut found),
        Kind::Otherwise { value, fallback } => add_all([value, fallback], &mut found),
        Kind::Chain { base, body, .. } => add_all([base, body], &mut found),
        Kind::Range { start, end, .. } => add_all([start, end], &mut found),
        Kind::For { iterable, body, .. } => add_all([iterable, body], &mut found),
        Kind::While { condition, body } => add_all([condition, body], &mut found),
        Kind::Return(value) => add_all(value, &mut found),
        Kind::List(them) | Kind::Tuple(them) => add_all(them, &mut found),
        Kind::Map(entries) => {
            add_all(entries.iter().flat_map(|(key, it)| [key, it]), &mut found);
        }
        Kind::Interpolation(parts) => add_all(parts.iter().filter_map(embedded), &mut found),
        Kind::Variant { fields: them, .. }
        | Kind::ErrorValue { fields: them, .. }
        | Kind::PromptText {
            arguments: them, ..
        } => add_numbered(them, &mut found),
        Kind::SpawnDetached {
            item: _,
            arguments,
            id,
        } => {
            add_numbered(arguments, &mut found);
            add_all(id, &mut found);
        }
        Kind::Record { fields, base, .. } => {
            add_numbered(fields, &mut found);
            add_all(base, &mut found);
        }
        Kind::If {
            condition,
            then,
            otherwise,
        } => add_all([condition, then].into_iter().chain(otherwise), &mut found),
        Kind::Match { value, arms } | Kind::Catch { value, arms } => {
            add_all([value], &mut found);
            add_arms(arms, &mut found);
        }
        Kind::Block { statements, tail } => {
            statements
                .iter()
                .for_each(|it| add_statement(it, &mut found));
            add_all(tail, &mut found);
        }
        Kind::Lambda(lambda) | Kind::Spawn(lambda) | Kind::Undo(lambda) => {
            found.push(Child::Closure(lambda, 0))
        }
        Kind::Call { callee, arguments } => {
            match callee {
                Callee::Value(it) => add_all([it], &mut found),
                Callee::Item { .. } | Callee::EnumValues(_) => {}
            }
            add_numbered(arguments, &mut found);
        }
        Kind::PromptCall {
            item: _,
            arguments,
            agent: _,
            settings,
            given: _,
            session,
            turn: _,
            mode: _,
            improving,
        } => {
            add_numbered(arguments, &mut found);
            add_all(settings, &mut found);
            add_all(session, &mut found);
            add_all(improving.iter().flat_map(|it| [&it.0, &it.1]), &mut found);
        }
        Kind::ParallelFor {
            iterable,
            limit,
            policy: _,
            body,
        } => {
            add_all([iterable].into_iter().chain(limit), &mut found);
            found.push(Child::Closure(body, 0));
        }
        Kind::Parallel {
            branches,
            policy: _,
        } => {
            let numbered = (0u32..).zip(branches);
            found.extend(numbered.map(|(index, it)| Child::Closure(it, index)));
        }
        Kind::Step {
            was,
            name,
            modifiers,
            body,
        } => {
            add_all(was, &mut found);
            add_all([name], &mut found);
            add_all(&modifier_expressions(modifiers), &mut found);
            add_all([body], &mut found);
        }
        Kind::Modified { modifiers, body } => {
            add_all(&modifier_expressions(modifiers), &mut found);
            add_all([body], &mut found);
        }
    }
    found
}

fn add_all<'e>(them: impl IntoIterator<Item = &'e ExpressionId>, found: &mut Vec<Child<'_>>) {
    found.extend(them.into_iter().map(|it| Child::Inline(*it)));
}

fn embedded(part: &Part) -> Option<&ExpressionId> {
    match part {
        Part::Expression(it) => Some(it),
        Part::Text(_) => None,
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
        PatternKind::Wildcard
        | PatternKind::Binding(_)
        | PatternKind::Int(_)
        | PatternKind::Float(_)
        | PatternKind::Bool(_)
        | PatternKind::String(_)
        | PatternKind::Constant(_)
        | PatternKind::None
        | PatternKind::Range { .. }
        | PatternKind::ModelError
        | PatternKind::Invalid => {}
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
        StatementKind::Let { value, .. } | StatementKind::Var { value, .. } => {
            found.push(Child::Inline(*value));
        }
        StatementKind::Assign {
            local: _,
            path,
            change,
            value,
        } => {
            found.push(Child::Inline(*value));
            found.extend(path.iter().filter_map(|it| match it.part {
                PlacePart::Field(_) => None,
                PlacePart::Element(key) => Some(Child::Inline(key)),
            }));
            match change {
                Change::Set | Change::SetUnchecked | Change::Operator(_) => {}
                Change::Converted { new, .. } => found.push(Child::Inline(*new)),
            }
        }
        StatementKind::Expression(it) | StatementKind::Defer(it) => found.push(Child::Inline(*it)),
        StatementKind::Assert {
            condition, message, ..
        } => {
            found.push(Child::Inline(*condition));
            found.extend(message.map(Child::Inline));
        }
        StatementKind::AssertFails { value, .. } => found.push(Child::Inline(*value)),
        StatementKind::AssertSnapshot { value } => found.push(Child::Inline(*value)),
        StatementKind::Mock { outcome, .. } => found.push(Child::Closure(outcome, 0)),
        StatementKind::MockAgent { agent: _, script } => {
            let inside = script.iter().flat_map(ScriptTurn::expressions);
            found.extend(inside.map(Child::Inline));
        }
    }
}

/// The expressions of modifiers, in the order in which they take effect.
pub fn modifier_expressions(modifiers: &Modifiers) -> Vec<ExpressionId> {
    let Modifiers {
        budget,
        reflect,
        retry,
        timeout,
    } = modifiers;
    let mut found = Vec::new();
    if let Some(budget) = budget {
        let Budget {
            usd,
            tokens,
            calls,
            time,
        } = budget;
        found.extend([usd, tokens, calls, time].into_iter().flatten());
    }
    if let Some(Reflect { count, with }) = reflect {
        found.push(*count);
        found.extend(with);
    }
    if let Some(retry) = retry {
        let Retry {
            count,
            backoff,
            max,
        } = retry;
        found.push(*count);
        found.extend([backoff, max].into_iter().flatten());
    }
    found.extend(timeout);
    found
}
