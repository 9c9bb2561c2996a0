//! What a server of a later protocol says: the parts that are known are kept, and a text says what stood in the place of the others.
//!
//! The library reads a result as a whole, so one block of an unknown kind would cost all others. A result that is none to it comes
//! as it was sent, and is read here once more, block by block.

use rmcp::model::{
    CallToolResult, ContentBlock, CustomResult, GetPromptResult, ReadResourceResult,
    ResourceContents,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The most characters of a kind that are shown: a server gives its name.
const LONGEST_KIND: usize = 40;

/// The result of a tool; none where it is something else.
pub(super) fn tool_result(said: CustomResult) -> Option<CallToolResult> {
    let mut said = said.0;
    blocks(&mut said, "content").for_each(mend_block);
    read(said)
}

/// The messages of a prompt; none where it is something else.
pub(super) fn prompt(said: CustomResult) -> Option<GetPromptResult> {
    let mut said = said.0;
    let messages = blocks(&mut said, "messages");
    messages
        .filter_map(|it| it.get_mut("content"))
        .for_each(mend_block);
    read(said)
}

/// The contents of a resource; none where it is something else.
pub(super) fn resource(said: CustomResult) -> Option<ReadResourceResult> {
    let mut said = said.0;
    blocks(&mut said, "contents").for_each(mend_contents);
    read(said)
}

fn blocks<'a>(said: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    let listed = said.get_mut(name).and_then(Value::as_array_mut);
    listed.into_iter().flatten()
}

fn read<T: DeserializeOwned>(said: Value) -> Option<T> {
    serde_json::from_value(said).ok()
}

fn mend_block(block: &mut Value) {
    if ContentBlock::deserialize(&*block).is_err() {
        *block = json!({ "type": "text", "text": left_out(block) });
    }
}

fn mend_contents(contents: &mut Value) {
    if ResourceContents::deserialize(&*contents).is_err() {
        let uri = contents["uri"].as_str().unwrap_or_default();
        *contents = json!({ "uri": uri, "text": left_out(contents) });
    }
}

/// What is said in the place of content that is not shown.
fn left_out(content: &Value) -> String {
    let bytes = content.to_string().len();
    let kind = content["type"].as_str().unwrap_or("unknown");
    let kind: String = kind.chars().take(LONGEST_KIND).collect();
    format!("[{kind}, {bytes} bytes, left out: this program cannot read content like this]")
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CustomResult, ServerResult};
    use serde_json::{Value, json};

    use super::{prompt, resource, tool_result};

    /// A result as the library gives it that it does not know.
    fn unknown(said: Value) -> CustomResult {
        let read: ServerResult = serde_json::from_value(said).expect("anything is a result");
        match read {
            ServerResult::CustomResult(said) => said,
            known => panic!("the library knows it: {known:?}"),
        }
    }

    #[test]
    fn what_is_known_stays_and_the_rest_is_named() {
        let hologram = json!({ "type": "hologram", "data": "xyz" });
        let text = json!({ "type": "text", "text": "hello" });
        for newer in [json!({}), json!({ "resultType": "complete" })] {
            let mut said = json!({ "content": [text, hologram, 7], "isError": true });
            let fields = said.as_object_mut().expect("it is one");
            fields.extend(newer.as_object().expect("it is one").clone());
            let result = tool_result(unknown(said)).expect("it is a result");
            assert_eq!(result.is_error, Some(true));
            let shown = serde_json::to_value(&result.content).expect("it is JSON");
            assert_eq!(shown[0], text);
            let left_out =
                "[hologram, 32 bytes, left out: this program cannot read content like this]";
            assert_eq!(shown[1], json!({ "type": "text", "text": left_out }));
            let left_out =
                "[unknown, 1 bytes, left out: this program cannot read content like this]";
            assert_eq!(shown[2], json!({ "type": "text", "text": left_out }));
        }
        let said = json!({ "content": [hologram], "structuredContent": { "a": 1 } });
        let result = tool_result(unknown(said)).expect("it is a result");
        assert_eq!(result.structured_content, Some(json!({ "a": 1 })));
        let said = json!({ "messages": [{ "role": "user", "content": hologram }] });
        assert!(prompt(unknown(said)).is_some());
        let said = json!({ "contents": [{ "uri": "a:b", "hologram": 1 }] });
        assert!(resource(unknown(said)).is_some());
    }

    #[test]
    fn what_is_no_result_is_none() {
        for said in [
            json!({ "content": "hello" }),
            json!({ "resultType": "later", "content": [{ "type": "text", "text": "hello" }] }),
            json!([1]),
        ] {
            assert!(
                tool_result(CustomResult::new(said.clone())).is_none(),
                "{said}"
            );
        }
    }
}
