//! Puts the value of a variable where the variable is used, and takes its `let` away.

use gsw_source::{LocatedEdit, Name, Span};
use gsw_syntax::ast::{
    Child, Expression, ExpressionKind, PatternKind, Statement, StatementKind, StringPart,
};

use super::place::Place;
use super::{ActionKind, CodeAction};
use crate::cursor::visit_nodes;
use crate::nature::{Deed, Nature, Reads, nature};
use crate::order::may_come_first;
use crate::scope::blocks;
use crate::symbol::{Occurrence, Role, Symbol};

/// The action for the variable whose name is at the beginning of the range.
pub fn inline(place: &Place<'_>) -> Option<CodeAction> {
    let all = place.names();
    let declared = all.iter().find_map(|it| match it.symbol {
        Symbol::Local { item, declared } => {
            (item == place.item && it.span.touches(place.range.start)).then_some(declared)
        }
        Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => None,
    })?;
    let (statement, value) = binding(place, declared)?;
    let uses: Vec<Span> = uses(place, all, declared).collect();
    let is_shared = |it: &Span| all.iter().filter(|other| other.span == *it).count() > 1;
    if uses.is_empty()
        || uses.iter().any(is_shared)
        || !means_the_same(place, all, statement, value, &uses)
    {
        return None;
    }
    let mut edits = vec![place.replace(whole_lines(place, statement.span), String::new())];
    edits.extend(uses.into_iter().map(|it| put(place, value, it)));
    Some(CodeAction {
        title: "inline the variable".into(),
        kind: ActionKind::Inline,
        edits,
        fixes: None,
    })
}

/// The edit that puts a value in the place of a use.
fn put(place: &Place<'_>, value: &Expression, at: Span) -> LocatedEdit {
    let text = place.text(value.span);
    if let Some(edit) = within_text(place, &text, at) {
        return edit;
    }
    let text = match stands_alone(value) || is_enclosed(place, at, value) {
        true => text.to_string(),
        false => format!("({text})"),
    };
    place.replace(at, text)
}

/// The edit for `${name}` in a text, where the value is a text as well: its characters, if both are written in the same way.
fn within_text(place: &Place<'_>, value: &str, at: Span) -> Option<LocatedEdit> {
    let is_plain = |it: &str| it.starts_with('"') && !it.starts_with("\"\"\"");
    let mut around = None;
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node
            && let ExpressionKind::Interpolation(parts) = &it.kind
            && parts
                .iter()
                .any(|it| matches!(it, StringPart::Expression(it) if it.span == at))
        {
            around = Some(it.span);
        }
    });
    let around = around.filter(|it| is_plain(&place.text(*it)))?;
    let hole = Span::new(at.start.checked_sub(2)?, at.end + 1);
    let whole = place.text(hole);
    let has_no_blanks = whole.starts_with("${") && whole.ends_with('}');
    let characters = value.strip_prefix('"')?.strip_suffix('"')?;
    let before = place.text(Span::new(around.start, hole.start));
    let after = place.text(Span::new(hole.end, around.end));
    // Where they meet, two characters of two texts would begin a hole; what follows may be the same value.
    let begins_hole = |left: &str, right: &str| left.ends_with('$') && right.starts_with('{');
    let stays_text = match characters.is_empty() {
        true => !before.ends_with('$') && !after.starts_with('{'),
        false => {
            !begins_hole(&before, characters)
                && !begins_hole(characters, &after)
                && !begins_hole(characters, characters)
        }
    };
    (is_plain(value) && has_no_blanks && stays_text)
        .then(|| place.replace(hole, characters.to_owned()))
}

/// Whether the end of what is at `at` is given by what is around it, so that no operator beside it can take a part of
/// `value`.
fn is_enclosed(place: &Place<'_>, at: Span, value: &Expression) -> bool {
    let is_it = |it: &Expression| it.span == at;
    let mut found = false;
    visit_nodes(place.tree, |node| match node {
        Child::Expression(it) => found |= encloses(&it.kind, at),
        Child::Statement(it) => {
            if let StatementKind::Let { value, .. }
            | StatementKind::Var { value, .. }
            | StatementKind::Assign { value, .. } = &it.kind
            {
                found |= is_it(value);
            } else if let StatementKind::Expression(it) = &it.kind {
                // `{` would begin a block there.
                found |= is_it(it) && !matches!(value.kind, ExpressionKind::Map(_));
            }
        }
        Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
    });
    found
}

