//! A line of a cassette: a request, and what happened to it.

use std::time::Duration;

use gsw_driver::tape::Played;
use gsw_engine::exchange::Reply;
use gsw_engine::model::{Again, Content, FailureKind, ModelAnswer, ModelFailure, Oversize};
use gsw_tree::usage::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A request with what happened to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The test that asked, with its row; `None` where a run did.
    pub test: Option<String>,
    /// The prompt's short name, for readers of the file.
    pub prompt: String,
    pub request: Value,
    pub reply: Recorded,
}

/// What happened to a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Recorded {
    Answer(Value),
    Failure(Value),
    /// The run did not wait for it.
    GivenUp,
}

/// A failure as it is written in the file.
#[derive(Serialize, Deserialize)]
struct Failure {
    kind: FailureKind,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// In seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again: Option<Anew>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<Box<Usage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    oversize: Option<Box<Oversize>>,
}

/// How one more request could succeed.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Anew {
    Later,
    #[serde(rename = "described")]
    SchemaDescribed,
    ToolsDescribed,
}

impl Recorded {
    /// Of a reply that can be given again.
    pub(super) fn of(reply: Reply) -> Result<Self, String> {
        match reply {
            Reply::Answered(answer) => Ok(Self::Answer(answer_form(&answer))),
            Reply::Failed(failure) => Ok(Self::Failure(failure_form(*failure))),
            Reply::GivenUp => Ok(Self::GivenUp),
            Reply::Withheld(why) => Err(why),
        }
    }

    /// The outcome that is played in place of the model's; `None` where it is damaged.
    pub(super) fn played(&self) -> Option<Played> {
        let outcome = match self {
            Self::Answer(form) => Ok(answer_of(form)?),
            Self::Failure(form) => Err(failure_of(form)?),
            Self::GivenUp => return Some(Played::Never),
        };
        Some(Played::Outcome(Box::new(outcome)))
    }
}

impl Record {
    /// As a line of a file.
    pub(super) fn to_json(&self) -> Value {
        let mut line = Map::new();
        if let Some(test) = &self.test {
            line.insert("test".into(), test.as_str().into());
        }
        line.insert("prompt".into(), self.prompt.as_str().into());
        line.insert("request".into(), self.request.clone());
        let (name, reply) = match &self.reply {
            Recorded::Answer(form) => ("answer", form.clone()),
            Recorded::Failure(form) => ("failure", form.clone()),
            Recorded::GivenUp => ("given_up", true.into()),
        };
        line.insert(name.into(), reply);
        Value::Object(line)
    }

    /// Of a line of a file; `None` where it is no record.
    pub(super) fn of_json(line: Value) -> Option<Self> {
        let Value::Object(mut line) = line else {
            return None;
        };
        let text = |value: Value| value.as_str().map(str::to_owned);
        let test = match line.shift_remove("test") {
            Some(test) => Some(text(test)?),
            None => None,
        };
        let prompt = text(line.shift_remove("prompt")?)?;
        let request = line.shift_remove("request").filter(Value::is_object)?;
        let mut rest = line.into_iter();
        let (name, reply) = rest.next()?;
        let reply = match name.as_str() {
            "answer" => Recorded::Answer(reply),
            "failure" => Recorded::Failure(reply),
            "given_up" => Recorded::GivenUp,
            _ => return None,
        };
        // Read once now, so that a damaged line is found before anything runs.
        let _ = reply.played()?;
        rest.next().is_none().then_some(Self {
            test,
            prompt,
            request,
            reply,
        })
    }
}

/// An answer as it is written in the file: without what is as usual, and a single text as it is.
fn answer_form(answer: &ModelAnswer) -> Value {
    let mut form = json!(answer);
    if let Value::Object(form) = &mut form {
        form.shift_remove("attempts");
        form.shift_remove("circuit");
        form.retain(|_, value| *value != Value::Null && *value != Value::Bool(false));
        if let [Content::Text { text }] = answer.content.as_slice() {
            form.insert("content".into(), text.as_str().into());
        }
    }
    form
}

fn answer_of(form: &Value) -> Option<ModelAnswer> {
    let mut form = form.as_object()?.clone();
    if let Some(Value::String(text)) = form.get("content") {
        let content = [Content::Text { text: text.clone() }];
        form.insert("content".into(), json!(content));
    }
    form.insert("attempts".into(), 1.into());
    form.entry("simulated").or_insert(false.into());
    serde_json::from_value(Value::Object(form)).ok()
}

