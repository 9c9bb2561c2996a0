//! Made-up answers fit whatever is asked for.

use std::sync::Arc;

use gsw_engine::model::ModelRequest;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::{collection, prop_assert, proptest};
use serde_json::{Map, Value, json};

use super::answer;
use crate::request::plain_request;

fn request(schema: Value) -> ModelRequest {
    ModelRequest {
        schema: Some(Arc::new(schema)),
        ..plain_request("sim/default", "Find the bugs in main.rs.")
    }
}

fn value(schema: Value) -> Value {
    serde_json::from_str(&answer(&request(schema), 0)).expect("JSON")
}

#[test]
fn text_repeats_the_prompt() {
    let request = plain_request("sim/default", "Say hello.");
    assert_eq!(answer(&request, 0), "simulated: Say hello.");
    assert_eq!(
        value(json!({"type": "string"})),
        json!("simulated: Find the bugs in main.rs.")
    );
    assert_eq!(
        value(json!({"type": "string", "maxLength": 5})),
        json!("simul")
    );
}

#[test]
fn the_same_request_gets_the_same_answer_and_another_try_another() {
    let schema = json!({"type": "integer", "minimum": 0, "maximum": 1_000_000});
    let request = request(schema);
    assert_eq!(answer(&request, 0), answer(&request, 0));
    let tries: std::collections::BTreeSet<_> = (0..50).map(|it| answer(&request, it)).collect();
    assert!(tries.len() > 40);
    let waiting = ModelRequest {
        retries: 9,
        ..request.clone()
    };
    assert_eq!(answer(&request, 3), answer(&waiting, 3));
}

#[test]
fn bounds_hold_in_every_try() {
    let schema = json!({"type": "object", "properties": {
        "share": {"type": "number", "exclusiveMinimum": 0.0, "maximum": 1.0},
        "tight": {"type": "number", "exclusiveMinimum": 0.5, "exclusiveMaximum": 0.5001},
        "count": {"type": "integer", "exclusiveMinimum": 2, "exclusiveMaximum": 4},
        "even": {"type": "integer", "multipleOf": 2, "minimum": 1, "maximum": 3},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3,}$", "maxLength": 7},
        "name": {"type": "string", "minLength": 60, "maxLength": 61},
        "site": {"type": "string", "pattern": "\\.org$", "allOf": [{"pattern": "^https://"}, {"pattern": "@"}]},
        "mail": {"type": "string", "pattern": "@", "minLength": 5},
        "list": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 3, "maxItems": 4},
    }});
    let request = request(schema);
    for attempt in 0..100 {
        let it: Value = serde_json::from_str(&answer(&request, attempt)).expect("JSON");
        let share = it["share"].as_f64().expect("a number");
        assert!(share > 0.0 && share <= 1.0);
        let tight = it["tight"].as_f64().expect("a number");
        assert!(tight > 0.5 && tight < 0.5001);
        assert_eq!((&it["count"], &it["even"]), (&json!(3), &json!(2)));
        let code = it["code"].as_str().expect("a string");
        assert!((6..=7).contains(&code.len()) && code.as_bytes()[2] == b'-');
        let site = it["site"].as_str().expect("a string");
        assert!(site.starts_with("https://") && site.ends_with(".org") && site.contains('@'));
        let mail = it["mail"].as_str().expect("a string");
        assert!(mail.contains('@') && mail.chars().count() >= 5);
        let name = it["name"].as_str().expect("a string").chars().count();
        assert!((60..=61).contains(&name));
        assert!((3..=4).contains(&it["list"].as_array().expect("a list").len()));
    }
}

