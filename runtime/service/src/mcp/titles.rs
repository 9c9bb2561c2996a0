//! What a person reads in a form in place of the names of choices: the docs of an enum's variants.

use gsw_abi::schema::variant_docs;
use gsw_abi::types::{Enum, Type, TypeId, TypeTable, Variant};
use serde_json::{Map, Value, json};

/// Names the choices of a field that holds a value of this type, where it offers those of an enum with docs.
pub(super) fn give(field: &mut Map<String, Value>, types: &TypeTable, ty: TypeId) {
    let Some((it, docs)) = documented(types, ty) else {
        return;
    };
    let choices: Vec<Value> = it.variants.iter().map(choice).collect();
    if let Some(Value::Object(items)) = field.get_mut("items") {
        *items = Map::from_iter([("anyOf".to_owned(), choices.into())]);
    } else if field.remove("enum").is_some() {
        field.insert("oneOf".into(), choices.into());
    } else {
        return;
    }
    // The schema of the type lists the docs in its description, having no other place for them.
    if let Some(Value::String(text)) = field.get_mut("description")
        && let Some(rest) = text.strip_suffix(&docs)
    {
        *text = rest.trim_end().to_owned();
        if text.is_empty() {
            field.remove("description");
        }
    }
}

/// The enum whose variants are the choices, and the docs that they have together.
fn documented(types: &TypeTable, ty: TypeId) -> Option<(&Enum, String)> {
    let ty = types.get(types.base(ty));
    if let Type::Optional(of) | Type::List(of) | Type::Set { of, .. } = ty {
        return documented(types, *of);
    }
    let Type::Enum(it) = ty else {
        return None;
    };
    it.is_inline().then_some(())?;
    Some((it, variant_docs(it)?))
}

fn choice(variant: &Variant) -> Value {
    let docs = variant.docs.as_deref();
    let title = docs.and_then(|it| it.lines().next());
    json!({ "const": variant.wire, "title": title.unwrap_or(&variant.name) })
}