fn failure_form(failure: ModelFailure) -> Value {
    json!(Failure {
        kind: failure.kind,
        message: failure.message,
        status: failure.status,
        retry_after: failure.retry_after.map(|it| it.as_secs_f64()),
        again: failure.again.map(|it| match it {
            Again::After(_) | Again::AtOnce => Anew::Later,
            Again::SchemaDescribed => Anew::SchemaDescribed,
            Again::ToolsDescribed => Anew::ToolsDescribed,
        }),
        request_id: failure.request_id,
        begun: failure.begun,
        oversize: failure.oversize,
    })
}

fn failure_of(form: &Value) -> Option<ModelFailure> {
    let form: Failure = serde_json::from_value(form.clone()).ok()?;
    let retry_after = match form.retry_after {
        Some(seconds) => Some(Duration::try_from_secs_f64(seconds).ok()?),
        None => None,
    };
    Some(ModelFailure {
        status: form.status,
        retry_after,
        again: form.again.map(|it| match it {
            // No provider has to be spared, and a replay must not wait.
            Anew::Later => Again::AtOnce,
            Anew::SchemaDescribed => Again::SchemaDescribed,
            Anew::ToolsDescribed => Again::ToolsDescribed,
        }),
        request_id: form.request_id,
        begun: form.begun,
        oversize: form.oversize,
        attempts: 1,
        ..ModelFailure::new(form.kind, form.message)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gsw_driver::tape::Played;
    use gsw_engine::exchange::Reply;
    use gsw_engine::model::{
        Again, Content, FailureKind, ModelAnswer, ModelFailure, Oversize, StopReason,
    };
    use gsw_tree::usage::Usage;
    use serde_json::json;

    use super::{Record, Recorded};

    fn answer(content: Vec<Content>, stop: StopReason) -> ModelAnswer {
        ModelAnswer {
            content,
            stop,
            stop_reason: "end_turn".into(),
            model: "m".into(),
            request_id: Some("r".into()),
            usage: Some(Usage {
                input_tokens: 3,
                ..Usage::default()
            }),
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        }
    }

    fn read_back(reply: Reply) -> Option<Played> {
        let record = Record {
            test: Some("t".into()),
            prompt: "p".into(),
            request: json!({"model": "m"}),
            reply: Recorded::of(reply).ok()?,
        };
        let read = Record::of_json(record.to_json())?;
        assert_eq!(read, record);
        read.reply.played()
    }

    #[test]
    fn what_is_written_is_played_as_it_was() {
        let text = |text: &str| Content::Text { text: text.into() };
        let call = Content::ToolUse {
            id: "1".into(),
            name: "t".into(),
            input: json!({"n": 1.50, "big": 12_345_678_901_234_567_890_u64}).into(),
            flaw: None,
        };
        for answer in [
            answer(vec![text("5")], StopReason::End),
            answer(vec![], StopReason::Refusal("no".into())),
            answer(vec![text("a"), call], StopReason::ToolUse),
        ] {
            let played = read_back(Reply::Answered(Box::new(answer.clone())));
            assert_eq!(played, Some(Played::Outcome(Box::new(Ok(answer)))));
        }
        assert_eq!(read_back(Reply::GivenUp), Some(Played::Never));
        assert_eq!(read_back(Reply::Withheld("why".into())), None);
    }

    #[test]
    fn failures_come_again_without_a_wait() {
        let failure = ModelFailure {
            status: Some(429),
            retry_after: Some(Duration::from_millis(2_500)),
            again: Some(Again::After(Duration::from_secs(2))),
            attempts: 1,
            oversize: Some(Box::new(Oversize {
                tokens: 2,
                limit: 1,
            })),
            ..ModelFailure::new(FailureKind::RateLimited, "slow down".into())
        };
        let played = read_back(Reply::Failed(Box::new(failure.clone())));
        let again = ModelFailure {
            again: Some(Again::AtOnce),
            ..failure
        };
        assert_eq!(played, Some(Played::Outcome(Box::new(Err(again)))));
    }

    #[test]
    fn a_damaged_line_is_no_record() {
        for line in [
            json!(1),
            json!({"prompt": "p", "request": {}}),
            json!({"prompt": "p", "request": {}, "answer": {"content": 1}}),
            json!({"prompt": "p", "request": [], "given_up": true}),
            json!({"prompt": "p", "request": {}, "given_up": true, "more": 1}),
            json!({"prompt": "p", "request": {}, "failure": {"kind": "odd", "message": ""}}),
        ] {
            assert_eq!(Record::of_json(line.clone()), None, "{line}");
        }
    }
}
