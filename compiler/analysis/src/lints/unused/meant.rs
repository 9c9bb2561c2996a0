//! What the author of a local that nothing reads most likely had in mind.

use gsw_infer::hir::{
    Body, ExpressionKind, LocalId, LocalKind, Pattern, PatternKind, Statement, StatementKind,
};
use gsw_infer::visit_patterns;
use gsw_names::types::Type;
use gsw_names::{TypeDeclarationKind, source_text, type_declaration};
use gsw_source::{Db, Name, Span, nearest};

use crate::errors::UnusedMeant;

/// What was meant by the local, where that is something else than a value that is ignored.
pub(super) fn meant(db: &dyn Db, body: &Body, local: LocalId) -> Option<UnusedMeant> {
    assignment(db, body, local).or_else(|| variant(db, body, local))
}

/// `let total = …` inside of the block of another `total`.
fn assignment(db: &dyn Db, body: &Body, local: LocalId) -> Option<UnusedMeant> {
    let name = &body.locals[local.0 as usize].name;
    let (statement, pattern) = blocks(body).find_map(|(_, statements)| {
        statements.iter().find_map(|it| {
            let StatementKind::Let { pattern, .. } = &it.kind else {
                return None;
            };
            (pattern.kind == PatternKind::Binding(local)).then_some((it, pattern))
        })
    })?;
    let around = blocks(body).filter(|(span, _)| span.holds(statement.span));
    let outer = around
        .flat_map(|(_, statements)| statements)
        .filter(|it| it.span.end <= statement.span.start)
        .flat_map(bound)
        .find(|it| body.locals[it.0 as usize].name == *name)?;
    let outer = &body.locals[outer.0 as usize];
    let place = |span| body.place(span);
    let word = Span::new(statement.span.start, pattern.span.start);
    let is_plain = source_text(db, body.item, word).trim_end() == "let";
    let may_change = matches!(outer.kind, LocalKind::Var | LocalKind::State);
    Some(UnusedMeant::Assignment {
        outer: place(outer.span),
        word: (is_plain && may_change).then(|| place(word)),
    })
}

/// A small name in a pattern over an enum that has such a variant, or over a union that has such a text.
fn variant(db: &dyn Db, body: &Body, local: LocalId) -> Option<UnusedMeant> {
    let mut found = None;
    for pattern in conditional(body) {
        visit_patterns(pattern, &mut |it| {
            if it.kind == PatternKind::Binding(local) {
                found = Some(it.ty.clone());
            }
        });
    }
    let mut ty = found?;
    while let Type::Optional(inner) = &ty {
        ty = (**inner).clone();
    }
    let name = &body.locals[local.0 as usize].name;
    if let Type::Literals(texts) = &ty {
        let same = texts.iter().find(|it| *it == name).cloned();
        let text = same.or_else(|| nearest(name, texts.iter()).map(|it| it.name))?;
        return Some(UnusedMeant::Text { text });
    }
    let Type::Enum(item, _) = ty else {
        return None;
    };
    let TypeDeclarationKind::Enum(variants) = &type_declaration(db, item).declaration.kind else {
        return None;
    };
    let plain = name.replace('_', "");
    let same = variants
        .iter()
        .find(|it| it.name.eq_ignore_ascii_case(&plain))
        .map(|it| it.name.clone());
    let names: Vec<Name> = variants.iter().map(|it| it.name.clone()).collect();
    let meant = same.or_else(|| nearest(&capitalised(name), &names).map(|it| it.name))?;
    let has_payload = variants
        .iter()
        .any(|it| it.name == meant && !it.fields.is_empty());
    Some(UnusedMeant::Variant {
        text: match has_payload {
            true => format!("{meant}(..)"),
            false => meant.to_string(),
        },
    })
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The blocks of a body with their spans.
fn blocks(body: &Body) -> impl Iterator<Item = (Span, &Vec<Statement>)> {
    body.expressions.iter().filter_map(|it| {
        let ExpressionKind::Block { statements, .. } = &it.kind else {
            return None;
        };
        Some((it.span, statements))
    })
}

/// The locals that a statement binds for those after it.
fn bound(statement: &Statement) -> Vec<LocalId> {
    match &statement.kind {
        StatementKind::Var { local, .. } => vec![*local],
        StatementKind::Let { pattern, .. } => {
            let mut found = Vec::new();
            visit_patterns(pattern, &mut |it| {
                if let PatternKind::Binding(local) = it.kind {
                    found.push(local);
                }
            });
            found
        }
        StatementKind::Assign { .. }
        | StatementKind::Expression(_)
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::AssertFails { .. }
        | StatementKind::AssertSnapshot { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. } => Vec::new(),
    }
}

/// The patterns that a value may not match: those of `match` and `if let`.
fn conditional(body: &Body) -> Vec<&Pattern> {
    let mut found = Vec::new();
    for expression in &body.expressions {
        if let ExpressionKind::Match { arms, .. } = &expression.kind {
            found.extend(arms.iter().map(|it| &it.pattern));
        } else if let ExpressionKind::Matches { pattern, .. } = &expression.kind {
            found.push(pattern);
        }
    }
    found
}
