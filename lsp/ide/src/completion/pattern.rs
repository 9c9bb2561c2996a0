//! Patterns: the variants and literals of what is matched, the fields of a record, and the errors of a `catch`.

use gsw_names::types::Type;
use gsw_names::{
    Definition, Parameter, item_signature, resolve_name, type_declaration, visible_names,
};
use gsw_source::{Db, ItemId, ItemKind, Span};
use gsw_syntax::ast::{self, Child, PatternKind};

use super::Cursor;
use super::expected::{matched, payload, present, taken};
use super::expression::values_of;
use super::item::{Calling, Completion, CompletionKind, Insert, model_errors, of_item};
use super::name::{Wanted, names};
use super::site::{Site, record_named};
use crate::raised::raised_in;
use crate::speculation::MARKER;
use crate::spelling::Spelling;

pub fn patterns(cursor: &Cursor<'_>, ty: Option<&Type>, raised: &[ItemId]) -> Vec<Completion> {
    let mut found = match ty {
        Some(Type::Error) => errors(cursor, raised),
        Some(Type::Record(record, _)) => record_pattern(cursor, *record),
        Some(ty) => {
            let mut values = values_of(cursor, ty);
            let named = values.iter_mut();
            named.for_each(|it| name_payload(cursor.db, ty, it));
            values.extend(constants(cursor, ty));
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

/// The constants of a type, which a pattern compares with.
fn constants(cursor: &Cursor<'_>, ty: &Type) -> Vec<Completion> {
    let db = cursor.db;
    let whole = present(ty.clone());
    let found = visible_names(db, cursor.file)
        .into_iter()
        .filter_map(|name| {
            let Definition::Item(item) = resolve_name(db, cursor.file, &name)? else {
                return None;
            };
            let is_wanted = item.kind(db) == ItemKind::Const
                && item_signature(db, item).signature.result == whole;
            is_wanted.then(|| of_item(db, &name, item, Calling::Name, 1))
        });
    found.collect()
}

/// `High($0)` of an expression becomes `High(why)`: a pattern names what it takes.
fn name_payload(db: &dyn Db, ty: &Type, value: &mut Completion) {
    if let Type::Optional(inside) = ty {
        return name_payload(db, inside, value);
    }
    let Type::Enum(item, _) = ty else {
        return;
    };
    let variants = type_declaration(db, *item).declaration.variants();
    let own = variants.iter().find(|it| it.name == value.label.as_str());
    if let Some(variant) = own.filter(|it| !it.fields.is_empty()) {
        let text = format!("{}({})", value.label, field_names(&variant.fields));
        value.insert = Insert::Plain(text);
    }
}

fn field_names(fields: &[Parameter]) -> String {
    let names: Vec<&str> = fields.iter().map(|it| it.name.as_str()).collect();
    names.join(", ")
}

/// The errors that can be caught: those in scope, first what is raised, and the family of what a model's call raises.
fn errors(cursor: &Cursor<'_>, raised: &[ItemId]) -> Vec<Completion> {
    let db = cursor.db;
    let mut found: Vec<Completion> = visible_names(db, cursor.file)
        .iter()
        .filter_map(|name| match resolve_name(db, cursor.file, name)? {
            Definition::Item(item) if item.kind(db) == ItemKind::Error => {
                let rank = if raised.contains(&item) { 0 } else { 1 };
                let completion = of_item(db, name, item, Calling::Name, rank);
                let fields = type_declaration(db, item).declaration.fields();
                Some(match fields.is_empty() {
                    true => completion,
                    false => completion.insert(format!("{name}({})", field_names(fields))),
                })
            }
            Definition::Item(_) | Definition::Variant { .. } | Definition::Module(_) => None,
        })
        .collect();
    found.extend(raised.iter().filter_map(|it| not_imported(cursor, *it)));
    found.push(model_errors());
    let modules = names(cursor, Wanted::Errors, Calling::Name, 4).into_iter();
    found.extend(modules.filter(|it| it.kind == CompletionKind::Module));
    found
}

/// An error that is raised and not in scope, with the import that brings it.
fn not_imported(cursor: &Cursor<'_>, error: ItemId) -> Option<Completion> {
    let db = cursor.db;
    let mut spelling = Spelling::new(db, cursor.file);
    let name = spelling.item(error)?;
    if resolve_name(db, cursor.file, &name) == Some(Definition::Item(error)) {
        return None;
    }
    let completion = of_item(db, &name, error, Calling::Name, 0);
    let fields = type_declaration(db, error).declaration.fields();
    let completion = match fields.is_empty() {
        true => completion,
        false => completion.insert(format!("{name}({})", field_names(fields))),
    };
    Some(Completion {
        imports: spelling.imports(),
        ..completion
    })
}

/// A record taken apart into all of its fields.
fn record_pattern(cursor: &Cursor<'_>, record: ItemId) -> Vec<Completion> {
    let fields = type_declaration(cursor.db, record).declaration.fields();
    let name = record.name(cursor.db);
    let text = format!("{name} {{ {} }}", field_names(fields));
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
        return field.or_else(|| Some(matched_by(cursor, item, nodes, name.span)));
    }
    if let PatternKind::Record { path, fields, .. } = &pattern.kind {
        let names = || fields.iter().filter_map(|it| it.name.as_ref());
        if names().any(|it| it.name.contains(MARKER)) {
            return Some(Site::RecordField {
                fields: record_named(cursor, path)?,
                taken: names().map(|it| it.name.clone()).collect(),
            });
        }
        return match is_marked(path) {
            true => in_path(cursor, item, path, nodes),
            false => None,
        };
    }
    let PatternKind::Variant { path, fields, .. } = &pattern.kind else {
        return None;
    };
    let names = || fields.iter().flatten().filter_map(|it| it.name.as_ref());
    if names().any(|it| it.name.contains(MARKER)) {
        let mut parameters = payload(cursor, path, matched(cursor, item, nodes))?;
        parameters.retain(|it| names().all(|name| name.name != it.name));
        return Some(Site::ArgumentName { parameters });
    }
    match is_marked(path) {
        true => in_path(cursor, item, path, nodes),
        false => None,
    }
}

/// At the end of the path of a pattern with parts.
fn in_path(
    cursor: &Cursor<'_>,
    item: ItemId,
    path: &[ast::Identifier],
    nodes: &[Child<'_>],
) -> Option<Site> {
    let [owner, _] = path else {
        let own = path.first()?.span;
        return Some(matched_by(cursor, item, nodes, own));
    };
    match resolve_name(cursor.db, cursor.file, &owner.name)? {
        Definition::Item(owner) => Some(Site::VariantOf { owner }),
        Definition::Module(module) => Some(Site::ModuleMember { module }),
        Definition::Variant { .. } => None,
    }
}

/// A pattern, with what is matched and what the other arms take already.
fn matched_by(cursor: &Cursor<'_>, item: ItemId, nodes: &[Child<'_>], own: Span) -> Site {
    Site::Pattern {
        ty: matched(cursor, item, nodes),
        taken: taken(nodes, own.start),
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
