//! Locals and parameters that nothing reads.

mod meant;

use std::cell::LazyCell;
use std::collections::HashSet;

use gsw_infer::ItemBodies;
use gsw_infer::hir::{Body, BodyPart, ExpressionKind, LocalId, LocalKind, StatementKind};
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};

use crate::errors::{self, Unused};
use crate::lints::missing_dollar;
use meant::Bindings;

pub(super) fn check(db: &dyn Db, inferred: &ItemBodies, found: &mut Vec<Diagnostic>) {
    for body in &inferred.bodies {
        match body.part {
            BodyPart::Main | BodyPart::Messages => check_locals(db, body, inferred, found),
            // Expressions, whose locals are those of closures.
            BodyPart::ParameterDefault(_)
            | BodyPart::FieldDefault { .. }
            | BodyPart::FieldCheck(_)
            | BodyPart::AliasCheck
            | BodyPart::User
            | BodyPart::System
            | BodyPart::Example(_)
            | BodyPart::Settings
            | BodyPart::Key
            | BodyPart::Handler(_)
            | BodyPart::Rows => {}
        }
    }
}

fn check_locals(db: &dyn Db, main: &Body, inferred: &ItemBodies, found: &mut Vec<Diagnostic>) {
    let item = main.item;
    let read = read_locals(main);
    let assigned = assigned_locals(main);
    // One mistake has one report: these are read as soon as the text shows them.
    let mentioned = LazyCell::new(|| missing_dollar::mentioned(db, main));
    let bindings = LazyCell::new(|| Bindings::new(db, main));
    let silenced = silenced(main);
    let mut elsewhere: HashSet<usize> = HashSet::new();
    for body in inferred.bodies.iter().filter(|it| it.part != main.part) {
        let read = read_locals(body);
        let parameters = body.parameters.iter().enumerate();
        elsewhere.extend(
            parameters
                .filter(|(_, it)| read.contains(it))
                .map(|(index, _)| index),
        );
    }
    for (index, local) in (0u32..).zip(&main.locals) {
        let id = LocalId(index);
        let is_silent =
            local.name.is_empty() || local.name.starts_with('_') || local.name == "self";
        if is_silent
            || read.contains(&id)
            || local.kind == LocalKind::State
            || local.span.start == local.span.end
            || mentioned.contains(local.name.as_str())
        {
            continue;
        }
        let position = main.parameters.iter().position(|it| *it == id);
        if position.is_some_and(|it| elsewhere.contains(&it) || is_interface(db, item)) {
            continue;
        }
        let place = Place::Item {
            item,
            span: local.span,
        };
        found.push(match local.kind {
            LocalKind::Parameter if item.kind(db) == ItemKind::Workflow && position.is_some() => {
                errors::unused_local(place, Unused::Option, &local.name)
            }
            LocalKind::Parameter => errors::unused_local(place, Unused::Parameter, &local.name),
            LocalKind::Var if assigned.contains(&id) => errors::unread_variable(place, &local.name),
            _ if inferred.short_fields.contains(&local.span) => {
                errors::unused_field(place, &local.name)
            }
            LocalKind::Let if matches!(local.ty, Type::Task(_)) => {
                errors::unused_task(place, &local.name)
            }
            LocalKind::Let | LocalKind::Var | LocalKind::State => match bindings.meant(id) {
                Some(meant) => errors::misused_local(place, &local.name, meant),
                None if silenced.contains(local.name.as_str()) => {
                    errors::unused_local(place, Unused::Beside, &local.name)
                }
                None => errors::unused_local(place, Unused::Variable, &local.name),
            },
        });
    }
}

/// The parameters of a tool or prompt are seen by models and users, which may give what the body ignores.
fn is_interface(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item.kind(db),
        ItemKind::Tool | ItemKind::Prompt | ItemKind::Human | ItemKind::External
    )
}

/// The names that are also those of another local with a `_` before it.
fn silenced(body: &Body) -> HashSet<&str> {
    let locals = body.locals.iter();
    locals.filter_map(|it| it.name.strip_prefix('_')).collect()
}

pub(super) fn read_locals(body: &Body) -> HashSet<LocalId> {
    let read = body.expressions.iter().filter_map(|it| {
        let ExpressionKind::Local(local) = it.kind else {
            return None;
        };
        Some(local)
    });
    read.collect()
}

pub(super) fn assigned_locals(body: &Body) -> HashSet<LocalId> {
    let mut found = HashSet::new();
    for expression in &body.expressions {
        if let ExpressionKind::Block { statements, .. } = &expression.kind {
            found.extend(statements.iter().filter_map(|it| match &it.kind {
                StatementKind::Assign { local, .. } => Some(*local),
                StatementKind::Let { .. }
                | StatementKind::Var { .. }
                | StatementKind::Expression(_)
                | StatementKind::Defer(_)
                | StatementKind::Assert { .. }
                | StatementKind::AssertFails { .. }
                | StatementKind::AssertSnapshot { .. }
                | StatementKind::Mock { .. }
                | StatementKind::MockAgent { .. } => None,
            }));
        }
    }
    found
}
