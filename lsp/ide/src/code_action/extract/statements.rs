//! Makes a function of the statements that are selected. What they declare and what follows names is its result.

use gsw_infer::hir::{Captured, LocalKind};
use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast::{Child, ExpressionKind, Statement, StatementKind};

use super::{Written, changes_flow, declared, handed};
use crate::code_action::CodeAction;
use crate::code_action::place::{Place, indented_anew};
use crate::code_action::wrap::holds_task;
use crate::cursor::visit_nodes;
use crate::document_highlight::roots;
use crate::expression_type::{expression_type, local, local_type};
use crate::scope::blocks;
use crate::spelling::Spelling;
use crate::symbol::Symbol;

/// The action for one or more whole statements.
pub fn statements(place: &Place<'_>) -> Option<CodeAction> {
    if place.range.start == place.range.end {
        return None;
    }
    let selected = place.statements()?;
    let (first, last) = (selected.first()?, selected.last()?);
    let span = first.span.to(last.span);
    if changes_flow(place, span) {
        return None;
    }
    let mut spelling = Spelling::new(place.db, place.file);
    let (parameters, arguments) = handed(place, span, &mut spelling)?;
    let name = place.fresh("extracted");
    let call = format!("{name}({arguments})");
    let needed = needed_after(place, span);
    let result = match needed.is_empty() {
        true => value(place, last, &mut spelling)?,
        false => variables(place, span, &needed)?,
    };
    let ty = match &result.ty {
        Some(ty) => Some(spelling.ty(ty)?),
        None => None,
    };
    let head = match (&result.bound, &ty) {
        (Some(it), Some(ty)) if it.annotated => format!("{} {}: {ty} = ", it.word, it.pattern),
        (Some(it), _) => format!("{} {} = ", it.word, it.pattern),
        (None, _) => String::new(),
    };
    let ty = ty.map_or(String::new(), |it| format!(" -> {it}"));
    let indent = place.indent(span.start);
    let text = indented_anew(&unchanging(place, span, selected), &indent, "  ");
    let tail = result.tail.map_or(String::new(), |it| format!("\n  {it}"));
    let written = Written {
        declaration: format!("\n\nfn {name}({parameters}){ty} {{\n  {text}{tail}\n}}"),
        call: head + &call,
        imports: spelling.imports(),
    };
    Some(declared(place, span, "function", written))
}

/// The result of the extracted function.
struct Outcome {
    ty: Option<Type>,
    /// What its body ends with, after the statements.
    tail: Option<String>,
    /// The local that the call's result is bound to, if any.
    bound: Option<Bound>,
}

/// The variables that hold what the function gives.
struct Bound {
    word: &'static str,
    pattern: String,
    /// Whether a type is written, which a variable that is assigned may not have otherwise: that of its value may be narrower.
    annotated: bool,
}

/// The variables declared in `span` that something after it names.
fn needed_after(place: &Place<'_>, span: Span) -> Vec<(Name, Span)> {
    let mut found: Vec<(Name, Span)> = Vec::new();
    for it in place.names() {
        if let Symbol::Local { item, declared } = it.symbol
            && item == place.item
            && span.holds(declared)
            && !span.holds(it.span)
            && found.iter().all(|(_, known)| *known != declared)
        {
            found.push((place.text(declared), declared));
        }
    }
    found.sort_by_key(|(_, declared)| *declared);
    found
}

/// Nothing but what the last statement gives. Where nothing takes that, a function that gives nothing would drop it, which is reported.
fn value(place: &Place<'_>, last: &Statement, spelling: &mut Spelling<'_>) -> Option<Outcome> {
    let mut blocks = blocks(place.tree).into_iter();
    let ends_block = blocks.any(|it| it.statements.last().is_some_and(|it| it.span == last.span));
    let ty = match &last.kind {
        StatementKind::Expression(it) => expression_type(place.db, place.item, it.span)
            .filter(|it| ends_block || (*it != Type::Never && spelling.ty(it).is_some())),
        StatementKind::Let { .. }
        | StatementKind::Var { .. }
        | StatementKind::State { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. }
        | StatementKind::Invalid => None,
    };
    let ty = ty.filter(|it| *it != Type::Unit);
    if ty.as_ref().is_some_and(|it| holds_task(place.db, it)) {
        return None;
    }
    Some(Outcome {
        ty,
        tail: None,
        bound: None,
    })
}

