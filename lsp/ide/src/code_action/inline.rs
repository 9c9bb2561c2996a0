//! Puts the value of a variable where the variable is used, and takes its `let` away.

use gsw_analysis::item_summary;
use gsw_names::types::EffectSet;
use gsw_source::{Name, Span};
use gsw_syntax::ast::{Child, Expression, ExpressionKind, PatternKind, Statement, StatementKind};

use super::place::{Place, holds};
use super::{ActionKind, CodeAction};
use crate::cursor::{node_span, visit_nodes};
use crate::symbol::{Occurrence, Role, Symbol, occurrences};

/// The action for the variable whose name is at the beginning of the range.
pub fn inline(place: &Place<'_>) -> Option<CodeAction> {
    let all = occurrences(place.db, place.item);
    let declared = all.iter().find_map(|it| match it.symbol {
        Symbol::Local { item, declared } => {
            (item == place.item && it.span.touches(place.range.start)).then_some(declared)
        }
        Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => None,
    })?;
    let (statement, value) = binding(place, declared)?;
    let uses: Vec<Span> = uses(place, &all, declared).collect();
    let is_shared = |it: &Span| all.iter().filter(|other| other.span == *it).count() > 1;
    if uses.is_empty() || uses.iter().any(is_shared) || !means_the_same(place, &all, value) {
        return None;
    }
    let text = gsw_names::source_text(place.db, place.item, value.span);
    let text = match stands_alone(value) {
        true => text.to_string(),
        false => format!("({text})"),
    };
    let mut edits = vec![place.replace(whole_lines(place, statement.span), String::new())];
    edits.extend(uses.into_iter().map(|it| place.replace(it, text.clone())));
    Some(CodeAction {
        title: "inline the variable".into(),
        kind: ActionKind::Inline,
        edits,
        fixes: None,
    })
}

/// The `let` that binds a name alone, and its value.
fn binding<'a>(place: &Place<'a>, declared: Span) -> Option<(&'a Statement, &'a Expression)> {
    let mut found = None;
    visit_nodes(place.tree, |node| {
        if let Child::Statement(statement) = node
            && let StatementKind::Let {
                pattern,
                ty: None,
                value,
                otherwise: None,
            } = &statement.kind
            && let PatternKind::Binding(name) = &pattern.kind
            && name.span == declared
        {
            found = Some((statement, value));
        }
    });
    found
}

fn uses<'a>(
    place: &Place<'_>,
    all: &'a [Occurrence],
    declared: Span,
) -> impl Iterator<Item = Span> + use<'a> {
    let item = place.item;
    all.iter()
        .filter(move |it| it.symbol == Symbol::Local { item, declared } && it.role == Role::Use)
        .map(|it| it.span)
}

/// Whether the value is the same wherever and however often it is evaluated: it does nothing, and what it names is neither assigned
/// nor hidden by another variable of the name.
fn means_the_same(place: &Place<'_>, all: &[Occurrence], value: &Expression) -> bool {
    let mut acts = false;
    let mut assigned: Vec<Span> = Vec::new();
    visit_nodes(place.tree, |node| match node {
        Child::Expression(it) if holds(value.span, it.span) => acts |= is_act(it),
        Child::Statement(it) => {
            if let StatementKind::Assign { target, .. } = &it.kind {
                assigned.push(target.span);
            }
            acts |= node_span(node).is_some_and(|span| holds(value.span, span));
        }
        Child::Expression(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
    });
    let text = |span: Span| -> Name { gsw_names::source_text(place.db, place.item, span) };
    let mut named = all.iter().filter(|it| holds(value.span, it.span));
    let is_steady = named.all(|it| match it.symbol {
        Symbol::Local { declared, .. } => {
            let name = text(declared);
            all.iter().all(|other| match other.symbol {
                Symbol::Local { declared: own, .. } if own == declared => {
                    !assigned.iter().any(|it| holds(*it, other.span))
                }
                Symbol::Local { declared: own, .. } => text(own) != name,
                Symbol::Item(_)
                | Symbol::Variant { .. }
                | Symbol::Field { .. }
                | Symbol::Module(_) => true,
            })
        }
        Symbol::Item(item) => {
            let summary = &item_summary(place.db, item).item;
            summary.errors.is_empty() && summary.effects == EffectSet::default()
        }
        Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => true,
    });
    !acts && is_steady
}

/// Whether an expression does something besides having a value.
const fn is_act(it: &Expression) -> bool {
    matches!(
        it.kind,
        ExpressionKind::Await(_)
            | ExpressionKind::Spawn(_)
            | ExpressionKind::SpawnDetached(_)
            | ExpressionKind::Race { .. }
            | ExpressionKind::Parallel(_)
            | ExpressionKind::ParallelFor { .. }
            | ExpressionKind::Step { .. }
            | ExpressionKind::Undo { .. }
            | ExpressionKind::Modified { .. }
            | ExpressionKind::Reflect { .. }
            | ExpressionKind::Revise(_)
            | ExpressionKind::Emit(_)
            | ExpressionKind::Text { .. }
            | ExpressionKind::Return(_)
            | ExpressionKind::Break
            | ExpressionKind::Continue
            | ExpressionKind::Fail(_)
            | ExpressionKind::By { .. }
            | ExpressionKind::With { .. }
            | ExpressionKind::Invalid
    )
}

/// Whether the text of a value is one operand wherever it stands.
const fn stands_alone(it: &Expression) -> bool {
    matches!(
        it.kind,
        ExpressionKind::Literal(_)
            | ExpressionKind::Interpolation(_)
            | ExpressionKind::Name(_)
            | ExpressionKind::Unit
            | ExpressionKind::Field { .. }
            | ExpressionKind::TupleField { .. }
            | ExpressionKind::Index { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::List(_)
            | ExpressionKind::Tuple(_)
            | ExpressionKind::Parenthesized(_)
    )
}

/// A statement with the blanks, the `;` and the line break after it, up to what comes next.
fn whole_lines(place: &Place<'_>, statement: Span) -> Span {
    let text = place.file.text(place.db);
    let end = crate::cursor::in_file(place.db, place.item, statement).end as usize;
    let rest = text.get(end..).unwrap_or_default();
    let after = rest.trim_start_matches([' ', '\t', ';', '\r']);
    let after = after
        .strip_prefix('\n')
        .map_or(after, |it| it.trim_start_matches([' ', '\t']));
    let length = u32::try_from(rest.len() - after.len()).unwrap_or(0);
    Span::new(statement.start, statement.end + length)
}
