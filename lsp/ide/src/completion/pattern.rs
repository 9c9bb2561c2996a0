//! Patterns: the variants and literals of what is matched, the fields of a record, and the errors of a `catch`.

use gsw_names::types::Type;
use gsw_names::{Definition, resolve_name, type_declaration};
use gsw_source::{ItemId, ItemKind, Span};
use gsw_syntax::ast::{self, Child, PatternKind};

use super::Cursor;
use super::expected::{matched, taken};
use super::expression::values_of;
use super::item::{Calling, Completion, CompletionKind, of_item};
use super::name::{Wanted, names};
use super::site::{Site, record_named};
use crate::raised::raised_in;
use crate::speculation::MARKER;

pub fn patterns(cursor: &Cursor<'_>, ty: Option<&Type>, raised: &[ItemId]) -> Vec<Completion> {
    let mut found = match ty {
        Some(Type::Error) => errors(cursor, raised),
        Some(Type::Record(record, _)) => record_pattern(cursor, *record),
        Some(ty) => {
            let mut values = values_of(cursor, ty);
            values.iter_mut().for_each(name_payload);
            values
        }
        None => names(cursor, Wanted::Values, Calling::Name, 4)
            .into_iter()
            .filter(|it| {
                matches!(
                    it.kind,
                    CompletionKind::Variant | CompletionKind::Item(ItemKind::Const)
                )
            })
            .collect(),
    };
    found.push(Completion::new("_", CompletionKind::Keyword, 6).detail("everything else"));
    found
}

/// `High($0)` of an expression becomes `High(why)`: a pattern names what it takes.
fn name_payload(it: &mut Completion) {
    let names = it.detail.as_deref().and_then(payload_names);
    if let Some(names) = names
        && it.insert.ends_with("($0)")
    {
        it.insert = format!("{}({names})", it.label);
    }
}

/// `a, b` of `E.V(a: int, b: string)`.
fn payload_names(head: &str) -> Option<String> {
    let (_, payload) = head.split_once('(')?;
    let fields = payload.strip_suffix(')')?.split(", ");
    let names: Vec<&str> = fields
        .filter_map(|it| it.split_once(": ").map(|(name, _)| name))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The errors that can be caught: those in scope, first what is raised, and the family of what a model's call raises.
fn errors(cursor: &Cursor<'_>, raised: &[ItemId]) -> Vec<Completion> {
    let db = cursor.db;
    let mut found: Vec<Completion> = gsw_names::visible_names(db, cursor.file)
        .iter()
        .filter_map(
            |name| match gsw_names::resolve_name(db, cursor.file, name)? {
                gsw_names::Definition::Item(item) if item.kind(db) == ItemKind::Error => {
                    let rank = if raised.contains(&item) { 0 } else { 1 };
                    let completion = of_item(db, name, item, Calling::Name, rank);
                    let fields = type_declaration(db, item).declaration.fields();
                    let names: Vec<&str> = fields.iter().map(|it| it.name.as_str()).collect();
                    Some(match names.is_empty() {
                        true => completion,
                        false => completion.insert(format!("{name}({})", names.join(", "))),
                    })
                }
                gsw_names::Definition::Item(_)
                | gsw_names::Definition::Variant { .. }
                | gsw_names::Definition::Module(_) => None,
            },
        )
        .collect();
    found.push(
        Completion::new("ModelError", CompletionKind::Item(ItemKind::Error), 2)
            .detail("every error of a model's call"),
    );
    found
}

/// A record taken apart into all of its fields.
fn record_pattern(cursor: &Cursor<'_>, record: ItemId) -> Vec<Completion> {
    let fields = type_declaration(cursor.db, record).declaration.fields();
    let names: Vec<&str> = fields.iter().map(|it| it.name.as_str()).collect();
    let name = record.name(cursor.db);
    let text = format!("{name} {{ {} }}", names.join(", "));
    let completion = Completion::new(name.as_str(), CompletionKind::Item(ItemKind::Record), 0);
    vec![completion.insert(text)]
}

/// What a pattern with the marker in it may become.
pub fn in_pattern(
    cursor: &Cursor<'_>,
    item: ItemId,
    pattern: &ast::Pattern,
    nodes: &[Child<'_>],
) -> Option<Site> {
    let is_marked =
        |path: &[ast::Identifier]| path.last().is_some_and(|it| it.name.contains(MARKER));
    if let PatternKind::Binding(name) = &pattern.kind
        && name.name.contains(MARKER)
    {
        // In a record's braces a name alone is a field's.
        let field = record_around(cursor, nodes, name.span);
        return field.or_else(|| Some(matched_by(cursor, item, nodes)));
    }
    let PatternKind::Variant { path, .. } = &pattern.kind else {
        return None;
    };
    if !is_marked(path) {
        return None;
    }
    let [owner, _] = path.as_slice() else {
        return Some(matched_by(cursor, item, nodes));
    };
    match resolve_name(cursor.db, cursor.file, &owner.name)? {
        Definition::Item(owner) => Some(Site::VariantOf { owner }),
        Definition::Module(module) => Some(Site::ModuleMember { module }),
        Definition::Variant { .. } => None,
    }
}

/// A pattern, with what is matched and what the other arms take already.
fn matched_by(cursor: &Cursor<'_>, item: ItemId, nodes: &[Child<'_>]) -> Site {
    Site::Pattern {
        ty: matched(cursor, item, nodes),
        taken: taken(nodes),
        raised: raised(cursor, item, nodes),
    }
}

/// The errors of the value whose `catch` the pattern stands in.
fn raised(cursor: &Cursor<'_>, item: ItemId, nodes: &[Child<'_>]) -> Vec<ItemId> {
    let caught = nodes.iter().rev().find_map(|node| {
        let Child::Expression(it) = node else {
            return None;
        };
        if let ast::ExpressionKind::Catch { value, .. } = &it.kind {
            return Some(value.span);
        }
        None
    });
    let errors = caught.map(|it| raised_in(cursor.db, item, it));
    errors.into_iter().flatten().map(|it| it.1).collect()
}

/// The record whose fields a pattern takes apart, when the name at `span` is one of its fields.
fn record_around(cursor: &Cursor<'_>, nodes: &[Child<'_>], span: Span) -> Option<Site> {
    nodes.iter().rev().find_map(|node| {
        let Child::Pattern(pattern) = node else {
            return None;
        };
        let PatternKind::Record { path, fields, .. } = &pattern.kind else {
            return None;
        };
        let mut own = fields.iter().filter(|it| it.pattern.span == span);
        // A field that is named by its value alone has both at one place.
        let is_field = own.any(|it| it.name.as_ref().is_none_or(|it| it.span == span));
        let owner = record_named(cursor, path)?;
        let names = fields
            .iter()
            .filter_map(|it| it.name.as_ref().map(|it| it.name.clone()));
        is_field.then(|| Site::RecordField {
            fields: owner,
            taken: names.collect(),
        })
    })
}
