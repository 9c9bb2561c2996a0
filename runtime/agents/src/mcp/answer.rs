//! The result of a tool of a server as JSON.

use gsw_driver::servers::ServerFailure;
use gsw_notation::number;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// Its structured content, else its only text, else its content as the protocol has it; of a failure what it says.
pub(super) fn of(result: CallToolResult) -> Result<String, ServerFailure> {
    if result.is_error == Some(true) {
        return Err(ServerFailure::Tool(texts(&result)));
    }
    if let Some(structured) = result.structured_content {
        return readable(&structured);
    }
    if let [ContentBlock::Text(text)] = result.content.as_slice() {
        return Ok(Value::from(text.text.as_str()).to_string());
    }
    let content = serde_json::to_value(&result.content);
    let lost = |error| ServerFailure::Lost(format!("its answer is not JSON: {error}"));
    readable(&content.map_err(lost)?)
}

/// An answer as text. The tool has been called, whatever it has answered: one that no program can hold is lost.
fn readable(answer: &Value) -> Result<String, ServerFailure> {
    match unfit(answer) {
        None => Ok(answer.to_string()),
        Some((expected, found)) => Err(ServerFailure::Lost(format!(
            "its answer cannot be read: expected {expected}, found {found}"
        ))),
    }
}

/// What a number in a value would have to be, and is.
fn unfit(value: &Value) -> Option<(&'static str, String)> {
    match value {
        Value::Number(it) => {
            let digits = it.to_string();
            number::unfit_for_json(&digits).map(|expected| (expected, digits))
        }
        Value::Array(items) => items.iter().find_map(unfit),
        Value::Object(fields) => fields.values().find_map(unfit),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

fn texts(result: &CallToolResult) -> String {
    let texts = result.content.iter();
    let texts = texts.filter_map(|it| Some(it.as_text()?.text.as_str()));
    let texts: Vec<&str> = texts.collect();
    match (texts.join("\n").trim(), &result.structured_content) {
        ("", Some(said)) => said.to_string(),
        ("", None) => "the tool has failed and does not say why".into(),
        (text, _) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use gsw_driver::servers::ServerFailure;
    use rmcp::model::CallToolResult;
    use serde_json::json;

    use super::of;

    #[test]
    fn an_answer_that_no_program_can_hold_is_lost() {
        let of_number = |digits: &str| {
            let said = format!(r#"{{"content":[],"structuredContent":{{"a":[{digits}]}}}}"#);
            of(serde_json::from_str(&said).expect("it is a result"))
        };
        for digits in ["1e999", "18446744073709551617"] {
            let lost = of_number(digits);
            assert!(matches!(&lost, Err(ServerFailure::Lost(_))), "{lost:?}");
        }
        for digits in ["1e308", "-9223372036854775808", "0.1"] {
            let text = of_number(digits).expect("a program can hold it");
            assert!(gsw_notation::json::parse(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_failure_says_what_it_says_in_whichever_form() {
        for (said, why) in [
            (
                json!({ "content": [{ "type": "text", "text": "no" }], "structuredContent": { "code": 7 } }),
                "no",
            ),
            (
                json!({ "content": [], "structuredContent": { "code": 7 } }),
                r#"{"code":7}"#,
            ),
            (
                json!({ "content": [] }),
                "the tool has failed and does not say why",
            ),
        ] {
            let mut result: CallToolResult = serde_json::from_value(said).expect("it is a result");
            result.is_error = Some(true);
            assert_eq!(of(result), Err(ServerFailure::Tool(why.into())));
        }
    }
}
