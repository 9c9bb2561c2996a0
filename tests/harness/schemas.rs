//! JSON Schemas of types: values that the simulator makes up fit them, and their hashes differ exactly when they do.

use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::program::{gswc, scratch, text};

/// Types of every form that a model can be asked for, bounds and recursion included.
const TYPES: &str = r#"
type Percent = float where it >= 0.0 and it <= 100.0
type Slug = string where it.matches(r"^[a-z]{2,8}$")
/// How bad it is.
enum Level { @alias("low") Low, Mid, High }
enum Part { Text(text: string), Cut(from: int, to: int?), Gap }
type Tree { name: string where it.len() <= 12, kids: [Tree] }
type All {
  /// Shown.
  title: string where it.len() >= 3 and it.len() <= 20
  count: int where it > 0 and it < 10
  share: Percent
  slug: Slug
  level: Level
  part: Part
  parts: [Part] where it.len() <= 2
  tree: Tree
  pair: (int, string)
  extra: {string: int}
  ages: {int: bool}
  kind: "spam" | "ham"
  maybe: Level?
  size: int = 3
  code: string where it.len() == 4
  only: int where it == 7
  few: int where it in [3, 5]
  word: string where it in ["a", "b"]
  short: string where it.len() in 2..=3
  line: int? where it > 5
  rest: string? where it == "x"
  half: float where it == 0.5
  ends: [int] where it.len() == 2
  mode: "on" | "off" | "auto" where it in ["on", "off"]
}
agent a { model: "sim/default" }
prompt make(n: int) -> All by a { user "Number ${n}" }
workflow main() -> [All] { parallel for n in 0..20 { make(n) } }
"#;

#[test]
fn what_the_simulator_makes_up_fits_the_schema() {
    let file = scratch("schemas").join("all.gsw");
    std::fs::write(&file, TYPES).expect("the target folder can be written");
    let schema = gswc(&["schema", text(&file), "All"]);
    let schema: Value = serde_json::from_str(&schema.out).expect("a schema is JSON");
    assert!(!schema.to_string().contains("Must satisfy"), "{schema}");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let said = gswc(&["run", text(&file)]);
    let made: Vec<Value> = serde_json::from_str(&said.out).expect("the result is JSON");
    assert_eq!(made.len(), 20);
    for value in &made {
        let issues: Vec<String> = validator
            .iter_errors(value)
            .map(|it| it.to_string())
            .collect();
        assert!(issues.is_empty(), "{value}: {}", issues.join(", "));
    }
    let strict = gswc(&["schema", text(&file), "All", "--strict"]);
    let strict: Value = serde_json::from_str(&strict.out).expect("it is JSON");
    let dropped = strict["dropped"].to_string();
    assert!(dropped.contains("#/properties/count/maximum"), "{dropped}");
}

/// A random type, as source text of a field's type and its check.
fn a_type() -> impl Strategy<Value = (String, String)> {
    let scalar = prop_oneof![
        (0..4i64).prop_map(|it| ("int".to_owned(), format!(" where it > {it}"))),
        (0..4usize).prop_map(|it| ("string".to_owned(), format!(" where it.len() <= {it}"))),
        any::<bool>().prop_map(|it| (if it { "bool" } else { "float" }.to_owned(), String::new())),
        any::<bool>().prop_map(|it| (if it { "Sort" } else { "Kind" }.to_owned(), String::new())),
    ];
    (scalar, 0..4u8).prop_map(|((ty, check), around)| match around {
        0 => (format!("{ty}?"), String::new()),
        1 => (format!("[{ty}]"), String::new()),
        2 => (format!("{{string: {ty}}}"), String::new()),
        _ => (ty, check),
    })
}

