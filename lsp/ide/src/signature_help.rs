//! `textDocument/signatureHelp`: the parameters of the call around the cursor, and which of them is being written.

use gsw_names::{Parameter, display_parameter, display_type, item_signature};
use gsw_source::{Database, Db, File, ItemKind};
use gsw_syntax::ast::{Argument, Child, ExpressionKind};
use gsw_syntax::item_ast;

use crate::cursor::{item_at, nodes_at};
use crate::hover::describe;
use crate::parameters::{Called, called, parameters_of};
use crate::speculation::with_marker;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    /// The head with its parameters, result, errors and effects.
    pub label: String,
    /// Each parameter as it is written in the label.
    pub parameters: Vec<String>,
    pub docs: Option<String>,
    /// The parameter that is being written; `None` past the last one.
    pub active: Option<u32>,
}

/// The call around byte `offset` of `file`.
pub fn signature_help(db: &mut Database, file: File, offset: u32) -> Option<SignatureHelp> {
    with_marker(db, file, offset, |db, at| of_call(db, file, at))
}

fn of_call(db: &dyn Db, file: File, offset: u32) -> Option<SignatureHelp> {
    let (item, inside) = item_at(db, file, offset)?;
    let tree = item_ast(db, item)?;
    let nodes = nodes_at(&tree, inside);
    nodes.iter().rev().find_map(|node| {
        let Child::Expression(it) = node else {
            return None;
        };
        let ExpressionKind::Call {
            callee,
            arguments,
            arguments_span,
        } = &it.kind
        else {
            return None;
        };
        // The brackets themselves are no place in them.
        let is_inside = arguments_span.start < inside && inside < arguments_span.end;
        let target = called(db, item, callee.span)?;
        is_inside.then(|| shown(db, target, arguments, inside))
    })
}

fn shown(db: &dyn Db, target: Called, arguments: &[Argument], inside: u32) -> SignatureHelp {
    let declared = parameters_of(db, &target);
    let parameters: Vec<String> = declared
        .iter()
        .map(|it| {
            let default = match it.default {
                gsw_names::Presence::Present => " = …",
                gsw_names::Presence::Absent => "",
            };
            format!("{}: {}{default}", it.name, display_parameter(db, it))
        })
        .collect();
    let (name, result) = match target {
        Called::Item { item, .. } if item.kind(db) != ItemKind::Error => {
            let ty = &item_signature(db, item).signature.result;
            (
                item.name(db).to_string(),
                format!(" -> {}", display_type(db, ty)),
            )
        }
        Called::Item { item, .. } => (item.name(db).to_string(), String::new()),
        Called::Variant { item, variant } => {
            let name = crate::symbol::Symbol::Variant { item, variant };
            let name = crate::symbol::declared_text(db, name).unwrap_or_default();
            (format!("{}.{name}", item.name(db)), String::new())
        }
    };
    let active = arguments.iter().position(|it| {
        let start = it
            .name
            .as_ref()
            .map_or(it.value.span.start, |it| it.span.start);
        start <= inside && inside <= it.value.span.end
    });
    let active = active.and_then(|index| {
        let position = match &arguments[index].name {
            Some(name) => declared.iter().position(|it| it.name == name.name)?,
            None => unnamed(&declared, arguments, index),
        };
        (position < declared.len()).then(|| u32::try_from(position).ok())?
    });
    SignatureHelp {
        label: format!("{name}({}){result}", parameters.join(", ")),
        parameters,
        docs: describe(db, target.symbol()).and_then(|(_, docs)| docs),
        active,
    }
}

/// The parameter that an argument without a name is for: by its place, or behind named ones the first that nothing is given for.
fn unnamed(declared: &[Parameter], arguments: &[Argument], index: usize) -> usize {
    let before = &arguments[..index];
    if before.iter().all(|it| it.name.is_none()) {
        return index;
    }
    let by_place = before.iter().filter(|it| it.name.is_none()).count();
    let is_named = |it: &Parameter| {
        let mut names = arguments.iter().filter_map(|it| it.name.as_ref());
        names.any(|name| name.name == it.name)
    };
    let mut left = declared.iter().skip(by_place);
    let first = left.position(|it| !is_named(it));
    by_place + first.unwrap_or(declared.len())
}
