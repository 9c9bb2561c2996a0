//! A question to a person as the form that a client shows, and what was filled in as an answer.
//!
//! The forms of the protocol are flat: an object of texts, numbers, booleans and choices. An answer that is such an object is
//! asked for as it is, one that could be a field of it as the field `answer`, and any other as JSON in that field.

use gsw_abi::types::{Type, TypeTable};
use gsw_driver::human::NoReply;
use gsw_engine::human::{Question, Reply};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Map, Value, json};

/// The field of an answer that is no object.
const ANSWER: &str = "answer";

/// What a field may say; anything else is left to the check of the answer.
const KEYWORDS: &[&str] = &[
    "type",
    "title",
    "description",
    "enum",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
];

/// How the answer to a question lies in the form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// The form is the answer.
    Whole,
    /// The field `answer` is.
    Field,
    /// The field `answer` holds it as JSON.
    Json,
}

/// The form for a question.
pub(super) fn request(
    types: &TypeTable,
    question: &Question,
) -> Result<ElicitRequestParams, NoReply> {
    let (mut schema, layout) = laid_out(&question.schema);
    if layout == Layout::Whole {
        fill_in(&mut schema, types, question);
    }
    let requested_schema = ElicitationSchema::from_json_schema(schema).map_err(|error| {
        NoReply::Unreachable(format!("`{}` has no form: {error}", question.human))
    })?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(question),
        requested_schema,
    })
}

/// Fields that may be left out have what they are then.
fn fill_in(form: &mut Map<String, Value>, types: &TypeTable, question: &Question) {
    let Type::Record(record) = types.get(types.base(question.result)) else {
        return;
    };
    let Some(Value::Object(properties)) = form.get_mut("properties") else {
        return;
    };
    for field in &record.fields {
        let function = field.default.as_ref().map(|it| it.function);
        let mut known = question.defaults.iter();
        let value = known.find(|it| Some(it.0) == function).map(|it| &it.1);
        if let (Some(Value::Object(property)), Some(value)) =
            (properties.get_mut(&field.wire), value)
            && !value.is_null()
        {
            property.insert("default".into(), value.clone());
        }
    }
}

/// What was asked, and what was wrong with the answer before.
fn message(question: &Question) -> String {
    let text = question.text.trim();
    match &question.refused {
        None => text.to_owned(),
        Some(refused) => {
            let issues = refused.issues.iter();
            let issues: Vec<&str> = issues.map(|it| it.message.as_str()).collect();
            format!(
                "{text}\n\nThe last answer does not fit: {}",
                issues.join("; ")
            )
        }
    }
}

/// What the client's user has done with the form.
pub(super) fn reply(question: &Question, result: ElicitResult) -> Result<Reply, NoReply> {
    let declined = || NoReply::Declined(format!("`{}` was declined", question.human));
    if result.action != ElicitationAction::Accept {
        return Err(declined());
    }
    let content = result.content.unwrap_or_else(|| json!({}));
    let (_, layout) = laid_out(&question.schema);
    let field = || content.get(ANSWER).cloned().unwrap_or(Value::Null);
    let answer = match layout {
        Layout::Whole => content.to_string(),
        Layout::Field => field().to_string(),
        Layout::Json => match field() {
            Value::String(text) => text,
            // Somebody has filled in the value itself.
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_)) => other.to_string(),
        },
    };
    Ok(Reply {
        digest: question.digest.clone(),
        answer,
    })
}

fn laid_out(schema: &Value) -> (Map<String, Value>, Layout) {
    if let Some(form) = flat(schema) {
        return (form, Layout::Whole);
    }
    let (field, layout) = match primitive(schema) {
        Some(field) => (field, Layout::Field),
        None => {
            let description = format!("JSON that fits this schema: {schema}");
            let field = json!({ "type": "string", "description": description });
            (field, Layout::Json)
        }
    };
    let mut properties = Map::new();
    properties.insert(ANSWER.into(), field);
    (form(properties, &json!([ANSWER])), layout)
}

fn form(properties: Map<String, Value>, required: &Value) -> Map<String, Value> {
    let mut form = Map::new();
    form.insert("type".into(), "object".into());
    form.insert("properties".into(), Value::Object(properties));
    form.insert("required".into(), required.clone());
    form
}

