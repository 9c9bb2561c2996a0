//! What a client lends to a program that is its server: its model, and the folders that it has opened.
#![expect(
    deprecated,
    reason = "clients of both ages lend their models, whatever newer ones should do"
)]

use std::sync::{Arc, Mutex};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorCode,
    ListRootsResult, Root, SamplingMessage,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};

use crate::killed::Kept;
use crate::mcp_server::{ages, block_on, call, close, connect, text};

const PROGRAM: &str = r#"
import std/mcp

type Mood { word: string, score: int where it <= 10 }

tool count(text: string) -> int pure { text.len() }

agent theirs { model: "client/large", system: "Be brief.", tools: [count], reflect: 1 }

prompt rate(letter: string) -> Mood by theirs { user "Rate: ${letter}" max_tokens: 50 stop: ["END"] }

workflow rated(letter: string) -> Mood { rate(letter) }

human opened() -> [mcp.Folder] timeout 1m { user "Which folders?" }

workflow folders() -> [mcp.Folder] { opened() }
"#;

/// A client whose model says these texts, one after the other.
#[derive(Clone)]
struct Lender {
    says: &'static [&'static str],
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Lender {
    fn new(says: &'static [&'static str]) -> Self {
        let asked = Arc::default();
        Self { says, asked }
    }
}

impl ClientHandler for Lender {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder();
        let mut config = ClientConfig::default();
        config.capabilities = match self.says {
            [] => capabilities.build(),
            _ => capabilities.enable_sampling().enable_roots().build(),
        };
        config
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let mut asked = self.asked.lock().expect("nobody has panicked");
        let says = self.says[asked.len()];
        asked.push(serde_json::to_value(params).expect("it is JSON"));
        let said = SamplingMessage::assistant_text(says);
        Ok(CreateMessageResult::new(said, "large-2".into()))
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///shop")]))
    }
}

/// It calls a tool, then answers wrongly, then rightly.
const SAYS: &[&str] = &[
    "<tool_call>{\"name\": \"count\", \"arguments\": {\"text\": \"abc\"}}</tool_call>",
    "{\"word\": \"good\", \"score\": 11}",
    "{\"word\": \"good\", \"score\": 9}",
];

// G27
#[test]
fn a_prompt_is_answered_by_the_model_of_the_client() {
    let kept = Kept::new("mcp_lent_model", PROGRAM);
    for age in ages() {
        block_on(async {
            let client = Lender::new(SAYS);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let rated = session
                .call_tool(call("rated", json!({ "letter": "Hi" })))
                .await;
            let rated = rated.expect("a result").structured_content;
            assert_eq!(rated, Some(json!({ "word": "good", "score": 9 })));
            close(session, child).await;
            let asked = client.asked.lock().expect("nobody has panicked");
            assert_eq!(asked.len(), 3);
            let first = &asked[0];
            let system = first["systemPrompt"].as_str().expect("a text");
            for part in ["Be brief.", "\"count\"", "JSON Schema"] {
                assert!(system.contains(part), "{system}");
            }
            assert_eq!(first["maxTokens"], 50);
            assert_eq!(first["stopSequences"], json!(["END"]));
            assert_eq!(
                first["modelPreferences"]["hints"],
                json!([{ "name": "large" }])
            );
            let said = json!({ "role": "user", "content": { "type": "text", "text": "Rate: Hi" } });
            assert_eq!(first["messages"], json!([said]));
            // What was said before is told again, the result of the tool among it.
            let last = asked[2]["messages"].to_string();
            for part in ["tool_response", "score", "11"] {
                assert!(last.contains(part), "{last}");
            }
        });
    }
}

#[test]
fn the_folders_of_a_client_need_no_form() {
    let kept = Kept::new("mcp_lent_folders", PROGRAM);
    for age in ages() {
        block_on(async {
            let client = Lender::new(SAYS);
            let (child, session) = connect(&kept, &["--store", "off"], &client, age).await;
            let folders = session.call_tool(call("folders", json!({}))).await;
            let folders = folders.expect("a result").structured_content;
            let shop = json!({ "uri": "file:///shop", "name": null });
            assert_eq!(folders, Some(json!({ "result": [shop] })));
            close(session, child).await;
        });
    }
}

#[test]
fn a_client_without_a_model_is_told_what_is_missing() {
    let kept = Kept::new("mcp_lent_nothing", PROGRAM);
    let [older, newer] = ages();
    block_on(async {
        let client = Lender::new(&[]);
        let letter = json!({ "letter": "Hi" });
        let (child, session) = connect(&kept, &["--store", "off"], &client, older).await;
        let refused = session.call_tool(call("rated", letter.clone())).await;
        let refused = refused.expect("a result");
        assert_eq!(refused.is_error, Some(true));
        let why = "the model of the client is asked, and the client has no sampling";
        assert!(text(&refused).contains(why), "{refused:?}");
        close(session, child).await;
        let (child, session) = connect(&kept, &["--store", "off"], &client, newer).await;
        let refused = session.call_tool(call("rated", letter)).await;
        let Err(ServiceError::McpError(error)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(error.code, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY);
        let required = json!({ "requiredCapabilities": { "sampling": {} } });
        assert_eq!(error.data, Some(required));
        assert!(error.message.contains(why), "{error:?}");
        close(session, child).await;
    });
    // Nor has a run that no client has called for.
    let said = kept.run(&["rated", "--letter", "Hi", "--store", "off"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("no client waits for this run"),
        "{said:?}"
    );
}
