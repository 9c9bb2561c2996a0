//! A question to a person as the form that a client shows, and what was filled in as an answer.
//!
//! The forms of the protocol are flat: an object of texts, numbers, booleans and choices, and since 2025-11-25 choices of several. An answer that is such an object is
//! asked for as it is, one that could be a field of it as the field `answer`, and any other as JSON in that field.

use gsw_abi::types::{Type, TypeId, TypeTable};
use gsw_driver::human::NoReply;
use gsw_engine::human::{Question, Reply};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Map, Value, json};

use crate::mcp::titles;

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

/// What a field of a form offers words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choices {
    /// All that clients of revisions before 2025-11-25 know.
    One,
    Several,
}

/// What a field with several choices may say.
const LIST_KEYWORDS: &[&str] = &["type", "title", "description", "minItems", "maxItems"];

/// How the answer to a question is laid out in the form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// The form is the answer.
    Whole,
    /// The field `answer` is the answer.
    Field,
    /// The field `answer` holds it as JSON.
    Json,
}

/// The form for a question.
pub(super) fn request(
    types: &TypeTable,
    question: &Question,
    choices: Choices,
) -> Result<ElicitRequestParams, NoReply> {
    let (mut schema, layout) = laid_out(&question.schema, choices);
    if layout == Layout::Whole {
        fill_in(&mut schema, types, question);
    }
    name_choices(&mut schema, types, question.result, (layout, choices));
    let requested_schema = ElicitationSchema::from_json_schema(schema).map_err(|error| {
        NoReply::Unreachable(format!("`{}` has no form: {error}", question.human))
    })?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(question),
        requested_schema,
    })
}