// G38
#[test]
fn hashes_differ_exactly_when_schemas_do() {
    let fields = proptest::collection::vec((0..3u8, a_type(), any::<bool>()), 1..4);
    let records = proptest::collection::vec(fields, 40);
    let mut runner = TestRunner::new(Config::with_cases(4));
    let file = scratch("schemas").join("hashes.gsw");
    let ended = runner.run(&records, |records| {
        let mut source = "enum Sort { A, B }\nenum Kind { A, C }\n".to_owned();
        for (index, fields) in records.iter().enumerate() {
            source += &format!("type R{index} {{\n");
            for (position, (name, (ty, check), has_docs)) in fields.iter().enumerate() {
                let docs = if *has_docs { "  /// Said.\n" } else { "" };
                source += &format!("{docs}  f{name}_{position}: {ty}{check}\n");
            }
            source += "}\n";
        }
        std::fs::write(&file, &source).expect("the target folder can be written");
        let of = |flags: &[&str]| -> Value {
            let said = gswc(&[&["schema", text(&file)], flags].concat());
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{source}{said:?}"))
        };
        let (schemas, hashes) = (of(&[]), of(&["--hash"]));
        let bare = |name: &str| {
            let mut schema = schemas["types"][name].clone();
            schema.as_object_mut().map(|it| it.remove("title"));
            schema
        };
        let names: Vec<String> = (0..40).map(|it| format!("R{it}")).collect();
        for one in &names {
            let hash = hashes["types"][one].as_str().unwrap_or_default();
            assert!(
                hash.len() == 16 && hash.bytes().all(|it| it.is_ascii_hexdigit()),
                "{hash}"
            );
            for other in &names {
                let same = hashes["types"][one] == hashes["types"][other];
                assert_eq!(same, bare(one) == bare(other), "{one} {other}\n{source}");
            }
        }
        Ok(())
    });
    ended.expect("every pair is told apart");
}

const DEFAULTS: &str = r#"
type Level { name: string = "low", step: duration = 90s }
enum Shape { Dot, Circle(radius: float = 1.5) }
const LIMIT = 6 * 7
type Deep { levels: [Level] = [Level { name: "a" }], shape: Shape = Shape.Circle(), @secret pin: int = 4711 }
/// Takes all of them.
workflow main(
  wait: duration = 1500ms, most: int = LIMIT, shape: Shape = Dot, big: Shape = Circle(radius: 2.0),
  ages: {string: int} = { "ann": 7 }, level: Level = Level {}, deep: Deep? = none, words: [string] = ["a", "b"],
  other: int = most + 1, @secret pin: int = 4712,
) -> Level { level }
"#;

/// Every default that is a constant, as the JSON that it is, also of fields; none that only a run knows, or that is hidden.
#[test]
fn defaults_that_are_constants_are_said_in_json() {
    let file = scratch("schemas").join("defaults.gsw");
    std::fs::write(&file, DEFAULTS).expect("the target folder can be written");
    let said = gswc(&["schema", text(&file), "main"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let schema: Value = serde_json::from_str(&said.out).expect("JSON");
    let input = &schema["input"];
    let of = |name: &str| input["properties"][name].get("default").cloned();
    for (name, default) in [
        ("wait", json!(1.5)),
        ("most", json!(42)),
        ("shape", json!("Dot")),
        ("big", json!({ "kind": "Circle", "radius": 2.0 })),
        ("ages", json!({ "ann": 7 })),
        ("level", json!({ "name": "low", "step": 90 })),
        ("deep", json!(null)),
        ("words", json!(["a", "b"])),
    ] {
        assert_eq!(of(name), Some(default), "{name}");
    }
    for name in ["other", "pin"] {
        assert_eq!(of(name), None, "{name}");
    }
    let level = &input["$defs"]["Level"]["properties"];
    assert_eq!(level["step"]["default"], json!(90));
    assert!(
        !said.out.contains("4711") && !said.out.contains("4712"),
        "{}",
        said.out
    );
    assert!(
        !schema["output"].to_string().contains("\"default\""),
        "{schema}"
    );
}
