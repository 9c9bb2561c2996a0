//! What a person reads in a form in place of the words of choices: the docs of an enum's variants, or their names.
//!
//! Docs are the titles that the protocol has since 2025-11-25. Names stand beside the words (`enumNames`), and so do docs for clients
//! of before, which know nothing else. The protocol has deprecated that form, and not taken it away.

use gsw_abi::schema::variant_docs;
use gsw_abi::types::{Enum, Type, TypeId, TypeTable, Variant};
use serde_json::{Map, Value, json};

use crate::mcp::form::Choices;

/// Names the choices of a field that holds a value of this type, where it offers those of an enum that says more than its words.
pub(super) fn give(
    field: &mut Map<String, Value>,
    types: &TypeTable,
    ty: TypeId,
    choices: Choices,
) {
    let Some(it) = choices_of(types, ty) else {
        return;
    };
    let has_other_names = it.variants.iter().any(|it| it.name != it.wire);
    match (variant_docs(it), choices) {
        (Some(docs), Choices::Several) => {
            take_the_place(field, it);
            leave_out(field, &docs);
        }
        (Some(_), Choices::One) => stand_beside(field, it),
        (None, Choices::One | Choices::Several) if has_other_names => stand_beside(field, it),
        (None, Choices::One | Choices::Several) => {}
    }
}

/// The enum whose variants are the choices.
fn choices_of(types: &TypeTable, ty: TypeId) -> Option<&Enum> {
    let ty = types.get(types.base(ty));
    if let Type::Optional(of) | Type::List(of) | Type::Set { of, .. } = ty {
        return choices_of(types, *of);
    }
    let Type::Enum(it) = ty else {
        return None;
    };
    it.is_inline().then_some(it)
}

fn take_the_place(field: &mut Map<String, Value>, it: &Enum) {
    let titled = |it: &Variant| json!({ "const": it.wire, "title": title(it) });
    let choices: Vec<Value> = it.variants.iter().map(titled).collect();
    if let Some(Value::Object(items)) = field.get_mut("items") {
        *items = Map::from_iter([("anyOf".to_owned(), choices.into())]);
    } else if field.remove("enum").is_some() {
        field.insert("oneOf".into(), choices.into());
    }
}

fn stand_beside(field: &mut Map<String, Value>, it: &Enum) {
    if field.contains_key("items") {
        // Lists of choices are younger than titles, and have no other form.
        take_the_place(field, it);
    } else if field.contains_key("enum") {
        let names: Vec<&str> = it.variants.iter().map(title).collect();
        field.insert("enumNames".into(), names.into());
    }
}

fn title(variant: &Variant) -> &str {
    let docs = variant.docs.as_deref();
    docs.and_then(|it| it.lines().next())
        .unwrap_or(&variant.name)
}

/// The schema of the type lists the docs in its description, having no other place for them.
fn leave_out(field: &mut Map<String, Value>, docs: &str) {
    if let Some(Value::String(text)) = field.get_mut("description")
        && let Some(rest) = text.strip_suffix(docs)
    {
        *text = rest.trim_end().to_owned();
        if text.is_empty() {
            field.remove("description");
        }
    }
}

#[cfg(test)]
mod tests {
    use gsw_abi::builtin;
    use gsw_abi::types::{Enum, Type, TypeId, TypeTable, Variant};
    use serde_json::{Value, json};

    use super::give;
    use crate::mcp::form::Choices;

    /// A table with an enum of two variants, `Sea` as `s` with these docs and `Air` as `a`.
    fn ways(docs: Option<&str>) -> (TypeTable, TypeId) {
        let variant = |name: &str, wire: &str, docs: Option<&str>| Variant {
            name: name.into(),
            wire: wire.into(),
            docs: docs.map(str::to_owned),
            fields: Vec::new(),
        };
        let mut types = builtin::type_table();
        let way = TypeId(types.types.len() as u32);
        types.types.push(Type::Enum(Enum {
            name: "Way".into(),
            docs: None,
            variants: vec![variant("Sea", "s", docs), variant("Air", "a", None)],
        }));
        (types, way)
    }

    fn given(docs: Option<&str>, mut field: Value, choices: Choices) -> Value {
        let (types, way) = ways(docs);
        give(
            field.as_object_mut().expect("it is one"),
            &types,
            way,
            choices,
        );
        field
    }

    #[test]
    fn docs_are_titles_and_stand_beside_for_clients_of_before() {
        let docs = Some("By ship.\nIt takes two weeks.");
        let described = "How.\n- `s`: By ship.\nIt takes two weeks.";
        let field = json!({ "type": "string", "enum": ["s", "a"], "description": described });
        let titled =
            json!([{ "const": "s", "title": "By ship." }, { "const": "a", "title": "Air" }]);
        assert_eq!(
            given(docs, field.clone(), Choices::Several),
            json!({ "type": "string", "oneOf": titled, "description": "How." })
        );
        assert_eq!(
            given(docs, field, Choices::One),
            json!({
                "type": "string", "enum": ["s", "a"], "enumNames": ["By ship.", "Air"],
                "description": described,
            })
        );
        let list = json!({ "type": "array", "items": { "type": "string", "enum": ["s", "a"] } });
        let titled = json!({ "type": "array", "items": { "anyOf": titled } });
        assert_eq!(given(docs, list, Choices::Several), titled);
    }

    #[test]
    fn names_stand_beside_the_words_where_they_are_others() {
        let field = json!({ "type": "string", "enum": ["s", "a"] });
        let named = json!({ "type": "string", "enum": ["s", "a"], "enumNames": ["Sea", "Air"] });
        for choices in [Choices::One, Choices::Several] {
            assert_eq!(given(None, field.clone(), choices), named);
        }
        let list = json!({ "type": "array", "items": { "type": "string", "enum": ["s", "a"] } });
        let titled = json!([{ "const": "s", "title": "Sea" }, { "const": "a", "title": "Air" }]);
        assert_eq!(
            given(None, list, Choices::Several),
            json!({ "type": "array", "items": { "anyOf": titled } })
        );
        // Written in a form as JSON, it offers no choices.
        let text = json!({ "type": "string" });
        assert_eq!(given(None, text.clone(), Choices::One), text);
    }
}