/// Whether an expression has the text at `at` directly between signs of its own.
fn encloses(kind: &ExpressionKind, at: Span) -> bool {
    let is_it = |it: &Expression| it.span == at;
    if let ExpressionKind::List(parts) | ExpressionKind::Tuple(parts) = kind {
        return parts.iter().any(is_it);
    }
    if let ExpressionKind::Parenthesized(it)
    | ExpressionKind::Index { index: it, .. }
    | ExpressionKind::Return(Some(it)) = kind
    {
        return is_it(it);
    }
    if let ExpressionKind::Call { arguments, .. } = kind {
        return arguments.iter().any(|it| is_it(&it.value));
    }
    if let ExpressionKind::Map(entries) = kind {
        return entries.iter().any(|it| is_it(&it.value));
    }
    if let ExpressionKind::Record { fields, .. } = kind {
        return fields.iter().filter_map(|it| it.value.as_ref()).any(is_it);
    }
    if let ExpressionKind::Interpolation(parts) = kind {
        let mut parts = parts.iter();
        return parts.any(|it| matches!(it, StringPart::Expression(it) if is_it(it)));
    }
    false
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

/// Whether nothing changes when the value is evaluated at the uses instead: it does nothing, what it names is neither assigned nor
/// hidden by a variable of the name, and what may raise is evaluated first of all after the `let`.
fn means_the_same(
    place: &Place<'_>,
    all: &[Occurrence],
    statement: &Statement,
    value: &Expression,
    uses: &[Span],
) -> bool {
    let (db, item) = (place.db, place.item);
    let Some(own) = nature(db, item, value.span) else {
        return false;
    };
    // The variables that it reads are checked below, one by one.
    let own = Nature {
        reads: Reads::Constants,
        ..own
    };
    let comes_first = || {
        let next = following(place, statement)?;
        let first = uses.iter().min()?;
        let leads_there = next.span.holds(*first);
        Some(leads_there && may_come_first(db, item, next, *first, own))
    };
    let is_harmless = match own.does {
        Deed::Nothing => true,
        Deed::MayRaise => comes_first() == Some(true),
        Deed::Acts => false,
    };
    is_harmless && !holds_statements(place, value) && is_known_everywhere(place, all, value)
}

/// Whether every name in the value means the same at all places of the item, and keeps its value.
fn is_known_everywhere(place: &Place<'_>, all: &[Occurrence], value: &Expression) -> bool {
    let mut assigned: Vec<Span> = Vec::new();
    visit_nodes(place.tree, |node| {
        if let Child::Statement(it) = node
            && let StatementKind::Assign { target, .. } = &it.kind
        {
            assigned.push(target.span);
        }
    });
    let is_hidden = |name: &Name, by_other_than: Option<Span>| {
        all.iter().any(|other| match other.symbol {
            Symbol::Local { declared, item } => {
                item == place.item
                    && Some(declared) != by_other_than
                    && place.text(declared) == *name
            }
            Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => {
                false
            }
        })
    };
    let is_assigned = |local: Symbol| {
        let mut uses = all.iter().filter(|it| it.symbol == local);
        uses.any(|it| assigned.iter().any(|target| target.holds(it.span)))
    };
    let mut named = all.iter().filter(|it| value.span.holds(it.span));
    named.all(|it| match it.symbol {
        Symbol::Local { declared, .. } => {
            !is_assigned(it.symbol) && !is_hidden(&place.text(declared), Some(declared))
        }
        Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Module(_) => {
            !is_hidden(&place.text(it.span), None)
        }
        Symbol::Field { .. } => true,
    })
}

/// Whether there are statements in a value, which are not evaluated as part of another expression.
fn holds_statements(place: &Place<'_>, value: &Expression) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| {
        found |= match node {
            Child::Statement(it) => value.span.holds(it.span),
            Child::Expression(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => false,
        };
    });
    found
}

/// The statement after another one of the same block.
fn following<'a>(place: &Place<'a>, statement: &Statement) -> Option<&'a Statement> {
    let around = blocks(place.tree).into_iter().map(|it| it.span);
    let around = around.filter(|it| it.holds(statement.span));
    let block = around.min_by_key(|it| it.end - it.start)?;
    let mut next: Option<&Statement> = None;
    visit_nodes(place.tree, |node| {
        if let Child::Statement(it) = node
            && statement.span.end <= it.span.start
            && next.is_none_or(|next| it.span.start < next.span.start)
        {
            next = Some(it);
        }
    });
    next.filter(|it| block.holds(it.span))
}

/// Whether the text of a value is one operand wherever it is.
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