/// Choices are shown by the docs or the names of variants.
fn name_choices(
    form: &mut Map<String, Value>,
    types: &TypeTable,
    result: TypeId,
    (layout, choices): (Layout, Choices),
) {
    let Some(Value::Object(properties)) = form.get_mut("properties") else {
        return;
    };
    let fields: Vec<(&str, TypeId)> = match (layout, types.get(types.base(result))) {
        (Layout::Whole, Type::Record(record)) => {
            let fields = record.fields.iter();
            fields.map(|it| (it.wire.as_str(), it.ty)).collect()
        }
        (Layout::Field, _) => vec![(ANSWER, result)],
        (Layout::Whole | Layout::Json, _) => Vec::new(),
    };
    for (name, ty) in fields {
        if let Some(Value::Object(field)) = properties.get_mut(name) {
            titles::give(field, types, ty, choices);
        }
    }
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
pub(super) fn reply(
    question: &Question,
    choices: Choices,
    result: ElicitResult,
) -> Result<Reply, NoReply> {
    let declined = || NoReply::Declined(format!("`{}` was declined", question.human));
    if result.action != ElicitationAction::Accept {
        return Err(declined());
    }
    let content = result.content.unwrap_or_else(|| json!({}));
    let (_, layout) = laid_out(&question.schema, choices);
    let field = || content.get(ANSWER).cloned().unwrap_or(Value::Null);
    let answer = match layout {
        Layout::Whole => content.to_string(),
        Layout::Field => field().to_string(),
        Layout::Json => match field() {
            Value::String(text) => text,
            // The value itself was filled in.
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

fn laid_out(schema: &Value, choices: Choices) -> (Map<String, Value>, Layout) {
    if let Some(form) = flat(schema, choices) {
        return (form, Layout::Whole);
    }
    let (field, layout) = match primitive(schema, definitions(schema), choices) {
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
fn flat(schema: &Value, choices: Choices) -> Option<Map<String, Value>> {
    let fields = schema.get("properties")?.as_object()?;
    if fields.is_empty() {
        return None;
    }
    let mut properties = Map::new();
    for (name, field) in fields {
        let field = primitive(field, definitions(schema), choices)?;
        properties.insert(name.clone(), field);
    }
    let required = schema.get("required").cloned();
    Some(form(properties, &required.unwrap_or_else(|| json!([]))))
}

/// The schemas of types that occur in several places, by name.
fn definitions(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("$defs")?.as_object()
}

/// A schema, with what it refers to in its place.
fn whole(schema: &Value, named: Option<&Map<String, Value>>) -> Option<Map<String, Value>> {
    let schema = schema.as_object()?;
    let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
        return Some(schema.clone());
    };
    let name = reference.strip_prefix("#/$defs/")?;
    let mut whole = named?.get(name)?.as_object()?.clone();
    // What is said where it is used says more.
    whole.extend(schema.clone());
    whole.remove("$ref");
    Some(whole)
}

/// A field of a form: a text, a number, a boolean or a choice.
fn primitive(
    schema: &Value,
    named: Option<&Map<String, Value>>,
    choices: Choices,
) -> Option<Value> {
    let schema = &whole(schema, named)?;
    // An optional field may be left empty.
    if let Some([one, null]) = schema
        .get("anyOf")
        .and_then(|it| it.as_array())
        .map(Vec::as_slice)
        && null.get("type").and_then(Value::as_str) == Some("null")
    {
        let mut field = primitive(one, named, choices)?;
        // What the field is for stands around the choice, and says more than what its type is.
        if let (Some(field), Some(said)) = (field.as_object_mut(), schema.get("description")) {
            field.insert("description".into(), said.clone());
        }
        return Some(field);
    }
    match schema.get("type").and_then(Value::as_str)? {
        "string" | "number" | "integer" | "boolean" => Some(Value::Object(said(schema, KEYWORDS))),
        "array" if choices == Choices::Several => several(schema, named),
        _ => None,
    }
}

/// A field with several choices, for a list of words.
fn several(schema: &Map<String, Value>, named: Option<&Map<String, Value>>) -> Option<Value> {
    let items = whole(schema.get("items")?, named)?;
    let words = items.get("enum")?.as_array()?;
    if words.is_empty() || !words.iter().all(Value::is_string) {
        return None;
    }
    let mut field = said(schema, LIST_KEYWORDS);
    field.insert("items".into(), json!({ "type": "string", "enum": words }));
    Some(Value::Object(field))
}

fn said(schema: &Map<String, Value>, keywords: &[&str]) -> Map<String, Value> {
    let said = schema.iter().filter(|it| keywords.contains(&it.0.as_str()));
    said.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use gsw_abi::builtin;
    use gsw_driver::human::NoReply;
    use gsw_engine::human::Question;
    use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
    use serde_json::{Value, json};

    use super::{Choices, reply, request};

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
        shown_to(schema, Choices::One)
    }

    fn shown_to(schema: Value, choices: Choices) -> Value {
        match request(&builtin::type_table(), &question(schema), choices) {
            Ok(ElicitRequestParams::FormElicitationParams {
                requested_schema, ..
            }) => serde_json::to_value(requested_schema).expect("a schema is JSON"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_optional_field_keeps_its_docs() {
        let optional =
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "Why." });
        let form = shown(json!({ "type": "object", "properties": { "note": optional } }));
        assert_eq!(
            form["properties"]["note"],
            json!({ "type": "string", "description": "Why." })
        );
    }

    fn answer(schema: Value, content: Value) -> String {
        answer_of(schema, Choices::One, content)
    }

    fn answer_of(schema: Value, choices: Choices, content: Value) -> String {
        let result = ElicitResult::new(ElicitationAction::Accept).with_content(content);
        reply(&question(schema), choices, result)
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
    fn a_list_of_words_is_a_field_with_several_choices_where_the_client_knows_them() {
        let words = json!({ "type": "string", "enum": ["tea", "cake"] });
        let list = json!({ "type": "array", "items": words, "minItems": 1, "maxItems": 2, "uniqueItems": true });
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "wishes": list },
            "required": ["name", "wishes"],
        });
        let several = Choices::Several;
        let form = shown_to(schema.clone(), several);
        let expected = json!({ "type": "array", "items": words, "minItems": 1, "maxItems": 2 });
        assert_eq!(form["properties"]["wishes"], expected);
        let filled = json!({ "name": "Ada", "wishes": ["cake"] });
        assert_eq!(
            answer_of(schema.clone(), several, filled.clone()),
            filled.to_string()
        );
        let older = shown(schema.clone());
        assert_eq!(older["properties"]["answer"]["type"], "string", "{older}");
        let written = json!({ "answer": filled.to_string() });
        assert_eq!(answer(schema, written), filled.to_string());
        let alone = shown_to(list.clone(), several);
        assert_eq!(alone["properties"]["answer"], expected);
        assert_eq!(
            answer_of(list, several, json!({ "answer": ["tea"] })),
            r#"["tea"]"#
        );
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
            let result = ElicitResult::new(action);
            let refused = reply(&question(json!({})), Choices::One, result);
            assert!(matches!(refused, Err(NoReply::Declined(_))), "{refused:?}");
        }
    }
}
