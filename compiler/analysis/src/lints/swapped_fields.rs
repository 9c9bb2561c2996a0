//! Names in the pattern of a payload that are those of other fields of it.

use gsw_infer::hir::{Body, ExpressionKind, Pattern, PatternKind, Statement, StatementKind};
use gsw_infer::visit_patterns;
use gsw_names::{source_text, type_declaration};
use gsw_source::{Db, Diagnostic, Span};

use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for pattern in patterns(body) {
        visit_patterns(pattern, &mut |it| found.extend(swapped(db, body, it)));
    }
}

/// The first name that binds another field than the one that is called so.
fn swapped(db: &dyn Db, body: &Body, pattern: &Pattern) -> Option<Diagnostic> {
    let (declared, fields) = if let PatternKind::Variant {
        item,
        variant,
        fields,
    } = &pattern.kind
    {
        (
            type_declaration(db, *item).declaration.fields_of(*variant),
            fields,
        )
    } else if let PatternKind::Error { item, fields } = &pattern.kind {
        (type_declaration(db, *item).declaration.fields(), fields)
    } else {
        return None;
    };
    fields.iter().find_map(|(index, part)| {
        let PatternKind::Binding(local) = part.kind else {
            return None;
        };
        let name = &body.locals[local.0 as usize].name;
        let own = &declared.get(*index as usize)?.name;
        let is_other = own != name && declared.iter().any(|it| it.name == *name);
        let before = source_text(
            db,
            body.item,
            Span::new(pattern.span.start, part.span.start),
        );
        // `Box(width: height)` says what it means.
        let is_named = before.trim_end().ends_with(':');
        (is_other && !is_named).then(|| {
            let place = body.place(part.span);
            let names: Vec<&str> = declared.iter().map(|it| it.name.as_str()).collect();
            errors::swapped_fields(place, name, own, &names)
        })
    })
}

/// All patterns of a body.
fn patterns(body: &Body) -> Vec<&Pattern> {
    let mut found: Vec<&Pattern> = Vec::new();
    for expression in &body.expressions {
        let kind = &expression.kind;
        if let ExpressionKind::Match { arms, .. } | ExpressionKind::Catch { arms, .. } = kind {
            found.extend(arms.iter().map(|it| &it.pattern));
        } else if let ExpressionKind::Matches { pattern, .. }
        | ExpressionKind::For { pattern, .. } = kind
        {
            found.push(pattern);
        } else if let ExpressionKind::Block { statements, .. } = kind {
            found.extend(statements.iter().filter_map(bound));
        }
    }
    found
}

/// The pattern of a statement that binds by one.
const fn bound(statement: &Statement) -> Option<&Pattern> {
    match &statement.kind {
        StatementKind::Let { pattern, .. } | StatementKind::AssertFails { pattern, .. } => {
            Some(pattern)
        }
        StatementKind::Var { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Expression(_)
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::AssertSnapshot { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. } => None,
    }
}