/// An object all of whose fields fit in a form.
fn flat(schema: &Value) -> Option<Map<String, Value>> {
    let fields = schema.get("properties")?.as_object()?;
    if schema.get("$defs").is_some() || fields.is_empty() {
        return None;
    }
    let mut properties = Map::new();
    for (name, field) in fields {
        properties.insert(name.clone(), primitive(field)?);
    }
    let required = schema.get("required").cloned();
    Some(form(properties, &required.unwrap_or_else(|| json!([]))))
}

/// A field of a form: a text, a number, a boolean or a choice.
fn primitive(schema: &Value) -> Option<Value> {
    let schema = schema.as_object()?;
    // An optional field may be left empty.
    if let Some([one, null]) = schema
        .get("anyOf")
        .and_then(|it| it.as_array())
        .map(Vec::as_slice)
        && null.get("type").and_then(Value::as_str) == Some("null")
    {
        return primitive(one);
    }
    match schema.get("type").and_then(Value::as_str)? {
        "string" | "number" | "integer" | "boolean" => {}
        _ => return None,
    }
    let said = schema.iter().filter(|it| KEYWORDS.contains(&it.0.as_str()));
    let said = said.map(|(name, value)| (name.clone(), value.clone()));
    Some(Value::Object(said.collect()))
}

#[cfg(test)]
mod tests {
    use gsw_abi::builtin;
    use gsw_driver::human::NoReply;
    use gsw_engine::human::Question;
    use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
    use serde_json::{Value, json};

    use super::{reply, request};

    fn question(schema: Value) -> Question {
        Question {
            human: "approve".into(),
            text: "Ship it?".into(),
            result: builtin::STRING,
            schema,
            defaults: Vec::new(),
            digest: "d".into(),
            refused: None,
        }
    }

    fn shown(schema: Value) -> Value {
        match request(&builtin::type_table(), &question(schema)) {
            Ok(ElicitRequestParams::FormElicitationParams {
                requested_schema, ..
            }) => serde_json::to_value(requested_schema).expect("a schema is JSON"),
            other => panic!("{other:?}"),
        }
    }

    fn answer(schema: Value, content: Value) -> String {
        let result = ElicitResult::new(ElicitationAction::Accept).with_content(content);
        reply(&question(schema), result)
            .expect("it was accepted")
            .answer
    }

    #[test]
    fn a_flat_record_is_the_form_itself() {
        let schema = json!({
            "type": "object",
            "properties": {
                "ship": { "type": "boolean" },
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "level": { "type": "string", "enum": ["low", "high"] },
            },
            "required": ["ship", "level"],
            "additionalProperties": false,
        });
        let form = shown(schema.clone());
        assert_eq!(form["properties"]["note"]["type"], "string");
        assert_eq!(form["properties"]["level"]["enum"], json!(["low", "high"]));
        assert_eq!(form["required"], json!(["ship", "level"]));
        assert_eq!(answer(schema, json!({"ship": true})), r#"{"ship":true}"#);
    }

    #[test]
    fn a_choice_is_a_field() {
        let schema = json!({ "type": "string", "enum": ["yes", "no"] });
        assert_eq!(shown(schema.clone())["required"], json!(["answer"]));
        assert_eq!(answer(schema, json!({"answer": "yes"})), r#""yes""#);
    }

    #[test]
    fn anything_else_is_written_as_json() {
        let schema = json!({ "type": "array", "items": { "type": "integer" } });
        let form = shown(schema.clone());
        let description = form["properties"]["answer"]["description"].as_str();
        assert!(
            description.is_some_and(|it| it.contains("\"integer\"")),
            "{form}"
        );
        assert_eq!(answer(schema.clone(), json!({"answer": "[1]"})), "[1]");
        assert_eq!(answer(schema, json!({"answer": [1]})), "[1]");
    }

    #[test]
    fn whoever_declines_or_closes_the_form_has_declined() {
        for action in [ElicitationAction::Decline, ElicitationAction::Cancel] {
            let refused = reply(&question(json!({})), ElicitResult::new(action));
            assert!(matches!(refused, Err(NoReply::Declined(_))), "{refused:?}");
        }
    }
}
