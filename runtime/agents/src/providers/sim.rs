//! The built-in simulator: offline, deterministic by a hash of the request, and valid for every schema.

mod chance;
mod height;
mod number;
mod pattern;
mod text;
mod value;

use gsw_engine::model::{Content, ModelAnswer, ModelRequest, Role, StopReason, Usage};

use super::OnDelta;
use chance::Chance;
use value::Generator;

/// How many answers are made up for a check that no schema can express.
pub(crate) const TRIES: u32 = 100;

/// The simulated answer.
pub(crate) fn ask(request: &ModelRequest, mut on_delta: OnDelta) -> ModelAnswer {
    let text = answer(request, 0);
    on_delta(&text);
    let sent: usize = request
        .messages
        .iter()
        .flat_map(|it| &it.content)
        .filter_map(said)
        .map(str::len)
        .sum();
    let system = request.system.as_ref().map_or(0, String::len);
    ModelAnswer {
        usage: Usage {
            input_tokens: tokens(sent + system),
            output_tokens: tokens(text.len()),
            ..Usage::default()
        },
        content: vec![Content::Text { text }],
        stop: StopReason::End,
        stop_reason: "simulated".into(),
        model: request.model.clone(),
        request_id: None,
        attempts: 1,
        simulated: true,
    }
}

/// The text of the answer; a later `attempt` makes up another value.
pub(crate) fn answer(request: &ModelRequest, attempt: u32) -> String {
    let prompt = prompt(request);
    let Some(schema) = &request.schema else {
        return format!("simulated: {prompt}");
    };
    let chance = Chance::new(&seed(request), attempt);
    Generator::new(schema, prompt, chance).answer().to_string()
}

/// What counts as the request: not how long we are ready to wait for it.
fn seed(request: &ModelRequest) -> String {
    let mut request = request.clone();
    request.timeout = std::time::Duration::ZERO;
    request.retries = 0;
    serde_json::to_string(&request).expect("a request has only text keys")
}

/// The last thing that the user said.
fn prompt(request: &ModelRequest) -> &str {
    request
        .messages
        .iter()
        .rev()
        .filter(|it| it.role == Role::User)
        .find_map(|it| it.content.iter().find_map(said))
        .unwrap_or_default()
}

fn said(content: &Content) -> Option<&str> {
    match content {
        Content::Text { text } => Some(text),
        _ => None,
    }
}

/// A rough count, as a real provider would give an exact one.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

#[cfg(test)]
mod tests {
    use gsw_engine::model::ModelRequest;
    use serde_json::{Value, json};

    use super::answer;
    use crate::request::plain_request;

    fn request(schema: Value) -> ModelRequest {
        ModelRequest {
            schema: Some(schema),
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
}
