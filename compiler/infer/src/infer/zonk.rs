//! The end of inference: every variable replaced by what was found, and reported where nothing was.

use gsw_names::types::{Type, TypeVariable, parts};

use crate::errors::values as errors;
use crate::hir::{
    Arm, Callee, ExpressionKind, Lambda, Local, Pattern, PatternKind, Statement, StatementKind,
};
use crate::infer::capability;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::pattern;
use crate::infer::table::{Blame, Table, rebuilt};

/// Gives every local and expression its final type.
pub(super) fn zonk(hir: &mut HirBuilder) {
    // The order matters. Strings first, because patterns and requirements depend on what they are; then what was postponed, which
    // may report; then what is still unknown, which is only reported if nothing else was; at last the keys of empty maps.
    hir.table.texts.settle();
    pattern::settle_text_patterns(hir);
    capability::settle_pending(hir);
    report_too_large(hir);
    report_unknown(hir);
    capability::settle_keys(hir);
    // Asked after all reports of this function, which count as well.
    let has_mistake = hir.findings.has_error() || hir.table.has_mistake();
    let table = &hir.table;
    for local in hir.locals.locals_mut() {
        finish(table, &mut local.ty);
    }
    for expression in hir.arena.iter_mut() {
        finish(table, &mut expression.ty);
        finish_kind(table, &mut expression.kind);
    }
    for generic in hir.findings.generic_uses_mut() {
        for argument in &mut generic.type_arguments {
            // What a mistake left unknown asks nothing of anybody.
            if has_mistake && has_variable(&table.zonk(argument)) {
                *argument = Type::Invalid;
            }
            finish(table, argument);
        }
    }
}

/// Reports a local whose type has become too large since it was made: parts of it were not known then.
fn report_too_large(hir: &mut HirBuilder) {
    for index in 0..hir.locals.locals().len() {
        let Local { ty, span, .. } = &hir.locals.locals()[index];
        let (ty, span) = (ty.clone(), *span);
        hir.bounded(ty, span);
    }
}

/// Reports what was never found, at the binding. What no name is bound to has no element that its type could matter to.
fn report_unknown(hir: &mut HirBuilder) {
    // A mistake elsewhere in the body most likely is the reason.
    if hir.findings.has_error() {
        return;
    }
    for index in 0..hir.locals.locals().len() {
        let Local { name, ty, span, .. } = &hir.locals.locals()[index];
        if name.is_empty() {
            continue;
        }
        let (name, span) = (name.clone(), *span);
        for variable in unknown_in(&hir.table, ty) {
            if matches!(hir.table.blame(variable), Blame::Binding) {
                // One report for a variable, however many locals have it in their types.
                hir.table.suppress(variable);
                let place = hir.place(span);
                hir.report(errors::cannot_infer(place, &format!("`{name}`")));
            }
        }
    }
}

/// The unbound variables in `ty`.
fn unknown_in(table: &Table<'_>, ty: &Type) -> Vec<TypeVariable> {
    let mut found = Vec::new();
    if has_variable(ty) {
        collect(&table.zonk(ty), &mut found);
    }
    found
}

fn collect(ty: &Type, found: &mut Vec<TypeVariable>) {
    if let Type::Variable(variable) = ty
        && !found.contains(variable)
    {
        found.push(*variable);
    }
    parts(ty).iter().for_each(|it| collect(it, found));
}

/// Whether there is anything to replace in `ty`.
fn has_variable(ty: &Type) -> bool {
    match ty {
        Type::Variable(_) | Type::Text(_) => true,
        Type::Optional(inner)
        | Type::List(inner)
        | Type::Task(inner)
        | Type::Stream(inner)
        | Type::Queue(inner)
        | Type::Partial(inner) => has_variable(inner),
        Type::Map(key, value) => has_variable(key) || has_variable(value),
        Type::Tuple(types)
        | Type::Record(_, types)
        | Type::Enum(_, types)
        | Type::Checked(_, types) => types.iter().any(has_variable),
        Type::Function(function) => {
            function.parameters.iter().any(has_variable) || has_variable(&function.result)
        }
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
        | Type::Parameter(..)
        | Type::Invalid => false,
    }
}

