//! Schemas of records, enums, recursive types and their strict forms.

use serde_json::{Value, json};

use super::{input_schema, schema, schema_hash, schema_of_fields, strict, strict_obstacle};
use crate::builtin;
use crate::program::FunctionIndex;
use crate::types::{
    Bound, Check, CheckScope, Enum, Field, Record, Secrecy, Trust, Type, TypeId, TypeTable, Variant,
};

struct Table(TypeTable);

impl Table {
    fn new() -> Self {
        Self(builtin::type_table())
    }

    fn add(&mut self, ty: Type) -> TypeId {
        self.0.types.push(ty);
        TypeId(self.0.types.len() as u32 - 1)
    }
}

fn field(name: &str, ty: TypeId) -> Field {
    Field {
        name: name.into(),
        wire: name.into(),
        docs: None,
        ty,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    }
}

fn check(source: &str, bounds: Vec<Bound>) -> Option<Check> {
    let function = FunctionIndex(0);
    Some(Check {
        function,
        scope: CheckScope::Value,
        source: source.into(),
        bounds,
    })
}

fn variant(name: &str, fields: Vec<Field>) -> Variant {
    Variant {
        name: name.into(),
        wire: name.into(),
        docs: None,
        fields,
    }
}

fn record(name: &str, fields: Vec<Field>) -> Type {
    Type::Record(Record {
        name: name.into(),
        docs: Some(format!("One {name}.")),
        fields,
    })
}

/// `type Bug { title: string where …, line: int?, confidence: float where … }`
fn bug(table: &mut Table) -> TypeId {
    let mut title = field("title", builtin::STRING);
    title.docs = Some("Imperative.".into());
    title.check = check(
        "it.len() <= 80 and it != self.line.to_string()",
        vec![Bound::MaxLength(80)],
    );
    let mut confidence = field("confidence", builtin::FLOAT);
    let bounds = vec![
        Bound::MinFloat(0.0f64.to_bits()),
        Bound::BelowFloat(1.0f64.to_bits()),
    ];
    confidence.check = check("it >= 0.0 and it < 1.0", bounds);
    table.add(record(
        "Bug",
        vec![title, field("line", builtin::OPTIONAL_INT), confidence],
    ))
}

#[test]
fn a_record_has_its_docs_bounds_and_required_fields() {
    let mut table = Table::new();
    let bug = bug(&mut table);
    let expected = json!({
        "type": "object",
        "description": "One Bug.",
        "properties": {
            "title": {
                "type": "string",
                "description": "Imperative.\n\nMust satisfy: it.len() <= 80 and it != self.line.to_string()",
                "maxLength": 80
            },
            "line": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            "confidence": { "type": "number", "minimum": 0.0, "exclusiveMaximum": 1.0 }
        },
        "required": ["title", "confidence"],
        "additionalProperties": false
    });
    assert_eq!(schema(&table.0, bug), expected);
}

#[test]
fn a_type_that_contains_itself_is_defined_once() {
    let mut table = Table::new();
    let tree = TypeId(table.0.types.len() as u32);
    let list = TypeId(tree.0 + 1);
    table.add(record("Tree<int>", vec![field("kids", list)]));
    table.add(Type::List(tree));
    let schema = schema(&table.0, list);
    let reference = json!({ "$ref": "#/$defs/Tree_int" });
    assert_eq!(schema["items"], reference);
    assert_eq!(
        schema["$defs"]["Tree_int"]["properties"]["kids"]["items"],
        reference
    );
    let why = strict_obstacle(&schema).expect("it is recursive");
    assert!(why.ends_with("contains itself"), "{why}");
}

#[test]
fn variants_are_a_choice_and_names_an_enum() {
    let mut table = Table::new();
    let plain = Type::Enum(Enum {
        name: "Level".into(),
        docs: None,
        variants: vec![variant("Low", vec![]), variant("High", vec![])],
    });
    let plain = table.add(plain);
    assert_eq!(
        schema(&table.0, plain),
        json!({ "type": "string", "enum": ["Low", "High"] })
    );
    let payload = Type::Enum(Enum {
        name: "Shape".into(),
        docs: None,
        variants: vec![
            variant("Dot", vec![]),
            variant("Box", vec![field("size", builtin::INT)]),
        ],
    });
    let payload = table.add(payload);
    let expected = json!({ "anyOf": [
        { "type": "string", "const": "Dot" },
        {
            "type": "object",
            "properties": {
                "kind": { "type": "string", "const": "Box" },
                "size": { "type": "integer" }
            },
            "required": ["kind", "size"],
            "additionalProperties": false
        }
    ]});
    assert_eq!(schema(&table.0, payload), expected);
}

#[test]
fn the_hash_ignores_the_order_of_keys_and_nothing_else() {
    let (a, b) = (
        json!({ "a": 1, "b": [1, 2] }),
        json!({ "b": [1, 2], "a": 1 }),
    );
    assert_eq!(schema_hash(&a), schema_hash(&b));
    assert_eq!(schema_hash(&a).len(), 16);
    assert_ne!(
        schema_hash(&a),
        schema_hash(&json!({ "a": 1, "b": [2, 1] }))
    );
}

#[test]
fn the_strict_form_keeps_few_keywords_and_describes_the_rest() {
    let mut table = Table::new();
    let bug = bug(&mut table);
    let pair = table.add(Type::Tuple(vec![bug, builtin::INT]));
    let (strict, dropped) = strict(&schema(&table.0, pair));
    assert_eq!(strict["items"]["anyOf"][1], json!({ "type": "integer" }));
    let confidence = &strict["items"]["anyOf"][0]["properties"]["confidence"];
    let text = "(minimum: 0.0; exclusiveMaximum: 1.0)";
    assert_eq!(
        *confidence,
        json!({ "type": "number", "description": text })
    );
    let text = strict["description"]
        .as_str()
        .expect("a tuple's order is told");
    assert!(
        text.starts_with("(exactly 2 items, in this order: {"),
        "{text}"
    );
    assert!(dropped.contains(&"#/prefixItems/0/properties/confidence/minimum".into()));
    assert_eq!(strict_obstacle(&schema(&table.0, pair)), None);
}

#[test]
fn maps_and_json_have_no_strict_form() {
    let table = Table::new();
    for (ty, why) in [
        (builtin::MAP_STRING_JSON, "a map"),
        (builtin::LIST_JSON, "any JSON"),
    ] {
        let found = strict_obstacle(&schema(&table.0, ty)).expect("it cannot be constrained");
        assert!(found.contains(why), "{found}");
    }
    assert_eq!(
        schema(&table.0, builtin::JSON),
        Value::Object(serde_json::Map::new())
    );
}

#[test]
fn defaults_of_what_is_filled_in_are_said_and_those_of_results_are_not() {
    let mut table = Table::new();
    let with = |ty, json: &str| {
        let mut field = field("it", ty);
        field.default = Some(crate::types::DefaultValue {
            function: FunctionIndex(0),
            source: None,
            json: Some(json.into()),
        });
        field
    };
    let inner = table.add(record("Inner", vec![with(builtin::DURATION, "1.5")]));
    let outer = [with(inner, r#"{"it":2}"#)];
    let said = input_schema(&table.0, &outer);
    let property = &said["properties"]["it"];
    assert_eq!(property["default"], json!({ "it": 2 }));
    assert_eq!(property["properties"]["it"]["default"], json!(1.5));
    let result = schema_of_fields(&table.0, &outer).to_string();
    assert!(!result.contains("default"), "{result}");
}
