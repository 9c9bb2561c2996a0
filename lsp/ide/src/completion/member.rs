//! What can follow a dot, and the fields of records.

use gsw_names::types::Type;
use gsw_names::{
    KnownItem, alias_target, member_names, method, method_names, substitute, type_declaration,
};
use gsw_source::{File, ItemId, ItemKind, LocatedEdit, Location, Name, Span};

use super::Cursor;
use super::item::{Calling, Completion, CompletionKind, of_field, of_item, of_method, of_variant};
use crate::cursor::in_file;
use crate::expression_type::expression_type;
use crate::importing::declared;

/// The fields and methods of the value at `base`.
pub fn members(cursor: &Cursor<'_>, item: ItemId, base: Span) -> Vec<Completion> {
    let db = cursor.db;
    let Some(ty) = expression_type(db, item, base) else {
        return Vec::new();
    };
    let Type::Optional(inside) = &ty else {
        return of_type(cursor, &ty);
    };
    let mut inside = of_type(cursor, inside);
    let end = in_file(db, item, base).end;
    let text = cursor.file.text(db);
    let dot = text.get(end as usize..).unwrap_or_default();
    if dot.trim_start().starts_with("?.") {
        return inside;
    }
    // A dot alone is enough for what the absent value has as well; for the rest a question mark is put before it.
    let at = end + u32::try_from(dot.len() - dot.trim_start().len()).unwrap_or(0);
    let location = Location {
        file: cursor.file,
        span: Span::new(at, at),
    };
    for it in &mut inside {
        it.rank += 1;
        it.imports = vec![LocatedEdit {
            location,
            text: "?".to_owned(),
        }];
    }
    let own = methods(cursor, &ty);
    inside.retain(|it| own.iter().all(|other| other.label != it.label));
    inside.extend(own);
    inside
}

fn of_type(cursor: &Cursor<'_>, ty: &Type) -> Vec<Completion> {
    let mut found = fields(cursor, ty);
    found.extend(methods(cursor, ty));
    found
}

fn methods(cursor: &Cursor<'_>, ty: &Type) -> Vec<Completion> {
    let db = cursor.db;
    let names = method_names(db, ty).into_iter();
    names
        .filter_map(|name| Some(of_method(db, &name, method(db, ty, &name)?, 3)))
        .collect()
}

fn fields(cursor: &Cursor<'_>, ty: &Type) -> Vec<Completion> {
    let db = cursor.db;
    if let Type::Checked(item, arguments) = ty {
        fields(cursor, &substitute(&alias_target(db, *item), arguments))
    } else if let Type::Partial(whole) = ty {
        let mut found = fields(cursor, whole);
        for it in &mut found {
            let ty = it.detail.take().unwrap_or_default();
            it.detail = Some(format!("{}?", ty.trim_end_matches('?')));
        }
        found
    } else if let Type::Record(item, arguments) = ty {
        let declared = declared_fields(cursor, *item);
        let shown = declared.iter().map(|it| {
            let own = substitute(&it.ty, arguments);
            of_field(db, *item, it, 0).detail(gsw_names::display_type(db, &own))
        });
        shown.collect()
    } else if let Type::Tuple(parts) = ty {
        let numbered = (0u32..).zip(parts.iter());
        let shown = numbered.map(|(index, part)| {
            let completion = Completion::new(index.to_string(), CompletionKind::Field, 0);
            completion.detail(gsw_names::display_type(db, part))
        });
        shown.collect()
    } else {
        Vec::new()
    }
}

fn declared_fields<'db>(cursor: &Cursor<'db>, item: ItemId) -> &'db [gsw_names::Parameter] {
    type_declaration(cursor.db, item).declaration.fields()
}

/// The fields of a record that are not written yet.
pub fn fields_left(cursor: &Cursor<'_>, item: ItemId, taken: &[Name]) -> Vec<Completion> {
    let left = declared_fields(cursor, item).iter();
    left.filter(|it| !taken.contains(&it.name))
        .map(|it| {
            let rank = match it.default {
                gsw_names::Presence::Absent => 0,
                gsw_names::Presence::Present => 1,
            };
            let text = format!("{}: ", it.name);
            of_field(cursor.db, item, it, rank).insert(text)
        })
        .collect()
}

/// The ways to ask a prompt that give more than its answer.
pub fn of_prompt() -> Vec<Completion> {
    let way = |name: &str, detail: &str| {
        let completion = Completion::new(name, CompletionKind::Method, 0);
        completion.call().detail(detail)
    };
    vec![
        way("detail", "the answer with its usage, cost and model"),
        way("stream", "the answer while it arrives"),
    ]
}

/// The public declarations of a module.
pub fn of_module(cursor: &Cursor<'_>, module: File) -> Vec<Completion> {
    let db = cursor.db;
    member_names(db, module)
        .into_iter()
        .filter_map(|name| {
            let item = declared(db, module, &name, cursor.file)?;
            Some(of_item(db, &name, item, Calling::Call, 2))
        })
        .collect()
}

/// The tools that are declared by an MCP server, and what every server can do.
pub fn of_server(
    cursor: &Cursor<'_>,
    server: ItemId,
    value: Option<(ItemId, Span)>,
) -> Vec<Completion> {
    let db = cursor.db;
    let tools = gsw_names::server_tools(db, server).into_iter();
    let calling = match value {
        Some(_) => Calling::Call,
        None => Calling::Name,
    };
    let mut found: Vec<Completion> = tools
        .map(|it| of_item(db, it.name(db), it, calling, 0))
        .collect();
    if let Some((item, base)) = value {
        found.extend(members(cursor, item, base));
    }
    found
}

/// How a server is reached.
pub fn transports(cursor: &Cursor<'_>) -> Vec<Completion> {
    let known = [KnownItem::McpStdio, KnownItem::McpHttp];
    let items = known.into_iter().filter_map(|it| it.item(cursor.db));
    items
        .map(|it| of_item(cursor.db, it.name(cursor.db), it, Calling::Call, 0))
        .collect()
}

/// The variants of an enum, and the list of them where it has no payloads.
pub fn of_enum(cursor: &Cursor<'_>, item: ItemId) -> Vec<Completion> {
    let db = cursor.db;
    if item.kind(db) != ItemKind::Enum {
        return Vec::new();
    }
    let variants = type_declaration(db, item).declaration.variants();
    let positions = 0..u32::try_from(variants.len()).unwrap_or(0);
    let mut found: Vec<Completion> = positions
        .filter_map(|it| of_variant(db, item, it, 0))
        .collect();
    if gsw_names::is_plain_enum(db, item) {
        let completion = Completion::new("values", CompletionKind::Method, 1);
        found.push(
            completion
                .insert("values()")
                .detail(format!("[{}]", item.name(db))),
        );
    }
    found
}