/// Replaces variables; one that stands for what no value ever has becomes `()`.
fn finish(table: &Table<'_>, ty: &mut Type) {
    // Most types hold no variable and need not be rebuilt.
    if !has_variable(ty) {
        return;
    }
    let found = table.zonk(ty);
    *ty = match has_variable(&found) {
        true => without_variables(found),
        false => found,
    };
}

fn without_variables(ty: Type) -> Type {
    if matches!(ty, Type::Variable(_) | Type::Text(_)) {
        return Type::Unit;
    }
    rebuilt(&ty, &mut |it, _| without_variables(it.clone()))
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn finish_kind(table: &Table<'_>, kind: &mut ExpressionKind) {
    use ExpressionKind as Kind;
    match kind {
        Kind::FunctionValue { type_arguments, .. }
        | Kind::Call {
            callee: Callee::Item { type_arguments, .. },
            ..
        } => {
            type_arguments.iter_mut().for_each(|it| finish(table, it));
        }
        Kind::Match { arms, .. } | Kind::Catch { arms, .. } => {
            for Arm { pattern, .. } in arms {
                finish_pattern(table, pattern);
            }
        }
        Kind::For { pattern, .. } | Kind::Matches { pattern, .. } => {
            finish_pattern(table, pattern);
        }
        Kind::Block { statements, .. } => {
            for Statement { kind, .. } in statements {
                match kind {
                    StatementKind::Let { pattern, .. }
                    | StatementKind::AssertFails { pattern, .. } => {
                        finish_pattern(table, pattern);
                    }
                    StatementKind::Mock {
                        patterns,
                        outcome: Lambda { .. },
                        ..
                    } => {
                        patterns.iter_mut().for_each(|it| finish_pattern(table, it));
                    }
                    StatementKind::Assign { path, .. } => {
                        path.iter_mut().for_each(|it| finish(table, &mut it.ty));
                    }
                    StatementKind::Var { .. }
                    | StatementKind::Expression(_)
                    | StatementKind::Defer(_)
                    | StatementKind::Assert { .. }
                    | StatementKind::AssertSnapshot { .. }
                    | StatementKind::MockAgent { .. } => {}
                }
            }
        }
        Kind::Call {
            callee: Callee::Value(_) | Callee::EnumValues(_),
            ..
        }
        | Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_)
        | Kind::ConstructorValue { .. }
        | Kind::Lambda(_)
        | Kind::Record { .. }
        | Kind::Variant { .. }
        | Kind::ErrorValue { .. }
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Tuple(_)
        | Kind::Field { .. }
        | Kind::TupleField { .. }
        | Kind::JsonField { .. }
        | Kind::Index { .. }
        | Kind::Interpolation(_)
        | Kind::Unary { .. }
        | Kind::Binary { .. }
        | Kind::In { .. }
        | Kind::Otherwise { .. }
        | Kind::Chain { .. }
        | Kind::Range { .. }
        | Kind::Coerce { .. }
        | Kind::As(_)
        | Kind::If { .. }
        | Kind::While { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::PromptCall { .. }
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::Spawn(_)
        | Kind::Undo(_)
        | Kind::SpawnDetached { .. }
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::ParallelFor { .. }
        | Kind::Parallel { .. }
        | Kind::Step { .. }
        | Kind::Modified { .. }
        | Kind::Invalid => {}
    }
}

fn finish_pattern(table: &Table<'_>, pattern: &mut Pattern) {
    finish(table, &mut pattern.ty);
    match &mut pattern.kind {
        PatternKind::Some(inner) => finish_pattern(table, inner),
        PatternKind::Variant { fields, .. }
        | PatternKind::Error { fields, .. }
        | PatternKind::Record { fields } => {
            fields
                .iter_mut()
                .for_each(|(_, it)| finish_pattern(table, it));
        }
        PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
            parts.iter_mut().for_each(|it| finish_pattern(table, it));
        }
        PatternKind::List { before, after, .. } => {
            before
                .iter_mut()
                .chain(after)
                .for_each(|it| finish_pattern(table, it));
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
