//! A fake provider, our providers that talk to it, and a request to send.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake_provider::{Reply, Request, Script, Server};
use gsw_agents::{Environment, Policy, Providers};
use gsw_driver::call::{Call, Part, PartSink};
use gsw_driver::models::Models;
use gsw_engine::model::{
    Again, Content, Fallback, Message, ModelAnswer, ModelFailure, ModelRequest, Role, Wording,
};

/// Delays short enough for tests, in the proportions of the real ones.
pub const QUICK: Policy = Policy {
    first: Duration::from_millis(4),
    longest_retry_after: Duration::from_millis(300),
    circuit: Duration::from_millis(50),
};

pub struct Stage {
    pub server: Server,
    pub providers: Providers,
    pub deltas: Arc<Mutex<Vec<String>>>,
}

impl Stage {
    pub async fn of(replies: Vec<Reply>) -> Self {
        Self::with(replies, &[]).await
    }

    /// With more variables; they go before the usual ones.
    pub async fn with(replies: Vec<Reply>, variables: &[(&str, &str)]) -> Self {
        let server = Server::start(Script::in_turn(replies), 0)
            .await
            .expect("a free port");
        let url = server.url();
        let openai = format!("{url}/v1/");
        let usual = [
            ("ANTHROPIC_API_KEY", "test-key"),
            ("ANTHROPIC_BASE_URL", url.as_str()),
            ("OPENAI_API_KEY", "other-key"),
            ("OPENAI_BASE_URL", openai.as_str()),
        ];
        let variables: Vec<(&str, &str)> = variables.iter().copied().chain(usual).collect();
        Self {
            providers: Providers::with_policy(Environment::of(&variables), QUICK),
            server,
            deltas: Arc::default(),
        }
    }

    /// Asks as a run does, but without the waits: again while that may help, and as often as the request says.
    pub async fn ask(&self, mut request: ModelRequest) -> Result<ModelAnswer, ModelFailure> {
        let (mut made, mut left) = (0, request.retries);
        loop {
            let mut outcome = self.ask_once(request.clone()).await;
            match &mut outcome {
                Ok(answer) => answer.attempts += made,
                Err(failure) => {
                    made += failure.attempts;
                    failure.attempts = made;
                    match failure.again {
                        Some(Again::ToolsDescribed) => {
                            assert_eq!(request.tool_delivery, Wording::Native);
                            request.tool_delivery = Wording::Described;
                            continue;
                        }
                        Some(Again::SchemaDescribed) => {
                            assert_eq!(request.schema_delivery, Wording::Native);
                            request.schema_delivery = Wording::Described;
                            continue;
                        }
                        Some(Again::After(_)) if left > 0 => {
                            left -= 1;
                            continue;
                        }
                        Some(Again::After(_) | Again::AtOnce) | None => {}
                    }
                }
            }
            return outcome;
        }
    }

    pub async fn ask_once(&self, request: ModelRequest) -> Result<ModelAnswer, ModelFailure> {
        let deltas = Arc::clone(&self.deltas);
        let hear = move |part| {
            deltas.lock().expect("no panic").push(match part {
                Part::Text(text) => text,
                // What programs use is text alone.
                Part::Call(_) | Part::Restart => String::new(),
            });
        };
        let call = Call {
            parts: PartSink::new(hear),
            ..Call::alone()
        };
        self.providers.ask(Arc::new(request), &call).await
    }

    pub fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }

    /// The text that came piece by piece.
    pub fn streamed(&self) -> String {
        self.deltas.lock().expect("no panic").concat()
    }
}

pub fn request(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        system: Some("Be brief.".into()),
        messages: vec![said(Role::User, "Say hello.")],
        schema: None,
        schema_delivery: Wording::Native,
        schema_name: "greet".into(),
        max_tokens: 64,
        stop: Vec::new(),
        temperature: None,
        thinking: None,
        retries: 2,
        tools: Vec::new(),
        tool_delivery: Wording::Native,
        timeout: Duration::from_secs(20),
        first_token: None,
        fallback: Fallback::Absent,
        rate: None,
        recorded: None,
    }
}

pub fn claude() -> ModelRequest {
    request("anthropic/claude-sonnet-5-5")
}

pub fn gpt() -> ModelRequest {
    request("openai/local/model")
}

pub fn said(role: Role, text: &str) -> Arc<Message> {
    Arc::new(Message {
        role,
        content: vec![Content::Text { text: text.into() }],
    })
}

pub fn text(answer: &ModelAnswer) -> String {
    let text = |it: &Content| match it {
        Content::Text { text } => Some(text.clone()),
        _ => None,
    };
    answer.content.iter().filter_map(text).collect()
}
