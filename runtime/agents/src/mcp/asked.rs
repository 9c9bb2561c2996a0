//! What a server asks for while a call is open, as the program is given it, and what the program answers.
#![expect(
    deprecated,
    reason = "servers of both ages ask for models and folders, whatever newer ones should do"
)]

use gsw_driver::servers::ServerFailure;
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, InputRequest, ListRootsResult, Role, Root, SamplingMessage,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::mcp::form;

/// The most messages that a model is shown for a server…
const MOST: usize = 200;
/// …and the most bytes of all of them.
const LARGEST: usize = 256 << 10;

/// A question, under the name by which it is answered.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub key: String,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum What {
    /// A form to be filled in.
    Form { message: String, fields: Value },
    /// An answer of a model.
    Sample { sample: Sample },
    /// The folders to work in, which need no answer of the program.
    Folders { folders: Folders },
}

/// What a model is to answer, as `std/mcp` reads it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Sample {
    /// Empty if there are none.
    instructions: String,
    messages: Vec<Said>,
    max_tokens: u32,
    stop: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Said {
    role: Role,
    text: String,
}

/// The only thing that can be asked of folders.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Folders {
    #[serde(rename = "all")]
    All,
}

/// What the program answers to a sample.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sampled {
    Refused {
        refused: String,
    },
    Answered {
        text: String,
        model: String,
        stop_reason: String,
    },
}

/// The reply to the server.
pub(super) enum Reply {
    Form(ElicitResult),
    /// The error is why no model answers.
    Sample(Result<Box<CreateMessageResult>, String>),
    Folders(ListRootsResult),
}

impl What {
    pub fn form(params: ElicitRequestParams) -> Result<Self, String> {
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = params
        else {
            return Err("it sends a person to an address, and only forms are filled in".to_owned());
        };
        let fields = json!(requested_schema);
        Ok(Self::Form { message, fields })
    }

    pub fn sample(params: CreateMessageRequestParams) -> Result<Self, String> {
        if params.tools.is_some_and(|it| !it.is_empty()) {
            return Err("a model that is asked for it calls no tools of it".to_owned());
        }
        let instructions = params.system_prompt.unwrap_or_default();
        let messages: Option<Vec<Said>> = params.messages.iter().map(said).collect();
        let messages = messages.ok_or("a model that is asked for it is shown nothing but texts")?;
        let bytes: usize = messages.iter().map(|it| it.text.len()).sum();
        if messages.len() > MOST || bytes + instructions.len() > LARGEST {
            return Err(format!(
                "it asks a model more than {MOST} messages of {} kB together",
                LARGEST >> 10
            ));
        }
        Ok(Self::Sample {
            sample: Sample {
                instructions,
                messages,
                max_tokens: params.max_tokens,
                stop: params.stop_sequences.unwrap_or_default(),
            },
        })
    }

    /// What is asked for by a result; the error is why that is not answered.
    pub fn of(request: InputRequest) -> Result<Self, String> {
        match request {
            InputRequest::Elicitation(request) => Self::form(request.params),
            InputRequest::CreateMessage(request) => Self::sample(request.params),
            InputRequest::ListRoots(_) => Ok(Self::Folders {
                folders: Folders::All,
            }),
            // What later versions of the protocol let servers ask for.
            _ => Err("it asks for what no client of this version gives".to_owned()),
        }
    }

    /// The reply to the server, made from the program's answer; `None` declines.
    pub fn reply(
        &self,
        answer: Option<Map<String, Value>>,
        roots: &[String],
    ) -> Result<Reply, ServerFailure> {
        Ok(match (self, answer) {
            (Self::Folders { .. }, _) => Reply::Folders(folders(roots)),
            (Self::Form { .. }, None) => Reply::Form(ElicitResult::new(ElicitationAction::Decline)),
            (Self::Form { fields, .. }, Some(answer)) => {
                let content = form::filled(fields, answer).map_err(|why| {
                    ServerFailure::Server(format!(
                        "what was filled in does not fit its form: {why}"
                    ))
                })?;
                let accepted = ElicitResult::new(ElicitationAction::Accept);
                Reply::Form(accepted.with_content(Value::Object(content)))
            }
            (Self::Sample { .. }, answer) => Reply::Sample(sampled(answer.unwrap_or_default())?),
        })
    }
}

