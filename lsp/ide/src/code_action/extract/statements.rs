//! Makes a function of the statements that are selected. What they declare and what follows names is its result.

use gsw_infer::hir::LocalKind;
use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast::{Statement, StatementKind};

use super::{Written, changes_flow, declared, handed};
use crate::code_action::CodeAction;
use crate::code_action::place::Place;
use crate::code_action::wrap::holds_task;
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
        true => value(place, last)?,
        false => variables(place, &needed)?,
    };
    let ty = match &result.ty {
        Some(ty) => format!(" -> {}", spelling.ty(ty)?),
        None => String::new(),
    };
    let indent = place.indent(span.start);
    let text = place.text(span).replace(&format!("\n{indent}"), "\n  ");
    let tail = result.tail.map_or(String::new(), |it| format!("\n  {it}"));
    let written = Written {
        declaration: format!("\n\nfn {name}({parameters}){ty} {{\n  {text}{tail}\n}}"),
        call: result.head + &call,
        imports: spelling.imports(),
    };
    Some(declared(place, span, "function", written))
}

/// What the function gives.
struct Outcome {
    ty: Option<Type>,
    /// What its body ends with, after the statements.
    tail: Option<String>,
    /// The text before its call.
    head: String,
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

/// Nothing but what the last statement gives, where it is what its block gives.
fn value(place: &Place<'_>, last: &Statement) -> Option<Outcome> {
    let mut blocks = blocks(place.tree).into_iter();
    let ends_block = blocks.any(|it| it.statements.last().is_some_and(|it| it.span == last.span));
    let ty = match &last.kind {
        StatementKind::Expression(it) if ends_block => {
            expression_type(place.db, place.item, it.span)
        }
        StatementKind::Let { .. }
        | StatementKind::Var { .. }
        | StatementKind::State { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Expression(_)
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
        head: String::new(),
    })
}

/// One variable, or a tuple of several; `None` where they are not declared alike, or hold what belongs to where it is begun.
fn variables(place: &Place<'_>, needed: &[(Name, Span)]) -> Option<Outcome> {
    let (db, item) = (place.db, place.item);
    let mut types = Vec::new();
    let mut words = Vec::new();
    for (_, declared) in needed {
        let ty = local_type(db, item, *declared)?;
        if holds_task(db, &ty) {
            return None;
        }
        types.push(ty);
        words.push(match local(db, item, *declared)?.kind {
            LocalKind::Let | LocalKind::Parameter => "let",
            LocalKind::Var => "var",
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
        head: format!("{word} {tail} = "),
        tail: Some(tail),
    })
}
