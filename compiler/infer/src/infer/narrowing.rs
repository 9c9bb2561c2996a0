//! Optionals that are used as if a test before had changed their type.

use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast::{self, Child, children, item_children};

use crate::hir::ExpressionId;
use crate::infer::hir_builder::HirBuilder;

/// The text of an optional value that a condition around or before it tests; `None` where there is no such test.
pub(super) fn tested_value(hir: &HirBuilder, id: ExpressionId) -> Option<Name> {
    let ty = hir.table.unchecked(&hir.ty(id));
    matches!(ty, Type::Optional(_))
        .then(|| tested(hir, hir.span(id)))
        .flatten()
}

/// The text at `span`, when a condition around or before it tests whether that is present.
pub(super) fn tested(hir: &HirBuilder, span: Span) -> Option<Name> {
    let text = gsw_names::source_text(hir.db, hir.item, span);
    if !is_path(&text) {
        return None;
    }
    let tree = gsw_syntax::item_ast(hir.db, hir.item)?;
    let mut waiting = item_children(&tree);
    while let Some(child) = waiting.pop() {
        if let Child::Expression(expression) = &child
            && expression.span.start < span.start
            && tests(hir, expression, &text)
        {
            return Some(text);
        }
        waiting.extend(children(child));
    }
    None
}

/// The value as the condition of an `if` or `while`: its text, when a name or field is all that it consists of.
pub(super) fn bare_condition(hir: &HirBuilder, id: ExpressionId, target: &Type) -> Option<Name> {
    let types = (hir.table.unchecked(&hir.ty(id)), hir.table.resolve(target));
    if !matches!(types, (Type::Optional(_), Type::Bool)) {
        return None;
    }
    let span = hir.span(id);
    let text = gsw_names::source_text(hir.db, hir.item, span);
    let tree = gsw_syntax::item_ast(hir.db, hir.item)?;
    let mut waiting = item_children(&tree);
    while let Some(child) = waiting.pop() {
        if let Child::Expression(expression) = &child
            && condition_of(expression).is_some_and(|it| is_operand(it, span))
        {
            return is_path(&text).then_some(text);
        }
        waiting.extend(children(child));
    }
    None
}

/// The condition of an `if` or `while`.
fn condition_of(expression: &ast::Expression) -> Option<&ast::Expression> {
    if let ast::ExpressionKind::If { condition, .. }
    | ast::ExpressionKind::While { condition, .. } = &expression.kind
    {
        return Some(condition);
    }
    None
}

/// Whether the expression at `span` is a condition, or one of several that `and` joins.
fn is_operand(condition: &ast::Expression, span: Span) -> bool {
    if let ast::ExpressionKind::Binary {
        operator: ast::BinaryOperator::And,
        left,
        right,
        ..
    } = &condition.kind
    {
        return is_operand(left, span) || is_operand(right, span);
    }
    condition.span == span
}

/// Whether a text is a name, or fields of one.
fn is_path(text: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.');
    text.starts_with(|it: char| it.is_lowercase() || it == '_') && text.chars().all(is_part)
}

/// Whether an expression by itself tests that the value with this text is present.
fn tests(hir: &HirBuilder, expression: &ast::Expression, text: &str) -> bool {
    let is_it = |it: &ast::Expression| gsw_names::source_text(hir.db, hir.item, it.span) == text;
    if let ast::ExpressionKind::Binary {
        operator: ast::BinaryOperator::Equal | ast::BinaryOperator::NotEqual,
        left,
        right,
        ..
    } = &expression.kind
    {
        return is_none(right) && is_it(left) || is_none(left) && is_it(right);
    }
    if let Some(condition) = condition_of(expression) {
        return is_it(condition);
    }
    if let ast::ExpressionKind::Call { callee, .. } = &expression.kind
        && let ast::ExpressionKind::Field { base, name, .. } = &callee.kind
    {
        return matches!(name.name.as_str(), "is_some" | "is_none") && is_it(base);
    }
    false
}

fn is_none(expression: &ast::Expression) -> bool {
    matches!(
        expression.kind,
        ast::ExpressionKind::Literal(ast::Literal::None)
    )
}