/// One variable, or a tuple of several; `None` where they are not declared alike, or hold what belongs to where it is begun.
fn variables(place: &Place<'_>, span: Span, needed: &[(Name, Span)]) -> Option<Outcome> {
    let (db, item) = (place.db, place.item);
    let mut types = Vec::new();
    let mut words = Vec::new();
    for (_, declared) in needed {
        let ty = local_type(db, item, *declared)?;
        if holds_task(db, &ty) {
            return None;
        }
        types.push(ty);
        let local = local(db, item, *declared)?;
        words.push(match local.kind {
            LocalKind::Let | LocalKind::Parameter => "let",
            // A closure in the function would share a variable of its own, not the one that its value is given to.
            LocalKind::Var if local.captured == Captured::Yes && holds_lambda(place, span) => {
                return None;
            }
            LocalKind::Var if is_assigned(place, *declared, |it| !span.holds(it)) => "var",
            LocalKind::Var => "let",
            LocalKind::State => return None,
        });
    }
    words.dedup();
    let [word] = words.as_slice() else {
        return None;
    };
    let names: Vec<&str> = needed.iter().map(|(name, _)| name.as_str()).collect();
    let (ty, tail) = match (types.as_slice(), names.as_slice()) {
        ([ty], [name]) => (ty.clone(), (*name).to_owned()),
        (types, names) => (Type::Tuple(types.into()), format!("({})", names.join(", "))),
    };
    Some(Outcome {
        ty: Some(ty),
        bound: Some(Bound {
            word,
            pattern: tail.clone(),
            annotated: *word == "var" && has_annotation(place, span),
        }),
        tail: Some(tail),
    })
}

/// The selected statements, with `let` for a variable that only what follows them assigns.
fn unchanging(place: &Place<'_>, span: Span, selected: &[Statement]) -> String {
    let mut text = place.text(span).to_string();
    for it in selected {
        let StatementKind::Var { pattern, .. } = &it.kind else {
            continue;
        };
        let mut bound = place.names().iter().filter_map(|it| match it.symbol {
            Symbol::Local { declared, .. } if pattern.span.holds(declared) => Some(declared),
            Symbol::Local { .. }
            | Symbol::Item(_)
            | Symbol::Variant { .. }
            | Symbol::Field { .. }
            | Symbol::Module(_) => None,
        });
        let is_changed = |declared: Span| is_assigned(place, declared, |it| span.holds(it));
        let is_anywhere = |declared: Span| is_assigned(place, declared, |_| true);
        let stays = bound.all(|it| !is_changed(it) && is_anywhere(it));
        let at = (it.span.start - span.start) as usize;
        if stays && text.get(at..).is_some_and(|it| it.starts_with("var")) {
            text.replace_range(at..at + "var".len(), "let");
        }
    }
    text
}

/// Whether a statement at such a place assigns the variable.
fn is_assigned(place: &Place<'_>, declared: Span, at: impl Fn(Span) -> bool) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| {
        if let Child::Statement(it) = node
            && let StatementKind::Assign { target, .. } = &it.kind
            && at(it.span)
        {
            found |= roots(target).iter().any(|root| {
                let item = place.item;
                let symbol = Symbol::Local { item, declared };
                let mut names = place.names().iter();
                names.any(|it| it.span == root.span && it.symbol == symbol)
            });
        }
    });
    found
}

fn holds_lambda(place: &Place<'_>, span: Span) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node {
            let is_one = matches!(it.kind, ExpressionKind::Lambda { .. });
            found |= is_one && span.holds(it.span);
        }
    });
    found
}

/// Whether a `var` in `span` has a type written.
fn has_annotation(place: &Place<'_>, span: Span) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| {
        if let Child::Statement(it) = node {
            let is_one = matches!(it.kind, StatementKind::Var { ty: Some(_), .. });
            found |= is_one && span.holds(it.span);
        }
    });
    found
}
