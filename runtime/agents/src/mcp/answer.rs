//! The result of a tool of a server as JSON.

use gsw_driver::servers::ServerFailure;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// Its structured content, else its only text, else its content as the protocol has it; of a failure what it says.
pub(super) fn of(result: CallToolResult) -> Result<String, ServerFailure> {
    if result.is_error == Some(true) {
        return Err(ServerFailure::Tool(texts(&result)));
    }
    if let Some(structured) = result.structured_content {
        return Ok(structured.to_string());
    }
    if let [ContentBlock::Text(text)] = result.content.as_slice() {
        return Ok(Value::from(text.text.as_str()).to_string());
    }
    serde_json::to_string(&result.content)
        .map_err(|error| ServerFailure::Server(format!("its answer is not JSON: {error}")))
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
