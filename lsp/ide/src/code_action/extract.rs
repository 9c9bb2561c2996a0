//! Makes a function, a prompt or a variable of the expression that is selected, or a function of statements.
//!
//! A variable is evaluated before its statement, so only what may come first becomes one; a function gets the values that variables
//! have when it is called, so it takes none that may be assigned meanwhile.

mod statements;

use gsw_infer::hir::{Captured, LocalKind};
use gsw_names::types::Type;
use gsw_source::{LocatedEdit, Name, Span};
use gsw_syntax::ast::{Child, Expression, ExpressionKind, Item, ItemBody, Literal, StatementKind};

use super::place::Place;
use super::{ActionKind, CodeAction};
use crate::cursor::{node_span, visit_nodes};
use crate::document_highlight::roots;
use crate::expression_type::{expression_type, local, local_type};
use crate::nature::nature;
use crate::order::may_come_first;
use crate::scope::blocks;
use crate::spelling::Spelling;
use crate::symbol::Symbol;

pub fn extract(place: &Place<'_>) -> Vec<CodeAction> {
    let Some(selected) = selected(place) else {
        return statements::statements(place).into_iter().collect();
    };
    let mut actions = Vec::new();
    actions.extend(variable(place, selected));
    actions.extend(function(place, selected));
    actions.extend(prompt(place, selected));
    actions
}

/// The expression that the range holds and nothing besides, if it has a value: the name of a type has none, nor has what is assigned.
fn selected<'a>(place: &Place<'a>) -> Option<&'a Expression> {
    if place.range.start == place.range.end {
        return None;
    }
    let found = place.nodes.iter().find_map(|node| match node {
        Child::Expression(it) if it.span == place.range => Some(*it),
        Child::Expression(_)
        | Child::Statement(_)
        | Child::Pattern(_)
        | Child::Type(_)
        | Child::Name(_) => None,
    })?;
    // A name stands for its value already; and what is asked of a range itself is answered without the list that it is anywhere else.
    let has_value = !matches!(
        bare(found).kind,
        ExpressionKind::Let { .. } | ExpressionKind::Name(_) | ExpressionKind::Range { .. }
    ) && expression_type(place.db, place.item, bare(found).span).is_some();
    (has_value && !is_read_as_written(place.tree, found.span)).then_some(found)
}

/// Whether `span` is in a constant, a check or a default, which say more than their values: schemas and help show what they are made of.
fn is_read_as_written(tree: &Item, span: Span) -> bool {
    let is_default = || {
        let signature = tree.body.signature();
        let parameters = signature.into_iter().flat_map(|it| &it.parameters);
        let mut defaults = parameters.filter_map(|it| it.default.as_ref());
        defaults.any(|it| it.span.holds(span))
    };
    match &tree.body {
        ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_) => true,
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => is_default(),
    }
}

/// An expression without the parentheses around it, which stand for nothing of their own.
fn bare(mut it: &Expression) -> &Expression {
    while let ExpressionKind::Parenthesized(inside) = &it.kind {
        it = inside;
    }
    it
}

/// `let extracted = …` before the statement.
fn variable(place: &Place<'_>, selected: &Expression) -> Option<CodeAction> {
    let statement = place.statement(selected.span)?;
    // What a closure or a condition inside of the statement binds would not be known before it.
    if captures(place, selected.span)?
        .iter()
        .any(|(_, declared)| statement.span.holds(*declared))
    {
        return None;
    }
    if is_dropped(place, selected.span) {
        return None;
    }
    let own = nature(place.db, place.item, selected.span)?;
    let value = bare(selected).span;
    let ty = expression_type(place.db, place.item, value)?;
    // A loop and what leaves have no value that a variable could hold.
    if matches!(ty, Type::Unit | Type::Never) {
        return None;
    }
    if !may_come_first(place.db, place.item, statement, value, own) {
        return None;
    }
    let indent = place.indent(statement.span.start);
    let text = place.text(selected.span);
    let name = place.fresh("extracted");
    Some(CodeAction {
        title: "extract into a variable".into(),
        kind: ActionKind::Extract,
        edits: vec![
            place.insert(
                statement.span.start,
                format!("let {name} = {text}\n{indent}"),
            ),
            place.replace(selected.span, name),
        ],
        fixes: None,
    })
}

/// Whether the expression is a statement whose value nothing takes: a variable with it would be as useless.
fn is_dropped(place: &Place<'_>, span: Span) -> bool {
    let mut without_value = Vec::new();
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node
            && let ExpressionKind::For { body, .. } | ExpressionKind::While { body, .. } = &it.kind
        {
            without_value.push(body.span);
        }
    });
    // What a body without a result ends with.
    let body = place
        .tree
        .body
        .signature()
        .is_none_or(|it| it.result.is_none());
    let mut all = blocks(place.tree).into_iter().enumerate();
    all.any(|(index, it)| {
        let has_none = without_value.contains(&it.span) || body && index == 0;
        let taken = it.statements.last().filter(|_| !has_none);
        let mut statements = it.statements.iter();
        statements.any(|it| it.span == span && taken.is_none_or(|last| last.span != span))
    })
}

/// A function after the item, with the locals that the expression uses as parameters.
fn function(place: &Place<'_>, selected: &Expression) -> Option<CodeAction> {
    if changes_flow(place, selected.span) {
        return None;
    }
    let mut spelling = Spelling::new(place.db, place.file);
    let (parameters, arguments) = handed(place, selected.span, &mut spelling)?;
    let ty = expression_type(place.db, place.item, bare(selected).span)?;
    let result = if ty == Type::Unit {
        String::new()
    } else {
        format!(" -> {}", spelling.ty(&ty)?)
    };
    let text = place.text(selected.span);
    let name = place.fresh("extracted");
    let declaration = format!("\n\nfn {name}({parameters}){result} {{\n  {text}\n}}");
    let call = format!("{name}({arguments})");
    let written = Written {
        declaration,
        call,
        imports: spelling.imports(),
    };
    Some(declared(place, selected.span, "function", written))
}

