//! Keys of JSON that are called like a field. A rename leaves them as they are, since it is unknown whose keys they are, and the
//! user is told of them.

use gsw_infer::hir::{Body, Expression, ExpressionId, ExpressionKind};
use gsw_infer::infer_item;
use gsw_names::type_declaration;
use gsw_names::types::Type;
use gsw_source::{Db, File, Location};
use gsw_syntax::file_item_ids;

use crate::cursor::{cursor, in_file};
use crate::meaning::files_with_words;
use crate::symbol::Symbol;

/// Where JSON has a key with the name of the field at `offset`, in the files of the project; nothing for a field that is called otherwise in
/// JSON, or no field at all.
#[must_use]
pub fn keys_left_behind(db: &dyn Db, file: File, offset: u32) -> Vec<Location> {
    let Some(name) = cursor(db, file, offset).and_then(|it| key(db, it.symbol)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for file in files_with_words(db, &[&name]) {
        for item in file_item_ids(db, file).iter().copied() {
            for body in &infer_item(db, item).bodies {
                let named = body.expressions.iter();
                let named = named.filter(|it| names_key(body, it, &name));
                found.extend(named.map(|it| Location {
                    file,
                    span: in_file(db, item, it.span),
                }));
            }
        }
    }
    found
}

/// The name of a record's field that is its key in JSON as well.
fn key(db: &dyn Db, symbol: Symbol) -> Option<String> {
    let Symbol::Field { item, field, .. } = symbol else {
        return None;
    };
    let fields = type_declaration(db, item).declaration.fields();
    let field = fields.get(field as usize)?;
    (field.name == field.wire).then(|| field.name.to_string())
}

/// `j.name`, `j["name"]`, `j.get("name")`, and a text with `"name":` in it.
fn names_key(body: &Body, it: &Expression, key: &str) -> bool {
    let is_json = |id: ExpressionId| body.expression(id).ty == Type::Json;
    let is_key = |id: ExpressionId| matches!(&body.expression(id).kind, ExpressionKind::String(text) if text == key);
    if let ExpressionKind::JsonField { name, .. } = &it.kind {
        return name == key;
    }
    if let ExpressionKind::Index { base, index } = &it.kind {
        return is_json(*base) && is_key(*index);
    }
    if let ExpressionKind::Call { arguments, .. } = &it.kind {
        let has = |is: &dyn Fn(ExpressionId) -> bool| arguments.iter().any(|(_, it)| is(*it));
        return has(&is_json) && has(&is_key);
    }
    if let ExpressionKind::String(text) = &it.kind {
        let quoted = format!("\"{key}\"");
        let mut places = text.match_indices(&quoted);
        return places.any(|(at, _)| {
            let rest = text.get(at + quoted.len()..).unwrap_or_default();
            rest.trim_start().starts_with(':')
        });
    }
    false
}