#[test]
fn recursion_ends() {
    let node = json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "left": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}});
    let expression = json!({"anyOf": [
        {"type": "object", "properties": {"kind": {"const": "Add"},
            "a": {"$ref": "#/$defs/Expression"}, "b": {"$ref": "#/$defs/Expression"}}},
        {"type": "object", "properties": {"kind": {"const": "Lit"}, "x": {"type": "integer"}}}]});
    let schema = json!({"type": "array", "prefixItems":
        [{"$ref": "#/$defs/Node"}, {"$ref": "#/$defs/Expression"}],
        "$defs": {"Node": node, "Expression": expression}});
    let request = request(schema);
    for attempt in 0..100 {
        let text = answer(&request, attempt);
        assert!(text.len() < 200_000);
        let it: Value = serde_json::from_str(&text).expect("JSON");
        assert!(it[0]["name"].is_string() && it[1]["kind"].is_string());
    }
}

/// Schemas as types give them: bounds beside choices too.
fn schemas() -> impl Strategy<Value = Value> {
    let bounds = |least: &'static str, most: &'static str| {
        (0u64..5, 0u64..5).prop_map(move |(from, more)| json!({ least: from, most: from + more }))
    };
    let with = |kind: &'static str| {
        move |mut bounds: Value| {
            bounds["type"] = kind.into();
            bounds
        }
    };
    let leaf = prop_oneof![
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "string", "enum": ["a", "b"]})),
        bounds("minimum", "maximum").prop_map(with("integer")),
        bounds("minimum", "maximum").prop_map(with("number")),
        bounds("minLength", "maxLength").prop_map(with("string")),
    ];
    leaf.prop_recursive(3, 20, 3, move |inner| {
        let list = (bounds("minItems", "maxItems"), inner.clone()).prop_map(|(mut it, items)| {
            it["type"] = "array".into();
            it["items"] = items;
            it
        });
        let map =
            (bounds("minProperties", "maxProperties"), inner.clone()).prop_map(|(mut it, of)| {
                it["type"] = "object".into();
                it["additionalProperties"] = of;
                it
            });
        let optional = (inner.clone(), any::<bool>()).prop_map(|(of, is_bounded)| {
            let mut it = json!({"anyOf": [of, {"type": "null"}]});
            if is_bounded {
                // The lower bounds are below, so there is always a value.
                it["maxLength"] = 4.into();
                it["maximum"] = 4.into();
            }
            it
        });
        let record = collection::btree_map("[a-c]", inner, 0..4).prop_map(|fields| {
            let fields: Map<String, Value> = fields.into_iter().collect();
            json!({"type": "object", "properties": fields, "additionalProperties": false})
        });
        prop_oneof![list, map, optional, record]
    })
}

/// Whether the value keeps to a schema of these.
fn keeps(value: &Value, schema: &Value) -> bool {
    let within = |least: &str, most: &str, size: f64| {
        schema[least].as_f64().is_none_or(|it| size >= it)
            && schema[most].as_f64().is_none_or(|it| size <= it)
    };
    let shape = match value {
        Value::String(text) => within("minLength", "maxLength", text.chars().count() as f64),
        Value::Number(it) => within("minimum", "maximum", it.as_f64().unwrap_or(f64::NAN)),
        Value::Array(items) => {
            within("minItems", "maxItems", items.len() as f64)
                && items.iter().all(|it| keeps(it, &schema["items"]))
        }
        Value::Object(fields) => {
            let field = |name: &String| {
                schema["properties"]
                    .get(name)
                    .unwrap_or(&schema["additionalProperties"])
            };
            within("minProperties", "maxProperties", fields.len() as f64)
                && fields.iter().all(|(name, it)| keeps(it, field(name)))
        }
        Value::Bool(_) | Value::Null => true,
    };
    let kind = match schema["type"].as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    let choice = schema["anyOf"].as_array();
    shape
        && kind
        && choice.is_none_or(|it| it.iter().any(|it| keeps(value, it)))
        && schema["enum"]
            .as_array()
            .is_none_or(|it| it.contains(value))
}

proptest! {
    #[test]
    fn every_answer_keeps_to_its_schema(schema in schemas(), attempt in 0u32..5) {
        let text = answer(&request(schema.clone()), attempt);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        prop_assert!(keeps(&value, &schema), "{text} for {schema}");
    }
}