impl Reply {
    /// As a request that is made again carries it.
    pub fn into_input(self) -> Result<Value, ServerFailure> {
        match self {
            Self::Form(it) => Ok(json!(it)),
            Self::Sample(Ok(it)) => Ok(json!(it)),
            Self::Sample(Err(why)) => Err(ServerFailure::Tool(why)),
            Self::Folders(it) => Ok(json!(it)),
        }
    }
}

/// The folders that a server is to work in.
pub(super) fn folders(roots: &[String]) -> ListRootsResult {
    ListRootsResult::new(roots.iter().map(Root::new).collect())
}

/// The text of a message that holds nothing else.
fn said(message: &SamplingMessage) -> Option<Said> {
    let content = json!(message.content);
    let blocks = content
        .as_array()
        .map_or(std::slice::from_ref(&content), Vec::as_slice);
    let texts = blocks.iter().map(|it| {
        let is_text = it["type"] == "text";
        it["text"].as_str().filter(|_| is_text)
    });
    let texts: Option<Vec<&str>> = texts.collect();
    Some(Said {
        role: message.role.clone(),
        text: texts?.join("\n"),
    })
}

fn sampled(
    answer: Map<String, Value>,
) -> Result<Result<Box<CreateMessageResult>, String>, ServerFailure> {
    let answer = serde_json::from_value(Value::Object(answer));
    Ok(match answer {
        Ok(Sampled::Refused { refused }) => Err(refused),
        Ok(Sampled::Answered {
            text,
            model,
            stop_reason,
        }) => {
            let message = SamplingMessage::assistant_text(text);
            let result = CreateMessageResult::new(message, model).with_stop_reason(stop_reason);
            Ok(Box::new(result))
        }
        Err(error) => {
            return Err(ServerFailure::Server(format!(
                "no answer of a model: {error}"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use rmcp::model::CreateMessageRequestParams;
    use serde_json::{Value, json};

    use super::{Asked, LARGEST, MOST, What};

    fn sample(params: Value) -> Result<Value, String> {
        let params: CreateMessageRequestParams =
            serde_json::from_value(params).expect("a test asks as the protocol has it");
        let what = What::sample(params)?;
        let key = "k".to_owned();
        Ok(json!(Asked { key, what }))
    }

    #[test]
    fn texts_are_asked_for_a_model() {
        assert_eq!(
            sample(json!({
                "systemPrompt": "Be brief.",
                "messages": [
                    { "role": "user", "content": { "type": "text", "text": "Hi" } },
                    { "role": "assistant", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
                ],
                "maxTokens": 7,
            })),
            Ok(json!({
                "key": "k",
                "sample": {
                    "instructions": "Be brief.",
                    "messages": [{ "role": "user", "text": "Hi" }, { "role": "assistant", "text": "a\nb" }],
                    "max_tokens": 7,
                    "stop": [],
                },
            }))
        );
    }

    #[test]
    fn what_no_model_answers_is_said() {
        let text =
            |text: &str| json!({ "role": "user", "content": { "type": "text", "text": text } });
        let image = json!({ "role": "user", "content": { "type": "image", "data": "", "mimeType": "image/png" } });
        let tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        for (params, why) in [
            (
                json!({ "messages": [image], "maxTokens": 1 }),
                "nothing but texts",
            ),
            (
                json!({ "messages": [text("x")], "maxTokens": 1, "tools": [tool] }),
                "no tools",
            ),
            (
                json!({ "messages": vec![text("x"); MOST + 1], "maxTokens": 1 }),
                "more than 200 messages",
            ),
            (
                json!({ "messages": [text(&"x".repeat(LARGEST + 1))], "maxTokens": 1 }),
                "of 256 kB together",
            ),
        ] {
            let found = sample(params);
            assert!(
                found.as_ref().is_err_and(|it| it.contains(why)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_question_is_read_back_as_it_was_handed_out() {
        for written in [
            json!({ "key": "form", "message": "Who?", "fields": { "type": "object" } }),
            json!({ "key": "folders", "folders": "all" }),
            json!({
                "key": "model",
                "sample": { "instructions": "", "messages": [], "max_tokens": 1, "stop": ["x"] },
            }),
        ] {
            let read: Asked = serde_json::from_value(written.clone()).expect("it is read");
            assert_eq!(json!(read), written);
        }
    }
}
