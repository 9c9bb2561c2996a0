//! Messages of servers with a later protocol: known parts are kept, and a text replaces the others.
//!
//! The library reads a result as a whole, so one block of an unknown kind would cost all others. A result that is none to it comes
//! as it was sent, and is read here once more, block by block.

use rmcp::model::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents,
    ServerResult,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The most characters of an unknown kind that are shown: its name comes from the server.
const LONGEST_KIND: usize = 40;
/// Of the name of something that it lists.
const LONGEST_NAME: usize = 100;

/// The result of a tool; what was said where it is something else.
pub(super) fn tool_result(said: ServerResult) -> Result<CallToolResult, Box<ServerResult>> {
    if let ServerResult::CallToolResult(result) = said {
        return Ok(result);
    }
    mended(said, |said| {
        blocks(said, "content").for_each(mend_block);
    })
}

/// The messages of a prompt; what was said where it is something else.
pub(super) fn prompt(said: ServerResult) -> Result<GetPromptResult, Box<ServerResult>> {
    if let ServerResult::GetPromptResult(result) = said {
        return Ok(result);
    }
    mended(said, |said| {
        let messages = blocks(said, "messages");
        let contents = messages.filter_map(|it| it.get_mut("content"));
        contents.for_each(mend_block);
    })
}

/// The contents of a resource; what was said where it is something else.
pub(super) fn resource(said: ServerResult) -> Result<ReadResourceResult, Box<ServerResult>> {
    if let ServerResult::ReadResourceResult(result) = said {
        return Ok(result);
    }
    mended(said, |said| {
        blocks(said, "contents").for_each(mend_contents);
    })
}

/// A page of a list.
pub(super) struct Page<T> {
    pub(super) listed: Vec<T>,
    /// The names of what cannot be read, and is left out.
    pub(super) unreadable: Vec<String>,
    /// Where the next page begins, if there is one.
    pub(super) next: Option<String>,
}

impl<T> Page<T> {
    pub(super) const fn of(listed: Vec<T>, next: Option<String>) -> Self {
        Self {
            listed,
            unreadable: Vec::new(),
            next,
        }
    }
}

/// What can be read of a page of a list, if it is one.
pub(super) fn page<T: DeserializeOwned>(said: &ServerResult, what: &str) -> Option<Page<T>> {
    let ServerResult::CustomResult(said) = said else {
        return None;
    };
    let next = match said.0.get("nextCursor") {
        None | Some(Value::Null) => None,
        Some(next) => Some(next.as_str()?.to_owned()),
    };
    let mut page = Page::of(Vec::new(), next);
    for one in said.0.get(what)?.as_array()? {
        match T::deserialize(one) {
            Ok(one) => page.listed.push(one),
            Err(_) => page.unreadable.push(name_of(one)),
        }
    }
    Some(page)
}

fn name_of(one: &Value) -> String {
    let name = one.get("name").and_then(Value::as_str);
    let name = name.unwrap_or("without a name");
    name.chars().take(LONGEST_NAME).collect()
}

/// A result of which the library knows only that it is one, once what is unknown in it is replaced.
fn mended<T: DeserializeOwned>(
    said: ServerResult,
    mend: impl Fn(&mut Value),
) -> Result<T, Box<ServerResult>> {
    let ServerResult::CustomResult(unknown) = &said else {
        return Err(said.into());
    };
    let mut known = unknown.0.clone();
    mend(&mut known);
    serde_json::from_value(known).map_err(|_| said.into())
}

fn blocks<'a>(said: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    let listed = said.get_mut(name).and_then(Value::as_array_mut);
    listed.into_iter().flatten()
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
    use rmcp::model::{ServerResult, Tool};
    use serde_json::{Value, json};

    use super::{Page, page, prompt, resource, tool_result};

    /// A result in the library's type.
    fn given(said: Value) -> ServerResult {
        serde_json::from_value(said).expect("anything is a result")
    }

    /// One that the library does not know.
    fn unknown(said: Value) -> ServerResult {
        let given = given(said);
        assert!(matches!(given, ServerResult::CustomResult(_)), "{given:?}");
        given
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
        assert!(prompt(unknown(said)).is_ok());
        let said = json!({ "contents": [{ "uri": "a:b", "hologram": 1 }] });
        assert!(resource(unknown(said)).is_ok());
    }

    #[test]
    fn what_can_be_read_of_a_list_is_there() {
        let tool = json!({ "name": "echo", "inputSchema": { "type": "object" } });
        let said =
            json!({ "tools": [tool, { "name": "odd", "inputSchema": 7 }, 8], "nextCursor": "2" });
        let read: Page<Tool> = page(&unknown(said), "tools").expect("it is a page");
        assert_eq!(read.listed.len(), 1);
        assert_eq!(read.unreadable, ["odd", "without a name"]);
        assert_eq!(read.next.as_deref(), Some("2"));
        for no_page in [
            json!({ "tools": { "name": "echo" }, "more": 1 }),
            json!({ "tools": [7], "nextCursor": 7 }),
            json!({ "tulips": [7] }),
        ] {
            assert!(page::<Tool>(&given(no_page), "tools").is_none());
        }
    }

    #[test]
    fn what_is_no_result_is_none() {
        for said in [
            json!({ "content": "hello" }),
            json!({ "resultType": "later", "content": [{ "type": "text", "text": "hello" }] }),
            json!([1]),
        ] {
            assert!(tool_result(given(said.clone())).is_err(), "{said}");
        }
    }
}
