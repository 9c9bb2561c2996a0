//! The page of the reference that lists all repairs: each has an example, which is read as the page says.

use serde_json::Value;

use super::read;
use crate::answer::repair::RepairKind;
use crate::settings::Exactness;

/// Type, answer and value of a row of the table, by the name of its repair.
fn rows() -> Vec<[String; 4]> {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/repairs.md"
    );
    let page = std::fs::read_to_string(page).expect("the page of repairs");
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line
            .strip_prefix("| `")?
            .strip_suffix(" |")?
            .split(" | ")
            .collect();
        let [name, _, schema, answer, value] = cells[..] else {
            return None;
        };
        let plain = |it: &str| {
            it.trim()
                .trim_matches('`')
                .trim()
                .replace("⏎", "\n")
                .replace("⍽", "\u{a0}")
        };
        Some([plain(name), plain(schema), plain(answer), plain(value)])
    });
    rows.collect()
}

/// The schemas that the page gives names.
fn schema(name: &str) -> Value {
    let text = match name {
        "int" => r#"{"type": "integer"}"#,
        "float" => r#"{"type": "number"}"#,
        "bool" => r#"{"type": "boolean"}"#,
        "json" => "{}",
        "duration" => r#"{"type": "number", "description": "In seconds."}"#,
        "int?" => r#"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#,
        "[int]" => r#"{"type": "array", "items": {"type": "integer"}}"#,
        "[string]" => r#"{"type": "array", "items": {"type": "string"}}"#,
        "Set<string>" => r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#,
        "Level" => r#"{"enum": ["Low", "High"]}"#,
        "Bug" => {
            r#"{"type": "object", "properties": {"line": {"type": "integer"}, "text": {"type": "string"}}, "required": ["line", "text"], "additionalProperties": false}"#
        }
        "[Bug]" => {
            r#"{"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer"}, "text": {"type": "string"}}, "required": ["line", "text"], "additionalProperties": false}}"#
        }
        "Names" => {
            r#"{"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}, "required": ["names"], "additionalProperties": false}"#
        }
        "Login" => {
            r#"{"type": "object", "properties": {"name": {"type": "string"}, "code": {"type": "integer", "writeOnly": true}}, "required": ["name", "code"], "additionalProperties": false}"#
        }
        "Shape" => {
            r#"{"anyOf": [{"type": "object", "properties": {"kind": {"const": "Circle"}, "radius": {"type": "integer"}}, "required": ["kind", "radius"], "additionalProperties": false}, {"type": "object", "properties": {"kind": {"const": "Square"}, "side": {"type": "integer"}}, "required": ["kind", "side"], "additionalProperties": false}]}"#
        }
        other => panic!("the page names a type `{other}`"),
    };
    serde_json::from_str(text).expect("a schema")
}

#[test]
fn every_repair_is_in_the_reference_with_an_example() {
    let rows = rows();
    let names: Vec<&str> = rows.iter().map(|it| it[0].as_str()).collect();
    let known: Vec<&str> = RepairKind::ALL.iter().map(|it| it.name()).collect();
    assert_eq!(names, known);
    for [name, ty, answer, value] in &rows {
        let reading = read(answer, &schema(ty), Exactness::Lenient)
            .unwrap_or_else(|it| panic!("{name}: {answer}: {it:?}"));
        let value: Value =
            serde_json::from_str(value).unwrap_or_else(|it| panic!("{name}: {value}: {it}"));
        assert_eq!(reading.value, value, "{name}");
        let is_it = |it: &String| it.starts_with(&format!("{name} at "));
        assert!(
            reading.repairs.iter().any(is_it),
            "{name}: {:?}",
            reading.repairs
        );
    }
}
