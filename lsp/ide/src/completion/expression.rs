//! Expressions and the beginnings of statements.

use gsw_names::types::Type;
use gsw_names::{Parameter, TypeDeclarationKind, type_declaration};
use gsw_source::{Db, ItemKind};
use gsw_syntax::item_ast;

use super::Cursor;
use super::auto_import::importable;
use super::item::{Calling, Completion, CompletionKind, of_local, of_variant};
use super::name::{Wanted, names};
use super::site::{Place, Starts, Within};
use super::word;
use crate::scope::visible_at;

pub fn expressions(cursor: &Cursor<'_>, place: &Place) -> Vec<Completion> {
    let db = cursor.db;
    let mut found = Vec::new();
    let is_hook = place.item.kind(db) == ItemKind::Hook;
    match &place.expected.ty {
        Some(Type::Enum(decided, _)) if is_hook => {
            found.extend(super::hook::decisions(db, *decided))
        }
        Some(ty) => found.extend(values_of(cursor, ty)),
        None => {}
    }
    found.extend(argument_names(db, &place.expected.parameters));
    if place.expected.ty == Some(Type::Error) {
        found.extend(names(cursor, Wanted::Errors, Calling::Call, 1));
    }
    if let Some(tree) = item_ast(db, place.item) {
        for local in visible_at(&tree, place.inside) {
            found.push(of_local(db, place.item, &local.name, local.declared));
        }
    }
    if place.within == Within::Check {
        let value = ["it", "self"].map(|it| Completion::new(it, CompletionKind::Variable, 0));
        found.extend(value);
    }
    let calling = match place.expected.ty {
        // A function that is handed over is named, not called.
        Some(Type::Function(_)) => Calling::Name,
        Some(_) | None => Calling::Call,
    };
    found.extend(names(cursor, Wanted::Values, calling, 4));
    found.extend(word::expressions());
    match (place.starts, place.item.kind(db)) {
        (Starts::Statement, kind) => {
            found.extend(word::statements());
            if kind == ItemKind::Test {
                found.extend(word::in_tests());
            }
            if kind == ItemKind::Prompt {
                found.extend(word::prompt_texts());
            }
        }
        (Starts::Bound, ItemKind::Test) => found.push(word::counted_mock()),
        (Starts::Condition, _) => found.push(word::bound_condition()),
        (Starts::Task, _) => found.push(word::detached()),
        (Starts::Bound | Starts::Operand, _) => {}
    }
    found.extend(importable(cursor, Wanted::Values));
    prefer(&mut found, place.expected.ty.as_ref(), cursor);
    found
}

/// The names of arguments for these parameters, with their colon.
pub fn argument_names(db: &dyn Db, parameters: &[Parameter]) -> impl Iterator<Item = Completion> {
    parameters.iter().map(|it| {
        let completion = Completion::new(format!("{}: ", it.name), CompletionKind::Field, 1);
        completion.detail(gsw_names::display_type(db, &it.ty))
    })
}

/// The values of a type that has few: variants, literals, `true` and `false`, `none`.
pub fn values_of(cursor: &Cursor<'_>, ty: &Type) -> Vec<Completion> {
    let text = |text: String| Completion::new(text, CompletionKind::Variant, 0);
    if let Type::Enum(item, _) = ty
        && let TypeDeclarationKind::Enum(variants) =
            &type_declaration(cursor.db, *item).declaration.kind
    {
        let positions = 0..u32::try_from(variants.len()).unwrap_or(0);
        positions
            .filter_map(|it| of_variant(cursor.db, *item, it, 0))
            .collect()
    } else if let Type::Literals(names) = ty {
        names.iter().map(|it| text(format!("{it:?}"))).collect()
    } else if *ty == Type::Bool {
        ["true", "false"].map(|it| text(it.into())).into()
    } else if let Type::Optional(inside) = ty {
        let mut found = values_of(cursor, inside);
        found.push(text("none".into()));
        found
    } else {
        Vec::new()
    }
}

/// Moves what has the type that is wanted before its like.
fn prefer(found: &mut [Completion], wanted: Option<&Type>, cursor: &Cursor<'_>) {
    let Some(wanted) = wanted.map(|it| gsw_names::display_type(cursor.db, it)) else {
        return;
    };
    for it in found {
        let ty = it.detail.as_deref().unwrap_or_default();
        let gives = ty == wanted || ty.ends_with(&format!("-> {wanted}"));
        if gives && it.rank > 1 {
            it.rank -= 1;
        }
    }
}