/// A prompt after the item that asks with the text which is selected, and whose answer takes its place.
fn prompt(place: &Place<'_>, selected: &Expression) -> Option<CodeAction> {
    let is_text = matches!(
        selected.kind,
        ExpressionKind::Interpolation(_) | ExpressionKind::Literal(Literal::String(_))
    );
    // A request without a text is none.
    let is_blank = place
        .text(selected.span)
        .trim_matches('"')
        .trim()
        .is_empty();
    if !is_text || is_blank {
        return None;
    }
    let mut spelling = Spelling::new(place.db, place.file);
    let (parameters, arguments) = handed(place, selected.span, &mut spelling)?;
    let text = place.text(selected.span);
    let name = place.fresh("extracted");
    let declaration = format!("\n\nprompt {name}({parameters}) -> string {{\n  user {text}\n}}");
    let call = format!("{name}({arguments})");
    let written = Written {
        declaration,
        call,
        imports: spelling.imports(),
    };
    Some(declared(place, selected.span, "prompt", written))
}

/// The parameters and the arguments that bring what `span` uses to a declaration of its own.
fn handed(place: &Place<'_>, span: Span, spelling: &mut Spelling<'_>) -> Option<(String, String)> {
    let captured = captures(place, span)?;
    let mut parameters = Vec::new();
    for (name, declared) in &captured {
        let is_shared = local(place.db, place.item, *declared).is_some_and(|it| {
            // A closure may assign it, or see it assigned, while the expression is evaluated and after.
            matches!(it.kind, LocalKind::Var | LocalKind::State) && it.captured == Captured::Yes
        });
        if is_shared {
            return None;
        }
        let ty = local_type(place.db, place.item, *declared)?;
        parameters.push(format!("{name}: {}", spelling.ty(&ty)?));
    }
    let arguments: Vec<&str> = captured.iter().map(|(name, _)| name.as_str()).collect();
    Some((parameters.join(", "), arguments.join(", ")))
}

/// The two edits of an extraction.
struct Written {
    declaration: String,
    /// Replaces the selection.
    call: String,
    /// What the types of the declaration need.
    imports: Vec<LocatedEdit>,
}

/// The action that writes a declaration after the item, and its call in the place of what is selected.
fn declared(place: &Place<'_>, selected: Span, what: &str, written: Written) -> CodeAction {
    let mut edits = written.imports;
    edits.push(place.replace(selected, written.call));
    edits.push(place.insert(place.tree.span.end, written.declaration));
    CodeAction {
        title: format!("extract into a {what}"),
        kind: ActionKind::Extract,
        edits,
        fixes: None,
    }
}

/// The locals that `span` uses and does not bind itself, in the order of first use; `None` when the item's own type parameters are among
/// them, which no other function knows.
fn captures(place: &Place<'_>, span: Span) -> Option<Vec<(Name, Span)>> {
    let mut found: Vec<(Name, Span)> = Vec::new();
    for it in place.names() {
        let Symbol::Local { item, declared } = it.symbol else {
            continue;
        };
        let is_own = item == place.item && span.holds(it.span) && !span.holds(declared);
        if !is_own {
            continue;
        }
        let is_generic = place
            .tree
            .body
            .generics()
            .iter()
            .any(|it| it.span == declared);
        if is_generic {
            return None;
        }
        let name = place.text(declared);
        if found.iter().all(|(_, known)| *known != declared) {
            found.push((name, declared));
        }
    }
    Some(found)
}

/// Whether code in `span` leaves what is around it, assigns variables of it, or begins what belongs to it.
fn changes_flow(place: &Place<'_>, span: Span) -> bool {
    let mut loops = Vec::new();
    let (mut left, mut found) = (Vec::new(), false);
    visit_nodes(place.tree, |node| {
        if !node_span(node).is_some_and(|it| span.holds(it)) {
            return;
        }
        match node {
            Child::Expression(it) => {
                if let ExpressionKind::For { body, .. } | ExpressionKind::While { body, .. } =
                    &it.kind
                {
                    loops.push(body.span);
                } else if let ExpressionKind::Break | ExpressionKind::Continue = it.kind {
                    left.push(it.span);
                }
                found |= matches!(
                    it.kind,
                    ExpressionKind::Return(_)
                        | ExpressionKind::Spawn(_)
                        | ExpressionKind::Undo { .. }
                );
            }
            Child::Statement(it) => {
                found |= match &it.kind {
                    StatementKind::Assign { target, .. } => !is_declared_in(place, span, target),
                    StatementKind::State { .. } | StatementKind::Defer(_) => true,
                    StatementKind::Let { .. }
                    | StatementKind::Var { .. }
                    | StatementKind::Expression(_)
                    | StatementKind::Assert { .. }
                    | StatementKind::Mock { .. }
                    | StatementKind::MockAgent { .. }
                    | StatementKind::Invalid => false,
                };
            }
            Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
        }
    });
    let stays = |it: &Span| loops.iter().any(|around| around.holds(*it));
    found || !left.iter().all(stays)
}

/// Whether the variables that an assignment changes are declared in `span`.
fn is_declared_in(place: &Place<'_>, span: Span, target: &Expression) -> bool {
    let mut assigned = roots(target).into_iter();
    assigned.all(|root| {
        let mut named = place.names().iter().filter(|it| it.span == root.span);
        named.any(|it| match it.symbol {
            Symbol::Local { declared, .. } => span.holds(declared),
            Symbol::Item(_) | Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => {
                false
            }
        })
    })
}
