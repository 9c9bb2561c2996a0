//! How an outcome is recorded: in bytes that mean the same in every build, with a few words on what it was of.

use gsw_engine::operation::Outcome;
use gsw_notation::json::written;
use serde::{Deserialize, Serialize};

/// An outcome as it is recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Noted {
    /// What was asked for, in a few words: shown when something else is asked for later.
    pub(crate) what: String,
    body: Body,
}

/// Plain forms for what occurs most, JSON for all that may still grow.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Body {
    Json(String),
    Done,
    Text(String),
    Bytes(Vec<u8>),
    /// By its bits, so that it is restored exactly.
    Float(u64),
}

impl Noted {
    /// The bytes of an outcome.
    pub(crate) fn encode(what: String, outcome: &Outcome) -> Vec<u8> {
        let body = match outcome {
            Outcome::Done => Body::Done,
            Outcome::Text(text) => Body::Text(text.clone()),
            Outcome::Bytes(bytes) => Body::Bytes(bytes.clone()),
            Outcome::Float(float) => Body::Float(float.to_bits()),
            outcome @ (Outcome::Found(_)
            | Outcome::Earlier { .. }
            | Outcome::Json(_)
            | Outcome::GaveWay(_)
            | Outcome::Time(_)
            | Outcome::Int(_)
            | Outcome::Bool(_)
            | Outcome::OptionalText(_)
            | Outcome::Texts(_)
            | Outcome::Media(_)
            | Outcome::Host { .. }
            | Outcome::Server(_)
            | Outcome::Model(_)
            | Outcome::Piece(_)
            | Outcome::Exec(_)
            | Outcome::Http(_)
            | Outcome::Human(_)
            | Outcome::Failed(_)) => {
                Body::Json(serde_json::to_string(outcome).expect("outcomes are JSON"))
            }
        };
        postcard::to_stdvec(&Self { what, body }).expect("texts and numbers have bytes")
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((noted, [])) => Some(noted),
            Ok(_) | Err(_) => None,
        }
    }

    pub(crate) fn outcome(self) -> Option<Outcome> {
        Some(match self.body {
            Body::Json(json) => read(&json)?,
            Body::Done => Outcome::Done,
            Body::Text(text) => Outcome::Text(text),
            Body::Bytes(bytes) => Outcome::Bytes(bytes),
            Body::Float(bits) => Outcome::Float(f64::from_bits(bits)),
        })
    }
}

/// `serde_json` reads nothing that nests as deep as an outcome may, so that is read by way of our own tree.
fn read(json: &str) -> Option<Outcome> {
    let shallow = serde_json::from_str(json);
    shallow
        .or_else(|_| serde_json::from_value(written(json).unwrap_or_default()))
        .ok()
}

#[cfg(test)]
mod tests {
    use gsw_engine::model::{Content, ModelAnswer, StopReason};
    use gsw_engine::operation::{ExecOutput, Failure, Outcome};
    use gsw_notation::json::{MAX_DEPTH, parse};

    use super::Noted;

    #[test]
    fn arguments_that_nest_as_deep_as_any_come_back() {
        let list = format!("{}1{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        let outcome = Outcome::Model(Box::new(Ok(ModelAnswer {
            content: vec![Content::ToolUse {
                id: "1".into(),
                name: "note".into(),
                input: parse(&list).expect("it nests no deeper").into(),
                flaw: None,
            }],
            stop: StopReason::ToolUse,
            stop_reason: "tool_use".into(),
            model: "model".into(),
            request_id: None,
            usage: None,
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        })));
        let bytes = Noted::encode("it".into(), &outcome);
        let read = Noted::decode(&bytes).and_then(Noted::outcome);
        assert_eq!(read, Some(outcome));
    }

    #[test]
    fn outcomes_come_back_exactly() {
        for outcome in [
            Outcome::Done,
            Outcome::Text("ä\0\n".into()),
            Outcome::Bytes(vec![0, 255]),
            Outcome::Float(0.1 + 0.2),
            Outcome::Float(f64::MIN_POSITIVE),
            Outcome::Time(i64::MIN),
            Outcome::Exec(ExecOutput {
                code: 1,
                stdout: "a".into(),
                stderr: String::new(),
            }),
            Outcome::Failed(Failure::Unknown { what: "b".into() }),
        ] {
            let bytes = Noted::encode("it".into(), &outcome);
            let read = Noted::decode(&bytes).and_then(Noted::outcome);
            assert_eq!(read, Some(outcome));
            assert_eq!(Noted::decode(&bytes[..bytes.len() - 1]), None);
        }
    }
}
